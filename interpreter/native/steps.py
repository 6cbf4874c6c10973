"""Statements and phases: what happens one after the other, and where play goes on.

Statements in which nothing can be asked are written as one piece of code. All others are blocks of the flow, and what
they need after a request stands in slots of the state. An action that asks is a function; it gives the number of the
exit by which it was left, 0 for its end.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from ...dsl import rules
from ...dsl.source import Span
from ...dsl.tree import walk
from ..effects import leaps, outgrows
from ..layout import holds_items, kinds_of
from . import items, moments, sets, values
from .code import (
    NONE,
    NOTHING,
    Label,
    Op,
    add,
    address,
    at,
    block,
    both,
    call,
    compare,
    do,
    either,
    jump,
    known,
    load,
    loop,
    mul,
    no,
    num,
    number,
    outside,
    plain,
    store,
    sub,
    when,
)
from .flow import Block, Branch, Function, Jump, Return, Switch
from .listings import Chosen, Listing, Offset, Parted, Written, bit, without_lowest
from .memory import HEAD

if TYPE_CHECKING:
    from .lowering import Lowering

TURN = "turn"
LARGE = 23
"""Actions of more nodes than this are functions."""


@attrs.define(eq=False)
class Pass:
    """A phase being compiled: where a pass of it goes on that ends in one way or another."""

    name: str
    ended: Block
    left: Block
    again: Block
    finish: Function
    """What happens whenever a pass ends; filled when the phase is complete."""
    shell: bool = False
    """Whether it only stands for what is around a part of play, and its passes are none."""

    def end(self, low: "Lowering") -> Op:
        """A pass ends."""
        if self.shell:
            return call(self.finish)
        counted = low.watching.pass_ended(self.name) if low.watching is not None else NOTHING
        turns = low.write("turns", add(low.read("turns"), num(1))) if self.name == TURN else NOTHING
        looked = low.tree.turn_over() if low.tree is not None and self.name == TURN else NOTHING
        return do(call(self.finish), turns, looked, counted)


@attrs.define(eq=False)
class Routine:
    """An action in which something is asked."""

    function: Function
    finish: Function
    """What is looked at whenever it ends; filled when it is complete."""
    exits: list[tuple[str, str]] = attrs.Factory(list)
    """The ways out, from 1: a phase and how its pass ends then; nothing and `end` for the end of the game."""


@attrs.frozen(eq=False)
class Around:
    """What stands around a statement."""

    passes: tuple[Pass, ...] = ()
    routine: Routine | None = None
    exit: Block | Label | None = None
    """Where `break` goes."""
    brief: bool = False
    """Whether nothing can be asked before this part is over."""


# ---- bodies --------------------------------------------------------------------------------------------


def body(low: "Lowering", statements: rules.Body) -> None:
    """Statements one after the other."""
    for statement in statements:
        if is_brief(low, statement):
            low.emit(brief(low, statement))
        else:
            low.steps[type(statement)](low, statement)


def is_brief(low: "Lowering", statement: rules.Statement) -> bool:
    """Whether nothing can be asked in a statement."""
    match statement:
        case rules.If(cases, otherwise) | rules.Match(_, cases, otherwise):
            return all(_all_brief(low, case.body) for case in cases) and _all_brief(low, otherwise)
        case rules.For(body=inner) | rules.RepeatTimes(_, inner) | rules.RepeatUntil(_, inner):
            return _all_brief(low, inner)
        case rules.Do(action):
            key = "brief", action
            if key not in low.noticed:
                inner = low.actions[action].body
                low.noticed[key] = _all_brief(low, inner) and not leaps(inner)
            return low.noticed[key]
    return type(statement) not in low.steps


def _all_brief(low: "Lowering", statements: rules.Body) -> bool:
    return all(is_brief(low, each) for each in statements)


def _within(low: "Lowering", around: Around, make: Callable[[], Any]) -> Any:
    """Something made with other things around it."""
    before, low.around = low.around, around
    made = make()
    low.around = before
    return made


# ---- where nothing is asked ----------------------------------------------------------------------------


def brief(low: "Lowering", statement: rules.Statement) -> Op:
    """A statement in which nothing can be asked."""
    return low.brief[type(statement)](low, statement)


def _inner(low: "Lowering", statements: rules.Body) -> Op:
    """The statements of a branch or loop in which nothing can be asked."""
    around = attrs.evolve(low.around, brief=True)
    with low.where(low.env):
        return _within(low, around, lambda: do(*[brief(low, each) for each in statements]))  # type: ignore[no-any-return]


def if_(low: "Lowering", statement: rules.If) -> Op:
    return _cases(low, list(statement.cases), statement)


def _cases(low: "Lowering", cases: list[rules.Case], statement: rules.If, open_: bool = False) -> Op:
    """`open_`: whether there was a case before these that might have held."""
    if not cases:
        return do(_reaches(low, statement.span, True) if open_ else NOTHING, _inner(low, statement.otherwise))
    case = cases[0]
    condition, certain = low.test(case.condition), _is_certain(low, case)
    settled = known(condition)
    if settled == 0:
        return _cases(low, cases[1:], statement, open_ or not certain)
    then = do(_case_reached(low, statement, case, open_), _inner(low, case.body))
    return then if settled else when(condition, then, _cases(low, cases[1:], statement, True))


def _is_certain(low: "Lowering", case: rules.Case) -> bool:
    """Whether it is certain before play if a case holds, as far as the reference can tell."""
    return isinstance(low.before.fold(case.condition), rules.Constant)


def _case_reached(low: "Lowering", statement: rules.If, case: rules.Case, open_: bool) -> Op:
    """A case is taken; one that surely holds is what comes if none of those before it does."""
    if not _is_certain(low, case):
        return _reaches(low, case.span)
    return _reaches(low, statement.span, True) if open_ else NOTHING


def _reaches(low: "Lowering", span: Span, otherwise: bool = False) -> Op:
    """A branch is taken."""
    return NOTHING if low.watching is None else low.watching.branch(span, otherwise)


def _reached(low: "Lowering", sort: str, name: str, span: Span) -> Op:
    """Play comes to a part of the rules."""
    return NOTHING if low.watching is None else low.watching.reach(sort, name, span)


def match(low: "Lowering", statement: rules.Match) -> Op:
    kept, value = low.keep(low.number(statement.value))
    settled = known(value)
    made = NOTHING if settled is not None else _inner(low, statement.otherwise)
    for case in reversed(statement.cases):
        numbers = [NONE if each is None else int(each) for each in case.values]
        if settled is None:
            mine = either(*[compare("is", value, num(each)) for each in numbers])
            made = when(mine, do(_reaches(low, case.span), _inner(low, case.body)), made)
        elif settled in numbers:
            return do(_reaches(low, case.span), _inner(low, case.body))
    return do(kept, made if settled is None else _inner(low, statement.otherwise))


def for_(low: "Lowering", statement: rules.For) -> Op:
    made, listing = _elements(low, statement)
    out = Label()
    around = attrs.evolve(low.around, exit=out)

    def one(element: Op) -> Op:
        with low.where(low.bound(statement.bind, element)):
            if statement.bind.number in low.slots:
                before = low.write_slot(low.slots[statement.bind.number], element)
            else:
                before = NOTHING
            return do(before, _within(low, around, lambda: _inner(low, statement.body)))

    return do(made, _spend(low, listing.count(), statement.span), block(out, listing.each(one)))


def _elements(low: "Lowering", statement: rules.For) -> tuple[Op, Listing]:
    """What a loop goes through, as it is at the beginning."""
    source = low.listing(statement.source)
    if statement.order is not None:
        return sets.ordered(low, source, statement.order)
    return low.lasting(source)


def _spend(low: "Lowering", passes: Op, span: Span) -> Op:
    """Counts passes of a loop that asks nothing."""
    left = low.read("left")
    over = low.fault("the loop has not ended after as many passes as are allowed between two requests", span)
    return do(low.write("left", sub(left, passes)), when(compare("<", left, num(0)), over))


def repeat_times(low: "Lowering", statement: rules.RepeatTimes) -> Op:
    left, again, out = low.f.local(), Label(), Label()
    around = attrs.evolve(low.around, exit=out)
    inside = _within(low, around, lambda: _inner(low, statement.body))
    return do(
        left.set(low.number_of(statement.count)),
        block(
            out,
            when(
                compare(">", left.get, num(0)),
                loop(
                    again,
                    left.set(sub(left.get, num(1))),
                    _spend(low, num(1), statement.span),
                    inside,
                    Op("jump if", (compare(">", left.get, num(0)),), again),
                ),
            ),
        ),
    )


def repeat_until(low: "Lowering", statement: rules.RepeatUntil) -> Op:
    again, out = Label(), Label()
    around = attrs.evolve(low.around, exit=out)
    inside = _within(low, around, lambda: _inner(low, statement.body))
    over = low.test(statement.condition)
    return block(
        out,
        loop(
            again,
            Op("jump if", (over,), out),
            _spend(low, num(1), statement.span),
            inside,
            jump(again),
        ),
    )


def do_(low: "Lowering", statement: rules.Do) -> Op:
    rule = low.actions[statement.action]
    if not _is_large(low, rule):
        made, env = _arguments(low, rule, statement.arguments)
        with low.where(env):
            around = attrs.evolve(low.around, passes=(), exit=None, brief=True)
            before, low.action = low.action, rule.name
            inside = _within(low, around, lambda: _action(low, rule))
            low.action = before
        return do(made, inside)
    function = _brief_action(low, rule)
    passed = [values.passed(low, *pair) for pair in zip(rule.parameters, statement.arguments, strict=True)]
    return do(*[made for made, _ in passed], call(function, *[value for _, value in passed]))


def _action(low: "Lowering", rule: rules.Action) -> Op:
    """The body of an action that asks nothing, and what is looked at when it ends."""
    with low.where(low.env):
        code = [_reached(low, "action", rule.name, rule.span), *[brief(low, each) for each in rule.body]]
        return do(*code, moments.looking(low, rules.AfterAction(rule.name)))


def _is_large(low: "Lowering", rule: rules.Action) -> bool:
    """Whether an action that asks nothing is rather a function than written out where it is called."""
    key = "large action", rule.name
    if key not in low.noticed:
        low.noticed[key] = low.calls[rule.name] > 1 and sum(1 for _ in walk(rule)) > LARGE
    return low.noticed[key]


def _arguments(
    low: "Lowering", rule: rules.Action, given: tuple[rules.Expr, ...]
) -> tuple[Op, dict[int, Op | Listing]]:
    env: dict[int, Op | Listing] = {}
    code = []
    for parameter, argument in zip(rule.parameters, given, strict=True):
        if isinstance(parameter.type, rules.Many):
            kept, env[parameter.number] = low.again(low.listing(argument))
        else:
            value = low.number(argument)
            local = low.f.local()
            kept, env[parameter.number] = (NOTHING, value) if value.name == "num" else (local.set(value), local.get)
        code.append(kept)
    return do(*code), env


def _brief_action(low: "Lowering", rule: rules.Action) -> Function:
    """The function of an action that asks nothing."""
    key = "action", rule.name
    if key not in low.made:
        kinds = tuple("t" if values.listed(low, parameter) else "n" for parameter in rule.parameters)
        function = low.made[key] = low.flow.function(rule.name, kinds)
        before, low.action = low.action, rule.name
        with low.inside(function):
            low.env = values.parameters(low, function, rule.parameters, 0)
            function.fill(_within(low, Around(brief=True), lambda: _action(low, rule)))
        low.action = before
    return low.made[key]


def break_(low: "Lowering", statement: rules.Break) -> Op:
    target = low.around.exit
    assert target is not None
    if isinstance(target, Block):
        low.block.leaps.append(target)
    return Op("jump", (), target)


def let_(low: "Lowering", statement: rules.Let) -> Op:
    return low.bind(statement.bind, statement.value, low.around.brief)


def eliminate(low: "Lowering", statement: rules.Eliminate) -> Op:
    kept, seat = low.keep(low.number_of(statement.player))
    word = mul(address(plain("shr", seat, num(6))), at(8))
    place = low.memory.players_in
    left = plain("and", load(word, place), plain("xor", bit(seat), num(-1)))
    return do(kept, store(word, left, place))


def pay(low: "Lowering", statement: rules.Pay) -> Op:
    kept, paid = low.keep(low.number_of(statement.amount))
    negative = low.fault("{0} cannot be paid", statement.span, paid)
    code = [kept]
    if not _at_least(statement.amount, 0):
        code.append(when(compare("<", paid, num(0)), negative))
    for place, make in ((statement.source, sub), (statement.target, add)):
        before, index = low.keep(values.element(low, place))
        cell = low.memory.variables[place.name]
        more, left = low.keep(make(cell.read(index), paid))
        code += [before, more, _inside(low, left, place.name, low.layout.ranges.get(place.name), statement.span)]
        code.append(cell.write(left, index))
    return do(*code)


def _at_least(expr: rules.Expr, least: int) -> bool:
    return isinstance(expr.type, rules.Number) and expr.type.low >= least


def _inside(low: "Lowering", value: Op, name: str, ends: tuple[int, int] | None, span: Span) -> Op:
    """A fault where a value lies outside of its range."""
    if ends is None:
        return NOTHING
    least, most = ends
    fault = low.fault(f"{name} cannot be {{0}}: it lies in {least}..{most}", span, value)
    return when(outside(value, least, most), fault)


def assign(low: "Lowering", statement: rules.Assign) -> Op:
    place = statement.place
    if isinstance(place, rules.VariableValue):
        kept, index = low.keep(values.element(low, place))
        cell = low.memory.variables[place.name]
        before = cell.read(index)
        write: Callable[[Op], Op] = lambda value: cell.write(value, index)  # noqa: E731
        check: Callable[[Op], Op] = lambda value: _inside(  # noqa: E731
            low, value, place.name, low.layout.ranges.get(place.name), statement.span
        )
    else:
        kept, item = low.keep(low.number_of(place.item))
        kinds = items.of_kinds(low, place.item.type)
        before = items.field(low, kinds, place.field, item)
        write = lambda value: items.write_field(low, kinds, place.field, item, value)  # noqa: E731
        check = lambda value: _field_check(low, place, item, value, statement.span)  # noqa: E731
    made, value = low.keep(_given(low, statement, before))
    checked = NOTHING
    if statement.unsafe:
        checked = check(value)
        if isinstance(place.type, rules.Maybe) and checked is not NOTHING:
            checked = when(compare("is not", value, num(NONE)), checked)
    return do(kept, made, checked, write(value))


def _given(low: "Lowering", statement: rules.Assign, before: Op) -> Op:
    """The value a place is to have."""
    place = statement.place
    if statement.operator == "=":
        return low.number(statement.value) if isinstance(place.type, rules.Maybe) else low.number_of(statement.value)
    now = number(low.something(before, place.span) if isinstance(place.type, rules.Maybe) else before)
    change = low.number_of(statement.value)
    make = add if statement.operator == "+" else sub
    if outgrows(statement):
        return values.checked_sum(low, make, now, change, low.fault("the number is too large", statement.span))
    return make(now, change)


def _field_check(low: "Lowering", place: rules.FieldOf, item: Op, value: Op, span: Span) -> Op:
    """A fault where an item's field cannot have a value."""
    kinds = [kind for kind in low.layout.kinds.values() if kind.rule.name in kinds_of(place.item.type)]
    if any(kind.rule.faces is not None and kind.rule.faces.name == place.field for kind in kinds):
        mine = items.of_kinds(low, place.item.type)
        wrong = low.fault("the item has no such face", span)
        return when(no(items.has_face(low, mine, item, value)), wrong)
    made = NOTHING
    for kind in reversed(items.of_kinds(low, place.item.type)):
        ends = low.layout.ranges.get(f"{kind.rule.name}.{place.field}")
        mine_ = _inside(low, value, place.field, ends, span)
        made = mine_ if made is NOTHING else when(compare("<", item, num(kind.end)), mine_, made)
    return made


