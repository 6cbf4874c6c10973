"""Games as a strategy for Hypothesis: what is broken is found, comes out short, and can be played again."""

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.vendor.pretty import pretty

from regelwerk.dsl import Ruleset, library, load, load_text
from regelwerk.interpreter import Reference, Watch
from regelwerk.interpreter.records import read_record, replay
from regelwerk.verify.explore import Budget, Search
from regelwerk.verify.plays import MOST_CHOICES, Play, Seats, plays, positions
from regelwerk.verify.progress import Progress

ROOT = Path(__file__).parent.parent
GAMES = [entry.name for entry in library() if entry.kind == "game"]
PIG = (ROOT / "rulesets" / "classics" / "pig.rules").read_text("utf-8")
CLAIM = "wrong"
SLACK = 3
"""Answers by which what Hypothesis ends at may be longer than the shortest game."""

short = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
few = settings(short, max_examples=3)


def pig(promise: str) -> Ruleset:
    """Pig, with something promised that play does not keep."""
    return load_text(PIG.replace('measure "a one"', f'invariant "{CLAIM}"{promise}\nmeasure "a one"'))


def broken(play: Play) -> bool:
    """Whether it breaks a property."""
    return play.broken is not None


def falsified(games: st.SearchStrategy[Play]) -> Play:
    """The broken game at which Hypothesis ends."""
    seen: list[Play] = []

    @given(games)
    @short
    def every_play(play: Play) -> None:
        seen.append(play)
        assert not broken(play)

    with pytest.raises(AssertionError):
        every_play()
    return seen[-1]


def least(ruleset: Ruleset, players: int, target: int) -> int:
    """How many answers the shortest game has that breaks what is promised."""
    engine = Reference(ruleset.game, players, {"target": target}, watch=Watch())
    search = Search(engine, engine.keys(), goal=CLAIM)
    search.run(Budget())
    return len(search.game(search.breaks[CLAIM].edge))


def again(play: Play) -> bool | None:
    """Whether the text of a game, played again, ends as it says."""
    ruleset = play.seats.ruleset
    return replay(read_record(repr(play).strip()), ruleset.game, ruleset.fingerprint).same


# ---- short games ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "promise"),
    [
        (2, " after throws: points + turn_points < 30"),
        (2, " after turn: any(p.points < 12 for p in players)"),
        (3, " after turn: any(p.points < 6 for p in players)"),
    ],
)
def test_what_is_broken_comes_out_short(players: int, promise: str) -> None:
    """Hypothesis alone ends at hardly more answers than it takes; `shortest` at no more, and says so."""
    ruleset = pig(promise)
    shortest = least(ruleset, players, 60)
    found = falsified(plays(ruleset, players=players, options={"target": 60}))
    made = found.shortest()

    assert found.broken is not None and made.broken is not None
    assert (CLAIM, CLAIM) == (found.broken.property, made.broken.property)
    assert shortest <= len(found.answers) <= shortest + SLACK
    assert shortest == len(made.answers)
    assert repr(made).endswith("positions looked at\n") and "# proved shortest: " in repr(made)
    assert made is found.shortest()
    assert again(found) and again(made)


@pytest.mark.parametrize("promise", [": players.points only decreases", ": turn_points only decreases"])
def test_steps_are_looked_at(promise: str) -> None:
    """What may only decrease is looked at between positions, too."""
    found = falsified(plays(pig(promise), players=2))

    assert found.broken is not None and CLAIM == found.broken.property
    assert "became more" in found.broken.message
    assert len(found.shortest().answers) <= len(found.answers) <= len(found.shortest().answers) + SLACK


FAULTY = """\
game "Cellar"
players 2

var depth: 0..3 = 0

play:
    phase turn each player in turn until depth is 4:
        choose how:
            down: depth += 1
            stay: depth = depth
"""


def test_a_fault_ends_a_game() -> None:
    """Where the rules break off, the game is over, and there is no position after the last answer."""
    found = falsified(plays(load_text(FAULTY)))

    assert found.broken is not None and "every value stays in its range" == found.broken.property
    assert [0, 0, 0, 0] == list(found.answers)
    assert len(found.states) == 4 and found.result is None
    assert again(found)
    assert found.answers == found.shortest().answers


def test_what_is_unchecked_breaks_nothing() -> None:
    """A property that the rules leave out does not end a game."""
    text = FAULTY.replace("until depth is 4", "until depth is 3")
    promise = 'invariant "shallow": depth < 2\n'
    found = falsified(plays(load_text(text + promise)))
    without = load_text(f'{text}{promise}unchecked "shallow" because "it is a cellar"\n')

    assert found.broken is not None and "shallow" == found.broken.property
    assert find(plays(without), lambda play: play.result is not None, settings=short).states[-1].values


def test_an_unbroken_game_has_no_shortest() -> None:
    """There is nothing to make short where nothing is broken."""
    play = find(plays("classics/pig", players=2), lambda play: True, settings=short)
    with pytest.raises(ValueError, match="breaks no property"):
        play.shortest()


