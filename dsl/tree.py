"""Over trees of nodes of any kind: what lies directly under a node, and all that lies in a tree. Never recursive."""

from collections.abc import Iterator
from functools import cache

import attrs

from .source import Span


def children(node: attrs.AttrsInstance) -> Iterator[attrs.AttrsInstance]:
    """The nodes directly under a node, in the order of its fields."""
    todo = [getattr(node, name) for name in _fields(type(node))]
    while todo:
        value = todo.pop()
        if isinstance(value, tuple):
            todo.extend(reversed(value))
        elif attrs.has(type(value)) and not isinstance(value, Span):
            yield value


@cache
def _fields(kind: type[attrs.AttrsInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in reversed(attrs.fields(kind)))


def walk(node: attrs.AttrsInstance) -> Iterator[tuple[attrs.AttrsInstance, int]]:
    """Every node of a tree with its depth, the node itself (depth 0) first, each before what lies under it."""
    todo = [(node, 0)]
    while todo:
        node, depth = todo.pop()
        yield node, depth
        todo += [(child, depth + 1) for child in reversed(list(children(node)))]
