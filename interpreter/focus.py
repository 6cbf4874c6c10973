"""A focus of a rules file: one part of play from a described position, as an engine like any other.

In the setup the first outcome of every chance comes, and the first option is taken, as in examples.
"""

import marshal
from collections.abc import Callable, Sequence
from functools import cached_property

import attrs

from ..dsl import rules
from .keys import UNSHARED, Keys
from .liveness import Readers
from .moments import holding
from .parts import Lasting, Parts, first
from .program import Act
from .reference import NOBODY_ELSE, Reference
from .state import State
from .table import Table
from .watch import Watch

THEN = "what the focus says after `then`"


def focus_engine(
    game: rules.Game, focus: rules.Focus, *, check: bool = True, limit: int = 100_000, watch: Watch | None = None
) -> "FocusEngine":
    """The engine that plays the part a focus is about.

    Raises:
        ValueError: a number of players, or an option, that the rules do not know.
    """
    return FocusEngine(game, focus, check, limit, watch)


class FocusEngine(Reference):
    """Plays one part of a game from the position that a focus describes; where the part is over, so is the game."""

    def __init__(self, game: rules.Game, focus: rules.Focus, check: bool, limit: int, watch: Watch | None) -> None:
        self.focus = focus
        super().__init__(game, focus.players, dict(focus.options), check=check, limit=limit, watch=watch)
        self.value: Callable[[Table], int] | None = None if focus.value is None else self._valued(focus.value)
        """What the player in `seat` makes as high as possible, at a table where the part is over."""

    def _bodies(self) -> Sequence[rules.Body]:
        return [self.focus.part.body]

    @property
    def whole(self) -> bool:
        """Whether the part is the game itself, to its end."""
        return self.focus.part.title == "game"

    def held_at_end(self) -> list[rules.Invariant]:
        """What must hold where the part is over."""
        return [
            rules.Invariant(self.focus.name, rules.AtEnd(), then.condition, span=then.span) for then in self.focus.then
        ]

    def _at_end(self) -> list[Act]:
        acts = super()._at_end() if self.whole else []
        return [*acts, *[holding(rule, self.program.expressions, THEN) for rule in self.held_at_end()]]

    def _valued(self, value: rules.Expr) -> Callable[[Table], int]:
        read = self.program.expressions.sure(value)
        return lambda table: int(read(table.m))

    @cached_property
    def position(self) -> Lasting:
        """What the focus describes."""
        focus, position = self.focus, Lasting()
        parts = Parts(self.game, focus.players, self.options, [given.body for given in focus.given])
        for part in range(0 if focus.with_setup else 1, 1 + len(focus.given)):
            position = parts.run(part, position, first)
        return position

    @cached_property
    def seat(self) -> int:
        """The seat of the player the part is played for; the first where it is played for nobody."""
        m = self.program.layout.memory()
        m[: len(self.position)] = self.position
        return 0 if self.focus.player is None else int(self.program.expressions.read(self.focus.player)(m))

    def table(self, state: State | None = None) -> Table:
        """A table in a state; without one where the part begins."""
        return _FocusTable(self, state, lasting=self.position if state is None else ())

    def keys(self, readers: Readers = NOBODY_ELSE) -> Keys:
        """Makes keys: equal for positions that play on alike, to the focus and to `readers` too."""
        told = [then.condition for then in self.focus.then]
        told += [self.focus.value] if self.focus.value is not None else []
        return super().keys(attrs.evolve(readers, at_end=(*readers.at_end, *told)))


class _FocusTable(Table):
    """A table at which one part is played."""

    __slots__ = ()
    engine: FocusEngine

    def key(self, keys: Keys) -> bytes:
        """The position's key; at the end it tells the values apart as well."""
        key = super().key(keys)
        if self.request() is None and self.engine.value is not None:
            return key + marshal.dumps(self.engine.value(self), UNSHARED)
        return key
