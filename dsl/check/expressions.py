"""Expressions: names found, types given, `none` and ranges made explicit where a value must be there."""

import attrs

from .. import rules, syntax
from ..problems import DeclaredTwice, Label, WrongArguments, WrongType, near
from ..source import Span
from . import functions, types
from .names import Scope
from .operators import Operators
from .types import YES_NO, bare, constant, element, listed, number, unknown, unknowns


@attrs.frozen
class Expressions(Operators):
    """Lowers expressions. What cannot be lowered is reported, and a stand-in of an unknown type given."""

    def lower(self, node: syntax.Argument, scope: Scope, want: rules.Type | None = None) -> rules.Expr:
        """The meaning of an expression; `want` is the type that it should have, for members of types."""
        at = node.span
        match node:
            case syntax.Name():
                return self._name(node, scope, want)
            case syntax.Number(value=value):
                return number(value, at)
            case syntax.Truth(value=truth):
                return constant(truth, YES_NO, at)
            case syntax.Nothing():
                return constant(None, want if isinstance(want, rules.Maybe) else types.NONE, at)
            case syntax.Attribute():
                return self._attribute(node, scope)
            case syntax.Element():
                return self._element(node, scope)
            case syntax.Call():
                return self._call(node, scope, want)
            case syntax.Filtered():
                return self._filtered(node, scope, want)
            case syntax.Binary():
                return self._binary(node, scope)
            case syntax.Negative(value=inner):
                value_ = self.number(inner, scope, "what stands after `-`")
                if isinstance(value_, rules.Constant) and isinstance(value_.value, int):
                    return number(-value_.value, at)
                return self.arithmetic("-", number(0, at), value_, at)
            case syntax.Not(value=inner):
                return rules.Not(self.truth(inner, scope, "what stands after `not`"), type=YES_NO, span=at)
            case syntax.Both(terms=terms):
                parts = tuple(self.truth(t, scope, "each side of `and`") for t in terms)
                return rules.Both(parts, type=YES_NO, span=at)
            case syntax.Either(terms=terms):
                parts = tuple(self.truth(t, scope, "each side of `or`") for t in terms)
                return rules.Either(parts, type=YES_NO, span=at)
            case syntax.IsEmpty():
                source = self.many(node.value, scope, "what may be empty")
                count = rules.Aggregate("count", source, type=types.COUNT, span=at)
                sign = "is" if node.empty else "is not"
                return rules.Compare(sign, count, number(0, at), type=YES_NO, span=at)  # type: ignore[arg-type]
            case syntax.Conditional():
                return self._conditional(node, scope, want)
            case _:
                self.ground.report(WrongArguments(at, "this can only stand alone in the brackets of a function"))
                return unknown(at)

    def _conditional(self, node: syntax.Conditional, scope: Scope, want: rules.Type | None) -> rules.Expr:
        condition = self.truth(node.condition, scope, "the condition after `if`")
        if want is None and self._needs_want(node.then, scope) and not self._needs_want(node.otherwise, scope):
            otherwise = self.lower(node.otherwise, scope)
            then = self.lower(node.then, scope, otherwise.type)
        else:
            then = self.lower(node.then, scope, want)
            otherwise = self.lower(node.otherwise, scope, want or then.type)
        kind = types.joined(then.type, otherwise.type)
        if kind is None:
            fact = f"both sides must be alike: this is {types.spoken(otherwise.type)}"
            other = (Label(then.span, types.spoken(then.type)),)
            self.ground.report(WrongType(otherwise.span, fact, None, other))
            kind = types.UNKNOWN
        return rules.Conditional(condition, then, otherwise, type=kind, span=node.span)

    def _filtered(
        self, node: syntax.Filtered, scope: Scope, want: rules.Type | None, name: syntax.Name | None = None
    ) -> rules.Expr:
        """The elements for which a condition holds; with a name, the condition may call them by it."""
        source = self.many(node.source, scope, "what stands before `where`", want)
        each = self.ground.local("it", element(source), node.span)
        inner = scope.inside(each)
        if name is not None:
            inner.bind(name, each)
        condition = self.truth(node.condition, inner, "the condition after `where`")
        return rules.Filter(source, each, condition, type=source.type, span=node.span)

    def gone_through(self, node: syntax.Expr, name: syntax.Name, scope: Scope) -> rules.Expr:
        """A set whose elements are called by a name, in its own `where` too."""
        if isinstance(node, syntax.Filtered):
            return self._filtered(node, scope, None, name)
        return self.many(node, scope, "what stands after `in`")

    def mapped(self, node: syntax.Mapped, scope: Scope) -> rules.Expr:
        source = self.gone_through(node.source, node.bind, scope)
        each = self.ground.local(node.bind.text, element(source), node.bind.span)
        inner = scope.inside()
        self.bind(node.bind, each, inner)
        value = self.lower(node.value, inner)
        if isinstance(value.type, rules.Many):
            self.ground.report(WrongType(value.span, "each element gives one value here, not a set"))
            return unknowns(node.span)
        return rules.Mapped(source, each, value, type=rules.Many(value.type), span=node.span)

    def _call(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        name = node.name.text
        declared = self.ground.names.declared.get(name)
        if declared is not None and declared.kind == "define":
            if scope.fixed:
                self.ground.not_before_play(node.name.span, name, scope.own)
                return unknown(node.span)
            return attrs.evolve(self._call_definition(node.name, node.arguments, None, scope), span=node.span)
        if name in functions.FUNCTIONS:
            return functions.call(self, node, scope, want)
        if declared is None:
            known = [*self.ground.names.of_kind("define"), *functions.FUNCTIONS]
            self.ground.unknown(node.name, "function or definition", known)
        elif declared.kind == "action":
            fact = f"`{name}` is an action; it is run by `do {name}`, it is not a value"
            self.ground.report(WrongArguments(node.name.span, fact))
        else:
            fact = f"`{name}` is no function; parts are chosen in square brackets"
            self.ground.report(WrongArguments(node.name.span, fact))
        return unknown(node.span)

    # ---- values written down -----------------------------------------------------------------------------

    def case(self, node: syntax.Literal, kind: rules.Type, seen: dict[object, Span]) -> int | bool | None:
        """The value of a case, which must not be among those `seen`."""
        value = self.literal(node, kind, "a case")
        if value is None:
            return None
        if value.value in seen:
            other = (Label(seen[value.value], "the first one"),)
            self.ground.report(DeclaredTwice(node.span, "this case stands there twice", None, other))
        seen.setdefault(value.value, node.span)
        return value.value

    def literal(self, node: syntax.Literal, kind: rules.Type, what: str) -> rules.Constant | None:
        """A value written down where only such may stand: a number, member, yes, no or none."""
        if not types.known(kind):
            return None
        member = bare(kind)
        if isinstance(node, syntax.Name) and isinstance(member, rules.Member) and node.text in member.names:
            return constant(member.names.index(node.text), member, node.span)
        if isinstance(node, syntax.Name):
            wanted = member.names if isinstance(member, rules.Member) else None
            fact = f"`{node.text}` is not one of {listed(wanted)}" if wanted else f"{what} must be {types.spoken(kind)}"
            if wanted is None and node.text not in self.ground.names.members:
                fact = f"{what} must be written out: a number, a member, `yes` or `no`"
            self.ground.report(WrongType(node.span, fact, near(node.text, wanted) if wanted else None))
            return None
        value = self.lower(node, Scope(fixed=True), kind)
        fits = types.fits(value.type, kind)
        value = self.fit(value, kind, what)
        self.in_range(value, kind, what)
        return value if fits and isinstance(value, rules.Constant) else None
