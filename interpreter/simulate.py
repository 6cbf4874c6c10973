"""Many games from one seed: counted, not printed.

Game `i` depends on the seed and on `i` alone, everything is counted in whole numbers, and games go to workers
in portions whose size does not depend on the number of workers. So the figures are the same for every number
of workers, also with agents that remember: they are made anew for every portion.
"""

import os
from collections.abc import Callable
from typing import Any, Literal

import attrs

from ..dsl import rules
from .figures import Interval, Sampled, Tally, wilson
from .options import plain_values
from .playing import Fault, Match, Playthrough

EngineName = Literal["native", "reference"]
"""Machine code, or the engine that is right where the two differ."""

MOST_FAULTS = 100
"""More different faults than this in one portion are only counted."""


class WorkerLost(Exception):
    """A process that played games ended without a word."""


class OutOfTime(Exception):
    """A game takes too long."""


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
        from .records import record_text, write_record

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
        OutOfTime: a game takes too long.
        TooLarge: a game needs too much memory for machine code.
    """
    figures = Figures(match.players, match.game.teams)
    # Only what plays is imported: other processes and the reference engine are not wanted with machine code.
    if engine_for(match, engine) == "native":
        from .native import batches as native

        seats = native.seated(match)
        assert seats is not None
        native.play_many(match, seats, games, jobs or cores(), figures, progress)
    else:
        from . import batches

        batches.play_many(match, games, jobs, figures, progress)
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
