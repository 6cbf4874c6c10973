"""One key for all positions that play on alike: what a search remembers instead of states.

In the key stands what can still affect the future and nothing else (`liveness`). Items of a kind with the same fixed
fields are twins: each gets a signature (where it lies, what it shows, its changing fields, every slot that holds on to
it), and what counts is which signatures there are, not whose they are, unless the `order` of twins matters. What lies
there to be thrown shows nothing: what it showed before is soon forgotten. A game that is over has its result for a key.
"""

import marshal
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import repeat
from operator import itemgetter
from typing import Any

import attrs

from ..dsl import rules
from .asking import ThrowPlace
from .closures import Memory
from .engine import Result
from .layout import BOX, IN, kinds_of
from .liveness import Live, Liveness
from .order import in_order
from .program import Program
from .rotation import Rotation

Column = Callable[[Memory], tuple[Any, ...]]
"""One value for each item of a family."""

UNSHARED = 2
"""The version of `marshal` that writes equal values alike: later ones notice what is shared."""

MOST_WRITTEN = 100_000
"""Values that are kept as they are written."""


class Keys:
    """Makes keys for the positions of one program."""

    def __init__(self, program: Program, liveness: Liveness) -> None:
        self.program = program
        self.liveness = liveness
        self._makers: dict[int, Callable[[Memory], bytes]] = {}
        self._written: dict[tuple[Any, ...], bytes] = {}
        self._pivots: dict[int, list[int]] = {}
        self._ends: dict[Result, tuple[bytes, int]] = {}

    def key(self, m: Memory, step: int) -> bytes:
        """The key of a position in which something is asked."""
        made = self._makers.get(step)
        if made is None:
            made = self._makers[step] = _Maker(self, self.live(step), step, self._written).maker()
        return made(m)

    @staticmethod
    def end(result: Result) -> bytes:
        """The key of the end of a game."""
        return marshal.dumps((result.scores, result.winners), UNSHARED)

    @cached_property
    def ordered(self) -> frozenset[str]:
        """The kinds of which equal items may not change places. All there is to them counts then: what differs in any
        of it is thrown and drawn apart, and else is put in order."""
        return in_order(self.program.layout, self.liveness)

    @cached_property
    def families(self) -> list[list[int]]:
        """Items that may change places."""
        layout = self.program.layout
        return [family for family in layout.families if layout.kind_of[family[0]].rule.name not in self.ordered]

    @cached_property
    def forgets(self) -> bool:
        """Whether it can be forgotten what things show that are about to be thrown."""
        kinds = self.program.layout.kinds.values()
        faces = {(kind.rule.name, kind.rule.faces.name) for kind in kinds if kind.rule.faces is not None}
        return not any(mark[0] == "field" and mark[1:3] in faces for mark in self.liveness.tracked)

    # ---- seats turned ------------------------------------------------------------------------------------

    @cached_property
    def rotation(self) -> Rotation:
        """What turns positions."""
        return Rotation(self.program)

    def turned(self, m: Memory, step: int) -> tuple[bytes, int]:
        """One key for all positions that are the same but for who sits where, and by how many seats this one was turned
        for it. Right only where the rules treat seats alike (`names_a_seat`)."""
        pivots = self._pivots.get(step)
        if pivots is None:
            pivots = self._pivots[step] = self._players(step)
        for slot in pivots:
            if m[slot] is not None:
                by = -m[slot] % self.rotation.players
                turned = self.rotation.memory(m, by) if by else None
                return (self.key(m, step), 0) if turned is None else (self.key(turned, step), by)
        return self.key(m, step), 0

    def _players(self, step: int) -> list[int]:
        live = self.live(step)
        return self.rotation.pivots(step, lambda name: live is None or ("var", name) in live)

    def turned_end(self, result: Result) -> tuple[bytes, int]:
        """The same for the end of a game."""
        made = self._ends.get(result)
        if made is None:
            ways = [(self.end(self.rotation.result(result, by)), by) for by in range(self.rotation.players)]
            made = self._ends[result] = min(ways)
        return made

    def live(self, step: int) -> Live | None:
        """What may still be read where a step asks; None for all."""
        place = self.program.places[step]
        return self.liveness.at.get(place.span)


