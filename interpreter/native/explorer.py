"""Looks at the positions of a game with machine code, nearest first, and keeps what it finds."""

import struct
from array import array
from collections.abc import Iterable, Iterator
from typing import Any

from .code import Region
from .exploring import NO_ROOM, NOTHING_LEFT, Column
from .interrupts import CHANCES, DECISIONS
from .lowering import Site
from .memory import ALL_PAGES, PAGE
from .native import GameFault, Native
from .stepped import Steps
from .watching import NEVER

FEW = 1 << 12
"""Positions for which there is room at first."""

EDGES_PER_POSITION = 4
"""So many are allowed for at first."""

TYPES = {1: "b", 2: "h", 4: "i", 8: "q"}


class OutOfMemory(MemoryError):
    """There is no room for more positions."""


class Explorer(Steps):
    """A search in breadth over a game's positions; the module must be `explored`."""

    def __init__(self, native: Native) -> None:
        super().__init__(native)
        found = native.low.exploration
        assert found is not None
        self.found, self.watching = found, found.watching
        self.end = native.low.memory.pages * PAGE
        """Where the host lays what comes next."""
        self.faults: dict[Site | None, int] = {}
        """The first edge on which each fault came about."""
        self._explore, self._add_first, self._rehash = (
            self.exports[name] for name in ("explore", "add_first", "rehash")
        )
        self.most = ALL_PAGES * PAGE
        """Bytes that may be used."""
        self._free: list[tuple[int, int]] = []
        """Stretches between the columns."""
        self._sizes: dict[str, tuple[int, int]] = {}
        """Where each column lies, and how many bytes it has room for."""
        self.positions = self.edges_room = 0

    # ---- columns -------------------------------------------------------------------------------------------

    def _columns(self) -> tuple[list[Column], list[Column]]:
        """Those with a number for each position, and those with one for each edge."""
        found = self.found
        positions = [found.key_at, found.owner, found.site, found.came, found.first]
        return positions, [found.target, found.weight, found.total, *found.values, found.label, *found.passes]

    def _lay(self, name: str, base: Region, size: int) -> None:
        """Room of this size for a column; what was in the old one is taken along."""
        place = self._room(size := -(-size // 16) * 16)
        if name in self._sizes:
            old, length = self._sizes[name]
            self.memory.write(self.store, self.memory.read(self.store, old, old + length), place)
            self._give_back(name)
        self._sizes[name] = place, size
        self._set(base, place)

    def _room(self, size: int) -> int:
        """Where so many bytes are free. Raises: OutOfMemory."""
        fitting = [stretch for stretch in self._free if stretch[1] - stretch[0] >= size]
        if fitting:
            first, end = min(fitting, key=lambda stretch: stretch[1] - stretch[0])
            self._free.remove((first, end))
            if end - first > size:
                self._free.append((first + size, end))
            return first
        place = self.end
        if place + size > min(self.most, ALL_PAGES * PAGE):
            raise OutOfMemory
        self.end += size
        pages = -(-self.end // PAGE) - self.memory.size(self.store)
        if pages > 0:
            self.memory.grow(self.store, pages)
        return place

    def _give_back(self, name: str) -> None:
        """The room of a column is free again, together with what is free beside it."""
        place, size = self._sizes.pop(name)
        first, end = place, place + size
        for stretch in sorted(self._free):
            if stretch[1] == first or stretch[0] == end:
                self._free.remove(stretch)
                first, end = min(first, stretch[0]), max(end, stretch[1])
        self._free.append((first, end))

    def _set(self, region: Region, value: int) -> None:
        self.memory.write(self.store, struct.pack("<q", value), region.address)

    def _get(self, name: str) -> int:
        return self.number(self.found.numbers[name].address)

    def _room_for_positions(self, count: int) -> None:
        """Room for so many positions."""
        found = self.found
        for column in self._columns()[0]:
            self._lay(column.name, column.base, column.width * (count + 1))
        self.positions = count
        self._set(found.numbers["most positions"], count)
        if "table" in self._sizes:
            self._give_back("table")
        table = 1 << (2 * count).bit_length()
        self._lay("table", found.hashes.base, 4 * table)
        place, size = self._sizes["table"]
        self._clear(place, size)
        self._set(found.numbers["mask"], table - 1)
        self.call(self._rehash)

    def _clear(self, place: int, size: int) -> None:
        self.memory.write(self.store, bytes(size), place)

    def _room_for_edges(self, count: int) -> None:
        for column in self._columns()[1]:
            self._lay(column.name, column.base, column.width * count)
        self.edges_room = count
        self._set(self.found.numbers["most edges"], count)

    def _room_for_keys(self, size: int) -> None:
        self._lay("keys", self.found.keys, size)
        self._set(self.found.numbers["most keys"], size - self.found.written.size)

    def _room_for_states(self, count: int) -> None:
        """A ring of states, for a power of two of positions that are known and not looked into."""
        size = self.low.memory.state.size
        old = self._sizes.pop("states", None)  # kept until it has been copied
        window = self._get("window")
        self._lay("states", self.found.states, size * count)
        place, _ = self._sizes["states"]
        if old is not None:
            # The ring is cut where the old one begins anew.
            position, known = self._get("opened"), self._get("known")
            while position < known:
                several = min(known, (position | window) + 1) - position
                source = old[0] + (position & window) * size
                states = self.memory.read(self.store, source, source + several * size)
                self.memory.write(self.store, states, place + (position & (count - 1)) * size)
                position += several
            self._sizes["old states"] = old
            self._give_back("old states")
        self._set(self.found.numbers["window"], count - 1)

    def _more_room(self) -> None:
        """Twice as much of what there is too little of."""
        known, most_keys = self._get("known"), self._get("most keys")
        if known >= self.positions:
            self._room_for_positions(2 * self.positions)
        if self._get("edges") >= self.edges_room:
            self._room_for_edges(2 * self.edges_room)
        if self._get("keys end") >= most_keys:
            self._room_for_keys(2 * (most_keys + self.found.written.size))
        if known - self._get("opened") >= self._get("window"):
            self._room_for_states(2 * (self._get("window") + 1))

    # ---- the search ----------------------------------------------------------------------------------------

    def start(self) -> None:
        """The first position. Raises: GameFault."""
        count = len(self.watching.properties)
        self.memory.write(self.store, struct.pack(f"<{count}q", *[NEVER] * count), self.watching.first.address)
        self._set(self.watching.edge, -1)
        self.begin(0, 0, DECISIONS | CHANCES)
        self._room_for_positions(FEW)
        self._room_for_edges(EDGES_PER_POSITION * FEW)
        self._room_for_keys(FEW * 64 + 2 * self.found.written.size)
        self._room_for_states(FEW)
        self.call(self._add_first)

    def explore(self, edges: int) -> bool:
        """Look at so many edges more; whether anything is left."""
        skip = 0
        while True:
            try:
                found = self.call(self._explore, edges, skip)
            except GameFault as fault:
                self.faults.setdefault(fault.site, self._get("edges"))
                skip = 1
                continue
            skip = 0
            if found == NO_ROOM:
                self._more_room()
                continue
            return bool(found != NOTHING_LEFT)

    @property
    def known(self) -> int:
        """How many positions there are."""
        return self._get("known")

    @property
    def opened(self) -> int:
        """How many of them were looked into."""
        return self._get("opened")

    def column(self, column: Column, first: int, end: int) -> "array[Any]":
        """The numbers of a column from one index up to another."""
        place = self._sizes[column.name][0]
        values = array(TYPES[column.width])
        values.frombytes(bytes(self.memory.read(self.store, place + column.width * first, place + column.width * end)))
        return values

    # ---- what was noted --------------------------------------------------------------------------------------

    @property
    def cut(self) -> int | None:
        """The first position of which not all outcomes were looked at."""
        cut = self._get("cut")
        return cut - 1 if cut else None

    def came_about(self) -> dict[str, int]:
        """The first edge on which each property was broken, or what must be possible came about; -1 for before the
        first position."""
        return {name: edge for name, edge in self._by_property(self.watching.first).items() if edge != NEVER}

    def looked(self) -> dict[str, int]:
        """How often each property was looked at."""
        return self._by_property(self.watching.looked)

    def _by_property(self, room: Region) -> dict[str, int]:
        names = self.watching.properties
        return dict(zip(names, self.numbers(room.address, len(names)), strict=True))

    def reached(self) -> set[int]:
        """The numbers of the parts of the rules that were reached."""
        return {number for number, mark in enumerate(self._marks(self.watching.reached)) if mark}

    def fallen(self) -> set[tuple[str, int]]:
        """Faces that were thrown, by kind."""
        layout, marks = self.low.layout, self._marks(self.watching.fell)
        faces = [(item, face) for item, faces in enumerate(layout.faces) for face in sorted(set(faces))]
        return {
            (layout.kind_of[item].rule.name, face) for (item, face), mark in zip(faces, marks, strict=False) if mark
        }

    def _marks(self, room: Region) -> bytes:
        return bytes(self.memory.read(self.store, room.address, room.address + room.size))

    def passes(self) -> dict[str, int]:
        """Passes ended since the last answer."""
        counted = self.watching.counted
        return dict(zip(counted, self.numbers(self.watching.passes.address, len(counted)), strict=True))

    def tracked(self) -> tuple[int, ...]:
        """What the tracked values are where the game stands."""
        return self.numbers(self.found.tracking.room.address, len(self.found.values))

    def ends(self, positions: Iterable[int]) -> Iterator[tuple[int, ...]]:
        """The words of the keys of positions in which the game is over."""
        place = self._sizes["keys"][0]
        for position in positions:
            first, end = self.column(self.found.key_at, position, position + 2)
            yield self.numbers(place + first, (end - first) // 8)
