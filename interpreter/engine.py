"""What an engine promises: a game is a start, and a request answered again and again until it is over.

A request is a decision of one player or an event of chance. Nothing is random in here: whoever drives an
engine (a seeded stream, a record, a script, Hypothesis, a solver, a person) answers both.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

import attrs

from ..dsl import rules
from ..dsl.source import Span
from .state import State


class Draws(Protocol):
    """Where a driver takes even random numbers from."""

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""


MOST_OPTIONS, MOST_SETS = 1_000_000, 2**62
"""No decision has more options than this, which are listed one by one; or as many sets, which are only counted."""

Answer = tuple[int, ...]
"""What chance gave. A throw: the face shown by each thrown item, in the set's order, sorted among items
nobody could tell apart; a draw: the items drawn; a pick: the value (or the item) alone."""


class Request(Protocol):
    """What play waits for."""

    @property
    def name(self) -> str:
        """A decision's name; for chance `throw`, `draw` or `pick`."""

    @property
    def span(self) -> Span:
        """The rule that asks."""

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases around that rule, outermost first."""


class Decision(Request, Protocol):
    """A player has to choose. Options are numbered from 0 in a fixed order; an answer is such a number."""

    @property
    def owner(self) -> int:
        """The seat that decides, from 0."""

    def __len__(self) -> int:
        """How many options there are: counted, never listed, for choices of sets."""

    def option(self, number: int) -> Any:
        """What an option binds: a value, a tuple of items for a set, a tuple of values for several parts, the
        label's name for labelled options, None to decline."""

    def text(self, number: int) -> str:
        """An option in words the owner may read. No two options of a decision have the same text."""

    def find(self, items: Sequence[str]) -> int:
        """The option whose text has these items (in any order for a set; hidden `?` may be left out).

        Raises:
            LookupError: no option, or more than one, reads like this; the message lists what there is.
        """


class Chance(Request, Protocol):
    """Something random happens."""

    def outcomes(self) -> Iterator[tuple[Answer, Fraction]]:
        """Every outcome up to symmetry, with its exact chance; they add up to 1. Listed lazily."""

    def sample(self, draws: Draws) -> Answer:
        """One outcome, with its chance when the draws are even; always one that `outcomes` lists."""

    def text(self, answer: Answer) -> str:
        """An outcome in words, everything in the open: `6, 6, 5` or `3 up, 4 down`."""

    def find(self, items: Sequence[str]) -> Answer:
        """The outcome that reads like this (leading fields of an item suffice).

        Raises:
            LookupError: no outcome reads like this.
        """


@attrs.frozen
class Result:
    """How a game ended: scores by seat (None where the rules have no score), the seats that won."""

    scores: tuple[int, ...] | None
    winners: tuple[int, ...]


@attrs.frozen
class Sample:
    """A measure's value, taken when a pass of its phase ended or at the end of the game."""

    measure: str
    value: int


@attrs.frozen
class TurnTaken:
    """A pass of a phase ended; `player` is its player, if it is a phase of each player."""

    phase: str
    player: int | None


@attrs.frozen
class Broken:
    """A property that does not hold: noted in place of a fault by an engine that has a `Watch`."""

    property: str
    message: str
    span: Span
    memory: Any = attrs.field(default=None, eq=False, repr=False)
    """Everything as it stood then, where the watch traces."""


@attrs.frozen
class Met:
    """What must be possible came about (of two things that follow one another the first): noted for a `Watch`."""

    property: str


Event = Sample | TurnTaken | Broken | Met

BROKEN_OFF = "play never breaks off"
"""The property that a fault refutes when it refutes no other."""


class RulesFault(Exception):
    """The rules went wrong where no check could see it before play: no option where one must be chosen, a value
    out of its range, an invariant that does not hold, play without end.

    Attributes: `message`; `span` of the rule; `phases` around it; `state`, the last one before the step that
    failed (None when not known); `property`, the name of what is refuted by it.
    """

    def __init__(
        self,
        message: str,
        span: Span,
        phases: tuple[str, ...] = (),
        state: State | None = None,
        property: str = BROKEN_OFF,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.phases = phases
        self.state = state
        self.property = property


class IllegalAnswer(Exception):
    """The driver's mistake: an answer that is not among the options or outcomes."""


class Table(Protocol):
    """A game being played in place: the fast door for drivers. What `request` gives is valid until it is answered."""

    events: list[Event]
    """What has happened since the table was set up or moved to a state; a driver may empty it."""

    def request(self) -> Decision | Chance | None:
        """What is waited for; None when the game is over."""

    def answer(self, answer: int | Answer) -> None:
        """Play on until the next request or the end. After a `RulesFault` the table can only be moved elsewhere."""

    def result(self) -> Result:
        """Scores as they stand, and the winners if the game ended here."""

    def freeze(self) -> State:
        """The state it is in now."""

    def seek(self, state: State) -> None:
        """Move to a state."""


class Policy(Protocol):
    """A strategy of the rules file."""

    name: str

    def choose(self, table: Table, decision: Decision, draws: Draws) -> int:
        """The option it takes at a table that waits for this decision."""

    def chances(self, table: Table, decision: Decision) -> dict[int, Fraction]:
        """The options it may take at a table that waits for this decision, with how likely each is."""


class Engine(Protocol):
    """Plays one ruleset with a fixed number of players and options. The reference is right where engines differ."""

    game: rules.Game
    players: int
    options: Mapping[str, int | bool]

    def start(self) -> State:
        """The first state in which something is asked, or the end."""

    def pending(self, state: State) -> Decision | Chance | None:
        """What a state waits for; None when the game is over."""

    def play(self, state: State, answer: int | Answer) -> State:
        """The next state, after a decision's option number or an outcome of chance."""

    def step(self, state: State, answer: int | Answer) -> tuple[State, tuple[Event, ...]]:
        """The same, with what happened on the way."""

    def result(self, state: State) -> Result:
        """Scores as they stand, and the winners if the game ended here."""

    def view(self, state: State, seat: int) -> dict[str, Any]:
        """What the player in a seat may see and nothing else, as plain data for JSON."""

    def table(self, state: State | None = None) -> Table:
        """A table in a state; without one at the start."""

    def policy(self, name: str) -> Policy:
        """A strategy of the rules file.

        Raises:
            LookupError: there is no strategy of this name.
        """
