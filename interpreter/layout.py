"""Where everything lies: one flat memory for a game with its players and options fixed.

    0                  the seats still in the game, as a tuple
    variables          a slot for each element; those of a player's variable stride by seat
    zones              a slot for each part: the tuple of its items. Two for a stacked part: the second holds
                       the positions (from 0, the bottom) whose items are unknown since a shuffle
    places             for each component, the slot of the zone it lies in
    faces, fields      what each item shows, and its changing fields
    control, locals    what the program needs to go on: appended by the program
    scratch            counted from the end (-1, -2, …) and no part of a state: what an expression binds

Unstacked zones list their items by number; so do unknown positions of stacked ones. Numbers of items follow
the declarations, components before cells. Cells lie for ever in their sheet, which needs no slot.
"""

from typing import Any

import attrs

from ..dsl import rules

IN = 0
"""The slot of the seats still in."""

EVENTS = -1
"""The scratch slot of the list of events."""

ASKED = -2
"""The scratch slot of a request that a step has already made."""

LEFT = -3
"""The scratch slot of how many more passes the loops inside a step may make before something is asked."""

BOX = "box"


@attrs.frozen
class Span:
    """The index values of a dimension: `first` is at offset 0 and there are `size`."""

    domain: rules.Domain
    first: int
    size: int


@attrs.frozen
class Block:
    """The slots of a variable or zone: `base + seat * stride + offset * width`."""

    name: str
    base: int
    shape: tuple[Span, ...]
    seats: int
    stride: int
    width: int = 1

    @property
    def slots(self) -> range:
        """The first slot of every element, in order."""
        return range(self.base, self.base + self.seats * self.stride, self.width)


@attrs.frozen
class KindOfItem:
    """A kind's items: numbered from `first` up to but not including `end`."""

    rule: rules.Kind
    first: int
    end: int


@attrs.define
class Layout:
    """A game with its players and options fixed: every value that cannot change, a slot for each that can."""

    game: rules.Game
    players: int
    options: dict[str, int | bool]
    scratch: int

    tables: dict[str, tuple[tuple[Span, ...], tuple[Any, ...]]] = attrs.Factory(dict)

    kinds: dict[str, KindOfItem] = attrs.Factory(dict)
    kind_of: list[KindOfItem] = attrs.Factory(list)
    movable: int = 0
    fixed: dict[str, list[Any]] = attrs.Factory(dict)
    """For each name of a fixed field its value for every item; None for items without it."""
    twins: list[int] = attrs.Factory(list)
    """For each item the lowest item of its kind with the same fixed fields (and sheet)."""
    families: list[list[int]] = attrs.Factory(list)
    """Twins together, where there are several."""
    faces: list[tuple[int, ...]] = attrs.Factory(list)
    """For each item its faces, in order, each as often as it weighs; none for items without."""
    face_slot: list[int] = attrs.Factory(list)
    """For each item the slot of the face it shows; 0 for items without."""
    field_slots: dict[str, list[int]] = attrs.Factory(dict)
    """For each name of a face or changing field its slot for every item; 0 for items without it."""

    variables: dict[str, Block] = attrs.Factory(dict)
    zones: dict[str, Block] = attrs.Factory(dict)
    sheets: dict[str, list[tuple[int, ...]]] = attrs.Factory(dict)
    """For each sheet its cells by seat; once if it is shared."""
    zone_rules: dict[str, rules.Zone] = attrs.Factory(dict)
    zone_at: dict[int, tuple[rules.Zone, int | None, tuple[int, ...]]] = attrs.Factory(dict)
    """For the slot of a zone's part, and for sheets by their `cell_zone`: the zone, the owner, the indexes."""
    cell_zone: list[int] = attrs.Factory(list)
    """For each item a number below zero that stands for its sheet; 0 for components."""
    places: int = 0
    ranges: dict[str, tuple[int, int]] = attrs.Factory(dict)
    """The exact ends for `variable` and for `kind.field`, where the values are numbers."""

    names: list[str] = attrs.Factory(list)
    """A readable name for each slot."""
    types: list[rules.Type] = attrs.Factory(list)
    """What may stand in each slot."""
    start: list[Any] = attrs.Factory(list)
    """What stands there when the game begins."""

    def add(self, name: str, type: rules.Type, value: Any) -> int:
        """A new slot."""
        self.names.append(name)
        self.types.append(type)
        self.start.append(value)
        return len(self.names) - 1

    def memory(self) -> list[Any]:
        """What the slots hold at the start, with room for scratch and a list for events."""
        return [*self.start, *[None] * (self.scratch - 2), None, []]


def holds_items(type_: rules.Type) -> bool:
    """Whether values of a type are items, or sets of them."""
    inner: Any = type_
    while isinstance(inner, rules.Many | rules.Maybe):
        inner = inner.of
    return isinstance(inner, rules.Item)


def kinds_of(type_: rules.Type) -> tuple[str, ...]:
    """The kinds of the items that values of a type are, or are sets of."""
    inner: Any = type_
    while isinstance(inner, rules.Many | rules.Maybe):
        inner = inner.of
    return inner.kinds if isinstance(inner, rules.Item) else ()
