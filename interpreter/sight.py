"""What a seat can tell apart, and what nobody could: keys of numbers for items, equal where items look alike.

Keys are ordered by what is seen and by nothing else, so the order of options tells no secrets.
"""

from collections.abc import Callable
from typing import Any

import attrs

from ..dsl import rules
from .closures import Memory, Read
from .expressions import Expressions
from .layout import KindOfItem, Layout

Key = tuple[int, ...]

NONE = -(2**64)
HIDDEN = 2**64
"""Beside every number a field may have, so that keys can be put in order."""


@attrs.frozen
class Look:
    """How the items of a kind look: a reader for each field, and the conditions under which it is seen."""

    order: int
    """The kind's place among all kinds."""
    first: int
    """The first item of the kind."""
    plain: bool
    """Whether whoever sees an item at all sees all of it."""
    slots: list[tuple[int, ...]]
    """For each item where its face and its changing fields stand."""
    slots_but_face: list[tuple[int, ...]]
    """The same without the face."""
    fields: tuple["SeenField", ...]


@attrs.frozen
class SeenField:
    """One field of a kind: its value, who sees it, and the condition over the item that must hold for that."""

    name: str
    type: rules.Type
    read: Callable[[Memory, int], Any]
    visibility: str
    unless: tuple[tuple[int, Read], ...]


