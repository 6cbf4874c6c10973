"""Games as a strategy for Hypothesis, for tests of your own; needs Hypothesis, as `docs/testing.md` says.

    @given(plays("my.rules"))
    def test_nothing_is_broken(play):
        assert play.broken is None

A whole game is drawn at once, decisions and chance alike, and of the numbers that an answer is drawn from the lowest
brings the end nearest: so what Hypothesis shrinks to is a short game. Dice that it throws are not fair.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import attrs

from ..dsl import Ruleset, load
from ..interpreter import (
    Answer,
    Broken,
    Chance,
    Decision,
    Event,
    Readers,
    Reference,
    Result,
    RulesFault,
    State,
    Table,
    Watch,
)
from ..interpreter.options import read_options
from ..interpreter.playing import is_decision
from .explore import Budget
from .exports import record
from .progress import Progress
from .shorten import Shortest, shorten
from .tracks import Rising

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError("regelwerk.verify.plays needs Hypothesis: `pip install hypothesis`") from error

__all__ = ["Play", "plays", "positions"]

MOST_CHOICES = 4_000
"""Numbers that can be drawn for one game: Hypothesis takes no more than 8 KiB, and some need two bytes."""

MOST_ANSWERS = 10_000
"""Answers of one game, drawn or not."""

SHORTENING = 5.0
"""Seconds for making a game short."""

Options = Mapping[str, int | bool | str]


# ---- games ---------------------------------------------------------------------------------------------


@attrs.frozen(eq=False, repr=False)
class Play:
    """A game, up to its end, to where a property was broken first, or to where no more was drawn.

    Its `repr` is its record, so that what Hypothesis prints can be played again.
    """

    seats: "Seats"
    answers: tuple[int | Answer, ...]
    states: tuple[State, ...]
    """Where it was before the first answer and after each; none after an answer at which the rules break off."""
    broken: Broken | None = None
    """The property that was broken at its end: `property`, its name; `message`, what is wrong; `span`, the rule."""
    result: Result | None = None
    """How it ended; None if it is not over."""
    known: Shortest | None = None
    """How far was looked for a shorter one."""

    @property
    def engine(self) -> Reference:
        """What it was played with."""
        return self.seats.engine

    @property
    def state(self) -> State:
        """Where it is at its end."""
        return self.states[-1]

    @property
    def record(self) -> str:
        """The game as text that `regelwerk replay` runs."""
        return record(self.seats.ruleset, self.engine, self.answers)

    def shortest(self) -> "Play":
        """The shortest game that is known to break the same property.

        Raises:
            ValueError: no property is broken.
        """
        if self.broken is None:
            raise ValueError("this game breaks no property")
        return self.seats.shortest(self.answers, self.broken.property)

    def __repr__(self) -> str:
        text = f"\n{self.record}"
        if self.broken is not None:
            text += f"# {self.broken.property}: {self.broken.message}, {self.broken.span}\n"
        if self.known is not None:
            proved = "proved shortest" if self.known.proved else "not proved shortest"
            text += f"# {proved}: {self.known.examined:,} positions looked at\n"
        return text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What Hypothesis prints; without it, that would be every attribute."""
        printer.text(repr(self))


@attrs.define(eq=False, slots=False, repr=False)
class Seats:
    """A ruleset with so many players, ready to be played."""

    ruleset: Ruleset
    players: int
    options: Mapping[str, int | bool]
    _shortest: dict[str, Play] = attrs.Factory(dict)

    def __repr__(self) -> str:
        return f"{self.ruleset.name} with {self.players}"

    @cached_property
    def engine(self) -> Reference:
        """The engine, which only notes what is broken."""
        return Reference(self.ruleset.game, self.players, self.options, watch=Watch())

    @cached_property
    def _tracks(self) -> list[Rising]:
        return [Rising.of(self.engine, rule) for rule in self.ruleset.game.monotones]

    @cached_property
    def _unchecked(self) -> set[str]:
        return {each.name for each in self.ruleset.game.unchecked}

    def play(self, choose: Callable[[Decision | Chance], int | Answer | None], only: str | None = None) -> Play:
        """A game with these answers, up to where there is none, or a property is broken: any that is checked, or only
        the one with this name."""
        answers, states = list[int | Answer](), list[State]()
        broken: Broken | None = None
        result: Result | None = None
        try:
            table = self.engine.table()
            request = table.request()
            while True:
                states.append(table.freeze())
                broken = self._broken(table.events, only)
                before = [track.read(table) for track in self._tracks]
                if request is None:
                    result = table.result()
                answer = None if request is None or broken is not None else choose(request)
                if answer is None:
                    break
                answers.append(answer)
                table.events.clear()
                table.answer(answer)
                request = table.request()
                table.events += self._steps(before, table)
        except RulesFault as fault:
            broken = Broken(fault.property, fault.message, fault.span)
        return Play(self, tuple(answers), tuple(states), broken, result)

    def _broken(self, events: Sequence[Event], only: str | None) -> Broken | None:
        for event in events:
            if isinstance(event, Broken) and event.property not in self._unchecked and only in (None, event.property):
                return event
        return None

    def _steps(self, before: Sequence[Any], table: Table) -> Iterator[Broken]:
        """What a step breaks that may only increase, or only decrease."""
        for track, old in zip(self._tracks, before, strict=True):
            if (wrong := track.step(old, track.read(table))) is not None:
                yield Broken(track.name, wrong, track.span)

    def shortest(self, answers: Sequence[int | Answer], property: str) -> Play:
        """The shortest game known to break a property, as this one does; looked for once if it is proved then."""
        known = self._shortest.get(property)
        if known is not None and known.known is not None and (known.known.proved or len(known.answers) <= len(answers)):
            return known
        read = tuple(monotone.value for monotone in self.ruleset.game.monotones)
        keys, budget = self.engine.keys(Readers(always=read)), Budget(SHORTENING)
        short = (
            shorten(self.engine, keys, answers, property, budget, self._tracks) if answers else Shortest((), True, 0)
        )
        given = iter(short.answers)
        made = attrs.evolve(self.play(lambda request: next(given, None), property), known=short)
        self._shortest[property] = made
        return made


