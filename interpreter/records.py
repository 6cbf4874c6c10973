"""A game written down as text, and played again from that text.

A record holds what was played (ruleset, options, players, seed, agents), every answer in words, and the end.
Where words do not give an answer back (a face-down chip among several), its number stands before them. A
record is for people first: it can be read, shortened and written by hand. Its form stands in
`docs/records.md`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import attrs

from ..dsl import rules
from .engine import Answer, Chance, Decision, IllegalAnswer, Result, RulesFault, Table
from .options import read_options, value_text
from .outline import players
from .playing import Fault, Limits, Match, Playthrough, is_decision, too_long
from .reference import Reference
from .state import State

FORM = "regelwerk record 1"
"""The first line of every record."""


class RecordError(ValueError):
    """A text is no record; the message says where and why."""


class Inapplicable(Exception):
    """A record cannot be played with these rules; the message says from where on and why."""


@attrs.frozen
class Step:
    """One answer."""

    name: str
    """The request's name."""
    seat: int | None
    """Who decided, from 1; None for chance."""
    text: str
    """The answer in words."""
    raw: tuple[int, ...] | None = None
    """The answer's number, or numbers, where the words alone do not give it back."""
    phases: tuple[str, ...] = attrs.field(default=(), eq=False)
    """Where in the rules it was asked for. Not read back."""

    def __str__(self) -> str:
        seat = "" if self.seat is None else f"seat {self.seat} "
        raw = "" if self.raw is None else f" #{','.join(map(str, self.raw))}"
        return f"{seat}{self.name}{raw}: {self.text}".rstrip()


@attrs.frozen
class Ending:
    """How a recorded game ended. With neither winners nor a fault it was stopped."""

    scores: tuple[int, ...] | None = None
    winners: tuple[int, ...] | None = None
    """Seats from 1."""
    fault: Fault | None = None

    @classmethod
    def of(cls, result: Result | None, fault: Fault | None) -> "Ending":
        """The end of a game that gave this result or broke off with this fault."""
        if result is None:
            return cls(fault=fault)
        return cls(result.scores, tuple(seat + 1 for seat in result.winners))

    def same(self, other: "Ending") -> bool:
        """Whether both are the same end. A fault may have moved to another line."""
        if self.fault and other.fault:
            return self.fault.message == other.fault.message
        return self == other

    def __str__(self) -> str:
        if self.fault:
            return f"a fault: {self.fault}"
        if self.winners is None:
            return "stopped"
        scores = "" if self.scores is None else f"scores {', '.join(map(str, self.scores))}; "
        seats = " and ".join(f"seat {seat}" for seat in self.winners)
        return f"{scores}{f'won by {seats}' if seats else 'nobody won'}"


@attrs.frozen
class Record:
    """A game as it was played."""

    ruleset: str
    title: str
    fingerprint: str
    players: int
    options: Mapping[str, str]
    seed: int
    game: int
    agents: tuple[str, ...]
    limits: Limits
    steps: tuple[Step, ...]
    ending: Ending


# ---- writing -------------------------------------------------------------------------------------------


def write_record(match: Match, game: int, played: Playthrough) -> Record:
    """The record of a game that was just played."""
    engine = match.engine()
    return Record(
        ruleset=match.ruleset,
        title=match.game.title,
        fingerprint=match.fingerprint,
        players=match.players,
        options={o.name: value_text(o, engine.options[o.name]) for o in match.game.options},
        seed=match.seed,
        game=game,
        agents=tuple(recipe.name for recipe in match.agents),
        limits=match.limits,
        steps=tuple(steps(engine, played.answers)),
        ending=Ending.of(played.result, played.fault),
    )


def steps(engine: Reference, answers: Sequence[int | Answer]) -> Iterator[Step]:
    """The answers of a game in words, by playing it again up to the last one."""
    if not answers:
        return
    table = engine.table()
    for number, answer in enumerate(answers, start=1):
        request = table.request()
        assert request is not None
        yield step(request, answer)
        if number < len(answers):
            table.answer(answer)


def step(request: Decision | Chance, answer: int | Answer) -> Step:
    """An answer in words."""
    text = " ".join(_text(request, answer).split())
    exact = True
    try:
        exact = request.find(_items(text)) == answer
    except LookupError:
        exact = False
    raw = None if exact else (answer,) if isinstance(answer, int) else answer
    owner: int | None = getattr(request, "owner", None)
    return Step(request.name, None if owner is None else owner + 1, text, raw, request.phases)


