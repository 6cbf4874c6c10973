"""Statements: ways out of phases, blocks with conditions and loops, and the phases themselves."""

import attrs

from .. import rules, syntax
from ..problems import FixedChoice, NotAllowedHere, NotAround, UnknownName, WrongType
from ..source import Span
from . import types
from .blocks import PhaseInfo
from .decisions import Decisions
from .names import Scope
from .types import NUMBER, PLAYER, bare, element, unknown


@attrs.define
class Statements(Decisions):
    """Lowers statements of every kind."""

    # ---- ways out --------------------------------------------------------------------------------------

    def _endgame(self, node: syntax.EndGame, scope: Scope) -> rules.Statement:
        if self.still:
            self.ground.report(NotAllowedHere(node.span, "`given` sets a position up: the game does not end there"))
        return rules.EndGame(span=node.span)

    def _around(self, name: syntax.Name, scope: Scope) -> bool:
        if name.text in scope.phases:
            return True
        if scope.action is not None and name.text in self.ground.names.phases:
            self.ground.needs.setdefault(scope.action, set()).add(name.text)
            return True
        if name.text in self.ground.names.phases:
            fact = f"the phase `{name.text}` is not around this place"
            self.ground.report(NotAround(name.span, fact, "Only a phase that this statement stands in can be ended."))
        elif name.text == "game":
            self.ground.report(UnknownName(name.span, "the game is no phase", "Say `end game`."))
        else:
            self.ground.unknown(name, "phase", self.ground.names.phases)
        return False

    def _endpass(self, node: syntax.EndPass, scope: Scope) -> rules.Statement | None:
        return rules.EndPass(node.phase.text, span=node.span) if self._around(node.phase, scope) else None

    def _leave(self, node: syntax.Leave, scope: Scope) -> rules.Statement | None:
        return rules.Leave(node.phase.text, span=node.span) if self._around(node.phase, scope) else None

    def _again(self, node: syntax.Again, scope: Scope) -> rules.Statement | None:
        return rules.Again(node.phase.text, span=node.span) if self._around(node.phase, scope) else None

    def _break(self, node: syntax.Break, scope: Scope) -> rules.Statement | None:
        if not scope.loops:
            hint = "A phase is ended by `end PHASE` or `leave PHASE`."
            self.ground.report(NotAround(node.span, "`break` leaves a `for` or `repeat`; there is none around", hint))
            return None
        return rules.Break(span=node.span)

    # ---- conditions and loops --------------------------------------------------------------------------

    def _if(self, node: syntax.If, scope: Scope) -> rules.Statement:
        cases = tuple(
            rules.Case(self.expressions.truth(c.condition, scope), self.block(c.body, scope), span=c.span)
            for c in node.cases
        )
        return rules.If(cases, self.block(node.otherwise, scope), span=node.span)

    def _match(self, node: syntax.Match, scope: Scope) -> rules.Statement:
        value = self.expressions.lower(node.value, scope)
        if isinstance(value.type, rules.Many):
            self.ground.report(WrongType(value.span, f"`match` looks at one value, this is {types.spoken(value.type)}"))
            value = unknown(value.span)
        seen: dict[object, Span] = {}
        cases = []
        for case in node.cases:
            values = tuple(self.expressions.case(written, value.type, seen) for written in case.values)
            cases.append(rules.MatchCase(values, self.block(case.body, scope), span=case.span))
        return rules.Match(value, tuple(cases), self.block(node.otherwise, scope), span=node.span)

    def _order(
        self, node: syntax.Order | None, kind: rules.Type, name: syntax.Name | None, scope: Scope
    ) -> rules.Order | None:
        """What elements are put in order by; the element goes by `it` and by its `name` in the loop."""
        if node is None:
            return None
        each = self.ground.local("it", kind, node.span)
        inner = scope.inside(each)
        if name is not None:
            inner.bind(name, each)
        key = self.expressions.lower(node.key, inner)
        if not isinstance(bare(key.type), rules.Number | rules.Member | rules.YesNo):
            key = self.expressions.fit(key, NUMBER, "what stands after `by`")
        elif isinstance(key.type, rules.Maybe):
            key = self.expressions.fit(key, key.type.of, "what stands after `by`")
        return rules.Order(each, key, node.descending, span=node.span)

    def _for(self, node: syntax.For, scope: Scope) -> rules.Statement:
        source = self.expressions.gone_through(node.source, node.bind, scope)
        kind = element(source)
        order = self._order(node.order, kind, node.bind, scope)
        inner = attrs.evolve(scope.inside(), loops=scope.loops + 1)
        bind = self.bind(node.bind, kind, inner)
        return rules.For(bind, source, order, self.body(node.body, inner), span=node.span)

    def _times(self, node: syntax.Expr, scope: Scope) -> rules.Expr:
        return self.expressions.amount(node, scope, "how often")

    def _repeattimes(self, node: syntax.RepeatTimes, scope: Scope) -> rules.Statement:
        count = self._times(node.count, scope)
        inner = attrs.evolve(scope.inside(), loops=scope.loops + 1)
        return rules.RepeatTimes(count, self.body(node.body, inner), span=node.span)

    def _repeatuntil(self, node: syntax.RepeatUntil, scope: Scope) -> rules.Statement:
        condition = self.expressions.truth(node.condition, scope)
        inner = attrs.evolve(scope.inside(), loops=scope.loops + 1)
        return rules.RepeatUntil(condition, self.body(node.body, inner), span=node.span)

    # ---- phases ----------------------------------------------------------------------------------------

    def _phase(self, node: syntax.Phase, scope: Scope) -> rules.Statement:
        if self.still:
            self.ground.report(NotAllowedHere(node.span, "`given` sets a position up; phases belong in `play`"))
        kind: rules.Once | rules.Times | rules.Until | rules.EachPlayer
        before = self.ground.last_local
        inner = attrs.evolve(scope.inside(), phases=(*scope.phases, node.name.text), loops=0)
        match node.kind:
            case syntax.Times(count=count):
                kind = rules.Times(self._times(count, scope), span=node.kind.span)
            case syntax.Until(condition=condition):
                kind = rules.Until(self.expressions.truth(condition, scope), span=node.kind.span)
            case syntax.EachPlayer():
                kind = self._each_player(node.kind, scope)
                inner = inner.of(kind.me)
                if node.kind.alias is not None:
                    self.expressions.bind(node.kind.alias, kind.me, inner)
            case _:
                kind = rules.Once(span=node.span)
        phase = rules.Phase(node.name.text, kind, self.body(node.body, inner), span=node.span)
        self.phases.setdefault(node.name.text, PhaseInfo(inner, phase, before))
        return phase

    def _each_player(self, node: syntax.EachPlayer, scope: Scope) -> rules.EachPlayer:
        me = self.ground.local("me", PLAYER, node.span)
        start = self.expressions.player(node.start, scope, "who begins") if node.start is not None else None
        where = None
        if node.where is not None:
            where = self.expressions.truth(node.where, scope.of(me), "the condition after `where`")
        order = self._order(node.order, PLAYER, node.alias, scope)
        until = self.expressions.truth(node.until, scope) if node.until is not None else None
        if order is not None and node.in_turn:
            fact = "`by` puts the players in order once; `in turn` goes round and round"
            self.ground.report(FixedChoice(node.span, fact, "Leave one of the two out."))
        return rules.EachPlayer(me, node.in_turn, start, where, order, until, span=node.span)
