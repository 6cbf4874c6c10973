"""`verify` and `solve` on small games: each form of property proved, refuted and undecided, and the commands."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import pytest
from click.testing import CliRunner, Result

from regelwerk import cli
from regelwerk.dsl import load_text
from regelwerk.verify.looking import Looking, Subject
from regelwerk.verify.solve import Unsolvable
from regelwerk.verify.solving import BEST, UNIFORM, BrokenOff, solving
from regelwerk.verify.sweep import focuses
from regelwerk.verify.verdicts import Finding, Report
from regelwerk.verify.verification import exit_code, verify

HERE = Path(__file__).parent
CLI_PAGE = (HERE.parent / "docs" / "cli.md").read_text("utf-8")

STEPS = """# Steps: everybody adds one or two, until there are four.
game "Steps"
players 2..3
option goal: 1..6 = 4
option resting: yes or no = no
var pot: 0..9 = 0
each player has:
    var points: 0..9 = 0
play:
    phase turn each player in turn until pot >= goal:
        choose one_or_two:
            one: do add(1)
            two: do add(2)
            rest when resting: nothing
        if pot > 8:
            do idle
action add(n: 1..2):
    let before_ = pot
    pot += n
    points += n
action idle: nothing
score: points
winner: highest score
"""
"""Eight games of two to four answers, without chance; with rests they can go on for ever."""

CARDS = """# Cards: everybody has a card of two, keeps it or shows it.
game "Cards"
players 2
components cards:
    has worth: 1..2
    2 of each
zone deck: cards stacked hidden
zone row: cards
each player has:
    zone hand: cards private
setup:
    move cards to deck
    shuffle deck
    for p in players: draw 1 from deck to p.hand
play:
    phase turn each player:
        choose keep_or_show:
            keep: nothing
            show: move hand to row
score: sum(hand.worth)
winner: highest score
"""

TOSS = """# Toss: with heads the first player wins, with tails whoever is named.
game "Toss"
players 2
components coins:
    faces side: heads, tails
    1 of each
zone tray: coins
var taker: player or none = none
setup: move coins to tray
play:
    throw tray
    taker = player(1)
    if any(coins where side is tails):
        phase naming each player from player(2):
            choose named:
                me_: taker = me
                nobody: taker = none
            leave naming
score: 3 if me is taker else 0
winner: players where it is taker
strategy kind:
    named: nobody
