"""Numbers that grow for ever: play comes back to where it was but for some numbers, and can do so again and again.

In games two positions are looked for that differ in nothing but the values of number variables: the answers between
them are a loop. If these can be given a thousand times, and move the same numbers on each time, nothing seems to hold
the numbers back.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import attrs

from ..dsl import rules
from ..interpreter import Answer, Readers, Reference, RulesFault, Stream, Table
from ..interpreter.playing import is_decision
from .stalls import Always, policies
from .story import fits

TIMES = 1_000
"""So often the answers of a loop are given."""

LONG = 200
"""Answers of a game in which everybody always says the same."""

LOOKED = 1_000
"""Answers of any game that are looked at."""

LUCK = 3
"""Ways in which chance always brings the same."""

Answers = Sequence[int | Answer]


@attrs.frozen
class Pump:
    """A game that comes into a loop, and the answers of the loop, which change only the numbers called `names`."""

    stem: tuple[int | Answer, ...]
    loop: tuple[int | Answer, ...]
    names: tuple[str, ...]
    grows: bool
    """Whether each of them gets larger; else some get smaller."""

    def __str__(self) -> str:
        way = "larger" if self.grows else "smaller, or larger,"
        return f"{' and '.join(self.names)}: {way} each time, and the same answers can be given {TIMES:,} times"


@attrs.frozen
class _Place:
    """A position of a game without its numbers, and these."""

    rest: bytes
    numbers: tuple[Any, ...]


@attrs.define(eq=False, slots=False)
class Growth:
    """Looks for such loops in games of an engine that checks no properties."""

    engine: Reference
    seconds: float | None = None
    looked: int = 0
    """The games that were looked at."""

    def __attrs_post_init__(self) -> None:
        layout = self.engine.program.layout
        self._keys = self.engine.keys(Readers(properties=False))
        self._slots = [
            slot
            for block in layout.variables.values()
            for slot in block.slots
            if isinstance(layout.types[slot], rules.Number)
        ]
        self._until = None if self.seconds is None else time.monotonic() + self.seconds

    def pump(self, games: Iterable[Answers]) -> Pump | None:
        """A loop in games in which everybody always says the same, or else in these."""
        for answers in chain(self._alike(), games):
            if not self._slots or self._late():
                break
            self.looked += 1
            for place, number in self._loops(answers):
                if (moved := self._moved(answers[:place], answers[place:number])) is not None:
                    names = tuple(self.engine.program.layout.names[slot] for slot in moved)
                    return Pump(tuple(answers[:place]), tuple(answers[place:number]), names, all(moved.values()))
        return None

    def _late(self) -> bool:
        return self._until is not None and time.monotonic() > self._until

    def _place(self, table: Table) -> _Place:
        state = table.freeze()
        rest = list(state.values)
        for slot in self._slots:
            rest[slot] = 0
        return _Place(self._keys.key(rest, state.step), tuple([state.values[slot] for slot in self._slots]))

    # ---- loops -------------------------------------------------------------------------------------------

    def _loops(self, answers: Answers) -> Iterator[tuple[int, int]]:
        """Stretches of a game between positions that differ in nothing but numbers, the shortest for each end."""
        last: dict[bytes, tuple[int, _Place]] = {}
        try:
            table = self.engine.table()
            for number, answer in enumerate(answers[:LOOKED]):
                if table.request() is None or self._late():
                    return
                here = self._place(table)
                before = last.get(here.rest)
                if before is not None and before[1].numbers != here.numbers:
                    yield before[0], number
                last[here.rest] = number, here
                table.answer(answer)
        except RulesFault:
            return

    def _moved(self, stem: Answers, loop: Answers) -> dict[int, bool] | None:
        """The slots that a loop moves on each time it is gone through, and whether up; None if it comes to an end."""
        try:
            table = self.engine.table()
            for answer in stem:
                table.answer(answer)
            here, moved = self._place(table), dict[int, bool]()
            for time_ in range(TIMES):
                for answer in loop:
                    request = table.request()
                    if request is None or not fits(request, answer):
                        return None
                    table.answer(answer)
                    table.events.clear()
                if table.request() is None or self._late():
                    return None
                there = self._place(table)
                steps = {
                    slot: new > old
                    for slot, old, new in zip(self._slots, here.numbers, there.numbers, strict=True)
                    if new != old
                }
                if there.rest != here.rest or not steps or (time_ and steps != moved):
                    return None
                here, moved = there, steps
        except RulesFault:
            return None
        return moved

    # ---- games -------------------------------------------------------------------------------------------

    def _alike(self) -> Iterator[Answers]:
        """Games in which everybody always says the same, and chance too."""
        for policy in policies(self.engine.game):
            for luck in range(LUCK):
                yield self._game(policy, luck)

    def _game(self, policy: Always, luck: int) -> Answers:
        answers: list[int | Answer] = []
        try:
            table = self.engine.table()
            while len(answers) < LONG and (request := table.request()) is not None:
                made: Any = request
                draws = Stream(1, luck)
                answers.append(policy.choose(table, made, draws) if is_decision(request) else made.sample(draws))
                table.answer(answers[-1])
        except RulesFault:
            pass
        return answers
