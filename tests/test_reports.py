"""What a verification prints and writes."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regelwerk import dsl
from regelwerk.dsl.render import columns
from regelwerk.interpreter import Answer, Reference
from regelwerk.interpreter.records import read_record, replay
from regelwerk.verify.exports import files, itf, mermaid, pytest_file, record
from regelwerk.verify.report import junit, lines, plain, sarif, story, wrap
from regelwerk.verify.verdicts import Change, Covered, Finding, Report, Row, Side, Trace, Verdict

COINS = (Path(__file__).parent / "games" / "coins.rules").read_text("utf-8").partition("claim ")[0]
PROMISE = 'invariant "nobody has three points" always: max(p.points for p in players) < 3\n'
UNICODE = "Æpfel「りんごの数」 never reach the 上限 ‹∞›, however long the game of a name goes on and on"
ANSWERS: tuple[int | Answer, ...] = (0, (0, 0), 1, 1)
"""Seat 1 tosses two heads, then each takes a point; seat 1 has three then."""


def made(text: str = COINS + PROMISE, name: str = "my coins.rules") -> dsl.Ruleset:
    """The game of coins with a promise that it breaks."""
    return dsl.load_text(text, name)


# ---- reports by hand -----------------------------------------------------------------------------------

RULES = made()
TEXT = RULES.sources[0]
PROMISED = dsl.Span(TEXT, TEXT.text.index("invariant"), len(TEXT.text) - 1)

ROWS = (
    Row(1, 1, "toss_or_take", "toss", ("round", "turn"), (), matters=True),
    Row(2, None, "throw", "heads, heads", ("round", "turn"), (Change("player 1 points", "0", "2", 21),), matters=True),
    Row(3, 2, "toss_or_take", "take", ("round", "turn"), (Change("player 2 points", "0", "1", 27),), matters=False),
    Row(
        4,
        1,
        "toss_or_take",
        "take",
        ("round", "turn"),
        (Change("player 1 points", "2", "3", 27), Change("turn", "player 2", "player 1")),
    ),
)
BROKEN = Trace(
    answers=ANSWERS,
    rows=ROWS,
    start=("player 1 points 0", "player 2 points 0"),
    shortest=True,
    examined=120,
    message="the invariant does not hold: nobody has three points",
    span=PROMISED,
    sides=(Side("max(p.points for p in players)", "3"), Side("3", "3")),
    record="regelwerk record 1\n",
)
ENDLESS = attrs.evolve(BROKEN, shortest=False, message="play can go on for ever", span=None, sides=(), repeats=2)
WITNESS = attrs.evolve(BROKEN, rows=ROWS[:2], answers=ANSWERS[:2], message="", span=None, sides=())

EVERY = [
    Finding("points stay small", "author", "proved", evaluated=1155),
    Finding("somebody tosses twice", "author", "proved", trace=WITNESS),
    Finding("no debts", "author", "holds_to_depth"),
    Finding(
        "nobody is left behind", "author", "not_refuted", "48,210 random games; fewer than 1 in 16,000 break it (95 %)"
    ),
    Finding("nobody has three points", "author", "refuted", span=PROMISED, trace=BROKEN),
    Finding(
        "a pair pays double", "author", "vacuous", "never evaluated: line 31 is never reached", notes=("add a game",)
    ),
    Finding("the last one can win", "author", "undecided", "the budget was spent"),
    Finding("scores differ", "author", "undecided", unchecked="a house rule allows ties"),
    Finding(UNICODE, "author", "refuted", trace=attrs.evolve(BROKEN, message=UNICODE, start=(UNICODE, UNICODE))),
    Finding("every decision has an option", "free", "proved"),
    Finding("the game comes to an end", "free", "refuted", trace=ENDLESS),
    Finding("nothing hidden shows", "free", "undecided", unchecked="nothing is hidden"),
]


def report(findings: list[Finding] = EVERY, **different: Any) -> Report:
    """A report on a game that was too large."""
    made = Report(
        ruleset="my coins.rules",
        title="Coins <&> „Münzen“",
        fingerprint="9f2c" * 16,
        players=2,
        options={"rounds": 2, "tails_too": True},
        focus=None,
        seed=7,
        positions=1155,
        depth=16,
        complete=False,
        seconds=0.02,
        findings=findings,
        coverage=[
            Covered("phases", ("round", "turn"), frozenset({"turn"})),
            Covered("faces", ("heads",), frozenset(["heads"])),
        ],
        counts={"decisions": 660, "chance": 495, "ends": 0, "games": 48210},
        file="my coins.rules",
    )
    return attrs.evolve(made, **different)


def text(report: Report, **how: Any) -> str:
    """A report as it is printed."""
    return "\n".join(line.text for line in lines(report, **how)) + "\n"


# ---- for people ----------------------------------------------------------------------------------------


def test_report_text(golden: Callable[[str, str], None]) -> None:
    """The report reads as it always did."""
    assert set(get_args(Verdict)) == {finding.verdict for finding in EVERY}
    golden("reports/verify.txt", text(report(), saved={"nobody has three points": "traces/three.record"}))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_too_wide(width: int) -> None:
    """However long or wide names are, every line fits."""
    assert [] == [line.text for line in lines(report(), width=width) if columns(line.text) > width]


@given(st.lists(st.text()), st.integers(4, 40), st.sampled_from([" ", ", ", " · "]))
def test_wrapping_keeps_everything(parts: list[str], width: int, between: str) -> None:
    """Whatever is wrapped fits, and no letter is lost."""

    def letters(text: str) -> str:
        return "".join(character for character in text if character.isalnum())

    wrapped = wrap(parts, width, between)

    assert [] == [line for line in wrapped if columns(line) > width]
    assert letters("".join(parts)) == letters("".join(wrapped))


def test_only_what_is_refuted_is_told() -> None:
    """A report without anything refuted ends with its coverage."""
    assert "step" not in text(report([finding for finding in EVERY if finding.verdict != "refuted"]))


def test_tones() -> None:
    """Every verdict has the tone it deserves, and the row where it breaks stands out."""
    tones = {line.text.split("  ")[1]: line.tone for line in lines(report(), width=200) if line.text.startswith("  ")}

    assert ("good", "plain", "plain") == (tones["PROVED"], tones["HOLDS TO DEPTH 16"], tones["NOT REFUTED"])
    assert ("bad", "warn", "warn", "quiet") == (
        tones["REFUTED"],
        tones["VACUOUS"],
        tones["UNDECIDED"],
        tones["unchecked"],
    )
    assert {"bad"} == {line.tone for line in lines(report()) if "<-- broken here" in line.text}


def test_no_chance() -> None:
    """Where chance has no part, there is no column for it."""
    alone = attrs.evolve(BROKEN, rows=(ROWS[0], attrs.evolve(ROWS[2], number=2)))
    told = [line.text for line in story(attrs.evolve(EVERY[4], trace=alone))]

    assert any(re.fullmatch(r"  step +who +does +what changed", line) for line in told)


def test_complete() -> None:
    """A search that has seen everything says so, and a proof says over how many positions."""
    printed = text(report([EVERY[0]], complete=True, counts={}, focus="the last round", notes=["seats are alike"]))

    assert "positions   1,155 · depth 16 · all looked at in 0.02 s" in printed
    assert "PROVED  points stay small  1,155 positions" in printed
    assert 'focus "the last round"' in printed
    assert "seats are alike" in printed


def test_much_is_missing() -> None:
    """Of many things never met, people see some names, and programs all."""
    missing = report(coverage=[Covered("faces", tuple(f"face {number}" for number in range(30)), frozenset())])

    assert "face 19, and 10 more" in text(missing, width=400)
    assert 30 == len(plain(missing)["coverage"]["faces"]["missing"])


def test_witness() -> None:
    """The game in which something possible happens is told like any other, and nothing in it is broken."""
    told = [line.text for line in story(EVERY[1])]

    assert told[0].startswith("witnessed  somebody tosses twice")
    assert [] == [line for line in told if "broken" in line or "why" in line]
    assert {"good", "quiet", "plain"} == {line.tone for line in story(EVERY[1])}


def test_interrupted() -> None:
    """What was interrupted says that it knows less."""
    assert "interrupted" in text(report(interrupted=True))


# ---- for programs --------------------------------------------------------------------------------------


def test_plain() -> None:
    """The data has the promised keys, is JSON, and holds the trace row by row."""
    data = json.loads(json.dumps(plain(report())))
    promised = ["ruleset", "players", "options", "positions", "depth", "complete", "seconds", "properties", "coverage"]

    assert set(promised) <= set(data)
    assert all({"name", "kind", "verdict", "trace", "shortest"} <= set(each) for each in data["properties"])
    assert [finding.verdict for finding in EVERY] == [each["verdict"] for each in data["properties"]]
    refuted = data["properties"][4]
    assert (True, 4, "my coins.rules", PROMISED.line) == (
        refuted["shortest"],
        len(refuted["trace"]),
        refuted["file"],
        refuted["line"],
    )
    assert {"what": "player 1 points", "before": "0", "after": "2", "line": 21} == refuted["trace"][1]["changes"][0]
    assert {"text": "3", "value": "3"} == refuted["game"]["sides"][1]
    assert 2 == data["properties"][10]["game"]["repeats"]
    assert (None, False, None) == tuple(data["properties"][0][key] for key in ("trace", "shortest", "game"))
    assert {"all": 2, "seen": 1, "missing": ["round"]} == data["coverage"]["phases"]


def test_junit() -> None:
    """Refuted is a failure with its trace, vacuous and undecided are errors, unchecked is skipped."""
    root = ElementTree.fromstring(junit([report(), report(players=3)]))
    suites = root.findall("testsuite")
    sorts = {
        case.attrib["name"]: [child.tag for child in case if child.tag != "system-out"]
        for case in suites[0].findall("testcase")
    }

    assert "testsuites" == root.tag
    assert {
        "tests": "24",
        "failures": "6",
        "errors": "4",
        "skipped": "4",
        "time": "0.040",
    }.items() <= root.attrib.items()
    assert 2 == len(suites)
    assert {"tests": "12", "failures": "3", "errors": "2", "skipped": "2"}.items() <= suites[0].attrib.items()
    assert [["failure"], ["error"], ["error"], ["skipped"], []] == [
        sorts[EVERY[number].name] for number in (4, 5, 6, 7, 0)
    ]
    failure = suites[0].find("testcase[@name='nobody has three points']/failure")
    assert failure is not None and failure.text is not None
    assert "<-- broken here" in failure.text
    assert {"ruleset": "my coins.rules", "seed": "7"}.items() <= {
        each.attrib["name"]: each.attrib["value"] for each in suites[0].iter("property")
    }.items()


def test_junit_of_what_xml_cannot_hold() -> None:
    """Characters that XML has not are replaced."""
    found = junit([report([Finding("a\x00b\x1b", "author", "refuted", "\ufffe")])])

    assert "a\ufffdb\ufffd" in {case.attrib["name"] for case in ElementTree.fromstring(found).iter("testcase")}


def test_sarif() -> None:
    """The document has what SARIF 2.1.0 asks for, and a result for everything that did not pass."""
    found = json.loads(json.dumps(sarif([report()])))
    (run,) = found["runs"]
    driver = run["tool"]["driver"]

    assert "2.1.0" == found["version"]
    assert found["$schema"].endswith("sarif-2.1.0.json")
    assert driver["name"]
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"]) == len(EVERY)
    assert {"refuted": "error", "vacuous": "warning", "undecided": "warning"} == {
        result["properties"]["verdict"]: result["level"] for result in run["results"]
    }
    assert 5 == len(run["results"])
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        for location in result["locations"]:
            assert "my%20coins.rules" == location["physicalLocation"]["artifactLocation"]["uri"]
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert {"startLine": PROMISED.line, "startColumn": 1, "endLine": PROMISED.line} == {
        key: region[key] for key in ("startLine", "startColumn", "endLine")
    }
    assert 1 + len(PROMISE.strip()) == region["endColumn"]


# ---- traces taken along --------------------------------------------------------------------------------


def coins(ruleset: dsl.Ruleset) -> Reference:
    """An engine for the game of coins."""
    return Reference(ruleset.game, 2, {"rounds": 2})


def test_record() -> None:
    """The record of a trace ends with the fault, and plays again."""
    ruleset = made()
    written = record(ruleset, coins(ruleset), ANSWERS, seed=7)
    read = read_record(written)

    assert replay(read, ruleset.game, ruleset.fingerprint).same
    assert read.ending.fault is not None and "nobody has three points" in read.ending.fault.message
    assert ({"rounds": "2", "pair": "two", "tails_too": "no"}, 7) == (read.options, read.seed)


def test_record_that_stops() -> None:
    """A trace without a fault stops, and plays again; so does a game to its end."""
    ruleset = made()
    for answers in (ANSWERS[:2], (1, 1, 1, 1), ()):
        written = record(ruleset, coins(ruleset), answers)

        assert replay(read_record(written), ruleset.game, ruleset.fingerprint).same


def test_record_up_to_another_fault() -> None:
    """A trace that goes on where play would stop at another promise is recorded up to there."""
    ruleset = made()
    written = record(ruleset, coins(ruleset), (*ANSWERS, 1, 1))
    read = read_record(written)

    assert len(ANSWERS) == len(read.steps)
    assert replay(read, ruleset.game, ruleset.fingerprint).same
    assert "subprocess" in pytest_file(attrs.evolve(EVERY[10], trace=attrs.evolve(ENDLESS, record=written)))


def test_itf() -> None:
    """Every state has every variable, and the last one is that in which the invariant does not hold."""
    found = json.loads(json.dumps(itf(coins(made()), BROKEN)))
    points = [state["player(1).points"] for state in found["states"]]

    assert {"#meta", "vars", "states"} == set(found)
    assert all(set(state) == {"#meta", *found["vars"]} for state in found["states"])
    assert [0, 1, 2, 3, 4] == [state["#meta"]["index"] for state in found["states"]]
    assert [0, 0, 2, 2, 3] == points
    assert "throw: 1 heads, 2 heads" in found["states"][2]["#meta"]["answer"]
    assert {"#set": ["coins#1", "coins#2"]} == found["states"][0]["tray"]
    assert "heads" == found["states"][2]["coins#1 side"]
    assert (["player 2"], {"#set": ["player 1", "player 2"]}) == tuple(
        found["states"][0][x] for x in ("turn order", "in")
    )


def test_itf_of_play_without_end() -> None:
    """A lasso says where its loop begins, and has the state there only once."""
    found = itf(coins(made()), ENDLESS)

    assert (2, 4) == (found["loop"], len(found["states"]))


def test_itf_of_a_fault() -> None:
    """Where the rules go wrong there is no state; what was answered is named."""
    text = COINS.replace("points += 1\n", "points += 50\n")
    found = itf(coins(made(text)), attrs.evolve(BROKEN, answers=(1, 1, 1), rows=(ROWS[2],) * 3))

    assert 3 == len(found["states"])
    assert "toss_or_take: take" in found["#meta"]["broken"]


def test_itf_of_large_numbers() -> None:
    """Numbers that JSON readers would round are written as text."""
    text = COINS.replace("0..50", "0..9007199254740993").replace("points += 1\n", "points += 9007199254740993\n")
    found = itf(coins(made(text)), attrs.evolve(BROKEN, answers=(1,), rows=ROWS[2:3]))

    assert {"#bigint": "9007199254740993"} == found["states"][1]["player(1).points"]


def test_files_of_names_alike() -> None:
    """No file takes the place of another."""
    ruleset, taken = made(), set[str]()
    trace = attrs.evolve(BROKEN, record=record(ruleset, coins(ruleset), ANSWERS))
    names = ("a b", "a-b", "A b!")
    found = [files(attrs.evolve(EVERY[4], name=name, trace=trace), coins(ruleset), None, taken) for name in names]

    assert sum(map(len, found)) == len({name for each in found for name in each})


def test_files() -> None:
    """What is refuted comes with a record and a test, what was only shown without a test."""
    ruleset = made()
    trace = attrs.evolve(BROKEN, record=record(ruleset, coins(ruleset), ANSWERS))
    refuted = files(attrs.evolve(EVERY[4], name="»No« three, ever!", trace=trace), coins(ruleset))
    shown = files(attrs.evolve(EVERY[1], trace=WITNESS), coins(ruleset))

    assert {"no_three_ever.itf.json", "no_three_ever.mmd", "no_three_ever.record", "test_no_three_ever.py"} == set(
        refuted
    )
    assert trace.record == refuted["no_three_ever.record"]
    assert 5 == len(json.loads(refuted["no_three_ever.itf.json"])["states"])
    assert {".json", ".mmd", ".record"} == {Path(name).suffix for name in shown}


def run_tests(folder: Path) -> "subprocess.CompletedProcess[str]":
    """What pytest says about a folder on its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_pytest_file(tmp_path: Path) -> None:
    """The test passes while the fault is there, and fails when the rules are mended."""
    file = tmp_path / "my_coins.rules"
    file.write_text(COINS + PROMISE, "utf-8")
    ruleset = made(name=file.name)
    trace = attrs.evolve(BROKEN, record=record(ruleset, coins(ruleset), ANSWERS))
    finding = attrs.evolve(EVERY[4], name='nobody has """three""" points \\', trace=trace)
    (tmp_path / "test_it.py").write_text(pytest_file(finding), "utf-8")

    broken = run_tests(tmp_path)
    file.write_text(COINS.replace("points += 1\n", "points += 0\n"), "utf-8")
    mended = run_tests(tmp_path)

    assert 0 == broken.returncode, broken.stdout
    assert "1 passed" in broken.stdout
    assert 1 == mended.returncode, mended.stdout
    assert "1 failed" in mended.stdout


def test_mermaid(golden: Callable[[str, str], None]) -> None:
    """Decisions, chance and the broken end have shapes of their own, and labels cannot break out."""
    golden(
        "reports/verify.mmd", mermaid(attrs.evolve(EVERY[4], trace=attrs.evolve(BROKEN, message='a "b" <c> #d; `e`')))
    )


def test_mermaid_of_play_without_end() -> None:
    """The last answer leads back behind the one after which everything repeats."""
    drawn = mermaid(EVERY[10])

    assert "    s4 -.->" in drawn and drawn.splitlines()[-3].endswith(" s3")
    assert "over" not in drawn
