"""Mutants: rules with one small mistake, as somebody who writes or reads rules could make it.

A mutant is a changed copy of a checked tree. Only what makes the game is changed: setup, play, actions, components,
options' defaults, score and winner, and the definitions and constants that these use. What judges a game (properties,
examples, claims, strategies, measures, declared ranges) stays as it is, and a node that is not known here is never
changed. Numbers in a mutant may lie anywhere, so it leaves out no check that the right rules can do without.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import attrs

from ..dsl import rules
from ..dsl.source import NOWHERE, Span
from ..dsl.tree import children, walk

RULES = ("options", "tables", "kinds", "zones", "variables", "definitions", "actions", "setup", "play")
PLAYED = (*RULES, "score", "winner")
"""The parts of a game that mutants change."""

LONGEST = 60
"""As much of a line is quoted."""

WIDE = rules.Number(-(2**40), 2**40)
YES_NO = rules.YesNo()
PLAYER = rules.Player()


@attrs.frozen
class Mutant:
    """Rules with one change."""

    number: int
    """From 1, in the order of the rules' text."""
    operator: str
    """The sort of change."""
    span: Span
    text: str
    """The change in words."""
    game: rules.Game = attrs.field(repr=False)


@attrs.frozen
class _Change:
    """A change before it is made: a node, and what comes in its place (several nodes, or none, in a row of them)."""

    node: Any
    instead: Any
    operator: str
    words: str


def mutants(game: rules.Game, inherited: bool = False) -> Iterator[Mutant]:
    """All mutants of a game, no two of them equal; of a variant those of its own lines, or also what it `inherited`."""
    number = 0
    found, tree = _found(game, inherited)
    seen = {name: {getattr(tree.game, name)} for name in PLAYED}
    for change in found:
        mutant = tree.changed(change)
        new = [name for name in PLAYED if getattr(mutant, name) not in seen[name]]
        if new:
            for name in new:
                seen[name].add(getattr(mutant, name))
            number += 1
            yield Mutant(
                number, change.operator, change.node.span, f"{_place(game, change.node.span)}: {change.words}", mutant
            )


def mark(game: rules.Game) -> str:
    """A short text that is another one when a game has other mutants: it does not depend on where lines stand."""
    words = "\n".join(sorted(change.words for change in _found(game, False)[0]))
    return sha256(words.encode()).hexdigest()[:12]


def _found(game: rules.Game, inherited: bool) -> "tuple[list[_Change], _Tree]":
    """The changes to make, in the order of the text; some may come to the same."""
    game = loosened(game)
    found = [change for change in _Changes(game).all() if change.node.span is not NOWHERE]
    own = game.span.source
    if not inherited:
        found = [change for change in found if change.node.span.source is own]
    found.sort(key=lambda change: (change.node.span.source is not own, change.node.span.line))
    return found, _Tree(game)


def _place(game: rules.Game, span: Span) -> str:
    beside = span.source is not game.span.source
    return f"{span.source.name} line {span.line}" if beside else f"line {span.line}"


# ---- trees ---------------------------------------------------------------------------------------------


def loosened(game: rules.Game) -> rules.Game:
    """The same game with every check that was left out because it could not fail."""
    known: dict[int, Any] = {}
    called: tuple[rules.Definition | rules.Action, ...] = (*game.definitions, *game.actions)
    parameters = {rule.name: rule.parameters for rule in called}

    def loose(value: Any) -> Any:
        if isinstance(value, tuple):
            parts = tuple(loose(part) for part in value)
            return value if all(map(_same, parts, value)) else parts
        if not isinstance(value, rules.Rule):
            return value
        if id(value) not in known:
            new = {name: loose(getattr(value, name)) for name in _names(type(value))}
            match value:
                case rules.Assign():
                    new["unsafe"] = True
                case rules.Call(name, _) | rules.Do(name, _):
                    new["arguments"] = tuple(map(_inside, new["arguments"], parameters[name]))
            if isinstance(value, rules.Valued):
                new["type"] = _wide(value.type)
            known[id(value)] = _evolved(value, new)
        return known[id(value)]

    return loose(game)  # type: ignore[no-any-return]


def _inside(argument: Any, parameter: rules.Local) -> Any:
    """A number that is handed over, where it is looked at whether the parameter can have it."""
    type_ = parameter.type.of if isinstance(parameter.type, rules.Maybe) else parameter.type
    if not isinstance(type_, rules.Number) or isinstance(argument, rules.InRange | rules.Constant):
        return argument
    range_ = rules.Range(_number(type_.low), _number(type_.high))
    return rules.InRange(argument, range_, type=argument.type, span=argument.span)


def _wide(type_: Any) -> Any:
    if isinstance(type_, rules.Number):
        return WIDE
    if isinstance(type_, rules.Maybe | rules.Many):
        of = _wide(type_.of)
        return type_ if of is type_.of else attrs.evolve(type_, of=of)
    return type_


