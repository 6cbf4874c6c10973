"""A game told from its answers: who did what, what changed and by which rule, and why its end is wrong."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import attrs

from ..dsl import rules
from ..interpreter import Answer, Broken, Event, IllegalAnswer, Reference, RulesFault, State
from ..interpreter.changes import changes, sides, standing
from ..interpreter.playing import is_decision
from .verdicts import Change, Row, Side, Trace

TRIED = 6
"""Other answers that are tried at a request, to see whether the one given matters."""

ROWS = 40
"""Answers of a game that are looked at in this way."""

Answers = Sequence[int | Answer]


def broken_after(engine: Reference, answers: Answers, property: str) -> int | None:
    """After how many of the answers a property is broken first; None if it is not, or if one cannot be given.

    The engine has a watch.
    """
    number = 0
    try:
        table = engine.table()
        table.request()
        while not _breaks(table.events, property):
            request: Any = table.request()
            if number == len(answers) or request is None or not fits(request, answers[number]):
                return None
            table.events.clear()
            number += 1
            table.answer(answers[number - 1])
            table.request()
    except RulesFault as error:
        return number if error.property == property else None
    return number


def _breaks(events: Sequence[Event], property: str) -> Broken | None:
    return next((each for each in events if isinstance(each, Broken) and each.property == property), None)


def fits(request: Any, answer: int | Answer) -> bool:
    """Whether an answer can be given to a request."""
    if is_decision(request):
        return isinstance(answer, int) and answer < len(request)
    try:
        request.check(answer)
    except IllegalAnswer:
        return False
    return True


@attrs.define
class Teller:
    """Tells games: `engine` has a watch that traces, `plain` one that does not."""

    engine: Reference
    plain: Reference

    def trace(
        self,
        answers: Answers,
        property: str | None,
        message: str = "",
        *,
        shortest: bool = False,
        examined: int = 0,
        repeats: int | None = None,
    ) -> Trace:
        """The game of these answers; at its end a property is broken, if one is named."""
        rows: list[Row] = []
        span, parts = None, tuple[Side, ...]()
        try:
            table = self.engine.table()
            table.request()
        except RulesFault as early:
            return Trace((), (), (), shortest=shortest, examined=examined, message=early.message, span=early.span)
        start = tuple(standing(self.engine.program, table.freeze()))
        broken = _breaks(table.events, property) if property is not None else None
        for row, events, fault in self._rows(answers):
            rows.append(row)
            broken = broken or (_breaks(events, property) if property is not None else None)
            if fault is not None and fault.property == property:
                message, span = fault.message, fault.span
        if broken is not None:
            message, span, parts = broken.message, broken.span, self._sides(broken)
        if property is not None and repeats is None:
            rows = self._weighed(rows, answers, property)
        return Trace(
            answers=tuple(answers),
            rows=tuple(rows),
            start=start,
            shortest=shortest,
            examined=examined,
            message=message,
            span=span,
            sides=parts,
            repeats=repeats,
        )

    def _rows(self, answers: Answers) -> Iterator[tuple[Row, Sequence[Event], RulesFault | None]]:
        """A row for each answer, with what happened on the way and the fault that stopped it."""
        watch, program = self.engine.watch, self.engine.program
        assert watch is not None
        table = self.engine.table()
        faces = {slot for slot in program.layout.face_slot if slot}
        for number, answer in enumerate(answers, 1):
            request: Any = table.request()
            owner = getattr(request, "owner", None)
            text, phases, name, line = request.text(answer), request.phases, request.name, request.span.line
            before = table.freeze()
            watch.writes.clear()
            table.events.clear()
            fault = None
            try:
                table.answer(answer)
                table.request()
            except RulesFault as error:
                fault = error
            after = State(before.step, tuple(table.m[: len(before.values)]))
            lines = {slot: span.line for slot, span in watch.writes}
            changed = [
                Change(each.what, each.before, each.after, lines.get(each.slot, line))
                for each in changes(program, before, after)
                if name != "throw" or each.slot not in faces
            ]
            row = Row(number, None if owner is None else owner + 1, name, text, phases, tuple(changed))
            yield row, tuple(table.events), fault

    def _sides(self, broken: Broken) -> tuple[Side, ...]:
        """The parts of a condition that does not hold."""
        rule = next((each for each in self.engine.game.invariants if each.name == broken.property), None)
        if rule is None or broken.memory is None:
            return ()
        holds = not isinstance(rule.moment, rules.Never)
        parts: Mapping[str, str] = dict(sides(self.engine.program, rule.condition, broken.memory, holds))
        return tuple(Side(text, value) for text, value in parts.items())

    # ---- which answer mattered ---------------------------------------------------------------------------

    def _weighed(self, rows: list[Row], answers: Answers, property: str) -> list[Row]:
        """The rows, with whether another answer in their place would not have led to the same end."""
        if len(rows) > ROWS:
            return rows
        return [attrs.evolve(row, matters=self._matters(answers, row.number - 1, property)) for row in rows]

    def _matters(self, answers: Answers, place: int, property: str) -> bool | None:
        table = self.plain.table()
        for answer in answers[:place]:
            table.answer(answer)
        request: Any = table.request()
        there = range(len(request)) if is_decision(request) else (each for each, _ in request.outcomes())
        others = [each for each in islice(there, TRIED + 1) if each != answers[place]][:TRIED]
        if not others:
            return None
        ways = ([*answers[:place], other, *answers[place + 1 :]] for other in others)
        return all(broken_after(self.plain, way, property) is None for way in ways)
