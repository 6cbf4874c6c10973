"""A player who searches: the game is followed on machine code, and rollouts are played from each of his decisions."""

import time
from collections.abc import MutableMapping
from math import sqrt
from typing import Any
from weakref import WeakKeyDictionary

import attrs

from ..engine import Answer, Chance, Decision, Draws, Engine, Table
from . import EnginesDisagree
from .native import GameFault, Native, signed
from .scripts import script_of
from .stepped import Steps
from .uct import AHEAD, CHILD, LEAD, ONE, VISITS, WON

MOST_NODES = 200_000
"""A tree has no more nodes, however long is searched."""

FIRST_PORTION, PORTION = 8, 0.02
"""So many rollouts before the time is looked at, and later as many as take so many seconds."""

DEVIATION = (0.5 * (8 - AHEAD) + 0.25 * AHEAD) / 8
"""How much what a rollout is worth deviates, at most."""

CERTAIN = 3.0
"""An option is taken in place of the usual one where it is so many standard errors better."""

_made: MutableMapping[Engine, dict[tuple[int, str], Native]] = WeakKeyDictionary()


@attrs.frozen
class Tried:
    """An option of a decision, as far as it was tried: sums over its visits of wins and of how far ahead he was."""

    option: int
    visits: int
    won: int
    lead: int


class Searcher:
    """Takes the option that most rollouts went to; where a strategy plays them, the strategy's own, unless another one
    is surely better."""

    def __init__(self, engine: Engine, seat: int, budget: int | float, policy: str) -> None:
        self.seat = seat
        self.policy = policy
        self.budget = budget
        """Rollouts, or seconds where it is no whole number."""
        # A rollout makes one node, and of what players choose together one for each of them.
        wanted = budget * engine.players if isinstance(budget, int) else MOST_NODES
        native = _native(engine, min(wanted, MOST_NODES), policy)
        assert native.low.tree is not None
        self.tree = native.low.tree
        self.steps = Steps(native)
        self._forget, self._root, self._search = (self.steps.exports[name] for name in ("forget", "root", "search"))
        self.table: Table | None = None

    def follow(self, table: Table, request: Decision | Chance, answer: int | Answer) -> None:
        """Play an answer here too, before it is played at the table."""
        self._sit_down(table)
        try:
            self.steps.resume(script_of(request, answer))
        except GameFault:
            return  # the engine at the table comes to it next, and stops the game

    def choose(self, table: Table, decision: Decision, draws: Draws) -> int:
        """The option that was tried most often; of several the one that brought most."""
        self._sit_down(table)
        asked = self.steps.request()
        if asked is None or (asked.name, asked.owner, asked.options) != (decision.name, self.seat, len(decision)):
            raise EnginesDisagree(f"seat {self.seat + 1} is asked for {decision.name}, on machine code for {asked}")
        if len(decision) == 1:
            return 0
        tried = self.tried(draws.below(2**32))
        best = max(tried, key=lambda each: (each.visits, each.won, each.lead, -each.option))
        usual = self.steps.number(self.tree.usual.address)
        known = [each for each in tried if each.option == usual and self.policy != "random"]
        return best.option if all(self._surely_better(best, each) for each in known) else usual

    def _surely_better(self, one: Tried, other: Tried) -> bool:
        """Whether an option has done better than another by more than chance may make it."""
        error = DEVIATION * sqrt(1 / one.visits + 1 / other.visits)
        return self._worth(one) - self._worth(other) > CERTAIN * error

    def _worth(self, tried: Tried) -> float:
        """What an option was worth, as the search sees it: from 0 to 1, or a little beyond."""
        least, most = self.steps.numbers(self.tree.spread.address, 2)
        won = tried.won / tried.visits / ONE
        ahead = (tried.lead / tried.visits - least) / (most - least) if most > least else won
        return (won * (8 - AHEAD) + ahead * AHEAD) / 8

    def tried(self, chance: int) -> list[Tried]:
        """The options that a search from here has tried, by their number; the game is left as it was."""
        steps = self.steps
        steps.call(self._root, self.seat, signed(chance << 32))
        if isinstance(self.budget, int):
            self._go_on(self.budget)
        else:
            self._go_on_until(time.perf_counter() + self.budget)
        children, entries = self.tree.children.address, self.tree.entries.room.address
        found = []
        for place in range(steps.number(children, 4)):
            option, entry = steps.numbers(children + 8 + CHILD * place, 2)
            found.append(Tried(option, *[steps.number(entries + entry + what) for what in (VISITS, WON, LEAD)]))
        return sorted(found, key=lambda each: each.option)

    def _go_on(self, rollouts: int) -> None:
        """Play so many rollouts more."""
        done = self.steps.number(self.tree.done.address)
        while True:
            try:
                self.steps.call(self._search, rollouts)
                return
            except GameFault:
                before, done = done, self.steps.number(self.tree.done.address)
                if done == before:
                    raise
            # The rules have stopped a rollout: it is lost, and the search goes on with the next one.
            rollouts -= done - before

    def _go_on_until(self, end: float) -> None:
        portion, now = FIRST_PORTION, time.perf_counter()
        while True:
            begun = now
            self._go_on(portion)
            now = time.perf_counter()
            if now >= end:
                return
            portion = max(1, int(portion * min(4.0, min(PORTION, end - now) / (now - begun))))

    def _sit_down(self, table: Table) -> None:
        """At a table that was not there before a new game begins."""
        if table is not self.table:
            self.table = table
            self.steps.begin(0, 0)
            self.steps.call(self._forget)


def _native(engine: Engine, nodes: int, policy: str) -> Native:
    """The machine code for a game that is played on this engine, which looks at the invariants and takes the measures
    itself."""
    made = _made.setdefault(engine, {})
    if (nodes, policy) not in made:
        game = attrs.evolve(engine.game, invariants=(), measures=())
        strategies: dict[str, Any] = {strategy.name: strategy for strategy in game.strategies}
        seated = [strategies.get(policy, policy)] * engine.players
        made[nodes, policy] = Native(game, engine.players, engine.options, seated=seated, interrupted=True, nodes=nodes)
    return made[nodes, policy]
