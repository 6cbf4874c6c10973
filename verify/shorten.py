"""Makes a game that breaks a property as short as it can be, and says whether it is proved that none is shorter."""

from collections.abc import Sequence

import attrs

from ..interpreter import Answer, Keys, Reference, RulesFault
from .explore import Budget, Search, Track
from .story import broken_after, fits

Answers = Sequence[int | Answer]


@attrs.frozen
class Shortest:
    """The shortest game known; `proved` after a search that found none shorter among so many positions."""

    answers: tuple[int | Answer, ...]
    proved: bool
    examined: int


def shorten(
    engine: Reference, keys: Keys, answers: Answers, property: str, budget: Budget, tracks: Sequence[Track] = ()
) -> Shortest:
    """The same property broken by a game as short as it can be. The engine has a watch.

    Loops are cut out, answers are left out as long as the property still breaks, and then all shorter games are
    looked at, nearest first, as far as the budget goes.
    """
    best = list(answers)
    if all(track.name != property for track in tracks):
        best = _cut(engine, best, property)
        best = _thinned(engine, _without_loops(engine, keys, best, property), property)
    search = Search(engine, keys, tracks, goal=property)
    search.run(attrs.evolve(budget, depth=len(best) - 1))
    if property in search.breaks:
        return Shortest(tuple(search.game(search.breaks[property].edge)), True, len(search.graph))
    proved = search.graph.complete or search.depth >= len(best) - 1
    return Shortest(tuple(best), proved, len(search.graph))


def _cut(engine: Reference, answers: list[int | Answer], property: str) -> list[int | Answer]:
    """The game up to where the property breaks first."""
    number = broken_after(engine, answers, property)
    return answers if number is None else answers[:number]


def _without_loops(engine: Reference, keys: Keys, answers: list[int | Answer], property: str) -> list[int | Answer]:
    """From each position straight to where it comes for the last time."""
    table, marks = engine.table(), list[bytes]()
    for answer in answers:
        marks.append(table.key(keys))
        table.answer(answer) if len(marks) < len(answers) else None
    last = {mark: place for place, mark in enumerate(marks)}
    kept, place = list[int | Answer](), 0
    while place < len(answers):
        place = last[marks[place]]
        kept.append(answers[place])
        place += 1
    return kept if _still(engine, kept, property) is not None else answers


def _thinned(engine: Reference, answers: list[int | Answer], property: str) -> list[int | Answer]:
    """Ever smaller stretches left out, as long as the property breaks without them (Zeller's delta debugging)."""
    size = max(len(answers) // 2, 1)
    while True:
        place, shorter = 0, False
        while place < len(answers):
            made = _still(engine, [*answers[:place], *answers[place + size :]], property)
            if made is not None and len(made) < len(answers):
                answers, shorter = made, True
            else:
                place += size
        if size == 1 and not shorter:
            return answers
        size = max(size // 2, 1)


def _still(engine: Reference, answers: Answers, property: str) -> list[int | Answer] | None:
    """What of these answers can be given, up to where the property breaks; None if it does not."""
    given = _given(engine, answers)
    number = broken_after(engine, given, property)
    return None if number is None else given[:number]


def _given(engine: Reference, answers: Answers) -> list[int | Answer]:
    """The answers that can be given one after the other; the others are passed over."""
    given: list[int | Answer] = []
    try:
        table = engine.table()
        for answer in answers:
            request = table.request()
            if request is None:
                break
            if fits(request, answer):
                given.append(answer)
                table.answer(answer)
    except RulesFault:
        pass
    return given
