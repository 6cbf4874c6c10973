"""Decisions: what a player may choose, counted and numbered in a fixed order, by what they can tell apart.

Sets come by size, smaller first, and in each size in the order of the groups of items that look alike: with groups
a, b, c first `a`, `b`, `c`, then `a a`, `a b`, … They are counted and unranked and never listed, except where a
condition on the whole set has to be tried on each.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Protocol

import attrs

from ..dsl.source import Span
from .closures import Memory
from .sight import Key
from .words import DECLINE, NOTHING, Readings, Words, listed, meant, plain, spread, value_text

Group = tuple[Key, tuple[int, ...]]
"""Items that look alike to the one who decides, with how they look."""

Counts = tuple[int, ...]
"""How many items are taken of each group."""


class Asking(Protocol):
    """The place in a program that asks."""

    name: str
    span: Span
    words: Words
    types: Sequence[Any]
    """The type of each part's elements."""
    of_items: bool
    """Whether a set's elements are items, not values."""
    labels: Sequence[tuple[str, str]]
    """Name and text of each label."""

    def phases(self, m: Memory) -> tuple[str, ...]:
        """The phases around it."""


# ---- counting sets -------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _tails(sizes: Counts, high: int) -> tuple[tuple[int, ...], ...]:
    """For each group, in how many ways it and those after it give 0, 1, … `high` items."""
    rows = [(1, *[0] * high)]
    for size in reversed(sizes):
        after = rows[-1]
        rows.append(tuple([sum(after[max(0, n - size) : n + 1]) for n in range(high + 1)]))
    return tuple(reversed(rows))


@attrs.frozen
class Sets:
    """All ways to take `low` to `high` items of groups of these sizes."""

    sizes: Counts
    low: int
    high: int

    @property
    def count(self) -> int:
        """How many there are; that may be more than `len` can say."""
        return sum(_tails(self.sizes, self.high)[0][self.low : self.high + 1]) if self.low <= self.high else 0

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Counts]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Counts:
        tails = _tails(self.sizes, self.high)
        taken = self.low
        while number >= tails[0][taken]:
            number -= tails[0][taken]
            taken += 1
        counts = []
        for place, size in enumerate(self.sizes):
            for count in range(min(size, taken), -1, -1):
                ways = tails[place + 1][taken - count]
                if number < ways:
                    break
                number -= ways
            counts.append(count)
            taken -= count
        return tuple(counts)

    def index(self, counts: Counts) -> int:
        """The number of a way."""
        tails, taken = _tails(self.sizes, self.high), sum(counts)
        if not self.low <= taken <= self.high:
            raise ValueError(f"{taken} items")
        number = sum(tails[0][self.low : taken])
        for place, (size, count) in enumerate(zip(self.sizes, counts, strict=True)):
            number += sum(tails[place + 1][taken - more] for more in range(count + 1, min(size, taken) + 1))
            taken -= count
        return number


# ---- decisions -----------------------------------------------------------------------------------------


class Asked:
    """What all decisions have in common."""

    __slots__ = ("asking", "m", "owner", "optional")

    def __init__(self, asking: Asking, m: Memory, owner: int, optional: bool = False) -> None:
        self.asking = asking
        self.m = m
        self.owner = owner
        self.optional = optional

    @property
    def name(self) -> str:
        """The decision's name."""
        return self.asking.name

    @property
    def span(self) -> Span:
        """The rule that asks."""
        return self.asking.span

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases around that rule."""
        return self.asking.phases(self.m)

    def declines(self, number: int) -> bool:
        """Whether an option is the one to decline."""
        return self.optional and number == len(self) - 1

    def __len__(self) -> int:
        raise NotImplementedError

    def text(self, number: int) -> str:
        """An option in words."""
        raise NotImplementedError

    def lost(self, items: Sequence[str], found: int = 0) -> LookupError:
        """What to say when no option, or more than one, reads like this."""
        some = " | ".join(self.text(number) for number in range(min(len(self), 12)))
        more = f" | and {len(self) - 12} more" if len(self) > 12 else ""
        what = "more than one option reads" if found > 1 else "no option reads"
        return LookupError(f"{self.name}: {what} `{listed(items)}`; there are: {some}{more}")

    def declining(self, items: Sequence[str]) -> bool:
        """Whether these words decline."""
        return self.optional and [plain(item) for item in items] == [DECLINE]


class LabelDecision(Asked):
    """A decision between labels: those whose guard holds."""

    __slots__ = ("open",)

    def __init__(self, asking: Asking, m: Memory, owner: int, open: Sequence[int]) -> None:
        self.asking = asking
        self.m = m
        self.owner = owner
        self.optional = False
        self.open = open

    def __len__(self) -> int:
        return len(self.open)

    def option(self, number: int) -> str:
        """A label's name."""
        return self.asking.labels[self.open[number]][0]

    def text(self, number: int) -> str:
        """A label's name, as scripts and records have it."""
        return self.option(number)

    def find(self, items: Sequence[str]) -> int:
        """The label with this name, or with these words."""
        written = plain(listed(items))
        names = [self.option(number) for number in range(len(self))]
        words = [plain(self.asking.labels[label][1]) for label in self.open]
        for readings in (names, words):
            if readings.count(written) == 1:
                return readings.index(written)
        raise self.lost(items)


