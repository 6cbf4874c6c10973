"""Statements without chance, choice or phases as closures over the memory: what changes at once.

All moving of items is here, so that every item stays in exactly one zone.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ..dsl import rules
from ..dsl.source import Span
from .closures import IN_RANGE, Memory, Read, fault, within_64_bits
from .expressions import Expressions
from .layout import IN, Layout, kinds_of

Run = Callable[[Memory], int | None]
"""A part of a step: gives the step to go on with, or None to go on with what follows."""


class Effects:
    """Makes closures that change the memory of one layout."""

    def __init__(self, layout: Layout, expressions: Expressions) -> None:
        self.layout = layout
        self.expressions = expressions
        self.stacked = {slot for slot, (zone, _, _) in layout.zone_at.items() if zone.stacked}

    def run(self, statement: rules.Statement) -> Run:
        """The closure for one of the statements that belong here."""
        match statement:
            case rules.Assign():
                return self._assign(statement)
            case rules.Let(bind, value):
                return self._let(self.expressions.slot(bind), self.expressions.read(value))
            case rules.Move():
                return self._move(statement)
            case rules.Turn(items, face):
                return self._turn(self.expressions.items(items), self.expressions.sure(face), statement.span)
            case rules.Shuffle(zone):
                return self._shuffle(self.expressions.zone(zone))
            case rules.Eliminate(player):
                return self._eliminate(self.expressions.sure(player))
            case rules.Pay():
                return self._pay(statement)
        raise AssertionError(f"not an effect: {statement}")

    # ---- values ----------------------------------------------------------------------------------------

    @staticmethod
    def _let(slot: int, value: Read) -> Run:
        def let(m: Memory) -> None:
            m[slot] = value(m)

        return let

    def _assign(self, statement: rules.Assign) -> Run:
        where = self._slot(statement.place)
        value = self._given(statement)
        if statement.unsafe:
            value = self._checked(statement.place, value, statement.span)
        if isinstance(where, int):
            return self._let(where, value)

        def assign(m: Memory) -> None:
            m[where(m)] = value(m)

        return assign

    def _given(self, statement: rules.Assign) -> Read:
        """The value a place is to have."""
        place, maybe = statement.place, isinstance(statement.place.type, rules.Maybe)
        if statement.operator == "=":
            return self.expressions.read(statement.value) if maybe else self.expressions.sure(statement.value)
        now, change = self.expressions.sure(place), self.expressions.sure(statement.value)
        made: Read = (lambda m: now(m) + change(m)) if statement.operator == "+" else (lambda m: now(m) - change(m))
        return within_64_bits(made, statement.span) if outgrows(statement) else made

    def _slot(self, place: rules.VariableValue | rules.FieldOf) -> int | Read:
        if isinstance(place, rules.VariableValue):
            block = self.layout.variables[place.name]
            return self.expressions.element(block, place.player, place.indexes, place.span)
        item = self.expressions.sure(place.item)
        shift = self.expressions.field(place)[1]
        if shift is not None:
            return lambda m: item(m) + shift
        slots = self.layout.field_slots[place.field]
        return lambda m: slots[item(m)]

    def _checked(self, place: rules.VariableValue | rules.FieldOf, value: Read, span: Span) -> Read:
        """The value, with a fault where the place cannot have it."""
        if isinstance(place, rules.VariableValue):
            return self._inside(value, self.layout.ranges.get(place.name), place.name, span)
        kinds = [kind for kind in self.layout.kinds.values() if kind.rule.name in kinds_of(place.item.type)]
        if any(kind.rule.faces is not None and kind.rule.faces.name == place.field for kind in kinds):
            return self._a_face(place, value, span)
        ends = {self.layout.ranges.get(f"{kind.rule.name}.{place.field}") for kind in kinds}
        if len(ends) == 1:
            return self._inside(value, ends.pop(), place.field, span)
        return self._by_kind(place, value, span)

    @staticmethod
    def _inside(value: Read, ends: tuple[int, int] | None, name: str, span: Span) -> Read:
        if ends is None:
            return value
        low, high = ends

        def checked(m: Memory) -> Any:
            given = value(m)
            if given is not None and not low <= given <= high:
                raise fault(f"{name} cannot be {given}: it lies in {low}..{high}", span, IN_RANGE)
            return given

        return checked

    def _a_face(self, place: rules.FieldOf, value: Read, span: Span) -> Read:
        item, faces = self.expressions.sure(place.item), self.layout.faces

        def checked(m: Memory) -> Any:
            face = value(m)
            if face not in faces[item(m)]:
                raise fault("the item has no such face", span)
            return face

        return checked

    def _by_kind(self, place: rules.FieldOf, value: Read, span: Span) -> Read:
        item, field = self.expressions.sure(place.item), place.field
        ranges, kind_of = self.layout.ranges, self.layout.kind_of

        def checked(m: Memory) -> Any:
            given = value(m)
            low, high = ranges.get(f"{kind_of[item(m)].rule.name}.{field}", (rules.LEAST, rules.MOST))
            if given is not None and not low <= given <= high:
                raise fault(f"{field} cannot be {given}: it lies in {low}..{high}", span, IN_RANGE)
            return given

        return checked

    def _pay(self, statement: rules.Pay) -> Run:
        span, amount = statement.span, self.expressions.sure(statement.amount)
        source, target = (self._payer(place, span) for place in (statement.source, statement.target))

        def pay(m: Memory) -> None:
            paid = amount(m)
            if paid < 0:
                raise fault(f"{paid} cannot be paid", span)
            source(m, -paid)
            target(m, paid)

        return pay

    def _payer(self, place: rules.VariableValue, span: Span) -> Callable[[Memory, int], None]:
        slot, name = self._slot(place), place.name
        low, high = self.layout.ranges.get(place.name, (rules.LEAST, rules.MOST))

        def change(m: Memory, by: int) -> None:
            where = slot if isinstance(slot, int) else slot(m)
            left = m[where] + by
            if not low <= left <= high:
                raise fault(f"{name} cannot be {left}: it lies in {low}..{high}", span, IN_RANGE)
            m[where] = left

        return change

    @staticmethod
    def _eliminate(player: Read) -> Run:
        def eliminate(m: Memory) -> None:
            out = player(m)
            m[IN] = tuple([seat for seat in m[IN] if seat != out])

        return eliminate

    # ---- items -----------------------------------------------------------------------------------------

    def _turn(self, items: Read, face: Read, span: Span) -> Run:
        def turn(m: Memory) -> None:
            self.show(m, items(m), face(m), span)

        return turn

    def show(self, m: Memory, items: Sequence[int], face: Any, span: Span) -> None:
        """Items show a face."""
        slots, faces = self.layout.face_slot, self.layout.faces
        for item in items:
            if face not in faces[item]:
                raise fault("the item has no such face", span)
            m[slots[item]] = face

    def _move(self, statement: rules.Move) -> Run:
        items, put = self.expressions.items(statement.items), self.put(statement.to, statement.items.type)
        face = self.expressions.sure(statement.showing) if statement.showing is not None else None
        span = statement.span

        def move(m: Memory) -> None:
            moved = items(m)
            if moved:
                shown = face(m) if face is not None else None
                put(m, moved)
                if face is not None:
                    self.show(m, moved, shown, span)

        return move

    def put(self, to: rules.Destination, type_: rules.Type) -> Callable[[Memory, tuple[int, ...]], None]:
        """A closure that takes items from where they lie and puts them into a zone, as if one by one."""
        slot, allowed, span = self.expressions.zone(to.zone), self.layout.zone_rules[to.zone.name].kinds, to.span
        free = set(kinds_of(type_)) <= set(allowed)
        stacked = self.layout.zone_rules[to.zone.name].stacked
        # Read before anything is taken: it may ask how many lie there, or where.
        place = self.expressions.sure(to.place) if to.place is not None else None
        places, kind_of = self.layout.places, self.layout.kind_of

        def put(m: Memory, items: tuple[int, ...]) -> None:
            if len(items) > 1 and len(set(items)) < len(items):
                items = tuple(dict.fromkeys(items))
            if not free and any(kind_of[item].rule.name not in allowed for item in items):
                raise fault("an item of this kind cannot lie in the zone", span)
            zone = slot if isinstance(slot, int) else slot(m)
            if place is not None:
                into(m, zone, items, place(m))
                return
            self._take(m, items, span)
            if not stacked:
                m[zone] = tuple(sorted(m[zone] + items)) if m[zone] else tuple(sorted(items))
            elif to.at == "top":
                m[zone] += items
            else:
                lay(m, zone, 0, items[::-1])
            for item in items:
                m[places + item] = zone

        def into(m: Memory, zone: int, items: tuple[int, ...], number: int) -> None:
            for item in items:
                self._take(m, (item,), span)
                if not 1 <= number <= len(m[zone]) + 1:
                    raise fault(f"there is no place {number} among {len(m[zone])} items", span)
                lay(m, zone, number - 1, (item,))
                m[places + item] = zone

        return put

    def _take(self, m: Memory, items: tuple[int, ...], span: Span) -> None:
        """Take items from where they lie."""
        places = self.layout.places
        for zone in {m[places + item] for item in items}:
            if zone in self.stacked:
                for item in items:
                    if m[places + item] == zone:
                        take_from_stack(m, zone, item, span)
            elif m[zone] == items:
                m[zone] = ()
            else:
                m[zone] = tuple([item for item in m[zone] if item not in items])

    def _shuffle(self, zone: int | Read) -> Run:
        def shuffle(m: Memory) -> None:
            slot = zone if isinstance(zone, int) else zone(m)
            m[slot] = tuple(sorted(m[slot]))
            m[slot + 1] = tuple(range(len(m[slot]))) if len(m[slot]) > 1 else ()

        return shuffle


def lay(m: Memory, zone: int, index: int, items: tuple[int, ...]) -> None:
    """Lay items into a stacked zone; those above them rise."""
    m[zone] = m[zone][:index] + items + m[zone][index:]
    m[zone + 1] = tuple([p if p < index else p + len(items) for p in m[zone + 1]])


def take_from_stack(m: Memory, zone: int, item: int, span: Span) -> None:
    """Take one item out of a stacked zone; those above it sink."""
    index, unknown = m[zone].index(item), m[zone + 1]
    if index in unknown and unknown[-1] - unknown[0] >= len(unknown):
        # Known items lie between unknown ones: how far each sinks would depend on where this one was.
        raise fault("nobody knows where in the zone this item lies; draw it or shuffle the zone first", span)
    m[zone] = m[zone][:index] + m[zone][index + 1 :]
    left = tuple([p - (p > index) for p in unknown if p != index])
    m[zone + 1] = left if len(left) > 1 else ()


def reveal(m: Memory, zone: int, found: Sequence[tuple[int, int]]) -> None:
    """Unknown positions of a stacked zone become known: pairs of a position and the item that lies there."""
    known = dict(found)
    unknown = [p for p in m[zone + 1] if p not in known]
    items = list(m[zone])
    hidden = sorted({items[p] for p in m[zone + 1]} - set(known.values()))
    for position, item in [*known.items(), *zip(unknown, hidden, strict=True)]:
        items[position] = item
    m[zone] = tuple(items)
    m[zone + 1] = tuple(unknown) if len(unknown) > 1 else ()


def outgrows(statement: rules.Assign) -> bool:
    """Whether a number that is changed may come to need more than 64 bits."""
    before, change = _number(statement.place.type), _number(statement.value.type)
    return (
        before.low + min(change.low, -change.high) < rules.LEAST
        or before.high + max(change.high, -change.low) > rules.MOST
    )


def _number(type_: rules.Type) -> rules.Number:
    """The range of a number that may be none."""
    inner = type_.of if isinstance(type_, rules.Maybe) else type_
    return inner if isinstance(inner, rules.Number) else rules.Number()


def leaps(body: rules.Body) -> bool:
    """Whether statements may lead out of a phase around them, or end the game."""
    for statement in body:
        match statement:
            case rules.EndGame() | rules.EndPass() | rules.Leave() | rules.Again():
                return True
            case rules.If(cases, otherwise) | rules.Match(_, cases, otherwise):
                if any(leaps(case.body) for case in cases) or leaps(otherwise):
                    return True
            case rules.For(body=inner) | rules.RepeatTimes(_, inner) | rules.RepeatUntil(_, inner):
                if leaps(inner):
                    return True
    return False
