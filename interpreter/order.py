"""Of which components it can matter in what order equal ones stand in a set.

Items of a kind with the same fixed fields are twins, and play goes on alike when they change places, with all that
they show and wherever they lie: unless the rules take the first of a set, or go through one in its order. What is said
here errs on the side of the order.
"""

from collections.abc import Iterable, Iterator

import attrs

from ..dsl import rules
from ..dsl.tree import walk
from .layout import Layout, kinds_of
from .liveness import Live, Liveness, Mark
from .sight import fields_behind


def in_order(layout: Layout, liveness: Liveness) -> frozenset[str]:
    """The kinds of which equal items may not change places."""
    return frozenset(_Order(layout, liveness).kinds)


class _Order:
    """Goes through the rules once."""

    def __init__(self, layout: Layout, liveness: Liveness) -> None:
        self.layout = layout
        self.kinds: set[str] = set()
        self._twins = {self.layout.kind_of[family[0]].rule.name for family in self.layout.families}
        self._held: set[str] = set()
        """The kinds of items that rules hold on to while something else is asked."""
        self._shown: set[tuple[str, str]] = set()
        """Kinds with zones in which equal items may differ, where something is asked."""
        if self._twins:
            nodes = [node for root in liveness.roots for node, _ in walk(root)]
            self._locals = {local.number: local.type for node in nodes for local in _binds(node)}
            for node in nodes:
                if isinstance(node, rules.Statement) and node.span in liveness.at:
                    self._asks(node, liveness.at[node.span])
            plain = {id(source) for node in nodes for source in _unordered(node)}
            for node in nodes:
                self._look(node, id(node) in plain)

    def _asks(self, node: rules.Rule, live: Live) -> None:
        """What rules hold on to, and what items may show, where something is asked. Of what looks alike the lowest is
        chosen, though they may hold on to another."""
        parts = node.parts if isinstance(node, rules.Choose | rules.ChooseTogether) else ()
        own = {part.bind.number for part in parts}
        own |= {node.bind.number} if isinstance(node, rules.Draw | rules.Pick) and node.bind is not None else set()
        self._shown |= {(str(mark[1]), str(mark[3])) for mark in live if mark[0] == "field"}
        held = {mark: self._kinds(mark) for mark in live if mark[0] != "field" and mark[1] not in own}
        self._held = self._held.union(*held.values())
        for part in parts:
            source = part.source
            while isinstance(source, rules.Filter):
                source = source.source
            others = [kinds for mark, kinds in held.items() if mark != ("local", getattr(source, "number", None))]
            self._add(set(kinds_of(part.bind.type)).intersection(*[set().union(*others)]))

    def _kinds(self, mark: Mark) -> set[str]:
        """The kinds of the items that a variable or a local holds."""
        if mark[0] == "var":
            return set(kinds_of(self.layout.types[self.layout.variables[str(mark[1])].base]))
        type_ = self._locals.get(int(mark[1]))
        return set(kinds_of(type_)) if type_ is not None else set()

    def _look(self, node: attrs.AttrsInstance, plain: bool) -> None:
        match node:
            case rules.FirstOf(_, source):
                self._add(kind for kind in kinds_of(node.type) if not self._alike(kind, source))
            case rules.For(bind, source, _, body):
                if not _Commuting(self.layout, bind).holds(body):
                    self._add(kind for kind in kinds_of(bind.type) if not self._alike(kind, source))
            case rules.Move(items, to) if self.layout.zone_rules[to.zone.name].stacked:
                if isinstance(items.type, rules.Many):
                    self._add(kind for kind in kinds_of(items.type) if not self._dull(kind))
            case rules.Aggregate("distinct", source) if not plain:
                self._listed(source)
            case rules.Compare(_, left, right) if isinstance(left.type, rules.Many) and not kinds_of(left.type):
                self._listed(left, right)
            case rules.Monotone(_, value) if isinstance(value.type, rules.Many):
                self._listed(value)

    def _add(self, kinds: Iterable[str]) -> None:
        self.kinds |= self._twins.intersection(kinds)

    def _listed(self, *lists: rules.Expr) -> None:
        """Lists whose order counts."""
        for each in lists:
            for node, _ in walk(each):
                if isinstance(node, rules.Valued):
                    self._add(kinds_of(node.type))

    # ---- sets in which equal items differ in nothing ---------------------------------------------------

    def _dull(self, kind: str) -> bool:
        """Whether equal items of a kind can differ only in where they lie."""
        rule = self.layout.kinds[kind].rule
        return rule.faces is None and not rule.changing and kind not in self._held

    def _alike(self, kind: str, source: rules.Expr) -> bool:
        """Whether equal items of a kind differ in nothing while they are in a set."""
        zone = self._zone(source)
        return zone is not None and kind not in self._held and (kind, zone) not in self._shown

    def _zone(self, items: rules.Expr) -> str | None:
        """The zone without an order, if items surely lie in one part of one."""
        match items:
            case rules.ZoneItems(name, player, indexes):
                zone = self.layout.zone_rules[name]
                single = (player is not None or not zone.owned) and (indexes is not None or not zone.shape)
                return name if single and not zone.stacked else None
            case rules.Filter(source, each, condition):
                terms = condition.terms if isinstance(condition, rules.Both) else (condition,)
                inside = [term.source for term in terms if isinstance(term, rules.Contains) and term.element == each]
                return next(filter(None, map(self._zone, [source, *inside])), None)
            case rules.Extreme(source) | rules.FirstOf(_, source) | rules.Difference(source) | rules.Only(source):
                return self._zone(source)
        return None


