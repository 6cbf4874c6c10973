"""What a seat can tell apart, and what nobody could: items as numbers that are equal where the items look alike.

The parts of a key (the zone, the place, the kind, what is printed, what shows) are packed into numbers of 62 bits, so
that keys are in the order of the reference's.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from ...dsl import rules
from ..layout import BOX, KindOfItem
from . import items
from .code import (
    NONE,
    NOTHING,
    Label,
    Op,
    add,
    address,
    at,
    block,
    both,
    call,
    choose,
    compare,
    do,
    either,
    jump,
    known,
    mul,
    no,
    num,
    plain,
    sub,
    when,
)
from .flow import Function
from .listings import Chosen, bit
from .memory import MOST_FLAGS, Cell, Flags

if TYPE_CHECKING:
    from .lowering import Lowering

MOST = 2**62


@attrs.frozen
class Digit:
    """A part of a key: a number from 0 up to but not including `size`."""

    value: Op
    size: int


@attrs.frozen
class Among:
    """What is known of the items to be told apart."""

    kinds: tuple[KindOfItem, ...]
    one_zone: bool
    """Whether all lie in one zone without an order, or in one sheet."""
    seat: Op | None
    """Who looks; None for nobody in particular, who sees all."""
    open: bool = False
    """Whether all surely lie in zones into which everybody sees."""


def among(low: "Lowering", source: rules.Expr, seat: Op | None) -> Among:
    """What is known of the items of an expression."""
    kinds = tuple(items.of_kinds(low, source.type))
    zone = items.origin(source)
    one_zone = zone is not None and not low.layout.zone_rules[zone.name].stacked
    zones = _zones(source)
    open_ = bool(zones) and all(low.layout.zone_rules[each].visibility == "open" for each in zones)
    return Among(kinds, one_zone, seat, open_)


def _zones(source: rules.Expr) -> set[str]:
    """The zones in which all of these items surely lie; none if that cannot be told."""
    match source:
        case rules.ZoneItems(name):
            return {name}
        case rules.Filter(source) | rules.FirstOf(_, source) | rules.Extreme(source) | rules.Difference(source):
            return _zones(source)
        case rules.Union(left, right):
            one, other = _zones(left), _zones(right)
            return one | other if one and other else set()
    return set()


# ---- keys ----------------------------------------------------------------------------------------------


def packed(digits: Sequence[Digit]) -> list[Digit]:
    """Digits as few large ones, the first ones weighing most."""
    made: list[Digit] = []
    value, size = num(0), 1
    for digit in digits:
        if digit.size == 1:
            continue
        if size * digit.size > MOST:
            made.append(Digit(value, size))
            value, size = num(0), 1
        value = add(mul(value, num(digit.size)), digit.value)
        size *= digit.size
    return [*made, Digit(value, size)]


def all_of(low: "Lowering", about: Among, item: Op, face: bool = True) -> list[Op]:
    """All there is to an item, but for the zone and place where these are the same for all."""
    first = [] if about.one_zone else _where(low, about, item)
    own = _by_kind(about, item, lambda kind: _shown(low, kind, item, face))
    return [digit.value for digit in packed([*first, _twins(low, about.kinds, item), *own])]


def _by_kind(about: Among, item: Op, own: Callable[[KindOfItem], list[Digit]]) -> list[Digit]:
    """Digits that are different ones for each kind."""
    kinds = about.kinds
    keys = [packed(own(kind)) for kind in kinds]
    made = []
    for place in range(max(map(len, keys), default=0)):
        column = [key[place] if place < len(key) else Digit(num(0), 1) for key in keys]
        value = column[-1].value
        for kind, digit in reversed(list(zip(kinds[:-1], column[:-1], strict=True))):
            value = choose(compare("<", item, num(kind.end)), digit.value, value)
        made.append(Digit(value, max(digit.size for digit in column)))
    return made


def _where(low: "Lowering", about: Among, item: Op) -> list[Digit]:
    """The zone an item lies in, sheets first, and the place where that counts and is known."""
    layout, memory = low.layout, low.memory
    sheets = [slot for slot in layout.zone_at if slot < 0]
    zones = len(memory.zone_numbers)
    sheet = all(kind.rule.sheet for kind in about.kinds)
    numbers = [sorted(sheets).index(slot) for slot in layout.cell_zone[layout.movable :]]
    zone: Op = num(0)
    if any(kind.rule.sheet for kind in about.kinds):
        zone = low.table("sheets", numbers).read(sub(item, num(layout.movable)))
    lies = add(items.lies_in(low, item), num(len(sheets)))
    if not sheet:
        mixed = any(kind.rule.sheet for kind in about.kinds)
        zone = choose(compare("<", item, num(layout.movable)), do(lies), zone) if mixed else lies
    digits = [Digit(zone, len(sheets) + zones)]
    if memory.stacks and not sheet and any(may_be_stacked(low, kind) for kind in about.kinds):
        digits.append(Digit(add(call(placing(low), item), num(1)), 1 + layout.movable))
    return digits


def may_be_stacked(low: "Lowering", kind: KindOfItem) -> bool:
    """Whether such items may lie in an order."""
    return any(zone.stacked and kind.rule.name in zone.kinds for zone in low.game.zones)


def placing(low: "Lowering") -> Function:
    """The function that tells an item's place in a stacked zone: below zero elsewhere or where it is not known."""
    if "placing" in low.made:
        return low.made["placing"]
    function = low.made["placing"] = low.flow.function("placing", ("n",), "n")
    with low.inside(function):
        item, stack = function.parameter(0).get, function.local("t")
        sheets = any(kind.rule.sheet for kind in low.layout.kinds.values())
        found = Op("if", (stack.get, call(items.position(low), item, stack.get), num(-1)), None, "n")
        code = do(stack.set(items.any_stack(low, address(items.lies_in(low, item)))), found)
        if sheets:
            code = Op("if", (compare("<", item, num(low.layout.movable)), code, num(-1)), None, "n")
        function.fill(code)
    return function


