"""Faults planted in the rulesets: each is in its place, passes the check, and breaks the property that it should."""

from typing import Any

import pytest
from planted import FAULTS, Planted, before, broken, settings

from regelwerk.interpreter.agents import Random, Recipe, Strategy
from regelwerk.interpreter.playing import Limits, Match, play
from regelwerk.interpreter.stream import Stream

GAMES = 300
LIMITS = Limits(decisions=2_000, steps=2_000)
SHOWN = 3
"""After so many games that show a fault, no more are played."""

SAID = {
    "lies in": "every value stays in its range",
    "is not in": "every value stays in its range",
    "there is no element": "every value stays in its range",
    "has the score": "scores stay in their bounds",
    "nothing can be chosen": "every decision has an option",
    "does not end": "the game comes to an end",
}
"""What the engine says when a free property is broken."""

FREE = set(SAID.values())


def property_of(message: str) -> str:
    """The property that is broken when a game stops with this message."""
    own = message.removeprefix("the invariant does not hold: ")
    return own if own != message else next((free for said, free in SAID.items() if said in message), message)


def reported(fault: Planted) -> set[str]:
    """The properties that some games of the broken ruleset break."""
    ruleset = broken(fault)
    agent: Recipe = Strategy(fault.agent) if fault.agent else Random()
    agents = (agent,) * fault.players
    options = settings(fault, ruleset)
    match = Match(ruleset.game, fault.ruleset, ruleset.fingerprint, fault.players, options, agents, limits=LIMITS)
    engine = match.engine()
    seated = match.seated(engine)
    found: list[str] = []
    for game in range(GAMES):
        stopped = play(engine, seated, Stream(match.seed, game), LIMITS.decisions).fault
        if stopped is not None:
            found.append(property_of(stopped.message))
        if len(found) == SHOWN:
            break
    return set(found)


def test_there_are_faults_enough() -> None:
    """Eight faults or more for each ruleset of the beginning, and no name twice."""
    count = {ruleset: sum(fault.ruleset == ruleset for fault in FAULTS) for ruleset in {f.ruleset for f in FAULTS}}

    assert {name: number for name, number in count.items() if number < 8} == {}
    assert len(FAULTS) == len(set(map(str, FAULTS)))


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_is_planted_in_its_place(fault: Planted) -> None:
    """Each old text stands in the file once, the broken ruleset passes the check, and it has the named properties."""
    text = before(fault)
    game = broken(fault).game
    own: list[Any] = [*game.invariants, *game.monotones, *game.leads, *game.possibles, *game.secrets]
    names = {promise.name for promise in own}

    assert [1] * len(fault.replace) == [text.count(old) for old, _ in fault.replace]
    assert set() == {fault.refuted, *fault.also} - names - FREE
    assert fault.players in range(game.players[0], game.players[1] + 1)


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.random], ids=str)
def test_shows_in_some_games(fault: Planted) -> None:
    """Games of the broken ruleset break the named property, and none that the table says nothing of."""
    assert {fault.refuted} == reported(fault) - fault.also