"""
"""Of two equal ways of falling one makes player 2 decide: with best play half of the games go to each."""


def looked(text: str, *lines: str, seconds: float | None = None, only: str | None = None, **options: Any) -> Report:
    """What is found about a game with some lines more."""
    ruleset = load_text("\n".join([text, *lines, ""]))
    return verify(Looking(Subject(ruleset, ruleset.game.players[0], options), seconds), only)


def finding(report: Report, name: str) -> Finding:
    """What is found about one property."""
    return next(each for each in report.findings if each.name == name)


# ---- the forms of properties ---------------------------------------------------------------------------

FORMS = [
    # what is said                                                       its verdict, and the answers of the trace
    ('invariant "x" always: pot < 6', "proved", None),
    ('invariant "x" always: pot < 4', "refuted", ["two", "two"]),
    ('invariant "x": pot is 0 or pot > 1', "refuted", ["one"]),
    ('invariant "x" never: pot is 6', "proved", None),
    ('invariant "x" never: pot is 3', "refuted", ["one", "two"]),
    ('invariant "x" after turn: points < 5', "proved", None),
    ('invariant "x" after turn: points < 4', "refuted", ["two", "one", "two"]),
    ('invariant "x" after add: pot is before_ + n', "proved", None),
    ('invariant "x" after add: n < 2', "refuted", ["two"]),
    ('invariant "x" after idle: yes', "vacuous", None),
    ('invariant "x" at end: pot in 4..5', "proved", None),
    ('invariant "x" at end: pot is 4', "refuted", ["one", "two", "two"]),
    ('invariant "x": pot only increases', "proved", None),
    ('invariant "x": everyone.points only increases', "proved", None),
    ('invariant "x": pot only decreases', "refuted", ["one"]),
    ('invariant "x": 4 - pot only decreases', "proved", None),
    ('invariant "x": pot is 1 leads to pot > 3', "proved", None),
    ('invariant "x": pot is 1 leads to pot is 5', "refuted", ["one", "one", "two"]),
    ('invariant "x": pot is 8 leads to pot is 9', "vacuous", None),
    ('invariant "x": pot is 0 leads to pot > 3 within 2 turns', "refuted", ["one", "one", "one"]),
    ('invariant "x": pot is 0 leads to pot > 3 within 3 turns', "proved", None),
    ('possible "x": pot is 5', "proved", ["one", "two", "two"]),
    ('possible "x": pot is 6', "refuted", None),
    ('possible "x" after turn: points is 4', "proved", ["two", "one", "two"]),
    ('possible "x" at end: player(1).points is 0', "refuted", None),
    ('possible "x": pot is 1 then pot is 5', "proved", ["one", "two", "two"]),
    ('possible "x": pot is 5 then pot is 1', "refuted", None),
]


def said(found: Finding) -> list[str] | None:
    """The answers of its trace."""
    return None if found.trace is None else [row.text for row in found.trace.rows]


@pytest.mark.parametrize(("line", "verdict", "answers"), FORMS, ids=lambda each: each if isinstance(each, str) else "")
def test_forms(line: str, verdict: str, answers: list[str] | None) -> None:
    """Each form is proved where it holds in all games, and refuted or witnessed by a shortest game where not."""
    (found,) = looked(STEPS, line, only="x").findings

    assert (verdict, len(answers or ())) == (found.verdict, len(said(found) or ()))
    assert answers is None or found.trace is not None
    if line.startswith("invariant") and "leads to" not in line and answers:
        assert answers == said(found)
        assert found.trace is not None and found.trace.shortest


@pytest.mark.parametrize("line", [line for line, _, _ in FORMS])
def test_without_time_nothing_is_known(line: str) -> None:
    """Where nobody could look, nothing passes and nothing fails."""
    report = looked(STEPS, line, seconds=1e-9, only="x")

    assert ["undecided"] == [found.verdict for found in report.findings]
    assert 3 == exit_code(report)


@pytest.mark.parametrize(
    ("line", "resting", "verdict"),
    [
        ("ends surely", False, "proved"),
        ("ends surely", True, "refuted"),
        ("ends almost surely", False, "proved"),
        ("ends almost surely", True, "refuted"),
        ("ends within 4 turns", False, "proved"),
        ("ends within 3 turns", False, "refuted"),
        ("ends within 4 decisions", False, "proved"),
        ("ends within 3 decisions", False, "refuted"),
        ("ends within 99 decisions", True, "refuted"),
    ],
)
def test_ends(line: str, resting: bool, verdict: str) -> None:
    """How surely a game ends is proved, or there is a game that is too long or begins again."""
    found = finding(looked(STEPS, line, resting=resting), line)

    assert verdict == found.verdict
    if verdict == "refuted":
        assert found.trace is not None
        assert (["rest", "rest"] if resting else ["one"] * 4) == said(found)
        assert (0 if resting else None) == found.trace.repeats


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ('secret "x": hand', "not_refuted"),
        ('secret "x": row', "refuted"),
        ('secret "x" until turn: row', "not_refuted"),
    ],
)
def test_secrets(line: str, verdict: str) -> None:
    """What is declared secret and shows is refuted by two games."""
    report = looked(CARDS, line, seconds=20.0, only="x")
    (found,) = report.findings

    assert verdict == found.verdict
    assert (verdict == "refuted") == (found.trace is not None and found.trace.other != "")


def test_unchecked() -> None:
    """What the rules leave out is named with the reason, and counts for nothing; so do properties of every game."""
    lines = [
        'invariant "x" always: pot < 4',
        'unchecked "x" because "who cares"',
        'unchecked "the game comes to an end" because "rest as you like"',
        'unchecked "looking changes nothing" because "nobody looks"',
    ]
    report = looked(STEPS, *lines, resting=True)
    left_out = {found.name: (found.verdict, found.unchecked) for found in report.findings if found.unchecked}

    assert ("undecided", "who cares") == left_out["x"]
    assert ("undecided", "rest as you like") == left_out["the game comes to an end"]
    assert ("undecided", "nobody looks") == left_out["looking changes nothing"]
    assert 0 == exit_code(report)


def test_advice_counts_for_nothing() -> None:
    """That players can go on for ever, or that something never happens, is told and is no failure."""
    report = looked(STEPS, resting=True)
    found = finding(report, "the game comes to an end")

    assert ("refuted", True) == (found.verdict, found.advice)
    assert finding(report, "everything can happen").advice
    assert 0 == exit_code(report)


# ---- claims --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "verdict", "told"),
    [
        ("win_rate(1) in 0.5..0.5", "proved", "0.5 = 1/2, exactly"),
        ("win_rate(2) in 0.3..0.4", "refuted", "1/4"),
        ("shared_rate(1) in 0..0", "proved", "0, exactly"),
        ("mean_score(2) in 0.5..0.8", "proved", "0.75"),
        ("decisions in 0.3..0.7", "not_refuted", "95 % interval"),
        ("decisions in 0.7..0.9", "refuted", "95 % interval"),
        ('mean("named") in 0.3..0.7', "not_refuted", "95 % interval"),
    ],
)
def test_claims_at_random(figure: str, verdict: str, told: str) -> None:
    """A figure of how games end is exact; another one is that of games that are played."""
    lines = ['measure "named" at end: any(coins where side is tails)', f'claim "x": {figure}']
    (found,) = looked(TOSS, *lines, seconds=8.0, only="x").findings

    assert (verdict, True) == (found.verdict, told in found.message)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("with kind: win_rate(2) in 0..0", "proved"),
        ("with kind: win_rate(1) in 0.6..1", "refuted"),
        ("with best: win_rate(2) in 0.5..0.5", "proved"),
        ("with best: win_rate(2) in 0.1..0.4", "refuted"),
        ("with best: mean_score(1) in 1.5..1.5", "proved"),
        ("with best: decisions in 0..9", "undecided"),
    ],
)
def test_claims_about_players(said: str, verdict: str) -> None:
    """How a strategy fares, and how the best play does, is worked out; not where nobody knows what that is."""
    (found,) = looked(TOSS, f'claim "x" {said}', only="x").findings

    assert verdict == found.verdict


@pytest.mark.parametrize(
    ("score", "claimed", "verdict"),
    [
        ("points", "1..1", "proved"),
        ("points", "0..0.5", "refuted"),
        ("0 - points", "0..1", "proved"),
        ("0 - points", "0..0", "not_refuted"),
        ("0 - points", "0.4..0.6", "undecided"),
    ],
)
def test_best_play_that_wins_together(score: str, claimed: str, verdict: str) -> None:
    """Where wins can be shared, only what holds for every best play is proved or refuted: with the lowest points
    winning, half of the win goes to each, which may be all wins together or half of them alone."""
    text = STEPS.replace("score: points", f"score: {score}")
    (found,) = looked(text, f'claim "x" with best: win_rate(1) in {claimed}', only="x").findings

    assert verdict == found.verdict


def test_best_play_of_what_is_hidden() -> None:
    """Where players do not see everything, nothing is said of their best play."""
    (found,) = looked(CARDS, 'claim "x" with best: win_rate(1) in 0..1', only="x").findings

    assert ("undecided", True) == (found.verdict, "do not see" in found.message)


def test_claims_of_large_games() -> None:
    """Where not all positions can be looked at in time, games are played, and they can only say so much."""
    text = STEPS.replace("0..9 ", "0..9999 ").replace("1..6 = 4", "1..9000 = 9000").replace("2..3", "3")
    (found,) = looked(text, 'claim "x": win_rate(1) in 0..1', seconds=1.0, only="x").findings

    assert ("not_refuted", True) == (found.verdict, "95 % interval" in found.message)


def test_claims_are_about_the_usual_table() -> None:
    """At other tables a claim is left unchecked."""
    (found,) = looked(STEPS, 'claim "x": win_rate(1) in 0..0', only="x", goal=3).findings

    assert "usual options" in found.unchecked


# ---- solve ---------------------------------------------------------------------------------------------


def subject(text: str, *lines: str, **options: Any) -> Subject:
    """A game with some lines more."""
    ruleset = load_text("\n".join([text, *lines, ""]))
    return Subject(ruleset, ruleset.game.players[0], options)


def test_best_and_even_play() -> None:
    """What a game is worth, by who plays how; in the game of heads and tails player 2 should take the tails."""
    worth = {
        (one, other): solving(subject(TOSS), {0: one, 1: other}).solution.seats
        for one in (BEST, UNIFORM)
        for other in (BEST, UNIFORM, "kind")
    }

    assert {(Fraction(1, 2), Fraction(1, 2))} == {worth[one, BEST] for one in (BEST, UNIFORM)}
    assert (Fraction(1, 2), Fraction(1, 4)) == worth[BEST, UNIFORM]
    assert (Fraction(1, 2), Fraction(0)) == worth[BEST, "kind"]


def test_wins_alone_where_one_plays_best() -> None:
    """Who wins without sharing is told for the play that was solved, also of a game that is the same from each seat:
    without ties that is all there is to win."""
    text = STEPS.replace("winner: highest score", "winner: players where points * 2 > pot")
    found = solving(subject(text, goal=3), {0: BEST, 1: UNIFORM})

    assert found.solution.seats == found.alone


FOCUS = """focus "last steps":
    given: pot = 3
    do turn for player(2)
    then pot in 4..5
    value: player(2).points
