"""Which of the values that rules have named in a pass may be shown: those that give no secret away.

A value is secret when working it out reads a field, a variable or the inside of a zone that not everybody sees, and
when rules put it into such a field or variable. Whatever else a player has chosen, or chance has picked, is open: it
happens on the table. Items are shown as a seat sees them.
"""

from collections.abc import Iterator
from typing import Any

import attrs

from ..dsl import rules
from .layout import BOX, Layout, kinds_of


def open_locals(layout: Layout) -> frozenset[int]:
    """The numbers of locals that statements bind and that give nothing away."""
    return _Openness(layout).open()


class _Openness:
    def __init__(self, layout: Layout) -> None:
        game = layout.game
        self.game: rules.Game = game
        self.definitions = {rule.name: rule.value for rule in game.definitions}
        self.actions = {action.name: action for action in game.actions}
        self.closed_zones = {zone.name for zone in game.zones if zone.visibility != "open"} - {BOX}
        self.closed_variables = {rule.name for rule in game.variables if rule.visibility != "open"}
        self.closed_fields = {(kind.name, field) for kind in game.kinds for field in self._closed_fields(kind)}
        self.secret: set[int] = set()
        self.known: dict[str, bool] = {}

    def _closed_fields(self, kind: rules.Kind) -> set[str]:
        """The fields of a kind that not everybody sees everywhere."""
        names = {field.name for field in kind.fields} | {field.name for field in kind.changing}
        if kind.faces is not None:
            names.add(kind.faces.name)
        if any(kind.name in zone.kinds for zone in self.game.zones if zone.name in self.closed_zones):
            return names
        closed = {field.name for field in kind.changing if field.visibility != "open"}
        if kind.hides:
            closed |= {field for hide in kind.hides for field in hide.fields}
            closed |= {field.name for field in kind.fields if field.value is not None}
        return closed

    def open(self) -> frozenset[int]:
        bodies = (self.game.setup, self.game.play, *(action.body for action in self.game.actions))
        bindings = [binding for body in bodies for binding in self._bindings(body)]
        self.secret |= self._kept([value for body in bodies for value in self._put_away(body)], bindings)
        while True:
            found = {local.number for local, value in bindings if value is not None and self._reads_secrets(value)}
            if found <= self.secret:
                return frozenset(local.number for local, _ in bindings) - self.secret
            self.secret |= found
            self.known.clear()

    # ---- what is put where not everybody sees it -------------------------------------------------------

    def _put_away(self, body: rules.Body) -> Iterator[rules.Expr]:
        """What statements assign to fields and variables that not everybody sees."""
        for statement in body:
            if isinstance(statement, rules.Assign) and self._is_closed(statement.place):
                yield statement.value
            for inner in self._inside(statement):
                yield from self._put_away(inner)

    def _is_closed(self, place: rules.VariableValue | rules.FieldOf) -> bool:
        if isinstance(place, rules.VariableValue):
            return place.name in self.closed_variables
        return any((kind, place.field) in self.closed_fields for kind in kinds_of(place.item.type))

    @staticmethod
    def _kept(values: list[rules.Expr], bindings: list[tuple[rules.Local, rules.Expr | None]]) -> set[int]:
        """The locals in these values, and those that they were worked out from."""
        kept: set[int] = set()
        while values:
            found = {number for value in values for number in _locals(value)} - kept
            kept |= found
            values = [value for local, value in bindings if local.number in found and value is not None]
        return kept

    # ---- what is bound ---------------------------------------------------------------------------------

    def _bindings(self, body: rules.Body) -> Iterator[tuple[rules.Local, rules.Expr | None]]:
        """Every local that statements bind, with what it is worked out from."""
        for statement in body:
            yield from self._bound(statement)
            for inner in self._inside(statement):
                yield from self._bindings(inner)

    def _bound(self, statement: rules.Statement) -> Iterator[tuple[rules.Local, rules.Expr | None]]:
        match statement:
            case rules.Let(bind, value):
                yield bind, value
            case rules.For(bind, source, order):
                yield bind, source
                if order is not None:
                    yield bind, order.key
            case rules.Pick(source, _, _, bind):
                yield bind, source
            case rules.Draw(bind=rules.Local() as bind):
                yield bind, None
            case rules.Choose(parts=parts) | rules.ChooseTogether(parts=parts):
                yield from ((part.bind, None) for part in parts)
            case rules.Phase(kind=rules.EachPlayer(me)) if me.name != "me":
                yield me, None
            case rules.Do(action, arguments):
                yield from zip(self.actions[action].parameters, arguments, strict=True)

    @staticmethod
    def _inside(statement: rules.Statement) -> Iterator[rules.Body]:
        match statement:
            case rules.If(cases, otherwise) | rules.Match(_, cases, otherwise):
                yield from (case.body for case in cases)
                yield otherwise
            case (
                rules.For(body=body) | rules.RepeatTimes(_, body) | rules.RepeatUntil(_, body) | rules.Phase(body=body)
            ):
                yield body
            case rules.Choose(body=body, otherwise=otherwise):
                yield from (body, otherwise)
            case rules.ChooseLabel(labels=labels):
                yield from (label.body for label in labels)

    # ---- what is read ----------------------------------------------------------------------------------

    def _reads_secrets(self, part: Any) -> bool:
        """Whether working something out reads what not everybody sees."""
        match part:
            case rules.FieldOf(item, field):
                if any((kind, field) in self.closed_fields for kind in kinds_of(item.type)):
                    return True
            case rules.VariableValue(name) if name in self.closed_variables:
                return True
            case rules.Aggregate("count" | "any", rules.ZoneItems()):
                return False  # how many lie in a zone is seen by all
            case rules.ZoneItems(name) if name in self.closed_zones:
                return True
            case rules.Local(number=number) | rules.LocalOf(number=number) if number in self.secret:
                return True
            case rules.Call(definition) if self._definition(definition):
                return True
        return any(self._reads_secrets(inner) for inner in _parts(part))

    def _definition(self, name: str) -> bool:
        if name not in self.known:
            value = self.definitions.get(name, self.game.score and self.game.score.value)
            self.known[name] = self._reads_secrets(value)
        return self.known[name]


def _parts(part: Any) -> Iterator[Any]:
    if isinstance(part, tuple):
        yield from part
    elif isinstance(part, rules.Rule):
        yield from (getattr(part, field.name) for field in attrs.fields(type(part)) if field.name != "span")


def _locals(part: Any) -> Iterator[int]:
    """The numbers of the locals whose values go into a value; not of those that only say of what it is read."""
    match part:
        case rules.Local(number=number) | rules.LocalOf(number=number):
            yield number
        case rules.FieldOf() | rules.VariableValue() | rules.ZoneItems():
            return
    for inner in _parts(part):
        yield from _locals(inner)
