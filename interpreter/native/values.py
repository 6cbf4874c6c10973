"""Single values: numbers, tests, players, members and items."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ...dsl import rules
from ...dsl.source import Span
from ...dsl.tree import walk
from ..layout import Span as Dimension
from . import items, masks, sets
from .code import (
    NONE,
    NOTHING,
    Op,
    add,
    at,
    both,
    call,
    choose,
    compare,
    do,
    either,
    known,
    mul,
    no,
    num,
    number,
    outside,
    plain,
    sub,
    test,
    when,
)
from .flow import Function
from .listings import Bits, Listing, Written, some_bit

if TYPE_CHECKING:
    from .lowering import Lowering

LARGE = 14
"""Definitions of more nodes than this are functions."""


def constant(low: "Lowering", expr: rules.Constant) -> Op:
    if expr.value is None:
        return num(NONE)
    return at(int(expr.value)) if isinstance(expr.value, bool) else num(expr.value)


def option(low: "Lowering", expr: rules.OptionValue) -> Op:
    value = low.layout.options[expr.name]
    return at(int(value)) if isinstance(value, bool) else num(value)


def _typed(expr: rules.Expr, value: Op) -> Op:
    """A number as a test, where the expression is one."""
    return test(value) if isinstance(expr.type, rules.YesNo) else value


def table(low: "Lowering", expr: rules.TableValue) -> Op:
    shape, entries = low.layout.tables[expr.name]
    index = offset(low, shape, expr.indexes, expr.span)
    noted = NOTHING
    if low.watching is not None:
        kept, index = low.keep(index)
        noted = do(kept, low.watching.row(expr.name, index, len(entries)))
    place = known(index)
    if place is not None:
        return do(noted, _typed(expr, num(NONE if entries[place] is None else int(entries[place]))))
    return do(noted, _typed(expr, low.table(expr.name, entries).read(index)))


def local(low: "Lowering", expr: rules.Local) -> Op:
    bound = low.env.get(expr.number)
    if bound is None:
        return _typed(expr, low.read_slot(low.slots[expr.number]))
    assert isinstance(bound, Op)
    return _typed(expr, bound)


def local_of(low: "Lowering", expr: rules.LocalOf) -> Op:
    first = low.together[expr.number]
    kept, seat = low.keep(low.sure(expr.player))
    value = low.f.local()
    found = value.set(low.memory.cells[first].read(seat))
    missing = low.fault(f"player {{0}} has chosen no {expr.name}", expr.span, add(number(seat), num(1)))
    return _typed(expr, do(kept, found, when(compare("is", value.get, num(NONE)), missing), value.get))


def variable(low: "Lowering", expr: rules.VariableValue) -> Op:
    value = low.memory.variables[expr.name].read(element(low, expr))
    value = _typed(expr, value)
    return value if low.watcher is None else items.watched_variable(low, expr, value)


def element(low: "Lowering", place: rules.VariableValue) -> Op:
    """The number of an element of a variable among all of them."""
    block = low.layout.variables[place.name]
    inside = offset(low, block.shape, place.indexes, place.span)
    if place.player is None:
        return inside
    return add(mul(number(low.sure(place.player)), num(block.stride)), inside)


def offset(low: "Lowering", shape: tuple[Dimension, ...], indexes: tuple[rules.Expr, ...], span: Span) -> Op:
    """Where the element for these indexes stands, row by row."""
    place = num(0)
    for dimension, index in zip(shape, indexes, strict=True):
        place = add(mul(place, num(dimension.size)), _index(low, dimension, index, span))
    return place


def _index(low: "Lowering", dimension: Dimension, index: rules.Expr, span: Span) -> Op:
    first, size = dimension.first, dimension.size
    value = number(low.sure(index))
    constant = known(value)
    if constant is not None:
        if 0 <= constant - first < size:
            return num(constant - first)
        return do(low.fault(f"there is no element {constant}", span), num(0))
    type_ = index.type.of if isinstance(index.type, rules.Maybe) else index.type
    if not isinstance(type_, rules.Number) or (first <= type_.low and type_.high < first + size):
        return sub(value, num(first))
    kept, it = low.keep(sub(value, num(first)))
    message = f"there is no element {{0}}: it must be in {first}..{first + size - 1}"
    missing = low.fault(message, span, add(it, num(first)))
    return do(kept, when(no(plain("<u", it, num(size))), missing), it)


# ---- arithmetic ----------------------------------------------------------------------------------------


def arithmetic(low: "Lowering", expr: rules.Arithmetic) -> Op:
    left, right = low.number_of(expr.left), low.number_of(expr.right)
    if expr.operator in ("+", "-"):
        return _sum(low, expr, left, right)
    if expr.operator == "*":
        return mul(left, right) if not expr.unsafe or _settled(left, right) else _product(low, expr, left, right)
    return _quotient(low, expr, left, right)


def _settled(*ops: Op) -> bool:
    return all(known(op) is not None for op in ops)


def _sum(low: "Lowering", expr: rules.Arithmetic, left: Op, right: Op) -> Op:
    make = add if expr.operator == "+" else sub
    if not expr.unsafe or _settled(left, right):
        return make(left, right)
    return checked_sum(low, make, left, right, low.fault("the number is too large", expr.span))


def checked_sum(low: "Lowering", make: Callable[[Op, Op], Op], left: Op, right: Op, fault: Op) -> Op:
    """A sum or difference, with a fault beyond 64 bits."""
    first, a = low.keep(left)
    second, b = low.keep(right)
    result = low.f.local()
    turned = plain("xor", result.get, a if make is add else b)
    other = plain("xor", result.get, b) if make is add else plain("xor", a, b)
    if make is sub:
        turned, other = plain("xor", a, result.get), plain("xor", a, b)
    wrong = compare("<", plain("and", turned, other), num(0))
    return do(first, second, result.set(make(a, b)), when(wrong, fault), result.get)


def _product(low: "Lowering", expr: rules.Arithmetic, left: Op, right: Op) -> Op:
    first, a = low.keep(left)
    second, b = low.keep(right)
    result = low.f.local()
    least = num(rules.LEAST)
    lost = either(
        both(compare("is", a, num(-1)), compare("is", b, least)),
        both(
            compare("is not", a, num(0)),
            compare("is not", a, num(-1)),
            compare("is not", plain("div", result.get, a), b),
        ),
    )
    fault = low.fault("the number is too large", expr.span)
    return do(first, second, result.set(mul(a, b)), when(lost, fault), result.get)


def _quotient(low: "Lowering", expr: rules.Arithmetic, left: Op, right: Op) -> Op:
    a, b = known(left), known(right)
    if a is not None and b:
        return num(a // b if expr.operator == "/" else -(-a // b) if expr.operator == "/up" else a % b)
    first, number_ = low.keep(left)
    second, by = low.keep(right)
    prepared = do(first, second)
    if not b:
        prepared = do(prepared, when(compare("is", by, num(0)), low.fault("division by zero", expr.span)))
    if b in (None, -1) and expr.operator != "mod":
        alone = both(compare("is", by, num(-1)), compare("is", number_, num(rules.LEAST)))
        prepared = do(prepared, when(alone, low.fault("the number is too large", expr.span)))
    kind = expr.left.type
    if b is not None and b > 0 and isinstance(kind, rules.Number) and kind.low >= 0:
        if expr.operator == "/":
            return do(prepared, plain("div", number_, by))
        if expr.operator == "mod":
            return do(prepared, plain("rem", number_, by))
    rest = low.f.local()
    prepared = do(prepared, rest.set(plain("rem", number_, by)))
    opposite = compare("<", plain("xor", number_, by), num(0))
    uneven = compare("is not", rest.get, num(0))
    if expr.operator == "mod":
        turned = compare("<", plain("xor", rest.get, by), num(0))
        return do(prepared, Op("select", (add(rest.get, by), rest.get, both(uneven, turned)), None, "n"))
    quotient = plain("div", number_, by)
    if expr.operator == "/":
        return do(prepared, sub(quotient, number(both(uneven, opposite))))
    return do(prepared, add(quotient, number(both(uneven, no(opposite)))))


def absolute(low: "Lowering", expr: rules.Absolute) -> Op:
    kept, it = low.keep(low.number_of(expr.value))
    made = do(kept, Op("select", (sub(num(0), it), it, compare("<", it, num(0))), None, "n"))
    type_ = expr.value.type
    if isinstance(type_, rules.Number) and type_.low > rules.LEAST:
        return made
    return do(kept, when(compare("is", it, num(rules.LEAST)), low.fault("the number is too large", expr.span)), made)


def greatest(low: "Lowering", expr: rules.Greatest) -> Op:
    first, *rest = expr.values
    best = low.f.local()
    code = [best.set(low.number_of(first))]
    for each in rest:
        kept, it = low.keep(low.number_of(each))
        better = compare(">" if expr.highest else "<", it, best.get)
        code += [kept, best.set(Op("select", (it, best.get, better), None, "n"))]
    return do(*code, best.get)


# ---- tests ---------------------------------------------------------------------------------------------


def compare_(low: "Lowering", expr: rules.Compare) -> Op:
    if isinstance(expr.left.type, rules.Many):
        same = sets.equal(low, low.listing(expr.left), low.listing(expr.right))
        return same if expr.operator == "is" else no(same)
    if expr.operator in ("is", "is not"):
        return compare(expr.operator, low.number(expr.left), low.number(expr.right))
    return compare(expr.operator, low.number_of(expr.left), low.number_of(expr.right))


def contains(low: "Lowering", expr: rules.Contains) -> Op:
    if isinstance(expr.source, rules.Span_):
        return sets.contained(low, expr)
    return low.listing(expr.source).has(low.number(expr.element))


def not_(low: "Lowering", expr: rules.Not) -> Op:
    return no(low.test(expr.value))


def both_(low: "Lowering", expr: rules.Both) -> Op:
    return both(*until(low, expr.terms, 0))


def either_(low: "Lowering", expr: rules.Either) -> Op:
    return either(*until(low, expr.terms, 1))


def until(low: "Lowering", terms: Iterable[rules.Expr], end: int) -> list[Op]:
    """The terms up to the first that is known to settle the matter."""
    tests: list[Op] = []
    for term in terms:
        tests.append(low.test(term))
        if known(tests[-1]) == end:
            break
    return tests


def conditional(low: "Lowering", expr: rules.Conditional) -> Op:
    condition = low.test(expr.condition)
    settled = known(condition)
    if settled is not None:
        return low.value(expr.then if settled else expr.otherwise)
    if isinstance(expr.type, rules.YesNo):
        return choose(condition, low.test(expr.then), low.test(expr.otherwise))
    return choose(condition, low.number(expr.then), low.number(expr.otherwise))


# ---- what lists come to --------------------------------------------------------------------------------


def aggregate(low: "Lowering", expr: rules.Aggregate) -> Op:
    match expr.kind:
        case "count":
            return low.listing(expr.source).count()
        case "sum":
            return _total(low, expr)
        case "max" | "min":
            return _peak(low, expr)
        case "any":
            if not _are_tests(expr.source.type):
                return low.listing(expr.source).some()
            found = _those(low, expr.source, True)
            return low.listing(expr.source).holds(test) if found is None else found.some()
        case _:
            found = _those(low, expr.source, False)
            return no(low.listing(expr.source).holds(lambda each: no(test(each))) if found is None else found.some())


def _those(low: "Lowering", source: rules.Expr, holds: bool) -> Listing | None:
    """The elements for which a test says yes, or no, where bits tell."""
    if not isinstance(source, rules.Mapped):
        return None
    return masks.narrowed(low, low.listing(source.source), source.value, source.each, holds)


def _are_tests(type_: rules.Type) -> bool:
    return isinstance(type_, rules.Many) and isinstance(type_.of, rules.YesNo)


def _given(low: "Lowering", source: rules.Expr, each: Op) -> Op:
    """A fault where an element is none and that is no use."""
    if isinstance(source.type, rules.Many) and isinstance(source.type.of, rules.Maybe):
        return when(compare("is", each, num(NONE)), low.fault("one of these values is none", source.span))
    return NOTHING


def _total(low: "Lowering", expr: rules.Aggregate) -> Op:
    if isinstance(expr.source, rules.Mapped):
        counted = masks.total(low, low.listing(expr.source.source), expr.source.value, expr.source.each)
        if counted is not None:
            return counted
    listing, total = low.listing(expr.source), low.f.local()
    if isinstance(expr.type, rules.Number) and rules.LEAST < expr.type.low and expr.type.high < rules.MOST:
        summed = listing.each(lambda each: do(_given(low, expr.source, each), total.set(add(total.get, each))))
        return do(total.set(num(0)), summed, total.get)
    wide = WideSum(low)
    added = listing.each(lambda each: do(_given(low, expr.source, each), wide.add(each)))
    return do(wide.begin(), added, wide.end(expr.span))


class WideSum:
    """A sum of 128 bits: it may leave 64 bits and come back."""

    def __init__(self, low: "Lowering") -> None:
        self.low = low
        self.total, self.high = low.f.local(), low.f.local()

    def begin(self) -> Op:
        """Nothing has been added yet."""
        return do(self.total.set(num(0)), self.high.set(num(0)))

    def add(self, number_: Op) -> Op:
        """A cheap number is added."""
        carry = number(plain("<u", self.total.get, number_))
        more = add(_sign(number_), carry)
        return do(self.total.set(add(self.total.get, number_)), self.high.set(add(self.high.get, more)))

    def end(self, span: Span) -> Op:
        """The sum, with a fault where it needs more than 64 bits."""
        left = compare("is not", self.high.get, _sign(self.total.get))
        return do(when(left, self.low.fault("the number is too large", span)), self.total.get)


def _sign(number_: Op) -> Op:
    """The upper half of a number of 128 bits."""
    return sub(num(0), number(compare("<", number_, num(0))))


def _peak(low: "Lowering", expr: rules.Aggregate) -> Op:
    best, some = low.f.local(), low.f.local("t")
    relation = ">" if expr.kind == "max" else "<"

    def better(each: Op) -> Op:
        wins = either(no(some.get), compare(relation, each, best.get))
        return do(_given(low, expr.source, each), when(wins, best.set(each)), some.set(at(1)))

    looked = do(some.set(at(0)), low.listing(expr.source).each(better))
    if expr.default is None:
        missing = low.fault(f"there is no {expr.kind} of nothing", expr.span)
        return do(looked, when(no(some.get), missing), best.get)
    return do(looked, when(no(some.get), best.set(low.number(expr.default))), best.get)


def only(low: "Lowering", expr: rules.Only) -> Op:
    found, count = low.f.local(), low.f.local()
    listing = low.listing(expr.source)
    looked = listing.each(lambda each: do(found.set(each), count.set(add(count.get, num(1)))))
    message = "there must be exactly one, and there are {0}"
    wrong = when(compare("is not", count.get, num(1)), low.fault(message, expr.span, count.get))
    return _typed(expr, do(count.set(num(0)), looked, wrong, found.get))


# ---- players -------------------------------------------------------------------------------------------


def neighbour(low: "Lowering", expr: rules.Neighbour) -> Op:
    steps = low.number_of(expr.steps)
    if known(steps) == 0:
        return low.sure(expr.player)
    first, seat = low.keep(low.number_of(expr.player))
    second, number_ = low.keep(steps)
    nobody = when(
        both(compare("is not", number_, num(0)), no(low.seats.some())),
        low.fault("nobody is left in the game", expr.span),
    )
    further = seat_after(low, seat, number_)
    if known(steps) is None:
        further = choose(compare("is", number_, num(0)), seat, do(further))
    return do(first, second, nobody, further)


def seat_after(low: "Lowering", seat: Op, steps: Op) -> Op:
    """The seat so many further on among those still in, of whom there is one at least."""
    seats = low.seats
    if known(steps) == 1 and low.all_stay:
        last = compare("is", seat, num(low.layout.players - 1))
        return Op("select", (num(0), add(seat, num(1)), last), None, "n")
    if known(steps) == 1 and isinstance(seats, Bits):
        above = low.f.local()
        later = plain("and", seats.word, plain("shl", num(-2), seat))
        return do(above.set(later), plain("ctz", Op("select", (above.get, seats.word, some_bit(above.get)), None, "n")))
    return call(_stepping(low), seat, steps)


def _stepping(low: "Lowering") -> Function:
    """The function that goes round the table."""
    if "seat after" in low.made:
        return low.made["seat after"]
    function = low.made["seat after"] = low.flow.function("seat_after", ("n", "n"), "n")
    with low.inside(function):
        seat, steps = function.parameter(0), function.parameter(1)
        place, among, found = function.local(), function.local("t"), function.local()
        count, earlier = low.seats.count(), _earlier(low, seat.get)
        number_, here = function.local(), function.local()
        function.fill(
            place.set(earlier),
            among.set(low.seats.has(seat.get)),
            when(both(no(among.get), compare(">", steps.get, num(0))), steps.set(sub(steps.get, num(1)))),
            number_.set(count),
            place.set(plain("rem", add(place.get, steps.get), number_.get)),
            when(compare("<", place.get, num(0)), place.set(add(place.get, number_.get))),
            here.set(num(0)),
            low.seats.each(
                lambda each: do(
                    when(compare("is", here.get, place.get), found.set(each)), here.set(add(here.get, num(1)))
                )
            ),
            found.get,
        )
    return function


def _earlier(low: "Lowering", seat: Op) -> Op:
    """How many of those still in sit before a seat."""
    total = low.f.local()
    return do(
        total.set(num(0)),
        low.seats.each(lambda each: when(compare("<", each, seat), total.set(add(total.get, num(1))))),
        total.get,
    )


def seat_of(low: "Lowering", expr: rules.SeatOf) -> Op:
    return add(low.number_of(expr.player), num(1))


def player_at(low: "Lowering", expr: rules.PlayerAt) -> Op:
    seat = low.number_of(expr.seat)
    value = known(seat)
    if value is not None and 1 <= value <= low.layout.players:
        return num(value - 1)
    kept, it = low.keep(sub(seat, num(1)))
    missing = low.fault("there is no player {0}", expr.span, add(it, num(1)))
    return do(kept, when(no(plain("<u", it, num(low.layout.players))), missing), it)


def team_of(low: "Lowering", expr: rules.TeamOf) -> Op:
    teams = low.layout.game.teams or low.layout.players
    return add(plain("rem", low.number_of(expr.player), num(teams)), num(1))


# ---- definitions ---------------------------------------------------------------------------------------


def call_(low: "Lowering", expr: rules.Call) -> Op:
    rule = low.definitions[expr.definition]
    if not large(low, rule):
        prepared, env = arguments(low, rule, expr.arguments)
        with low.where(env):
            return do(prepared, low.value(rule.value))
    function = _definition(low, rule)
    given = [passed(low, *pair) for pair in zip(rule.parameters, expr.arguments, strict=True)]
    seat = [] if low.watcher is None else [low.watcher]
    made = call(function, *seat, *[value for _, value in given])
    return do(*[before for before, _ in given], made)


def large(low: "Lowering", rule: rules.Definition) -> bool:
    """Whether a definition is rather a function than written out where it is used."""
    key = "large definition", rule.name
    if key not in low.noticed:
        low.noticed[key] = low.calls[rule.name] > 1 and sum(1 for _ in walk(rule.value)) > LARGE
    return low.noticed[key]


def arguments(
    low: "Lowering", rule: rules.Definition, given: tuple[rules.Expr, ...]
) -> tuple[Op, dict[int, Op | Listing]]:
    """A definition's parameters, worked out: the statements, and what is bound in the definition."""
    return bound_to(low, zip(rule.parameters, given, strict=True))


