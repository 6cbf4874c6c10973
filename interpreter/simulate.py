"""Many games from one seed: counted, not printed.

Game `i` depends on the seed and on `i` alone, everything is counted in whole numbers, and games go to workers
in portions whose size does not depend on the number of workers. So the figures are the same for every number
of workers, also with agents that remember: they are made anew for every portion.
"""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.synchronize import Event
from typing import Any, Literal

import attrs

from ..dsl import rules
from .agents import AgentError, closing
from .figures import Interval, Sampled, Tally, wilson
from .options import plain_values
from .playing import Fault, Match, Playthrough, play
from .records import record_text, write_record
from .reference import Reference
from .stream import Stream

EngineName = Literal["native", "reference"]
"""Machine code, or the engine that is right where the two differ."""

PORTION = 100
"""The most games a worker gets at a time."""

ALONE = 0.5
"""So many seconds are played before other processes are started, unless their number was given."""

MOST_FAULTS = 100
"""More different faults than this in one portion are only counted."""


class WorkerLost(Exception):
    """A process that played games ended without a word."""


@attrs.frozen
class Found:
    """A fault, the shortest game that led to it, and how many did."""

    fault: Fault
    games: int
    game: int
    steps: int
    record: str

    def merge(self, other: "Found") -> "Found":
        """Both together."""
        shorter = min(self, other, key=lambda found: (found.steps, found.game))
        return attrs.evolve(shorter, games=self.games + other.games)


@attrs.define
class Figures:
    """What many games of a match came to."""

    players: int
    teams: int | None = None
    """How many teams the seats belong to, in turn; a team that wins together has won alone."""
    games: int = 0
    """Games played, with those that a fault stopped."""
    finished: int = 0
    """Games that came to their end. Every figure below is about these."""
    scores: list[Tally] = attrs.field(factory=list)
    """By seat; stays empty where the rules have no score."""
    wins: list[int] = attrs.field(factory=list)
    """By seat: games won alone."""
    shared_wins: list[int] = attrs.field(factory=list)
    """By seat: games shared at the top."""
    turns: Tally = attrs.field(factory=Tally)
    decisions: Tally = attrs.field(factory=Tally)
    measures: dict[str, Sampled] = attrs.field(factory=dict)
    faults: dict[Fault, Found] = attrs.field(factory=dict)
    interrupted: bool = False

    def __attrs_post_init__(self) -> None:
        self.wins = self.wins or [0] * self.players
        self.shared_wins = self.shared_wins or [0] * self.players

    def add(self, played: Playthrough) -> None:
        """Count a game."""
        self.games += 1
        if played.result is None:
            return
        self.finished += 1
        if played.result.scores is not None:
            self.scores = self.scores or [Tally() for _ in range(self.players)]
            for tally, score in zip(self.scores, played.result.scores, strict=True):
                tally.add(score)
        winners = played.result.winners
        alone = len({seat % (self.teams or self.players) for seat in winners}) == 1
        for seat in winners:
            (self.wins if alone else self.shared_wins)[seat] += 1
        self.turns.add(played.turns)
        self.decisions.add(played.decisions)
        for name, values in played.samples.items():
            self.measures.setdefault(name, Sampled()).add_game(values)

    def add_fault(self, match: Match, game: int, played: Playthrough) -> None:
        """Keep a game that a fault stopped, if it shows one not seen yet or is shorter."""
        assert played.fault is not None
        length = len(played.answers)
        known = self.faults.get(played.fault)
        if known is None and len(self.faults) >= MOST_FAULTS:
            return
        if known is not None and length >= known.steps:
            self.faults[played.fault] = attrs.evolve(known, games=known.games + 1)
            return
        record = record_text(write_record(match, game, played))
        self.faults[played.fault] = Found(played.fault, 1 if known is None else known.games + 1, game, length, record)

    def merge(self, other: "Figures") -> None:
        """Count everything another batch has counted."""
        self.games += other.games
        self.finished += other.finished
        if other.scores:
            self.scores = self.scores or [Tally() for _ in range(self.players)]
            for tally, more in zip(self.scores, other.scores, strict=True):
                tally.merge(more)
        for seat in range(self.players):
            self.wins[seat] += other.wins[seat]
            self.shared_wins[seat] += other.shared_wins[seat]
        self.turns.merge(other.turns)
        self.decisions.merge(other.decisions)
        for name, sampled in other.measures.items():
            self.measures.setdefault(name, Sampled()).merge(sampled)
        for fault, found in other.faults.items():
            self.faults[fault] = self.faults[fault].merge(found) if fault in self.faults else found
        self.interrupted |= other.interrupted


