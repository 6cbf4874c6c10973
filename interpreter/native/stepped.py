"""A game as machine code, played step by step from outside: states that can be kept, answers one by one."""

import struct
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any
from weakref import finalize

import attrs

from ..layout import IN
from .code import NONE
from .interrupts import CHANCES, DECISIONS, OVER
from .memory import HEAD, STATE, UNKNOWN, Cell
from .native import Instance, Native, signed

BOTH = DECISIONS | CHANCES


@attrs.frozen
class Asked:
    """What a game waits for."""

    name: str
    owner: int
    """The seat that decides, or `CHANCE`."""
    options: int
    """How many options there are; 0 for chance."""


Script = tuple[int, ...]
"""An answer: for a decision the option's number, for chance a digit for each part of what happens."""


class Steps(Instance):
    """A game being played; the module must be `interrupted`."""

    def __init__(self, native: Native) -> None:
        super().__init__(native)
        finalize(self, self.store.close)  # no other thread plays here that could still need it
        script = native.low.interrupts
        assert script is not None
        self.script = script
        self._begin, self._resume, self._advance = (self.exports[name] for name in ("begin", "resume", "advance"))

    def begin(self, seed: int, game: int, stops: int = BOTH) -> None:
        """Begin a game and play to its first request. Raises: GameFault."""
        self.call(self._begin, signed(seed), game, stops)

    def resume(self, script: Sequence[int], stops: int = BOTH) -> None:
        """Answer the request, and play on to the next one. Raises: GameFault."""
        self.memory.write(self.store, struct.pack(f"<{len(script)}q", *script), self.script.digits.address)
        self.memory.write(self.store, struct.pack("<q", len(script)), self.script.length.address)
        self.call(self._resume, stops)

    def request(self) -> Asked | None:
        """What the game waits for; None when it is over."""
        points = self.script.points
        owner = self._cell(points.owner)
        if owner == OVER:
            return None
        return Asked(self.script.requests[self._cell(points.site)].name, owner, self._cell(points.options))

    def answers(self) -> Iterator[tuple[Script, Fraction | None]]:
        """Every answer of chance with its chance, in the reference's order; the game is left as it was.

        None for a chance that is no fraction of numbers up to 2^62.
        """
        state = self.state()
        script: Script | None = ()
        while script is not None:
            try:
                self.resume(script)
                weight, total = (self.number(each.address) for each in (self.script.weight, self.script.total))
                taken = self.numbers(self.script.digits.address, self.number(self.script.place.address, 4))
                more = self.call(self._advance)
                length = self.number(self.script.length.address, 4)
                script = self.numbers(self.script.digits.address, length) if more else None
            finally:
                self.seek(state)
            yield taken, Fraction(weight, total) if weight and total else None

    # ---- states ------------------------------------------------------------------------------------------

    def state(self) -> bytes:
        """The state of the game."""
        return bytes(self.memory.read(self.store, STATE, self.low.memory.state_end))

    def seek(self, state: bytes) -> None:
        """Another state of this program."""
        self.memory.write(self.store, state, STATE)

    def values(self) -> tuple[Any, ...]:
        """What the layout's slots hold, as the reference has them."""
        layout, memory = self.low.layout, self.low.memory
        found: list[Any] = []
        bits: dict[int, int] = {}
        for number in range(len(memory.zone_numbers)):
            place = memory.zone_bits + 8 * memory.words * number
            bits[number] = int.from_bytes(self.memory.read(self.store, place, place + 8 * memory.words), "little")
        slots = {number: slot for slot, number in memory.zone_numbers.items()}
        for slot in range(memory.slots):
            if slot == IN:
                size = 8 * -(-layout.players // 64)
                word = int.from_bytes(
                    self.memory.read(self.store, memory.players_in, memory.players_in + size), "little"
                )
                found.append(_members(word))
            elif slot in memory.zone_numbers:
                number = memory.zone_numbers[slot]
                found.append(self._stack(number)[0] if number in memory.stacks else _members(bits[number]))
            elif slot in memory.cells:
                value = self._cell(memory.cells[slot])
                found.append(None if value == NONE else value)
            elif slot in memory.flags:
                flags, item = memory.flags[slot]
                found.append(flags.least + (self.number(flags.address) >> item & 1))
            elif layout.places <= slot < layout.places + layout.movable:
                item = slot - layout.places
                found.append(next(slots[number] for number, word in bits.items() if word >> item & 1))
            elif slot - 1 in memory.zone_numbers:
                found.append(self._stack(memory.zone_numbers[slot - 1])[1])
            else:
                found.append(None)
        return tuple(found)

    def _stack(self, number: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The order of a stacked zone, and the places of which nobody knows what lies there."""
        place = self.low.memory.stacks[number]
        entries = self.numbers(place + HEAD, self.number(place, 4))
        unknown = tuple(place for place, entry in enumerate(entries) if entry >= UNKNOWN)
        return tuple(entry & (UNKNOWN - 1) for entry in entries), unknown

    def _cell(self, cell: Cell) -> int:
        return self.number(cell.address, cell.width)


def _members(word: int) -> tuple[int, ...]:
    return tuple(place for place in range(word.bit_length()) if word >> place & 1)
