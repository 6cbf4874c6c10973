"""Expressions: names found, types given, `none` and ranges made explicit where a value must be there."""

import attrs

from .. import rules, syntax
from ..problems import (
    DeclaredTwice,
    EmptyRange,
    Label,
    MayBeNone,
    MissingPart,
    NobodyHere,
    NoElement,
    OutOfRange,
    TooMany,
    TwoMeanings,
    UnknownName,
    WrongArguments,
    WrongType,
    near,
)
from ..source import Span
from . import functions, types
from .ground import Ground
from .names import FORGOTTEN, Bound, Declared, Scope, Together
from .types import NUMBER, PLAYER, YES_NO, bare, constant, element, number, unknown, unknowns

_FIXED = ("option", "constant", "type")
"""What is known before play, of all that is declared."""


@attrs.frozen
class Expressions:
    """Lowers expressions. What cannot be lowered is reported, and a stand-in of an unknown type given."""

    ground: Ground

    # ---- what is wanted --------------------------------------------------------------------------------

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
            return self._mapped(node, scope)
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

    # ---- the parts of an expression --------------------------------------------------------------------

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

    def _mapped(self, node: syntax.Mapped, scope: Scope) -> rules.Expr:
        source = self.gone_through(node.source, node.bind, scope)
        each = self.ground.local(node.bind.text, element(source), node.bind.span)
        inner = scope.inside()
        self.bind(node.bind, each, inner)
        value = self.lower(node.value, inner)
        if isinstance(value.type, rules.Many):
            self.ground.report(WrongType(value.span, "each element gives one value here, not a set"))
            return unknowns(node.span)
        return rules.Mapped(source, each, value, type=rules.Many(value.type), span=node.span)

    # ---- names -----------------------------------------------------------------------------------------

    def bind(self, name: syntax.Name, bound: Bound, scope: Scope) -> None:
        """Give a name to something in the innermost block, unless the name is taken."""
        before = scope.find(name.text)
        if before is not None:
            other = (Label(before[1], "it means this"),)
            fact = f"`{name.text}` already means something here"
            self.ground.report(DeclaredTwice(name.span, fact, "Choose another name.", other))
        if before is not None or not self.ground.names.check_free(name, self.ground.report):
            self.ground.read[bound.number] += 1
            bound = attrs.evolve(bound, type=types.UNKNOWN)
        scope.bind(name, bound)
        self.ground.names.forgotten.setdefault(name.text, name.span)

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

    def _has_field(self, each: rules.Local, name: str) -> bool:
        kind = bare(each.type)
        if isinstance(kind, rules.Item):
            infos = [self.ground.kinds[k] for k in kind.kinds if k in self.ground.kinds]
            return bool(infos) and all(name in info.fields for info in infos)
        return isinstance(kind, rules.Player) and self._is_players(name)

    def _together(self, each: rules.Local, name: str, scope: Scope) -> bool:
        """Whether a name is what each player chose together with the others, and the element a player."""
        found = scope.find(name)
        return isinstance(bare(each.type), rules.Player) and found is not None and isinstance(found[0], Together)

    def _is_players(self, name: str) -> bool:
        """Whether each player has something of this name."""
        declared = self.ground.names.declared.get(name)
        if declared is None:
            return False
        if declared.kind == "define" and isinstance(declared.node, syntax.Definition):
            return not declared.node.parameters and self.ground.signature(declared.node.name).implicit
        return declared.owned

    def _name(self, node: syntax.Name, scope: Scope, want: rules.Type | None) -> rules.Expr:
        name, at = node.text, node.span
        special = self._special(node, scope)
        if special is not None:
            return special
        wanted = bare(want.of if isinstance(want, rules.Many) else want) if want is not None else None
        member = wanted if isinstance(wanted, rules.Member) else None
        is_member = member is not None and name in member.names
        for frame in scope.frames:
            found = frame.find(name)
            if found and not (member and is_member and not types.fits(found[0].type, member)):
                return self._two_meanings(node, is_member, "a name bound here") or self._bound(found[0], scope, at)
            each = frame.element
            if each is not None and (self._has_field(each, name) or self._together(each, name, scope)):
                field = self._of(each, node, scope, None)
                if member and is_member and not types.fits(field.type, member):
                    continue
                if not isinstance(bare(each.type), rules.Player):
                    self._check_unambiguous(node, scope, each)
                return self._two_meanings(node, is_member, "a field") or field
        declared = self.ground.names.declared.get(name)
        if member and is_member:
            if declared is not None and declared.kind in ("option", "constant", "" if scope.fixed else "var"):
                value = self._refer(declared, node, None, None, scope)
                if types.fits(value.type, member):
                    return self._two_meanings(node, True, f"a declared {declared.kind}") or value
            return constant(member.names.index(name), member, at)
        if declared is not None:
            return self._refer(declared, node, None, None, scope)
        if want is not None and not types.known(want) and name in self.ground.names.members:
            return unknown(at)
        return self._member(node, scope, member)

    def _special(self, node: syntax.Name, scope: Scope) -> rules.Expr | None:
        at = node.span
        match node.text:
            case "me":
                return self.me(node, scope)
            case "it":
                for each in scope.elements():
                    return attrs.evolve(self._bound(each, scope, at), span=at)
                hint = "`it` is the element inside `where …`, `by …`, `weighted …` and `best …`."
                self.ground.report(NoElement(at, "there is no element to look at here", hint))
                return unknown(at)
            case "players":
                return rules.Players(type=rules.Many(PLAYER), span=at)
            case "box":
                if scope.fixed:
                    self.ground.not_before_play(at, "box", scope.own)
                    return unknowns(at)
                kinds = tuple(self.ground.names.of_kind("components"))
                return rules.ZoneItems("box", None, (), type=rules.Many(rules.Item(kinds)), span=at)
            case "everyone":
                return rules.Players(True, type=rules.Many(PLAYER), span=at)
            case "others":
                return rules.Others(self.me(node, scope), type=rules.Many(PLAYER), span=at)
        return None

    def me(self, node: syntax.Name, scope: Scope) -> rules.Expr:
        """The player around; `node` is what needs one."""
        if scope.me is None:
            self.ground.report(NobodyHere(node.span, *self._nobody(node)))
            return constant(0, PLAYER, node.span)
        if isinstance(scope.me, rules.Local):
            self.ground.read[scope.me.number] += 1
        return attrs.evolve(scope.me, span=node.span)

    def _nobody(self, node: syntax.Name) -> tuple[str, str]:
        """What is said where a player is needed and none is around."""
        declared = self.ground.names.declared.get(node.text)
        hint = "Only inside `each player` is there a `me`."
        if declared is not None and declared.kind == "action":
            return f"no player is on turn here; `{node.text}` is run for the player on turn", hint
        if node.text in ("me", "others"):
            return "no player is on turn here", hint
        if node.text == "choose":
            return "no player is on turn here who could choose", "Say who: `choose by player(1) …`."
        return f"no player is on turn here; say whose `{node.text}` it is: `p.{node.text}`", hint

    def _bound(self, bound: Bound, scope: Scope, at: Span) -> rules.Expr:
        self.ground.read[bound.number] += 1
        if isinstance(bound, Together):
            me = self.me(syntax.Name(bound.name, span=at), scope)
            return rules.LocalOf(bound.number, bound.name, me, type=bound.type, span=at)
        return attrs.evolve(bound, span=at)

    def _two_meanings(self, node: syntax.Name, is_member: bool, what: str) -> rules.Expr | None:
        if not is_member:
            return None
        fact = f"`{node.text}` could be {what} or a member of the type that stands on the other side"
        self.ground.report(TwoMeanings(node.span, fact, "Rename one of the two."))
        return unknown(node.span)

    def _check_unambiguous(self, node: syntax.Name, scope: Scope, each: rules.Local) -> None:
        """Report a field that hides a name bound outside, or a variable."""
        outside = False
        for frame in scope.frames:
            found = frame.find(node.text)
            if outside and found:
                self._hidden(node, (Label(found[1], "this is the other one"),))
                return
            outside = outside or frame.element == each
        declared = self.ground.names.declared.get(node.text)
        if declared is not None and declared.kind in ("var", "option", "constant"):
            self._hidden(node, (Label(declared.at, "this is the other one"),))

    def _hidden(self, node: syntax.Name, others: tuple[Label, ...]) -> None:
        fact = f"`{node.text}` could be the element's field or the name declared outside"
        hint = f"Write `it.{node.text}` for the field, or rename one of the two."
        self.ground.report(TwoMeanings(node.span, fact, hint, others))

    def _member(self, node: syntax.Name, scope: Scope, wanted: rules.Member | None) -> rules.Expr:
        """A name that nothing but a type's member can explain."""
        name, at = node.text, node.span
        found = self.ground.names.members.get(name, [])
        if found and wanted is not None:
            fact, hint = f"`{name}` is not one of {types.listed(wanted.names)}", near(name, wanted.names)
            self.ground.report(WrongType(at, fact, hint))
        elif len(found) == 1:
            return constant(found[0].names.index(name), found[0], at)
        elif found:
            kinds = types.listed(tuple(m.type for m in found), "and")
            hint = f"Write `{found[0].type}.{name}`." if found[0].type.isidentifier() else None
            self.ground.report(TwoMeanings(at, f"`{name}` is a member of {kinds}", hint))
        elif name in self.ground.names.phases:
            self.ground.report(UnknownName(at, f"`{name}` is a phase; a phase is not a value"))
        elif name in functions.FUNCTIONS:
            fact = f"`{name}` is a function; it needs brackets: `{name}(…)`"
            alone = "What is your own is named alone, as `points`; another's is `p.points`, with a name for the player."
            self.ground.report(WrongArguments(at, fact, alone if name == "player" else None))
        elif name == "score":
            self.ground.report(MissingPart(at, "the game has no score", "Add a line such as `score: points`."))
        else:
            likely = wanted is not None and near(name, wanted.names)
            problem = self.ground.names.unknown(node, "", wanted.names if wanted and likely else self._known(scope))
            if name == scope.ahead:
                fact = f"what will be called `{name}` goes by `it` here"
                problem = UnknownName(at, fact, f"Write `it` for `{name}`.")
            self.ground.report(problem)
        return unknown(at)

    def _known(self, scope: Scope) -> list[str]:
        known = [*self.ground.names.all(), *scope.names()]
        for each in scope.elements():
            kind = bare(each.type)
            if isinstance(kind, rules.Item):
                known += [f for k in kind.kinds if k in self.ground.kinds for f in self.ground.kinds[k].fields]
        return known

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
        if scope.fixed and declared.kind not in _FIXED:
            self.ground.not_before_play(at, name, scope.own)
            return unknown(at)
        if not self.ground.need(node):
            return unknown(at)
        if declared.owned and player is None:
            player = self.me(node, scope)
        match declared.kind:
            case "option":
                self.ground.used_options.add(name)
                kind = self.ground.options[name].domain.type
                return self._unindexed(indexes, node) or rules.OptionValue(name, type=kind, span=at)
            case "type":
                members = rules.Many(self.ground.names.types[name])
                return self._unindexed(indexes, node) or rules.Members(type=members, span=at)
            case "components":
                items = rules.Many(rules.Item((name,)))
                return self._unindexed(indexes, node) or rules.AllItems(name, type=items, span=at)
            case "score":
                assert player is not None
                score = rules.Call("score", (player,), type=NUMBER, span=at)
                return self._unindexed(indexes, node) or score
            case "constant":
                places = self._indexes(self.ground.tables[name].shape, indexes, node, scope)
                kind = self.ground.table_types[name]
                return unknown(at) if places is None else rules.TableValue(name, places, type=kind, span=at)
            case "zone" | "sheet":
                return self._zone(self.ground.zones[name], node, player, indexes, scope)
            case "var":
                variable = self.ground.variables[name]
                places = self._indexes(variable.shape, indexes, node, scope)
                if places is None:
                    return unknown(at)
                return rules.VariableValue(name, player, places, type=variable.domain.type, span=at)
            case "define":
                return self._unindexed(indexes, node) or self._call_definition(node, (), player, scope)
            case _:
                fact = f"`{name}` is an action; it is run by `do {name}`, it is not a value"
                self.ground.report(WrongType(at, fact))
                return unknown(at)

    def _zone(
        self,
        zone: rules.Zone,
        node: syntax.Name,
        player: rules.Expr | None,
        indexes: tuple[syntax.Expr, ...] | None,
        scope: Scope,
    ) -> rules.Expr:
        """The items of a zone; of one with parts, without square brackets, those of all its parts."""
        places = None
        if indexes is not None or not zone.shape:
            places = self._indexes(zone.shape, indexes, node, scope)
            if places is None:
                return unknown(node.span)
        kind = rules.Many(rules.Item(zone.kinds)) if zone.kinds else rules.Many(types.UNKNOWN)
        return rules.ZoneItems(zone.name, player, places, type=kind, span=node.span)

    def _unindexed(self, indexes: tuple[syntax.Expr, ...] | None, node: syntax.Name) -> rules.Expr | None:
        if indexes is None:
            return None
        self.ground.report(WrongArguments(node.span, f"`{node.text}` has no parts to choose in square brackets"))
        return unknown(node.span)

    def _indexes(
        self,
        shape: tuple[rules.Domain, ...],
        indexes: tuple[syntax.Expr, ...] | None,
        node: syntax.Name,
        scope: Scope,
    ) -> tuple[rules.Expr, ...] | None:
        given = indexes or ()
        if not shape and given:
            self._unindexed(indexes, node)
            return None
        if len(given) != len(shape):
            need = functions.counted(len(shape))
            here = f"here {functions.are(len(given))}"
            fact = f"`{node.text}` has parts: it needs {need} in square brackets, {here}"
            self.ground.report(WrongArguments(node.span, fact))
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

    def not_empty(self, low: rules.Expr, high: rules.Expr, at: Span) -> bool:
        """Whether there may be numbers from one to another; where there never are, that is reported."""
        a, b = low.type, high.type
        if isinstance(a, rules.Number) and isinstance(b, rules.Number) and a.low > b.high:
            self.ground.report(EmptyRange(at, f"no number lies from {types.between(a)} to {types.between(b)}"))
            return False
        return True

    # ---- calls -----------------------------------------------------------------------------------------

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

    def _call_definition(
        self, name: syntax.Name, given: tuple[syntax.Argument, ...], player: rules.Expr | None, scope: Scope
    ) -> rules.Expr:
        self.ground.used_callables.add(name.text)
        signature = self.ground.signature(name)
        values = self.arguments(name, given, player, scope) if types.known(signature.type) else None
        if values is None:
            return unknown(name.span)
        return rules.Call(name.text, values, type=signature.type, span=name.span)

    def arguments(
        self, name: syntax.Name, given: tuple[syntax.Argument, ...], player: rules.Expr | None, scope: Scope
    ) -> tuple[rules.Expr, ...] | None:
        """The values for an action's or definition's parameters, with `me` first where it needs one."""
        if not self.ground.need(name):
            return None
        signature = self.ground.signature(name)
        implicit = signature.implicit
        parameters = signature.parameters[implicit:]
        if len(given) != len(parameters):
            names = f" ({', '.join(p.name for p in parameters)})" if parameters else ""
            fact = f"`{name.text}` takes {functions.counted(len(parameters))}{names}, here {functions.are(len(given))}"
            self.ground.report(WrongArguments(name.span, fact))
            return None
        values: list[rules.Expr] = []
        if implicit:
            values.append(player or self.me(name, scope))
        for parameter, limits, node in zip(parameters, signature.ranges[implicit:], given, strict=True):
            what = f"`{parameter.name}` of `{name.text}`"
            if isinstance(node, syntax.Mapped | syntax.Keyed | syntax.Defaulted):
                value = self.fit(self.many(node, scope, what), parameter.type, what)
            else:
                value = self.want(node, scope, parameter.type, what)
            if not self.in_range(value, parameter.type, what) and limits is not None:
                value = rules.InRange(value, limits, type=parameter.type, span=value.span)
            values.append(value)
        return tuple(values)


def _one_of_many(value: rules.Expr, kind: rules.Type) -> str | None:
    """What to do where one thing is wanted and a set of them stands."""
    if isinstance(value.type, rules.Many) and not isinstance(kind, rules.Many) and types.fits(value.type.of, kind):
        add_up = "Add them up: `sum(…)`. " if isinstance(kind, rules.Number) else ""
        return add_up + "Name one of them: `the(…)` for the only one, or go through them with `for … in …`."
    if value.type == rules.Many(rules.Item(types.kinds(value))) and kind in (NUMBER, types.COUNT):
        return "Say what of them: `count(…)`, or `sum(….FIELD)`."
    return None
