"""Checked builds: before each access to memory, its address is held against the layout.

What an access is meant for is known: a row of cells by where it begins, a table, a list or a room by the region that it
names. An address that comes from somewhere else points to a list, whichever it is. Addresses known before play are
looked at while the module is made. Between lists nothing lies, so that a step beyond the end of one is noticed.
"""

from bisect import bisect_right
from collections.abc import Sequence

from .code import Op, Region, add, at, known, no, number, plain, store, sub, when
from .flow import Flow, Function
from .listings import Offset
from .memory import FAULT_FIRST, FAULT_SITE, STATE, Memory

LEFT = -1
"""In place of a fault's number: the generated code left its memory."""


class Bounds:
    """Where the accesses of a module may go."""

    def __init__(self, flow: Flow, memory: Memory) -> None:
        self.rows = sorted((each for each in memory.rows.values() if each.size), key=lambda each: each.address)
        self.starts = [row.address for row in self.rows]
        stacks = [memory.rows[place] for place in memory.stacks.values()]
        lists = sorted((*stacks, *memory.lists.values(), *memory.rooms), key=lambda each: each.address)
        self._left = flow.function("left_memory", ("t",)).fill()
        address = self._left.parameter(0).get
        self._left.fill(
            store(at(0), at(LEFT), FAULT_SITE, 4),
            store(at(0), number(address), FAULT_FIRST),
        )
        self.within = self._within(flow)
        self.listed = self._listed(flow, [each for each in lists if each.size])
        self.own = {self._left, self.within, self.listed}
        """Functions that are not looked at themselves."""

    def _within(self, flow: Flow) -> Function:
        """An address, if what lies so far beyond it lies between two ends."""
        f = flow.function("within", ("t", "t", "t", "t"), "t")
        address, offset, first, last = (f.parameter(place).get for place in range(4))
        here = add(address, offset)
        outside = plain("t <u", sub(last, first), sub(here, first))
        return f.fill(when(outside, Op("fault", (here,), self._left)), address)

    def _listed(self, flow: Flow, lists: Sequence[Region]) -> Function:
        """An address, if so many bytes from so far beyond it lie in one of the lists."""
        f = flow.function("listed", ("t", "t", "t"), "t")
        address, offset, width = (f.parameter(place).get for place in range(3))
        here = add(address, offset)

        def among(some: Sequence[Region]) -> Op:
            if not some:
                return at(0)
            if len(some) > 1:
                middle = len(some) // 2
                before = plain("t <u", here, at(some[middle].address))
                return Op("if", (before, among(some[:middle]), among(some[middle:])), None, "t")
            (only,) = some
            return plain("t <u", sub(here, at(only.address)), sub(at(only.size + 1), width))

        return f.fill(when(no(among(lists)), Op("fault", (here,), self._left)), address)

    def checks(self, address: Op, offset: int | Region, width: int) -> tuple[Function, tuple[int, ...]] | None:
        """The function that looks at an address, and what it is called with beside that; None where all is known.

        Raises:
            AssertionError: it is known to lie outside.
        """
        place = offset.address if isinstance(offset, Region) else offset
        constant = (
            address.value.address if address.name == "at" and isinstance(address.value, Region) else known(address)
        )
        if constant is not None:
            place += constant
        region = self._region(address, offset, place)
        if region is None:
            assert constant is None or FAULT_SITE <= place <= STATE - width, f"nothing stands at {place}"
            return None if constant is not None else (self.listed, (place, width))
        if constant is not None:
            assert region.address <= place <= region.address + region.size - width, f"{place} is not in {region.name}"
            return None
        return self.within, (place, region.address, region.address + region.size - width)

    def looks(self, op: Op) -> bool:
        """Whether addresses are looked at when something is worked out."""
        waiting = [op]
        for each in waiting:
            if each.name == "load" and each.parts[0].name != "at":
                return True
            waiting += each.parts
        return False

    def _region(self, address: Op, offset: int | Region, place: int) -> Region | None:
        """What an access is meant for."""
        while isinstance(offset, Offset):
            offset = offset.region
        if isinstance(offset, Region):
            return offset
        waiting = [address]
        for op in waiting:
            if op.name == "t +":
                waiting += op.parts
            elif op.name == "at" and isinstance(op.value, Region):
                return op.value
        return self.rows[bisect_right(self.starts, place) - 1] if STATE <= place else None
