"""Play that never ends, looked for in games too large to be seen whole: everybody always says the same.

For each label of a decision all players take it whenever they can, and of what else is asked always the first, or
always the last. Only chance is left then, and often little of the game: where no end is among all it can come to, the
game never ends if it is played like this.
"""

import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import attrs

from ..dsl import rules
from ..dsl.tree import walk
from ..interpreter import Decision, Draws, Readers, Reference, RulesFault, Stream
from ..interpreter.playing import is_decision
from .ending import Stall, ending
from .explore import Budget, Search

TRIED = 2
"""Games that are played at random in each of these ways: where one ends there is nothing to look for."""

TURN = 500
"""Positions found in one way before it is another's turn."""

LONG = 1_500
"""Answers after which such a game may never end."""


@attrs.define(unsafe_hash=True)
class Always:
    """Takes one label wherever it is offered, and else the first or the last option."""

    decision: str
    label: str
    last: bool
    name: str = "always the same"

    def choose(self, table: Any, decision: Decision, draws: Draws) -> int:
        """The option it takes."""
        return self._taken(decision)

    def chances(self, table: Any, decision: Decision) -> dict[int, Fraction]:
        """The same, as a chance."""
        return {self._taken(decision): Fraction(1)}

    def _taken(self, decision: Decision) -> int:
        if decision.name == self.decision:
            for number in range(len(decision)):
                if decision.option(number) == self.label:
                    return number
        return len(decision) - 1 if self.last else 0


@attrs.frozen
class Stalling:
    """How the game is played for ever."""

    policy: Always
    search: Search
    stall: Stall

    def __str__(self) -> str:
        said = f"{self.policy.decision} with {self.policy.label}, and all else " if self.policy.label else "everything "
        return f"everybody always answers {said}with the {'last' if self.policy.last else 'first'} option"


def policies(game: rules.Game) -> Iterator[Always]:
    """The ways of always saying the same."""
    labels = [("", "")]
    for node, _ in walk(game):
        if isinstance(node, rules.ChooseLabel):
            labels += [(node.name, label.name) for label in node.labels]
    for decision, label in dict.fromkeys(labels):
        yield from (Always(decision, label, last) for last in (True, False))


def stalling(engine: Reference, seconds: float, positions: int = 200_000) -> Stalling | None:
    """Play that never ends, if one of these ways is and all it can come to is seen in time.

    The ways are looked into by turns: it is that one's which has the least of its positions waiting, and so may soon be
    seen whole.
    """
    until = time.monotonic() + seconds
    keys = engine.keys(Readers(properties=False))
    searches = {
        way: Search(engine, keys, policies={seat: way for seat in range(engine.players)}, endless=True)
        for way in policies(engine.game)
        if _long(engine, way)
    }
    while searches and time.monotonic() < until:
        way, search = min(searches.items(), key=lambda each: _waiting(each[1]))
        graph = search.run(Budget(until - time.monotonic(), min(len(search.graph) + TURN, positions)))
        if graph.complete and graph.owner and not graph.ends and not search.breaks:
            found = ending(graph)
            if found.stall is not None:
                return Stalling(way, search, found.stall)
        if graph.complete or graph.ends or search.breaks or len(graph) >= positions:
            del searches[way]
    return None


def _waiting(search: Search) -> float:
    """The share of the known positions that have not been looked into."""
    graph = search.graph
    return (len(graph) + 1 - len(graph.first)) / max(len(graph), 1)


def _long(engine: Reference, way: Always) -> bool:
    """Whether no game tried comes to its end, or to a fault in the rules."""
    try:
        return all(_goes_on(engine, way, Stream(1, game)) for game in range(TRIED))
    except RulesFault:
        return False


def _goes_on(engine: Reference, way: Always, draws: Stream) -> bool:
    table = engine.table()
    for _ in range(LONG):
        request: Any = table.request()
        if request is None:
            return False
        table.answer(way.choose(table, request, draws) if is_decision(request) else request.sample(draws))
    return True
