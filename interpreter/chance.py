"""Events of chance: every outcome up to symmetry with its exact chance, and one outcome from even numbers.

How `sample` uses its draws, which every engine does alike:

    throw          for each item in the set's order one `below(total weight of its faces)`; the faces of items that
                   no rule could tell apart are then put in order
    draw, pick     of items: for each group to take from, a Fisher-Yates shuffle of its items cut short: for the
                   number i = 0, 1, … of the item taken one `below(items - i)`, which is swapped to place i.
                   Then each item is exchanged for the lowest of those no rule could tell apart
    pick           of values: one `below(total weight)`, counted through in the set's order
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Any, Protocol

from ..dsl.source import Span
from .closures import Memory
from .engine import Answer, Draws, IllegalAnswer
from .words import Readings, Words, listed, meant, spread, value_text


class Happening(Protocol):
    """The place in a program where something random happens."""

    name: str
    span: Span
    words: Words
    types: Sequence[Any]

    def phases(self, m: Memory) -> tuple[str, ...]:
        """The phases around it."""


class Event:
    """What all events of chance have in common."""

    __slots__ = ("happening", "m")

    def __init__(self, happening: Happening, m: Memory) -> None:
        self.happening = happening
        self.m = m

    @property
    def name(self) -> str:
        """`throw`, `draw` or `pick`."""
        return self.happening.name

    @property
    def span(self) -> Span:
        """The rule that makes it happen."""
        return self.happening.span

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases around that rule."""
        return self.happening.phases(self.m)

    def lost(self, items: Sequence[str], there: Sequence[str]) -> LookupError:
        """What to say when no outcome reads like this."""
        return LookupError(f"{self.name}: no outcome reads `{listed(items)}`; there are: {listed(there)}")


