"""Play that stops where something is asked and goes on from there: what `step`, search and exploration stand on.

A game so compiled stops before each request it is told to stop at. Where it was stands in the state: for the play and
for each action in which something is asked the number of its point. To go on, the play is called again; it goes to its
point, works out anew what there is to choose or what may happen (which changes nothing), takes the answer from the
script, and goes on. So nothing but the state has to be kept, and a copy of the state is a copy of the game.

The script is a row of digits, each with its radix, asked for one by one: the number of an option, or for an event of
chance the places of what comes of it among what can come. `advance` counts it up: it goes through all answers of a
request, in the order of the reference's.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING

import attrs

from ...dsl import rules
from ...dsl.source import NOWHERE, Span
from .code import (
    NOTHING,
    Label,
    Op,
    Region,
    add,
    address,
    at,
    block,
    call,
    compare,
    do,
    jump,
    jump_if,
    known,
    load,
    loop,
    mul,
    num,
    number,
    plain,
    store,
    sub,
    when,
)
from .flow import Block, Branch, Function, Jump, Return, Switch
from .listings import Offset
from .memory import Cell

if TYPE_CHECKING:
    from .lowering import Lowering

DECISIONS, CHANCES, GREEDY = 1, 2, 4
"""What play stops at, as bits of `stopping`: all decisions, chance, and decisions for which options are tried."""

CHANCE, OVER, FOLLOWED = -1, -2, -3
"""In place of the seat that decides: chance does, the game is over, a strategy does that a search follows."""

MOST_DIGITS = 512
"""Digits of a script."""

MOST_WEIGHT = 2**62


@attrs.frozen
class Points:
    """Where play that was stopped stands; part of the state."""

    site: Cell
    """The number of the request."""
    owner: Cell
    """The seat that decides, or `CHANCE`."""
    options: Cell
    """How many options there are; of chance not worked out."""


@attrs.frozen(eq=False)
class Request:
    """A place in the rules at which something is asked."""

    name: str
    span: Span
    """The statement that asks."""
    function: Function
    scope: frozenset[int]
    """The program's own slots that may hold something here."""
    thrown: rules.Expr | None = None
    """What is thrown."""
    labels: tuple[str, ...] = ()
    """The names of the options, where these are labels: of all, though not all may be open."""


