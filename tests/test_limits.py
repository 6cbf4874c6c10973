"""What takes too long or needs too much is stopped, and says so; so is what somebody interrupts."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from regelwerk import cli
from regelwerk.dsl import load_text
from regelwerk.interpreter.agents import Greedy, Random
from regelwerk.interpreter.native import is_there
from regelwerk.interpreter.playing import Match
from regelwerk.interpreter.simulate import simulate

if not is_there():
    pytest.skip("NOT COMPARED for want of wasmtime", allow_module_level=True)

from regelwerk.interpreter.native import batches, choices, memory
from regelwerk.interpreter.native.memory import TooLarge
from regelwerk.interpreter.native.native import GameFault

HARD = """game "Hard"
players 1

var a = 1

play:
    a = sum(sum(sum((x + y + z) mod (a + 2) for x in 1..10000) for y in 1..10000) for z in 1..10000)
"""
"""One expression of a trillion numbers."""

OFTEN = """game "Often"
players 1..2

var much = 999999999999999999

play:
    phase round repeat 4 times:
        phase turn each player:
            pick one from 1..3 as n
            much = 3000000000 * 1000000000 + n

measure "much" after turn: much
measure "squares" after turn: (much mod 1000) * 1000000000
"""
"""What is measured adds up to more than 64 bits."""

SETS = """game "Sets"
players 1

components cards:
    has value: 1..40
    1 of each

zone row: cards
zone gone: cards
var points: 0..9 = 0

setup: move cards to row

play:
    phase turn each player:
        choose way:
            many "of all": points += 2
            few "of few":
                points += 1
                move first(38, row) to gone
        choose 20 from row as some: move some to gone
        else: nothing

score: points
"""
"""After the better option there are so many sets to choose from that counting them takes hundreds of numbers."""


def match(text: str, players: int = 1, agent: type[Random | Greedy] = Random) -> Match:
    """Players of one kind."""
    return Match(load_text(text).game, "text", "", players, {}, (agent(),) * players)


IMPATIENT = """
from regelwerk import cli
from regelwerk.interpreter.native import batches

batches.LONGEST = 0.2
cli.program(["simulate", "hard.rules", "--games", "4", "--jobs", "2"])
"""


def test_a_game_that_takes_too_long(tmp_path: Path) -> None:
    """All ends soon, and the game is named."""
    (tmp_path / "hard.rules").write_text(HARD, "utf-8")
    command = [sys.executable, "-c", IMPATIENT]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)

    assert "game 0 takes longer than 0.2 seconds" in done.stderr
    assert cli.FAILED == done.returncode


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT there")
def test_interrupted_from_the_keyboard(tmp_path: Path) -> None:
    """Even in the middle of a game all ends soon, with what there is."""
    (tmp_path / "hard.rules").write_text(HARD, "utf-8")
    command = [sys.executable, "-m", "regelwerk", "simulate", "hard.rules", "--games", "4", "--jobs", "2"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        time.sleep(5)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)

    assert "Interrupted after 0 of 4 games." in told
    assert cli.INTERRUPTED == process.returncode


def test_too_much_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A game for which there is not enough memory is refused, with a way out."""
    monkeypatch.setattr(memory, "MOST_PAGES", 4)
    with pytest.raises(TooLarge, match="MiB of memory"):
        simulate(match(HARD), 1)
    (tmp_path / "hard.rules").write_text(HARD, "utf-8")
    done = CliRunner().invoke(cli.program, ["simulate", str(tmp_path / "hard.rules"), "--games", "1"])

    assert cli.FAILED == done.exit_code
    assert "--engine reference" in done.output


@pytest.mark.parametrize("players", [1, 2])
def test_limits_of_machine_code_alone(players: int) -> None:
    """Games beyond what machine code can count are played by the reference engine, with the same figures."""
    expected = simulate(match(OFTEN, players), 40, jobs=1, engine="reference")

    assert expected == simulate(match(OFTEN, players), 40, jobs=1)
    assert not expected.faults


def test_options_beyond_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only machine code cannot go on from is no fault of an option that is tried: the reference engine plays."""
    monkeypatch.setattr(choices, "MOST_TAILS", 500)
    replayed = list[int]()
    replay = batches._Part._replay

    def note(part: batches._Part, fault: GameFault) -> None:
        replayed.append(fault.game)
        replay(part, fault)

    monkeypatch.setattr(batches._Part, "_replay", note)
    figures = simulate(match(SETS, agent=Greedy), 3, jobs=1)

    assert replayed == [0, 1, 2]
    assert {2: 3} == figures.scores[0].counts
    assert figures == simulate(match(SETS, agent=Greedy), 3, jobs=1, engine="reference")