Progress = Callable[[int], None]
"""Is told how many games are done."""


def simulate(
    match: Match,
    games: int,
    jobs: int | None = None,
    progress: Progress | None = None,
    engine: EngineName = "native",
) -> Figures:
    """The figures of `games` games, played in `jobs` threads as machine code, or in `jobs` processes.

    The reference engine plays where agents have to be asked outside, or where no machine code can be run; it has other
    processes help where the machine has more than one core and it takes a while. Interrupted from the keyboard, it
    gives what there is, and `interrupted` says so.

    Raises:
        AgentError: an agent did not answer, or not with an option.
        WorkerLost: a process died.
    """
    figures = Figures(match.players, match.game.teams)
    if engine_for(match, engine) == "native":
        from .native.batches import play_many, seated

        seats = seated(match)
        assert seats is not None
        play_many(match, seats, games, jobs or cores(), figures, progress)
        return figures
    portions = _portions(games)
    patience = ALONE if jobs is None else 0.0 if jobs > 1 else float("inf")
    jobs = cores() if jobs is None else jobs
    try:
        _here(match, portions, figures, patience if jobs > 1 else float("inf"), progress)
    except KeyboardInterrupt:
        figures.interrupted = True
        return figures
    rest = list(portions)
    if rest:
        _elsewhere(match, rest, figures, min(jobs, len(rest)), progress)
    return figures


