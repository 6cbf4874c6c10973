"""The same search as machine code: positions are found inside, and what came of it is read from there.

It looks at the same positions in the same order as the search on the reference engine, so a position or an edge has the
same number in both. What happened on an edge is told by the reference, which plays the game up to there once more.
"""

import time
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from ..dsl import rules
from ..interpreter import FocusEngine, Keys, Reference, Result, RulesFault, Table, TurnTaken
from ..interpreter.native import EnginesDisagree, is_there
from ..interpreter.native.interrupts import FOLLOWED
from .explore import MOST_OUTCOMES, SOME, Break, Budget, Numbers, Search, Track
from .graph import BROKEN, CHANCE, END

SLICE = 0.05
"""Seconds of machine code at a time."""

BYTES, MOST_BYTES = 2**30, 2**32
"""What positions may need, where there is a limit of time and where there is none."""

FEW, MOST = 2_000, 1_000_000
"""Edges that are looked at at a time, at first and at most."""


def searching(engine: Reference, keys: Keys, tracks: Sequence[Track] = (), **wanted: Any) -> Search:
    """A search as machine code where that can be, and on the reference engine else; `wanted` are fields of `Search`."""
    if any(wanted.get(name) for name in ("endless", "turning", "again")) or not is_there():
        return Search(engine, keys, tracks, **wanted)
    from ..interpreter.native.exploring import Unexplorable
    from ..interpreter.native.memory import TooLarge

    try:
        return MachineSearch(engine, keys, tracks, **wanted)
    except (TooLarge, Unexplorable, RulesFault):  # a fault where a focus begins is for the search to tell
        return Search(engine, keys, tracks, **wanted)


