"""The positions of a game and the ways between them, as flat arrays.

Positions are numbered from 0, the first one, in the order in which a search in breadth found them. The edges out of
position `p` are `first[p]` up to `first[p + 1]`, in the order of the decision's options or of the outcomes of chance:
the answer of an edge is its place among them.
"""

from array import array
from bisect import bisect_right
from fractions import Fraction

import attrs

from ..interpreter import Result

CHANCE, END, OPEN = -1, -2, -3
"""In place of the seat that decides: chance does, the game is over, the position has not been looked into."""

BROKEN = -1
"""In place of the position an edge leads to: a fault in the rules, after which nothing comes."""


@attrs.define(eq=False)
class Graph:
    """What a search has found; `complete` when nothing was left open."""

    owner: "array[int]" = attrs.Factory(lambda: array("b"))
    """Who decides at a position, by seat from 0; else `CHANCE`, `END` or `OPEN`."""
    first: "array[int]" = attrs.Factory(lambda: array("q", [0]))
    """One entry more than there are positions looked into."""
    target: "array[int]" = attrs.Factory(lambda: array("q"))
    """Where an edge leads, or `BROKEN`."""
    odds: "array[int]" = attrs.Factory(lambda: array("l"))
    """For an edge of chance how likely it is, as an index into `chances`; else -1."""
    turned: "array[int]" = attrs.Factory(lambda: array("b"))
    """By how many seats the table was turned on arrival: what happens to seat `s` before the edge happens to seat
    `(s + turned) % players` after it. All 0 unless the search used that seats are alike."""
    came: "array[int]" = attrs.Factory(lambda: array("q"))
    """The edge through which a position was found first; -1 for the first position."""
    levels: list[int] = attrs.Factory(list)
    """The number of the first position at each depth; depth counts edges from the first position."""
    chances: list[Fraction] = attrs.Factory(list)
    ends: dict[int, int] = attrs.Factory(dict)
    """For each position in which the game is over, which of the `results` it has."""
    results: list[Result] = attrs.Factory(list)
    values: list[int] = attrs.Factory(list)
    """What each of the `results` is worth, where the search was told to ask."""
    players: int = 2
    complete: bool = False

    def __len__(self) -> int:
        return len(self.owner)

    def edges(self, position: int) -> range:
        """The edges out of a position; none where it has not been looked into."""
        if position + 1 >= len(self.first):
            return range(0)
        return range(self.first[position], self.first[position + 1])

    def depth(self, position: int) -> int:
        """How many edges lead there at least."""
        return bisect_right(self.levels, position) - 1

    def source(self, edge: int) -> int:
        """The position an edge leaves."""
        return bisect_right(self.first, edge) - 1

    def way(self, position: int) -> list[int]:
        """The edges of a shortest way to a position."""
        edges = []
        while (edge := self.came[position]) >= 0:
            edges.append(edge)
            position = self.source(edge)
        return edges[::-1]
