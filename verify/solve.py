"""What a game is worth: chances as they stand, and best play, on a complete graph of its positions.

A value is a fraction where that can be had, and else the middle of an interval that certainly holds it. The graph is
cut into strongly connected components, solved in the order of what comes after them: `elimination` has the fractions,
`bounds` the intervals.
"""

from array import array
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

import attrs
import numpy as np

from .bounds import ROUNDING, Endless, bounds
from .elimination import Elimination, GivenUp
from .graph import BROKEN, END, OPEN, Graph
from .shape import Components, Ints, Shape, spread, unfolded_edges
from .task import AVERAGE, LEAST, MOST, OVER, Task

Payoffs = Mapping[int, Sequence[int | Fraction]]
"""For each position in which the game is over, what each seat gets."""


class Unsolvable(ValueError):
    """What was asked for has no answer here; the message says why."""


@attrs.frozen
class Solution:
    """What a game is worth from its first position."""

    value: Fraction | float
    """For the seat of `best` if that is one alone, else for the first seat."""
    low: Fraction | float
    high: Fraction | float
    """Certain bounds of `value`."""
    exact: bool
    """Whether all of `seats` are fractions, and right."""
    error: float
    """No value of `seats` is off by more; rounding is in it. 0 if `exact`."""
    seats: tuple[Fraction | float, ...]
    policy: "array[int]"
    """For each position the edge that best play takes; -1 where nothing was to be chosen."""


def shares(graph: Graph) -> Payoffs:
    """A game is worth one, shared by its winners."""
    shared = [
        tuple(Fraction(seat in result.winners, max(1, len(result.winners))) for seat in range(graph.players))
        for result in graph.results
    ]
    return {position: shared[result] for position, result in graph.ends.items()}


def scores(graph: Graph) -> Payoffs:
    """A point is worth one."""
    points = [result.scores for result in graph.results]
    return {position: points[result] or (0,) * graph.players for position, result in graph.ends.items()}


def solve(
    graph: Graph,
    payoffs: Payoffs,
    best: Collection[int] | None = None,
    policy: Mapping[int, Sequence[Fraction]] | None = None,
    *,
    gap: float = 1e-9,
    small: int = 50_000,
    work: int = 2 * 10**9,
) -> Solution:
    """What each seat can expect from the first position of a complete graph.

    The seats of `best` (None: all) choose what is best for them, except at the positions in `policy`, which has the
    odds of the options there. All other decisions are made uniformly.

    Best play is known for one seat that has a choice (the payoff of that seat is made as high as possible; of options
    that are worth the same, the others get what comes of the one in the `policy` of the solution), and for two players
    of a two-player game whose payoffs add up to the same at every end. Anything else is `Unsolvable`. Without best
    play there may be any number of players. Where the table was turned on the way, seats are told as they are at the
    first position; a graph that is turned is unfolded to `players` times its size unless two players share a sum and
    both or none of them play as well as possible.

    Fractions are tried where no choice lies on a cycle, or where there are at most `small` positions, and given up
    when all numbers together have more than `work` bits. Intervals are narrowed to `gap` where that can be done. Play
    without end counts as the least payoff of any seat in the lower bound and as the greatest in the upper one: where
    it matters, the bounds stay apart, and no computing brings them together.
    """
    _inspect(graph, payoffs)
    game = _Game.of(graph, payoffs, set(range(graph.players) if best is None else best), policy or {})
    first = _worth(game.task, game.payoffs[game.view], game.endless, gap, small, work)
    if game.middle is not None:
        found = [first.plus(game.middle), first.negative().plus(game.middle)]
    else:
        fixed = game.task.fixed(first.choice)
        found = [
            first if seat == game.view else _worth(fixed, pay, game.endless, gap, small, work)
            for seat, pay in enumerate(game.payoffs)
        ]
    told = found[game.told]
    return Solution(
        told.middle,
        told.low,
        told.high,
        all(isinstance(worth.middle, Fraction) for worth in found),
        max(worth.error for worth in found),
        tuple(worth.middle for worth in found),
        game.policy(first.choice, len(graph)),
    )


def _inspect(graph: Graph, payoffs: Payoffs) -> None:
    owner = np.array(graph.owner)
    if not graph.complete or (owner == OPEN).any():
        raise Unsolvable("not all positions have been looked into")
    if (np.array(graph.target) == BROKEN).any():
        raise Unsolvable("there are faults in the rules")
    if not np.array_equal(np.diff(np.array(graph.first)) == 0, owner == END):
        raise Unsolvable("there is a position from which there is no way on")
    if not graph.ends:
        raise Unsolvable("the game has no end")
    if any(len(payoffs.get(position, ())) != graph.players for position in graph.ends):
        raise Unsolvable("there is an end without a payoff for each seat")


@attrs.frozen
class _Found:
    """What the first position is worth to one seat, between two bounds that are the same if they are fractions."""

    low: Fraction | float
    high: Fraction | float
    choice: Ints

    @property
    def middle(self) -> Fraction | float:
        return self.low if isinstance(self.low, Fraction) else float(self.low + self.high) / 2

    @property
    def error(self) -> float:
        low, high = float(self.low), float(self.high)
        return (high - low) / 2 + 2 * ROUNDING * (abs(low) + abs(high)) if low < high else 0.0

    def plus(self, other: Fraction) -> "_Found":
        if isinstance(self.low, Fraction):
            return _Found(self.low + other, self.high + other, self.choice)
        low, high, more = float(self.low), float(self.high), float(other)
        rounding = 2 * ROUNDING * (abs(low) + abs(high) + abs(more))
        return _Found(low + more - rounding, high + more + rounding, self.choice)

    def negative(self) -> "_Found":
        return _Found(-self.high, -self.low, self.choice)


