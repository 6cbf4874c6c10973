"""Random games, in which players are of several sorts and chance is fair, for what is too large to be seen whole.

evenly    every option alike: what is said of games "of this kind" is said of these
swarm     for each game some options are favoured and others shunned, drawn anew for each
seldom    whoever decides prefers what has been chosen least
strategy  the strategies of the rules file, mixed
lucky     as a swarm, and chance is not fair: what it brings to one is often the least or the greatest there is
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from ..interpreter import Answer, Broken, Keys, Met, Policy, Reference, RulesFault, Stream, Table
from ..interpreter.playing import is_decision
from .explore import Track, missteps

LONGEST = 20_000
"""Answers after which a game is left."""

KEPT = 2_000_000
"""Positions that are remembered, to tell how many have not been seen."""

KEPT_GAMES = 50
KEPT_BEGINNINGS = 8

FAVOUR = (1, 1, 1, 8, 30)
SAMPLED = 4

LUCK = ("fair", "fair", "least", "greatest", "least", "greatest")

KINDS = ("evenly", "swarm", "evenly", "seldom", "evenly", "lucky", "strategy", "evenly", "swarm", "evenly")
"""Who plays game i: these in turn."""


Choose = Callable[[Table, Any, Stream], int]
Bring = Callable[[Any, Stream], Answer]


@attrs.frozen
class Found:
    """A random game that broke a property, up to where it did."""

    game: int
    answers: tuple[int | Answer, ...]
    message: str
    span: Any


@attrs.define(eq=False)
class Walks:
    """Random games from one seed. What they find grows while they are played."""

    engine: Reference
    keys: Keys
    tracks: Sequence[Track] = ()
    seed: int = 1
    games: Counter[str] = attrs.Factory(Counter)
    """How many games were played, by who played them."""
    found: dict[str, Found] = attrs.Factory(dict)
    met: dict[str, Found] = attrs.Factory(dict)
    kept: list[tuple[int | Answer, ...]] = attrs.Factory(list)
    """The first games."""
    beginnings: dict[str, dict[int, tuple[int | Answer, ...]]] = attrs.Factory(dict)
    """By the name of what is asked, and by game, the answers before it is asked there first."""
    goal: str | None = None
    """A property; no more games are played when one has broken it."""
    stop: bool = False
    _seen: dict[int, int] = attrs.Factory(dict)
    _looks: int = 0
    _chosen: Counter[tuple[str, int]] = attrs.Factory(Counter)

    def play(self, seconds: float, most: int = 2**62, progress: Callable[[int], None] | None = None) -> None:
        """Play games until time is up."""
        until = time.monotonic() + seconds
        policies = [self.engine.policy(strategy.name) for strategy in self.engine.game.strategies]
        while not self.stop and self.games.total() < most and time.monotonic() < until:
            if self.goal in self.found:
                return
            number = self.games.total()
            kind = KINDS[number % len(KINDS)]
            if kind == "strategy" and not policies:
                kind = "evenly"
            bring = self._lucky(number) if kind == "lucky" else _fair
            self._game(number, self._player(kind, number, policies), bring, until)
            self.games[kind] += 1
            if progress is not None:
                progress(number + 1)

    @property
    def unseen(self) -> float | None:
        """How likely the next position is one that was never met (Good and Turing's estimate)."""
        if not self._looks:
            return None
        return sum(1 for count in self._seen.values() if count == 1) / self._looks

    # ---- one game ----------------------------------------------------------------------------------------

    def _game(self, number: int, choose: Choose, bring: Bring, until: float) -> None:
        draws, answers = Stream(self.seed, number), list[int | Answer]()
        table: Table | None = None
        try:
            table = self.engine.table()
            self._look(table, number, answers)
            values = [track.read(table) for track in self.tracks]
            while (request := table.request()) is not None:
                if len(answers) >= LONGEST:
                    return
                made: Any = request
                self._begins(made.name, number, answers)
                answer = choose(table, made, draws) if is_decision(request) else bring(made, draws)
                answers.append(answer)
                table.events.clear()
                table.answer(answer)
                self._look(table, number, answers)
                values = self._stepped(table, number, answers, values)
                if len(answers) % 256 == 0 and (self.stop or time.monotonic() > until):
                    return
        except RulesFault as error:
            self._events(table.events if table is not None else (), number, answers)
            self.found.setdefault(error.property, Found(number, tuple(answers), error.message, error.span))
        if len(self.kept) < KEPT_GAMES:
            self.kept.append(tuple(answers))

    def _begins(self, name: str, number: int, answers: Sequence[int | Answer]) -> None:
        known = self.beginnings.setdefault(name, {})
        if number not in known and len(known) < KEPT_BEGINNINGS:
            known[number] = tuple(answers)

    def _look(self, table: Table, number: int, answers: Sequence[int | Answer]) -> None:
        self._events(table.events, number, answers)
        if len(self._seen) < KEPT:
            table.request()
            mark = hash(table.key(self.keys))
            self._seen[mark] = self._seen.get(mark, 0) + 1
            self._looks += 1

    def _events(self, events: Sequence[Any], number: int, answers: Sequence[int | Answer]) -> None:
        for event in events:
            if isinstance(event, Broken) and event.property not in self.found:
                self.found[event.property] = Found(number, tuple(answers), event.message, event.span)
            elif isinstance(event, Met) and event.property not in self.met:
                self.met[event.property] = Found(number, tuple(answers), "", None)

    def _stepped(self, table: Table, number: int, answers: Sequence[int | Answer], before: Sequence[Any]) -> list[Any]:
        values = [track.read(table) for track in self.tracks]
        for track, wrong in missteps(self.tracks, before, values):
            self.found.setdefault(track.name, Found(number, tuple(answers), wrong, track.span))
        return values

    # ---- who plays ---------------------------------------------------------------------------------------

    def _player(self, kind: str, number: int, policies: Sequence[Policy]) -> Choose:
        match kind:
            case "swarm" | "lucky":
                return _swarm(self.seed, number)
            case "seldom":
                return self._seldom
            case "strategy":
                own = Stream(self.seed + 1, number)
                mixed = [policies[own.below(len(policies))] for _ in range(self.engine.players)]
                return lambda table, request, draws: mixed[request.owner].choose(table, request, draws)
        return lambda table, request, draws: draws.below(len(request))

    def _seldom(self, table: Table, request: Any, draws: Stream) -> int:
        tried = {draws.below(len(request)) for _ in range(SAMPLED)}
        answer = min(sorted(tried), key=lambda option: self._chosen[request.name, option])
        self._chosen[request.name, answer] += 1
        return answer

    def _lucky(self, number: int) -> Bring:
        """For each sort of chance, by turns as many kinds of luck as there are players; the same for a whole game."""
        own, luck, times = Stream(self.seed + 3, number), dict[tuple[str, int], str](), Counter[str]()

        def bring(chance: Any, draws: Stream) -> Answer:
            turn = times[chance.name] % self.engine.players
            times[chance.name] += 1
            if (chance.name, turn) not in luck:
                luck[chance.name, turn] = LUCK[own.below(len(LUCK))]
            drawn: list[Answer] = [chance.sample(draws) for _ in range(SAMPLED)]
            match luck[chance.name, turn]:
                case "least":
                    return min(drawn)
                case "greatest":
                    return max(drawn)
            return drawn[0]

        return bring


def _fair(chance: Any, draws: Stream) -> Answer:
    brought: Answer = chance.sample(draws)
    return brought


def _swarm(seed: int, number: int) -> Choose:
    """Some options favoured, by name of the decision and number of the option, the same for a whole game and seat."""
    own, liked = Stream(seed + 2, number), dict[tuple[int, str, int], int]()

    def favour(seat: int, name: str, option: int) -> int:
        key = (seat, name, option)
        if key not in liked:
            liked[key] = FAVOUR[own.below(len(FAVOUR))]
        return liked[key]

    def choose(table: Table, request: Any, draws: Stream) -> int:
        size = len(request)
        options = list(range(size)) if size <= SAMPLED * 2 else sorted({draws.below(size) for _ in range(SAMPLED * 2)})
        weights: Mapping[int, int] = {option: favour(request.owner, request.name, option) for option in options}
        drawn = draws.below(sum(weights.values()))
        for option, weight in weights.items():
            drawn -= weight
            if drawn < 0:
                return option
        raise AssertionError("a draw lies below its limit")

    return choose
