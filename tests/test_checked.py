"""Checked builds: generated code never reads or writes outside of what an access is meant for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from regelwerk.dsl import load
from regelwerk.interpreter.native import is_there

if not is_there():
    pytest.skip("NOT COMPARED for want of wasmtime", allow_module_level=True)

from engines import compare
from test_rulesets import PLAYABLE, loaded

from regelwerk.interpreter.native.code import Op, Region, add, num
from regelwerk.interpreter.native.memory import Cell, Table
from regelwerk.interpreter.native.native import GameFault, Native

GAMES = Path(__file__).parent / "games"


@pytest.mark.parametrize("name", PLAYABLE)
def test_shipped_rulesets(name: str, pytestconfig: pytest.Config) -> None:
    """Every ruleset plays as the reference does, by random players, greedy ones and each strategy; so do figures."""
    game, games = loaded(name).game, pytestconfig.getoption("--games") // 2 or 1
    players = game.players[0]
    for agent in ("random", "greedy", *[strategy.name for strategy in game.strategies]):
        compare(game, [agent] * players, games=games, checked=True)

    assert 20 == Native(game, players, checked=True).table().batch(1, 0, 20)


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.rules")), ids=lambda path: str(path.stem))
def test_games(path: Path) -> None:
    """Games made to be difficult."""
    game = load(path).game
    for players in range(game.players[0], game.players[1] + 1):
        for agent in ("random", "greedy"):
            compare(game, [agent] * players, games=3, checked=True)


def row_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of cells are read by an index that is too high."""
    read = Cell.read

    def wrong(cell: Cell, index: Op | None = None) -> Op:
        return read(cell, None if index is None else add(index, num(100)))

    monkeypatch.setattr(Cell, "read", wrong)


def table_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are read by an index that is too high."""
    read = Table.read
    monkeypatch.setattr(Table, "read", lambda table, index: read(table, add(index, num(table.size))))


def lists_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists have no room for their elements."""
    monkeypatch.setattr(Region, "need", lambda region, size: None)


@pytest.mark.parametrize("mistake", [row_too_far, table_too_far, lists_too_short])
def test_mistakes_of_the_compiler_are_noticed(
    mistake: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that leaves what an access is meant for stops there, and says so."""
    mistake(monkeypatch)
    game = loaded("classics/cant_stop").game
    with pytest.raises((GameFault, AssertionError), match="left its memory|is not in"):
        Native(game, 2, checked=True).table().batch(1, 0, 20)