def _text(request: Decision | Chance, answer: int | Answer) -> str:
    return request.text(answer)  # type: ignore[arg-type]  # a decision gets a number, chance a tuple


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")] if text.strip() else []


def record_text(record: Record) -> str:
    """A record as text."""
    return "\n".join(_lines(record)) + "\n"


def _lines(record: Record) -> Iterator[str]:
    yield FORM
    yield f"ruleset: {record.ruleset}"
    yield f"title: {record.title}"
    yield f"fingerprint: {record.fingerprint}"
    yield f"players: {record.players}"
    for name, value in record.options.items():
        yield f"option {name}: {value}"
    yield f"seed: {record.seed}"
    yield f"game: {record.game}"
    for seat, agent in enumerate(record.agents, start=1):
        yield f"agent {seat}: {agent}"
    yield f"limit decisions: {record.limits.decisions}"
    yield f"limit steps: {record.limits.steps}"
    phases: tuple[str, ...] | None = None
    for number, taken in enumerate(record.steps, start=1):
        if taken.phases != phases:
            phases = taken.phases
            yield ""
            if phases:
                yield f"# {' > '.join(phases)}"
        yield f"{number}. {taken}"
    yield ""
    ending = record.ending
    if ending.fault:
        yield f"fault: {ending.fault.message}"
        yield f"at: {ending.fault.file}:{ending.fault.line}"
        yield f"phase: {ending.fault.phase}".rstrip()
    elif ending.winners is None:
        yield "stopped"
    else:
        if ending.scores is not None:
            yield f"scores: {', '.join(map(str, ending.scores))}"
        yield f"winners: {', '.join(map(str, ending.winners)) or 'nobody'}"


# ---- reading -------------------------------------------------------------------------------------------


MOST_PLAYERS = 99
"""The language knows no games for more."""

STEP = re.compile(r"(\d{1,9})\. (?:seat (\d{1,9}) )?(\w+)(?: #(-?\d{1,4000}(?:,-?\d{1,4000})*|))?:(?: (.*))?")
ENTRY = re.compile(r"([a-z]+)(?: (\w+))?:(?: (.*))?")


def read_record(text: str) -> Record:
    """The record that a text holds.

    Raises:
        RecordError: it holds none.
    """
    lines = text.splitlines()
    if not lines or lines[0].strip() != FORM:
        raise RecordError(f"line 1: a record begins with `{FORM}`")
    entries: dict[str, str] = {}
    taken: list[Step] = []
    for number, line in enumerate(lines[1:], start=2):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if found := STEP.fullmatch(line):
            if int(found[1]) != len(taken) + 1:
                raise RecordError(f"line {number}: step {len(taken) + 1} should come here, not {found[1]}")
            taken.append(_read_step(found))
        elif line == "stopped":
            entries["stopped"] = ""
        elif found := ENTRY.fullmatch(line):
            entries[" ".join(filter(None, found.groups()[:2]))] = found[3] or ""
        else:
            raise RecordError(f"line {number}: neither a setting nor a step: {line}")
    try:
        return _record(entries, tuple(taken))
    except KeyError as error:
        raise RecordError(f"the line `{error.args[0]}: …` is missing") from None
    except ValueError as error:
        raise RecordError(str(error)) from None


def _read_step(found: "re.Match[str]") -> Step:
    raw = None if found[4] is None else tuple(int(n) for n in found[4].split(",") if n)
    return Step(found[3], int(found[2]) if found[2] else None, found[5] or "", raw)


def _record(entries: Mapping[str, str], taken: tuple[Step, ...]) -> Record:
    seats = int(entries["players"])
    if not 1 <= seats <= MOST_PLAYERS:
        raise ValueError(f"no game is for {seats} players")
    return Record(
        ruleset=entries["ruleset"],
        title=entries.get("title", ""),
        fingerprint=entries.get("fingerprint", ""),
        players=seats,
        options={key[7:]: value for key, value in entries.items() if key.startswith("option ")},
        seed=int(entries.get("seed", 1)),
        game=int(entries.get("game", 0)),
        agents=tuple(entries.get(f"agent {seat}", "?") for seat in range(1, seats + 1)),
        limits=Limits(
            decisions=int(entries.get("limit decisions", Limits().decisions)),
            steps=int(entries.get("limit steps", Limits().steps)),
        ),
        steps=taken,
        ending=_ending(entries),
    )


