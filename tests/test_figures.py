"""Figures that are known exactly, worked out from the shipped rules files.

Where chance can be walked through, the fractions must be equal. Where it cannot, games are played from a fixed seed
and the mean must lie within four standard errors.
"""

from fractions import Fraction
from math import comb, sqrt
from pathlib import Path

import pytest

from regelwerk.dsl import load, load_text
from regelwerk.interpreter import Reference
from regelwerk.interpreter.agents import recipe
from regelwerk.interpreter.engine import Sample
from regelwerk.interpreter.exact import distribution
from regelwerk.interpreter.playing import Match, is_decision
from regelwerk.interpreter.simulate import simulate
from regelwerk.interpreter.stream import Stream

HERE = Path(__file__).parent


def of(text: str, players: int = 2, **options: int | bool) -> Reference:
    """An engine for a variant written here."""
    return Reference(load_text(text, "made.rules").game, players, options)


def mean(spread: dict[int, Fraction]) -> Fraction:
    """The mean of a distribution."""
    return sum((value * chance for value, chance in spread.items()), Fraction(0))


def samples(engine: Reference, measure: str, strategy: str | None, games: int, seed: int) -> list[int]:
    """A measure's values in games from a seed, everybody playing a strategy or choosing at random."""
    policy = engine.policy(strategy) if strategy else None
    values: list[int] = []
    for number in range(games):
        draws, table = Stream(seed, number), engine.table()
        while (request := table.request()) is not None:
            if is_decision(request):
                table.answer(policy.choose(table, request, draws) if policy else draws.below(len(request)))
            else:
                table.answer(request.sample(draws))  # type: ignore[union-attr]
        values += [e.value for e in table.events if isinstance(e, Sample) and e.measure == measure]
    return values


def within(values: list[int], expected: float) -> None:
    """The mean of independent samples, no further off than four standard errors."""
    average = sum(values) / len(values)
    spread = sqrt(sum((v - average) ** 2 for v in values) / (len(values) - 1) / len(values))

    assert abs(average - expected) <= 4 * spread, f"{average} is not {expected} (standard error {spread})"


# ---- Thirty ---------------------------------------------------------------------------------------------

ONE = [
    0.028928,
    0.048039,
    0.072207,
    0.098158,
    0.120638,
    0.133789,
    0.133160,
    0.118129,
    0.093074,
    0.065049,
    0.038246,
    0.017065,
    0.004419,
]
MAX_MEAN = [
    0.017980,
    0.029669,
    0.045573,
    0.065391,
    0.088164,
    0.112319,
    0.130456,
    0.138672,
    0.132513,
    0.108409,
    0.070476,
    0.032330,
    0.008828,
]


@pytest.mark.parametrize(
    ("strategy", "average", "tail"),
    [
        ("all", Fraction(21), None),
        ("one", Fraction(1360787, 46656), ONE),
        ("max_mean", Fraction(332273594663, 11019960576), MAX_MEAN),
    ],
)  # fmt: skip
def test_thirty_gathers(strategy: str, average: Fraction, tail: list[float] | None) -> None:
    """Phase 1 gives the known sums: exactly in the mean, to six places each."""
    spread = distribution(Reference(load("thirty").game, 2), "phase 1 sum", strategy)

    assert sum(spread.values()) == 1
    assert mean(spread) == average
    for value, chance in zip(range(24, 37), tail or [], strict=False):
        assert abs(float(spread[value]) - chance) < 5e-7


def test_thirty_six_dice_at_once() -> None:
    """Whoever keeps all six dice gets the sum of six dice."""
    spread = distribution(Reference(load("thirty").game, 2), "phase 1 sum", "all")

    assert spread[36] == Fraction(1, 46656)
    assert sum(chance for value, chance in spread.items() if value > 30) == Fraction(462, 46656)


@pytest.mark.parametrize(
    ("hot_dice", "average"),
    [(0, Fraction(269286723075019, 152339935002624)), (1, None)],
)
def test_thirty_attacks(hot_dice: int, average: Fraction | None) -> None:
    """An attack with all matching dice collects the known number of them, whatever the target."""
    attack = of(
        """
variant "Thirty, an attack at once" of thirty
replace phase gather:
    turn dice to 6
    move dice to aside
remove measure "phase 1 sum"
""",
        hot_dice=hot_dice,
    )
    if average is not None:
        spread = distribution(attack, "dice collected", "all")
        assert spread[0] == Fraction(15625, 46656)
        assert spread[6] == Fraction(1301320229387, 76169967501312)
        assert mean(spread) == average
    else:
        within(samples(attack, "dice collected", "all", 2000, 5), 1.767670 / (1 - 0.017084))


# ---- Chipbanditen ---------------------------------------------------------------------------------------


def test_junior_turns_with_few_chips() -> None:
    """The expected number of turns for one, two and three chips, walked through."""
    for chips, turns in ((1, Fraction(2)), (2, Fraction(8, 3)), (12, Fraction(2258624, 177147))):
        assert _junior_turns(chips) == turns


