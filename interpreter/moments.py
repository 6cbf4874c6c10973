"""Invariants and measures as closures, for the moments at which they are looked at.

A pass that ended before a name was bound that they need is not looked at: there is nothing to say about it.
"""

from collections.abc import Iterator

import attrs

from ..dsl import rules
from .closures import Memory, fault
from .engine import Sample
from .expressions import Expressions
from .layout import EVENTS
from .program import Act


def holding(rule: rules.Invariant, expressions: Expressions) -> Act:
    """A closure that finds fault where an invariant does not hold."""
    condition = expressions.read(rule.condition)
    needed = _needed(rule.condition, expressions)
    broken = f"the invariant does not hold: {rule.name}"

    def hold(m: Memory) -> None:
        if _bound(m, needed) and not condition(m):
            raise fault(broken, rule.span)

    return hold


def sampling(measure: rules.Measure, expressions: Expressions) -> Act:
    """A closure that samples a measure."""
    value, name = expressions.sure(measure.value), measure.name
    needed = _needed(measure.value, expressions)

    def sample(m: Memory) -> None:
        if _bound(m, needed):
            m[EVENTS].append(Sample(name, int(value(m))))

    return sample


def _needed(value: rules.Expr, expressions: Expressions) -> tuple[int, ...]:
    """The slots of the locals that a pass must have bound; one that may be `none` says nothing about that."""
    found = {local.number: local for local in _locals(value) if not isinstance(local.type, rules.Maybe)}
    slots = (expressions.locals.get(number, -1) for number in found)
    # Those in scratch are bound by the expression itself.
    return tuple(slot for slot in slots if slot >= 0)


def _locals(value: object) -> Iterator[rules.Local]:
    if isinstance(value, rules.Local):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _locals(part)
    elif isinstance(value, rules.Rule):
        for field in attrs.fields(type(value)):
            if field.name != "span":
                yield from _locals(getattr(value, field.name))


def _bound(m: Memory, needed: tuple[int, ...]) -> bool:
    return all(m[slot] is not None for slot in needed)
