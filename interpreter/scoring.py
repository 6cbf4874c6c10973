"""Scores and winners, as the rules have them."""

from collections.abc import Callable
from typing import Any

from ..dsl import rules
from .closures import Memory, Read, fault, of_64_bits
from .engine import Broken, Result
from .expressions import Expressions
from .layout import EVENTS, IN, Layout

IN_BOUNDS = "scores stay in their bounds"
"""The property that a final score outside of its bounds refutes."""


class Scoring:
    """Gives a result for a memory."""

    def __init__(self, layout: Layout, expressions: Expressions) -> None:
        game = layout.game
        self.layout = layout
        self.expressions = expressions
        self._score = self._by_seat(game.score.me, game.score.value) if game.score is not None else None
        self._winners = self._set_of_winners(game.winner)

    def _by_seat(self, me: rules.Local, value: rules.Expr) -> Callable[[Memory], list[Any]]:
        """A value for each seat; for teams, what its players have together."""
        slot, read, seats = self.expressions.slot(me), self.expressions.sure(value), range(self.layout.players)
        teams = self.layout.game.teams

        def values(m: Memory) -> list[Any]:
            own = [read(m) for m[slot] in seats]
            if teams is None:
                return own
            return [of_64_bits(sum(own[seat % teams :: teams]), value.span) for seat in seats]

        return values

    def _set_of_winners(self, winner: tuple[rules.Rank, ...] | rules.Winners) -> Read:
        if isinstance(winner, rules.Winners):
            chosen = self.expressions.read(winner.players)
            return lambda m: tuple(sorted(chosen(m)))
        ranks = [(self._by_seat(rank.me, rank.value), rank.highest) for rank in winner]

        def best(m: Memory) -> tuple[int, ...]:
            left: tuple[int, ...] = m[IN] if ranks else ()
            for values_of, highest in ranks:
                values = values_of(m)
                if left:
                    bar = (max if highest else min)([values[seat] for seat in left])
                    left = tuple([seat for seat in left if values[seat] == bar])
            return left

        return best

    def result(self, m: Memory) -> Result:
        """Scores as they stand, and who would win."""
        scores = tuple([int(score) for score in self._score(m)]) if self._score is not None else None
        return Result(scores, self._winners(m))

    def finish(self, m: Memory) -> None:
        """Find fault with what cannot be worked out."""
        self.result(m)

    def within(self, score: rules.Score, bounds: rules.Range) -> Callable[[Memory], None]:
        """A closure that finds fault with scores outside of their bounds."""
        low, high = self.expressions.value(bounds.low), self.expressions.value(bounds.high)

        watch = self.expressions.watch

        def check(m: Memory) -> None:
            if watch is not None:
                watch.looked[IN_BOUNDS] += 1
            for seat, value in enumerate(self.result(m).scores or ()):
                if not low <= value <= high:
                    message = f"player {seat + 1} has the score {value}, outside of {low}..{high}"
                    if watch is None:
                        raise fault(message, bounds.span, IN_BOUNDS)
                    m[EVENTS].append(Broken(IN_BOUNDS, message, bounds.span))

        return check
