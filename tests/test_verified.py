"""The shipped rulesets, proved: their focuses, what they are worth, and what never ends, beside figures worked out in
other ways."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import comb, factorial, isclose, prod
from typing import Any

import pytest

from regelwerk.dsl import load, load_text
from regelwerk.dsl.files import SUFFIX, library_folder
from regelwerk.verify.findings import ENDS, GROWS
from regelwerk.verify.looking import Looking, Subject
from regelwerk.verify.solving import Solved, solving
from regelwerk.verify.sweep import focuses
from regelwerk.verify.verdicts import Finding
from regelwerk.verify.verification import verify

FOCUSED = ("thirty", "nacho_pile", "chipbanditen/standard", "chipbanditen/quick", "clever_hoch_drei/standard")
FULL_BAG = "chips laid out in a turn from a full bag"
"""Too large to be proved in seconds: it is there for its value."""
PIECES = [
    (ruleset, focus.name) for ruleset in FOCUSED for focus in load(ruleset).game.focuses if focus.name != FULL_BAG
]


def focused(ruleset: str, name: str) -> Subject:
    """A focus of a ruleset."""
    (subject,) = focuses(load(ruleset), name)
    return subject


@cache
def solved(ruleset: str, name: str) -> Solved:
    """What a focus is worth with best play."""
    return solving(focused(ruleset, name))


# ---- large games, piece by piece -----------------------------------------------------------------------


def test_each_large_game_has_pieces() -> None:
    """There are focuses for each of them."""
    assert set(FOCUSED) == {ruleset for ruleset, _ in PIECES}


@pytest.mark.parametrize(("ruleset", "name"), PIECES, ids=lambda each: each)
def test_focuses_are_proved(ruleset: str, name: str) -> None:
    """However the part goes, what must hold at its end does, and nothing else breaks on the way."""
    looking = Looking(focused(ruleset, name), 120.0)
    (found,) = verify(looking, name).findings

    assert "proved" == found.verdict
    assert {} == looking.search.breaks


# ---- Thirty --------------------------------------------------------------------------------------------

AIM = 30
COLLECTED = Fraction(269286723075019, 152339935002624)
"""The dice that an attack collects on average, whatever their number."""


def best_sum(worth: Callable[[int], Fraction | int]) -> Fraction | int:
    """The most that a sum of six dice is worth on average, which is worth more the higher it is: of each throw the
    highest dice are kept, and how many is chosen."""

    @cache
    def ahead(dice: int, shown: int) -> Fraction | int:
        if not dice:
            return worth(shown)
        total = Fraction(0)
        for throw in combinations_with_replacement(range(6, 0, -1), dice):
            ways = factorial(dice) // prod(factorial(throw.count(face)) for face in range(1, 7))
            total += ways * max(ahead(dice - kept, shown + sum(throw[:kept])) for kept in range(1, dice + 1))
        return total * Fraction(1, 6**dice)

    return ahead(6, 0)


TURNS: list[tuple[str, Callable[[int], Fraction | int], float]] = [
    ("the best chance to reach thirty", lambda shown: int(shown >= AIM), 0.674412),
    ("the best chance to pass thirty", lambda shown: int(shown > AIM), 0.538447),
    (
        "damage less own loss, in one turn",
        lambda shown: shown - AIM if shown <= AIM else (shown - AIM) * COLLECTED,
        1.098414,
    ),
]


@pytest.mark.parametrize(("name", "worth", "figure"), TURNS, ids=lambda each: each if isinstance(each, str) else "")
def test_a_turn_of_thirty(name: str, worth: Callable[[int], Fraction | int], figure: float) -> None:
    """The best that one turn can bring is the fraction that another way of working it out gives."""
    solution = solved("thirty", name).solution

    assert solution.exact
    assert best_sum(worth) == solution.value
    assert isclose(figure, solution.value, abs_tol=5e-7)


# ---- Nacho Pile ----------------------------------------------------------------------------------------


def test_a_turn_of_nacho_pile() -> None:
    """Who stops after three chips lays out 9001/4134 of them on average."""
    solution = solving(focused("nacho_pile", FULL_BAG), dict.fromkeys(range(2), "stop_after_3")).solution

    assert solution.exact
    assert Fraction(9001, 4134) == solution.seats[0]


def the_end(looking: Looking, name: str) -> Finding:
    """What is found about a free property that has to do with the end."""
    (found,) = verify(looking, name).findings
    return found


def test_always_drawing_never_ends() -> None:
    """In Nacho Pile everybody can draw for ever: a few answers, and then the same again and again."""
    ruleset = load("nacho_pile")
    looking = Looking(Subject(ruleset, 2, {"spicy_effects": 2}), 45.0)
    found = the_end(looking, ENDS)
    trace = found.trace

    assert trace is not None
    assert trace.repeats is not None
    assert ("refuted", True) == (found.verdict, found.advice)
    assert len(trace.answers) > trace.repeats
    assert {"draw"} == {row.text for row in trace.rows if row.name == "draw_or_stop"}

    table = looking.engine.table()
    keys = []
    for answer in trace.answers:
        keys.append(table.key(looking.keys))
        table.answer(answer)

    assert keys[trace.repeats] == table.key(looking.keys)


# ---- numbers without end -------------------------------------------------------------------------------

COUNTERS = """game "Counters"
players 2
components dice:
    faces pips: 1..6
    1 of each
