"""What is said of a ruleset as a whole: that every table can be played, and how even and long its games are."""

import time
from collections.abc import Iterator
from typing import Any

import attrs

from ..dsl import Ruleset, rules
from ..interpreter import Reference, RulesFault, Stream
from ..interpreter.agents import Random
from ..interpreter.options import value_text
from ..interpreter.playing import Match, is_decision
from ..interpreter.simulate import EngineName, engine_for, simulate
from .ending import Lengths
from .looking import Looking
from .solve import Unsolvable, shares, solve

LONG = 5_000
"""Answers after which a game is left: it is not for this to say whether it ends."""

MOST_VALUES = 12
"""Values of an option that are all tried; of more, the first, the last and the usual one."""


@attrs.frozen
class Table:
    """A table that rules allow: so many players, and one option that is not as usual."""

    players: int
    option: rules.Option | None = None
    value: int | bool = False

    def __str__(self) -> str:
        setting = "" if self.option is None else f", {self.option.name} = {value_text(self.option, self.value)}"
        return f"{self.players} players{setting}"


def tables(game: rules.Game) -> Iterator[Table]:
    """Every number of players, with the usual options and with each other value of one option."""
    for players in range(game.players[0], game.players[1] + 1):
        if game.teams is not None and players % game.teams:
            continue
        yield Table(players)
        usual = Reference(game, players).options
        for option in game.options:
            for value in values(option):
                if value != usual[option.name]:
                    yield Table(players, option, value)


def values(option: rules.Option) -> list[int | bool]:
    """What an option may be; of many numbers the ends."""
    match option.domain.type:
        case rules.Member(_, names):
            return list(range(len(names)))
        case rules.Number(low, high):
            return list(range(low, high + 1)) if high - low < MOST_VALUES else [low, high]
        case _:
            return [False, True]


def unplayable(ruleset: Ruleset, seconds: float, seed: int) -> tuple[int, str | None]:
    """How many tables played a game, and what went wrong at one of them."""
    until, played = time.monotonic() + seconds, 0
    for table in tables(ruleset.game):
        if played and time.monotonic() > until:
            break
        options: dict[str, Any] = {} if table.option is None else {table.option.name: table.value}
        try:
            engine = Reference(ruleset.game, table.players, options, check=False)
        except ValueError:
            continue  # a value that only this number of players rules out
        try:
            _play(engine, seed)
        except RulesFault as fault:
            return played, f"{table}: {fault.message} (line {fault.span.line})"
        played += 1
    return played, None


def _play(engine: Reference, seed: int) -> None:
    draws, table = Stream(seed, 0), engine.table()
    for _ in range(LONG):
        request: Any = table.request()
        if request is None:
            return
        table.answer(draws.below(len(request)) if is_decision(request) else request.sample(draws))


def disagreement(looked: Looking) -> str | None:
    """What two engines differ in over the same games: figures of machine code beside those of the reference.

    Raises:
        LookupError: there is only one engine here.
    """
    subject = looked.subject
    match = Match(
        game=subject.ruleset.game,
        ruleset=subject.ruleset.name,
        fingerprint=subject.ruleset.fingerprint,
        players=subject.players,
        options=subject.options,
        agents=(Random(),) * subject.players,
        seed=looked.seed,
    )
    if engine_for(match, "native") != "native":
        raise LookupError("no machine code can be run here")
    one, other = (simulate(match, COMPARED, 1, engine=engine) for engine in ENGINES)
    for what in ("finished", "wins", "shared_wins", "scores", "turns", "decisions", "measures"):
        if getattr(one, what) != getattr(other, what):
            return f"over {COMPARED} games they differ in {what.replace('_', ' ')}"
    return None


ENGINES: tuple[EngineName, EngineName] = ("native", "reference")

COMPARED = 20
"""Games that both engines play."""


def balance(looked: Looking, mean: Lengths | None) -> Iterator[str]:
    """How even and how long games are if all choose evenly, where every position is known; `mean` says how long."""
    graph = looked.search.graph
    if not graph.complete or not graph.ends or looked.subject.focus is not None:
        return
    if len(graph) <= EXACTLY:
        try:
            found = solve(graph, shares(graph), best=(), small=0)
        except Unsolvable:
            return
        seats = ", ".join(f"seat {seat} {float(share):.4f}" for seat, share in enumerate(found.seats, 1))
        yield f"played evenly, of the wins get: {seats}"
    if mean is not None:
        yield f"played evenly, a game has {mean.decisions:.2f} decisions on average"


EXACTLY = 200_000
"""Positions up to which wins are worked out along the way."""
