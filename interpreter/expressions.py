"""Expressions as closures over the memory: `f(memory) -> value`, made once, with common shapes made short.

Nothing here looks at a tree while a game is played. What an expression binds (an element of a set, a definition's
parameter) stands in a scratch slot; that is enough because definitions never call themselves.
"""

from operator import itemgetter
from typing import Any, assert_never

from ..dsl import rules
from ..dsl.source import Span
from . import fields, operations, sets
from .closures import (
    Memory,
    Read,
    all_of,
    any_of,
    fault,
    inside,
    neighbour,
    only,
    others,
    player_at,
    total,
    within_64_bits,
    without,
)
from .layout import IN, LEFT, Block, Layout, kinds_of
from .watch import MOST_ROWS, Watch


class Expressions:
    """Makes closures for one layout; knows the slot of every local met so far."""

    def __init__(self, layout: Layout, watch: Watch | None = None) -> None:
        self.layout = layout
        self.watch = watch
        self.locals: dict[int, int] = {}
        """Slots of locals: the program's in the state, all others in scratch."""
        self.together: dict[int, int] = {}
        """For what players choose together: the slot of the first seat."""
        self._scratch = LEFT
        self._definitions = {rule.name: rule for rule in layout.game.definitions}
        self._bodies: dict[str, Read] = {}

    def slot(self, local: rules.Local) -> int:
        """The slot of a local; a new one in scratch if the program has none for it."""
        if local.number not in self.locals:
            self._scratch -= 1
            self.locals[local.number] = self._scratch
        return self.locals[local.number]

    def value(self, expr: rules.Expr) -> Any:
        """What an expression is worth before play, where only options, constants and players may be read."""
        return self.read(expr)([tuple(range(self.layout.players)), *[None] * self.layout.scratch])

    def fold(self, expr: rules.Expr) -> rules.Expr:
        """A constant in place of an expression that can only have one value here."""
        match expr:
            case rules.OptionValue(name):
                return self._constant(expr, self.layout.options[name])
            case rules.TableValue(_, indexes):
                if all(isinstance(self.fold(index), rules.Constant) for index in indexes):
                    return self._constant(expr, self.value(expr))
            case rules.Arithmetic(_, left, right):
                if all(isinstance(self.fold(side), rules.Constant) for side in (left, right)):
                    return self._constant(expr, self.value(expr))
            case rules.Compare(_, left, right):
                sides = (self.fold(left), self.fold(right))
                if all(isinstance(side, rules.Constant) for side in sides):
                    return self._constant(expr, self.value(expr))
            case rules.Not(value):
                inner = self.fold(value)
                if isinstance(inner, rules.Constant):
                    return self._constant(expr, not inner.value)
            case rules.Conditional(condition, then, otherwise):
                test = self.fold(condition)
                if isinstance(test, rules.Constant):
                    return self.fold(then if test.value else otherwise)
        return expr

    @staticmethod
    def _constant(expr: rules.Expr, value: Any) -> rules.Constant:
        return rules.Constant(value, span=expr.span, type=expr.type)

    def read(self, expr: rules.Expr) -> Read:
        """The closure that gives an expression's value."""
        expr = self.fold(expr) if not isinstance(expr, rules.TableValue | rules.Arithmetic | rules.Compare) else expr
        match expr:
            case rules.Constant(value):
                return lambda m: value
            case rules.Local():
                return itemgetter(self.slot(expr))
            case rules.VariableValue():
                return self._variable(expr)
            case rules.ZoneItems():
                return self._zone_items(expr)
            case rules.FieldOf():
                return fields.field_of(self, expr)
            case rules.Arithmetic():
                return operations.arithmetic(self, expr)
            case rules.Compare():
                return operations.compare(self, expr)
            case rules.Aggregate():
                return sets.aggregate(self, expr)
            case rules.Filter():
                return sets.filtered(self, expr)
            case rules.Mapped():
                return sets.mapped(self, expr)
            case rules.Both(terms):
                return all_of([self.read(term) for term in terms])
            case rules.Either(terms):
                return any_of([self.read(term) for term in terms])
            case rules.Not(value):
                inner = self.read(value)
                return lambda m: not inner(m)
            case rules.Conditional():
                return operations.conditional(self, expr)
            case rules.Call():
                return operations.call(self, expr)
            case rules.Something(value):
                return self._something(self.read(value), expr.span)
            case rules.InRange(value, range_):
                return inside(self.sure(value), (self.value(range_.low), self.value(range_.high)), expr.span)
            case rules.OptionValue(name):
                option = self.layout.options[name]
                return lambda m: option
            case rules.TableValue():
                return self._table(expr)
            case rules.LocalOf():
                return self._chosen(expr)
            case rules.AllItems(kind):
                every = tuple(range(self.layout.kinds[kind].first, self.layout.kinds[kind].end))
                return lambda m: every
            case rules.Players(everyone):
                seats = tuple(range(self.layout.players))
                return (lambda m: seats) if everyone else itemgetter(IN)
            case rules.Others(player):
                return others(self.sure(player))
            case rules.Span_():
                return sets.numbers(self, expr)
            case rules.Members():
                members = _members(expr.type)
                return lambda m: members
            case rules.Greatest(values, highest):
                parts, best = [self.sure(value) for value in values], max if highest else min
                return lambda m: best([part(m) for part in parts])
            case rules.Extreme():
                return sets.extreme(self, expr)
            case rules.Ranked(count, source, largest):
                some, listed = self.sure(count), self.elements(source)
                return lambda m: tuple(sorted(listed(m), reverse=largest)[: max(some(m), 0)])
            case rules.FirstOf(count, source):
                some, listed = self.sure(count), self.read(source)
                return lambda m: listed(m)[: max(some(m), 0)]
            case rules.Only(source):
                return only(self.read(source), expr.span)
            case rules.Absolute(value):
                inner = self.sure(value)
                return within_64_bits(lambda m: abs(inner(m)), expr.span)
            case rules.Contains(element, rules.Span_() as numbers):
                return sets.between(self, element, numbers)
            case rules.Contains(element, source):
                one, many = self.read(element), self.read(source)
                return lambda m: one(m) in many(m)
            case rules.Union():
                return sets.union(self, expr)
            case rules.Difference(left, right):
                kept, dropped = self.read(left), self.read(right)
                return lambda m: without(kept(m), dropped(m))
            case rules.Neighbour(player, steps):
                return neighbour(self.sure(player), self.sure(steps), expr.span)
            case rules.SeatOf(player):
                seat = self.sure(player)
                return lambda m: seat(m) + 1
            case rules.PlayerAt(seat):
                return player_at(self.sure(seat), self.layout.players, expr.span)
            case rules.TeamOf(player):
                seat, teams = self.sure(player), self.layout.game.teams or self.layout.players
                return lambda m: seat(m) % teams + 1
            case rules.OwnerOf():
                return fields.owner_of(self, expr)
            case rules.ItemAt():
                return fields.item_at(self, expr)
            case rules.PlaceOf():
                return fields.place_of(self, expr)
            case _:
                assert_never(expr)

    def sure(self, expr: rules.Expr) -> Read:
        """The same for a place where `none` is no use."""
        read = self.read(expr)
        return self._something(read, expr.span) if isinstance(expr.type, rules.Maybe) else read

    @staticmethod
    def _something(read: Read, span: Span) -> Read:
        def given(m: Memory) -> Any:
            value = read(m)
            if value is None:
                raise fault("there is a value here only sometimes, and now there is none", span)
            return value

        return given

    def _chosen(self, expr: rules.LocalOf) -> Read:
        """What a player has chosen together with others; a fault for one who was not among them."""
        first, seat, name, span = self.together[expr.number], self.sure(expr.player), expr.name, expr.span

        def chosen(m: Memory) -> Any:
            player = seat(m)
            value = m[first + player]
            if value is None:
                raise fault(f"player {player + 1} has chosen no {name}", span)
            return value

        return chosen

    def elements(self, expr: rules.Expr) -> Read:
        """The same for a list to be added up or put in order, where `none` is no use among the elements."""
        read = self.read(expr)
        if not (isinstance(expr.type, rules.Many) and isinstance(expr.type.of, rules.Maybe)):
            return read
        span = expr.span

        def given(m: Memory) -> Any:
            values = read(m)
            if None in values:
                raise fault("one of these values is none", span)
            return values

        return given

    def items(self, expr: rules.Expr) -> Read:
        """A tuple of items, for a set or for one item."""
        if isinstance(expr.type, rules.Many):
            return self.read(expr)
        one = self.sure(expr)
        return lambda m: (one(m),)

    def offset(self, shape: tuple[Any, ...], indexes: tuple[rules.Expr, ...], span: Span) -> int | Read:
        """Where the element for these indexes stands, row by row; a number where that is known before play."""
        known, unknown = 0, list[tuple[Read, int]]()
        for dimension, index in zip(shape, indexes, strict=True):
            known *= dimension.size
            unknown = [(read, step * dimension.size) for read, step in unknown]
            index = self.fold(index)
            if isinstance(index, rules.Constant):
                known += self._inside(int(index.value or 0), dimension, span)
            else:
                unknown.append((self._index(index, dimension, span), 1))
        return total(known, unknown)

    @staticmethod
    def _inside(index: int, dimension: Any, span: Span) -> int:
        if not 0 <= index - dimension.first < dimension.size:
            raise fault(f"there is no element {index}", span)
        return index - int(dimension.first)

    def _index(self, index: rules.Expr, dimension: Any, span: Span) -> Read:
        read, first, size = self.sure(index), dimension.first, dimension.size
        type_ = index.type.of if isinstance(index.type, rules.Maybe) else index.type
        if not isinstance(type_, rules.Number) or (first <= type_.low and type_.high < first + size):
            return (lambda m: read(m) - first) if first else read

        def checked(m: Memory) -> int:
            number: int = read(m) - first
            if not 0 <= number < size:
                raise fault(f"there is no element {number + first}: it must be in {first}..{first + size - 1}", span)
            return number

        return checked

    def element(
        self, block: Block, player: rules.Expr | None, indexes: tuple[rules.Expr, ...], span: Span
    ) -> int | Read:
        """The slot of an element of a variable or of a zone's part; a number where that is known before play."""
        inside = self.offset(block.shape, indexes, span)
        base, stride, width = block.base, block.stride, block.width
        if player is None:
            return base + inside * width if isinstance(inside, int) else total(base, [(inside, width)])
        if isinstance(player := self.fold(player), rules.Constant):
            seat_base = base + int(player.value or 0) * stride
            return seat_base + inside * width if isinstance(inside, int) else total(seat_base, [(inside, width)])
        seat = self.sure(player)
        if isinstance(inside, int):
            return total(base + inside * width, [(seat, stride)])
        return total(base, [(seat, stride), (inside, width)])

    def _variable(self, expr: rules.VariableValue) -> Read:
        block = self.layout.variables[expr.name]
        if block.stride == 1 and isinstance(expr.player, rules.Local):
            own, base = self.slot(expr.player), block.base
            return lambda m: m[base + m[own]]
        slot = self.element(block, expr.player, expr.indexes, expr.span)
        return itemgetter(slot) if isinstance(slot, int) else lambda m: m[slot(m)]

    def zone(self, zone: rules.ZoneItems) -> int | Read:
        """The slot of a zone's part."""
        assert zone.indexes is not None, "the checker lets nothing move to all parts of a zone at once"
        return self.element(self.layout.zones[zone.name], zone.player, zone.indexes, zone.span)

    def _zone_items(self, expr: rules.ZoneItems) -> Read:
        if expr.name in self.layout.sheets:
            return self._cells(expr)
        block = self.layout.zones[expr.name]
        if expr.indexes is None:
            return self._all_parts(block, expr)
        slot = self.zone(expr)
        return itemgetter(slot) if isinstance(slot, int) else lambda m: m[slot(m)]

    def _cells(self, expr: rules.ZoneItems) -> Read:
        sheets = self.layout.sheets[expr.name]
        if expr.player is None:
            cells = sheets[0]
            return lambda m: cells
        seat = self.sure(expr.player)
        return lambda m: sheets[seat(m)]

    def _all_parts(self, block: Block, expr: rules.ZoneItems) -> Read:
        slots = range(0, block.stride, block.width)
        base, stride = block.base, block.stride
        seat = self.sure(expr.player) if expr.player is not None else lambda m: 0

        def gathered(m: Memory) -> tuple[int, ...]:
            first = base + seat(m) * stride
            return tuple(sorted([item for slot in slots for item in m[first + slot]]))

        return gathered

    def _table(self, expr: rules.TableValue) -> Read:
        shape, values = self.layout.tables[expr.name]
        offset = self.offset(shape, expr.indexes, expr.span)
        if isinstance(offset, int):
            value = values[offset]
            return lambda m: value
        if self.watch is not None and len(values) <= MOST_ROWS:
            rule = next(rule for rule in self.layout.game.tables if rule.name == expr.name)
            offset = self.watch.row(rule, offset, len(values))
        return lambda m: values[offset(m)]

    def field(self, expr: rules.FieldOf) -> tuple[list[Any] | None, int | None]:
        """A fixed field's values, or what to add to an item for its slot; neither where kinds differ in this."""
        fixed, slots = self.layout.fixed.get(expr.field), self.layout.field_slots.get(expr.field)
        if slots is None:
            return fixed, None
        kinds = [kind for name in kinds_of(expr.item.type) if (kind := self.layout.kinds[name]).end > kind.first]
        shifts = {slots[kind.first] - kind.first if slots[kind.first] else None for kind in kinds}
        if shifts == {None}:
            return fixed, None
        return None, shifts.pop() if len(shifts) == 1 else None

    def lies_in(self, m: Memory, item: int) -> int:
        """The slot of the zone an item lies in; for a cell its sheet's number below zero."""
        return int(m[self.layout.places + item]) if item < self.layout.movable else self.layout.cell_zone[item]


def _members(type_: rules.Type) -> tuple[Any, ...]:
    of = type_.of if isinstance(type_, rules.Many) else type_
    if isinstance(of, rules.Member):
        return tuple(range(len(of.names)))
    return (False, True)
