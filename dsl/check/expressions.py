"""Expressions: names found, types given, `none` and ranges made explicit where a value must be there."""

import attrs

from .. import rules, syntax
from ..problems import (
    EmptyRange,
    Label,
    MayBeNone,
    NobodyHere,
    NoElement,
    OutOfRange,
    TwoMeanings,
    UnknownName,
    WrongArguments,
    WrongType,
    near,
)
from ..source import Span
from . import types
from .ground import Ground
from .names import Declared, Scope, Together

YES_NO = rules.YesNo()
NUMBER = rules.Number()
PLAYER = rules.Player()
COUNT = rules.Number(0, types.WIDEST)


def bare(kind: rules.Type | None) -> rules.Type | None:
    """A type without its `or none`."""
    return kind.of if isinstance(kind, rules.Maybe) else kind


def constant(value: int | bool | None, kind: rules.Type, at: Span) -> rules.Constant:
    """A value written down."""
    return rules.Constant(value, type=kind, span=at)


@attrs.frozen
class Expressions:
    """Lowers expressions. What cannot be lowered is reported, and a stand-in of an unknown type given."""

    ground: Ground

    # ---- what is wanted --------------------------------------------------------------------------------

    def unknown(self, at: Span) -> rules.Expr:
        return constant(0, types.UNKNOWN, at)

    def nothing_known(self, at: Span) -> rules.Expr:
        return rules.Members(type=rules.Many(types.UNKNOWN), span=at)

    def want(self, node: syntax.Expr, scope: Scope, kind: rules.Type, what: str) -> rules.Expr:
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
                self.ground.report(WrongType(value.span, fact))
            return constant(0, kind, value.span)
        if isinstance(value.type, rules.Maybe) and not isinstance(kind, rules.Maybe):
            return rules.Something(value, type=value.type.of, span=value.span)
        return value

    def number(self, node: syntax.Expr, scope: Scope, what: str) -> rules.Expr:
        return self.want(node, scope, NUMBER, what)

    def truth(self, node: syntax.Expr, scope: Scope, what: str = "a condition") -> rules.Expr:
        return self.want(node, scope, YES_NO, what)

    def player(self, node: syntax.Expr, scope: Scope, what: str) -> rules.Expr:
        return self.want(node, scope, PLAYER, what)

    def many(self, node: syntax.Argument, scope: Scope, what: str, want: rules.Type | None = None) -> rules.Expr:
        """A set or a list."""
        if isinstance(node, syntax.Mapped):
            return self._mapped(node, scope)
        if isinstance(node, syntax.Keyed | syntax.Defaulted):
            self.ground.report(WrongArguments(node.span, f"{what} cannot be written like this"))
            return self.nothing_known(node.span)
        value = self.lower(node, scope, want)
        if not isinstance(value.type, rules.Many):
            if types.known(value.type):
                fact = f"{what} must be a set or a list, this is {types.spoken(value.type)}"
                self.ground.report(WrongType(value.span, fact))
            return rules.Members(type=rules.Many(types.UNKNOWN), span=node.span)
        return value

    def element(self, value: rules.Expr) -> rules.Single:
        """The type of a set's elements."""
        assert isinstance(value.type, rules.Many)
        assert not isinstance(value.type.of, rules.Many)
        return value.type.of

    # ---- the parts of an expression --------------------------------------------------------------------

    def lower(self, node: syntax.Argument, scope: Scope, want: rules.Type | None = None) -> rules.Expr:
        """The meaning of an expression; `want` is the type that it should have, for members of types."""
        at = node.span
        match node:
            case syntax.Name():
                return self._name(node, scope, want)
            case syntax.Number(value=value):
                if not rules.LEAST <= value <= rules.MOST:
                    self.ground.report(OutOfRange(at, "whole numbers go up to 9223372036854775807"))
                    value = 0
                return constant(value, rules.Number(value, value), at)
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
                source = self.many(node.source, scope, "what stands before `where`", want)
                each = self.ground.local("it", self.element(source), at)
                condition = self.truth(node.condition, scope.inside(each), "the condition after `where`")
                return rules.Filter(source, each, condition, type=source.type, span=at)
            case syntax.Binary():
                return self._binary(node, scope)
            case syntax.Negative(value=inner):
                value_ = self.number(inner, scope, "what stands after `-`")
                kind = value_.type
                assert isinstance(kind, rules.Number) or not types.known(kind)
                if isinstance(value_, rules.Constant) and isinstance(value_.value, int):
                    return constant(-value_.value, rules.Number(-value_.value, -value_.value), at)
                zero = constant(0, rules.Number(0, 0), at)
                return self._arithmetic("-", zero, value_, at)
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
                count = rules.Aggregate("count", source, type=COUNT, span=at)
                sign = "is" if node.empty else "is not"
                return rules.Compare(sign, count, constant(0, rules.Number(0, 0), at), type=YES_NO, span=at)  # type: ignore[arg-type]
            case syntax.Conditional():
                return self._conditional(node, scope, want)
            case _:
                self.ground.report(WrongArguments(at, "this can only stand in the brackets of a function"))
                return self.unknown(at)

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

    def _mapped(self, node: syntax.Mapped, scope: Scope) -> rules.Expr:
        source = self.many(node.source, scope, "what stands after `in`")
        each = self.ground.local(node.bind.text, self.element(source), node.bind.span)
        inner = scope.inside()
        inner.bind(node.bind, each)
        value = self.lower(node.value, inner)
        if isinstance(value.type, rules.Many):
            self.ground.report(WrongType(value.span, "each element gives one value here, not a set"))
            return rules.Members(type=rules.Many(types.UNKNOWN), span=node.span)
        return rules.Mapped(source, each, value, type=rules.Many(value.type), span=node.span)

    # ---- names -----------------------------------------------------------------------------------------

    def _needs_want(self, node: syntax.Argument, scope: Scope) -> bool:
        """Whether only the other side can say what a name means: a member of a type, or `none`."""
        if isinstance(node, syntax.Nothing):
            return True
        if isinstance(node, syntax.Conditional):
            return self._needs_want(node.then, scope) and self._needs_want(node.otherwise, scope)
        if not isinstance(node, syntax.Name) or node.text not in self.ground.names.members:
            return False
        return not self._found(node.text, scope)

    def _found(self, name: str, scope: Scope) -> bool:
        """Whether a name is bound, a field of an element, or declared."""
        if scope.find(name) or name in self.ground.names.declared:
            return True
        return any(self._has_field(e, name) for e in scope.elements())

    def _has_field(self, element: rules.Local, name: str) -> bool:
        kind = bare(element.type)
        if isinstance(kind, rules.Item):
            return all(name in self.ground.kinds[k].fields for k in kind.kinds if k in self.ground.kinds)
        return isinstance(kind, rules.Player) and self._is_players(name)

    def _together(self, element: rules.Local, name: str, scope: Scope) -> bool:
        """Whether a name is what each player chose together with the others, and the element a player."""
        found = scope.find(name)
        return isinstance(bare(element.type), rules.Player) and found is not None and isinstance(found[0], Together)

    def _is_players(self, name: str) -> bool:
        """Whether each player has something of this name."""
        declared = self.ground.names.declared.get(name)
        if declared is None:
            return name == "score" and self.ground.has_score
        if declared.kind == "define" and isinstance(declared.node, syntax.Definition):
            return not declared.node.parameters and self.ground.signature(declared.node.name).implicit
        return declared.owned

    def _name(self, node: syntax.Name, scope: Scope, want: rules.Type | None) -> rules.Expr:
        name, at = node.text, node.span
        special = self._special(node, scope)
        if special is not None:
            return special
        member = bare(want.of if isinstance(want, rules.Many) else want)
        is_member = isinstance(member, rules.Member) and name in member.names
        outer = False
        for frame in scope.frames:
            if name in frame.bound:
                bound, _ = frame.bound[name]
                if not (is_member and not types.fits(bound.type, member)):  # type: ignore[arg-type]
                    return self._two_meanings(node, is_member, "a name bound here") or self._bound(bound, scope, at)
            if frame.element is not None and (
                self._has_field(frame.element, name) or self._together(frame.element, name, scope)
            ):
                field = self._of(frame.element, node, scope, None)
                if is_member and not types.fits(field.type, member):  # type: ignore[arg-type]
                    continue
                if not isinstance(bare(frame.element.type), rules.Player):
                    self._check_unambiguous(node, scope, frame.element)
                return self._two_meanings(node, is_member, "a field") or field
            outer = outer or frame.element is not None
        declared = self.ground.names.declared.get(name)
        if is_member and isinstance(member, rules.Member):
            if declared is not None and declared.kind in ("var", "option", "constant"):
                value = self._refer(declared, node, None, None, scope)
                if types.fits(value.type, member):
                    return self._two_meanings(node, True, f"a declared {declared.kind}") or value
            return constant(member.names.index(name), member, at)
        if declared is not None:
            return self._refer(declared, node, None, None, scope)
        if name == "score" and self.ground.has_score:
            return self._score(self._me(node, scope), at)
        return self._member(node, scope)

    def _special(self, node: syntax.Name, scope: Scope) -> rules.Expr | None:
        at = node.span
        match node.text:
            case "me":
                return self._me(node, scope)
            case "it":
                for each in scope.elements():
                    return attrs.evolve(self._bound(each, scope, at), span=at)
                hint = "`it` is the element inside `where …`, `by …`, `weighted …` and `best …`."
                self.ground.report(NoElement(at, "there is no element to look at here", hint))
                return self.unknown(at)
            case "players":
                return rules.Players(type=rules.Many(PLAYER), span=at)
            case "box":
                if scope.fixed:
                    self.ground.not_before_play(at, "`box`")
                kinds = self.ground.zones["box"].kinds
                return rules.ZoneItems("box", None, (), type=rules.Many(rules.Item(kinds)), span=at)
            case "everyone":
                return rules.Players(True, type=rules.Many(PLAYER), span=at)
            case "others":
                return rules.Others(self._me(node, scope), type=rules.Many(PLAYER), span=at)
        return None

    def _me(self, node: syntax.Name, scope: Scope) -> rules.Expr:
        if scope.me is None:
            what = "" if node.text in ("me", "others") else f"; say whose `{node.text}` it is: `p.{node.text}`"
            fact = f"no player is on turn here{what}"
            self.ground.report(NobodyHere(node.span, fact, "Only inside `each player` is there a `me`."))
            return constant(0, PLAYER, node.span)
        if isinstance(scope.me, rules.Local):
            self.ground.read.add(scope.me.number)
        return attrs.evolve(scope.me, span=node.span)

    def _bound(self, bound: rules.Local | Together, scope: Scope, at: Span) -> rules.Expr:
        self.ground.read.add(bound.number)
        if isinstance(bound, Together):
            me = self._me(syntax.Name(bound.name, span=at), scope)
            return rules.LocalOf(bound.number, bound.name, me, type=bound.type, span=at)
        return attrs.evolve(bound, span=at)

    def _two_meanings(self, node: syntax.Name, is_member: bool, what: str) -> rules.Expr | None:
        if not is_member:
            return None
        fact = f"`{node.text}` could be {what} or a member of the type that stands on the other side"
        self.ground.report(TwoMeanings(node.span, fact, "Rename one of the two."))
        return self.unknown(node.span)

    def _check_unambiguous(self, node: syntax.Name, scope: Scope, element: rules.Local) -> None:
        """Report a field that hides a name bound outside, or a variable."""
        seen = False
        for frame in scope.frames:
            if seen and node.text in frame.bound:
                other = Label(frame.bound[node.text][1], "this is the other one")
                self._hidden(node, (other,))
                return
            seen = seen or frame.element == element
        declared = self.ground.names.declared.get(node.text)
        if declared is not None and declared.kind in ("var", "option", "constant"):
            self._hidden(node, (Label(declared.at, "this is the other one"),))

    def _hidden(self, node: syntax.Name, others: tuple[Label, ...]) -> None:
        fact = f"`{node.text}` could be the element's field or the name declared outside"
        hint = f"Write `it.{node.text}` for the field, or rename one of the two."
        self.ground.report(TwoMeanings(node.span, fact, hint, others))

    def _member(self, node: syntax.Name, scope: Scope) -> rules.Expr:
        """A name that nothing but a type's member can explain."""
        found = self.ground.names.members.get(node.text, [])
        if len(found) == 1:
            return constant(found[0].names.index(node.text), found[0], node.span)
        if found:
            kinds = " and ".join(f"`{m.type}`" for m in found)
            hint = f"Write `{found[0].type}.{node.text}`." if found[0].type.isidentifier() else None
            self.ground.report(TwoMeanings(node.span, f"`{node.text}` is a member of {kinds}", hint))
            return self.unknown(node.span)
        if node.text in self.ground.names.phases:
            fact = f"`{node.text}` is a phase; a phase is not a value"
            self.ground.report(UnknownName(node.span, fact))
            return self.unknown(node.span)
        known = [*self.ground.names.all(), *scope.names()]
        for each in scope.elements():
            known += [
                f
                for k in getattr(bare(each.type), "kinds", ())
                if k in self.ground.kinds
                for f in self.ground.kinds[k].fields
            ]
        if node.text not in known:
            self.ground.report(UnknownName(node.span, f"nothing is called `{node.text}`", near(node.text, known)))
        else:
            self.ground.report(
                WrongArguments(node.span, f"`{node.text}` is a function; it needs brackets: `{node.text}(…)`")
            )
        return self.unknown(node.span)

    # ---- declared things -------------------------------------------------------------------------------

    def _refer(
        self,
        declared: Declared,
        node: syntax.Name,
        player: rules.Expr | None,
        indexes: tuple[syntax.Expr, ...] | None,
        scope: Scope,
    ) -> rules.Expr:
        """A declared thing, of a player if each has one, at its indexes if it has some."""
        name, at = node.text, node.span
        if declared.kind in ("zone", "sheet", "var", "components") and scope.fixed:
            self.ground.not_before_play(at, f"`{name}`")
            return self.unknown(at)
        if declared.owned and player is None:
            player = self._me(node, scope)
        match declared.kind:
            case "option":
                self.ground.used_options.add(name)
                if not self.ground.need(node):
                    return self.unknown(at)
                option = self.ground.options.get(name)
                kind = option.domain.type if option else types.UNKNOWN
                return self._unindexed(indexes, node) or rules.OptionValue(name, type=kind, span=at)
            case "type":
                return rules.Members(type=rules.Many(self.ground.names.types[name]), span=at)
            case "components":
                items = rules.Many(rules.Item((name,)))
                return self._unindexed(indexes, node) or rules.AllItems(name, type=items, span=at)
            case "constant":
                table = self.ground.tables.get(name) if self.ground.need(node) else None
                if table is None:
                    return self.unknown(at)
                places = self._indexes(table.shape, indexes, node, scope)
                if places is None:
                    return self.unknown(at)
                return rules.TableValue(name, places, type=self.ground.table_types[name], span=at)
            case "zone" | "sheet":
                zone = self.ground.zones.get(name)
                if zone is None:
                    return self.unknown(at)
                places = None if indexes is None and zone.shape else self._indexes(zone.shape, indexes, node, scope)
                if indexes is None and not zone.shape:
                    places = ()
                lying = rules.Many(rules.Item(zone.kinds))
                return rules.ZoneItems(name, player, places, type=lying, span=at)
            case "var":
                variable = self.ground.variables.get(name)
                if variable is None:
                    return self.unknown(at)
                places = self._indexes(variable.shape, indexes, node, scope)
                if places is None:
                    return self.unknown(at)
                return rules.VariableValue(name, player, places, type=variable.domain.type, span=at)
            case "define":
                return self._call_definition(node, (), player, scope)
            case _:
                fact = f"`{name}` is an action; it is run by `do {name}`, it is not a value"
                self.ground.report(WrongType(at, fact))
                return self.unknown(at)

    def _unindexed(self, indexes: tuple[syntax.Expr, ...] | None, node: syntax.Name) -> rules.Expr | None:
        if indexes is None:
            return None
        self.ground.report(WrongArguments(node.span, f"`{node.text}` has no parts to choose in square brackets"))
        return self.unknown(node.span)

    def _indexes(
        self,
        shape: tuple[rules.Domain, ...],
        indexes: tuple[syntax.Expr, ...] | None,
        node: syntax.Name,
        scope: Scope,
    ) -> tuple[rules.Expr, ...] | None:
        given = indexes or ()
        if len(given) != len(shape):
            have = "nothing" if not given else f"{len(given)} value{'s' * (len(given) > 1)}"
            need = (
                "no square brackets" if not shape else f"{len(shape)} value{'s' * (len(shape) > 1)} in square brackets"
            )
            self.ground.report(WrongArguments(node.span, f"`{node.text}` takes {need}, here stands {have}"))
            return None
        return tuple(self._index(domain, value, scope) for domain, value in zip(shape, given, strict=True))

    def _index(self, domain: rules.Domain, node: syntax.Expr, scope: Scope) -> rules.Expr:
        value = self.want(node, scope, domain.type, "this place in square brackets")
        self.in_range(value, domain.type, "this place in square brackets")
        return value

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

    def _score(self, player: rules.Expr, at: Span) -> rules.Expr:
        return rules.Call("score", (player,), type=NUMBER, span=at)

    def _of(
        self, of: rules.Expr, node: syntax.Name, scope: Scope, indexes: tuple[syntax.Expr, ...] | None
    ) -> rules.Expr:
        """What a name means for one player or item."""
        if isinstance(of, rules.Local):
            self.ground.read.add(of.number)
        kind = of.type
        if isinstance(kind, rules.Maybe):
            of = rules.Something(of, type=kind.of, span=of.span)
            kind = kind.of
        if isinstance(kind, rules.Player):
            return self._players(of, node, scope, indexes)
        if isinstance(kind, rules.Item):
            return self._unindexed(indexes, node) or self._field(of, kind, node, scope)
        if types.known(kind):
            self.ground.report(WrongType(node.span, f"{types.spoken(kind)} has no `{node.text}`"))
        return self.unknown(node.span)

    def _field(self, item: rules.Expr, kind: rules.Item, node: syntax.Name, scope: Scope) -> rules.Expr:
        found: rules.Type | None = None
        known: list[str] = []
        for name in kind.kinds:
            info = self.ground.kinds.get(name)
            if info is None:
                return self.unknown(node.span)
            known += info.fields
            field = info.fields.get(node.text)
            if field is None:
                what = f"`{name}` has no field `{node.text}`"
                self.ground.report(UnknownName(node.span, what, near(node.text, known)))
                return self.unknown(node.span)
            joined = field.type if found is None else types.joined(found, field.type)
            if joined is None:
                self.ground.report(WrongType(node.span, f"`{node.text}` is not the same for all these components"))
                return self.unknown(node.span)
            if scope.fixed and field.role not in ("fixed", "derived"):
                self.ground.not_before_play(node.span, f"`{node.text}`")
            found = joined
        return rules.FieldOf(item, node.text, type=found or types.UNKNOWN, span=node.span)

    def _players(
        self, player: rules.Expr, node: syntax.Name, scope: Scope, indexes: tuple[syntax.Expr, ...] | None
    ) -> rules.Expr:
        bound = scope.find(node.text)
        if bound is not None and isinstance(bound[0], Together):
            self.ground.read.add(bound[0].number)
            return rules.LocalOf(bound[0].number, node.text, player, type=bound[0].type, span=node.span)
        declared = self.ground.names.declared.get(node.text)
        if self._is_players(node.text):
            if declared is None:
                return self._score(player, node.span)
            return self._refer(declared, node, player, indexes, scope)
        if declared is not None:
            fact = f"`{node.text}` belongs to the whole table; each player has no `{node.text}`"
            self.ground.report(WrongType(node.span, fact))
        else:
            known = [name for name in self.ground.names.declared if self._is_players(name)] + ["score"]
            self.ground.report(UnknownName(node.span, f"a player has no `{node.text}`", near(node.text, known)))
        return self.unknown(node.span)

    def _attribute(self, node: syntax.Attribute, scope: Scope) -> rules.Expr:
        of = node.of
        if isinstance(of, syntax.Name) and of.text in self.ground.names.types and not scope.find(of.text):
            member = self.ground.names.types[of.text]
            if node.name.text in member.names:
                return constant(member.names.index(node.name.text), member, node.span)
            fact = f"`{of.text}` has no member `{node.name.text}`"
            self.ground.report(UnknownName(node.name.span, fact, near(node.name.text, member.names)))
            return self.unknown(node.span)
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
        each = self.ground.local("it", self.element(source), node.span)
        value = self._of(each, node.name, scope, indexes)
        if isinstance(value.type, rules.Many):
            fact = f"`{node.name.text}` is a set for each of them; go through them with `for … in …`"
            self.ground.report(WrongType(node.span, fact))
            return self.unknown(node.span)
        return rules.Mapped(source, each, value, type=rules.Many(value.type), span=node.span)

    def _element(self, node: syntax.Element, scope: Scope) -> rules.Expr:
        of = node.of
        if isinstance(of, syntax.Attribute):
            value = self.lower(of.of, scope)
            if isinstance(value.type, rules.Many):
                return self._each(value, of, scope, node.indexes)
            return attrs.evolve(self._of(value, of.name, scope, node.indexes), span=node.span)
        if isinstance(of, syntax.Name):
            for each in scope.elements():
                if isinstance(bare(each.type), rules.Player) and self._is_players(of.text):
                    return attrs.evolve(self._of(each, of, scope, node.indexes), span=node.span)
            declared = self.ground.names.declared.get(of.text)
            if declared is not None and not scope.find(of.text):
                return attrs.evolve(self._refer(declared, of, None, node.indexes, scope), span=node.span)
            if declared is None and not scope.find(of.text):
                known = [n for n, d in self.ground.names.declared.items() if d.kind in ("var", "zone", "constant")]
                self.ground.report(UnknownName(of.span, f"nothing is called `{of.text}`", near(of.text, known)))
                return self.unknown(node.span)
        self.ground.report(
            WrongArguments(node.span, "only zones, variables and constants have parts in square brackets")
        )
        return self.unknown(node.span)

    # ---- operators -------------------------------------------------------------------------------------

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
                return rules.Compare(node.operator, left, right, type=YES_NO, span=node.span)
        left = self.lower(node.left, scope)
        if isinstance(left.type, rules.Many) and node.operator in "+-":
            if node.operator == "-" and not self._is_many(node.right, scope):
                return self._without(left, node.right, scope, node.span)
            right = self.many(node.right, scope, f"each side of `{node.operator}`", left.type)
            kind = types.joined(left.type, right.type)
            if kind is None:
                fact = f"this is {types.spoken(right.type)}, the other side {types.spoken(left.type)}"
                self.ground.report(WrongType(right.span, fact))
                kind = left.type
            if node.operator == "+":
                return rules.Union(left, right, type=kind, span=node.span)
            return rules.Difference(left, right, type=left.type, span=node.span)
        sign = "/" if node.operator == "/up" else node.operator
        left = self.fit(left, NUMBER, f"each side of `{sign}`")
        right = self.number(node.right, scope, f"each side of `{sign}`")
        return self._arithmetic(node.operator, left, right, node.span)

    def _is_many(self, node: syntax.Expr, scope: Scope) -> bool:
        """Whether an expression gives a set or a list; what is wrong with it is said when it is lowered for good."""
        before = list(self.ground.problems)
        value = self.lower(node, scope)
        self.ground.problems[:] = before
        return isinstance(value.type, rules.Many) or not types.known(value.type)

    def _without(self, source: rules.Expr, node: syntax.Expr, scope: Scope, at: Span) -> rules.Expr:
        """`hand - chip`: a set without one element."""
        of = self.element(source)
        value = self.want(node, scope, of, "what is taken away")
        each = self.ground.local("it", of, at)
        other = rules.Compare("is not", each, value, type=YES_NO, span=at)
        return rules.Filter(source, each, other, type=source.type, span=at)

    def _arithmetic(self, operator: str, left: rules.Expr, right: rules.Expr, at: Span) -> rules.Expr:
        a, b = left.type, right.type
        if not isinstance(a, rules.Number) or not isinstance(b, rules.Number):
            return self.unknown(at)
        kind, unsafe = types.arithmetic(operator, a, b)
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
        return rules.Compare(node.operator, left, right, type=YES_NO, span=node.span)  # type: ignore[arg-type]

    def _contains(self, element: syntax.Expr, source: syntax.Expr, scope: Scope, negated: bool, at: Span) -> rules.Expr:
        if self._needs_want(element, scope):
            whole = self.many(source, scope, "what something is in")
            part = self.lower(element, scope, self.element(whole))
        else:
            part = self.lower(element, scope)
            whole = self.many(source, scope, "what something is in", rules.Many(part.type))
        if isinstance(part.type, rules.Many) or not types.fits(part.type, self.element(whole)):
            fact = f"this is {types.spoken(part.type)}; it cannot be in {types.spoken(whole.type)}"
            self.ground.report(WrongType(part.span, fact))
        found = rules.Contains(part, whole, type=YES_NO, span=at)
        return rules.Not(found, type=YES_NO, span=at) if negated else found

    def _span(self, node: syntax.Binary, scope: Scope) -> rules.Expr:
        low = self.number(node.left, scope, "each end of a range")
        high = self.number(node.right, scope, "each end of a range")
        a, b = low.type, high.type
        if not isinstance(a, rules.Number) or not isinstance(b, rules.Number):
            return rules.Members(type=rules.Many(types.UNKNOWN), span=node.span)
        if isinstance(low, rules.Constant) and isinstance(high, rules.Constant) and a.low > b.high:
            self.ground.report(EmptyRange(node.span, f"no number lies from {a.low} to {b.high}"))
        kind = rules.Many(rules.Number(a.low, max(b.high, a.low)))
        return rules.Span_(low, high, type=kind, span=node.span)

    # ---- functions -------------------------------------------------------------------------------------

    def _call_definition(
        self, name: syntax.Name, given: tuple[syntax.Argument, ...], player: rules.Expr | None, scope: Scope
    ) -> rules.Expr:
        self.ground.used_callables.add(name.text)
        signature = self.ground.signature(name)
        if not types.known(signature.type):
            return self.unknown(name.span)
        values = self.arguments(name, given, player, scope)
        if values is None:
            return self.unknown(name.span)
        return rules.Call(name.text, values, type=signature.type, span=name.span)

    def arguments(
        self, name: syntax.Name, given: tuple[syntax.Argument, ...], player: rules.Expr | None, scope: Scope
    ) -> tuple[rules.Expr, ...] | None:
        """The values for an action's or definition's parameters, with `me` first where it needs one."""
        signature = self.ground.signature(name)
        implicit = signature.implicit
        parameters = signature.parameters[implicit:]
        if len(given) != len(parameters):
            names = ", ".join(p.name for p in parameters) or "nothing"
            fact = f"`{name.text}` takes {len(parameters)} ({names}) in brackets, here stand {len(given)}"
            self.ground.report(WrongArguments(name.span, fact))
            return None
        values: list[rules.Expr] = []
        if implicit:
            values.append(player or self._me(name, scope))
        for parameter, limits, node in zip(parameters, signature.ranges[implicit:], given, strict=True):
            what = f"`{parameter.name}` of `{name.text}`"
            if isinstance(parameter.type, rules.Many) and not isinstance(node, syntax.Mapped):
                value = self.fit(self.many(node, scope, what, parameter.type), parameter.type, what)
            else:
                value = self.fit(self.lower(node, scope, parameter.type), parameter.type, what)
            if not self.in_range(value, parameter.type, what) and limits is not None:
                value = rules.InRange(value, limits, type=parameter.type, span=value.span)
            values.append(value)
        return tuple(values)

    def _call(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        name = node.name.text
        declared = self.ground.names.declared.get(name)
        if declared is not None and declared.kind == "define":
            return attrs.evolve(self._call_definition(node.name, node.arguments, None, scope), span=node.span)
        method = getattr(self, f"_f_{name}", None)
        if method is None:
            known = [*(n for n, d in self.ground.names.declared.items() if d.kind == "define"), *_FUNCTIONS]
            if declared is not None:
                fact = f"`{name}` is no function" + (
                    "; parts are chosen in square brackets" if declared.kind != "action" else ""
                )
                self.ground.report(WrongArguments(node.name.span, fact))
            else:
                fact = f"no function or definition is called `{name}`"
                self.ground.report(UnknownName(node.name.span, fact, near(name, known)))
            return self.unknown(node.span)
        least, most = _FUNCTIONS[name]
        if not least <= len(node.arguments) <= most:
            need = str(least) if least == most else f"{least} to {most}" if most < 99 else f"at least {least}"
            fact = f"`{name}` takes {need} value{'s' * (need != '1')} in brackets, here stand {len(node.arguments)}"
            self.ground.report(WrongArguments(node.span, fact))
            return self.unknown(node.span)
        value: rules.Expr = method(node, scope, want)
        return value

    def _values(self, node: syntax.Argument, scope: Scope, what: str, kind: rules.Type = NUMBER) -> rules.Expr:
        """A list of values of a type, `none` ruled out."""
        source = self.many(node, scope, what)
        of = self.element(source)
        if not types.fits(of, kind):
            fact = f"{what} must be a list of {types.spoken(kind).removeprefix('a ')}s, this is {types.spoken(source.type)}"
            self.ground.report(WrongType(node.span, fact))
            return rules.Members(type=rules.Many(types.UNKNOWN), span=node.span)
        if isinstance(of, rules.Maybe):
            each = self.ground.local("it", of, node.span)
            sure = rules.Something(each, type=of.of, span=node.span)
            return rules.Mapped(source, each, sure, type=rules.Many(of.of), span=node.span)
        return source

    def _f_count(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        source = self.many(node.arguments[0], scope, "what is counted")
        kind: rules.Number = COUNT
        if isinstance(source, rules.Players):
            kind = rules.Number(self.ground.players[0] if scope.fixed or source.everyone else 0, self.ground.players[1])
        return rules.Aggregate("count", source, type=kind, span=node.span)

    def _f_sum(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        source = self._values(node.arguments[0], scope, "what is added up")
        of = self.element(source)
        kind = types.added_up(of) if isinstance(of, rules.Number) else NUMBER
        return rules.Aggregate("sum", source, type=kind, span=node.span)

    def _f_max(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        name = node.name.text
        if len(node.arguments) > 1:
            values = tuple(self.number(a, scope, f"each value of `{name}`") for a in node.arguments)  # type: ignore[arg-type]
            ends = [v.type for v in values if isinstance(v.type, rules.Number)]
            choose = max if name == "max" else min
            kind = rules.Number(choose(e.low for e in ends), choose(e.high for e in ends)) if ends else NUMBER
            return rules.Greatest(values, name == "max", type=kind, span=node.span)
        argument = node.arguments[0]
        default: rules.Expr | None = None
        if isinstance(argument, syntax.Defaulted):
            default = self.number(argument.default, scope, "what stands after `default`")
            argument = argument.value
        source = self._values(argument, scope, f"the values of `{name}`")
        of = self.element(source)
        kind_ = types.joined(of, default.type) if default is not None else of
        return rules.Aggregate(name, source, default, type=kind_ or NUMBER, span=node.span)  # type: ignore[arg-type]

    _f_min = _f_max

    def _f_any(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        source = self.many(node.arguments[0], scope, "what is looked for")
        return rules.Aggregate("any", source, type=YES_NO, span=node.span)

    def _f_all(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        source = self._values(node.arguments[0], scope, "what `all` asks", YES_NO)
        return rules.Aggregate("all", source, type=YES_NO, span=node.span)

    def _f_distinct(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        source = self.many(node.arguments[0], scope, "the values of `distinct`")
        return rules.Aggregate("distinct", source, type=source.type, span=node.span)

    def _f_highest(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        argument = node.arguments[0]
        if not isinstance(argument, syntax.Keyed):
            name = node.name.text
            hint = f"Write `{name}(players by points)`; the highest number of a list is `{'max' if name == 'highest' else 'min'}(…)`."
            self.ground.report(WrongArguments(node.span, f"`{name}` needs `by` and what they are compared by", hint))
            return self.unknown(node.span)
        source = self.many(argument.source, scope, "what is compared")
        each = self.ground.local("it", self.element(source), argument.span)
        key = self.number(argument.key, scope.inside(each), "what stands after `by`")
        return rules.Extreme(source, each, key, node.name.text == "highest", type=source.type, span=node.span)

    _f_lowest = _f_highest

    def _f_largest(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        count = self.number(node.arguments[0], scope, "how many")  # type: ignore[arg-type]
        source = self._values(node.arguments[1], scope, "the values")
        return rules.Ranked(count, source, node.name.text == "largest", type=source.type, span=node.span)

    _f_smallest = _f_largest

    def _f_first(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        count = self.number(node.arguments[0], scope, "how many")  # type: ignore[arg-type]
        source = self.many(node.arguments[1], scope, "what the first are taken from", want)
        return rules.FirstOf(count, source, type=source.type, span=node.span)

    def _f_the(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        source = self.many(node.arguments[0], scope, "what `the` finds", rules.Many(want) if want else None)
        return rules.Only(source, type=self.element(source), span=node.span)

    def _f_next(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        player = self.player(node.arguments[0], scope, f"the first value of `{node.name.text}`")  # type: ignore[arg-type]
        steps: rules.Expr = constant(1, rules.Number(1, 1), node.span)
        if len(node.arguments) > 1:
            steps = self.number(node.arguments[1], scope, "the number of seats")  # type: ignore[arg-type]
        if node.name.text == "previous":
            steps = self._arithmetic("-", constant(0, rules.Number(0, 0), node.span), steps, node.span)
        return rules.Neighbour(player, steps, type=PLAYER, span=node.span)

    _f_previous = _f_next

    def _f_seat(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        player = self.player(node.arguments[0], scope, "the value of `seat`")  # type: ignore[arg-type]
        return rules.SeatOf(player, type=rules.Number(1, self.ground.players[1]), span=node.span)

    def _f_player(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        seat = self.number(node.arguments[0], scope, "a seat")  # type: ignore[arg-type]
        self.in_range(seat, rules.Number(1, self.ground.players[1]), "a seat")
        return rules.PlayerAt(seat, type=PLAYER, span=node.span)

    def _f_team(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        player = self.player(node.arguments[0], scope, "the value of `team`")  # type: ignore[arg-type]
        return rules.TeamOf(player, type=rules.Number(1, self.ground.players[1]), span=node.span)

    def _f_owner(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        item = self._item(node.arguments[0], scope, "the value of `owner`")
        return rules.OwnerOf(item, type=PLAYER, span=node.span)

    def _f_place(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        item = self._item(node.arguments[0], scope, "the value of `place`")
        return rules.PlaceOf(item, type=rules.Number(1, types.WIDEST), span=node.span)

    def _item(self, node: syntax.Argument, scope: Scope, what: str) -> rules.Expr:
        value = self.lower(node, scope)
        if isinstance(bare(value.type), rules.Item):
            return self.fit(value, bare(value.type) or types.UNKNOWN, what)
        self.ground.report(WrongType(node.span, f"{what} must be a component, this is {types.spoken(value.type)}"))
        return self.unknown(node.span)

    def _stack(self, node: syntax.Argument, scope: Scope, what: str) -> rules.ZoneItems | None:
        value = self.lower(node, scope)
        if isinstance(value, rules.ZoneItems) and value.indexes is not None and self.ground.zones[value.name].stacked:
            return value
        self.ground.report(WrongType(node.span, f"{what} must be a stacked zone"))
        return None

    def _f_top(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        zone = self._stack(node.arguments[0], scope, f"the value of `{node.name.text}`")
        if zone is None:
            return self.unknown(node.span)
        place: rules.Expr | None = None
        if node.name.text == "bottom":
            place = constant(1, rules.Number(1, 1), node.span)
        if node.name.text == "at":
            place = self.number(node.arguments[1], scope, "the position")  # type: ignore[arg-type]
        return rules.ItemAt(zone, place, type=self.element(zone), span=node.span)

    _f_bottom = _f_at = _f_top

    def _f_abs(self, node: syntax.Call, scope: Scope, want: rules.Type | None) -> rules.Expr:
        value = self.number(node.arguments[0], scope, "the value of `abs`")  # type: ignore[arg-type]
        kind = value.type
        if isinstance(kind, rules.Number):
            least = 0 if kind.low <= 0 <= kind.high else min(abs(kind.low), abs(kind.high))
            kind = types.clamped(least, max(abs(kind.low), abs(kind.high)))
        return rules.Absolute(value, type=kind, span=node.span)


_FUNCTIONS = {
    "count": (1, 1), "sum": (1, 1), "max": (1, 99), "min": (1, 99), "any": (1, 1), "all": (1, 1), "distinct": (1, 1),
    "highest": (1, 1), "lowest": (1, 1), "largest": (2, 2), "smallest": (2, 2), "first": (2, 2), "the": (1, 1),
    "next": (1, 2), "previous": (1, 2), "seat": (1, 1), "player": (1, 1), "team": (1, 1), "owner": (1, 1), "place": (1, 1),
    "top": (1, 1), "bottom": (1, 1), "at": (2, 2), "abs": (1, 1),
}  # fmt: skip
