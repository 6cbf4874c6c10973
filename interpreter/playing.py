"""One whole game: agents answer its decisions, a stream of even numbers answers its chance."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeGuard

import attrs

from ..dsl import rules
from .agents import Agent, Follower, Recipe
from .engine import (
    Answer,
    Chance,
    Decision,
    Draws,
    Engine,
    Result,
    RulesFault,
    Sample,
    Table,
    TurnTaken,
)
from .fit import fit
from .layout import Layout

if TYPE_CHECKING:
    from .reference import Reference

TURN = "turn"
"""A turn of a game is one pass of the phase with this name."""


@attrs.frozen
class Limits:
    """What stops a game that does not stop by itself."""

    decisions: int = 10_000
    """Decisions in a game."""
    steps: int = 100_000
    """Steps between two requests."""


@attrs.frozen
class Match:
    """Who plays what: everything that games of one batch have in common. Can be pickled if its agents can."""

    game: rules.Game
    ruleset: str
    """How the ruleset is named: its name in the library, or its path."""
    fingerprint: str
    players: int
    options: Mapping[str, int | bool]
    """The options that differ from their defaults."""
    agents: tuple[Recipe, ...]
    """One for each seat."""
    seed: int = 1
    limits: Limits = Limits()

    def layout(self) -> Layout:
        """The game with its players and options fixed.

        Raises:
            ValueError: it cannot be played by so many, or an option cannot have its value.
        """
        return fit(self.game, self.players, self.options)

    def engine(self) -> "Reference":
        """The engine that plays these games."""
        from .reference import Reference

        return Reference(self.game, self.players, self.options, limit=self.limits.steps)

    def seated(self, engine: Engine) -> list[Agent]:
        """The agents, made for their seats."""
        return [recipe.make(engine, seat) for seat, recipe in enumerate(self.agents)]


@attrs.frozen
class Fault:
    """Why a game could not go on, as plain text."""

    message: str
    file: str
    line: int
    phase: str
    """The phases around the rule, outermost first, with ` > ` between them."""

    @classmethod
    def of(cls, fault: RulesFault) -> "Fault":
        """What a fault says."""
        return cls(fault.message, fault.span.source.name, fault.span.line, " > ".join(fault.phases))

    def __str__(self) -> str:
        phase = f" (phase {self.phase})" if self.phase else ""
        return f"{self.file}:{self.line}: {self.message}{phase}"


@attrs.frozen
class Playthrough:
    """One game as it went."""

    answers: tuple[int | Answer, ...]
    decisions: int
    turns: int
    samples: Mapping[str, list[int]]
    """What each measure gave, in order."""
    result: Result | None
    """How it ended; None when a fault stopped it."""
    fault: Fault | None


Watcher = Callable[[Table, Decision | Chance, int | Answer], None]
"""Is shown the table, its request and the answer, before the answer is played."""


def is_decision(request: Decision | Chance) -> TypeGuard[Decision]:
    """Whether a request waits for a player."""
    return hasattr(request, "owner")


def too_long(decision: Decision, limit: int) -> RulesFault:
    """The fault of a game that has had all its decisions."""
    return RulesFault(f"the game has not ended after {limit:,} decisions", decision.span, decision.phases)


def play(
    engine: Engine,
    agents: Sequence[Agent],
    draws: Draws,
    limit: int = Limits().decisions,
    watch: Watcher | None = None,
) -> Playthrough:
    """A game from its start to its end, or to the fault that stops it.

    Raises:
        AgentError: an agent did not answer, or not with an option.
    """
    answers: list[int | Answer] = []
    followers = [agent for agent in agents if isinstance(agent, Follower)]
    decisions = 0
    table: Table | None = None
    fault: RulesFault | None = None
    answer: int | Answer
    try:
        table = engine.table()
        while (request := table.request()) is not None:
            if is_decision(request):
                if decisions == limit:
                    raise too_long(request, limit)
                decisions += 1
                answer = agents[request.owner].choose(table, request, draws)
            else:
                answer = request.sample(draws)  # type: ignore[union-attr]  # Python 3.11 knows no TypeIs
            if watch is not None:
                watch(table, request, answer)
            for follower in followers:
                follower.follow(table, request, answer)
            answers.append(answer)
            table.answer(answer)
    except RulesFault as error:
        fault = error
    turns = 0
    samples: dict[str, list[int]] = {}
    for event in table.events if table else ():
        if isinstance(event, TurnTaken):
            turns += event.phase == TURN
        elif isinstance(event, Sample):
            samples.setdefault(event.measure, []).append(event.value)
    return Playthrough(
        answers=tuple(answers),
        decisions=decisions,
        turns=turns,
        samples=samples,
        result=None if fault or table is None else table.result(),
        fault=Fault.of(fault) if fault else None,
    )
