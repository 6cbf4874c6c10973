"""Phases: who has the next pass, and what happens whenever one ends."""

from typing import TYPE_CHECKING, Any

import attrs

from ..dsl import rules
from ..dsl.source import Span
from .closures import Memory, Read, fault, seat_after
from .engine import TurnTaken
from .layout import EVENTS, IN
from .moments import looking, sampling
from .program import Act, Around, Pass, Step

if TYPE_CHECKING:
    from .compile import Compiler


def phase(compiler: "Compiler", statement: rules.Phase, entry: int, then: int, around: Around) -> None:
    """A phase: four ways for a pass to end, and one to begin."""
    start, span, code = len(compiler.layout.names), statement.span, compiler.program.code
    ended, left, again = [compiler.reserve(span, around) for _ in range(3)]
    each = Pass(statement.name, ended, left, again)
    inside = attrs.evolve(around, passes=(*around.passes, each))
    begin, next_, head, me = _passes(compiler, statement, inside)
    controls = len(compiler.layout.names)
    body = compiler.body(statement.body, each.ended, inside)
    body = compiler.marked("phase", statement.name, span, body, inside)
    clear, clear_all = compiler.clearing(controls), compiler.clearing(start)
    code[entry] = begin(body, then, clear_all)
    if head is not None:
        code[head] = next_(body, then, clear_all)

    def finish() -> None:
        if not statement.shell:
            each.finish = _finishing(compiler, statement, me)
        code[each.ended] = _ending(each.finish, clear if head is not None else clear_all, head or then)
        code[each.left] = _ending(each.finish, clear_all, then)
        code[each.again] = _ending(each.finish, clear, body)
        if me is not None and head is not None:
            # Who has been eliminated gets no further pass.
            code[each.again] = _ending(each.finish, clear, _if_in(compiler, me, body, head, span, inside))

    compiler.late.append(finish)


def _if_in(compiler: "Compiler", me: int, body: int, head: int, span: Span, inside: Around) -> int:
    """A step to the body if a player is still in, else to the next pass."""
    pc = compiler.reserve(span, inside)
    compiler.program.code[pc] = lambda m: body if m[me] in m[IN] else head
    return pc


def _passes(compiler: "Compiler", statement: rules.Phase, inside: Around) -> tuple[Any, Any, int | None, int | None]:
    """How the first and the next pass begin, given the body, what follows and what clears the phase."""
    match statement.kind:
        case rules.Once():
            return (lambda body, then, clear: lambda m: body), None, None, None
        case rules.Times(count):
            return _times_passes(compiler, compiler.expressions.sure(count), statement, inside)
        case rules.Until(condition):
            return _until_passes(compiler, compiler.expressions.read(condition), statement, inside)
        case rules.EachPlayer():
            return _player_passes(compiler, statement.kind, statement, inside)


def _times_passes(
    compiler: "Compiler", count: Read, statement: rules.Phase, inside: Around
) -> tuple[Any, Any, int, None]:
    """So many passes, fixed at the start; what is left stands in a slot."""
    left = compiler.slot(f"{statement.name} left", rules.Number())
    head = compiler.reserve(statement.span, inside)

    def begin(body: int, then: int, clear: Act) -> Step:
        def first(m: Memory) -> int:
            m[left] = count(m)
            return head

        return first

    def next_(body: int, then: int, clear: Act) -> Step:
        def next_pass(m: Memory) -> int:
            if m[left] <= 0:
                clear(m)
                return then
            m[left] -= 1
            return body

        return next_pass

    return begin, next_, head, None


def _until_passes(
    compiler: "Compiler", condition: Read, statement: rules.Phase, inside: Around
) -> tuple[Any, Any, int, None]:
    """Passes until a condition holds."""
    head = compiler.reserve(statement.span, inside)

    def test(body: int, then: int, clear: Act) -> Step:
        return lambda m: then if condition(m) else body

    return test, test, head, None


