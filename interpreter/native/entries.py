"""Numbers under a key, in a table in memory, and the mixing of numbers into keys."""

from typing import TYPE_CHECKING

from ...dsl import rules
from ..layout import holds_items
from . import sight
from .code import Label, Op, add, address, at, both, call, compare, do, jump_if, load, loop, mul, num, plain, store
from .happenings import GAMMA, mixing, signed
from .listings import Offset

if TYPE_CHECKING:
    from .lowering import Lowering

KEY = 0
"""Where an entry's key stands; the numbers that it keeps come after it, eight bytes each."""


class Entries:
    """A hash table of a power of two of places, at least twice as many as there are ever entries."""

    def __init__(self, low: "Lowering", name: str, most: int, numbers: int) -> None:
        self.low = low
        self.name = name
        self.size = 8 * (1 + numbers)
        self.capacity = 1 << (2 * most).bit_length()
        self.room = low.memory.room(name, self.size * self.capacity)

    def find(self, key: Op) -> Op:
        """The entry of a key, or the empty one where it can be put, counted in bytes from the first one."""
        low = self.low
        name = f"find in {self.name}"
        if name not in low.made:
            f = low.made[name] = low.flow.function(name.replace(" ", "_"), ("n",), "t")
            with low.inside(f):
                wanted, index, place, there, again = f.parameter(0).get, f.local(), f.local("t"), f.local(), Label()
                f.fill(
                    index.set(wanted),
                    loop(
                        again,
                        index.set(plain("and", add(index.get, num(1)), num(self.capacity - 1))),
                        place.set(mul(address(index.get), at(self.size))),
                        there.set(self.of(place.get, KEY)),
                        jump_if(
                            again, both(compare("is not", there.get, num(0)), compare("is not", there.get, wanted))
                        ),
                    ),
                    place.get,
                )
        return call(low.made[name], key)

    def of(self, entry: Op, what: int) -> Op:
        """A number of an entry."""
        return load(entry, Offset(self.room, what))

    def write(self, entry: Op, what: int, value: Op) -> Op:
        """A number of an entry is set."""
        return store(entry, value, Offset(self.room, what))

    def more(self, entry: Op, what: int, value: Op) -> Op:
        """A number of an entry rises by so much."""
        return self.write(entry, what, add(self.of(entry, what), value))

    def clear(self) -> Op:
        """All entries are empty."""
        return Op("clear", (at(self.room), at(self.size * self.capacity)))


def mixed(low: "Lowering", value: Op) -> Op:
    """A number with every bit of another spread over it."""
    if "mixed" not in low.made:
        f = low.made["mixed"] = low.flow.function("mixed", ("n",), "n")
        with low.inside(f):
            z = f.parameter(0)
            f.fill(
                z.set(add(z.get, signed(GAMMA))),
                *mixing(z.set, z.get),
                plain("xor", z.get, plain("shr", z.get, num(31))),
            )
    return call(low.made["mixed"], value)


def key_of(low: "Lowering", value: Op) -> Op:
    """The key that a number is mixed to; no key is zero."""
    return plain("or", mixed(low, value), num(1))


def look_of(low: "Lowering", part: rules.Part, seat: Op, value: Op) -> Op:
    """How an element of a part looks to a seat, mixed to a number."""
    if not holds_items(part.source.type):
        return mixed(low, value)
    kept, item = low.keep(value)
    first, *rest = sight.seen(low, sight.among(low, part.source, seat), item)
    told = first
    for digit in rest:
        told = add(mixed(low, told), digit)
    return do(kept, mixed(low, told))