@attrs.define(eq=False)
class _Maker:
    """Makes the function that makes keys at one step."""

    keys: Keys
    live: Live | None
    step: int
    written: dict[tuple[Any, ...], bytes]
    plain: list[int] = attrs.Factory(list)
    nullable: list[int] = attrs.Factory(list)
    tuples: list[int] = attrs.Factory(list)
    holding: list[int] = attrs.Factory(list)
    program: Program = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.program = self.keys.program

    def maker(self) -> Callable[[Memory], bytes]:
        """The function from a memory to its key."""
        self._sort_slots()
        families, singles = self.keys.families, self._singles()
        groups = [self._columns(family) for family in families]
        single = self._columns(singles)
        plain, nullable, tuples = _values(self.plain), _shown(_values(self.nullable)), _values(self.tuples)
        holders = _Holders(self.program, tuple(self.holding), [*families, *[[item] for item in singles]])
        place = self.program.places[self.step]
        forget = place.forget if isinstance(place, ThrowPlace) and place.blind and self.keys.forgets else None
        written, head = self.written, self.step.to_bytes(4, "little")

        def key(m: Memory) -> bytes:
            if forget is not None:
                m = m[:]
                forget(m)
            flat = [*plain(m), *nullable(m)]
            for column in single:
                flat += column(m)
            for columns in groups:
                if len(columns) == 1:
                    flat += sorted(columns[0](m))
                else:
                    for row in sorted(zip(*[column(m) for column in columns], strict=True)):
                        flat += row
            rest = tuples(m)
            held = holders.held(m)
            if held is not None:
                rest = (rest, holders.told(m, held, groups))
            tail = written.get(rest)
            if tail is None:
                tail = marshal.dumps(rest, UNSHARED)
                if len(written) < MOST_WRITTEN:
                    written[rest] = tail
            try:
                return head + array("b", flat).tobytes() + tail
            except OverflowError:
                return head + b"wide" + _wide(flat) + tail

        return key

    def _singles(self) -> list[int]:
        layout = self.program.layout
        several = {item for family in self.keys.families for item in family}
        return [item for item in range(len(layout.kind_of)) if item not in several]

    # ---- slots that hold no items ------------------------------------------------------------------------

    def _sort_slots(self) -> None:
        layout, program = self.program.layout, self.program
        slots = [IN]
        for name, block in layout.variables.items():
            if self._lives(("var", name)) or self._orders(block.base):
                slots += block.slots
        slots += self._own_slots()
        marks = set(program.sight.marks)
        for slot in slots:
            if slot in marks:
                self.holding.append(slot)
            elif slot == IN or isinstance(layout.types[slot], rules.Many):
                self.tuples.append(slot)
            elif isinstance(layout.types[slot], rules.Maybe) or slot >= program.lasting:
                self.nullable.append(slot)
            else:
                self.plain.append(slot)

    def _own_slots(self) -> list[int]:
        """The program's own slots, without locals that nothing will read."""
        program, expressions = self.program, self.program.expressions
        players = program.layout.players
        dead = {
            slot
            for number, slot in expressions.locals.items()
            if slot >= 0 and number not in program.control and not self._lives(("local", number))
            if not self._orders(slot)
        }
        for number, first in expressions.together.items():
            if not self._lives(("local", number)) and not self._orders(first):
                dead |= set(range(first, first + players))
        return [slot for slot in range(program.lasting, len(program.layout.names)) if slot not in dead]

    def _orders(self, slot: int) -> bool:
        """Whether a slot holds on to items whose order matters."""
        return not self.keys.ordered.isdisjoint(kinds_of(self.program.layout.types[slot]))

    def _lives(self, mark: tuple[str | int, ...]) -> bool:
        return self.live is None or mark in self.live

    # ---- items -------------------------------------------------------------------------------------------

    def _columns(self, family: Sequence[int]) -> list[Column]:
        """What counts of some items."""
        layout = self.program.layout
        columns: list[Column] = []
        if movable := [layout.places + item for item in family if item < layout.movable]:
            columns.append(_values(movable))
        for kind in {layout.kind_of[item].rule.name: layout.kind_of[item].rule for item in family}.values():
            mine = [item for item in family if layout.kind_of[item].rule.name == kind.name]
            if kind.faces is not None:
                columns += self._column(kind, kind.faces.name, mine, [layout.face_slot[item] for item in mine])
            for field in kind.changing:
                slots = [layout.field_slots[field.name][item] for item in mine]
                columns += self._column(kind, field.name, mine, slots)
        return columns

    def _column(self, kind: rules.Kind, name: str, items: Sequence[int], slots: list[int]) -> list[Column]:
        layout = self.program.layout
        if kind.sheet:
            return [_shown(_values(slots))] if self._lives(("field", kind.name, name, kind.name)) else []
        zones = {rule.name for rule, _, _ in layout.zone_at.values() if kind.name in rule.kinds or rule.name == BOX}
        ordered = kind.name in self.keys.ordered
        living = {zone for zone in zones if ordered or self._lives(("field", kind.name, name, zone))}
        if not living:
            return []
        shows = kind.faces is not None and kind.faces.name == name
        shown = _values(slots) if shows else _shown(_values(slots))  # a face is never `none`
        if living == zones:
            return [shown]
        there = frozenset(slot for slot, (rule, _, _) in layout.zone_at.items() if rule.name in living)
        places = _values([layout.places + item for item in items])

        def column(m: Memory) -> tuple[Any, ...]:
            return tuple([value if place in there else 0 for value, place in zip(shown(m), places(m), strict=True)])

        return [column]