# ---- strategies ----------------------------------------------------------------------------------------


def plays(
    ruleset: Ruleset | str | Path,
    *,
    players: int | None = None,
    options: Options | None = None,
    max_choices: int = 1000,
) -> st.SearchStrategy[Play]:
    """Games of a ruleset, or of what `load` finds under this name or path.

    Without `players`, with every number of players that it is for. Values of options are numbers, yes or no as
    booleans, and names of members. A game is left where `max_choices` numbers have been drawn for its answers.

    Raises:
        RulesetError: the ruleset is not right.
        ValueError: a number of players, an option or a number of choices that cannot be.
    """
    return _plays(*_seats(ruleset, players, options), _most(max_choices), False)


def positions(
    ruleset: Ruleset | str | Path,
    *,
    players: int | None = None,
    options: Options | None = None,
    max_choices: int = 1000,
) -> st.SearchStrategy[Play]:
    """Games that are left somewhere, so that `state` is any position in a game; the arguments are those of `plays`."""
    return _plays(*_seats(ruleset, players, options), _most(max_choices), True)


def _seats(
    ruleset: Ruleset | str | Path, players: int | None, options: Options | None
) -> tuple[Sequence[Seats], Progress]:
    made = ruleset if isinstance(ruleset, Ruleset) else load(ruleset)
    texts = [
        (name, str(each).lower() if isinstance(each, bool) else str(each)) for name, each in (options or {}).items()
    ]
    least, most = made.game.players
    counts = range(least, most + 1) if players is None else [players]
    seats = [Seats(made, count, read_options(made.game, texts)) for count in counts]
    return seats, Progress(seats[0].engine)


def _most(max_choices: int) -> int:
    if not 1 <= max_choices <= MOST_CHOICES:
        raise ValueError(f"max_choices is from 1 to {MOST_CHOICES:,}, not {max_choices}")
    return max_choices


@st.composite
def _plays(draw: st.DrawFn, seats: Sequence[Seats], progress: Progress, max_choices: int, anywhere: bool) -> Play:
    """Games that are played to their end, or left anywhere."""
    chosen = seats[draw(_below(len(seats))) if len(seats) > 1 else 0]
    return chosen.play(_Drawing(draw, progress, max_choices, progress.length if anywhere else 0).answer)


@lru_cache(4096)
def _below(limit: int) -> st.SearchStrategy[int]:
    """Numbers below a limit; kept, since making a strategy costs more than drawing from it."""
    return st.integers(0, limit - 1)


@attrs.define
class _Drawing:
    """Answers for one game, from Hypothesis."""

    draw: st.DrawFn
    progress: Progress
    choices: int
    """Numbers that may be drawn."""
    length: int
    """After how many answers the game is left, on average; 0 if it is not left."""
    answers: int = MOST_ANSWERS
    drawn: int = 0
    request: Any = None

    def answer(self, request: Decision | Chance) -> int | Answer | None:
        """An answer; None if there were enough."""
        if self.drawn == self.choices or not self.answers or (self.length and not self._goes_on()):
            return None
        self.answers -= 1
        self.request = request
        answer: int | Answer = self.below(len(self.request)) if is_decision(request) else self.request.sample(self)
        return answer

    def _goes_on(self) -> bool:
        self.drawn += 1
        return self.draw(_below(self.length + 1)) > 0

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1, without a draw where there is no other."""
        if limit == 1:
            return 0
        before, place = self.drawn, 0
        if before < self.choices:
            place = self.draw(_below(limit))
            self.drawn += 1
        return self.progress.at(place, self.request, limit, before)
