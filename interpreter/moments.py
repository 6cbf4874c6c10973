"""Invariants and measures as closures, for the moments at which they are looked at.

After a pass or an action that ended before a name was bound that they need, nothing is looked at: there is nothing to
say about it.
"""

import attrs

from ..dsl import rules
from ..dsl.tree import walk
from .closures import Memory, Read, fault
from .engine import Broken, Met, Sample
from .expressions import Expressions
from .layout import EVENTS
from .program import Act
from .watch import Watch

Needed = list[tuple[int, ...]]
"""For each name the slots of which one at least must hold something."""


def holding(rule: rules.Invariant, expressions: Expressions, what: str = "the invariant") -> Act:
    """A closure that finds fault where an invariant, or `what` it is, does not hold."""
    needed = _needed(rule.condition, expressions)
    if needed is None:
        return _never
    condition = expressions.read(rule.condition)
    if isinstance(rule.moment, rules.Never):
        condition = _opposite(condition)
    name, broken, watch = rule.name, f"{what} does not hold: {rule.name}", expressions.watch

    def hold(m: Memory) -> None:
        if _bound(m, needed) and not condition(m):
            raise fault(broken, rule.span, name)

    if watch is None:
        return hold
    looked, noted = watch.looked, Broken(name, broken, rule.span)

    def note(m: Memory) -> None:
        if _bound(m, needed):
            looked[name] += 1
            if not condition(m):
                m[EVENTS].append(attrs.evolve(noted, memory=m[:]) if watch.tracing else noted)

    return note


def sampling(measure: rules.Measure, expressions: Expressions) -> Act:
    """A closure that samples a measure."""
    needed = _needed(measure.value, expressions)
    if needed is None:
        return _never
    value, name = expressions.sure(measure.value), measure.name

    def sample(m: Memory) -> None:
        if _bound(m, needed):
            m[EVENTS].append(Sample(name, int(value(m))))

    return sample


def looking(moment: rules.Moment, expressions: Expressions) -> list[Act]:
    """What is looked at in a moment: what must hold, and where a search asks for it what must be possible."""
    game = expressions.layout.game
    acts = [holding(rule, expressions) for rule in game.invariants if rule.moment == moment]
    if expressions.watch is not None:
        acts += [_meeting(rule, expressions, expressions.watch) for rule in game.possibles if rule.moment == moment]
    return acts


def one_by_one(acts: list[Act]) -> Act:
    """All of them, in order."""

    def all_(m: Memory) -> None:
        for act in acts:
            act(m)

    return all_


def _meeting(rule: rules.Possible, expressions: Expressions, watch: Watch) -> Act:
    """A closure that notes where what must be possible comes about."""
    needed = _needed(rule.condition, expressions)
    if needed is None:
        return _never
    condition = expressions.read(rule.condition)
    looked, met = watch.looked, Met(rule.name)

    def meet(m: Memory) -> None:
        if _bound(m, needed):
            looked[met.property] += 1
            if condition(m):
                m[EVENTS].append(met)

    return meet


def _opposite(condition: Read) -> Read:
    return lambda m: not condition(m)


def _never(m: Memory) -> None:
    """Nothing to look at: the program plays no part of the rules that binds what is needed."""


def _needed(value: rules.Expr, expressions: Expressions) -> Needed | None:
    """What a pass must have bound, in slots; None where the program never binds it.

    What may be `none` says nothing about whether it was bound; what the value binds itself is always bound.
    """
    nodes = [node for node, _ in walk(value)]
    own = {node.each.number for node in nodes if isinstance(node, rules.Filter | rules.Mapped | rules.Extreme)}
    needed: Needed = []
    for node in nodes:
        if isinstance(node, rules.LocalOf):
            if node.number not in expressions.together:
                return None
            first = expressions.together[node.number]
            needed.append(tuple(range(first, first + expressions.layout.players)))
        elif isinstance(node, rules.Local) and node.number not in own and not isinstance(node.type, rules.Maybe):
            if node.number not in expressions.locals:
                return None
            needed.append((expressions.locals[node.number],))
    return needed


def _bound(m: Memory, needed: Needed) -> bool:
    return all(any(m[slot] is not None for slot in slots) for slots in needed)
