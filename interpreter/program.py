"""A program: steps that run until one asks, each `step(memory) -> number of the next`.

There is no recursion in the language, so every phase, loop and action has slots of its own for where it stands:
the number of a step and the memory are the whole state. Negative numbers stand for places that ask (`~number`),
0 for the end.
"""

from collections import Counter
from collections.abc import Callable
from functools import cached_property

import attrs

from ..dsl.source import Span
from .asking import Place
from .closures import Memory
from .expressions import Expressions
from .layout import Layout, holds_items
from .named import open_locals
from .sight import Sight
from .watch import Watch
from .words import Words

Step = Callable[[Memory], int]
Act = Callable[[Memory], None]

END = 0


@attrs.define(eq=False)
class Pass:
    """A phase being compiled: the steps that end its pass in one way or another."""

    name: str
    ended: int
    """On to the next pass."""
    left: int
    """On to what follows the phase."""
    again: int
    """The same pass once more."""
    finish: Act = lambda m: None
    """What happens whenever a pass ends: invariants, measures, the event."""


@attrs.define(eq=False)
class Routine:
    """An action that asks something: compiled once, with the step to come back to in a slot of its own."""

    name: str
    entry: int
    back: int
    parameters: list[int]
    clear: Act = lambda m: None
    finish: Act = lambda m: None
    """What happens whenever it ends, before that."""
    callers: dict[int, "Around"] = attrs.Factory(dict)
    """What stands around it, by the step to come back to."""


@attrs.frozen(eq=False)
class Around:
    """What stands around a statement."""

    passes: tuple[Pass, ...] = ()
    routine: Routine | None = None
    exit: int = END
    """Where `break` goes."""
    brief: bool = False
    """Whether nothing can be asked before this part is over: its locals need no place in the state."""


class Program:
    """The steps of one or more bodies over one layout."""

    def __init__(self, layout: Layout, watch: Watch | None = None) -> None:
        self.layout = layout
        self.watch = watch
        self.expressions = Expressions(layout, watch)
        self.sight = Sight(layout, self.expressions)
        self.words = Words(layout, self.sight)
        self.lasting = len(layout.names)
        """The slots from here on are the program's own: control and locals."""
        self.code: list[Step] = []
        self.places: dict[int, Place] = {}
        self.spans: list[Span] = []
        self.around: list[Around] = []
        self.control: set[int] = set()
        """The locals by which play knows whose pass it is."""
        self.firsts: list[int] = []
        """The step each body begins with."""

    @cached_property
    def blank(self) -> list[None]:
        """What the program's own slots hold at the end."""
        return [None] * (len(self.layout.names) - self.lasting)

    @cached_property
    def labels(self) -> list[str]:
        """A name for each slot; those of the same name are told apart by their numbers."""
        names = Counter(self.layout.names)
        return [f"{name} @{slot}" if names[name] > 1 else name for slot, name in enumerate(self.layout.names)]

    @cached_property
    def shown(self) -> list[int]:
        """The slots of locals that give nothing away; for what players chose together, those of all seats."""
        numbers, seats = open_locals(self.layout), range(self.layout.players)
        alone = [slot for number, slot in self.expressions.locals.items() if number in numbers and slot >= 0]
        together = [first for number, first in self.expressions.together.items() if number in numbers]
        return sorted(alone) + [first + seat for first in together for seat in seats]

    def finish(self, firsts: list[int]) -> None:
        """All slots are known now."""
        layout = self.layout
        self.firsts = firsts
        self.sight.marks = tuple(
            slot for slot, type_ in enumerate(layout.types) if holds_items(type_) and slot not in layout.zone_at
        )

    def path(self, m: Memory, pc: int) -> tuple[str, ...]:
        """The phases around a step, outermost first."""
        return self._names(m, self.around[pc])

    def _names(self, m: Memory, around: Around) -> tuple[str, ...]:
        names = tuple(each.name for each in around.passes)
        if around.routine is None:
            return names
        caller = around.routine.callers.get(m[around.routine.back])
        return names if caller is None else self._names(m, caller) + names
