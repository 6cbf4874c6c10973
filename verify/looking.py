"""Looks at a ruleset with its players and options, or at a focus of it, as far as a budget goes.

First at every position, nearest first; where that does not come to an end, at random games for the rest of the time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

import attrs

from ..dsl import Ruleset, rules
from ..interpreter import Answer, Readers, Reference, RulesFault, State, Watch
from ..interpreter.focus import focus_engine
from .explore import TURN, Budget, Search, Track
from .machine import searching
from .tracks import Holds, Rising
from .walks import Walks

EXHAUSTIVE = 0.5
"""The share of the time that goes to looking at every position."""
WALKING = 0.25
"""The share that goes to random games, where not every position was looked at."""

SLICES = (1 / 32, 3 / 32, 7 / 8)
"""How the time is cut up where one property is looked for: it may break at once in random games, or nearby."""

PARTS = 8
"""Positions that are taken out of one random game."""

Progress = Callable[[str, int, int], None]
"""Is told what is being done, how far it is, and how much is waiting."""


@attrs.frozen
class Subject:
    """What is verified at a time."""

    ruleset: Ruleset
    players: int
    options: Mapping[str, int | bool] = attrs.Factory(dict)
    """The options that differ from their defaults."""
    focus: rules.Focus | None = None

    def engine(self, watch: Watch | None = None, check: bool = True) -> Reference:
        """An engine that plays it."""
        game = self.ruleset.game
        if self.focus is not None:
            return focus_engine(game, self.focus, watch=watch, check=check)
        return Reference(game, self.players, self.options, watch=watch, check=check)


@attrs.define(eq=False, slots=False)
class Looking:
    """A look at a subject; `stop` ends it with what is known by then."""

    subject: Subject
    seconds: float | None = 10.0
    """None: until every position was looked at."""
    seed: int = 1
    progress: Progress | None = None
    stop: bool = False
    search: Search = attrs.field(init=False)
    walks: Walks = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.watch = Watch()
        self.engine = self.subject.engine(self.watch)
        self.game = self.subject.ruleset.game
        self.unchecked = {each.name: each.reason for each in self.game.unchecked}
        self.tracks: list[Track] = [Rising.of(self.engine, rule) for rule in self.game.monotones]
        self.later = {
            each.name: Holds.of(self.engine, each, each.then) for each in self.game.possibles if each.then is not None
        }
        self.ahead = {
            each.name: [Holds.of(self.engine, each, part) for part in (each.first, each.second)]
            for each in self.game.leads
        }
        tracks = [*self.tracks, *self.later.values(), *[track for pair in self.ahead.values() for track in pair]]
        self.keys = self.engine.keys(Readers(always=self._read_always()))
        within = {each.within[1] for each in self.game.leads if each.within is not None}
        self.search = searching(
            self.engine, self.keys, tracks, counted=(TURN, *sorted(within - {TURN})), again=self.later.keys()
        )
        self.walks = Walks(self.engine, self.keys, self.tracks, self.seed)

    def _read_always(self) -> tuple[rules.Expr, ...]:
        later = [each.then for each in self.game.possibles if each.then is not None]
        ahead = [part for each in self.game.leads for part in (each.first, each.second)]
        return (*[each.value for each in self.game.monotones], *later, *ahead)

    # ---- looking -----------------------------------------------------------------------------------------

    def run(self, goal: str | None = None, part: float = 1.0) -> None:
        """Look for a part of the usual time, or until the property called `goal` is broken."""
        self.search.goal = self.walks.goal = goal
        for slice_ in SLICES if goal is not None else (1,):
            searching, walking = self.share(EXHAUSTIVE * part * slice_), self.share(WALKING * part * slice_)
            self.search.run(Budget(searching), self._searching)
            if self.complete or not self.search.graph.owner or goal in self.search.breaks:
                return
            if walking is None or self.stop:
                return
            self.walks.play(walking, progress=self._walking)
            if goal in self.walks.found:
                return

    @property
    def complete(self) -> bool:
        """Whether every position was looked at."""
        return self.search.graph.complete

    def share(self, part: float) -> float | None:
        """A share of the time; None where there is no limit."""
        return None if self.seconds is None else self.seconds * part

    def _searching(self, known: int, waiting: int, depth: int) -> None:
        self.search.stop = self.stop
        if self.progress is not None:
            self.progress(f"positions, depth {depth}", known, waiting)

    def _walking(self, games: int) -> None:
        self.walks.stop = self.stop
        if self.progress is not None:
            self.progress("random games", games, 0)

    def games(self, most: int) -> Iterator[Sequence[int | Answer]]:
        """Beginnings of games: up to each thing that is asked, to positions spread over what was searched, and out of
        random games."""
        graph, count = self.search.graph, len(self.search.graph.first) - 1
        for several in zip_longest(*[games.values() for games in self.walks.beginnings.values()]):
            yield from [game for game in several if game is not None]
        half = most if graph.complete else most // 2
        for position in range(count) if count <= half else sorted({n * count // half for n in range(half)}):
            yield self.search.answers(graph.way(position))
        for game in self.walks.kept[: half // PARTS]:
            for part in range(1, PARTS + 1):
                yield game[: len(game) * part // PARTS]

    def states(self, engine: Reference, most: int) -> Iterator[State]:
        """Positions of another engine of the same game, at the ends of such games."""
        for game in self.games(most):
            if (state := _after(engine, game)) is not None:
                yield state


def _after(engine: Reference, answers: Sequence[int | Answer]) -> State | None:
    """Where a game is after these answers; None where the rules break off."""
    try:
        table = engine.table()
        for answer in answers:
            table.answer(answer)
        table.request()
    except RulesFault:
        return None
    return table.freeze()