def _twins(low: "Lowering", kinds: Sequence[KindOfItem], item: Op) -> Digit:
    """Which kind it is, and what is printed on it: the lowest item exactly like it."""
    if not kinds:
        return Digit(num(0), 1)
    first, end = kinds[0].first, kinds[-1].end
    mine = [items._among(kinds, each) for each in range(first, end)]
    twins = [
        low.layout.twins[each] - first if counts else 0 for each, counts in zip(range(first, end), mine, strict=True)
    ]
    if len({twin for twin, counts in zip(twins, mine, strict=True) if counts}) == 1:
        return Digit(num(0), 1)
    if twins == list(range(end - first)):
        return Digit(sub(item, num(first)), end - first)
    return Digit(low.table("twins", twins).read(sub(item, num(first))), end - first)


def _shown(low: "Lowering", kind: KindOfItem, item: Op, face: bool = True) -> list[Digit]:
    """What a component shows, and its changing fields."""
    digits = []
    if kind.rule.faces is not None and face:
        digits.append(_field(low, kind, kind.rule.faces.name, kind.rule.faces.type, item))
    for field in kind.rule.changing:
        digits.append(_field(low, kind, field.name, field.domain.type, item))
    return digits


def _field(low: "Lowering", kind: KindOfItem, name: str, type_: rules.Type, item: Op) -> Digit:
    value = items.field(low, [kind], name, item)
    return digit_of(low, value, type_, *ends_of(low, kind, name, type_))


def digit_of(low: "Lowering", value: Op, type_: rules.Type, least: int, most: int) -> Digit:
    """A value between two ends as a digit; 0 for none where there may be none."""
    size = most - least + 1
    if not isinstance(type_, rules.Maybe):
        return Digit(sub(value, num(least)), size)
    kept, it = low.keep(value)
    made = do(kept, Op("select", (num(0), sub(it, num(least - 1)), compare("is", it, num(NONE))), None, "n"))
    return Digit(made, size + 1)


