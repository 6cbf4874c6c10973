"""The place where reading got stuck → a problem in the language's own words, and the lines to go on without."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

import attrs

from . import words
from .grammar import UNEVEN, Stuck
from .hints import SIGNS, Here, clipped, first_word, hint, is_foreign, sign_at
from .lines import Line, lines, logical
from .problems import BadIndentation, Label, Problem, UnexpectedText, UnknownCharacter
from .source import Source, Span


@attrs.frozen
class Mistake:
    """A problem, and the lines to take out so that the rest can be read; `hole` if something is to stand for them."""

    problem: Problem
    lines: tuple[Line, ...]
    hole: bool = True


def lines_around(text: str, offset: int) -> tuple[Line, ...]:
    """The statement at an offset with all that is indented under it."""
    groups = logical(lines(text))
    return _with_blocks(groups, max(i for i, group in enumerate(groups) if group[0].start <= offset))


def mistake(source: Source, text: str, stuck: Stuck) -> Mistake:
    """What is wrong at the place where reading a text got stuck."""
    return _Reader(source, text, lines(text), stuck).mistake()


@attrs.frozen
class _Reader:
    """A text, and the place in it where reading got stuck."""

    source: Source
    text: str
    lines: tuple[Line, ...]
    stuck: Stuck

    def mistake(self) -> Mistake:
        groups = logical(self.lines)
        index = self._index(groups)
        bracket = self._open_bracket(groups, index)
        if self.stuck.kind == UNEVEN:
            return self._uneven(groups[index][0])
        if bracket is not None:
            return self._unclosed(groups, bracket)
        if self.stuck.kind == "_INDENT":
            return self._too_deep(groups, index)
        if self.stuck.allowed == {"ELSE"}:
            return self._no_else(groups, index)
        if self.stuck.allowed == {"_INDENT"}:
            return self._no_block(groups, max(0, index - (self.stuck.kind not in ("_NL", "$END"))))
        here = Here(self.text, self._line(groups[index]), groups[index], place(groups, index), self.stuck)
        return Mistake(self._in_a_line(here), _with_blocks(groups, index))

    def _index(self, groups: Sequence[tuple[Line, ...]]) -> int:
        """The group of lines where it happened; the end of a line belongs to what stands before it."""
        offset = self.stuck.offset
        if self.stuck.kind in ("_INDENT", "_DEDENT", UNEVEN):
            return next((i for i, group in enumerate(groups) if group[0].begin > offset), len(groups) - 1)
        before = [i for i, group in enumerate(groups) if group[0].begin <= offset]
        return len(groups) - 1 if self.stuck.kind == "$END" else before[-1] if before else 0

    def _line(self, group: tuple[Line, ...]) -> Line:
        return next((line for line in reversed(group) if line.begin <= self.stuck.offset), group[0])

    def _span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    # layout

    def _uneven(self, line: Line) -> Mistake:
        *outer, inner = (level for level in self.stuck.levels)
        below = max((level for level in outer if level < line.indent), default=0)
        above = min((level for level in self.stuck.levels if level > line.indent), default=inner)
        fact = "no line around the block above is indented like this one"
        advice = f"Indent it by {above} spaces to go on with the block, by {below} to end it."
        taken = [line]
        for other in self.lines[line.number :]:
            if other.code and other.indent <= below:
                break
            taken.append(other)
        return Mistake(BadIndentation(self._indent(line), fact, advice), tuple(taken), hole=False)

    def _indent(self, line: Line) -> Span:
        return self._span(line.start, line.begin)

    def _too_deep(self, groups: Sequence[tuple[Line, ...]], index: int) -> Mistake:
        line = groups[index][0]
        above = groups[index - 1][-1] if index else None
        taken = self.lines[line.number - 1 :]
        depth = above.indent if above else 0
        end = next((i for i, other in enumerate(taken) if i and other.code and other.indent <= depth), len(taken))
        fact = "this line is indented, but no block begins above it"
        advice = None
        opens = words.beginnings("statements") | {"else", "setup", "play", "action", "given"}
        if above and above.first in opens and re.search(r":\s*\S", above.code):
            fact = "this line is indented, but the block above already stands behind its `:`"
            advice = "Put all statements of a block on lines of their own."
        elif above and above.first in ("do", "choose"):
            fact, advice = "this line is indented, but no `:` ends the line above", None
        elif above and line.first not in words.beginnings("statements") | words.beginnings("sections"):
            advice = "A line goes on only inside brackets."
        return Mistake(BadIndentation(self._indent(line), fact, advice), taken[:end], hole=False)

    def _no_block(self, groups: Sequence[tuple[Line, ...]], index: int) -> Mistake:
        line = groups[index][-1]
        at = self._span(line.end - 1, line.end)
        if line.code.endswith("=") or line.first in ("score", "invariant", "possible", "secret", "measure"):
            fact = f"nothing stands after this `{line.code[-1]}`"
            advice = "Write the value on the same line, or indented on the next."
        else:
            fact = "after this `:` the next line is not indented"
            advice = "Indent the lines of the block by four spaces."
        return Mistake(BadIndentation(at, fact, advice), _with_blocks(groups, index))

    def _no_else(self, groups: Sequence[tuple[Line, ...]], index: int) -> Mistake:
        """A block of `choose` that lacks its other half."""
        index = next((i for i in range(index, -1, -1) if _lacks_else(groups, i)), index)
        end = groups[index][-1].start + groups[index][-1].code.find(":") + 1
        fact = "no `else:` follows the block that begins here"
        advice = "Say under `else:` what happens when nothing can be chosen, or write no `:` and no block."
        return Mistake(UnexpectedText(self._span(end - 1, end), fact, advice), _with_blocks(groups, index))

    # brackets

    def _open_bracket(self, groups: Sequence[tuple[Line, ...]], index: int) -> int | None:
        """A bracket before the line where it happened that is still open there."""
        first = groups[index][0].start if self.stuck.kind != "$END" else len(self.text) + 1
        open_ = _open_brackets(line for line in self.lines if line.start < first)
        return open_[-1] if open_ else None

    def _unclosed(self, groups: Sequence[tuple[Line, ...]], bracket: int) -> Mistake:
        index = max(i for i, group in enumerate(groups) if group[0].start <= bracket)
        sign = {"(": ")", "[": "]"}[self.text[bracket]]
        at = self._span(bracket, bracket + 1)
        return Mistake(UnexpectedText(at, f"this bracket is never closed by `{sign}`"), _with_blocks(groups, index))

    # inside a line

    def _in_a_line(self, here: Here) -> Problem:
        if not here.kind:
            return self._unknown(here)
        if here.kind in ("_NL", "$END"):
            return self._too_short(here)
        sign = sign_at(self.text, here.stuck.offset)
        if sign and sign[1] >= here.line.begin and not here.word[:1].isalnum():
            at = self._span(sign[1], sign[1] + len(sign[0]))
            return UnexpectedText(at, f"`{sign[0]}` may not stand here", SIGNS[sign[0]])
        return self._wrong_beginning(here) or self._wrong_word(here)

    def _unknown(self, here: Here) -> Problem:
        offset = here.stuck.offset
        character = self.text[offset]
        at = self._span(offset, offset + 1)
        if character == '"':
            fact = "this text has no closing quote on its line"
            return UnexpectedText(self._span(offset, max(here.line.end, offset + 1)), fact)
        sign = sign_at(self.text, offset)
        if sign and sign[1] >= here.line.begin:
            at = self._span(sign[1], sign[1] + len(sign[0]))
        shown = f"`{at.text}`" if character.isprintable() and not unicodedata.combining(character) else named(character)
        return UnknownCharacter(at, f"{shown} is not used in rules files", SIGNS.get(at.text))

    def _too_short(self, here: Here) -> Problem:
        line = here.group[-1]
        at = self._span(line.end, line.end)
        if "COLON" in here.allowed and self._goes_deeper(line):
            return UnexpectedText(at, "`:` is missing at the end of this line", first_word(here))
        end = "file" if here.kind == "$END" else "line"
        return UnexpectedText(at, f"the {end} ends too early; expected {words.expected(here.allowed)}", hint(here))

    def _goes_deeper(self, line: Line) -> bool:
        below = next((other for other in self.lines[line.number :] if other.code), None)
        return below is not None and below.indent > line.indent

    def _wrong_beginning(self, here: Here) -> Problem | None:
        """A line whose first word no line may begin with here."""
        first, line = here.first, here.group[0]
        if here.is_first and here.place == "sections" and first in ("game", "variant", "pieces"):
            at = self._span(line.begin, line.end)
            return UnexpectedText(at, "the title stands once, before everything else")
        follows = here.is_second and here.kind not in words.COMPARISONS and _names_nothing(here)
        if not first or first in here.begins or not here.begins or not (here.is_first or follows):
            return None
        at = self._span(line.begin, line.begin + len(first))
        fact, advice = _misplaced(here)
        return UnexpectedText(at, fact, advice)

    def _wrong_word(self, here: Here) -> Problem:
        at = self._span(here.stuck.offset, here.stuck.offset + max(1, len(here.word)))
        shown = "this text" if here.word.startswith('"') else f"`{clipped(here.word)}`"
        fact = f"{shown} may not stand here"
        if here.allowed - {"HOLE"}:
            fact += f"; expected {words.expected(here.allowed)}"
        return UnexpectedText(at, fact, hint(here), self._bracket_label(here))

    def _bracket_label(self, here: Here) -> tuple[Label, ...]:
        """The bracket that should have been closed."""
        if here.allowed.isdisjoint({"RPAR", "RSQB"}):
            return ()
        open_ = _open_brackets(line for line in here.group if line.start <= here.stuck.offset)
        before = [offset for offset in open_ if offset < here.stuck.offset]
        return (Label(self._span(before[-1], before[-1] + 1), "the bracket was opened here"),) if before else ()


def _misplaced(here: Here) -> tuple[str, str | None]:
    """What is wrong with a line whose first word no line may begin with here, and what to do about it."""
    first, sections = here.first, words.beginnings("sections")
    if first == "else":
        return "no `if`, `match` or `may choose` fits this `else`", "Indent it like the line it belongs to."
    if here.place == "sections" and first in words.beginnings("statements"):
        fact = f"`{first}` begins a statement, and statements stand in blocks such as `play:`"
        return fact, "Indent it under the block it belongs to."
    if here.place == "statements" and first == "var":
        return (
            "`var` begins a section, and may not stand in this block",
            "A name for the rest of a block is given by `let`.",
        )
    if here.place == "statements" and first == "each":
        fact = "`each` begins a section, and may not stand in this block"
        return fact, "Write `phase turn each player:`, or `for p in players:`."
    if here.place != "sections" and first in sections:
        return (
            f"`{first}` begins a section, and may not stand in this block",
            "Sections begin at the left edge of the line.",
        )
    fact = f"no {_KINDS_OF_LINES[here.place]} begins with `{clipped(first)}`"
    return fact, first_word(here) or hint(here) or _BEGINNINGS.get(here.place)


def _names_nothing(here: Here) -> bool:
    """Whether what follows the first word shows that it is no name of the game's own."""
    return here.word[:1].isalpha() or here.kind == "COLON" or "OF" in here.allowed or is_foreign(here)