def _junior_turns(chips: int) -> Fraction:
    """Turns until all chips are won, from the engine's own chances of a turn with so many in the middle."""
    left = {0: Fraction(0)}
    for middle in range(1, chips + 1):
        engine = of(f"""
variant "Chipbanditen Junior, {middle} chips and one turn" of chipbanditen/junior
replace setup:
    move first({middle}, chips) to middle showing down
    move chips where it in box to player(2).won showing up
measure "one turn" after turn: count(thrown where side is up)
""")
        spread = distribution(engine, "one turn")
        stay = spread[0]
        onward = sum(chance * left[middle - won] for won, chance in spread.items() if won)
        left[middle] = (1 + onward) / (1 - stay)
    return left[chips]


ONE_SIDE = """
variant "Chipbanditen, one half of the bandits" of chipbanditen/standard
option rounds = 1
remove phase turn
replace phase raid:
    move chips to middle showing down
    draw 6 from middle to layout[left]
    throw layout[left]
"""

TWO_ONES = """
variant "Chipbanditen, bandits only, with two ones among ten twos" of chipbanditen/standard
option rounds = 1
remove phase turn
replace components chips:
    has number: 1..6
    has even = number mod 2 is 0
    faces side: up, down
    hide number unless side is up
    var tried: yes or no = no
    var doubled: yes or no = no
    table:
        | number | copies |
        | 1      | 2      |
        | 2      | 10     |
remove invariant "every number exists twice"
"""


def test_raid_on_one_side() -> None:
    """What half of the bandits' throw cancels."""
    raid = of(ONE_SIDE)

    assert distribution(raid, "a 1 raided on the left") == {1: Fraction(39, 88), 0: Fraction(49, 88)}
    assert mean(distribution(raid, "different numbers raided on the left")) == Fraction(117, 44)


def test_raid_on_both_sides() -> None:
    """The whole throw: all numbers but one are made alike, so that there is less to walk through."""
    raid = of(TWO_ONES)

    assert distribution(raid, "a 1 raided on the left")[1] == Fraction(39, 88)
    assert distribution(raid, "a 1 raided on both sides")[1] == Fraction(3, 22)


def test_display() -> None:
    """The numbers visible after both throws are those of twelve coins."""
    spread = distribution(Reference(load("chipbanditen/standard").game, 2), "numbers visible")

    assert spread == {n: Fraction(comb(12, n), 4096) for n in range(13)}


# ---- Nacho Pile -----------------------------------------------------------------------------------------

SAFE = [
    Fraction(1), Fraction(431, 477), Fraction(9001, 12402), Fraction(53458, 105417), Fraction(788111, 2635425),
    Fraction(18373613, 129135825), Fraction(52391491, 1033086600), Fraction(21634504, 2023127925), Fraction(0),
]  # fmt: skip


@pytest.mark.parametrize("draws", range(1, 10))
def test_nacho_safe_draws(draws: int) -> None:
    """How likely so many draws in a row from a fresh bag are safe."""
    drawing = of(f"""
variant "Nacho Pile, {draws} draws" of nacho_pile
strategy so_many_draws:
    draw_or_stop: draw if laid_out < {draws} else stop
    otherwise: first
""")
    spread = distribution(drawing, "chips laid out", "so_many_draws")

    assert spread.get(draws, 0) == SAFE[draws - 1]


def test_nacho_stop_after_three() -> None:
    """Stopping after three chips lays out 9001/4134 of them in the mean."""
    spread = distribution(Reference(load("nacho_pile").game, 2), "chips laid out", "stop_after_3")

    assert mean(spread) == Fraction(9001, 4134)


# ---- Clever hoch Drei -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "average"), [("highest_die", 1.451829), ("any_die", 2.483348), ("lowest_die", 3.0)]
)
def test_clever_dice_taken(strategy: str, average: float) -> None:
    """Dice taken in an active turn when every die can be entered."""
    engine = Reference(load(HERE / "rulesets" / "clever_always_enterable.rules").game, 2)
    values = samples(engine, "dice taken", strategy, 60, 11)

    if strategy == "lowest_die":
        assert set(values) == {3}
    else:
        within(values, average)


# ---- whole games ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "agent", "games", "first", "shared", "turns"),
    [
        ("chipbanditen/junior", "random", 4000, 0.528351, 0.071645, 12.749999),
        ("thirty", "all", 2000, 0.343699, 0.0, 6.3210),
        ("thirty", "max_mean", 600, 0.510064, 0.0, 16.4896),
    ],
)
def test_first_player(ruleset: str, agent: str, games: int, first: float, shared: float, turns: float) -> None:
    """How often the first of two wins alone, how often the win is shared, and how long it takes."""
    loaded = load(ruleset)
    seated = (recipe(agent, [strategy.name for strategy in loaded.game.strategies]),) * 2
    figures = simulate(Match(loaded.game, ruleset, loaded.fingerprint, 2, {}, seated, 20), games, jobs=1)
    length = figures.turns

    assert not figures.faults
    assert abs(figures.wins[0] / games - first) <= 4 * sqrt(first * (1 - first) / games)
    assert abs(figures.shared_wins[0] / games - shared) <= 4 * sqrt(shared * (1 - shared) / games)
    assert length.mean is not None
    assert abs(float(length.mean) - turns) <= 4 * sqrt(length.variance / games)
