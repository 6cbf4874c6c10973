"""Makes a game that breaks a property as short as it can be, and says whether it is proved that none is shorter."""

import time
from collections.abc import Sequence
from typing import Any

import attrs

from ..interpreter import Answer, Broken, Keys, Reference, RulesFault, Stream, Table
from ..interpreter.playing import is_decision
from .explore import Budget, Search, Track, missteps
from .story import fits

SEARCHING = 0.5
"""The share of the time that goes to a search through all shorter games, before others are tried at random."""

TRIES = 300
"""Games played at random one after the other of which none is shorter: then no more are."""

Answers = Sequence[int | Answer]


@attrs.frozen
class Shortest:
    """The shortest game known; `proved` after a search that found none shorter among so many positions."""

    answers: tuple[int | Answer, ...]
    proved: bool
    examined: int


def shorten(
    engine: Reference,
    keys: Keys,
    answers: Answers,
    property: str,
    budget: Budget,
    tracks: Sequence[Track] = (),
    search: Search | None = None,
) -> Shortest:
    """The same property broken by a game as short as it can be. The engine has a watch.

    Loops are cut out, answers are left out as long as the property still breaks, all shorter games are looked at,
    nearest first, as far as the budget goes (by `search`, if one has begun to), and some are played at random.
    """
    until = None if budget.seconds is None else time.monotonic() + budget.seconds
    made = _Shortener(engine, keys, property, [track for track in tracks if track.name == property], until)
    best = made.shortened(answers)
    search = search or Search(engine, keys, tracks)
    search.goal = property
    seconds = budget.seconds
    for part in (SEARCHING, 1 - SEARCHING):
        if search.depth < len(best) - 1:
            share = None if seconds is None else seconds * part
            search.run(attrs.evolve(budget, seconds=share, depth=len(best) - 1))
        if property in search.breaks:
            best = search.game(search.breaks[property].edge)
            break
        if search.graph.complete or search.depth >= len(best) - 1 or seconds is None or part != SEARCHING:
            break
        began = time.monotonic()
        best = made.luckier(best, seconds * (1 - SEARCHING))
        seconds -= time.monotonic() - began
    return Shortest(tuple(best), search.graph.complete or search.depth >= len(best) - 1, len(search.graph))


@attrs.define(eq=False)
class _Shortener:
    """Looks for shorter games that break a property."""

    engine: Reference
    keys: Keys
    property: str
    tracks: Sequence[Track]
    until: float | None

    def shortened(self, answers: Answers) -> list[int | Answer]:
        """The game without what is not needed."""
        best = self._still(answers)
        return list(answers) if best is None else self._thinned(self._without_loops(best))

    def luckier(self, best: list[int | Answer], seconds: float) -> list[int | Answer]:
        """A game that begins like this one and goes on at random, if one that is shorter is found."""
        draws, until, tries = Stream(1), time.monotonic() + seconds, 0
        while tries < TRIES and len(best) > 1 and time.monotonic() < until:
            tries += 1
            made = self._played(best[: draws.below(len(best) - 1)], len(best) - 1, draws)
            if made is not None:
                best, tries = self._thinned(made), 0
        return best

    def _without_loops(self, answers: list[int | Answer]) -> list[int | Answer]:
        """From each position straight to where it comes for the last time."""
        table, marks = self.engine.table(), list[bytes]()
        for answer in answers:
            marks.append(table.key(self.keys))
            table.answer(answer) if len(marks) < len(answers) else None
        last = {mark: place for place, mark in enumerate(marks)}
        kept, place = list[int | Answer](), 0
        while place < len(answers):
            place = last[marks[place]]
            kept.append(answers[place])
            place += 1
        return self._still(kept) or answers

    def _thinned(self, answers: list[int | Answer]) -> list[int | Answer]:
        """Ever smaller stretches left out, as long as the property breaks without them (Zeller's delta debugging)."""
        size = max(len(answers) // 2, 1)
        while True:
            place, shorter = 0, False
            while place < len(answers):
                if self.until is not None and time.monotonic() > self.until:
                    return answers
                made = self._still([*answers[:place], *answers[place + size :]])
                if made is not None and len(made) < len(answers):
                    answers, shorter = made, True
                else:
                    place += size
            if size == 1 and not shorter:
                return answers
            size = max(size // 2, 1)

    # ---- playing -----------------------------------------------------------------------------------------

    def _still(self, answers: Answers) -> list[int | Answer] | None:
        """What of these answers can be given, up to where the property breaks; None if it does not."""
        return self._played(answers, len(answers))

    def _played(self, answers: Answers, most: int, draws: Stream | None = None) -> list[int | Answer] | None:
        """The answers that can be given, and then with `draws` any others, up to where the property breaks; None if it
        does not with so many answers."""
        given, waiting = list[int | Answer](), iter(answers)
        table: Table | None = None
        try:
            table = self.engine.table()
            table.request()
            values = [track.read(table) for track in self.tracks]
            while not self._broken(table):
                request: Any = table.request()
                if request is None or len(given) >= most:
                    return None
                answer = next((each for each in waiting if fits(request, each)), None)
                if answer is None:
                    if draws is None:
                        return None
                    answer = draws.below(len(request)) if is_decision(request) else request.sample(draws)
                given.append(answer)
                table.events.clear()
                table.answer(answer)
                table.request()
                before, values = values, [track.read(table) for track in self.tracks]
                if any(missteps(self.tracks, before, values)):
                    return given
        except RulesFault as error:
            return given if error.property == self.property or self._broken(table) else None
        return given

    def _broken(self, table: Table | None) -> bool:
        events = table.events if table is not None else ()
        return any(isinstance(each, Broken) and each.property == self.property for each in events)
