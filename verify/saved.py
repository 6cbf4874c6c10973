"""What a saved game breaks under the rules as they are now."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import attrs

from ..dsl import Ruleset, rules
from ..interpreter import Answer, Broken, Keys, Readers, Reference, RulesFault, Table, TurnTaken, Watch
from ..interpreter.playing import is_decision
from ..interpreter.records import Record, answer_of, engine_for
from .findings import ENDS, end_name
from .leaks import Leaks
from .tracks import Holds, Rising

Broke = tuple[str, str]
"""A property, and what is wrong."""


def still_broken(ruleset: Ruleset, saved: Record) -> list[Broke]:
    """What a saved game breaks now: the names of properties, with what is wrong.

    Raises:
        Inapplicable: the game does not fit these rules.
    """
    options = engine_for(saved, ruleset.game).options
    again = _Again(Reference(ruleset.game, saved.players, options, watch=Watch()))
    broken = dict(again.play(saved))
    leaks = Leaks(Reference(ruleset.game, saved.players, options, check=False))
    with suppress(RulesFault):
        broken |= {leak.name: str(leak) for leak in leaks.after(again.answers) if leak.games is not None}
    left_out = {each.name for each in ruleset.game.unchecked}
    return [(name, message) for name, message in broken.items() if name not in left_out]


@attrs.frozen
class _Position:
    """What properties need of a position."""

    key: bytes
    values: tuple[Any, ...]
    holds: tuple[tuple[bool, bool], ...]
    """For each pair of which one leads to the other."""
    passes: Counter[str]
    """How many passes of each phase have ended by then."""


class _Again:
    """Plays a game again, and looks at every position."""

    def __init__(self, engine: Reference) -> None:
        self.engine, game = engine, engine.game
        self.answers: list[int | Answer] = []
        self.rising = [Rising.of(engine, rule) for rule in game.monotones]
        self.leads = [[Holds.of(engine, rule, part) for part in (rule.first, rule.second)] for rule in game.leads]
        read = [rule.value for rule in game.monotones]
        read += [part for rule in game.leads for part in (rule.first, rule.second)]
        self.keys: Keys = engine.keys(Readers(always=tuple(read)))
        self.way: list[_Position] = []

    def play(self, saved: Record) -> Iterator[Broke]:
        """What is broken on the way, and by the game as a whole."""
        over, decisions, table = False, 0, None
        try:
            table = self.engine.table()
            yield from self._look(table)
            for number, each in enumerate(saved.steps, 1):
                request = table.request()
                self.answers.append(answer_of(request, each, number))
                decisions += request is not None and is_decision(request)
                table.events.clear()
                table.answer(self.answers[-1])
                yield from self._look(table)
            over = table.request() is None
        except RulesFault as fault:
            yield from self._noted(table)
            yield fault.property, fault.message
        repeats = self._repeats()
        for place, rule in enumerate(self.engine.game.leads):
            if (wrong := self._astray(rule, place, over, repeats)) is not None:
                yield rule.name, wrong
        for end in self.engine.game.endings:
            if (wrong := self._endless(end, decisions, repeats)) is not None:
                yield end_name(end), wrong
        if repeats is not None and not self.engine.game.endings:
            yield ENDS, f"all stands as it did after answer {repeats}"

    def _noted(self, table: Table | None) -> Iterator[Broke]:
        for event in table.events if table is not None else ():
            if isinstance(event, Broken):
                yield event.property, event.message

    def _look(self, table: Table) -> Iterator[Broke]:
        """Look at a position."""
        table.request()
        yield from self._noted(table)
        before = self.way[-1] if self.way else None
        ended = Counter(event.phase for event in table.events if isinstance(event, TurnTaken))
        here = _Position(
            table.key(self.keys),
            tuple(rising.read(table) for rising in self.rising),
            tuple((first.read(table) is True, second.read(table) is True) for first, second in self.leads),
            ended if before is None else before.passes + ended,
        )
        self.way.append(here)
        for rising, old, new in zip(self.rising, before.values if before else (), here.values, strict=False):
            if (wrong := rising.step(old, new)) is not None:
                yield rising.name, wrong

    # ---- the game as a whole ----------------------------------------------------------------------------

    def _repeats(self) -> int | None:
        """The answer after which all stood as it does now, if nothing but that is left to come."""
        marks = [position.key for position in self.way]
        return marks.index(marks[-1]) if marks and marks[-1] in marks[:-1] else None

    def _astray(self, rule: rules.LeadsTo, place: int, over: bool, repeats: int | None) -> str | None:
        """Whether the first part held and the second did not come."""
        since = None
        for number, position in enumerate(self.way):
            first, second = position.holds[place]
            since = None if second else number if since is None and first else since
            if since is not None and rule.within is not None:
                count, phase = rule.within
                if position.passes[phase] - self.way[since].passes[phase] > self.engine.worth(count):
                    return f"more than {self.engine.worth(count)} passes of {phase} have ended, and it has not come"
        if since is None:
            return None
        if over:
            return "the game is over, and it has not come"
        return "players can keep it off for ever" if repeats is not None and since <= repeats else None

    def _endless(self, rule: rules.Ends, decisions: int, repeats: int | None) -> str | None:
        """Whether the game has gone on for too long."""
        if repeats is not None:
            return f"all stands as it did after answer {repeats}"
        if rule.count is not None:
            count = decisions if rule.of == "decisions" else self.way[-1].passes["turn"] if self.way else 0
            if count > self.engine.worth(rule.count):
                return f"a game can take {count} {rule.of}"
        return None
