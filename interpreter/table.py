"""A game being played in place: one memory, a step, and the request that waits.

`Reference` builds its states on this; drivers of many games use it directly.
"""

from itertools import repeat
from typing import TYPE_CHECKING, Any

from .closures import fault
from .engine import Answer, Chance, Decision, Event, IllegalAnswer, Result, RulesFault
from .keys import Keys
from .layout import ASKED, EVENTS, LEFT
from .program import END
from .state import State

ENDS = "the game comes to an end"
"""The property that play refutes which asks nothing and does not end."""

if TYPE_CHECKING:
    from .reference import Reference


class Table:
    """What is on the table now."""

    __slots__ = ("engine", "events", "m", "_asked", "_checks", "_code", "_pc", "_places", "_steps", "_over")

    def __init__(
        self, engine: "Reference", state: State | None = None, body: int = 0, lasting: tuple[Any, ...] = ()
    ) -> None:
        """A table in a state, or where a body of the program begins; `lasting` is what the layout's slots then hold."""
        self.engine = engine
        program = engine.program
        self.m = program.layout.memory()
        self.events: list[Event] = self.m[EVENTS]
        self._code = program.code
        self._places = program.places
        self._checks = engine.always
        self._steps = engine.limit
        self._asked: Any = None
        self._over = False
        self._pc = END
        if state is not None:
            self.seek(state)
        else:
            self.m[: len(lasting)] = lasting
            self._run(program.firsts[body])

    def request(self) -> Decision | Chance | None:
        """What is waited for; None when the game is over."""
        if self._asked is None and self._pc:
            try:
                self._asked = self.m[ASKED] or self._places[self._pc].request(self.m)
            except RulesFault as error:
                raise self._told(error, self._pc) from None
        request: Decision | Chance | None = self._asked
        return request

    def answer(self, answer: int | Answer) -> None:
        """Play on until the next request or the end."""
        request = self._asked if self._asked is not None else self.request()
        if request is None:
            raise IllegalAnswer("the game is over, and nothing was asked")
        pc = self._pc
        self.m[ASKED] = None
        try:
            then = self._places[pc].take(self.m, request, answer)
        except RulesFault as error:
            raise self._told(error, pc) from None
        self._asked = None
        self._run(then)

    def _run(self, pc: int) -> None:
        """Take steps until one asks or the game ends."""
        m, code, step = self.m, self._code, pc
        m[LEFT] = self._steps
        try:
            for _ in repeat(None, self._steps):
                if pc <= 0:
                    break
                step = pc
                pc = code[pc](m)
            if pc > 0:
                raise fault(
                    f"nothing has been asked for {self._steps:,} steps: play does not end", self._span(step), ENDS
                )
            self._pc = step = ~pc if pc else END
            if not pc:
                self._end()
            for check in self._checks:
                check(m)
        except RulesFault as error:
            raise self._told(error, step) from None

    def _end(self) -> None:
        self._over = True
        program = self.engine.program
        self.m[program.lasting : len(program.layout.names)] = program.blank
        for act in self.engine.at_end:
            act(self.m)

    def _span(self, pc: int) -> Any:
        return self.engine.program.spans[pc]

    def _told(self, error: RulesFault, pc: int) -> RulesFault:
        """The fault with the phases around it."""
        if not error.phases:
            error.phases = self.engine.program.path(self.m, pc)
        return error

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases around what is asked."""
        return self.engine.program.path(self.m, self._pc)

    def result(self) -> Result:
        """Scores as they stand, and the winners if the game ended here."""
        return self.engine.scoring.result(self.m)

    def freeze(self) -> State:
        """The state it is in now."""
        return State(self._pc, tuple(self.m[: len(self.engine.program.layout.names)]))

    def key(self, keys: Keys) -> bytes:
        """The position's key: equal for all that play on alike."""
        return keys.key(self.m, self._pc) if self._pc else keys.end(self.result())

    def turned_key(self, keys: Keys) -> tuple[bytes, int]:
        """The same for all that play on alike with seats turned, and by how many seats this one was turned for it."""
        return keys.turned(self.m, self._pc) if self._pc else keys.turned_end(self.result())

    def seek(self, state: State, request: Any = None) -> None:
        """Move to a state; `request` is what this table has already said that it waits for there."""
        self.m[: len(state.values)] = state.values
        self._pc = state.step
        self._asked = request
        self.m[ASKED] = None
        self._over = not state.step
        self.events.clear()