def engine_for(match: Match, wanted: EngineName) -> EngineName:
    """The engine that plays a match if this one is wanted."""
    if wanted == "native":
        from .native import is_there

        if is_there():
            from .native.batches import seated

            if seated(match) is not None:
                return "native"
    return "reference"


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _portions(games: int) -> Iterator[range]:
    """The games in portions, of a size that depends on nothing but their number."""
    size = max(1, min(PORTION, games // 16))
    return (range(start, min(start + size, games)) for start in range(0, games, size))


def _here(
    match: Match, portions: Iterator[range], figures: Figures, patience: float, progress: Progress | None
) -> None:
    """Play portions in this process while patience lasts."""
    if patience <= 0:
        return
    engine = match.engine()
    begun = time.monotonic()
    for portion in portions:
        for _ in _play(match, engine, portion, figures):
            if progress is not None:
                progress(figures.games)
        if time.monotonic() - begun > patience:
            break


def _play(match: Match, engine: Reference, portion: range, figures: Figures) -> Generator[None]:
    """One game of a portion after the other, counted."""
    agents = match.seated(engine)
    with closing(agents):
        for game in portion:
            try:
                played = play(engine, agents, Stream(match.seed, game), match.limits.decisions)
            except AgentError as error:
                raise AgentError(error.agent, error.seat, error.decision, error.what, game) from error
            figures.add(played)
            if played.fault is not None:
                figures.add_fault(match, game, played)
            yield


def figure(figures: Figures, claim: rules.Claim) -> Interval | None:
    """The figure that a claim is about; None where no game gave one."""
    seat = claim.of - 1 if isinstance(claim.of, int) else 0
    if seat >= figures.players:
        return None
    match claim.figure:
        case "win_rate":
            return wilson(figures.wins[seat], figures.finished)
        case "shared_rate":
            return wilson(figures.shared_wins[seat], figures.finished)
        case "mean_score":
            return figures.scores[seat].interval if figures.scores else None
        case "mean":
            return figures.measures.get(str(claim.of), Sampled()).interval
        case "turns":
            return figures.turns.interval
        case "decisions":
            return figures.decisions.interval


# ---- in other processes --------------------------------------------------------------------------------


@attrs.define
class _Worker:
    """What a process that plays games keeps."""

    match: bytes
    stop: Event
    ready: tuple[Match, Reference] | None = None


_worker: _Worker | None = None


def _start(match: bytes, stop: Event) -> None:
    global _worker
    _worker = _Worker(match, stop)


def _portion(portion: range) -> Figures:
    assert _worker is not None
    if _worker.ready is None:  # not in _start: what goes wrong here is told to whoever waits for the portion
        match: Match = pickle.loads(_worker.match)
        _worker.ready = match, match.engine()
    match, engine = _worker.ready
    figures = Figures(match.players, match.game.teams)
    with contextlib.closing(_play(match, engine, portion, figures)) as playing:
        while not _worker.stop.is_set() and next(playing, playing) is not playing:
            pass
    return figures


def _elsewhere(match: Match, portions: list[range], figures: Figures, jobs: int, progress: Progress | None) -> None:
    """Play portions in other processes."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(jobs, context, _start, (pickle.dumps(match), stop))
    waiting: set[Future[Figures]] = set()
    done: set[Future[Figures]] = set()
    try:
        with _deaf():
            waiting = {pool.submit(_portion, portion) for portion in portions}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            while done:
                figures.merge(done.pop().result())
                if progress is not None:
                    progress(figures.games)
    except KeyboardInterrupt:
        figures.interrupted = True
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
        for future in waiting | done:
            if future.done() and not future.cancelled():
                figures.merge(future.result())
    except BrokenProcessPool:
        raise WorkerLost("a process that played games has died before its time") from None
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """A stretch in which Ctrl-C is not heard, and processes are started that never hear it: we are told."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# ---- as plain data -------------------------------------------------------------------------------------


def summary(match: Match, figures: Figures, seconds: float) -> dict[str, Any]:
    """The figures as plain data for JSON, in the shape that `docs/cli.md` promises."""
    measures = {measure.name: figures.measures.get(measure.name, Sampled()) for measure in match.game.measures}
    data: dict[str, Any] = {
        "ruleset": match.ruleset,
        "players": match.players,
        "games": figures.games,
        "seed": match.seed,
        "agents": [recipe.name for recipe in match.agents],
        "options": plain_values(match.game, match.layout().options),
        "seats": [_seat(figures, seat) for seat in range(match.players)],
        "turns": _spread(figures.turns),
        "decisions": _spread(figures.decisions),
        "measures": {name: _measure(sampled) for name, sampled in measures.items()},
        "faults": [_found(found) for found in found_faults(figures)],
        "seconds": round(seconds, 3),
    }
    if figures.interrupted:
        data["interrupted"] = True
    return data


def found_faults(figures: Figures) -> list[Found]:
    """The faults, the most frequent first."""
    return sorted(figures.faults.values(), key=lambda found: (-found.games, found.game))


def _seat(figures: Figures, seat: int) -> dict[str, Any]:
    return {
        "seat": seat + 1,
        "score": _spread(figures.scores[seat]) if figures.scores else None,
        "wins": _share(figures.wins[seat], figures.finished),
        "shared_wins": _share(figures.shared_wins[seat], figures.finished),
    }


def _share(hits: int, tries: int) -> dict[str, float | None]:
    share = wilson(hits, tries)
    if share is None:
        return {"share": None, "low": None, "high": None}
    return {"share": share.estimate, "low": share.low, "high": share.high}


def _spread(tally: Tally) -> dict[str, float | int | None]:
    mean = tally.mean
    if mean is None:
        return {"mean": None, "sd": None, "min": None, "max": None}
    return {"mean": float(mean), "sd": tally.sd, "min": tally.low, "max": tally.high}


def _measure(sampled: Sampled) -> dict[str, Any]:
    histogram = {str(value): count for value, count in sampled.histogram.items()}
    return {"n": sampled.n, **_spread(sampled), "histogram": histogram}


def _found(found: Found) -> dict[str, Any]:
    return {**attrs.asdict(found.fault), "games": found.games, "game": found.game, "record": found.record}
