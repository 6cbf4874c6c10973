"""Faults planted in the rulesets: each is in its place, passes the check, breaks the property that it should, and is
refuted by `verify` with a game."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from planted import FAULTS, Planted, before, broken, settings

from regelwerk.dsl import rules
from regelwerk.interpreter.agents import Agent, Random, Recipe, Strategy
from regelwerk.interpreter.engine import BROKEN_OFF, Draws, RulesFault
from regelwerk.interpreter.playing import is_decision
from regelwerk.interpreter.records import read_record
from regelwerk.interpreter.reference import Reference
from regelwerk.interpreter.stream import Stream
from regelwerk.verify import findings
from regelwerk.verify.looking import Looking, Subject
from regelwerk.verify.saved import still_broken
from regelwerk.verify.verification import verify

GAMES = 300
ANSWERS = 2_000
"""No game goes on for longer than this."""
STEPS = 2_000
"""So many steps without a request are play without end."""
SHOWN = 3
"""After so many games that show a fault, no more are played."""
EACH = 5
"""One in so many faults is verified without `--long`."""
SECONDS, RARE = 30.0, 120.0
"""For one fault, and for one that hardly any game shows. Nearly all take one or two."""


def refuted(engine: Reference, agents: Sequence[Agent], draws: Draws) -> str | None:
    """The property that a game breaks."""
    try:
        table = engine.table()
        for _ in range(ANSWERS):
            request = table.request()
            if request is None:
                break
            answer = agents[request.owner].choose(table, request, draws) if is_decision(request) else None
            table.answer(request.sample(draws) if answer is None else answer)  # type: ignore[union-attr]
    except RulesFault as fault:
        return fault.property
    return None


def shown(fault: Planted) -> set[str]:
    """The properties that some games of the broken ruleset break."""
    ruleset = broken(fault)
    engine = Reference(ruleset.game, fault.players, settings(fault, ruleset), limit=STEPS)
    recipe: Recipe = Strategy(fault.agent) if fault.agent else Random()
    agents = [recipe.make(engine, seat) for seat in range(fault.players)]
    found: list[str] = []
    for game in range(GAMES):
        name = refuted(engine, agents, Stream(1, game))
        found += [] if name is None else [name]
        if len(found) == SHOWN:
            break
    return set(found)


def test_there_are_faults_enough() -> None:
    """Eight faults or more for each ruleset but the classics, and no name twice."""
    count = Counter(fault.ruleset for fault in FAULTS if not fault.ruleset.startswith("classics/"))

    assert {} == {name: number for name, number in count.items() if number < 8}
    assert len(count) == 7
    assert len(FAULTS) == len(set(map(str, FAULTS)))


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_is_planted_in_its_place(fault: Planted) -> None:
    """Each old text stands in the file once, the broken ruleset passes the check, and it has the named properties."""
    text = before(fault)
    game = broken(fault).game
    own: list[Any] = [*game.invariants, *game.monotones, *game.leads, *game.possibles, *game.secrets]
    names = {promise.name for promise in own}

    assert [1] * len(fault.replace) == [text.count(old) for old, _ in fault.replace]
    assert set() == {fault.refuted, *fault.also} - names - {*rules.FREE, BROKEN_OFF}
    assert fault.players in range(game.players[0], game.players[1] + 1)


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.random], ids=str)
def test_shows_in_some_games(fault: Planted) -> None:
    """Games of the broken ruleset break the named property, and none that the table says nothing of."""
    assert {fault.refuted} == shown(fault) - fault.also


def verified() -> list[Any]:
    """The faults; most of them under `--long` alone, as are those that hardly any game shows."""
    quick = [fault for fault in FAULTS if fault.random and fault.agent is None][::EACH]
    return [pytest.param(fault, id=str(fault), marks=() if fault in quick else pytest.mark.long) for fault in FAULTS]


@pytest.mark.parametrize("fault", verified())
def test_verify_refutes(fault: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    """The named property is refuted, by a game that still breaks it when it is played again. None is shorter if it says
    so: every game of fewer answers was looked at then."""
    monkeypatch.setattr(findings, "SHORTENING", 1.0)
    ruleset = broken(fault)
    subject = Subject(ruleset, fault.players, settings(fault, ruleset))
    seconds = SECONDS if fault.random and fault.agent is None else RARE
    looking = Looking(subject, None if fault.everything else seconds)
    (found,) = verify(looking, fault.refuted).findings

    assert "refuted" == found.verdict
    assert fault.everything == (found.trace is None)
    if found.trace is not None:
        assert fault.refuted in dict(still_broken(ruleset, read_record(found.trace.record)))
        assert not found.trace.shortest or looking.search.depth >= len(found.trace.answers) - 1