"""


def test_solve_a_focus() -> None:
    """The player of a focus makes its value as high as possible, and the other one loses it."""
    (one,) = focuses(subject(STEPS, FOCUS).ruleset)
    found = solving(one)

    assert ("value", (Fraction(-2), Fraction(2))) == (found.objective, found.solution.seats)


def test_what_cannot_be_solved() -> None:
    """Too many positions, faults in the rules, several who play best: each is said."""
    with pytest.raises(BrokenOff, match="cannot be 10"):
        solving(subject(STEPS.replace("pot += n", "pot += 5 * n")))
    with pytest.raises(Unsolvable, match="two players"):
        solving(Subject(subject(STEPS).ruleset, 3))


# ---- commands ------------------------------------------------------------------------------------------


def regelwerk(*words: object, code: int = 0) -> Result:
    """A command run in this process; it must end with this exit code."""
    result = CliRunner().invoke(cli.program, [str(word) for word in words])

    assert code == result.exit_code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture
def steps(tmp_path: Path) -> "Steps":
    """Files of the game with some lines more."""
    return Steps(tmp_path)


class Steps:
    """Writes files of the game."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *lines: str, text: str = STEPS, name: str = "steps.rules") -> Path:
        file = self.folder / name
        file.write_text("\n".join([text, *lines, ""]), "utf-8")
        return file