def ends_of(low: "Lowering", kind: KindOfItem, name: str, type_: rules.Type) -> tuple[int, int]:
    """The ends of the values of a kind's field."""
    layout = low.layout
    fixed = [field for field in kind.rule.fields if field.name == name]
    if fixed:
        held = [int(v) for v in layout.fixed[name][kind.first : kind.end] if v is not None]
        return (min(held), max(held)) if held else (0, 0)
    if kind.rule.faces is not None and kind.rule.faces.name == name:
        faces = [face for item in range(kind.first, kind.end) for face in layout.faces[item]]
        return min(faces), max(faces)
    return low.memory.ends(type_, layout.ranges.get(f"{kind.rule.name}.{name}"))


# ---- what a seat sees ----------------------------------------------------------------------------------


def seen(low: "Lowering", about: Among, item: Op) -> list[Op]:
    """What the seat can tell about an item, in the order of the options."""
    first = [] if about.one_zone else _where(low, about, item)
    order = {kind.rule.name: place for place, kind in enumerate(about.kinds)}
    number_of: Callable[[KindOfItem], Digit] = lambda kind: Digit(  # noqa: E731
        num(order[kind.rule.name]), len(order)
    )
    own = _by_kind(about, item, lambda kind: [number_of(kind), *_looks(low, about, kind, item)])
    if all_open(low, about):
        return [digit.value for digit in packed([*first, *own])]
    seen_ = low.f.local("t")
    own = [Digit(choose(seen_.get, do(digit.value), num(0)), digit.size) for digit in own]
    keys = [digit.value for digit in packed([*first, *own])]
    return [do(seen_.set(into(low, about, item)), keys[0]), *keys[1:]]


def alike(low: "Lowering", about: Among, one: Op, other: Op) -> Op:
    """Whether two items look alike to the seat."""
    pairs = zip(seen(low, about, one), seen(low, about, other), strict=True)
    return do(both(*[compare("is", a, b) for a, b in pairs]))


def all_open(low: "Lowering", about: Among) -> bool:
    """Whether everybody sees into every zone in which the items may lie."""
    if about.open:
        return True
    kinds = {kind.rule.name for kind in about.kinds}
    closed = [zone for zone in low.game.zones if zone.visibility != "open"]
    return not any(kinds & set(zone.kinds) for zone in closed)


def _looks(low: "Lowering", about: Among, kind: KindOfItem, item: Op) -> list[Digit]:
    """What a seat that sees an item sees of it."""
    look = low.looks[kind.rule.name]
    if look.plain:
        return [_twins(low, [kind], item), *_shown(low, kind, item)]
    return [_seen_field(low, about, kind, field, item) for field in look.fields]


def _seen_field(low: "Lowering", about: Among, kind: KindOfItem, field: Any, item: Op) -> Digit:
    ends = ends_of(low, kind, field.name, field.type)
    digit = digit_of(low, items.field(low, [kind], field.name, item), field.type, *ends)
    shown = shows(low, about, kind, field, item)
    if known(shown) == 1:
        return digit
    return Digit(choose(shown, do(digit.value), num(digit.size)), digit.size + 1)


def into(low: "Lowering", about: Among, item: Op) -> Op:
    """Whether the seat sees what lies where an item lies."""
    if all_open(low, about) or about.seat is None:
        return at(1)
    owners = []
    for slot in low.memory.zone_numbers:
        rule, owner, _ = low.layout.zone_at[slot]
        owners.append(-1 if rule.visibility == "open" else owner if rule.visibility == "private" else -2)
    kept, owner_ = low.keep(low.table("seen by", owners).read(items.lies_in(low, item)))
    sees = do(kept, either(compare("is", owner_, num(-1)), compare("is", owner_, about.seat)))
    if all(not kind.rule.sheet for kind in about.kinds):
        return sees
    return choose(compare("<", item, num(low.layout.movable)), do(sees), at(1))


