"""One key for all positions that play on alike, made by machine code: the same as the reference's, in other words.

The key of a position is a row of 64-bit words: where play stands, what may still be read of variables and of the
program's own slots, and for each item where it lies, what it shows, and what holds on to it. Items that may change
places stand in order. Small values share a word.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from ...dsl import rules
from ...dsl.tree import walk
from ..layout import BOX, KindOfItem, holds_items, kinds_of
from ..liveness import Live, Liveness
from ..order import in_order
from ..sight import blind
from . import items, sight
from .code import (
    NONE,
    NOTHING,
    Label,
    Op,
    Region,
    add,
    address,
    at,
    block,
    call,
    choose,
    compare,
    do,
    either,
    jump,
    jump_if,
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
from .flow import Function, Local
from .interrupts import OVER, Request
from .listings import Offset
from .memory import HEAD
from .moments import scores_room
from .sight import MOST, Digit

if TYPE_CHECKING:
    from .lowering import Lowering

END = -1
"""In place of the request's number: the game is over."""


def keying(low: "Lowering", liveness: Liveness, told: Sequence[Op] = ()) -> tuple[Function, Region]:
    """The function that writes the key of where the game stands, and gives its length in bytes; and where it does.

    `told` tells ends of the game apart, beside scores and winners.
    """
    made = _Keying(low, liveness, told)
    return made.function(), made.room


@attrs.frozen
class _Parts:
    """What a key is made of; equal for requests whose keys are made alike."""

    variables: tuple[str, ...]
    slots: tuple[int, ...]
    fields: frozenset[tuple[str, str, str]]
    """Kinds with their fields and the zones in which these count."""
    forgotten: rules.Expr | None
    """What is about to be thrown, and need show nothing."""


@attrs.define(eq=False)
class _Writer:
    """Writes words at a place that moves on."""

    low: "Lowering"
    room: Region
    place: Local
    bytes: int = 0
    """How long a key can be."""
    waiting: list[Digit] = attrs.Factory(list)
    code: list[Op] = attrs.Factory(list)

    def digits(self, digits: Sequence[Digit]) -> None:
        """More digits, which share words."""
        self.waiting += digits

    def flush(self) -> None:
        """What waits is written."""
        for digit in sight.packed(self.waiting) if self.waiting else []:
            if digit.size > 1:
                self.word(digit.value)
        self.waiting = []

    def whole(self) -> list[Op]:
        """All that is written, from the beginning; gives how long it is."""
        self.flush()
        self.room.need(self.bytes)
        return [self.place.set(at(0)), *self.code, self.place.get]

    def word(self, value: Op) -> None:
        """A word is written."""
        self.code.append(self.put(value))

    def put(self, value: Op) -> Op:
        """Write a word, and move on."""
        self.bytes += 8
        return do(store(self.place.get, value, self.room), self.place.set(add(self.place.get, at(8))))