SMALL, BIG = 'invariant "few" always: pot < 6', 'invariant "few" always: pot < 4'
NEVER = 'invariant "never" after idle: yes'


@pytest.mark.parametrize(
    ("lines", "words", "code"),
    [
        ((SMALL,), (), 0),
        ((BIG,), (), 1),
        ((BIG,), ("--property", "few"), 1),
        ((BIG, SMALL.replace("few", "fine")), ("--property", "fine"), 0),
        ((BIG,), ("--set", "goal=1"), 0),
        ((NEVER,), (), 3),
        ((NEVER, 'unchecked "never" because "it is for later"'), (), 0),
        ((BIG, NEVER), (), 1),
        ((BIG, 'unchecked "few" because "it is about to change"'), (), 0),
        ((), ("--set", "resting=yes"), 0),
        (("ends surely",), ("--set", "resting=yes"), 1),
        ((SMALL,), ("--property", "few", "--require", "proof"), 0),
        ((SMALL,), ("--require", "proof"), 3),
        ((FOCUS,), (), 0),
        ((FOCUS,), ("--focus", "last steps"), 0),
        ((FOCUS.replace("4..5", "4..4"),), (), 1),
        ((FOCUS.replace("4..5", "4..4"),), ("--players", "2"), 0),
        ((), ("--property", "few"), 2),
        ((), ("--focus", "few"), 2),
        ((), ("--players", "4"), 2),
        ((), ("--players", "3..2"), 2),
        ((), ("--set", "gaol=3"), 2),
        ((), ("--set", "goal=1,7"), 2),
        ((), ("--budget", "soon"), 2),
        ((), ("--budget", "0s"), 2),
        ((), ("--require", "luck"), 2),
        ((), ("--replay", "no.record"), 2),
        (("score: pots",), (), 65),
    ],
)
def test_exit_codes(steps: Steps, lines: tuple[str, ...], words: tuple[str, ...], code: int) -> None:
    """Refuted is 1, undecided and vacuous are 3, wrong use is 2, wrong rules are 65; the rest is well."""
    regelwerk("verify", steps(*lines), *words, code=code)