_KINDS_OF_LINES = {
    "sections": "section",
    "statements": "statement",
    "components": "line of components",
    "each player has": "line of `each player has`",
    "example": "line of an example",
    "focus": "line of a focus",
}
_BEGINNINGS = {
    "sections": "Sections are `option`, `components`, `zone`, `var`, `setup`, `play`, `action`, `score` and others.",
    "components": "Write `has` for what is printed, `faces` for what a throw shows, `var` for what changes.",
    "each player has": "Write `zone`, `var` or `sheet`.",
    "example": "Write `given:`, `do` or `then`.",
    "focus": "Write `given:`, then `do`, then `then` or `value:`.",
}


def named(character: str) -> str:
    """A character that cannot be shown, by its number and name."""
    name = unicodedata.name(character, "").lower()
    return f"the character U+{ord(character):04X}" + (f" ({name})" if name else "")


def _open_brackets(given: Iterable[Line]) -> list[int]:
    """The brackets of some lines that none of these lines closes."""
    found: list[int] = []
    for line in given:
        for offset, sign in enumerate(line.code, line.start):
            if sign in "([":
                found.append(offset)
            elif sign in ")]" and found:
                found.pop()
    return found


# ---- places ----------------------------------------------------------------------------------------------


def place(groups: Sequence[tuple[Line, ...]], index: int) -> str:
    """What the lines around a line are: sections, statements, the lines of components, …"""
    own = groups[index][0].indent
    above = next((g[0] for g in reversed(groups[:index]) if g[0].indent < own), None)
    if above is None:
        return "sections"
    code = above.code.strip().removeprefix("replace ")
    return next((found for pattern, found in _BLOCKS if re.match(pattern, code)), "statements")


