"""Many games of a match on the reference engine: in this process, and in others where it takes a while."""

import contextlib
import multiprocessing
import pickle
import signal
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing.synchronize import Event

import attrs

from .agents import AgentError, closing
from .playing import Match, play
from .reference import Reference
from .simulate import Figures, Progress, WorkerLost, cores
from .stream import Stream

PORTION = 100
"""The most games a worker gets at a time."""

AHEAD = 4
"""So many portions wait for each process."""

ALONE = 0.5
"""So many seconds are played before other processes are started, unless their number was given."""


def play_many(match: Match, games: int, jobs: int | None, figures: Figures, progress: Progress | None) -> None:
    """Play games and count them; interrupted from the keyboard, it counts what there is, and says so.

    Raises:
        AgentError: an agent did not answer, or not with an option.
        WorkerLost: a process died.
    """
    portions = _portions(games)
    patience = ALONE if jobs is None else 0.0 if jobs > 1 else float("inf")
    jobs = cores() if jobs is None else jobs
    try:
        _here(match, portions, figures, patience if jobs > 1 else float("inf"), progress)
    except KeyboardInterrupt:
        figures.interrupted = True
        return
    if rest := list(islice(portions, jobs)):
        _elsewhere(match, chain(rest, portions), figures, len(rest), progress)


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


def _elsewhere(match: Match, portions: Iterator[range], figures: Figures, jobs: int, progress: Progress | None) -> None:
    """Play portions in other processes, so many at most."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(jobs, context, _start, (pickle.dumps(match), stop))
    waiting: set[Future[Figures]] = set()
    done: set[Future[Figures]] = set()
    try:
        with _deaf():
            waiting = {pool.submit(_portion, portion) for portion in islice(portions, AHEAD * jobs)}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            waiting |= {pool.submit(_portion, portion) for portion in islice(portions, len(done))}
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
