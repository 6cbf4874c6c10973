"""Decisions: what there is to choose, in the reference's order, and what is bound when it is chosen.

Items that look alike to whoever decides are one option. Sets are counted and worked out from their number, and listed
only where a condition on the whole set has to be tried on each.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs

from ...dsl import rules
from ...dsl.source import Span
from ..engine import MOST_OPTIONS, MOST_SETS
from ..layout import holds_items
from . import sets, sight
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
    number,
    plain,
    store,
    sub,
    when,
)
from .flow import Block, Branch, Function, Jump, Local, Switch
from .happenings import Handful, twins_among
from .interrupts import Interrupts
from .listings import Bits, Chosen, Listing, Offset, Prepared, Written, nth_bit
from .memory import HEAD

if TYPE_CHECKING:
    from .lowering import Lowering

MOST_TAILS = 4_000_000
IN_BYTES, BYTES = 7, 0x0101010101010101
"""Sets of so many elements can be counted with a byte for each size: so many bytes of one word, each of them 1."""


@attrs.define(eq=False, kw_only=True)
class Options:
    """What a player may choose here, worked out."""

    low: "Lowering"
    name: str
    site: int
    span: Span
    owner: Op
    optional: bool
    count: Local
    """How many options there are, without declining."""
    optional_count: Op = attrs.field(init=False)
    first: Op | None = None
    """In a choice together, whether nobody has been asked before."""

    def __attrs_post_init__(self) -> None:
        self.optional_count = add(self.count.get, num(int(self.optional)))

    def trial(self, number_: Op) -> tuple[Op, dict[int, Op | Listing]]:
        """An option for a look at it: the statements, and what the parts' locals are then."""
        raise NotImplementedError

    def find(self, value: Op) -> Op:
        """The number of the option that is this value; below zero where none is. Of several things it can be `none`."""
        declined = self.count.get if self.optional else num(-1)
        return Op("select", (declined, num(-1), compare("is", value, num(NONE))), None, "n")


# ---- labels --------------------------------------------------------------------------------------------


@attrs.define(eq=False, kw_only=True)
class Labels(Options):
    """The labels whose guard holds; one number for each label, if it is there or not."""

    open: Sequence[Op]

    def find(self, value: Op) -> Op:
        """The label's number among those that are open."""
        # Worked out from the last to the first: a label's number is how many open ones stand before it.
        found, place = self.low.f.local(), self.low.f.local()
        code = [found.set(num(-1)), place.set(num(0))]
        for number_, is_open in enumerate(self.open):
            here = when(compare("is", value, num(number_)), found.set(place.get))
            code.append(when(is_open, do(here, place.set(add(place.get, num(1))))))
        return do(*code, found.get)


def choose_label(low: "Lowering", statement: rules.ChooseLabel) -> None:
    """A decision between labels."""
    low.enter()
    low.waits()
    owner = low.f.local()
    low.emit(owner.set(low.number_of(statement.owner)))
    opens: list[Op] = []
    for each in statement.labels:
        kept, is_open = low.keep(at(1) if each.when is None else low.test(each.when))
        low.emit(kept)
        opens.append(is_open)
    count = low.f.local()
    total = num(0)
    for is_open in opens:
        total = add(total, number(is_open))
    low.emit(count.set(total))
    missing = NOTHING
    if not any(known(each) for each in opens):
        fault = low.fault(f"nothing can be chosen for {statement.name}", statement.span)
        missing = when(compare("is", count.get, num(0)), fault)
    options = Labels(
        low=low,
        name=statement.name,
        site=statement.site,
        span=statement.span,
        owner=owner.get,
        optional=False,
        count=count,
        open=opens,
    )
    answer, asked, then = low.f.local(), Block("chosen"), Block("")
    labels = {each.name: is_open for each, is_open in zip(statement.labels, opens, strict=True)}
    low.decided(options, answer, asked, missing, labels)
    low.begin(asked)
    low.trace_option(answer.get)
    bodies = [Block(each.name) for each in statement.labels]
    if all(known(each) for each in opens):
        if len(bodies) == 2:
            low.end(Branch(compare("is", answer.get, num(0)), bodies[0], bodies[1]))
        else:
            low.end(Switch(address(answer.get), bodies[:-1], bodies[-1]))
    else:
        _walk(low, opens, bodies, answer)
    for number_, (each, body) in enumerate(zip(statement.labels, bodies, strict=True)):
        low.begin(body)
        if low.watching is not None:
            low.emit(low.watching.reach("option", f"{statement.name}: {each.name}", each.span))
            low.emit(store(at(0), num(number_), low.watching.label))
        low.body(each.body)
        low.end(Jump(then))
    low.begin(then)


def _walk(low: "Lowering", opens: list[Op], bodies: list[Block], answer: Local) -> None:
    """To the open label of the answer's number."""
    for number_, (is_open, body) in enumerate(zip(opens, bodies, strict=True)):
        following = Block("")
        if number_ == len(bodies) - 1:
            low.end(Jump(body))
            return
        low.end(Branch(both(is_open, compare("is", answer.get, num(0))), body, following))
        low.begin(following)
        low.emit(answer.set(sub(answer.get, number(is_open))))


# ---- what there is to choose ---------------------------------------------------------------------------


@attrs.define(eq=False)
class Groups:
    """Elements of a part in groups of those that look alike, in order: the first of each, and how many they are."""

    firsts: Listing
    """To be gone through again."""
    sizes: bool
    """Whether groups may be of more than one; how many stand in the room `sizes` then."""
    sorted: Listing
    """All elements, group by group."""