def shows(low: "Lowering", about: Among, kind: KindOfItem, field: Any, item: Op) -> Op:
    """Whether a seat that sees an item also sees a field of it."""
    if about.seat is None:
        return at(1)
    if field.visibility == "hidden":
        return at(0)
    tests = []
    if field.visibility == "private":
        tests.append(compare("is", _owner(low, about, kind, item), about.seat))
    fields = low.fields_behind(kind.rule, field.name)
    for hide in kind.rule.hides:
        if fields & set(hide.fields):
            with low.where({**low.env, hide.it.number: item}):
                before, low.watcher = low.watcher, None
                tests.append(low.test(hide.unless))
                low.watcher = before
    return both(*tests)


def _owner(low: "Lowering", about: Among, kind: KindOfItem, item: Op) -> Op:
    """Whose zone or sheet an item lies in; below zero for nobody's."""
    layout = low.layout
    if kind.rule.sheet:
        owners = [layout.zone_at[layout.cell_zone[cell]][1] for cell in range(layout.movable, len(layout.kind_of))]
        table = low.table("owners of cells", [-1 if owner is None else owner for owner in owners])
        return table.read(sub(item, num(layout.movable)))
    owners = [layout.zone_at[slot][1] for slot in low.memory.zone_numbers]
    return low.table("owners", [-1 if owner is None else owner for owner in owners]).read(items.lies_in(low, item))


# ---- what nobody could tell apart ----------------------------------------------------------------------


def same(low: "Lowering", about: Among, one: Op, other: Op, face: bool = True) -> Op:
    """Whether no rule could tell two items apart, whatever rules hold on to."""
    pairs = zip(all_of(low, about, one, face), all_of(low, about, other, face), strict=True)
    return both(*[compare("is", a, b) for a, b in pairs])


def apart(low: "Lowering", about: Among, one: Op, other: Op, face: bool = True) -> Op:
    """Whether a rule could tell two items apart."""
    alike = same(low, about, one, other, face)
    if low.held():
        alike = both(alike, call(low.holding_alike(), one, other))
    return no(alike)


def fill_holding(low: "Lowering", function: Function) -> None:
    """Fill the function that says whether rules hold on to both of two items or to neither."""
    with low.inside(function):
        one, other = function.parameter(0).get, function.parameter(1).get
        tests = []
        for slot in low.marks():
            type_ = low.layout.types[slot]
            if isinstance(type_, rules.Many):
                tests.append(_held_in_set(low, slot, type_, one, other))
            else:
                value = low.read_slot(slot)
                tests.append(plain("t is", compare("is", value, one), compare("is", value, other)))
        function.fill(_all(low, tests))


def _held_in_set(low: "Lowering", slot: int, type_: rules.Type, one: Op, other: Op) -> Op:
    held = low.set_in(slot, type_)
    alike = plain("t is", held.has(one), held.has(other))
    if slot in low.memory.cells:
        unbound = compare("is", low.read_slot(slot), num(NONE))
        return either(unbound, do(alike))
    return alike


def _all(low: "Lowering", tests: list[Op]) -> Op:
    out, result = Label(), low.f.local("t")
    steps = [when(no(each), do(result.set(at(0)), jump(out))) for each in tests]
    return do(result.set(at(1)), block(out, *steps), result.get)


# ---- strategies ----------------------------------------------------------------------------------------


