"""Names alone: bound in a block, a field of the element being looked at, declared, or a member of a type."""

import attrs

from .. import rules, syntax
from ..problems import (
    DeclaredTwice,
    Label,
    MissingPart,
    NoElement,
    TwoMeanings,
    UnknownName,
    WrongArguments,
    WrongType,
    near,
)
from ..source import Span
from . import functions, types
from .attributes import Attributes
from .names import Bound, Scope, Together
from .types import PLAYER, bare, constant, unknown, unknowns


@attrs.frozen
class Lookups(Attributes):
    """Finds what a name means at its place, and reports one that could mean two things."""

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