def grouped(low: "Lowering", part: rules.Part, seat: Op) -> tuple[Op, Groups]:
    """The elements of a part: the statements, and the groups."""
    source = low.listing(part.source)
    if not holds_items(part.source.type):
        kept, values = low.again(source if source.rising else sets.apart(low, source))
        return kept, Groups(values, False, values)
    about = sight.among(low, part.source, seat)
    kinds = list(about.kinds)
    plain_ = all(low.looks[kind.rule.name].plain for kind in kinds)
    open_ = plain_ and sight.all_open(low, about)
    singles = open_ and not twins_among(low, kinds)
    if not source.rising:
        source = sets.apart(low, source)
    if singles and about.one_zone and source.rising:
        kept, values = low.again(source)
        return kept, Groups(values, False, values)
    prepared = NOTHING
    if not source.rising:
        prepared, source = sets.in_order(low, source, lambda each: each, False)
    for place in reversed(range(len(sight.seen(low, about, num(0))))):
        key: Callable[[Op], Op] = lambda each, place=place: sight.seen(low, about, each)[place]  # type: ignore[misc]  # noqa: E731
        more, source = sets.in_order(low, source, key, False)
        prepared = do(prepared, more)
    if singles:
        return prepared, Groups(source, False, source)
    return _runs(low, about, prepared, source)


def _runs(low: "Lowering", about: sight.Among, prepared: Op, source: Listing) -> tuple[Op, Groups]:
    """Groups out of elements that are in order."""
    bound = source.bound
    firsts, sizes = low.memory.room("firsts", HEAD + 8 * bound), sizes_room(low, bound)
    count, last = low.f.local("t"), low.f.local()
    cell = mul(sub(count.get, at(1)), at(8))

    def look(each: Op) -> Op:
        alike = both(plain("t is not", count.get, at(0)), sight.alike(low, about, last.get, each))
        more = store(cell, add(load(cell, sizes), num(1)), sizes)
        fresh = do(
            last.set(each),
            count.set(add(count.get, at(1))),
            store(cell, each, Offset(firsts, HEAD)),
            store(cell, num(1), sizes),
        )
        return when(alike, more, fresh)

    made = do(prepared, count.set(at(0)), source.each(look), store(at(0), count.get, firsts, 4))
    listing = Written(low, bound, False, source.small, where=at(firsts))
    return made, Groups(listing, True, source)


def sizes_room(low: "Lowering", bound: int) -> Offset:
    """Where the sizes of groups stand; one room for all choices."""
    return Offset(low.shared_room("sizes", 8 * bound + 8), 0)


def alike(low: "Lowering", part: rules.Part, seat: Op, item: Op) -> Listing:
    """The elements of a part that look as an item does."""
    about = sight.among(low, part.source, seat)
    source = low.listing(part.source)
    if not source.rising:
        source = sets.apart(low, source)
    chosen = Chosen(
        low,
        source.bound,
        source.rising,
        source.small,
        source=source,
        condition=lambda each: sight.alike(low, about, item, each),
    )
    return chosen


def may_hide(low: "Lowering", part: rules.Part, seat: Op) -> bool:
    """Whether it may be a matter of chance which items a choice takes."""
    if not holds_items(part.source.type):
        return False
    about = sight.among(low, part.source, seat)
    return not (all(low.looks[kind.rule.name].plain for kind in about.kinds) and sight.all_open(low, about)) and any(
        True for _ in about.kinds
    )


# ---- one element of each part --------------------------------------------------------------------------


@attrs.define(eq=False, kw_only=True)
class Ones(Options):
    """One element of each part."""

    parts: Sequence[rules.Part]
    columns: Sequence[Listing]
    """For each part what it is in every option."""

    def element(self, part: int, number_: Op) -> Op:
        """What a part is in an option."""
        return nth(self.low, self.columns[part], number_)

    def trial(self, number_: Op) -> tuple[Op, dict[int, Op | Listing]]:
        env: dict[int, Op | Listing] = dict(self.low.env)
        code = []
        for place, part in enumerate(self.parts):
            kept, env[part.bind.number] = self.low.keep(self.element(place, number_))
            code.append(kept)
        return do(*code), env

    def find(self, value: Op) -> Op:
        low, part = self.low, self.parts[0]
        found, place, out = low.f.local(), low.f.local(), Label()
        if known(value) == NONE or len(self.parts) > 1:
            return super().find(value)
        is_it: Callable[[Op], Op] = lambda each: compare("is", each, value)  # noqa: E731
        if holds_items(part.source.type) and not isinstance(self.columns[0], Bits):
            about = sight.among(low, part.source, self.owner)
            among = low.f.local("t")
            within = among.set(both(compare(">=", value, num(0)), do(low.listing(part.source).has(value))))
            is_it = lambda each: both(among.get, sight.alike(low, about, value, each))  # noqa: E731
        else:
            within = NOTHING
        look = self.columns[0].each(
            lambda each: do(when(is_it(each), do(found.set(place.get), jump(out))), place.set(add(place.get, num(1))))
        )
        code = do(within, found.set(num(-1)), place.set(num(0)), block(out, look))
        if self.optional:
            code = do(code, when(compare("is", value, num(NONE)), found.set(self.count.get)))
        return do(code, found.get)


def nth(low: "Lowering", listing: Listing, number_: Op) -> Op:
    """The element of a number of a listing that can be gone through again."""
    if isinstance(listing, Written):
        return load(add(listing.where, mul(address(number_), at(8))), HEAD)
    assert isinstance(listing, Bits)
    if listing.bound == 1:
        return plain("ctz", listing.word)
    return nth_bit(low, listing.word, number_)