_BLOCKS = (
    (r"(components|sheet)\b", "components"),
    (r"each\s+player\s+has\b", "each player has"),
    (r"example\b", "example"),
    (r"focus\b", "focus"),
    (r"strategy\b", "policies"),
    (r"(choose\s+(by\s+.*)?\w+|match\b.*)\s*:$", "labels"),
    (r"(table|constant)\b", "rows"),
    (r"faces\b", "cases"),
    (r"do\b", "script"),
    (r"(score|invariant|possible|secret|measure|define|value)\b", "value"),
)


def _lacks_else(groups: Sequence[tuple[Line, ...]], index: int) -> bool:
    """Whether a `choose` with a block begins here, and is not followed by `else`."""
    line = groups[index][0]
    after = next((group[0] for group in groups[index + 1 :] if group[0].indent <= line.indent), None)
    opens = line.first == "choose" and " from " in line.code and ":" in groups[index][-1].code
    return opens and not (after and after.indent == line.indent and after.first == "else")


def _with_blocks(groups: Sequence[tuple[Line, ...]], index: int) -> tuple[Line, ...]:
    """A group of lines with all that is indented under it, and with the `else` that belongs to it."""
    own = groups[index][0].indent
    taken = list(groups[index])
    for group in groups[index + 1 :]:
        line = group[0]
        astray = own == 0 and line.first in words.beginnings("statements") - words.beginnings("sections")
        if line.indent <= own and not (line.indent == own and (line.first == "else" or astray)):
            break
        taken.extend(group)
    return tuple(taken)
