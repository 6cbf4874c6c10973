"""The language's own words: how terminals of the grammar are called in messages, and which words are reserved."""

from collections.abc import Iterable
from functools import cache

import attrs

from .grammar import AT_THE_EDGE, accepted, literals

_SPOKEN = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": 'a text in "quotes"',
    "PATH": "the name of a rules file",
    "TIMES": "a weight such as `x3`",
    "_NL": "the end of the line",
    "_INDENT": "an indented block",
    "_DEDENT": "the end of the block",
    "$END": "the end of the file",
}
_VALUE = frozenset({"NAME", "NUMBER", "YES", "NO", "NONE", "LPAR"})


@attrs.frozen
class _Group:
    """What is said instead of terminals, where all of `core` are among them; `also` and a place's are left out too."""

    said: str
    core: frozenset[str]
    also: frozenset[str] = frozenset()
    place: str = ""


_GROUPS = (
    _Group("a section (`zone`, `action`, …)", frozenset({"ZONE", "SETUP"}), place="sections"),
    _Group("a kind of thing (`phase`, `zone`, …)", frozenset({"PHASE", "CLAIM"}), place="sections"),
    _Group("a line of components (`has`, `faces`, …)", frozenset({"FACES", "HIDE"}), place="components"),
    _Group("a statement", frozenset({"THROW", "SHUFFLE"}), place="statements"),
    _Group("an amount (`one`, `any`, 2, …)", frozenset({"ONE", "ANY", "UP"}), _VALUE | {"MINUS"}),
    _Group("a type (`1..6`, `yes or no`, …)", frozenset({"YES", "SET"}), _VALUE | {"MINUS"}),
    _Group("a value", _VALUE - {"LPAR"}, frozenset({"NOT", "MINUS", "LPAR"})),
    _Group("a number such as 0.5", frozenset({"DECIMAL"}), frozenset({"NUMBER", "MINUS"})),
)
COMPARISONS = frozenset({"IS", "LESS", "AT_MOST", "MORE", "AT_LEAST", "IN", "HAS"})
_OPERATORS = COMPARISONS | {
    "PLUS", "MINUS", "STAR", "SLASH", "MOD", "ROUNDED", "DOT", "LSQB", "LPAR", "RANGE", "AND", "OR", "NOT", "IF",
    "WHERE",
}  # fmt: skip
_WITH_A_CALL = frozenset({"FOR", "BY", "DEFAULT"})
_UNSPOKEN = frozenset({"HOLE"})
GOES_ON = _OPERATORS | _WITH_A_CALL
"""Terminals that merely go on with a value."""
MOST_WORDS = 7


def spoken(terminal: str) -> str:
    """A terminal in words a player would use."""
    return _SPOKEN.get(terminal) or f"`{literals()[terminal]}`"


def listed(items: list[str]) -> str:
    """Items in a sentence: `a`, `b` or `c`."""
    return " or ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def expected(terminals: Iterable[str]) -> str:
    """What could have stood somewhere, in words: a value, `from` or the end of the line."""
    left = frozenset(terminals) - _UNSPOKEN
    left = _without_operators(left - {"_DEDENT"} or left)
    named = []
    for group in _GROUPS:
        if left >= group.core:
            named.append(group.said)
            left -= group.core | group.also | (_first(group.place) if group.place else frozenset())
    single = sorted(map(spoken, left), key=lambda word: (not word.startswith("`"), word.startswith("the "), word))
    return listed([*named, *single][:MOST_WORDS])


def _without_operators(terminals: frozenset[str]) -> frozenset[str]:
    """The terminals without those that merely go on with a value, unless nothing else is left."""
    if any(terminals >= both for both in ({"AND", "PLUS"}, {"DOT", "LSQB"}, {"PLUS", "MINUS"})):
        left = terminals - _OPERATORS - (_WITH_A_CALL if "RPAR" in terminals else frozenset())
        return left or terminals & {"RANGE"} or frozenset({"_NL"})
    return terminals


def keyword(terminal: str) -> str | None:
    """The word a terminal stands for, if it is a word."""
    word = literals().get(terminal, "")
    return word if word.isalpha() else None


def keywords(terminals: Iterable[str]) -> frozenset[str]:
    """The words among terminals."""
    return frozenset(word for terminal in terminals if (word := keyword(terminal)))


# ---- places in a file ------------------------------------------------------------------------------------

_BODY = ("SETUP", "COLON", "_NL", "_INDENT")
_VALUES = (*_BODY, "LET", "NAME", "ASSIGN")
_PLACES = {
    "sections": (),
    "statements": _BODY,
    "components": ("COMPONENTS", "NAME", "COLON", "_NL", "_INDENT"),
    "each player has": ("EACH", "PLAYER", "HAS", "COLON", "_NL", "_INDENT"),
    "example": ("EXAMPLE", "STRING", "COLON", "_NL", "_INDENT"),
    "focus": ("FOCUS", "STRING", "COLON", "_NL", "_INDENT"),
}
_LATER = {"focus": (*_PLACES["focus"], "THEN", "NAME", "_NL")}
"""Where other lines may begin than at the beginning of a place."""


@cache
def _first(place: str) -> frozenset[str]:
    return accepted(*_PLACES[place])


@cache
def beginnings(place: str) -> frozenset[str]:
    """The words that a line may begin with there; none where lines begin with names of the game's own."""
    later = accepted(*_LATER[place]) if place in _LATER else frozenset()
    return keywords(_first(place) | later) if place in _PLACES else frozenset()


@cache
def reserved() -> frozenset[str]:
    """Words that no variable, zone, option, constant, component, definition or local may be called."""
    places = [
        _BODY,
        (*_BODY, "CHOOSE"),
        (*_BODY, "DRAW"),
        (*_BODY, "MOVE", "NAME", "TO"),
        (*_VALUES, "NAME", "IS"),
        _VALUES,
    ]
    words = keywords(terminal for place in places for terminal in accepted(*place))
    # After a nested block the reader cannot tell yet whether a section or a statement begins.
    sections = beginnings("sections") - keywords(AT_THE_EDGE)
    return words | sections | {"me", "it", "players", "everyone", "others", "box", "player"}


@cache
def reserved_for_members() -> frozenset[str]:
    """Words that no member of a type and no label may be called."""
    words = keywords(accepted(*_VALUES, "NAME", "IS") | accepted(*_VALUES))
    return words | {"me", "it"}
