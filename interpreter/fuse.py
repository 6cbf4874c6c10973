"""Statements in which nothing can be asked: fused into one closure, with jumps where they lead elsewhere."""

from collections.abc import Callable
from itertools import repeat
from typing import TYPE_CHECKING, Any

import attrs

from ..dsl import rules
from ..dsl.source import Span
from .closures import Memory, Read, fault
from .effects import Run
from .layout import LEFT
from .moments import looking
from .program import END, Around, Pass, Step
from .watch import branch_name

if TYPE_CHECKING:
    from .compile import Compiler


def part(compiler: "Compiler", statement: rules.Statement, follows: int, around: Around) -> Run | None:
    """The closure for a statement in a fused step; None where it can have no effect."""
    match statement:
        case rules.If():
            return _if(compiler, statement, follows, around)
        case rules.Match():
            return _match(compiler, statement, follows, around)
        case rules.For():
            return _brief_for(compiler, statement, around)
        case rules.RepeatTimes(count, body):
            return _brief_repeat(compiler, compiler.expressions.sure(count), None, body, statement.span, around)
        case rules.RepeatUntil(condition, body):
            return _brief_repeat(compiler, None, compiler.expressions.read(condition), body, statement.span, around)
        case rules.Do():
            return _brief_do(compiler, statement, around)
        case rules.Break():
            exit_ = around.exit
            return lambda m: exit_
        case rules.EndGame():
            return _end_game(compiler, around)
        case rules.EndPass(phase):
            return _leap(compiler, phase, lambda each: each.ended, statement.span, around)
        case rules.Leave(phase):
            return _leap(compiler, phase, lambda each: each.left, statement.span, around)
        case rules.Again(phase):
            return _leap(compiler, phase, lambda each: each.again, statement.span, around)
        case rules.Let(bind):
            compiler.local(bind, around)
            return _effect(compiler, statement)
        case _:
            return _effect(compiler, statement)


def _effect(compiler: "Compiler", statement: rules.Statement) -> Run:
    """A change; who made it is noted where that is watched."""
    run, watch = compiler.effects.run(statement), compiler.program.watch
    return run if watch is None or not watch.tracing else watch.traced(run, statement.span)


def branch(compiler: "Compiler", body: rules.Body, follows: int, around: Around) -> Run | None:
    """What a branch does: its statements at once, or a jump to its steps. None for nothing."""
    if compiler.all_brief(body):
        inside = attrs.evolve(around, brief=True)
        return _running([run for each in body if (run := part(compiler, each, follows, inside)) is not None])
    entry = compiler.body(body, follows, around)
    return lambda m: entry


def _if(compiler: "Compiler", statement: rules.If, follows: int, around: Around) -> Run | None:
    """The branch of the first condition that holds; conditions known before play are left out."""
    cases: list[tuple[Read, Run | None]] = []
    for case in statement.cases:
        known = compiler.expressions.fold(case.condition)
        if isinstance(known, rules.Constant):
            if not known.value:
                continue
            otherwise = branch(compiler, case.body, follows, around)
            break
        run = compiler.marking(
            "branch", branch_name(case.span), case.span, branch(compiler, case.body, follows, around)
        )
        cases.append((compiler.expressions.read(case.condition), run))
    else:
        otherwise = branch(compiler, statement.otherwise, follows, around)
    if cases:
        name = f"not {branch_name(statement.span)}"
        otherwise = compiler.marking("branch", name, statement.span, otherwise)
    return _choosing(cases, otherwise)


def _match(compiler: "Compiler", statement: rules.Match, follows: int, around: Around) -> Run | None:
    """The branch for a value."""
    value = compiler.expressions.read(statement.value)
    branches: dict[Any, Run | None] = {}
    for case in statement.cases:
        run = branch(compiler, case.body, follows, around)
        run = compiler.marking("branch", branch_name(case.span), case.span, run)
        branches |= {each: run for each in case.values if each not in branches}
    otherwise = branch(compiler, statement.otherwise, follows, around)

    def match(m: Memory) -> int | None:
        run = branches.get(value(m), otherwise)
        return run(m) if run is not None else None

    return match


def _brief_for(compiler: "Compiler", statement: rules.For, around: Around) -> Run | None:
    """A loop over elements."""
    inside = attrs.evolve(around, brief=True, exit=compiler.reserve(statement.span, around))
    slot, source = compiler.local(statement.bind, inside), elements_in_order(compiler, statement)
    run, exit_, span = branch(compiler, statement.body, END, inside), inside.exit, statement.span
    if run is None:
        return None

    def each(m: Memory) -> int | None:
        elements = source(m)
        _spend(m, len(elements), span)
        for element in elements:
            m[slot] = element
            pc = run(m)
            if pc is not None:
                return None if pc == exit_ else pc
        return None

    return each


def elements_in_order(compiler: "Compiler", statement: rules.For) -> Read:
    """A loop's elements, by its key where it has one."""
    source = compiler.expressions.read(statement.source)
    return source if statement.order is None else compiler.in_order(source, statement.order)


