"""What a seat can tell apart, and what nobody could: keys of numbers for items, equal where items look alike.

Keys are ordered by what is seen and by nothing else, so the order of options tells no secrets.
"""

from collections.abc import Callable
from typing import Any

import attrs

from ..dsl import rules
from .expressions import Expressions, Memory, Read
from .layout import KindOfItem, Layout

Key = tuple[int, ...]

NONE = -(2**64)
HIDDEN = 2**64
"""Beside every number a field may have, so that keys can be put in order."""


@attrs.frozen
class Look:
    """How the items of a kind look: a reader for each field, and the conditions under which it is seen."""

    plain: bool
    """Whether whoever sees an item at all sees all of it."""
    slots: tuple[list[int], ...]
    """Where the face and the changing fields stand."""
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
        self.looks = {name: self._look(kind) for name, kind in layout.kinds.items()}
        self._look_of = [self.looks[kind.rule.name] for kind in layout.kind_of]
        self._order = {name: number for number, name in enumerate(layout.kinds)}
        self.marks: tuple[int, ...] = ()
        """The slots in which rules hold on to items; set by the program, when all slots are known."""

    def _look(self, kind: KindOfItem) -> Look:
        rule, layout = kind.rule, self.layout
        fields = [(field.name, field.domain.type, "open") for field in rule.fields]
        if rule.faces is not None:
            fields.append((rule.faces.name, rule.faces.type, "open"))
        fields += [(field.name, field.domain.type, field.visibility) for field in rule.changing]
        names = [field.name for field in rule.changing]
        slots = tuple(layout.field_slots[name] for name in names)
        if rule.faces is not None:
            slots = (layout.face_slot, *slots)
        plain = not rule.hides and all(field.visibility == "open" for field in rule.changing)
        return Look(plain, slots, tuple(self._field(rule, *field) for field in fields))

    def _field(self, rule: rules.Kind, name: str, type_: rules.Type, visibility: str) -> SeenField:
        # Who does not see a field must not see either what follows from it.
        known_by = _fields_behind(rule, name)
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
        look, kind = self._look_of[item], self._order[self.layout.kind_of[item].rule.name]
        if look.plain:
            return (zone, place, kind, self.layout.twins[item], *[_number(m[slots[item]]) for slots in look.slots])
        return (zone, place, kind, *[self._seen_field(m, item, field, zone, seat) for field in look.fields])

    def _seen_field(self, m: Memory, item: int, field: SeenField, zone: int, seat: int) -> int:
        return _number(field.read(m, item)) if self.field(m, item, field, zone, seat) else HIDDEN

    def whole(self, m: Memory, item: int, face: bool = True) -> Key:
        """All there is to an item: equal for two that no rule could tell apart. `face`: what it shows counts."""
        zone = self.expressions.lies_in(m, item)
        slots = self._look_of[item].slots
        if not face and self.layout.face_slot[item]:
            slots = slots[1:]
        fields = [_number(m[slot[item]]) for slot in slots]
        return (zone, self.place(m, item, zone), self.layout.twins[item], *fields)

    def apart(self, m: Memory, items: tuple[int, ...], face: bool = True) -> list[list[int]]:
        """Items in groups of those that no rule could tell apart, in the order of their first."""
        if len(items) < 2:
            return [list(items)] if items else []
        held = [value if isinstance(value, tuple) else (value,) for value in [m[slot] for slot in self.marks]]
        held = [value for value in held if value and value != (None,)]
        groups: dict[object, list[int]] = {}
        for item in items:
            key = (self.whole(m, item, face), *[item in value for value in held])
            groups.setdefault(key, []).append(item)
        return list(groups.values())

    def alike(self, m: Memory, items: tuple[int, ...], seat: int) -> list[tuple[Key, tuple[int, ...]]]:
        """Items in groups of those that look alike to a seat, in the order of how they look."""
        groups: dict[Key, list[int]] = {}
        for item in items:
            groups.setdefault(self.seen(m, item, seat), []).append(item)
        return [(key, tuple(sorted(groups[key]))) for key in sorted(groups)]

    def same(self, m: Memory, items: tuple[int, ...]) -> bool:
        """Whether no rule could tell these items apart, whatever rules hold on to."""
        first = self.whole(m, items[0])
        return all(self.whole(m, item) == first for item in items[1:])


def _fields_behind(rule: rules.Kind, name: str) -> set[str]:
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


def _number(value: Any) -> int:
    return NONE if value is None else int(value)
