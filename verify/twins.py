"""Twins of a position: others that must look the same to a player, because they differ in nothing the player sees."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import attrs

from ..dsl import rules
from ..interpreter import Reference, State
from ..interpreter.exchange import Exchange, exchanged
from ..interpreter.words import value_text

MOST_TWINS = 60
"""Twins of a position for a player; of more, so many spread evenly."""


@attrs.frozen
class Twin:
    """A position that differs from another only in what somebody cannot see."""

    state: State
    words: str
    """What differs."""
    moved: Exchange | None
    """The items exchanged; None where something has another value."""


class Twins:
    """Makes twins of the positions of one game."""

    def __init__(self, engine: Reference) -> None:
        self.engine = engine
        self.layout = engine.program.layout
        self.sight = engine.program.sight

    def of(self, state: State, seat: int) -> Iterator[Twin]:
        """Positions that must look the same to a player."""
        m = self.engine.table(state).m
        for a, b in spread(list(self._pairs(m, seat)), MOST_TWINS):
            twin = self._swap(state, m, a, b)
            if twin is not None and self._looks_alike(m, twin, {a: b, b: a}, seat):
                yield twin
        for slot, value in spread(list(self._values(m, seat)), MOST_TWINS):
            yield self._replaced(state, m, slot, value)

    def _looks_alike(self, m: Any, twin: Twin, moved: Exchange, seat: int) -> bool:
        """Whether the player sees the same of the items that have changed places."""
        other = self.engine.table(twin.state).m
        return all(self.sight.seen(m, old, seat) == self.sight.seen(other, new, seat) for old, new in moved.items())

    def _swap(self, state: State, m: Any, a: int, b: int) -> Twin | None:
        moved = {a: b, b: a}
        made = exchanged(self.engine.program, state, moved)
        if made is None or made.values == state.values:
            return None
        return Twin(made, f"{self._item(m, a)} and {self._item(m, b)} exchanged", moved)

    def _replaced(self, state: State, m: Any, slot: int, value: Any) -> Twin:
        values = list(state.values)
        values[slot] = value
        name, type_ = self.layout.names[slot], self.layout.types[slot]
        words = f"{name} is {value_text(type_, value)} and not {value_text(type_, m[slot])}"
        return Twin(State(state.step, tuple(values)), words, None)

    def _item(self, m: Any, item: int) -> str:
        """An item in words, with where it lies."""
        words, zone = self.engine.program.words, self.sight.expressions.lies_in(m, item)
        rule, owner, _ = self.layout.zone_at[zone]
        whose = "" if owner is None else f" of player {owner + 1}"
        return f"{self.layout.kind_of[item].rule.name} {words.item(m, item)} in {rule.name}{whose}"

    def _pairs(self, m: Any, seat: int) -> Iterator[tuple[int, int]]:
        """Items of a kind that are printed differently, one pair of each sort, as far as the player sees the same."""
        for kind in self.layout.kinds.values():
            items = range(kind.first, min(kind.end, self.layout.movable))
            for a, b in combinations(self._sorts(m, items, seat), 2):
                alike = self._printed_alike(m, a, b, seat) and self._printed_alike(m, b, a, seat)
                if alike and self.layout.twins[a] != self.layout.twins[b]:
                    yield a, b

    def _sorts(self, m: Any, items: Iterable[int], seat: int) -> list[int]:
        """One item of each sort that no rule could tell apart, of those that the player does not see wholly."""
        held: dict[int, tuple[int, ...]] = {}
        for slot in self.sight.marks:
            value = m[slot]
            for item in value if isinstance(value, tuple) else () if value is None else (value,):
                held[item] = (*held.get(item, ()), slot)
        sorts: dict[Any, int] = {}
        for item in items:
            if self._hides(m, item, seat):
                sorts.setdefault((self.sight.whole(m, item), held.get(item)), item)
        return list(sorts.values())

    def _hides(self, m: Any, item: int, seat: int) -> bool:
        """Whether there is something about an item that a player does not see."""
        zone, look = self.sight.expressions.lies_in(m, item), self.sight.look(item)
        if not self.sight.into(zone, seat):
            return True
        return not look.plain and not all(self.sight.field(m, item, field, zone, seat) for field in look.fields)

    def _printed_alike(self, m: Any, item: int, other: int, seat: int) -> bool:
        """Whether what a player sees of what is printed on an item is on another, too."""
        zone = self.sight.expressions.lies_in(m, item)
        return not self.sight.into(zone, seat) or all(
            field.read(m, item) == field.read(m, other)
            for field in self.sight.look(item).fields
            if field.name not in self.layout.field_slots and self.sight.field(m, item, field, zone, seat)
        )

    def _values(self, m: Any, seat: int) -> Iterator[tuple[int, Any]]:
        """Other values for what the player does not see: variables, faces, changing fields."""
        for rule in self.layout.game.variables:
            block = self.layout.variables[rule.name]
            for slot in block.slots:
                owner = (slot - block.base) // block.stride if rule.owned else None
                if rule.visibility == "hidden" or (rule.visibility == "private" and owner != seat):
                    yield from ((slot, value) for value in self._others(slot, m[slot], rule.name))
        for kind in self.layout.kinds.values():
            for item in self._sorts(m, range(kind.first, kind.end), seat):
                yield from self._fields(m, item, seat)

    def _fields(self, m: Any, item: int, seat: int | None) -> Iterator[tuple[int, Any]]:
        """Other values for what an item shows and for its changing fields, where the player does not see them."""
        zone, kind = self.sight.expressions.lies_in(m, item), self.layout.kind_of[item].rule
        for field in self.sight.look(item).fields:
            slots = self.layout.field_slots.get(field.name)
            if slots is None or not slots[item]:
                continue
            if seat is not None and self.sight.into(zone, seat) and self.sight.field(m, item, field, zone, seat):
                continue
            slot = slots[item]
            if slot == self.layout.face_slot[item]:
                others: Sequence[Any] = [face for face in sorted(set(self.layout.faces[item])) if face != m[slot]]
                others = spread(others, 3)
            else:
                others = self._others(slot, m[slot], f"{kind.name}.{field.name}")
            yield from ((slot, value) for value in others)

    def _others(self, slot: int, value: Any, name: str) -> list[Any]:
        """A few other values that a slot may hold."""
        type_ = self.layout.types[slot]
        there: list[Any] = [None] if isinstance(type_, rules.Maybe) else []
        match type_.of if isinstance(type_, rules.Maybe) else type_:
            case rules.YesNo():
                there += [False, True]
            case rules.Member(names=names):
                there += range(len(names))
            case rules.Player():
                there += range(self.layout.players)
            case rules.Number():
                near = () if value is None else (value - 1, value + 1)
                ends = self.layout.ranges.get(name, near)
                there += dict.fromkeys(n for n in (*near, *ends) if min(ends) <= n <= max(ends))
        return [each for each in there if each != value][:4]

    def otherwise(self, state: State, item: int, mine: tuple[int, ...], seat: int) -> Iterator[Twin]:
        """Positions in which an item, one of several secret ones, is another one that the player does not see either.

        Where all of the kind are printed alike, what it shows is the secret. Where the player sees all the others, and
        this one too, it is any other.
        """
        m, kind, twins = self.engine.table(state).m, self.layout.kind_of[item], self.layout.twins
        items = range(kind.first, kind.end)
        if all(twins[other] == twins[item] for other in items):
            yield from (self._replaced(state, m, *new) for new in self._fields(m, item, None))
            return
        different = [other for other in items if twins[other] != twins[item]]
        others = [each for each in self._sorts(m, different, seat) if self._printed_alike(m, each, item, seat)]
        if not others and not self._hides(m, item, seat):
            others = [other for other in different if other not in mine]
        for other in others:
            if (twin := self._swap(state, m, item, other)) is not None:
                yield twin


def spread(values: Sequence[Any], most: int) -> Sequence[Any]:
    """So many of the values at most, taken evenly from first to last."""
    if len(values) <= most:
        return values
    return [values[number * (len(values) - 1) // (most - 1)] for number in range(most)]
