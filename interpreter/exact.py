"""Exact chances: what a game comes to, as fractions, for games small enough to be walked through.

Chance has its own odds; decisions are answered by a policy: a strategy of the rules file, every option evenly, or
for one seat the option that is best. Positions are counted once for all that are canonically the same.

    distribution(engine, "points in a turn")            the first sample of a measure
    results(engine)                                     how the game ends, as a `Result`
    value(engine, 0, {0: BEST, 1: "bold"})              the score of seat 0, as good as it can be made
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Protocol

import attrs

from .engine import Result, Sample
from .reference import Reference
from .state import State
from .table import Table

UNIFORM = "uniformly"
"""Every option, evenly. No strategy is called so."""
BEST = "as well as possible"
"""The option that is worth most."""


class Unending(ValueError):
    """A position comes again: there is no end to walk to."""


class TooLarge(ValueError):
    """More positions than were allowed."""


class _Chances(Protocol):
    def chances(self, table: Table, decision: Any) -> dict[int, Fraction]: ...


class _Uniform:
    def chances(self, table: Table, decision: Any) -> dict[int, Fraction]:
        return dict.fromkeys(range(len(decision)), Fraction(1, len(decision)))


def results(
    engine: Reference,
    policy: str | Mapping[int, str] = UNIFORM,
    state: State | None = None,
    most: int = 1_000_000,
) -> dict[Result, Fraction]:
    """How likely the game ends with which result; `policy` for all or by seat.

    Raises:
        Unending: the game can come to the same position again.
        TooLarge: there are more than `most` positions.
    """
    return _Walk(engine, policy, most).distribution(engine.start() if state is None else state, None)


def distribution(
    engine: Reference,
    measure: str,
    policy: str | Mapping[int, str] = UNIFORM,
    state: State | None = None,
    most: int = 1_000_000,
) -> dict[int, Fraction]:
    """How likely a measure's first sample is which number; games that end without one are left out.

    Raises:
        Unending: the game can come to the same position again.
        TooLarge: there are more than `most` positions.
    """
    return _Walk(engine, policy, most).distribution(engine.start() if state is None else state, measure)


def value(
    engine: Reference,
    seat: int,
    policy: str | Mapping[int, str] = UNIFORM,
    state: State | None = None,
    most: int = 1_000_000,
) -> Fraction:
    """A seat's expected score; where it plays `BEST`, as good as it can be made against the others' policies.

    What `BEST` knows is the whole position: in games with secrets this is a bound and not what a player could reach.

    Raises:
        Unending: the game can come to the same position again.
        TooLarge: there are more than `most` positions.
    """
    return _Walk(engine, policy, most).value(engine.start() if state is None else state, seat)


@attrs.frozen(eq=False)
class _Position:
    """A position's ways on: how likely which figure comes, or which position follows (`then`)."""

    state: State
    owner: int | None
    ways: list[tuple[Fraction, State | None, Any]]


class _Walk:
    def __init__(self, engine: Reference, policy: str | Mapping[int, str], most: int) -> None:
        self.engine = engine
        self.most = most
        named = policy if isinstance(policy, Mapping) else dict.fromkeys(range(engine.players), policy)
        self.best = {seat for seat, name in named.items() if name == BEST}
        self.policies = {seat: self._policy(named.get(seat, UNIFORM)) for seat in range(engine.players)}

    def _policy(self, name: str) -> _Chances:
        return _Uniform() if name in (UNIFORM, BEST) else self.engine.policy(name)

    # ---- positions -------------------------------------------------------------------------------------

    def _positions(self, start: State, measure: str | None) -> Iterator[_Position]:
        """All positions from a state on, each after those that follow it; with a stack of our own, for long games."""
        open_: set[State] = set()
        done: set[State] = set()
        stack: list[State | _Position] = [start]
        while stack:
            top = stack.pop()
            if isinstance(top, _Position):
                open_.remove(top.state)
                done.add(top.state)
                yield top
            elif top not in done:
                if len(done) + len(open_) >= self.most:
                    raise TooLarge(f"there are more than {self.most:,} positions")
                position = self._position(top, measure)
                open_.add(top)
                stack.append(position)
                for _, then, _ in position.ways:
                    if then in open_:
                        raise Unending("the game can come to the same position again; there is no end to walk to")
                    if then is not None and then not in done:
                        stack.append(then)

    def _position(self, state: State, measure: str | None) -> _Position:
        table = self.engine.table(state)
        request: Any = table.request()
        if request is None:
            return _Position(state, None, [(Fraction(1), None, self.engine.result(state))])
        owner = getattr(request, "owner", None)
        chances = request.outcomes() if owner is None else self.policies[owner].chances(table, request).items()
        ways = []
        for answer, chance in list(chances):
            table.seek(state, request)
            table.answer(answer)
            ways.append((chance, *self._reached(table, measure)))
        return _Position(state, owner, ways)

    def _reached(self, table: Table, measure: str | None) -> tuple[State | None, Any]:
        for event in table.events:
            if isinstance(event, Sample) and event.measure == measure:
                return None, event.value
        return self.engine.canonical(table.freeze()), None

    # ---- figures ---------------------------------------------------------------------------------------

    def distribution(self, start: State, measure: str | None) -> dict[Any, Fraction]:
        """How likely the figure is what, from a state on."""
        known: dict[State, dict[Any, Fraction]] = {}
        start = self.engine.canonical(start)
        for position in self._positions(start, measure):
            total: dict[Any, Fraction] = {}
            for chance, then, figure in position.ways:
                for each, likely in known[then].items() if then is not None else ((figure, Fraction(1)),):
                    if measure is None or not isinstance(each, Result):
                        total[each] = total.get(each, Fraction(0)) + chance * likely
            known[position.state] = total
        return known[start]

    def value(self, start: State, seat: int) -> Fraction:
        """The expected score of a seat, from a state on."""
        known: dict[State, Fraction] = {}
        start = self.engine.canonical(start)
        for position in self._positions(start, None):
            values = [known[then] if then is not None else _score(end, seat) for _, then, end in position.ways]
            if position.owner in self.best:
                # Others who play their best play against this seat.
                known[position.state] = (max if position.owner == seat else min)(values)
            else:
                odds = [chance for chance, _, _ in position.ways]
                known[position.state] = sum((a * b for a, b in zip(odds, values, strict=True)), Fraction(0))
        return known[start]


def _score(result: Result, seat: int) -> Fraction:
    return Fraction(result.scores[seat] if result.scores is not None else 0)