def _wide(values: list[Any]) -> bytes:
    try:
        return array("q", values).tobytes()
    except OverflowError:  # the greatest number of all, and one more because it might be `none`
        return marshal.dumps([int(value) for value in values], UNSHARED)


def _values(slots: Iterable[int]) -> Column:
    """The values of slots, always as a tuple."""
    wanted = list(slots)
    if not wanted:
        return lambda m: ()
    if len(wanted) == 1:
        (slot,) = wanted
        return lambda m: (m[slot],)
    return itemgetter(*wanted)


def _shown(values: Column) -> Column:
    """Values with a number for `none`."""
    return lambda m: tuple([0 if v is None else v + 1 if v >= 0 else v for v in values(m)])


@attrs.define(eq=False)
class _Holders:
    """What holds on to items: slots of the rules, and known places in stacked zones."""

    program: Program
    slots: tuple[int, ...]
    families: list[list[int]]
    stacks: list[int] = attrs.field(init=False)
    family_of: dict[int, int] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        zones = self.program.layout.zone_at
        self.family_of = {item: number for number, family in enumerate(self.families) for item in family}
        self.stacks = [slot for slot, (rule, _, _) in zones.items() if slot >= 0 and rule.stacked]

    def held(self, m: Memory) -> dict[int, tuple[int, ...]] | None:
        """For each item what holds on to it; None when nothing holds on to any."""
        held: dict[int, tuple[int, ...]] = {}
        some = False
        for slot in self.slots:
            value = m[slot]
            if value is not None:
                some = True
                for place, item in enumerate(value if isinstance(value, tuple) else (value,)):
                    held[item] = (*held.get(item, ()), slot, place)
        for zone in self.stacks:
            if m[zone]:
                some = True
                unknown = m[zone + 1]
                for place, item in enumerate(m[zone]):
                    if place not in unknown:
                        held[item] = (*held.get(item, ()), zone, place)
        return held if some else None

    def told(self, m: Memory, held: dict[int, tuple[int, ...]], groups: list[list[Column]]) -> tuple[Any, ...]:
        """Who is held by what, up to an exchange of twins; and which slots hold something at all."""
        told: list[Any] = [None if (value := m[slot]) is None else isinstance(value, tuple) for slot in self.slots]
        for number in sorted({self.family_of[item] for item in held}):
            family = self.families[number]
            columns = groups[number] if number < len(groups) else ()
            rows = zip(*[column(m) for column in columns], strict=True) if columns else repeat((), len(family))
            signed = [(row, held.get(item, ())) for row, item in zip(rows, family, strict=True)]
            told += (number, *sorted(signed))
        return tuple(told)
