"""Strategies of a rules file as policies: they answer decisions at a table by closures over its memory.

A strategy may look at what its player sees and at nothing else. What `best` compares is each option as the first of
the items that look alike.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, assert_never

from ..dsl import rules
from ..dsl.source import Span
from .asking import Choosing
from .closures import Memory, Read, fault
from .decisions import LabelDecision, OneDecision, SetDecision
from .engine import Draws
from .program import Program
from .watched import Watched

Chooser = Callable[[Memory, Any], int | None]
"""The option taken; None for any of them, evenly."""


class StrategyPolicy:
    """A strategy of the rules file."""

    def __init__(self, program: Program, strategy: rules.Strategy) -> None:
        self.name = strategy.name
        self._expressions = Watched(program)
        self._sites = {each.site: self._chooser(each.policy) for each in strategy.policies}
        self._otherwise = self._chooser(strategy.otherwise)

    def choose(self, table: Any, decision: Any, draws: Draws) -> int:
        """The option it takes at a table that waits for this decision; one draw where any will do."""
        taken = self.taken(table.m, decision)
        return draws.below(len(decision)) if taken is None else taken

    def taken(self, m: Memory, decision: Any) -> int | None:
        """The option it takes; None for any of them, evenly."""
        self._expressions.seat = decision.owner
        return self._sites.get(decision.asking.site, self._otherwise)(m, decision)

    def chances(self, table: Any, decision: Any) -> dict[int, Fraction]:
        """How likely it takes which option."""
        taken = self.taken(table.m, decision)
        if taken is not None:
            return {taken: Fraction(1)}
        return {number: Fraction(1, len(decision)) for number in range(len(decision))}

    def _chooser(self, policy: rules.Policy) -> Chooser:
        match policy:
            case rules.AtRandom():
                return lambda m, decision: None
            case rules.FirstOption():
                return lambda m, decision: 0
            case rules.ByValue(value):
                read, span = self._expressions.read(value), policy.span
                return lambda m, decision: _number(decision, read(m), span)
            case rules.Best(value):
                return _best(self._expressions.sure(value))
            case rules.PolicyIf(condition, then, otherwise):
                test, one, other = self._expressions.read(condition), self._chooser(then), self._chooser(otherwise)
                return lambda m, decision: one(m, decision) if test(m) else other(m, decision)
            case _:
                assert_never(policy)


def _number(decision: Any, value: Any, span: Span) -> int:
    """The option that is this value."""
    if isinstance(decision, LabelDecision):
        if value in decision.open:
            return decision.open.index(value)
    elif value is None and decision.optional:
        return len(decision) - 1
    elif isinstance(decision, OneDecision):
        for number, (element,) in enumerate(decision.rows):
            if value in element[1] if isinstance(element, tuple) else value == element:
                return number
    raise fault(f"the strategy's choice is not among the options of {decision.name}", span)


def _best(value: Read) -> Chooser:
    def best(m: Memory, decision: OneDecision | SetDecision) -> int:
        count = len(decision) - decision.optional
        if count <= 1:
            return 0
        values = _tried(m, decision, count, value)
        return values.index(max(values))

    return best


def _tried(m: Memory, decision: OneDecision | SetDecision, count: int, value: Read) -> list[Any]:
    """What each option is worth, with the parts' locals bound to it; they are unbound again."""
    asking: Any = decision.asking
    assert isinstance(asking, Choosing)
    values = []
    parts, seat = asking.parts, decision.owner
    for number in range(count):
        option: Any = decision.option(number)
        for part, bound in zip(parts, option if len(parts) > 1 else (option,), strict=True):
            part.bind(m, bound, seat)
        values.append(value(m))
    for part in parts:
        part.bind(m, None, seat)
    return values
