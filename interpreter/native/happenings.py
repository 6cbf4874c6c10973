"""Chance: throws, draws and picks, with numbers of the game's stream drawn exactly as the reference draws them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...dsl import rules
from ..layout import KindOfItem, holds_items
from . import items, sets, sight
from .code import (
    NOTHING,
    WORD,
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
    no,
    num,
    number,
    plain,
    store,
    sub,
    when,
)
from .flow import Block, Branch, Function, Jump, Local
from .interrupts import Interrupts
from .listings import Bits, Chosen, FirstOf, Listing, Mapped, Offset, Written, bit, nth_bit
from .memory import HEAD, UNKNOWN

if TYPE_CHECKING:
    from .lowering import Lowering

GAMMA = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
HALF = 2**32

FEW = 4
"""No more than this are drawn one by one out of a pool of bits."""


def signed(word: int) -> Op:
    """An unsigned word as a number."""
    return num(word - WORD if word >= WORD // 2 else word)


def _mixed(low: "Lowering") -> tuple[Op, Op]:
    """The next word of the stream, all but the last step: the statements, and how to read it."""
    z = low.f.local()
    step = do(z.set(add(low.read("position"), signed(GAMMA))), low.write("position", z.get), *mixing(z.set, z.get))
    return step, z.get


def _word(low: "Lowering") -> Op:
    """The next word of the stream."""
    mixed, z = _mixed(low)
    return do(mixed, plain("xor", z, plain("shr", z, num(31))))


def skip(low: "Lowering") -> Op:
    """The next word of the stream is left out."""
    return low.write("position", add(low.read("position"), signed(GAMMA)))


def mixing(set_: Callable[[Op], Op], z: Op) -> list[Op]:
    """The first two steps of the finalizer."""
    return [
        set_(mul(plain("xor", z, plain("shr", z, num(30))), signed(FIRST))),
        set_(mul(plain("xor", z, plain("shr", z, num(27))), signed(SECOND))),
    ]


def below(low: "Lowering", limit: Op, most: int = HALF) -> Op:
    """A number from 0 up to but not including a limit, which is at most `most`."""
    if most > HALF:
        return call(_below(low), limit)
    exact = known(limit)
    if exact == 1:
        return do(skip(low), num(0))
    if exact is not None and 1 < exact < HALF and exact.bit_count() == 1:
        # The highest bits, which the last step leaves as they are.
        mixed, z = _mixed(low)
        return do(mixed, plain("shr", z, num(65 - exact.bit_length())))
    word = _word(low)
    kept, it = low.keep(limit)
    return do(kept, plain("shr", mul(plain("shr", word, num(32)), it), num(32)))


def _below(low: "Lowering") -> Function:
    """The function for limits of any size."""
    if "below" in low.made:
        return low.made["below"]
    f = low.made["below"] = low.flow.function("below", ("n",), "n")
    with low.inside(f):
        limit, word = f.parameter(0).get, f.local()
        high, low_ = plain("shr", word.get, num(32)), plain("and", word.get, num(HALF - 1))
        top, bottom = plain("shr", limit, num(32)), plain("and", limit, num(HALF - 1))
        middle, other = f.local(), f.local()
        f.fill(
            word.set(_word(low)),
            Op(
                "if",
                (
                    compare("<=", limit, num(HALF)),
                    plain("shr", mul(high, limit), num(32)),
                    do(
                        middle.set(add(mul(high, bottom), plain("shr", mul(low_, bottom), num(32)))),
                        other.set(add(mul(low_, top), plain("and", middle.get, num(HALF - 1)))),
                        add(
                            mul(high, top),
                            add(plain("shr", middle.get, num(32)), plain("shr", other.get, num(32))),
                        ),
                    ),
                ),
                None,
                "n",
            ),
        )
    return f


# ---- throws --------------------------------------------------------------------------------------------


def throw(low: "Lowering", statement: rules.Throw) -> None:
    """Items show one of their faces each."""
    low.enter()
    kinds = items.of_kinds(low, statement.items.type)
    listing = low.items(statement.items)
    kept, thrown = low.again(listing)
    low.emit(kept)
    sides = [low.layout.faces[item] for kind in kinds for item in range(kind.first, kind.end)]
    fixed = any(len(set(faces)) == 1 for faces in sides)
    then = Block("")
    opened, asked = Block("throw"), Block("thrown")
    if thrown.bound and not (isinstance(thrown, Bits) is False and known(thrown.some()) == 1):
        open_ = thrown.holds(lambda item: _several(low, kinds, item)) if fixed else thrown.some()
        otherwise = Block("") if fixed else then
        low.end(Branch(open_, opened, otherwise))
        if fixed:
            low.begin(otherwise)
            low.emit(thrown.each(lambda item: items.write_face(low, kinds, item, _side(low, kinds, item, num(0)))))
            low.end(Jump(then))
    low.begin(opened)
    falls = _falling(low, kinds, thrown)
    given: Callable[[Interrupts], Op] = lambda script: _scripted(low, statement, thrown, kinds, script)  # noqa: E731
    drawn = do(falls, _in_groups(low, statement, thrown, kinds))
    low.chance("throw", statement.span, drawn, asked, given, statement.items)
    low.begin(asked)
    low.trace_list(thrown, lambda item: items.read_face(low, kinds, item))
    low.begin(then)


def _scripted(
    low: "Lowering", statement: rules.Throw, thrown: Listing, kinds: list[KindOfItem], script: Interrupts
) -> Op:
    """The faces that the script says, one group of items after the other that no rule could tell apart; in a group
    they are in order, and as likely as all their orders together."""
    first, end = kinds[0].first, kinds[-1].end
    different = [sorted(set(low.layout.faces[item])) for item in range(first, end)]
    starts = [sum(map(len, different[:place])) for place in range(len(different))]
    faces = low.table("different faces", [face for each in different for face in each])
    times = [low.layout.faces[first + place].count(face) for place, each in enumerate(different) for face in each]
    often = low.table("how often", times)
    counts, start_of = low.table("how many", list(map(len, different))), low.table("first of them", starts)
    sides = low.table("sides", [len(low.layout.faces[item]) for item in range(first, end)])
    about = sight.among(low, statement.items, None)
    alike = thrown.bound > 1 and twins_among(low, kinds)
    least, members, run, number_ = (low.f.local() for _ in range(4))
    fallen = low.table("faces before", [low.watching.falls(each) if low.watching else 0 for each in range(first, end)])
    used = low.memory.room("assigned", end)

    def assign(item: Op) -> Op:
        place = sub(item, num(first))
        start = start_of.read(place)
        in_order = do(
            members.set(add(members.get, num(1))),
            run.set(Op("select", (add(run.get, num(1)), num(1), compare("is", number_.get, least.get)), None, "n")),
            script.weigh(members.get, run.get),
        )
        return do(
            number_.set(add(least.get, script.digit(sub(counts.read(place), least.get)))),
            in_order if alike else NOTHING,
            least.set(number_.get),
            script.weigh(often.read(add(start, number_.get))),
            script.among(sides.read(place)),
            items.write_face(low, kinds, item, faces.read(add(start, number_.get))),
            store(address(item), at(1), used, 1) if alike else NOTHING,
            store(address(add(fallen.read(place), number_.get)), at(1), low.watching.fell, 1)
            if low.watching
            else NOTHING,
        )

    begun = do(least.set(num(0)), members.set(num(0)), run.set(num(0)))
    if not alike:
        return thrown.each(lambda item: do(least.set(num(0)), assign(item)))
    free: Callable[[Op], Op] = lambda item: plain("t is", load(address(item), used, 1, "t"), at(0))  # noqa: E731

    def group(one: Op, later: Listing) -> Op:
        with_it: Callable[[Op], Op] = lambda other: both(  # noqa: E731
            free(other), do(no(sight.apart(low, about, one, other, face=False)))
        )
        return when(free(one), do(begun, assign(one), later.each(lambda other: when(with_it(other), assign(other)))))

    return do(thrown.each(lambda item: store(address(item), at(0), used, 1)), pairs(low, thrown, group))


def _falling(low: "Lowering", kinds: list[KindOfItem], thrown: Listing) -> Op:
    """A face for each item."""
    flags = items.flags_of_faces(low, kinds)
    if flags is None or not isinstance(thrown, Bits):
        return thrown.each(lambda item: items.write_face(low, kinds, item, fall(low, kinds, item)))
    kept, word = low.keep(thrown.word)
    higher = low.f.local()
    least = num(flags.least)
    falls: Callable[[Op], Op] = lambda item: plain("shl", sub(fall(low, kinds, item), least), item)  # noqa: E731
    fallen = Bits(low, thrown.bound, True, True, word=word).each(
        lambda item: higher.set(plain("or", higher.get, falls(item)))
    )
    others = plain("and", flags.word, plain("xor", word, num(-1)))
    return do(kept, higher.set(num(0)), fallen, flags.fill(plain("or", others, higher.get)))


def _several(low: "Lowering", kinds: list[KindOfItem], item: Op) -> Op:
    first, end = kinds[0].first, kinds[-1].end
    counts = [int(len(set(low.layout.faces[each])) != 1) for each in range(first, end)]
    return address(low.table("several", counts).read(sub(item, num(first))))


def fall(low: "Lowering", kinds: list[KindOfItem], item: Op) -> Op:
    """A face of an item, by its weight."""
    layout = low.layout
    faces = {layout.faces[each] for kind in kinds for each in range(kind.first, kind.end)}
    if len(faces) == 1:
        return _side_of(low, faces.pop())
    first, end = kinds[0].first, kinds[-1].end
    weights = [len(layout.faces[each]) for each in range(first, end)]
    return _side(low, kinds, item, below(low, low.table("weights", weights).read(sub(item, num(first)))))


def _side_of(low: "Lowering", faces: tuple[int, ...]) -> Op:
    """One of these faces, evenly."""
    if faces == tuple(range(faces[0], faces[0] + len(faces))):
        return add(below(low, num(len(faces))), num(int(faces[0])))
    return low.table("faces", faces).read(below(low, num(len(faces))))


def _side(low: "Lowering", kinds: list[KindOfItem], item: Op, number_: Op) -> Op:
    """The face of this number of an item."""
    faces: list[int] = []
    starts = []
    for each in range(kinds[0].first, kinds[-1].end):
        starts.append(len(faces))
        faces += low.layout.faces[each]
    start = low.table("first faces", starts).read(sub(item, num(kinds[0].first)))
    return low.table("faces", faces).read(add(start, number_))


def _in_groups(low: "Lowering", statement: rules.Throw, thrown: Listing, kinds: list[KindOfItem]) -> Op:
    """The faces of items that no rule could tell apart are put in order."""
    about = sight.among(low, statement.items, None)
    if thrown.bound < 2 or not twins_among(low, kinds):
        return NOTHING
    face = low.f.local()

    def exchange(one: Op, other: Op, alike: Op) -> Op:
        theirs = low.f.local()
        lower = both(compare("<", theirs.get, face.get), do(alike))
        swap = do(items.write_face(low, kinds, other, face.get), face.set(theirs.get))
        return do(theirs.set(items.read_face(low, kinds, other)), when(lower, swap))

    def sink(one: Op, later: Listing) -> Op:
        def sunk(after: Listing, surely: bool) -> Op:
            apart: Callable[[Op], Op] = lambda other: sight.apart(low, about, one, other, face=False)  # noqa: E731
            return do(
                face.set(items.read_face(low, kinds, one)),
                after.each(lambda other: exchange(one, other, at(1) if surely else no(apart(other)))),
                items.write_face(low, kinds, one, face.get),
            )

        likes = sight.likes(low, about, one, face=False)
        twins = likes or sight.family(low, about, one)
        if not isinstance(later, Bits) or twins is None:
            return sunk(later, False)
        kept, among = low.keep(plain("and", later.word, twins))
        mine = Bits(low, later.bound, True, True, word=among)
        return do(kept, when(mine.some(), sunk(mine, likes is not None)))

    return pairs(low, thrown, sink)


def pairs(low: "Lowering", listing: Listing, body: Callable[[Op, Listing], Op]) -> Op:
    """Statements for every element with those that come after it."""
    if isinstance(listing, Bits):
        word = listing.word
        above: Callable[[Op], Op] = lambda one: plain("and", word, plain("shl", num(-2), one))  # noqa: E731
        return listing.each(lambda one: body(one, Bits(low, listing.bound, True, True, word=above(one))))
    assert isinstance(listing, Written)
    here, left = low.f.local("t"), low.f.local("t")
    rest = _Rest(low, listing.bound, listing.rising, listing.small, where=here.get, left=left.get, mask=listing.mask)

    def one(each: Op) -> Op:
        return do(here.set(add(here.get, at(8))), left.set(sub(left.get, at(1))), body(each, rest))

    return do(here.set(listing.where), left.set(load(listing.where, 0, 4, "t")), listing.each(one))


class _Rest(Written):
    """The rest of a list."""

    def __init__(self, low: "Lowering", *rest: int, where: Op, left: Op, mask: int) -> None:
        super().__init__(low, *rest, where=where, mask=mask)  # type: ignore[arg-type]
        self.left = left

    def each(self, body: Callable[[Op], Op]) -> Op:
        here, left, element, again = self.low.f.local("t"), self.low.f.local("t"), self.low.f.local(), Label()
        return do(
            here.set(self.where),
            left.set(self.left),
            when(
                left.get,
                loop(
                    again,
                    element.set(load(here.get, HEAD)),
                    here.set(add(here.get, at(8))),
                    left.set(sub(left.get, at(1))),
                    body(element.get),
                    jump_if(again, left.get),
                ),
            ),
        )


def twins_among(low: "Lowering", kinds: list[KindOfItem]) -> bool:
    """Whether any two items of these kinds are printed alike."""
    return any(low.layout.twins[each] != each for kind in kinds for each in range(kind.first, kind.end))


# ---- draws ---------------------------------------------------------------------------------------------


class Handful:
    """Some of a list of items at random: room for the pool, which is shuffled, and for those that come."""

    def __init__(
        self, low: "Lowering", about: sight.Among, pool: Listing, bound: int, alike: bool, most: int = rules.MOST
    ) -> None:
        self.low = low
        self.about = about
        self.pool = pool
        """The items there are, to be gone through again."""
        self.alike = alike
        """Whether some may be exactly alike."""
        self.came = low.memory.room("pool", HEAD + 8 * bound)
        """The pool, and then those that came."""
        self.there = low.f.local()
        """How many there are."""
        self.few = most if isinstance(pool, Bits) and most <= FEW else 0
        """No more than this come, their order does not matter, and they are bits; 0 where they are a list."""
        self.bits = low.f.local()
        """Those few that came."""

    def certain(self, count: Op) -> Op:
        """Whether it is known which come, if their order does not matter: none, or nobody could tell them apart."""
        if not self.alike:
            return either(compare("is", count, num(0)), compare("<=", self.there.get, num(1)))
        first, seen = self.low.f.local(), self.low.f.local("t")
        likes = self._likes(first.get)
        if likes is not None and isinstance(self.pool, Bits):
            others = plain("and", self.pool.word, plain("xor", likes, num(-1)))
            all_alike = do(first.set(plain("ctz", self.pool.word)), compare("is", others, num(0)))
            return either(compare("is", count, num(0)), all_alike)

        def differs(each: Op) -> Op:
            other = both(seen.get, do(sight.apart(self.low, self.about, first.get, each)))
            kept = self.low.f.local("t")
            return do(kept.set(other), when(no(seen.get), first.set(each)), seen.set(at(1)), kept.get)

        all_alike = do(seen.set(at(0)), no(self.pool.holds(differs)))
        return either(compare("is", count, num(0)), do(all_alike))

    def draw(self, count: Op) -> Op:
        """So many come, in the order of their coming."""
        low = self.low
        if self.few:
            return self._draw_few(count)
        place, other, kept, again = low.f.local(), low.f.local(), low.f.local(), Label()
        cell: Callable[[Op], Op] = lambda index: mul(address(index), at(8))  # noqa: E731
        mine = Offset(self.came, HEAD)
        shuffle = loop(
            again,
            other.set(add(place.get, below(low, sub(self.there.get, place.get)))),
            kept.set(load(cell(other.get), mine)),
            store(cell(other.get), load(cell(place.get), mine), mine),
            store(cell(place.get), kept.get, mine),
            place.set(add(place.get, num(1))),
            jump_if(again, compare("<", place.get, count)),
        )
        return do(
            self.pool.into(self.came),
            place.set(num(0)),
            store(at(0), address(count), self.came, 4),
            when(compare(">", count, num(0)), shuffle),
            self._lowest() if self.alike else NOTHING,
        )

    @property
    def result(self) -> Listing:
        """Those that came."""
        if self.few:
            return Bits(self.low, self.few, True, True, word=self.bits.get)
        return Written(self.low, self.pool.bound, False, self.pool.small, where=at(self.came))

    def _draw_few(self, count: Op) -> Op:
        """A few come, by their places in a pool that is never written out as it is shuffled."""
        assert isinstance(self.pool, Bits)
        low, pool = self.low, self.pool.word
        free, item = low.f.local(), low.f.local()
        code = [free.set(pool), self.bits.set(num(0))]
        likes = self._likes(item.get) if self.alike else None
        lowest = item.get if likes is None else plain("ctz", plain("and", free.get, likes))
        drawn: list[tuple[Local, Local]] = []
        for number_ in range(self.few):
            # What lies at a place was exchanged if that place was drawn before, the last time above all.
            place, before = low.f.local(), low.f.local()
            one = [
                place.set(add(num(number_), below(low, sub(self.there.get, num(number_))))),
                item.set(nth_bit(low, pool, _exchanged(place.get, drawn), self.about.kinds[-1].end)),
                item.set(lowest) if likes is not None else NOTHING,
                free.set(plain("xor", free.get, bit(item.get))),
                self.bits.set(plain("or", self.bits.get, bit(item.get))),
            ]
            if number_ < self.few - 1:
                one.append(before.set(_exchanged(num(number_), drawn)))
            code.append(when(compare(">", count, num(number_)), do(*one)))
            drawn.append((place, before))
        return do(*code)

    def first(self, count: Op) -> Op:
        """The first ones come."""
        low = self.low
        some = FirstOf(low, self.pool.bound, True, self.pool.small, source=self.pool, wanted=count)
        return self.bits.set(some.bits()) if self.few else some.into(self.came)

    def scripted(self, script: Interrupts, count: Op, in_order: bool) -> Op:
        """Those come that the script says, the lowest of each group of those nobody could tell apart."""
        came = self._in_sequence(script, count) if in_order else self._in_groups(script, count)
        made = do(self._grouped(), store(at(0), at(0), self.came, 4), came)
        written = Written(self.low, self.pool.bound, False, self.pool.small, where=at(self.came))
        return do(made, self.bits.set(written.bits())) if self.few else made

    def _grouped(self) -> Op:
        """Write down for each item of the pool the first of its group; none has come yet."""
        low, pool = self.low, self.pool

        def group(one: Op) -> Op:
            if not self.alike:
                return store(self._cell(one), one, self._first_of())
            mine: Callable[[Op], Op] = lambda other: both(  # noqa: E731
                compare("<", self._first(other), num(0)), do(no(sight.apart(low, self.about, one, other)))
            )
            write: Callable[[Op], Op] = lambda other: store(self._cell(other), one, self._first_of())  # noqa: E731
            return when(
                compare("<", self._first(one), num(0)),
                do(write(one), pool.each(lambda other: when(mine(other), write(other)))),
            )

        cleared = pool.each(
            lambda one: do(
                store(self._cell(one), num(-1), self._first_of()), store(self._cell(one), num(0), self._has_come())
            )
        )
        return do(cleared, pool.each(group))

    @staticmethod
    def _cell(item: Op) -> Op:
        return mul(address(item), at(8))

    def _first_of(self) -> Region:
        return self.low.shared_room("first of group", 8 * len(self.low.layout.kind_of))

    def _has_come(self) -> Region:
        return self.low.shared_room("has come", 8 * len(self.low.layout.kind_of))

    def _first(self, item: Op) -> Op:
        return load(self._cell(item), self._first_of())

    def _left_of(self, one: Op) -> Callable[[Op], Op]:
        """Whether an item is of the group that begins with this one, and has not come."""
        waits: Callable[[Op], Op] = lambda other: compare(  # noqa: E731
            "is", load(self._cell(other), self._has_come()), num(0)
        )
        return lambda other: both(compare("is", self._first(other), one), waits(other))

    def _size(self, one: Op, size: Local) -> Op:
        """How many of a group have not come."""
        mine = self._left_of(one)
        more = size.set(add(size.get, num(1)))
        return do(size.set(num(0)), self.pool.each(lambda other: when(mine(other), more)))

    def _comes(self, item: Op) -> Op:
        """One more has come."""
        length = load(at(0), self.came, 4, "t")
        return do(
            store(mul(length, at(8)), item, Offset(self.came, HEAD)),
            store(at(0), add(length, at(1)), self.came, 4),
            store(self._cell(item), num(1), self._has_come()),
        )

    def _in_groups(self, script: Interrupts, count: Op) -> Op:
        """Of one group after the other the script says how many come."""
        left, rest, size, least, most, take = (self.low.f.local() for _ in range(6))
        over = sub(left.get, rest.get)

        def group(one: Op) -> Op:
            mine = self._left_of(one)
            comes: Callable[[Op], Op] = lambda other: do(  # noqa: E731
                take.set(sub(take.get, num(1))), self._comes(other)
            )
            wanted = compare(">", take.get, num(0))
            return when(
                compare("is", self._first(one), one),
                do(
                    self._size(one, size),
                    rest.set(sub(rest.get, size.get)),
                    most.set(Op("select", (left.get, size.get, compare("<", left.get, size.get)), None, "n")),
                    least.set(Op("select", (over, num(0), compare(">", over, num(0))), None, "n")),
                    take.set(sub(most.get, script.digit(add(sub(most.get, least.get), num(1))))),
                    script.weigh(script.ways(size.get, take.get)),
                    left.set(sub(left.get, take.get)),
                    self.pool.each(lambda other: when(both(wanted, mine(other)), comes(other))),
                ),
            )

        return do(
            script.among(script.ways(self.there.get, count)),
            left.set(count),
            rest.set(self.there.get),
            self.pool.each(group),
        )

    def _in_sequence(self, script: Interrupts, count: Op) -> Op:
        """Of each place the script says which group the item is of that comes there."""
        place, groups, size, left = (self.low.f.local() for _ in range(4))
        again, found, came = Label(), Label(), Label()

        def leads(one: Op, then: Op) -> Op:
            some = when(compare(">", size.get, num(0)), then)
            return when(compare("is", self._first(one), one), do(self._size(one, size), some))

        def take(one: Op) -> Op:
            mine = self._left_of(one)
            first = block(came, self.pool.each(lambda other: when(mine(other), do(self._comes(other), jump(came)))))
            taken = do(script.weigh(size.get), script.among(left.get), first, jump(found))
            return leads(one, do(when(compare("is", groups.get, num(0)), taken), groups.set(sub(groups.get, num(1)))))

        one_more = do(
            groups.set(num(0)),
            self.pool.each(lambda one: leads(one, groups.set(add(groups.get, num(1))))),
            groups.set(script.digit(groups.get)),
            block(found, self.pool.each(take)),
            left.set(sub(left.get, num(1))),
            place.set(add(place.get, num(1))),
        )
        going = compare("<", place.get, count)
        return do(
            place.set(num(0)), left.set(self.there.get), when(going, loop(again, one_more, jump_if(again, going)))
        )

    def _lowest(self) -> Op:
        """Each that came is exchanged for the lowest of those nobody could tell apart."""
        low = self.low
        here, taken = low.f.local("t"), low.f.local()
        came = Written(low, self.pool.bound, False, self.pool.small, where=at(self.came))
        show: Callable[[Op], Op] = lambda each: store(here.get, each, Offset(self.came, HEAD))  # noqa: E731
        out = Label()

        def exchange(begin: Op, search: Op) -> Op:
            one = do(begin, block(out, search), here.set(add(here.get, at(8))))
            return do(here.set(at(0)), came.each(lambda each: do(taken.set(each), one)))

        likes = self._likes(taken.get)
        if isinstance(self.pool, Bits) and likes is not None:
            free, lowest = low.f.local(), low.f.local()
            find = lowest.set(plain("ctz", plain("and", free.get, likes)))
            found = do(free.set(plain("xor", free.get, bit(lowest.get))), show(lowest.get))
            return do(free.set(self.pool.word), exchange(find, found))
        used = low.memory.room("used", len(low.layout.kind_of))

        def look(each: Op) -> Op:
            unused = plain("t is", load(address(each), used, 1, "t"), at(0))
            found = do(store(address(each), at(1), used, 1), show(each), jump(out))
            return when(both(unused, do(no(sight.apart(low, self.about, taken.get, each)))), found)

        clear = self.pool.each(lambda each: store(address(each), at(0), used, 1))
        return do(clear, exchange(NOTHING, self.pool.each(look)))

    def _likes(self, item: Op) -> Op | None:
        """The items that nobody could tell from one of the pool, as bits, where these say so."""
        return sight.likes(self.low, self.about, item)


def _exchanged(place: Op, drawn: Sequence[tuple[Local, Local]]) -> Op:
    """Where what lies at a place lay at first: each of those drawn was exchanged for what lay before."""
    lay = place
    for where, before in drawn:
        lay = Op("select", (before.get, lay, compare("is", place, where.get)), None, "n")
    return lay


def _most(statement: rules.Draw) -> int:
    """No more than this are drawn, as far as that is known."""
    amount = statement.amount
    if amount.kind == "one":
        return 1
    type_ = (amount.high or amount.low).type
    return max(0, type_.high) if isinstance(type_, rules.Number) else rules.MOST


def _wanted(low: "Lowering", statement: rules.Draw, there: Op) -> tuple[Op, Op]:
    """How many are drawn of so many, with a fault if there are not so many: the statements, and the number."""
    amount, span = statement.amount, statement.span
    if amount.kind == "one":
        count = num(1)
    elif amount.kind == "up to":
        kept, most = low.keep(low.number_of(amount.high if amount.high is not None else amount.low))
        count = do(kept, Op("select", (most, there, compare("<", most, there)), None, "n"))
    else:
        count = low.number_of(amount.low)
    kept, it = low.keep(count)
    few = low.fault("{0} are to be drawn, and there are only {1}", span, it, there)
    negative = low.fault("{0} items cannot be drawn", span, it)
    code = [kept]
    if not (known(it) is not None and int(known(it) or 0) >= 0):
        code.append(when(compare("<", it, num(0)), negative))
    if amount.kind != "up to":
        code.append(when(compare(">", it, there), few))
    return do(*code), it


def _is_stacked(low: "Lowering", zone: rules.ZoneItems) -> bool:
    return low.layout.zone_rules[zone.name].stacked


def draw(low: "Lowering", statement: rules.Draw) -> None:
    """Items come at random out of a set, or from the top of a stacked zone."""
    low.enter()
    source, to = statement.source, statement.to
    top = isinstance(source, rules.ZoneItems) and source.indexes is not None and _is_stacked(low, source)
    in_order = _is_stacked(low, to.zone) if to is not None else top
    if top:
        assert isinstance(source, rules.ZoneItems)
        _draw_from_top(low, statement, source, in_order)
    else:
        _draw_from_set(low, statement, in_order)


def _draw_from_set(low: "Lowering", statement: rules.Draw, in_order: bool) -> None:
    kept, pool = low.again(low.items(statement.source))
    kinds = items.of_kinds(low, statement.source.type)
    low.emit(kept)
    about = sight.among(low, statement.source, None)
    alike = twins_among(low, kinds)
    few = not in_order and not (alike and sight.likes(low, about, num(0)) is None)
    handful = Handful(low, about, pool, pool.bound, alike, _most(statement) if few else rules.MOST)
    low.emit(handful.there.set(pool.count()))
    prepared, count = _wanted(low, statement, handful.there.get)
    low.emit(prepared)
    sure, open_, asked, then = Block("certain"), Block("draw"), Block("drawn"), Block("")
    certain = handful.certain(count)
    if not in_order:
        certain = either(compare("is", count, handful.there.get), do(certain))
    low.end(Branch(certain, sure, open_))
    low.begin(open_)
    low.chance(
        "draw", statement.span, handful.draw(count), asked, lambda script: handful.scripted(script, count, in_order)
    )
    low.begin(asked)
    came = _came(low, handful, in_order)
    low.trace_list(came, lambda item: item)
    low.end(Jump(then))
    low.begin(sure)
    low.emit(handful.first(count))
    low.begin(then)
    _give(low, statement, handful.result, in_order)


def _came(low: "Lowering", handful: Handful, in_order: bool) -> Listing:
    """Those that came, in the order of the answer."""
    came = handful.result
    if came.rising or in_order or not low.traced:
        return came
    made, listing = sets.in_order(low, came, lambda each: each, False)
    low.emit(made)
    return listing


def _give(low: "Lowering", statement: rules.Draw, came: Listing, in_order: bool) -> None:
    """What came goes where it is to go, and gets its name."""
    if not in_order or statement.to is None:
        if came.small:
            kept, word = low.keep(came.bits())
            came = Bits(low, min(came.bound, 63), True, True, word=word)
        else:
            kept, came = sets.in_order(low, came, lambda each: each, False)
            came.rising = True
        low.emit(kept)
    if statement.to is not None:
        low.emit(items.put(low, statement.to, came, statement.source))
    if statement.bind is None:
        return
    if statement.amount.kind == "one":
        found = low.f.local()
        low.emit(came.each(found.set))
        low.emit(low.bind_value(statement.bind, found.get, False))
    else:
        if not came.rising:
            kept, came = sets.in_order(low, came, lambda each: each, False)
            low.emit(kept)
        low.emit(low.bind_set(statement.bind, came, False))


def _draw_from_top(low: "Lowering", statement: rules.Draw, source: rules.ZoneItems, in_order: bool) -> None:
    kept, zone = low.keep(items.zone_number(low, source))
    stack = low.f.local("t")
    low.emit(do(kept, stack.set(items.stack_of(low, source.name, zone))))
    there = low.f.local()
    low.emit(there.set(number(load(stack.get, 0, 4, "t"))))
    prepared, count = _wanted(low, statement, there.get)
    low.emit(prepared)
    bound = low.most(rules.Item(low.layout.zone_rules[source.name].kinds))
    small = low.small(rules.Item(low.layout.zone_rules[source.name].kinds))
    kinds = items.of_kinds(low, source.type)
    entry: Callable[[Op], Op] = lambda index: load(add(stack.get, mul(address(index), at(8))), HEAD)  # noqa: E731
    pool = Chosen(
        low,
        bound,
        True,
        small,
        source=Written(low, bound, True, False, where=stack.get),
        condition=lambda each: compare(">=", each, num(UNKNOWN)),
    )
    listed = Mapped(low, bound, True, small, source=pool, value=lambda e: plain("and", e, num(UNKNOWN - 1)))
    unknown, index, again = low.f.local(), low.f.local(), Label()
    top = sub(sub(there.get, num(1)), index.get)
    low.emit(
        do(
            unknown.set(num(0)),
            index.set(num(0)),
            when(
                compare(">", count, num(0)),
                loop(
                    again,
                    unknown.set(add(unknown.get, number(compare(">=", entry(top), num(UNKNOWN))))),
                    index.set(add(index.get, num(1))),
                    jump_if(again, compare("<", index.get, count)),
                ),
            ),
        )
    )
    written, unseen = low.again(listed)
    about = sight.Among(tuple(kinds), True, None)
    # In one order-less pool: nobody knows the place of any of these.
    handful = Handful(low, about, unseen, bound, twins_among(low, kinds))
    sure, open_, asked, then = Block("certain"), Block("draw"), Block("drawn"), Block("")
    some = Block("unknown")
    low.end(Branch(compare("is", unknown.get, num(0)), then, some))
    low.begin(some)
    low.emit(do(written, handful.there.set(unseen.count())))
    certain = handful.certain(unknown.get)
    if not in_order:
        certain = either(compare("is", unknown.get, handful.there.get), do(certain))
    low.end(Branch(certain, sure, open_))
    low.begin(open_)
    given: Callable[[Interrupts], Op] = lambda script: handful.scripted(script, unknown.get, in_order)  # noqa: E731
    low.chance("draw", statement.span, handful.draw(unknown.get), asked, given)
    low.begin(asked)
    if not in_order:
        low.emit(_sorted_in(low, handful))
    reveal = Block("reveal")
    low.end(Jump(reveal))
    low.begin(sure)
    low.emit(handful.first(unknown.get))
    low.begin(reveal)
    low.emit(_reveal(low, handful, unseen, entry, stack.get, there.get, count))
    low.begin(then)
    drawn = low.memory.room("drawn", HEAD + 8 * bound)
    item = plain("and", entry(top), num(UNKNOWN - 1))
    low.emit(
        do(
            store(at(0), address(count), drawn, 4),
            index.set(num(0)),
            when(
                compare(">", count, num(0)),
                loop(
                    again2 := Label(),
                    store(mul(address(index.get), at(8)), item, Offset(drawn, HEAD)),
                    index.set(add(index.get, num(1))),
                    jump_if(again2, compare("<", index.get, count)),
                ),
            ),
        )
    )
    if low.traced:
        _trace_top(low, asked, drawn, bound, small, in_order)
    _give(low, statement, Written(low, bound, False, small, where=at(drawn)), in_order)


def _trace_top(low: "Lowering", asked: Block, drawn: Region, bound: int, small: bool, in_order: bool) -> None:
    """The answer of a draw from the top, if it was asked for."""
    flag = low.f.local("t")
    low.f.blocks[0].code.insert(0, flag.set(at(0)))
    asked.code.insert(0, flag.set(at(1)))
    came: Listing = Written(low, bound, False, small, where=at(drawn))
    yes, then = Block("told"), Block("")
    low.end(Branch(flag.get, yes, then))
    low.begin(yes)
    low.emit(flag.set(at(0)))
    if not in_order:
        made, came = sets.in_order(low, came, lambda each: each, False)
        low.emit(made)
    low.trace_list(came, lambda item: item)
    low.begin(then)


def _sorted_in(low: "Lowering", handful: Handful) -> Op:
    """Those that came, put in order where they stand."""
    came = Written(low, handful.pool.bound, False, handful.pool.small, where=at(handful.came))
    made, listing = sets.in_order(low, came, lambda each: each, False)
    return do(made, listing.into(handful.came))


def _reveal(
    low: "Lowering",
    handful: Handful,
    pool: Listing,
    entry: Callable[[Op], Op],
    stack: Op,
    there: Op,
    count: Op,
) -> Op:
    """The topmost unknown places show what came; the rest of the pool lies in the others, by number."""
    index, place, again, left = low.f.local(), low.f.local("t"), Label(), low.f.local()
    came = Written(low, pool.bound, False, pool.small, where=at(handful.came))
    cell = add(stack, mul(address(index.get), at(8)))
    is_unknown = compare(">=", entry(index.get), num(UNKNOWN))
    show = do(store(cell, load(place.get, Offset(handful.came, HEAD)), HEAD), place.set(add(place.get, at(8))))
    shown = loop(
        again,
        when(is_unknown, show),
        index.set(sub(index.get, num(1))),
        jump_if(again, compare(">=", index.get, sub(there, count))),
    )
    rest_place = low.f.local()
    skip, out = Label(), Label()
    flag = Op("select", (num(UNKNOWN), num(0), compare(">", left.get, num(1))), None, "n")
    cell2 = add(stack, mul(address(rest_place.get), at(8)))

    def lay(each: Op) -> Op:
        find = loop(
            skip,
            jump_if(out, compare(">=", entry(rest_place.get), num(UNKNOWN))),
            rest_place.set(add(rest_place.get, num(1))),
            jump(skip),
        )
        return when(
            no(came.has(each)),
            do(
                block(out, find),
                store(cell2, plain("or", each, flag), HEAD),
                rest_place.set(add(rest_place.get, num(1))),
            ),
        )

    return do(
        index.set(sub(there, num(1))),
        place.set(at(0)),
        when(compare(">", count, num(0)), shown),
        left.set(sub(handful.there.get, came.count())),
        rest_place.set(num(0)),
        pool.each(lay),
    )


# ---- picks ---------------------------------------------------------------------------------------------


def pick(low: "Lowering", statement: rules.Pick) -> None:
    """One value of a set."""
    low.enter()
    of_items = holds_items(statement.source.type)
    source = low.listing(statement.source)
    if not of_items and not source.rising:
        source = sets.apart(low, source)
    values = low.memory.room("values", HEAD + 8 * source.bound)
    weights = low.memory.room("weights", HEAD + 8 * source.bound)
    sizes = low.memory.room("sizes", HEAD + 8 * source.bound)
    count, total, some = low.f.local("t"), low.f.local(), low.f.local()
    about = sight.among(low, statement.source, None) if of_items else None
    grouped = about is not None and twins_among(low, list(about.kinds))
    found, place, out = low.f.local("t"), low.f.local("t"), Label()
    env = low.env

    def weigh(each: Op) -> tuple[Op, Op]:
        if statement.weight is None:
            return NOTHING, num(1)
        with low.where({**env, statement.each.number: each}):
            kept, it = low.keep(low.number_of(statement.weight))
        wrong = low.fault("{0} is no weight", statement.span, it)
        return do(kept, when(compare("<", it, num(0)), wrong)), it

    def put(each: Op) -> Op:
        kept, weight = weigh(each)
        cell = mul(count.get, at(8))
        return do(
            kept,
            store(cell, each, Offset(values, HEAD)),
            store(cell, weight, Offset(weights, HEAD)),
            store(cell, num(1), Offset(sizes, HEAD)),
            count.set(add(count.get, at(1))),
            store(at(0), count.get, values, 4),
        )

    def gather(each: Op) -> Op:
        if not grouped:
            return put(each)
        assert about is not None
        firsts = Written(low, source.bound, False, source.small, where=at(values))
        more = store(place.get, add(load(place.get, Offset(sizes, HEAD)), num(1)), Offset(sizes, HEAD))

        def look(first: Op) -> Op:
            alike = no(sight.apart(low, about, first, each))
            return do(when(alike, do(more, found.set(at(1)), jump(out))), place.set(add(place.get, at(8))))

        return do(found.set(at(0)), place.set(at(0)), block(out, firsts.each(look)), when(no(found.get), put(each)))

    low.emit(do(count.set(at(0)), store(at(0), at(0), values, 4), source.each(gather)))
    chosen, weighed = Written(low, source.bound, False, source.small, where=at(values)), low.f.local()

    weight, size = load(place.get, Offset(weights, HEAD)), load(place.get, Offset(sizes, HEAD))
    too_large = low.fault("the weights are too large together", statement.span)

    def walk(body: Callable[[Op], Op]) -> Op:
        weigh_here = mul(weight, size)
        return do(
            place.set(at(0)),
            chosen.each(lambda each: do(weighed.set(weigh_here), body(each), place.set(add(place.get, at(8))))),
        )

    value = low.f.local()
    checked = NOTHING if statement.weight is None else when(compare("<", total.get, num(0)), too_large)
    if grouped:
        checked = do(when(compare(">", weight, plain("div", num(rules.MOST), size)), too_large), checked)
    tally = do(
        total.set(add(total.get, weighed.get)),
        checked,
        some.set(add(some.get, number(compare("is not", weighed.get, num(0))))),
    )
    low.emit(
        do(
            total.set(num(0)),
            some.set(num(0)),
            walk(lambda each: do(tally, when(compare("is not", weighed.get, num(0)), value.set(each)))),
        )
    )
    low.emit(when(compare("is", total.get, num(0)), low.fault("there is nothing to pick from", statement.span)))
    open_, asked, then = Block("pick"), Block("picked"), Block("")
    low.end(Branch(compare(">", some.get, num(1)), open_, then))
    low.begin(open_)
    left, done = low.f.local(), Label()
    search = block(
        done,
        walk(
            lambda each: do(
                left.set(sub(left.get, weighed.get)),
                when(compare("<", left.get, num(0)), do(value.set(each), jump(done))),
            )
        ),
    )

    def given(script: Interrupts) -> Op:
        found = do(value.set(chosen_one.get), script.weigh(weighed.get), script.among(total.get), jump(ready))
        here = do(when(compare("is", left.get, num(0)), found), left.set(sub(left.get, num(1))))
        possible = compare("is not", weighed.get, num(0))
        searched = walk(lambda each: when(possible, do(chosen_one.set(each), here)))
        return do(left.set(script.digit(some.get)), block(ready, searched))

    chosen_one, ready = low.f.local(), Label()
    low.chance("pick", statement.span, do(left.set(below(low, total.get, WORD)), search), asked, given)
    low.begin(asked)
    low.trace([value.get])
    low.begin(then)
    low.emit(low.bind_value(statement.bind, value.get, False))
