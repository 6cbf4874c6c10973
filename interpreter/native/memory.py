"""Where everything of a game stands in the linear memory of its module.

    0       what a fault says, and what is asked
    STATE   the state: who is in, variables, zones, places, faces and fields, then what the program goes on with
    …       sets the program holds, the state a game begins with, tables, and room for what is worked out

A zone is a bit for each component, `words` words of 64; so is a field of a few items that has but two values. A stacked
zone has an order beside that: how many lie there, and their numbers from the bottom, with `UNKNOWN` added where the
place is not known since a shuffle.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from ...dsl import rules
from ..layout import IN, Layout, holds_items
from .code import (
    NONE,
    Op,
    Region,
    add,
    address,
    at,
    choose,
    compare,
    do,
    either,
    load,
    mul,
    num,
    store,
    sub,
)
from .code import plain as bits

FAULT_SITE, FAULT_FIRST, FAULT_SECOND = 8, 16, 24
"""Where a fault leaves which one it is, and two numbers that belong to it."""

GAME, NOTED, DECISIONS, TURNS, LOGGED = 32, 40, 48, 56, 64
"""The number of the game being played, how many bytes are noted of it, and its lengths when it is over; and how many
entries the log of figures has."""

STATE = 72
UNKNOWN = 1 << 32
HEAD = 8
"""The bytes before a list's elements; the first four hold how many there are."""

GAP = 8
"""Bytes between two lists, so that a step beyond the end of one does not lead into another."""

PAGE = 65536
ALL_PAGES = 65_536
"""All that addresses of 32 bits reach."""

MOST_PLANES, FEW_ITEMS = 16, 6
"""What changes other than by throws has bits for each of its numbers, if these are no more, and the items no fewer."""

FEW_ZONES = 8
"""Where there are no more zones than this, what lies in any of them is looked for, and no places are kept."""

MOST_FLAGS = 63
"""Items below this number can be bits of one number."""


MOST_PAGES = 4096
"""No module gets more than these: 256 MiB."""


class TooLarge(Exception):
    """Machine code of this game would need too much memory."""


@attrs.frozen
class Cell:
    """Numbers of one width, one after the other."""

    address: int
    width: int

    def read(self, index: Op | None = None) -> Op:
        """The number at an index."""
        offset, known = self._at(index)
        return load(offset, known, self.width)

    def write(self, value: Op, index: Op | None = None) -> Op:
        """Another number at an index."""
        offset, known = self._at(index)
        return store(offset, value, known, self.width)

    def _at(self, index: Op | None) -> tuple[Op, int]:
        if index is None:
            return at(0), self.address
        if index.name in ("num", "at"):
            return at(0), self.address + index.value * self.width
        return mul(address(index), at(self.width)), self.address


@attrs.frozen
class Flags:
    """Numbers of which there are two, one for each of a few items: a bit says whether it is the higher one."""

    address: int
    least: int

    @property
    def word(self) -> Op:
        """The items with the higher number, as bits."""
        return load(at(0), self.address)

    def fill(self, word: Op) -> Op:
        """Other items have the higher number."""
        return store(at(0), word, self.address)

    def read(self, item: Op) -> Op:
        """The number of an item."""
        return add(bits("and", bits("shr", self.word, item), num(1)), num(self.least))

    def write(self, value: Op, item: Op) -> Op:
        """Another number for an item."""
        return self.write_all(value, bits("shl", num(1), item))

    def write_all(self, value: Op, items: Op) -> Op:
        """Another number for all these items, which are cheap bits."""
        others = bits("and", self.word, bits("xor", items, num(-1)))
        return self.fill(bits("or", others, bits("and", items, sub(num(0), sub(value, num(self.least))))))