# ---- leaps ---------------------------------------------------------------------------------------------


def leap(low: "Lowering", phase: str, way: str) -> Op:
    """A jump out of the passes inside a phase, which may stand around the call of the action."""
    code: list[Op] = []
    around = low.around
    for each in reversed(around.passes):
        if each.name == phase:
            return do(*code, _to(low, getattr(each, way)))
        code.append(each.end(low))
    assert around.routine is not None
    return do(*code, _out(low, around.routine, phase, way))


def _to(low: "Lowering", target: Block) -> Op:
    low.block.leaps.append(target)
    return Op("jump", (), target)


def _out(low: "Lowering", routine: Routine, phase: str, way: str) -> Op:
    """Out of an action by one of its exits."""
    if (phase, way) not in routine.exits:
        routine.exits.append((phase, way))
    return do(call(routine.finish), Op("return", (at(routine.exits.index((phase, way)) + 1),)))


def end_game(low: "Lowering", statement: rules.EndGame) -> Op:
    code = [each.end(low) for each in reversed(low.around.passes)]
    if low.around.routine is not None:
        return do(*code, _out(low, low.around.routine, "", "end"))
    return do(*code, _to(low, low.over_block))


# ---- where something is asked --------------------------------------------------------------------------


def if_steps(low: "Lowering", statement: rules.If) -> None:
    then, open_ = Block(""), False
    for case in statement.cases:
        condition = low.test(case.condition)
        settled = known(condition)
        if settled == 0:
            open_ = open_ or not _is_certain(low, case)
            continue
        if settled is not None:
            low.emit(_case_reached(low, statement, case, open_))
            low.body(case.body)
            low.begin(then)
            return
        open_ = True
        inside, following = Block("then"), Block("else")
        low.end(Branch(condition, inside, following))
        low.begin(inside)
        low.emit(_reaches(low, case.span))
        low.body(case.body)
        low.end(Jump(then))
        low.begin(following)
    if open_:
        low.emit(_reaches(low, statement.span, True))
    low.body(statement.otherwise)
    low.begin(then)


