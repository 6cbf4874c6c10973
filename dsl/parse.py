"""Text → syntax tree and problems.

Where reading gets stuck, the problem is reported, the lines it is in are taken out with all that is indented
under them, a hole is put in their place, and the text is read again: so one run reports every line that stands
wrong, and each only once.
"""

import re
from collections.abc import Iterable
from typing import Any

from lark import Token, Tree

from . import syntax
from .build import build
from .grammar import HOLE, Stuck, read
from .lines import Line, lines
from .mistakes import Mistake, lines_around, mistake, named
from .problems import BadIndentation, Problem, TooDeep, UnknownCharacter
from .source import Source, Span

MOST_CHARACTERS = 1_000_000
MOST_DIGITS = 18
DEEPEST = 80
MOST_PROBLEMS = 20
PATIENCE = 1_000_000
"""How many characters are read in all: a large text is not read again for each of its problems."""


def parse(source: Source, problems: list[Problem], examples: bool = True) -> syntax.File:
    """The syntax tree of a text. What could not be read is appended to `problems` and left out of the tree.

    Without `examples`, these are passed over: often they are half of a text.
    """
    if len(source.text) > MOST_CHARACTERS:
        fact = f"the file has {len(source.text):,} characters; at most {MOST_CHARACTERS:,} can be read"
        problems.append(TooDeep(Span(source, 0, 0), fact))
        return syntax.File(None, ())
    file, found = _read(source, examples)
    problems.extend(sorted(found, key=lambda problem: problem.at.start)[:MOST_PROBLEMS])
    return file


def _read(source: Source, examples: bool) -> tuple[syntax.File, list[Problem]]:
    """The tree of as much as can be read, and what is wrong with the rest."""
    found, text = _cleaned(source)
    text = text if examples else _EXAMPLE.sub(lambda example: _IN_A_LINE.sub(" ", example.group()), text)
    spoilt = {problem.at.line for problem in found}
    tabbed = any(isinstance(problem, BadIndentation) for problem in found)
    for _ in range(1 + min(MOST_PROBLEMS, PATIENCE // max(1, len(text)))):
        wrong = _wrong(source, text)
        if isinstance(wrong, Tree):
            return build(source, wrong), found
        if wrong is None or wrong.problem in found:
            break
        if wrong.problem.at.line not in spoilt and not (tabbed and isinstance(wrong.problem, BadIndentation)):
            found.append(wrong.problem)
        text = _without(text, wrong)
    return syntax.File(None, ()), found


def _wrong(source: Source, text: str) -> Tree[Token] | Mistake | None:
    """Lark's tree of a text, or the first thing that is wrong; None if not even a hole may stand there."""
    try:
        tree = read(text)
    except Stuck as stuck:
        return None if stuck.kind == "HOLE" else mistake(source, text, stuck)
    return _too_deep(source, text, tree) or tree


def _without(text: str, wrong: Mistake) -> str:
    """The text with lines blanked, and a hole left where they began."""
    for line in wrong.lines:
        text = text[: line.start] + " " * len(line.text) + text[line.start + len(line.text) :]
    begin = wrong.lines[0].begin
    return text[:begin] + HOLE + text[begin + 1 :] if wrong.hole else text


_EXAMPLE = re.compile(r'^example[ \t]*".*(?:\n(?:[ #].*)?$)*', re.MULTILINE)
_IN_A_LINE = re.compile(".")


# ---- before reading --------------------------------------------------------------------------------------

_ODD = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\uf8ff\\ufeff\\ufff0-\\uffff]"
)
"""Signs that are not shown or turn what is shown around; among them is the one that stands for a hole."""

_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_LONG_NUMBER = re.compile(rf"(?=[0-9])(?:(?<!\w)|(?<=\bx))[0-9]{{{MOST_DIGITS + 1},}}")


def _cleaned(source: Source) -> tuple[list[Problem], str]:
    """What is wrong whatever the grammar says, and a text of the same length without it."""
    problems = [*_odd_characters(source), *_tabs(source), *_long_numbers(source)]
    text = _ODD.sub(" ", source.text)
    text = _INDENT.sub(lambda indent: " " * len(indent.group()), text)
    return problems, _LONG_NUMBER.sub(lambda number: f"1{' ' * (len(number.group()) - 1)}", text)


def _odd_characters(source: Source) -> Iterable[Problem]:
    """Each odd character once."""
    places: dict[str, list[int]] = {}
    for match in _ODD.finditer(source.text):
        places.setdefault(match.group(), []).append(match.start())
    for character, (first, *more) in list(places.items())[:MOST_PROBLEMS]:
        fact = f"{named(character)} may not stand in a rules file" + _and_more(more)
        yield UnknownCharacter(Span(source, first, first + 1), fact)


def _tabs(source: Source) -> Iterable[Problem]:
    """The first line that is indented with a tab."""
    if "\t" not in source.text:
        return
    found = [line for line in lines(source.text) if line.code and "\t" in line.text[: line.indent]]
    if found:
        at = Span(source, found[0].start, found[0].begin)
        fact = "this line is indented with a tab" + _and_more(found[1:])
        yield BadIndentation(at, fact, "Indent with spaces, four for each step.")


def _long_numbers(source: Source) -> Iterable[Problem]:
    if not _LONG_NUMBER.search(source.text):
        return
    for line in lines(source.text):
        for match in _LONG_NUMBER.finditer(line.code):
            at = Span(source, line.start + match.start(), line.start + match.end())
            yield TooDeep(at, f"numbers have at most {MOST_DIGITS} digits")


def _and_more(more: list[int] | list[Line]) -> str:
    return f" (and {len(more)} more like it)" if more else ""


# ---- after reading ---------------------------------------------------------------------------------------


def _too_deep(source: Source, text: str, tree: Tree[Token]) -> Mistake | None:
    """A place nested so deeply that later stages could not follow."""
    level: list[Tree[Token]] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in node.children if isinstance(child, Tree)]
    if not level:
        return None
    first: Any = level[0]
    while isinstance(first, Tree):
        first = next(child for child in first.children if child is not None)
    at = Span(source, first.start_pos, first.start_pos)
    fact = f"this is nested more than {DEEPEST} deep"
    return Mistake(TooDeep(at, fact, "Name a part of it with `define` or `let`."), lines_around(text, at.start))
