"""Sets and lists while they are compiled: ways to go through their elements, written out only where they must be.

`sum(x for x in zone where …)` becomes one loop over the zone's bits. A listing is used once, by whoever asked for it;
what is to be used again is written into a local as bits, or into memory as a list.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from .code import (
    Label,
    Op,
    Region,
    add,
    address,
    at,
    block,
    both,
    call,
    compare,
    do,
    either,
    jump,
    jump_if,
    known,
    load,
    loop,
    mul,
    num,
    number,
    plain,
    sub,
    test,
    weight,
    when,
)
from .memory import HEAD

if TYPE_CHECKING:
    from .lowering import Lowering

FEW, WRITTEN_OUT = 8, 160
"""A loop over no more known numbers is written out, if that gives no more operations than this."""

Body = Callable[[Op], Op]
"""Makes the statements for an element."""


@attrs.define(eq=False)
class Listing:
    """Elements, one after the other. `low` is where code goes; at most `bound` elements come.

    `rising`: each is greater than the one before. `small`: all lie in 0..62.
    """

    low: "Lowering"
    bound: int
    rising: bool
    small: bool

    def each(self, body: Body) -> Op:
        """Statements for every element."""
        raise NotImplementedError

    def count(self) -> Op:
        """How many there are."""
        total = self.low.f.local()
        return do(total.set(num(0)), self.each(lambda _: total.set(add(total.get, num(1)))), total.get)

    def some(self) -> Op:
        """Whether there is any."""
        return self.holds(lambda _: at(1))

    def holds(self, condition: Body) -> Op:
        """Whether a condition holds for one; all are looked at if that may be a fault."""
        found, out = self.low.f.local("t"), Label()
        stop = jump(out)
        looked = self.each(lambda element: when(condition(element), do(found.set(at(1)), stop)))
        if looked.faults:
            stop.name = "do"
        return do(found.set(at(0)), block(out, looked), found.get)

    def has(self, element: Op) -> Op:
        """Whether this is one of them."""
        wanted = self.low.f.local()
        return do(wanted.set(element), self.holds(lambda each: compare("is", each, wanted.get)))

    def bits(self) -> Op:
        """All as bits of one number; for small rising ones."""
        gathered = self.low.f.local()
        add_bit: Body = lambda each: gathered.set(plain("or", gathered.get, bit(each)))  # noqa: E731
        return do(gathered.set(num(0)), self.each(add_bit), gathered.get)

    def into(self, region: Region) -> Op:
        """Write them out as a list."""
        region.need(HEAD + 8 * self.bound)
        total = self.low.f.local("t")
        write = do(
            total.set(at(0)),
            self.each(
                lambda each: do(
                    Op("store", (mul(total.get, at(8)), each), (Offset(region, HEAD), 8)),
                    total.set(add(total.get, at(1))),
                )
            ),
            Op("store", (at(0), total.get), (Offset(region, 0), 4)),
        )
        return write


class Offset(Region):
    """A place in a region."""

    __slots__ = ("region", "more")

    def __init__(self, region: Region, more: int) -> None:
        self.region = region
        self.more = more
        self.name = f"{region.name} + {more}" if more else region.name

    @property
    def address(self) -> int:  # type: ignore[override]
        """Where it is, when that is settled."""
        return self.region.address + self.more


class Size(Region):
    """How many bytes a region has, as a number, when that is settled."""

    __slots__ = ("region",)

    def __init__(self, region: Region) -> None:
        self.region = region
        self.name = f"size of {region.name}"

    @property
    def address(self) -> int:  # type: ignore[override]
        """The size."""
        return self.region.size


def bit(element: Op) -> Op:
    """The bit of a small element."""
    if (value := known(element)) is not None:
        return num(1 << value)
    return plain("shl", num(1), element)


@attrs.define(eq=False)
class Numbers(Listing):
    """The numbers from one to another."""

    first: Op = attrs.field(kw_only=True)
    last: Op = attrs.field(kw_only=True)

    def each(self, body: Body) -> Op:
        """Counted up."""
        first, last = known(self.first), known(self.last)
        if first is not None and first == last:
            return body(self.first)
        i, again = self.low.f.local(), Label()
        one = body(i.get)
        if first is not None and last is not None and last - first < FEW:
            count = max(0, last - first + 1)
            if count * weight(one, WRITTEN_OUT) <= WRITTEN_OUT:
                return do(*[body(num(number_)) for number_ in range(first, last + 1)])
        start, end = i.set(self.first), self.last
        if last is None:
            kept = self.low.f.local()
            start, end = do(start, kept.set(end)), kept.get
        # The number after the last may be the least there is.
        steps = loop(again, one, i.set(add(i.get, num(1))), jump_if(again, compare("is not", i.get, add(end, num(1)))))
        return do(start, when(_rises(self.first, i.get, end), steps))

    def count(self) -> Op:
        """The difference of the ends."""
        first, last = self.low.f.local(), self.low.f.local()
        length = add(sub(last.get, first.get), num(1))
        if known(self.first) is not None and known(self.last) is not None:
            return num(max(0, int(known(self.last) or 0) - int(known(self.first) or 0) + 1))
        there = compare("<=", first.get, last.get)
        return do(first.set(self.first), last.set(self.last), Op("select", (length, num(0), there), None, "n"))

    def some(self) -> Op:
        """Whether the ends are in order."""
        return compare("<=", self.first, self.last)

    def has(self, element: Op) -> Op:
        """Whether it lies between the ends."""
        one, first, last = self.low.f.local(), self.low.f.local(), self.low.f.local()
        return do(
            one.set(element),
            first.set(self.first),
            last.set(self.last),
            both(compare("<=", first.get, one.get), compare("<=", one.get, last.get)),
        )

    def bits(self) -> Op:
        """A run of ones."""
        first, last = known(self.first), known(self.last)
        if first is not None and last is not None:
            return num(sum(1 << each for each in range(first, last + 1)))
        return Listing.bits(self)


def _rises(first: Op, now: Op, end: Op) -> Op:
    a, b = known(first), known(end)
    if a is not None and b is not None:
        return at(int(a <= b))
    return compare("<=", now, end)


@attrs.define(eq=False)
class Bits(Listing):
    """The bits of one number."""

    word: Op = attrs.field(kw_only=True)
    sole: int = attrs.field(kw_only=True, default=-1)
    """The only element that there can be, if there is but one."""

    def each(self, body: Body) -> Op:
        """From the lowest bit to the highest."""
        if self.sole >= 0:
            return when(some_bit(self.word), body(num(self.sole)))
        left, element, again = self.low.f.local(), self.low.f.local(), Label()
        if self.bound == 1:
            return do(
                left.set(self.word), when(some_bit(left.get), do(element.set(_lowest(left.get)), body(element.get)))
            )
        return do(
            left.set(self.word),
            when(
                some_bit(left.get),
                loop(
                    again,
                    element.set(_lowest(left.get)),
                    left.set(without_lowest(left.get)),
                    body(element.get),
                    jump_if(again, some_bit(left.get)),
                ),
            ),
        )

    def count(self) -> Op:
        """How many bits are set."""
        return plain("popcnt", self.word)

    def some(self) -> Op:
        """Whether a bit is set."""
        return some_bit(self.word)

    def has(self, element: Op) -> Op:
        """Whether its bit is set."""
        value = known(element)
        if value is not None:
            return some_bit(plain("and", self.word, num(1 << value))) if 0 <= value < 64 else at(0)
        if element.name == "get":
            return self._has(element)
        one = self.low.f.local()
        return do(one.set(element), self._has(one.get))

    def _has(self, element: Op) -> Op:
        inside = plain("<u", element, num(64))
        return plain("t and", inside, test(plain("and", plain("shr", self.word, element), num(1))))

    def bits(self) -> Op:
        """The number itself."""
        return self.word


def some_bit(word: Op) -> Op:
    """Whether a bit is set."""
    return compare("is not", word, num(0))


def _lowest(word: Op) -> Op:
    return plain("ctz", word)


def nth_bit(low: "Lowering", word: Op, number_: Op, end: int = 64) -> Op:
    """The place of the bit of this number, from 0, of those that are set, all of which stand below an end."""
    rounds = (end - 1).bit_length()
    key = "nth bit", rounds
    if key not in low.made:
        f = low.made[key] = low.flow.function(f"nth_bit_of_{1 << rounds}", ("n", "n"), "n")
        rest, left, place, below, step = f.parameter(0), f.parameter(1), f.local(), f.local(), f.local()
        code = [place.set(num(0))]
        for width in (1 << round for round in reversed(range(rounds))):
            # Is it in the lower half of what is left?
            beyond = compare(">=", left.get, below.get)
            code += [
                below.set(plain("popcnt", plain("and", rest.get, num((1 << width) - 1)))),
                step.set(Op("select", (num(width), num(0), beyond), None, "n")),
                left.set(sub(left.get, Op("select", (below.get, num(0), beyond), None, "n"))),
                rest.set(plain("shr", rest.get, step.get)),
                place.set(add(place.get, step.get)),
            ]
        f.fill(*code, place.get)
    return call(low.made[key], word, number_)


def without_lowest(word: Op) -> Op:
    """A number without its lowest bit."""
    return plain("and", word, sub(word, num(1)))


@attrs.define(eq=False)
class Words(Listing):
    """The bits of several numbers: `word` gives one of them."""

    words: int = attrs.field(kw_only=True)
    word: Callable[[Op], Op] = attrs.field(kw_only=True)

    def each(self, body: Body) -> Op:
        """Word by word."""
        place, left, element, again, inner = (
            self.low.f.local("t"),
            self.low.f.local(),
            self.low.f.local(),
            Label(),
            Label(),
        )
        base = plain("number", mul(place.get, at(64)))
        return do(
            place.set(at(0)),
            loop(
                again,
                left.set(self.word(place.get)),
                when(
                    some_bit(left.get),
                    loop(
                        inner,
                        element.set(add(_lowest(left.get), base)),
                        left.set(without_lowest(left.get)),
                        body(element.get),
                        jump_if(inner, some_bit(left.get)),
                    ),
                ),
                place.set(add(place.get, at(1))),
                jump_if(again, plain("t <u", place.get, at(self.words))),
            ),
        )

    def count(self) -> Op:
        """How many bits are set in all."""
        total = self.low.f.local()
        return do(total.set(num(0)), self._words(lambda w: total.set(add(total.get, plain("popcnt", w)))), total.get)

    def some(self) -> Op:
        """Whether any bit is set."""
        found = self.low.f.local()
        return do(found.set(num(0)), self._words(lambda w: found.set(plain("or", found.get, w))), some_bit(found.get))

    def has(self, element: Op) -> Op:
        """Whether its bit is set."""
        one = self.low.f.local()
        word = self.word(address(plain("shr", one.get, num(6))))
        there = test(plain("and", plain("shr", word, one.get), num(1)))
        return do(one.set(element), both(plain("<u", one.get, num(64 * self.words)), Op("do", (there,), None, "t")))

    def _words(self, body: Body) -> Op:
        place, again = self.low.f.local("t"), Label()
        return do(
            place.set(at(0)),
            loop(
                again,
                body(self.word(place.get)),
                place.set(add(place.get, at(1))),
                jump_if(again, plain("t <u", place.get, at(self.words))),
            ),
        )


@attrs.define(eq=False)
class Written(Listing):
    """A list in memory."""

    where: Op = attrs.field(kw_only=True)
    mask: int = attrs.field(kw_only=True, default=-1)
    """What of an element counts."""

    def each(self, body: Body) -> Op:
        """One after the other."""
        here, left, element, again = self.low.f.local("t"), self.low.f.local("t"), self.low.f.local(), Label()
        return do(
            here.set(self.where),
            left.set(load(here.get, 0, 4, "t")),
            when(
                plain("t <", at(0), left.get),
                loop(
                    again,
                    element.set(self._masked(load(here.get, HEAD))),
                    here.set(add(here.get, at(8))),
                    left.set(sub(left.get, at(1))),
                    body(element.get),
                    jump_if(again, left.get),
                ),
            ),
        )

    def _masked(self, value: Op) -> Op:
        return value if self.mask < 0 else plain("and", value, num(self.mask))

    def count(self) -> Op:
        """As its head says."""
        return number(load(self.where, 0, 4, "t"))

    def some(self) -> Op:
        """Whether its head is not zero."""
        return compare_at("t is not", load(self.where, 0, 4, "t"), at(0))


def compare_at(name: str, left: Op, right: Op) -> Op:
    """Two addresses compared."""
    return plain(name, left, right)


@attrs.define(eq=False)
class Chosen(Listing):
    """The elements of another listing for which a condition holds."""

    source: Listing = attrs.field(kw_only=True)
    condition: Body = attrs.field(kw_only=True)

    def each(self, body: Body) -> Op:
        """Those that pass."""
        return self.source.each(lambda element: when(self.condition(element), body(element)))

    def holds(self, condition: Body) -> Op:
        """Whether one passes that fulfils a condition too."""
        return self.source.holds(lambda element: both(self.condition(element), condition(element)))

    def some(self) -> Op:
        """Whether one passes."""
        return self.source.holds(self.condition)


@attrs.define(eq=False)
class Mapped(Listing):
    """A value for each element of another listing."""

    source: Listing = attrs.field(kw_only=True)
    value: Body = attrs.field(kw_only=True)

    def each(self, body: Body) -> Op:
        """Worked out one by one."""

        def one(element: Op) -> Op:
            value = self.value(element)
            if value.name in ("get", "num"):
                return body(value)
            kept = self.low.f.local()
            return do(kept.set(value), body(kept.get))

        return self.source.each(one)

    def holds(self, condition: Body) -> Op:
        """Whether a condition holds for the value of one."""
        return self.source.holds(lambda element: condition(self.value(element)))

    def count(self) -> Op:
        """As many as there are elements."""
        if not self.source.each(lambda e: Op("drop", (self.value(e),))).faults:
            return self.source.count()
        return Listing.count(self)

    def some(self) -> Op:
        """Whether there are elements."""
        return compare("is not", self.count(), num(0))


@attrs.define(eq=False)
class Parted(Listing):
    """One listing after another."""

    parts: tuple[Listing, ...] = attrs.field(kw_only=True)

    def each(self, body: Body) -> Op:
        """Written once for each part."""
        return do(*[part.each(body) for part in self.parts])

    def has(self, element: Op) -> Op:
        """Whether one of the parts has it."""
        one = self.low.f.local()
        return do(one.set(element), either(*[part.has(one.get) for part in self.parts]))


@attrs.define(eq=False)
class FirstOf(Listing):
    """So many elements from the beginning."""

    source: Listing = attrs.field(kw_only=True)
    wanted: Op = attrs.field(kw_only=True)

    def each(self, body: Body) -> Op:
        """Counted down."""
        left, out = self.low.f.local(), Label()
        stop = jump_if(out, compare("<=", left.get, num(0)))
        taken = self.source.each(
            lambda each: do(
                when(compare(">", left.get, num(0)), do(left.set(sub(left.get, num(1))), body(each))),
                stop,
            )
        )
        if taken.faults:
            stop.name, stop.parts = "do", ()
        return do(left.set(self.wanted), block(out, taken))


@attrs.define(eq=False)
class Prepared(Listing):
    """A listing that needs something done before."""

    first: Op = attrs.field(kw_only=True)
    then: Listing = attrs.field(kw_only=True)

    def each(self, body: Body) -> Op:
        """Afterwards."""
        return do(self.first, self.then.each(body))

    def count(self) -> Op:
        """Afterwards."""
        return do(self.first, self.then.count())

    def some(self) -> Op:
        """Afterwards."""
        return do(self.first, self.then.some())

    def has(self, element: Op) -> Op:
        """Afterwards; the element is worked out first."""
        one = self.low.f.local()
        return do(one.set(element), self.first, self.then.has(one.get))

    def bits(self) -> Op:
        """Afterwards."""
        return do(self.first, self.then.bits())