def match_steps(low: "Lowering", statement: rules.Match) -> None:
    kept, value = low.keep(low.number(statement.value))
    low.emit(kept)
    then, otherwise = Block(""), Block("otherwise")
    bodies = [Block("case") for _ in statement.cases]
    ways: dict[int, Block] = {}
    for case, inside in zip(statement.cases, bodies, strict=True):
        for each in case.values:
            ways.setdefault(NONE if each is None else int(each), inside)
    if NONE in ways:
        some = Block("some")
        low.end(Branch(compare("is", value, num(NONE)), ways.pop(NONE), some))
        low.begin(some)
    if ways:
        first, last = min(ways), max(ways)
        index = sub(value, num(first))
        size = num(last - first + 1)
        among = Op("select", (index, size, plain("<u", index, size)), None, "n")
        low.end(Switch(address(among), [ways.get(each, otherwise) for each in range(first, last + 1)], otherwise))
    else:
        low.end(Jump(otherwise))
    for case, inside in zip(statement.cases, bodies, strict=True):
        low.begin(inside)
        low.emit(_reaches(low, case.span))
        low.body(case.body)
        low.end(Jump(then))
    low.begin(otherwise)
    low.body(statement.otherwise)
    low.begin(then)


def do_steps(low: "Lowering", statement: rules.Do) -> None:
    rule = low.actions[statement.action]
    prepared, env = _arguments(low, rule, statement.arguments)
    routine = _routine(low, rule)
    low.emit(prepared)
    for parameter in rule.parameters:
        value = env[parameter.number]
        if isinstance(value, Listing):
            low.emit(low.bind_set(parameter, value, False))
        else:
            low.emit(low.bind_value(parameter, value, False))
    left, then = low.f.local("t"), Block("")
    made = left.set(call(routine.function)) if routine.exits else Op("drop", (call(routine.function),))
    if low.interrupts is None:
        low.emit(made)
    else:
        low.interrupts.calling(made, routine.function)
    if not routine.exits:
        return
    outs = [Block(f"out {phase} {way}") for phase, way in routine.exits]
    low.end(Switch(left.get, [then, *outs[:-1]], outs[-1]))
    for (phase, way), out in zip(routine.exits, outs, strict=True):
        low.begin(out)
        low.emit(end_game(low, rules.EndGame()) if way == "end" else leap(low, phase, way))
        low.end(Return(at(0) if low.f.result else NOTHING))
    low.begin(then)