class _Keying:
    """Makes the function."""

    def __init__(self, low: "Lowering", liveness: Liveness, told: Sequence[Op]) -> None:
        self.told = told
        assert low.interrupts is not None
        self.low = low
        self.layout = low.layout
        self.memory = low.memory
        self.script = low.interrupts
        self.liveness = liveness
        self.ordered = in_order(low.layout, liveness)
        self.families = [
            family for family in low.layout.families if low.layout.kind_of[family[0]].rule.name not in self.ordered
        ]
        alike = {item for family in self.families for item in family}
        self.singles = [item for item in range(len(low.layout.kind_of)) if item not in alike]
        self.room = low.memory.room("key", 0)
        self.made: dict[_Parts, Function] = {}

    def function(self) -> Function:
        """The function for all requests, and for the end."""
        low, points = self.low, self.script.points
        requests = [self._of(request) for request in self.script.requests]
        f = low.flow.function("key", (), "t")
        with low.inside(f):
            site = points.site.read()
            made: Op = at(0)
            for parts in {id(each): each for each in requests}.values():
                mine = [number_ for number_, each in enumerate(requests) if each is parts]
                here = either(*[compare("is", site, num(number_)) for number_ in mine])
                made = Op("if", (here, call(parts), made), None, "t")
            over = compare("is", points.owner.read(), num(OVER))
            f.fill(Op("if", (over, call(self._end()), made), None, "t"))
        return f

    def _end(self) -> Function:
        """The key of the end: scores and winners."""
        low, players = self.low, self.layout.players
        f = low.flow.function("key of the end", (), "t")
        with low.inside(f):
            writer = self._writer(f)
            writer.word(num(END))
            if low.game.score is not None:
                for seat in range(players):
                    writer.word(load(at(0), Offset(scores_room(low), 8 * seat)))
            for value in self.told:
                writer.word(value)
            winners = low.shared_room("winners", 8 * players)
            writer.digits([Digit(load(at(0), Offset(winners, 8 * seat)), 2) for seat in range(players)])
            writer.flush()
            f.fill(*writer.whole())
        return f

    def _writer(self, f: Function) -> _Writer:
        return _Writer(self.low, self.room, f.local("t"))

    # ---- what counts ---------------------------------------------------------------------------------------

    def _of(self, request: Request) -> Function:
        """The function for a request; the same one for requests of which the same counts."""
        parts = self._parts(request)
        if parts not in self.made:
            self.made[parts] = self._made(parts)
        return self.made[parts]

    def _parts(self, request: Request) -> _Parts:
        layout = self.layout
        live = self.liveness.at.get(request.span)
        lives: Callable[[tuple[str | int, ...]], bool] = lambda mark: live is None or mark in live  # noqa: E731
        variables = [
            name
            for name, each in layout.variables.items()
            if lives(("var", name)) or self._orders(layout.types[each.base])
        ]
        thrown = request.thrown if request.thrown is not None and self._forgets and blind(request.thrown) else None
        return _Parts(tuple(variables), self._slots(request, live), self._fields(live), thrown)

    def _orders(self, type_: rules.Type) -> bool:
        """Whether a slot of this type holds on to items whose order matters."""
        return not self.ordered.isdisjoint(kinds_of(type_))

    @cached_property
    def _forgets(self) -> bool:
        """Whether it can be forgotten what things show that are about to be thrown."""
        kinds = self.layout.kinds.values()
        faces = {(kind.rule.name, kind.rule.faces.name) for kind in kinds if kind.rule.faces is not None}
        return not any(mark[0] == "field" and mark[1:3] in faces for mark in self.liveness.tracked)

    def _slots(self, request: Request, live: Live | None) -> tuple[int, ...]:
        """The program's own slots that count."""
        low, players = self.low, self.layout.players
        dead: set[int] = set()
        if live is not None:
            for number_, slot in low.slots.items():
                if ("local", number_) not in live and number_ not in self._control:
                    dead.add(slot)
            for number_, first in low.together.items():
                if ("local", number_) not in live:
                    dead |= set(range(first, first + players))
        dead = {slot for slot in dead if not self._orders(self.layout.types[slot])}
        return tuple(sorted(self._scope(request) - dead))

    @cached_property
    def _control(self) -> set[int]:
        """The numbers of locals that the program itself needs."""
        found: set[int] = set()
        for root in self.liveness.roots:
            for node, _ in walk(root):
                if isinstance(node, rules.EachPlayer):
                    found.add(node.me.number)
                elif isinstance(node, rules.ChooseTogether):
                    found.add(node.each.number)
        return found

    def _scope(self, request: Request) -> frozenset[int]:
        """The slots that may hold something, also of those that called the action."""
        scope, waiting, seen = request.scope, [request.function], set[Function]()
        while waiting:
            function = waiting.pop()
            if function not in seen:
                seen.add(function)
                for caller, called, more in self.script.calls:
                    if called is function:
                        scope |= more
                        waiting.append(caller)
        return scope

    def _fields(self, live: Live | None) -> frozenset[tuple[str, str, str]]:
        found: set[tuple[str, str, str]] = set()
        for kind in self.layout.kinds.values():
            names = [field.name for field in kind.rule.changing]
            if kind.rule.faces is not None:
                names.append(kind.rule.faces.name)
            for name in names:
                for zone in self._zones(kind.rule):
                    counts = kind.rule.name in self.ordered and not kind.rule.sheet
                    if live is None or counts or ("field", kind.rule.name, name, zone) in live:
                        found.add((kind.rule.name, name, zone))
        return frozenset(found)

    def _zones(self, kind: rules.Kind) -> set[str]:
        if kind.sheet:
            return {kind.name}
        zones = self.layout.zone_at.values()
        return {rule.name for rule, _, _ in zones if kind.name in rule.kinds or rule.name == BOX}

    # ---- the function --------------------------------------------------------------------------------------

    def _made(self, parts: _Parts) -> Function:
        low, memory = self.low, self.memory
        f = low.flow.function("key of positions", (), "t")
        with low.inside(f):
            writer = self._writer(f)
            forget = self._forget(parts.forgotten)
            writer.word(self.script.points.site.read())
            functions = {request.function for request in self.script.requests}
            functions |= {caller for caller, _, _ in self.script.calls}
            wheres = [function.where for function in low.flow.functions if function in functions]
            writer.digits([Digit(where.read(), 2**31) for where in wheres if where is not None])
            for word in range(-(-self.layout.players // 64)):
                writer.flush()
                writer.word(load(at(0), memory.players_in + 8 * word))
            holding: list[int] = []
            for name in parts.variables:
                self._variable(writer, name, holding)
            for slot in parts.slots:
                self._slot(writer, slot, holding)
            writer.flush()
            for family in self.families:
                self._family(writer, family, parts, holding)
            for item in self.singles:
                writer.digits(self._item(num(item), self.layout.kind_of[item], parts, holding))
            writer.flush()
            f.fill(forget, *writer.whole())
        return f

    def _forget(self, thrown: rules.Expr | None) -> Op:
        """What is about to be thrown shows its first face."""
        if thrown is None:
            return NOTHING
        low, kinds = self.low, items.of_kinds(self.low, thrown.type)
        first, end = kinds[0].first, kinds[-1].end
        faces = [(*self.layout.faces[item], 0)[0] for item in range(first, end)]
        face: Callable[[Op], Op] = lambda item: low.table("first face", faces).read(  # noqa: E731
            sub(item, num(first))
        )
        return low.items(thrown).each(lambda item: items.write_face(low, kinds, item, face(item)))

    def _variable(self, writer: _Writer, name: str, holding: list[int]) -> None:
        layout, memory = self.layout, self.memory
        each = layout.variables[name]
        for slot in each.slots:
            type_ = layout.types[slot]
            if holds_items(type_):
                self._holds(writer, slot, holding)
            else:
                low, high = memory.ends(type_, layout.ranges.get(name))
                writer.digits([_digit(memory.cells[slot].read(), low, high)])

    def _slot(self, writer: _Writer, slot: int, holding: list[int]) -> None:
        """One of the program's own slots."""
        layout, memory = self.layout, self.memory
        type_ = layout.types[slot]
        if holds_items(type_):
            self._holds(writer, slot, holding)
        elif slot in memory.lists:
            writer.flush()
            self._list(writer, memory.lists[slot])
        elif isinstance(type_, rules.Many):
            writer.flush()
            writer.word(memory.cells[slot].read())
        else:
            low, high = memory.ends(type_, None)
            writer.digits([_digit(memory.cells[slot].read(), low, high)])

    def _list(self, writer: _Writer, region: Region) -> None:
        """A list with its length; below zero where it is not bound."""
        low = self.low
        count, index, again = low.f.local("t"), low.f.local("t"), Label()
        out = Label()
        writer.bytes += region.size
        writer.code.append(
            do(
                count.set(load(at(0), region, 4, "t")),
                writer.put(number(count.get)),
                index.set(at(0)),
                block(
                    out,
                    loop(
                        again,
                        jump_if(out, plain("t >=", index.get, count.get)),
                        writer.put(load(mul(index.get, at(8)), Offset(region, HEAD))),
                        index.set(add(index.get, at(1))),
                        jump(again),
                    ),
                ),
            )
        )

    def _holds(self, writer: _Writer, slot: int, holding: list[int]) -> None:
        """A slot that holds on to items: here stands whether it holds any at all."""
        holding.append(slot)
        writer.digits([Digit(number(self.low.is_bound(slot)), 2)])

    # ---- items ---------------------------------------------------------------------------------------------

    def _item(self, item: Op, kind: KindOfItem, parts: _Parts, holding: Sequence[int]) -> list[Digit]:
        """All that counts of an item."""
        low, layout, memory = self.low, self.layout, self.memory
        digits: list[Digit] = []
        zone: Op = num(0)
        if kind.first < layout.movable:
            zone = items.lies_in(low, item)
            digits.append(Digit(zone, len(memory.zone_numbers)))
        fields = [(field.name, field.domain.type) for field in kind.rule.changing]
        if kind.rule.faces is not None:
            fields.insert(0, (kind.rule.faces.name, kind.rule.faces.type))
        for name, type_ in fields:
            zones = {zone_ for kind_, field, zone_ in parts.fields if (kind_, field) == (kind.rule.name, name)}
            if not zones:
                continue
            digit = sight.digit_of(
                low, items.field(low, [kind], name, item), type_, *sight.ends_of(low, kind, name, type_)
            )
            if not kind.rule.sheet and zones != self._zones(kind.rule):
                there = [int(layout.zone_at[slot][0].name in zones) for slot in memory.zone_numbers]
                counts = address(low.table("where it counts", there).read(zone))
                digit = Digit(choose(counts, do(digit.value), num(0)), digit.size)
            digits.append(digit)
        digits += [self._held(slot, item) for slot in holding if kind.rule.name in kinds_of(layout.types[slot])]
        if memory.stacks and kind.first < layout.movable and sight.may_be_stacked(low, kind):
            digits.append(Digit(add(call(sight.placing(low), item), num(1)), 1 + layout.movable))
        return digits

    def _held(self, slot: int, item: Op) -> Digit:
        """How a slot holds on to an item."""
        low, memory = self.low, self.memory
        if slot in memory.lists:
            region = memory.lists[slot]
            most = low.most(rules.Item(kinds_of(self.layout.types[slot])))
            return Digit(call(self._place_in(), item, at(region)), most + 1)
        value = memory.cells[slot].read()
        if isinstance(self.layout.types[slot], rules.Many):
            bound = compare("is not", value, num(NONE))
            bit = plain("and", plain("shr", value, item), num(1))
            return Digit(choose(bound, do(bit), num(0)), 2)
        return Digit(number(compare("is", value, item)), 2)

    def _place_in(self) -> Function:
        """The function that finds an item in a list: its place from 1 on, or 0."""
        low = self.low
        if "place in list" in low.made:
            return low.made["place in list"]
        f = low.made["place in list"] = low.flow.function("place_in", ("n", "t"), "n")
        item, where = f.parameter(0).get, f.parameter(1)
        index, count, again, out = f.local(), f.local(), Label(), Label()
        found = compare("is", load(add(where.get, mul(address(index.get), at(8))), HEAD - 8), item)
        return f.fill(
            count.set(number(load(where.get, 0, 4, "t"))),
            when(compare(">", count.get, num(len(self.layout.kind_of))), count.set(num(0))),
            index.set(num(0)),
            block(
                out,
                loop(
                    again,
                    index.set(add(index.get, num(1))),
                    jump_if(out, compare(">", index.get, count.get)),
                    when(found, Op("return", (index.get,))),
                    jump(again),
                ),
            ),
            num(0),
        )

    def _family(self, writer: _Writer, family: Sequence[int], parts: _Parts, holding: Sequence[int]) -> None:
        """Rows of words, one for each item that may change places with the others, in order."""
        low, kind = self.low, self.layout.kind_of[family[0]]
        item, again = low.f.local(), Label()
        one = _Writer(low, self.room, writer.place)
        one.digits(self._item(item.get, kind, parts, holding))
        one.flush()
        if not one.code:
            return
        start = low.f.local("t")
        following: Op = add(item.get, num(1))
        if list(family) != list(range(family[0], family[0] + len(family))):
            after = {a: b for a, b in zip(family, family[1:], strict=False)}
            numbers = [after.get(each, 0) for each in range(len(self.layout.kind_of))]
            following = low.table("next alike", numbers).read(item.get)
        last = num(family[-1])
        rows = do(
            start.set(writer.place.get),
            item.set(num(family[0])),
            block(
                out := Label(),
                loop(
                    again,
                    *one.code,
                    jump_if(out, compare("is", item.get, last)),
                    item.set(following),
                    jump(again),
                ),
            ),
        )
        writer.bytes += len(family) * one.bytes
        sorted_ = call(self._sort(), start.get, at(len(family)), at(8 * len(one.code)))
        writer.code.append(do(rows, sorted_))

    def _sort(self) -> Function:
        """The function that puts rows in order: where they begin, how many they are, and the bytes of a row."""
        low = self.low
        if "sort rows" in low.made:
            return low.made["sort rows"]
        f = low.made["sort rows"] = low.flow.function("sort_rows", ("t", "t", "t"))
        start, count, width = (f.parameter(place).get for place in range(3))
        end, row, here, cell = f.local("t"), f.local("t"), f.local("t"), f.local("t")
        mine, other = f.local(), f.local()
        rows, sink, words, swap, out, placed = Label(), Label(), Label(), Label(), Label(), Label()
        before = sub(here.get, width)
        read: Callable[[Op], Op] = lambda place: load(add(place, cell.get), self.room)  # noqa: E731
        write: Callable[[Op, Op], Op] = lambda place, value: store(add(place, cell.get), value, self.room)  # noqa: E731
        less = Label()
        compared = loop(
            words,
            mine.set(read(here.get)),
            other.set(read(before)),
            jump_if(less, compare("<", mine.get, other.get)),
            jump_if(placed, compare(">", mine.get, other.get)),
            cell.set(add(cell.get, at(8))),
            jump_if(words, plain("t <", cell.get, width)),
            jump(placed),
        )
        exchanged = loop(
            swap,
            mine.set(read(here.get)),
            write(here.get, read(before)),
            write(before, mine.get),
            cell.set(add(cell.get, at(8))),
            jump_if(swap, plain("t <", cell.get, width)),
        )
        return f.fill(
            end.set(add(start, mul(count, width))),
            row.set(add(start, width)),
            block(
                out,
                loop(
                    rows,
                    jump_if(out, plain("t >=", row.get, end.get)),
                    here.set(row.get),
                    block(
                        placed,
                        loop(
                            sink,
                            jump_if(placed, plain("t is", here.get, start)),
                            cell.set(at(0)),
                            block(less, compared),
                            cell.set(at(0)),
                            exchanged,
                            here.set(sub(here.get, width)),
                            jump(sink),
                        ),
                    ),
                    row.set(add(row.get, width)),
                    jump(rows),
                ),
            ),
        )


def _digit(value: Op, low: int, high: int) -> Digit:
    """A value between two ends, or none."""
    size = high - low + 1
    if size >= MOST:
        return Digit(value, MOST + 1)
    return Digit(Op("select", (num(0), sub(value, num(low - 1)), compare("is", value, num(NONE))), None, "n"), size + 1)