class Interrupts:
    """All there is to stopping and going on, in one game."""

    def __init__(self, low: "Lowering") -> None:
        self.low = low
        own = low.memory.own
        self.points = Points(own(4), own(1), own(8))
        self.requests: list[Request] = []
        self.calls: list[tuple[Function, Function, frozenset[int]]] = []
        """Which function calls which action in which something is asked, and the slots that may hold something."""
        self.resuming = low.memory.room("resuming", 8)
        """Whether play has not yet come back to where it was: `is_resuming`."""
        self.stopping = low.memory.room("stopping", 8)
        self.stopped = low.memory.room("stopped", 8)
        self.length = low.memory.room("script length", 8)
        self.place = low.memory.room("script place", 8)
        self.digits = low.memory.room("digits", 8 * MOST_DIGITS)
        self.radixes = low.memory.room("radixes", 8 * MOST_DIGITS)
        self.weight = low.memory.room("weight", 8)
        """How likely the answer is that the script gives: this number of …"""
        self.total = low.memory.room("total", 8)
        """… so many; 0 where either is above `MOST_WEIGHT`."""
        self.open = low.memory.room("open labels", 8)
        """Of the labels of the decision that play came to last those that are open, as bits of words."""
        self._functions: dict[str, Function] = {}

    @property
    def is_resuming(self) -> Op:
        """Whether play has not yet come back to where it was."""
        return load(at(0), self.resuming, 4, "t")

    # ---- where play stops ------------------------------------------------------------------------------

    def enter(self) -> None:
        """Play goes on here that stops at the next request; what comes up to there changes nothing."""
        low, again = self.low, Block("again")
        low.begin(again)
        if low.f.where is None:
            low.f.where = low.memory.own(4)
        low.f.points.append(again)

    def _scope(self) -> frozenset[int]:
        """The program's own slots that may hold something here."""
        low = self.low
        return frozenset(range(low.memory.slots, len(low.layout.names))) - low.over

    def ask(
        self,
        name: str,
        span: Span,
        owner: Op,
        options: Op,
        given: Op,
        fresh: Callable[[], None],
        then: Block,
        thrown: rules.Expr | None = None,
        labels: Mapping[str, Op] | None = None,
    ) -> None:
        """Stop here where play is to stop; where it comes back, `given` takes the answer from the script. `fresh` is
        what happens at a request whoever answers it; `labels` are those of a decision, and whether each is open."""
        low, points = self.low, self.points
        site = len(self.requests)
        labels = labels or {}
        self.requests.append(Request(name, span, low.f, self._scope(), thrown, tuple(labels)))
        back, first, stop, on = Block("back"), Block("first"), Block("stop"), Block("on")
        low.end(Branch(self.is_resuming, back, first))
        low.begin(back)
        low.emit(store(at(0), at(0), self.resuming, 4))
        chance = known(owner) == CHANCE
        kind = at(CHANCES if chance else DECISIONS)
        if low.trying is not None and not chance:
            kind = low.trying.stops(owner, options)
        if low.tree is not None and not chance:
            scripted = Block("scripted")
            low.end(Branch(low.tree.searching, on, scripted))
            low.begin(scripted)
        low.emit(given)
        low.end(Jump(then))
        low.begin(first)
        fresh()
        low.end(Branch(plain("t and", load(at(0), self.stopping, 4, "t"), kind), stop, on))
        low.begin(stop)
        assert low.f.where is not None
        low.emit(
            do(
                low.f.where.write(num(len(low.f.points))),
                points.site.write(num(site)),
                points.owner.write(owner),
                points.options.write(options),
                store(at(0), at(1), self.stopped, 4),
            )
        )
        for word in range(0, len(labels), 64):
            some = list(labels.values())[word : word + 64]
            bits = [plain("shl", number(is_open), num(place)) for place, is_open in enumerate(some)]
            self.open.need(word // 8 + 8)
            low.emit(store(at(0), reduce(partial(plain, "or"), bits), Offset(self.open, word // 8)))
        low.end(Return(at(0) if low.f.result else NOTHING))
        low.begin(on)

    def calling(self, make: Op, function: Function) -> None:
        """Call an action in which something is asked, and come back here if play stops there."""
        low = self.low
        self.enter()
        self.calls.append((low.f, function, self._scope()))
        where = low.f.where
        assert where is not None
        low.emit(do(where.write(num(len(low.f.points))), make))
        stop, then = Block("stop"), Block("done")
        low.end(Branch(load(at(0), self.stopped, 4, "t"), stop, then))
        low.begin(stop)
        low.end(Return(at(0) if low.f.result else NOTHING))
        low.begin(then)
        if function.where is not None:
            low.emit(function.where.write(num(0)))

    def stop_at(self, stops: Op, resuming: bool) -> Op:
        """The play that is called next stops at these; `resuming`: it goes on from the state."""
        return do(
            store(at(0), stops, self.stopping),
            store(at(0), at(int(resuming)), self.resuming, 4),
            store(at(0), at(0), self.stopped, 4),
        )

    def go_on(self, stops: Op) -> Op:
        """The play that is called next goes on with the answer in the script, and stops at these."""
        low = self.low
        return do(
            self.stop_at(stops, True),
            self.read_from_start(),
            low.write("left", num(low.limits.steps)),
            low.write("idle", num(low.limits.steps)),
        )

    # ---- the script ------------------------------------------------------------------------------------

    def digit(self, radix: Op) -> Op:
        """The next digit."""
        return call(self._digit(), radix)

    def evenly(self, total: Op) -> Op:
        """What the script says is one of so many that are equally likely."""
        return do(store(at(0), num(1), self.weight), store(at(0), total, self.total))

    def _digit(self) -> Function:
        low = self.low
        if "digit" in self._functions:
            return self._functions["digit"]
        f = self._functions["digit"] = low.flow.function("digit", ("n",), "n")
        with low.inside(f):
            place = f.local("t")
            cell = mul(place.get, at(8))
            long = low.fault("an event of chance has too many parts", NOWHERE)
            fresh = do(
                when(plain("t >=", place.get, at(MOST_DIGITS)), long),
                store(cell, num(0), self.digits),
                store(cell, f.parameter(0).get, self.radixes),
                store(at(0), add(place.get, at(1)), self.length, 4),
            )
            return f.fill(
                place.set(load(at(0), self.place, 4, "t")),
                store(at(0), add(place.get, at(1)), self.place, 4),
                when(plain("t is", place.get, load(at(0), self.length, 4, "t")), fresh),
                load(cell, self.digits),
            )

    def advance(self) -> Function:
        """The function that counts the script up; gives whether there was a next one."""
        low = self.low
        f = low.flow.function("advance", (), "t")
        with low.inside(f):
            place, again, out = f.local("t"), Label(), Label()
            cell = mul(place.get, at(8))
            more = compare("<", add(load(cell, self.digits), num(1)), load(cell, self.radixes))
            counted = do(
                store(cell, add(load(cell, self.digits), num(1)), self.digits),
                store(at(0), add(place.get, at(1)), self.length, 4),
                Op("return", (at(1),)),
            )
            return f.fill(
                place.set(load(at(0), self.length, 4, "t")),
                block(
                    out,
                    loop(
                        again,
                        jump_if(out, plain("t is", place.get, at(0))),
                        place.set(sub(place.get, at(1))),
                        when(more, counted),
                        jump(again),
                    ),
                ),
                at(0),
            )

    def read_from_start(self) -> Op:
        """The script is read from its first digit."""
        return do(
            store(at(0), at(0), self.place, 4),
            store(at(0), num(1), self.weight),
            store(at(0), num(1), self.total),
        )

    # ---- how likely ------------------------------------------------------------------------------------

    def weigh(self, factor: Op, divisor: Op | None = None) -> Op:
        """What comes is so many times as likely."""
        return self._scaled(self.weight, factor, divisor)

    def among(self, ways: Op) -> Op:
        """One of so many more."""
        return self._scaled(self.total, ways)

    def _scaled(self, region: Region, factor: Op, divisor: Op | None = None) -> Op:
        value = call(self._times(), load(at(0), region), factor)
        return store(at(0), value if divisor is None else plain("div", value, divisor), region)

    def _times(self) -> Function:
        """The function that multiplies numbers from 0 up; 0 stands for what is too much."""
        low = self.low
        if "times" in self._functions:
            return self._functions["times"]
        f = self._functions["times"] = low.flow.function("times", ("n", "n"), "n")
        with low.inside(f):
            one, other = f.parameter(0).get, f.parameter(1).get
            nothing = Op("return", (num(0),))
            return f.fill(
                when(compare("is", one, num(0)), nothing),
                when(compare(">", other, plain("div", num(MOST_WEIGHT), one)), nothing),
                mul(one, other),
            )

    def ways(self, of: Op, taken: Op) -> Op:
        """In how many ways so many of some items can be taken."""
        return call(self._ways(), of, taken)

    def _ways(self) -> Function:
        low = self.low
        if "ways" in self._functions:
            return self._functions["ways"]
        f = self._functions["ways"] = low.flow.function("ways", ("n", "n"), "n")
        with low.inside(f):
            of, taken, place, found = f.parameter(0).get, f.parameter(1).get, f.local(), f.local()
            again, out = Label(), Label()
            return f.fill(
                found.set(num(1)),
                place.set(num(0)),
                block(
                    out,
                    loop(
                        again,
                        jump_if(out, compare(">=", place.get, taken)),
                        found.set(call(self._times(), found.get, sub(of, place.get))),
                        place.set(add(place.get, num(1))),
                        found.set(plain("div", found.get, place.get)),
                        jump(again),
                    ),
                ),
                found.get,
            )


# ---- going back to a point -------------------------------------------------------------------------------


def lead_back(function: Function, resuming: Op) -> None:
    """Lead play that goes on to the function's points: from its beginning, and from the head of every loop around."""
    if function.where is None:
        return
    where = function.where.read()
    blocks = function.blocks
    for place, each in enumerate(blocks):
        each.number = place
    places = [point.number for point in function.points]
    loops = _loops(blocks)
    heads = {first for first, _ in loops}
    beginnings = [Block("begin"), *[blocks[first] for first in sorted(heads)]]
    stretches = [(-1, len(blocks)), *sorted(loops)]
    inner: dict[int, Block] = {}
    for first in heads:
        # The head stays the head, for those that jump to it; what it did comes behind.
        head = blocks[first]
        inner[first] = Block(f"{head.name} itself", -1, head.code, head.end, head.leaps)
        head.code, head.leaps = [], []
    ways: dict[Block, Block] = {}
    for beginning, (first, last) in zip(beginnings, stretches, strict=True):
        targets = [_toward(place, first, last, loops, blocks, inner) for place in places]
        itself = inner[first] if first >= 0 else blocks[0]
        ways[beginning] = Block("lead back", end=Switch(address(where), [itself, *targets], itself))
        beginning.end = Branch(resuming, ways[beginning], itself)
    made = [beginnings[0], ways[beginnings[0]]]
    for place, each in enumerate(blocks):
        made += [each, ways[each], inner[place]] if place in inner else [each]
    for place, each in enumerate(made):
        each.number = place
    function.blocks = made


def _loops(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """The first and the last block of each loop; those that overlap lie one inside the other."""
    ends: dict[int, int] = {}
    for block_ in blocks:
        for target in block_.targets():
            if target.number <= block_.number:
                ends[target.number] = max(ends.get(target.number, 0), block_.number)
    for first in sorted(ends, reverse=True):
        while (last := max(end for head, end in ends.items() if first <= head <= ends[first])) > ends[first]:
            ends[first] = last
    return sorted(ends.items())


def _toward(
    place: int,
    first: int,
    last: int,
    loops: Sequence[tuple[int, int]],
    blocks: Sequence[Block],
    inner: dict[int, Block],
) -> Block:
    """Where play goes from a loop's head towards a block: to the head of the next loop around it, or to itself."""
    if not first <= place <= last:
        return inner[first]
    around = [head for head, end in loops if first < head <= place <= end]
    if around:
        return blocks[min(around)]
    return inner[place] if place in inner else blocks[place]