def _routine(low: "Lowering", rule: rules.Action) -> Routine:
    """An action in which something is asked, compiled once."""
    if rule.name in low.routines:
        return low.routines[rule.name]
    function = low.flow.function(rule.name, (), "t")
    routine = Routine(function, low.flow.function(f"end of {rule.name}"))
    start = len(low.layout.names)
    before, low.action = low.action, rule.name
    for parameter in rule.parameters:
        low.slot(parameter)
    with low.inside(function):
        low.begin(Block(rule.name))
        low.emit(_reached(low, "action", rule.name, rule.span))
        _within(low, Around(routine=routine), lambda: low.body(rule.body))
        low.emit(call(routine.finish))
        low.emit(clearing(low, start))
        low.end(Return(at(0)))
    with low.inside(routine.finish):
        routine.finish.fill(moments.looking(low, rules.AfterAction(rule.name)))
    low.action = before
    low.routines[rule.name] = routine
    return routine


def clearing(low: "Lowering", start: int, keep: int = 0) -> Op:
    """What was bound from a slot on is bound no more, where that can be noticed: where play stops, by the states."""
    code = []
    for slot in range(start + keep, len(low.layout.names)):
        if low.interrupts is not None or holds_items(low.layout.types[slot]) or slot in low.looked_at():
            code.append(low.unbind(slot))
    return do(*code)


