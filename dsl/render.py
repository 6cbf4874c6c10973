"""A problem drawn for a person to read, or as plain data for an editor. Knows no terminal, only its colours."""

import unicodedata
from collections.abc import Iterable, Iterator

import attrs

from .problems import Label, Problem
from .source import Source, Span

TAB = 4
WIDEST = 120
"""How many columns of a line are shown; of a longer one, those around the place."""

_COLOURS = {"error": "\033[1;31m", "title": "\033[1m", "primary": "\033[31m", "other": "\033[34m", "hint": "\033[36m"}
_PLAIN = "\033[0m"


@attrs.frozen
class _Ink:
    """Puts colours on text, or none."""

    colour: bool

    def __call__(self, kind: str, text: str) -> str:
        return f"{_COLOURS[kind]}{text}{_PLAIN}" if self.colour and text else text


def draw(problem: Problem, colour: bool = False) -> str:
    """A problem with its place, the text that stands there, and what to do. Ends without a line end."""
    ink, report = _Ink(colour), problem.report()
    head = ink("error", f"error[{problem.code}]") + ink("title", f": {_shown(report.title)}")
    labels = (report.primary, *report.others)
    gutter = max(4, max(len(str(_last_line(label.at))) for label in labels))
    drawn = [head, *_labels(labels, gutter, ink)]
    if report.hint:
        drawn.append(f"  {ink('hint', 'hint')}: {_shown(report.hint)}")
    return "\n".join(line.rstrip() for line in drawn)


def as_json(problem: Problem) -> dict[str, object]:
    """A problem as plain data; lines and columns are counted from 1, and the end is the place behind."""
    report = problem.report()
    return {
        "code": problem.code,
        "title": report.title,
        **_place(report.primary),
        "hint": report.hint,
        "others": [_place(label) for label in report.others],
    }


def _place(label: Label) -> dict[str, object]:
    start, end = _ends(label.at)
    (line, column), (end_line, end_column) = label.at.source.place(start), label.at.source.place(end)
    return {
        "message": label.text,
        "file": label.at.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }


def _ends(at: Span) -> tuple[int, int]:
    """Start and end of a stretch, kept inside its text."""
    start = min(max(at.start, 0), len(at.source.text))
    return start, min(max(at.end, start), len(at.source.text))


def _last_line(at: Span) -> int:
    return at.source.place(_ends(at)[1])[0]


# ---- excerpts --------------------------------------------------------------------------------------------


def _labels(labels: Iterable[Label], gutter: int, ink: _Ink) -> Iterator[str]:
    """Every label under the text it is about; file names where they change, a line only once in a row."""
    source: Source | None = None
    shown: int | None = None
    for sign, label in zip(("^", *"-" * len(tuple(labels))), labels, strict=False):
        if label.at.source is not source:
            yield from _arrow(label.at, first=source is None)
            source, shown = label.at.source, None
        for number, line in _excerpt(label, sign, gutter, ink):
            if number is None or number != shown:
                yield line
            shown = number or shown


def _arrow(at: Span, *, first: bool) -> Iterator[str]:
    if at.source.name:
        line, column = at.source.place(_ends(at)[0])
        yield f"  {'-->' if first else ':::'} {_shown(at.source.name)}:{line}:{column}"


def _excerpt(label: Label, sign: str, gutter: int, ink: _Ink) -> Iterator[tuple[int | None, str]]:
    """The first and the last line of a stretch, each with its number, and marks below them without one."""
    source, (start, end) = label.at.source, _ends(label.at)
    text, kind = _shown(label.text), "primary" if sign == "^" else "other"
    if not source.text:
        if text:
            yield None, " " * gutter + " | " + ink(kind, text)
        return
    (first, from_), (last, to) = source.place(start), source.place(end)
    if last > first and not source.line(last)[: to - 1].strip():
        last, to = last - 1, len(source.line(last - 1)) + 1
    for number in sorted({first, last}):
        if number == last > first + 1:
            yield None, " " * (gutter - 1) + "… |"
        shown = source.line(number)
        begin = from_ - 1 if number == first else len(shown) - len(shown.lstrip())
        window = _Window.around(shown, begin, to - 1 if number == last else len(shown.rstrip()))
        yield number, f"{number:>{gutter}} | {window.text}"
        marks = " " * window.before + ink(kind, sign * window.width + (f" {text}" if number == last and text else ""))
        yield None, " " * gutter + " | " + marks


@attrs.frozen
class _Window:
    """The part of a line that is shown, and where the marked stretch lies in it, in columns of a terminal."""

    text: str
    before: int
    width: int

    @classmethod
    def around(cls, line: str, start: int, end: int) -> "_Window":
        """A line with marks from one place in it to another."""
        left = max(0, start - WIDEST // 2) if len(line) > WIDEST else 0
        right = left + WIDEST
        text = ("…" if left else "") + line[left:right].rstrip() + ("…" if len(line) > right else "")
        ahead = (1 if left else 0) + columns(line[left:start])
        marked = columns(line[start : min(end, right)], ahead)
        return cls(_expanded(text), ahead, max(1, marked))


def _expanded(line: str) -> str:
    """A line as shown: tabs as spaces, what cannot be shown as a sign for it."""
    shown = ""
    for character in line:
        shown += " " * TAB if character == "\t" else _visible(character)
    return shown


def columns(text: str, ahead: int = 0) -> int:
    """How many columns of a terminal a text takes."""
    return sum(TAB if character == "\t" else _width(_visible(character)) for character in text)


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _visible(character: str) -> str:
    """A character that shows and moves nothing: odd ones become a sign for them."""
    hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return "\N{REPLACEMENT CHARACTER}" if hidden else character


def _shown(text: str) -> str:
    return "".join(" " if character in "\n\t" else _visible(character) for character in text)
