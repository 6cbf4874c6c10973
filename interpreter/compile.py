"""Bodies of statements compiled into the steps of a program.

Statements in which nothing can be asked are fused into one step. Whatever ends a pass from within, ends the passes
inside it as well, innermost first; `end game` ends all around it. What was bound inside a pass, a loop or an action is
cleared when that ends, so that states which play on alike are equal.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..dsl import rules
from ..dsl.source import NOWHERE, Span
from . import fuse, loops, phases, places
from .closures import Memory, Read
from .effects import Effects, Run, leaps
from .layout import Layout
from .program import END, Act, Around, Program, Routine, Step
from .watch import Watch


def compile_bodies(layout: Layout, bodies: Sequence[rules.Body], watch: Watch | None = None) -> Program:
    """The program of one or more bodies, each of which can be run by itself."""
    program = Program(layout, watch)
    compiler = Compiler(program)
    assert compiler.reserve(NOWHERE, Around()) == END
    firsts = [compiler.body(body, END, Around()) for body in bodies]
    for finish in compiler.late:
        finish()
    program.finish(firsts)
    return program


class Compiler:
    """Fills in the steps of one program; the modules for each sort of statement work on it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout = program.layout
        self.game = program.layout.game
        self.expressions = program.expressions
        self.effects = Effects(self.layout, self.expressions)
        self.actions = {action.name: action for action in self.game.actions}
        self.brief: dict[str, bool] = {}
        self.bodies: dict[str, Run | None] = {}
        """Actions in which nothing can be asked."""
        self.routines: dict[str, Routine] = {}
        self.late: list[Callable[[], None]] = []
        """What has to wait until all slots are known."""

    def reserve(self, span: Span, around: Around) -> int:
        """The number of a new step, to be filled in later."""
        self.program.code.append(_missing)
        self.program.spans.append(span)
        self.program.around.append(around)
        return len(self.program.code) - 1

    def slot(self, name: str, type_: rules.Type) -> int:
        """A new slot of the state, empty at the start."""
        return self.layout.add(name, type_, None)

    def local(self, local: rules.Local, around: Around) -> int:
        """A slot for a local: in scratch where nothing can be asked while it is bound."""
        if around.brief or local.number in self.expressions.locals:
            return self.expressions.slot(local)
        slot = self.expressions.locals[local.number] = self.slot(local.name, local.type)
        return slot

    def clearing(self, start: int, keep: int = 0) -> Act:
        """A closure that clears the slots from `start` + `keep` to here."""
        first, end = start + keep, len(self.layout.names)
        if first == end:
            return lambda m: None
        blank = [None] * (end - first)

        def clear(m: Memory) -> None:
            m[first:end] = blank

        return clear

    def body(self, body: Sequence[rules.Statement], then: int, around: Around) -> int:
        """Compile statements; the number to begin with. `then` follows them."""
        units = list(self._units(body))
        entries = [self._entry(unit, around) for unit in units]
        for unit, entry, follows in zip(units, entries, [*entries[1:], then], strict=False):
            if self._fuses(unit[0]):
                self.program.code[entry] = self._step(unit, follows, around)
            else:
                self.statement(unit[0], entry if entry > 0 else ~entry, follows, around)
        return entries[0] if entries else then

    def _units(self, body: Sequence[rules.Statement]) -> Iterator[list[rules.Statement]]:
        """Statements that can be fused together, and the others one by one."""
        fused: list[rules.Statement] = []
        for statement in body:
            if self._fuses(statement):
                fused.append(statement)
            if fused and not self.is_brief(statement):
                yield fused
                fused = []
            if not self._fuses(statement):
                yield [statement]
        if fused:
            yield fused

    def _entry(self, unit: list[rules.Statement], around: Around) -> int:
        """A number for the unit's first step; a decision needs no step to be asked."""
        pc = self.reserve(unit[0].span, around)
        asks = isinstance(unit[0], rules.ChooseLabel) or (isinstance(unit[0], rules.Choose) and not unit[0].or_else)
        return ~pc if asks else pc

    def _step(self, unit: list[rules.Statement], follows: int, around: Around) -> Step:
        """A step that runs statements and goes on."""
        runs = [run for statement in unit if (run := fuse.part(self, statement, follows, around)) is not None]
        return fuse.stepping(runs, follows)

    def _fuses(self, statement: rules.Statement) -> bool:
        """Whether a statement can stand in a fused step: all but what asks, loops that ask, and phases."""
        return isinstance(statement, rules.If | rules.Match) or self.is_brief(statement)

    def marked(self, sort: str, name: str, span: Span, entry: int, around: Around) -> int:
        """A step before `entry` that notes that play comes there, where that is watched."""
        if self.program.watch is None:
            return entry
        note, pc = self.program.watch.point(sort, name, span), self.reserve(span, around)

        def step(m: Memory) -> int:
            note()
            return entry

        self.program.code[pc] = step
        return pc

    def marking(self, sort: str, name: str, span: Span, run: Run | None) -> Run | None:
        """A part of a step that also notes that play comes there, where that is watched."""
        if self.program.watch is None:
            return run
        note = self.program.watch.point(sort, name, span)

        def noting(m: Memory) -> int | None:
            note()
            return None if run is None else run(m)

        return noting

    def is_brief(self, statement: rules.Statement) -> bool:
        """Whether nothing can be asked in a statement."""
        match statement:
            case rules.If(cases, otherwise) | rules.Match(_, cases, otherwise):
                return all(self.all_brief(case.body) for case in cases) and self.all_brief(otherwise)
            case rules.For(body=body) | rules.RepeatTimes(_, body) | rules.RepeatUntil(_, body):
                return self.all_brief(body)
            case rules.Do(action):
                return self._brief_action(action)
            case (
                rules.Throw()
                | rules.Draw()
                | rules.Pick()
                | rules.Choose()
                | rules.ChooseTogether()
                | rules.ChooseLabel()
                | rules.Phase()
            ):
                return False
        return True

    def all_brief(self, body: rules.Body) -> bool:
        """Whether nothing can be asked in these statements."""
        return all(self.is_brief(statement) for statement in body)

    def _brief_action(self, name: str) -> bool:
        if name not in self.brief:
            body = self.actions[name].body
            self.brief[name] = self.all_brief(body) and not leaps(body)
        return self.brief[name]

    def in_order(self, source: Read, order: rules.Order) -> Read:
        """The elements by a key; those with equal keys keep their order."""
        each, key, descending = self.expressions.slot(order.each), self.expressions.sure(order.key), order.descending

        def ordered(m: Memory) -> tuple[Any, ...]:
            keyed = [(key(m), element) for element in source(m) if _set(m, each, element)]
            # A stable sort of negated keys: `reverse` would turn equal ones round as well.
            keyed.sort(key=lambda pair: -pair[0] if descending else pair[0])
            return tuple([element for _, element in keyed])

        return ordered

    def statement(self, statement: rules.Statement, entry: int, then: int, around: Around) -> None:
        """Fill in the steps of a statement that asks or that has such statements inside."""
        match statement:
            case rules.Throw():
                places.throw(self, statement, entry, then, around)
            case rules.Draw():
                places.draw(self, statement, entry, then, around)
            case rules.Pick():
                places.pick(self, statement, entry, then, around)
            case rules.Choose():
                places.choose(self, statement, entry, then, around)
            case rules.ChooseTogether():
                places.choose_together(self, statement, entry, then, around)
            case rules.ChooseLabel():
                places.choose_label(self, statement, entry, then, around)
            case rules.Phase():
                phases.phase(self, statement, entry, then, around)
            case rules.For():
                loops.for_each(self, statement, entry, then, around)
            case rules.RepeatTimes():
                loops.repeat_times(self, statement, entry, then, around)
            case rules.RepeatUntil():
                loops.repeat_until(self, statement, entry, then, around)
            case rules.Do():
                loops.do(self, statement, entry, then, around)
            case _:
                raise AssertionError(f"not a statement with steps: {statement}")


def _missing(m: Memory) -> int:
    raise AssertionError("a step that was never filled in")


def _set(m: Memory, slot: int, value: Any) -> bool:
    m[slot] = value
    return True