def _idle(low: "Lowering", span: Span) -> Op:
    """Counts steps in which nothing is asked."""
    idle = low.read("idle")
    message = f"nothing has been asked for {low.limits.steps:,} steps: play does not end"
    return do(low.write("idle", sub(idle, num(1))), when(compare("<", idle, num(0)), low.fault(message, span)))


def _over(low: "Lowering", start: int) -> None:
    """A part of the program is over: its slots hold nothing from here on."""
    low.over |= set(range(start, len(low.layout.names)))


# ---- loops in which something is asked -----------------------------------------------------------------


def for_steps(low: "Lowering", statement: rules.For) -> None:
    start = len(low.layout.names)
    walk_ = _Walk(low, statement.bind.name, statement.bind.type, *_elements(low, statement))
    bind = low.slot(statement.bind)
    head, out, inside = Block("next"), Block(""), Block("each")
    low.begin(head)
    low.end(Branch(walk_.some(), inside, out))
    low.begin(inside)
    low.emit(_idle(low, statement.span))
    low.emit(low.write_slot(bind, walk_.take()))
    _within(low, attrs.evolve(low.around, exit=out), lambda: low.body(statement.body))
    low.emit(clearing(low, start, walk_.slots))
    low.end(Jump(head))
    low.begin(out)
    low.emit(clearing(low, start))
    _over(low, start)