class Sight:
    """Keys of items for one layout."""

    def __init__(self, layout: Layout, expressions: Expressions) -> None:
        self.layout = layout
        self.expressions = expressions
        self.looks = {kind.rule.name: self._look(order, kind) for order, kind in enumerate(layout.kinds.values())}
        self._look_of = [self.looks[kind.rule.name] for kind in layout.kind_of]
        self.marks: tuple[int, ...] = ()
        """The slots in which rules hold on to items; set by the program, when all slots are known."""

    def _look(self, order: int, kind: KindOfItem) -> Look:
        rule, layout = kind.rule, self.layout
        fields = [(field.name, field.domain.type, "open") for field in rule.fields]
        if rule.faces is not None:
            fields.append((rule.faces.name, rule.faces.type, "open"))
        fields += [(field.name, field.domain.type, field.visibility) for field in rule.changing]
        changing = [layout.field_slots[field.name] for field in rule.changing]
        items = range(kind.first, kind.end)
        slots_but_face = [tuple([slots[item] for slots in changing]) for item in items]
        slots = [(layout.face_slot[item], *slots_but_face[item - kind.first]) for item in items]
        return Look(
            order=order,
            first=kind.first,
            plain=not rule.hides and all(field.visibility == "open" for field in rule.changing),
            slots=slots if rule.faces is not None else slots_but_face,
            slots_but_face=slots_but_face,
            fields=tuple(self._field(rule, *field) for field in fields),
        )

    def _field(self, rule: rules.Kind, name: str, type_: rules.Type, visibility: str) -> SeenField:
        # Who does not see a field must not see either what follows from it.
        known_by = fields_behind(rule, name)
        unless = [
            (self.expressions.slot(hide.it), self.expressions.read(hide.unless))
            for hide in rule.hides
            if known_by & set(hide.fields)
        ]
        return SeenField(name, type_, self._reader(rule, name), visibility, tuple(unless))

    def _reader(self, rule: rules.Kind, name: str) -> Callable[[Memory, int], Any]:
        if any(name == field.name for field in rule.fields):
            values = self.layout.fixed[name]
            return lambda m, item: values[item]
        slots = self.layout.field_slots[name]
        return lambda m, item: m[slots[item]]

    # ---- who sees what ---------------------------------------------------------------------------------

    def into(self, zone: int, seat: int | None) -> bool:
        """Whether a seat sees what lies in a zone; nobody in particular sees all."""
        rule, owner, _ = self.layout.zone_at[zone]
        return seat is None or rule.visibility == "open" or (rule.visibility == "private" and owner == seat)

    def field(self, m: Memory, item: int, field: SeenField, zone: int, seat: int | None) -> bool:
        """Whether a seat that sees an item in a zone also sees this field of it."""
        if seat is None:
            return True
        if field.visibility == "hidden":
            return False
        if field.visibility == "private" and self.layout.zone_at[zone][1] != seat:
            return False
        for slot, condition in field.unless:
            m[slot] = item
            if not condition(m):
                return False
        return True

    def shows(self, m: Memory, item: int, field: str, zone: int, seat: int) -> bool:
        """Whether a seat that sees an item in a zone also sees its field of this name."""
        look = self.look(item)
        return look.plain or all(self.field(m, item, f, zone, seat) for f in look.fields if f.name == field)

    def look(self, item: int) -> Look:
        """How an item looks."""
        return self._look_of[item]

    def place(self, m: Memory, item: int, zone: int) -> int:
        """An item's position in a stacked zone from 0; -1 elsewhere, or where it is not known."""
        if zone < 0 or not self.layout.zone_at[zone][0].stacked:
            return -1
        index: int = m[zone].index(item)
        return -1 if index in m[zone + 1] else index

    # ---- keys ------------------------------------------------------------------------------------------

    def seen(self, m: Memory, item: int, seat: int) -> Key:
        """What a seat can tell about an item: equal for two items that look alike to it."""
        zone = self.expressions.lies_in(m, item)
        place = self.place(m, item, zone)
        if not self.into(zone, seat):
            return (zone, place)
        look = self._look_of[item]
        if look.plain:
            return (zone, place, look.order, self.layout.twins[item], *self._shown(m, look.slots[item - look.first]))
        return (zone, place, look.order, *[self._seen_field(m, item, field, zone, seat) for field in look.fields])

    @staticmethod
    def _shown(m: Memory, slots: tuple[int, ...]) -> list[int]:
        return [NONE if (value := m[slot]) is None else value for slot in slots]

    def _seen_field(self, m: Memory, item: int, field: SeenField, zone: int, seat: int) -> int:
        if not self.field(m, item, field, zone, seat):
            return HIDDEN
        value = field.read(m, item)
        return NONE if value is None else int(value)

    def whole(self, m: Memory, item: int, face: bool = True) -> Key:
        """All there is to an item: equal for two that no rule could tell apart. `face`: what it shows counts."""
        zone, look = self.expressions.lies_in(m, item), self._look_of[item]
        slots = (look.slots if face else look.slots_but_face)[item - look.first]
        return (zone, self.place(m, item, zone), self.layout.twins[item], *self._shown(m, slots))

    # ---- groups ----------------------------------------------------------------------------------------

    def apart(self, m: Memory, items: tuple[int, ...], face: bool = True) -> list[list[int]]:
        """Items in groups of those that no rule could tell apart, in the order of their first."""
        if len(items) < 2:
            return [list(items)] if items else []
        held = self._held(m, items)
        groups: dict[Any, list[int]] = {}
        if not held and self._all_in_one(m, items):
            # Where they lie says nothing then, nor what holds on to them.
            twins = self.layout.twins
            for item in items:
                look = self._look_of[item]
                slots = (look.slots if face else look.slots_but_face)[item - look.first]
                key = (twins[item], *[m[slot] for slot in slots]) if slots else twins[item]
                groups.setdefault(key, []).append(item)
        else:
            for item in items:
                key = (self.whole(m, item, face), *[item in value for value in held])
                groups.setdefault(key, []).append(item)
        return list(groups.values())

    def _held(self, m: Memory, items: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The sets that rules hold on to and that part these items."""
        parting = []
        for slot in self.marks:
            value = m[slot]
            if value is not None and value != ():
                value = value if isinstance(value, tuple) else (value,)
                if 0 < sum([item in value for item in items]) < len(items):
                    parting.append(value)
        return parting

    def _all_in_one(self, m: Memory, items: tuple[int, ...]) -> bool:
        """Whether all lie in one zone without an order."""
        lies_in = self.expressions.lies_in
        zone = lies_in(m, items[0])
        if zone >= 0 and self.layout.zone_at[zone][0].stacked:
            return False
        return all([lies_in(m, item) == zone for item in items])

    def alike(self, m: Memory, items: tuple[int, ...], seat: int) -> list[tuple[Key, tuple[int, ...]]]:
        """Items in groups of those that look alike to a seat, in the order of how they look."""
        groups: dict[Key, list[int]] = {}
        for item in dict.fromkeys(items):
            groups.setdefault(self.seen(m, item, seat), []).append(item)
        return [(key, tuple(sorted(groups[key]))) for key in sorted(groups)]

    def same(self, m: Memory, items: tuple[int, ...]) -> bool:
        """Whether no rule could tell these items apart, whatever rules hold on to."""
        first = self.whole(m, items[0])
        return all(self.whole(m, item) == first for item in items[1:])


def fields_behind(rule: rules.Kind, name: str) -> set[str]:
    """A field with all those it is worked out from."""
    derived = {field.name: field.value for field in rule.fields if field.value is not None}
    behind: set[str] = set()
    waiting: list[Any] = [name]
    while waiting:
        part = waiting.pop()
        if isinstance(part, rules.FieldOf):
            waiting.append(part.field)
        if isinstance(part, str) and part not in behind:
            behind.add(part)
            waiting.append(derived.get(part))
        elif isinstance(part, rules.Rule):
            waiting.extend(getattr(part, field.name) for field in attrs.fields(type(part)) if field.name != "span")
        elif isinstance(part, tuple):
            waiting.extend(each for each in part if isinstance(each, rules.Rule))
    return behind


def blind(items: rules.Expr) -> bool:
    """Whether which items these are surely does not depend on what any item shows."""
    match items:
        case rules.ZoneItems(_, player, indexes):
            parts = (*(() if player is None else (player,)), *(indexes or ()))
            return all(isinstance(part, rules.Constant | rules.Local) for part in parts)
        case rules.Union(left, right) | rules.Difference(left, right):
            return blind(left) and blind(right)
        case _:
            return isinstance(items, rules.AllItems | rules.Local)
