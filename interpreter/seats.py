"""Whether the rules treat seats alike: whether play, turned by some seats, is still play of the same game.

Looked at is what can happen between two positions of play and what the result is made of; how a game is set up may be
as uneven as it likes, and so may what happens once before play asks for the first time. Options are settled first.
What is said here errs on the side of a seat being named.

Fine, whoever sits where:

    me, others, next(p), previous(p)            counted from a player, round the table
    x of p, zone of p, sheet of p               what a player has
    eliminate p                                 who is out is out wherever they sit
    each player from p, all of them in turn     round the table from a player
    p is q, p in s, team(p) is team(q)
    a set of players, or a list made from one, that is counted, added up, compared, searched, chosen or picked from, or
    of which the highest, the lowest, some, or the only one is taken

Not fine:

    player(n), seat(p), team(p), a player as a constant or as an index
    fields that are fixed to be a player, faces that are players
    the first so many of a set of players, or of a list made from one: it is in the order of seats, and begins with one
    for each of such a list                     unless for each only what is theirs is changed, and none of it is read
                                                for another
    each player, each player in turn            the same; and where that is the first thing that can ask, it may begin
                                                with a seat
    all players choose                          they are asked in the order of seats

Lists that are in the order of seats are called loose: turned, they have the same elements in another order.
"""

from collections.abc import Iterable, Iterator, Mapping

import attrs

from ..dsl import rules
from ..dsl.source import Span
from ..dsl.tree import walk
from .expressions import Expressions
from .layout import Layout, kinds_of


@attrs.frozen
class Named:
    """A place in the rules where seats are not alike, and why."""

    span: Span
    words: str


def names_a_seat(layout: Layout, expressions: Expressions) -> tuple[Named, ...]:
    """Where the rules of a game do not treat seats alike; nothing where they do."""
    return Seats(layout, expressions).named


