"""The lines of a text before any grammar reads them: what is code, how far it is indented, which brackets are open."""

import re
from collections.abc import Sequence

import attrs

_TEXTS_AND_COMMENT = re.compile(r'"[^"\n]*"|#.*')
_FIRST = re.compile(r"[^\W\d]\w*")


@attrs.frozen(slots=False)
class Line:
    """One line. Its code has no comment, no space at its end, and other signs instead of texts in quotes."""

    number: int
    start: int
    text: str
    code: str

    @property
    def indent(self) -> int:
        """How far the code is indented; a tab counts like a space."""
        return len(self.code) - len(self.code.lstrip(" \t"))

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
        found.append(Line(number, start, line, code))
        start += len(line) + 1
    return tuple(found)


def _blanked(match: re.Match[str]) -> str:
    text = match.group()
    return "" if text.startswith("#") else '"' * len(text)


def logical(given: Sequence[Line]) -> list[tuple[Line, ...]]:
    """The lines with code, those that go on inside brackets together with the one before.

    Brackets that are not closed before a line indented like the first one end there.
    """
    found: list[list[Line]] = []
    depth = 0
    for line in given:
        if not line.code:
            continue
        goes_on = depth > 0 and (line.indent > found[-1][0].indent or line.code[line.indent] in ")]")
        if goes_on:
            found[-1].append(line)
        else:
            found.append([line])
        depth = max(0, depth * goes_on + _opened(line.code))
    return [tuple(one) for one in found]


def _opened(code: str) -> int:
    return sum(code.count(sign) for sign in "([") - sum(code.count(sign) for sign in ")]")