@pytest.mark.parametrize(("text", "seconds"), [("10s", 10), ("5m", 300), ("1h", 3600), ("1.5", 1.5), ("none", None)])
def test_spans_of_time(text: str, seconds: float | None) -> None:
    """A budget is a number of seconds, minutes or hours, or there is none."""
    context = click.Context(cli.program)

    assert seconds == cli.span_of_time(context, click.Option(["--budget"]), text)


def test_a_sweep(steps: Steps) -> None:
    """Numbers of players and values of options are taken in turn, the smallest first; one that fails is enough."""
    result = regelwerk("verify", steps(BIG), "-p", "2..3", "-s", "goal=1,4", "--property", "few", "--json", code=1)
    found = [
        (each["players"], each["options"]["goal"], each["properties"][0]["verdict"])
        for each in json.loads(result.stdout)
    ]

    assert [(2, 1, "proved"), (2, 4, "refuted"), (3, 1, "proved"), (3, 4, "refuted")] == found


def test_a_trace_is_saved_and_played_again(steps: Steps, tmp_path: Path) -> None:
    """A saved game plays, breaks what it broke as long as the rules are so, and says when it no longer fits."""
    file, folder = steps(BIG), tmp_path / "games"
    told = regelwerk("verify", file, "--save-traces", folder, code=1).stdout
    record = folder / "few.record"

    assert {"few.record", "few.itf.json", "few.mmd", "test_few.py"} <= {each.name for each in folder.iterdir()}
    assert f"regelwerk replay {record}"[:60] in told.replace("\n            ", " ")
    assert "The same end" in regelwerk("replay", record, code=1).stdout
    assert "few" in regelwerk("verify", file, "--replay", record, code=1).stdout
    steps(SMALL)
    assert "Nothing is broken" in regelwerk("verify", file, "--replay", record).stdout
    steps(BIG, text=STEPS.replace("two: do", "both: do"))
    assert "no longer fits" in regelwerk("verify", file, "--replay", record, code=3).stdout
    (tmp_path / "no.record").write_text("nothing", "utf-8")
    regelwerk("verify", file, "--replay", tmp_path / "no.record", code=2)


