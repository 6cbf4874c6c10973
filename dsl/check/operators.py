"""What operators make of values: arithmetic, comparisons, sets, ranges of numbers."""

import attrs

from .. import rules, syntax
from ..problems import OutOfRange, TooMany, TwoMeanings, WrongType
from ..source import Span
from . import types
from .lookups import Lookups
from .names import Scope
from .types import NUMBER, YES_NO, element, unknown, unknowns


@attrs.frozen
class Operators(Lookups):
    """Lowers what has an operator between two sides."""

    def _binary(self, node: syntax.Binary, scope: Scope) -> rules.Expr:
        match node.operator:
            case "is" | "is not":
                return self._equal(node, scope)
            case "in" | "not in":
                return self._contains(node.left, node.right, scope, node.operator == "not in", node.span)
            case "has":
                return self._contains(node.right, node.left, scope, False, node.span)
            case "..":
                return self._span(node, scope)
            case "<" | "<=" | ">" | ">=":
                left = self.number(node.left, scope, f"each side of `{node.operator}`")
                right = self.number(node.right, scope, f"each side of `{node.operator}`")
                return self._compare(node, left, right)
        sign = "/" if node.operator == "/up" else node.operator
        left = self.lower(node.left, scope)
        if isinstance(left.type, rules.Many) and sign in "+-":
            return self._sets(left, node, scope)
        if not types.fits(left.type, NUMBER) or left.type == types.NONE:
            self.fit(left, NUMBER, f"each side of `{sign}`")
            return unknown(node.span)
        left = self.fit(left, NUMBER, f"each side of `{sign}`")
        right = self.number(node.right, scope, f"each side of `{sign}`")
        return self.arithmetic(node.operator, left, right, node.span)

    def _sets(self, left: rules.Expr, node: syntax.Binary, scope: Scope) -> rules.Expr:
        """Union and difference; what is taken away may also be one element."""
        right = self.lower(node.right, scope, left.type)
        if not isinstance(right.type, rules.Many):
            if node.operator == "-" and types.known(right.type):
                return self._without(left, right, node.span)
            if types.known(right.type):
                fact = f"each side of `+` must be a set or a list, this is {types.spoken(right.type)}"
                self.ground.report(WrongType(right.span, fact))
            return unknowns(node.span)
        kind = types.joined(left.type, right.type)
        if kind is None:
            fact = f"this is {types.spoken(right.type)}, the other side {types.spoken(left.type)}"
            self.ground.report(WrongType(right.span, fact))
            return unknowns(node.span)
        if node.operator == "+":
            return rules.Union(left, right, type=kind, span=node.span)
        return rules.Difference(left, right, type=left.type, span=node.span)

    def _without(self, source: rules.Expr, value: rules.Expr, at: Span) -> rules.Expr:
        """`hand - chip`: a set without one element."""
        value = self.fit(value, element(source), "what is taken away")
        each = self.ground.local("it", element(source), at)
        other = rules.Compare("is not", each, value, type=YES_NO, span=at)
        return rules.Filter(source, each, other, type=source.type, span=at)

    def arithmetic(self, operator: str, left: rules.Expr, right: rules.Expr, at: Span) -> rules.Expr:
        """What an operator makes of two numbers."""
        a, b = left.type, right.type
        if not isinstance(a, rules.Number) or not isinstance(b, rules.Number):
            return unknown(at)
        kind, unsafe = types.arithmetic(operator, a, b)
        if kind.low > kind.high:
            self.ground.report(OutOfRange(at, f"numbers lie from {rules.LEAST:,} to {rules.MOST:,}, this one does not"))
            return unknown(at)
        if operator in ("/", "/up", "mod") and b == rules.Number(0, 0):
            self.ground.report(OutOfRange(right.span, "nothing can be divided by 0"))
        return rules.Arithmetic(operator, left, right, unsafe, type=kind, span=at)  # type: ignore[arg-type]

    def _equal(self, node: syntax.Binary, scope: Scope) -> rules.Expr:
        if self._needs_want(node.left, scope) and not self._needs_want(node.right, scope):
            right = self.lower(node.right, scope)
            left = self.lower(node.left, scope, right.type)
        else:
            left = self.lower(node.left, scope)
            right = self.lower(node.right, scope, left.type)
        if not types.fits(left.type, right.type) and not types.fits(right.type, left.type):
            fact = (
                f"this is {types.spoken(right.type)}, the other side {types.spoken(left.type)}: they are never the same"
            )
            self.ground.report(WrongType(right.span, fact))
        return self._compare(node, left, right)

    def _compare(self, node: syntax.Binary, left: rules.Expr, right: rules.Expr) -> rules.Expr:
        """A comparison, with one of a thing with itself reported: it comes out the same whatever happens."""
        if left == right and not isinstance(left, rules.Constant) and types.known(left.type):
            hint = "Inside `where` a name means the element's; write `me.…` for your own."
            own = isinstance(left, rules.VariableValue | rules.FieldOf) and node.left != node.right
            fact = "this is the same as the other side, so it says nothing"
            self.ground.report(TwoMeanings(right.span, fact, hint if own else None))
        return rules.Compare(node.operator, left, right, type=YES_NO, span=node.span)  # type: ignore[arg-type]

    def _contains(self, part: syntax.Expr, source: syntax.Expr, scope: Scope, negated: bool, at: Span) -> rules.Expr:
        if isinstance(source, syntax.Binary) and source.operator == "..":
            one, whole = self.lower(part, scope), self._range(source, scope)
        elif self._needs_want(part, scope):
            whole = self.many(source, scope, "what something is in")
            one = self.lower(part, scope, element(whole))
        else:
            one = self.lower(part, scope)
            whole = self.many(source, scope, "what something is in", rules.Many(one.type))
        if isinstance(one.type, rules.Many) or not types.fits(one.type, element(whole)):
            fact = f"this is {types.spoken(one.type)}; it cannot be in {types.spoken(whole.type)}"
            self.ground.report(WrongType(one.span, fact))
        found = rules.Contains(one, whole, type=YES_NO, span=at)
        return rules.Not(found, type=YES_NO, span=at) if negated else found

    def _span(self, node: syntax.Binary, scope: Scope) -> rules.Expr:
        """A range of numbers whose elements are looked at one by one."""
        span = self._range(node, scope)
        if isinstance(span, rules.Span_):
            a, b = span.low.type, span.high.type
            if isinstance(a, rules.Number) and isinstance(b, rules.Number) and b.low - a.high >= types.WIDEST:
                fact = f"these are {b.low - a.high + 1:,} numbers or more; at most {types.WIDEST:,} are possible"
                self.ground.report(TooMany(node.span, fact))
        return span

    def _range(self, node: syntax.Binary, scope: Scope) -> rules.Expr:
        low = self.number(node.left, scope, "each end of a range")
        high = self.number(node.right, scope, "each end of a range")
        a, b = low.type, high.type
        if not isinstance(a, rules.Number) or not isinstance(b, rules.Number):
            return unknowns(node.span)
        if isinstance(low, rules.Constant) and isinstance(high, rules.Constant):
            self.not_empty(low, high, node.span)
        kind = rules.Many(rules.Number(a.low, max(b.high, a.low)))
        return rules.Span_(low, high, type=kind, span=node.span)
