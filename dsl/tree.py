"""Over trees of nodes of any kind: what lies directly under a node, and all that lies in a tree, however deep."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import attrs

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
