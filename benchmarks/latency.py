"""How long it takes until something happens: commands in fresh processes, and machine code of every shipped ruleset.

Processor time, which counts all threads, and what a clock says; medians of the rounds, and the fewest.
"""

import gc
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

from rich.console import Console
from rich.table import Table

from regelwerk.dsl import library, load
from regelwerk.interpreter.native.native import Native

ROUNDS = 7
COMMANDS = (
    "--help",
    "check thirty",
    "check clever_hoch_drei/standard",
    "simulate clever_hoch_drei/standard --games 1",
)
BYTECODE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""What is installed has its bytecode beside it; the first run, which is not counted, writes it."""


def run(command: str) -> tuple[float, float]:
    """A command in a process of its own: seconds of processors, and of the clock."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    words = [sys.executable, "-m", "regelwerk", *command.split()]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=BYTECODE)
    taken, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, taken


def compiled(ruleset: str) -> Callable[[], tuple[float, float]]:
    """What makes machine code of a checked tree, for the fewest players."""
    game = load(ruleset).game

    def make() -> tuple[float, float]:
        gc.collect()  # what others have left is not searched for garbage at its cost
        processors, begun = time.process_time(), time.perf_counter()
        assert Native(game, game.players[0]).compiled
        return time.process_time() - processors, time.perf_counter() - begun

    return make


def show(title: str, what: dict[str, Callable[[], tuple[float, float]]]) -> None:
    """All of these in turn, round after round."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in what}
    for number in range(1 + ROUNDS):
        for name, measure in what.items():
            taken = measure()
            if number:
                found[name].append(taken)
    table = Table(title, box=None)
    for column in ("processors", "fewest", "clock", "fewest"):
        table.add_column(column, justify="right")
    for name, rounds in found.items():
        times = [each for kind in zip(*rounds, strict=True) for each in (median(kind), min(kind))]
        table.add_row(name, *(f"{1000 * seconds:,.0f} ms" for seconds in times))
    Console(width=100).print(table)


if __name__ == "__main__":
    show("command", {f"regelwerk {command}": lambda command=command: run(command) for command in COMMANDS})  # type: ignore[misc]
    compilers = {entry.name: compiled(entry.name) for entry in library() if entry.kind != "pieces"}
    gc.freeze()
    show("machine code of", compilers)