def _ones(low: "Lowering", statement: rules.Choose | rules.ChooseTogether, owner: Op) -> tuple[Op, Ones]:
    """The options of a choice of one element of each part."""
    optional = isinstance(statement, rules.Choose) and statement.optional
    count = low.f.local()
    parts = statement.parts
    made = Ones(
        low=low,
        name=statement.name,
        site=statement.site,
        span=statement.span,
        owner=owner,
        optional=optional,
        count=count,
        parts=parts,
        columns=[],
    )
    if len(parts) == 1 and statement.such_that is None:
        prepared, groups = grouped(low, parts[0], owner)
        made.columns = [groups.firsts]
        return do(prepared, count.set(groups.firsts.count())), made
    rows = 1
    rooms = [low.memory.room("rows", HEAD) for _ in parts]
    filled = low.f.local("t")
    too_many = low.fault(f"there are more than {MOST_OPTIONS:,} options for {statement.name}", statement.span)
    env = low.env

    def nest(place: int, chosen: list[Op], bound: dict[int, Op | Listing]) -> Op:
        nonlocal rows
        if place == len(parts):
            cell = mul(filled.get, at(8))
            row = do(
                *[store(cell, each, Offset(room, HEAD)) for each, room in zip(chosen, rooms, strict=True)],
                filled.set(add(filled.get, at(1))),
            )
            if rows > MOST_OPTIONS:
                row = do(when(plain("t is", filled.get, at(MOST_OPTIONS)), too_many), row)
            if statement.such_that is None:
                return row
            with low.where({**env, **bound}):
                return when(low.test(statement.such_that), row)
        with low.where({**env, **bound}):
            prepared, groups = grouped(low, parts[place], owner)
        rows *= groups.firsts.bound
        return do(
            prepared,
            groups.firsts.each(
                lambda each: nest(place + 1, [*chosen, each], {**bound, parts[place].bind.number: each})
            ),
        )

    code = do(filled.set(at(0)), nest(0, [], {}))
    for room in rooms:
        room.need(HEAD + 8 * min(rows, MOST_OPTIONS))
    most = min(rows, MOST_OPTIONS)
    made.columns = [Written(low, most, False, False, where=at(room)) for room in rooms]
    heads = [store(at(0), filled.get, room, 4) for room in rooms]
    return do(code, *heads, count.set(number(filled.get))), made


# ---- sets ----------------------------------------------------------------------------------------------


@attrs.define(eq=False, kw_only=True)
class SetsOf(Options):
    """Sets of elements of the only part."""

    part: rules.Part
    groups: Groups
    least: Local
    most: Local
    fit: Offset | None = None
    """The numbers of the sets for which the condition holds."""

    def taken(self, number_: Op) -> tuple[Op, Listing]:
        """The set of a number, as the first items of each group: the statements, and the set."""
        return self.of_sets(self.among_all(number_))

    def among_all(self, number_: Op) -> Op:
        """The number among all sets of an option's number."""
        return number_ if self.fit is None else load(mul(address(number_), at(8)), self.fit)

    def counted(self, number_: Op) -> Op:
        """Work out how many the set of a number among all sets takes of each group."""
        few = self.groups.sorted.bound <= IN_BYTES
        return call(_unrank(self.low, few), number_, self.groups.firsts.count(), self.least.get, self.most.get)

    def of_sets(self, number_: Op) -> tuple[Op, Listing]:
        """The set of a number among all sets."""
        low = self.low
        worked = self.counted(number_)
        members = self.members()
        if members.small:
            kept, word = low.keep(members.bits())
            return do(worked, kept), Bits(low, members.bound, True, True, word=word)
        made, listing = low.again(members)
        if not listing.rising:
            more, listing = sets.in_order(low, listing, lambda each: each, False)
            listing.rising = True
            made = do(made, more)
        return do(worked, made), listing

    def members(self) -> Listing:
        """The first items of each group, as many as the counts say."""
        low, source = self.low, self.groups.sorted
        if not self.groups.sizes:
            index = low.f.local("t")
            counts = counts_room(low, source.bound)
            chosen = lambda each: do(  # noqa: E731
                index.set(add(index.get, at(8))), compare("is not", load(sub(index.get, at(8)), counts), num(0))
            )
            rising = source.rising or source.small
            listing = Chosen(low, source.bound, rising, source.small, source=source, condition=chosen)
            return Prepared(low, source.bound, rising, source.small, first=index.set(at(0)), then=listing)
        group, left, wanted = low.f.local("t"), low.f.local(), low.f.local()
        sizes, counts = sizes_room(low, source.bound), counts_room(low, source.bound)
        begun = do(
            left.set(load(group.get, sizes)), wanted.set(load(group.get, counts)), group.set(add(group.get, at(8)))
        )
        step = do(
            when(compare("is", left.get, num(0)), begun),
            left.set(sub(left.get, num(1))),
            wanted.set(sub(wanted.get, num(1))),
            compare(">=", wanted.get, num(0)),
        )
        listing = Chosen(low, source.bound, False, source.small, source=source, condition=lambda _: step)
        return Prepared(
            low, source.bound, source.small, source.small, first=do(group.set(at(0)), left.set(num(0))), then=listing
        )

    def trial(self, number_: Op) -> tuple[Op, dict[int, Op | Listing]]:
        made, listing = self.taken(number_)
        return made, {**self.low.env, self.part.bind.number: listing}


def counts_room(low: "Lowering", bound: int) -> Offset:
    """Where it stands how many are taken of each group; one room for all choices."""
    return Offset(low.shared_room("counts", 8 * bound + 8), 0)