@pytest.mark.parametrize(
    ("broken", "mended", "words"),
    [
        ('invariant "x": pot only decreases', 'invariant "x": pot only increases', ()),
        ('invariant "x": pot is 1 leads to pot is 5', 'invariant "x": pot is 1 leads to pot > 3', ()),
        ('invariant "x": pot is 0 leads to pot > 3 within 2 turns', 'invariant "x": pot is 0 leads to pot > 1', ()),
        ("ends within 3 decisions", "ends within 4 decisions", ()),
        ("ends within 3 turns", "ends within 4 turns", ()),
        ("ends surely", 'unchecked "the game comes to an end" because "no hurry"', ("--set", "resting=yes")),
    ],
)
def test_what_a_whole_game_breaks(
    steps: Steps, tmp_path: Path, broken: str, mended: str, words: tuple[str, ...]
) -> None:
    """A saved game is judged by what only the whole of it breaks, too."""
    file, folder = steps(broken), tmp_path / "games"
    name = "x" if "invariant" in broken else broken
    regelwerk("verify", file, "--property", name, "--save-traces", folder, *words, code=1)
    (record,) = folder.glob("*.record")

    assert f"REFUTED  {name}" in regelwerk("verify", file, "--replay", record, code=1).stdout
    steps(mended)
    regelwerk("verify", file, "--replay", record)


def test_a_leak_that_is_saved(steps: Steps, tmp_path: Path) -> None:
    """A saved game that shows what is secret is played again with its twin."""
    file, folder = steps('secret "x": row', text=CARDS), tmp_path / "games"
    told = regelwerk("verify", file, "--property", "x", "--save-traces", folder, code=1).stdout

    assert "another game looks the same" in told
    assert "seat 1 keep_or_show: show" in (folder / "x.other").read_text("utf-8")
    assert "REFUTED  x" in regelwerk("verify", file, "--replay", folder / "x.record", code=1).stdout


def test_reports_in_files(steps: Steps, tmp_path: Path) -> None:
    """JUnit and SARIF have a failure for what is refuted, and none for what is only advice."""
    xml, sarif = tmp_path / "verdicts.xml", tmp_path / "verdicts.sarif"
    regelwerk("verify", steps(BIG), "--set", "resting=yes", "--junit", xml, "--sarif", sarif, code=1)
    cases = {case.get("name"): case for case in ElementTree.parse(xml).getroot().iter("testcase")}
    results = json.loads(sarif.read_text("utf-8"))["runs"][0]["results"]
    levels = {result["ruleId"]: result["level"] for result in results}

    assert cases["few"].find("failure") is not None
    assert cases["the game comes to an end"].find("failure") is None
    assert ("error", "note") == (levels["author/few"], levels["free/the game comes to an end"])


def documented(command: str) -> Any:
    """The JSON shown in docs/cli.md for a command."""
    text = CLI_PAGE.split(f"### `{command} --json`")[1].split("```json\n")[1].split("```")[0]
    return json.loads(text)