def _binds(node: attrs.AttrsInstance) -> Iterator[rules.Local]:
    """The locals that a statement binds, or an action."""
    match node:
        case rules.Let(bind) | rules.For(bind) | rules.Pick(bind=bind):
            yield bind
        case rules.Draw(bind=bind) if bind is not None:
            yield bind
        case rules.Choose(parts=parts) | rules.ChooseTogether(parts=parts):
            yield from [part.bind for part in parts]
        case rules.Action(parameters=parameters):
            yield from parameters


def _unordered(node: attrs.AttrsInstance) -> tuple[rules.Expr, ...]:
    """What a node makes something of without a look at its order."""
    match node:
        case rules.Aggregate("count" | "any" | "all" | "sum" | "max" | "min", source) | rules.Contains(_, source):
            return (source,)
    return ()


@attrs.define(eq=False)
class _Commuting:
    """Whether a loop over items comes to the same in any order: each time only the item changes, and what is added up,
    and nothing that changes is read for another."""

    layout: Layout
    each: rules.Local
    added: dict[str, str] = attrs.Factory(dict)
    """Variables with how they change."""
    changed: set[str] = attrs.Factory(set)
    """Fields of the item."""
    moved: bool = False
    read: set[str] = attrs.Factory(set)
    """Variables and, of other items, fields."""
    placed: bool = False
    """Whether it matters where something lies."""

    def holds(self, body: rules.Body) -> bool:
        """The same whatever the order."""
        fine = all([self._statement(statement) for statement in body])
        return fine and not (self.added.keys() | self.changed) & self.read and not (self.moved and self.placed)

    def _statement(self, statement: rules.Statement) -> bool:
        match statement:
            case rules.Assign(rules.VariableValue(name) as place, "+=" | "-=" as how, value):
                self._reads(value, *place.indexes, *([place.player] if place.player is not None else []))
                return self.added.setdefault(name, how) == how and self._positive(value)
            case rules.Assign(rules.FieldOf(rules.Local(number), field), _, value):
                self._reads(value)
                self.changed.add(field)
                return number == self.each.number
            case rules.Turn(rules.Local(number) as item, face):
                self._reads(face)
                self.changed |= self._faces(item)
                return number == self.each.number
            case rules.Move(rules.Local(number) as item, rules.Destination(zone, "top", None), showing):
                self._reads(*(zone.indexes or ()), *[part for part in (zone.player, showing) if part is not None])
                self.moved = True
                self.changed |= self._faces(item) if showing is not None else set()
                return number == self.each.number and not self.layout.zone_rules[zone.name].stacked
            case rules.If(cases, otherwise):
                self._reads(*[case.condition for case in cases])
                return all([self._all(body) for body in [*[case.body for case in cases], otherwise]])
            case rules.Let(_, value):
                self._reads(value)
                return True
        return False

    def _all(self, body: rules.Body) -> bool:
        return all([self._statement(statement) for statement in body])

    def _faces(self, item: rules.Expr) -> set[str]:
        kinds = [self.layout.kinds[name].rule for name in kinds_of(item.type)]
        return {kind.faces.name for kind in kinds if kind.faces is not None}

    def _positive(self, value: rules.Expr) -> bool:
        """Whether a number is surely not below zero: then a sum goes one way only, and leaves its range or not."""
        return isinstance(value.type, rules.Number) and value.type.low >= 0

    def _reads(self, *exprs: rules.Expr) -> None:
        for node in self._nodes(exprs, set()):
            match node:
                case rules.VariableValue(name):
                    self.read.add(name)
                case rules.FieldOf(rules.Local(number), _) if number == self.each.number:
                    pass
                case rules.FieldOf(item, field):
                    for kind in kinds_of(item.type):
                        self.read |= fields_behind(self.layout.kinds[kind].rule, field)
                case rules.ZoneItems() | rules.OwnerOf() | rules.PlaceOf() | rules.ItemAt():
                    self.placed = True

    def _nodes(self, exprs: Iterable[attrs.AttrsInstance], seen: set[str]) -> Iterator[attrs.AttrsInstance]:
        """All nodes, also those of the definitions that are used."""
        for expr in exprs:
            for node, _ in walk(expr):
                yield node
                if isinstance(node, rules.Call) and node.definition not in seen:
                    seen.add(node.definition)
                    called = next(each for each in self.layout.game.definitions if each.name == node.definition)
                    yield from self._nodes([called.value], seen)