def _brief_repeat(
    compiler: "Compiler", count: Read | None, until: Read | None, body: rules.Body, span: Span, around: Around
) -> Run | None:
    """A loop so many times, or until a condition holds."""
    inside = attrs.evolve(around, brief=True, exit=compiler.reserve(span, around))
    run, exit_ = branch(compiler, body, END, inside) or (lambda m: None), inside.exit

    def again(m: Memory) -> int | None:
        times = None if count is None else max(count(m), 0)
        for _ in repeat(None) if times is None else repeat(None, times):
            if until is not None and until(m):
                return None
            _spend(m, 1, span)
            pc = run(m)
            if pc is not None:
                return None if pc == exit_ else pc
        return None

    return again


def _spend(m: Memory, passes: int, span: Span) -> None:
    """Count passes of a loop that asks nothing: there may be no more of them than steps between two requests."""
    m[LEFT] -= passes
    if m[LEFT] < 0:
        raise fault("the loop has not ended after as many passes as are allowed between two requests", span)


def _brief_do(compiler: "Compiler", statement: rules.Do, around: Around) -> Run | None:
    """An action: its parameters are set, and its body follows."""
    rule = compiler.actions[statement.action]
    inside = attrs.evolve(around, brief=True)
    slots = [compiler.local(parameter, inside) for parameter in rule.parameters]
    arguments = [compiler.expressions.read(argument) for argument in statement.arguments]
    if (run := _brief_body(compiler, rule, inside)) is None or not slots:
        return run

    def do(m: Memory) -> int | None:
        for slot, value in zip(slots, [argument(m) for argument in arguments], strict=True):
            m[slot] = value
        return run(m)

    return do


def _brief_body(compiler: "Compiler", rule: rules.Action, inside: Around) -> Run | None:
    """An action's body, compiled once."""
    if rule.name not in compiler.bodies:
        run = branch(compiler, rule.body, END, inside)
        looks = looking(rules.AfterAction(rule.name), compiler.expressions)
        if looks:
            run = _running([*([run] if run is not None else ()), *looks])
        compiler.bodies[rule.name] = compiler.marking("action", rule.name, rule.span, run)
    return compiler.bodies[rule.name]


def _end_game(compiler: "Compiler", around: Around) -> Run:
    """The end of the game, and of every pass around it."""

    def end(m: Memory) -> int:
        here: Around | None = around
        while here is not None:
            for each in reversed(here.passes):
                each.finish(m)
            if here.routine is not None:
                here.routine.finish(m)
            here = here.routine.callers[m[here.routine.back]] if here.routine is not None else None
        return END

    return end


def _leap(compiler: "Compiler", phase: str, target: Callable[[Pass], int], span: Span, around: Around) -> Run:
    """A jump out of the passes inside a phase; the phase may stand around the call of an action."""
    inner: list[Pass] = []
    for each in reversed(around.passes):
        if each.name == phase:
            return _leaping(inner, target(each))
        inner.append(each)

    def leap(m: Memory) -> int:
        here = around
        while True:
            for each in reversed(here.passes):
                if each.name == phase:
                    return target(each)
                each.finish(m)
            if here.routine is None:
                raise fault(f"phase {phase} is not being played", span)
            caller = here.routine.callers[m[here.routine.back]]
            here.routine.finish(m)
            here.routine.clear(m)
            here = caller

    return leap


def _running(runs: list[Run]) -> Run | None:
    """One after the other, until one leads elsewhere."""
    if len(runs) < 2:
        return runs[0] if runs else None
    if len(runs) == 2:
        one, two = runs

        def both(m: Memory) -> int | None:
            pc = one(m)
            return pc if pc is not None else two(m)

        return both

    def all_(m: Memory) -> int | None:
        for run in runs:
            pc = run(m)
            if pc is not None:
                return pc
        return None

    return all_


def stepping(runs: list[Run], follows: int) -> Step:
    """One after the other, then on to what follows."""
    run = _running(runs)
    if run is None:
        return lambda m: follows

    def step(m: Memory) -> int:
        pc = run(m)
        return follows if pc is None else pc

    return step


def _choosing(cases: list[tuple[Read, Run | None]], otherwise: Run | None) -> Run | None:
    """The branch of the first condition that holds."""
    if not cases:
        return otherwise
    if len(cases) == 1:
        ((condition, then),) = cases
        if then is not None and otherwise is None:
            return lambda m: then(m) if condition(m) else None

    def choose(m: Memory) -> int | None:
        for condition, branch in cases:
            if condition(m):
                return branch(m) if branch is not None else None
        return otherwise(m) if otherwise is not None else None

    return choose


def _leaping(inner: list[Pass], target: int) -> Run:
    """A jump out of the passes inside a phase."""
    if not inner:
        return lambda m: target

    def leap(m: Memory) -> int:
        for each in inner:
            each.finish(m)
        return target

    return leap
