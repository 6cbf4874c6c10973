"""Machine code step by step: after every answer the same state, the same request, the same chances as in the reference.

`pytest tests/test_steps.py --games 20` plays more games of each.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from test_docs import RULES, Block, written
from test_native import GAMES
from test_rulesets import Table, loaded, pytest_generate_tests  # noqa: F401  pytest looks for it by its name

from regelwerk.dsl import load, rules
from regelwerk.interpreter import Reference, RulesFault, State, Stream
from regelwerk.interpreter.native.lowering import Limits
from regelwerk.interpreter.native.native import GameFault, Native
from regelwerk.interpreter.native.scripts import script_of
from regelwerk.interpreter.native.stepped import Steps
from regelwerk.interpreter.playing import is_decision

MOST_OUTCOMES = 300
"""Outcomes of one chance that are compared."""
STEPS = 20_000


def compare(
    game: rules.Game, players: int, options: dict[str, Any], games: int, most: int, checked: bool = False
) -> int:
    """Games at random, step by step; how many requests were compared."""
    reference = Reference(game, players, options, limit=STEPS)
    limits = Limits(steps=STEPS)
    steps = Steps(Native(game, players, options, limits=limits, interrupted=True, checked=checked))
    return sum(_game(reference, steps, number, most) for number in range(games))


def _game(reference: Reference, steps: Steps, number: int, most: int) -> int:
    draws, answers = Stream(11, number), 0
    table: Any = None
    for answers in range(most):
        try:
            if table is None:
                table = reference.table()
            expected: Any = table.request()
        except RulesFault as fault:
            return _fault(steps, number, answers, fault)
        if answers == 0:
            steps.begin(1, number)
        actual = steps.request()
        assert _plain(table.freeze().values[: steps.low.memory.slots]) == steps.values()
        if expected is None or actual is None:
            assert expected is actual
            assert table.result() == steps.result()
            break
        assert expected.name == actual.name
        if is_decision(expected):
            assert (expected.owner, len(expected)) == (actual.owner, actual.options)
            answer: Any = draws.below(len(expected))
            script: tuple[int, ...] = (answer,)
        else:
            outcomes = list(islice(expected.outcomes(), MOST_OUTCOMES))
            told = list(_chances(steps, reference, table.freeze(), outcomes))
            if not told:
                break
            for (outcome, chance), (digits, said) in zip(outcomes, told, strict=False):
                assert digits == script_of(expected, outcome)
                assert said == chance or (said is None and chance.denominator * chance.numerator > 2**31)
            place = draws.below(len(told))
            answer, script = outcomes[place][0], told[place][0]
        try:
            table.answer(answer)
            table.request()
        except RulesFault as fault:
            with pytest.raises(GameFault) as raised:
                steps.resume(script)
            assert raised.value.message == fault.message
            break
        steps.resume(script)
    return answers


def _chances(steps: Steps, reference: Reference, state: State, outcomes: Any) -> Iterator[Any]:
    """The answers of chance, up to one that is a fault in both."""
    told = steps.answers()
    for answer, _ in outcomes:
        try:
            yield next(told)
        except GameFault as fault:
            table = reference.table(state)
            table.request()
            with pytest.raises(RulesFault) as raised:
                table.answer(answer)
                table.request()
            assert raised.value.message == fault.message
            return
    assert len(outcomes) == MOST_OUTCOMES or next(told, None) is None


def _fault(steps: Steps, number: int, answers: int, fault: RulesFault) -> int:
    """The rules break off before anything is asked."""
    assert answers == 0
    with pytest.raises(GameFault) as raised:
        steps.begin(1, number)
    assert raised.value.message == fault.message
    return 0


def _plain(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same with yes and no as numbers."""
    return tuple(int(value) if isinstance(value, bool) else value for value in values)


def test_shipped_rulesets(table: Table, pytestconfig: pytest.Config) -> None:
    """Every ruleset, number of players, and option by itself."""
    options = {table.option: table.value} if table.option is not None else {}
    games = pytestconfig.getoption("--games") // 2 or 1
    compare(loaded(table.ruleset).game, table.players, options, games, 60 if games == 1 else 1_000)


@pytest.mark.parametrize("block", [block for block in RULES if not block.codes], ids=str)
def test_rules_on_pages(block: Block, tmp_path: Path) -> None:
    """Whatever the pages show of the language."""
    path = written(block, tmp_path)
    if block.text.lstrip().startswith("pieces "):
        return
    game = load(path).game
    for players in range(game.players[0], min(game.players[1], 4) + 1):
        compare(game, players, {}, 2, 40)


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.rules")), ids=lambda path: str(path.stem))
def test_games(path: Path) -> None:
    """Games made to be difficult, some of them with faults."""
    game = load(path).game
    for players in range(game.players[0], game.players[1] + 1):
        compare(game, players, {}, 5, 200)
