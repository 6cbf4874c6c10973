"""What must hold, what must be possible, what is secret, and measures: all that is looked at beside play."""

import attrs

from .. import rules, syntax
from ..problems import NotAllowedHere, UnknownName, WrongType, near
from . import types
from .expressions import Expressions
from .ground import Ground
from .names import Scope
from .statements import Statements
from .types import PLAYER, constant, number

TURN = "turn"
ENDS_WITHIN = ("turns", "decisions")


@attrs.frozen
class Properties:
    """Lowers properties and measures; comes after play, at whose moments they are looked at.

    `named` are the names of all properties that the rules give.
    """

    ground: Ground
    statements: Statements
    named: frozenset[str]

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

    # ---- moments ---------------------------------------------------------------------------------------

    def _moment(self, node: syntax.Moment) -> tuple[rules.Moment, Scope]:
        match node:
            case syntax.After(name=name) if name.text in self.statements.phases:
                return rules.After(name.text, span=node.span), self._seen(self.statements.phases[name.text].scope)
            case syntax.After(name=name) if name.text in self.statements.actions:
                return rules.AfterAction(name.text, span=node.span), self._seen(self.statements.actions[name.text])
            case syntax.After(name=name):
                actions = self.ground.names.of_kind("action")
                if name.text not in (*self.ground.names.phases, *actions):
                    self.ground.unknown(name, "phase or action", [*self.ground.names.phases, *actions])
                return rules.After(name.text, span=node.span), Scope(me=constant(0, PLAYER, node.span))
            case syntax.AtEnd():
                return rules.AtEnd(span=node.span), Scope()
            case syntax.Never():
                return rules.Never(span=node.span), Scope()
            case _:
                return rules.Always(span=node.span), Scope()

    def _seen(self, scope: Scope) -> Scope:
        """What can be named after a block: in an action there is a `me` only if the action is run for one."""
        if scope.lent and scope.action is not None and not self.ground.signatures[scope.action].implicit:
            return attrs.evolve(scope, me=None)
        return scope

    def _not_at(self, moment: syntax.Moment, fact: str, hint: str) -> None:
        self.ground.report(NotAllowedHere(moment.span, fact, hint))

    def measure(self, node: syntax.Measure) -> rules.Measure:
        """A figure to report."""
        moment, scope = self._moment(node.moment)
        if not isinstance(moment, rules.After | rules.AtEnd):
            fact = "a measure is taken when a phase's pass ends, or at the end"
            self._not_at(node.moment, fact, "Say `after PHASE` or `at end`.")
            moment = rules.AtEnd(span=node.span)
        value = self.expressions.lower(node.value, scope)
        if not isinstance(types.bare(value.type), rules.Number | rules.YesNo) and types.known(value.type):
            fact = f"what is measured is a number or yes or no, this is {types.spoken(value.type)}"
            self.ground.report(WrongType(value.span, fact))
            value = number(0, value.span)
        value = self.expressions.fit(value, types.bare(value.type), "what is measured")
        return rules.Measure(node.name.text, moment, value, span=node.span)

    # ---- what must hold --------------------------------------------------------------------------------

    def invariant(self, node: syntax.Invariant) -> rules.Invariant | rules.Monotone | rules.LeadsTo:
        """What must hold: a condition at its moments, a number that goes one way, or what leads to what."""
        moment, scope = self._moment(node.moment)
        match node.promise:
            case syntax.Only() | syntax.LeadsTo() if not isinstance(moment, rules.Always):
                fact = "this is looked at all through the game, not at certain moments"
                self._not_at(node.moment, fact, f"Leave out `{node.moment.span.text}`.")
                scope = Scope()
            case _:
                pass
        match node.promise:
            case syntax.Only(value, rising):
                return rules.Monotone(node.name.text, self._numbers(value, scope), rising, span=node.span)
            case syntax.LeadsTo(first, second, within):
                before = self.expressions.truth(first, scope, "each side of `leads to`")
                then = self.expressions.truth(second, scope, "each side of `leads to`")
                passes = self._passes(within) if within is not None else None
                return rules.LeadsTo(node.name.text, before, then, passes, span=node.span)
            case condition:
                held = self.expressions.truth(condition, scope, "what must hold")
                return rules.Invariant(node.name.text, moment, held, span=node.span)

    def _numbers(self, node: syntax.Expr, scope: Scope) -> rules.Expr:
        """A number, or a list of numbers."""
        value = self.expressions.lower(node, scope)
        of = value.type.of if isinstance(value.type, rules.Many) else value.type
        if types.known(value.type) and not isinstance(of, rules.Number):
            fact = f"only a number, or each of a list of numbers, can increase; this is {types.spoken(value.type)}"
            self.ground.report(WrongType(value.span, fact))
            return number(0, value.span)
        return value

    def _passes(self, node: syntax.Within) -> tuple[rules.Expr, str]:
        """How many passes of which phase, whose name may stand in the plural."""
        count, phases = self._count(node), self.ground.names.phases
        for name in (node.of.text, node.of.text.removesuffix("s")):
            if name in phases:
                return count, name
        self.ground.unknown(node.of, "phase", phases)
        return count, node.of.text

    def _count(self, node: syntax.Within) -> rules.Expr:
        return self.expressions.amount(node.count, Scope(fixed=True), "how many")

    def possible(self, node: syntax.Possible) -> rules.Possible:
        """What some game must come to."""
        moment, scope = self._moment(node.moment)
        if isinstance(moment, rules.Never):
            hint = f'Write `invariant "{node.name.text}" never: …` for what must not happen.'
            self._not_at(node.moment, "what is possible happens at some time; it is not never looked for", hint)
            moment = rules.Always(span=moment.span)
        condition = self.expressions.truth(node.condition, scope, "what must be possible")
        then = None
        if node.then is not None:
            then = self.expressions.truth(node.then, Scope(), "what must be possible then")
        return rules.Possible(node.name.text, moment, condition, then, span=node.span)

    def ends(self, node: syntax.Ends) -> rules.Ends:
        """How surely the game ends."""
        if not isinstance(node.how, syntax.Within):
            return rules.Ends(node.how, span=node.span)
        count, of = self._count(node.how), node.how.of
        if of.text not in ENDS_WITHIN:
            fact = f"`{of.text}` are not counted; how long a game is counts in {types.listed(ENDS_WITHIN)}"
            self.ground.report(UnknownName(of.span, fact, near(of.text, ENDS_WITHIN)))
        elif of.text == "turns" and TURN not in self.ground.names.phases:
            fact = f"turns are passes of a phase called `{TURN}`; there is none"
            self.ground.report(UnknownName(of.span, fact, "Say `decisions`."))
        return rules.Ends("within", count, of.text, span=node.span)  # type: ignore[arg-type]

    def secret(self, node: syntax.Secret) -> rules.Secret:
        """What nobody but its player may see."""
        me = self.ground.local("me", PLAYER, node.span)
        items = self.expressions.many(node.items, Scope(me=me), "what is secret")
        of = types.bare(items.type.of) if isinstance(items.type, rules.Many) and items.type.of else None
        if of is not None and types.known(of) and not isinstance(of, rules.Item):
            fact = f"what is secret must be components, this is {types.spoken(items.type)}"
            self.ground.report(WrongType(items.span, fact))
        until = node.until
        if until is not None and until.text not in self.ground.names.phases:
            self.ground.unknown(until, "phase", self.ground.names.phases)
        return rules.Secret(node.name.text, me, until.text if until else None, items, span=node.span)

    def unchecked(self, node: syntax.Unchecked) -> rules.Unchecked:
        """A property that is not looked at."""
        known = self.named.union(rules.FREE)
        if node.name.text not in known:
            fact = "no property is called this"
            self.ground.report(UnknownName(node.name.span, fact, near(node.name.text, known)))
        return rules.Unchecked(node.name.text, node.reason.text, span=node.span)