def _names(kind: type) -> list[str]:
    return [field.name for field in attrs.fields(kind) if field.name not in ("span", "type")]


def _same(one: Any, other: Any) -> bool:
    return one is other


def _evolved(node: Any, new: dict[str, Any]) -> Any:
    """The node with new values in its fields; itself where none differs."""
    new = {name: value for name, value in new.items() if value is not getattr(node, name)}
    return attrs.evolve(node, **new) if new else node


class _Tree:
    """A game in which single nodes can be changed, with everything that shares them."""

    def __init__(self, game: rules.Game) -> None:
        self.game = game
        self.around: dict[int, list[Any]] = {}
        """For each node, by identity, the nodes right around it."""
        waiting: list[Any] = [game]
        while waiting:
            node = waiting.pop()
            for child in children(node):
                if id(child) not in self.around:
                    waiting.append(child)
                self.around.setdefault(id(child), []).append(node)

    def changed(self, change: _Change) -> rules.Game:
        """The game with one change."""
        touched: set[int] = set()
        waiting = [change.node]
        while waiting:
            node = waiting.pop()
            if id(node) not in touched:
                touched.add(id(node))
                waiting += self.around.get(id(node), [])
        made: dict[int, Any] = {id(change.node): change.instead}

        def rebuilt(value: Any) -> Any:
            if isinstance(value, tuple):
                return _spliced(value, touched, rebuilt)
            if id(value) not in touched or (isinstance(value, rules.PlayPart) and _played(value) is change.node):
                return value
            if id(value) not in made:
                new = {name: rebuilt(getattr(value, name)) for name in _names(type(value))}
                made[id(value)] = _evolved(value, new)
            return made[id(value)]

        return rebuilt(self.game)  # type: ignore[no-any-return]


def _spliced(parts: tuple[Any, ...], touched: set[int], rebuilt: Any) -> tuple[Any, ...]:
    if not any(isinstance(part, tuple) or id(part) in touched for part in parts):
        return parts
    new: list[Any] = []
    for part in parts:
        instead = rebuilt(part)
        new += instead if isinstance(instead, tuple) and not isinstance(part, tuple) else (instead,)
    return parts if len(new) == len(parts) and all(map(_same, new, parts)) else tuple(new)


def _played(part: rules.PlayPart) -> Any:
    """The phase that an example plays: it can still be played by itself where the game leaves it out."""
    body = part.body
    while len(body) == 1 and isinstance(body[0], rules.Phase):
        if body[0].name == part.title:
            return body[0]
        body = body[0].body
    return None


# ---- what can be changed -------------------------------------------------------------------------------

Found = Iterator[tuple[Any, str, str]]
"""What comes in place of a node, the sort of change, and the change in words."""

BINDS = rules.Draw | rules.Pick | rules.Choose | rules.ChooseTogether | rules.Let
ENDS = rules.EndGame | rules.EndPass | rules.Leave | rules.Again | rules.Break
STATEMENTS = (
    rules.Move | rules.Throw | rules.Draw | rules.Shuffle | rules.Pick | rules.Turn | rules.Assign | rules.Do
    | rules.Eliminate | ENDS | rules.Pay | rules.If | rules.Match | rules.For | rules.RepeatTimes | rules.RepeatUntil
    | rules.Choose | rules.ChooseTogether | rules.ChooseLabel | rules.Phase
)  # fmt: skip
NOT_LESS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OTHER_SIGN: dict[str, str] = {"+": "-", "-": "+", "*": "+", "/": "/up", "/up": "/", "mod": "/"}