@attrs.frozen
class Planes:
    """Numbers for a few items, and beside them for each number, `none` first, the items that have it, as bits."""

    cell: Cell
    first: int
    address: int
    least: int
    most: int
    maybe: bool

    def read(self, item: Op) -> Op:
        """The number of an item."""
        return self.cell.read(sub(item, num(self.first)))

    def write(self, value: Op, item: Op) -> Op:
        """Another number for an item; both are cheap."""
        one, before = bits("shl", num(1), item), self._plane(self.read(item))
        left = store(before, bits("and", load(before, self.address), bits("xor", one, num(-1))), self.address)
        now = self._plane(value)
        more = store(now, bits("or", load(now, self.address), one), self.address)
        return do(left, more, self.cell.write(value, sub(item, num(self.first))))

    def having(self, value: Op) -> Op:
        """The items with a number, which is cheap."""
        there = compare("is", value, num(NONE)) if self.maybe else at(0)
        inside = bits("<u", sub(value, num(self.least)), num(self.most - self.least + 1))
        return choose(either(there, inside), load(self._plane(value), self.address), num(0))

    def _plane(self, value: Op) -> Op:
        some = sub(value, num(self.least - 1))
        there = compare("is not", value, num(NONE))
        return mul(address(Op("select", (some, num(0), there), None, "n") if self.maybe else some), at(8))


class Table(Region):
    """Numbers that never change."""

    __slots__ = ("data", "width")

    def __init__(self, name: str, values: Sequence[int]) -> None:
        self.width = next(width for width in (1, 2, 4, 8) if all(fits(value, width) for value in values))
        self.data = b"".join(value.to_bytes(self.width, "little", signed=True) for value in values)
        super().__init__(name, len(self.data))

    def read(self, index: Op) -> Op:
        """The number at an index."""
        return load(mul(address(index), at(self.width)), self, self.width)


def fits(value: int, width: int) -> bool:
    """Whether a number has room in so many bytes."""
    half = 1 << (8 * width - 1)
    return -half <= value < half