def bound_to(low: "Lowering", pairs: Iterable[tuple[rules.Local, rules.Expr]]) -> tuple[Op, dict[int, Op | Listing]]:
    """Some parameters with what is given for them."""
    env: dict[int, Op | Listing] = {}
    prepared = []
    for parameter, argument in pairs:
        if isinstance(parameter.type, rules.Many):
            kept, listing = low.again(low.listing(argument))
            env[parameter.number] = listing
        else:
            kept, env[parameter.number] = low.keep(low.number(argument))
        prepared.append(kept)
    return do(*prepared), env


def passed(low: "Lowering", parameter: rules.Local, argument: rules.Expr) -> tuple[Op, Op]:
    """An argument for a function: what has to be done before, and what is handed over."""
    if not isinstance(parameter.type, rules.Many):
        return low.keep(low.number(argument))
    listing = low.listing(argument)
    if low.as_bits(parameter):
        return low.keep(listing.bits())
    written, found = low.written(listing)
    return written, found.where


def _definition(low: "Lowering", rule: rules.Definition) -> Function:
    """The function of a definition; another one for a strategy, which looks with its own eyes."""
    key = "definition", rule.name, low.watcher is not None
    if key in low.made:
        return low.made[key]
    kinds = ["t" if listed(low, parameter) else "n" for parameter in rule.parameters]
    watching = ["n"] if low.watcher is not None else []
    result = "t" if isinstance(rule.value.type, rules.YesNo) else "n"
    function = low.flow.function(rule.name, (*watching, *kinds), result)
    before = low.watcher
    with low.inside(function):
        low.watcher = function.parameter(0).get if watching else None
        low.env = parameters(low, function, rule.parameters, len(watching))
        function.fill(low.value(rule.value))
    low.watcher = before
    low.made[key] = function
    return function


