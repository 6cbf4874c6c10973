"""The check keeps what the cases promise: what is wrong is said once and at its place, what is right is accepted.

A file in `cases/` holds many rulesets, with a line `---` between them. A promise stands at the end of the line
that is wrong: `#! R201 at pott hint: Did you mean `pot`?`; the text after `at` is what the caret is under, and
both it and the hint may be left out. A ruleset after `--- coins` can be named by the others of its file.
"""

import re
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Written, rules_files

from regelwerk import dsl
from regelwerk.dsl import files, problems
from regelwerk.interpreter.examples import run_examples

HERE = Path(__file__).parent / "cases"
PROMISE = re.compile(r"(R\d{3})(?: at (.*?))?(?: hint: (.*))?")


@attrs.frozen
class Case:
    """One ruleset of a file; above it stand as many empty lines as there are lines before it."""

    file: Path
    name: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file.name}:{self.line}"


@attrs.frozen
class Told:
    """A problem as a case promises it, or as it was found. `at` is the first line of what is marked."""

    line: int
    code: str
    at: str | None
    hint: str | None


def cases_of(file: Path) -> list[Case]:
    cases, name, start = [], "", 1
    lines = file.read_text("utf-8").splitlines()
    for number, line in enumerate([*lines, "---"], 1):
        if re.match(r"---( |$)", line):
            text = "\n" * (start - 1) + "\n".join(lines[start - 1 : number - 1]) + "\n"
            cases.append(Case(file, name or f"case_{start}", start, text))
            name, start = line[3:].strip(), number + 1
    return cases


def promised(text: str) -> list[Told]:
    promises = []
    for number, line in enumerate(text.splitlines(), 1):
        for promise in line.split(" #! ")[1:]:
            match = PROMISE.fullmatch(promise.strip())
            assert match, f"no promise: {line}"
            promises.append(Told(number, *match.groups()))
    return promises


def write(case: Case, folder: Path) -> None:
    """Put all rulesets of a case's file into a folder."""
    for one in cases_of(case.file):
        folder.joinpath(one.name + ".rules").write_text(one.text, "utf-8")


def found(case: Case, folder: Path) -> list[Told]:
    write(case, folder)
    try:
        dsl.load(folder / f"{case.name}.rules")
    except dsl.RulesetError as error:
        return [Told(p.at.line, p.code, p.at.text, p.hint()) for p in error.problems]
    return []


def kept(actual: Told, promise: Told) -> bool:
    """Whether a problem is all that a promise says of it."""
    wanted = attrs.astuple(promise)
    return all(want is None or want == have for want, have in zip(wanted, attrs.astuple(actual), strict=True))


