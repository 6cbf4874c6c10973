"""Text → tree of the grammar's rules, or the place where reading gets stuck.

Reads with `table.json`, which is made of `grammar.lark` (`tests/test_notation.py`) because making it takes half a
second. Knows how lines and indentation become tokens, and no nodes and no messages.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import attrs

HOLE = "\ue000"
"""Stands for a line that was reported and taken out, so that what follows can still be read."""

UNEVEN = "_UNEVEN"
"""A line that is indented less than the block above it, but like no line around that block."""

LAYOUT = frozenset({"_NL", "_INDENT", "_DEDENT"})
"""Kinds of tokens that stand for lines and blocks, and not for a word or sign."""

AT_THE_EDGE = frozenset({"ENDS", "FOCUS", "POSSIBLE", "SECRET", "UNCHECKED"})
"""Words with which nothing but a section begins: in a block they are names like any other."""

_OPENING = frozenset({"LPAR", "LSQB"})
_CLOSING = frozenset({"RPAR", "RSQB"})
_AT_HOME = {"GIVEN": frozenset({"EXAMPLE", "FOCUS"}), "VALUE": frozenset({"FOCUS"})}
"""Words that are names in all sections but these."""


@attrs.frozen
class Stuck(Exception):
    """Where and at what kind of token reading cannot go on, and what kinds could stand there.

    The kind is empty where not even a token could be made; `levels` are the indentations of the blocks around.
    """

    kind: str
    offset: int
    allowed: frozenset[str] = frozenset()
    levels: tuple[int, ...] = ()


@attrs.define(eq=False)
class Token:
    """A word, sign, text or number, or a turn of the layout."""

    kind: str
    text: str
    start: int
    end: int
    """Where the last word or sign ends, up to here."""


@attrs.define(eq=False)
class Tree:
    """What a rule of the grammar stands for, up to its last word or sign."""

    rule: str
    children: "list[Tree | Token | None]"
    """None stands for a part that could have been there."""
    start: int
    end: int


# ---- the table -------------------------------------------------------------------------------------------


@attrs.frozen
class _Rule:
    """How parts become one."""

    left: str
    """What the rule is one of."""
    name: str
    size: int
    takes: list[int | None]
    """Places of the parts it takes; complements where it takes their children; None for a part that is not there."""
    single: bool
    """Whether it hands a single child on as it is."""
    passes: bool = attrs.field(init=False)
    """Whether it does nothing but that."""

    @passes.default
    def _passes(self) -> bool:
        return self.single and self.size == 1 and self.takes == [0]

    def made(self, parts: list[Any]) -> Any:
        """What the parts become."""
        children: list[Any] = []
        for place in self.takes:
            if place is None:
                children.append(None)
            elif place >= 0:
                children.append(parts[place])
            elif children:
                children += parts[~place].children
            else:
                children = parts[~place].children  # a long list grows at its end, and is never copied
        if self.single and len(children) == 1:
            return children[0]
        return Tree(self.name, children, parts[0].start if parts else 0, parts[-1].end if parts else 0)


@attrs.frozen
class Table:
    """The table of an LALR(1) parser, with what its terminals look like."""

    states: list[dict[str, int]]
    """Where each terminal or rule leads to: to a state, or to the complement of a rule that is made first."""
    rules: list[_Rule]
    terminals: dict[str, str]
    """Their patterns, in the order in which they are tried."""
    literals: dict[str, str]
    ignored: str


@cache
def table() -> Table:
    """The table of the notation."""
    data = json.loads(resources.files(__package__ or "").joinpath("table.json").read_text("utf-8"))
    states = []
    for leads, makes in data["states"]:
        for rule, kinds in makes:
            leads |= dict.fromkeys(data["kinds"][kinds], ~rule)
        states.append(leads)
    rules = [_Rule(*rule) for rule in data["rules"]]
    return Table(states, rules, data["terminals"], data["literals"], data["ignored"])


def literals() -> dict[str, str]:
    """The words and signs of the notation, by the names of their terminals."""
    return table().literals


@cache
def _words() -> dict[str, str]:
    return {text: name for name, text in literals().items() if text.isalpha()}


@cache
def _pattern(kinds: frozenset[str]) -> re.Pattern[str]:
    """The first of these terminals that fits."""
    return re.compile("|".join(f"(?P<{name}>{text})" for name, text in table().terminals.items() if name in kinds))


# ---- text → tokens ---------------------------------------------------------------------------------------


def _lexed(text: str, states: list[int]) -> Iterator[Token]:
    """The tokens of a text. The parser's states say of each what it may be, once those before it are taken."""
    words, ignored, every = _words(), re.compile(table().ignored), frozenset(table().terminals)
    # Nearly everywhere the first of these is right: a word is a name where it cannot be a keyword.
    usual = _pattern(every - {*words.values(), "PATH"})
    start = end = 0
    while (start := ignored.match(text, start).end()) < len(text):  # type: ignore[union-attr]
        leads = table().states[states[-1]]
        found = usual.match(text, start)
        kind = found.lastgroup if found else None
        if kind == "NAME" and found and words.get(found.group()) in leads:
            kind = words[found.group()]
        elif kind not in leads and kind != "_NL":
            found = _pattern(frozenset({*leads, "_NL"})).match(text, start)
            if found is None:
                found = _pattern(every).match(text, start)
                raise Stuck(found.lastgroup or "" if found else "", start, _following(states))
            kind = found.lastgroup
        assert found and kind
        if kind != "_NL":
            end = found.end()
        yield Token(kind, found.group(), start, end)
        start = found.end()


