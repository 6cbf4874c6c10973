"""Declared types, and what is indexed by them: ranges with their exact ends, members, items, players."""

from typing import TypeGuard

import attrs

from .. import rules, syntax
from ..problems import NotAllowedHere, WrongType
from ..source import Span
from . import types
from .expressions import Expressions
from .ground import Ground
from .names import Scope, listed_members
from .types import PLAYER, YES_NO, known

FIXED = Scope(fixed=True)
UNREPORTED = rules.Domain(types.UNKNOWN)
"""A stand-in for a type that was reported."""


@attrs.define
class Domains:
    """Lowers types, and values known before play that fit them."""

    ground: Ground

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

    def domain(self, node: syntax.Type) -> rules.Domain:
        """A declared type with the exact ends of a range."""
        match node:
            case syntax.RangeType():
                return self._range(node)
            case syntax.YesOrNo():
                return rules.Domain(YES_NO, span=node.span)
            case syntax.MemberList():
                return rules.Domain(listed_members(node, self.ground.report), span=node.span)
            case syntax.OrNone():
                inner = self.domain(node.of)
                if isinstance(inner.type, rules.Maybe) or not known(inner.type):
                    return inner
                return rules.Domain(rules.Maybe(inner.type), inner.range, span=node.span)
            case syntax.SetOf():
                hint = "A zone holds items; a `let` or a choice can name a set for a while."
                self.ground.report(NotAllowedHere(node.span, "only a parameter can be a set", hint))
                return UNREPORTED
            case _:
                return rules.Domain(self.named(node.name), span=node.span)

    def _range(self, node: syntax.RangeType) -> rules.Domain:
        low = self.expressions.number(node.low, FIXED, "the beginning of a range")
        high = self.expressions.number(node.high, FIXED, "the end of a range")
        a, b = low.type, high.type
        if not isinstance(a, rules.Number) or not isinstance(b, rules.Number):
            return UNREPORTED
        if not self.expressions.not_empty(low, high, node.span):
            return UNREPORTED
        exact = rules.Range(low, high, span=node.span)
        return rules.Domain(rules.Number(a.low, b.high), exact, span=node.span)

    def named(self, name: syntax.Name) -> rules.Single:
        """The type of a name: a member type, a component or sheet, or `player`."""
        if name.text == "player":
            return PLAYER
        if name.text in self.ground.names.types:
            return self.ground.names.types[name.text]
        declared = self.ground.names.declared.get(name.text)
        if declared is not None and declared.kind in ("components", "sheet"):
            return rules.Item((name.text,))
        self.ground.unknown(name, "type", [*self.ground.names.of_kind("type", "components", "sheet"), "player"])
        return types.UNKNOWN

    def parameter(self, node: syntax.Parameter) -> tuple[rules.Type, rules.Range | None]:
        """A parameter's type, which may be a set."""
        if isinstance(node.type, syntax.SetOf):
            return rules.Many(self.named(node.type.name)), None
        domain = self.domain(node.type)
        return domain.type, domain.range

    def size(self, kind: rules.Type) -> int:
        """How many values a type has at most."""
        match kind:
            case rules.Number(low=low, high=high):
                return high - low + 1
            case rules.Member(names=names):
                return len(names)
            case rules.YesNo():
                return 2
            case rules.Maybe(of=of):
                return self.size(of) + 1
            case rules.Player():
                return self.ground.players[1]
            case _:
                return 1

    def shape(self, nodes: tuple[syntax.Type, ...], at: Span) -> tuple[rules.Domain, ...]:
        """What something is indexed by."""
        domains = []
        for node in nodes:
            domain = self.domain(node)
            if isinstance(domain.type, rules.Item | rules.Maybe) and known(domain.type):
                fact = "only ranges, member types, yes or no and players can be indexed by"
                self.ground.report(WrongType(node.span, fact))
                domain = UNREPORTED
            domains.append(domain)
        return tuple(domains)

    def fixed(self, node: syntax.Expr, domain: rules.Domain, what: str) -> rules.Expr:
        """A value known before play that fits a declared type."""
        if not known(domain.type):
            return types.unknown(node.span)
        value = self.expressions.want(node, FIXED, domain.type, what)
        self.expressions.in_range(value, domain.type, what)
        return value


def written_out(value: rules.Expr) -> TypeGuard[rules.Constant]:
    """Whether a number is written down, and not worked out from options and players."""
    return isinstance(value, rules.Constant)