def test_json(steps: Steps) -> None:
    """The JSON of `verify` has the keys that the page shows, at every depth."""
    found, shown = json.loads(regelwerk("verify", steps(BIG), "--json", code=1).stdout), documented("verify")
    (few,) = [each for each in found["properties"] if each["name"] == "few"]
    (example,) = shown["properties"]

    assert list(shown) == list(found)
    assert {tuple(example)} == {tuple(each) for each in found["properties"]}
    assert list(example["trace"][0]) == list(few["trace"][0])
    assert list(example["trace"][0]["changes"][0]) == list(few["trace"][0]["changes"][0])
    assert list(example["game"]) == list(few["game"])
    assert list(example["game"]["sides"][0]) == list(few["game"]["sides"][0])
    assert list(shown["coverage"]["phases"]) == list(found["coverage"]["phases"])
    assert (2, True, False) == (len(few["trace"]), few["shortest"], found["interrupted"])


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (SMALL, ["PROVED  few", "looked at", "nearest to breaking", "pot is 5"]),
        (BIG, ["REFUTED  few", "pot  is  4", "<-- broken here"]),
        ('invariant "few" never: pot is 7', ["PROVED  few", "the last time, after answer", "pot is "]),
        ('invariant "few": pot only increases', ["PROVED  few", "holds     0 -> "]),
        ('invariant "few": pot is 1 leads to pot > 3', ["PROVED  few", "the second part holds after answers"]),
        ('possible "few": pot is 5', ["witnessed  few", "3 answers, proved shortest"]),
        ('possible "few": pot is 6', ["REFUTED  few", "no game comes to it"]),
        ('invariant "few" after idle: yes', ["VACUOUS  few", "at which it could be looked at"]),
        ('claim "few": win_rate(1) in 0..1', ["PROVED  few", "exactly"]),
    ],
)
def test_explain(steps: Steps, line: str, shown: list[str]) -> None:
    """Whatever the verdict, there is a game to look at, or a word why there is none."""
    result = CliRunner().invoke(cli.program, ["verify", str(steps(line)), "--explain", "few"])

    assert [] == [each for each in shown if each not in " ".join(result.stdout.split()) and each not in result.stdout]
    assert 1 == result.stdout.count("step  who") or ("PROVED" not in result.stdout or "claim" in line)


def test_explain_what_holds_in_every_game(steps: Steps) -> None:
    """Also of a property that every game has."""
    assert "a game of" in regelwerk("verify", steps(), "--explain", "looking changes nothing").stdout