class _Changes:
    """Finds the changes of one game."""

    def __init__(self, game: rules.Game) -> None:
        self.game = game
        self.zones = [zone for zone in game.zones if not zone.sheet]
        self.declared = {id(part) for node, _ in walk(game) if isinstance(node, rules.Range) for part, _ in walk(node)}
        """What stands in declared ranges: the checker makes loops over an array of them."""
        self.read: Counter[int] = Counter()
        """How often each local stands in the rules."""
        self.nodes = list(self._reached())
        """Each node of the rules with the one around it."""
        for node, _ in self.nodes:
            if isinstance(node, rules.Local | rules.LocalOf):
                self.read[node.number] += 1

    def all(self) -> Iterator[_Change]:
        """Every change of every node."""
        for node, around in self.nodes:
            if id(node) in self.declared:
                continue
            for instead, operator, words in self._of(node, around):
                yield _Change(node, instead, operator, words)

    # ---- which nodes belong to the rules ---------------------------------------------------------------

    def _reached(self) -> Iterator[tuple[Any, Any]]:
        game = self.game
        named = {
            **{("definition", rule.name): rule for rule in game.definitions},
            **{("table", rule.name): rule for rule in game.tables},
            **{("action", rule.name): rule for rule in game.actions},
        }
        winner = (game.winner,) if isinstance(game.winner, rules.Winners) else game.winner
        waiting: list[tuple[Any, Any]] = [
            (node, game)
            for node in (*game.options, *game.kinds, *game.zones, *game.variables, *game.setup, *game.play, *winner)
        ]
        if game.score is not None:
            waiting.append((game.score, game))
        seen: set[int] = set()
        while waiting:
            node, around = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            yield node, around
            waiting += [(part, node) for part in self._parts(node)]
            match node:
                case rules.Call(definition):
                    waiting.append((named["definition", definition], game))
                case rules.TableValue(name):
                    waiting.append((named["table", name], game))
                case rules.Do(action):
                    waiting.append((named["action", action], game))

    def _parts(self, node: Any) -> Iterator[Any]:
        """The nodes directly in a node that belong to the rules: without what checks and what names things."""
        match node:
            case rules.Range() | rules.Domain():
                return
            case rules.InRange(value):
                yield value
            case rules.Amount(kind, low, high):
                if kind in ("exactly", "at least", "between") or (kind == "up to" and high is None):
                    yield low
                if kind in ("up to", "between") and high is not None:
                    yield high
            case rules.Kind():
                yield from (*node.fields, *node.changing, *node.hides)
                if node.rows is None and not node.sheet:
                    yield node.copies
            case _:
                yield from children(node)

    def _only_judged(self, let: rules.Let) -> bool:
        """Whether a name is bound for the sake of properties and measures alone."""
        return self.read[let.bind.number] == 1

    def _unneeded(self, statement: Any) -> bool:
        """Whether nothing outside a statement reads what it binds."""
        inside = Counter(node.number for node, _ in walk(statement) if isinstance(node, rules.Local | rules.LocalOf))
        binds: list[rules.Local | None] = [getattr(node, "bind", None) for node, _ in walk(statement)]
        return all(inside[bind.number] == self.read[bind.number] for bind in binds if bind is not None)

    # ---- changes of one node ---------------------------------------------------------------------------

    def _of(self, node: Any, around: Any) -> Found:
        if isinstance(around, rules.Let) and self._only_judged(around):
            return
        if isinstance(node, STATEMENTS) and self._unneeded(node):
            yield self._left_out(node)
        match node:
            case rules.Move() | rules.Draw() | rules.Assign() | rules.Pay() | rules.Do() | rules.Eliminate():
                yield from self._transfer(node)
            case rules.If() | rules.Match() | rules.For() | rules.RepeatTimes() | rules.RepeatUntil():
                yield from self._control(node)
            case rules.Choose() | rules.ChooseTogether() | rules.ChooseLabel():
                yield from self._decision(node)
            case rules.Phase():
                yield from self._phase(node)
            case rules.Kind() | rules.Table() | rules.Option() | rules.Variable() | rules.Zone() | rules.Changing():
                yield from self._declared(node)
            case rules.Rank() | rules.Game():
                yield from self._rank(node)
            case rules.Constant():
                yield from self._constant(node, around)
            case rules.Valued():
                yield from self._collection(node)
                yield from self._arithmetic(node)
                yield from self._logic(node)
            case rules.Definition(_, _, value) if isinstance(value.type, rules.YesNo):
                yield attrs.evolve(node, value=_not(value)), "condition", f"the opposite of {quoted(value)}"

    def _left_out(self, node: Any) -> tuple[Any, str, str]:
        sort = "left out"
        match node:
            case rules.Phase(name):
                return (), "phase", f"the phase {name} is skipped"
            case rules.Assign(operator="=", value=rules.Constant()):
                sort = "reset"
            case rules.Move() | rules.Assign() | rules.Pay() | rules.Draw():
                sort = "transfer"
        if isinstance(node, ENDS):
            sort = "end"
        return (), sort, f"without {quoted(node)}"

    # ---- statements ------------------------------------------------------------------------------------

    def _transfer(self, node: Any) -> Found:
        text = quoted(node)
        match node:
            case rules.Move(items, to, showing):
                if (back := self._back(items, to)) is not None:
                    yield attrs.evolve(node, items=back[0], to=back[1]), "transfer", f"{text} the other way round"
                if isinstance(items.type, rules.Many):
                    fewer = rules.FirstOf(_less(_count(items)), items, type=items.type, span=items.span)
                    yield attrs.evolve(node, items=fewer), "transfer", f"{text}, but for one that stays"
                for other, words in self._elsewhere(to, items.type):
                    yield attrs.evolve(node, to=other), "elsewhere", f"{text} goes {words}"
                if showing is not None:
                    yield attrs.evolve(node, showing=None), "transfer", f"{text} keeps its faces"
            case rules.Draw(_, source, to):
                if to is not None:
                    for other, words in self._elsewhere(to, source.type):
                        yield attrs.evolve(node, to=other), "elsewhere", f"{text} goes {words}"
            case rules.Assign(place, operator, value):
                yield from self._assignment(node, place, operator, value, text)
            case rules.Pay(amount, source, target):
                yield attrs.evolve(node, source=target, target=source), "transfer", f"{text} the other way round"
                yield (node, node), "transfer", f"{text} twice"
                for change, words in _by_one(amount):
                    yield attrs.evolve(node, amount=change), "off by one", f"{text} with one {words}"
            case rules.Do(_, arguments):
                for swapped in _exchanged(arguments):
                    yield attrs.evolve(node, arguments=swapped), "argument", f"{text} with two values exchanged"
                for index, argument in enumerate(arguments):
                    if isinstance(argument.type, rules.Player):
                        given = (*arguments[:index], _next(argument), *arguments[index + 1 :])
                        yield attrs.evolve(node, arguments=given), "wrong player", f"{text} for the next player"
            case rules.Eliminate(player):
                yield rules.Eliminate(_next(player), span=node.span), "wrong player", f"{text} hits the next player"

    def _assignment(self, node: rules.Assign, place: Any, operator: str, value: Any, text: str) -> Found:
        if operator != "=":
            other: Any = OTHER_SIGN[operator]
            yield attrs.evolve(node, operator=other), "transfer", f"{text} with {other}="
            yield attrs.evolve(node, operator="="), "transfer", f"{text} with ="
            yield (node, node), "transfer", f"{text} twice"
        elif isinstance(place.type, rules.Number) and not isinstance(value, rules.Constant):
            yield attrs.evolve(node, operator="+"), "transfer", f"{text} with +="
        if isinstance(place.type, rules.Number) and not isinstance(value, rules.Constant):
            for change, words in _by_one(value):
                yield attrs.evolve(node, value=change), "off by one", f"{text} with one {words}"
        if isinstance(place, rules.VariableValue) and place.player is not None:
            of = attrs.evolve(place, player=_next(place.player))
            yield attrs.evolve(node, place=of), "wrong player", f"{text} for the next player"

    def _back(self, items: Any, to: rules.Destination) -> tuple[Any, rules.Destination] | None:
        """A move turned round, where it takes items straight out of a zone."""
        match items:
            case rules.ZoneItems(name, _, indexes) if indexes is not None:
                kinds = next((zone.kinds for zone in self.zones if zone.name == name), ())
                if set(_kinds(to.zone.type)) <= set(kinds):
                    return to.zone, rules.Destination(items, span=to.span)
            case rules.Filter(source) | rules.FirstOf(_, source):
                if (back := self._back(source, to)) is not None:
                    return attrs.evolve(items, source=back[0]), back[1]
        return None

    def _elsewhere(self, to: rules.Destination, type_: Any) -> Iterator[tuple[rules.Destination, str]]:
        """Another zone for these items, the next one declared that fits; and the next player's."""
        names = [zone.name for zone in self.zones]
        if to.zone.name not in names:
            return
        at = names.index(to.zone.name)
        here, kinds = self.zones[at], set(_kinds(type_))
        for zone in (*self.zones[at + 1 :], *self.zones[:at]):
            if not kinds <= set(zone.kinds) or (zone.owned and to.zone.player is None):
                continue
            if zone.shape not in ((), here.shape):
                continue
            other = rules.ZoneItems(
                zone.name,
                to.zone.player if zone.owned else None,
                to.zone.indexes if zone.shape else (),
                type=rules.Many(rules.Item(zone.kinds)),
                span=to.zone.span,
            )
            yield rules.Destination(other, span=to.span), f"to {zone.name}"
            break
        if to.zone.player is not None:
            theirs = attrs.evolve(to.zone, player=_next(to.zone.player))
            yield attrs.evolve(to, zone=theirs), f"to the next player's {zone_name(theirs)}"

    def _control(self, node: Any) -> Found:
        match node:
            case rules.If(cases, otherwise):
                yield from self._cases(node, cases, otherwise)
            case rules.Match(_, cases, _):
                for index, case in enumerate(cases):
                    rest = (*cases[:index], *cases[index + 1 :])
                    if self._unneeded(case):
                        yield attrs.evolve(node, cases=rest), "branch", f"without the case {quoted(case)}"
                for index, (one, other) in enumerate(zip(cases, cases[1:], strict=False)):
                    swapped = (attrs.evolve(one, body=other.body), attrs.evolve(other, body=one.body))
                    words = f"{quoted(one)} and {quoted(other)} are exchanged"
                    yield attrs.evolve(node, cases=(*cases[:index], *swapped, *cases[index + 2 :])), "branch", words
            case rules.For(_, source, order):
                if order is not None:
                    turned = attrs.evolve(order, descending=not order.descending)
                    yield attrs.evolve(node, order=turned), "extreme", f"{quoted(node)} in the opposite order"
                fewer = rules.FirstOf(_less(_count(source)), source, type=source.type, span=source.span)
                yield attrs.evolve(node, source=fewer), "transfer", f"{quoted(node)}, but not for the last one"
            case rules.RepeatTimes(count):
                if not isinstance(count, rules.Constant):
                    for change, words in _by_one(count):
                        yield attrs.evolve(node, count=change), "off by one", f"{quoted(node)} one time {words}"
            case rules.RepeatUntil(condition):
                yield attrs.evolve(node, condition=_not(condition)), "condition", f"{quoted(node)} says the opposite"

    def _cases(self, node: rules.If, cases: tuple[rules.Case, ...], otherwise: rules.Body) -> Found:
        text = quoted(node)
        if len(cases) == 1 and not otherwise:
            yield cases[0].body, "condition", f"{text} in any case"
        for index, case in enumerate(cases):
            turned = attrs.evolve(case, condition=_not(case.condition))
            words = f"{quoted(case.condition)} is turned round"
            yield attrs.evolve(node, cases=(*cases[:index], turned, *cases[index + 1 :])), "condition", words
            if len(cases) > 1 and self._unneeded(case):
                rest = (*cases[:index], *cases[index + 1 :])
                yield attrs.evolve(node, cases=rest), "branch", f"without the case {quoted(case.condition)}"
        if otherwise and self._unneeded(rules.If((), otherwise)):
            yield attrs.evolve(node, otherwise=()), "branch", f"{text} without its else"

    def _decision(self, node: Any) -> Found:
        match node:
            case rules.Choose(_, name, owner, _, such_that):
                yield attrs.evolve(node, owner=_next(owner)), "wrong player", f"the next player decides {name}"
                if such_that is not None:
                    yield attrs.evolve(node, such_that=None), "guard", f"{name} without `such that`"
            case rules.ChooseTogether(_, name, players, _, _, _):
                fewer = rules.FirstOf(_less(_count(players)), players, type=players.type, span=players.span)
                yield attrs.evolve(node, players=fewer), "wrong player", f"the last one is not asked for {name}"
            case rules.ChooseLabel(_, name, owner, labels):
                yield attrs.evolve(node, owner=_next(owner)), "wrong player", f"the next player decides {name}"
                yield from self._labels(node, labels)

    def _labels(self, node: rules.ChooseLabel, labels: tuple[rules.Labelled, ...]) -> Found:
        def with_(index: int, *new: rules.Labelled, of: int = 1) -> rules.ChooseLabel:
            return attrs.evolve(node, labels=(*labels[:index], *new, *labels[index + of :]))

        for index, label in enumerate(labels):
            if label.when is not None:
                yield with_(index, attrs.evolve(label, when=None)), "guard", f"{label.name} without `when`"
                turned = attrs.evolve(label, when=_not(label.when))
                yield with_(index, turned), "condition", f"{quoted(label.when)} is turned round"
        for index, (one, other) in enumerate(zip(labels, labels[1:], strict=False)):
            swapped = attrs.evolve(one, body=other.body), attrs.evolve(other, body=one.body)
            yield with_(index, *swapped, of=2), "branch", f"{one.name} and {other.name} do what the other should"

    def _phase(self, node: rules.Phase) -> Found:
        name, kind = node.name, node.kind
        match kind:
            case rules.Once():
                yield attrs.evolve(node, kind=rules.Times(_number(2))), "phase", f"the phase {name} is played twice"
            case rules.Times(count):
                if not isinstance(count, rules.Constant):
                    for change, words in _by_one(count):
                        passes = rules.Times(change, span=kind.span)
                        yield attrs.evolve(node, kind=passes), "phase", f"the phase {name} one time {words}"
            case rules.Until(condition):
                yield self._passes(node, "condition", "until the opposite", condition=_not(condition))
            case rules.EachPlayer():
                yield from self._players(node, kind)

    def _players(self, node: rules.Phase, kind: rules.EachPlayer) -> Found:
        me, where, order, until = kind.me, kind.where, kind.order, kind.until
        if kind.start is not None:
            yield self._passes(node, "wrong player", "begins with the next player", start=_next(kind.start))
            yield self._passes(node, "wrong player", "begins with the first seat", start=None)
        elif self.game.players[1] > 1:
            second = rules.PlayerAt(_number(2), type=PLAYER)
            yield self._passes(node, "wrong player", "begins with the second seat", start=second)
        if where is not None:
            yield self._passes(node, "condition", f"without {quoted(where)}", where=None)
            yield self._passes(node, "condition", f"{quoted(where)} is turned round", where=_not(where))
        if order is not None:
            yield self._passes(node, "wrong player", "without its order", order=None)
            turned = attrs.evolve(order, descending=not order.descending)
            yield self._passes(node, "extreme", "in the opposite order", order=turned)
        if until is not None:
            yield self._passes(node, "end", "without an end", until=None)
            yield self._passes(node, "condition", "until the opposite", until=_not(until))
        if not kind.in_turn:
            yield rules.RepeatTimes(_number(2), (node,), span=node.span), "phase", f"{node.name} is played twice"
            if self.game.players[1] > 1:
                first = rules.PlayerAt(_number(1), type=PLAYER)
                spared: Any = rules.Compare("is not", me, first, type=YES_NO)
                both = spared if where is None else rules.Both((spared, where), type=YES_NO)
                yield self._passes(node, "wrong player", "spares the first player", where=both)

    @staticmethod
    def _passes(node: rules.Phase, operator: str, words: str, **new: Any) -> tuple[Any, str, str]:
        return attrs.evolve(node, kind=attrs.evolve(node.kind, **new)), operator, f"the phase {node.name} {words}"

    # ---- declarations ----------------------------------------------------------------------------------

    def _declared(self, node: Any) -> Found:
        match node:
            case rules.Kind():
                yield from self._kind(node)
            case rules.Table(name, shape, values):
                if shape:
                    yield from self._table(node, name, values)
            case rules.Option(name, _, domain, default):
                if isinstance(default, rules.Constant):
                    for value in _others(default.value, domain.type):
                        new = attrs.evolve(default, value=value)
                        words = f"{name} is {_said(value, domain.type)}"
                        yield attrs.evolve(node, default=new), "printed value", words
            case rules.Variable(name, _, _, domain, initial, visibility):
                if isinstance(initial, rules.Constant):
                    for value in _others(initial.value, domain.type):
                        new = attrs.evolve(initial, value=value)
                        words = f"{name} begins as {_said(value, domain.type)}"
                        yield attrs.evolve(node, initial=new), "printed value", words
                if visibility != "open":
                    yield attrs.evolve(node, visibility="open"), "secret", f"{name} lies open"
            case rules.Zone(name, visibility=visibility) | rules.Changing(name, visibility=visibility):
                if visibility != "open":
                    yield attrs.evolve(node, visibility="open"), "secret", f"{name} lies open"

    def _kind(self, node: rules.Kind) -> Found:
        for index, hide in enumerate(node.hides):
            hides = (*node.hides[:index], *node.hides[index + 1 :])
            yield attrs.evolve(node, hides=hides), "secret", f"{', '.join(hide.fields)} of {node.name} is not hidden"
        if node.faces is not None:
            for faces, words in _faces(node.faces):
                yield attrs.evolve(node, faces=faces), "printed value", f"{node.name}: {words}"
        for index, field in enumerate(node.fields):
            range_ = field.domain.range
            if field.value is None and node.rows is None and range_ is not None:
                for ends, words in _ends(range_):
                    domain = attrs.evolve(field.domain, range=ends)
                    fields = (*node.fields[:index], attrs.evolve(field, domain=domain), *node.fields[index + 1 :])
                    yield attrs.evolve(node, fields=fields), "printed value", f"{node.name}: {field.name} {words}"
        plain = [field for field in node.fields if field.value is None]
        for index, row in enumerate(node.rows or ()):
            assert node.rows is not None
            if (new := self._row(row, plain, index)) is not None:
                rows = (*node.rows[:index], new[0], *node.rows[index + 1 :])
                yield attrs.evolve(node, rows=rows), "printed value", f"{node.name} row {index + 1}: {new[1]}"

    @staticmethod
    def _row(row: rules.Row, fields: Sequence[rules.Field], index: int) -> tuple[rules.Row, str] | None:
        """One entry of a row changed, another one in each row."""
        for column in range(index, index + len(fields) + 1):
            place = column % (len(fields) + 1)
            if place == len(fields):
                return attrs.evolve(row, copies=row.copies + 1), f"one copy more than {row.copies}"
            for value in _others(row.values[place], fields[place].domain.type):
                values = (*row.values[:place], value, *row.values[place + 1 :])
                said = _said(value, fields[place].domain.type)
                return attrs.evolve(row, values=values), f"{fields[place].name} is {said}"
        return None

    @staticmethod
    def _table(node: rules.Table, name: str, values: tuple[Any, ...]) -> Found:
        """One entry of each row changed."""
        last = node.shape[-1].type
        width = (
            len(last.names)
            if isinstance(last, rules.Member)
            else min(last.high - last.low + 1, len(values))
            if isinstance(last, rules.Number)
            else len(values)
        )
        for start in range(0, len(values), width):
            row = values[start : start + width]
            at = (len(row) // 2 + start // width) % len(row)
            for column in (*range(at, len(row)), *range(at)):
                entry = row[column]
                new = list(_constants(entry)) if isinstance(entry, rules.Constant) else []
                if new:
                    changed = (*values[: start + column], new[0], *values[start + column + 1 :])
                    said = _said(new[0].value, entry.type)
                    yield (
                        attrs.evolve(node, values=changed),
                        "printed value",
                        f"{name} entry {start + column + 1}: {said}",
                    )
                    break

    def _rank(self, node: Any) -> Found:
        if isinstance(node, rules.Rank):
            yield attrs.evolve(node, highest=not node.highest), "extreme", f"{quoted(node)} is turned round"
            if not isinstance(self.game.winner, rules.Winners) and len(self.game.winner) > 1:
                yield (), "left out", f"without {quoted(node)}"

    # ---- expressions -----------------------------------------------------------------------------------

    def _constant(self, node: rules.Constant, around: Any) -> Found:
        inside = isinstance(around, rules.Neighbour | rules.Option | rules.Variable)
        if inside or (isinstance(around, rules.Table) and around.shape) or node.span == around.span:
            return
        new = list(_constants(node))
        if isinstance(around, rules.PlayerAt | rules.Arithmetic) and len(new) > 1:
            new = new[:1]
        for other in new:
            if isinstance(around, rules.Kind):
                yield other, "printed value", f"{around.name}: {other.value} of each"
                continue
            sort = "off by one" if isinstance(node.type, rules.Number) else "printed value"
            yield other, sort, f"{_said(other.value, node.type)} for {quoted(node)} in {quoted(around)}"

    def _collection(self, node: Any) -> Found:
        text = quoted(node)
        match node:
            case rules.Filter(source, _, condition):
                if source.type == node.type:
                    yield source, "condition", f"{quoted(source)} without {quoted(condition)}"
                yield attrs.evolve(node, condition=_not(condition)), "condition", f"{quoted(condition)} is turned round"
            case rules.Aggregate(kind, source, default):
                yield from self._aggregate(node, kind, source, default)
            case rules.Extreme(highest=highest):
                yield attrs.evolve(node, highest=not highest), "extreme", f"{text} with the other end"
            case rules.Ranked(largest=largest):
                yield attrs.evolve(node, largest=not largest), "extreme", f"{text} with the other end"
            case rules.Union(left, right):
                for part in (left, right):
                    if part.type == node.type:
                        yield part, "transfer", f"{quoted(part)} alone for {text}"
            case rules.Difference(left, _):
                yield left, "transfer", f"{quoted(left)} alone for {text}"
            case rules.Span_(_, high):
                if not isinstance(high, rules.Constant):
                    for change, words in _by_one(high):
                        yield attrs.evolve(node, high=change), "off by one", f"{text} goes one {words}"
            case rules.Others():
                yield rules.Players(type=node.type, span=node.span), "wrong player", f"`players` for {text}"
            case rules.Players(everyone):
                word = "players" if everyone else "everyone"
                yield attrs.evolve(node, everyone=not everyone), "wrong player", f"`{word}` for {text}"
            case rules.Neighbour(player, steps):
                back = _number(-steps.value) if isinstance(steps, rules.Constant) and steps.value else _number(-1)
                yield attrs.evolve(node, steps=back), "wrong player", f"{text} goes the other way"
                yield player, "wrong player", f"{quoted(player)} for {text}"

    @staticmethod
    def _aggregate(node: rules.Aggregate, kind: str, source: Any, default: Any) -> Found:
        text = quoted(node)
        numbers = isinstance(source.type, rules.Many) and isinstance(source.type.of, rules.Number)
        match kind:
            case "sum" if numbers:
                yield attrs.evolve(node, kind="max", default=_number(0)), "extreme", f"the greatest for {text}"
            case "max" | "min":
                other: Any = "min" if kind == "max" else "max"
                yield attrs.evolve(node, kind=other), "extreme", f"{other} for {text}"
            case "any" | "all":
                if isinstance(source.type, rules.Many) and isinstance(source.type.of, rules.YesNo):
                    turned: Any = "all" if kind == "any" else "any"
                    yield attrs.evolve(node, kind=turned), "condition", f"{turned} for {text}"
            case "distinct":
                yield source, "left out", f"{quoted(source)} for {text}"

    @staticmethod
    def _arithmetic(node: Any) -> Found:
        text = quoted(node)
        match node:
            case rules.Greatest(values, highest):
                yield attrs.evolve(node, highest=not highest), "extreme", f"the other end for {text}"
                for value in values:
                    yield value, "extreme", f"{quoted(value)} alone for {text}"
            case rules.Arithmetic(operator):
                other: Any = OTHER_SIGN[operator]
                said = {"/up": "/ rounded up"}.get(other, other)
                yield attrs.evolve(node, operator=other), "off by one", f"{said} in {text}"
            case rules.Absolute(value):
                yield value, "left out", f"{quoted(value)} for {text}"
            case rules.Call(_, arguments):
                for swapped in _exchanged(arguments):
                    yield attrs.evolve(node, arguments=swapped), "argument", f"{text} with two values exchanged"

    @staticmethod
    def _logic(node: Any) -> Found:
        text = quoted(node)
        match node:
            case rules.Compare(operator, left, right) if operator in NOT_LESS:
                other: Any = NOT_LESS[operator]
                if not (isinstance(left, rules.Constant) or isinstance(right, rules.Constant)):
                    yield attrs.evolve(node, operator=other), "off by one", f"{other} in {text}"
            case rules.Both(terms) | rules.Either(terms):
                for index, term in enumerate(terms):
                    rest = (*terms[:index], *terms[index + 1 :])
                    less = rest[0] if len(rest) == 1 else attrs.evolve(node, terms=rest)
                    yield less, "condition", f"without {quoted(term)} in {text}"
                join = rules.Either if isinstance(node, rules.Both) else rules.Both
                word = "or" if join is rules.Either else "and"
                yield join(terms, type=YES_NO, span=node.span), "condition", f"`{word}` in {text}"
            case rules.Conditional(condition, then, otherwise):
                turned = attrs.evolve(node, then=otherwise, otherwise=then)
                yield turned, "branch", f"the opposite of {quoted(condition)} in {text}"
            case rules.Mapped(value=value) if isinstance(value.type, rules.YesNo):
                yield attrs.evolve(node, value=_not(value)), "condition", f"{quoted(value)} is turned round"


# ---- pieces --------------------------------------------------------------------------------------------


def quoted(node: Any) -> str:
    """How a node is written, on one line, in quotes."""
    span: Span = node.span
    if span is NOWHERE or not span.source.text:
        return type(node).__name__.lower()
    head = span.head.text if isinstance(node, STATEMENTS) else span.text
    text = " ".join(head.split()).removesuffix(":")
    return f"`{text}`" if len(text) <= LONGEST else f"`{text[: LONGEST - 1].rstrip()}…`"


def zone_name(zone: rules.ZoneItems) -> str:
    """A zone's name."""
    return zone.name


def _number(value: int) -> rules.Constant:
    return rules.Constant(value, type=WIDE)


def _less(value: Any) -> rules.Arithmetic:
    return rules.Arithmetic("-", value, _number(1), False, type=WIDE, span=value.span)


def _by_one(value: Any) -> Iterator[tuple[Any, str]]:
    """A number with one added and with one taken away."""
    yield rules.Arithmetic("+", value, _number(1), False, type=WIDE, span=value.span), "more"
    yield _less(value), "less"


def _count(items: Any) -> rules.Aggregate:
    return rules.Aggregate("count", items, type=WIDE, span=items.span)


def _not(condition: Any) -> Any:
    if isinstance(condition, rules.Not):
        return condition.value
    return rules.Not(condition, type=YES_NO, span=condition.span)


def _next(player: Any) -> rules.Neighbour:
    return rules.Neighbour(player, _number(1), type=PLAYER, span=player.span)


def _exchanged(arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Arguments with two neighbours of one type exchanged."""
    for index, (one, other) in enumerate(zip(arguments, arguments[1:], strict=False)):
        if one.type == other.type and one != other:
            yield (*arguments[:index], other, one, *arguments[index + 2 :])


def _kinds(type_: Any) -> tuple[str, ...]:
    while isinstance(type_, rules.Many | rules.Maybe):
        type_ = type_.of
    return type_.kinds if isinstance(type_, rules.Item) else ()


def _others(value: Any, type_: Any) -> list[Any]:
    """One or two other values of a type, close to this one."""
    match type_:
        case rules.Maybe(of):
            return [] if value is None else _others(value, of)
        case rules.YesNo():
            return [not value]
        case rules.Member(_, names):
            return [(value + 1) % len(names)] if len(names) > 1 else []
        case rules.Number(low, high):
            return [other for other in (value + 1, value - 1) if low <= other <= high]
    return []


def _constants(node: rules.Constant) -> Iterator[rules.Constant]:
    """A constant with other values: one more and one less (not below zero) for a number."""
    for value in _others(node.value, node.type):
        if not (node.value == 0 and value == -1):
            yield attrs.evolve(node, value=value)


def _said(value: Any, type_: Any) -> str:
    while isinstance(type_, rules.Maybe):
        type_ = type_.of
    if isinstance(type_, rules.Member):
        return str(type_.names[value])
    if isinstance(type_, rules.YesNo):
        return "yes" if value else "no"
    return str(value)


def _ends(range_: rules.Range) -> Iterator[tuple[rules.Range, str]]:
    """A range of printed numbers that goes one further, or one less far."""
    for change, words in _by_one(range_.high):
        yield attrs.evolve(range_, high=change), f"goes one {words} far" if words == "less" else "goes one further"


def _faces(faces: rules.Faces) -> Iterator[tuple[rules.Faces, str]]:
    """Other faces: one more or less in a range; one twice as often, or printed like the one before it."""
    if faces.range is not None:
        for ends, words in _ends(faces.range):
            yield attrs.evolve(faces, range=ends), f"{faces.name} {words}"
        return
    for index, among in enumerate(faces.sets):
        pairs = among.faces
        for at, (face, weight) in enumerate(pairs):
            more = attrs.evolve(among, faces=(*pairs[:at], (face, weight + 1), *pairs[at + 1 :]))
            words = f"the face {_said(face, faces.type)} once more"
            yield attrs.evolve(faces, sets=(*faces.sets[:index], more, *faces.sets[index + 1 :])), words
            break
