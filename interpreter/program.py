"""A body of statements as a program: steps that run until one asks, each `step(memory) -> number of the next`.

There is no recursion in the language, so every phase, loop and action has slots of its own for where it stands:
the number of a step and the memory are the whole state. Statements in which nothing can be asked are fused into one
step. Negative numbers stand for places that ask (`~number`), 0 for the end.

Whatever ends a pass from within, ends the passes inside it as well, innermost first; `end game` ends all around it.
What was bound inside a pass, a loop or an action is cleared when that ends, so that states which play on alike
are equal.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from ..dsl import rules
from ..dsl.source import NOWHERE, Span
from .asking import (
    Asker,
    ChoosePlace,
    DrawPlace,
    HiddenPick,
    LabelPlace,
    PartPlan,
    PickPlace,
    Place,
    ThrowPlace,
    TogetherPlace,
    TopPlace,
)
from .effects import Effects, Run
from .engine import Sample, TurnTaken
from .expressions import Expressions, Memory, Read, fault, seat_after
from .layout import EVENTS, IN, Layout
from .sight import Sight
from .words import Words

Step = Callable[[Memory], int]
Act = Callable[[Memory], None]

END = 0

LONGEST = 100_000
"""Passes of a loop inside one step: more is play without end."""


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

    def __init__(self, layout: Layout, bodies: Sequence[rules.Body]) -> None:
        self.layout = layout
        self.expressions = Expressions(layout)
        self.sight = Sight(layout, self.expressions)
        self.words = Words(layout, self.sight)
        self.lasting = len(layout.names)
        """The slots from here on are the program's own: control and locals."""
        self.code: list[Step] = []
        self.places: dict[int, Place] = {}
        self.spans: list[Span] = []
        self.around: list[Around] = []
        self.firsts = _Compiler(self).run(bodies)
        """The step each body begins with."""
        self.blank = layout.start[self.lasting :]
        self.sight.marks = tuple(
            slot for slot, type_ in enumerate(layout.types) if _holds_items(type_) and slot not in layout.zone_at
        )

    def path(self, m: Memory, pc: int) -> tuple[str, ...]:
        """The phases around a step, outermost first."""
        around = self.around[pc]
        inner = tuple(each.name for each in around.passes)
        if around.routine is None:
            return inner
        caller = around.routine.callers.get(m[around.routine.back])
        return inner if caller is None else self._outer(m, caller) + inner

    def _outer(self, m: Memory, around: Around) -> tuple[str, ...]:
        names = tuple(each.name for each in around.passes)
        if around.routine is None:
            return names
        caller = around.routine.callers.get(m[around.routine.back])
        return names if caller is None else self._outer(m, caller) + names


def _holds_items(type_: rules.Type) -> bool:
    inner: Any = type_
    while isinstance(inner, rules.Many | rules.Maybe):
        inner = inner.of
    return isinstance(inner, rules.Item)