CASES = [case for file in sorted(HERE.glob("*.rules")) for case in cases_of(file)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_case(case: Case, tmp_path: Path) -> None:
    """A ruleset has the problems that it promises, and no others."""
    promises, actual = promised(case.text), found(case, tmp_path)
    for promise in list(promises):
        for problem in actual:
            if kept(problem, promise):
                promises.remove(promise)
                actual.remove(problem)
                break

    assert (promises, actual) == ([], [])


RIGHT = [case for case in CASES if not promised(case.text) and "\nexample " in case.text]


@pytest.mark.parametrize("case", RIGHT, ids=str)
def test_examples(case: Case, tmp_path: Path) -> None:
    """A right ruleset means what its examples say."""
    write(case, tmp_path)
    game = dsl.load(tmp_path / f"{case.name}.rules").game

    assert game.examples
    assert [] == [failure for _, failure in run_examples(game, game.examples) if failure]


def test_every_kind_of_problem_has_a_case() -> None:
    """No kind of problem goes untested; what is wrong with files themselves is tested in `test_files.py`."""
    promises = {promise.code for case in CASES for promise in promised(case.text)}

    assert set(problems.KINDS) == promises | {"R001", "R005", "R006"}


def test_a_case_keeps_to_itself() -> None:
    """The rulesets of a file have names of their own."""
    for file in HERE.glob("*.rules"):
        names = [case.name for case in cases_of(file)]

        assert len(names) == len(set(names))


# ---- strangers -------------------------------------------------------------------------------------------

LIBRARY = [path.read_text("utf-8") for path in sorted(files.library_folder().rglob("*.rules"))]
SMALL = [text for text in LIBRARY if len(text) < 6_000] + [case.text.lstrip("\n") for case in CASES]
TOKEN = re.compile(r'"[^"\n]*"|#[^\n]*|[^\W\d]\w*|[0-9]+|[^\s\w]+')


def checked(text: str) -> None:
    """Load a text; what is wrong with it is told in words, at places that are there."""
    try:
        dsl.load_text(text)
    except dsl.RulesetError as error:
        for problem in error.problems:
            report = problem.report()

            assert report.title and report.primary.text
            assert all(0 <= at.start <= at.end <= len(at.source.text) for at in [problem.at])
        assert error.problems


@st.composite
def changed(draw: st.DrawFn, texts: list[str]) -> str:
    """A ruleset in which tokens and lines were lost, doubled, exchanged, or took another's place."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        tokens = [match for match in TOKEN.finditer(text) if match.group()[0] not in '"#']
        lines = text.split("\n")
        if not tokens:
            break
        here, there = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        line, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        match draw(
            st.sampled_from(["name", "name", "name", "number", "lose", "lose line", "double line", "move line"])
        ):
            case "name":
                text = text[: here.start()] + there.group() + text[here.end() :]
            case "number":
                number = draw(st.sampled_from(["0", "1", "-1", "7", "100000", "9" * 18]))
                text = re.sub(r"(?<!\w)[0-9]+", number, text, count=1 + here.start() % 7)
            case "lose":
                text = text[: here.start()] + text[here.end() :]
            case "lose line":
                text = "\n".join(lines[:line] + lines[line + 1 :])
            case "double line":
                text = "\n".join(lines[: line + 1] + lines[line:])
            case _:
                indent = " " * (len(lines[line]) - len(lines[line].lstrip()))
                text = "\n".join([*lines[:line], indent + lines[other].strip(), *lines[line:]])
    return text


@given(changed(SMALL))
def test_a_ruleset_with_something_changed(text: str) -> None:
    """Whatever has happened to a ruleset, it is a ruleset or it is said what is wrong with it."""
    checked(text)


@settings(max_examples=max(settings().max_examples // 10, 1))  # each takes as long as loading a large game
@given(changed(LIBRARY))
def test_a_shipped_ruleset_with_something_changed(text: str) -> None:
    """The same for everything in the library."""
    checked(text)


@given(rules_files())
def test_what_the_grammar_allows(written: Written) -> None:
    """Whatever follows the notation is a ruleset, or it is said what is wrong with it."""
    checked(written.text)


HEAD = """game "Hostile"
players 2..4
components chips:
    has number: 1..6
    1 of each
zone bag: chips
var x: 0..999 = 0
var flag = no
setup:
    move chips to bag
"""


def nested(times: int, before: str, after: str, core: str) -> str:
    return before * times + core + after * times


def blocks(times: int, line: str) -> str:
    """Blocks in blocks; `#` in the line stands for a number of its own."""
    lines = ("    " * n + line.replace("#", str(n)) + "\n" for n in range(1, times + 1))
    return "play:\n" + "".join(lines) + "    " * (times + 1) + "x = 1\n"


def playing(statement: str) -> str:
    return f"play:\n    {statement}\n"


def chain(begin: str, line: str, end: str) -> str:
    """300 lines, each with the number `#` of its own and `@` of the next one."""
    lines = [line.replace("#", str(n)).replace("@", str(n + 1)) for n in range(300)]
    return begin + "".join(lines) + end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (playing("flag = " + nested(70, "not ", "", "flag")), ""),
        (playing("x = " + nested(36, "abs(", ")", "x")), ""),
        (playing("x = " + nested(36, "1 if flag else (", ")", "2")), ""),
        (playing("x = " + nested(36, "(", " if flag else 1)", "2")), ""),
        (playing("move " + nested(36, "bag - (", ")", "bag") + " to box"), ""),
        (playing("move " + nested(25, "(", " where number > 1)", "bag") + " to box"), ""),
        (playing("move " + nested(15, "bag where any(", ")", "bag") + " to box"), ""),
        (playing("x = seat(" + nested(36, "next(", ")", "player(1)") + ")"), ""),
        (playing("x = bag" + ".number" * 60), "R401"),
        (playing("x = x" + "[1]" * 60), "R305"),
        (playing("flag = " + " and ".join(["flag"] * 1000)), ""),
        (playing("x = " + " + ".join(["x"] * 1000)), "R004"),
        (blocks(36, "if flag:"), ""),
        (blocks(36, "for a# in 1..2:"), ""),
        (blocks(36, "phase a# each player:"), ""),
        (blocks(36, "repeat until flag:"), ""),
        (blocks(100, "if flag:"), "R004"),
        (chain("", "define d# = d@ + 1\n", "define d300 = 1\n" + playing("x = d0")), "R004"),
        (chain("", "action a#: do a@\n", "action a300: x = 1\n" + playing("do a0")), "R004"),
        (chain("", "constant c# = c@\n", "constant c300 = 1\n" + playing("x = c0")), ""),
        (chain("", "option o#: 0..9 = o@\n", "option o300: 0..9 = 1\n" + playing("x = o0")), ""),
        (chain("", "define d# = d@ + 1\n", "define d300 = d0\n" + playing("x = d0")), "R004"),
        (chain("", "action a#: do a@\n", "action a300: do a0\n" + playing("do a0")), "R004"),
        (chain("play:\n", "    x = y#\n", ""), "R201"),
        (chain("", "var x: 0..1 = 0\n", playing("x = 1")), "R202"),
        (chain("play:\n", "    let a# = 1\n    choose by player(1) one from 1..2 as b#\n    x = b#\n", ""), ""),
        ("components c:\n    faces f: a x" + "9" * 5000 + "\n    1 of each\n" + playing("x = 1"), "R004"),
        ("components c:\n    has n: 1..1000000000\n    1 of each\n" + playing("move c to box"), "R109"),
        ("components c:\n    1000000000 of each\n" + playing("move c to box"), "R109"),
        ("var v[1..1000, 1..1000] = 0\n" + playing("x = 1"), "R109"),
        ("zone z[1..1000, player, 1..1000]: chips\n" + playing("x = 1"), "R109"),
        ("constant a = 999999999999999999 * 999999999999999999\n" + playing("x = a * a * a"), "R402"),
    ],
)
def test_hostile(text: str, expected: str) -> None:
    """Nothing is followed so deep, or so long, that the check breaks down."""
    try:
        dsl.load_text(HEAD + text)
        codes = {""}
    except dsl.RulesetError as error:
        codes = {problem.code for problem in error.problems}

    assert {expected} == codes
