"""The reference engine: plays a checked ruleset by closures. Where engines differ, it is right."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..dsl import rules
from .compile import compile_bodies
from .engine import Answer, Chance, Decision, Event, Result, RulesFault
from .fit import fit
from .keys import Keys
from .liveness import Liveness, Readers
from .moments import looking, sampling
from .policies import StrategyPolicy
from .program import Act
from .scoring import Scoring
from .state import State
from .table import Table
from .view import view
from .watch import Watch
from .written import read_state, state_text

NOBODY_ELSE = Readers()


class Reference:
    """Plays one ruleset with a fixed number of players and options.

    `check` says whether invariants that hold always are looked at before every request; `limit` is how many steps
    there may be between two requests; `watch` notes what happens, and then a property that does not hold stops nothing.

    Raises:
        ValueError: a number of players, or an option, that the rules do not know.
    """

    def __init__(
        self,
        game: rules.Game,
        players: int = 2,
        options: Mapping[str, int | bool] | None = None,
        *,
        check: bool = True,
        limit: int = 100_000,
        watch: Watch | None = None,
    ) -> None:
        self.game = game
        self.players = players
        self.limit = limit
        layout = fit(game, players, options or {})
        self.options: Mapping[str, int | bool] = layout.options
        self.watch = watch
        self.check = check
        self.program = compile_bodies(layout, self._bodies(), watch)
        self.scoring = Scoring(layout, self.program.expressions)
        self.always: list[Act] = self._always() if check else []
        self.at_end: list[Act] = self._at_end()

    def _bodies(self) -> Sequence[rules.Body]:
        return [(*self.game.setup, *self.game.play)]

    def _always(self) -> list[Act]:
        moments = (rules.Always(), rules.Never())
        return [act for moment in moments for act in looking(moment, self.program.expressions)]

    def _at_end(self) -> list[Act]:
        score, measures = self.game.score, self.game.measures
        acts = looking(rules.AtEnd(), self.program.expressions)
        if score is not None and score.bounds is not None:
            acts.append(self.scoring.within(score, score.bounds))
        acts += [
            sampling(measure, self.program.expressions)
            for measure in measures
            if isinstance(measure.moment, rules.AtEnd)
        ]
        return [*acts, self.scoring.finish]

    # ---- states ----------------------------------------------------------------------------------------

    def table(self, state: State | None = None) -> Table:
        """A table in a state; without one at the start."""
        return Table(self, state)

    @cached_property
    def _first(self) -> State:
        return self.table().freeze()

    def start(self) -> State:
        """The first state in which something is asked, or the end."""
        return self._first

    def pending(self, state: State) -> Decision | Chance | None:
        """What a state waits for; None when the game is over."""
        try:
            return self.table(state).request()
        except RulesFault as error:
            error.state = state
            raise

    def play(self, state: State, answer: int | Answer) -> State:
        """The next state, after a decision's option number or an outcome of chance."""
        return self.step(state, answer)[0]

    def step(self, state: State, answer: int | Answer) -> tuple[State, tuple[Event, ...]]:
        """The same, with what happened on the way."""
        table = self.table(state)
        try:
            table.answer(answer)
        except RulesFault as error:
            error.state = state
            raise
        return table.freeze(), tuple(table.events)

    def result(self, state: State) -> Result:
        """Scores as they stand, and the winners if the game ended here."""
        return self.table(state).result()

    def view(self, state: State, seat: int) -> dict[str, Any]:
        """What the player in a seat may see and nothing else, as plain data for JSON."""
        return view(self.table(state), seat)

    def keys(self, readers: Readers = NOBODY_ELSE) -> Keys:
        """Makes keys: equal for positions that play on alike, to `readers` too."""
        return Keys(self.program, Liveness(self.program.layout, self.program.expressions, self._bodies(), readers))

    def reader(self, expression: rules.Expr) -> Callable[[Table], Any]:
        """What gives an expression's value at a table; it may name nothing that play has bound."""
        read = self.program.expressions.read(expression)
        return lambda table: read(table.m)

    def worth(self, expression: rules.Expr) -> int:
        """A number that only options, constants and the number of players can change."""
        return int(self.program.expressions.value(expression))

    def to_text(self, state: State) -> str:
        """A state as lines of text."""
        return state_text(self.program, state)

    def from_text(self, text: str) -> State:
        """The state of such a text.

        Raises:
            ValueError: the text is none of this engine's states.
        """
        return read_state(self.program, text)

    def policy(self, name: str) -> StrategyPolicy:
        """A strategy of the rules file.

        Raises:
            LookupError: there is no strategy of this name.
        """
        for strategy in self.game.strategies:
            if strategy.name == name:
                return StrategyPolicy(self.program, strategy)
        names = ", ".join(strategy.name for strategy in self.game.strategies)
        raise LookupError(f"{self.game.title} has no strategy {name}; there are: {names or 'none'}")
