"""Trees of nodes of any kind: when nodes are equal, what lies directly under one, and all that lies in a tree."""

from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from typing import Any

import attrs


class Said:
    """Nodes are equal that say the same, wherever it is said and whatever its type.

    This stands here once. attrs would make it anew for each of some hundred classes, each time they are imported.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _said(self) == _said(other)

    def __hash__(self) -> int:
        return hash((type(self), _said(self)))

    def __repr__(self) -> str:
        shown = [f"{field.name}={getattr(self, field.name)!r}" for field in _attributes(self) if field.repr]
        return f"{type(self).__name__}({', '.join(shown)})"


_WHAT: dict[type[Any], Callable[[Any], Any]] = {}
"""What gives all that nodes of a kind say."""


def _said(node: Said) -> Any:
    kind = type(node)
    if kind not in _WHAT:
        names = [field.name for field in _attributes(node) if field.eq]
        _WHAT[kind] = attrgetter(*names) if names else lambda node: None
    return _WHAT[kind](node)


def _attributes(node: Any) -> "tuple[attrs.Attribute[Any], ...]":
    found: tuple[attrs.Attribute[Any], ...] = attrs.fields(type(node))
    return found


_NODE = "__attrs_attrs__"
"""What every node has, and no other value."""


def children(node: attrs.AttrsInstance) -> list[attrs.AttrsInstance]:
    """The nodes directly under a node, in the order of its fields."""
    found: list[Any] = []
    for name in _fields(type(node)):
        value: object = getattr(node, name)
        if isinstance(value, tuple):
            found += _nodes(value)
        elif hasattr(value, _NODE):
            found.append(value)
    return found


def _nodes(values: tuple[object, ...]) -> Iterator[Any]:
    """The nodes in a tuple, and in tuples in it."""
    for value in values:
        if isinstance(value, tuple):
            yield from _nodes(value)
        elif hasattr(value, _NODE):
            yield value


@cache
def _fields(kind: type[attrs.AttrsInstance]) -> tuple[str, ...]:
    """The fields in which nodes may stand: not where something was written, nor what type it has."""
    return tuple(field.name for field in attrs.fields(kind) if field.eq and field.type not in (str, int, bool))


def walk(node: attrs.AttrsInstance) -> Iterator[tuple[attrs.AttrsInstance, int]]:
    """Every node of a tree with its depth, the node itself (depth 0) first, each before what lies under it."""
    todo = [(node, 0)]
    while todo:
        node, depth = todo.pop()
        yield node, depth
        if below := children(node):
            depth += 1
            todo += [(child, depth) for child in reversed(below)]
