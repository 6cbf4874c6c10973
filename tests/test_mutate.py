"""Small mistakes in rules: which there are, and who notices them."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pytest

from regelwerk.dsl import load, load_text, rules
from regelwerk.dsl.tree import walk
from regelwerk.interpreter import Reference
from regelwerk.verify.matrix import Budget, Judged, Matrix, judge, page
from regelwerk.verify.mutate import PLAYED, Mutant, mark, mutants

DOCS = Path(__file__).parent.parent / "docs"
DATA = DOCS / "mutants.json"
SEEDS = (
    "thirty",
    "nacho_pile",
    "chipbanditen/standard",
    "chipbanditen/quick",
    "chipbanditen/junior",
    "clever_hoch_drei/standard",
    "clever_hoch_drei/solo",
)
CLAIMS = {"chipbanditen/junior": 300, "chipbanditen/quick": 200, "chipbanditen/standard": 200}
"""Where claims are judges too: so many games are played for them."""
ENOUGH = 0.9

COINS = """game "Coins"
players 2..3

option goal: 3..9 = 5
constant prize[1..3] = 1, 2, 4

components coins:
    faces side: heads, tails
    hide value unless side is heads
    has value: 1..2
    1 of each

zone table: coins
zone away: coins hidden

each player has:
    var gold: 0..20 = 10 conserved
    var points: 0..99 = 0

setup:
    move coins to table

play:
    phase turn each player in turn until any(everyone where points >= goal):
        throw table
        let shown = count(table where side is heads)
        if shown > 0:
            points += prize[shown]
            pay 1 from gold to next(me).gold
        choose what_next:
            away "put one away" when table is not empty and points > 0:
                move first(1, table) to away
            stay "leave them":
                nothing
        if table is empty:
            move coins to table

score: points
winner: highest score

bounds score: 0..99

