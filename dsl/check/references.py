"""What declared things mean in an expression: values, zones and their parts, calls of definitions."""

import attrs

from .. import rules, syntax
from ..problems import NobodyHere, WrongArguments, WrongType
from . import functions, types
from .names import Declared, Scope
from .types import NUMBER, PLAYER, constant, unknown
from .wanted import Wanted

_FIXED = ("option", "constant", "type")
"""What is known before play, of all that is declared."""


@attrs.frozen
class References(Wanted):
    """Refers to declared things, of a player where each has one."""

    def me(self, node: syntax.Name, scope: Scope) -> rules.Expr:
        """The player around; `node` is what needs one."""
        if scope.me is None:
            self.ground.report(NobodyHere(node.span, *self._nobody(node)))
            return constant(0, PLAYER, node.span)
        if isinstance(scope.me, rules.Local):
            self.ground.read[scope.me.number] += 1
        return attrs.evolve(scope.me, span=node.span)

    def _nobody(self, node: syntax.Name) -> tuple[str, str]:
        """What is said where a player is needed and none is around."""
        declared = self.ground.names.declared.get(node.text)
        hint = "Only inside `each player` is there a `me`."
        if declared is not None and declared.kind == "action":
            return f"no player is on turn here; `{node.text}` is run for the player on turn", hint
        if node.text in ("me", "others"):
            return "no player is on turn here", hint
        if node.text == "choose":
            return "no player is on turn here who could choose", "Say who: `choose by player(1) …`."
        return f"no player is on turn here; say whose `{node.text}` it is: `p.{node.text}`", hint

    def _refer(
        self,
        declared: Declared,
        node: syntax.Name,
        player: rules.Expr | None,
        indexes: tuple[syntax.Expr, ...] | None,
        scope: Scope,
    ) -> rules.Expr:
        """A declared thing, of a player if each has one, at its indexes if it has some."""
        name, at = node.text, node.span
        if scope.fixed and declared.kind not in _FIXED:
            self.ground.not_before_play(at, name, scope.own)
            return unknown(at)
        if not self.ground.need(node):
            return unknown(at)
        if declared.owned and player is None:
            player = self.me(node, scope)
        match declared.kind:
            case "option":
                self.ground.used_options.add(name)
                kind = self.ground.options[name].domain.type
                return self._unindexed(indexes, node) or rules.OptionValue(name, type=kind, span=at)
            case "type":
                members = rules.Many(self.ground.names.types[name])
                return self._unindexed(indexes, node) or rules.Members(type=members, span=at)
            case "components":
                items = rules.Many(rules.Item((name,)))
                return self._unindexed(indexes, node) or rules.AllItems(name, type=items, span=at)
            case "score":
                assert player is not None
                score = rules.Call("score", (player,), type=NUMBER, span=at)
                return self._unindexed(indexes, node) or score
            case "constant":
                places = self._indexes(self.ground.tables[name].shape, indexes, node, scope)
                kind = self.ground.table_types[name]
                return unknown(at) if places is None else rules.TableValue(name, places, type=kind, span=at)
            case "zone" | "sheet":
                return self._zone(self.ground.zones[name], node, player, indexes, scope)
            case "var":
                variable = self.ground.variables[name]
                places = self._indexes(variable.shape, indexes, node, scope)
                if places is None:
                    return unknown(at)
                return rules.VariableValue(name, player, places, type=variable.domain.type, span=at)
            case "define":
                return self._unindexed(indexes, node) or self._call_definition(node, (), player, scope)
            case _:
                fact = f"`{name}` is an action; it is run by `do {name}`, it is not a value"
                self.ground.report(WrongType(at, fact))
                return unknown(at)

    def _zone(
        self,
        zone: rules.Zone,
        node: syntax.Name,
        player: rules.Expr | None,
        indexes: tuple[syntax.Expr, ...] | None,
        scope: Scope,
    ) -> rules.Expr:
        """The items of a zone; of one with parts, without square brackets, those of all its parts."""
        places = None
        if indexes is not None or not zone.shape:
            places = self._indexes(zone.shape, indexes, node, scope)
            if places is None:
                return unknown(node.span)
        kind = rules.Many(rules.Item(zone.kinds)) if zone.kinds else rules.Many(types.UNKNOWN)
        return rules.ZoneItems(zone.name, player, places, type=kind, span=node.span)

    def _unindexed(self, indexes: tuple[syntax.Expr, ...] | None, node: syntax.Name) -> rules.Expr | None:
        if indexes is None:
            return None
        self.ground.report(WrongArguments(node.span, f"`{node.text}` has no parts to choose in square brackets"))
        return unknown(node.span)

    def _indexes(
        self,
        shape: tuple[rules.Domain, ...],
        indexes: tuple[syntax.Expr, ...] | None,
        node: syntax.Name,
        scope: Scope,
    ) -> tuple[rules.Expr, ...] | None:
        given = indexes or ()
        if not shape and given:
            self._unindexed(indexes, node)
            return None
        if len(given) != len(shape):
            need = functions.counted(len(shape))
            here = f"here {functions.are(len(given))}"
            fact = f"`{node.text}` has parts: it needs {need} in square brackets, {here}"
            self.ground.report(WrongArguments(node.span, fact))
            return None
        return tuple(self._index(domain, value, scope) for domain, value in zip(shape, given, strict=True))

    def _index(self, domain: rules.Domain, node: syntax.Expr, scope: Scope) -> rules.Expr:
        value = self.want(node, scope, domain.type, "this place in square brackets")
        self.in_range(value, domain.type, "this place in square brackets")
        return value

    def _call_definition(
        self, name: syntax.Name, given: tuple[syntax.Argument, ...], player: rules.Expr | None, scope: Scope
    ) -> rules.Expr:
        self.ground.used_callables.add(name.text)
        signature = self.ground.signature(name)
        values = self.arguments(name, given, player, scope) if types.known(signature.type) else None
        if values is None:
            return unknown(name.span)
        return rules.Call(name.text, values, type=signature.type, span=name.span)

    def arguments(
        self, name: syntax.Name, given: tuple[syntax.Argument, ...], player: rules.Expr | None, scope: Scope
    ) -> tuple[rules.Expr, ...] | None:
        """The values for an action's or definition's parameters, with `me` first where it needs one."""
        if not self.ground.need(name):
            return None
        signature = self.ground.signature(name)
        implicit = signature.implicit
        parameters = signature.parameters[implicit:]
        if len(given) != len(parameters):
            names = f" ({', '.join(p.name for p in parameters)})" if parameters else ""
            fact = f"`{name.text}` takes {functions.counted(len(parameters))}{names}, here {functions.are(len(given))}"
            self.ground.report(WrongArguments(name.span, fact))
            return None
        values: list[rules.Expr] = []
        if implicit:
            values.append(player or self.me(name, scope))
        for parameter, limits, node in zip(parameters, signature.ranges[implicit:], given, strict=True):
            what = f"`{parameter.name}` of `{name.text}`"
            if isinstance(node, syntax.Mapped | syntax.Keyed | syntax.Defaulted):
                value = self.fit(self.many(node, scope, what), parameter.type, what)
            else:
                value = self.want(node, scope, parameter.type, what)
            if not self.in_range(value, parameter.type, what) and limits is not None:
                value = rules.InRange(value, limits, type=parameter.type, span=value.span)
            values.append(value)
        return tuple(values)
