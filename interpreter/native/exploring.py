"""Looking at every position of a game, nearest first: the functions that do it inside, without a word from outside.

What is found stands in columns, one number for each position or each way between positions (an edge), which the host
lays behind the module's own memory and makes longer when they are full. States are kept of positions that are not
looked into yet; keys are kept of all, and found again by their hash.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs

from ...dsl import rules
from .code import (
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
    copy,
    do,
    either,
    jump,
    jump_if,
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
from .flow import Function
from .interrupts import CHANCE, CHANCES, DECISIONS, MOST_DIGITS, OVER, Interrupts
from .listings import Offset, Size

if TYPE_CHECKING:
    from .lowering import Lowering

NOTHING_LEFT, MORE, NO_ROOM = 0, 1, 2
"""What `explore` gives."""

FACTOR = 0x9E3779B97F4A7C15
UNKNOWN = -1
"""In place of the position an edge leads to: a fault, after which nothing comes."""


@attrs.frozen
class Column:
    """Numbers of one width, one for each position, edge, or whatever else is counted."""

    name: str
    width: int
    base: Offset
    """Where it stands what the address of the first one is."""

    def read(self, index: Op, type_: str = "n") -> Op:
        """The number at an index."""
        return load(self._at(index), 0, self.width, type_)

    def write(self, index: Op, value: Op) -> Op:
        """Another number at an index."""
        return store(self._at(index), value, 0, self.width)

    def _at(self, index: Op) -> Op:
        return add(address(load(at(0), self.base)), mul(address(index), at(self.width)))


@attrs.frozen
class Tracked:
    """A value that is wanted at every position: a number, or several."""

    value: rules.Expr
    at_end: bool
    """Whether it tells ends of the game apart."""
    of_ends: bool = False
    """Whether only ends have it; then it may be a fault to work it out."""


class Unexplorable(Exception):
    """A value cannot be tracked inside: working it out may be a fault, or it has very many numbers."""


MOST_NUMBERS = 64
"""Numbers that a tracked value may have."""


class Tracking:
    """The function that writes down what the tracked values are now, and where it does.

    Raises:
        Unexplorable: one of them cannot always be worked out.
    """

    def __init__(self, low: "Lowering", tracks: Sequence[Tracked]) -> None:
        self.room = low.memory.room("tracked", 8)
        self.places: list[range] = []
        """For each value where it stands in the room: of several numbers first how many there are."""
        self.told: list[Op] = []
        """What tells ends of the game apart."""
        self.function = low.flow.function("track")
        with low.inside(self.function):
            self.function.fill(*[self._written(low, track) for track in tracks])

    @property
    def columns(self) -> int:
        """How many numbers there are in all."""
        return self.places[-1].stop if self.places else 0

    def _written(self, low: "Lowering", track: Tracked) -> Op:
        first = self.columns
        if isinstance(track.value.type, rules.Many):
            listing = low.listing(track.value)
            width = listing.bound + 1
            if listing.bound > MOST_NUMBERS:
                raise Unexplorable(str(track.value.span))
            count, here = low.f.local(), self._cell(first)
            cell = mul(address(count.get), at(8))
            one_more = count.set(add(count.get, num(1)))
            put: Callable[[Op], Op] = lambda each: do(  # noqa: E731
                store(cell, each, self._cell(first + 1)), one_more
            )
            cleared = [store(at(0), num(0), self._cell(first + place)) for place in range(width)]
            code = do(*cleared, count.set(num(0)), listing.each(put), store(at(0), count.get, here))
        else:
            width = 1
            code = store(at(0), low.number(track.value), self._cell(first))
        if track.of_ends:
            assert low.interrupts is not None
            code = when(compare("is", low.interrupts.points.owner.read(), num(OVER)), code)
        elif code.faults:
            raise Unexplorable(str(track.value.span))
        self.places.append(range(first, first + width))
        self.room.need(8 * (first + width))
        if track.at_end:
            self.told += [self.read(place) for place in self.places[-1]]
        return code

    def _cell(self, place: int) -> Offset:
        return Offset(self.room, 8 * place)

    def read(self, place: int) -> Op:
        """One of the numbers."""
        return load(at(0), self._cell(place))


class Exploration:
    """The functions, and where everything stands."""

    def __init__(
        self,
        low: "Lowering",
        script: Interrupts,
        resume: Function,
        key: tuple[Function, Region],
        tracking: Tracking,
        outcomes: tuple[int, int],
    ) -> None:
        self.low = low
        self.script = script
        self.key, self.written = key
        """The function that writes a key, and where it does."""
        self.tracking = tracking
        self.most_outcomes, self.some = outcomes
        """Outcomes of one chance that are all looked at, and how many of more are."""
        self.header = low.memory.room("exploration", 0)
        self.numbers: dict[str, Offset] = {}
        """Numbers the host reads and writes."""
        for name in ("opened", "known", "edges", "middle", "counting", "counted", "cut", "keys end", "mask", "window"):
            self.numbers[name] = self._header(name)
        for name in ("most positions", "most edges", "most keys"):
            self.numbers[name] = self._header(name)
        self.kept = low.memory.room("script kept", 8 + 16 * MOST_DIGITS)
        self.hashes = self._column("table", 4)
        """Positions by hash, from 1 on; 0 where there is none."""
        self.states = self._header("states")
        self.keys = self._header("keys")
        self.key_at = self._column("key at", 8)
        """Where a position's key begins, and where the last one ends."""
        self.owner = self._column("owner", 1)
        self.site = self._column("site", 2)
        self.came = self._column("came", 4)
        self.first = self._column("first", 4)
        self.target = self._column("target", 4)
        self.weight = self._column("weight", 8)
        self.total = self._column("total", 8)
        self.values = [self._column(f"value {number_}", 8) for number_ in range(tracking.columns)]
        assert low.watching is not None
        self.watching = low.watching
        self.label = self._column("label", 2)
        self.passes = [self._column(f"passes of {phase}", 2) for phase in self.watching.counted]
        self._hashed = self._hash()
        self._look_up = self._looking_up()
        low.flow.exports |= {
            "explore": self._explore(resume),
            "add_first": low.flow.function("add_first").fill(Op("drop", (call(self._look_up),))),
            "rehash": self._rehash(),
        }

    def _header(self, name: str) -> Offset:
        place = self.header.size
        self.header.need(place + 8)
        return Offset(self.header, place)

    def _column(self, name: str, width: int) -> Column:
        return Column(name, width, self._header(name))

    def read(self, name: str) -> Op:
        """One of the numbers."""
        return load(at(0), self.numbers[name])

    def write(self, name: str, value: Op) -> Op:
        """Another value for one of the numbers."""
        return store(at(0), value, self.numbers[name])

    # ---- positions -----------------------------------------------------------------------------------------

    def _hash(self) -> Function:
        """The function that works out the hash of a key: where it stands, and how long it is."""
        f = self.low.flow.function("hash", ("t", "t"), "n")
        place, length = f.parameter(0), f.parameter(1)
        end, value, again = f.local("t"), f.local(), Label()
        mixed = mul(plain("xor", value.get, load(place.get)), num(FACTOR - WORD))
        return f.fill(
            end.set(add(place.get, length.get)),
            value.set(num(0)),
            loop(
                again,
                value.set(mixed),
                value.set(plain("xor", value.get, plain("shr", value.get, num(29)))),
                place.set(add(place.get, at(8))),
                jump_if(again, plain("t <u", place.get, end.get)),
            ),
            value.get,
        )

    def _find(self) -> Function:
        """The function that gives the position with the key that was just written, or, below zero, where in the table
        a new one belongs, less by one."""
        f = self.low.flow.function("find", ("t",), "n")
        length = f.parameter(0).get
        slot, known, there, cell = f.local(), f.local(), f.local("t"), f.local("t")
        again, next_, words, out = Label(), Label(), Label(), Label()
        mask = self.read("mask")
        begins = self.key_at.read(known.get)
        same_length = compare("is", sub(self.key_at.read(add(known.get, num(1))), begins), number(length))
        same = compare("is", load(cell.get, self.written), load(add(there.get, cell.get)))
        return f.fill(
            slot.set(plain("and", call(self._hashed, at(self.written), length), mask)),
            loop(
                again,
                known.set(sub(plain("and", self.hashes.read(slot.get), num(2**32 - 1)), num(1))),
                when(compare("<", known.get, num(0)), Op("return", (sub(num(-1), slot.get),))),
                block(
                    next_,
                    jump_if(next_, no(same_length)),
                    there.set(add(address(load(at(0), self.keys)), address(begins))),
                    cell.set(at(0)),
                    block(
                        out,
                        loop(
                            words,
                            jump_if(out, plain("t >=", cell.get, length)),
                            jump_if(next_, no(same)),
                            cell.set(add(cell.get, at(8))),
                            jump(words),
                        ),
                    ),
                    Op("return", (known.get,)),
                ),
                slot.set(plain("and", add(slot.get, num(1)), mask)),
                jump(again),
            ),
            num(0),
        )

    def _looking_up(self) -> Function:
        """The function that gives the position in which the game stands, a new one if it was not known."""
        low, points = self.low, self.script.points
        f = low.flow.function("look_up", (), "n")
        find = self._find()
        with low.inside(f):
            length, found = f.local("t"), f.local()
            known = self.read("known")
            end = self.read("keys end")
            place = add(address(load(at(0), self.keys)), address(end))
            new = do(
                self.hashes.write(sub(num(-1), found.get), add(known, num(1))),
                found.set(known),
                copy(place, at(self.written), length.get),
                self.write("keys end", add(end, number(length.get))),
                self.key_at.write(add(found.get, num(1)), end),
                self.owner.write(found.get, points.owner.read()),
                self.site.write(found.get, points.site.read()),
                self.came.write(found.get, self.read("edges")),
                copy(self._state(found.get), at(low.memory.state), at(Size(low.memory.state))),
                self.write("known", add(found.get, num(1))),
            )
            return f.fill(
                call(self.tracking.function),
                length.set(call(self.key)),
                found.set(call(find, length.get)),
                when(compare("<", found.get, num(0)), new),
                found.get,
            )

    def _state(self, position: Op) -> Op:
        """Where the state of a position is kept."""
        place = address(plain("and", position, self.read("window")))
        return add(address(load(at(0), self.states)), mul(place, at(Size(self.low.memory.state))))

    def _rehash(self) -> Function:
        """The function that fills an empty table anew."""
        f = self.low.flow.function("rehash")
        position, slot, begins, again, probe, out = f.local(), f.local(), f.local("t"), Label(), Label(), Label()
        end = address(self.key_at.read(add(position.get, num(1))))
        mask = self.read("mask")
        there = add(address(load(at(0), self.keys)), begins.get)
        return f.fill(
            position.set(num(0)),
            block(
                out,
                loop(
                    again,
                    jump_if(out, compare(">=", position.get, self.read("known"))),
                    begins.set(address(self.key_at.read(position.get))),
                    slot.set(plain("and", call(self._hashed, there, sub(end, begins.get)), mask)),
                    block(
                        free := Label(),
                        loop(
                            probe,
                            jump_if(free, compare("is", self.hashes.read(slot.get), num(0))),
                            slot.set(plain("and", add(slot.get, num(1)), mask)),
                            jump(probe),
                        ),
                    ),
                    self.hashes.write(slot.get, add(position.get, num(1))),
                    position.set(add(position.get, num(1))),
                    jump(again),
                ),
            ),
        )

    # ---- edges ---------------------------------------------------------------------------------------------

    def _explore(self, resume: Function) -> Function:
        """The function that looks at so many edges; `skip`: the last one was a fault.

        It gives whether nothing is left, there is more to do, or there is no room.
        """
        low, script = self.low, self.script
        f = low.flow.function("explore", ("n", "t"), "t")
        with low.inside(f):
            most, skip, done, again, opened = f.parameter(0).get, f.parameter(1).get, f.local(), Label(), f.local()
            edges, known = self.read("edges"), self.read("known")
            leave = {way: Op("return", (at(way),)) for way in (NOTHING_LEFT, MORE, NO_ROOM)}
            looked_into = do(
                self.first.write(add(opened.get, num(1)), edges),
                self.write("middle", num(0)),
                self.write("counting", num(0)),
                self.write("opened", add(opened.get, num(1))),
            )
            advance = call(low.flow.exports["advance"])

            def finish(target: Op) -> Op:
                return do(
                    self.target.write(edges, target),
                    self.weight.write(edges, load(at(0), script.weight)),
                    self.total.write(edges, load(at(0), script.total)),
                    *self._noted(edges),
                    self.write("edges", add(edges, num(1))),
                    done.set(add(done.get, num(1))),
                    when(no(advance), looked_into),
                )

            many = both(
                compare("is", sub(edges, self.first.read(opened.get)), num(self.some)),
                compare("is", self.read("counted"), num(0)),
                compare("is", self.owner.read(opened.get), num(CHANCE)),
            )
            count = do(self._keep_script(True), self.write("counting", num(self.some)), self.write("counted", num(1)))
            cut = do(
                when(compare("is", self.read("cut"), num(0)), self.write("cut", add(opened.get, num(1)))), looked_into
            )
            go_on = do(self._keep_script(False), self.write("counting", num(0)))
            counted = do(
                self.write("counting", add(self.read("counting"), num(1))),
                when(
                    compare(">", self.read("counting"), num(self.most_outcomes)),
                    cut,
                    when(no(advance), go_on),
                ),
            )
            counting = compare("is not", self.read("counting"), num(0))

            begin = do(
                when(compare(">=", opened.get, known), leave[NOTHING_LEFT]),
                when(compare(">=", done.get, most), leave[MORE]),
                when(compare("is", self.owner.read(opened.get), num(OVER)), do(looked_into, jump(again))),
                store(at(0), at(0), script.length, 4),
                self.write("middle", num(1)),
                self.write("counted", num(0)),
            )
            full = either(
                compare(">=", edges, self.read("most edges")),
                compare(">=", known, self.read("most positions")),
                compare(">=", self.read("keys end"), self.read("most keys")),
                compare(">=", sub(known, opened.get), self.read("window")),
            )
            start = opened.set(self.read("opened"))
            return f.fill(
                done.set(num(0)),
                start,
                when(skip, when(counting, counted, finish(num(UNKNOWN)))),
                loop(
                    again,
                    start,
                    when(compare("is", self.read("middle"), num(0)), begin),
                    when(full, leave[NO_ROOM]),
                    when(many, count),
                    copy(at(low.memory.state), self._state(opened.get), at(Size(low.memory.state))),
                    self._begin_edge(edges),
                    call(resume, num(DECISIONS | CHANCES)),
                    when(counting, counted, finish(call(self._look_up))),
                    jump(again),
                ),
                at(0),
            )

    def _begin_edge(self, edges: Op) -> Op:
        """Nothing has come about on the edge yet."""
        return do(store(at(0), edges, self.watching.edge), self.watching.edge_begins())

    def _noted(self, edges: Op) -> list[Op]:
        """What came about on the edge, and what the tracked values are behind it."""
        code = [column.write(edges, self.tracking.read(place)) for place, column in enumerate(self.values)]
        code.append(self.label.write(edges, load(at(0), self.watching.label)))
        for place, column in enumerate(self.passes):
            code.append(column.write(edges, load(at(0), Offset(self.watching.passes, 8 * place))))
        return code

    def _keep_script(self, keep: bool) -> Op:
        """Write down where the script is, or go back there."""
        script, places, code = self.script, 0, []
        for region, size in ((script.length, 8), (script.digits, 8 * MOST_DIGITS), (script.radixes, 8 * MOST_DIGITS)):
            kept = at(Offset(self.kept, places))
            code.append(copy(kept, at(region), at(size)) if keep else copy(at(region), kept, at(size)))
            places += size
        return do(*code)
