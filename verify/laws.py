"""Laws that hold in every game of every ruleset, looked at on a position or on a game being played.

They are about rules and engine together: that options and answers agree, that chances add up to one, that nothing but
an answer changes a game, and that games and positions can be written down. Each function gives the names of the
properties that do not hold, with what is wrong.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from ..dsl import Ruleset, damage
from ..interpreter import (
    Answer,
    Chance,
    Decision,
    IllegalAnswer,
    Reference,
    Result,
    RulesFault,
    State,
    Stream,
    Table,
)
from ..interpreter.options import value_text
from ..interpreter.playing import Fault, Limits, is_decision
from ..interpreter.records import Ending, Record, read_record, record_text, replay, steps
from ..interpreter.view import view
from .twins import spread

NOTHING_AFTER_THE_END = "nothing is asked after the end"
ANSWERS_AGREE = "options and answers agree"
CHANCES_ADD_UP = "chances add up to one"
SAME_GAME = "the same answers give the same game"
LOOKING = "looking changes nothing"
EARLIER = "playing on changes no earlier position"
WRITTEN = "positions survive being written down"
REPLAYS = "a record replays"
FORMATTED = "the text survives being formatted"
WINNERS = "the winners are well defined"
STILL_IN = "only players still in take turns"

Breach = tuple[str, str]
"""A property's name, and what is wrong."""

MOST_OPTIONS = 40
"""Options that are looked at; of more, so many spread evenly."""

MOST_PLAYED = 3
"""Answers that are played from a position; of more, so many spread evenly."""

MOST_OUTCOMES = 2_000
"""Outcomes that are counted; of more, only that they are different and likely to some degree."""


def check_position(engine: Reference, state: State) -> Iterator[Breach]:
    """What does not hold at a position. A fault in the rules there is for others to report."""
    text = engine.to_text(state)
    try:
        request = engine.pending(state)
    except RulesFault:
        return
    yield from _looking(engine, state)
    again: State | None = None
    try:
        again = engine.from_text(text)
    except ValueError as error:
        yield WRITTEN, f"the text of a position cannot be read: {error}"
    if again is not None:
        yield from _written(engine, state, text, again)
    if request is None:
        yield from _end(engine, state)
    elif is_decision(request):
        yield from _decision(engine, state, request)
    else:
        yield from _chance(request)  # type: ignore[arg-type]  # Python 3.11 knows no TypeIs
    if request is not None:
        yield from _played(engine, state, again, request)
    if engine.to_text(state) != text:
        yield EARLIER, "a position is no longer what it was"


# ---- looking -------------------------------------------------------------------------------------------


def _looking(engine: Reference, state: State) -> Iterator[Breach]:
    table = engine.table(state)
    asked, m, events = _asked(table.request()), list(table.m[: len(state.values)]), list(table.events)
    for seat in range(engine.players):
        if view(table, seat) != engine.view(state, seat):
            yield LOOKING, f"player {seat + 1} looks twice and sees two things"
    if table.result() != engine.result(state):
        yield LOOKING, "scores looked at twice are not the same"
    if table.m[: len(state.values)] != m or table.events != events or table.freeze() != state:
        yield LOOKING, "what is on the table has changed"
    elif _asked(table.request()) != asked:
        yield LOOKING, "something else is asked"


def _asked(request: Decision | Chance | None) -> Any:
    """A request as plain data."""
    if request is None:
        return None
    if is_decision(request):
        return request.name, request.owner, len(request), [request.text(number) for number in _numbers(request)]
    return request.name, list(islice(request.outcomes(), MOST_OPTIONS))  # type: ignore[union-attr]  # no TypeIs


def _numbers(decision: Decision) -> Sequence[int]:
    return spread(range(len(decision)), MOST_OPTIONS)


# ---- writing -------------------------------------------------------------------------------------------


def _written(engine: Reference, state: State, text: str, again: State) -> Iterator[Breach]:
    if again != state or hash(again) != hash(state):
        yield WRITTEN, "the position read back is another"
    elif engine.to_text(again) != text:
        yield WRITTEN, "written down again, the position reads differently"
    elif _asked(engine.pending(again)) != _asked(engine.pending(state)):
        yield WRITTEN, "at the position read back something else is asked"


# ---- requests ------------------------------------------------------------------------------------------


def _decision(engine: Reference, state: State, decision: Decision) -> Iterator[Breach]:
    still_in = state.values[0]
    if decision.owner not in still_in:
        yield STILL_IN, f"player {decision.owner + 1} is out, and decides {decision.name}"
    seen: dict[str, int] = {}
    for number in _numbers(decision):
        text = decision.text(number)
        if text in seen:
            yield ANSWERS_AGREE, f"options {seen[text] + 1} and {number + 1} of {decision.name} both read `{text}`"
        seen[text] = number
        try:
            found = decision.find([part.strip() for part in text.split(",")])
        except LookupError as error:
            yield ANSWERS_AGREE, f"`{text}` is an option of {decision.name}, and is not found: {error}"
            continue
        if found != number:
            yield ANSWERS_AGREE, f"`{text}` is option {number + 1} of {decision.name}, and option {found + 1} is found"
    for number in (-1, len(decision)):
        if (_played_to(engine, state, number)) is not None:
            yield ANSWERS_AGREE, f"{decision.name} has {len(decision)} options, and {number} is taken for one"


