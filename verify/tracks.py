"""Values that properties need of every position: what may only increase, and where conditions hold.

Where a value cannot be worked out, the fault stands in its place, and is what is wrong with the step that leads there.
"""

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from ..dsl import rules
from ..dsl.source import Span
from ..interpreter import Reference, RulesFault, Table
from .explore import Mask, Numbers

Read = Callable[[Table], Any]


def _or_fault(read: Read) -> Read:
    def reading(table: Table) -> Any:
        try:
            return read(table)
        except RulesFault as error:
            return error

    return reading


@attrs.define(eq=False)
class Rising:
    """A number, or each of several, that only increases (or only decreases)."""

    name: str
    span: Span
    value: rules.Expr
    read: Read = attrs.field(converter=_or_fault)
    rising: bool
    at_end = False

    @classmethod
    def of(cls, engine: Reference, rule: rules.Monotone) -> "Rising":
        """The track of such a property."""
        return cls(rule.name, rule.span, rule.value, engine.reader(rule.value), rule.rising)

    def step(self, before: Any, after: Any) -> str | None:
        """What is wrong with a step; a game begins with a step from None."""
        for value in (before, after):
            if isinstance(value, RulesFault):
                return value.message
        if before is None:
            return None
        old, new = (value if isinstance(value, tuple) else (value,) for value in (before, after))
        word = "less" if self.rising else "more"
        for place, (was, is_) in enumerate(zip(old, new, strict=False)):
            if (is_ < was) if self.rising else (is_ > was):
                which = f" (number {place + 1})" if len(old) > 1 else ""
                return f"{was} became {word}: {is_}{which}"
        return None

    def wrong(self, before: Numbers, after: Numbers) -> Mask:
        """Where it goes the other way."""
        return after < before if self.rising else after > before


@attrs.define(eq=False)
class Holds:
    """Where a condition holds."""

    name: str
    span: Span
    value: rules.Expr
    read: Read = attrs.field(converter=_or_fault)
    at_end = True

    @classmethod
    def of(cls, engine: Reference, rule: rules.Possible | rules.LeadsTo, condition: rules.Expr) -> "Holds":
        """The track of a condition of such a property."""
        return cls(rule.name, rule.span, condition, engine.reader(condition))

    def step(self, before: Any, after: Any) -> str | None:
        """Nothing is wrong with a step, unless it cannot be said whether the condition holds."""
        return after.message if isinstance(after, RulesFault) else None

    def wrong(self, before: Numbers, after: Numbers) -> Mask:
        """Nothing is."""
        return np.zeros(len(after), np.bool_)
