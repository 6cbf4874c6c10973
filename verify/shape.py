"""The shape of a graph of positions: what follows from who decides where and which edges there are.

Everything here works on whole arrays, so that a million positions take seconds.
"""

from functools import cached_property

import attrs
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from .graph import BROKEN, END, Graph

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]


@attrs.define(eq=False, slots=False)
class Shape:
    """Positions and edges as arrays. A fault in the rules is a position too, the last one, and counts as an end."""

    owner: Small
    """As in the graph; after `unfolded` a seat is the same player everywhere."""
    first: Ints
    target: Ints
    turned: Small
    players: int

    @classmethod
    def of(cls, graph: Graph) -> "Shape":
        """The shape of a graph. Do not add to the graph while it is in use."""
        count = len(graph)
        first = np.array(graph.first, np.int64)
        first = np.concatenate([first, np.full(count + 1 - len(first), first[-1])])
        target = np.array(graph.target, np.int64)
        owner = np.array(graph.owner, np.int8)
        if (target == BROKEN).any():
            target[target == BROKEN] = count
            owner, first = np.append(owner, np.int8(END)), np.append(first, first[-1])
        return cls(owner, first, target, np.array(graph.turned, np.int8), graph.players)

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def source(self) -> Ints:
        """The position that each edge leaves."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    @property
    def last(self) -> Mask:
        """The positions after which nothing is known to come: ends, and what has not been looked into."""
        closed: Mask = np.diff(self.first) == 0
        return closed

    def unfolded(self) -> "Shape":
        """The same game with no table turned: position `p` with seats moved on by `r` becomes `p * players + r`, and
        the edges of `p` follow one another there in their order."""
        seats = self.players
        position, moved = np.divmod(np.arange(len(self) * seats), seats)
        count = np.diff(self.first)[position]
        first = np.concatenate([[0], np.cumsum(count)])
        edge = unfolded_edges(self)
        target = self.target[edge] * seats + (np.repeat(moved, count) + self.turned[edge]) % seats
        owner = self.owner[position]
        owner = np.where(owner >= 0, (owner - moved) % seats, owner).astype(np.int8)
        return Shape(owner, first, target, np.zeros(len(target), np.int8), seats)

    def inside(self, kept: Mask) -> tuple["Shape", Ints, Ints]:
        """Some of the positions on their own, what they are numbered here, and their edges here; whatever leads out of
        them leads to an end, which is the last position."""
        positions = np.flatnonzero(kept)
        number = np.full(len(self), len(positions))
        number[positions] = np.arange(len(positions))
        edges = spread(self.first, positions)
        first = np.concatenate([[0], np.cumsum(np.diff(self.first)[positions])])
        owner = np.append(self.owner[positions], np.int8(END))
        shape = Shape(owner, np.append(first, first[-1]), number[self.target[edges]], self.turned[edges], self.players)
        return shape, positions, edges

    @cached_property
    def into(self) -> tuple[Ints, Ints]:
        """The edges sorted by the position they lead to, and where each position's begin."""
        return _grouped(self.target, len(self))

    def found(self, start: int = 0, within: Mask | None = None) -> tuple[Ints, Ints]:
        """How many edges each position is from a start (-1: there is no way), and the last edge of a shortest way;
        `within` are the positions that may be entered."""
        depth = np.full(len(self), -1)
        came = np.full(len(self), -1)
        depth[start] = 0
        front, steps = np.array([start]), 0
        while len(front):
            steps += 1
            edges = spread(self.first, front)
            ahead = self.target[edges]
            fresh = depth[ahead] < 0
            if within is not None:
                fresh &= within[ahead]
            edges, ahead = edges[fresh], ahead[fresh]
            front, where = np.unique(ahead, return_index=True)
            depth[front], came[front] = steps, edges[where]
        return depth, came

    def way(self, came: Ints, position: int) -> list[int]:
        """The edges of a shortest way to a position, from what `found` says."""
        edges = []
        while (edge := int(came[position])) >= 0:
            edges.append(edge)
            position = int(np.searchsorted(self.first, edge, side="right")) - 1
        return edges[::-1]

    def avoiding(self, goal: Mask, keepers: Mask) -> Mask:
        """Where the goal can be kept off for ever, or until the game is over: at `keepers` by a right choice, at all
        other positions whatever comes. (So a chance that may lead on to the goal some day lets it come.)"""
        order, begin = self.into
        source = self.source
        left = np.diff(self.first)
        comes = goal.copy()
        front = np.flatnonzero(goal)
        while len(front):
            before, times = np.unique(source[order[spread(begin, front)]], return_counts=True)
            left[before] -= times
            front = before[~comes[before] & (~keepers[before] | (left[before] == 0))]
            comes[front] = True
        return ~comes

    def reaching(self, goal: Mask) -> Mask:
        """From where there is a way to the goal."""
        return ~self.avoiding(goal, np.zeros(len(self), np.bool_))

    def components(self) -> "Components":
        """The strongly connected components."""
        size = len(self)
        matrix = csr_array((np.ones(len(self.target), np.int8), self.target, self.first), shape=(size, size))
        count, small = connected_components(matrix, directed=True, connection="strong")
        label = small.astype(np.int64)
        source, ahead = label[self.source], label[self.target]
        inner = source == ahead
        loops = np.zeros(count, np.bool_)
        loops[source[inner]] = True
        return Components(label, loops, _heights(count, source[~inner], ahead[~inner]))


@attrs.define(eq=False)
class Components:
    """The strongly connected components: sets of positions with ways from each to each."""

    label: Ints
    """Which component a position is in."""
    loops: Mask
    """Whether a component has a way from a position back to it."""
    height: Ints
    """How many other components come after one at most; what leaves a component leads to lesser heights."""


def spread(first: Ints, positions: Ints) -> Ints:
    """The numbers from `first[p]` up to `first[p + 1]` for each position after the other."""
    begin, count = first[positions], first[positions + 1] - first[positions]
    numbers: Ints = np.repeat(begin - np.cumsum(count) + count, count)
    return numbers + np.arange(len(numbers))


def unfolded_edges(shape: Shape) -> Ints:
    """The edge of a shape that each edge of its unfolded shape comes from."""
    return spread(shape.first, np.repeat(np.arange(len(shape)), shape.players))


def _grouped(values: Ints, count: int) -> tuple[Ints, Ints]:
    """The places of each value below `count`, and where they begin."""
    size = len(values)
    matrix = csr_array((np.arange(size), values, [0, size]), shape=(1, count)).tocsc()
    return matrix.data, matrix.indptr.astype(np.int64)


def _heights(count: int, source: Ints, target: Ints) -> Ints:
    """The longest way down from each of a number of nodes without loops."""
    order, begin = _grouped(target, count)
    left = np.bincount(source, minlength=count)
    height = np.zeros(count, np.int64)
    front, steps = np.flatnonzero(left == 0), 0
    while len(front):
        height[front] = steps
        steps += 1
        before, times = np.unique(source[order[spread(begin, front)]], return_counts=True)
        left[before] -= times
        front = before[left[before] == 0]
    return height
