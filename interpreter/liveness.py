"""What may still be read: for each statement that asks, the values on which the rest of the game can depend.

A value that will be written before it is read, or never read again, cannot affect the future: two positions that
differ in nothing else play on alike. Worked out backwards over the checked tree, as in a compiler, with a mark for
each value that may be read:

    ("var", name)               a variable, all its elements together
    ("local", number)           what a statement has bound
    ("field", kind, name, zone) a face or a changing field of a kind's items while they lie in a zone

Where items lie, who is still in, and where play stands always count. What is said here errs on the side of reading.
"""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from ..dsl import rules
from ..dsl.source import Span
from ..dsl.tree import walk
from .expressions import Expressions
from .layout import BOX, Layout, kinds_of

Mark = tuple[str | int, ...]
Live = frozenset[Mark]
Zones = tuple[str, ...] | None
"""The zones that items may lie in; None for any."""

NOTHING: Live = frozenset()


@attrs.frozen(eq=False)
class _Pass:
    """A phase around a statement: what may be read after its pass ends in one way or another."""

    name: str
    finish: Live
    ended: Live
    left: Live
    again: Live


@attrs.frozen(eq=False)
class _Around:
    """What stands around a statement."""

    passes: tuple[_Pass, ...] = ()
    out: Live = NOTHING
    """What may be read after `break`."""


@attrs.frozen
class Readers:
    """What reads values besides play, what is looked at while it goes on, and score and winner."""

    always: tuple[rules.Expr, ...] = ()
    """Read whenever something is asked, and at the end."""
    at_end: tuple[rules.Expr, ...] = ()
    """Read at the end of the game."""
    strategies: tuple[str, ...] = ()
    """The strategies that choose."""
    properties: bool = True
    """Whether what must always hold, and what must be possible, is looked at."""


def _looked_at(game: rules.Game, readers: Readers) -> list[rules.Invariant | rules.Possible]:
    """What must hold, and what must be possible. Play itself looks at what must hold at a moment."""
    if readers.properties:
        return [*game.invariants, *game.possibles]
    return [each for each in game.invariants if not isinstance(each.moment, rules.Always | rules.Never)]


