"""Machine code beside C, tight Python, the reference engine and OpenSpiel: whole games by random players, in turn.

Machine code, C and Python play the same games: where wins and points are not the same in all, nothing is compared.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import attrs
import by_hand
from reference import by_engine
from rich.console import Console
from rich.table import Table

from regelwerk.dsl import load
from regelwerk.interpreter import Reference
from regelwerk.interpreter.native.native import Instance, Native

ROUNDS = 5
CHECKED = 1_000
"""So many games of Python are looked at, whether they are the same."""

LONG = 4.0
"""So many seconds one thread plays, beside two."""


@attrs.frozen
class Contest:
    """A ruleset with how many games each engine plays a round, and the same game by hand where there is one."""

    ruleset: str
    native: int
    reference: int
    hand: str | None = None
    python: int = 0


CONTESTS = [
    Contest("classics/pig", 200_000, 200, "pig", 4_000),
    Contest("chipbanditen/junior", 200_000, 400, "junior", 6_000),
    Contest("thirty", 60_000, 20, "thirty", 2_000),
    Contest("nacho_pile", 10_000, 10, "nacho_pile", 500),
    Contest("chipbanditen/standard", 5_000, 5),
    Contest("clever_hoch_drei/standard", 5_000, 4),
]

Totals = list[int]
"""Games won by the first alone, by the second alone, and by both, and the points of each."""


class Speeds:
    """Games a second of those who play, round by round."""

    def __init__(self) -> None:
        self.rounds: dict[str, list[float]] = {}

    def measure(self, who: str, games: int, run: Callable[[], object]) -> None:
        """A round by processor time, as `run` says if it gives seconds."""
        start = time.process_time()
        said = run()
        taken = said if isinstance(said, float) else time.process_time() - start
        self.rounds.setdefault(who, []).append(games / taken)

    def of(self, who: str) -> float:
        """Games a second."""
        return median(self.rounds[who])

    def ratio(self, one: str, other: str) -> float:
        """How many times as fast one is as the other."""
        return median(a / b for a, b in zip(self.rounds[one], self.rounds[other], strict=True))

    def cells(self, other: str) -> list[str]:
        """Another's games a second, and how machine code compares; empty where there is no other."""
        if other not in self.rounds:
            return ["", ""]
        ratio = self.ratio("native", other)
        return [f"{self.of(other):,.0f}", f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"]


# ---- by hand -------------------------------------------------------------------------------------------


def compiled(folder: Path) -> Path | None:
    """The games in C as a program; None where there is no compiler."""
    source, program = Path(__file__).parent / "by_hand.c", folder / "by_hand"
    try:
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return program


def in_c(program: Path, hand: str, games: int, seed: int) -> tuple[float, Totals]:
    """Games in C: the seconds, and what came of them."""
    words = [str(program), hand, str(games), str(seed)]
    seconds, *totals = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), [int(each) for each in totals]


def in_python(hand: str, games: int, seed: int) -> Totals:
    """What comes of the games of the engines in Python."""
    totals = [0] * 5
    for game in range(games):
        winner, *points = getattr(by_hand, hand)(by_hand.draws(seed, game))
        totals[winner] += 1
        totals[3] += points[0]
        totals[4] += points[1]
    return totals


def in_native(table: Instance, games: int, seed: int) -> Totals:
    """What comes of the same games as machine code."""
    table.batch(seed, 0, games)
    (first, shared), (second, _) = table.wins()
    points = [table.window(tally) for tally in table.low.tallies.scores]
    return [first, second, shared, *[sum(value * count for value, count in each.items()) for each in points]]


def freely(hand: str, games: int, seed: int) -> None:
    """Games in Python by its own random numbers, which are made in C."""
    play, draw = getattr(by_hand, hand), Random(seed).random
    for _ in range(games):
        play(draw)


def check(contest: Contest, native: Native, program: Path | None) -> None:
    """All play the same games."""
    assert contest.hand is not None
    ours = in_native(native.table(), CHECKED, 1)
    theirs = {"Python": in_python(contest.hand, CHECKED, 1)}
    if program is not None:
        theirs["C"] = in_c(program, contest.hand, CHECKED, 1)[1]
    for who, totals in theirs.items():
        if totals != ours:
            sys.exit(f"{contest.ruleset}: {who} plays other games: {totals}, not {ours}")


# ---- contests ------------------------------------------------------------------------------------------


