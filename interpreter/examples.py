"""Examples of a rules file: a rule shown at work, with a script that answers what is asked.

In a setup that an example does not spell out, the first outcome of every chance comes, and the first option is taken.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from ..dsl import rules
from ..dsl.source import Span
from .engine import Chance, Decision, RulesFault
from .parts import CHANCE, Lasting, Parts, first
from .words import value_text


@attrs.frozen
class Failure:
    """Where an example does not go as it says, and why."""

    span: Span
    message: str


class _Failed(Exception):
    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(span, message)


def run_examples(game: rules.Game, examples: Iterable[rules.Example]) -> Iterator[tuple[rules.Example, Failure | None]]:
    """Each of these examples of a game, and what is wrong with it; None when it goes as it says."""
    examples = tuple(examples)
    engines: dict[Any, _Shared] = {}
    for example in examples:
        table = example.players, example.options
        try:
            if table not in engines:
                engines[table] = _Shared(game, [each for each in examples if (each.players, each.options) == table])
            _Run(engines[table], example).run()
        except _Failed as failed:
            yield example, failed.failure
        except RulesFault as error:
            yield example, Failure(error.span, error.message)
        except ValueError as error:
            yield example, Failure(example.span, str(error))
        else:
            yield example, None


class _Shared:
    """The engine of all examples for the same table: to make one takes longer than to run some."""

    def __init__(self, game: rules.Game, examples: Sequence[rules.Example]) -> None:
        self.before: dict[int, int] = {}
        """How many parts of others come before those of an example, by its identity."""
        parts: list[rules.Body] = []
        for example in examples:
            self.before[id(example)] = len(parts)
            parts += [step.body for step in example.steps if not isinstance(step, rules.Then)]
        self.engine = Parts(game, examples[0].players, dict(examples[0].options), parts)


class _Run:
    def __init__(self, shared: _Shared, example: rules.Example) -> None:
        self.example = example
        self.engine = shared.engine
        self.before = shared.before[id(example)]
        self.lasting = Lasting()

    def run(self) -> None:
        if self.example.with_setup:
            self._play(0, self.example.span, "setup", None)
        number = self.before
        for step in self.example.steps:
            match step:
                case rules.Then(condition):
                    self._hold(condition, step.span)
                case rules.Given():
                    number += 1
                    self._play(number, step.span, "this position", ())
                case rules.PlayPart(title, _, script):
                    number += 1
                    self._play(number, step.span, title, script)

    def _play(self, number: int, span: Span, title: str, script: Sequence[rules.ScriptLine] | None) -> None:
        self.engine.at_end = self.engine.ending if title == "game" else []
        lines = list(script or ())

        def answer(request: Decision | Chance) -> Any:
            return first(request) if script is None else self._answer(request, lines, span, title)

        self.lasting = self.engine.run(number, self.lasting, answer)
        if lines:
            raise _Failed(lines[0].span, self._left_over(lines[0]))

    def _answer(self, request: Decision | Chance, lines: list[rules.ScriptLine], span: Span, title: str) -> Any:
        """The answer of the next line; the only one, where there is only one and the line is about something else."""
        if lines and lines[0].name == request.name:
            line = lines.pop(0)
            try:
                return request.find(line.items)
            except LookupError as error:
                raise _Failed(line.span, str(error.args[0])) from None
        if request.name not in CHANCE and len(request) == 1:  # type: ignore[arg-type]
            return 0
        asked = self._asked(request)
        if lines:
            raise _Failed(lines[0].span, f"here {asked}, and this line answers {lines[0].name}")
        raise _Failed(span, f"the script of {title} ends where {asked}")

    @staticmethod
    def _asked(request: Decision | Chance) -> str:
        if request.name in CHANCE:
            return f"{request.name} is left to chance (line {request.span.line})"
        some = " | ".join(request.text(number) for number in range(min(len(request), 8)))  # type: ignore[arg-type]
        return f"{request.name} is asked ({some})"

    @staticmethod
    def _left_over(line: rules.ScriptLine) -> str:
        if line.name in CHANCE:
            return f"no {line.name} is left to chance here; one with a single outcome is not asked and needs no line"
        return f"{line.name} is not asked here: this part is over"

    # ---- conditions ------------------------------------------------------------------------------------

    def _hold(self, condition: rules.Expr, span: Span) -> None:
        m = self.engine.program.layout.memory()
        m[: len(self.lasting)] = self.lasting
        read = self.engine.program.expressions.read
        if read(condition)(m):
            return
        for term in condition.terms if isinstance(condition, rules.Both) else (condition,):
            if not read(term)(m):
                raise _Failed(span, self._untrue(term, m))

    def _untrue(self, term: rules.Expr, m: list[Any]) -> str:
        said = " ".join(term.span.text.split())
        if not isinstance(term, rules.Compare):
            return f"this does not hold: {said}"
        left, right = (self._value(side, m) for side in (term.left, term.right))
        return f"this does not hold: {said} (left {left}, right {right})"

    def _value(self, side: rules.Expr, m: list[Any]) -> str:
        value = self.engine.program.expressions.read(side)(m)
        words = self.engine.program.words
        type_: Any = side.type
        while isinstance(type_, rules.Maybe | rules.Many):
            type_ = type_.of
        values = value if isinstance(value, tuple) else (value,)
        if isinstance(type_, rules.Item):
            return ", ".join("none" if item is None else words.item(m, item) for item in values) or "nothing"
        return ", ".join(value_text(type_, each) for each in values) or "nothing"