def parameters(
    low: "Lowering", function: Function, rule: tuple[rules.Local, ...], first: int
) -> dict[int, Op | Listing]:
    """What is bound in a function: its parameters from one on."""
    env: dict[int, Op | Listing] = {}
    for place, parameter in enumerate(rule, first):
        here = function.parameter(place).get
        if listed(low, parameter):
            assert isinstance(parameter.type, rules.Many)
            of = parameter.type.of
            env[parameter.number] = Written(low, low.most(of), False, low.small(of), where=here)
        elif isinstance(parameter.type, rules.Many):
            env[parameter.number] = Bits(low, 63, True, True, word=here)
        else:
            env[parameter.number] = here
    return env


def listed(low: "Lowering", parameter: rules.Local) -> bool:
    """Whether a parameter is a set that is handed over as a list."""
    return isinstance(parameter.type, rules.Many) and not low.as_bits(parameter)


def something(low: "Lowering", expr: rules.Something) -> Op:
    return _typed(expr, low.something(low.number(expr.value), expr.span))


def in_range(low: "Lowering", expr: rules.InRange) -> Op:
    least, most = low.known(expr.range.low), low.known(expr.range.high)
    value = low.sure(expr.value)
    constant = known(value)
    if constant is not None and least <= constant <= most:
        return value
    kept, it = low.keep(value)
    return do(kept, when(outside(it, least, most), low.fault(f"{{0}} is not in {least}..{most}", expr.span, it)), it)