def test_progress_is_for_terminals(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is being done is shown where somebody looks, and nowhere else."""
    assert "" == regelwerk("verify", steps()).stderr
    with cli.progress_words("a game") as say:
        assert say is None
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with cli.progress_words("a game") as say:
        assert say is not None
        say("positions", 1_000, 20)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise there")
def test_interrupted(steps: Steps) -> None:
    """Ctrl-C ends the search; what was known by then is printed."""
    text = STEPS.replace("0..9 ", "0..99999 ").replace("1..6 = 4", "1..90000 = 90000")
    command = [sys.executable, "-m", "regelwerk", "verify", str(steps(SMALL, text=text)), "--budget", "none", "--json"]
    code = "import regelwerk.cli as cli, regelwerk.verify.explore as e, os, signal\n"
    code += "run = e.Search.run\n"
    code += "def soon(self, budget, progress=None):\n"
    code += "    def tell(known, *more):\n"
    code += "        if known > 50: os.kill(os.getpid(), signal.SIGINT)\n"
    code += "        if progress: progress(known, *more)\n"
    code += "    return run(self, budget, tell)\n"
    code += "e.Search.run = soon\ncli.main()\n"
    result = subprocess.run([sys.executable, "-c", code, *command[3:]], capture_output=True, text=True, timeout=60)
    data = json.loads(result.stdout)

    assert (130, True, False) == (result.returncode, data["interrupted"], data["complete"])
    assert "few" in {each["name"] for each in data["properties"]}


HUGE = """game "Huge"
players 1
play:
    phase turn each player:
        let most = 999999999999999999 * 9 + 223372036854775807 + 9
        choose one from 0..1 as less
        choose one from 1..2 as other
        if most - less > other: end game
score: 3
"""
"""Between its decisions a game keeps the greatest number there is."""


def test_the_greatest_number(steps: Steps) -> None:
    """Positions can hold whatever numbers can be."""
    regelwerk("verify", steps(text=HUGE))

    assert "3/1" in regelwerk("solve", steps(text=HUGE)).output


def test_a_number_that_soon_is_too_great() -> None:
    """Play that would go on for ever, were it not for a fault in the rules."""
    grows = STEPS.replace("var pot: 0..9 = 0", "var pot = 1").replace("pot >= goal", "pot < goal - 9")
    report = looked(grows.replace("        if pot > 8:", "        pot = pot * 9\n        if pot > 8:"), seconds=1.0)

    assert finding(report, "every value stays in its range").verdict == "refuted"


def test_solve_as_json() -> None:
    """The JSON of `solve` has the keys that the page shows, and its values."""
    words = ("classics/kuhn_poker", "--agent", "bluffing", "--agent", "honest", "--for", "score")
    found, shown = json.loads(regelwerk("solve", *words, "--json").stdout), documented("solve")

    assert list(shown) == list(found)
    assert {**shown, "seconds": 0, "low": 0, "high": 0} == {**found, "seconds": 0, "low": 0, "high": 0}


def test_solve_says_what_is_hidden() -> None:
    """Best play of Kuhn poker looks into both hands, and that is said; two strategies do not."""
    assert "sees it all" in regelwerk("solve", "classics/kuhn_poker").stdout
    assert "sees it all" not in regelwerk("solve", "classics/kuhn_poker", "--agent", "random").stdout
    assert "sees it all" not in regelwerk("solve", "classics/pig", "--set", "target=5").stdout


def test_solve_pig() -> None:
    """Pig to so few points that nobody should hold: the first player's chance is a fraction."""
    found = json.loads(regelwerk("solve", "classics/pig", "--set", "target=10", "--json").stdout)
    same = json.loads(
        regelwerk("solve", "classics/pig", "--set", "target=10", "--agent", "optimal_at_20", "--json").stdout
    )

    assert found["seats"] == same["seats"]
    assert 1 == sum(map(Fraction, found["seats"]))
    assert (0.0, ["best", "best"]) == (found["error"], found["agents"])


@pytest.mark.parametrize(
    ("text", "words", "code", "said"),
    [
        (STEPS, (), 0, "seat 1 (best)"),
        (STEPS, ("-p", "3"), 3, "two players"),
        (STEPS, ("-p", "3", "--agent", "random"), 0, "seat 3 (random)"),
        (STEPS, ("--budget", "0.000001s"), 3, "more than"),
        (STEPS.replace("pot += n", "pot += 5 * n"), (), 1, "the rules break off"),
        (STEPS, ("--agent", "clever"), 2, "clever"),
        (STEPS, ("--agent", "best", "--agent", "best", "--agent", "best"), 2, "3 times for 2 players"),
        (STEPS, ("--set", "goal=1,2"), 2, "one table"),
        (STEPS, ("--focus", "x"), 2, "no focus"),
        (STEPS + FOCUS, ("--focus", "last steps"), 0, "value counted"),
        (STEPS, ("--for", "value"), 2, "only a focus"),
        (STEPS, ("--for", "score"), 3, "add up to the same"),
        (STEPS + "score: pots", (), 65, "score"),
    ],
)
def test_solve_codes(steps: Steps, text: str, words: tuple[str, ...], code: int, said: str) -> None:
    """Each way of having no answer has its exit code and its words."""
    assert said in regelwerk("solve", steps(text=text), *words, code=code).output


# ---- mutants -------------------------------------------------------------------------------------------


def test_mutate(steps: Steps) -> None:
    """Small changes of the rules are told with who notices them, and with those that nobody does."""
    file = steps(SMALL)

    text = regelwerk("verify", file, "--mutate", "--jobs", 1).stdout
    data = json.loads(regelwerk("verify", file, "--mutate", "--jobs", 1, "--json").stdout)

    assert f"{data['mutants']} mutants" in text and "nobody notices" in text
    assert 0 < data["killed"] < data["changing"] <= data["mutants"]
    assert data["killed"] == sum(bool(row["killed_by"]) for row in data["rows"])
    assert sum(data["judges"].values()) >= data["killed"]
