"""What the language consists of, read off the checked tree: which constructs there are, and which a game has."""

import types
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from regelwerk.dsl import rules
from regelwerk.dsl.tree import walk

PLAYED = (
    "options", "tables", "kinds", "zones", "variables", "definitions", "actions", "setup", "play", "score", "winner",
    "invariants", "measures", "strategies",
)  # fmt: skip
"""The parts of a game that engines play; the others are there to be checked and proved."""

Construct = tuple[str, ...]
"""A node's name; or with a field's name and its value, where that is one of a few."""


@cache
def constructs() -> frozenset[Construct]:
    """All constructs of the language that engines play."""
    hints = get_type_hints(rules.Game)
    waiting = [node for part in PLAYED for node in _nodes(hints[part])]
    known = set(waiting)
    found: set[Construct] = set()
    for node in waiting:
        found.add((node.__name__,))
        for name, hint in _fields(node).items():
            found |= {(node.__name__, name, value) for value in _values(hint)}
            waiting += [each for each in _nodes(hint) if each not in known]
            known |= set(_nodes(hint))
    return frozenset(found - {("Phase", "shell", "yes")})  # of examples alone


def constructs_of(game: rules.Game) -> Iterator[Construct]:
    """The constructs in a game."""
    roots = [getattr(game, part) for part in PLAYED]
    nodes = [node for root in roots for node in (root if isinstance(root, tuple) else (root,)) if node is not None]
    for node, _ in (each for root in nodes for each in walk(root)):
        name = type(node).__name__
        yield (name,)
        for field, hint in _fields(node.__class__).items():
            if _values(hint):
                yield name, field, _value(hint, getattr(node, field))


@cache
def _fields(node: Any) -> dict[str, Any]:
    hints = get_type_hints(node)
    return {field.name: hints[field.name] for field in attrs.fields(node) if field.eq}


def _parts(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _nodes(hint: Any) -> list[Any]:
    """The kinds of nodes that a field may hold."""
    if isinstance(hint, type) and attrs.has(hint):
        return [hint]
    return [node for part in get_args(hint) for node in _nodes(part)]


def _values(hint: Any) -> set[str]:
    """What a field may be, where that is one of a few."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    if hint is bool:
        return {"yes", "no"}
    parts = _parts(hint)
    return {"none", "some"} if type(None) in parts and _nodes(hint) else set()


def _value(hint: Any, value: Any) -> str:
    if get_origin(hint) is Literal:
        return str(value)
    if hint is bool:
        return "yes" if value else "no"
    return "none" if value is None else "some"
