"""Items: what they are, where they lie, and how they get elsewhere."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...dsl import rules
from ...dsl.source import Span
from ..layout import KindOfItem, kinds_of
from . import sets, sight, values
from .code import (
    NOTHING,
    Label,
    Op,
    add,
    address,
    at,
    both,
    call,
    choose,
    compare,
    do,
    either,
    jump,
    jump_if,
    known,
    load,
    loop,
    mul,
    no,
    num,
    number,
    plain,
    store,
    sub,
    test,
    when,
)
from .flow import Function, Local
from .listings import Bits, Listing, Numbers, Offset, Prepared, Words, Written, bit
from .memory import HEAD, UNKNOWN, Cell, Flags, Planes, stack_size

if TYPE_CHECKING:
    from .lowering import Lowering


# ---- what they are -------------------------------------------------------------------------------------


def of_kinds(low: "Lowering", type_: rules.Type) -> list[KindOfItem]:
    """The kinds that an item may be of, in the order of their items; those without items left out."""
    found = [low.layout.kinds[name] for name in kinds_of(type_)]
    return sorted((kind for kind in found if kind.end > kind.first), key=lambda kind: kind.first)


def field_of(low: "Lowering", expr: rules.FieldOf) -> Op:
    """A field of an item."""
    kinds = of_kinds(low, expr.item.type)
    kept, item = low.keep(low.number_of(expr.item))
    value = field(low, kinds, expr.field, item)
    if low.watcher is not None:
        kept = do(kept, sight.watched(low, kinds, expr, item))
    value = test(value) if isinstance(expr.type, rules.YesNo) else value
    return do(kept, value)


def field(low: "Lowering", kinds: Sequence[KindOfItem], name: str, item: Op) -> Op:
    """The number in a field of an item of these kinds."""
    if not kinds:
        return num(0)
    if all((kind.rule.name, name) not in low.memory.fields for kind in kinds):
        first, end = kinds[0].first, kinds[-1].end
        mine = [low.layout.fixed[name][each] if _among(kinds, each) else 0 for each in range(first, end)]
        if len(set(mine)) == 1 and None not in mine:
            return num(int(mine[0]))
        return low.table(name, mine).read(sub(item, num(first)))
    value = _field(low, kinds[-1], name, item)
    for kind in reversed(kinds[:-1]):
        value = choose(compare("<", item, num(kind.end)), _field(low, kind, name, item), value)
    return value


def _among(kinds: Sequence[KindOfItem], item: int) -> bool:
    return any(kind.first <= item < kind.end for kind in kinds)


def _field(low: "Lowering", kind: KindOfItem, name: str, item: Op) -> Op:
    cell = low.memory.fields.get((kind.rule.name, name))
    if cell is None:
        return field(low, [kind], name, item)
    return _by_item(low, cell, kind).read(item)


def _by_item(low: "Lowering", cell: Cell | Flags | Planes, kind: KindOfItem) -> "_ByItem | Flags | Planes":
    """A kind's cell to be read by the number of the item."""
    return _ByItem(low, cell, kind.first) if isinstance(cell, Cell) else cell


class _ByItem:
    """A kind's cell to be read by the number of the item: that of the kind's first item need not be taken off."""

    def __init__(self, low: "Lowering", cell: Cell, first: int) -> None:
        self.cell = cell
        self.first = first
        self.row = Offset(low.memory.rows[cell.address], -first * cell.width)

    def read(self, item: Op) -> Op:
        """The number of an item."""
        if known(item) is not None or self.row.address < 0:
            return self.cell.read(sub(item, num(self.first)))
        return load(mul(address(item), at(self.cell.width)), self.row, self.cell.width)

    def write(self, value: Op, item: Op) -> Op:
        """Another number for an item."""
        if known(item) is not None or self.row.address < 0:
            return self.cell.write(value, sub(item, num(self.first)))
        return store(mul(address(item), at(self.cell.width)), value, self.row, self.cell.width)


def write_field(low: "Lowering", kinds: Sequence[KindOfItem], name: str, item: Op, value: Op) -> Op:
    """A field of an item gets a number; the item and the number are cheap."""
    made = NOTHING
    for kind in reversed([kind for kind in kinds if (kind.rule.name, name) in low.memory.fields]):
        written = _by_item(low, low.memory.fields[kind.rule.name, name], kind).write(value, item)
        made = written if made is NOTHING else when(compare("<", item, num(kind.end)), written, made)
    return made


