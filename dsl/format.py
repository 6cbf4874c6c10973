"""Text in the house style. Moves tokens, comments and blank lines about; the syntax tree stays as it was.

A text is taken apart into its lines, each with its tokens and its comment, and every line is written anew: four
spaces for each block around it, one canonical spacing between tokens (see `_gap`), a step more in brackets that an
earlier line opened. Then tables are put into columns, comments behind code under each other, and a blank line around
each section that has a block. Lines are never broken or joined.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import attrs
from lark import Token

from .grammar import LAYOUT, tokens
from .lines import Line, lines
from .parse import parse
from .problems import Problem, RulesetError
from .render import columns
from .source import Source

STEP = 4
BEFORE_COMMENT = 2
WIDEST_ALIGNED = 100
"""Code that is wider does not push the comments of its neighbours to the right."""


def format_text(source: Source) -> str:
    """A text in the house style.

    Raises:
        RulesetError: the text cannot be read.
    """
    problems: list[Problem] = []
    parse(source, problems)
    if problems:
        raise RulesetError(problems)
    rows = _blank_lines(_tables(_rows(source.text)))
    return "".join(f"{line}\n" for line in _written(rows))


def damage(source: Source) -> str | None:
    """What the house style would do to a text beside its looks, in words; None where it does nothing.

    Raises:
        RulesetError: the text cannot be read.
    """
    done = Source(source.name, format_text(source))
    problems: list[Problem] = []
    before, after = parse(source, problems), parse(done, problems)
    if problems:
        return "formatted, it can no longer be read"
    if before != after:
        return "formatted, it says something else"
    return None if format_text(done) == done.text else "formatted again, it looks different again"


@attrs.frozen
class _Row:
    """A line to be written: how deep, its code in the house style, its comment."""

    level: int
    code: str = ""
    comment: str = ""
    kind: str = ""
    """The kind of its first token."""

    continues: bool = False
    """Whether it begins inside brackets."""

    @property
    def text(self) -> str:
        """The code with the space before it."""
        return " " * STEP * self.level + self.code

    @property
    def is_section(self) -> bool:
        """Whether a section begins here."""
        return bool(self.code) and self.level == 0 and not self.continues


BLANK = _Row(0)


# ---- text → rows -----------------------------------------------------------------------------------------


@attrs.define
class _Layout:
    """The blocks and brackets around the lines read so far."""

    level: int = 0
    indents: list[int] = attrs.field(factory=lambda: [0])
    """How far each block around is indented in the text."""

    brackets: list[int] = attrs.field(factory=list)
    """For each open bracket, the number of its line."""

    last: Token | None = None
    """The token before the line."""

    script: int | None = None
    """The level of a `do` whose script is being read."""

    def row(self, line: Line, read: Sequence[Token]) -> _Row:
        """A line with code."""
        continues, level = bool(self.brackets), self._level(read)
        if not continues:
            self.indents[self.level :] = [line.indent]
            if self.script is not None and self.level <= self.script:
                self.script = None
        code = _joined(read, self.last if continues else None, script=self.script is not None)
        if read[0].type == "DO" and read[-1].type == "COLON":
            self.script = self.level
        self._pass_brackets(line, read)
        self.last = read[-1]
        return _Row(level, code, _comment(line), read[0].type, continues)

    def _level(self, read: Sequence[Token]) -> int:
        """How deep a line is written: a step for each block, and for each line that opened a bracket still open."""
        closed = next((i for i, token in enumerate(read) if token.type not in _CLOSING), len(read))
        return self.level + len(set(self.brackets[: len(self.brackets) - closed]))

    def _pass_brackets(self, line: Line, read: Sequence[Token]) -> None:
        for token in read:
            if token.type in _OPENING:
                self.brackets.append(line.number)
            elif token.type in _CLOSING:
                self.brackets.pop()

    def comment(self, line: Line, below: int) -> _Row:
        """A line without code, in the deepest block its comment may belong to; `below` is the next code's level."""
        comment = _comment(line)
        if not comment:
            return BLANK
        if self.brackets:
            return _Row(self._level(()), comment=comment)
        column = len(line.text) - len(line.text.lstrip())
        deep = [level for level, indent in enumerate(self.indents) if indent <= column]
        return _Row(max(below, *deep), comment=comment) if below < len(self.indents) else _Row(below, comment=comment)


def _comment(line: Line) -> str:
    return line.text[len(line.code) :].strip()


def _rows(text: str) -> list[_Row]:
    """The lines of a text, those of comments as deep as the blocks they belong to."""
    read, levels = _by_line(text)
    layout, rows, waiting = _Layout(), list[_Row](), list[Line]()
    for line in lines(text):
        if line.number not in read:
            waiting.append(line)
            continue
        rows += [layout.comment(other, levels[line.number]) for other in waiting]
        waiting.clear()
        layout.level = levels[line.number]
        rows.append(layout.row(line, read[line.number]))
    return rows + [layout.comment(other, 0) for other in waiting]


def _by_line(text: str) -> tuple[dict[int, list[Token]], dict[int, int]]:
    """The tokens of each line with code, and how many blocks are around it."""
    level, read, levels = 0, dict[int, list[Token]](), dict[int, int]()
    for token in tokens(text):
        level += (token.type == "_INDENT") - (token.type == "_DEDENT")
        if token.type not in LAYOUT and token.line is not None:
            read.setdefault(token.line, []).append(token)
            levels.setdefault(token.line, level)
    return read, levels


# ---- spacing between tokens ------------------------------------------------------------------------------