@attrs.frozen(eq=False)
class _Game:
    """A graph with payoffs as a task."""

    task: Task
    payoffs: list[dict[int, Fraction]]
    """For each seat; if there is a `middle` only for the first, and less that."""
    endless: Endless
    view: int
    """Which of the payoffs is the most where that is a position's role."""
    told: int
    """The seat whose value is asked for."""
    middle: Fraction | None
    """Half of what two players get together, if that is the same at every end."""
    folded: int
    """How many positions of the task come from one of the graph."""

    @classmethod
    def of(cls, graph: Graph, payoffs: Payoffs, best: set[int], policy: Mapping[int, Sequence[Fraction]]) -> "_Game":
        shape, seats, folded = Shape.of(graph), graph.players, 1
        edge, ends = np.arange(len(shape.target)), {at: tuple(map(Fraction, payoffs[at])) for at in graph.ends}
        sums = {sum(pay, Fraction(0)) for pay in ends.values()}
        middle = sums.pop() / 2 if seats == 2 and len(sums) == 1 else None
        if shape.turned.any() and (middle is None or best & {0, 1} in ({0}, {1})):
            edge, shape, folded = unfolded_edges(shape), shape.unfolded(), seats
            ends = {
                at * seats + moved: tuple(pay[(seat + moved) % seats] for seat in range(seats))
                for at, pay in ends.items()
                for moved in range(seats)
            }
        odds, chances = _odds(np.array(graph.odds, np.int64)[edge], graph.chances, shape, best, policy, folded)
        chooses = (shape.owner >= 0) & (np.diff(shape.first) > 1)
        chooses[chooses] = odds[shape.first[:-1][chooses]] < 0
        choosers = np.unique(shape.owner[chooses]).tolist()
        if middle is None and len(choosers) > 1:
            raise Unsolvable(
                "best play of several seats is known only for two players whose payoffs add up to the same at every end"
            )
        told = min(best) if len(best) == 1 else 0
        view = choosers[0] if choosers and middle is None else 0
        role = np.where(shape.owner == END, OVER, AVERAGE)
        role[chooses] = np.where(shape.owner[chooses] == view, MOST, LEAST)
        forced = np.repeat(~chooses, np.diff(shape.first)) & (odds < 0)
        odds[forced] = len(chances)
        chances.append(Fraction(1))
        task = Task(role.astype(np.int8), shape.first, shape.target, odds, shape.turned % 2 == 1, chances, edge)
        possible = np.array([*(chance > 0 for chance in chances), True])[odds]
        each = [{at: pay[seat] - (middle or 0) for at, pay in ends.items()} for seat in range(seats)]
        paid = [worth for of_seat in each for worth in of_seat.values()]
        if not possible.all():
            task = task.kept(possible)
        return cls(task, each[:1] if middle is not None else each, (min(paid), max(paid)), view, told, middle, folded)

    def policy(self, choice: Ints, positions: int) -> "array[int]":
        """The edges of the graph that are chosen, for each of its positions."""
        edges = array("q", [-1]) * positions
        for position in np.flatnonzero(choice >= 0).tolist():
            edges[position // self.folded] = int(self.task.edge[choice[position]])
        return edges


def _odds(
    odds: Ints,
    known: Sequence[Fraction],
    shape: Shape,
    best: set[int],
    policy: Mapping[int, Sequence[Fraction]],
    folded: int,
) -> tuple[Ints, list[Fraction]]:
    """How likely each edge is, as an index into a list; -1 where the best is to be chosen."""
    chances = list(known)
    number: dict[Fraction, int] = {}

    def index(chance: Fraction) -> int:
        if chance not in number:
            number[chance] = len(chances)
            chances.append(chance)
        return number[chance]

    count = np.diff(shape.first)
    others = (shape.owner >= 0) & ~np.isin(shape.owner, sorted(best))
    for options in np.unique(count[others]).tolist():
        edges = spread(shape.first, np.flatnonzero(others & (count == options)))
        odds[edges] = index(Fraction(1, options))
    for position, given in policy.items():
        if len(given) != count[position * folded] or sum(given) != 1 or min(given) < 0:
            raise Unsolvable(f"the odds of the options at position {position} do not add up to one")
        indices = [index(Fraction(chance)) for chance in given]
        for copy in range(position * folded, (position + 1) * folded):
            odds[shape.first[copy] : shape.first[copy + 1]] = indices
    return odds, chances


def _worth(task: Task, pay: dict[int, Fraction], endless: Endless, gap: float, small: int, work: int) -> _Found:
    """What the first position is worth, and what to choose."""
    parts = task.shape.components()
    circling = bool((task.chooses & parts.loops[parts.label]).any())
    choice = np.full(len(task), -1)
    if not circling and _ends(task):
        worth = _fraction(task, pay, parts, choice, work)
        if worth is not None:
            return _Found(worth, worth, choice)
    found = bounds(task, pay, endless, parts, gap)
    low, high = float(found.low[0]), float(found.high[0])
    if circling and high - low <= 2 * gap and len(task) <= small:
        choice = found.choice.copy()
        worth = _fraction(task, pay, parts, choice, work)
        if worth is not None and all(_ends(task.fixed(choice, [role])) for role in (LEAST, MOST)):
            return _Found(worth, worth, choice)
    return _Found(low, high, found.choice)


def _fraction(task: Task, pay: dict[int, Fraction], parts: Components, choice: Ints, work: int) -> Fraction | None:
    try:
        return Elimination(task, pay, parts, choice, work).value(0)
    except GivenUp:
        return None


def _ends(task: Task) -> bool:
    """Whether play ends whatever is chosen."""
    shape = task.shape
    return not shape.avoiding(shape.last, shape.owner >= 0).any()