class Seats:
    """What the rules of a game say about seats."""

    def __init__(self, layout: Layout, expressions: Expressions) -> None:
        self._layout = layout
        self._expressions = expressions
        self._game = layout.game
        self._actions = {action.name: action for action in self._game.actions}
        self._definitions = {definition.name: definition for definition in self._game.definitions}
        self.loose: set[int] = set()
        """The numbers of locals that are lists in the order of seats."""
        self._named: dict[Span, str] = {}
        self._quiet = False
        self._done: set[tuple[str, bool]] = set()
        self._calls: dict[tuple[str, bool], bool] = {}
        known = -1
        while known < len(self.loose):
            known = len(self.loose)
            self._named.clear()
            self._done.clear()
            self._calls.clear()
            self._look_at_all()
        self.named = tuple(Named(span, words) for span, words in self._named.items()) if layout.players > 1 else ()

    def setup(self) -> frozenset[Span]:
        """Where the setup stands, with the actions it uses."""
        return frozenset(node.span for node in self._nodes(self._game.setup) if isinstance(node, rules.Rule))

    def _look_at_all(self) -> None:
        game = self._game
        self._opening(game.play)
        for kind in game.kinds:
            for hide in kind.hides:
                self._look(hide.unless)
        if game.score is not None:
            self._look(game.score.value)
        for each in [rank.value for rank in game.winner] if isinstance(game.winner, tuple) else [game.winner.players]:
            self._look(each)

    def _name(self, span: Span, words: str) -> None:
        if not self._quiet:
            self._named.setdefault(span, words)

    def _nodes(self, body: rules.Body) -> Iterator[attrs.AttrsInstance]:
        """All nodes of statements, and of the actions they use."""
        for statement in body:
            for node, _ in walk(statement):
                yield node
                if isinstance(node, rules.Do):
                    yield from self._nodes(self._actions[node.action].body)

    def _asks(self, body: rules.Body) -> bool:
        """Whether something can be asked in statements."""
        return any(
            isinstance(
                node,
                rules.Throw | rules.Draw | rules.Pick | rules.Choose | rules.ChooseTogether | rules.ChooseLabel,
            )
            for node in self._nodes(body)
        )

    # ---- statements --------------------------------------------------------------------------------------

    def _opening(self, body: rules.Body) -> None:
        """Statements that play begins with and never comes back to: what happens before the first question does not
        matter."""
        for number, statement in enumerate(body):
            asks = self._asks((statement,))
            if not asks:
                self._quietly(statement)
                continue
            if isinstance(statement, rules.Phase) and isinstance(statement.kind, rules.EachPlayer):
                self._phase(statement, opening=True)
            elif isinstance(statement, rules.Phase) and isinstance(statement.kind, rules.Once) and _once(statement):
                self._opening(statement.body)
            else:
                self._statement(statement)
            self._body(body[number + 1 :])
            break

    def _quietly(self, *parts: rules.Statement | rules.Expr) -> None:
        """Look at what may name a seat."""
        quiet, self._quiet = self._quiet, True
        for part in parts:
            if isinstance(part, rules.Valued):
                self._look(part)
            else:
                self._statement(part)
        self._quiet = quiet

    def _body(self, body: rules.Body) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, statement: rules.Statement) -> None:
        match statement:
            case rules.Assign(place, _, value):
                self._look_each(place, value)
            case rules.Pay(amount, source, target):
                self._look_each(amount, source, target)
            case rules.Let(bind, value):
                self._bind(bind, self._look(value))
            case rules.Eliminate(player):
                self._look(player)
            case rules.Shuffle(zone):
                self._look(zone)
            case rules.Move(items, to, showing):
                if self._look(items) and self._layout.zone_rules[to.zone.name].stacked:
                    self._name(statement.span, "they are laid down in the order of seats")
                self._look_each(to.zone, to.place, showing)
            case rules.Turn(items, face):
                self._look_each(items, face)
            case rules.Throw(items):
                self._look(items)
            case rules.Draw(amount, source, to, _):
                self._look_each(amount.low, amount.high, source)
                if to is not None:
                    self._look_each(to.zone, to.place)
            case rules.Pick(source, _, weight, _):
                self._look_each(source, weight)
            case rules.If(cases, otherwise):
                self._if(cases, otherwise)
            case rules.Match(value, branches, otherwise):
                self._match(value, branches, otherwise)
            case rules.For(bind, source, order, body):
                self._look_each(order.key if order is not None else None)
                if self._look(source) and not self._apart(bind, body):
                    self._name(statement.span, "this goes through the seats, and begins with the first")
                self._body(body)
            case rules.RepeatTimes(value, body) | rules.RepeatUntil(value, body):
                self._look(value)
                self._body(body)
            case rules.Do(action, arguments):
                self._do(action, arguments)
            case rules.Choose(owner=owner, parts=parts, such_that=such_that, body=body, otherwise=otherwise):
                self._look(owner)
                self._parts(parts, such_that)
                self._body((*body, *otherwise))
            case rules.ChooseTogether(players=players, parts=parts, such_that=such_that):
                self._name(statement.span, "players are asked in the order of seats")
                self._look(players)
                self._parts(parts, such_that)
            case rules.ChooseLabel(owner=owner, labels=labels):
                self._look(owner)
                for label in labels:
                    if label.when is None or self._known(label.when) is not False:
                        self._look_each(label.when)
                        self._body(label.body)
            case rules.Phase():
                self._phase(statement)

    def _bind(self, local: rules.Local, loose: bool) -> None:
        if loose:
            self.loose.add(local.number)

    def _if(self, cases: Iterable[rules.Case], otherwise: rules.Body) -> None:
        for case in cases:
            known = self._known(case.condition)
            if known is False:
                continue
            self._look(case.condition)
            self._body(case.body)
            if known:
                return
        self._body(otherwise)

    def _match(self, value: rules.Expr, branches: Iterable[rules.MatchCase], otherwise: rules.Body) -> None:
        self._look(value)
        folded = self._expressions.fold(value)
        for branch in branches:
            if isinstance(folded, rules.Constant) and folded.value not in branch.values:
                continue
            self._body(branch.body)
        self._body(otherwise)

    def _do(self, name: str, arguments: Iterable[rules.Expr]) -> None:
        rule = self._actions[name]
        for parameter, argument in zip(rule.parameters, arguments, strict=True):
            self._bind(parameter, self._look(argument))
        if (name, self._quiet) not in self._done:
            self._done.add((name, self._quiet))
            self._body(rule.body)

    def _parts(self, parts: Iterable[rules.Part], such_that: rules.Expr | None) -> None:
        for part in parts:
            self._look_each(part.amount.low, part.amount.high)
            loose = self._look(part.source)
            # What is chosen is bound in the order of numbers.
            self._bind(part.bind, part.amount.kind != "one" and (loose or _holds_players(part.bind.type)))
        self._look_each(such_that)

    def _phase(self, statement: rules.Phase, opening: bool = False) -> None:
        match statement.kind:
            case rules.Times(value) | rules.Until(value):
                self._look(value)
            case rules.EachPlayer(me, in_turn, start, where, order, until):
                begin = [each for each in (start, order.key if order is not None else None) if each is not None]
                if opening:
                    self._quietly(*begin)
                else:
                    self._look_each(*begin)
                self._look_each(where, until)
                alike = start is not None or opening
                if not alike and (in_turn or until is not None or not self._apart(me, statement.body, where)):
                    self._name(statement.span, "this begins with the first seat")
        self._body(statement.body)

    def _apart(self, each: rules.Local, body: rules.Body, where: rules.Expr | None = None) -> bool:
        apart = _Apart(self._actions, self._definitions, self._layout, {each.number})
        if where is not None:
            apart.reads(where)
        return apart.body(body) and apart.holds

    # ---- expressions -------------------------------------------------------------------------------------

    def _look_each(self, *exprs: rules.Expr | None) -> None:
        for expr in exprs:
            if expr is not None:
                self._look(expr)

    def _look(self, expr: rules.Expr) -> bool:
        """Note where an expression names a seat; whether its value is a list in the order of seats."""
        if self._known(expr) is not None:
            return False
        expr = self._expressions.fold(expr)
        match expr:
            case rules.Constant(value):
                if value is not None and _holds_players(expr.type):
                    self._name(expr.span, "this is one seat")
            case rules.Local(number):
                return number in self.loose
            case rules.LocalOf(number, _, player):
                self._look(player)
                return number in self.loose
            case rules.Players():
                return True
            case rules.AllItems(kind):
                return self._many_sheets((kind,))
            case rules.SeatOf() | rules.PlayerAt() | rules.TeamOf():
                self._name(expr.span, "this tells seats apart")
            case (
                rules.TableValue(indexes=indexes)
                | rules.VariableValue(indexes=indexes)
                | rules.ZoneItems(indexes=indexes)
            ):
                self._place(expr, indexes or ())
            case rules.FieldOf(item, field):
                self._look(item)
                self._field(expr, item, field)
            case rules.Filter(source, _, inner) | rules.Extreme(source, _, inner):
                self._look(inner)
                return self._look(source)
            case rules.Mapped(source, _, value):
                return self._look(source) | self._look(value)
            case rules.Aggregate(kind, source, default):
                self._look_each(default)
                return self._look(source) and kind == "distinct"
            case rules.FirstOf(count, source):
                self._look(count)
                if self._look(source):
                    self._name(expr.span, "this begins with the first seat")
            case rules.Union(left, right):
                loose = self._look(left) | self._look(right)
                kinds = kinds_of(expr.type)
                return self._many_sheets(kinds) if kinds else loose
            case rules.Difference(left, right):
                self._look(right)
                return self._look(left)
            case rules.Conditional(condition, then, otherwise):
                self._look(condition)
                return self._look(then) | self._look(otherwise)
            case rules.Compare(_, rules.TeamOf(one), rules.TeamOf(other)):
                self._look_each(one, other)
            case rules.Either(terms) | rules.Both(terms):
                self._look_each(*[term for term in terms if self._known(term) is None])
            case rules.Call(name, arguments):
                return self._call(name, arguments)
            case _:
                self._look_each(*_parts(expr))
        return False

    def _known(self, expr: rules.Expr) -> bool | None:
        """Whether a condition holds, where the options say that."""
        match expr:
            case rules.Either(terms) | rules.Both(terms):
                decisive = isinstance(expr, rules.Either)
                known = [self._known(term) for term in terms]
                return decisive if decisive in known else None if None in known else not decisive
            case rules.Not(value):
                known_value = self._known(value)
                return None if known_value is None else not known_value
        folded = self._expressions.fold(expr)
        return folded.value if isinstance(folded, rules.Constant) and isinstance(folded.value, bool) else None

    def _place(
        self, expr: rules.TableValue | rules.VariableValue | rules.ZoneItems, indexes: tuple[rules.Expr, ...]
    ) -> None:
        if not isinstance(expr, rules.TableValue):
            self._look_each(expr.player)
        self._look_each(*indexes)
        shape = () if isinstance(expr, rules.TableValue) else self._shape(expr)
        if any(_holds_players(index.type) for index in indexes) or any(map(_holds_players, shape)):
            self._name(expr.span, "this has a place for each seat")

    def _shape(self, expr: rules.VariableValue | rules.ZoneItems) -> list[rules.Type]:
        blocks = self._layout.variables if isinstance(expr, rules.VariableValue) else self._layout.zones
        block = blocks.get(expr.name)
        return [] if block is None else [span.domain.type for span in block.shape]

    def _field(self, expr: rules.FieldOf, item: rules.Expr, name: str) -> None:
        for kind in [self._layout.kinds[name].rule for name in kinds_of(item.type)]:
            changing = any(field.name == name for field in kind.changing)
            if not changing and _holds_players(expr.type):
                self._name(expr.span, "which player that is is fixed")
            for field in kind.fields:
                if field.name == name and field.value is not None:
                    self._look(field.value)

    def _call(self, name: str, arguments: Iterable[rules.Expr]) -> bool:
        rule = self._definitions[name]
        for parameter, argument in zip(rule.parameters, arguments, strict=True):
            self._bind(parameter, self._look(argument))
        if (name, self._quiet) not in self._calls:
            self._calls[name, self._quiet] = self._look(rule.value)
        return self._calls[name, self._quiet]

    def _many_sheets(self, kinds: Iterable[str]) -> bool:
        """Whether there are items of these kinds on a sheet of each player."""
        return any(self._layout.kinds[kind].rule.owned for kind in kinds)