def _sets(low: "Lowering", statement: rules.Choose | rules.ChooseTogether, owner: Op) -> tuple[Op, SetsOf]:
    """The options of a choice of a set."""
    (part,) = statement.parts
    optional = isinstance(statement, rules.Choose) and statement.optional
    prepared, groups = grouped(low, part, owner)
    count, least, most, there = (low.f.local() for _ in range(4))
    amount = part.amount
    high = amount.low if amount.kind in ("exactly", "up to") and amount.high is None else amount.high
    code = [prepared, there.set(groups.sorted.count())]
    if high is None:
        code.append(most.set(there.get))
    else:
        kept, it = low.keep(low.number_of(high))
        code += [kept, most.set(Op("select", (it, there.get, compare("<", it, there.get)), None, "n"))]
    if amount.kind == "up to":
        code.append(least.set(num(0)))
    else:
        kept, it = low.keep(low.number_of(amount.low))
        code += [kept, least.set(Op("select", (it, num(0), compare(">", it, num(0))), None, "n"))]
    if not groups.sizes:
        code.append(_all_single(low, groups))
    bound = groups.sorted.bound
    rows = bound + 1 if bound <= IN_BYTES else (bound + 1) * (bound + 2)
    low.shared_room("tails", min(8 * rows, 8 * MOST_TAILS))
    counts_room(low, bound)
    low.shared_room("tails row", 8)
    too_many = low.fault(f"there are too many sets to choose from for {statement.name}", statement.span, own=True)
    counted = _tails_in_bytes(low) if bound <= IN_BYTES else _tails(low)
    code.append(count.set(call(counted, groups.firsts.count(), least.get, most.get)))
    code.append(when(compare(">=", count.get, num(MOST_SETS)), too_many))
    made = SetsOf(
        low=low,
        name=statement.name,
        site=statement.site,
        span=statement.span,
        owner=owner,
        optional=optional,
        count=count,
        part=part,
        groups=groups,
        least=least,
        most=most,
    )
    if statement.such_that is not None:
        code.append(_such(low, made, statement.such_that))
    return do(*code), made


def _all_single(low: "Lowering", groups: Groups) -> Op:
    """Groups of one each."""
    index, sizes = low.f.local("t"), sizes_room(low, groups.sorted.bound)
    one = do(store(index.get, num(1), sizes), index.set(add(index.get, at(8))))
    return do(index.set(at(0)), groups.sorted.each(lambda _: one))


def _such(low: "Lowering", made: SetsOf, condition: rules.Expr) -> Op:
    """Keeps the numbers of the sets for which a condition holds."""
    fit = Offset(low.memory.room("fit", 8 * 200_001), 0)
    number_, kept, again = low.f.local(), low.f.local("t"), Label()
    worked, listing = made.of_sets(number_.get)
    with low.where({**low.env, made.part.bind.number: listing}):
        holds = low.test(condition)
    full = low.fault("there are too many sets under a `such that`", made.span)
    keep = do(
        when(plain("t >=", kept.get, at(8 * 200_000)), full),
        store(kept.get, number_.get, fit),
        kept.set(add(kept.get, at(8))),
    )
    made.fit = fit
    return do(
        number_.set(num(0)),
        kept.set(at(0)),
        when(
            compare(">", made.count.get, num(0)),
            loop(
                again,
                worked,
                when(holds, keep),
                number_.set(add(number_.get, num(1))),
                jump_if(again, compare("<", number_.get, made.count.get)),
            ),
        ),
        made.count.set(plain("shr", number(kept.get), num(3))),
    )


def _tails(low: "Lowering") -> Function:
    """The function that counts sets: for each group, in how many ways it and those after it give 0, 1, … items."""
    if "tails" in low.made:
        return low.made["tails"]
    f = low.made["tails"] = low.flow.function("count_sets", ("n", "n", "n"), "n")
    groups, least, most = (f.parameter(place).get for place in range(3))
    tails, sizes = low.shared_room("tails", 0), low.shared_room("sizes", 0)
    width, row, after, column, taken, total, size = (
        f.local("t"),
        f.local("t"),
        f.local("t"),
        f.local("t"),
        f.local("t"),
        f.local(),
        f.local("t"),
    )
    group = f.local("t")
    rows, columns, ways, sum_, out, done = Label(), Label(), Label(), Label(), Label(), Label()
    cells = mul(add(groups, num(1)), add(most, num(1)))
    eight: Callable[[Op], Op] = lambda op: mul(op, at(8))  # noqa: E731
    most_columns = address(most)
    clamp = Op("select", (total.get, num(MOST_SETS), plain("<u", total.get, num(MOST_SETS))), None, "n")
    count_ways = loop(
        ways,
        total.set(add(total.get, load(add(after.get, eight(sub(column.get, taken.get))), tails))),
        total.set(clamp),
        taken.set(add(taken.get, at(1))),
        jump_if(
            ways,
            both(plain("t <", taken.get, add(column.get, at(1))), plain("t <", taken.get, add(size.get, at(1)))),
        ),
    )
    return f.fill(
        when(compare(">", least, most), Op("return", (num(0),))),
        when(
            plain("t or", compare(">", cells, num(MOST_TAILS)), compare(">", groups, num(MOST_TAILS))),
            Op("return", (num(MOST_SETS),)),
        ),
        width.set(eight(add(most_columns, at(1)))),
        row.set(mul(address(groups), width.get)),
        store(row.get, num(1), tails),
        column.set(at(1)),
        block(
            out,
            loop(
                columns,
                jump_if(out, plain("t <", most_columns, column.get)),
                store(add(row.get, eight(column.get)), num(0), tails),
                column.set(add(column.get, at(1))),
                jump(columns),
            ),
        ),
        group.set(address(groups)),
        block(
            done,
            loop(
                rows,
                jump_if(done, plain("t is", group.get, at(0))),
                group.set(sub(group.get, at(1))),
                after.set(row.get),
                row.set(sub(row.get, width.get)),
                size.set(address(load(eight(group.get), sizes))),
                column.set(at(0)),
                loop(
                    inner := Label(),
                    total.set(num(0)),
                    taken.set(at(0)),
                    count_ways,
                    store(add(row.get, eight(column.get)), total.get, tails),
                    column.set(add(column.get, at(1))),
                    jump_if(inner, plain("t <", column.get, add(most_columns, at(1)))),
                ),
                jump(rows),
            ),
        ),
        total.set(num(0)),
        column.set(address(least)),
        loop(
            sum_,
            total.set(add(total.get, load(eight(column.get), tails))),
            total.set(clamp),
            column.set(add(column.get, at(1))),
            jump_if(sum_, plain("t <", column.get, add(most_columns, at(1)))),
        ),
        total.get,
    )


