"""Games in which a property holds, for whoever does not believe that all is well.

Of some random games the shortest is told, or for a comparison of numbers the one that came nearest to breaking it.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from ..dsl import rules
from ..interpreter import Answer, Broken, RulesFault, Stream, Table, Watch
from ..interpreter.changes import sides
from ..interpreter.playing import is_decision
from .looking import Looking
from .story import Teller
from .tracks import Rising
from .verdicts import Sample

GAMES, SECONDS = 50, 2.0
"""Random games that are played to find one to tell, and for how long at most."""

ANSWERS = 2_000
"""Answers after which a game is left."""

Answers = Sequence[int | Answer]


@attrs.frozen
class _Look:
    """What a property showed where it was looked at and held: after so many answers, and by how much it held."""

    after: int
    spare: int | None = None
    memory: Any = None


def sample(looking: Looking, name: str) -> Sample | None:
    """A game in which the property of this name was looked at and holds; None where none was found, and for a claim,
    which is about many games."""
    if any(claim.name == name for claim in looking.game.claims):
        return None
    holds = _Holds(looking, name)
    best: tuple[tuple[int, int], list[int | Answer], list[_Look]] | None = None
    until = time.monotonic() + SECONDS
    for number in range(GAMES):
        if looking.stop or (best is not None and time.monotonic() > until):
            break
        answers, looks = holds.played(Stream(looking.seed, number))
        spares = [look.spare for look in looks if look.spare is not None]
        order = (min(spares, default=0), len(answers))
        if looks and (best is None or order < best[0]):
            best = order, answers, looks
    return None if best is None else holds.told(*best[1:])


class _Holds:
    """Plays games in which is noted where a property holds: it is the opposite that is broken there."""

    def __init__(self, looking: Looking, name: str) -> None:
        game, self.name, self.subject = looking.game, name, looking.subject
        self.rule = next((each for each in game.invariants if each.name == name), None)
        if self.rule is not None:
            condition = self.rule.condition
            negated = attrs.evolve(self.rule, condition=rules.Not(condition, type=condition.type, span=condition.span))
            game = attrs.evolve(game, invariants=(negated,))
        self.watch = Watch(tracing=self.rule is not None)
        ruleset = attrs.evolve(looking.subject.ruleset, game=game)
        self.engine = attrs.evolve(looking.subject, ruleset=ruleset).engine(self.watch)
        self.rising = next((Rising.of(self.engine, each) for each in game.monotones if each.name == name), None)
        lead = next((each for each in game.leads if each.name == name), None)
        self.lead = None if lead is None else [self.engine.reader(part) for part in (lead.first, lead.second)]

    def played(self, draws: Stream) -> tuple[list[int | Answer], list[_Look]]:
        """A random game, and where the property was looked at; nothing where the rules break off."""
        answers, looks = list[int | Answer](), list[_Look]()
        try:
            table = self.engine.table()
            looks += self._looks(table, 0)
            while (request := table.request()) is not None and len(answers) < ANSWERS:
                made: Any = request
                answer = draws.below(len(made)) if is_decision(request) else made.sample(draws)
                table.events.clear()
                self.watch.writes.clear()
                table.answer(answer)
                table.request()
                answers.append(answer)
                looks += self._looks(table, len(answers))
        except RulesFault:
            return [], []
        return answers, looks

    def _looks(self, table: Table, after: int) -> Iterator[_Look]:
        table.request()
        if self.rule is not None:
            for event in table.events:
                if isinstance(event, Broken) and event.property == self.name:
                    yield _Look(after, self._spare(event.memory), event.memory)
        elif self.rising is not None:
            yield _Look(after, memory=self.rising.read(table))
        elif self.lead is not None:
            first, second = (read(table) for read in self.lead)
            if first or second:
                yield _Look(after, memory=(first, second))
        else:
            yield _Look(after)

    def _spare(self, memory: Any) -> int | None:
        """How far apart the two sides are of a comparison of numbers."""
        assert self.rule is not None
        match self.rule.condition:
            case rules.Compare("<" | "<=" | ">" | ">=", left, right):
                one, other = (self.engine.program.expressions.read(side)(memory) for side in (left, right))
                return abs(one - other) if isinstance(one, int) and isinstance(other, int) else None
        return None

    # ---- told -------------------------------------------------------------------------------------------

    def told(self, answers: Answers, looks: Sequence[_Look]) -> Sample:
        """The game, and what is to be said of it."""
        teller = Teller(self.subject.engine(Watch(tracing=True)), self.subject.engine(Watch()))
        return Sample(teller.trace(answers, None), tuple(self._notes(looks)))

    def _notes(self, looks: Sequence[_Look]) -> Iterator[str]:
        if self.rule is not None:
            yield from self._noted(self.rule, looks)
        elif self.rising is not None:
            values = [each.memory if isinstance(each.memory, tuple) else (each.memory,) for each in looks]
            told = [value for value, before in zip(values, [None, *values], strict=False) if value != before]
            yield " -> ".join(", ".join(map(str, value)) for value in told)
        elif self.lead is not None:
            for word, part in (("first", 0), ("second", 1)):
                after = dict.fromkeys(look.after for look in looks if look.memory[part])
                yield f"the {word} part holds after answers {_few(list(after))}" if after else f"never the {word} part"

    def _noted(self, rule: rules.Invariant, looks: Sequence[_Look]) -> Iterator[str]:
        """How often it was looked at, and the values at the look that was nearest to breaking it, or the last."""
        after = list(dict.fromkeys(look.after for look in looks))
        yield f"looked at {len(looks)} time{'s' * (len(looks) > 1)} in this game, after answers {_few(after)}"
        spares = [look.spare for look in looks if look.spare is not None]
        shown = next((look for look in looks if spares and look.spare == min(spares)), looks[-1])
        never = isinstance(rule.moment, rules.Never)
        parts = sides(self.engine.program, rule.condition, shown.memory, holds=never)
        said = ", ".join(f"{text} is {value}" for text, value in parts)
        yield f"{'nearest to breaking' if spares else 'the last time'}, after answer {shown.after}: {said}"


def _few(numbers: Sequence[int], most: int = 12) -> str:
    """Numbers one after the other, if they are not too many."""
    told = ", ".join(map(str, numbers[:most]))
    return told + (f" and {len(numbers) - most} more" if len(numbers) > most else "")
