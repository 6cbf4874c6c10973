"""Many games of a match as machine code: threads play portions of them, and what came of it is counted.

A thread has memory of its own, in which everything is counted; it is read once, at the end. A game that a fault stops
is played again by the reference engine, which says what happened, and takes back what was counted of it.

Nothing can stop a thread in the middle of a game. When all is to end, from the keyboard or because a game takes too
long, a thread that does not come to an end soon is left behind; what it has counted is left out.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..agents import First, Greedy, Random, Strategy
from ..figures import Sampled, Tally
from ..playing import Match, Playthrough, play
from ..simulate import Figures, OutOfTime
from ..stream import Stream
from . import EnginesDisagree
from .lowering import Limits
from .native import GameFault, Instance, Native

if TYPE_CHECKING:
    from ..reference import Reference

PORTION = 0.05
"""So many seconds a thread plays before it looks up."""

MOST = 1_000_000
"""The most games of one portion."""

LONGEST = 60.0
"""A game that takes longer than so many seconds stops everything."""

GRACE = 1.0
"""So many seconds threads have to finish their portions when all is to end."""


def seated(match: Match) -> list[Any] | None:
    """Who plays the seats from inside; None where somebody has to be asked outside."""
    found: list[Any] = []
    for recipe in match.agents:
        match recipe:
            case Random():
                found.append("random")
            case First():
                found.append("first")
            case Greedy():
                found.append("greedy")
            case Strategy(name):
                found.append(next(each for each in match.game.strategies if each.name == name))
            case _:
                return None
    return found


def play_many(
    match: Match, seats: Sequence[Any], games: int, jobs: int, figures: Figures, progress: Callable[[int], None] | None
) -> None:
    """Play games and count them; interrupted from the keyboard, it counts what there is, and says so.

    Raises:
        TooLarge: there is not enough memory for this game.
        OutOfTime: a game takes too long.
    """
    limits = Limits(match.limits.decisions, match.limits.steps)
    native = Native(match.game, match.players, match.options, seated=seats, limits=limits)
    work = _Work(match, native, games)
    playing = 0
    try:
        for _ in range(jobs):
            threading.Thread(target=work.run, daemon=True).start()
            playing += 1
        if progress is not None:
            progress(0)
        # A thread that is joined when Ctrl-C comes counts as ended, though it plays on: so none is.
        while playing:
            playing -= work.ended.acquire(timeout=0.1)
            if progress is not None:
                progress(work.done)
            if (late := work.late()) is not None:
                raise OutOfTime(f"{late} longer than {LONGEST:g} seconds")
    except KeyboardInterrupt:
        figures.interrupted = True
    finally:
        work.stop.set()
        end = time.perf_counter() + GRACE
        while playing and work.ended.acquire(timeout=max(0.0, end - time.perf_counter())):
            playing -= 1
    if work.error is not None:
        raise work.error
    for part in work.parts:
        figures.merge(part)


class _Work:
    """What the threads share: the games that are left, and what has been counted."""

    def __init__(self, match: Match, native: Native, games: int) -> None:
        self.match = match
        self.native = native
        self.games = games
        self.first = 0
        self.done = 0
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.playing: list[_Part] = []
        self.parts: list[Figures] = []
        self.error: BaseException | None = None
        self.ended = threading.Semaphore(0)
        """Counts the threads that have ended."""

    def run(self) -> None:
        """Play until nothing is left."""
        try:
            with self.lock:  # the first thread makes the machine code, for all
                part = _Part(self)
            self.playing.append(part)
            part.run()
            part.at = None
            self.parts.append(part.counted())
        except BaseException as error:
            self.error = error
            self.stop.set()
        finally:
            self.ended.release()

    def late(self) -> str | None:
        """What takes too long, if something does."""
        now = time.perf_counter()
        for part in self.playing:
            if part.at is not None and now - part.at[1] > LONGEST:
                first, last = part.at[0][0], part.at[0][-1]
                return f"game {first} takes" if first == last else f"games {first} to {last} take"
        return None

    def take(self, count: int) -> range:
        """The next games, at most so many."""
        with self.lock:
            first, self.first = self.first, min(self.first + count, self.games)
            return range(first, self.first)


class _Part:
    """What one thread plays."""

    def __init__(self, work: _Work) -> None:
        self.work = work
        self.match = work.match
        self.instance: Instance = work.native.table()
        self.figures = Figures(work.match.players, work.match.game.teams)
        self.size = 1
        self.at: tuple[range, float] | None = None
        """The games that it is at, and since when."""
        self._reference: Reference | None = None

    def run(self) -> None:
        """Portion after portion."""
        while not self.work.stop.is_set() and (portion := self.work.take(self.size)):
            begun = time.perf_counter()
            self._play(portion)
            taken = time.perf_counter() - begun
            self.size = max(1, min(MOST, int(self.size * min(4.0, PORTION / max(taken, 1e-6)))))

    def _play(self, portion: range) -> None:
        first = portion.start
        while first < portion.stop and not self.work.stop.is_set():
            begun = first
            try:
                first += self._batch(first, portion.stop - first)
            except GameFault as fault:
                self._read_log()
                self._take_back(fault.game)
                self._replay(fault)
                first = fault.game + 1
            self._read_log()
            self._read_sums()
            with self.work.lock:
                self.work.done += first - begun

    def _batch(self, first: int, count: int, unit: int = 1) -> int:
        """Games by machine code."""
        self.at = range(first, first + count), time.perf_counter()
        return self.instance.batch(self.match.seed, first, count, unit)

    def _take_back(self, game: int) -> None:
        """Uncount what a game has given that a fault stopped: it is played again up to there."""
        try:
            self._batch(game, 1, unit=-1)
        except GameFault as fault:
            assert fault.game == game
            return
        raise EnginesDisagree(f"game {game} ends in a fault only sometimes")

    def _replay(self, fault: GameFault) -> None:
        """The game by the reference engine, with its trace."""
        if self._reference is None:
            self._reference = self.match.engine()
        engine = self._reference
        draws = Stream(self.match.seed, fault.game)
        self.at = range(fault.game, fault.game + 1), time.perf_counter()
        played: Playthrough = play(engine, self.match.seated(engine), draws, self.match.limits.decisions)
        if played.fault is None and not (fault.site is not None and fault.site.own):
            raise EnginesDisagree(f"game {fault.game} is stopped by machine code alone: {fault.message}")
        self.figures.add(played)
        if played.fault is not None:
            self.figures.add_fault(self.match, fault.game, played)

    # ---- what was counted ------------------------------------------------------------------------------

    def _tally(self, number: int) -> Tally:
        """A figure by its number in the log."""
        figures, tallies = self.figures, self.instance.low.tallies
        if number == tallies.decisions.number:
            return figures.decisions
        if number == tallies.turns.number:
            return figures.turns
        if number < self.match.players:
            figures.scores = figures.scores or [Tally() for _ in range(self.match.players)]
            return figures.scores[number]
        return self._measure(number - tallies.measures[0].number)

    def _measure(self, number: int) -> Sampled:
        return self.figures.measures.setdefault(self.match.game.measures[number].name, Sampled())

    def _read_log(self) -> None:
        """Count what lay outside of the windows, and empty the log."""
        for number, value, unit in self.instance.log():
            if number >= 0:
                self._tally(number).counts[value] += unit
            else:
                sampled, length = self._measure(-1 - number), unit
                sampled.games += 1
                sampled.squares += value * value
                sampled.lengths += length * length
                sampled.products += value * length

    def _read_sums(self) -> None:
        """Take over the sums that could outgrow 64 bits."""
        for number, (games, squares, lengths, products) in enumerate(self.instance.sums()):
            if games:
                sampled = self._measure(number)
                sampled.games += games
                sampled.squares += squares
                sampled.lengths += lengths
                sampled.products += products

    def counted(self) -> Figures:
        """Everything that this thread has counted."""
        figures, instance = self.figures, self.instance
        for tally in instance.low.tallies.all:
            counts = instance.window(tally)
            if counts:
                self._tally(tally.number).counts.update(counts)
        for tally_ in [figures.decisions, figures.turns, *figures.scores, *figures.measures.values()]:
            tally_.counts = +tally_.counts
        finished = figures.decisions.n - figures.finished
        figures.games += finished
        figures.finished += finished
        for seat, (alone, shared) in enumerate(instance.wins()):
            figures.wins[seat] += alone
            figures.shared_wins[seat] += shared
        return figures
