"""Looks at the positions of a game, nearest first, until all have been seen or a budget is spent.

What a position is, is for the engine's keys to say: one for all that play on alike. Because the nearest come first,
the first game found that breaks a property is a shortest one.
"""

import time
from array import array
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, Protocol

import attrs
import numpy as np
from numpy.typing import NDArray

from ..dsl import rules
from ..dsl.source import Span
from ..interpreter import (
    Answer,
    Broken,
    FocusEngine,
    Keys,
    Met,
    Policy,
    Reference,
    Result,
    RulesFault,
    State,
    Table,
    TurnTaken,
)
from ..interpreter.playing import is_decision
from .graph import BROKEN, CHANCE, END, Graph

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]

NOWHERE = 2**62
"""Deeper than any search."""

TURN = "turn"
MOST_OUTCOMES = 20_000
"""Outcomes of one chance that are all looked at; of more, the first `SOME` are."""
SOME = 500

PATIENCE = 0.25
"""Seconds between two words about progress."""


@attrs.frozen
class Budget:
    """How far a search goes."""

    seconds: float | None = None
    positions: int = 5_000_000
    depth: int = NOWHERE


@attrs.frozen
class Break:
    """Where a property was broken first: after the answer of `edge`; -1 for before the first."""

    edge: int
    message: str
    span: Span
    fault: bool
    """Whether the game breaks off there."""


class Track(Protocol):
    """A value that a property needs of every position."""

    name: str
    span: Span
    at_end: bool
    """Whether it matters what the value is where the game is over."""

    def read(self, table: Table) -> Any:
        """The value at a position."""

    value: rules.Expr
    """What is read."""

    def step(self, before: Any, after: Any) -> str | None:
        """What is wrong with a step between two positions, or with the first position, before which is None."""

    def wrong(self, before: Numbers, after: Numbers) -> Mask:
        """In which steps something is wrong, of many with single numbers."""


def missteps(tracks: Sequence[Track], before: Sequence[Any], after: Sequence[Any]) -> Iterator[tuple[Track, str]]:
    """What is wrong with a step between two positions, by the values of tracks there."""
    for track, old, new in zip(tracks, before, after, strict=True):
        if (wrong := track.step(old, new)) is not None:
            yield track, wrong


Progress = Callable[[int, int, int], None]
"""Is told how many positions are known, how many of them are open, and how deep the search is."""