class OneDecision(Asked):
    """A decision for one element of each part. A part's element is a value, or a group of items that look alike."""

    __slots__ = ("rows", "_words")

    def __init__(
        self, asking: Asking, m: Memory, owner: int, rows: list[tuple[Any, ...]], optional: bool = False
    ) -> None:
        super().__init__(asking, m, owner, optional)
        self.rows = rows
        self._words: list[list[Readings]] | None = None

    def __len__(self) -> int:
        return len(self.rows) + self.optional

    def option(self, number: int) -> Any:
        """The element; a tuple of them for several parts; None to decline."""
        if self.declines(number):
            return None
        bound = tuple([element[1][0] if isinstance(element, tuple) else element for element in self.rows[number]])
        return bound[0] if len(bound) == 1 else bound

    def _columns(self) -> list[list[Readings]]:
        """For each part its words in every option."""
        if self._words is None:
            self._words = [self._column(part) for part in range(len(self.asking.types))]
        return self._words

    def _column(self, part: int) -> list[Readings]:
        """One part's words in every option: distinct items have distinct texts, whatever the other parts are."""
        elements = [row[part] for row in self.rows]
        if not elements or not isinstance(elements[0], tuple):
            return [(value_text(self.asking.types[part], element),) for element in elements]
        groups = dict(elements)
        first = [items[0] for items in groups.values()]
        words = dict(zip(groups, self.asking.words.readings(self.m, first, self.owner), strict=True))
        return [words[key] for key, _ in elements]

    def text(self, number: int) -> str:
        """The elements, with commas between the parts."""
        if self.declines(number):
            return DECLINE
        return listed(column[number][0] for column in self._columns())

    def find(self, items: Sequence[str]) -> int:
        """The option with these elements."""
        if self.declining(items):
            return len(self.rows)
        columns = self._columns()
        if len(items) != len(columns):
            raise self.lost(items)
        fits = set(range(len(self.rows)))
        for item, column in zip(items, columns, strict=True):
            fits &= set(meant(item, column))
        if len(fits) != 1:
            raise self.lost(items, len(fits))
        return fits.pop()


class SetDecision(Asked):
    """A decision for a set: how many of each group of items that look alike, or which values (groups of one each)."""

    __slots__ = ("groups", "sets", "_words")

    def __init__(
        self,
        asking: Asking,
        m: Memory,
        owner: int,
        groups: list[Group],
        sets: Sets | list[Counts],
        optional: bool = False,
    ) -> None:
        super().__init__(asking, m, owner, optional)
        self.groups = groups
        self.sets = sets
        self._words: list[Readings] | None = None

    def __len__(self) -> int:
        return len(self.sets) + self.optional

    def taken(self, counts: Counts) -> tuple[int, ...]:
        """Items that stand for such a set: the first of each group."""
        taken = [item for (_, items), count in zip(self.groups, counts, strict=True) for item in items[:count]]
        return tuple(sorted(taken))

    def option(self, number: int) -> tuple[int, ...] | None:
        """The set's items; None to decline."""
        return None if self.declines(number) else self.taken(self.sets[number])

    def _readings(self) -> list[Readings]:
        """The words for an item of each group."""
        if self._words is None:
            first = [items[0] for _, items in self.groups]
            if self.asking.of_items:
                self._words = self.asking.words.readings(self.m, first, self.owner)
            else:
                self._words = [(value_text(self.asking.types[0].of, value),) for value in first]
        return self._words

    def text(self, number: int) -> str:
        """The items in words, with commas."""
        if self.declines(number):
            return DECLINE
        pairs = zip(self._readings(), self.sets[number], strict=True)
        return listed(readings[0] for readings, count in pairs for _ in range(count)) or NOTHING

    def find(self, items: Sequence[str]) -> int:
        """The set with these items, in any order."""
        if self.declining(items):
            return len(self.sets)
        if [plain(item) for item in items] == [NOTHING]:
            items = ()
        sizes = [(words, len(group)) for words, (_, group) in zip(self._readings(), self.groups, strict=True)]
        counts = spread(items, sizes)
        if counts is None:
            raise self.lost(items)
        try:
            return self.sets.index(tuple(counts))
        except ValueError:
            raise self.lost(items) from None
