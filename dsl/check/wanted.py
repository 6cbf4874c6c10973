"""Expressions where something of a kind is wanted: `none` ruled out, ranges looked at."""

import attrs

from .. import rules, syntax
from ..problems import EmptyRange, MayBeNone, OutOfRange, WrongArguments, WrongType
from ..source import Span
from . import types
from .ground import Ground
from .names import Scope
from .types import NUMBER, PLAYER, YES_NO, bare, constant, unknowns


@attrs.frozen
class Wanted:
    """What is asked of any expression, whatever it is made of; what does not fit is reported."""

    ground: Ground

    def lower(self, node: syntax.Argument, scope: Scope, want: rules.Type | None = None) -> rules.Expr:
        """The meaning of an expression; `want` is the type that it should have, for members of types."""
        raise NotImplementedError

    def mapped(self, node: syntax.Mapped, scope: Scope) -> rules.Expr:
        """A list of a value for each element."""
        raise NotImplementedError

    def want(self, node: syntax.Argument, scope: Scope, kind: rules.Type, what: str) -> rules.Expr:
        """An expression that must give a value of a type; `what` says what it is for."""
        return self.fit(self.lower(node, scope, kind), kind, what)

    def fit(self, value: rules.Expr, kind: rules.Type, what: str) -> rules.Expr:
        """A value where a type is wanted, with `none` ruled out if need be."""
        if not types.fits(value.type, kind):
            if value.type == types.NONE:
                fact = f"{what} must be {types.spoken(kind)}, it cannot be `none`"
                self.ground.report(MayBeNone(value.span, fact))
            else:
                fact = f"{what} must be {types.spoken(kind)}, this is {types.spoken(value.type)}"
                self.ground.report(WrongType(value.span, fact, _one_of_many(value, kind)))
            return constant(0, kind, value.span)
        if isinstance(value.type, rules.Maybe) and not isinstance(kind, rules.Maybe):
            return rules.Something(value, type=value.type.of, span=value.span)
        return value

    def number(self, node: syntax.Argument, scope: Scope, what: str) -> rules.Expr:
        return self.want(node, scope, NUMBER, what)

    def amount(self, node: syntax.Argument, scope: Scope, what: str) -> rules.Expr:
        """A number that cannot be less than nothing; `what` begins the sentence."""
        value = self.number(node, scope, what)
        if isinstance(value.type, rules.Number) and value.type.high < 0:
            self.ground.report(OutOfRange(value.span, f"{what} cannot be less than nothing"))
        return value

    def truth(self, node: syntax.Argument, scope: Scope, what: str = "a condition") -> rules.Expr:
        return self.want(node, scope, YES_NO, what)

    def player(self, node: syntax.Argument, scope: Scope, what: str) -> rules.Expr:
        return self.want(node, scope, PLAYER, what)

    def many(self, node: syntax.Argument, scope: Scope, what: str, want: rules.Type | None = None) -> rules.Expr:
        """A set or a list."""
        if isinstance(node, syntax.Mapped):
            return self.mapped(node, scope)
        if isinstance(node, syntax.Keyed | syntax.Defaulted):
            word = "by" if isinstance(node, syntax.Keyed) else "default"
            self.ground.report(WrongArguments(node.span, f"`{word}` does not belong in these brackets"))
            return unknowns(node.span)
        value = self.lower(node, scope, want)
        if isinstance(value.type, rules.Many):
            return value
        if types.known(value.type):
            fact = f"{what} must be a set or a list, this is {types.spoken(value.type)}"
            self.ground.report(WrongType(value.span, fact))
        return unknowns(node.span)

    def in_range(self, value: rules.Expr, kind: rules.Type, what: str) -> bool:
        """Whether a number surely lies in a type's range; one that never does is reported."""
        given, wanted = bare(value.type), bare(kind)
        if not isinstance(given, rules.Number) or not isinstance(wanted, rules.Number):
            return True
        if given.low > wanted.high or given.high < wanted.low:
            have = f"{given.low}" if given.low == given.high else f"{given.low} to {given.high}"
            fact = f"{what} must be {wanted.low} to {wanted.high}, this is {have}"
            self.ground.report(OutOfRange(value.span, fact))
        return wanted.low <= given.low and given.high <= wanted.high

    def not_empty(self, low: rules.Expr, high: rules.Expr, at: Span) -> bool:
        """Whether there may be numbers from one to another; where there never are, that is reported."""
        a, b = low.type, high.type
        if isinstance(a, rules.Number) and isinstance(b, rules.Number) and a.low > b.high:
            self.ground.report(EmptyRange(at, f"no number lies from {types.between(a)} to {types.between(b)}"))
            return False
        return True


def _one_of_many(value: rules.Expr, kind: rules.Type) -> str | None:
    """What to do where one thing is wanted and a set of them stands."""
    if isinstance(value.type, rules.Many) and not isinstance(kind, rules.Many) and types.fits(value.type.of, kind):
        add_up = "Add them up: `sum(…)`. " if isinstance(kind, rules.Number) else ""
        return add_up + "Name one of them: `the(…)` for the only one, or go through them with `for … in …`."
    if value.type == rules.Many(rules.Item(types.kinds(value))) and kind in (NUMBER, types.COUNT):
        return "Say what of them: `count(…)`, or `sum(….FIELD)`."
    return None