def _chance(chance: Chance) -> Iterator[Breach]:
    outcomes = list(islice(chance.outcomes(), MOST_OUTCOMES + 1))
    total = sum((likely for _, likely in outcomes), Fraction(0))
    if any(likely <= 0 for _, likely in outcomes):
        yield CHANCES_ADD_UP, f"an outcome of {chance.name} has no chance"
    if len({answer for answer, _ in outcomes}) < len(outcomes):
        yield CHANCES_ADD_UP, f"an outcome of {chance.name} is listed twice"
    if total != 1 if len(outcomes) <= MOST_OUTCOMES else total > 1:
        yield CHANCES_ADD_UP, f"the chances of {chance.name} add up to {total}"
    if len(outcomes) <= MOST_OUTCOMES and chance.sample(Stream(1)) not in dict(outcomes):
        yield ANSWERS_AGREE, f"{chance.name} gives an outcome that is not listed"


# ---- answers -------------------------------------------------------------------------------------------


Played = tuple[State, tuple[Any, ...], Result | None] | str
"""The next position, what happened on the way, and at the end of the game its result; or the fault."""


def _played_to(engine: Reference, state: State, answer: int | Answer) -> Played | None:
    """What comes of an answer; None where there is no such answer."""
    try:
        after, events = engine.step(state, answer)
        return after, events, None if engine.pending(after) is not None else engine.result(after)
    except RulesFault as error:
        return str(Fault.of(error))
    except IllegalAnswer:
        return None


def _answers(request: Decision | Chance) -> Sequence[int | Answer]:
    if is_decision(request):
        return spread(range(len(request)), MOST_PLAYED)
    outcomes = islice(request.outcomes(), MOST_OPTIONS)  # type: ignore[union-attr]  # Python 3.11 knows no TypeIs
    return spread([answer for answer, _ in outcomes], MOST_PLAYED)


def _played(engine: Reference, state: State, again: State | None, request: Decision | Chance) -> Iterator[Breach]:
    for answer in _answers(request):
        then = _played_to(engine, state, answer)
        if then is None:
            yield ANSWERS_AGREE, f"{answer!r} is an answer to {request.name}, and is refused"
            continue
        if _played_to(engine, state, answer) != then:
            yield SAME_GAME, f"the same answer to {request.name} gives two positions"
        table = engine.table(state)
        table.request()
        if _at(table, answer) != then:
            yield SAME_GAME, f"answered at a table, {request.name} gives another position"
        if again is not None and _played_to(engine, again, answer) != then:
            yield WRITTEN, f"a position read back plays on differently after {request.name}"


def _at(table: Table, answer: int | Answer) -> Played:
    try:
        table.answer(answer)
        return table.freeze(), tuple(table.events), None if table.request() is not None else table.result()
    except RulesFault as error:
        return str(Fault.of(error))


# ---- the end -------------------------------------------------------------------------------------------


def _end(engine: Reference, state: State) -> Iterator[Breach]:
    result = engine.result(state)
    winners, seats = result.winners, range(engine.players)
    if list(winners) != sorted(set(winners)) or not set(winners) <= set(seats):
        yield WINNERS, f"the winners are {winners}"
    elif engine.game.teams is None and not set(winners) <= set(state.values[0]):
        yield WINNERS, f"players {', '.join(str(seat + 1) for seat in winners)} win, and not all of them are still in"
    elif engine.game.winner == () and winners:
        yield WINNERS, "the rules name no winner, and there is one"
    if (result.scores is None) != (engine.game.score is None):
        yield WINNERS, "there are scores without a rule for them, or none where there is one"
    elif result.scores is not None and len(result.scores) != engine.players:
        yield WINNERS, f"there are {len(result.scores)} scores for {engine.players} players"
    table = engine.table(state)
    try:
        table.answer(0)
    except IllegalAnswer:
        return
    yield NOTHING_AFTER_THE_END, "the game is over, and takes an answer"


# ---- games and texts -----------------------------------------------------------------------------------


def check_game(engine: Reference, answers: Sequence[int | Answer]) -> Iterator[Breach]:
    """Whether a game, up to a fault in the rules, can be written down and played again."""
    table, fault, played = None, None, 0
    try:
        table = engine.table()
        table.request()
        for played, answer in enumerate(answers, 1):  # noqa: B007  # a fault may stop it before the last one
            table.answer(answer)
            table.request()
    except RulesFault as error:
        fault = Fault.of(error)
    over = table is not None and fault is None and table.request() is None
    record = Record(
        ruleset="",
        title=engine.game.title,
        fingerprint="",
        players=engine.players,
        options={option.name: value_text(option, engine.options[option.name]) for option in engine.game.options},
        seed=1,
        game=0,
        agents=("?",) * engine.players,
        limits=Limits(steps=engine.limit),
        steps=tuple(steps(engine, answers[:played])),
        ending=Ending.of(table.result() if table is not None and over else None, fault),
    )
    read = read_record(record_text(record))
    if read != record:
        yield REPLAYS, "the record read back is another"
        return
    again = replay(read, engine.game, "")
    if not again.same:
        yield REPLAYS, again.problem or "it does not come to its end"
    elif table is not None and fault is None and again.state != table.freeze():
        yield REPLAYS, "played again, it ends in another position"


def check_text(ruleset: Ruleset) -> Iterator[Breach]:
    """Whether the texts of a ruleset say the same in the house style."""
    for source in ruleset.sources:
        if (wrong := damage(source)) is not None:
            yield FORMATTED, f"{source.name}: {wrong}"