def _tails_in_bytes(low: "Lowering") -> Function:
    """The same for few elements: a row is one word, whose bytes say in how many ways it gives so many."""
    if "tails in bytes" in low.made:
        return low.made["tails in bytes"]
    f = low.made["tails in bytes"] = low.flow.function("count_few_sets", ("n", "n", "n"), "n")
    groups, least, most = (f.parameter(place).get for place in range(3))
    tails, sizes = low.shared_room("tails", 0), low.shared_room("sizes", 0)
    group, row, rows, done = f.local("t"), f.local(), Label(), Label()
    bits: Callable[[Op], Op] = lambda columns: plain("shl", columns, num(3))  # noqa: E731
    # Taking 0, 1, … of a group moves the ways of those after it up by so many bytes, and adds them.
    up_to: Callable[[Op], Op] = lambda last: plain("shr", num(BYTES), sub(num(56), bits(last)))  # noqa: E731
    wanted = plain("shr", row.get, bits(least))
    return f.fill(
        group.set(mul(address(groups), at(8))),
        row.set(num(1)),
        store(group.get, row.get, tails),
        block(
            done,
            loop(
                rows,
                jump_if(done, plain("t is", group.get, at(0))),
                group.set(sub(group.get, at(8))),
                row.set(mul(row.get, up_to(load(group.get, sizes)))),
                store(group.get, row.get, tails),
                jump(rows),
            ),
        ),
        # The sum of the bytes is the highest byte of a product.
        Op(
            "select",
            (
                plain("shr", mul(plain("and", wanted, mul(up_to(sub(most, least)), num(255))), num(BYTES)), num(56)),
                num(0),
                compare("<=", least, most),
            ),
            None,
            "n",
        ),
    )


def _ways(low: "Lowering", few: bool, row: Op, columns: Op) -> Op:
    """In how many ways the groups from a row on give so many."""
    tails, shift = low.shared_room("tails", 0), mul(columns, at(8))
    if not few:
        return load(add(row, shift), tails)
    return plain("and", plain("shr", load(row, tails), number(shift)), num(255))


def _unrank(low: "Lowering", few: bool) -> Function:
    """The function that works out the set of a number: how many are taken of each group."""
    key = "unrank", few
    if key in low.made:
        return low.made[key]
    f = low.made[key] = low.flow.function("few_of_number" if few else "set_of_number", ("n", "n", "n", "n"))
    number_, groups, least, most = f.parameter(0), f.parameter(1).get, f.parameter(2).get, f.parameter(3).get
    sizes, counts = low.shared_room("sizes", 0), low.shared_room("counts", 0)
    width, row, taken, count, group = (f.local("t") for _ in range(5))
    ways = f.local()
    eight: Callable[[Op], Op] = lambda op: mul(op, at(8))  # noqa: E731
    ways_for: Callable[[Op], Op] = lambda columns: _ways(low, few, row.get, columns)  # noqa: E731
    sizes_first, found, each, fits, less, done = Label(), Label(), Label(), Label(), Label(), Label()
    size = f.local("t")
    return f.fill(
        width.set(at(8) if few else eight(add(address(most), at(1)))),
        taken.set(address(least)),
        row.set(at(0)),
        block(
            found,
            loop(
                sizes_first,
                ways.set(ways_for(taken.get)),
                jump_if(found, compare("<", number_.get, ways.get)),
                number_.set(sub(number_.get, ways.get)),
                taken.set(add(taken.get, at(1))),
                jump(sizes_first),
            ),
        ),
        group.set(at(0)),
        block(
            done,
            loop(
                each,
                jump_if(done, plain("t is", group.get, address(groups))),
                row.set(add(row.get, width.get)),
                size.set(address(load(eight(group.get), sizes))),
                count.set(Op("select", (size.get, taken.get, plain("t <", size.get, taken.get)), None, "t")),
                block(
                    fits,
                    loop(
                        less,
                        ways.set(ways_for(sub(taken.get, count.get))),
                        jump_if(fits, compare("<", number_.get, ways.get)),
                        number_.set(sub(number_.get, ways.get)),
                        count.set(sub(count.get, at(1))),
                        jump_if(less, plain("t >=", count.get, at(0))),
                    ),
                ),
                store(eight(group.get), number(count.get), counts),
                taken.set(sub(taken.get, count.get)),
                group.set(add(group.get, at(1))),
                jump(each),
            ),
        ),
    )


def rank(low: "Lowering", bound: int) -> Function:
    """The function that works out the number of a set from how many are taken of each group."""
    few = bound <= IN_BYTES
    key = "rank", few
    if key in low.made:
        return low.made[key]
    f = low.made[key] = low.flow.function("number_of_few" if few else "number_of_set", ("n", "n", "n", "n"), "n")
    groups, least, most, total = (f.parameter(place).get for place in range(4))
    sizes, counts = low.shared_room("sizes", 0), low.shared_room("counts", 0)
    width, row, taken, count, group = (f.local("t") for _ in range(5))
    found = f.local()
    smaller, sizes_done, each, more, counted, done = (Label() for _ in range(6))
    eight: Callable[[Op], Op] = lambda op: mul(op, at(8))  # noqa: E731
    ways_for: Callable[[Op], Op] = lambda columns: _ways(low, few, row.get, columns)  # noqa: E731
    size = address(load(eight(group.get), sizes))
    mine = address(load(eight(group.get), counts))
    return f.fill(
        width.set(at(8) if few else eight(add(address(most), at(1)))),
        row.set(at(0)),
        found.set(num(0)),
        # Smaller sets come first, …
        taken.set(address(least)),
        block(
            sizes_done,
            loop(
                smaller,
                jump_if(sizes_done, plain("t >=", taken.get, address(total))),
                found.set(add(found.get, ways_for(taken.get))),
                taken.set(add(taken.get, at(1))),
                jump(smaller),
            ),
        ),
        # … and those that take more of an earlier group.
        group.set(at(0)),
        block(
            done,
            loop(
                each,
                jump_if(done, plain("t is", group.get, address(groups))),
                row.set(add(row.get, width.get)),
                count.set(size),
                count.set(Op("select", (count.get, taken.get, plain("t <", count.get, taken.get)), None, "t")),
                block(
                    counted,
                    loop(
                        more,
                        jump_if(counted, plain("t >=", mine, count.get)),
                        found.set(add(found.get, ways_for(sub(taken.get, count.get)))),
                        count.set(sub(count.get, at(1))),
                        jump(more),
                    ),
                ),
                taken.set(sub(taken.get, mine)),
                group.set(add(group.get, at(1))),
                jump(each),
            ),
        ),
        found.get,
    )