def _player_passes(
    compiler: "Compiler", kind: rules.EachPlayer, statement: rules.Phase, inside: Around
) -> tuple[Any, Any, int, int]:
    """A pass for each player, once or round and round."""
    seats = _seats(compiler, kind)
    me = compiler.local(kind.me, inside)
    compiler.program.control.add(kind.me.number)
    ordered = kind.order is not None or not kind.in_turn
    order = compiler.slot(f"{statement.name} order", rules.Many(rules.Player())) if ordered else -1
    until = compiler.expressions.read(kind.until) if kind.until is not None else None
    where = compiler.expressions.read(kind.where) if kind.where is not None else None
    head, span = compiler.reserve(statement.span, inside), statement.span

    def begin(body: int, then: int, clear: Act) -> Step:
        if kind.in_turn:
            return _in_turn(me, order, seats, until, where, span, body, then, clear)

        def first(m: Memory) -> int:
            m[order] = seats(m)
            return head

        return first

    def next_(body: int, then: int, clear: Act) -> Step:
        if kind.in_turn:
            return _in_turn(me, order, None, until, where, span, body, then, clear)
        return _each_once(me, order, until, where, body, then, clear)

    return begin, next_, head, me


def _seats(compiler: "Compiler", kind: rules.EachPlayer) -> Read:
    """The players at the beginning of a phase, in the order of their passes."""
    start = compiler.expressions.sure(kind.start) if kind.start is not None else None

    def from_start(m: Memory) -> tuple[int, ...]:
        seats: tuple[int, ...] = m[IN]
        if start is None:
            return seats
        first = start(m)
        return tuple([each for each in seats if each >= first] + [each for each in seats if each < first])

    return from_start if kind.order is None else compiler.in_order(from_start, kind.order)


def _finishing(compiler: "Compiler", statement: rules.Phase, me: int | None) -> Act:
    """What happens whenever a pass of a phase ends."""
    name = statement.name
    acts = looking(rules.After(name), compiler.expressions)
    for measure in compiler.game.measures:
        if isinstance(measure.moment, rules.After) and measure.moment.phase == name:
            acts.append(sampling(measure, compiler.expressions))
    taken = [TurnTaken(name, seat) for seat in range(compiler.layout.players)]
    nobody = TurnTaken(name, None)

    def finish(m: Memory) -> None:
        for act in acts:
            act(m)
        m[EVENTS].append(nobody if me is None else taken[m[me]])

    return finish


def _ending(finish: Act, clear: Act, then: int) -> Step:
    """A step that ends a pass."""

    def step(m: Memory) -> int:
        finish(m)
        clear(m)
        return then

    return step


def _each_once(me: int, order: int, until: Read | None, where: Read | None, body: int, then: int, clear: Act) -> Step:
    """The next player of those waiting who is still in and for whom the condition holds."""

    def next_pass(m: Memory) -> int:
        while m[order] and not (until is not None and until(m)):
            m[me], m[order] = m[order][0], m[order][1:]
            if m[me] in m[IN] and (where is None or where(m)):
                return body
        clear(m)
        return then

    return next_pass


def _in_turn(
    me: int,
    order: int,
    seats: Read | None,
    until: Read | None,
    where: Read | None,
    span: Span,
    body: int,
    then: int,
    clear: Act,
) -> Step:
    """The next player round the table, or in a phase's own order; with `seats` the first."""

    def successor(m: Memory, fresh: bool) -> int:
        if fresh and seats is not None:
            started: tuple[int, ...] = seats(m)
            if order >= 0:
                m[order] = started
            return started[0]
        if order < 0:
            return seat_after(m[IN], m[me], 1)
        place = m[order].index(m[me])
        turned = m[order][place + 1 :] + m[order][: place + 1]
        return int(next(seat for seat in turned if seat in m[IN]))

    def next_pass(m: Memory) -> int:
        for tried in range(len(m[IN])):
            if until is not None and until(m):
                break
            m[me] = successor(m, tried == 0)
            if where is None or where(m):
                return body
        else:
            if m[IN]:
                raise fault("no player can have a pass here, and the phase does not end", span)
        clear(m)
        return then

    return next_pass
