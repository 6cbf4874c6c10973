"""Figures of many games: counted in whole numbers, so that adding them up in any order gives the same.

Every value of a game (a score, a length, a measure) is a whole number, so how often each one came up is all
that is kept. Means, spreads and intervals are worked out once, from exact sums, when somebody asks.
"""

from collections import Counter
from fractions import Fraction
from math import sqrt

import attrs

NORMAL_95 = 1.959963984540054
"""How many standard errors lie between a mean and each end of its 95 % interval."""


@attrs.frozen
class Interval:
    """An estimate and the ends of its 95 % interval."""

    estimate: float
    low: float
    high: float

    def verdict(self, low: float, high: float) -> str:
        """`holds` when the interval lies inside `low..high`, `fails` when outside, else `undecided`."""
        if low <= self.low and self.high <= high:
            return "holds"
        return "fails" if self.high < low or high < self.low else "undecided"


def wilson(hits: int, tries: int) -> Interval | None:
    """The share of hits with its 95 % interval after Wilson; None without a try."""
    if not tries:
        return None
    share, z2 = hits / tries, NORMAL_95**2
    centre = (share + z2 / (2 * tries)) / (1 + z2 / tries)
    half = NORMAL_95 / (1 + z2 / tries) * sqrt(share * (1 - share) / tries + z2 / (4 * tries * tries))
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    high = 1.0 if hits == tries else min(1.0, centre + half)
    return Interval(share, low, high)


@attrs.define
class Tally:
    """How often each value came up."""

    counts: Counter[int] = attrs.field(factory=Counter)

    def add(self, value: int) -> None:
        """Count a value once more."""
        self.counts[value] += 1

    def merge(self, other: "Tally") -> None:
        """Count everything another tally has counted."""
        self.counts.update(other.counts)

    @property
    def n(self) -> int:
        """How many values were counted."""
        return self.counts.total()

    @property
    def total(self) -> int:
        """Their sum."""
        return sum(value * count for value, count in self.counts.items())

    @property
    def mean(self) -> Fraction | None:
        """Their mean; None when there are none."""
        return Fraction(self.total, self.n) if self.counts else None

    @property
    def variance(self) -> Fraction:
        """The estimated variance of one value; 0 with fewer than two."""
        n, total = self.n, self.total
        if n < 2:
            return Fraction(0)
        squares = sum(value * value * count for value, count in self.counts.items())
        return Fraction(n * squares - total * total, n * (n - 1))

    @property
    def sd(self) -> float:
        """The estimated standard deviation of one value."""
        return sqrt(self.variance)

    @property
    def low(self) -> int | None:
        """The least value."""
        return min(self.counts, default=None)

    @property
    def high(self) -> int | None:
        """The greatest value."""
        return max(self.counts, default=None)

    @property
    def histogram(self) -> dict[int, int]:
        """How often each value came up, least value first."""
        return dict(sorted(self.counts.items()))

    @property
    def interval(self) -> Interval | None:
        """The mean of independent values with its 95 % interval."""
        mean = self.mean
        if mean is None:
            return None
        half = NORMAL_95 * sqrt(self.variance / self.n)
        return Interval(float(mean), float(mean) - half, float(mean) + half)


@attrs.define
class Sampled(Tally):
    """A measure's values, which games may sample many times.

    Values of one game hang together, so the interval of their mean rests on games: it is that of the ratio of
    two sums over games (the values' and their number's).
    """

    games: int = 0
    squares: int = 0
    lengths: int = 0
    products: int = 0

    def add_game(self, values: list[int]) -> None:
        """Count the values that one game gave."""
        self.counts.update(values)
        total, length = sum(values), len(values)
        self.games += 1
        self.squares += total * total
        self.lengths += length * length
        self.products += total * length

    def merge(self, other: Tally) -> None:
        """Count everything another tally has counted."""
        super().merge(other)
        if isinstance(other, Sampled):
            self.games += other.games
            self.squares += other.squares
            self.lengths += other.lengths
            self.products += other.products

    @property
    def interval(self) -> Interval | None:
        """The mean with its 95 % interval, from the spread between games."""
        mean = self.mean
        if mean is None:
            return None
        residue = self.squares - 2 * mean * self.products + mean * mean * self.lengths
        spread = residue * Fraction(self.games, self.games - 1) if self.games > 1 else Fraction(0)
        half = NORMAL_95 * sqrt(spread) / self.n
        return Interval(float(mean), float(mean) - half, float(mean) + half)