class _Compiler:
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

    def run(self, bodies: Sequence[rules.Body]) -> list[int]:
        assert self.reserve(NOWHERE, Around()) == END
        firsts = [self.body(body, END, Around()) for body in bodies]
        for finish in self.late:
            finish()
        return firsts

    # ---- steps and slots -------------------------------------------------------------------------------

    def reserve(self, span: Span, around: Around) -> int:
        """The number of a new step, to be filled in later."""
        self.program.code.append(_missing)
        self.program.spans.append(span)
        self.program.around.append(around)
        return len(self.program.code) - 1

    def slot(self, name: str, type_: rules.Type) -> int:
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

    # ---- bodies ----------------------------------------------------------------------------------------

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
        return ~pc if isinstance(unit[0], rules.Choose | rules.ChooseLabel) else pc

    def _step(self, unit: list[rules.Statement], follows: int, around: Around) -> Step:
        """A step that runs statements and goes on."""
        runs = [run for statement in unit if (run := self.part(statement, follows, around)) is not None]
        return _stepping(runs, follows)

    def _fuses(self, statement: rules.Statement) -> bool:
        """Whether a statement can stand in a fused step: all but what asks, loops that ask, and phases."""
        return isinstance(statement, rules.If | rules.Match) or self.is_brief(statement)

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
            self.brief[name] = self.all_brief(body) and not _leaps(body)
        return self.brief[name]

    # ---- fused statements ------------------------------------------------------------------------------

    def part(self, statement: rules.Statement, follows: int, around: Around) -> Run | None:
        """The closure for a statement in a fused step; None where it can have no effect."""
        match statement:
            case rules.If():
                return self._if(statement, follows, around)
            case rules.Match():
                return self._match(statement, follows, around)
            case rules.For():
                return self._brief_for(statement, around)
            case rules.RepeatTimes(count, body):
                return self._brief_repeat(self.expressions.sure(count), None, body, statement.span, around)
            case rules.RepeatUntil(condition, body):
                return self._brief_repeat(None, self.expressions.read(condition), body, statement.span, around)
            case rules.Do():
                return self._brief_do(statement, around)
            case rules.Break():
                exit_ = around.exit
                return lambda m: exit_
            case rules.EndGame():
                return self._end_game(around)
            case rules.EndPass(phase):
                return self._leap(phase, lambda each: each.ended, statement.span, around)
            case rules.Leave(phase):
                return self._leap(phase, lambda each: each.left, statement.span, around)
            case rules.Again(phase):
                return self._leap(phase, lambda each: each.again, statement.span, around)
            case rules.Let(bind):
                self.local(bind, around)
                return self.effects.run(statement)
            case _:
                return self.effects.run(statement)

    def branch(self, body: rules.Body, follows: int, around: Around) -> Run | None:
        """What a branch does: its statements at once, or a jump to its steps. None for nothing."""
        if self.all_brief(body):
            inside = attrs.evolve(around, brief=True)
            return _running([run for each in body if (run := self.part(each, follows, inside)) is not None])
        entry = self.body(body, follows, around)
        return lambda m: entry

    def _if(self, statement: rules.If, follows: int, around: Around) -> Run | None:
        cases: list[tuple[Read, Run | None]] = []
        for case in statement.cases:
            known = self.expressions.fold(case.condition)
            if isinstance(known, rules.Constant):
                if not known.value:
                    continue
                otherwise = self.branch(case.body, follows, around)
                break
            cases.append((self.expressions.read(case.condition), self.branch(case.body, follows, around)))
        else:
            otherwise = self.branch(statement.otherwise, follows, around)
        return _choosing(cases, otherwise)

    def _match(self, statement: rules.Match, follows: int, around: Around) -> Run | None:
        value = self.expressions.read(statement.value)
        branches: dict[Any, Run | None] = {}
        for case in statement.cases:
            run = self.branch(case.body, follows, around)
            branches |= {each: run for each in case.values if each not in branches}
        otherwise = self.branch(statement.otherwise, follows, around)

        def match(m: Memory) -> int | None:
            run = branches.get(value(m), otherwise)
            return run(m) if run is not None else None

        return match

    def _brief_for(self, statement: rules.For, around: Around) -> Run | None:
        inside = attrs.evolve(around, brief=True, exit=self.reserve(statement.span, around))
        slot, source = self.local(statement.bind, inside), self._ordered(statement)
        run, exit_ = self.branch(statement.body, END, inside), inside.exit
        if run is None:
            return None

        def each(m: Memory) -> int | None:
            for element in source(m):
                m[slot] = element
                pc = run(m)
                if pc is not None:
                    return None if pc == exit_ else pc
            return None

        return each

    def _ordered(self, statement: rules.For) -> Read:
        source = self.expressions.read(statement.source)
        return source if statement.order is None else self.in_order(source, statement.order)

    def in_order(self, source: Read, order: rules.Order) -> Read:
        """The elements by a key; those with equal keys keep their order."""
        each, key, descending = self.expressions.slot(order.each), self.expressions.sure(order.key), order.descending

        def ordered(m: Memory) -> tuple[Any, ...]:
            keyed = [(key(m), element) for element in source(m) if _set(m, each, element)]
            # A stable sort of negated keys: `reverse` would turn equal ones round as well.
            keyed.sort(key=lambda pair: -pair[0] if descending else pair[0])
            return tuple([element for _, element in keyed])

        return ordered

    def _brief_repeat(
        self, count: Read | None, until: Read | None, body: rules.Body, span: Span, around: Around
    ) -> Run | None:
        inside = attrs.evolve(around, brief=True, exit=self.reserve(span, around))
        run, exit_ = self.branch(body, END, inside) or (lambda m: None), inside.exit

        def repeat(m: Memory) -> int | None:
            times = count(m) if count is not None else LONGEST + 1
            for _ in range(min(times, LONGEST)):
                if until is not None and until(m):
                    return None
                pc = run(m)
                if pc is not None:
                    return None if pc == exit_ else pc
            if times > LONGEST and not (until is not None and until(m)):
                raise fault(f"the loop has not ended after {LONGEST:,} passes", span)
            return None

        return repeat

    def _brief_do(self, statement: rules.Do, around: Around) -> Run | None:
        rule = self.actions[statement.action]
        inside = attrs.evolve(around, brief=True)
        slots = [self.local(parameter, inside) for parameter in rule.parameters]
        arguments = [self.expressions.read(argument) for argument in statement.arguments]
        if (run := self._brief_body(rule, inside)) is None or not slots:
            return run

        def do(m: Memory) -> int | None:
            for slot, value in zip(slots, [argument(m) for argument in arguments], strict=True):
                m[slot] = value
            return run(m)

        return do

    def _brief_body(self, rule: rules.Action, inside: Around) -> Run | None:
        if rule.name not in self.bodies:
            self.bodies[rule.name] = self.branch(rule.body, END, inside)
        return self.bodies[rule.name]

    # ---- leaps -----------------------------------------------------------------------------------------

    def _end_game(self, around: Around) -> Run:
        def end(m: Memory) -> int:
            here: Around | None = around
            while here is not None:
                for each in reversed(here.passes):
                    each.finish(m)
                here = here.routine.callers[m[here.routine.back]] if here.routine is not None else None
            return END

        return end

    def _leap(self, phase: str, target: Callable[[Pass], int], span: Span, around: Around) -> Run:
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
                here.routine.clear(m)
                here = caller

        return leap

    # ---- statements with steps of their own ------------------------------------------------------------

    def statement(self, statement: rules.Statement, entry: int, then: int, around: Around) -> None:
        """Fill in the steps of a statement that asks or that has such statements inside."""
        match statement:
            case rules.Throw():
                self._throw(statement, entry, then, around)
            case rules.Draw():
                self._draw(statement, entry, then, around)
            case rules.Pick():
                self._pick(statement, entry, then, around)
            case rules.Choose():
                self._choose(statement, entry, then, around)
            case rules.ChooseTogether():
                self._together(statement, entry, then, around)
            case rules.ChooseLabel():
                self._labels(statement, entry, then, around)
            case rules.Phase():
                self._phase(statement, entry, then, around)
            case rules.For():
                self._for(statement, entry, then, around)
            case rules.RepeatTimes():
                self._times(statement, entry, then, around)
            case rules.RepeatUntil():
                self._until(statement, entry, then, around)
            case rules.Do():
                self._do(statement, entry, then, around)
            case _:
                raise AssertionError(f"not a statement with steps: {statement}")

    def _asker(self, pc: int, name: str, span: Span) -> dict[str, Any]:
        return {"pc": pc, "name": name, "span": span, "words": self.program.words, "path": self.program.path}

    def _place(self, place: Any) -> None:
        assert isinstance(place, Asker)
        self.program.places[place.pc] = place  # type: ignore[assignment]

    def _throw(self, statement: rules.Throw, entry: int, then: int, around: Around) -> None:
        sides = [len(set(faces)) for faces in self.layout.faces]
        place = ThrowPlace(
            **self._asker(entry, "throw", statement.span),
            items=self.expressions.items(statement.items),
            then=then,
            sight=self.program.sight,
            slots=self.layout.face_slot,
            sides=sides,
        )
        self._place(place)
        self.program.code[entry] = place.step

    def _draw(self, statement: rules.Draw, entry: int, then: int, around: Around) -> None:
        source, to = statement.source, statement.to
        top = isinstance(source, rules.ZoneItems) and source.indexes is not None and self._stacked(source)
        onto_stack = self._stacked(to.zone) if to is not None else top
        known: dict[str, Any] = {
            **self._asker(entry, "draw", statement.span),
            "source": self.expressions.items(source),
            "number": self._number(statement.amount),
            "in_order": onto_stack,
            "one": statement.amount.kind == "one",
            "put": None if to is None else self.effects.put(to, source.type),
            "bind": None if statement.bind is None else self.local(statement.bind, around),
            "then": then,
            "sight": self.program.sight,
        }
        place = DrawPlace(**known)
        if top:
            assert isinstance(source, rules.ZoneItems)
            slot = self.expressions.zone(source)
            place = TopPlace(**known, zone=slot if not isinstance(slot, int) else _always(slot))
        self._place(place)
        self.program.code[entry] = place.step

    def _stacked(self, zone: rules.ZoneItems) -> bool:
        return self.layout.zone_rules[zone.name].stacked

    def _number(self, amount: rules.Amount) -> Callable[[Memory, int], int]:
        if amount.kind == "one":
            return lambda m, there: 1
        if amount.kind == "up to":
            most = self.expressions.sure(amount.high if amount.high is not None else amount.low)
            return lambda m, there: min(most(m), there)
        exactly = self.expressions.sure(amount.low)
        return lambda m, there: exactly(m)

    def _pick(self, statement: rules.Pick, entry: int, then: int, around: Around) -> None:
        type_ = statement.bind.type
        of_items = isinstance(type_, rules.Item)
        place = PickPlace(
            **self._asker(entry, "pick", statement.span),
            types=[None if of_items else type_],
            source=self.expressions.read(statement.source),
            each=self.expressions.slot(statement.each),
            weight=self.expressions.sure(statement.weight) if statement.weight is not None else None,
            bind=self.local(statement.bind, around),
            of_items=of_items,
            then=then,
            sight=self.program.sight,
        )
        self._place(place)
        self.program.code[entry] = place.step

    # ---- decisions -------------------------------------------------------------------------------------

    def _labels(self, statement: rules.ChooseLabel, entry: int, then: int, around: Around) -> None:
        guards = [None if each.when is None else self.expressions.read(each.when) for each in statement.labels]
        place = LabelPlace(
            **self._asker(entry, statement.name, statement.span),
            site=statement.site,
            labels=[(each.name, each.text) for each in statement.labels],
            owner=self.expressions.sure(statement.owner),
            guards=guards,
            targets=[self.body(each.body, then, around) for each in statement.labels],
            open=None if any(guards) else tuple(range(len(guards))),
        )
        self._place(place)

    def _part(self, part: rules.Part, slot: int, own: int | None) -> PartPlan:
        amount = part.amount
        high = amount.low if amount.kind in ("exactly", "up to") and amount.high is None else amount.high
        low = self.expressions.sure(amount.low) if amount.kind != "up to" else _always(0)
        return PartPlan(
            source=self.expressions.read(part.source),
            slot=slot,
            own=own,
            of_items=_holds_items(part.source.type),
            one=amount.kind == "one",
            low=low,
            high=self.expressions.sure(high) if high is not None else None,
        )

    def _choose(self, statement: rules.Choose, entry: int, then: int, around: Around) -> None:
        parts = []
        for part in statement.parts:
            slot = self.local(part.bind, around)
            parts.append(self._part(part, slot, None))
        settled = self.reserve(statement.span, around)
        kept = self.slot(f"{statement.name} taken", rules.Many(rules.Number()))
        place = ChoosePlace(
            **self._asker(entry, statement.name, statement.span),
            site=statement.site,
            types=[part.bind.type for part in statement.parts],
            parts=parts,
            such_that=self.expressions.read(statement.such_that) if statement.such_that is not None else None,
            optional=statement.optional,
            sight=self.program.sight,
            owner=self.expressions.sure(statement.owner),
            body=self.body(statement.body, then, around),
            otherwise=self.body(statement.otherwise, then, around),
            kept=kept,
            settled=settled,
        )
        self._place(place)
        self._settling(place, settled, statement.span)

    def _settling(self, place: ChoosePlace | TogetherPlace, settled: int, span: Span) -> None:
        self._place(HiddenPick(**self._asker(settled, "pick", span), choice=place))
        self.program.code[settled] = place.step

    def _together(self, statement: rules.ChooseTogether, entry: int, then: int, around: Around) -> None:
        seats, ask = range(self.layout.players), self.reserve(statement.span, around)
        each = self.local(statement.each, around)
        parts = []
        for part in statement.parts:
            name, type_ = part.bind.name, part.bind.type
            first = [self.slot(f"{name} of player({seat + 1})", type_) for seat in seats][0]
            self.expressions.together[part.bind.number] = first
            parts.append(self._part(part, self.expressions.slot(part.bind), first))
        kept = [
            self.slot(f"{statement.name} taken by player({seat + 1})", rules.Many(rules.Number())) for seat in seats
        ][0]
        settled = self.reserve(statement.span, around)
        place = TogetherPlace(
            **self._asker(ask, statement.name, statement.span),
            site=statement.site,
            types=[part.bind.type for part in statement.parts],
            parts=parts,
            such_that=self.expressions.read(statement.such_that) if statement.such_that is not None else None,
            optional=False,
            sight=self.program.sight,
            players=self.expressions.read(statement.players),
            each=each,
            waiting=self.slot(f"{statement.name} waiting", rules.Many(rules.Player())),
            kept=kept,
            settled=settled,
            then=then,
        )
        self._place(place)
        self.program.code[entry] = place.begin
        self._settling(place, settled, statement.span)

    # ---- actions and loops -----------------------------------------------------------------------------

    def _do(self, statement: rules.Do, entry: int, then: int, around: Around) -> None:
        routine = self._routine(statement.action)
        routine.callers[then] = around
        arguments = [self.expressions.read(argument) for argument in statement.arguments]
        slots, back, first = routine.parameters, routine.back, routine.entry

        def do(m: Memory) -> int:
            values = [argument(m) for argument in arguments]
            for slot, value in zip(slots, values, strict=True):
                m[slot] = value
            m[back] = then
            return first

        self.program.code[entry] = do

    def _routine(self, name: str) -> Routine:
        if name in self.routines:
            return self.routines[name]
        rule, start = self.actions[name], len(self.layout.names)
        back = self.slot(f"{name} back to", rules.Number())
        parameters = [self.local(parameter, Around()) for parameter in rule.parameters]
        routine = self.routines[name] = Routine(name, END, back, parameters)
        inside = Around(routine=routine)
        done = self.reserve(rule.span, inside)
        routine.entry = self.body(rule.body, done, inside)
        clear = routine.clear = self.clearing(start)

        def finished(m: Memory) -> int:
            pc: int = m[back]
            clear(m)
            return pc

        self.program.code[done] = finished
        return routine

    def _for(self, statement: rules.For, entry: int, then: int, around: Around) -> None:
        start = len(self.layout.names)
        source, left = self._ordered(statement), self.slot(f"{statement.bind.name} left", statement.source.type)
        bind = self.local(statement.bind, around)
        head, out = self.reserve(statement.span, around), self.reserve(statement.span, around)
        body = self.body(statement.body, head, attrs.evolve(around, exit=out))
        clear, clear_body = self.clearing(start), self.clearing(start, keep=2)

        def begin(m: Memory) -> int:
            m[left] = source(m)
            return head

        def next_(m: Memory) -> int:
            if not m[left]:
                return out
            clear_body(m)
            m[bind], m[left] = m[left][0], m[left][1:]
            return body

        self.program.code[entry], self.program.code[head] = begin, next_
        self.program.code[out] = _clearing(clear, then)

    def _times(self, statement: rules.RepeatTimes, entry: int, then: int, around: Around) -> None:
        start = len(self.layout.names)
        count, left = self.expressions.sure(statement.count), self.slot("times left", rules.Number())
        head, out = self.reserve(statement.span, around), self.reserve(statement.span, around)
        body = self.body(statement.body, head, attrs.evolve(around, exit=out))
        clear, clear_body = self.clearing(start), self.clearing(start, keep=1)

        def begin(m: Memory) -> int:
            m[left] = count(m)
            return head

        def next_(m: Memory) -> int:
            if m[left] <= 0:
                return out
            clear_body(m)
            m[left] -= 1
            return body

        self.program.code[entry], self.program.code[head] = begin, next_
        self.program.code[out] = _clearing(clear, then)

    def _until(self, statement: rules.RepeatUntil, entry: int, then: int, around: Around) -> None:
        start, condition = len(self.layout.names), self.expressions.read(statement.condition)
        out = self.reserve(statement.span, around)
        body = self.body(statement.body, entry, attrs.evolve(around, exit=out))
        clear = self.clearing(start)

        def next_(m: Memory) -> int:
            clear(m)
            return then if condition(m) else body

        self.program.code[entry] = next_
        self.program.code[out] = _clearing(clear, then)

    # ---- phases ----------------------------------------------------------------------------------------

    def _phase(self, statement: rules.Phase, entry: int, then: int, around: Around) -> None:
        start, span, code = len(self.layout.names), statement.span, self.program.code
        ended, left, again = [self.reserve(span, around) for _ in range(3)]
        each = Pass(statement.name, ended, left, again)
        inside = attrs.evolve(around, passes=(*around.passes, each))
        begin, next_, head, me = self._passes(statement, inside)
        controls = len(self.layout.names)
        body = self.body(statement.body, each.ended, inside)
        clear, clear_all = self.clearing(controls), self.clearing(start)
        code[entry] = begin(body, then, clear_all)
        if head is not None:
            code[head] = next_(body, then, clear_all)

        def finish() -> None:
            each.finish = self._finishing(statement, me)
            code[each.ended] = _ending(each.finish, clear if head is not None else clear_all, head or then)
            code[each.left] = _ending(each.finish, clear_all, then)
            code[each.again] = _ending(each.finish, clear, body)

        self.late.append(finish)

    def _passes(self, statement: rules.Phase, inside: Around) -> tuple[Any, Any, int | None, int | None]:
        """How the first and the next pass begin, given the body, what follows and what clears the phase."""
        match statement.kind:
            case rules.Once():
                return (lambda body, then, clear: lambda m: body), None, None, None
            case rules.Times(count):
                return self._times_passes(self.expressions.sure(count), statement, inside)
            case rules.Until(condition):
                return self._until_passes(self.expressions.read(condition), statement, inside)
            case rules.EachPlayer():
                return self._player_passes(statement.kind, statement, inside)

    def _times_passes(self, count: Read, statement: rules.Phase, inside: Around) -> tuple[Any, Any, int, None]:
        left = self.slot(f"{statement.name} left", rules.Number())
        head = self.reserve(statement.span, inside)

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

    def _until_passes(self, condition: Read, statement: rules.Phase, inside: Around) -> tuple[Any, Any, int, None]:
        head = self.reserve(statement.span, inside)

        def test(body: int, then: int, clear: Act) -> Step:
            return lambda m: then if condition(m) else body

        return test, test, head, None

    def _player_passes(
        self, kind: rules.EachPlayer, statement: rules.Phase, inside: Around
    ) -> tuple[Any, Any, int, int]:
        seats = self._seats(kind)
        me = self.local(kind.me, inside)
        ordered = kind.order is not None or not kind.in_turn
        order = self.slot(f"{statement.name} order", rules.Many(rules.Player())) if ordered else -1
        until = self.expressions.read(kind.until) if kind.until is not None else None
        where = self.expressions.read(kind.where) if kind.where is not None else None
        head, span = self.reserve(statement.span, inside), statement.span

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

    def _seats(self, kind: rules.EachPlayer) -> Read:
        """The players at the beginning of a phase, in the order of their passes."""
        start = self.expressions.sure(kind.start) if kind.start is not None else None

        def from_start(m: Memory) -> tuple[int, ...]:
            seats: tuple[int, ...] = m[IN]
            if start is None:
                return seats
            first = start(m)
            return tuple([each for each in seats if each >= first] + [each for each in seats if each < first])

        return from_start if kind.order is None else self.in_order(from_start, kind.order)

    def _finishing(self, statement: rules.Phase, me: int | None) -> Act:
        """What happens whenever a pass of a phase ends."""
        name = statement.name
        acts: list[Act] = []
        for rule in self.game.invariants:
            if isinstance(rule.moment, rules.After) and rule.moment.phase == name:
                acts.append(holding(rule, self.expressions))
        for measure in self.game.measures:
            if isinstance(measure.moment, rules.After) and measure.moment.phase == name:
                acts.append(sampling(measure, self.expressions))
        taken = [TurnTaken(name, seat) for seat in range(self.layout.players)]
        nobody = TurnTaken(name, None)

        def finish(m: Memory) -> None:
            for act in acts:
                act(m)
            m[EVENTS].append(nobody if me is None else taken[m[me]])

        return finish


