"""The native engine: plays games of one ruleset as machine code, in a sandbox of WebAssembly."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from weakref import finalize

import attrs

from ...dsl import rules
from ..engine import Answer, Result
from ..fit import fit
from .bounds import LEFT
from .emit import assemble
from .games import Explored, lower
from .lowering import Limits, Lowering, Site
from .memory import DECISIONS, FAULT_FIRST, FAULT_SECOND, FAULT_SITE, GAME, LOGGED, NOTED, TURNS
from .tallies import Tally

_WORD = 2**64


class GameFault(Exception):
    """A game was stopped by a fault."""

    def __init__(self, message: str, site: Site | None, game: int) -> None:
        super().__init__(message)
        self.message = message
        self.site = site
        self.game = game


@attrs.frozen
class Played:
    """A game as it went, for a comparison."""

    answers: tuple[int | Answer, ...]
    decisions: int
    turns: int
    result: Result
    measures: tuple[tuple[int, int], ...]
    """For each measure the sum of its values, as far as 64 bits hold it, and how many they are."""


class Native:
    """Machine code for one ruleset with its players and options, whose seats are played from inside.

    `seated` has for each seat `random`, `first`, `greedy`, or a strategy of the rules file. `traced`: answers are noted
    down. `interrupted`: games can be stopped at their requests, if nobody is `greedy`. `explored`: its positions can be
    looked at. With `nodes` they can be searched, with a tree of at most so many. `checked`: addresses are held against
    the layout before they are used. `start`: what the layout's slots hold when a game begins, where it begins in the
    middle.
    """

    def __init__(
        self,
        game: rules.Game,
        players: int,
        options: Mapping[str, int | bool] | None = None,
        *,
        seated: Sequence[Any] = (),
        limits: Limits | None = None,
        traced: bool = False,
        interrupted: bool = False,
        explored: Explored | None = None,
        nodes: int = 0,
        checked: bool = False,
        start: Sequence[Any] = (),
    ) -> None:
        self.game = game
        self.players = players
        self.limits = limits or Limits()
        layout = fit(game, players, options or {})
        layout.start[: len(start)] = start
        seats = seated or ["random"] * players
        self.low: Lowering = lower(layout, seats, self.limits, traced, interrupted, explored, nodes)
        self.module = assemble(self.low.flow, self.low.memory, checked)

    @cached_property
    def compiled(self) -> Any:
        """The machine code."""
        import wasmtime

        config = wasmtime.Config()
        config.cranelift_opt_level = "speed"
        engine = wasmtime.Engine(config)
        module = wasmtime.Module(engine, self.module)
        # What is still there when the program ends is closed in time, before Python takes wasmtime apart.
        for each in (engine, module):
            finalize(self, each.close)
        return engine, module

    def table(self) -> "Instance":
        """A place to play at; each thread needs one of its own."""
        return Instance(self)


class Instance:
    """Memory and functions of a module."""

    def __init__(self, native: Native) -> None:
        import wasmtime

        self.native = native
        self.low = native.low
        self.game = native.game
        engine, module = native.compiled
        self.store = wasmtime.Store(engine)
        instance = wasmtime.Instance(self.store, module, [])
        exports = instance.exports(self.store)
        self.memory: Any = exports["memory"]
        self._game: Any = exports["playout"]
        self._batch: Any = exports["batch"]
        self.exports: Any = exports
        self._trap = wasmtime.Trap

    def number(self, address: int, size: int = 8) -> int:
        """The number at an address."""
        return int.from_bytes(self.memory.read(self.store, address, address + size), "little", signed=True)

    def numbers(self, address: int, count: int) -> tuple[int, ...]:
        """Numbers in a row."""
        return struct.unpack(f"<{count}q", self.memory.read(self.store, address, address + 8 * count))

    def batch(self, seed: int, first: int, count: int, unit: int = 1) -> int:
        """Play games; gives how many were played before the log was full.

        Raises:
            GameFault: a game was stopped; those before it are counted.
        """
        return int(self.call(self._batch, signed(seed), first, count, unit))

    def log(self) -> list[tuple[int, int, int]]:
        """What was written into the log, which is empty then."""
        count = self.number(LOGGED)
        if not count:
            return []
        self.memory.write(self.store, bytes(8), LOGGED)
        numbers = self.numbers(self.low.tallies.log.address, 3 * count)
        return list(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))

    def sums(self) -> list[tuple[int, int, int, int]]:
        """For each measure the games that gave values, and three sums over these games; they are zero then."""
        room = self.low.tallies.games
        count = 4 * len(self.game.measures)
        numbers = self.numbers(room.address, count)
        self.memory.write(self.store, bytes(8 * count), room.address)
        return list(zip(numbers[::4], numbers[1::4], numbers[2::4], numbers[3::4], strict=True))

    def window(self, tally: Tally) -> dict[int, int]:
        """How often each value came up, of those in a tally's window."""
        counts = self.numbers(tally.room.address, tally.high - tally.low + 1)
        return {value: count for value, count in enumerate(counts, tally.low) if count}

    def wins(self) -> list[tuple[int, int]]:
        """For each seat the games won alone and the games shared."""
        numbers = self.numbers(self.low.tallies.wins.address, 2 * self.low.layout.players)
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def play(self, seed: int, game: int) -> Played:
        """One game with its answers; the module must be traced."""
        self.call(self._game, signed(seed), game)
        sums = self.numbers(self.low.tallies.sums.address, 2 * len(self.game.measures))
        measures = tuple(zip(sums[::2], sums[1::2], strict=True))
        return Played(self.noted(), self.number(DECISIONS), self.number(TURNS), self.result(), measures)

    def result(self) -> Result:
        """Scores and winners of the game that is over."""
        low = self.low
        scores = self.numbers(low.rooms["scores"].address, low.layout.players) if low.game.score is not None else None
        flags = self.numbers(low.rooms["winners"].address, low.layout.players)
        return Result(scores, tuple(seat for seat, flag in enumerate(flags) if flag))

    def noted(self) -> tuple[int | Answer, ...]:
        """What was noted down of the last game."""
        return tuple(self._noted())

    def _noted(self) -> Iterator[int | Answer]:
        if "trace" not in self.low.rooms:
            return
        room = self.low.rooms["trace"]
        count = self.number(NOTED)
        entries = self.numbers(room.address, count // 8)
        place = 0
        while place < len(entries):
            head = entries[place]
            if head < 0:
                yield entries[place + 1]
                place += 2
            else:
                yield entries[place + 1 : place + 1 + head]
                place += 1 + head

    def call(self, function: Any, *arguments: int) -> int:
        """What an exported function gives. Raises: GameFault."""
        try:
            return function(self.store, *arguments) or 0
        except self._trap as trap:
            raise self._fault(str(trap)) from None

    def _fault(self, trap: str) -> GameFault:
        game = self.number(GAME)
        if "unreachable" not in trap:
            return GameFault(trap, None, game)
        number = self.number(FAULT_SITE, 4)
        if number == LEFT:
            return GameFault(f"the generated code left its memory, at {self.number(FAULT_FIRST)}", None, game)
        site = self.low.sites[number]
        message = site.message.replace("{0}", str(self.number(FAULT_FIRST))).replace(
            "{1}", str(self.number(FAULT_SECOND))
        )
        return GameFault(message, site, game)


def signed(word: int) -> int:
    word %= _WORD
    return word - _WORD if word >= _WORD // 2 else word