def watched(low: "Lowering", kinds: Sequence[KindOfItem], expr: rules.FieldOf, item: Op) -> Op:
    """A fault where the strategy's player does not see a field."""
    hiding = {name for zone in low.game.zones if zone.visibility != "open" for name in zone.kinds if zone.name != BOX}
    if all(low.looks[kind.rule.name].plain and kind.rule.name not in hiding for kind in kinds):
        return NOTHING
    assert low.watcher is not None
    about = Among(tuple(kinds), False, low.watcher)
    blind = low.fault(
        f"the strategy looks at `{expr.field}`, which player {{0}} cannot see", expr.span, add(low.watcher, num(1))
    )
    sees = into(low, about, item)
    shown: Op = at(1)
    for place, kind in enumerate(reversed(kinds)):
        mine = both(
            *[shows(low, about, kind, f, item) for f in low.looks[kind.rule.name].fields if f.name == expr.field]
        )
        shown = mine if place == 0 else choose(compare("<", item, num(kind.end)), do(mine), shown)
    return when(no(both(sees, do(shown))), blind)


def watched_variable(low: "Lowering", expr: rules.VariableValue) -> Op:
    """A fault where the strategy's player does not see a variable."""
    rule = next(variable for variable in low.game.variables if variable.name == expr.name)
    if rule.visibility == "open" or low.watcher is None:
        return NOTHING
    blind = low.fault(
        f"the strategy looks at `{expr.name}`, which player {{0}} cannot see", expr.span, add(low.watcher, num(1))
    )
    if expr.player is None or rule.visibility == "hidden":
        return blind
    return when(compare("is not", low.number_of(expr.player), low.watcher), blind)


# ---- the same for all items of a set at once -----------------------------------------------------------


def likes(low: "Lowering", about: Among, item: Op, face: bool = True) -> Op | None:
    """The items that no rule could tell from one of those looked at, as bits; None where bits do not say."""
    made = family(low, about, item)
    if made is None or not about.one_zone:
        return None
    (kind,) = about.kinds
    names = [kind.rule.faces.name] if kind.rule.faces is not None and face else []
    for name in [*names, *(field.name for field in kind.rule.changing)]:
        stored = low.memory.fields[kind.rule.name, name]
        if isinstance(stored, Cell):
            return None
        if isinstance(stored, Flags):
            made = plain("and", made, _as_one(stored.word, item))
        else:
            kept, value = low.keep(stored.read(item))
            made = do(kept, plain("and", made, stored.having(value)))
    return plain("and", made, call(low.holding_likes(), item)) if low.held() else made


def family(low: "Lowering", about: Among, item: Op) -> Op | None:
    """The items that are printed as one of those looked at, as bits; None where these are many, or of several kinds."""
    if len(about.kinds) != 1 or about.kinds[0].end > MOST_FLAGS:
        return None
    (kind,) = about.kinds
    twins, items_ = low.layout.twins, range(kind.first, kind.end)
    members = [sum(1 << other for other in items_ if twins[other] == twins[each]) for each in items_]
    if len(set(members)) == 1:
        return num(members[0])
    return low.table("families", members).read(sub(item, num(kind.first)))


def _as_one(word: Op, item: Op) -> Op:
    """The items that are in a set, or not, as one is."""
    return plain("xor", word, sub(plain("and", plain("shr", word, item), num(1)), num(1)))


def fill_likes(low: "Lowering", function: Function) -> None:
    """Fill the function that gives the items, as bits, that rules hold on to, or do not, as they do to one."""
    with low.inside(function):
        item = function.parameter(0).get
        made = num(-1)
        for slot in low.marks():
            type_ = low.layout.types[slot]
            if isinstance(type_, rules.Many):
                listing = low.set_in(slot, type_)
                few = lambda each: plain("<u", each, num(MOST_FLAGS))  # noqa: E731
                if not listing.small:
                    listing = Chosen(low, listing.bound, False, True, source=listing, condition=few)
                kept, held = low.keep(listing.bits())
                there = choose(low.is_bound(slot), _as_one(held, item), num(-1))
            else:
                kept, held = low.keep(low.read_slot(slot))
                there = _as_one(choose(plain("<u", held, num(MOST_FLAGS)), bit(held), num(0)), item)
            made = plain("and", made, do(kept, there))
        function.fill(made)