_OPENING = frozenset({"LPAR", "LSQB"})
_CLOSING = frozenset({"RPAR", "RSQB"})
_TIGHT_BEFORE = _CLOSING | {"COMMA", "COLON", "DOT", "LSQB"}
_TIGHT_AFTER = _OPENING | {"DOT"}
_CALLED = frozenset({"NAME", "SETUP", "GAME"})
_VALUE_ENDS = _CLOSING | {"NAME", "NUMBER", "DECIMAL", "YES", "NO", "NONE", "UP"}
_ARITHMETIC = frozenset({"PLUS", "STAR", "SLASH", "MOD"})
_OPERAND = _VALUE_ENDS | _OPENING | _ARITHMETIC | {"DOT", "MINUS", "ROUNDED"}


def _joined(read: Sequence[Token], last: Token | None, *, script: bool) -> str:
    """The code of a line, its tokens with canonical space between them; `last` is before it in the same brackets."""
    known = [last, *read] if last else read
    pieces = [(" " if _gap(known, index, script=script) else "") + str(known[index]) for index in range(1, len(known))]
    return "".join(pieces).lstrip() if last else str(read[0]) + "".join(pieces)


def _gap(read: Sequence[Token], index: int, *, script: bool) -> bool:
    """Whether there is a space before a token that is not the first."""
    before, token = read[index - 1].type, read[index].type
    if token in _TIGHT_BEFORE or before in _TIGHT_AFTER or (token == "LPAR" and before in _CALLED):
        return False
    if before == "MINUS":
        return not script and _is_binary(read, index - 1)
    if "RANGE" in (before, token):
        return token == "FROM" or _is_wide(read, index if token == "RANGE" else index - 1)
    return True


def _is_binary(read: Sequence[Token], index: int) -> bool:
    """Whether a minus stands between two values."""
    return index > 0 and read[index - 1].type in _VALUE_ENDS


def _is_wide(read: Sequence[Token], index: int) -> bool:
    """Whether a range has arithmetic on one of its sides, so that its dots need space: `0 .. n + 1`."""
    sides = (range(index - 1, -1, -1), range(index + 1, len(read)))
    return any(_has_arithmetic(read, side, one) for side, one in zip(sides, (_CLOSING, _OPENING), strict=True))


def _has_arithmetic(read: Sequence[Token], side: range, inward: frozenset[str]) -> bool:
    """Whether a sign of arithmetic stands outside brackets in the operand that begins on a side."""
    depth = 0
    for index in side:
        kind = read[index].type
        if kind in _OPENING | _CLOSING:
            depth += 1 if kind in inward else -1
        elif depth == 0 and (kind in _ARITHMETIC or (kind == "MINUS" and _is_binary(read, index))):
            return True
        if depth < 0 or (depth == 0 and kind not in _OPERAND):
            return False
    return False


# ---- columns and blank lines -----------------------------------------------------------------------------


def _tables(rows: Sequence[_Row]) -> list[_Row]:
    """The rows with the cells of each table under each other; comments and blank lines do not end a table."""
    aligned: list[_Row] = []
    for is_table, run in groupby(_with_kinds(rows), lambda pair: pair[1] == "BAR"):
        found = [row for row, _ in run]
        aligned += _aligned(found) if is_table else found
    return aligned


def _with_kinds(rows: Sequence[_Row]) -> Iterator[tuple[_Row, str]]:
    """The rows, those without code with the kind of the last code before them."""
    kind = ""
    for row in rows:
        kind = row.kind or kind
        yield row, kind


def _aligned(table: Sequence[_Row]) -> Iterator[_Row]:
    cells = {index: row.code.strip("| ").split(" | ") for index, row in enumerate(table) if row.code}
    widths: dict[int, int] = {}
    for line in cells.values():
        for column, cell in enumerate(line):
            widths[column] = max(widths.get(column, 0), columns(cell))
    for index, row in enumerate(table):
        padded = [cell + " " * (widths[column] - columns(cell)) for column, cell in enumerate(cells.get(index, ()))]
        yield attrs.evolve(row, code=f"| {' | '.join(padded)} |") if padded else row


def _blank_lines(rows: Sequence[_Row]) -> list[_Row]:
    """The rows with at most one blank line between two, none at the ends, one around each section with a block."""
    kept: list[_Row] = []
    above = False
    for section in _sections(rows):
        block = any(row.code and row.level > 0 and not row.continues for row in section)
        if kept and kept[-1] != BLANK and (block or above):
            kept.append(BLANK)
        kept += section
        above = block
    outer = [row for before, row in pairwise([BLANK, *kept]) if not row == before == BLANK]
    return outer[:-1] if outer and outer[-1] == BLANK else outer


def _sections(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """The rows of each section with the comments right above it."""
    starts = [0] + [_with_comments_above(rows, index) for index, row in enumerate(rows) if row.is_section][1:]
    for start, end in pairwise([*starts, len(rows)]):
        yield list(rows[start:end])


def _with_comments_above(rows: Sequence[_Row], index: int) -> int:
    while index > 0 and rows[index - 1].comment and not rows[index - 1].code and rows[index - 1].level == 0:
        index -= 1
    return index


def _written(rows: Sequence[_Row]) -> Iterator[str]:
    """The lines; comments behind code in lines next to each other begin in one column."""
    for both, run in groupby(rows, lambda row: bool(row.code and row.comment)):
        found = list(run)
        widths = [columns(row.text) for row in found]
        column = max((width for width in widths if width <= WIDEST_ALIGNED), default=0) if both else 0
        for row, width in zip(found, widths, strict=True):
            space = " " * (max(column - width, 0) + BEFORE_COMMENT if both else 0)
            yield (row.text + space + row.comment).rstrip()
