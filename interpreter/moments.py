"""Invariants and measures as closures, for the moments at which they are looked at."""

from ..dsl import rules
from .closures import Memory, fault
from .engine import Sample
from .expressions import Expressions
from .layout import EVENTS
from .program import Act


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
