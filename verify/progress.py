"""Which answers bring a game nearer to its end, as some random games show.

How many answers are left is estimated from a position alone: every number in it, and how many things lie in each place,
weighed so that it fits those games best. What an answer brings is by how much fewer are left some answers later, on
average over all positions in which it was given.

For chance that is enough. What players decide is worth what they do with it, so of several ways to put their options in
order that one is taken by which the game is over soonest if always the first comes.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence, Sized
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from ..dsl.source import Span
from ..interpreter import Answer, Chance, Decision, Draws, Reference, RulesFault, State, Stream
from ..interpreter.playing import is_decision
from ..interpreter.stream import mix
from .shape import Floats

LEARNT = 1_000
"""Answers that are looked at. More would make no better order of the faces of a die."""

AHEAD = 4
"""After so many answers is estimated what one has brought."""

MOST = 64
"""Of draws among more than so many nothing is learnt."""

RIDGE = 1e-3
"""How much is held against weights: of several things that always change together each gets a share."""

WAYS = (("whole", "exact", "backwards"), ("in turn", "mixed"))
"""Ways to put numbers in order: options by the whole answers that they bring, by the exact gain, or as written but
backwards. Where no game comes to its end so, because it must not always be the same, by the exact gain again, but each
time beginning one place on, or anywhere."""


@attrs.frozen
class Drawn:
    """A number that was drawn for an answer, by what it means wherever the same rule asks."""

    span: Span
    decided: bool
    """Whether a player decides."""
    limit: int
    """How many numbers there were to draw from; 0 for labels, which mean the same whichever others are open."""
    number: int | str
    """The number, or the label."""


@attrs.define
class _Noting:
    """Even numbers, and which they were."""

    draws: Draws
    noted: list[tuple[int, int]] = attrs.Factory(list)
    """For each how many there were to draw from, and which was drawn."""

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""
        number = self.draws.below(limit)
        self.noted.append((limit, number))
        return number


@attrs.define
class _Firsts:
    """Draws in which always the first comes."""

    progress: "Progress"
    way: str
    request: Any = None
    drawn: int = 0

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""
        number = self.progress.at(0, self.request, limit, self.drawn, self.way)
        self.drawn += limit > 1
        return number


@attrs.define(eq=False, slots=False, repr=False)
class Progress:
    """Puts the numbers that an answer is drawn from in order: first the one that brings the end nearest."""

    engine: Reference
    _orders: dict[Any, Sequence[int]] = attrs.Factory(dict)

    def at(self, place: int, request: Decision | Chance, limit: int, drawn: int, way: str | None = None) -> int:
        """The number at a place in the order of those below a limit, for an answer to a request; `drawn` is how many
        were drawn before in this game."""
        if limit == 1 or limit > MOST:
            return place
        way = way or self.way
        labels = _labels(request)
        same = (request.span, limit if labels is None else labels, way)
        if same not in self._orders:
            worth = [self._worth(_drawn(request, limit, number), number, way) for number in range(limit)]
            self._orders[same] = sorted(range(limit), key=worth.__getitem__)
        on = drawn if way == "in turn" else mix(drawn) if way == "mixed" else 0
        return self._orders[same][(place + on) % limit]

    def _worth(self, drawn: Drawn, number: int, way: str) -> float:
        """What is sorted by."""
        left = self._left.get(drawn, 0.0)
        if not drawn.decided:
            return left
        return float(int(left)) if way == "whole" else -number if way == "backwards" else left

    @cached_property
    def way(self) -> str:
        """The way by which the game is over soonest."""
        for ways in WAYS:
            lengths = {way: self._length(way) for way in ways}
            best = min(ways, key=lengths.__getitem__)
            if lengths[best] < LEARNT:
                return best
        return WAYS[0][0]

    def _length(self, way: str) -> int:
        """How many answers there are if always the first comes."""
        draws, answers = _Firsts(self, way), 0
        try:
            table = self.engine.table()
            while answers < LEARNT and (request := table.request()) is not None:
                draws.request, answers = request, answers + 1
                table.answer(_even(request, draws))
        except RulesFault:
            pass  # where the rules break off, the game is over too
        return answers

    @property
    def length(self) -> int:
        """How many answers a random game has, on average."""
        return sum(map(len, self._games)) // len(self._games) if self._games else LEARNT

    @cached_property
    def _left(self) -> dict[Drawn, float]:
        """How many more answers than on average are left after what was drawn."""
        positions, left, gains = list[list[float]](), list[int](), defaultdict[Drawn, list[float]](list)
        for game in self._games:
            positions += [[_amount(value) for value in state.values] for state, _ in game]
            left += range(len(game), 0, -1)
        if not positions:
            return {}
        estimate, first = _estimate(np.array(positions), np.array(left, float)), 0
        for game in self._games:
            here = [*estimate[first : first + len(game)], 0.0]
            first += len(game)
            for at, (_, drawn) in enumerate(game):
                then = min(at + AHEAD, len(game))
                for each in drawn:
                    gains[each].append(here[then] + then - at - here[at])
        return _differences(gains)

    @cached_property
    def _games(self) -> list[list[tuple[State, list[Drawn]]]]:
        """Random games that come to their end: each position with what was drawn there."""
        return list(self._play())

    def _play(self) -> Iterator[list[tuple[State, list[Drawn]]]]:
        left, game = LEARNT, 0
        while left > 0:
            stream, game, played = Stream(1, game), game + 1, list[tuple[State, list[Drawn]]]()
            try:
                table = self.engine.table()
                while (request := table.request()) is not None:
                    if not left:
                        return
                    left -= 1
                    draws = _Noting(stream)
                    answer = _even(request, draws)
                    drawn = [_drawn(request, limit, n) for limit, n in draws.noted if 1 < limit <= MOST]
                    played.append((table.freeze(), drawn))
                    table.answer(answer)
            except RulesFault:
                pass
            if not played:
                return
            yield played


def _even(request: Any, draws: Draws) -> int | Answer:
    """An answer of even numbers."""
    answer: int | Answer = draws.below(len(request)) if is_decision(request) else request.sample(draws)
    return answer


def _labels(request: Decision | Chance) -> tuple[str, ...] | None:
    """The labels to choose from, if there are labels."""
    if not is_decision(request) or not isinstance(request.option(0), str):
        return None
    return tuple([request.option(number) for number in range(len(request))])


def _drawn(request: Decision | Chance, limit: int, number: int) -> Drawn:
    if is_decision(request) and isinstance(label := request.option(number), str):
        return Drawn(request.span, True, 0, label)
    return Drawn(request.span, is_decision(request), limit, number)


def _amount(value: Any) -> float:
    """A number, or how many things there are."""
    if isinstance(value, int):
        return float(value)
    return float(len(value)) if isinstance(value, Sized) else 0.0


def _estimate(positions: Floats, left: Floats) -> Floats:
    """How many answers are left at each position, by least squares."""
    spread = positions.std(0)
    varies = spread > 0
    even = (positions[:, varies] - positions[:, varies].mean(0)) / spread[varies]
    even = np.hstack([even, np.ones((len(even), 1))])
    held = RIDGE * len(even) * np.eye(even.shape[1])
    weights: Floats = np.linalg.solve(even.T @ even + held, even.T @ left)
    return even @ weights


def _differences(gains: dict[Drawn, list[float]]) -> dict[Drawn, float]:
    """Each mean, as far as it differs from that of all that was drawn in its place."""
    together = defaultdict[Any, list[float]](list)
    for drawn, values in gains.items():
        together[drawn.span, drawn.limit] += values
    return {
        drawn: sum(values) / len(values) - sum(others) / len(others)
        for drawn, values in gains.items()
        for others in [together[drawn.span, drawn.limit]]
    }
