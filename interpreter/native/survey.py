"""What is known of a game before it is compiled: which sets have their elements in rising order wherever they come
from, so that they can be kept as bits, how often definitions and actions are called, and whether anybody drops out."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...dsl import rules
from ...dsl.tree import walk


class Survey:
    """A look at the whole game."""

    def __init__(self, game: rules.Game) -> None:
        self.stacked = {zone.name for zone in game.zones if zone.stacked}
        self.definitions = {rule.name: rule for rule in game.definitions}
        self.not_rising: set[int] = set()
        actions = {rule.name: rule for rule in game.actions}
        self.bindings: list[tuple[int, rules.Expr]] = []
        self.numbers: set[int] = set()
        self.calls: Counter[str] = Counter()
        """How often the rules of play call each definition and action."""
        declared = (*game.definitions, *game.actions, *game.invariants, *game.measures)
        parts = [*game.setup, *game.play, *declared, *filter(None, [game.score])]
        parts += [game.winner] if isinstance(game.winner, rules.Winners) else [*game.winner]
        leaving = (
            node for part in (*parts, *game.focuses) for node in walk(part) if isinstance(node[0], rules.Eliminate)
        )
        self.all_stay = next(leaving, None) is None
        """Whether nobody is ever out of the game, nor at the beginning of a part that is looked at."""
        for node in (node for part in parts for node, _ in walk(part)):
            match node:
                case rules.Local(number=number):
                    self.numbers.add(number)
                case rules.Let(bind, value) if isinstance(bind.type, rules.Many):
                    self.bindings.append((bind.number, value))
                case rules.Do(action, arguments):
                    self.calls[action] += 1
                    self.bindings += self._arguments(actions[action].parameters, arguments)
                case rules.Call(definition, arguments):
                    self.calls[definition] += 1
                    self.bindings += self._arguments(self.definitions[definition].parameters, arguments)

    @staticmethod
    def _arguments(parameters: Any, arguments: Any) -> Iterator[tuple[int, rules.Expr]]:
        for parameter, argument in zip(parameters, arguments, strict=True):
            if isinstance(parameter.type, rules.Many):
                yield parameter.number, argument

    def rising(self) -> set[int]:
        """The numbers of the locals that only ever hold rising sets.

        Found by taking out what does not, until nothing more goes.
        """
        while found := {number for number, value in self.bindings if not self.rises(value)} - self.not_rising:
            self.not_rising |= found
        return self.numbers - self.not_rising

    def rises(self, expr: rules.Expr) -> bool:
        """Whether the elements come in rising order."""
        match expr:
            case rules.Local(number=number) | rules.LocalOf(number=number):
                return number not in self.not_rising
            case rules.ZoneItems(name, _, indexes):
                return indexes is None or name not in self.stacked
            case rules.Filter(source) | rules.Extreme(source) | rules.FirstOf(_, source) | rules.Difference(source):
                return self.rises(source)
            case rules.Aggregate("distinct", source):
                return self.rises(source)
            case rules.Union():
                return isinstance(expr.type, rules.Many) and isinstance(expr.type.of, rules.Item)
            case rules.Conditional(_, then, otherwise):
                return self.rises(then) and self.rises(otherwise)
            case rules.Call(definition):
                return self.rises(self.definitions[definition].value)
            case rules.Mapped() | rules.Ranked() | rules.Others():
                return False
        return True
