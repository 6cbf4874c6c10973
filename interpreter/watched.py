"""Expressions of a strategy, watched: to look at what its player cannot see is a fault, and no cheating.

Counting what lies in a zone is allowed to everybody; looking at what a thing there shows is not.
"""

from typing import Any

from ..dsl import rules
from .closures import Memory, Read, fault
from .expressions import Expressions
from .layout import BOX, kinds_of
from .program import Program


class Watched(Expressions):
    """Makes closures that look with the eyes of `seat`."""

    def __init__(self, program: Program) -> None:
        super().__init__(program.layout)
        self.locals, self.together = program.expressions.locals, program.expressions.together
        self.program = program
        self.seat = 0

    def slot(self, local: rules.Local) -> int:
        """The slot of a local, where the program has it."""
        return self.program.expressions.slot(local)

    def field(self, expr: rules.FieldOf) -> tuple[list[Any] | None, int | None]:
        """A field's values or slots only where everybody sees them: no other is read without a look at who reads it."""
        return super().field(expr) if self._open(expr) else (None, None)

    def read(self, expr: rules.Expr) -> Read:
        """The closure that gives an expression's value, if its player may know it."""
        match expr:
            case rules.FieldOf(item, field) if not self._open(expr):
                return self._field(super().read(expr), self.sure(item), field, expr)
            case rules.VariableValue(name, player):
                return self._variable_seen(super().read(expr), name, player, expr)
            case _:
                return super().read(expr)

    def _open(self, expr: rules.FieldOf) -> bool:
        """Whether what is read is always in sight: cells and components that nothing hides."""
        game = self.layout.game
        hiding = {name for zone in game.zones if zone.visibility != "open" for name in zone.kinds if zone.name != BOX}
        kinds = [self.layout.kinds[name] for name in kinds_of(expr.item.type)]
        return all(self.program.sight.looks[kind.rule.name].plain and kind.rule.name not in hiding for kind in kinds)

    def _field(self, value: Read, item: Read, field: str, expr: rules.Expr) -> Read:
        sight = self.program.sight

        def seen(m: Memory) -> Any:
            number = item(m)
            zone = self.lies_in(m, number)
            if not (sight.into(zone, self.seat) and sight.shows(m, number, field, zone, self.seat)):
                raise self._blind(f"`{field}`", expr)
            return value(m)

        return seen

    def _variable_seen(self, value: Read, name: str, player: rules.Expr | None, expr: rules.Expr) -> Read:
        rule = next(variable for variable in self.layout.game.variables if variable.name == name)
        if rule.visibility == "open":
            return value
        owner = self.sure(player) if player is not None and rule.visibility == "private" else None

        def seen(m: Memory) -> Any:
            if owner is None or owner(m) != self.seat:
                raise self._blind(f"`{name}`", expr)
            return value(m)

        return seen

    def _blind(self, what: str, expr: rules.Expr) -> Exception:
        return fault(f"the strategy looks at {what}, which player {self.seat + 1} cannot see", expr.span)
