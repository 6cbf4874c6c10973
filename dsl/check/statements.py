"""Statements: blocks with the names they bind, phases, decisions and chance."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs

from .. import rules, syntax
from ..problems import (
    BindsNothing,
    CannotChange,
    DeclaredTwice,
    FixedChoice,
    Label,
    NotAllowedHere,
    NotAround,
    NotConserved,
    OutOfRange,
    Problem,
    TooMany,
    Unreachable,
    WrongType,
    WrongZone,
    near,
)
from ..source import Span
from . import types
from .expressions import NUMBER, PLAYER, Expressions, bare, constant
from .ground import Ground
from .names import Scope, Together, check_free, unknown

MOST_SETS = 200_000
"""A condition on a whole set needs every set listed; more than these are too many."""


@attrs.frozen
class Site:
    """A decision as strategies and examples see it: what can be named there, and what its options are."""

    number: int
    name: str
    at: Span
    scope: Scope
    parts: tuple[rules.Part, ...]
    labels: rules.Member | None
    optional: bool


@attrs.frozen
class PhaseInfo:
    """A phase as measures and examples see it: the scope of its block, and its meaning."""

    scope: Scope
    phase: rules.Phase


@attrs.define
class Statements:
    """Lowers blocks. `still` says that neither decisions nor chance may stand there (an example's position)."""

    ground: Ground
    sites: list[Site] = attrs.field(factory=list)
    phases: dict[str, PhaseInfo] = attrs.field(factory=dict)
    bound: list[tuple[rules.Local, str, Span]] = attrs.field(factory=list)
    placed: set[str] = attrs.field(factory=set)
    still: bool = False
    within: list[str] = attrs.field(factory=list)

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

    # ---- blocks ----------------------------------------------------------------------------------------

    def body(self, body: syntax.Body, scope: Scope) -> rules.Body:
        """The statements of a block; `scope` must be one of its own."""
        lowered: list[rules.Statement] = []
        gone: str | None = None
        for node in body:
            if isinstance(node, syntax.Hole):
                continue
            if gone is not None:
                self.ground.report(Unreachable(node.span, f"nothing after `{gone}` in this block is ever done"))
                gone = None
            statement = self.statement(node, scope)
            if statement is not None:
                lowered.append(statement)
            if isinstance(node, syntax.EndGame | syntax.EndPass | syntax.Leave | syntax.Again | syntax.Break):
                gone = node.span.text
        return tuple(lowered)

    def block(self, body: syntax.Body, scope: Scope) -> rules.Body:
        """A block inside another one."""
        return self.body(body, scope.inside())

    def bind(self, name: syntax.Name, kind: rules.Type, scope: Scope) -> rules.Local:
        """A new local, which the rest of the block can name."""
        local = self.ground.local(name.text, kind, name.span)
        self.bind_as(name, local, scope)
        return local

    def bind_as(self, name: syntax.Name, bound: rules.Local | Together, scope: Scope) -> None:
        """Give a name to something, unless the name is taken."""
        before = scope.find(name.text)
        if before is not None:
            other = (Label(before[1], "it means this"),)
            fact = f"`{name.text}` already means something here"
            self.ground.report(DeclaredTwice(name.span, fact, "Choose another name.", other))
        else:
            check_free(name, self.ground.problems, self.ground.names)
        scope.bind(name, bound)

    def statement(self, node: syntax.Statement, scope: Scope) -> rules.Statement | None:
        """One statement."""
        method: Callable[[syntax.Statement, Scope], rules.Statement | None]
        method = getattr(self, f"_{type(node).__name__.lower()}")
        return method(node, scope)

    # ---- moving, chance --------------------------------------------------------------------------------

    def items(self, node: syntax.Expr, scope: Scope, what: str) -> rules.Expr:
        """A set of items, or one."""
        value = self.expressions.lower(node, scope)
        kind = value.type
        if isinstance(kind, rules.Many) and isinstance(bare(kind.of), rules.Item):
            return value
        if isinstance(bare(kind), rules.Item):
            return self.expressions.fit(value, bare(kind) or kind, what)
        if types.known(kind):
            self.ground.report(WrongType(node.span, f"{what} must be components, this is {types.spoken(kind)}"))
        return constant(0, types.UNKNOWN, node.span)

    def _kinds(self, value: rules.Expr) -> tuple[str, ...]:
        kind = value.type.of if isinstance(value.type, rules.Many) else value.type
        kind = bare(kind) or kind
        return kind.kinds if isinstance(kind, rules.Item) and types.known(kind) else ()

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
            hint = f"Add `stacked` to the zone `{zone.name}`."
            self.ground.report(WrongZone(node.span, f"`{zone.name}` has no order, so no {node.at}", hint))
        place = self.expressions.number(node.place, scope, "the place") if node.place is not None else None
        return rules.Destination(zone, node.at or "top", place, span=node.span)

    def _check_kinds(self, items: rules.Expr, to: rules.Destination, at: Span) -> None:
        kinds, allowed = self._kinds(items), self.ground.zones[to.zone.name].kinds
        self.placed.update(kinds)
        if kinds and not set(kinds) & set(allowed):
            fact = f"`{to.zone.name}` takes {_listed(allowed)}, not {_listed(kinds)}"
            self.ground.report(WrongZone(at, fact))
        for kind in kinds:
            info = self.ground.kinds.get(kind)
            if info is not None and info.sheet:
                self.ground.report(WrongZone(at, f"the cells of `{kind}` stay where they are"))

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
        found: rules.Type | None = None
        for kind in self._kinds(items):
            info = self.ground.kinds.get(kind)
            faces = [f.type for f in info.fields.values() if f.role == "face"] if info else []
            if info and not faces:
                self.ground.report(WrongType(at, f"`{kind}` has no faces", f"Add a line `faces …` to `{kind}`."))
                return types.UNKNOWN
            found = (
                faces[0]
                if found is None and faces
                else types.joined(found or types.UNKNOWN, faces[0])
                if faces
                else found
            )
        return found or types.UNKNOWN

    def _face(self, items: rules.Expr, node: syntax.Expr, scope: Scope) -> rules.Expr:
        kind = self._face_type(items, items.span)
        face = self.expressions.want(node, scope, kind, "the face")
        self.expressions.in_range(face, kind, "the face")
        return face

    def _turn(self, node: syntax.Turn, scope: Scope) -> rules.Statement | None:
        items = self.items(node.items, scope, "what is turned")
        return rules.Turn(items, self._face(items, node.face, scope), span=node.span)

    def _chance(self, node: syntax.Node) -> None:
        if self.still:
            fact = "`given` sets a position up: no decision, no chance"
            self.ground.report(NotAllowedHere(node.span, fact, "Say `turn … to …` or `move …`, or play it with `do`."))

    def _throw(self, node: syntax.Throw, scope: Scope) -> rules.Statement | None:
        self._chance(node)
        items = self.items(node.items, scope, "what is thrown")
        self._face_type(items, node.items.span)
        return rules.Throw(items, span=node.span)

    def _amount(self, node: syntax.Amount, scope: Scope) -> rules.Amount:
        one = constant(1, rules.Number(1, 1), node.span)
        zero = constant(0, rules.Number(0, 0), node.span)
        low = self.expressions.number(node.low, scope, "how many") if node.low is not None else zero
        high = self.expressions.number(node.high, scope, "how many") if node.high is not None else None
        for end in (low, high):
            if end is not None and isinstance(end.type, rules.Number) and end.type.high < 0:
                self.ground.report(OutOfRange(end.span, "how many cannot be less than nothing"))
        if node.kind == "one":
            return rules.Amount("one", one, one, span=node.span)
        if node.kind == "exactly":
            high = low
        return rules.Amount(node.kind, low, high, span=node.span)

    def _draw(self, node: syntax.Draw, scope: Scope) -> rules.Statement | None:
        self._chance(node)
        amount = self._amount(node.amount, scope)
        if amount.kind not in ("one", "exactly", "up to"):
            hint = "Say `draw 3`, `draw one` or `draw up to 3`."
            self.ground.report(
                FixedChoice(amount.span, "how many are drawn must be said; only a choice leaves it open", hint)
            )
        source = self.items(node.source, scope, "what is drawn from")
        if not isinstance(source.type, rules.Many):
            source = rules.AllItems("?", type=rules.Many(types.UNKNOWN), span=source.span)
        to = self._destination(node.to, scope) if node.to is not None else None
        if to is not None:
            self._check_kinds(source, to, node.source.span)
        elif node.to is None and node.bind is None:
            hint = "Say where they go (`to hand`), or give them a name (`as drawn`)."
            self.ground.report(
                BindsNothing(node.span, "what is drawn stays where it is, and no rule can name it", hint)
            )
        bind = None
        if node.bind is not None:
            kind = self.expressions.element(source) if amount.kind == "one" else source.type
            bind = self.bind(node.bind, kind, scope)
            self.bound.append((bind, "drawn", node.bind.span))
        return rules.Draw(amount, source, to, bind, span=node.span)

    def _shuffle(self, node: syntax.Shuffle, scope: Scope) -> rules.Statement | None:
        self._chance(node)
        zone = self.expressions.lower(node.zone, scope)
        if not isinstance(zone, rules.ZoneItems) or zone.indexes is None:
            self.ground.report(WrongType(node.zone.span, "only a zone can be shuffled"))
            return None
        if not self.ground.zones[zone.name].stacked:
            hint = f"Add `stacked` to the zone `{zone.name}`, or leave the shuffling out: drawing is random anyway."
            self.ground.report(WrongZone(node.zone.span, f"`{zone.name}` has no order that could be shuffled", hint))
        return rules.Shuffle(zone, span=node.span)

    def _pick(self, node: syntax.Pick, scope: Scope) -> rules.Statement | None:
        self._chance(node)
        source = self.expressions.many(node.source, scope, "what is picked from")
        each = self.ground.local("it", self.expressions.element(source), node.span)
        weight = None
        if node.weight is not None:
            weight = self.expressions.number(node.weight, scope.inside(each), "a weight")
        bind = self.bind(node.bind, self.expressions.element(source), scope)
        self.bound.append((bind, "picked", node.bind.span))
        return rules.Pick(source, each, weight, bind, span=node.span)

    # ---- values ----------------------------------------------------------------------------------------

    def _whole_array(self, node: syntax.Assign, scope: Scope) -> rules.Variable | None:
        """The array that an assignment names as a whole, if it does."""
        named = node.place.name if isinstance(node.place, syntax.Attribute) else node.place
        if node.operator != "=" or not isinstance(named, syntax.Name) or scope.find(named.text):
            return None
        variable = self.ground.variables.get(named.text)
        return variable if variable is not None and variable.shape else None

    def _fill(self, node: syntax.Assign, variable: rules.Variable, scope: Scope) -> rules.Statement | None:
        """`noted = 0` for an array: one loop for each of its dimensions around a plain assignment."""
        binds = [self.ground.local("it", domain.type, node.span) for domain in variable.shape]
        names = [syntax.Name(f"place {n}", span=node.place.span) for n, _ in enumerate(binds)]
        inner = scope.inside()
        for name, bind in zip(names, binds, strict=True):
            inner.bind(name, bind)
        element = syntax.Element(node.place, tuple(names), span=node.place.span)
        filled = self._assign(attrs.evolve(node, place=element), inner)
        for bind, domain in reversed(list(zip(binds, variable.shape, strict=True))):
            if filled is not None:
                filled = rules.For(bind, _values(domain), None, (filled,), span=node.span)
        return filled

    def _assign(self, node: syntax.Assign, scope: Scope) -> rules.Statement | None:
        array = self._whole_array(node, scope)
        if array is not None:
            return self._fill(node, array, scope)
        place = self.expressions.lower(node.place, scope)
        if not isinstance(place, rules.VariableValue | rules.FieldOf):
            self._cannot_change(node.place, place, scope)
            self.expressions.lower(node.value, scope, place.type)
            return None
        value = self.expressions.want(node.value, scope, place.type, "the new value")
        if isinstance(place, rules.FieldOf) and not self._may_change(place):
            return None
        if isinstance(place, rules.VariableValue) and self.ground.variables[place.name].conserved:
            hint = f"Write `pay … from … to …`; or take `conserved` away from `{place.name}`."
            self.ground.report(NotConserved(node.span, f"`{place.name}` is conserved: it changes only by `pay`", hint))
        operator = {"=": "=", "+=": "+", "-=": "-"}[node.operator]
        unsafe = self._unsafe(place, operator, value)
        return rules.Assign(place, operator, value, unsafe, span=node.span)  # type: ignore[arg-type]

    def _unsafe(self, place: rules.VariableValue | rules.FieldOf, operator: str, value: rules.Expr) -> bool:
        """Whether a new value must be looked at in play, because its range could be left."""
        limits, given = bare(place.type), bare(value.type)
        if operator != "=":
            if not isinstance(limits, rules.Number):
                self.ground.report(WrongType(place.span, f"only numbers can be changed by `{operator}=`"))
                return True
            if isinstance(given, rules.Number):
                given, _ = types.arithmetic(operator, limits, given)
        if not isinstance(limits, rules.Number):
            return False
        if operator == "=":
            inside = self.expressions.in_range(value, limits, "the new value")
        else:
            inside = isinstance(given, rules.Number) and limits.low <= given.low and given.high <= limits.high
        return not inside or not self._exact(place)

    def _exact(self, place: rules.VariableValue | rules.FieldOf) -> bool:
        """Whether a range is the same under all options and numbers of players."""
        if isinstance(place, rules.FieldOf):
            return False
        limits = self.ground.variables[place.name].domain.range
        return limits is None or (isinstance(limits.low, rules.Constant) and isinstance(limits.high, rules.Constant))

    def _may_change(self, place: rules.FieldOf) -> bool:
        kinds = self._kinds(place.item)
        for kind in kinds:
            info = self.ground.kinds.get(kind)
            role = info.fields[place.field].role if info and place.field in info.fields else "changing"
            if role not in ("changing", "face"):
                hint = f"Declare it `var {place.field}: …` if rules are to change it."
                self.ground.report(
                    CannotChange(place.span, f"`{place.field}` is printed on the {kind}; it never changes", hint)
                )
                return False
        return True

    def _cannot_change(self, node: syntax.Expr, place: rules.Expr, scope: Scope) -> None:
        if not types.known(place.type):
            return
        if isinstance(place, rules.Local | rules.LocalOf):
            hint = "A name given by `let`, `for` or a choice keeps its value. Declare a `var` for what changes."
            self.ground.report(CannotChange(node.span, f"`{node.span.text}` cannot be changed", hint))
        elif isinstance(place, rules.ZoneItems):
            self.ground.report(CannotChange(node.span, "what lies in a zone changes only by `move` and `draw`"))
        else:
            self.ground.report(CannotChange(node.span, "only variables and changing fields can be changed"))

    def _let(self, node: syntax.Let, scope: Scope) -> rules.Statement | None:
        value = self.expressions.lower(node.value, scope)
        kind = value.type
        if kind == types.NONE:
            self.ground.report(WrongType(node.value.span, "`none` alone says nothing about its kind"))
        return rules.Let(self.bind(node.bind, kind, scope), value, span=node.span)

    def _do(self, node: syntax.Do, scope: Scope) -> rules.Statement | None:
        declared = self.ground.names.declared.get(node.action.text)
        if declared is None or declared.kind != "action":
            known = [n for n, d in self.ground.names.declared.items() if d.kind == "action"]
            what = unknown(node.action, "action", known)
            if node.action.text in self.ground.names.phases:
                what = attrs.evolve(
                    what,
                    advice="A phase is played where it stands; make it an `action` to run it from elsewhere.",
                )  # type: ignore[call-arg]
            self.ground.report(what)
            return None
        self.ground.used_callables.add(node.action.text)
        values = self.expressions.arguments(node.action, node.arguments, None, scope)
        for phase in sorted(self.ground.needs.get(node.action.text, ())):
            if phase not in scope.phases:
                self._needs_phase(node, phase, scope)
        if values is None:
            return None
        return rules.Do(node.action.text, values, span=node.span)

    def _needs_phase(self, node: syntax.Do, phase: str, scope: Scope) -> None:
        """Hand the need for a phase around on to the callers of an action, or report it."""
        if scope.action is not None:
            self.ground.needs.setdefault(scope.action, set()).add(phase)
            return
        fact = f"`{node.action.text}` ends or leaves the phase `{phase}`, which is not around this place"
        self.ground.report(NotAround(node.span, fact))

    def _eliminate(self, node: syntax.Eliminate, scope: Scope) -> rules.Statement | None:
        return rules.Eliminate(self.expressions.player(node.player, scope, "who is out"), span=node.span)

    def _pay(self, node: syntax.Pay, scope: Scope) -> rules.Statement | None:
        amount = self.expressions.number(node.amount, scope, "what is paid")
        places: list[rules.VariableValue] = []
        for side in (node.source, node.target):
            place = self.expressions.lower(side, scope)
            if not isinstance(place, rules.VariableValue) or not self.ground.variables[place.name].conserved:
                if types.known(place.type):
                    hint = "Declare it `var coins: 0..99 = 10 conserved`."
                    self.ground.report(NotConserved(side.span, "`pay` moves numbers between conserved variables", hint))
                continue
            places.append(place)
        return rules.Pay(amount, places[0], places[1], span=node.span) if len(places) == 2 else None

    def _idle(self, node: syntax.Idle, scope: Scope) -> None:
        """`nothing` does nothing."""

    # ---- ways out --------------------------------------------------------------------------------------

    def _endgame(self, node: syntax.EndGame, scope: Scope) -> rules.Statement:
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
        else:
            self.ground.report(unknown(name, "phase", list(self.ground.names.phases)))
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

    # ---- blocks of blocks ------------------------------------------------------------------------------

    def _if(self, node: syntax.If, scope: Scope) -> rules.Statement:
        cases = tuple(
            rules.Case(self.expressions.truth(c.condition, scope), self.block(c.body, scope), span=c.span)
            for c in node.cases
        )
        return rules.If(cases, self.block(node.otherwise, scope), span=node.span)

    def _match(self, node: syntax.Match, scope: Scope) -> rules.Statement:
        value = self.expressions.lower(node.value, scope)
        seen: dict[object, Span] = {}
        cases = []
        for case in node.cases:
            values = []
            for literal in case.values:
                constant_ = self.literal(literal, value.type, "a case")
                if constant_ in seen:
                    other = (Label(seen[constant_], "the first one"),)
                    self.ground.report(DeclaredTwice(literal.span, "this case stands there twice", None, other))
                seen.setdefault(constant_, literal.span)
                values.append(constant_)
            cases.append(rules.MatchCase(tuple(values), self.block(case.body, scope), span=case.span))
        return rules.Match(value, tuple(cases), self.block(node.otherwise, scope), span=node.span)

    def literal(self, node: syntax.Literal, kind: rules.Type, what: str) -> int | bool | None:
        """A value written down where only such may stand: a number, member, yes, no or none."""
        if isinstance(node, syntax.Name) and isinstance(bare(kind), rules.Member):
            member = bare(kind)
            assert isinstance(member, rules.Member)
            if node.text in member.names:
                return member.names.index(node.text)
            hint = near(node.text, member.names)
            self.ground.report(WrongType(node.span, f"`{node.text}` is not one of {_listed(member.names)}", hint))
            return 0
        value = self.expressions.want(node, Scope(fixed=True), kind, what)
        if not isinstance(value, rules.Constant):
            if types.known(value.type):
                self.ground.report(WrongType(node.span, f"{what} must be written out: a number or a member"))
            return 0
        self.expressions.in_range(value, kind, what)
        return value.value

    def _order(self, node: syntax.Order | None, kind: rules.Type, scope: Scope) -> rules.Order | None:
        if node is None:
            return None
        each = self.ground.local("it", kind, node.span)
        key = self.expressions.lower(node.key, scope.inside(each))
        if not isinstance(bare(key.type), rules.Number | rules.Member | rules.YesNo):
            key = self.expressions.fit(key, NUMBER, "what stands after `by`")
        elif isinstance(key.type, rules.Maybe):
            key = self.expressions.fit(key, key.type.of, "what stands after `by`")
        return rules.Order(each, key, node.descending, span=node.span)

    def _for(self, node: syntax.For, scope: Scope) -> rules.Statement:
        source = self.expressions.many(node.source, scope, "what stands after `in`")
        kind = self.expressions.element(source)
        order = self._order(node.order, kind, scope)
        inner = attrs.evolve(scope.inside(), loops=scope.loops + 1)
        bind = self.bind(node.bind, kind, inner)
        return rules.For(bind, source, order, self.body(node.body, inner), span=node.span)

    def _repeattimes(self, node: syntax.RepeatTimes, scope: Scope) -> rules.Statement:
        count = self.expressions.number(node.count, scope, "how often")
        inner = attrs.evolve(scope.inside(), loops=scope.loops + 1)
        return rules.RepeatTimes(count, self.body(node.body, inner), span=node.span)

    def _repeatuntil(self, node: syntax.RepeatUntil, scope: Scope) -> rules.Statement:
        condition = self.expressions.truth(node.condition, scope)
        inner = attrs.evolve(scope.inside(), loops=scope.loops + 1)
        return rules.RepeatUntil(condition, self.body(node.body, inner), span=node.span)

    @contextmanager
    def _playing(self, phase: str) -> Iterator[None]:
        self.within.append(phase)
        yield
        self.within.pop()

    def _phase(self, node: syntax.Phase, scope: Scope) -> rules.Statement:
        if self.still:
            self.ground.report(NotAllowedHere(node.span, "`given` sets a position up; phases belong in `play`"))
        kind: rules.Once | rules.Times | rules.Until | rules.EachPlayer
        inner = attrs.evolve(scope.inside(), phases=(*scope.phases, node.name.text), loops=0)
        match node.kind:
            case syntax.Times(count=count):
                kind = rules.Times(self.expressions.number(count, scope, "how often"), span=node.kind.span)
            case syntax.Until(condition=condition):
                kind = rules.Until(self.expressions.truth(condition, scope), span=node.kind.span)
            case syntax.EachPlayer():
                kind = self._each_player(node.kind, scope)
                inner = attrs.evolve(inner, me=kind.me)
                if node.kind.alias is not None:
                    self.bind_as(node.kind.alias, kind.me, inner)
            case _:
                kind = rules.Once(span=node.span)
        with self._playing(node.name.text):
            phase = rules.Phase(node.name.text, kind, self.body(node.body, inner), span=node.span)
        self.phases.setdefault(node.name.text, PhaseInfo(inner, phase))
        return phase

    def _each_player(self, node: syntax.EachPlayer, scope: Scope) -> rules.EachPlayer:
        me = self.ground.local("me", PLAYER, node.span)
        start = self.expressions.player(node.start, scope, "who begins") if node.start is not None else None
        where = None
        if node.where is not None:
            where = self.expressions.truth(node.where, attrs.evolve(scope, me=me), "the condition after `where`")
        order = self._order(node.order, PLAYER, scope)
        until = self.expressions.truth(node.until, scope) if node.until is not None else None
        if order is not None and node.in_turn:
            fact = "`by` puts the players in order once; `in turn` goes round and round"
            self.ground.report(FixedChoice(node.span, fact, "Leave one of the two out."))
        return rules.EachPlayer(me, node.in_turn, start, where, order, until, span=node.span)

    # ---- decisions -------------------------------------------------------------------------------------

    def _owner(self, node: syntax.Expr | None, scope: Scope, at: Span) -> rules.Expr:
        if node is not None:
            return self.expressions.player(node, scope, "who chooses")
        return self.expressions.lower(syntax.Name("me", span=Span(at.source, at.start, at.start + 6)), scope)

    def _parts(
        self, nodes: tuple[syntax.Part, ...], scope: Scope, inner: Scope
    ) -> tuple[tuple[rules.Part, ...], tuple[syntax.Name, ...]]:
        """The parts of a choice; each is bound in `inner`, so that later ones may name it."""
        parts = []
        for node in nodes:
            amount = self._amount(node.amount, scope)
            source = self.expressions.many(node.source, inner, "what is chosen from")
            of = self.expressions.element(source)
            single = amount.kind == "one"
            if len(nodes) > 1 and not single:
                self.ground.report(FixedChoice(node.span, "in a choice of several things each must be `one`"))
            if not single and not isinstance(bare(of), rules.Item | rules.Player | rules.Member | rules.Number):
                self.ground.report(FixedChoice(node.span, f"no set of {types.spoken(of)} can be chosen"))
            local = self.ground.local(node.bind.text, of if single else rules.Many(of), node.bind.span)
            self.bind_as(node.bind, local, inner)
            parts.append(rules.Part(amount, source, local, span=node.span))
        return tuple(parts), tuple(n.bind for n in nodes)

    def _such_that(self, node: syntax.Expr | None, parts: tuple[rules.Part, ...], inner: Scope) -> rules.Expr | None:
        if node is None:
            return None
        for part in parts:
            if part.amount.kind != "one":
                self._check_size(part)
        return self.expressions.truth(node, inner, "the condition after `such that`")

    def _check_size(self, part: rules.Part) -> None:
        kinds = [self.ground.kinds[k] for k in self._kinds(part.source) if k in self.ground.kinds]
        most = sum(k.most for k in kinds)
        of = bare(self.expressions.element(part.source))
        if isinstance(of, rules.Number):
            most = of.high - of.low + 1
        elif isinstance(of, rules.Member):
            most = len(of.names)
        elif isinstance(of, rules.Player):
            most = self.ground.players[1]
        high = part.amount.high
        size = min(most, high.type.high) if high is not None and isinstance(high.type, rules.Number) else most
        sets, combinations = 1, 1
        for k in range(1, size + 1):
            combinations = combinations * (most - k + 1) // k
            sets += combinations
            if sets > MOST_SETS:
                fact = f"a condition on the whole set would need more than {MOST_SETS:,} sets listed"
                hint = "Put what you can into `where`, which looks at one element at a time."
                self.ground.report(TooMany(part.span, fact, hint))
                return

    def _decision(
        self, node: syntax.Choose | syntax.MayChoose | syntax.MustChoose, scope: Scope, rest: Scope, optional: bool
    ) -> rules.Choose:
        self._chance(node)
        owner = self._owner(node.owner, scope, node.span)
        parts, names = self._parts(node.parts, scope, rest)
        such_that = self._such_that(node.such_that, parts, rest)
        site = self.ground.site()
        here = attrs.evolve(rest.frozen(), me=owner)
        self.sites.append(Site(site, names[0].text, names[0].span, here, parts, None, optional))
        for part, name in zip(parts, names, strict=True):
            self.bound.append((part.bind, "chosen", name.span))
        return rules.Choose(site, names[0].text, owner, parts, such_that, optional, span=node.span)

    def _choose(self, node: syntax.Choose, scope: Scope) -> rules.Statement:
        return self._decision(node, scope, scope, False)

    def _mustchoose(self, node: syntax.MustChoose, scope: Scope) -> rules.Statement:
        inner = scope.inside()
        choice = self._decision(node, scope, inner, False)
        body, otherwise = self.body(node.body, inner), self.block(node.otherwise, scope)
        return attrs.evolve(choice, or_else=True, body=body, otherwise=otherwise)

    def _maychoose(self, node: syntax.MayChoose, scope: Scope) -> rules.Statement:
        inner = scope.inside()
        choice = self._decision(node, scope, inner, True)
        return attrs.evolve(choice, body=self.body(node.body, inner), otherwise=self.block(node.otherwise, scope))

    def _choosetogether(self, node: syntax.ChooseTogether, scope: Scope) -> rules.Statement:
        self._chance(node)
        players = self.expressions.many(node.players, scope, "who chooses")
        players = self.expressions.fit(players, rules.Many(PLAYER), "who chooses together")
        each = self.ground.local("me", PLAYER, node.span)
        inner = attrs.evolve(scope.inside(), me=each)
        parts, names = self._parts(node.parts, inner, inner)
        such_that = self._such_that(node.such_that, parts, inner)
        site = self.ground.site()
        self.sites.append(Site(site, names[0].text, names[0].span, inner.frozen(), parts, None, False))
        for part, name in zip(parts, names, strict=True):
            self.bind_as(name, Together(part.bind.number, name.text, part.bind.type), scope)
            self.bound.append((part.bind, "chosen", name.span))
        return rules.ChooseTogether(site, names[0].text, players, each, parts, such_that, span=node.span)

    def _chooselabel(self, node: syntax.ChooseLabel, scope: Scope) -> rules.Statement:
        self._chance(node)
        owner = self._owner(node.owner, scope, node.span)
        seen: dict[str, Span] = {}
        labels = []
        for label in node.labels:
            if label.name.text in seen:
                other = (Label(seen[label.name.text], "the first one"),)
                self.ground.report(
                    DeclaredTwice(label.name.span, f"two options are called `{label.name.text}`", None, other)
                )
            seen.setdefault(label.name.text, label.name.span)
            when = self.expressions.truth(label.when, scope) if label.when is not None else None
            if isinstance(when, rules.Constant) and when.value is False:
                self.ground.report(Unreachable(label.span, f"`{label.name.text}` can never be chosen"))
            text = label.text.text if label.text else label.name.text.replace("_", " ")
            labels.append(rules.Labelled(label.name.text, text, when, self.block(label.body, scope), span=label.span))
        site = self.ground.site()
        member = rules.Member(f"the options of {node.name.text}", tuple(seen))
        here = attrs.evolve(scope.frozen(), me=owner)
        self.sites.append(Site(site, node.name.text, node.name.span, here, (), member, False))
        return rules.ChooseLabel(site, node.name.text, owner, tuple(labels), span=node.span)

    # ---- afterwards ------------------------------------------------------------------------------------

    def unread(self) -> Iterator[Problem]:
        """Choices, draws and picks whose outcome no rule looks at."""
        for local, how, at in self.bound:
            if local.number not in self.ground.read:
                fact = f"no rule looks at what was {how} as `{local.name}`"
                hint = "Use the name in what follows, or leave the whole out."
                yield BindsNothing(at, fact, hint)


def _values(domain: rules.Domain) -> rules.Expr:
    """Everything that something is indexed by, in order."""
    kind = rules.Many(domain.type)
    if domain.range is not None:
        return rules.Span_(domain.range.low, domain.range.high, type=kind, span=domain.span)
    if isinstance(domain.type, rules.Player):
        return rules.Players(True, type=kind, span=domain.span)
    return rules.Members(type=kind, span=domain.span)


def _listed(names: tuple[str, ...]) -> str:
    quoted = [f"`{n}`" for n in names]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
