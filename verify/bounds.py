"""Values between two bounds in floating point, rounding included.

All components of one height are solved at once. First by a guess: the linear equations for the best play found so
far, until nothing better is found. The guess is put to the test: lowered by a little for each step still to come,
more than rounding can do, one step of play must raise it everywhere, and raised likewise one step must lower it. Then
whoever plays so gets at least the one (what can be gained a little with each step does not go on for ever) and no more
than the other. Where the test fails, bounds are moved step by step from the least and from the greatest payoff; each
step is widened by what rounding can do, so they are sound whenever one stops.
"""

from fractions import Fraction

import attrs
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import SuperLU, splu

from .shape import Components, Floats, Ints, spread
from .task import AVERAGE, LEAST, MOST, OVER, Task

ROUNDING = 2.0**-53
SLACK = 8
"""By how many units of rounding a guess is shifted for each step still to come."""
SWEEPS = 30
"""Steps of play before the first guess."""
GUESSES = 60
"""How often a guess is improved."""
DIRECT = 20_000
"""Linear equations are solved for components of no more positions."""
MOVES, EDGES = 50_000, 2 * 10**10
"""Bounds are moved so often at most, and until so many edges have been gone over."""

ROLES = (AVERAGE, LEAST, MOST, OVER)
"""In the order in which a block has them."""


Endless = tuple[Fraction, Fraction]
"""The least and the most that play without end may be worth."""


@attrs.frozen(eq=False)
class Bounds:
    """A lower and an upper bound for each position, and the chosen edge where there is a choice, else -1."""

    low: Floats
    high: Floats
    choice: Ints


def bounds(task: Task, pay: dict[int, Fraction], endless: Endless, parts: Components, gap: float) -> Bounds:
    """The bounds of all positions, `gap` apart or less if that can be. Play without end is worth something in
    `endless`, and so is everything that is paid."""
    search = _Search(task, pay, endless, parts, gap)
    search.run()
    found = Bounds(np.empty(len(task)), np.empty(len(task)), np.full(len(task), -1))
    found.low[search.order], found.high[search.order] = search.low, search.high
    chosen = search.choice >= 0
    found.choice[search.order[chosen]] = search.edge[search.choice[chosen]]
    return found


@attrs.frozen(eq=False)
class _Part:
    """Positions of a block that have the same role; all numbers count from the block's first position and edge."""

    fold: np.ufunc
    at: slice
    edges: slice
    starts: Ints


@attrs.frozen(eq=False)
class _Block:
    """Positions solved at once: means first, then the least, then the most of what comes."""

    at: slice
    edges: slice
    parts: tuple[_Part, ...]
    choosing: slice
    """The positions where something is chosen."""
    options: slice
    """Their edges."""
    starts: Ints
    """Where the options of each begin."""
    sense: Floats
    """For each option 1 where the most is chosen and -1 where the least is."""
    loops: int
    """How many positions the largest component has; 0 where play comes back to no position."""
    unit: float
    """More than the rounding of one step of play."""