class _Walk:
    """Elements that are left to a loop, in slots of the state."""

    def __init__(self, low: "Lowering", name: str, type_: rules.Type, made: Op, listing: Listing) -> None:
        self.low = low
        low.emit(made)
        # Rules hold on to items that are left.
        left = rules.Many(type_)
        self.bits = listing.rising and listing.small
        if self.bits:
            self.left = low.control(f"{name} left", left)
            low.emit(low.write_slot(self.left, listing.bits()))
            self.slots = 1
            return
        self.place = low.control(f"{name} at", rules.Number())
        self.left = low.control(f"{name} left", left, True)
        low.emit(do(listing.into(low.memory.lists[self.left]), low.write_slot(self.place, num(0))))
        self.slots = 2

    def some(self) -> Op:
        """Whether any are left."""
        low = self.low
        if self.bits:
            return compare("is not", low.read_slot(self.left), num(0))
        count = number(load(at(0), low.memory.lists[self.left], 4, "t"))
        return compare("<", low.read_slot(self.place), count)

    def take(self) -> Op:
        """The next one."""
        low = self.low
        taken = low.f.local()
        if self.bits:
            left = low.read_slot(self.left)
            return do(taken.set(plain("ctz", left)), low.write_slot(self.left, without_lowest(left)), taken.get)
        place = low.read_slot(self.place)
        cell, elements = mul(address(place), at(8)), Offset(low.memory.lists[self.left], HEAD)
        forgotten = store(cell, num(NONE), elements)
        more = low.write_slot(self.place, add(place, num(1)))
        return do(taken.set(load(cell, elements)), forgotten, more, taken.get)


def repeat_times_steps(low: "Lowering", statement: rules.RepeatTimes) -> None:
    start = len(low.layout.names)
    left = low.control("times left", rules.Number())
    low.emit(low.write_slot(left, low.number_of(statement.count)))
    head, out, inside = Block("next"), Block(""), Block("again")
    low.begin(head)
    low.end(Branch(compare(">", low.read_slot(left), num(0)), inside, out))
    low.begin(inside)
    low.emit(_idle(low, statement.span))
    low.emit(low.write_slot(left, sub(low.read_slot(left), num(1))))
    _within(low, attrs.evolve(low.around, exit=out), lambda: low.body(statement.body))
    low.emit(clearing(low, start, 1))
    low.end(Jump(head))
    low.begin(out)
    low.emit(clearing(low, start))
    _over(low, start)