def holding(rule: rules.Invariant, expressions: Expressions) -> Act:
    """A closure that finds fault where an invariant does not hold."""
    condition = expressions.read(rule.condition)
    broken = f"the invariant does not hold: {rule.name}"

    def hold(m: Memory) -> None:
        if not condition(m):
            raise fault(broken, rule.span)

    return hold


def sampling(measure: rules.Measure, expressions: Expressions) -> Act:
    """A closure that samples a measure."""
    value, name = expressions.sure(measure.value), measure.name

    def sample(m: Memory) -> None:
        m[EVENTS].append(Sample(name, int(value(m))))

    return sample


# ---- closures ------------------------------------------------------------------------------------------


def _missing(m: Memory) -> int:
    raise AssertionError("a step that was never filled in")


def _always(value: Any) -> Callable[[Memory], Any]:
    return lambda m: value


def _set(m: Memory, slot: int, value: Any) -> bool:
    m[slot] = value
    return True


def _clearing(clear: Act, then: int) -> Step:
    def step(m: Memory) -> int:
        clear(m)
        return then

    return step


def _ending(finish: Act, clear: Act, then: int) -> Step:
    def step(m: Memory) -> int:
        finish(m)
        clear(m)
        return then

    return step


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


def _stepping(runs: list[Run], follows: int) -> Step:
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
    if not inner:
        return lambda m: target

    def leap(m: Memory) -> int:
        for each in inner:
            each.finish(m)
        return target

    return leap


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


def _leaps(body: rules.Body) -> bool:
    """Whether statements may lead out of a phase around them, or end the game."""
    for statement in body:
        match statement:
            case rules.EndGame() | rules.EndPass() | rules.Leave() | rules.Again():
                return True
            case rules.If(cases, otherwise) | rules.Match(_, cases, otherwise):
                if any(_leaps(case.body) for case in cases) or _leaps(otherwise):
                    return True
            case rules.For(body=inner) | rules.RepeatTimes(_, inner) | rules.RepeatUntil(_, inner):
                if _leaps(inner):
                    return True
    return False