@attrs.define(eq=False, slots=False)
class Search:
    """A search in breadth. What it finds grows while it runs; `stop` ends it before the next position."""

    engine: Reference
    keys: Keys
    tracks: Sequence[Track] = ()
    value: Callable[[Table], int] | None = None
    """What the end of a game is worth, where that is more than its result."""
    graph: Graph = attrs.Factory(Graph)
    breaks: dict[str, Break] = attrs.Factory(dict)
    tracked: list[Any] = attrs.field(init=False)
    """For each track its value at every position."""
    counted: Collection[str] = (TURN,)
    """The phases whose passes are counted."""
    passes: dict[str, "array[int]"] = attrs.field(init=False)
    """For each of these phases and each edge how many passes ended on it."""
    early: Counter[str] = attrs.Factory(Counter)
    """For each of these phases how many passes ended before the first position."""
    idle: dict[tuple[str, str], list[int]] = attrs.Factory(dict)
    """For labelled options: how often taken, and how often nothing changed."""
    faces: set[tuple[str, Any]] = attrs.Factory(set)
    """Faces that were thrown, by kind."""
    met: dict[str, int] = attrs.Factory(dict)
    """For what must be possible the first edge on which it came about; -1 for before the first."""
    again: Collection[str] = ()
    """What must be possible, and is followed up from each position where it came about."""
    meetings: dict[str, dict[int, int]] = attrs.field(init=False)
    """For each of these, and each position on the way to which it came about, the first such edge; -1 for the start."""
    policies: Mapping[int, Policy] = attrs.Factory(dict)
    """Seats whose decisions are made: to the search they are chance."""
    endless: bool = False
    """Whether the search is over when an end is found."""
    turning: bool = False
    """Whether positions are one that differ only in who sits where; the `graph` says by how much the table is turned.
    For values only: there are no tracks then, and no games of what is found."""
    goal: str | None = None
    """A property; the search is over when it is broken."""
    stop: bool = False
    full: bool = False
    """Whether there is no room for more positions."""
    seconds: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.tracked = [[] for _ in self.tracks]
        self.passes = {phase: array("H") for phase in self.counted}
        self.meetings = {name: {} for name in self.again}
        self.graph.players = self.engine.players
        self._turned = array("b")
        if self.turning:
            self._may_turn()
        self._found: dict[bytes, int] = {}
        self._waiting: deque[State | None] = deque()
        self._opened = 0
        self._partial = NOWHERE
        self._likely: dict[tuple[int, int], int] = {}
        self._ends: dict[tuple[Result, int | None], int] = {}

    def _may_turn(self) -> None:
        if self.tracks or self.policies or self.value is not None or isinstance(self.engine, FocusEngine):
            raise ValueError("what is looked at here may tell seats apart")
        if named := self.keys.rotation.seats.named:
            raise ValueError(f"seats are not alike: {named[0].span}: {named[0].words}")

    @property
    def depth(self) -> int:
        """Every game of up to so many answers has been looked at."""
        levels = len(self.graph.levels)
        return max(min(levels - 1 if self.graph.complete else levels - 2, self._partial), 0)

    # ---- the search --------------------------------------------------------------------------------------

    def run(self, budget: Budget, progress: Progress | None = None) -> Graph:
        """Look at positions until there are none left, or the budget is spent. Can be called again to go on."""
        graph, began = self.graph, time.monotonic()
        until, said = None if budget.seconds is None else began + budget.seconds, began
        if not graph.owner and not self.breaks:
            self._begin()
        while self.waiting and not self.stop and not self.full and len(graph) < budget.positions:
            if self.goal in self.breaks or (self.endless and graph.ends) or len(graph.levels) - 2 >= budget.depth:
                break
            now = time.monotonic()
            if until is not None and now >= until:
                break
            if progress is not None and now - said > PATIENCE:
                said = now
                progress(len(graph), self.waiting, len(graph.levels) - 2)
            self._look(budget)
        graph.complete = bool(graph.owner) and not self.waiting and self._partial == NOWHERE
        if graph.complete and graph.levels and graph.levels[-1] == len(graph):
            graph.levels.pop()
        self.seconds += time.monotonic() - began
        return graph

    @property
    def waiting(self) -> int:
        """How many positions have not been looked into."""
        return len(self._waiting)

    @cached_property
    def _table(self) -> Table:
        return self.engine.table(self.engine.start())

    def _begin(self) -> None:
        """The first position."""
        try:
            table = self.engine.table()
            table.request()
            values = [track.read(table) for track in self.tracks]
            key, turned = self._key(table, values)
        except RulesFault as error:
            self._fault(error, -1)
            return
        self.graph.levels.append(0)
        self._steps(-1, [None for _ in self.tracks], values)
        met = self._events(table, -1)
        self._meet(met, self._new(table, -1, key, turned, values), -1)

    def _look(self, budget: Budget) -> None:
        """Look into the next position: play each of its answers."""
        table, graph, position = self._table, self.graph, self._opened
        if position == graph.levels[-1]:
            graph.levels.append(len(graph))
        state = self._waiting.popleft()
        if state is not None:
            table.seek(state)
            request: Any = table.request()
            before = [values[position] for values in self.tracked]
            label = graph.owner[position] >= 0 and isinstance(request.option(0), str)
            try:
                answers = self._answers(table, request, graph.owner[position])
            except RulesFault as error:  # the strategy that is followed here does not know what to do
                graph.odds.append(self._odds(Fraction(1)))
                self._fault(error, self._edge())
                answers = []
            for answer, odds in answers:
                graph.odds.append(odds)
                table.seek(state, request)
                target = self._play(table, answer, before)
                if label:
                    taken = self.idle.setdefault((request.name, request.option(answer)), [0, 0])
                    taken[0] += 1
                    taken[1] += target == position and not graph.turned[-1]
        graph.first.append(len(graph.target))
        self._opened = position + 1

    def _answers(self, table: Table, request: Any, owner: int) -> list[tuple[int | Answer, int]]:
        """The answers of a position, with how likely each is."""
        if owner != CHANCE:
            return [(number, -1) for number in range(len(request))]
        if is_decision(request):
            made = self.policies[request.owner].chances(table, request)
            return [(answer, self._odds(chance)) for answer, chance in made.items() if chance]
        outcomes = list(islice(request.outcomes(), MOST_OUTCOMES + 1))
        if len(outcomes) > MOST_OUTCOMES:
            self._partial = min(self._partial, len(self.graph.levels) - 2)
            outcomes = outcomes[:SOME]
        answers = [(answer, self._odds(chance)) for answer, chance in outcomes]
        if request.name == "throw":
            kind_of = self.engine.program.layout.kind_of
            for answer, _ in answers:
                self.faces |= {(kind_of[i].rule.name, face) for i, face in zip(request.items, answer, strict=True)}
        return answers

    def _odds(self, chance: Fraction) -> int:
        both = (chance.numerator, chance.denominator)
        number = self._likely.get(both)
        if number is None:
            number = self._likely[both] = len(self.graph.chances)
            self.graph.chances.append(chance)
        return number

    def _play(self, table: Table, answer: int | Answer, before: Sequence[Any]) -> int:
        """Play an answer; the position it leads to."""
        graph, edge = self.graph, self._edge()
        try:
            table.answer(answer)
            table.request()
            values = [track.read(table) for track in self.tracks]
            key, turned = self._key(table, values)
        except RulesFault as error:
            self._events(table, edge)
            self._fault(error, edge)
            return BROKEN
        met = self._events(table, edge)
        self._steps(edge, before, values)
        target = self._found.get(key)
        if target is None:
            target = self._new(table, edge, key, turned, values)
        graph.turned[edge] = (turned - self._turned[target]) % graph.players
        graph.target[edge] = target
        self._meet(met, target, edge)
        return target

    def _edge(self) -> int:
        """A way from a position on, of which it is not known where it leads."""
        self.graph.turned.append(0)
        self.graph.target.append(BROKEN)
        for counts in self.passes.values():
            counts.append(0)
        return len(self.graph.target) - 1

    def _steps(self, edge: int, before: Sequence[Any], after: Sequence[Any]) -> None:
        """Note what is wrong with a step between two positions."""
        for track, wrong in missteps(self.tracks, before, after):
            self.breaks.setdefault(track.name, Break(edge, wrong, track.span, False))

    def _meet(self, names: Iterable[str], position: int, edge: int) -> None:
        for name in names:
            if name in self.meetings:
                self.meetings[name].setdefault(position, edge)

    def _key(self, table: Table, values: Sequence[Any]) -> tuple[bytes, int]:
        """The key of a position, and by how many seats it was turned for that. At the end it tells apart what somebody
        wants to know of it."""
        if self.turning:
            return table.turned_key(self.keys)
        key = table.key(self.keys)
        if table.request() is not None:
            return key, 0
        told = [str(value) for track, value in zip(self.tracks, values, strict=True) if track.at_end]
        if self.value is not None:
            told.append(str(self.value(table)))
        return key + "\n".join(told).encode(), 0

    def _new(self, table: Table, edge: int, key: bytes, turned: int, values: Sequence[Any]) -> int:
        """A position that was not known."""
        graph = self.graph
        self._turned.append(turned)
        number = self._found[key] = len(graph)
        for known, value in zip(self.tracked, values, strict=True):
            known.append(value)
        request: Any = table.request()
        graph.came.append(edge)
        if request is None:
            graph.owner.append(END)
            self._waiting.append(None)
            ending = (table.result(), None if self.value is None else self.value(table))
            if ending not in self._ends:
                self._ends[ending] = len(graph.results)
                graph.results.append(ending[0])
                if ending[1] is not None:
                    graph.values.append(ending[1])
            graph.ends[number] = self._ends[ending]
        else:
            owner = getattr(request, "owner", CHANCE)
            graph.owner.append(CHANCE if owner in self.policies else owner)
            self._waiting.append(table.freeze())
        return number

    # ---- games -------------------------------------------------------------------------------------------

    def answers(self, edges: Sequence[int]) -> list[int | Answer]:
        """The answers along edges that begin at the first position."""
        if self.turning:
            raise ValueError("with the table turned the answers are others")
        table, answers = self.engine.table(), list[int | Answer]()
        for number, edge in enumerate(edges, 1):
            position = self.graph.source(edge)
            there = self._answers(table, table.request(), self.graph.owner[position])
            answers.append(there[edge - self.graph.first[position]][0])
            if number < len(edges):
                table.answer(answers[-1])
        return answers

    def game(self, edge: int) -> list[int | Answer]:
        """The answers of a shortest game that takes an edge; none for what is before the first."""
        if edge < 0:
            return []
        return self.answers([*self.graph.way(self.graph.source(edge)), edge])

    # ---- what goes wrong ---------------------------------------------------------------------------------

    def _events(self, table: Table, edge: int) -> list[str]:
        """Note what came about and what was broken on the way; what must be possible and came about."""
        met = list[str]()
        for event in table.events:
            if isinstance(event, TurnTaken):
                if event.phase in self.passes:
                    if edge >= 0:
                        self.passes[event.phase][edge] += 1
                    else:
                        self.early[event.phase] += 1
            elif isinstance(event, Broken) and event.property not in self.breaks:
                self.breaks[event.property] = Break(edge, event.message, event.span, False)
            elif isinstance(event, Met):
                self.met.setdefault(event.property, edge)
                met.append(event.property)
        return met

    def _fault(self, error: RulesFault, edge: int) -> None:
        self.breaks.setdefault(error.property, Break(edge, error.message, error.span, True))