# ---- choices -------------------------------------------------------------------------------------------


def _options(low: "Lowering", statement: rules.Choose | rules.ChooseTogether, owner: Op) -> tuple[Op, Ones | SetsOf]:
    if statement.parts[0].amount.kind == "one":
        return _ones(low, statement, owner)
    return _sets(low, statement, owner)


def _missing(low: "Lowering", options: Options) -> Op:
    """A fault where there is nothing to choose."""
    if options.optional:
        return NOTHING
    fault = low.fault(f"nothing can be chosen for {options.name}", options.span)
    return when(compare("is", options.count.get, num(0)), fault)


def choose(low: "Lowering", statement: rules.Choose) -> None:
    """A choice of one player."""
    low.enter()
    if not statement.or_else:
        low.waits()
    owner = low.f.local()
    low.emit(owner.set(low.number_of(statement.owner)))
    for part in statement.parts:
        low.slot(part.bind)
    prepared, options = _options(low, statement, owner.get)
    low.emit(prepared)
    body, otherwise, then, asked = Block("chosen"), Block("else"), Block(""), Block("answered")
    if statement.or_else:
        asking = Block(f"choose {statement.name}")
        some = compare("is not", options.optional_count, num(0))
        low.end(Branch(some, asking, otherwise))
        low.begin(asking)
        low.waits()
    answer = low.f.local()
    low.decided(options, answer, asked, _missing(low, options))
    low.begin(asked)
    low.trace_option(answer.get)
    if statement.optional:
        low.end(Branch(compare("is", answer.get, options.count.get), otherwise, body))
        low.begin(body)
    low.emit(_way(low, statement, "taken"))
    _bind(low, options, answer.get, lambda: low.keep(low.number_of(statement.owner)))
    low.body(statement.body)
    low.end(Jump(then))
    if statement.optional or statement.or_else:
        low.begin(otherwise)
        low.emit(_way(low, statement, "declined"))
        low.body(statement.otherwise)
    low.begin(then)


def _way(low: "Lowering", statement: rules.Choose, way: str) -> Op:
    """A choice goes on in one of its two ways."""
    if low.watching is None or not (statement.optional or statement.or_else):
        return NOTHING
    return low.watching.reach("option", f"{statement.name}: {way}", statement.span)


Owner = Callable[[], tuple[Op, Op]]
"""Works out anew who decides: the statement, and the seat."""


def _bind(low: "Lowering", options: Ones | SetsOf, answer: Op, owner: Owner) -> None:
    """The parts' locals get what was chosen; chance says which items where nobody saw it."""
    if isinstance(options, SetsOf):
        made, listing = options.taken(answer)
        low.emit(made)
        slots = []
        if may_hide(low, options.part, options.owner):
            slot = low.control(f"{options.name} taken", rules.Many(rules.Number()), True)
            slots.append(slot)
            low.emit(listing.into(low.memory.lists[slot]))
            low.enter()
            kept, seat = owner()
            low.emit(kept)
            small = low.small(sets.of(options.part.source))
            taken = Written(low, listing.bound, False, small, where=at(low.memory.lists[slot]))
            listing = settle_set(low, options.part, options.span, seat, taken)
        low.emit(low.bind_set(options.part.bind, listing, False))
        low.emit(do(*[low.unbind(slot) for slot in slots]))
        return
    chosen = []
    for place in range(len(options.parts)):
        kept, value = low.keep(options.element(place, answer))
        low.emit(kept)
        chosen.append(value)
    slots = []
    if any(may_hide(low, part, options.owner) for part in options.parts):
        slots = [low.control(f"{part.bind.name} taken", rules.Number()) for part in options.parts]
        low.emit(do(*[low.write_slot(slot, value) for slot, value in zip(slots, chosen, strict=True)]))
        chosen = [low.read_slot(slot) for slot in slots]
    hidden = False
    for value, part in zip(chosen, options.parts, strict=True):
        unseen = may_hide(low, part, options.owner)
        if unseen:
            low.enter()
        if unseen or (hidden and holds_items(part.source.type)):
            kept, seat = owner()
            low.emit(kept)
            value = _still_there(low, part, options, seat, value) if hidden else value
            value = settle_one(low, part, options.span, seat, value) if unseen else value
        hidden |= unseen
        low.emit(low.bind_value(part.bind, value, False))
    low.emit(do(*[low.unbind(slot) for slot in slots]))


def _still_there(low: "Lowering", part: rules.Part, options: Options, seat: Op, item: Op) -> Op:
    """The first item that looks as one does, now that it is known what an earlier part is."""
    found = low.f.local()
    wrong = low.fault(f"what can be chosen for {options.name} depends on what cannot be seen", options.span)
    one, nothing = low.f.local(), num(rules.MOST)
    look = alike(low, part, seat, one.get).each(lambda each: when(compare("<", each, found.get), found.set(each)))
    low.emit(do(one.set(item), found.set(nothing), look, when(compare("is", found.get, nothing), wrong)))
    return found.get