zone tray: dice
var tally = 0
var debt = 0
var rounds: 0..40 = 0
setup: move dice to tray
play:
    phase turn each player in turn until rounds is 40 or debt < -2000 or tally > 5000:
        throw tray
        choose what_next:
            count when sum(tray.pips) is 3: tally += 2
            owe when sum(tray.pips) is 4: debt -= 1
            round: rounds += 1
"""


def test_a_number_that_grows_is_named() -> None:
    """What the same answers make larger again and again is named, with the loop; what comes to an end is not."""
    looking = Looking(Subject(load_text(COUNTERS), 2), 4.0)
    found = the_end(looking, GROWS)

    assert ("refuted", True) == (found.verdict, found.advice)
    assert found.message.startswith(("tally: larger", "debt: smaller"))
    assert "rounds" not in found.message
    assert found.trace is not None
    assert found.trace.repeats is not None
    assert found.trace.repeats < len(found.trace.answers)


@pytest.mark.parametrize(
    ("ruleset", "players", "options", "verdict"),
    [
        ("classics/pig", 2, {"at_target": 1}, "refuted"),
        ("classics/pig", 2, {"target": 100}, "not_refuted"),
        ("classics/coupons", 1, {}, "refuted"),
        ("classics/no_thanks", 3, {}, "not_refuted"),
    ],
)
def test_numbers_without_end(ruleset: str, players: int, options: dict[str, Any], verdict: str) -> None:
    """Points of a turn in Pig that nobody has to bank, and throws that are counted, have no end; points have one."""
    assert verdict == the_end(Looking(Subject(load(ruleset), players, options), 3.0), GROWS).verdict


# ---- Chipbanditen Junior -------------------------------------------------------------------------------


def junior(numbers: int) -> tuple[Fraction, Fraction, Fraction]:
    """The chances of the first of two children, of a tie and of the second, where there are two chips of each number:
    worked out from how likely the one in turn is ahead of the other by how much in the rest of the game."""

    @cache
    def ahead(left: tuple[int, ...]) -> dict[int, Fraction]:
        chips = sum(left)
        if not chips:
            return {0: Fraction(1)}
        found: dict[int, Fraction] = {}

        def add(won: list[int], chance: Fraction) -> None:
            rest = [count - won.count(number) for number, count in enumerate(left, 1)]
            for lead, likely in ahead(tuple(rest)).items():
                found[sum(won) - lead] = found.get(sum(won) - lead, Fraction(0)) + chance * likely

        there = [number for number, count in enumerate(left, 1) if count]
        if chips == 1:
            none = Fraction(1, 2)
            add(there, Fraction(1, 2))
        else:
            none = Fraction(1, 4)
            for number in there:  # this one of two, and not the other
                add([number], Fraction(left[number - 1], chips) / 2)
            for first in there:
                for second in there:
                    if first < second:
                        add([first, second], Fraction(left[first - 1] * left[second - 1], comb(chips, 2)) / 4)
                if left[first - 1] == 2:
                    add([first, first], Fraction(1, comb(chips, 2)) / 4)
        # Nothing was won: the same with the other child in turn.
        return {
            lead: (found.get(lead, Fraction(0)) + none * found.get(-lead, Fraction(0))) / (1 - none * none)
            for lead in {*found, *(-lead for lead in found)}
        }

    leads = ahead((2,) * numbers)
    first = sum((likely for lead, likely in leads.items() if lead > 0), Fraction(0))
    return first, leads.get(0, Fraction(0)), 1 - first - leads.get(0, Fraction(0))


def small_junior(numbers: int) -> Subject:
    """The game with fewer numbers."""
    text = (library_folder() / f"chipbanditen/junior{SUFFIX}").read_text("utf-8")
    text = text.replace("1..6", f"1..{numbers}").replace("is 12", f"is {2 * numbers}")
    text = text.replace("is 42", f"is {numbers * (numbers + 1)}")
    return Subject(load_text(text), 2)


def test_chances_of_junior() -> None:
    """The figures of the whole game, to six digits."""
    assert [0.528351, 0.071645, 0.400004] == [round(float(chance), 6) for chance in junior(6)]


@pytest.mark.parametrize("numbers", [1, 2, 3])
def test_junior_with_fewer_chips(numbers: int) -> None:
    """With up to six chips the chances are fractions, and those of the other way; what must hold is proved."""
    subject = small_junior(numbers)
    found, (first, tie, second) = solving(subject), junior(numbers)
    report = verify(Looking(subject, None))
    own = {finding.name: finding.verdict for finding in report.findings if finding.kind == "author"}
    claims = {claim.name for claim in subject.ruleset.game.claims}

    assert found.solution.exact
    assert (first + tie / 2, second + tie / 2) == found.solution.seats
    assert (first, second) == found.alone
    assert report.complete
    assert {"proved"} == {verdict for name, verdict in own.items() if name not in claims}


@pytest.mark.long
def test_the_whole_of_junior() -> None:
    """With all twelve chips, too."""
    found, (first, tie, second) = solving(Subject(load("chipbanditen/junior"), 2)), junior(6)

    assert found.solution.exact
    assert (first + tie / 2, second + tie / 2) == found.solution.seats
    assert (first, second) == found.alone


# ---- Pig -----------------------------------------------------------------------------------------------


def pig(target: int) -> float:
    """The chance of the first of two with best play, by going over all positions until nothing changes any more."""
    chance = {
        (mine, theirs, turn): 0.5 for mine in range(target) for theirs in range(target) for turn in range(target - mine)
    }

    def worth(mine: int, theirs: int, turn: int) -> float:
        return 1.0 if mine + turn >= target else chance[mine, theirs, turn]

    while True:
        change = 0.0
        for mine, theirs, turn in chance:
            thrown = sum(worth(mine, theirs, turn + pips) for pips in range(2, 7))
            best = (thrown + 1 - worth(theirs, mine, 0)) / 6
            if turn:
                best = max(best, 1 - worth(theirs, mine + turn, 0))
            change = max(change, abs(best - chance[mine, theirs, turn]))
            chance[mine, theirs, turn] = best
        if change < 1e-12:
            return chance[0, 0, 0]


def test_pig_to_a_few_points() -> None:
    """Best play of Pig to 15 points is what sweeping over all positions gives."""
    solution = solving(Subject(load("classics/pig"), 2, {"target": 15})).solution

    assert isclose(pig(15), solution.value, abs_tol=1e-9)


@pytest.mark.long
def test_pig_to_a_hundred() -> None:
    """Best play of Pig to 100 points."""
    solution = solving(Subject(load("classics/pig"), 2)).solution

    assert isclose(0.530593, solution.value, abs_tol=1e-6)
