"""Whether one thing surely leads to another: a way on from where the first holds that never comes to the second."""

from collections.abc import Sequence

import attrs

from .graph import BROKEN, END, OPEN, Graph


@attrs.frozen
class Astray:
    """A game that does not come to what must follow: its edges, and why."""

    edges: tuple[int, ...]
    why: str


def astray(
    graph: Graph, first: Sequence[bool], second: Sequence[bool], within: tuple[int, Sequence[int], str] | None
) -> Astray | None:
    """The nearest game in which the first holds and the second does not follow, if one is known.

    `within` is how many passes may end on the way, how many end on each edge, and what they are called. Where play
    can go on for ever, `endless` tells.
    """
    starts = [position for position in range(len(first)) if first[position] and not second[position]]
    most, counts, name = within if within is not None else (0, (), "")
    came: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {(position, 0): None for position in starts}
    waiting = list(came)
    for here in waiting:
        position, passed = here
        if graph.owner[position] == END:
            return Astray(_edges(graph, came, here), "the game is over, and it has not come")
        for edge in graph.edges(position):
            target = graph.target[edge]
            if target == BROKEN or second[target]:
                continue
            more = passed + counts[edge] if within is not None else 0
            ahead = (target, more)
            if ahead in came:
                continue
            came[ahead] = (here, edge)
            if within is not None and more > most:
                return Astray(_edges(graph, came, ahead), f"{more} {name} have passed, and it has not come")
            waiting.append(ahead)
    return None


def _edges(
    graph: Graph, came: dict[tuple[int, int], tuple[tuple[int, int], int] | None], here: tuple[int, int]
) -> tuple[int, ...]:
    way: list[int] = []
    while (before := came[here]) is not None:
        here, edge = before
        way.append(edge)
    return (*graph.way(here[0]), *way[::-1])


def endless(graph: Graph, first: Sequence[bool], second: Sequence[bool]) -> bool:
    """Whether players can, from where the first holds, keep the second off for ever, and the end of the game too."""
    import numpy as np

    from .shape import Shape

    shape = Shape.of(graph)
    owner = np.asarray(graph.owner)
    goal = np.zeros(len(shape.owner), bool)
    goal[: len(owner)] = np.asarray(second, bool) | (owner == END) | (owner == OPEN)
    goal |= shape.last
    return bool((shape.avoiding(goal, shape.owner >= 0)[: len(owner)] & np.asarray(first, bool)).any())
