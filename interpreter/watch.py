"""What is noted while play goes on: properties looked at, parts of the rules reached, rules that changed something.

An engine that is given a `Watch` does not stop at a property that does not hold: it notes a `Broken` event and goes
on, so that a search can look at all properties at once. It costs time; engines that only play have none.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import attrs

from ..dsl import rules
from ..dsl.source import Span
from .closures import Memory, Read

MOST_ROWS = 500
"""Entries of a table that are noted one by one."""


@attrs.frozen
class Point:
    """A part of the rules that play may reach."""

    sort: str
    """`phase`, `action`, `branch`, `option` or `table row`."""
    name: str
    span: Span


def table_rows(table: rules.Table, size: int) -> list[Point]:
    """The entries of a table."""
    return [Point("table row", f"{table.name}, entry {row + 1}", table.span) for row in range(size)]


def branch_name(span: Span) -> str:
    """A branch in words."""
    return f"{span.head.text.strip().rstrip(':')} (line {span.line})"


@attrs.define(eq=False)
class Watch:
    """Notes of one engine. `writes` are kept only where asked for: they cost most."""

    tracing: bool = False
    looked: Counter[str] = attrs.Factory(Counter)
    """How often each property was looked at."""
    points: dict[Point, int] = attrs.Factory(dict)
    """The parts of the rules, numbered."""
    reached: set[int] = attrs.Factory(set)
    """The numbers of those that were reached."""
    writes: list[tuple[int, Span]] = attrs.Factory(list)
    """Which slot was changed by which rule, in order; whoever reads them empties the list."""

    def point(self, sort: str, name: str, span: Span) -> Callable[[], None]:
        """What to call whenever play reaches this part."""
        number = self.points.setdefault(Point(sort, name, span), len(self.points))
        add = self.reached.add
        return lambda: add(number)

    def row(self, table: rules.Table, offset: Read, size: int) -> Read:
        """The same offset into a table, with its row noted."""
        numbers = [self.points.setdefault(point, len(self.points)) for point in table_rows(table, size)]
        reached = self.reached

        def noted(m: Memory) -> int:
            place: int = offset(m)
            reached.add(numbers[place])
            return place

        return noted

    def traced(self, run: Callable[[Memory], Any], span: Span) -> Callable[[Memory], Any]:
        """The same, with the slots noted that it changes."""
        writes = self.writes

        def noted(m: Memory) -> Any:
            before = m[:]
            result = run(m)
            writes.extend([(slot, span) for slot, value in enumerate(before) if m[slot] is not value])
            return result

        return noted