def watched_variable(low: "Lowering", expr: rules.VariableValue, value: Op) -> Op:
    """A variable's value for a strategy: a fault where its player cannot see it."""
    return do(sight.watched_variable(low, expr), value)


# ---- where they lie ------------------------------------------------------------------------------------


def zone_number(low: "Lowering", zone: rules.ZoneItems) -> Op:
    """The number of a zone's part."""
    block = low.layout.zones[zone.name]
    first = low.memory.zone_numbers[block.base]
    assert zone.indexes is not None
    inside = values.offset(low, block.shape, zone.indexes, zone.span)
    if zone.player is not None:
        inside = add(mul(low.number_of(zone.player), num(block.stride // block.width)), inside)
    return address(add(inside, num(first)))


def zone_items(low: "Lowering", expr: rules.ZoneItems) -> Listing:
    """What lies in a zone or sheet."""
    small = low.small(rules.Item(low.layout.zone_rules[expr.name].kinds))
    if expr.name in low.layout.sheets:
        return _cells(low, expr, small)
    rule, memory = low.layout.zone_rules[expr.name], low.memory
    bound = low.most(rules.Item(rule.kinds))
    if expr.indexes is None:
        return _all_parts(low, expr, bound, small)
    zone = zone_number(low, expr)
    if rule.stacked:
        kept, it = low.keep(zone)
        stack = Stack(low, bound, False, small, where=stack_of(low, expr.name, it), mask=UNKNOWN - 1, zone=it)
        return Prepared(low, bound, False, small, first=kept, then=stack)
    place = mul(zone, at(8 * memory.words))
    if memory.words == 1:
        sole = low.layout.kinds[rule.kinds[0]].first if bound == len(rule.kinds) == 1 else -1
        return Bits(low, bound, True, small, word=load(place, memory.zone_bits), sole=sole)
    kept, it = low.keep(place)
    word = lambda word: load(add(it, mul(word, at(8))), memory.zone_bits)  # noqa: E731
    return Prepared(
        low, bound, True, small, first=kept, then=Words(low, bound, True, small, words=memory.words, word=word)
    )


class Stack(Written):
    """What lies in a stacked zone, from the bottom."""

    def __init__(self, low: "Lowering", *rest: int, zone: Op, where: Op, mask: int) -> None:
        super().__init__(low, *rest, where=where, mask=mask)  # type: ignore[arg-type]
        self.zone = zone

    def has(self, element: Op) -> Op:
        one = self.low.f.local()
        words = self.low.memory.words
        place = add(mul(self.zone, at(8 * words)), mul(address(plain("shr", one.get, num(6))), at(8)))
        there = test(plain("and", plain("shr", load(place, self.low.memory.zone_bits), one.get), num(1)))
        return do(one.set(element), both(plain("<u", one.get, num(64 * words)), Op("do", (there,), None, "t")))


def stack_of(low: "Lowering", zone: str, number_: Op) -> Op:
    """Where the order of a stacked zone's part stands."""
    block, memory = low.layout.zones[zone], low.memory
    first = memory.zone_numbers[block.base]
    size = stack_size(low.most(rules.Item(low.layout.zone_rules[zone].kinds)))
    return add(at(memory.stacks[first]), mul(sub(number_, at(first)), at(size)))


def any_stack(low: "Lowering", zone: Op) -> Op:
    """Where the order of any zone stands; 0 for one without."""
    memory = low.memory
    stacks = [memory.stacks.get(number_, 0) for number_ in range(len(memory.zone_numbers))]
    return address(low.table("stacks", stacks).read(zone))


def _cells(low: "Lowering", expr: rules.ZoneItems, small: bool) -> Listing:
    sheets = low.layout.sheets[expr.name]
    size = len(sheets[0])
    if not size:
        return sets.numbers(low, 0, -1)
    if expr.player is None:
        return sets.numbers(low, sheets[0][0], sheets[0][-1])
    seat = low.number_of(expr.player)
    if len(sheets) == 1 and not seat.faults:
        return sets.numbers(low, sheets[0][0], sheets[0][-1])
    kept, it = low.keep(add(mul(seat, num(size)), num(sheets[0][0])))
    cells = Numbers(low, size, True, small, first=it, last=add(it, num(size - 1)))
    return Prepared(low, size, True, small, first=kept, then=cells)


def _all_parts(low: "Lowering", expr: rules.ZoneItems, bound: int, small: bool) -> Listing:
    block, memory = low.layout.zones[expr.name], low.memory
    parts, first = block.stride // block.width, memory.zone_numbers[block.base]
    seat = num(0) if expr.player is None else low.number_of(expr.player)
    width = 8 * memory.words
    kept, base = low.keep(mul(address(add(mul(seat, num(parts)), num(first))), at(width)))

    def word(number_: Op) -> Op:
        place = add(base, mul(number_, at(8)))
        if parts <= 8:
            gathered = load(place, memory.zone_bits)
            for part in range(1, parts):
                gathered = plain("or", gathered, load(place, memory.zone_bits + part * width))
            return gathered
        total, here, left, again = low.f.local(), low.f.local("t"), low.f.local("t"), Label()
        return do(
            total.set(num(0)),
            here.set(place),
            left.set(at(parts)),
            loop(
                again,
                total.set(plain("or", total.get, load(here.get, memory.zone_bits))),
                here.set(add(here.get, at(width))),
                left.set(sub(left.get, at(1))),
                jump_if(again, left.get),
            ),
            total.get,
        )

    if memory.words == 1:
        found: Listing = Bits(low, bound, True, small, word=word(at(0)))
    else:
        found = Words(low, bound, True, small, words=memory.words, word=word)
    return Prepared(low, bound, True, small, first=kept, then=found)


def lies_in(low: "Lowering", item: Op) -> Op:
    """The number of the zone of a component."""
    if low.memory.places is not None:
        return low.memory.places.read(item)
    return call(_zone_of(low), item)


def _zone_of(low: "Lowering") -> Function:
    """The function that looks for the zone of a component, which lies in one of them."""
    if "zone of" not in low.made:
        f = low.made["zone of"] = low.flow.function("zone_of", ("n",), "n")
        item, found = f.parameter(0).get, f.local()
        code = [found.set(num(0))]
        for zone in range(1, len(low.memory.zone_numbers)):
            here = test(plain("and", plain("shr", load(at(8 * zone), low.memory.zone_bits), item), num(1)))
            code.append(found.set(Op("select", (num(zone), found.get, here), None, "n")))
        f.fill(*code, found.get)
    return low.made["zone of"]


def placed(low: "Lowering", item: Op, zone: Op) -> Op:
    """It is written down where an item lies, where that is kept."""
    return NOTHING if low.memory.places is None else low.memory.places.write(number(zone), item)


def owner_of(low: "Lowering", expr: rules.OwnerOf) -> Op:
    """The player whose zone or sheet holds an item."""
    layout = low.layout
    kept, item = low.keep(low.number_of(expr.item))
    kinds = of_kinds(low, expr.item.type)
    owners = [_owner(layout.zone_at[slot][1]) for slot in low.memory.zone_numbers]
    of_components = low.table("owners", owners or [-1]).read(address(lies_in(low, item)))
    cells = [_owner(layout.zone_at[layout.cell_zone[cell]][1]) for cell in range(layout.movable, len(layout.kind_of))]
    of_cells = low.table("owners of cells", cells or [-1]).read(sub(item, num(layout.movable)))
    if all(kind.rule.sheet for kind in kinds):
        owner = of_cells
    elif any(kind.rule.sheet for kind in kinds):
        owner = choose(compare("<", item, num(layout.movable)), of_components, of_cells)
    else:
        owner = of_components
    more, seat = low.keep(owner)
    wrong = low.fault("the zone that holds the item belongs to nobody", expr.span)
    return do(kept, more, when(compare("<", seat, num(0)), wrong), seat)


def _owner(owner: int | None) -> int:
    return -1 if owner is None else owner


def item_at(low: "Lowering", expr: rules.ItemAt) -> Op:
    """The item in a place of a stacked zone."""
    first, stack = low.keep(stack_of(low, expr.zone.name, zone_number(low, expr.zone)))
    count = number(load(stack, 0, 4, "t"))
    index = sub(count if expr.position is None else low.number_of(expr.position), num(1))
    second, it = low.keep(index)
    missing = low.fault("there is no item in that place", expr.span)
    item = low.f.local()
    message = "the item in that place is not known since the shuffle; draw it first"
    return do(
        first,
        second,
        when(no(plain("<u", it, count)), missing),
        item.set(load(add(stack, mul(address(it), at(8))), HEAD)),
        when(compare(">=", item.get, num(UNKNOWN)), low.fault(message, expr.span)),
        item.get,
    )


def place_of(low: "Lowering", expr: rules.PlaceOf) -> Op:
    """An item's place in its stacked zone, from 1."""
    first, item = low.keep(low.number_of(expr.item))
    stack = low.f.local("t")
    found = stack.set(any_stack(low, address(lies_in(low, item))))
    nowhere = low.fault("the item lies in no stacked zone", expr.span)
    place = low.f.local()
    unknown = low.fault("the item's place is not known since the shuffle", expr.span)
    return do(
        first,
        found if all(not kind.rule.sheet for kind in of_kinds(low, expr.item.type)) else _in_stack(low, item, stack),
        when(plain("t is", stack.get, at(0)), nowhere),
        place.set(call(position(low), item, stack.get)),
        when(compare("<", place.get, num(0)), unknown),
        add(place.get, num(1)),
    )


def _in_stack(low: "Lowering", item: Op, stack: Local) -> Op:
    found = any_stack(low, address(lies_in(low, item)))
    return stack.set(choose(compare("<", item, num(low.layout.movable)), do(found), at(0)))


def position(low: "Lowering") -> Function:
    """The function that finds an item in an order: its index, below zero where that is not known."""
    if "position" in low.made:
        return low.made["position"]
    function = low.made["position"] = low.flow.function("position", ("n", "t"), "n")
    item, stack = function.parameter(0), function.parameter(1)
    index, there, again = function.local("t"), function.local(), Label()
    return function.fill(
        loop(
            again,
            there.set(load(add(stack.get, mul(index.get, at(8))), HEAD)),
            when(compare("is", there.get, item.get), Op("return", (number(index.get),))),
            index.set(add(index.get, at(1))),
            jump_if(again, plain("t <u", index.get, load(stack.get, 0, 4, "t"))),
        ),
        num(-1),
    )


# ---- how they get elsewhere ----------------------------------------------------------------------------


def origin(expr: rules.Expr) -> rules.ZoneItems | None:
    """The one zone, not stacked, that surely holds all of these items, if it can be told again at no cost."""
    match expr:
        case rules.ZoneItems(_, player, indexes):
            told = (*(() if player is None else (player,)), *(indexes or ()))
            plainly = indexes is not None and all(isinstance(each, rules.Constant | rules.Local) for each in told)
            return expr if plainly else None
        case rules.Filter(source) | rules.FirstOf(_, source) | rules.Extreme(source) | rules.Difference(source):
            return origin(source)
    return None


def move(low: "Lowering", statement: rules.Move) -> Op:
    """Items go to a zone; all show a face."""
    listing = low.items(statement.items)
    kinds = of_kinds(low, statement.items.type)
    kept, moved = low.again(listing if listing.rising else sets.apart(low, listing))
    if statement.showing is None:
        return do(kept, put(low, statement.to, moved, statement.items))
    shown = low.f.local()
    showing = shown.set(low.number_of(statement.showing))
    code = do(
        showing,
        put(low, statement.to, moved, statement.items),
        show(low, moved, kinds, num_or(statement.showing, low, shown.get), statement.span),
    )
    return do(kept, when(moved.some(), code) if showing.faults else code)


def num_or(expr: rules.Expr, low: "Lowering", value: Op) -> Op:
    """A constant where the expression is one."""
    return num(int(expr.value)) if isinstance(expr, rules.Constant) and expr.value is not None else value


def put(low: "Lowering", to: rules.Destination, moved: Listing, source: rules.Expr) -> Op:
    """Items, listed so that they can be gone through again, leave where they lie and go into a zone."""
    rule = low.layout.zone_rules[to.zone.name]
    kinds = of_kinds(low, source.type)
    first, zone = low.keep(zone_number(low, to.zone))
    code = [_allowed(low, kinds, rule, moved, to.span), first]
    if to.place is not None:
        place, number_ = low.keep(low.number_of(to.place))
        code += [place, moved.each(lambda item: _into(low, to, item, zone, number_))]
        return do(*code)
    if rule.stacked:
        code.append(moved.each(lambda item: take(low, item, to.span)))
        code.append(_onto(low, to, moved, zone))
        return do(*code)
    place = mul(zone, at(8 * low.memory.words))
    if isinstance(moved, Bits) and low.memory.words == 1:
        left = _out_of(low, kinds, moved, source)
        if left is NOTHING:
            left = moved.each(lambda item: take(low, item, to.span))
        written = NOTHING if low.memory.places is None else moved.each(lambda item: placed(low, item, zone))
        gathered = plain("or", load(place, low.memory.zone_bits), moved.word)
        return do(*code, left, written, store(place, gathered, low.memory.zone_bits))
    taken = moved.each(lambda item: take(low, item, to.span))
    laid = moved.each(lambda item: do(_set_bit(low, zone, item), placed(low, item, zone)))
    return do(*code, taken, laid)


def _out_of(low: "Lowering", kinds: list[KindOfItem], moved: Bits, source: rules.Expr) -> Op:
    """Items leave the zones they may lie in, all at once; nothing where these are many, or one has an order."""
    memory = low.memory
    gone = plain("xor", moved.word, num(-1))

    def without(before: Op) -> Op:
        return store(before, plain("and", load(before, memory.zone_bits), gone), memory.zone_bits)

    from_ = origin(source)
    if from_ is not None and not low.layout.zone_rules[from_.name].stacked:
        kept, before = low.keep(mul(zone_number(low, from_), at(8)))
        return do(kept, without(before))
    if memory.places is not None:
        return NOTHING
    names = {kind.rule.name for kind in kinds}
    zones = [number_ for slot, number_ in memory.zone_numbers.items() if names & set(low.layout.zone_at[slot][0].kinds)]
    if memory.stacks.keys() & set(zones):
        return NOTHING
    return do(*[without(at(8 * number_)) for number_ in zones])


def _allowed(low: "Lowering", kinds: list[KindOfItem], rule: rules.Zone, moved: Listing, span: Span) -> Op:
    """A fault where the zone does not take items of one's kind."""
    wrong = [kind for kind in kinds if kind.rule.name not in rule.kinds]
    if not wrong:
        return NOTHING
    fault = low.fault("an item of this kind cannot lie in the zone", span)
    return moved.each(lambda item: when(either(*[_is_of(kind, item) for kind in wrong]), fault))


def _is_of(kind: KindOfItem, item: Op) -> Op:
    return both(compare(">=", item, num(kind.first)), compare("<", item, num(kind.end)))


def _word(low: "Lowering", zone: Op, item: Op) -> Op:
    """Where the word stands that has an item's bit in a zone."""
    place = mul(zone, at(8 * low.memory.words))
    if low.memory.words == 1:
        return place
    return add(place, mul(address(plain("shr", item, num(6))), at(8)))


def _set_bit(low: "Lowering", zone: Op, item: Op) -> Op:
    place = low.f.local("t")
    word = plain("or", load(place.get, low.memory.zone_bits), bit(item))
    return do(place.set(_word(low, zone, item)), store(place.get, word, low.memory.zone_bits))


def take(low: "Lowering", item: Op, span: Span) -> Op:
    """An item leaves the zone it lies in."""
    zone, place = low.f.local("t"), low.f.local("t")
    word = plain("and", load(place.get, low.memory.zone_bits), plain("xor", bit(item), num(-1)))
    code = do(
        zone.set(address(lies_in(low, item))),
        place.set(_word(low, zone.get, item)),
        store(place.get, word, low.memory.zone_bits),
    )
    if not low.memory.stacks:
        return code
    stack = low.f.local("t")
    site = low.site("nobody knows where in the zone this item lies; draw it or shuffle the zone first", span)
    taken = when(stack.get, call(_taking(low), item, stack.get, at(site)))
    return do(code, stack.set(any_stack(low, zone.get)), taken)


def _taking(low: "Lowering") -> Function:
    """The function that takes an item out of an order."""
    if "take" in low.made:
        return low.made["take"]
    f = low.made["take"] = low.flow.function("take_from_stack", ("n", "t", "t"))
    item, stack, site = f.parameter(0), f.parameter(1), f.parameter(2)
    index, found, count, unknown, first, last = (f.local("t") for _ in range(6))
    there, again, down, out = f.local(), Label(), Label(), Label()
    here = add(stack.get, mul(index.get, at(8)))
    seen = do(
        first.set(Op("select", (index.get, first.get, plain("t is", unknown.get, at(0))), None, "t")),
        last.set(index.get),
        unknown.set(add(unknown.get, at(1))),
    )
    wide = plain("t >=", sub(last.get, first.get), unknown.get)
    return f.fill(
        count.set(load(stack.get, 0, 4, "t")),
        found.set(at(-1)),
        loop(
            again,
            there.set(load(here, HEAD)),
            when(compare("is", plain("and", there.get, num(UNKNOWN - 1)), item.get), found.set(index.get)),
            when(compare(">=", there.get, num(UNKNOWN)), seen),
            index.set(add(index.get, at(1))),
            jump_if(again, plain("t <u", index.get, count.get)),
        ),
        there.set(load(add(stack.get, mul(found.get, at(8))), HEAD)),
        when(
            compare(">=", there.get, num(UNKNOWN)),
            do(
                when(wide, Op("fault", (site.get, num(0), num(0)), low.failing)),
                unknown.set(sub(unknown.get, at(1))),
            ),
        ),
        index.set(found.get),
        count.set(sub(count.get, at(1))),
        store(stack.get, count.get, 0, 4),
        Op(
            "block",
            (
                loop(
                    down,
                    jump_if(out, plain("t >=", index.get, count.get)),
                    store(here, load(here, HEAD + 8), HEAD),
                    index.set(add(index.get, at(1))),
                    jump(down),
                ),
            ),
            out,
        ),
        when(plain("t is", unknown.get, at(1)), call(settling(low), stack.get)),
    )


def settling(low: "Lowering") -> Function:
    """The function that makes all places of an order known."""
    if "settle" in low.made:
        return low.made["settle"]
    f = low.made["settle"] = low.flow.function("settle_stack", ("t",))
    stack, left, again = f.parameter(0), f.local("t"), Label()
    return f.fill(
        left.set(load(stack.get, 0, 4, "t")),
        when(
            left.get,
            loop(
                again,
                store(stack.get, plain("and", load(stack.get, HEAD), num(UNKNOWN - 1)), HEAD),
                stack.set(add(stack.get, at(8))),
                left.set(sub(left.get, at(1))),
                jump_if(again, left.get),
            ),
        ),
    )


def laying(low: "Lowering") -> Function:
    """The function that lays an item into an order at an index; those above it rise."""
    if "lay" in low.made:
        return low.made["lay"]
    f = low.made["lay"] = low.flow.function("lay", ("t", "t", "n"))
    stack, index, item = f.parameter(0), f.parameter(1), f.parameter(2)
    place, again, out = f.local("t"), Label(), Label()
    here = add(stack.get, mul(place.get, at(8)))
    return f.fill(
        place.set(load(stack.get, 0, 4, "t")),
        store(stack.get, add(place.get, at(1)), 0, 4),
        Op(
            "block",
            (
                loop(
                    again,
                    jump_if(out, plain("t is", place.get, index.get)),
                    store(here, load(here, HEAD - 8), HEAD),
                    place.set(sub(place.get, at(1))),
                    jump(again),
                ),
            ),
            out,
        ),
        store(here, item.get, HEAD),
    )


def _onto(low: "Lowering", to: rules.Destination, moved: Listing, zone: Op) -> Op:
    """Items that lie nowhere go onto a stacked zone, or below it."""
    stack, index = low.f.local("t"), low.f.local("t")
    where = stack.set(stack_of(low, to.zone.name, zone))
    top = load(stack.get, 0, 4, "t")

    def lay(item: Op) -> Op:
        laid = do(index.set(top if to.at == "top" else at(0)), call(laying(low), stack.get, index.get, item))
        return do(laid, _set_bit(low, zone, item), placed(low, item, zone))

    return do(where, moved.each(lay))


def _into(low: "Lowering", to: rules.Destination, item: Op, zone: Op, number_: Op) -> Op:
    """An item goes to a place of a stacked zone."""
    stack = low.f.local("t")
    where = stack.set(stack_of(low, to.zone.name, zone))
    count = number(load(stack.get, 0, 4, "t"))
    index = sub(number_, num(1))
    wrong = low.fault("there is no place {0} among {1} items", to.span, number_, count)
    return do(
        take(low, item, to.span),
        where,
        when(compare(">", plain("and", index, num(-1)), count), wrong),
        when(compare("<", index, num(0)), wrong),
        call(laying(low), stack.get, address(index), item),
        _set_bit(low, zone, item),
        placed(low, item, zone),
    )


def shuffle(low: "Lowering", statement: rules.Shuffle) -> Op:
    """The order of a stacked zone is unknown from here on."""
    first, zone = low.keep(zone_number(low, statement.zone))
    stack, index, unknown, words = low.f.local("t"), low.f.local("t"), low.f.local(), low.memory.words
    base = mul(zone, at(8 * words))
    word = lambda w: load(add(base, mul(w, at(8))), low.memory.zone_bits)  # noqa: E731
    bound = low.most(rules.Item(low.layout.zone_rules[statement.zone.name].kinds))
    lying = Words(low, bound, True, False, words=words, word=word)
    laid = lying.each(
        lambda item: do(
            store(add(stack.get, mul(index.get, at(8))), plain("or", item, unknown.get), HEAD),
            index.set(add(index.get, at(1))),
        )
    )
    several = plain("t <", at(1), load(stack.get, 0, 4, "t"))
    return do(
        first,
        stack.set(stack_of(low, statement.zone.name, zone)),
        index.set(at(0)),
        unknown.set(Op("select", (num(UNKNOWN), num(0), several), None, "n")),
        laid,
    )


# ---- faces ---------------------------------------------------------------------------------------------


def turn(low: "Lowering", statement: rules.Turn) -> Op:
    """Items show a face."""
    kept, items = low.again(low.items(statement.items))
    first, face = low.keep(low.number_of(statement.face))
    return do(kept, first, show(low, items, of_kinds(low, statement.items.type), face, statement.span))


def show(low: "Lowering", items: Listing, kinds: list[KindOfItem], face: Op, span: Span) -> Op:
    """Items show a face."""
    wrong = low.fault("the item has no such face", span)
    flags = flags_of_faces(low, kinds)
    if flags is not None and isinstance(items, Bits) and known(has_face(low, kinds, num(kinds[0].first), face)) == 1:
        kept, word = low.keep(items.word)
        return do(kept, flags.write_all(face, word))

    def one(item: Op) -> Op:
        return do(when(no(has_face(low, kinds, item, face)), wrong), write_face(low, kinds, item, face))

    return items.each(one)


def flags_of_faces(low: "Lowering", kinds: Sequence[KindOfItem]) -> Flags | None:
    """The flags in which the faces of all these items stand."""
    if len(kinds) != 1 or kinds[0].rule.faces is None:
        return None
    cell = low.memory.fields[kinds[0].rule.name, kinds[0].rule.faces.name]
    return cell if isinstance(cell, Flags) else None


def write_face(low: "Lowering", kinds: Sequence[KindOfItem], item: Op, face: Op) -> Op:
    """A face for an item; the kinds' faces may have different names."""
    made = NOTHING
    for kind in reversed([kind for kind in kinds if kind.rule.faces is not None]):
        assert kind.rule.faces is not None
        written = write_field(low, [kind], kind.rule.faces.name, item, face)
        made = written if made is NOTHING else when(compare("<", item, num(kind.end)), written, made)
    return made


def read_face(low: "Lowering", kinds: Sequence[KindOfItem], item: Op) -> Op:
    """The face an item shows."""
    thrown = [kind for kind in kinds if kind.rule.faces is not None]
    value = num(0)
    for place, kind in enumerate(reversed(thrown)):
        assert kind.rule.faces is not None
        mine = _field(low, kind, kind.rule.faces.name, item)
        value = mine if place == 0 else choose(compare("<", item, num(kind.end)), mine, value)
    return value


def has_face(low: "Lowering", kinds: list[KindOfItem], item: Op, face: Op) -> Op:
    """Whether an item of these kinds has a face."""
    sides = [frozenset(low.layout.faces[each]) for kind in kinds for each in range(kind.first, kind.end)]
    distinct = set(sides)
    constant = known(face)
    if constant is not None and all(constant in each for each in distinct):
        return at(1)
    if len(distinct) == 1:
        return _is_one_of(face, sorted(sides[0]))
    among = sorted(distinct, key=sorted)
    first, end = kinds[0].first, kinds[-1].end
    numbers = [among.index(frozenset(low.layout.faces[each])) for each in range(first, end)]
    which = low.table("sides", numbers).read(sub(item, num(first)))
    return either(
        *[both(compare("is", which, num(place)), _is_one_of(face, sorted(each))) for place, each in enumerate(among)]
    )


def _is_one_of(face: Op, sides: list[int]) -> Op:
    if sides and sides == list(range(sides[0], sides[-1] + 1)):
        return both(compare("<=", num(sides[0]), face), compare("<=", face, num(sides[-1])))
    return either(*[compare("is", face, num(side)) for side in sides])