@attrs.define
class _Apart:
    """Whether statements that run once for each player do the same in any order: each time only what is that player's
    changes, and nothing that changes is read for another."""

    actions: Mapping[str, rules.Action]
    definitions: Mapping[str, rules.Definition]
    layout: Layout
    own: set[int]
    """The locals that are the player."""
    owned: dict[int, str] = attrs.Factory(dict)
    """The locals that are items of the player, and the zone these lie in."""
    written: set[str] = attrs.Factory(set)
    read: set[str] = attrs.Factory(set)
    moving: bool = False
    searching: bool = False

    @property
    def holds(self) -> bool:
        """Whether nothing that changes is read for another."""
        return not self.written & self.read and not (self.moving and self.searching)

    def body(self, body: rules.Body) -> bool:
        """Whether only what is the player's changes."""
        return all([self._statement(statement) for statement in body])

    def _statement(self, statement: rules.Statement) -> bool:
        match statement:
            case rules.Assign(rules.VariableValue(name, player, indexes), _, value):
                self.written.add(name)
                self.reads(value, *indexes)
                return self._mine(player)
            case rules.Assign(rules.FieldOf(item, field), "=", rules.Constant()):
                self.written.add(f".{field}")
                self.reads(item)
                return self._zone(item) is not None
            case rules.Move(items, rules.Destination(zone, "top", None), None):
                source = self._zone(items)
                self.moving = True
                self.written |= {zone.name, source or ""}
                self.reads(items, *(zone.indexes or ()))
                stacked = self.layout.zone_rules[zone.name].stacked
                return source is not None and not stacked and (zone.player is None or self._mine(zone.player))
            case rules.Let(bind, value):
                self._bind(bind, value)
                return True
            case rules.If(cases, otherwise):
                self.reads(*[case.condition for case in cases])
                return all([self.body(body) for body in [*[case.body for case in cases], otherwise]])
            case rules.For(bind, source, None, body):
                self._bind(bind, source)
                return self.body(body)
            case rules.Do(name, arguments):
                rule = self.actions[name]
                for parameter, argument in zip(rule.parameters, arguments, strict=True):
                    self._bind(parameter, argument)
                return self.body(rule.body)
        return False

    def _mine(self, player: rules.Expr | None) -> bool:
        return isinstance(player, rules.Local) and player.number in self.own

    def _bind(self, local: rules.Local, value: rules.Expr) -> None:
        self.reads(value)
        self.own.discard(local.number)
        self.owned.pop(local.number, None)
        if self._mine(value):
            self.own.add(local.number)
        elif (zone := self._zone(value)) is not None:
            self.owned[local.number] = zone

    def _zone(self, items: rules.Expr) -> str | None:
        """The zone of the player's that items lie in."""
        match items:
            case rules.ZoneItems(name, player, _) if self._mine(player) and not self.layout.zone_rules[name].stacked:
                return name
            case rules.Local(number):
                return self.owned.get(number)
            case rules.Filter(source) | rules.Extreme(source) | rules.FirstOf(_, source) | rules.Only(source):
                return self._zone(source)
        return None

    def reads(self, *exprs: rules.Expr) -> None:
        """Note what expressions read that is not the player's."""
        for expr in exprs:
            for node, _ in walk(expr):
                match node:
                    case rules.VariableValue(name, player) | rules.ZoneItems(name, player):
                        if not self._mine(player):
                            self.read.add(name)
                    case rules.FieldOf(_, field):
                        self.read.add(f".{field}")
                    case rules.OwnerOf() | rules.PlaceOf():
                        self.searching = True
                    case rules.Call(definition):
                        self.reads(self.definitions[definition].value)


def _once(phase: rules.Phase) -> bool:
    """Whether a phase of one pass has only that one."""
    return not any(isinstance(node, rules.Again) and node.phase == phase.name for node, _ in walk(phase))


def _parts(expr: rules.Expr) -> list[rules.Expr]:
    """The expressions directly inside one, and the ends of a range."""
    parts: list[rules.Expr] = []
    for field in attrs.fields(type(expr)):
        value = getattr(expr, field.name)
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, rules.Valued):
                parts.append(each)  # type: ignore[arg-type]  # all that are valued are expressions
            elif isinstance(each, rules.Range):
                parts += [each.low, each.high]
    return parts


def _holds_players(type_: rules.Type) -> bool:
    """Whether values of a type are players, or sets of them."""
    while isinstance(type_, rules.Many | rules.Maybe):
        type_ = type_.of
    return isinstance(type_, rules.Player)