def settle_one(low: "Lowering", part: rules.Part, span: Span, owner: Op, item: Op) -> Op:
    """The item that a choice takes, by chance where items that look alike are not the same."""
    found = low.f.local()
    low.emit(found.set(item))
    kept, members = low.again(alike(low, part, owner, found.get))
    low.emit(kept)
    about = sight.among(low, part.source, None)
    open_, asked, then = Block("unseen"), Block("picked"), Block("")
    low.end(Branch(_mixed(low, about, members), open_, then))
    low.begin(open_)
    handful = Handful(low, about, members, members.bound, twins_among(low, list(about.kinds)))
    came = Written(low, 1, False, False, where=at(handful.came))
    there = handful.there.set(members.count())
    draws = do(there, handful.draw(num(1)), came.each(found.set))
    given = lambda script: do(there, handful.scripted(script, num(1), False), came.each(found.set))  # noqa: E731
    low.chance("pick", span, draws, asked, given)
    low.begin(asked)
    low.trace([found.get])
    low.begin(then)
    return found.get


def _mixed(low: "Lowering", about: sight.Among, members: Listing) -> Op:
    """Whether some of these are not exactly alike."""
    first, seen, kept = low.f.local(), low.f.local("t"), low.f.local("t")

    def differs(each: Op) -> Op:
        other = both(seen.get, do(no(sight.same(low, about, first.get, each))))
        return do(kept.set(other), when(no(seen.get), first.set(each)), seen.set(at(1)), kept.get)

    return do(seen.set(at(0)), members.holds(differs))


def settle_set(low: "Lowering", part: rules.Part, span: Span, owner: Op, listing: Listing) -> Listing:
    """The items that a choice of a set takes, by chance where items that look alike are not the same."""
    bound = low.listing(part.source).bound
    about = sight.among(low, part.source, None)
    looks = sight.among(low, part.source, owner)
    kept, chosen = low.again(listing)
    low.emit(kept)
    room = low.memory.room("settled", HEAD + 8 * bound)
    total = low.f.local("t")
    append: Callable[[Op], Op] = lambda each: do(  # noqa: E731
        store(mul(total.get, at(8)), each, Offset(room, HEAD)),
        total.set(add(total.get, at(1))),
    )

    # One group after the other, in the order of how they look.
    firsts_made, groups = grouped(low, part, owner)
    low.emit(firsts_made)
    firsts_kept, firsts = low.again(groups.firsts)
    if isinstance(groups.firsts, Written):
        firsts_kept, firsts = NOTHING, groups.firsts
    low.emit(firsts_kept)
    wanted, first = low.f.local(), low.f.local()
    counted = do(
        wanted.set(num(0)),
        chosen.each(lambda each: when(sight.alike(low, looks, first.get, each), wanted.set(add(wanted.get, num(1))))),
    )
    made, members = low.again(
        Chosen(
            low,
            bound,
            groups.sorted.rising,
            groups.sorted.small,
            source=groups.sorted,
            condition=lambda each: sight.alike(low, looks, first.get, each),
        )
    )
    handful = Handful(low, about, members, bound, twins_among(low, list(about.kinds)))
    open_ = both(
        compare(">", wanted.get, num(0)),
        compare("<", wanted.get, handful.there.get),
        do(_mixed(low, about, members)),
    )
    each_group: Callable[[Op], Op] = lambda body: firsts.each(  # noqa: E731
        lambda one: do(first.set(one), counted, made, handful.there.set(members.count()), body)
    )
    unseen = low.f.local("t")
    low.emit(do(unseen.set(at(0)), each_group(when(open_, unseen.set(at(1))))))
    asking, asked, then = Block("unseen"), Block("picked"), Block("")
    low.emit(do(total.set(at(0)), chosen.each(append), store(at(0), total.get, room, 4)))
    low.end(Branch(unseen.get, asking, then))
    low.begin(asking)
    came = Written(low, bound, False, members.small, where=at(handful.came))

    def draws(drawn: Op) -> Op:
        some = when(open_, do(drawn, came.each(append)), do(handful.first(wanted.get), came.each(append)))
        each = each_group(when(compare(">", wanted.get, num(0)), some))
        return do(total.set(at(0)), each, store(at(0), total.get, room, 4))

    given: Callable[[Interrupts], Op] = lambda script: draws(handful.scripted(script, wanted.get, False))  # noqa: E731
    low.chance("pick", span, draws(handful.draw(wanted.get)), asked, given)
    low.begin(asked)
    final = Written(low, bound, False, members.small, where=at(room))
    more, in_order = sets.in_order(low, final, lambda each: each, False)
    low.emit(more)
    low.trace_list(in_order, lambda each: each)
    low.begin(then)
    more, sorted_ = sets.in_order(low, final, lambda each: each, False)
    low.emit(more)
    sorted_.rising = True
    return sorted_


# ---- choices together ----------------------------------------------------------------------------------


