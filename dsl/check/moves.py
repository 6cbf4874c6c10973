"""Statements that move items, turn them, and leave something to chance."""

import attrs

from .. import rules, syntax
from ..problems import BindsNothing, FixedChoice, OutOfRange, WrongType, WrongZone
from ..source import Span
from . import types
from .blocks import Blocks
from .names import Scope
from .types import bare, element, kinds, listed, number, unknown, unknowns


@attrs.define
class Moves(Blocks):
    """Lowers moves, turns, throws, draws, shuffles and picks."""

    def items(self, node: syntax.Expr, scope: Scope, what: str) -> rules.Expr:
        """A set of items, or one."""
        value = self.expressions.lower(node, scope)
        kind = value.type
        if isinstance(kind, rules.Many) and isinstance(bare(kind.of), rules.Item):
            return value
        if isinstance(bare(kind), rules.Item):
            return self.expressions.fit(value, bare(kind), what)
        self.ground.report(WrongType(node.span, f"{what} must be components, this is {types.spoken(kind)}"))
        return unknown(node.span)

    def _destination(self, node: syntax.Destination, scope: Scope) -> rules.Destination | None:
        zone = self.expressions.lower(node.zone, scope)
        if not isinstance(zone, rules.ZoneItems):
            if types.known(zone.type):
                self.ground.report(WrongType(node.zone.span, f"this is {types.spoken(zone.type)}, not a zone"))
            return None
        declared = self.ground.zones[zone.name]
        if declared.sheet:
            self.ground.report(WrongZone(node.zone.span, "cells stay where they are; nothing moves to a sheet"))
            return None
        if zone.indexes is None:
            hint = f"Say which part: `{zone.name}[…]`."
            self.ground.report(WrongZone(node.zone.span, f"`{zone.name}` has several parts", hint))
            return None
        if node.at and not declared.stacked:
            advice = f"Add `stacked` to the zone `{zone.name}`." if zone.name != "box" else None
            self.ground.report(WrongZone(node.span, f"`{zone.name}` has no order, so no {node.at}", advice))
        place = self.expressions.number(node.place, scope, "the place") if node.place is not None else None
        if place is not None and isinstance(place.type, rules.Number) and place.type.high < 1:
            self.ground.report(OutOfRange(place.span, "places are counted from 1, the bottom"))
        return rules.Destination(zone, node.at or "top", place, span=node.span)

    def _check_kinds(self, items: rules.Expr, to: rules.Destination, at: Span) -> None:
        given, allowed = kinds(items), self.ground.zones[to.zone.name].kinds
        self.placed.update(given)
        cells = [kind for kind in given if self.ground.kinds[kind].sheet]
        if cells:
            self.ground.report(WrongZone(at, f"the cells of `{cells[0]}` stay where they are"))
        elif given and allowed and not set(given) & set(allowed):
            self.ground.report(WrongZone(at, f"`{to.zone.name}` takes {listed(allowed)}, not {listed(given)}"))

    def _move(self, node: syntax.Move, scope: Scope) -> rules.Statement | None:
        items = self.items(node.items, scope, "what is moved")
        to = self._destination(node.to, scope)
        showing = None
        if node.showing is not None:
            showing = self._face(items, node.showing, scope)
        if to is None:
            return None
        self._check_kinds(items, to, node.items.span)
        return rules.Move(items, to, showing, span=node.span)

    def _face_type(self, items: rules.Expr, at: Span) -> rules.Type:
        """What all these components can show."""
        found: rules.Type = types.UNKNOWN
        for kind in kinds(items):
            faces = [f.type for f in self.ground.kinds[kind].fields.values() if f.role == "face"]
            joined = types.joined(found, faces[0]) if faces else None
            if not faces:
                self.ground.report(WrongType(at, f"`{kind}` has no faces", f"Add a line `faces …` to `{kind}`."))
            elif joined is None:
                self.ground.report(WrongType(at, f"{listed(kinds(items), 'and')} do not have the same faces"))
            if joined is None:
                return types.UNKNOWN
            found = joined
        return found

    def _face(self, items: rules.Expr, node: syntax.Expr, scope: Scope) -> rules.Expr:
        kind = self._face_type(items, items.span)
        if not types.known(kind):
            return unknown(node.span)
        face = self.expressions.want(node, scope, kind, "the face")
        self.expressions.in_range(face, kind, "the face")
        return face

    def _turn(self, node: syntax.Turn, scope: Scope) -> rules.Statement | None:
        items = self.items(node.items, scope, "what is turned")
        return rules.Turn(items, self._face(items, node.face, scope), span=node.span)

    def _throw(self, node: syntax.Throw, scope: Scope) -> rules.Statement | None:
        self.lively_here(node, scope)
        items = self.items(node.items, scope, "what is thrown")
        for kind in kinds(items):
            if not any(field.role == "face" for field in self.ground.kinds[kind].fields.values()):
                hint = f"Add a line `faces …` to `{kind}`."
                self.ground.report(WrongType(node.items.span, f"`{kind}` has no faces", hint))
                break
        return rules.Throw(items, span=node.span)

    def _amount(self, node: syntax.Amount, scope: Scope) -> rules.Amount:
        one, zero = number(1, node.span), number(0, node.span)
        low = self.expressions.amount(node.low, scope, "how many") if node.low is not None else zero
        high = self.expressions.amount(node.high, scope, "how many") if node.high is not None else None
        if node.kind == "one":
            return rules.Amount("one", one, one, span=node.span)
        if node.kind == "exactly":
            high = low
        if high is not None and high.type == rules.Number(0, 0):
            self.ground.report(OutOfRange(high.span, "0 is no amount: nothing would happen"))
        if high is not None:
            self.expressions.not_empty(low, high, node.span)
        return rules.Amount(node.kind, low, high, span=node.span)

    def _draw(self, node: syntax.Draw, scope: Scope) -> rules.Statement | None:
        self.lively_here(node, scope)
        amount = self._amount(node.amount, scope)
        if amount.kind not in ("one", "exactly", "up to"):
            fact = "how many are drawn must be said; only a choice leaves it open"
            self.ground.report(FixedChoice(amount.span, fact, "Say `draw 3`, `draw one` or `draw up to 3`."))
        source = self.items(node.source, scope, "what is drawn from")
        if not isinstance(source.type, rules.Many):
            if types.known(source.type):
                fact = f"what is drawn from must be a zone or a set, this is {types.spoken(source.type)}"
                self.ground.report(WrongType(source.span, fact))
            source = unknowns(source.span)
        to = self._destination(node.to, scope) if node.to is not None else None
        if to is not None:
            self._check_kinds(source, to, node.source.span)
        elif node.to is None and node.bind is None:
            fact = "what is drawn stays where it is, and no rule can name it"
            hint = "Say where they go (`to hand`), or give them a name (`as drawn`)."
            self.ground.report(BindsNothing(node.span, fact, hint))
        bind = None
        if node.bind is not None:
            bind = self.bind(node.bind, element(source) if amount.kind == "one" else source.type, scope)
            self.outcome("drawn", (bind,), (node.bind,), stays=node.to is None)
        return rules.Draw(amount, source, to, bind, span=node.span)

    def _shuffle(self, node: syntax.Shuffle, scope: Scope) -> rules.Statement | None:
        self.lively_here(node, scope)
        zone = self.expressions.lower(node.zone, scope)
        if not isinstance(zone, rules.ZoneItems):
            if types.known(zone.type):
                fact = f"only a zone can be shuffled, this is {types.spoken(zone.type)}"
                self.ground.report(WrongType(node.zone.span, fact))
            return None
        if zone.name == "box" or not self.ground.zones[zone.name].stacked:
            hint = f"Add `stacked` to the zone `{zone.name}`, or leave the shuffling out: drawing is random anyway."
            self.ground.report(WrongZone(node.zone.span, f"`{zone.name}` has no order that could be shuffled", hint))
        elif zone.indexes is None:
            hint = f"Say which part: `{zone.name}[…]`."
            self.ground.report(WrongZone(node.zone.span, f"`{zone.name}` has several parts", hint))
        return rules.Shuffle(zone, span=node.span)

    def _pick(self, node: syntax.Pick, scope: Scope) -> rules.Statement | None:
        self.lively_here(node, scope)
        source = self.expressions.many(node.source, scope, "what is picked from")
        each = self.ground.local("it", element(source), node.span)
        weight = None
        if node.weight is not None:
            weight = self.expressions.amount(node.weight, scope.inside(each), "a weight")
        bind = self.bind(node.bind, element(source), scope)
        self.outcome("picked", (bind,), (node.bind,))
        return rules.Pick(source, each, weight, bind, span=node.span)