class _Search:
    """A task with its positions in the order in which they are solved; fills `low`, `high` and `choice`."""

    def __init__(self, task: Task, pay: dict[int, Fraction], endless: Endless, parts: Components, gap: float) -> None:
        size = len(task)
        loops = np.where(parts.loops, np.bincount(parts.label), 0)[parts.label]
        height = parts.height[parts.label]
        rank = np.select([task.role == role for role in ROLES], range(len(ROLES)))
        self.order = np.lexsort((rank, loops > 0, height))
        place = np.empty(size, np.int64)
        place[self.order] = np.arange(size)
        self.edge = spread(task.first, self.order)
        self.first = np.concatenate([[0], np.cumsum(np.diff(task.first)[self.order])])
        self.target = place[task.target[self.edge]]
        self.likely = np.array([*map(float, task.chances), 1.0])[task.odds[self.edge]]
        self.negative = task.negative[self.edge] if task.negative.any() else None
        at, paid = place[np.fromiter(pay, np.int64)], np.fromiter(map(float, pay.values()), np.float64)
        self.scale = float(max(map(abs, endless))) or 1.0
        rounding = ROUNDING * self.scale
        self.least, self.greatest = float(endless[0]) - rounding, float(endless[1]) + rounding
        self.low, self.middle, self.high, self.error = (np.zeros(size) for _ in range(4))
        self.low[at], self.middle[at], self.high[at], self.error[at] = paid - rounding, paid, paid + rounding, rounding
        self.choice = np.full(size, -1)
        rank, loops, height = rank[self.order], loops[self.order], height[self.order]
        cuts = [0, *(np.flatnonzero(np.diff(2 * height + (loops > 0))) + 1).tolist(), size]
        self.blocks = [
            self._block(begin, rank[begin:end], int(loops[begin:end].max()))
            for begin, end in zip(cuts, cuts[1:], strict=False)
        ]
        self.gap, self.share = 0.0, gap / (1 + sum(block.loops > 0 for block in self.blocks))

    def _block(self, begin: int, rank: Ints, loops: int) -> _Block:
        cuts = [begin + int(cut) for cut in np.searchsorted(rank, range(len(ROLES)))]
        edges = [int(self.first[cut]) for cut in cuts]
        _, least, most, over = cuts
        parts = tuple(
            _Part(
                fold,
                slice(here - begin, there - begin),
                slice(int(self.first[here]) - edges[0], int(self.first[there]) - edges[0]),
                self.first[here:there] - self.first[here],
            )
            for fold, here, there in zip((np.add, np.minimum, np.maximum), cuts, cuts[1:], strict=False)
            if here < there
        )
        outcomes = int(np.diff(self.first[begin : least + 1]).max(initial=1))
        return _Block(
            slice(begin, over),
            slice(edges[0], edges[3]),
            parts,
            slice(least, over),
            slice(edges[1], edges[3]),
            self.first[least:over] - self.first[least],
            np.repeat([-1.0, 1.0], [edges[2] - edges[1], edges[3] - edges[2]]),
            loops,
            2 * (outcomes + 4) * ROUNDING * self.scale,
        )

    def run(self) -> None:
        """Solve block after block."""
        for block in self.blocks:
            at = block.at
            if not block.loops:
                low, high = self._ahead(block, self.low, self.high), self._ahead(block, self.high, self.low)
                self.low[at] = self._step(block, low) - block.unit
                self.high[at] = self._step(block, high) + block.unit
                self.choice[block.choosing] = self._best(block, self._options(block, low + high))
            elif block.loops > DIRECT or not self._guess(block):
                self._move(block)
            self.middle[at] = (self.low[at] + self.high[at]) / 2
            self.error[at] = (self.high[at] - self.low[at]) / 2

    # ---- one step of play ------------------------------------------------------------------------------

    def _ahead(self, block: _Block, values: Floats, others: Floats) -> Floats:
        """What the edges of a block lead to; `others` are the values for whoever loses what is won."""
        target = self.target[block.edges]
        if self.negative is None:
            return values[target]
        return np.where(self.negative[block.edges], -others[target], values[target])

    def _step(self, block: _Block, ahead: Floats) -> Floats:
        """What the positions of a block are worth, if that is what their edges lead to."""
        worth = np.empty(block.at.stop - block.at.start)
        for part in block.parts:
            values = ahead[part.edges]
            if part.fold is np.add:
                values = values * self.likely[block.edges][part.edges]
            worth[part.at] = part.fold.reduceat(values, part.starts)
        return worth

    def _options(self, block: _Block, ahead: Floats) -> Floats:
        """How good each option is for whoever chooses."""
        return ahead[len(ahead) - len(block.sense) :] * block.sense

    def _best(self, block: _Block, good: Floats) -> Ints:
        """The first of the best options wherever something is chosen."""
        if not len(good):
            return np.empty(0, np.int64)
        most = np.repeat(np.maximum.reduceat(good, block.starts), np.diff(block.starts, append=len(good)))
        number = np.where(good == most, np.arange(len(good)), len(good))
        first: Ints = np.minimum.reduceat(number, block.starts) + block.options.start
        return first

    # ---- guess and test --------------------------------------------------------------------------------

    def _guess(self, block: _Block) -> bool:
        """Whether a guess has been found right; `low`, `high` and `choice` are then filled."""
        try:
            if not (self._play(block) and self._doubt(block)):
                return False
        except RuntimeError:  # the equations have no solution: play does not end
            return False
        at = block.at
        if float(np.abs(self.middle[at]).max() + self.error[at].max()) > 2 * self.scale:
            return False
        self.low[at], self.high[at] = self.middle[at] - self.error[at], self.middle[at] + self.error[at]
        low = self._step(block, self._ahead(block, self.low, self.high))
        high = self._step(block, self._ahead(block, self.high, self.low))
        return bool((low >= self.low[at] + 2 * block.unit).all() and (high <= self.high[at] - 2 * block.unit).all())

    def _play(self, block: _Block) -> bool:
        """Fill `middle` and `choice` with best play, as far as floating point tells."""
        middle, at, choosing = self.middle, block.at, block.choosing
        middle[at] = (self.least + self.greatest) / 2
        for _ in range(SWEEPS if len(block.sense) else 0):
            middle[at] = self._step(block, self._ahead(block, middle, middle))
        self.choice[choosing] = self._best(block, self._options(block, self._ahead(block, middle, middle)))
        for _ in range(GUESSES):
            equations = _Equations(self, block, self.choice[choosing])
            middle[at] = equations.solve(equations.exits(middle))
            ahead = self._ahead(block, middle, middle)
            better = np.abs(self._step(block, ahead) - middle[at])[choosing.start - at.start :] > 4 * block.unit
            if not better.any():
                return True
            best = self._best(block, self._options(block, ahead))
            self.choice[choosing] = np.where(better, best, self.choice[choosing])
        return False

    def _doubt(self, block: _Block) -> bool:
        """Fill `error` so that one step of play leaves a slack everywhere, whatever option somebody takes."""
        at, choosing, slack = block.at, block.choosing, SLACK * block.unit
        here = np.repeat(self.middle[choosing], np.diff(block.starts, append=len(block.sense)))
        ahead = self._ahead(block, self.middle, self.middle)
        loss = here * block.sense - self._options(block, ahead)
        taken = self.choice[choosing]
        for _ in range(GUESSES):
            equations = _Equations(self, block, taken, signed=False)
            rest = equations.exits(self.error) + slack
            rest[len(rest) - len(taken) :] -= loss[taken - block.options.start]
            self.error[at] = equations.solve(rest)
            if not (self.error[at] > 0).all():
                return False
            if not len(taken):
                return True
            need = self.error[self.target[block.options]] - loss + slack
            worst = np.maximum.reduceat(need, block.starts)
            doubtful = worst > self.error[choosing] + 2 * block.unit
            if not doubtful.any():
                return True
            taken = np.where(doubtful, self._best(block, need), taken)
        return False

    # ---- bounds that move ------------------------------------------------------------------------------

    def _move(self, block: _Block) -> None:
        """Move bounds step by step. What only goes round stays behind what it comes back to, by the rounding of each
        step, and so is not chosen."""
        at, low, high = block.at, self.low, self.high
        low[at], high[at] = self.least, self.greatest
        self.gap += self.share  # what comes later cannot be better than this is
        for _ in range(min(MOVES, EDGES // (block.edges.stop - block.edges.start))):
            ahead, above = self._ahead(block, low, high), self._ahead(block, high, low)
            lower = np.maximum(low[at], self._step(block, ahead) - block.unit)
            higher = np.minimum(high[at], self._step(block, above) + block.unit)
            up, down = lower - low[at], high[at] - higher
            low[at], high[at] = lower, higher
            if float((higher - lower).max()) <= self.gap or float(np.maximum(up, down).max()) <= block.unit:
                break
        mine, theirs = self._ahead(block, low, high), self._ahead(block, high, low)
        worst = np.where(block.sense > 0, self._options(block, mine), self._options(block, theirs))
        self.choice[block.choosing] = self._best(block, worst)


class _Equations:
    """What the positions of a block are worth, if certain options are chosen."""

    def __init__(self, search: _Search, block: _Block, choice: Ints, signed: bool = True) -> None:
        begin, end, chosen = block.at.start, block.at.stop, block.choosing.start
        edges = np.concatenate([np.arange(block.edges.start, block.options.start), choice])
        means = np.repeat(np.arange(chosen - begin), np.diff(search.first[begin : chosen + 1]))
        row = np.concatenate([means, np.arange(chosen - begin, end - begin)])
        weight = search.likely[edges]
        if signed and search.negative is not None:
            weight = np.where(search.negative[edges], -weight, weight)
        target = search.target[edges]
        inner = target >= begin
        size = end - begin
        each = np.arange(size)
        left = np.concatenate([np.ones(size), -weight[inner]])
        where = np.concatenate([each, row[inner]]), np.concatenate([each, target[inner] - begin])
        self._solver: SuperLU = splu(coo_array((left, where), shape=(size, size)).tocsc())
        self._size = size
        self._row, self._target, self._weight = row[~inner], target[~inner], weight[~inner]

    def exits(self, values: Floats) -> Floats:
        """What the ways out of the block add to each position."""
        return np.bincount(self._row, self._weight * values[self._target], self._size).astype(np.float64)

    def solve(self, rest: Floats) -> Floats:
        """The values, if that is added to each position."""
        return self._solver.solve(rest)
