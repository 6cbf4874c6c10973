"""Texts and places in them: what every later stage points back into."""

import re
from bisect import bisect_right
from functools import cached_property

import attrs

_HEAD = re.compile(r'(?:"[^"\n]*"|[^#\n])*')


@attrs.frozen(slots=False)
class Source:
    """A rules file as read: its name for messages and its text, with line ends as `\\n`."""

    name: str
    text: str = attrs.field(repr=False)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line counted from 1, without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end]


@attrs.frozen
class Span:
    """A stretch of one source, from `start` up to but not including `end`."""

    source: Source = attrs.field(repr=False)
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line where the stretch begins, counted from 1."""
        return self.source.place(self.start)[0]

    @property
    def column(self) -> int:
        """The column where the stretch begins, counted from 1."""
        return self.source.place(self.start)[1]

    @property
    def text(self) -> str:
        """What stands there."""
        return self.source.text[self.start : self.end]

    @property
    def head(self) -> "Span":
        """Its first line, up to a comment."""
        head = _HEAD.match(self.source.text, self.start, self.end)
        assert head
        return Span(self.source, self.start, self.start + len(head.group().rstrip()))

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


NOWHERE = Span(Source("", ""), 0, 0)
