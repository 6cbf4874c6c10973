"""Statements that change values, and those that run actions."""

import attrs

from .. import rules, syntax
from ..problems import CannotChange, NotAround, NotConserved, UnknownName, WrongType
from . import types
from .moves import Moves
from .names import Scope
from .types import NUMBER, bare, kinds


@attrs.define
class Changes(Moves):
    """Lowers assignments, payments, local names, and what is done to players."""

    def _whole_array(self, node: syntax.Assign, scope: Scope) -> rules.Variable | None:
        """The array that an assignment names as a whole, if it does."""
        named = node.place.name if isinstance(node.place, syntax.Attribute) else node.place
        if node.operator != "=" or not isinstance(named, syntax.Name) or scope.find(named.text):
            return None
        variable = self.ground.variables.get(named.text)
        return variable if variable is not None and variable.shape else None

    def _fill(self, node: syntax.Assign, variable: rules.Variable, scope: Scope) -> rules.Statement | None:
        """`noted = 0` for an array: one loop for each of its dimensions around a plain assignment."""
        binds = [self.ground.local("it", domain.type, node.span) for domain in variable.shape]
        names = [syntax.Name(f"place {n}", span=node.place.span) for n, _ in enumerate(binds)]  # no name of a game
        inner = scope.inside()
        for name, bind in zip(names, binds, strict=True):
            inner.bind(name, bind)
        element = syntax.Element(node.place, tuple(names), span=node.place.span)
        filled = self._assign(attrs.evolve(node, place=element), inner)
        for bind, domain in reversed(list(zip(binds, variable.shape, strict=True))):
            if filled is not None:
                filled = rules.For(bind, _values(domain), None, (filled,), span=node.span)
        return filled

    def _assign(self, node: syntax.Assign, scope: Scope) -> rules.Statement | None:
        array = self._whole_array(node, scope)
        if array is not None:
            return self._fill(node, array, scope)
        if not self._changes(node.place, scope):
            return None
        place = self.expressions.lower(node.place, scope)
        if not isinstance(place, rules.VariableValue | rules.FieldOf):
            self._cannot_change(node.place, place)
            return None
        if isinstance(place, rules.FieldOf) and not self._may_change(place):
            return None
        operator = {"=": "=", "+=": "+", "-=": "-"}[node.operator]
        if operator != "=" and not types.fits(place.type, NUMBER):
            fact = f"only numbers can be changed by `{node.operator}`, this is {types.spoken(place.type)}"
            self.ground.report(WrongType(place.span, fact))
            return None
        what = "the new value" if operator == "=" else f"what stands after `{node.operator}`"
        wanted = place.type if operator == "=" else NUMBER
        value = self.expressions.want(node.value, scope, wanted, what)
        if isinstance(place, rules.VariableValue) and self.ground.variables[place.name].conserved:
            hint = f"Write `pay … from … to …`; or take `conserved` away from `{place.name}`."
            self.ground.report(NotConserved(node.span, f"`{place.name}` is conserved: it changes only by `pay`", hint))
        unsafe = self._unsafe(place, operator, value)
        return rules.Assign(place, operator, value, unsafe, span=node.span)  # type: ignore[arg-type]

    def _unsafe(self, place: rules.VariableValue | rules.FieldOf, operator: str, value: rules.Expr) -> bool:
        """Whether a new value must be looked at in play, because its range could be left."""
        limits, given = bare(place.type), bare(value.type)
        if not isinstance(limits, rules.Number) or not isinstance(given, rules.Number):
            return not types.known(given)
        large = False
        if operator != "=":
            given, large = types.arithmetic(operator, limits, given)
            value = attrs.evolve(value, type=given)
        inside = self.expressions.in_range(value, limits, "the new value")
        return large or not inside or not self._exact(place)

    def _exact(self, place: rules.VariableValue | rules.FieldOf) -> bool:
        """Whether a range is the same under all options and numbers of players."""
        if isinstance(place, rules.FieldOf):
            return False
        limits = self.ground.variables[place.name].domain.range
        return limits is None or (isinstance(limits.low, rules.Constant) and isinstance(limits.high, rules.Constant))

    def _may_change(self, place: rules.FieldOf) -> bool:
        for kind in kinds(place.item):
            if self.ground.kinds[kind].fields[place.field].role not in ("changing", "face"):
                hint = f"Declare it `var {place.field}: …` if rules are to change it."
                fact = f"`{place.field}` is printed on the {kind}; it never changes"
                self.ground.report(CannotChange(place.span, fact, hint))
                return False
        return True

    def _changes(self, node: syntax.Expr, scope: Scope) -> bool:
        """Whether what is assigned to changes at all; something declared that never does is reported."""
        name = node.of if isinstance(node, syntax.Element) else node
        if not isinstance(name, syntax.Name) or scope.find(name.text):
            return True
        declared = self.ground.names.declared.get(name.text)
        if declared is None or declared.kind not in _NEVER_CHANGES:
            return True
        self.ground.report(CannotChange(node.span, f"`{name.text}` {_NEVER_CHANGES[declared.kind]}"))
        return False

    def _cannot_change(self, node: syntax.Expr, place: rules.Expr) -> None:
        fact, hint = "only variables and changing fields can be changed", None
        if not types.known(place.type):
            return
        if isinstance(place, rules.Local | rules.LocalOf):
            fact = f"`{node.span.text}` cannot be changed"
            if place.name != "me":
                hint = "A name given by `let`, `for` or a choice keeps its value. Declare a `var` for what changes."
        elif isinstance(place, rules.ZoneItems):
            fact = "what lies in a zone changes only by `move` and `draw`"
        elif isinstance(place, rules.Mapped):
            hint = "Go through them: `for x in …: x.… = …`."
        self.ground.report(CannotChange(node.span, fact, hint))

    def _let(self, node: syntax.Let, scope: Scope) -> rules.Statement | None:
        value = self.expressions.lower(node.value, scope)
        kind = value.type
        if kind == types.NONE:
            self.ground.report(WrongType(node.value.span, "`none` alone does not say what could stand there instead"))
            kind = types.UNKNOWN
        return rules.Let(self.bind(node.bind, kind, scope), value, span=node.span)

    def _do(self, node: syntax.Do, scope: Scope) -> rules.Statement | None:
        name = node.action
        declared = self.ground.names.declared.get(name.text)
        if declared is None or declared.kind != "action":
            problem = self.ground.names.unknown(name, "action", self.ground.names.of_kind("action"))
            if declared is None and name.text in self.ground.names.phases:
                hint = "A phase is played where it stands; make it an `action` to run it from elsewhere."
                problem = UnknownName(name.span, problem.text(), hint)
            self.ground.report(problem)
            return None
        self.ground.used_callables.add(name.text)
        values = self.expressions.arguments(name, node.arguments, None, scope)
        if name.text in self.lively:
            self.lively_here(node, scope)
        missing = self.ground.needs.get(name.text, set()) - set(scope.phases)
        if missing:
            self._needs_phases(node, missing, scope)
        return None if values is None else rules.Do(name.text, values, span=node.span)

    def _needs_phases(self, node: syntax.Do, phases: set[str], scope: Scope) -> None:
        """Hand the need for phases around on to the callers of an action, or report it."""
        if scope.action is not None:
            self.ground.needs.setdefault(scope.action, set()).update(phases)
            return
        which = types.listed(tuple(sorted(phases)), "and")
        fact = f"`{node.action.text}` ends or leaves {which}, which must be around it"
        self.ground.report(NotAround(node.span, fact, "Run it inside, or let it end what is around it."))

    def _eliminate(self, node: syntax.Eliminate, scope: Scope) -> rules.Statement | None:
        return rules.Eliminate(self.expressions.player(node.player, scope, "who is out"), span=node.span)

    def _pay(self, node: syntax.Pay, scope: Scope) -> rules.Statement | None:
        amount = self.expressions.amount(node.amount, scope, "what is paid")
        places: list[rules.VariableValue] = []
        for side in (node.source, node.target):
            place = self.expressions.lower(side, scope)
            if not isinstance(place, rules.VariableValue) or not self.ground.variables[place.name].conserved:
                if types.known(place.type):
                    hint = "Declare it `var coins: 0..99 = 10 conserved`."
                    self.ground.report(NotConserved(side.span, "`pay` moves numbers between conserved variables", hint))
                continue
            places.append(place)
        return rules.Pay(amount, places[0], places[1], span=node.span) if len(places) == 2 else None

    def _idle(self, node: syntax.Idle, scope: Scope) -> None:
        """`nothing` does nothing."""


_NEVER_CHANGES = {
    "option": "is an option: it is chosen before play",
    "constant": "is a constant: it never changes",
    "components": "are all these components; their fields can be changed, one component at a time",
    "type": "is a type: its members never change",
    "define": "is worked out by its definition; it cannot be set",
    "zone": "is a zone: what lies there changes only by `move` and `draw`",
    "score": "is worked out by the line `score: …`; it cannot be set",
    "sheet": "is a sheet; the changing fields of its cells can be set",
}


def _values(domain: rules.Domain) -> rules.Expr:
    """Everything that something is indexed by, in order."""
    kind = rules.Many(domain.type)
    if domain.range is not None:
        return rules.Span_(domain.range.low, domain.range.high, type=kind, span=domain.span)
    if isinstance(domain.type, rules.Player):
        return rules.Players(True, type=kind, span=domain.span)
    return rules.Members(type=kind, span=domain.span)