class ThrowEvent(Event):
    """Items show faces."""

    __slots__ = ("items", "groups")

    def __init__(self, happening: Happening, m: Memory, items: tuple[int, ...], groups: list[list[int]]) -> None:
        self.happening = happening
        self.m = m
        self.items = items
        self.groups = groups
        """Places in `items` whose items no rule could tell apart once they are thrown."""

    def _faces(self, place: int) -> tuple[int, ...]:
        return self.happening.words.layout.faces[self.items[place]]

    def outcomes(self) -> Iterator[tuple[Answer, Fraction]]:
        """Every way the faces can fall, each group in order."""
        yield from self._fall(0, [0] * len(self.items), Fraction(1))

    def _fall(self, number: int, shown: list[int], chance: Fraction) -> Iterator[tuple[Answer, Fraction]]:
        if number == len(self.groups):
            yield tuple(shown), chance
            return
        places = self.groups[number]
        weights = Counter(self._faces(places[0]))
        total = weights.total() ** len(places)
        for faces in combinations_with_replacement(sorted(weights), len(places)):
            for place, face in zip(places, faces, strict=True):
                shown[place] = face
            orders = factorial(len(places)) // prod(factorial(count) for count in Counter(faces).values())
            yield from self._fall(
                number + 1, shown, chance * Fraction(orders * prod(weights[face] for face in faces), total)
            )

    def sample(self, draws: Draws) -> Answer:
        """One way, evenly over the weights."""
        faces = self.happening.words.layout.faces
        shown = [sides[draws.below(len(sides))] for sides in [faces[item] for item in self.items]]
        for places in self.groups:
            if len(places) > 1:
                for place, face in zip(places, sorted([shown[place] for place in places]), strict=True):
                    shown[place] = face
        return tuple(shown)

    def check(self, answer: Answer) -> None:
        """Refuse what is no outcome."""
        if not isinstance(answer, tuple) or len(answer) != len(self.items):
            raise IllegalAnswer(f"{len(self.items)} items are thrown; {answer!r} is no face for each")
        faces = self.happening.words.layout.faces
        for item, face in zip(self.items, answer, strict=True):
            if face not in faces[item]:
                raise IllegalAnswer(f"{face!r} is no face of a thrown item")
        for places in self.groups:
            if len(places) > 1 and any(answer[a] > answer[b] for a, b in zip(places, places[1:], strict=False)):
                raise IllegalAnswer(f"{answer!r} is not in order among items that nobody can tell apart")

    def text(self, answer: Answer) -> str:
        """Every item with its face."""
        words, m = self.happening.words, self.m
        named = [words.item(m, item, face=False) for item in self.items]
        faces = [words.face(item, face) for item, face in zip(self.items, answer, strict=True)]
        return listed(f"{name} {face}".strip() for name, face in zip(named, faces, strict=True))

    def find(self, items: Sequence[str]) -> Answer:
        """The outcome in which every item is given with its face, or by its face alone."""
        if len(items) == len(self.items):
            shown = self._match(list(items), 0, [None] * len(items))
            if shown is not None:
                return self._in_order(shown)
        raise self.lost(items, self._sides())

    def _match(self, waiting: list[str], place: int, shown: list[int | None]) -> list[int] | None:
        """Faces for the items from `place` on: each from the first text that can be meant for it."""
        if place == len(self.items):
            return [face for face in shown if face is not None]
        tried = set()
        for number, text in enumerate(waiting):
            if text in tried or (face := self._face_meant(text, place)) is None:
                continue
            tried.add(text)
            shown[place] = face
            found = self._match(waiting[:number] + waiting[number + 1 :], place + 1, shown)
            if found is not None:
                return found
        return None

    def _face_meant(self, text: str, place: int) -> int | None:
        words, item = self.happening.words, self.items[place]
        named = words.item(self.m, item, face=False)
        for face in sorted(set(self._faces(place))):
            side = words.face(item, face)
            if " ".join(text.split()) in (side, f"{named} {side}".strip()):
                return face
        return None

    def _in_order(self, shown: list[int]) -> Answer:
        for places in self.groups:
            for place, face in zip(places, sorted([shown[place] for place in places]), strict=True):
                shown[place] = face
        return tuple(shown)

    def _sides(self) -> list[str]:
        item = self.items[0]
        return [self.happening.words.face(item, face) for face in sorted(set(self._faces(0)))]


class Handful:
    """Some of a number of items at random: those no rule could tell apart stand in one subgroup."""

    __slots__ = ("count", "items", "subgroups")

    def __init__(self, items: tuple[int, ...], count: int, subgroups: list[list[int]]) -> None:
        self.items = items
        self.count = count
        self.subgroups = subgroups

    def certain(self, in_order: bool = False) -> bool:
        """Whether there is only one outcome."""
        return not self.count or len(self.subgroups) == 1 or (self.count == len(self.items) and not in_order)

    def sole(self) -> list[int]:
        """The only outcome."""
        return (
            list(self.items) if self.count == len(self.items) else self.subgroups[0][: self.count] if self.count else []
        )

    def outcomes(self) -> Iterator[tuple[list[int], Fraction]]:
        """Every number of items of each subgroup, hypergeometric."""
        total = comb(len(self.items), self.count)
        for counts in self._counts(0, self.count):
            ways = prod(comb(len(group), count) for group, count in zip(self.subgroups, counts, strict=True))
            yield self.taken(counts), Fraction(ways, total)

    def _counts(self, number: int, left: int) -> Iterator[tuple[int, ...]]:
        if number == len(self.subgroups):
            yield ()
            return
        after = sum(map(len, self.subgroups[number + 1 :]))
        for count in range(min(left, len(self.subgroups[number])), max(left - after, 0) - 1, -1):
            for rest in self._counts(number + 1, left - count):
                yield (count, *rest)

    def taken(self, counts: Sequence[int]) -> list[int]:
        """The lowest items, so many of each subgroup."""
        return [item for group, count in zip(self.subgroups, counts, strict=True) for item in group[:count]]

    def shuffled(self, draws: Draws) -> list[int]:
        """Items at random, in the order in which they came."""
        items = list(self.items)
        for place in range(self.count):
            other = place + draws.below(len(items) - place)
            items[place], items[other] = items[other], items[place]
        return items[: self.count]

    def lowest(self, items: Sequence[int]) -> list[int]:
        """The same items, each exchanged for the lowest that nobody could tell apart from it, in order of coming."""
        if len(self.subgroups) == len(self.items):
            return list(items)
        group_of = {item: group for group in self.subgroups for item in group}
        fresh = {id(group): iter(group) for group in self.subgroups}
        return [next(fresh[id(group_of[item])]) for item in items]