def test_hypothesis_prints_a_record() -> None:
    """What Hypothesis prints of a game is its record, as it stands."""
    play = find(plays("classics/pig", players=2), lambda play: play.result is not None, settings=short)

    assert repr(play) == pretty(play)
    assert f"\n{play.record}" == repr(play)
    assert again(play)


# ---- all games -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_every_ruleset_is_played(name: str) -> None:
    """Games of every ruleset come to their end or are left after enough draws, and break nothing."""

    @given(plays(name, max_choices=60))
    @few
    def every_play(play: Play) -> None:
        assert play.broken is None
        assert len(play.states) == len(play.answers) + 1
        assert (play.engine.pending(play.state) is None) == (play.result is not None)

    every_play()


class Counted:
    """Hypothesis's draws, counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.number = 0
        integers: Callable[..., st.SearchStrategy[int]] = st.integers

        def counting(low: int, high: int) -> st.SearchStrategy[int]:
            return integers(low, high).map(self.count)

        monkeypatch.setattr("regelwerk.verify.plays._below", lambda limit: counting(0, limit - 1))

    def count(self, number: int) -> int:
        """Count one draw."""
        self.number += 1
        return number


@pytest.mark.parametrize("strategy", [plays, positions])
@pytest.mark.parametrize("name", ["classics/yacht", "classics/no_thanks", "nacho_pile"])
def test_max_choices_is_respected(name: str, strategy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more numbers are drawn for a game, not even for the last throw or shuffle."""
    counted = Counted(monkeypatch)

    @given(st.data())
    @few
    def every_play(data: st.DataObject) -> None:
        counted.number = 0
        play = data.draw(games)

        assert counted.number <= 17
        assert play.result is None or counted.number < 17

    games = strategy(name, players=load(name).game.players[0], max_choices=17)
    every_play()


def test_positions_are_anywhere() -> None:
    """A position may be the first, the last, or one on the way."""
    games = positions("classics/pig", players=2, options={"target": 20})
    middle = find(games, lambda play: play.result is None and len(play.answers) > 4, settings=short)

    assert () == find(games, lambda play: True, settings=short).answers
    assert None is not find(games, lambda play: play.result is not None, settings=short).result
    assert middle.state == middle.states[-1]
    assert len(middle.answers) <= 5 + SLACK


def test_any_number_of_players() -> None:
    """Without a number of players there are games for each, the fewest first; with one, of that."""
    games = plays("classics/pig", options={"target": 20})

    assert 2 == find(games, lambda play: True, settings=short).engine.players
    assert 6 == find(games, lambda play: play.engine.players > 5, settings=short).engine.players
    assert 4 == find(plays("classics/pig", players=4), lambda play: True, settings=short).engine.players


def test_options_as_plain_data() -> None:
    """Options are numbers, booleans, or names."""
    given_: dict[str, int | bool | str] = {"target": 20, "equal_turns": True, "at_target": "thrown_on_at_will"}
    engine = find(plays("classics/pig", options=given_), lambda play: True, settings=short).engine

    assert {"target": 20, "equal_turns": True, "at_target": 1, "may_pass": False} == dict(engine.options)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"players": 9}, "9"),
        ({"options": {"goal": 3}}, "no option `goal`"),
        ({"options": {"target": 1}}, "from 2 to 500"),
        ({"max_choices": 0}, "max_choices"),
        ({"max_choices": MOST_CHOICES + 1}, "max_choices"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], said: str) -> None:
    """What cannot be is said when the strategy is made, not when it is drawn from."""
    for strategy in (plays, positions):
        with pytest.raises(ValueError, match=said):
            strategy("classics/pig", **arguments)


# ---- what brings the end nearer ------------------------------------------------------------------------


def test_high_throws_come_first() -> None:
    """In Pig a six brings the end nearest and a one does the opposite; whether to hold is left as written."""
    seats = Seats(load("classics/pig"), 2, {})
    progress, table = Progress(seats.engine), seats.engine.table()
    asked = table.request()
    assert asked is not None
    table.answer(0)
    thrown = table.request()
    assert thrown is not None

    assert [5, 4, 3, 2, 1, 0] == [progress.at(place, thrown, 6, 0) for place in range(6)]
    assert 0 == progress.at(0, asked, 1, 0)
    assert 700 == progress.at(700, thrown, 1000, 0)


# ---- without Hypothesis --------------------------------------------------------------------------------


def test_hypothesis_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Hypothesis the module says what is missing."""
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    monkeypatch.delitem(sys.modules, "regelwerk.verify.plays")
    with pytest.raises(ImportError, match="pip install hypothesis"):
        importlib.import_module("regelwerk.verify.plays")


def test_nothing_else_needs_hypothesis() -> None:
    """No other module imports Hypothesis, or this one."""
    program = """
import importlib, pkgutil, regelwerk, sys
for module in pkgutil.walk_packages(regelwerk.__path__, "regelwerk."):
    if module.name not in ("regelwerk.verify.plays", "regelwerk.__main__"):
        importlib.import_module(module.name)
print({"hypothesis", "regelwerk.verify.plays"} & set(sys.modules))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert ("set()\n", "") == (run.stdout, run.stderr)
