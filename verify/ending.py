"""Whether a game comes to an end, and how long it takes.

What works on arrays is imported where it is needed, so that importing this costs nothing.
"""

from collections import deque
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import attrs

from .graph import END, Graph

if TYPE_CHECKING:
    from .shape import Floats, Ints, Mask, Shape

SEARCHED = 5_000_000
"""Edges gone over to find the smallest play without end."""
WALKED = 10**10
"""Edges gone over to follow uniform play."""


@attrs.frozen
class Stall:
    """Play without end: some edges, and then others again and again. The position afterwards is the very same, with no
    table turned."""

    stem: tuple[int, ...]
    cycle: tuple[int, ...]
    smallest: bool
    """Whether there is none with fewer edges."""
    seats: tuple[int, ...]
    """The fewest seats who must want it, once it has begun: they can keep the end off for ever, whatever all others do
    and whatever chance brings. None where nobody has to: the rules alone go round."""
    alone: tuple[int, ...]
    """The seats that can do so alone, from some position that play can come to."""
    at_once: tuple[int, ...]
    """Those that can do so from the first position."""


@attrs.frozen
class Longest:
    """A game that counts as much as any."""

    count: int
    way: tuple[int, ...]
    """Its edges, up to where nothing more counts."""


@attrs.frozen
class Ending:
    """What can be said of the end of a game."""

    kind: Literal["bounded", "almost surely", "stallable", "undecided"]
    """`bounded`: no position comes twice. `almost surely`: whatever players do, with probability one. `stallable`:
    players can keep the end off for ever. `undecided`: not all positions are known, and what is known shows none."""
    shortest: int | None
    """The fewest answers after which a game can be over; None where no end is known."""
    longest: Longest | None = None
    """The game of the most answers, if that is bounded."""
    stall: Stall | None = None
    uniformly: bool | None = None
    """Whether a game ends with probability one if all play uniformly; None where not all is known."""


@attrs.frozen
class Lengths:
    """How long a game takes if all play uniformly."""

    answers: float
    decisions: float
    counted: float | None
    """The mean of what was to be counted along."""
    most: int
    """The answers after which 999 games in 1000 are over."""


def ending(graph: Graph) -> Ending:
    """Which of the four ends a game comes to. A fault in the rules is an end here."""
    from .shape import Shape

    if not graph.owner:
        return Ending("undecided", None)
    shape = Shape.of(graph)
    shortest = graph.depth(min(graph.ends)) if graph.ends else None
    if graph.complete and (most := longest(graph)) is not None:
        return Ending("bounded", shortest, most, uniformly=True)
    uniformly = bool(shape.reaching(shape.last).all()) if graph.complete else None
    if not shape.avoiding(shape.last, shape.owner >= 0).any():
        return Ending("almost surely" if graph.complete else "undecided", shortest, uniformly=uniformly)
    return Ending("stallable", shortest, stall=_stall(shape), uniformly=uniformly)


def longest(graph: Graph, counts: Sequence[int] | None = None) -> Longest | None:
    """The game that counts most: answers, or `counts` for each edge (1 where somebody decides, 1 where a turn
    begins …; none negative). None if there is no bound. The graph is complete."""
    import numpy as np

    from .shape import Shape, spread

    shape = Shape.of(graph)
    count = np.ones(len(shape.target), np.int64) if counts is None else np.array(counts, np.int64)
    parts, source = shape.components(), shape.source
    label, height = parts.label, parts.height[parts.label[source]]
    inner = label[source] == label[shape.target]
    if count[inner].any():
        return None
    outer = np.flatnonzero(~inner)
    outer = outer[np.argsort(height[outer], kind="stable")]
    most = np.zeros(len(parts.loops), np.int64)
    for edges in np.split(outer, np.flatnonzero(np.diff(height[outer])) + 1):
        np.maximum.at(most, label[source[edges]], most[label[shape.target[edges]]] + count[edges])
    way: list[int] = []
    here = 0
    while most[label[here]]:
        if parts.loops[label[here]]:
            depth, came = shape.found(here, label == label[here])
            leaving = spread(shape.first, np.flatnonzero(depth >= 0))
        else:
            depth, leaving = None, np.arange(shape.first[here], shape.first[here + 1])
        ahead = label[shape.target[leaving]]
        best = leaving[(ahead != label[here]) & (most[ahead] + count[leaving] == most[label[here]])]
        if depth is not None:
            best = best[np.argsort(depth[source[best]], kind="stable")]
            way += shape.way(came, int(source[best[0]]))
        way.append(int(best[0]))
        here = int(shape.target[best[0]])
    return Longest(int(most[label[0]]), tuple(way))