class Liveness:
    """What may still be read where something is asked."""

    def __init__(
        self, layout: Layout, expressions: Expressions, bodies: Sequence[rules.Body], readers: Readers
    ) -> None:
        self.at: dict[Span, Live] = {}
        """For each statement that asks what may still be read when it does."""
        self.roots = self._roots(layout.game, bodies, readers)
        """All that is played or read."""
        self._layout = layout
        self._expressions = expressions
        self._game = layout.game
        self._told: list[tuple[rules.Moment, rules.Expr]] = [(each.moment, each.value) for each in self._game.measures]
        self._told += [(each.moment, each.condition) for each in _looked_at(self._game, readers)]
        self._policies = [
            policy
            for strategy in self._game.strategies
            if strategy.name in readers.strategies
            for policy in strategy.policies
        ]
        self._actions = {action.name: action for action in self._game.actions}
        self._definitions = {definition.name: definition for definition in self._game.definitions}
        self._called: dict[tuple[str, tuple[Zones, ...]], Live] = {}
        self.tracked = self._all(readers.always)
        """What is read of every position, also after what is asked there is known."""
        self._always = self.tracked | self._at(rules.Always, rules.Never)
        self.end = self._all(readers.at_end) | self._at(rules.AtEnd) | self._result() | self._always
        """What is read at the end of the game."""
        for body in bodies:
            self._body(body, self.end, _Around())

    @staticmethod
    def _roots(game: rules.Game, bodies: Sequence[rules.Body], readers: Readers) -> list[rules.Rule]:
        winner = game.winner if isinstance(game.winner, tuple) else (game.winner,)
        roots: list[rules.Rule] = [statement for body in bodies for statement in body]
        roots += [*game.actions, *game.definitions, *game.kinds, *winner, *readers.always, *readers.at_end]
        roots += [game.score] if game.score is not None else []
        roots += [*game.measures, *_looked_at(game, readers)]
        roots += [each for each in game.strategies if each.name in readers.strategies]
        return roots + [*game.monotones, *game.leads] if readers.properties else roots

    def _at(self, *moments: type[rules.Moment]) -> Live:
        return self._all(value for moment, value in self._told if isinstance(moment, moments))

    def _result(self) -> Live:
        score, winner = self._game.score, self._game.winner
        by = [rank.value for rank in winner] if isinstance(winner, tuple) else [winner.players]
        return self._all([*by, score.value] if score is not None else by)

    def _finish(self, phase: str) -> Live:
        """What is read whenever a pass of a phase ends."""
        told = self._told
        return self._all(value for at, value in told if isinstance(at, rules.After) and at.phase == phase)

    def _finish_action(self, name: str) -> Live:
        """What is read whenever an action ends."""
        return self._all(
            v for moment, v in self._told if isinstance(moment, rules.AfterAction) and moment.action == name
        )

    # ---- statements, backwards ---------------------------------------------------------------------------

    def _body(self, body: Sequence[rules.Statement], after: Live, around: _Around) -> Live:
        for statement in reversed(body):
            after = self._statement(statement, after, around)
        return after

    def _asks(self, statement: rules.Statement, before: Live, bound: Iterable[rules.Local] = ()) -> Live:
        """Keep what may be read where a statement asks."""
        before |= self._always
        binds = frozenset[Mark](("local", local.number) for local in bound)
        self.at[statement.span] = self.at.get(statement.span, NOTHING) | before | binds
        return before

    def _statement(self, statement: rules.Statement, after: Live, around: _Around) -> Live:
        match statement:
            case rules.Assign() | rules.Pay() | rules.Let() | rules.Eliminate() | rules.Shuffle():
                return self._change(statement, after)
            case rules.Move(items, to, showing):
                return self._moved(items, to, after, showing) | self._reads(items) | self._maybe(showing)
            case rules.Turn(items, face):
                return self._shown(items, after) | self._reads(items) | self._reads(face)
            case rules.Throw(items):
                return self._asks(statement, self._shown(items, after) | self._reads(items))
            case rules.Draw(amount, source, to, bind):
                after = self._without(after, (bind,) if bind is not None else ())
                moved = after if to is None else self._moved(source, to, after)
                return self._asks(
                    statement, moved | self._reads(source) | self._amount(amount), (bind,) if bind else ()
                )
            case rules.Pick(source, _, weight, bind):
                before = self._without(after, (bind,)) | self._reads(source) | self._maybe(weight)
                return self._asks(statement, before, (bind,))
            case rules.If(cases, otherwise):
                return self._if(cases, otherwise, after, around)
            case rules.Match(value, branches, otherwise):
                ways = [self._body(case.body, after, around) for case in branches]
                return self._union([*ways, self._body(otherwise, after, around)]) | self._reads(value)
            case rules.For(bind, source, order, body):
                key = self._reads(order.key) if order is not None else NOTHING
                once = self._loop(body, after, around, NOTHING, (bind,))
                return once | self._reads(source) | key
            case rules.RepeatTimes(count, body):
                return self._loop(body, after, around, NOTHING, ()) | self._reads(count)
            case rules.RepeatUntil(condition, body):
                return self._loop(body, after, around, self._reads(condition), ())
            case rules.Do(action, arguments):
                rule = self._actions[action]
                before = self._body(rule.body, after | self._finish_action(action), around)
                return self._without(before, rule.parameters) | self._all(arguments)
            case rules.Choose() | rules.ChooseTogether():
                return self._choice(statement, after, around)
            case rules.ChooseLabel(site, _, owner, labels):
                ways = [self._body(label.body, after, around) for label in labels]
                guards = self._all(label.when for label in labels if label.when is not None)
                return self._asks(statement, self._union(ways) | guards | self._reads(owner) | self._policy(site))
            case rules.Phase():
                return self._phase(statement, after, around)
            case _:
                return self._way_out(statement, around)

    def _way_out(self, statement: rules.Statement, around: _Around) -> Live:
        match statement:
            case rules.Break():
                return around.out
            case rules.EndPass(phase):
                return self._leap(around, phase, "ended")
            case rules.Leave(phase):
                return self._leap(around, phase, "left")
            case rules.Again(phase):
                return self._leap(around, phase, "again")
            case rules.EndGame():
                return self._union([each.finish for each in around.passes]) | self.end
        raise AssertionError(f"not a statement: {statement}")

    @staticmethod
    def _leap(around: _Around, phase: str, way: str) -> Live:
        live = NOTHING
        for each in reversed(around.passes):
            if each.name == phase:
                target: Live = getattr(each, way)
                return live | target
            live |= each.finish
        return live

    def _change(self, statement: rules.Statement, after: Live) -> Live:
        match statement:
            case rules.Assign(place, operator, value):
                if isinstance(place, rules.FieldOf):
                    old = self._reads(place) if operator != "=" else self._reads(place.item)
                    return after | old | self._reads(value)
                mark: Mark = ("var", place.name)
                whole = place.player is None and not place.indexes
                kept = after - {mark} if whole and operator == "=" else after
                old = frozenset([mark]) if operator != "=" else NOTHING
                return kept | old | self._indexes(place) | self._reads(value)
            case rules.Pay(amount, source, target):
                return after | self._reads(amount) | self._reads(source) | self._reads(target)
            case rules.Let(bind, value):
                return self._without(after, (bind,)) | self._reads(value)
            case rules.Eliminate(player):
                return after | self._reads(player)
            case rules.Shuffle(zone):
                return after | self._reads(zone)
        raise AssertionError(f"not a change: {statement}")

    def _if(self, cases: Sequence[rules.Case], otherwise: rules.Body, after: Live, around: _Around) -> Live:
        live = NOTHING
        for case in cases:
            known = self._expressions.fold(case.condition)
            if isinstance(known, rules.Constant):
                if not known.value:
                    continue
                return live | self._body(case.body, after, around)
            live |= self._reads(case.condition) | self._body(case.body, after, around)
        return live | self._body(otherwise, after, around)

    def _loop(self, body: rules.Body, after: Live, around: _Around, head: Live, bound: Sequence[rules.Local]) -> Live:
        """A loop that may be left at its head; `head` is what is read there."""
        live = after | head
        while True:
            once = self._without(self._body(body, live, attrs.evolve(around, out=after)), bound)
            if once <= live:
                return live
            live |= once

    def _phase(self, statement: rules.Phase, after: Live, around: _Around) -> Live:
        finish, kind = self._finish(statement.name), statement.kind
        head, first, bound = NOTHING, NOTHING, tuple[rules.Local, ...]()
        match kind:
            case rules.Times(count):
                first = self._reads(count)
            case rules.Until(condition):
                head = self._reads(condition)
            case rules.EachPlayer():
                bound = (kind.me,)
                first = self._maybe(kind.start) | (self._reads(kind.order.key) if kind.order is not None else NOTHING)
                head = self._maybe(kind.where) | self._maybe(kind.until)
        repeats = not isinstance(kind, rules.Once)
        ahead = after | head
        again = NOTHING
        while True:
            each = _Pass(
                statement.name, finish, finish | (ahead if repeats else after), finish | after, finish | again | ahead
            )
            body = self._body(statement.body, each.ended, attrs.evolve(around, passes=(*around.passes, each)))
            fresh = self._without(body, bound)
            if body <= again and (not repeats or fresh <= ahead):
                return first | (ahead if repeats else body)
            again |= body
            ahead |= fresh if repeats else NOTHING

    # ---- choices -----------------------------------------------------------------------------------------

    def _choice(self, statement: rules.Choose | rules.ChooseTogether, after: Live, around: _Around) -> Live:
        bound = tuple(part.bind for part in statement.parts)
        live = self._policy(statement.site) | self._maybe(statement.such_that)
        for part in statement.parts:
            live |= self._reads(part.source) | self._amount(part.amount) | self._sees(part.source)
        if isinstance(statement, rules.Choose):
            ways = [self._body(body, after, around) for body in (statement.body, statement.otherwise)]
            live |= self._union(ways) | self._reads(statement.owner)
        else:
            live |= after | self._reads(statement.players)
            bound = (*bound, statement.each)
        return self._asks(statement, self._without(live, bound), bound)

    def _policy(self, site: int) -> Live:
        own = [each for policy in self._policies if policy.site == site for each, _ in walk(policy.policy)]
        return self._all(each.value for each in own if isinstance(each, rules.Best | rules.ByValue)) | self._all(
            each.condition for each in own if isinstance(each, rules.PolicyIf)
        )

    def _sees(self, source: rules.Expr) -> Live:
        """What a player sees of items that may be chosen: it decides which are one option."""
        live, zones = NOTHING, self._zones(source, {})
        for kind in self._kinds(source.type):
            names = [*[field.name for field in kind.changing], *([kind.faces.name] if kind.faces is not None else [])]
            for name in names:
                live |= self._field(kind, name, zones)
            for hide in kind.hides:
                live |= self._reads(hide.unless, {hide.it.number: zones})
        return live

    # ---- what items show ---------------------------------------------------------------------------------

    def _moved(self, items: rules.Expr, to: rules.Destination, after: Live, showing: rules.Expr | None = None) -> Live:
        """What was to be read of items where they come is to be read of them where they were."""
        came, live = self._zones(items, {}), after | self._indexes(to.zone) | self._maybe(to.place)
        for kind in self._kinds(items.type):
            names = [field.name for field in kind.changing]
            if kind.faces is not None and showing is None:
                names.append(kind.faces.name)
            for name in names:
                if ("field", kind.name, name, to.zone.name) in after:
                    live |= self._field(kind, name, came)
        return live

    def _shown(self, items: rules.Expr, after: Live) -> Live:
        """Without what items show, where surely all that lie in a zone show something new."""
        if not isinstance(items, rules.ZoneItems):
            return after
        zone = self._layout.zone_rules[items.name]
        if zone.owned or (zone.shape and items.indexes is not None):
            return after
        faces = {kind.name: kind.faces.name for kind in self._kinds(items.type) if kind.faces is not None}
        return after - {("field", kind, face, zone.name) for kind, face in faces.items()}

    def _kinds(self, type_: rules.Type) -> list[rules.Kind]:
        return [self._layout.kinds[name].rule for name in kinds_of(type_)]

    def _field(self, kind: rules.Kind, name: str, zones: Zones) -> Live:
        """What is read of a field of a kind's items in these zones."""
        for field in kind.fields:
            if field.name == name:
                return NOTHING if field.value is None else self._reads(field.value, {kind.it.number: zones})
        if kind.sheet:
            zones = (kind.name,)
        elif zones is None:
            zones = (BOX, *[z.name for z in self._layout.zone_rules.values() if kind.name in z.kinds and z.name != BOX])
        return frozenset(("field", kind.name, name, zone) for zone in zones)

    # ---- expressions -------------------------------------------------------------------------------------

    @staticmethod
    def _union(lives: Iterable[Live]) -> Live:
        return NOTHING.union(*lives)

    @staticmethod
    def _without(live: Live, bound: Iterable[rules.Local]) -> Live:
        return live - {("local", local.number) for local in bound}

    def _all(self, exprs: Iterable[rules.Expr]) -> Live:
        return self._union([self._reads(expr) for expr in exprs])

    def _maybe(self, expr: rules.Expr | None) -> Live:
        return NOTHING if expr is None else self._reads(expr)

    def _amount(self, amount: rules.Amount) -> Live:
        return self._reads(amount.low) | self._maybe(amount.high)

    def _indexes(self, place: rules.VariableValue | rules.ZoneItems) -> Live:
        return self._maybe(place.player) | self._all(place.indexes or ())

    def _reads(self, expr: rules.Expr, known: Mapping[int, Zones] | None = None) -> Live:
        """What an expression may read; `known` are the zones in which items bound around it lie."""
        known = known or {}
        expr = self._expressions.fold(expr)
        match expr:
            case rules.VariableValue(name):
                return frozenset([("var", name)]) | self._indexes(expr)
            case rules.Local(number):
                return frozenset([("local", number)])
            case rules.LocalOf(number, _, player):
                return frozenset([("local", number)]) | self._reads(player, known)
            case rules.FieldOf(item, field):
                zones, live = self._zones(item, known), self._reads(item, known)
                return live.union(*[self._field(kind, field, zones) for kind in self._kinds(item.type)])
            case rules.Filter(source, each, inner) | rules.Mapped(source, each, inner):
                return self._over(source, each, inner, known)
            case rules.Extreme(source, each, key):
                return self._over(source, each, key, known)
            case rules.Call(name, arguments):
                zones_of = tuple(self._zones(argument, known) for argument in arguments)
                return self._union([self._reads(a, known) for a in arguments]) | self._call(name, zones_of)
        return self._union([self._reads(each, known) for each in _parts(expr)])

    def _over(self, source: rules.Expr, each: rules.Local, inner: rules.Expr, known: Mapping[int, Zones]) -> Live:
        inside = {**known, each.number: self._zones(source, known)}
        return self._reads(source, known) | self._without(self._reads(inner, inside), (each,))

    def _call(self, name: str, zones: tuple[Zones, ...]) -> Live:
        if (name, zones) not in self._called:
            rule = self._definitions[name]
            known = {parameter.number: each for parameter, each in zip(rule.parameters, zones, strict=True)}
            self._called[name, zones] = self._without(self._reads(rule.value, known), rule.parameters)
        return self._called[name, zones]

    def _zones(self, expr: rules.Expr, known: Mapping[int, Zones]) -> Zones:
        """The zones in which the items that an expression gives surely lie."""
        match expr:
            case rules.ZoneItems(name):
                return (name,)
            case rules.Local(number):
                return known.get(number)
            case rules.ItemAt(zone):
                return (zone.name,)
            case (
                rules.Filter(source)
                | rules.Extreme(source)
                | rules.Only(source)
                | rules.Something(source)
                | rules.FirstOf(_, source)
                | rules.Difference(source)
            ):
                return self._zones(source, known)
            case rules.Mapped(source, each, value):
                return self._zones(value, {**known, each.number: self._zones(source, known)})
            case rules.Union(left, right) | rules.Conditional(_, left, right):
                both = [self._zones(side, known) for side in (left, right)]
                return None if None in both else tuple(sorted({zone for zones in both for zone in zones or ()}))
        return None


def _parts(expr: rules.Expr) -> list[rules.Expr]:
    """The expressions directly inside one."""
    parts: list[rules.Expr] = []
    for field in attrs.fields(type(expr)):
        value = getattr(expr, field.name)
        parts += [each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, rules.Valued)]  # type: ignore[misc]
    return parts
