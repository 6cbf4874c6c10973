"""Both engines play games that together hold all of the language, choice for choice, to the same end or fault.

`pytest tests/test_composed.py --games 50` plays a thousand of them.
"""

from collections.abc import Callable
from functools import cache
from itertools import cycle, islice
from random import Random

import pytest
from composed import composed
from constructs import constructs, constructs_of
from generated import generated
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regelwerk.dsl import load_text, rules
from regelwerk.interpreter.native import is_there

if not is_there():
    pytest.skip("NOT COMPARED for want of wasmtime", allow_module_level=True)

from engines import compare
from test_steps import compare as compare_steps

SEEDS = 34
"""Games of a plain run; among them they have all constructs."""

SIZES = 8, 14, 30
"""About so many statements."""

SEATS = "rather", "greedy", "first_of_all", "random"
"""Who sits at a mixed table: the strategies of every composed game are called `rather` and `first_of_all`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """More games where more are asked for."""
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(SEEDS * metafunc.config.getoption("--games") // 2))


@cache
def game(seed: int) -> rules.Game:
    """A game; larger ones among smaller ones."""
    return load_text(composed(Random(seed), SIZES[seed % len(SIZES)])).game


def test_all_constructs() -> None:
    """The games of a plain run have every statement, expression and declaration, in every kind there is."""
    found = {construct for seed in range(SEEDS) for construct in constructs_of(game(seed))}

    assert constructs() == found


def players(seed: int) -> int:
    """How many play a game: sometimes the fewest, sometimes more."""
    least, most = game(seed).players
    return least + seed % (most - least + 1)


def test_composed(seed: int, compared: Callable[[int], None]) -> None:
    """A game of random players, and of greedy ones; and one in which strategies play too, in a checked build."""
    names = list(islice(cycle(SEATS), seed, seed + players(seed)))
    choices = sum(compare(game(seed), [name] * players(seed), games=5) for name in ("random", "greedy"))
    compared(choices + compare(game(seed), names, games=5, checked=True))


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(draws=st.randoms(use_true_random=False), size=st.integers(4, 20))
def test_games_that_hypothesis_composes(draws: Random, size: int) -> None:
    """The same games, of which Hypothesis finds the shortest that is played differently."""
    made = load_text(composed(draws, size)).game
    compare(made, ["random"] * made.players[0], games=3)


def test_step_by_step(seed: int) -> None:
    """All requests and states on the way are the same, in a checked build."""
    compare_steps(game(seed), players(seed), {}, 1, 40, checked=True)


def test_generated(seed: int) -> None:
    """The games that are rich in what keys of positions could get wrong."""
    made = load_text(generated(seed)).game
    for players in range(made.players[0], made.players[1] + 1):
        compare(made, ["random"] * players, games=5)