invariant "no gold is lost": sum(p.gold for p in everyone) is 10 * count(players)
"""


@cache
def coins() -> rules.Game:
    """A small game with a bit of everything."""
    return load_text(COINS).game


@cache
def all_mutants(name: str) -> tuple[Mutant, ...]:
    """The mutants of a ruleset of the library, made once."""
    return tuple(mutants(load(name).game))


def differing(mutant: Mutant) -> list[str]:
    """The parts of the game in which a mutant of Coins differs."""
    names = [field.name for field in attrs.fields(rules.Game) if field.name != "span"]
    return [name for name in names if getattr(mutant.game, name) != getattr(coins(), name)]


# ---- mutants -------------------------------------------------------------------------------------------


def test_the_mutants_of_a_game(golden: Any) -> None:
    """Every sort of mistake is made, in the order of the text, and said in words."""
    listed = "".join(f"{mutant.number:3} {mutant.operator:13} {mutant.text}\n" for mutant in mutants(coins()))

    golden("reports/mutants.txt", listed)


def test_what_judges_is_not_changed() -> None:
    """Mutants differ from the game, in what is played and in nothing else."""
    for mutant in mutants(coins()):
        assert differing(mutant)
        assert set(differing(mutant)) <= {*PLAYED, "actions"}


def test_no_two_mutants_are_equal() -> None:
    """Each mutant is another game."""
    made = list(mutants(coins()))

    assert len(made) == len({tuple(getattr(mutant.game, part) for part in PLAYED) for mutant in made})


@pytest.mark.parametrize("name", SEEDS)
def test_mutants_can_be_played(name: str) -> None:
    """Engines can be made of mutants."""
    for mutant in all_mutants(name)[::40]:
        Reference(mutant.game, mutant.game.players[0])


def test_a_mutant_checks_what_the_right_rules_need_not() -> None:
    """Numbers that cannot leave their range in the right rules are checked in mutants."""
    places = [node for mutant in mutants(coins()) for node, _ in walk(mutant.game) if isinstance(node, rules.Assign)]

    assert places
    assert all(place.unsafe for place in places)


def test_examples_play_the_mutant() -> None:
    """What an example plays is changed with the rules: it holds the same phase."""
    thirty = load("thirty").game
    for mutant in all_mutants("thirty"):
        if mutant.game.play != thirty.play and mutant.operator == "off by one":
            assert mutant.game.examples != thirty.examples


def test_a_variant_is_changed_in_its_own_lines() -> None:
    """What a variant inherits is judged with the game it comes from."""
    own = load("clever_hoch_drei/solo").game
    files = {mutant.span.source.name for mutant in all_mutants("clever_hoch_drei/solo")}

    assert {own.span.source.name} == files
    assert len(list(mutants(own, inherited=True))) > len(all_mutants("clever_hoch_drei/solo"))


# ---- judges --------------------------------------------------------------------------------------------

SMALL = Budget(games=2, more=0)


def words(text: str) -> str:
    """What a mutant changes, without the line."""
    return text.partition(": ")[2]


def rows(matrix: Matrix) -> Mapping[str, Judged]:
    """The rows by what they change."""
    return {words(row.text): row for row in matrix.rows}


def test_who_notices() -> None:
    """A property that a mutant breaks has noticed it; a change that changes nothing is the same game."""
    judged = rows(judge(coins(), mutants(coins()), SMALL, full=True))

    assert ("no gold is lost",) == judged["gold begins as 11"].killed_by
    assert "every value stays in its range" in judged["the phase turn without an end"].killed_by
    assert "the game comes to an end" in judged["without `if shown > 0`"].killed_by
    assert not judged["away lies open"].changes
    assert judged["goal is 6"].survives


def test_the_first_judge_is_enough() -> None:
    """Whether a mutant is noticed does not depend on asking all judges; only who is said to have noticed."""
    brief = judge(coins(), mutants(coins()), SMALL)
    full = judge(coins(), mutants(coins()), SMALL, full=True)

    assert [bool(row.killed_by) for row in full.rows] == [bool(row.killed_by) for row in brief.rows]
    assert all(set(one.killed_by) <= set(other.killed_by) for one, other in zip(brief.rows, full.rows, strict=True))


def test_the_number_of_processes_changes_nothing() -> None:
    """One process and two say the same."""
    some = list(mutants(coins()))[:20]

    assert judge(coins(), some, SMALL) == judge(coins(), some, SMALL, jobs=2)


def refuting(game: rules.Game) -> Mapping[str, str]:
    """Stands for a search: refutes a goal that is no longer 5."""
    default = game.options[0].default
    right = isinstance(default, rules.Constant) and default.value == 5
    return {"always refuted": "refuted", "the goal is 5": "proved" if right else "refuted"}


def test_a_search_can_judge_too() -> None:
    """What a search refutes notices a mutant, unless it refutes the right rules as well."""
    judged = rows(judge(coins(), mutants(coins()), SMALL, explore=refuting))

    assert ("the goal is 5",) == judged["goal is 6"].killed_by


# ---- the games that come along ---------------------------------------------------------------------------


def test_junior_is_pinned_down() -> None:
    """All mutants of a small game before all judges."""
    game = load("chipbanditen/junior").game
    matrix = judge(game, all_mutants("chipbanditen/junior"), Budget(games=2, more=0, claims=200), full=True)

    assert matrix.share >= ENOUGH


def test_a_sample_of_quick_is_noticed() -> None:
    """A fixed sample of the mutants of a larger game."""
    game = load("chipbanditen/quick").game
    matrix = judge(game, all_mutants("chipbanditen/quick")[::12], Budget())

    assert matrix.share >= 0.8


# ---- the page --------------------------------------------------------------------------------------------


def recorded() -> dict[str, Any]:
    """The figures that the page shows."""
    data: dict[str, Any] = json.loads(DATA.read_text("utf-8"))
    return data


def judged_again(name: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """New figures of a ruleset; survivors keep the reasons that are known for them."""
    game = load(name).game
    reasons = {words(entry["text"]): entry["reason"] for entry in known.get("survivors", ())}
    matrix = judge(game, mutants(game), Budget(claims=CLAIMS.get(name, 0)), jobs=2)
    return {
        "mark": mark(game),
        "mutants": len(matrix.rows),
        "changing": matrix.changing,
        "killed": matrix.killed,
        "judges": dict(matrix.judges),
        "survivors": [{"text": row.text, "reason": reasons.get(words(row.text), "")} for row in matrix.survivors],
    }


def test_the_page_is_fresh(request: pytest.FixtureRequest) -> None:
    """`docs/mutants.md` shows `docs/mutants.json`, which knows the mutants of every ruleset.

    With `--update` the rulesets are judged again whose mutants are others now: that takes minutes.
    """
    data = recorded() if DATA.exists() else {}
    if request.config.getoption("--update"):
        for name in SEEDS:
            if mark(load(name).game) != data.get(name, {}).get("mark"):
                data[name] = judged_again(name, data.get(name, {}))
        DATA.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", "utf-8", newline="\n")
        (DOCS / "mutants.md").write_text(page(data), "utf-8", newline="\n")

    assert page(data) == (DOCS / "mutants.md").read_text("utf-8")
    for name in SEEDS:
        assert mark(load(name).game) == data[name]["mark"], f"{name} has other mutants: pytest --update"


@pytest.mark.parametrize("name", SEEDS)
def test_nine_in_ten_are_noticed(name: str) -> None:
    """Of the mutants that change a game at least 90 % are noticed, and for each other one there is a reason."""
    data = recorded()[name]

    assert data["killed"] >= ENOUGH * data["changing"]
    assert all(entry["reason"] for entry in data["survivors"])