def _laid_out(lexed: Iterator[Token]) -> Iterator[Token]:
    """The tokens with `_INDENT` and `_DEDENT` where lines are deeper and shallower; in brackets lines just go on."""
    levels, depth, first, section, token = [0], 0, True, "", None
    # In a block the parser cannot always tell yet whether the next line is a statement or a section.
    for token in lexed:
        kind = token.kind
        if kind == "_NL":
            if depth == 0:
                yield token
                yield from _turns(levels, token)
                section = section if len(levels) > 1 else ""
        else:
            if first and token.start:
                yield Token("_INDENT", "", 0, 0)
            depth += (kind in _OPENING) - (kind in _CLOSING)
            if len(levels) > 1:
                token.kind = "NAME" if _is_name(kind, section) else kind
            elif kind != "REPLACE":
                section = section or kind
            yield token
        first = False
    for _ in levels[1:] if depth == 0 else ():
        yield _turn("_DEDENT", token)


def _is_name(kind: str, section: str) -> bool:
    """Whether a word in a block of a section is a name, whatever else it may be."""
    return kind in AT_THE_EDGE or (kind in _AT_HOME and section not in _AT_HOME[kind])


def _turns(levels: list[int], line_end: Token) -> Iterator[Token]:
    """The token for a deeper line, or those for a shallower one; `levels` changes with them."""
    indent = len(line_end.text) - line_end.text.rindex("\n") - 1
    if indent > levels[-1]:
        levels.append(indent)
        yield _turn("_INDENT", line_end)
    around = tuple(levels)
    while indent < levels[-1]:
        levels.pop()
        if indent > levels[-1]:
            raise Stuck(UNEVEN, line_end.start, levels=around)
        yield _turn("_DEDENT", line_end)


def _turn(kind: str, at: Token | None) -> Token:
    return Token(kind, "", at.start, at.end) if at else Token(kind, "", 0, 0)


# ---- tokens → tree ---------------------------------------------------------------------------------------


class _Parser:
    """Takes token after token."""

    def __init__(self) -> None:
        self.leads, self.rules = table().states, table().rules
        self.states = [0]
        self.parts: list[Any] = []

    def take(self, token: Token) -> None:
        """Go on with a token.

        Raises:
            Stuck: it cannot stand here.
        """
        states, parts, before, kind = self.states, self.parts, self.states.copy(), token.kind
        while (lead := self.leads[states[-1]].get(kind)) is not None:
            if lead >= 0:
                states.append(lead)
                parts.append(token)
                return
            rule = self.rules[~lead]
            if rule.passes:
                states[-1] = self.leads[states[-2]][rule.left]
                continue
            first = len(parts) - rule.size
            parts[first:] = [rule.made(parts[first:])]
            del states[first + 1 :]
            states.append(self.leads[states[-1]][rule.left])
        raise Stuck(token.kind, token.start, _following(before))


def _following(states: list[int]) -> frozenset[str]:
    """The terminals that can be taken in these states."""
    return frozenset(name for name in table().states[states[-1]] if name.isupper() and _leads_on(states, name))


def _leads_on(states: list[int], kind: str) -> bool:
    """Whether a terminal can still be taken once the rules are made that it ends."""
    found, states = table(), states.copy()
    while (lead := found.states[states[-1]].get(kind)) is not None:
        if lead >= 0:
            return True
        rule = found.rules[~lead]
        del states[len(states) - rule.size :]
        states.append(found.states[states[-1]][rule.left])
    return False


def read(text: str) -> Tree:
    """The tree of a text.

    Raises:
        Stuck: the text does not follow the grammar.
    """
    parser, token = _Parser(), None
    for token in _laid_out(_lexed(text + "\n", parser.states)):
        parser.take(token)
    parser.take(_turn("$END", token))
    tree: Tree = parser.parts[0]
    return tree


def tokens(text: str) -> list[Token]:
    """The tokens of a text that can be read, layout and all."""
    parser, taken = _Parser(), []
    for token in _laid_out(_lexed(text + "\n", parser.states)):
        parser.take(token)
        taken.append(token)
    return taken


def accepted(*kinds: str) -> frozenset[str]:
    """The terminals that may follow these from the beginning of a file."""
    parser = _Parser()
    for kind in kinds:
        parser.take(Token(kind, "", 0, 0))
    return _following(parser.states)