def compare(contest: Contest, program: Path | None) -> list[str]:
    """A row of the table: medians of games a second over rounds that alternate."""
    ruleset = load(contest.ruleset)
    players = ruleset.game.players[0]
    native = Native(ruleset.game, players)
    table = native.table()
    bare = Native(attrs.evolve(ruleset.game, invariants=()), players).table()
    reference = Reference(ruleset.game, players)
    if contest.hand is not None:
        check(contest, native, program)
    speeds = Speeds()
    for number in range(1, ROUNDS + 1):
        speeds.measure("native", contest.native, lambda: table.batch(number, 0, contest.native))  # noqa: B023
        speeds.measure("bare", contest.native, lambda: bare.batch(number, 0, contest.native))  # noqa: B023
        speeds.measure(
            "reference",
            contest.reference,
            lambda: by_engine(reference, contest.reference, number),  # noqa: B023
        )
        if (hand := contest.hand) is not None:
            speeds.measure("python", contest.python, lambda: freely(hand, contest.python, number))  # noqa: B023
            if program is not None:
                speeds.measure("c", contest.native, lambda: in_c(program, hand, contest.native, number)[0])  # noqa: B023
    cost = max(0.0, 1 - speeds.ratio("native", "bare"))
    ours = [contest.ruleset, f"{speeds.of('native'):,.0f}", f"{cost:.0%}"]
    return [*ours, *(cell for other in ("c", "python", "reference") for cell in speeds.cells(other))]


def open_spiel(pyspiel: Any) -> list[list[str]]:
    """Rows for Pig by the rules that OpenSpiel has: its own rollouts, and its cheapest steps from Python."""
    native = Native(load("classics/pig").game, 2, {"may_pass": True}).table()
    game = pyspiel.load_game("pig(winscore=100,players=2,horizon=1000000)")
    rollouts, steps, ours = 20_000, 1_000, 100_000

    def roll_out(seed: int) -> None:
        # All in C++: a tree search that looks once, and weighs what it sees by random games to the end.
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, seed)
        pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, seed, False).step(game.new_initial_state())

    def step(seed: int) -> None:
        draw = Random(seed).random
        for _ in range(steps):
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(draw() * len(actions))])

    speeds = Speeds()
    for number in range(1, ROUNDS + 1):
        speeds.measure("native", ours, lambda: native.batch(number, 0, ours))  # noqa: B023
        speeds.measure("rollouts", rollouts, lambda: roll_out(number))  # noqa: B023
        speeds.measure("steps", steps, lambda: step(number))  # noqa: B023
    own = f"{speeds.of('native'):,.0f}"
    return [["its own rollouts", own, *speeds.cells("rollouts")], ["steps from Python", own, *speeds.cells("steps")]]


def simulated(ruleset: str, games: int, jobs: int) -> float:
    """Seconds that the command for many games takes."""
    words = ["simulate", ruleset, "--games", str(games), "--jobs", str(jobs), "--json"]
    said = subprocess.run([sys.executable, "-m", "regelwerk", *words], check=True, capture_output=True, text=True)
    return float(json.loads(said.stdout)["seconds"])


def threads(ruleset: str) -> tuple[float, float]:
    """How many times as fast two threads play as one, in turn; and how long one takes."""
    games = 100_000
    games = int(games * LONG / simulated(ruleset, games, 1))
    rounds = [(simulated(ruleset, games, 1), simulated(ruleset, games, 2)) for _ in range(3)]
    return median(one / two for one, two in rounds), median(one for one, _ in rounds)


def main() -> None:
    """Print the tables."""
    console = Console(width=140)
    heads = ["games/s", "invariants", "C", "ratio", "Python", "ratio", "reference", "ratio"]
    table = Table("ruleset", *heads, title="Machine code, one core, the fewest players")
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        for contest in CONTESTS:
            table.add_row(*compare(contest, program))
    console.print(table)
    if program is None:
        console.print("[bold red]NOT COMPARED with C for want of a compiler")
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError:
        console.print("[bold red]NOT COMPARED with open-spiel, which is not installed")
    else:
        table = Table("", "machine code", "games/s", "ratio", title="OpenSpiel: Pig to a hundred by its own rules")
        for row in open_spiel(pyspiel):
            table.add_row(*row)
        console.print(table)
    if len(os.sched_getaffinity(0)) > 1:
        busy = os.getloadavg()[0]
        times, long = threads("chipbanditen/standard")
        console.print(f"simulate chipbanditen/standard, {long:.1f} s: two threads are {times:.2f} times as fast as one")
        console.print(f"(this one by the clock, on {os.cpu_count()} cores that had a load of {busy:.1f} before)")
    console.print(f"Python {sys.version.split()[0]}, medians of {ROUNDS} alternating rounds")


if __name__ == "__main__":
    main()
