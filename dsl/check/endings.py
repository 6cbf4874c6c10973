"""How a game ends: score and winner, and claims about many games."""

from collections.abc import Container

import attrs

from .. import rules, syntax
from ..problems import MissingPart, WrongClaim, near
from . import types
from .declarations import Declarations
from .expressions import Expressions
from .ground import Ground
from .names import Scope
from .properties import TURN
from .types import PLAYER

FIGURES = {
    "win_rate": "seat", "shared_rate": "seat", "mean_score": "seat",
    "mean": "measure", "turns": None, "decisions": None,
}  # fmt: skip
"""What a claim may be about, and what each figure is of."""


@attrs.define
class Endings:
    """Lowers what is said about the end of a game and about many games; comes after play."""

    ground: Ground
    declarations: Declarations
    scored: rules.Score | None = None
    won: bool = False

    def __attrs_post_init__(self) -> None:
        self.ground.lowering["score"] = self.score

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

    def score(self, name: str) -> None:
        """A player's score, without its bounds."""
        node = self.ground.names.declared[name].node
        assert isinstance(node, syntax.Score)
        me = self.ground.local("me", PLAYER, node.span)
        value = self.expressions.number(node.value, Scope(me=me), "the score")
        self.scored = rules.Score(me, value, None, span=node.span)

    def bounds(self, node: syntax.Bounds) -> rules.Range | None:
        """What the score must lie in."""
        limits = self.declarations.domain(node.range)
        if self.scored is None:
            self.ground.report(MissingPart(node.span, "there is no score that could have bounds"))
        else:
            self.expressions.in_range(self.scored.value, limits.type, "the score")
        return limits.range

    def winner(self, node: syntax.Winner) -> tuple[rules.Rank, ...] | rules.Winners:
        """How players are ranked, or a set of winners."""
        self.won = True
        if isinstance(node.ranks, tuple):
            ranks = []
            for rank in node.ranks:
                me = self.ground.local("me", PLAYER, rank.span)
                value = self.expressions.number(rank.value, Scope(me=me), "what players are compared by")
                ranks.append(rules.Rank(me, value, rank.highest, span=rank.span))
            return tuple(ranks)
        players = self.expressions.many(node.ranks, Scope(), "the winners")
        players = self.expressions.fit(players, rules.Many(PLAYER), "the winners")
        return rules.Winners(players, span=node.span)

    # ---- claims ----------------------------------------------------------------------------------------

    def claim(self, node: syntax.Claim) -> rules.Claim | None:
        """That a figure of many games lies in a range."""
        titled = self.ground.names.titled
        strategies, measures = titled.get("strategy", {}), titled.get("measure", {})
        if node.strategy is not None and node.strategy.text not in (*strategies, rules.BEST):
            self.ground.unknown(node.strategy, "strategy", strategies)
        figure = node.figure.text
        if figure not in FIGURES:
            advice = near(figure, FIGURES) or f"There are {types.listed(tuple(FIGURES), 'and')}."
            self.ground.report(WrongClaim(node.figure.span, f"`{figure}` is no figure of a game", advice))
            return None
        wrong = self._wrong_figure(figure, node.of, measures)
        if wrong is not None:
            hint = near(str(node.of), measures) if figure == "mean" else None
            self.ground.report(WrongClaim(node.figure.span, wrong, hint))
        if float(node.low) > float(node.high):
            self.ground.report(WrongClaim(node.span, f"nothing lies from {node.low} to {node.high}"))
        elif figure.endswith("_rate") and (float(node.low) > 1 or float(node.high) < 0):
            self.ground.report(WrongClaim(node.span, f"`{figure}` is a share: it lies from 0 to 1"))
        strategy = node.strategy.text if node.strategy else None
        return rules.Claim(node.name.text, strategy, figure, node.of, node.low, node.high, span=node.span)  # type: ignore[arg-type]

    def _wrong_figure(self, figure: str, of: int | str | None, measures: Container[object]) -> str | None:
        """What is wrong with a figure, or with what stands in its brackets."""
        seats = self.ground.players[0]
        match FIGURES[figure]:
            case None if of is not None:
                return f"`{figure}` takes nothing in brackets"
            case "seat" if not isinstance(of, int):
                return f"say of which seat: `{figure}(1)`"
            case "seat" if isinstance(of, int) and not 1 <= of <= seats:
                return f"claims are about games of the fewest players, here {seats}; there is no seat {of}"
            case "measure" if not isinstance(of, str):
                return f'say of which measure: `{figure}("…")`'
            case "measure" if of not in measures:
                return f'no measure is called "{of}"'
        if figure.endswith("_rate") and not self.won:
            return "nobody ever wins: the game has no `winner`"
        if figure == "mean_score" and self.scored is None:
            return "the game has no score"
        if figure == "turns" and TURN not in self.ground.names.phases:
            return f"turns are passes of a phase called `{TURN}`; there is none"
        return None
