"""Machine code beside C, tight Python and the reference engine: whole games by random players, one core, in turn."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import attrs
from by_hand import junior, pig
from reference import by_engine
from rich.console import Console
from rich.table import Table

from regelwerk.dsl import load
from regelwerk.interpreter import Reference
from regelwerk.interpreter.native.native import Native

ROUNDS = 5


@attrs.frozen
class Contest:
    """A ruleset with how many games each engine plays a round, and the same game by hand where there is one."""

    ruleset: str
    native: int
    reference: int
    python: Callable[[int, int], int] | None = None
    c: str | None = None


CONTESTS = [
    Contest("classics/pig", 200_000, 200, pig, "pig"),
    Contest("chipbanditen/junior", 200_000, 400, junior, "junior"),
    Contest("thirty", 40_000, 20),
    Contest("nacho_pile", 5_000, 10),
    Contest("chipbanditen/standard", 5_000, 5),
    Contest("clever_hoch_drei/standard", 5_000, 4),
]


def seconds(run: Callable[[], object]) -> float:
    """Processor seconds of a run."""
    start = time.process_time()
    run()
    return time.process_time() - start


def compiled(folder: Path) -> Path | None:
    """The games in C as a program; None where there is no compiler."""
    source, program = Path(__file__).parent / "by_hand.c", folder / "by_hand"
    try:
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return program


def compare(contest: Contest, program: Path | None) -> list[str]:
    """A row of the table: medians of games a second over rounds that alternate."""
    ruleset = load(contest.ruleset)
    players = ruleset.game.players[0]
    begun = time.process_time()
    native = Native(ruleset.game, players)
    table = native.table()
    compile_time = time.process_time() - begun
    bare = Native(attrs.evolve(ruleset.game, invariants=()), players).table()
    reference = Reference(ruleset.game, players)
    speeds: dict[str, list[float]] = {}
    for number in range(1, ROUNDS + 1):
        taken = seconds(lambda: table.batch(number, 0, contest.native))  # noqa: B023
        speeds.setdefault("native", []).append(contest.native / taken)
        taken = seconds(lambda: bare.batch(number, 0, contest.native))  # noqa: B023
        speeds.setdefault("bare", []).append(contest.native / taken)
        taken = seconds(lambda: by_engine(reference, contest.reference, number))  # noqa: B023
        speeds.setdefault("reference", []).append(contest.reference / taken)
        if contest.python is not None:
            taken = seconds(lambda: contest.python(4_000, number))  # type: ignore[misc]  # noqa: B023
            speeds.setdefault("python", []).append(4_000 / taken)
        if contest.c is not None and program is not None:
            words = [str(program), contest.c, str(contest.native), str(number)]
            said = subprocess.run(words, check=True, capture_output=True, text=True).stdout
            speeds.setdefault("c", []).append(contest.native / float(said))
    ours = median(speeds["native"])
    cost = 1 - median(a / b for a, b in zip(speeds["native"], speeds["bare"], strict=True))
    cells = [contest.ruleset, f"{1000 * compile_time:.0f} ms", f"{ours:,.0f}", f"{max(cost, 0):.0%}"]
    for other in ("c", "python", "reference"):
        if other in speeds:
            ratio = median(a / b for a, b in zip(speeds["native"], speeds[other], strict=True))
            cells += [f"{median(speeds[other]):,.0f}", f"{ratio:.2f}"]
        else:
            cells += ["", ""]
    return cells


def main() -> None:
    """Print the table."""
    console = Console(width=140)
    heads = ["compiled in", "games/s", "invariants", "C", "ratio", "Python", "ratio", "reference", "ratio"]
    table = Table("ruleset", *heads, title="Machine code, one core, the fewest players")
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        for contest in CONTESTS:
            table.add_row(*compare(contest, program))
    console.print(table)
    console.print(f"Python {sys.version.split()[0]}, medians of {ROUNDS} alternating rounds")


if __name__ == "__main__":
    main()
