"""Every ruleset of the library plays, for every number of players and under every reading of its options.

`pytest tests/test_rulesets.py --games 2000` plays as many games of each. A plain run plays two, and other readings than
the usual ones with the fewest players only.
"""

from collections.abc import Iterator
from functools import cache

import attrs
import pytest

from regelwerk.dsl import Ruleset, library, load, rules
from regelwerk.interpreter.agents import Random
from regelwerk.interpreter.playing import Match
from regelwerk.interpreter.simulate import simulate

FEW = 2
"""Games of a plain run."""

PLAYABLE = [entry.name for entry in library() if entry.kind != "pieces"]

loaded = cache(load)


@attrs.frozen
class Table:
    """A ruleset with a number of players, and one option read otherwise than usual (or none)."""

    ruleset: str
    players: int
    option: str | None = None
    value: int | bool | None = None

    def __str__(self) -> str:
        return f"{self.ruleset}-{self.players}" + (f"-{self.option}={self.value}" if self.option else "")


def readings(option: rules.Option) -> list[int | bool]:
    """All values of an option that lists its readings, the least and greatest of a range, but for the usual one."""
    usual = option.default.value if isinstance(option.default, rules.Constant) else None
    values: list[int | bool]
    match option.domain.type:
        case rules.Member(names=names):
            values = list(range(len(names)))
        case rules.Number(low=low, high=high):
            values = [low, high]
        case _:
            values = [False, True]
    return [value for value in values if value != usual]


def tables(few: bool) -> Iterator[Table]:
    """What is played: the usual options with every number of players, and each other reading (if `few`, with the fewest
    players only)."""
    for name in PLAYABLE:
        game = loaded(name).game
        for players in range(game.players[0], game.players[1] + 1):
            yield Table(name, players)
            for option in game.options if not few or players == game.players[0] else ():
                yield from (Table(name, players, option.name, value) for value in readings(option))


def match(ruleset: Ruleset, table: Table, seed: int) -> Match:
    """The table with random players."""
    options = {} if table.option is None or table.value is None else {table.option: table.value}
    agents = (Random(),) * table.players
    return Match(ruleset.game, table.ruleset, ruleset.fingerprint, table.players, options, agents, seed)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """All tables where many games are asked for, few in a plain run."""
    if "table" in metafunc.fixturenames:
        metafunc.parametrize("table", played(metafunc.config), ids=str)


def played(config: pytest.Config) -> list[Table]:
    """The tables of this run."""
    return list(tables(config.getoption("--games") <= FEW and not config.getoption("--choices")))


def test_plays_without_fault(table: Table, request: pytest.FixtureRequest) -> None:
    """Random games end, with no fault, no broken invariant and no limit reached."""
    games: int = request.config.getoption("--games")
    figures = simulate(match(loaded(table.ruleset), table, 3), games, jobs=1)

    assert figures.games == games
    assert not figures.faults
