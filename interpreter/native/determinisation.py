"""What a player cannot see is shuffled, before a search plays on: positions that look to him as the real one does.

Items whose fixed fields he does not see change places: who takes the place of another also takes over what that one
shows, its changing fields, and what rules hold on to. Dice he does not see, which nothing but their faces tells apart,
are thrown anew.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...dsl import rules
from ..layout import BOX, KindOfItem
from . import items, sight
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
from .flow import Function, Local
from .happenings import below, fall
from .memory import HEAD, UNKNOWN

if TYPE_CHECKING:
    from .lowering import Lowering


class Determinisation:
    """Shuffles what a seat cannot see in the state as it is."""

    def __init__(self, low: "Lowering") -> None:
        self.low = low
        room = low.memory.room
        items_ = len(low.layout.kind_of)
        self.pool = room("hidden items", 8 * items_)
        self.hidden = room("hidden fields", 8 * items_)
        """For each item its fixed fields that are not seen, as bits."""

    def shuffle(self, seat: Op) -> Op:
        """Shuffle what this seat cannot see."""
        low = self.low
        code = [self._kind(kind, seat) for kind in low.layout.kinds.values()]
        if any(each is not NOTHING for each in code):
            code += [call(self._in_order(), at(stack)) for stack in low.memory.stacks.values()]
        return do(*code)

    def _kind(self, kind: KindOfItem, seat: Op) -> Op:
        low = self.low
        about = sight.Among((kind,), False, seat)
        closed = [zone for zone in low.game.zones if zone.visibility != "open" and kind.rule.name in zone.kinds]
        # Where nothing is closed but the box, items in there could only change places with each other.
        if kind.rule.sheet or kind.end == kind.first or not (kind.rule.hides or any(z.name != BOX for z in closed)):
            return NOTHING
        if low.layout.twins[kind.first : kind.end] == [kind.first] * (kind.end - kind.first):
            return self._throw(kind, about)
        return self._exchange(kind, about)

    def _each(self, kind: KindOfItem, body: Callable[[Op], Op]) -> Op:
        item, again = self.low.f.local(), Label()
        return do(
            item.set(num(kind.first)),
            loop(
                again,
                body(item.get),
                item.set(add(item.get, num(1))),
                jump_if(again, compare("<", item.get, num(kind.end))),
            ),
        )

    def _throw(self, kind: KindOfItem, about: sight.Among) -> Op:
        """Dice that are not seen show any face."""
        low = self.low
        if kind.rule.faces is None:
            return NOTHING
        shown = low.f.local()
        face = next(field for field in low.looks[kind.rule.name].fields if field.name == kind.rule.faces.name)

        def one(item: Op) -> Op:
            seen = both(sight.into(low, about, item), do(sight.shows(low, about, kind, face, item)))
            thrown = do(shown.set(fall(low, [kind], item)), items.write_face(low, [kind], item, shown.get))
            return when(no(seen), thrown)

        return self._each(kind, one)

    def _exchange(self, kind: KindOfItem, about: sight.Among) -> Op:
        """Items of which something is not seen change places with others that look the same there."""
        low = self.low
        fields = [f for f in low.looks[kind.rule.name].fields if any(f.name == each.name for each in kind.rule.fields)]
        count, left, chosen, found, other = (low.f.local() for _ in range(5))
        again, look = Label(), Label()
        cell: Callable[[Op], Op] = lambda index: mul(address(index), at(8))  # noqa: E731
        hidden: Callable[[Op], Op] = lambda item: load(cell(item), self.hidden)  # noqa: E731
        pooled: Callable[[Op], Op] = lambda index: load(cell(index), self.pool)  # noqa: E731
        whole = num((1 << len(fields)) - 1)

        def gather(item: Op) -> Op:
            seen = [sight.shows(low, about, kind, field, item) for field in fields]
            bits: Op = num(0)
            for place, shown in enumerate(seen):
                bits = plain("or", bits, plain("shl", number(no(shown)), num(place))) if known(shown) != 1 else bits
            mine = choose(sight.into(low, about, item), do(bits), whole)
            keep = do(store(cell(count.get), item, self.pool), count.set(add(count.get, num(1))))
            return do(store(cell(item), mine, self.hidden), when(compare("is not", hidden(item), num(0)), keep))

        def fits(one: Op, other: Op) -> Op:
            tests = []
            for place, field in enumerate(fields):
                values = [items.field(low, [kind], field.name, each) for each in (one, other)]
                unseen = plain("and", plain("and", hidden(one), hidden(other)), num(1 << place))
                tests.append(either(compare("is", *values), compare("is not", unseen, num(0))))
            return both(*tests)

        last = sub(left.get, num(1))
        if low.looks[kind.rule.name].plain:
            pick = other.set(below(low, left.get))
        else:
            # Evenly among those that fit: each one takes over from those before with an even chance.
            index = chosen
            better = do(
                found.set(add(found.get, num(1))),
                when(compare("is", below(low, found.get), num(0)), other.set(index.get)),
            )
            pick = do(
                found.set(num(0)),
                index.set(num(0)),
                loop(
                    look,
                    when(fits(pooled(last), pooled(index.get)), better),
                    index.set(add(index.get, num(1))),
                    jump_if(look, compare("<", index.get, left.get)),
                ),
            )
        one, two, kept = low.f.local(), low.f.local(), low.f.local()
        swapped = do(
            call(self._swap(), one.get, two.get),
            kept.set(hidden(one.get)),
            store(cell(one.get), hidden(two.get), self.hidden),
            store(cell(two.get), kept.get, self.hidden),
            store(cell(last), two.get, self.pool),
            store(cell(other.get), one.get, self.pool),
        )
        return do(
            count.set(num(0)),
            self._each(kind, gather),
            left.set(count.get),
            when(
                compare(">", left.get, num(1)),
                loop(
                    again,
                    pick,
                    one.set(pooled(last)),
                    two.set(pooled(other.get)),
                    when(compare("is not", one.get, two.get), swapped),
                    left.set(sub(left.get, num(1))),
                    jump_if(again, compare(">", left.get, num(1))),
                ),
            ),
        )

    # ---- two items change places -----------------------------------------------------------------------

    def _swap(self) -> Function:
        """The function that lets two items of a kind change places."""
        low, memory = self.low, self.low.memory
        if "swap" in low.made:
            return low.made["swap"]
        f = low.made["swap"] = low.flow.function("swap", ("n", "n"))
        with low.inside(f):
            one, other = f.parameter(0).get, f.parameter(1).get
            mine, theirs = f.local(), f.local()
            moved = do(
                self._toggle(mine.get, one, other),
                self._toggle(theirs.get, one, other),
                items.placed(low, one, theirs.get),
                items.placed(low, other, mine.get),
            )
            code = [mine.set(items.lies_in(low, one)), theirs.set(items.lies_in(low, other))]
            if memory.stacks:
                both_ = [items.any_stack(low, address(zone.get)) for zone in (mine, theirs)]
                stacks = [call(self._rename(), stack, one, other) for stack in both_]
                code += [stacks[0], when(compare("is not", mine.get, theirs.get), stacks[1])]
            code.append(when(compare("is not", mine.get, theirs.get), moved))
            code += [self._fields(kind, one, other) for kind in low.layout.kinds.values() if not kind.rule.sheet]
            code += [self._held(slot, one, other) for slot in low.marks()]
            return f.fill(*code)

    def _toggle(self, zone: Op, one: Op, other: Op) -> Op:
        """Of two items one is in the zone: now it is the other."""
        low, words = self.low, self.low.memory.words
        code = []
        for item in (one, other):
            place = add(mul(address(zone), at(8 * words)), mul(address(plain("shr", item, num(6))), at(8)))
            bit = plain("shl", num(1), item)
            code.append(store(place, plain("xor", load(place, low.memory.zone_bits), bit), low.memory.zone_bits))
        return do(*code)

    def _fields(self, kind: KindOfItem, one: Op, other: Op) -> Op:
        """Two items of this kind take over what the other one shows, and its changing fields."""
        low = self.low
        ours, theirs = low.f.local(), low.f.local()
        code = []
        for (name, field), _ in low.memory.fields.items():
            if name == kind.rule.name:
                read: Callable[[Op], Op] = lambda item, field=field: items.field(low, [kind], field, item)  # type: ignore[misc]  # noqa: E731
                code += [
                    ours.set(read(one)),
                    theirs.set(read(other)),
                    items.write_field(low, [kind], field, one, theirs.get),
                    items.write_field(low, [kind], field, other, ours.get),
                ]
        mine = both(compare(">=", one, num(kind.first)), compare("<", one, num(kind.end)))
        return when(mine, do(*code))

    def _held(self, slot: int, one: Op, other: Op) -> Op:
        """What rules hold on to follows the place."""
        low, memory = self.low, self.low.memory
        if not isinstance(low.layout.types[slot], rules.Many):
            value = low.read_slot(slot)
            return when(
                compare("is", value, one),
                low.write_slot(slot, other),
                when(compare("is", value, other), low.write_slot(slot, one)),
            )
        if slot not in memory.cells:
            return call(self._rename(), at(memory.lists[slot]), one, other)
        word = low.read_slot(slot)
        bits = [plain("and", plain("shr", word, item), num(1)) for item in (one, other)]
        turned = plain("xor", word, plain("xor", plain("shl", num(1), one), plain("shl", num(1), other)))
        return when(compare("is not", *bits), low.write_slot(slot, turned))

    def _rename(self) -> Function:
        """The function that puts one item for another in a list, and that one for the first; at 0 there is none."""
        low = self.low
        if "rename" in low.made:
            return low.made["rename"]
        f = low.made["rename"] = low.flow.function("rename", ("t", "n", "n"))
        with low.inside(f):
            here, one, other = f.parameter(0), f.parameter(1).get, f.parameter(2).get
            left, there, again = f.local("t"), f.local(), Label()
            item = plain("and", there.get, num(UNKNOWN - 1))
            mine = either(compare("is", item, one), compare("is", item, other))
            step = do(
                there.set(load(here.get, HEAD)),
                when(mine, store(here.get, plain("xor", there.get, plain("xor", one, other)), HEAD)),
                here.set(add(here.get, at(8))),
                left.set(sub(left.get, at(1))),
                jump_if(again, left.get),
            )
            return f.fill(
                when(
                    here.get,
                    do(
                        left.set(load(here.get, 0, 4, "t")),
                        when(plain("t <", at(0), left.get), loop(again, step)),
                    ),
                ),
            )

    def _in_order(self) -> Function:
        """The function that puts the items in order that lie in unknown places of a stacked zone."""
        low = self.low
        if "unknown in order" in low.made:
            return low.made["unknown in order"]
        f = low.made["unknown in order"] = low.flow.function("unknown_in_order", ("t",))
        with low.inside(f):
            stack, there, kept = f.parameter(0).get, f.local(), f.local()
            end, place, other = (f.local("t") for _ in range(3))
            outer, inner = Label(), Label()
            entry: Callable[[Local], Op] = lambda index: add(stack, mul(index.get, at(8)))  # noqa: E731
            less = both(compare(">=", there.get, num(UNKNOWN)), compare("<", there.get, kept.get))
            exchange = do(
                store(entry(other), kept.get, HEAD), store(entry(place), there.get, HEAD), kept.set(there.get)
            )
            later = do(
                there.set(load(entry(other), HEAD)),
                when(less, exchange),
                other.set(add(other.get, at(1))),
                jump_if(inner, plain("t <", other.get, end.get)),
            )
            sink = do(
                kept.set(load(entry(place), HEAD)),
                other.set(add(place.get, at(1))),
                when(both(compare(">=", kept.get, num(UNKNOWN)), plain("t <", other.get, end.get)), loop(inner, later)),
                place.set(add(place.get, at(1))),
                jump_if(outer, plain("t <", place.get, end.get)),
            )
            return f.fill(
                end.set(load(stack, 0, 4, "t")),
                place.set(at(0)),
                when(plain("t <", at(0), end.get), loop(outer, sink)),
            )