def lengths(graph: Graph, counts: Sequence[int] | None = None) -> Lengths | None:
    """How long games are, and what they count, as `longest` counts; None where that cannot be told: not all
    positions are known, some games never end, or it takes too many steps."""
    import numpy as np
    from scipy.sparse import csr_array

    from .shape import Shape

    shape = Shape.of(graph)
    over = shape.owner == END
    if not graph.complete or not shape.reaching(over).all():
        return None
    size = len(shape)
    options = np.diff(shape.first)
    likely = np.repeat(1 / np.maximum(options, 1), options)
    odds = np.array(graph.odds, np.int64)
    likely[odds >= 0] = np.array([*map(float, graph.chances)])[odds[odds >= 0]]
    step = csr_array((likely, shape.target, shape.first), shape=(size, size)).T.tocsr()
    counted = np.bincount(shape.source, likely * counts, size) if counts is not None else np.zeros(size)
    worth = np.stack([~over, shape.owner >= 0, counted])
    mass: Floats = np.zeros(size)
    mass[0] = 1
    means, most = np.zeros(3), -1
    for answers in range(WALKED // max(1, len(shape.target))):
        now = worth @ mass
        means += now
        if most < 0 and now[0] <= 0.001:
            most = answers
        if now[0] <= 1e-9:
            return Lengths(float(means[0]), float(means[1]), None if counts is None else float(means[2]), most)
        mass = np.asarray(step @ mass)
    return None


def _stall(shape: "Shape") -> Stall:
    """The smallest play without end, and who can bring it about."""
    import numpy as np

    from .shape import unfolded_edges

    original = np.arange(len(shape.target))
    if shape.turned.any():
        original, shape = unfolded_edges(shape), shape.unfolded()
    depth, came = shape.found()
    kept = shape.avoiding(shape.last, shape.owner >= 0) & (depth >= 0)
    small, positions, edges = shape.inside(kept)
    at, cycle, smallest = _cycle(small, depth[positions])

    def kept_by(seats: tuple[int, ...]) -> "Mask":
        return small.avoiding(small.last, np.isin(small.owner, seats))

    everybody = range(shape.players)
    alone = {seat: mask for seat in everybody if (mask := kept_by((seat,))).any()}
    sizes = range(shape.players + 1)
    seats = next(seats for size in sizes for seats in combinations(everybody, size) if kept_by(seats)[at])
    start = np.flatnonzero(positions == 0)
    return Stall(
        tuple(int(original[edge]) for edge in shape.way(came, int(positions[at]))),
        tuple(int(original[edges[edge]]) for edge in cycle),
        smallest,
        seats,
        tuple(alone),
        tuple(seat for seat, mask in alone.items() if mask[start].any()),
    )


def _cycle(shape: "Shape", depth: "Ints") -> tuple[int, list[int], bool]:
    """A position that a way comes back to, that way, and whether no other is shorter, counting from the first position
    (`depth`) on. All that leads to the last position leads out."""
    import numpy as np

    parts = shape.components()
    label, first, target = parts.label.tolist(), shape.first.tolist(), shape.target.tolist()
    starts = np.flatnonzero(parts.loops[parts.label])
    starts = starts[np.argsort(depth[starts], kind="stable")]
    best: tuple[int, int, list[int]] | None = None
    left = SEARCHED
    for start in starts.tolist():
        limit = best[0] - int(depth[start]) if best else len(label) + 1
        if limit <= 1 or left < 0:
            break
        came = {start: -1}
        source = {}
        queue, found = deque([(start, 1)]), -1
        while queue and found < 0:
            here, steps = queue.popleft()
            if steps >= limit:
                break
            for edge in range(first[here], first[here + 1]):
                left -= 1
                ahead = target[edge]
                if ahead == start:
                    found = edge
                    source[edge] = here
                    break
                if ahead not in came and label[ahead] == label[start]:
                    came[ahead] = edge
                    source[edge] = here
                    queue.append((ahead, steps + 1))
        if found >= 0:
            cycle = [found]
            while source[cycle[-1]] != start:
                cycle.append(came[source[cycle[-1]]])
            best = (int(depth[start]) + len(cycle), start, cycle[::-1])
    assert best is not None, "what is kept for ever has a cycle"
    return best[1], best[2], left >= 0
