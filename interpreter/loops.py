"""Loops and actions in which something can be asked, each with slots of its own for where it stands."""

from typing import TYPE_CHECKING

import attrs

from ..dsl import rules
from . import fuse
from .closures import Memory
from .moments import looking, one_by_one
from .program import END, Act, Around, Routine, Step

if TYPE_CHECKING:
    from .compile import Compiler


def do(compiler: "Compiler", statement: rules.Do, entry: int, then: int, around: Around) -> None:
    """An action begins; the step to come back to is kept in its slot."""
    routine = _routine(compiler, statement.action)
    routine.callers[then] = around
    arguments = [compiler.expressions.read(argument) for argument in statement.arguments]
    slots, back, first = routine.parameters, routine.back, routine.entry

    def do(m: Memory) -> int:
        values = [argument(m) for argument in arguments]
        for slot, value in zip(slots, values, strict=True):
            m[slot] = value
        m[back] = then
        return first

    compiler.program.code[entry] = do


def _routine(compiler: "Compiler", name: str) -> Routine:
    """An action compiled once, however often it is called."""
    if name in compiler.routines:
        return compiler.routines[name]
    rule, start = compiler.actions[name], len(compiler.layout.names)
    back = compiler.slot(f"{name} back to", rules.Number())
    parameters = [compiler.local(parameter, Around()) for parameter in rule.parameters]
    routine = compiler.routines[name] = Routine(name, END, back, parameters)
    inside = Around(routine=routine)
    done = compiler.reserve(rule.span, inside)
    entry = compiler.body(rule.body, done, inside)
    routine.entry = compiler.marked("action", name, rule.span, entry, inside)
    clear = routine.clear = compiler.clearing(start)

    def finished(m: Memory) -> int:
        routine.finish(m)
        pc: int = m[back]
        clear(m)
        return pc

    def finish() -> None:
        if looks := looking(rules.AfterAction(name), compiler.expressions):
            routine.finish = one_by_one(looks)

    compiler.late.append(finish)
    compiler.program.code[done] = finished
    return routine


def for_each(compiler: "Compiler", statement: rules.For, entry: int, then: int, around: Around) -> None:
    """The elements that are left stand in a slot."""
    start = len(compiler.layout.names)
    source, left = (
        fuse.elements_in_order(compiler, statement),
        compiler.slot(f"{statement.bind.name} left", statement.source.type),
    )
    bind = compiler.local(statement.bind, around)
    head, out = compiler.reserve(statement.span, around), compiler.reserve(statement.span, around)
    body = compiler.body(statement.body, head, attrs.evolve(around, exit=out))
    clear, clear_body = compiler.clearing(start), compiler.clearing(start, keep=2)

    def begin(m: Memory) -> int:
        m[left] = source(m)
        return head

    def next_(m: Memory) -> int:
        if not m[left]:
            return out
        clear_body(m)
        m[bind], m[left] = m[left][0], m[left][1:]
        return body

    compiler.program.code[entry], compiler.program.code[head] = begin, next_
    compiler.program.code[out] = _clearing(clear, then)


def repeat_times(compiler: "Compiler", statement: rules.RepeatTimes, entry: int, then: int, around: Around) -> None:
    """The passes that are left stand in a slot."""
    start = len(compiler.layout.names)
    count, left = compiler.expressions.sure(statement.count), compiler.slot("times left", rules.Number())
    head, out = compiler.reserve(statement.span, around), compiler.reserve(statement.span, around)
    body = compiler.body(statement.body, head, attrs.evolve(around, exit=out))
    clear, clear_body = compiler.clearing(start), compiler.clearing(start, keep=1)

    def begin(m: Memory) -> int:
        m[left] = count(m)
        return head

    def next_(m: Memory) -> int:
        if m[left] <= 0:
            return out
        clear_body(m)
        m[left] -= 1
        return body

    compiler.program.code[entry], compiler.program.code[head] = begin, next_
    compiler.program.code[out] = _clearing(clear, then)


def repeat_until(compiler: "Compiler", statement: rules.RepeatUntil, entry: int, then: int, around: Around) -> None:
    """The condition is tested before each pass."""
    start, condition = len(compiler.layout.names), compiler.expressions.read(statement.condition)
    out = compiler.reserve(statement.span, around)
    body = compiler.body(statement.body, entry, attrs.evolve(around, exit=out))
    clear = compiler.clearing(start)

    def next_(m: Memory) -> int:
        clear(m)
        return then if condition(m) else body

    compiler.program.code[entry] = next_
    compiler.program.code[out] = _clearing(clear, then)


def _clearing(clear: Act, then: int) -> Step:
    """A step that clears slots and goes on."""

    def step(m: Memory) -> int:
        clear(m)
        return then

    return step
