"""In which order declared things are lowered: what others need comes first, so that nothing is followed deeply."""

from collections.abc import Iterator

from .. import syntax
from ..tree import walk
from .names import Names


def in_order(names: Names) -> Iterator[syntax.Name]:
    """Every declared name, after all that it names in turn (except where names lead back to themselves)."""
    seen: set[str] = set()
    for first in names.declared:
        todo = [(first, False)]
        while todo:
            name, done = todo.pop()
            if done:
                yield syntax.Name(name, span=names.declared[name].at)
            elif name not in seen:
                seen.add(name)
                todo.append((name, True))
                todo += [(other, False) for other in _mentioned(names, name) if other not in seen]


def _mentioned(names: Names, name: str) -> list[str]:
    nodes = (node for node, _ in walk(names.declared[name].node))
    return [node.text for node in nodes if isinstance(node, syntax.Name) and node.text in names.declared]