def repeat_until_steps(low: "Lowering", statement: rules.RepeatUntil) -> None:
    start = len(low.layout.names)
    head, out, inside = Block("next"), Block(""), Block("again")
    low.begin(head)
    low.end(Branch(low.test(statement.condition), out, inside))
    low.begin(inside)
    low.emit(_idle(low, statement.span))
    _within(low, attrs.evolve(low.around, exit=out), lambda: low.body(statement.body))
    low.emit(clearing(low, start))
    low.end(Jump(head))
    low.begin(out)
    low.emit(clearing(low, start))
    _over(low, start)


# ---- phases --------------------------------------------------------------------------------------------


def phase(low: "Lowering", statement: rules.Phase) -> None:
    start = len(low.layout.names)
    name = statement.name
    finish = low.flow.function(f"end of {name}")
    each = Pass(name, Block(f"end of {name}"), Block(f"out of {name}"), Block(f"{name} again"), finish, statement.shell)
    around = attrs.evolve(low.around, passes=(*low.around.passes, each), brief=False)
    path, low.path = low.path, (*low.path, name)
    head, inside, then = Block(f"next {name}"), Block(name), Block("")
    me = _passes(low, statement, around, head, inside, then)
    controls = len(low.layout.names)
    low.begin(inside)
    low.emit(_reached(low, "phase", statement.name, statement.span))
    _within(low, around, lambda: low.body(statement.body))
    if statement.shell:
        finish.fill(NOTHING)
    else:
        moments.after(low, name, me, finish)
    single = isinstance(statement.kind, rules.Once)
    ending = do(each.end(low), clearing(low, controls))
    low.end(Jump(each.ended))
    if _is_reached(low, each.again):
        low.begin(each.again)
        low.emit(do(ending, _idle(low, statement.span)))
        if me is None:
            low.end(Jump(inside))
        else:
            low.end(Branch(low.seats.has(low.read_slot(low.slots[me.number])), inside, head))
    low.begin(each.ended)
    low.emit(ending)
    if single:
        low.emit(clearing(low, start))
        low.end(Jump(then))
    else:
        low.emit(_idle(low, statement.span))
        low.end(Jump(head))
    if _is_reached(low, each.left):
        low.begin(each.left)
        low.emit(do(each.end(low), clearing(low, start)))
        low.end(Jump(then))
    low.begin(then)
    if not single:
        low.emit(clearing(low, start))
    _over(low, start)
    low.path = path


def _is_reached(low: "Lowering", target: Block) -> bool:
    """Whether anything leads to a block so far."""
    return any(target in each.targets() for each in low.f.blocks)


def _passes(
    low: "Lowering", statement: rules.Phase, around: Around, head: Block, inside: Block, then: Block
) -> rules.Local | None:
    """How passes begin; the player of a pass, where there is one."""
    kind = statement.kind
    match kind:
        case rules.Once():
            return None
        case rules.Times(count):
            left = low.control(f"{statement.name} left", rules.Number())
            low.emit(low.write_slot(left, low.number_of(count)))
            low.begin(head)
            more = Block("more")
            low.end(Branch(compare(">", low.read_slot(left), num(0)), more, then))
            low.begin(more)
            low.emit(low.write_slot(left, sub(low.read_slot(left), num(1))))
            return None
        case rules.Until(condition):
            low.begin(head)
            low.end(Branch(low.test(condition), then, inside))
            return None
    low.slot(kind.me)
    if kind.in_turn:
        _in_turn(low, statement, kind, head, inside, then)
    else:
        _each_once(low, statement, kind, head, inside, then)
    return kind.me


def _from_start(low: "Lowering", kind: rules.EachPlayer) -> tuple[Op, Listing]:
    """The players at the beginning of a phase, in the order of their passes."""
    seats: Listing = low.seats
    made = NOTHING
    if kind.start is not None:
        made, first = low.keep(low.number_of(kind.start))
        later = Chosen(
            low, seats.bound, True, seats.small, source=seats, condition=lambda each: compare(">=", each, first)
        )
        earlier = Chosen(
            low, seats.bound, True, seats.small, source=seats, condition=lambda each: compare("<", each, first)
        )
        seats = Parted(low, seats.bound, False, seats.small, parts=(later, earlier))
    if kind.order is None:
        return made, seats
    more, ordered = sets.ordered(low, seats, kind.order)
    return do(made, more), ordered


