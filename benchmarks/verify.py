"""The searches of `verify` beside tuples written by hand: positions a second and bytes a position, in one run."""

import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import attrs
from rich.console import Console
from rich.table import Table
from tuples_by_hand import Position, gathering, junior, left_center_right, pig, shut_the_box

from regelwerk.dsl import load
from regelwerk.interpreter import Readers, Watch
from regelwerk.verify.explore import Budget, Search
from regelwerk.verify.looking import Subject
from regelwerk.verify.machine import MachineSearch

MOST, MANY = 30_000, 600_000
"""Positions after which a search in Python stops, and one as machine code."""


@attrs.frozen
class Contest:
    """A game searched by both."""

    ruleset: str
    players: int
    options: dict[str, int | bool]
    start: Position
    follows: Callable[[Position], Iterator[Position]]
    focus: str | None = None

    def subject(self) -> Subject:
        """What `verify` looks at."""
        rules = load(self.ruleset)
        focus = next((each for each in rules.game.focuses if each.name == self.focus), None)
        assert focus is not None or self.focus is None, f"{self.ruleset} has no focus {self.focus}"
        return Subject(rules, self.players, self.options, focus)


CONTESTS = [
    Contest("classics/pig", 2, {}, (0, 0, 0, 0, False), pig),
    Contest("chipbanditen/junior", 2, {}, (0, (2,) * 6, ((0,) * 6,) * 2, ()), junior),
    Contest("classics/left_center_right", 3, {}, (0, (3, 3, 3)), left_center_right),
    Contest("classics/shut_the_box", 1, {}, (tuple(range(1, 10)), None, None), shut_the_box),
    Contest("thirty", 2, {}, ((), None), gathering, "the best chance to reach thirty"),
]


@attrs.frozen
class Measured:
    """What one search came to."""

    positions: int
    edges: int
    seconds: float
    bytes: int


def by_hand(contest: Contest) -> tuple[int, int, int]:
    """Positions and edges of a search in breadth over tuples, with the graph kept as `verify` keeps it; and the bytes
    that Python knows nothing of."""
    found, waiting, edges = {contest.start: 0}, deque([contest.start]), list[int]()
    while waiting and len(found) < MOST:
        for ahead in contest.follows(waiting.popleft()):
            number = found.get(ahead)
            if number is None:
                number = found[ahead] = len(found)
                waiting.append(ahead)
            edges.append(number)
    return len(found), len(edges), 0


def by_verify(contest: Contest, check: bool) -> tuple[int, int, int]:
    """The same by the search of `verify`; `check`: with all that must hold looked at."""
    engine = contest.subject().engine(check=check)
    graph = Search(engine, engine.keys(Readers(properties=check))).run(Budget(positions=MOST))
    return len(graph), len(graph.target), 0


def by_machine(contest: Contest) -> tuple[int, int, int]:
    """The same as machine code, which has to be made first, with all that must hold looked at."""
    engine = contest.subject().engine(Watch())
    search = MachineSearch(engine, engine.keys())
    graph = search.run(Budget(positions=MANY))
    return len(graph), len(graph.target), search.bytes


def measured(run: Callable[[], tuple[int, int, int]]) -> Measured:
    """A run, timed; and once more with its memory counted, which takes longer."""
    began = time.process_time()
    positions, edges, inside = run()
    seconds = time.process_time() - began
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return Measured(positions, edges, seconds, most + inside)


def row(name: str, who: str, one: Measured, hand: Measured, reference: Measured) -> list[str]:
    """A row of the table."""
    speed, by = one.edges / one.seconds, hand.edges / hand.seconds
    times = speed / (reference.edges / reference.seconds)
    cells: list[Any] = [name, who, f"{one.positions:,}", f"{one.edges:,}", f"{one.positions / one.seconds:,.0f}"]
    return [*cells, f"{speed:,.0f}", f"{speed / by:.3f}", f"{times:.1f}", f"{one.bytes / one.positions:,.0f}"]


def main() -> None:
    """Search all games both ways and print a table."""
    table = Table(title=f"searches of up to {MOST:,} positions, as machine code {MANY:,}, one process")
    for title in (
        "game",
        "searched by",
        "positions",
        "edges",
        "positions/s",
        "edges/s",
        "of by hand",
        "of reference",
        "bytes/position",
    ):
        table.add_column(title, justify="left" if title in ("game", "searched by") else "right")
    for contest in CONTESTS:
        hand = measured(lambda contest=contest: by_hand(contest))  # type: ignore[misc]
        bare = measured(lambda contest=contest: by_verify(contest, False))  # type: ignore[misc]
        full = measured(lambda contest=contest: by_verify(contest, True))  # type: ignore[misc]
        rows = [("hand", hand), ("reference, play alone", bare), ("reference, with properties", full)]
        rows.append(("machine code, with properties", measured(lambda contest=contest: by_machine(contest))))  # type: ignore[misc]
        for who, one in rows:
            table.add_row(*row(contest.ruleset, who, one, hand, full))
        table.add_section()
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