def _ending(entries: Mapping[str, str]) -> Ending:
    if "fault" in entries:
        file, _, line = entries.get("at", "?:0").rpartition(":")
        return Ending(fault=Fault(entries["fault"], file, int(line), entries.get("phase", "")))
    if "winners" not in entries:
        return Ending()
    return Ending(
        scores=_numbers(entries["scores"]) if "scores" in entries else None,
        winners=() if entries["winners"] == "nobody" else _numbers(entries["winners"]),
    )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(",") if number.strip())


# ---- playing again -------------------------------------------------------------------------------------


@attrs.frozen
class Replay:
    """What came of playing a record again."""

    changed: bool
    """Whether the rules are others than when it was written down."""
    steps: tuple[Step, ...]
    """The steps that were played."""
    state: State | None
    """Where play stands now; None when it has not even begun."""
    request: Decision | Chance | None
    """What it waits for now."""
    ending: Ending
    """How it ended, if it did."""
    problem: str | None
    """Why it could not be played on, or in what its end differs."""
    complete: bool
    """Whether the whole record was to be played."""

    @property
    def same(self) -> bool | None:
        """Whether the game went and ended as recorded; None when it was stopped before its end."""
        if self.problem is not None:
            return False
        return True if self.complete else None


def engine_for(record: Record, game: rules.Game) -> Reference:
    """The engine to play a record with.

    Raises:
        Inapplicable: the rules have not these options, or not for so many players.
    """
    least, most = game.players
    if not least <= record.players <= most:
        raise Inapplicable(f"it was played by {record.players}, and {game.title} is for {players(game)}")
    try:
        values = read_options(game, record.options.items())
        return Reference(game, record.players, values, limit=record.limits.steps)
    except ValueError as error:
        raise Inapplicable(str(error)) from None


def replay(
    record: Record,
    game: rules.Game,
    fingerprint: str,
    until: int | None = None,
    watch: Callable[[Step], None] | None = None,
) -> Replay:
    """A record played again, up to step `until` or its end."""
    played: list[Step] = []
    complete = until is None
    wanted = record.steps if until is None else record.steps[:until]
    table: Table | None = None
    request: Decision | Chance | None = None
    fault: RulesFault | None = None
    problem: str | None = None
    decisions = 0
    try:
        table = engine_for(record, game).table()
        request = table.request()
        for taken in wanted:
            answer = answer_of(request, taken, len(played) + 1)
            assert request is not None
            decisions += is_decision(request)
            played.append(step(request, answer))
            if watch is not None:
                watch(played[-1])
            table.answer(answer)
            request = table.request()
        if complete and request and is_decision(request) and decisions >= record.limits.decisions:
            raise too_long(request, record.limits.decisions)
    except RulesFault as error:
        fault, request = error, None
    except Inapplicable as error:
        problem = str(error)
    ending = Ending()
    if fault is not None:
        ending = Ending(fault=Fault.of(fault))
    elif table is not None and request is None:
        ending = Ending.of(table.result(), None)
    if problem is None and (complete or fault is not None):
        problem = _difference(record, len(played), ending)
    state = table.freeze() if table else None
    return Replay(fingerprint != record.fingerprint, tuple(played), state, request, ending, problem, complete)


def answer_of(request: Decision | Chance | None, taken: Step, number: int) -> int | Answer:
    """The recorded answer, as these rules read it.

    Raises:
        Inapplicable: they ask for something else, or it is no answer.
    """
    where = f"step {number} ({taken})"
    if request is None:
        raise Inapplicable(f"{where}: the game is over by then")
    owner: int | None = getattr(request, "owner", None)
    asked = request.name if owner is None else f"seat {owner + 1} {request.name}"
    wanted = taken.name if taken.seat is None else f"seat {taken.seat} {taken.name}"
    if asked != wanted:
        raise Inapplicable(f"{where}: the rules ask for `{asked}` here, at {request.span}")
    if taken.raw is not None:
        raw = taken.raw[0] if owner is not None and taken.raw else taken.raw
        try:
            if " ".join(_text(request, raw).split()) == taken.text:
                return raw
        except (IllegalAnswer, LookupError, TypeError, ValueError):
            pass
    try:
        return request.find(_items(taken.text))
    except LookupError as error:
        raise Inapplicable(f"{where}: {error}") from None


def _difference(record: Record, played: int, ending: Ending) -> str | None:
    if played < len(record.steps):
        return f"after step {played} of {len(record.steps)} came {ending}"
    if ending.same(record.ending):
        return None
    if ending == Ending():
        return f"recorded was {record.ending}, but after the last step the game goes on"
    return f"recorded was {record.ending}; now it is {ending}"