class HandfulEvent(Event):
    """Items come at random: a draw, or what a player took without seeing which it was."""

    __slots__ = ("handfuls", "sure", "in_order")

    def __init__(
        self,
        happening: Happening,
        m: Memory,
        handfuls: list[Handful],
        sure: tuple[Any, ...] = (),
        in_order: bool = False,
    ) -> None:
        super().__init__(happening, m)
        self.handfuls = handfuls
        self.sure = sure
        """Items that come without chance. Where order matters: all items as they come, with None for the open ones."""
        self.in_order = in_order
        """Whether it matters which comes first; there is one handful then."""

    def _whole(self, taken: Sequence[int]) -> Answer:
        """The answer with these items for what is open."""
        if not self.in_order:
            return tuple(sorted([*self.sure, *taken]))
        came = iter(taken)
        return tuple([next(came, -1) if item is None else item for item in self.sure])

    def outcomes(self) -> Iterator[tuple[Answer, Fraction]]:
        """Every handful that can be told apart."""
        if self.in_order:
            (handful,) = self.handfuls
            return self._sequences([list(group) for group in handful.subgroups], handful.count, (), Fraction(1))
        return self._sets(0, [], Fraction(1))

    def certain(self) -> bool:
        """Whether there is only one outcome."""
        return all(handful.certain(self.in_order) for handful in self.handfuls)

    def sole(self) -> Answer:
        """The only outcome."""
        return self._whole([item for handful in self.handfuls for item in handful.sole()])

    def _sets(self, number: int, taken: list[int], chance: Fraction) -> Iterator[tuple[Answer, Fraction]]:
        if number == len(self.handfuls):
            yield self._whole(taken), chance
            return
        for items, likely in self.handfuls[number].outcomes():
            yield from self._sets(number + 1, taken + items, chance * likely)

    def _sequences(
        self, groups: list[list[int]], left: int, taken: Answer, chance: Fraction
    ) -> Iterator[tuple[Answer, Fraction]]:
        if not left:
            yield self._whole(taken), chance
            return
        total = sum(map(len, groups))
        for number, group in enumerate(groups):
            if group:
                rest = [*groups[:number], group[1:], *groups[number + 1 :]]
                likely = chance * Fraction(len(group), total)
                yield from self._sequences(rest, left - 1, (*taken, group[0]), likely)

    def sample(self, draws: Draws) -> Answer:
        """A handful, evenly."""
        taken = [item for handful in self.handfuls for item in handful.lowest(handful.shuffled(draws))]
        return self._whole(taken)

    def check(self, answer: Answer) -> None:
        """Refuse what is no outcome."""
        left = list(answer) if isinstance(answer, tuple) else [-1]
        for item in self.sure:
            if item in left:
                left.remove(item)
        taken: list[int] = []
        for handful in self.handfuls:
            among = set(handful.items)
            mine = [item for item in left if item in among][: handful.count]
            left = [item for item in left if item not in mine]
            if len(mine) != handful.count or len(set(mine)) != len(mine):
                raise IllegalAnswer(f"{answer!r} has not the right number of items")
            taken += handful.lowest(mine)
        right = self._whole(taken)
        if left or right != answer:
            raise IllegalAnswer(f"{answer!r} is no outcome: nearest is {right!r}")

    def _groups(self) -> list[tuple[list[int], Readings]]:
        """What can come, in groups of items with their words; those that come for certain last, one by one."""
        groups = [group for handful in self.handfuls for group in handful.subgroups]
        groups += [[item] for item in self.sure if item is not None]
        words = self.happening.words.readings(self.m, [group[0] for group in groups], None)
        return list(zip(groups, words, strict=True))

    def text(self, answer: Answer) -> str:
        """The items, everything in the open."""
        words = {item: readings[0] for group, readings in self._groups() for item in group}
        return listed(words[item] for item in answer)

    def find(self, items: Sequence[str]) -> Answer:
        """The outcome with these items; in the order of the texts where order matters."""
        groups, known = self._groups(), [item for item in self.sure if item is not None]
        if len(items) < len(known) + sum(handful.count for handful in self.handfuls):
            # What comes for certain may be left out.
            groups = groups[: len(groups) - len(known)]
        found = self._in_sequence(items, groups) if self.in_order else self._as_set(items, groups)
        try:
            answer = self._whole([item for item in found or () if item not in known])
            self.check(answer)
        except IllegalAnswer:
            raise self.lost(items, sorted({readings[0] for _, readings in groups})) from None
        return answer

    def _as_set(self, items: Sequence[str], groups: list[tuple[list[int], Readings]]) -> list[int] | None:
        pools, first = [], 0
        for handful in self.handfuls:
            pools.append((range(first, first + len(handful.subgroups)), handful.count))
            first += len(handful.subgroups)
        counts = spread(items, [(readings, len(group)) for group, readings in groups], pools)
        if counts is None:
            return None
        return [item for (group, _), count in zip(groups, counts, strict=True) for item in group[:count]]

    @staticmethod
    def _in_sequence(items: Sequence[str], groups: list[tuple[list[int], Readings]]) -> list[int] | None:
        left, taken = [list(group) for group, _ in groups], []
        for text in items:
            fits = [number for number in meant(text, [readings for _, readings in groups]) if left[number]]
            if not fits:
                return None
            taken.append(left[fits[0]].pop(0))
        return taken