@attrs.define(eq=False, slots=False)
class MachineSearch(Search):
    """A search that looks at many edges at a time."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        from ..interpreter.native.explorer import Explorer
        from ..interpreter.native.exploring import Tracked
        from ..interpreter.native.games import Explored
        from ..interpreter.native.lowering import Limits
        from ..interpreter.native.native import Native

        engine = self.engine
        tracked = tuple(Tracked(track.value, track.at_end) for track in self.tracks)
        start: Sequence[Any] = ()
        if isinstance(engine, FocusEngine):
            start = engine.position
            if engine.focus.value is not None:
                tracked += (Tracked(engine.focus.value, at_end=True, of_ends=True),)
        explored = Explored(self.keys.liveness, tracked, engine.watch, tuple(self.counted), (MOST_OUTCOMES, SOME))
        limits = Limits(steps=engine.limit)
        game, seated = _played(engine), self._seated()
        native = Native(
            game, engine.players, engine.options, seated=seated, limits=limits, explored=explored, start=start
        )
        self._explorer = Explorer(native)
        self.few = self._batch = FEW
        """Edges that are looked at at a time, at least."""
        self._told: set[Any] = set()
        """Places in the rules whose faults have been told of."""
        self._looked: dict[str, int] = {}
        self._places = self._explorer.found.tracking.places
        self._columns = [array("q") for _ in self._explorer.found.values]
        """Numbers of tracked values, by position."""
        self.tracked = [self._columns[places[0]] for places, _ in zip(self._places, self.tracks, strict=False)]

    def _seated(self) -> list[Any]:
        """Who plays each seat: who is searched for, in place of a random player."""
        strategies = {each.name: each for each in self.engine.game.strategies}
        policies = {seat: strategies[policy.name] for seat, policy in self.policies.items()}
        return [policies.get(seat, "random") for seat in range(self.engine.players)]

    # ---- the search --------------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """How many positions have not been looked into."""
        return 0 if not self.graph.owner else self._explorer.known - len(self.graph.first) + 1

    @property
    def bytes(self) -> int:
        """The memory of the machine code, with all that it has found."""
        return self._explorer.end

    def _begin(self) -> None:
        """The first position."""
        from ..interpreter.native.native import GameFault

        try:
            self._explorer.start()
        except GameFault:
            super()._begin()
            return
        self.early.update(self._explorer.passes())
        self.graph.levels.append(0)
        self._positions(0, 1, np.array([self._explorer.tracked()], np.int64))
        self._notes(0)

    def _look(self, budget: Budget) -> None:
        """Look at some more edges."""
        began = time.monotonic()
        room = max(budget.positions - self._explorer.known, self.few // 10)
        self._explorer.most = MOST_BYTES if budget.seconds is None else BYTES
        try:
            more = self._explorer.explore(min(self._batch, room))
        except MemoryError:
            self.full = True
            more = False
        taken = time.monotonic() - began
        self._batch = int(min(max(self._batch * SLICE / max(taken, 1e-4), self.few), MOST)) if more else self._batch
        self._merge()

    def _merge(self) -> None:
        """Take over what was found from the positions that were looked into whole."""
        graph, explorer, found = self.graph, self._explorer, self._explorer.found
        first, opened = len(graph.first) - 1, explorer.opened
        known, edge = len(graph.owner), len(graph.target)
        begins = explorer.column(found.first, first, opened + 1)
        end = begins[-1]
        owner = np.frombuffer(graph.owner, np.int8)
        whose = np.concatenate([owner[first:], _owners(explorer.column(found.owner, known, explorer.known))])
        counts = np.diff(_numbers(begins))
        targets = _numbers(explorer.column(found.target, edge, end))
        graph.first.frombytes(_numbers(begins)[1:].tobytes())
        graph.target.frombytes(targets.tobytes())
        graph.turned.frombytes(bytes(end - edge))
        for phase, column in zip(self.counted, found.passes, strict=True):
            self.passes[phase].frombytes(explorer.column(column, edge, end).tobytes())
        del owner
        values = [_numbers(explorer.column(column, edge, end)) for column in found.values]
        came = explorer.column(found.came, known, explorer.known)
        fresh = bisect_left(came, end)
        here = _numbers(came[:fresh]) - edge
        self._positions(known, known + fresh, np.stack([each[here] for each in values], 1) if values else None)
        sources = np.repeat(np.arange(first, opened), counts)
        self._chances(np.flatnonzero(whose[sources - first] == CHANCE), sources, edge, end)
        self._levels(opened)
        self._steps_between(sources, targets, values, edge)
        self._labels(sources, targets, edge, end)
        self._notes(end)
        if (cut := explorer.cut) is not None and cut < opened:
            self._partial = min(self._partial, graph.depth(cut))

    def _positions(self, known: int, end: int, values: Numbers | None) -> None:
        """Take over new positions, with what their tracked values are."""
        graph, explorer, found = self.graph, self._explorer, self._explorer.found
        owners = _owners(explorer.column(found.owner, known, end))
        graph.owner.extend(owners.tolist())
        came = _numbers(explorer.column(found.came, known, end))
        if known == 0:
            came[:1] = -1
        graph.came.frombytes(came.tobytes())
        self._turned.frombytes(bytes(end - known))
        for place, column in enumerate(self._columns):
            if values is not None:
                column.frombytes(np.ascontiguousarray(values[:, place]).tobytes())
        over = [known + place for place, owner in enumerate(owners) if owner == END]
        for position, words in zip(over, explorer.ends(over), strict=True):
            worth = self._columns[-1][position] if self.value is not None else None
            ending = self._result(words), worth
            if ending not in self._ends:
                self._ends[ending] = len(graph.results)
                graph.results.append(ending[0])
                if worth is not None:
                    graph.values.append(worth)
            graph.ends[position] = self._ends[ending]

    def _result(self, words: Sequence[int]) -> Result:
        """Scores and winners out of the key of an end."""
        players = self.engine.players
        scores = tuple(words[1 : 1 + players]) if self.engine.game.score is not None else None
        winners = words[-1]
        return Result(scores, tuple(seat for seat in range(players) if winners >> (players - 1 - seat) & 1))

    def _levels(self, opened: int) -> None:
        """Find where each depth begins."""
        graph = self.graph
        while graph.levels[-1] < opened:
            graph.levels.append(bisect_left(graph.came, graph.first[graph.levels[-1]], graph.levels[-1] + 1))

    def _chances(self, chance: Numbers, sources: Numbers, edge: int, end: int) -> None:
        """How likely edges are; `chance` are those of chance, counted from `edge`."""
        explorer, found = self._explorer, self._explorer.found
        weights = _numbers(explorer.column(found.weight, edge, end))[chance]
        totals = _numbers(explorer.column(found.total, edge, end))[chance]
        odds = np.full(end - edge, -1, np.int64)
        told = (weights > 0) & (totals > 0)
        for total in np.unique(totals[told]):
            here = told & (totals == total)
            each, numbers = np.unique(weights[here], return_inverse=True)
            known = np.array([self._odds(Fraction(int(weight), int(total))) for weight in each], np.int64)
            odds[chance[here]] = known[numbers]
        self.graph.odds.frombytes(odds.tobytes())
        for position in np.unique(sources[chance[~told]]):
            self._fine_chances(int(position))

    def _fine_chances(self, position: int) -> None:
        """How likely the edges of a position are, as the reference says: for chances too fine for 64 bits."""
        graph, table = self.graph, self.engine.table()
        for answer in self.answers(graph.way(position)):
            table.answer(answer)
        for edge, (_, odds) in zip(graph.edges(position), self._answers(table, table.request(), CHANCE), strict=True):
            graph.odds[edge] = odds

    # ---- what came about -----------------------------------------------------------------------------------

    def _steps_between(self, sources: Numbers, targets: Numbers, values: Sequence[Numbers], edge: int) -> None:
        """Note the first step with which something is wrong."""
        for track, places in zip(self.tracks, self._places, strict=False):
            if track.name in self.breaks or not len(targets):
                continue
            pairs = [(np.frombuffer(self._columns[place], np.int64)[sources], values[place]) for place in places]
            count = np.minimum(*pairs[0]) if len(places) > 1 else None
            wrong = np.zeros(len(targets), np.bool_)
            for number, (before, after) in enumerate(pairs[1:] if count is not None else pairs):
                wrong |= track.wrong(before, after) & (True if count is None else number < count)
            wrong &= targets != BROKEN
            if wrong.any():
                place = int(wrong.argmax())
                old, new = ([int(side[place]) for side in sides] for sides in zip(*pairs, strict=True))
                message = track.step(_value(old), _value(new))
                assert message is not None
                self.breaks[track.name] = Break(edge + place, message, track.span, False)

    def _labels(self, sources: Numbers, targets: Numbers, edge: int, end: int) -> None:
        """How often labelled options were taken, and how often nothing changed."""
        explorer, found = self._explorer, self._explorer.found
        labels = _numbers(explorer.column(found.label, edge, end))
        players = np.frombuffer(self.graph.owner, np.int8)[sources] >= 0
        taken = np.flatnonzero((labels >= 0) & players)
        if not len(taken):
            return
        labels, sources = labels[taken], sources[taken]
        sites = _numbers(explorer.column(found.site, 0, len(self.graph.first)))[sources]
        most = int(labels.max()) + 1
        chosen = sites * most + labels
        counts = np.bincount(chosen)
        idle = np.bincount(chosen[sources == targets[taken]], minlength=len(counts))
        for each in np.flatnonzero(counts):
            request = explorer.script.requests[each // most]
            tally = self.idle.setdefault((request.name, request.labels[each % most]), [0, 0])
            tally[0] += int(counts[each])
            tally[1] += int(idle[each])

    def _notes(self, end: int) -> None:
        """Take over what was noted on edges before `end`."""
        explorer = self._explorer
        possible = {each.name for each in self.engine.game.possibles}
        for name, edge in explorer.came_about().items():
            if edge >= end and edge >= 0:
                continue
            if name in possible:
                self.met.setdefault(name, edge)
            elif name not in self.breaks:
                self._tell(edge)
                if name not in self.breaks:
                    raise EnginesDisagree(f"machine code breaks {name!r} on edge {edge}, and the reference does not")
        for site, edge in explorer.faults.items():
            if edge < end and site not in self._told:
                self._told.add(site)
                if not self._tell(edge):
                    raise EnginesDisagree(f"machine code breaks off on edge {edge}, and the reference plays on")
        self.faces |= explorer.fallen()
        if (watch := self.engine.watch) is not None:
            watch.reached |= explorer.reached()
            for name, count in explorer.looked().items():
                watch.looked[name] += count - self._looked.get(name, 0)
                self._looked[name] = count

    def _tell(self, edge: int) -> bool:
        """Have the reference say what goes wrong on an edge; whether it breaks off there."""
        table, broken = None, False
        try:
            table = self.engine.table()
            table.request()
            for answer in self.game(edge):
                table.events.clear()
                table.answer(answer)
                table.request()
        except RulesFault as error:
            self._fault(error, edge)
            broken = True
        if table is not None:
            self._events(table, edge)
        return broken

    def _events(self, table: Table, edge: int) -> list[str]:
        """Note what was broken; passes have been counted."""
        table.events[:] = [event for event in table.events if not isinstance(event, TurnTaken)]
        return super()._events(table, edge)


def _played(engine: Reference) -> rules.Game:
    """The game as the engine plays it: perhaps one part of it, and without a look at what always holds."""
    game = engine.game
    kept = list(game.invariants)
    if not engine.check:
        kept = [each for each in kept if not isinstance(each.moment, rules.Always | rules.Never)]
    if not isinstance(engine, FocusEngine):
        return attrs.evolve(game, invariants=tuple(kept))
    possibles, score = game.possibles, game.score
    if not engine.whole:
        kept = [each for each in kept if not isinstance(each.moment, rules.AtEnd)]
        possibles = tuple(each for each in possibles if not isinstance(each.moment, rules.AtEnd))
        score = attrs.evolve(score, bounds=None) if score is not None else None
    kept += engine.held_at_end()
    play = engine.focus.part.body
    return attrs.evolve(game, setup=(), play=play, invariants=tuple(kept), possibles=possibles, score=score)


def _value(numbers: Sequence[int]) -> int | tuple[int, ...]:
    """A tracked value: one number, or behind how many there are all of them."""
    return numbers[0] if len(numbers) == 1 else tuple(numbers[1 : 1 + numbers[0]])


def _owners(values: "array[int]") -> Numbers:
    """Whose positions are: one that follows a strategy is chance to the search."""
    owners = _numbers(values)
    return np.where(owners == FOLLOWED, CHANCE, owners)


def _numbers(values: "array[int]") -> Numbers:
    return np.array(values, np.int64)
