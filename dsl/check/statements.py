"""Statements: blocks with the names they bind, phases, decisions and chance."""

from collections.abc import Callable, Iterator

import attrs

from .. import rules, syntax, words
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
    ReservedWord,
    TooMany,
    UnknownName,
    WrongType,
    WrongZone,
    near,
)
from ..source import Span
from . import types
from .expressions import Expressions
from .ground import Ground
from .names import Scope, Together, reserved
from .types import NUMBER, PLAYER, bare, constant, element, kinds, listed, number, unknown, unknowns

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
    names: tuple[syntax.Name, ...]
    labels: rules.Member | None = None
    optional: bool = False


@attrs.frozen
class PhaseInfo:
    """A phase as measures and examples see it: the scope of its block, and its meaning.

    Locals bound around it have numbers up to `before`.
    """

    scope: Scope
    phase: rules.Phase
    before: int


@attrs.frozen
class Outcome:
    """What a choice, a draw or a pick binds: `seen` is how often its own condition looks at each local."""

    how: str
    locals: tuple[rules.Local, ...]
    names: tuple[syntax.Name, ...]
    seen: tuple[int, ...]
    stays: bool = True
    """Whether nothing else comes of it."""


@attrs.define
class Statements:
    """Lowers blocks. `still` says that neither decisions nor chance may stand there (an example's position)."""

    ground: Ground
    sites: dict[str, list[Site]] = attrs.field(factory=dict)
    phases: dict[str, PhaseInfo] = attrs.field(factory=dict)
    outcomes: list[Outcome] = attrs.field(factory=list)
    placed: set[str] = attrs.field(factory=set)
    lively: set[str] = attrs.field(factory=set)
    """The actions in which something is decided or left to chance."""
    still: bool = False

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

    # ---- blocks ----------------------------------------------------------------------------------------

    def body(self, body: syntax.Body, scope: Scope) -> rules.Body:
        """The statements of a block; `scope` must be one of its own."""
        lowered = (self.statement(node, scope) for node in body if not isinstance(node, syntax.Hole))
        return tuple(statement for statement in lowered if statement is not None)

    def block(self, body: syntax.Body, scope: Scope) -> rules.Body:
        """A block inside another one."""
        return self.body(body, scope.inside())

    def bind(self, name: syntax.Name, kind: rules.Type, scope: Scope) -> rules.Local:
        """A new local, which the rest of the block can name."""
        local = self.ground.local(name.text, kind, name.span)
        self.expressions.bind(name, local, scope)
        return local

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

    def _lively(self, node: syntax.Node, scope: Scope) -> None:
        """Take note of a decision or of chance."""
        if scope.action is not None:
            self.lively.add(scope.action)
        if self.still:
            fact = "`given` sets a position up: no decision, no chance"
            self.ground.report(NotAllowedHere(node.span, fact, "Say `turn … to …` or `move …`, or play it with `do`."))

    def _throw(self, node: syntax.Throw, scope: Scope) -> rules.Statement | None:
        self._lively(node, scope)
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
        self._lively(node, scope)
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
            self._bound("drawn", (bind,), (node.bind,), stays=node.to is None)
        return rules.Draw(amount, source, to, bind, span=node.span)

    def _shuffle(self, node: syntax.Shuffle, scope: Scope) -> rules.Statement | None:
        self._lively(node, scope)
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
        self._lively(node, scope)
        source = self.expressions.many(node.source, scope, "what is picked from")
        each = self.ground.local("it", element(source), node.span)
        weight = None
        if node.weight is not None:
            weight = self.expressions.amount(node.weight, scope.inside(each), "a weight")
        bind = self.bind(node.bind, element(source), scope)
        self._bound("picked", (bind,), (node.bind,))
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
        names = [syntax.Name(f"place {n}", span=node.place.span) for n, _ in enumerate(binds)]  # no name of a game
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
        if not self._changes(node.place, scope):
            return None
        place = self.expressions.lower(node.place, scope)
        if not isinstance(place, rules.VariableValue | rules.FieldOf):
            self._cannot_change(node.place, place)
            return None
        if isinstance(place, rules.FieldOf) and not self._may_change(place):
            return None
        operator = {"=": "=", "+=": "+", "-=": "-"}[node.operator]
        if operator != "=" and not types.fits(place.type, NUMBER):
            fact = f"only numbers can be changed by `{node.operator}`, this is {types.spoken(place.type)}"
            self.ground.report(WrongType(place.span, fact))
            return None
        what = "the new value" if operator == "=" else f"what stands after `{node.operator}`"
        wanted = place.type if operator == "=" else NUMBER
        value = self.expressions.want(node.value, scope, wanted, what)
        if isinstance(place, rules.VariableValue) and self.ground.variables[place.name].conserved:
            hint = f"Write `pay … from … to …`; or take `conserved` away from `{place.name}`."
            self.ground.report(NotConserved(node.span, f"`{place.name}` is conserved: it changes only by `pay`", hint))
        unsafe = self._unsafe(place, operator, value)
        return rules.Assign(place, operator, value, unsafe, span=node.span)  # type: ignore[arg-type]

    def _unsafe(self, place: rules.VariableValue | rules.FieldOf, operator: str, value: rules.Expr) -> bool:
        """Whether a new value must be looked at in play, because its range could be left."""
        limits, given = bare(place.type), bare(value.type)
        if not isinstance(limits, rules.Number) or not isinstance(given, rules.Number):
            return not types.known(given)
        if operator != "=":
            given, _ = types.arithmetic(operator, limits, given)
            value = attrs.evolve(value, type=given)
        inside = self.expressions.in_range(value, limits, "the new value")
        return not inside or not self._exact(place)

    def _exact(self, place: rules.VariableValue | rules.FieldOf) -> bool:
        """Whether a range is the same under all options and numbers of players."""
        if isinstance(place, rules.FieldOf):
            return False
        limits = self.ground.variables[place.name].domain.range
        return limits is None or (isinstance(limits.low, rules.Constant) and isinstance(limits.high, rules.Constant))

    def _may_change(self, place: rules.FieldOf) -> bool:
        for kind in kinds(place.item):
            if self.ground.kinds[kind].fields[place.field].role not in ("changing", "face"):
                hint = f"Declare it `var {place.field}: …` if rules are to change it."
                fact = f"`{place.field}` is printed on the {kind}; it never changes"
                self.ground.report(CannotChange(place.span, fact, hint))
                return False
        return True

    def _changes(self, node: syntax.Expr, scope: Scope) -> bool:
        """Whether what is assigned to changes at all; something declared that never does is reported."""
        name = node.of if isinstance(node, syntax.Element) else node
        if not isinstance(name, syntax.Name) or scope.find(name.text):
            return True
        declared = self.ground.names.declared.get(name.text)
        if declared is None or declared.kind not in _NEVER_CHANGES:
            return True
        self.ground.report(CannotChange(node.span, f"`{name.text}` {_NEVER_CHANGES[declared.kind]}"))
        return False

    def _cannot_change(self, node: syntax.Expr, place: rules.Expr) -> None:
        fact, hint = "only variables and changing fields can be changed", None
        if not types.known(place.type):
            return
        if isinstance(place, rules.Local | rules.LocalOf):
            fact = f"`{node.span.text}` cannot be changed"
            if place.name != "me":
                hint = "A name given by `let`, `for` or a choice keeps its value. Declare a `var` for what changes."
        elif isinstance(place, rules.ZoneItems):
            fact = "what lies in a zone changes only by `move` and `draw`"
        elif isinstance(place, rules.Mapped):
            hint = "Go through them: `for x in …: x.… = …`."
        self.ground.report(CannotChange(node.span, fact, hint))

    def _let(self, node: syntax.Let, scope: Scope) -> rules.Statement | None:
        value = self.expressions.lower(node.value, scope)
        kind = value.type
        if kind == types.NONE:
            self.ground.report(WrongType(node.value.span, "`none` alone does not say what could stand there instead"))
            kind = types.UNKNOWN
        return rules.Let(self.bind(node.bind, kind, scope), value, span=node.span)

    def _do(self, node: syntax.Do, scope: Scope) -> rules.Statement | None:
        name = node.action
        declared = self.ground.names.declared.get(name.text)
        if declared is None or declared.kind != "action":
            problem = self.ground.names.unknown(name, "action", self.ground.names.of_kind("action"))
            if declared is None and name.text in self.ground.names.phases:
                hint = "A phase is played where it stands; make it an `action` to run it from elsewhere."
                problem = UnknownName(name.span, problem.text(), hint)
            self.ground.report(problem)
            return None
        self.ground.used_callables.add(name.text)
        values = self.expressions.arguments(name, node.arguments, None, scope)
        if name.text in self.lively:
            self._lively(node, scope)
        missing = self.ground.needs.get(name.text, set()) - set(scope.phases)
        if missing:
            self._needs_phases(node, missing, scope)
        return None if values is None else rules.Do(name.text, values, span=node.span)

    def _needs_phases(self, node: syntax.Do, phases: set[str], scope: Scope) -> None:
        """Hand the need for phases around on to the callers of an action, or report it."""
        if scope.action is not None:
            self.ground.needs.setdefault(scope.action, set()).update(phases)
            return
        which = types.listed(tuple(sorted(phases)), "and")
        fact = f"`{node.action.text}` ends or leaves {which}, which must be around it"
        self.ground.report(NotAround(node.span, fact, "Run it inside, or let it end what is around it."))

    def _eliminate(self, node: syntax.Eliminate, scope: Scope) -> rules.Statement | None:
        return rules.Eliminate(self.expressions.player(node.player, scope, "who is out"), span=node.span)

    def _pay(self, node: syntax.Pay, scope: Scope) -> rules.Statement | None:
        amount = self.expressions.amount(node.amount, scope, "what is paid")
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

    # ---- blocks of blocks ------------------------------------------------------------------------------

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
            values = tuple(self.case(written, value.type, seen) for written in case.values)
            cases.append(rules.MatchCase(values, self.block(case.body, scope), span=case.span))
        return rules.Match(value, tuple(cases), self.block(node.otherwise, scope), span=node.span)

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
        value = self.expressions.lower(node, Scope(fixed=True), kind)
        fits = types.fits(value.type, kind)
        value = self.expressions.fit(value, kind, what)
        self.expressions.in_range(value, kind, what)
        return value if fits and isinstance(value, rules.Constant) else None

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

    # ---- decisions -------------------------------------------------------------------------------------

    def _owner(
        self, node: syntax.Choose | syntax.MayChoose | syntax.MustChoose | syntax.ChooseLabel, scope: Scope
    ) -> rules.Expr:
        if node.owner is not None:
            return self.expressions.player(node.owner, scope, "who chooses")
        start = node.span.source.text.index("choose", node.span.start)
        word = syntax.Name("choose", span=Span(node.span.source, start, start + len("choose")))
        return self.expressions.me(word, scope)

    def _parts(self, nodes: tuple[syntax.Part, ...], scope: Scope, inner: Scope) -> tuple[rules.Part, ...]:
        """The parts of a choice; each is bound in `inner`, so that later ones may name it."""
        parts = []
        for node in nodes:
            amount = self._amount(node.amount, scope)
            source = self.expressions.many(node.source, inner.before(node.bind), "what is chosen from")
            of = element(source)
            single = amount.kind == "one"
            if len(nodes) > 1 and not single:
                self.ground.report(FixedChoice(node.span, "in a choice of several things each must be `one`"))
            if not single and not isinstance(bare(of), rules.Item | rules.Player | rules.Member | rules.Number):
                self.ground.report(FixedChoice(node.span, f"no set of {types.spoken(of)} can be chosen"))
            local = self.bind(node.bind, of if single else rules.Many(of), inner)
            parts.append(rules.Part(amount, source, local, span=node.span))
        return tuple(parts)

    def _such_that(self, node: syntax.Expr | None, parts: tuple[rules.Part, ...], inner: Scope) -> rules.Expr | None:
        if node is None:
            return None
        for part in parts:
            if part.amount.kind != "one":
                self._check_size(part)
        return self.expressions.truth(node, inner, "the condition after `such that`")

    def _check_size(self, part: rules.Part) -> None:
        """Report a choice of a set with a condition on the whole, where too many sets would have to be looked at."""
        most = sum(self.ground.kinds[kind].most for kind in kinds(part.source))
        of = bare(element(part.source))
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
        """A choice by one player, whose names are bound in `rest`."""
        self._lively(node, scope)
        owner = self._owner(node, scope)
        here = rest.of(owner).as_of(self.ground.last_local)
        parts = self._parts(node.parts, scope, rest)
        seen = self._reads(parts)
        such_that = self._such_that(node.such_that, parts, rest)
        names = tuple(part.bind for part in node.parts)
        site = self._site(Site(self.ground.site(), names[0].text, names[0].span, here, parts, names, None, optional))
        self._bound("chosen", tuple(p.bind for p in parts), names, seen)
        return rules.Choose(site.number, site.name, owner, parts, such_that, optional, span=node.span)

    def _choose(self, node: syntax.Choose, scope: Scope) -> rules.Statement:
        return self._decision(node, scope, scope, False)

    def _maychoose(self, node: syntax.MayChoose, scope: Scope) -> rules.Statement:
        inner = scope.inside()
        choice = self._decision(node, scope, inner, True)
        return attrs.evolve(choice, body=self.body(node.body, inner), otherwise=self.block(node.otherwise, scope))

    def _mustchoose(self, node: syntax.MustChoose, scope: Scope) -> rules.Statement:
        inner = scope.inside()
        choice = self._decision(node, scope, inner, False)
        body, otherwise = self.body(node.body, inner), self.block(node.otherwise, scope)
        return attrs.evolve(choice, or_else=True, body=body, otherwise=otherwise)

    def _choosetogether(self, node: syntax.ChooseTogether, scope: Scope) -> rules.Statement:
        self._lively(node, scope)
        players = self.expressions.many(node.players, scope, "who chooses")
        players = self.expressions.fit(players, rules.Many(PLAYER), "who chooses together")
        each = self.ground.local("me", PLAYER, node.span)
        inner = scope.inside().of(each)
        here = inner.as_of(self.ground.last_local)
        parts = self._parts(node.parts, inner, inner)
        seen = self._reads(parts)
        such_that = self._such_that(node.such_that, parts, inner)
        names = tuple(part.bind for part in node.parts)
        site = self._site(Site(self.ground.site(), names[0].text, names[0].span, here, parts, names))
        for part, name in zip(parts, names, strict=True):
            bound, _ = inner.frames[0].bound[name.text]
            scope.bind(name, Together(part.bind.number, name.text, bound.type))
        self._bound("chosen", tuple(p.bind for p in parts), names, seen)
        return rules.ChooseTogether(site.number, site.name, players, each, parts, such_that, span=node.span)

    def _chooselabel(self, node: syntax.ChooseLabel, scope: Scope) -> rules.Statement:
        self._lively(node, scope)
        owner = self._owner(node, scope)
        seen: dict[str, Span] = {}
        labels = []
        here = scope.of(owner).as_of(self.ground.last_local)
        if node.name.text in _NOT_DECISIONS:
            fact = f"no decision can be called `{node.name.text}`"
            self.ground.report(ReservedWord(node.name.span, fact, "Choose another name."))
        for label in node.labels:
            if label.name.text in words.reserved_for_members():
                self.ground.report(reserved(label.name))
            if label.name.text in seen:
                fact, other = (
                    f"two options are called `{label.name.text}`",
                    Label(seen[label.name.text], "the first one"),
                )
                self.ground.report(DeclaredTwice(label.name.span, fact, None, (other,)))
            seen.setdefault(label.name.text, label.name.span)
            when = self.expressions.truth(label.when, scope) if label.when is not None else None
            text = label.text.text if label.text else label.name.text.replace("_", " ")
            labels.append(rules.Labelled(label.name.text, text, when, self.block(label.body, scope), span=label.span))
        member = rules.Member(f"the options of {node.name.text}", tuple(seen))
        site = self._site(Site(self.ground.site(), node.name.text, node.name.span, here, (), (), member))
        return rules.ChooseLabel(site.number, site.name, owner, tuple(labels), span=node.span)

    def _site(self, site: Site) -> Site:
        self.sites.setdefault(site.name, []).append(site)
        return site

    # ---- afterwards ------------------------------------------------------------------------------------

    def _reads(self, parts: tuple[rules.Part, ...]) -> tuple[int, ...]:
        return tuple(self.ground.read[part.bind.number] for part in parts)

    def _bound(
        self,
        how: str,
        locals_: tuple[rules.Local, ...],
        names: tuple[syntax.Name, ...],
        before: tuple[int, ...] = (),
        *,
        stays: bool = True,
    ) -> None:
        """Remember what was bound; `before` says how often each was looked at before the condition on the whole."""
        now = (self.ground.read[local.number] for local in locals_)
        seen = tuple(n - b for n, b in zip(now, before or (0,) * len(locals_), strict=True))
        self.outcomes.append(Outcome(how, locals_, names, seen, stays))

    def unread(self) -> Iterator[Problem]:
        """Choices, draws and picks whose outcome no rule looks at."""
        for outcome in self.outcomes:
            reads = [self.ground.read[local.number] for local in outcome.locals]
            if not any(read > seen for read, seen in zip(reads, outcome.seen, strict=True)):
                yield self._unread(outcome, outcome.names[0])
            else:
                yield from (
                    self._unread(outcome, name) for name, read in zip(outcome.names, reads, strict=True) if not read
                )

    def _unread(self, outcome: Outcome, name: syntax.Name) -> Problem:
        hint = "Use the name in what follows, or leave the whole out."
        if not outcome.stays:
            hint = f"Leave out `as {name.text}`."
        return BindsNothing(name.span, f"no rule looks at what was {outcome.how} as `{name.text}`", hint)


_NOT_DECISIONS = ("throw", "draw", "pick", "otherwise")
"""What lines of examples and strategies begin with that are not about a decision."""
_NEVER_CHANGES = {
    "option": "is an option: it is chosen before play",
    "constant": "is a constant: it never changes",
    "components": "are all these components; their fields can be changed, one component at a time",
    "type": "is a type: its members never change",
    "define": "is worked out by its definition; it cannot be set",
    "zone": "is a zone: what lies there changes only by `move` and `draw`",
    "score": "is worked out by the line `score: …`; it cannot be set",
    "sheet": "is a sheet; the changing fields of its cells can be set",
}


def _values(domain: rules.Domain) -> rules.Expr:
    """Everything that something is indexed by, in order."""
    kind = rules.Many(domain.type)
    if domain.range is not None:
        return rules.Span_(domain.range.low, domain.range.high, type=kind, span=domain.span)
    if isinstance(domain.type, rules.Player):
        return rules.Players(True, type=kind, span=domain.span)
    return rules.Members(type=kind, span=domain.span)