class PickEvent(Event):
    """One value of several, by weight."""

    __slots__ = ("values", "weights")

    def __init__(self, happening: Happening, m: Memory, values: Sequence[Any], weights: Sequence[int]) -> None:
        super().__init__(happening, m)
        self.values = values
        self.weights = weights

    def outcomes(self) -> Iterator[tuple[Answer, Fraction]]:
        """Every value that can come."""
        total = sum(self.weights)
        for value, weight in zip(self.values, self.weights, strict=True):
            if weight:
                yield (value,), Fraction(weight, total)

    def sample(self, draws: Draws) -> Answer:
        """One value."""
        number = draws.below(sum(self.weights))
        for value, weight in zip(self.values, self.weights, strict=True):
            number -= weight
            if number < 0:
                return (value,)
        raise AssertionError("a draw lies below its limit")

    def check(self, answer: Answer) -> None:
        """Refuse what is no outcome."""
        possible = [value for value, weight in zip(self.values, self.weights, strict=True) if weight]
        if not isinstance(answer, tuple) or len(answer) != 1 or answer[0] not in possible:
            raise IllegalAnswer(f"{answer!r} is none of {possible!r}")

    def text(self, answer: Answer) -> str:
        """The value in words."""
        return self._word(answer[0])

    def _word(self, value: Any) -> str:
        type_ = self.happening.types[0]
        return self.happening.words.item(self.m, value) if type_ is None else value_text(type_, value)

    def find(self, items: Sequence[str]) -> Answer:
        """The value that reads like this."""
        possible = [value for value, weight in zip(self.values, self.weights, strict=True) if weight]
        texts = [self._word(value) for value in possible]
        fits = meant(items[0], [(text,) for text in texts]) if len(items) == 1 else []
        if not fits:
            raise self.lost(items, texts)
        return (possible[fits[0]],)
