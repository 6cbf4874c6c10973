"""The language's own words: how terminals of the grammar are called in messages, and which words are reserved."""

from functools import cache
from importlib import resources

from lark import Lark
from lark.exceptions import UnexpectedToken
from lark.indenter import Indenter
from lark.parsers.lalr_interactive_parser import InteractiveParser

HOLE = "\ue000"
"""Stands for a line that was reported and taken out, so that what follows can still be read."""


class Indentation(Indenter):
    """Turns deeper and shallower lines into tokens; inside brackets lines just go on."""

    NL_type = "_NL"
    OPEN_PAREN_types = ["LPAR", "LSQB"]
    CLOSE_PAREN_types = ["RPAR", "RSQB"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8


@cache
def grammar() -> Lark:
    """The parser made from `grammar.lark`."""
    text = resources.files(__package__ or "").joinpath("grammar.lark").read_text("utf-8")
    return Lark(
        text,
        parser="lalr",
        postlex=Indentation(),
        maybe_placeholders=True,
        propagate_positions=True,
    )


_SPOKEN = {
    "NAME": "a name",
    "NUMBER": "a number",
    "DECIMAL": "a number such as 0.5",
    "STRING": 'a text in "quotes"',
    "PATH": "the name of a rules file",
    "TIMES": "how often, such as x3",
    "UNKNOWN": "?",
    "_NL": "the end of the line",
    "_INDENT": "an indented block",
    "_DEDENT": "the end of the block",
    "$END": "the end of the file",
    "NOT_EMPTY": "not empty",
}
_VALUE = frozenset({"NAME", "NUMBER", "YES", "NO", "NONE", "LPAR"})
_UNSPOKEN = frozenset({"HOLE", "NOT_EMPTY"})


@cache
def _literals() -> dict[str, str]:
    return {t.name: t.pattern.value for t in grammar().terminals if t.pattern.type == "str"}


def spoken(terminal: str) -> str:
    """A terminal in words a player would use."""
    return _SPOKEN.get(terminal) or f"`{_literals().get(terminal, terminal.lower())}`"


def expected(terminals: frozenset[str]) -> str:
    """What could have stood somewhere, in words: `a value`, `from` or the end of the line."""
    left = set(terminals) - _UNSPOKEN
    words = []
    if left >= _VALUE:
        words.append("a value")
        left -= _VALUE | {"NOT", "MINUS"}
    elif "NAME" in left:
        words.append("a name")
        left -= {"NAME"}
    if "_NL" in left and len(left) > 8:
        left -= {"PLUS", "MINUS", "STAR", "SLASH", "MOD", "DOT", "LSQB", "AND", "OR", "IS", "LESS", "MORE", "AT_MOST"}
        left -= {"AT_LEAST", "HAS", "RANGE", "NOT", "LPAR"}
    words += sorted((spoken(t) for t in left), key=lambda w: (not w.startswith("`"), w))
    if len(words) > 12:
        words = [*words[:11], "…"]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def keyword(terminal: str) -> str | None:
    """The word a terminal stands for, if it is a word."""
    word = _literals().get(terminal, "")
    return word if word.isalpha() else None


def _accepted(*tokens: str) -> set[str]:
    """The terminals that may follow these from the beginning of a file."""
    state: InteractiveParser = grammar().parse_interactive("")
    from lark import Token

    for kind in tokens:
        try:
            state.feed_token(Token(kind, ""))
        except UnexpectedToken as error:
            raise AssertionError(f"the grammar no longer takes {tokens}") from error
    return set(state.accepts())


_BODY = ("SETUP", "COLON", "_NL", "_INDENT")


@cache
def reserved() -> frozenset[str]:
    """Words that no variable, zone, option, constant, component, definition or local may be called."""
    places = [
        _BODY,
        (*_BODY, "CHOOSE"),
        (*_BODY, "DRAW"),
        (*_BODY, "MOVE", "NAME", "TO"),
        (*_BODY, "LET", "NAME", "ASSIGN", "NAME", "IS"),
        (*_BODY, "LET", "NAME", "ASSIGN"),
        ("STRATEGY", "NAME", "COLON", "_NL", "_INDENT", "NAME", "COLON"),
    ]
    words = {word for place in places for t in _accepted(*place) if (word := keyword(t))}
    return frozenset(words | {"me", "it", "players", "everyone", "others", "box", "player"})


@cache
def reserved_for_members() -> frozenset[str]:
    """Words that no member of a type and no label may be called."""
    places = [(*_BODY, "LET", "NAME", "ASSIGN", "NAME", "IS"), (*_BODY, "LET", "NAME", "ASSIGN")]
    words = {word for place in places for t in _accepted(*place) if (word := keyword(t))}
    return frozenset(words | {"me", "it"})


@cache
def statement_words() -> frozenset[str]:
    """The words a statement may begin with."""
    return frozenset(word for t in _accepted(*_BODY) if (word := keyword(t)))


@cache
def section_words() -> frozenset[str]:
    """The words a section may begin with."""
    return frozenset(word for t in _accepted() if (word := keyword(t)))
