"""Sets and lists: where their elements come from, and what is made of them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from ...dsl import rules
from . import masks, values
from .code import (
    NONE,
    NOTHING,
    Label,
    Op,
    add,
    at,
    both,
    choose,
    compare,
    do,
    jump,
    jump_if,
    known,
    load,
    loop,
    mul,
    no,
    num,
    plain,
    store,
    sub,
    test,
    when,
)
from .listings import Bits, Chosen, FirstOf, Listing, Mapped, Numbers, Offset, Parted, Prepared, Words, Written, bit
from .memory import HEAD

if TYPE_CHECKING:
    from .lowering import Lowering

MOST_NUMBERS = 1_000_000


def of(expr: rules.Expr) -> Any:
    """The type of a list's elements."""
    assert isinstance(expr.type, rules.Many)
    return expr.type.of


def seats(low: "Lowering") -> Listing:
    """The seats still in."""
    players, place = low.layout.players, low.memory.players_in
    if low.all_stay:
        return numbers(low, 0, players - 1)
    if players <= 64:
        return Bits(low, players, True, players <= 63, word=load(at(0), place))
    word: Callable[[Op], Op] = lambda word: load(mul(word, at(8)), place)  # noqa: E731
    return Words(low, players, True, False, words=-(-players // 64), word=word)


def single(low: "Lowering", first: Op, element: Op, small: bool) -> Listing:
    """A listing of one element, after a statement."""
    return Prepared(low, 1, True, small, first=first, then=Numbers(low, 1, True, small, first=element, last=element))


def numbers(low: "Lowering", first: int, last: int) -> Listing:
    """Known numbers in a row."""
    return Numbers(low, max(0, last - first + 1), True, first >= 0 and last < 63, first=num(first), last=num(last))


def constant(low: "Lowering", expr: rules.Constant) -> Listing:
    return numbers(low, 0, -1)


def local(low: "Lowering", expr: rules.Local) -> Listing:
    bound = low.env.get(expr.number)
    if bound is None:
        return low.set_in(low.slots[expr.number], expr.type, expr.number in low.rising)
    assert isinstance(bound, Listing)
    return bound


def local_of(low: "Lowering", expr: rules.LocalOf) -> Listing:
    first = low.together[expr.number]
    kept, seat = low.keep(low.number_of(expr.player))
    missing = low.fault(f"player {{0}} has chosen no {expr.name}", expr.span, add(seat, num(1)))
    if first in low.memory.cells:
        word = low.f.local()
        found = word.set(low.memory.cells[first].read(seat))
        prepared = do(kept, found, when(compare("is", word.get, num(NONE)), missing))
        return Prepared(low, 63, True, True, first=prepared, then=Bits(low, 63, True, True, word=word.get))
    where = low.f.local("t")
    place = at(low.memory.lists[first])
    for other in range(1, low.layout.players):
        place = choose(compare("is", seat, num(other)), at(low.memory.lists[first + other]), place)
    unbound = plain("t <", load(where.get, 0, 4, "t"), at(0))
    prepared = do(kept, where.set(place), when(unbound, missing))
    small, bound = low.small(of(expr)), low.most(of(expr))
    return Prepared(low, bound, False, small, first=prepared, then=Written(low, bound, False, small, where=where.get))


def players(low: "Lowering", expr: rules.Players) -> Listing:
    return numbers(low, 0, low.layout.players - 1) if expr.everyone else low.seats


def others(low: "Lowering", expr: rules.Others) -> Listing:
    first, player = low.keep(low.number_of(expr.player))
    count, small = low.layout.players, low.small(of(expr))
    if low.all_stay:
        count -= 1
    if count == 1 and small:
        word = _without(low, player)
        return Prepared(low, 1, True, small, first=first, then=Bits(low, 1, True, small, word=word))

    def part(relation: str) -> Listing:
        return Chosen(low, count, True, small, source=low.seats, condition=lambda each: compare(relation, each, player))

    both_parts = Parted(low, count, False, small, parts=(part(">"), part("<")))
    if low.seats.small:
        # For questions in which the order says nothing.
        return _Others(low, count, False, small, first=first, then=both_parts, player=player)
    return Prepared(low, count, False, small, first=first, then=both_parts)


def _without(low: "Lowering", player: Op) -> Op:
    """Those still in but one, as bits."""
    return plain("and", low.seats.bits(), plain("xor", bit(player), num(-1)))


class _Others(Prepared):
    """Those still in but one."""

    def __init__(self, low: "Lowering", *rest: Any, player: Op, **named: Any) -> None:
        super().__init__(low, *rest, **named)
        self.any_order = Bits(low, self.bound, True, self.small, word=_without(low, player))

    def holds(self, condition: Callable[[Op], Op]) -> Op:
        return do(self.first, self.any_order.holds(condition))

    def count(self) -> Op:
        return do(self.first, self.any_order.count())

    def some(self) -> Op:
        return do(self.first, self.any_order.some())

    def has(self, element: Op) -> Op:
        one = self.low.f.local()
        return do(one.set(element), self.first, self.any_order.has(one.get))


def span(low: "Lowering", expr: rules.Span_) -> Listing:
    first, last = low.number_of(expr.low), low.number_of(expr.high)
    a, b = known(first), known(last)
    if a is not None and b is not None and b - a < MOST_NUMBERS:
        return numbers(low, a, b)
    kept, least = low.keep(first)
    more, most = low.keep(last)
    prepared = do(kept, more)
    bound = MOST_NUMBERS
    kind, top = expr.low.type, expr.high.type
    if isinstance(kind, rules.Number) and isinstance(top, rules.Number):
        bound = max(0, min(bound, top.high - kind.low + 1))
    if bound == MOST_NUMBERS:
        many = no(plain("<u", sub(most, least), num(MOST_NUMBERS)))
        message = f"{{0}}..{{1}} are more than {MOST_NUMBERS:,} numbers"
        too_many = both(compare(">", most, least), many)
        prepared = do(prepared, when(too_many, low.fault(message, expr.span, least, most)))
    small = low.small(of(expr))
    return Prepared(
        low, bound, True, small, first=prepared, then=Numbers(low, bound, True, small, first=least, last=most)
    )


def contained(low: "Lowering", expr: rules.Contains) -> Op:
    """Whether a number lies between two others, however far apart these are."""
    assert isinstance(expr.source, rules.Span_)
    first, value = low.keep(low.number(expr.element))
    second, least = low.keep(low.number_of(expr.source.low))
    third, most = low.keep(low.number_of(expr.source.high))
    inside = both(compare("<=", least, value), compare("<=", value, most))
    if isinstance(expr.element.type, rules.Maybe):
        inside = both(compare("is not", value, num(NONE)), inside)
    return do(first, second, third, inside)


def members(low: "Lowering", expr: rules.Members) -> Listing:
    type_ = of(expr)
    return numbers(low, 0, len(type_.names) - 1 if isinstance(type_, rules.Member) else 1)


def all_items(low: "Lowering", expr: rules.AllItems) -> Listing:
    kind = low.layout.kinds[expr.kind]
    return numbers(low, kind.first, kind.end - 1)


def filter(low: "Lowering", expr: rules.Filter) -> Listing:
    source, env = low.listing(expr.source), low.env
    terms = list(expr.condition.terms) if isinstance(expr.condition, rules.Both) else [expr.condition]
    # The first terms, as many as bits can tell, are looked at for all elements at once.
    while terms and (fewer := masks.narrowed(low, source, terms[0], expr.each, True)) is not None:
        source = fewer
        terms = terms[1:]
    if not terms:
        return source

    def condition(element: Op) -> Op:
        with low.where({**env, expr.each.number: element}):
            return both(*values.until(low, terms, 0))

    if isinstance(source, Chosen):
        before = source.condition
        return Chosen(
            low,
            source.bound,
            source.rising,
            source.small,
            source=source.source,
            condition=lambda each: both(before(each), condition(each)),
        )
    return Chosen(low, source.bound, source.rising, source.small, source=source, condition=condition)


def mapped(low: "Lowering", expr: rules.Mapped) -> Listing:
    source, env = low.listing(expr.source), low.env

    def value(element: Op) -> Op:
        with low.where({**env, expr.each.number: element}):
            return low.number(expr.value)

    return Mapped(low, source.bound, False, low.small(of(expr)), source=source, value=value)


def distinct(low: "Lowering", expr: rules.Aggregate) -> Listing:
    source = low.listing(expr.source)
    return source if source.rising else apart(low, source)


def apart(low: "Lowering", source: Listing) -> Listing:
    """Each element once, where it first comes."""
    bound = min(source.bound, 63) if source.small else source.bound
    room = low.memory.room("distinct", HEAD + 8 * bound)
    count, seen = low.f.local("t"), low.f.local()
    append = do(count.set(add(count.get, at(1))))

    def put(each: Op) -> Op:
        return do(store(mul(count.get, at(8)), each, Offset(room, HEAD)), append)

    if source.small:
        fresh: Callable[[Op], Op] = lambda each: no(  # noqa: E731
            test(plain("and", plain("shr", seen.get, each), num(1)))
        )
        mark: Callable[[Op], Op] = lambda each: seen.set(  # noqa: E731
            plain("or", seen.get, plain("shl", num(1), each))
        )
    else:
        fresh = lambda each: no(Written(low, bound, False, False, where=at(room)).has(each))  # noqa: E731
        mark = lambda each: store(at(0), count.get, room, 4)  # noqa: E731
    gathered = source.each(lambda each: when(fresh(each), do(put(each), mark(each))))
    first = do(
        count.set(at(0)), seen.set(num(0)), store(at(0), at(0), room, 4), gathered, store(at(0), count.get, room, 4)
    )
    return Prepared(
        low, bound, False, source.small, first=first, then=Written(low, bound, False, source.small, where=at(room))
    )


def extreme(low: "Lowering", expr: rules.Extreme) -> Listing:
    source, env = low.listing(expr.source), low.env
    room = low.memory.room("elements", HEAD + 8 * source.bound)
    count, best = low.f.local("t"), low.f.local()
    relation = ">" if expr.highest else "<"

    def look(element: Op) -> Op:
        with low.where({**env, expr.each.number: element}):
            kept, key = low.keep(low.number_of(expr.key))
        first = plain("t is", count.get, at(0))
        put = do(store(mul(count.get, at(8)), element, Offset(room, HEAD)), count.set(add(count.get, at(1))))
        fresh = when(either_first(first, compare(relation, key, best.get)), do(best.set(key), count.set(at(0))))
        # Only those as good as the best so far are kept.
        return do(kept, fresh, when(compare("is", key, best.get), put))

    prepared = do(count.set(at(0)), source.each(look), store(at(0), count.get, room, 4))
    return Prepared(
        low,
        source.bound,
        source.rising,
        source.small,
        first=prepared,
        then=Written(low, source.bound, source.rising, source.small, where=at(room)),
    )


def either_first(first: Op, second: Op) -> Op:
    """Whether one of two cheap tests holds."""
    return plain("t or", first, second)


def ranked(low: "Lowering", expr: rules.Ranked) -> Listing:
    wanted, count = low.keep(low.number_of(expr.count))
    source = low.listing(expr.source)
    sorted_, listing = in_order(low, source, lambda each: each, expr.largest)
    first = FirstOf(low, source.bound, False, source.small, source=listing, wanted=count)
    return Prepared(low, source.bound, False, source.small, first=do(wanted, sorted_), then=first)


def in_order(low: "Lowering", source: Listing, key: Callable[[Op], Op], descending: bool) -> tuple[Op, Written]:
    """Elements by a key, those with equal keys as they came: the statement, and the list."""
    room = low.memory.room("sorted", HEAD + 8 * source.bound)
    keys = low.memory.room("keys", 8 * source.bound)
    count, place, value = low.f.local("t"), low.f.local("t"), low.f.local()
    relation = "<" if descending else ">"

    def insert(element: Op) -> Op:
        again, out = Label(), Label()
        before = sub(place.get, at(8))
        shift = loop(
            again,
            jump_if(out, plain("t is", place.get, at(0))),
            jump_if(out, no(compare(relation, load(before, keys), value.get))),
            store(place.get, load(before, keys), keys),
            store(place.get, load(before, Offset(room, HEAD)), Offset(room, HEAD)),
            place.set(before),
            jump(again),
        )
        return do(
            value.set(key(element)),
            place.set(mul(count.get, at(8))),
            Op("block", (shift,), out),
            store(place.get, value.get, keys),
            store(place.get, element, Offset(room, HEAD)),
            count.set(add(count.get, at(1))),
        )

    made = do(count.set(at(0)), source.each(insert), store(at(0), count.get, room, 4))
    return made, Written(low, source.bound, False, source.small, where=at(room))


def ordered(low: "Lowering", source: Listing, order: rules.Order) -> tuple[Op, Written]:
    """The elements of a loop or phase by its key."""
    env = low.env

    def key(element: Op) -> Op:
        with low.where({**env, order.each.number: element}):
            return low.number_of(order.key)

    return in_order(low, source, key, order.descending)


def first(low: "Lowering", expr: rules.FirstOf) -> Listing:
    kept, count = low.keep(low.number_of(expr.count))
    source = low.listing(expr.source)
    first = FirstOf(low, source.bound, source.rising, source.small, source=source, wanted=count)
    return Prepared(low, first.bound, first.rising, first.small, first=kept, then=first)


def union(low: "Lowering", expr: rules.Union) -> Listing:
    left, right = low.listing(expr.left), low.listing(expr.right)
    bound, small = left.bound + right.bound, left.small and right.small
    together = Parted(low, bound, False, small, parts=(left, right))
    if not isinstance(of(expr), rules.Item):
        return apart(low, together)
    if small:
        kept, word = low.keep(plain("or", _bits(left), _bits(right)))
        bound = min(bound, 63)
        return Prepared(low, bound, True, True, first=kept, then=Bits(low, bound, True, True, word=word))
    once = apart(low, together)
    made, listing = in_order(low, once, lambda each: each, False)
    listing.rising = True
    return Prepared(low, once.bound, True, small, first=made, then=listing)


def _bits(listing: Listing) -> Op:
    """A small listing as bits, whatever its order."""
    return listing.bits()


def difference(low: "Lowering", expr: rules.Difference) -> Listing:
    left, right = low.listing(expr.left), low.listing(expr.right)
    if left.rising and left.small and right.small and isinstance(left, Bits):
        gone = plain("xor", right.bits(), num(-1))
        kept, word = low.keep(plain("and", left.word, gone))
        return Prepared(low, left.bound, True, True, first=kept, then=Bits(low, left.bound, True, True, word=word))
    if isinstance(right, Bits | Numbers | Words):
        kept, without = NOTHING, cast(Listing, right)
    elif right.small:
        kept, word = low.keep(right.bits())
        without = Bits(low, 63, True, True, word=word)
    else:
        kept, without = low.again(right)
    rest = Chosen(low, left.bound, left.rising, left.small, source=left, condition=lambda each: no(without.has(each)))
    return Prepared(low, left.bound, left.rising, left.small, first=kept, then=rest)


def conditional(low: "Lowering", expr: rules.Conditional) -> Listing:
    condition = low.test(expr.condition)
    settled = known(condition)
    if settled is not None:
        return low.listing(expr.then if settled else expr.otherwise)
    then, otherwise = low.listing(expr.then), low.listing(expr.otherwise)
    bound, rising, small = (
        max(then.bound, otherwise.bound),
        then.rising and otherwise.rising,
        then.small and otherwise.small,
    )
    if rising and small:
        kept, word = low.keep(choose(condition, then.bits(), otherwise.bits()))
        return Prepared(low, bound, True, True, first=kept, then=Bits(low, bound, True, True, word=word))
    room = low.memory.room("either", HEAD + 8 * bound)
    first = when(condition, then.into(room), otherwise.into(room))
    return Prepared(low, bound, rising, small, first=first, then=Written(low, bound, rising, small, where=at(room)))


def call_(low: "Lowering", expr: rules.Call) -> Listing:
    rule = low.definitions[expr.definition]
    prepared, env = values.arguments(low, rule, expr.arguments)
    with low.where(env):
        inside = low.listing(rule.value)
    return Prepared(low, inside.bound, inside.rising, inside.small, first=prepared, then=inside)


def equal(low: "Lowering", left: Listing, right: Listing) -> Op:
    """Whether two listings have the same elements."""
    if left.small and right.small:
        first, a = low.keep(left.bits())
        return do(first, compare("is", a, right.bits()))
    first, one = low.again(left)
    second, other = low.again(right)
    missing = one.holds(lambda each: no(other.has(each)))
    more = other.holds(lambda each: no(one.has(each)))
    return do(first, second, both(no(missing), no(more)))
