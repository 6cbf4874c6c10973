"""Engines that play parts of a game one by one, each from the position that the one before has left."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..dsl import rules
from .engine import Chance, Decision
from .reference import Reference
from .table import Table

CHANCE = ("throw", "draw", "pick")
Lasting = tuple[Any, ...]
"""A position between two parts: what the game's own slots hold."""


class Parts(Reference):
    """An engine whose bodies are the setup and parts of a game. At the end of a part nothing is looked at."""

    def __init__(
        self, game: rules.Game, players: int, options: Mapping[str, int | bool], parts: Sequence[rules.Body]
    ) -> None:
        self._parts = [game.setup, *parts]
        super().__init__(game, players, options)
        self.ending, self.at_end = self.at_end, []

    def _bodies(self) -> Sequence[rules.Body]:
        return self._parts

    def run(self, part: int, position: Lasting, answer: Callable[[Decision | Chance], Any]) -> Lasting:
        """The position after a part (0: the setup)."""
        table = Table(self, body=part, lasting=position)
        while (request := table.request()) is not None:
            table.answer(answer(request))
        return tuple(table.m[: self.program.lasting])


def first(request: Any) -> Any:
    """The first outcome or option."""
    return next(request.outcomes())[0] if request.name in CHANCE else 0