def _each_once(
    low: "Lowering", statement: rules.Phase, kind: rules.EachPlayer, head: Block, inside: Block, then: Block
) -> None:
    """A pass for each player who is still in when it begins, and for whom the condition holds."""
    walk_ = _Walk(low, statement.name, rules.Player(), *_from_start(low, kind))
    me = low.slots[kind.me.number]
    low.begin(head)
    going = walk_.some()
    if kind.until is not None:
        going = both(going, do(no(low.test(kind.until))))
    one = Block("player")
    low.end(Branch(going, one, then))
    low.begin(one)
    low.emit(low.write_slot(me, walk_.take()))
    plays = low.seats.has(low.read_slot(me))
    if kind.where is not None:
        plays = both(plays, do(low.test(kind.where)))
    low.end(Branch(plays, inside, head))


def _in_turn(
    low: "Lowering", statement: rules.Phase, kind: rules.EachPlayer, head: Block, inside: Block, then: Block
) -> None:
    """A pass for one player after the other, round and round."""
    me = low.slots[kind.me.number]
    order = None
    if kind.order is not None:
        order = low.control(f"{statement.name} order", rules.Many(rules.Player()), True)
    fresh = low.control(f"{statement.name} begins", rules.YesNo())
    low.emit(low.write_slot(fresh, num(1)))
    low.begin(head)
    tried = low.f.local()
    low.emit(tried.set(num(0)))
    seek, found, more = Block("seek"), Block("player"), Block("next")
    low.begin(seek)
    count = low.seats.count() if kind.where is not None else num(1)
    nobody = Block("nobody")
    there = low.seats.some()
    low.end(Branch(both(there, do(compare("<", tried.get, count))), more, nobody))
    low.begin(nobody)
    message = "no player can have a pass here, and the phase does not end"
    if kind.where is not None:
        low.emit(when(low.seats.some(), low.fault(message, statement.span)))
    low.end(Jump(then))
    low.begin(more)
    if kind.until is not None:
        go = Block("go")
        low.end(Branch(low.test(kind.until), then, go))
        low.begin(go)
    low.emit(low.write_slot(me, _successor(low, kind, me, order, fresh)))
    if kind.where is None:
        low.end(Jump(inside))
        return
    low.begin(found)
    low.emit(tried.set(add(tried.get, num(1))))
    low.end(Branch(low.test(kind.where), inside, seek))


def _successor(low: "Lowering", kind: rules.EachPlayer, me: int, order: int | None, fresh: int) -> Op:
    """The player whose pass is next; the first one where the phase begins."""
    made, started = _from_start(low, kind)
    first, seen = low.f.local(), low.f.local("t")
    take_first = do(
        seen.set(at(0)), started.each(lambda each: do(when(no(seen.get), first.set(each)), seen.set(at(1))))
    )
    begun = do(made, take_first)
    if order is not None:
        room = low.memory.lists[order]
        begun = do(made, started.into(room), first.set(load(at(0), Offset(room, HEAD))))
        following = first.set(_after_in_order(low, room, low.read_slot(me)))
    else:
        following = first.set(values.seat_after(low, low.read_slot(me), num(1)))
    is_fresh = compare("is not", low.read_slot(fresh), num(0))
    return do(when(is_fresh, do(begun, low.write_slot(fresh, num(0))), following), first.get)


def _after_in_order(low: "Lowering", room: Any, me: Op) -> Op:
    """The next one still in after a seat in an order, round the table."""
    found, wrapped, past, have = low.f.local(), low.f.local(), low.f.local("t"), low.f.local("t")
    have_first = low.f.local("t")
    listed = Written(low, low.layout.players, False, False, where=at(room))
    kept, seat = low.keep(me)

    def look(each: Op) -> Op:
        after = both(past.get, no(have.get))
        before = both(no(past.get), no(have_first.get))
        return do(
            when(
                do(low.seats.has(each)),
                do(
                    when(after, do(found.set(each), have.set(at(1)))),
                    when(before, do(wrapped.set(each), have_first.set(at(1)))),
                ),
            ),
            when(compare("is", each, seat), past.set(at(1))),
        )

    # Who sits before the player, and the player, come last.
    mine = Op("select", (found.get, wrapped.get, have.get), None, "n")
    return do(kept, past.set(at(0)), have.set(at(0)), have_first.set(at(0)), listed.each(look), mine)
