"""The check keeps what the cases promise: what is wrong is said once and at its place, what is right is accepted.

A file in `cases/` holds many rulesets, with a line `---` between them. A promise stands at the end of the line
that is wrong: `#! R201 at pott hint: Did you mean `pot`?`; the text after `at` is what the caret is under, and
both it and the hint may be left out. A ruleset after `--- coins` can be named by the others of its file.
"""

import re
from pathlib import Path

import attrs
import pytest

from regelwerk import dsl
from regelwerk.dsl import problems
from regelwerk.interpreter.examples import run_example

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
    assert [] == [failure for example in game.examples if (failure := run_example(game, example))]


def test_every_kind_of_problem_has_a_case() -> None:
    """No kind of problem goes untested; what is wrong with files themselves is tested in `test_files.py`."""
    promises = {promise.code for case in CASES for promise in promised(case.text)}

    assert set(problems.KINDS) == promises | {"R001", "R005", "R006"}


def test_a_case_keeps_to_itself() -> None:
    """The rulesets of a file have names of their own."""
    for file in HERE.glob("*.rules"):
        names = [case.name for case in cases_of(file)]

        assert len(names) == len(set(names))