def choose_together(low: "Lowering", statement: rules.ChooseTogether) -> None:
    """Each player decides on what all saw before; then it is shown."""
    players = low.layout.players
    each = low.slot(statement.each)
    kept: list[int] = []
    for part in statement.parts:
        as_list = isinstance(part.bind.type, rules.Many) and not low.as_bits(part.bind)
        firsts = [
            low.control(f"{part.bind.name} of player({seat + 1})", part.bind.type, as_list) for seat in range(players)
        ]
        low.together[part.bind.number] = firsts[0]
        low.memory.in_a_row(firsts)
        low.slot(part.bind)
    for part in statement.parts:
        as_list = isinstance(part.bind.type, rules.Many) and not low.as_bits(part.bind)
        taken = [
            low.control(f"{statement.name} taken by player({s + 1})", rules.Number(), as_list) for s in range(players)
        ]
        low.memory.in_a_row(taken)
        kept.append(taken[0])
    waiting = low.control(f"{statement.name} waiting", rules.Many(rules.Player()), True)
    turn = low.control(f"{statement.name} asked", rules.Number())
    low.turns.append(turn)
    who = low.memory.lists[waiting]
    made, in_order = sets.in_order(low, low.listing(statement.players), lambda seat: seat, False)
    low.emit(do(made, in_order.into(who), low.write_slot(turn, num(0))))
    low.env = {**low.env, statement.each.number: low.read_slot(each)}
    head, ask, shown = Block(f"choose {statement.name}"), Block("next"), Block("all have chosen")
    low.begin(head)
    left = compare("<", low.read_slot(turn), number(load(at(0), who, 4, "t")))
    low.end(Branch(left, ask, shown))
    low.begin(ask)
    low.enter()
    seat = low.f.local()
    low.emit(seat.set(load(mul(address(low.read_slot(turn)), at(8)), Offset(who, HEAD))))
    low.emit(low.write_slot(each, seat.get))
    low.waits()
    prepared, options = _options(low, statement, seat.get)
    low.emit(prepared)
    options.first = compare("is", low.read_slot(turn), num(0))
    answer, asked = low.f.local(), Block("answered")
    low.decided(options, answer, asked, _missing(low, options))
    low.begin(asked)
    low.trace_option(answer.get)
    low.emit(_keep(low, options, kept, answer.get, seat.get))
    low.emit(low.write_slot(turn, add(low.read_slot(turn), num(1))))
    low.end(Jump(head))
    low.begin(shown)
    low.emit(low.write_slot(turn, num(0)))
    _show(low, statement, kept, turn, each, waiting)


def _keep(low: "Lowering", options: Ones | SetsOf, kept: list[int], answer: Op, seat: Op) -> Op:
    """What a player has chosen is kept until all have chosen."""
    if isinstance(options, Ones):
        code = [low.memory.cells[slot].write(options.element(place, answer), seat) for place, slot in enumerate(kept)]
        return do(*code)
    made, listing = options.taken(answer)
    (slot,) = kept
    if slot in low.memory.cells:
        return do(made, low.memory.cells[slot].write(listing.bits(), seat))
    written, again = low.written(listing)
    copies = [
        when(compare("is", seat, num(other)), again.into(low.memory.lists[slot + other]))
        for other in range(low.layout.players)
    ]
    return do(made, written, *copies)


def _show(
    low: "Lowering", statement: rules.ChooseTogether, kept: list[int], turn: int, each: int, waiting: int
) -> None:
    """What all have chosen is bound, seat by seat."""
    players = low.layout.players
    head, one, then, following = Block("show"), Block("shown"), Block(""), Block("next")
    low.begin(head)
    low.end(Branch(compare("<", low.read_slot(turn), num(players)), one, then))
    low.begin(one)
    seat = low.f.local()
    low.emit(seat.set(low.read_slot(turn)))
    there = _has_chosen(low, kept[0], seat.get)
    bind = Block("bind")
    low.end(Branch(there, bind, following))
    low.begin(bind)
    low.emit(low.write_slot(each, seat.get))
    for slot, part in zip(kept, statement.parts, strict=True):
        first = low.together[part.bind.number]
        if may_hide(low, part, seat.get):
            low.enter()
            low.emit(seat.set(low.read_slot(turn)))
        if not isinstance(part.bind.type, rules.Many):
            value = low.memory.cells[slot].read(seat.get)
            if may_hide(low, part, seat.get):
                value = settle_one(low, part, statement.span, seat.get, value)
            before, it = low.keep(value)
            low.emit(do(before, low.memory.cells[first].write(it, seat.get), low.bind_value(part.bind, it, False)))
            low.emit(low.memory.cells[slot].write(num(NONE), seat.get))
            continue
        listing = _kept_set(low, part, slot, seat.get)
        if may_hide(low, part, seat.get):
            listing = settle_set(low, part, statement.span, seat.get, listing)
        made, again = low.again(listing)
        low.emit(do(made, low.bind_set(part.bind, again, False)))
        if first in low.memory.cells:
            low.emit(low.memory.cells[first].write(again.bits(), seat.get))
        else:
            for other in range(players):
                copy = again.into(low.memory.lists[first + other])
                low.emit(when(compare("is", seat.get, num(other)), copy))
        low.emit(_forget(low, slot, seat.get))
    low.end(Jump(following))
    low.begin(following)
    low.emit(low.write_slot(turn, add(low.read_slot(turn), num(1))))
    low.end(Jump(head))
    low.begin(then)
    low.emit(do(low.write_slot(each, num(NONE)), low.write_slot(turn, num(NONE)), low.unbind(waiting)))


def _has_chosen(low: "Lowering", slot: int, seat: Op) -> Op:
    if slot in low.memory.cells:
        return compare("is not", low.memory.cells[slot].read(seat), num(NONE))
    return no(plain("t <", load(_list_of(low, slot, seat), 0, 4, "t"), at(0)))


def _list_of(low: "Lowering", slot: int, seat: Op) -> Op:
    place = at(low.memory.lists[slot])
    for other in range(1, low.layout.players):
        place = Op("select", (at(low.memory.lists[slot + other]), place, compare("is", seat, num(other))), None, "t")
    return place


def _kept_set(low: "Lowering", part: rules.Part, slot: int, seat: Op) -> Listing:
    of = sets.of(part.source)
    if slot in low.memory.cells:
        return Bits(low, 63, True, True, word=low.memory.cells[slot].read(seat))
    return Written(low, low.most(of), False, low.small(of), where=_list_of(low, slot, seat))


def _forget(low: "Lowering", slot: int, seat: Op) -> Op:
    if slot in low.memory.cells:
        return low.memory.cells[slot].write(num(NONE), seat)
    return store(_list_of(low, slot, seat), at(-1), 0, 4)
