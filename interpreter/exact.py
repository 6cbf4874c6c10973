"""Exact chances: what a game comes to, as fractions, for games small enough to be walked through.

Chance has its own odds; decisions are answered by a policy: a strategy of the rules file, every option evenly, or
for one seat the option that is best. Positions are counted once for all that play on alike.

    distribution(engine, "points in a turn")            the first sample of a measure
    results(engine)                                     how the game ends, as a `Result`
    value(engine, 0, {0: BEST, 1: "bold"})              the score of seat 0, as good as it can be made
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Protocol

import attrs

from .engine import Result, Sample
from .liveness import Readers
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

    key: bytes
    owner: int | None
    ways: list[tuple[Fraction, "_Reached | None", Any]]


@attrs.frozen(eq=False)
class _Reached:
    """A state, and the key of all that play on alike."""

    key: bytes
    state: State


class _Walk:
    def __init__(self, engine: Reference, policy: str | Mapping[int, str], most: int) -> None:
        self.engine = engine
        self.most = most
        named = policy if isinstance(policy, Mapping) else dict.fromkeys(range(engine.players), policy)
        self.best = {seat for seat, name in named.items() if name == BEST}
        self.policies = {seat: self._policy(named.get(seat, UNIFORM)) for seat in range(engine.players)}
        strategies = tuple({name for name in named.values() if name not in (UNIFORM, BEST)})
        self.keys = engine.keys(Readers(strategies=strategies, properties=False))

    def _policy(self, name: str) -> _Chances:
        return _Uniform() if name in (UNIFORM, BEST) else self.engine.policy(name)

    # ---- positions -------------------------------------------------------------------------------------

    def _positions(self, start: _Reached, measure: str | None) -> Iterator[_Position]:
        """All positions from a state on, each after those that follow it; with a stack of our own, for long games."""
        open_: set[bytes] = set()
        done: set[bytes] = set()
        stack: list[_Reached | _Position] = [start]
        while stack:
            top = stack.pop()
            if isinstance(top, _Position):
                open_.remove(top.key)
                done.add(top.key)
                yield top
            elif top.key not in done:
                if len(done) + len(open_) >= self.most:
                    raise TooLarge(f"there are more than {self.most:,} positions")
                position = self._position(top, measure)
                open_.add(top.key)
                stack.append(position)
                for _, then, _ in position.ways:
                    if then is not None and then.key in open_:
                        raise Unending("the game can come to the same position again; there is no end to walk to")
                    if then is not None and then.key not in done:
                        stack.append(then)

    def _position(self, here: _Reached, measure: str | None) -> _Position:
        state, table = here.state, self.engine.table(here.state)
        request: Any = table.request()
        if request is None:
            return _Position(here.key, None, [(Fraction(1), None, self.engine.result(state))])
        owner = getattr(request, "owner", None)
        chances = request.outcomes() if owner is None else self.policies[owner].chances(table, request).items()
        ways = []
        for answer, chance in list(chances):
            table.seek(state, request)
            table.answer(answer)
            ways.append((chance, *self._reached(table, measure)))
        return _Position(here.key, owner, ways)

    def _reached(self, table: Table, measure: str | None) -> tuple[_Reached | None, Any]:
        for event in table.events:
            if isinstance(event, Sample) and event.measure == measure:
                return None, event.value
        return self._here(table), None

    def _here(self, table: Table) -> _Reached:
        return _Reached(table.key(self.keys), table.freeze())

    # ---- figures ---------------------------------------------------------------------------------------

    def distribution(self, start: State, measure: str | None) -> dict[Any, Fraction]:
        """How likely the figure is what, from a state on."""
        known: dict[bytes, dict[Any, Fraction]] = {}
        first = self._here(self.engine.table(start))
        for position in self._positions(first, measure):
            total: dict[Any, Fraction] = {}
            for chance, then, figure in position.ways:
                for each, likely in known[then.key].items() if then is not None else ((figure, Fraction(1)),):
                    if measure is None or not isinstance(each, Result):
                        total[each] = total.get(each, Fraction(0)) + chance * likely
            known[position.key] = total
        return known[first.key]

    def value(self, start: State, seat: int) -> Fraction:
        """The expected score of a seat, from a state on."""
        known: dict[bytes, Fraction] = {}
        first = self._here(self.engine.table(start))
        for position in self._positions(first, None):
            values = [known[then.key] if then is not None else _score(end, seat) for _, then, end in position.ways]
            if position.owner in self.best:
                # Others who play their best play against this seat.
                known[position.key] = (max if position.owner == seat else min)(values)
            else:
                odds = [chance for chance, _, _ in position.ways]
                known[position.key] = sum((a * b for a, b in zip(odds, values, strict=True)), Fraction(0))
        return known[first.key]


def _score(result: Result, seat: int) -> Fraction:
    return Fraction(result.scores[seat] if result.scores is not None else 0)