class Memory:
    """The places of one game, handed out while it is compiled."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.words = max(1, -(-layout.movable // 64))
        self.rows: dict[int, Region] = {}
        """What the state consists of, by where it begins: rows of cells, sets and stacks."""
        self.image = bytearray()
        """What stands from `STATE` on when a game begins."""
        self.cells: dict[int, Cell] = {}
        """The cell of each slot that holds one value or a set of at most 63 different ones."""
        self.lists: dict[int, Region] = {}
        """The list of each slot that holds one."""
        self.variables: dict[str, Cell] = {}
        self.fields: dict[tuple[str, str], Cell | Flags | Planes] = {}
        """The cell of a kind's field, whose index is that of the item among its kind; or the bits of its items."""
        self.flags: dict[int, tuple[Flags, int]] = {}
        """The flags in which the number of a slot stands, and the item."""
        self.alone: set[int] = set()
        """Slots with a cell that is not one of a row."""
        self.tables: dict[Any, Table] = {}
        self.rooms: list[Region] = []
        self.spares: list[Region] = []
        """Rooms for other states."""
        self.slots = len(layout.names)
        self.zone_numbers = {slot: number for number, slot in enumerate(s for s in layout.zone_at if s >= 0)}
        """Zones by number, in the order of their slots."""
        self.places: Cell | None = None
        """The number of the zone in which each component lies; None where the bits of few zones say so."""
        self.players_in = self._bits((layout.start[IN],), -(-layout.players // 64))
        self._variables()
        self._zones()
        self._items()
        self.pages = 0
        self.most_pages = 0
        """How many pages the host can add up to; 0 where it adds none."""
        self.state = Region("state")
        """The state, with everything that is kept of a game while it stands still."""
        self.image_at = 0

    # ---- handing out -----------------------------------------------------------------------------------

    def _room(self, size: int, align: int = 8) -> int:
        while len(self.image) % align:
            self.image.append(0)
        region = Region("state", size)
        region.address = STATE + len(self.image)
        self.rows[region.address] = region
        self.image.extend(bytes(size))
        return region.address

    def _fill(self, cell: Cell, values: Iterable[Any]) -> None:
        place = cell.address - STATE
        for value in values:
            self.image[place : place + cell.width] = plain(value).to_bytes(cell.width, "little", signed=True)
            place += cell.width

    def _cell(self, values: Sequence[Any], low: int, high: int, maybe: bool) -> Cell:
        """A new cell for values between two ends."""
        width = 8 if maybe else next(w for w in (1, 2, 4, 8) if fits(low, w) and fits(high, w))
        cell = Cell(self._room(width * len(values), width), width)
        self._fill(cell, values)
        return cell

    def _bits(self, sets: Sequence[Sequence[int]], words: int) -> int:
        """Sets as bits, one after the other; the place of the first."""
        place = self._room(8 * words * len(sets))
        for number, members in enumerate(sets):
            for word in range(words):
                bits = sum(1 << (each - 64 * word) for each in members if each // 64 == word)
                first = place - STATE + 8 * (number * words + word)
                self.image[first : first + 8] = bits.to_bytes(8, "little")
        return place

    def local(self, name: str, type_: rules.Type, as_list: bool) -> int:
        """A new slot of the program, unbound."""
        slot = self.layout.add(name, type_, None)
        if as_list:
            self.lists[slot] = Region(name)
        else:
            self.cells[slot] = Cell(self._room(8), 8)
            self._fill(self.cells[slot], [NONE])
            self.alone.add(slot)
        return slot

    def in_a_row(self, slots: Sequence[int]) -> None:
        """The cells of new slots, if they have some, are one row, to be read and written by index."""
        self.alone -= set(slots)
        cells = [self.cells[slot] for slot in slots if slot in self.cells]
        for cell in cells[1:]:
            self.rows[cells[0].address].size += self.rows.pop(cell.address).size

    def own(self, width: int) -> Cell:
        """A number of the program's own in the state, 0 when a game begins."""
        return Cell(self._room(width, width), width)

    def room(self, name: str, size: int) -> Region:
        """Room for something worked out on the way."""
        self.rooms.append(Region(name, size))
        return self.rooms[-1]

    def spare(self, name: str) -> Region:
        """Room for another state."""
        self.spares.append(Region(name))
        return self.spares[-1]

    def table(self, name: str, values: Sequence[Any]) -> Table:
        """A table with these values; the same one for the same values."""
        key = tuple(plain(value) for value in values)
        if key not in self.tables:
            self.tables[key] = Table(name, key)
        return self.tables[key]

    # ---- the layout's slots ----------------------------------------------------------------------------

    def _variables(self) -> None:
        layout = self.layout
        for rule in layout.game.variables:
            block = layout.variables[rule.name]
            low, high = self.ends(rule.domain.type, layout.ranges.get(rule.name))
            values = [layout.start[slot] for slot in block.slots]
            cell = self._cell(values, low, high, isinstance(rule.domain.type, rules.Maybe))
            self.variables[rule.name] = cell
            if len(block.slots) == 1:
                self.alone.add(block.base)
            for number, slot in enumerate(block.slots):
                self.cells[slot] = Cell(cell.address + number * cell.width, cell.width)

    def ends(self, type_: rules.Type, range_: tuple[int, int] | None) -> tuple[int, int]:
        """The ends between which the numbers for a type lie."""
        match type_:
            case rules.Maybe(of):
                return self.ends(of, range_)
            case rules.Number(low, high):
                return range_ or (low, high)
            case rules.Member(_, names):
                return 0, len(names) - 1
            case rules.Player():
                return 0, self.layout.players
            case rules.Item():
                return 0, len(self.layout.kind_of)
        return 0, 1

    def _zones(self) -> None:
        layout = self.layout
        slots = list(self.zone_numbers)
        self.zone_bits = self._bits([layout.start[slot] for slot in slots], self.words)
        if self.words > 1 or len(slots) > FEW_ZONES:
            width = next(w for w in (1, 2, 4) if fits(len(slots), w))
            self.places = Cell(self._room(width * layout.movable, width), width)
            where = layout.start[layout.places : layout.places + layout.movable]
            self._fill(self.places, [self.zone_numbers[zone] for zone in where])
        self.stacks: dict[int, int] = {}
        """For the number of a stacked zone where its order stands."""
        for number, slot in enumerate(slots):
            rule = layout.zone_at[slot][0]
            if rule.stacked:
                most = sum(layout.kinds[kind].end - layout.kinds[kind].first for kind in rule.kinds)
                self.stacks[number] = self._room(stack_size(most))
                self.rows[self.stacks[number]].size -= GAP
                self._pile(self.stacks[number], layout.start[slot], layout.start[slot + 1])

    def _pile(self, place: int, items: Sequence[int], unknown: Sequence[int]) -> None:
        """The order of a stacked zone, from the bottom, and the places where nobody knows what lies."""
        entries = [item + UNKNOWN * (number in unknown) for number, item in enumerate(items)]
        first = place - STATE
        self.image[first : first + 4] = len(entries).to_bytes(4, "little")
        for number, entry in enumerate(entries):
            here = first + HEAD + 8 * number
            self.image[here : here + 8] = entry.to_bytes(8, "little")

    def _items(self) -> None:
        layout = self.layout
        for kind in layout.kinds.values():
            items = range(kind.first, kind.end)
            fields = [(field.name, field.domain.type) for field in kind.rule.changing]
            if kind.rule.faces is not None:
                fields.insert(0, (kind.rule.faces.name, kind.rule.faces.type))
            for name, type_ in fields:
                slots = [layout.field_slots[name][item] for item in items]
                faces = {face for item in items for face in layout.faces[item]}
                thrown = kind.rule.faces is not None and name == kind.rule.faces.name
                ends = (min(faces), max(faces)) if thrown and faces else layout.ranges.get(f"{kind.rule.name}.{name}")
                low, high = self.ends(type_, ends)
                two = high == low + 1 and not isinstance(type_, rules.Maybe)
                if two and 1 < len(slots) and kind.end <= MOST_FLAGS:
                    self._flags(kind.rule.name, name, slots, kind.first, low)
                    continue
                cell = self._cell([layout.start[slot] for slot in slots], low, high, isinstance(type_, rules.Maybe))
                self.fields[kind.rule.name, name] = cell
                if len(slots) == 1:
                    self.alone.add(slots[0])
                for number, slot in enumerate(slots):
                    self.cells[slot] = Cell(cell.address + number * cell.width, cell.width)
                few = FEW_ITEMS <= len(slots) and kind.end <= MOST_FLAGS and high - low < MOST_PLANES
                if few and not thrown and not holds_items(type_):
                    maybe = isinstance(type_, rules.Maybe)
                    values = [plain(layout.start[slot]) for slot in slots]
                    planes = [[item for item, value in zip(items, values, strict=True) if value == NONE]]
                    planes += [
                        [item for item, value in zip(items, values, strict=True) if value == number]
                        for number in range(low, high + 1)
                    ]
                    words = self._bits(planes, 1)
                    self.fields[kind.rule.name, name] = Planes(cell, kind.first, words, low, high, maybe)

    def _flags(self, kind: str, name: str, slots: Sequence[int], first: int, least: int) -> None:
        """Flags for a field that has but two numbers."""
        higher = [item for item, slot in enumerate(slots, first) if plain(self.layout.start[slot]) > least]
        self.fields[kind, name] = flags = Flags(self._bits([higher], 1), least)
        for item, slot in enumerate(slots, first):
            self.flags[slot] = flags, item

    def single(self) -> list[Cell]:
        """The cells that are read and written by their address alone."""
        flags = {cell.address for cell in self.fields.values() if isinstance(cell, Flags)}
        return [*(self.cells[slot] for slot in self.alone), *(Cell(address, 8) for address in flags)]

    # ---- the end ---------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Settle where everything without a place stands.

        Raises:
            TooLarge: that is more than a module gets.
        """
        self._room(0)
        place = STATE + len(self.image)
        for region in (*self.lists.values(), Region("state", 0)):
            region.address = place
            place += _rounded(region.size)
        self.state_end = place
        self.state.address, self.state.size = STATE, place - STATE
        self.image_at = place
        place += len(self.image)
        for region in self.spares:
            region.need(self.state.size)
        for region in (*self.tables.values(), *self.rooms, *self.spares):
            region.address = place
            place += _rounded(region.size)
        self.pages = -(-place // PAGE)
        if self.pages > MOST_PAGES:
            raise TooLarge(f"machine code of this game would need {place >> 20:,} MiB of memory; the most is 256")

    def data(self) -> list[tuple[int, bytes]]:
        """What stands in memory from the beginning."""
        return [(self.image_at, bytes(self.image)), *((each.address, each.data) for each in self.tables.values())]


def stack_size(most: int) -> int:
    """The bytes from one stack of so many items to the next."""
    return HEAD + 8 * most + GAP


def plain(value: Any) -> int:
    """A value as a number."""
    return NONE if value is None else int(value)


def _rounded(size: int) -> int:
    return (size + GAP + 7) // 8 * 8
