"""The lines of a text before any grammar reads them: what is code, how far it is indented, which brackets are open."""

import re
from collections.abc import Sequence

import attrs

_TEXTS_AND_COMMENT = re.compile(r'"[^"\n]*"|#.*')
MOST_IN_BRACKETS = 50
"""In how many lines a bracket is looked for that closes another."""
_FIRST = re.compile(r"[^\W\d]\w*")


@attrs.frozen(slots=False)
class Line:
    """One line. Its code has no comment, no space at its end, and other signs instead of texts in quotes."""

    number: int
    start: int
    text: str
    code: str
    indent: int
    """How far the code is indented; a tab counts like a space."""

    @property
    def begin(self) -> int:
        """The offset where the code begins."""
        return self.start + self.indent

    @property
    def end(self) -> int:
        """The offset where the code ends."""
        return self.start + len(self.code)

    @property
    def first(self) -> str:
        """The word the code begins with, or nothing."""
        match = _FIRST.match(self.code, self.indent)
        return match.group() if match else ""


def lines(text: str) -> tuple[Line, ...]:
    """The lines of a text, the last one without an end included."""
    found, start = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        code = _TEXTS_AND_COMMENT.sub(_blanked, line).rstrip(" \t")
        found.append(Line(number, start, line, code, len(code) - len(code.lstrip(" \t"))))
        start += len(line) + 1
    return tuple(found)


def _blanked(match: re.Match[str]) -> str:
    text = match.group()
    return "" if text.startswith("#") else '"' * len(text)


def logical(given: Sequence[Line]) -> list[tuple[Line, ...]]:
    """The lines with code, those that go on inside brackets together with the one before."""
    coded = [line for line in given if line.code]
    found, start = [], 0
    while start < len(coded):
        end = start + (_closed_in(coded, start) or _deeper_in(coded, start))
        found.append(tuple(coded[start:end]))
        start = end
    return found


def _closed_in(coded: Sequence[Line], start: int) -> int | None:
    """After how many lines all brackets are closed again; None if they are not before the block ends."""
    depth = 0
    for size, line in enumerate(coded[start : start + MOST_IN_BRACKETS], 1):
        if line.indent < coded[start].indent:
            return None
        depth += _opened(line.code)
        if depth <= 0:
            return size
    return None


def _deeper_in(coded: Sequence[Line], start: int) -> int:
    """How many lines there are up to one that is indented no deeper than the first, and closes no bracket."""
    for size, line in enumerate(coded[start + 1 :], 1):
        if line.indent <= coded[start].indent and line.code[line.indent] not in ")]":
            return size
    return len(coded) - start


def _opened(code: str) -> int:
    return code.count("(") + code.count("[") - code.count(")") - code.count("]")
