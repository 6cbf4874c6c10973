"""Expressions as closures over the memory: `f(memory) -> value`, made once, with common shapes made short.

Nothing here looks at a tree while a game is played. What an expression binds (an element of a set, a definition's
parameter) stands in a scratch slot; that is enough because definitions never call themselves.
"""

import operator
from collections.abc import Callable
from operator import itemgetter
from typing import Any, assert_never

import attrs

from ..dsl import rules
from ..dsl.source import Span
from .engine import RulesFault
from .layout import ASKED, IN, Block, Layout

Memory = list[Any]
Read = Callable[[Memory], Any]

UNBOUND = (rules.LEAST, rules.MOST)


def fault(message: str, span: Span) -> RulesFault:
    """A fault of the rules; whoever runs the program adds the phases and the state."""
    return RulesFault(message, span, ())


class Expressions:
    """Makes closures for one layout; knows the slot of every local met so far."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.locals: dict[int, int] = {}
        """Slots of locals: the program's in the state, all others in scratch."""
        self.together: dict[int, int] = {}
        """For what players choose together: the slot of the first seat."""
        self._scratch = ASKED
        self._definitions = {rule.name: rule for rule in layout.game.definitions}
        if (score := layout.game.score) is not None:
            # The score can be read by its name, as if it were defined.
            self._definitions["score"] = rules.Definition("score", (score.me,), score.value)
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

    # ---- constants -------------------------------------------------------------------------------------

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

    # ---- dispatch --------------------------------------------------------------------------------------

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
                return self._field(expr)
            case rules.Arithmetic():
                return self._arithmetic(expr)
            case rules.Compare():
                return self._compare(expr)
            case rules.Aggregate():
                return self._aggregate(expr)
            case rules.Filter():
                return self._filter(expr)
            case rules.Mapped():
                return self._mapped(expr)
            case rules.Both(terms):
                return _both([self.read(term) for term in terms])
            case rules.Either(terms):
                return _either([self.read(term) for term in terms])
            case rules.Not(value):
                inner = self.read(value)
                return lambda m: not inner(m)
            case rules.Conditional():
                return self._conditional(expr)
            case rules.Call():
                return self._call(expr)
            case rules.Something(value):
                return self._something(self.read(value), expr.span)
            case rules.InRange(value, range_):
                return inside(self.sure(value), (self.value(range_.low), self.value(range_.high)), expr.span)
            case rules.OptionValue(name):
                option = self.layout.options[name]
                return lambda m: option
            case rules.TableValue():
                return self._table(expr)
            case rules.LocalOf(number, _, player):
                first, seat = self.together[number], self.sure(player)
                return lambda m: m[first + seat(m)]
            case rules.AllItems(kind):
                every = tuple(range(self.layout.kinds[kind].first, self.layout.kinds[kind].end))
                return lambda m: every
            case rules.Players(everyone):
                seats = tuple(range(self.layout.players))
                return (lambda m: seats) if everyone else itemgetter(IN)
            case rules.Others(player):
                return _others(self.sure(player))
            case rules.Span_(low, high):
                least, most = self.sure(low), self.sure(high)
                return lambda m: tuple(range(least(m), most(m) + 1))
            case rules.Members():
                members = _members(expr.type)
                return lambda m: members
            case rules.Greatest(values, highest):
                parts, best = [self.sure(value) for value in values], max if highest else min
                return lambda m: best([part(m) for part in parts])
            case rules.Extreme():
                return self._extreme(expr)
            case rules.Ranked(count, source, largest):
                some, listed = self.sure(count), self.elements(source)
                return lambda m: tuple(sorted(listed(m), reverse=largest)[: max(some(m), 0)])
            case rules.FirstOf(count, source):
                some, listed = self.sure(count), self.read(source)
                return lambda m: listed(m)[: max(some(m), 0)]
            case rules.Only(source):
                return _only(self.read(source), expr.span)
            case rules.Absolute(value):
                inner = self.sure(value)
                return lambda m: abs(inner(m))
            case rules.Contains(element, source):
                one, many = self.read(element), self.read(source)
                return lambda m: one(m) in many(m)
            case rules.Union():
                return self._union(expr)
            case rules.Difference(left, right):
                kept, dropped = self.read(left), self.read(right)
                return lambda m: _without(kept(m), dropped(m))
            case rules.Neighbour(player, steps):
                return _neighbour(self.sure(player), self.sure(steps), expr.span)
            case rules.SeatOf(player):
                seat = self.sure(player)
                return lambda m: seat(m) + 1
            case rules.PlayerAt(seat):
                return _player_at(self.sure(seat), self.layout.players, expr.span)
            case rules.TeamOf(player):
                seat, teams = self.sure(player), self.layout.game.teams or self.layout.players
                return lambda m: seat(m) % teams + 1
            case rules.OwnerOf():
                return self._owner(expr)
            case rules.ItemAt():
                return self._item_at(expr)
            case rules.PlaceOf():
                return self._place_of(expr)
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

    # ---- memory ----------------------------------------------------------------------------------------

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
        return _sum(known, unknown)

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
            return base + inside * width if isinstance(inside, int) else _sum(base, [(inside, width)])
        if isinstance(player := self.fold(player), rules.Constant):
            seat_base = base + int(player.value or 0) * stride
            return seat_base + inside * width if isinstance(inside, int) else _sum(seat_base, [(inside, width)])
        seat = self.sure(player)
        if isinstance(inside, int):
            return _sum(base + inside * width, [(seat, stride)])
        return _sum(base, [(seat, stride), (inside, width)])

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
        return lambda m: values[offset(m)]

    # ---- items -----------------------------------------------------------------------------------------

    def _field(self, expr: rules.FieldOf) -> Read:
        item = self.sure(expr.item)
        values, shift = self.field(expr)
        if values is not None:
            return lambda m: values[item(m)]
        if shift is not None:
            if isinstance(expr.item, rules.Local):
                own = self.slot(expr.item)
                if not isinstance(expr.item.type, rules.Maybe):
                    return lambda m: m[m[own] + shift]
            return lambda m: m[item(m) + shift]
        return self._either_field(expr.field, item)

    def field(self, expr: rules.FieldOf) -> tuple[list[Any] | None, int | None]:
        """A fixed field's values, or what to add to an item for its slot; neither where kinds differ in this."""
        fixed, slots = self.layout.fixed.get(expr.field), self.layout.field_slots.get(expr.field)
        if slots is None:
            return fixed, None
        kinds = [kind for name in _kinds(expr.item.type) if (kind := self.layout.kinds[name]).end > kind.first]
        shifts = {slots[kind.first] - kind.first if slots[kind.first] else None for kind in kinds}
        if shifts == {None}:
            return fixed, None
        return None, shifts.pop() if len(shifts) == 1 else None

    def _either_field(self, name: str, item: Read) -> Read:
        slots = self.layout.field_slots[name]
        fixed = self.layout.fixed.get(name) or [None] * len(slots)

        def varied(m: Memory) -> Any:
            number = item(m)
            return m[slots[number]] if slots[number] else fixed[number]

        return varied

    def lies_in(self, m: Memory, item: int) -> int:
        """The slot of the zone an item lies in; for a cell its sheet's number below zero."""
        return int(m[self.layout.places + item]) if item < self.layout.movable else self.layout.cell_zone[item]

    def _owner(self, expr: rules.OwnerOf) -> Read:
        item, zones, span = self.sure(expr.item), self.layout.zone_at, expr.span

        def owner(m: Memory) -> int:
            seat = zones[self.lies_in(m, item(m))][1]
            if seat is None:
                raise fault("the zone that holds the item belongs to nobody", span)
            return seat

        return owner

    def _item_at(self, expr: rules.ItemAt) -> Read:
        slot, span = self.zone(expr.zone), expr.span
        where = slot if not isinstance(slot, int) else (lambda m: slot)
        position = self.sure(expr.position) if expr.position is not None else None

        def item(m: Memory) -> int:
            zone = where(m)
            index = len(m[zone]) - 1 if position is None else position(m) - 1
            if not 0 <= index < len(m[zone]):
                raise fault("there is no item in that place", span)
            if index in m[zone + 1]:
                raise fault("the item in that place is not known since the shuffle; draw it first", span)
            return int(m[zone][index])

        return item

    def _place_of(self, expr: rules.PlaceOf) -> Read:
        item, span, zones = self.sure(expr.item), expr.span, self.layout.zone_at

        def place(m: Memory) -> int:
            number = item(m)
            zone = self.lies_in(m, number)
            if not zones[zone][0].stacked:
                raise fault("the item lies in no stacked zone", span)
            index: int = m[zone].index(number)
            if index in m[zone + 1]:
                raise fault("the item's place is not known since the shuffle", span)
            return index + 1

        return place

    # ---- numbers and tests -----------------------------------------------------------------------------

    def _arithmetic(self, expr: rules.Arithmetic) -> Read:
        made = self._operation(expr)
        return within_64_bits(made, expr.span) if expr.unsafe else made

    def _operation(self, expr: rules.Arithmetic) -> Read:
        left, right = self.sure(expr.left), self.sure(expr.right)
        fixed = self.fold(expr.right)
        number: Any = fixed.value if isinstance(fixed, rules.Constant) else None
        match expr.operator:
            case "+":
                return (lambda m: left(m) + right(m)) if number is None else (lambda m: left(m) + number)
            case "-":
                return (lambda m: left(m) - right(m)) if number is None else (lambda m: left(m) - number)
            case "*":
                return (lambda m: left(m) * right(m)) if number is None else (lambda m: left(m) * number)
            case "/":
                return _dividing(lambda a, b: a // b, left, right, expr.span)
            case "/up":
                return _dividing(lambda a, b: -(-a // b), left, right, expr.span)
            case "mod":
                return _dividing(lambda a, b: a % b, left, right, expr.span)
            case _:
                assert_never(expr.operator)

    def _compare(self, expr: rules.Compare) -> Read:
        if isinstance(expr.left.type, rules.Many):
            one, other = self.read(expr.left), self.read(expr.right)
            same = expr.operator == "is"
            return lambda m: (set(one(m)) == set(other(m))) is same
        loose = expr.operator in ("is", "is not")
        left = self.read(expr.left) if loose else self.sure(expr.left)
        fixed = self.fold(expr.right)
        if isinstance(fixed, rules.Constant) and (loose or fixed.value is not None):
            return _against(expr.operator, left, fixed.value)
        right = self.read(expr.right) if loose else self.sure(expr.right)
        return _compared(expr.operator, left, right)

    def _conditional(self, expr: rules.Conditional) -> Read:
        test, then, otherwise = self.read(expr.condition), self.read(expr.then), self.read(expr.otherwise)
        return lambda m: then(m) if test(m) else otherwise(m)

    def _call(self, expr: rules.Call) -> Read:
        rule = self._definitions[expr.definition]
        if expr.definition not in self._bodies:
            self._bodies[expr.definition] = self.read(rule.value)
        body = self._bodies[expr.definition]
        if not rule.parameters:
            return body
        slots = [self.slot(parameter) for parameter in rule.parameters]
        arguments = [self.read(argument) for argument in expr.arguments]
        return _called(body, slots, arguments)

    # ---- sets and lists --------------------------------------------------------------------------------

    def _filter(self, expr: rules.Filter) -> Read:
        terms = list(expr.condition.terms) if isinstance(expr.condition, rules.Both) else [expr.condition]
        source = self._sorted_out(expr.source, expr.each, terms[0])
        if source is not None:
            terms = terms[1:]
        else:
            source = self.read(expr.source)
        # One term after the other, each over what the terms before have left.
        for term in terms:
            source = self._narrowed(source, expr.each, term)
        return source

    def _narrowed(self, source: Read, each: rules.Local, term: rules.Expr) -> Read:
        """The elements for which one term holds; short where it compares a field with what is the same for all."""
        if isinstance(term, rules.Compare):
            for field, other, relation in (
                (term.left, term.right, term.operator),
                (term.right, term.left, TURNED[term.operator]),
            ):
                if self._own_field(field, each) and not _mentions(other, each):
                    assert isinstance(field, rules.FieldOf)
                    values, shift = self.field(field)
                    if values is not None or shift is not None:
                        return compared_fields(relation, source, values, shift or 0, self._side(other, relation))
        slot, condition = self.slot(each), self.read(term)
        return lambda m: tuple([m[slot] for m[slot] in source(m) if condition(m)])

    def _side(self, other: rules.Expr, relation: str) -> Read:
        return self.read(other) if relation in ("is", "is not") else self.sure(other)

    @staticmethod
    def _own_field(expr: rules.Expr, each: rules.Local) -> bool:
        """Whether this is a field, surely there, of the element itself."""
        return (
            isinstance(expr, rules.FieldOf)
            and isinstance(expr.item, rules.Local)
            and expr.item.number == each.number
            and isinstance(expr.item.type, rules.Item)
            and not isinstance(expr.type, rules.Maybe | rules.Many)
        )

    def _sorted_out(self, source: rules.Expr, each: rules.Local, term: rules.Expr) -> Read | None:
        """All items of a kind with a fixed field of some value: sorted by it before play."""
        if not (isinstance(source, rules.AllItems) and isinstance(term, rules.Compare) and term.operator == "is"):
            return None
        field, other = term.left, term.right
        if not self._own_field(field, each) or _mentions(other, each):
            return None
        assert isinstance(field, rules.FieldOf)
        values, _ = self.field(field)
        if values is None:
            return None
        kind, sorted_out = self.layout.kinds[source.kind], dict[Any, tuple[int, ...]]()
        for item in range(kind.first, kind.end):
            sorted_out[values[item]] = (*sorted_out.get(values[item], ()), item)
        wanted = self.read(other)
        return lambda m: sorted_out.get(wanted(m), ())

    def _mapped(self, expr: rules.Mapped) -> Read:
        source = self.read(expr.source)
        inner = expr.value
        if isinstance(inner, rules.FieldOf) and inner.item == expr.each and isinstance(inner.item.type, rules.Item):
            values, shift = self.field(inner)
            if values is not None:
                return lambda m: tuple([values[item] for item in source(m)])
            if shift is not None:
                return lambda m: tuple([m[item + shift] for item in source(m)])
        each, value = self.slot(expr.each), self.read(inner)
        return lambda m: tuple([value(m) for m[each] in source(m)])

    def _extreme(self, expr: rules.Extreme) -> Read:
        source, each, key = self.read(expr.source), self.slot(expr.each), self.sure(expr.key)
        best = max if expr.highest else min

        def extreme(m: Memory) -> tuple[Any, ...]:
            elements = source(m)
            if not elements:
                return ()
            keys = [key(m) for m[each] in elements]
            bar = best(keys)
            return tuple([element for element, reached in zip(elements, keys, strict=True) if reached == bar])

        return extreme

    def _aggregate(self, expr: rules.Aggregate) -> Read:
        match expr.kind:
            case "count":
                source = self.read(expr.source)
                return lambda m: len(source(m))
            case "sum":
                source = self.elements(expr.source)
                total: Read = lambda m: sum(source(m))  # noqa: E731
                return within_64_bits(total, expr.span) if _may_overflow(expr.type) else total
            case "max" | "min":
                return self._peak(expr)
            case "any":
                source = self.read(expr.source)
                return (lambda m: any(source(m))) if _tests(expr.source.type) else lambda m: bool(source(m))
            case "all":
                source = self.read(expr.source)
                return lambda m: all(source(m))
            case "distinct":
                source = self.read(expr.source)
                return lambda m: tuple(dict.fromkeys(source(m)))
            case _:
                assert_never(expr.kind)

    def _peak(self, expr: rules.Aggregate) -> Read:
        source, best, span, kind = self.elements(expr.source), max if expr.kind == "max" else min, expr.span, expr.kind
        default = self.read(expr.default) if expr.default is not None else None

        def peak(m: Memory) -> Any:
            values = source(m)
            if values:
                return best(values)
            if default is None:
                raise fault(f"there is no {kind} of nothing", span)
            return default(m)

        return peak

    def _union(self, expr: rules.Union) -> Read:
        left, right = self.read(expr.left), self.read(expr.right)
        if isinstance(expr.type, rules.Many) and isinstance(expr.type.of, rules.Item):
            return lambda m: tuple(sorted({*left(m), *right(m)}))
        return lambda m: tuple(dict.fromkeys((*left(m), *right(m))))


# ---- closures ------------------------------------------------------------------------------------------


TURNED: dict[str, str] = {"is": "is", "is not": "is not", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""What a comparison is with its sides exchanged."""

COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def compared_fields(relation: str, source: Read, values: list[Any] | None, shift: int, other: Read) -> Read:
    """The items whose field, fixed or in a slot, compares so with a value that is the same for all of them."""
    if relation == "is" and values is not None:
        return _over(source, other, lambda m, items, value: [item for item in items if values[item] == value])
    if relation == "is":
        return _over(source, other, lambda m, items, value: [item for item in items if m[item + shift] == value])
    if relation == "is not" and values is not None:
        return _over(source, other, lambda m, items, value: [item for item in items if values[item] != value])
    if relation == "is not":
        return _over(source, other, lambda m, items, value: [item for item in items if m[item + shift] != value])
    holds = COMPARISONS[relation]
    if values is not None:
        return _over(source, other, lambda m, items, value: [item for item in items if holds(values[item], value)])
    return _over(source, other, lambda m, items, value: [item for item in items if holds(m[item + shift], value)])


def _over(source: Read, other: Read, kept: Callable[[Memory, tuple[int, ...], Any], list[int]]) -> Read:
    def over(m: Memory) -> tuple[int, ...]:
        items = source(m)
        # Not evaluated for nothing: it may be a fault where there are no items.
        return tuple(kept(m, items, other(m))) if items else ()

    return over


def _mentions(expr: Any, local: rules.Local) -> bool:
    """Whether an expression reads a local."""
    waiting = [expr]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting.extend(part)
        elif isinstance(part, rules.Local):
            if part.number == local.number:
                return True
        elif isinstance(part, rules.Rule):
            waiting.extend(getattr(part, field.name) for field in attrs.fields(type(part)) if field.name != "span")
    return False


def _sum(known: int, unknown: list[tuple[Read, int]]) -> int | Read:
    """The sum of a number and of others times a factor; short for up to two."""
    if not unknown:
        return known
    (first, a), *rest = unknown
    if not rest:
        return (lambda m: known + first(m)) if a == 1 else (lambda m: known + first(m) * a)
    if len(rest) == 1:
        ((second, b),) = rest
        return lambda m: known + first(m) * a + second(m) * b
    return lambda m: known + sum([read(m) * step for read, step in unknown])


def _both(terms: list[Read]) -> Read:
    if len(terms) == 2:
        one, two = terms
        return lambda m: one(m) and two(m)

    def both(m: Memory) -> bool:
        for term in terms:  # noqa: SIM110  all() with a generator costs twice the time
            if not term(m):
                return False
        return True

    return both


def _either(terms: list[Read]) -> Read:
    if len(terms) == 2:
        one, two = terms
        return lambda m: one(m) or two(m)

    def either(m: Memory) -> bool:
        for term in terms:  # noqa: SIM110  any() with a generator costs twice the time
            if term(m):
                return True
        return False

    return either


def _compared(relation: str, left: Read, right: Read) -> Read:
    match relation:
        case "is":
            return lambda m: left(m) == right(m)
        case "is not":
            return lambda m: left(m) != right(m)
        case "<":
            return lambda m: left(m) < right(m)
        case "<=":
            return lambda m: left(m) <= right(m)
        case ">":
            return lambda m: left(m) > right(m)
        case _:
            return lambda m: left(m) >= right(m)


def _against(relation: str, left: Read, right: Any) -> Read:
    match relation:
        case "is":
            return lambda m: left(m) == right
        case "is not":
            return lambda m: left(m) != right
        case "<":
            return lambda m: left(m) < right
        case "<=":
            return lambda m: left(m) <= right
        case ">":
            return lambda m: left(m) > right
        case _:
            return lambda m: left(m) >= right


def inside(read: Read, ends: tuple[int, int], span: Span) -> Read:
    """The same, with a fault where a number lies outside of a range."""
    low, high = ends

    def checked(m: Memory) -> Any:
        value = read(m)
        if value is not None and not low <= value <= high:
            raise fault(f"{value} is not in {low}..{high}", span)
        return value

    return checked


def within_64_bits(read: Read, span: Span) -> Read:
    """The same, with a fault where a number needs more than 64 bits."""

    def checked(m: Memory) -> int:
        value: int = read(m)
        if not rules.LEAST <= value <= rules.MOST:
            raise fault("the number is too large", span)
        return value

    return checked


def _dividing(divide: Callable[[int, int], int], left: Read, right: Read, span: Span) -> Read:
    def divided(m: Memory) -> int:
        number, by = left(m), right(m)
        if by == 0:
            raise fault("division by zero", span)
        return divide(number, by)

    return divided


def _called(body: Read, slots: list[int], arguments: list[Read]) -> Read:
    if len(slots) == 1:
        (slot,), (argument,) = slots, arguments

        def with_one(m: Memory) -> Any:
            m[slot] = argument(m)
            return body(m)

        return with_one

    def with_many(m: Memory) -> Any:
        # All are evaluated before any is set: an argument may call the same definition.
        for slot, value in zip(slots, [argument(m) for argument in arguments], strict=True):
            m[slot] = value
        return body(m)

    return with_many


def _others(player: Read) -> Read:
    def others(m: Memory) -> tuple[int, ...]:
        me, seats = player(m), m[IN]
        return tuple([seat for seat in seats if seat > me] + [seat for seat in seats if seat < me])

    return others


def seat_after(seats: tuple[int, ...], seat: int, steps: int) -> int:
    """The seat so many further on among `seats`, which need not include it; `seats` are not empty."""
    after = sum(1 for other in seats if other < seat)
    if seat not in seats and steps > 0:
        steps -= 1
    return seats[(after + steps) % len(seats)]


def _neighbour(player: Read, steps: Read, span: Span) -> Read:
    def neighbour(m: Memory) -> int:
        seat, number, seats = player(m), steps(m), m[IN]
        if number == 0:
            return int(seat)
        if not seats:
            raise fault("nobody is left in the game", span)
        return seat_after(seats, seat, number)

    return neighbour


def _player_at(seat: Read, players: int, span: Span) -> Read:
    def player(m: Memory) -> int:
        number: int = seat(m)
        if not 1 <= number <= players:
            raise fault(f"there is no player {number}", span)
        return number - 1

    return player


def _only(source: Read, span: Span) -> Read:
    def only(m: Memory) -> Any:
        elements = source(m)
        if len(elements) != 1:
            raise fault(f"there must be exactly one, and there are {len(elements)}", span)
        return elements[0]

    return only


def _without(kept: tuple[Any, ...], dropped: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([element for element in kept if element not in dropped]) if dropped else kept


# ---- types ---------------------------------------------------------------------------------------------


def _kinds(type_: rules.Type) -> tuple[str, ...]:
    inner = type_.of if isinstance(type_, rules.Maybe) else type_
    return inner.kinds if isinstance(inner, rules.Item) else ()


def _members(type_: rules.Type) -> tuple[Any, ...]:
    of = type_.of if isinstance(type_, rules.Many) else type_
    if isinstance(of, rules.Member):
        return tuple(range(len(of.names)))
    return (False, True)


def _tests(type_: rules.Type) -> bool:
    return isinstance(type_, rules.Many) and isinstance(type_.of, rules.YesNo)


def _may_overflow(type_: rules.Type) -> bool:
    return isinstance(type_, rules.Number) and (type_.low == rules.LEAST or type_.high == rules.MOST)
