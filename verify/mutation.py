"""Mutants of a ruleset before its judges, with a search through all positions where the game is small."""

import os
from collections.abc import Callable, Mapping

from ..dsl import rules
from ..interpreter import Reference, Watch
from .explore import Budget as Positions
from .explore import Search
from .matrix import Budget, Matrix, judge
from .mutate import mutants

SMALL = 5_000
"""Positions of a game that is searched for each mutant."""


def mutation(
    game: rules.Game, seed: int = 1, jobs: int | None = None, progress: Callable[[int], None] | None = None
) -> Matrix:
    """All mutants of a game put before all judges; in `jobs` processes, with the same result for any number."""
    explore = searched if _search(game).graph.complete else None
    jobs = jobs or os.cpu_count() or 1
    return judge(game, mutants(game), Budget(seed=seed), full=True, jobs=jobs, explore=explore, progress=progress)


def searched(game: rules.Game) -> Mapping[str, str]:
    """The properties that a search refutes, with the fewest players."""
    return dict.fromkeys(_search(game).breaks, "refuted")


def _search(game: rules.Game) -> Search:
    engine = Reference(game, game.players[0], watch=Watch())
    search = Search(engine, engine.keys())
    search.run(Positions(positions=SMALL))
    return search
