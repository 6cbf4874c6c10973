"""What is noted while play is explored: properties looked at and broken, and the parts of the rules that are reached.

Where a game is watched, a property that does not hold is no fault: it is noted on which edge that came about first, and
play goes on. Only parts that the reference's watch knows are noted.
"""

from typing import TYPE_CHECKING

from ...dsl import rules
from ...dsl.source import Span
from ..scoring import IN_BOUNDS
from ..watch import MOST_ROWS, Point, Watch, branch_name, table_rows
from .code import NOTHING, Op, add, address, at, compare, do, load, num, store, when
from .listings import Offset

if TYPE_CHECKING:
    from .lowering import Lowering

NEVER = 2**62
"""In place of the edge on which something came about."""


class Watching:
    """Where everything is noted."""

    def __init__(self, low: "Lowering", watch: Watch | None, counted: tuple[str, ...]) -> None:
        self.low = low
        self.notes = watch is not None
        """Whether properties are noted and stop nothing."""
        self.points = watch.points if watch is not None else {}
        game = low.game
        self.counted = counted
        """The phases whose passes are counted."""
        bounded = [IN_BOUNDS] if game.score is not None and game.score.bounds is not None else []
        names = [*[each.name for each in game.invariants], *bounded, *[each.name for each in game.possibles]]
        self.properties = list(dict.fromkeys(names))  # a focus may say several things under its name
        room = low.memory.room
        self.looked = room("looked at", 8 * len(self.properties))
        """How often each property was looked at."""
        self.first = room("first noted", 8 * len(self.properties))
        """The first edge on which a property was broken, or what must be possible came about."""
        self.reached = room("reached", max(len(self.points), 1))
        self.passes = room("passes", 8 * max(len(counted), 1))
        """Passes ended on the edge."""
        self.label = room("label", 8)
        """The label chosen on the edge; below zero for none."""
        self.fell = room("fell", sum(len(set(faces)) for faces in low.layout.faces) or 1)
        """Which faces were thrown, item by item."""
        self.edge = room("edge", 8)
        """The number of the edge."""

    # ---- parts of the rules --------------------------------------------------------------------------------

    def reach(self, sort: str, name: str, span: Span) -> Op:
        """Play comes to a part of the rules."""
        number = self.points.get(Point(sort, name, span))
        return NOTHING if number is None else store(at(0), at(1), Offset(self.reached, number), 1)

    def branch(self, span: Span, otherwise: bool = False) -> Op:
        """Play comes to a branch; `otherwise`: to none of those that have a condition."""
        return self.reach("branch", f"not {branch_name(span)}" if otherwise else branch_name(span), span)

    def row(self, table: str, index: Op, size: int) -> Op:
        """An entry of a table is read."""
        rule = next(rule for rule in self.low.game.tables if rule.name == table)
        rows = [self.points.get(point, -1) for point in table_rows(rule, size)]
        if size > MOST_ROWS or -1 in rows:
            return NOTHING
        return store(address(self.low.table("entries", rows).read(index)), at(1), self.reached, 1)

    def falls(self, item: int) -> int:
        """Where an item's faces begin among those that were thrown."""
        return sum(len(set(faces)) for faces in self.low.layout.faces[:item])

    def pass_ended(self, phase: str) -> Op:
        """A pass of a phase is over."""
        if phase not in self.counted:
            return NOTHING
        here = Offset(self.passes, 8 * self.counted.index(phase))
        return store(at(0), add(load(at(0), here), num(1)), here)

    # ---- properties ----------------------------------------------------------------------------------------

    def looks(self, name: str) -> Op:
        """A property is looked at."""
        here = Offset(self.looked, 8 * self.properties.index(name))
        return store(at(0), add(load(at(0), here), num(1)), here)

    def note(self, name: str) -> Op:
        """A property is broken, or what must be possible came about."""
        here = Offset(self.first, 8 * self.properties.index(name))
        fresh = compare("is", load(at(0), here), num(NEVER))
        return when(fresh, store(at(0), load(at(0), self.edge), here))

    def edge_begins(self) -> Op:
        """Nothing has come about on an edge yet."""
        cleared = [store(at(0), num(0), Offset(self.passes, 8 * place)) for place in range(len(self.counted))]
        return do(*cleared, store(at(0), num(-1), self.label))


def possible(game: rules.Game, moment: rules.Moment) -> list[rules.Possible]:
    """What must be possible, and is looked at in a moment."""
    return [each for each in game.possibles if each.moment == moment]
