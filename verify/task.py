"""A graph of positions as something to solve: each is worth the mean, the most or the least of what comes after it."""

from collections.abc import Collection
from fractions import Fraction

import attrs
import numpy as np

from .graph import END
from .shape import Ints, Mask, Shape, Small

LEAST, AVERAGE, MOST, OVER = -1, 0, 1, 2
"""What a position is worth: the least, the mean or the most of what its edges lead to, or what is paid."""


@attrs.define(eq=False)
class Task:
    """Positions, edges and roles; what is paid at the ends comes apart from them, for one seat at a time."""

    role: Small
    first: Ints
    target: Ints
    odds: Ints
    """For the edges of a mean, which of `chances`; else -1."""
    negative: Mask
    """Whether what is won after an edge is what is lost before it."""
    chances: list[Fraction]
    edge: Ints
    """The edges as they were numbered before any were left out."""

    def __len__(self) -> int:
        return len(self.role)

    @property
    def chooses(self) -> Mask:
        """Where there is something to choose."""
        return np.isin(self.role, (LEAST, MOST))

    @property
    def shape(self) -> Shape:
        """Who decides is 0 where the most is chosen and 1 where the least is."""
        owner = np.array([-1, 0, END, 1], np.int8)[self.role]
        return Shape(owner, self.first, self.target, np.zeros(len(self.target), np.int8), 2)

    def kept(self, keep: Mask) -> "Task":
        """Without some of the edges. Where only one is left, nothing is to be chosen."""
        first = np.concatenate([[0], np.cumsum(keep)])[self.first]
        forced = self.chooses & (np.diff(first) == 1)
        role, odds, chances = np.where(forced, AVERAGE, self.role), self.odds[keep], self.chances
        if forced.any():
            odds[first[:-1][forced]] = len(chances)
            chances = [*chances, Fraction(1)]
        return Task(role.astype(np.int8), first, self.target[keep], odds, self.negative[keep], chances, self.edge[keep])

    def fixed(self, choice: Ints, roles: Collection[int] = (LEAST, MOST)) -> "Task":
        """With the chosen edges as the only ones where somebody of these roles chooses; `choice` has the edge for each
        position."""
        here = np.isin(self.role, list(roles))
        keep = np.repeat(~here, np.diff(self.first))
        keep[choice[here]] = True
        return self.kept(keep)
