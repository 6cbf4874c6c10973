"""The reference engine beside hand-written Python: Pig and Chipbanditen Junior, side by side in one run."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from random import Random
from statistics import median

import attrs
import by_hand
from rich.console import Console
from rich.table import Table

from regelwerk.dsl import load
from regelwerk.interpreter import Reference, Stream

ROUNDS = 7


@attrs.frozen
class Contest:
    """A game played by both: how many games a round, and a round by hand."""

    ruleset: str
    engine_games: int
    hand_games: int
    play: Callable[[by_hand.Draw], object]


CONTESTS = [Contest("classics/pig", 400, 8000, by_hand.pig), Contest("chipbanditen/junior", 600, 8000, by_hand.junior)]


def by_engine(engine: Reference, games: int, seed: int) -> int:
    """Games with random choices on the reference engine, invariants looked at; the requests answered."""
    asked = 0
    for number in range(games):
        draws = Stream(seed, number)
        table = engine.table()
        while (request := table.request()) is not None:
            asked += 1
            table.answer(draws.below(len(request)) if hasattr(request, "owner") else request.sample(draws))
    return asked


def by_python(contest: Contest, seed: int) -> int:
    """Games by hand with random choices."""
    play, draw = contest.play, Random(seed).random
    for _ in range(contest.hand_games):
        play(draw)
    return contest.hand_games


def seconds(run: Callable[[], int]) -> tuple[float, int]:
    """Processor seconds of a run, and what it gave."""
    start = time.process_time()
    result = run()
    return time.process_time() - start, result


def compare(contest: Contest) -> list[str]:
    """A row of the table: medians over rounds that alternate between the two."""
    engine = Reference(load(contest.ruleset).game, players=2)
    ours, theirs, steps = [], [], []
    for number in range(ROUNDS):
        taken, asked = seconds(lambda: by_engine(engine, contest.engine_games, number))  # noqa: B023
        ours.append(contest.engine_games / taken)
        steps.append(asked / taken)
        taken, _ = seconds(lambda: by_python(contest, number))  # noqa: B023
        theirs.append(contest.hand_games / taken)
    ratio = median(a / b for a, b in zip(ours, theirs, strict=True))
    return [contest.ruleset, f"{median(steps):,.0f}", f"{median(ours):,.0f}", f"{median(theirs):,.0f}", f"{ratio:.3f}"]


def command(jobs: int) -> float:
    """Wall seconds of ten thousand junior games from the command line."""
    words = ["simulate", "chipbanditen/junior", "--games", "10000", "--jobs", str(jobs), "--json"]
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "regelwerk", *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Print both tables."""
    console = Console()
    table = Table("ruleset", "requests/s", "games/s", "games/s by hand", "ratio", title="Reference engine, one core")
    for contest in CONTESTS:
        table.add_row(*compare(contest))
    console.print(table)
    console.print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, medians of {ROUNDS} alternating rounds")
    for jobs in (1, 2):
        console.print(f"simulate chipbanditen/junior --games 10000 --jobs {jobs}: {command(jobs):.1f} s")


if __name__ == "__main__":
    main()
