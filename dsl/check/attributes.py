"""What stands after a dot or in square brackets: fields of items, what players have, parts of zones and arrays."""

import attrs

from .. import rules, syntax
from ..problems import MayBeNone, UnknownName, WrongArguments, WrongType, near
from . import functions, types
from .names import FORGOTTEN, Scope, Together
from .references import References
from .types import bare, constant, element, unknown, unknowns


@attrs.frozen
class Attributes(References):
    """Finds what one item or player has, or each of a set."""

    def _is_players(self, name: str) -> bool:
        """Whether each player has something of this name."""
        declared = self.ground.names.declared.get(name)
        if declared is None:
            return False
        if declared.kind == "define" and isinstance(declared.node, syntax.Definition):
            return not declared.node.parameters and self.ground.signature(declared.node.name).implicit
        return declared.owned

    def _of(
        self, of: rules.Expr, node: syntax.Name, scope: Scope, indexes: tuple[syntax.Expr, ...] | None
    ) -> rules.Expr:
        """What a name means for one player or item."""
        if isinstance(of, rules.Local):
            self.ground.read[of.number] += 1
        kind = of.type
        if kind == types.NONE:
            self.ground.report(MayBeNone(of.span, f"`none` has no `{node.text}`"))
            return unknown(node.span)
        if isinstance(kind, rules.Maybe):
            of = rules.Something(of, type=kind.of, span=of.span)
            kind = kind.of
        if isinstance(kind, rules.Player):
            return self._players(of, node, scope, indexes)
        if isinstance(kind, rules.Item) and types.known(kind):
            return self._unindexed(indexes, node) or self._field(of, kind, node, scope)
        if types.known(kind):
            self.ground.report(WrongType(node.span, f"{types.spoken(kind)} has no `{node.text}`"))
        return unknown(node.span)

    def _field(self, item: rules.Expr, kind: rules.Item, node: syntax.Name, scope: Scope) -> rules.Expr:
        found: rules.Type | None = None
        known: list[str] = []
        for name in kind.kinds:
            info = self.ground.kinds[name]
            known += info.fields
            field = info.fields.get(node.text)
            if field is None:
                what = f"`{name}` has no field `{node.text}`"
                self.ground.report(UnknownName(node.span, what, near(node.text, known)))
                return unknown(node.span)
            joined = field.type if found is None else types.joined(found, field.type)
            if joined is None:
                self.ground.report(WrongType(node.span, f"`{node.text}` is not the same for all these components"))
                return unknown(node.span)
            if scope.fixed and not scope.own and field.role not in ("fixed", "derived"):
                self.ground.not_before_play(node.span, node.text, scope.own)
                return unknown(node.span)
            found = joined
        return rules.FieldOf(item, node.text, type=found or types.UNKNOWN, span=node.span)

    def _players(
        self, player: rules.Expr, node: syntax.Name, scope: Scope, indexes: tuple[syntax.Expr, ...] | None
    ) -> rules.Expr:
        bound = scope.find(node.text)
        if bound is not None and isinstance(bound[0], Together):
            self.ground.read[bound[0].number] += 1
            chosen = rules.LocalOf(bound[0].number, node.text, player, type=bound[0].type, span=node.span)
            return self._unindexed(indexes, node) or chosen
        declared = self.ground.names.declared.get(node.text)
        if self._is_players(node.text) and declared is not None:
            return self._refer(declared, node, player, indexes, scope)
        if declared is not None:
            fact = f"`{node.text}` belongs to the whole table; each player has no `{node.text}`"
            self.ground.report(WrongType(node.span, fact))
        else:
            known = [name for name in self.ground.names.declared if self._is_players(name)]
            fact, names = f"a player has no `{node.text}`", self.ground.names
            if node.text in names.forgotten:
                self.ground.report(UnknownName(node.span, fact, FORGOTTEN, names.elsewhere(node.text)))
            else:
                self.ground.report(UnknownName(node.span, fact, near(node.text, known)))
        return unknown(node.span)

    def _attribute(self, node: syntax.Attribute, scope: Scope) -> rules.Expr:
        of = node.of
        if isinstance(of, syntax.Name) and of.text in self.ground.names.types and not scope.find(of.text):
            member = self.ground.names.types[of.text]
            if node.name.text in member.names:
                return constant(member.names.index(node.name.text), member, node.span)
            fact = f"`{of.text}` has no member `{node.name.text}`"
            self.ground.report(UnknownName(node.name.span, fact, near(node.name.text, member.names)))
            return unknown(node.span)
        value = self.lower(of, scope)
        if isinstance(value.type, rules.Many):
            return self._each(value, node, scope, None)
        return attrs.evolve(self._of(value, node.name, scope, None), span=node.span)

    def _each(
        self,
        source: rules.Expr,
        node: syntax.Attribute,
        scope: Scope,
        indexes: tuple[syntax.Expr, ...] | None,
    ) -> rules.Expr:
        """`dice.pips`, `others.points`: the list of what each element has."""
        each = self.ground.local("it", element(source), node.span)
        value = self._of(each, node.name, scope, indexes)
        if isinstance(value.type, rules.Many):
            fact = f"`{node.name.text}` is a set for each of them; go through them with `for … in …`"
            self.ground.report(WrongType(node.span, fact))
            return unknowns(node.span)
        return rules.Mapped(source, each, value, type=rules.Many(value.type), span=node.span)

    def _element(self, node: syntax.Element, scope: Scope) -> rules.Expr:
        of = node.of
        if isinstance(of, syntax.Attribute):
            value = self.lower(of.of, scope)
            if isinstance(value.type, rules.Many):
                return self._each(value, of, scope, node.indexes)
            return attrs.evolve(self._of(value, of.name, scope, node.indexes), span=node.span)
        if isinstance(of, syntax.Name) and not scope.find(of.text):
            for each in scope.elements():
                if isinstance(bare(each.type), rules.Player) and self._is_players(of.text):
                    return attrs.evolve(self._of(each, of, scope, node.indexes), span=node.span)
            declared = self.ground.names.declared.get(of.text)
            if declared is not None:
                return attrs.evolve(self._refer(declared, of, None, node.indexes, scope), span=node.span)
            if of.text in functions.FUNCTIONS:
                fact = f"`{of.text}` is a function; its brackets are round: `{of.text}(…)`"
                self.ground.report(WrongArguments(of.span, fact))
                return unknown(node.span)
            if not types.known(self.lower(of, scope).type):
                return unknown(node.span)
        fact = "only zones, variables and constants have parts in square brackets"
        self.ground.report(WrongArguments(node.span, fact))
        return unknown(node.span)
