"""Declarations: options, constants, zones, variables, definitions and actions."""

from collections.abc import Callable

import attrs

from .. import rules, syntax
from ..problems import DeclaredTwice, NotAllowedHere, TooMany, WrongTable, WrongType
from ..source import Span
from . import types
from .components import Components
from .domains import FIXED, UNREPORTED, written_out
from .functions import are, counted
from .ground import Signature
from .names import Scope
from .statements import Statements
from .types import PLAYER, known

MOST_VALUES = 100_000


@attrs.define
class Declarations(Components):
    """Lowers declarations; what they were lowered to is collected in the fields."""

    statements: Statements = attrs.field(kw_only=True)
    definitions: list[rules.Definition] = attrs.field(factory=list)
    actions: list[rules.Action] = attrs.field(factory=list)
    values: int = 0
    """How many values and zones there are at most, all together."""
    places: int = 0

    def __attrs_post_init__(self) -> None:
        lowering: dict[str, Callable[[str], None]] = {
            "option": self._option,
            "constant": self._constant,
            "define": self._definition,
            "action": self._action,
        }
        self.ground.lowering.update(lowering)

    # ---- options and constants -------------------------------------------------------------------------

    def _option(self, name: str) -> None:
        node = self.ground.names.declared[name].node
        assert isinstance(node, syntax.Option)
        domain = self.domain(node.type)
        if not isinstance(domain.type, rules.Number | rules.Member | rules.YesNo):
            if known(domain.type):
                fact = "an option is a range, a list of readings or `yes or no`"
                self.ground.report(WrongType(node.type.span, fact))
            domain = UNREPORTED
        default = self.fixed(node.default, domain, f"the usual value of `{name}`")
        text = node.text.text if node.text else name.replace("_", " ")
        self.ground.options[name] = rules.Option(name, text, domain, default, span=node.span)

    def _constant(self, name: str) -> None:
        node = self.ground.names.declared[name].node
        assert isinstance(node, syntax.Constant | syntax.ConstantTable)
        shape = self.shape(node.shape, node.name.span)
        written: list[syntax.Expr] = list(node.values) if isinstance(node, syntax.Constant) else []
        if isinstance(node, syntax.ConstantTable):
            written = [cell for row in node.rows for cell in row.cells]
            self._check_rows(node.rows, self.size(shape[-1].type) if known(shape[-1].type) else None)
        values: list[rules.Expr] = []
        kind: rules.Type | None = None
        for expression in written:
            value = self.expressions.lower(expression, FIXED, kind)
            joined = value.type if kind is None else types.joined(kind, value.type)
            if isinstance(value.type, rules.Many) or joined is None:
                fact = f"the values of a constant are all alike; this is {types.spoken(value.type)}"
                if isinstance(value.type, rules.Many):
                    fact = f"a constant holds single values, this is {types.spoken(value.type)}"
                self.ground.report(WrongType(value.span, fact))
                continue
            kind = joined
            values.append(value)
        if kind == types.NONE:
            fact = f"`none` alone does not say what else `{name}` could be"
            self.ground.report(WrongType(node.name.span, fact))
            kind = None
        self._check_count(node, shape, len(written))
        single = kind if kind is not None and not isinstance(kind, rules.Many) else types.UNKNOWN
        self.ground.tables[name] = rules.Table(name, shape, tuple(values), span=node.span)
        self.ground.table_types[name] = single

    def _check_rows(self, rows: tuple[syntax.TableRow, ...], width: int | None) -> None:
        for row in rows:
            if width is not None and len(row.cells) != width:
                fact = f"this row has {counted(len(row.cells))}, it needs {counted(width)}"
                self.ground.report(WrongTable(row.span, fact))

    def _check_count(
        self, node: syntax.Constant | syntax.ConstantTable, shape: tuple[rules.Domain, ...], given: int
    ) -> None:
        places = 1
        for domain in shape:
            limits = domain.range
            open_ends = limits and not (written_out(limits.low) and written_out(limits.high))
            if open_ends:
                self.ground.report(NotAllowedHere(domain.span, "the size of a constant must be written in numbers"))
                return
            if isinstance(domain.type, rules.Player) and self.ground.players[0] < self.ground.players[1]:
                fact = "how many values there are cannot depend on how many play"
                self.ground.report(NotAllowedHere(domain.span, fact))
                return
            places *= self.size(domain.type)
        uneven = isinstance(node, syntax.ConstantTable) and given % self.size(shape[-1].type)
        if given != places and not uneven and all(known(domain.type) for domain in shape):
            fact = f"`{node.name.text}` has room for {counted(places)}, here {are(given)}"
            self.ground.report(WrongTable(node.name.span, fact))

    # ---- zones and variables ---------------------------------------------------------------------------

    def zone(self, node: syntax.Zone, owned: bool) -> None:
        """A zone."""
        kinds = []
        for name in node.kinds:
            declared = self.ground.names.declared.get(name.text)
            if declared is None or declared.kind != "components":
                self.ground.unknown(name, "component", self.ground.names.of_kind("components"))
            elif name.text in kinds:
                self.ground.report(DeclaredTwice(name.span, f"`{name.text}` is listed twice"))
            else:
                kinds.append(name.text)
        visibility = self.visibility(node.traits, owned)
        self._check_private(node.traits, owned)
        shape = self.shape(node.shape, node.name.span)
        self.places = self._added(self.places, self._parts(shape, owned, node.name.span), "zones", node.name.span)
        stacked = any(t.text == "stacked" for t in node.traits)
        self.ground.zones[node.name.text] = rules.Zone(
            node.name.text, tuple(kinds), owned, shape, visibility, stacked, span=node.span
        )

    def variable(self, node: syntax.Variable, owned: bool) -> None:
        """A variable or an array of them."""
        domain = self.variable_domain(node)
        initial = self.fixed(node.initial, domain, "the first value")
        conserved = any(t.text == "conserved" for t in node.traits)
        if conserved and known(domain.type) and not isinstance(domain.type, rules.Number):
            self.ground.report(WrongType(node.name.span, "only a number can be conserved"))
        self._check_private(node.traits, owned)
        shape = self.shape(node.shape, node.name.span)
        self.values = self._added(self.values, self._parts(shape, owned, node.name.span), "values", node.name.span)
        self.ground.variables[node.name.text] = rules.Variable(
            node.name.text,
            owned,
            shape,
            domain,
            initial,
            self.visibility(node.traits, owned),
            conserved,
            span=node.span,
        )

    def _check_private(self, traits: tuple[syntax.Name, ...], owned: bool) -> None:
        for trait in traits:
            if trait.text == "private" and not owned:
                hint = "Move it under `each player has`, or say `hidden`."
                self.ground.report(NotAllowedHere(trait.span, "only what each player has can be private", hint))

    def _parts(self, shape: tuple[rules.Domain, ...], owned: bool, at: Span) -> int:
        """How many parts something has for all players together; too many are reported."""
        parts = self.ground.players[1] if owned else 1
        for domain in shape:
            parts *= self.size(domain.type)
        if parts > MOST_VALUES:
            self.ground.report(TooMany(at, f"this has {parts:,} parts; at most {MOST_VALUES:,} are possible"))
            return 0
        return parts

    def _added(self, so_far: int, more: int, what: str, at: Span) -> int:
        """A sum over the whole game; where it gets too large, that is reported, and the last part left out."""
        if so_far + more <= MOST_VALUES:
            return so_far + more
        fact = f"with these there are {so_far + more:,} {what}; at most {MOST_VALUES:,} are possible"
        self.ground.report(TooMany(at, fact))
        return so_far

    # ---- definitions and actions -----------------------------------------------------------------------

    def _parameters(
        self, nodes: tuple[syntax.Parameter, ...], scope: Scope
    ) -> tuple[list[rules.Local], list[rules.Range | None]]:
        locals_: list[rules.Local] = []
        ranges: list[rules.Range | None] = []
        for node in nodes:
            kind, limits = self.parameter(node)
            local = self.ground.local(node.name.text, kind, node.name.span)
            self.expressions.bind(node.name, local, scope)
            locals_.append(local)
            ranges.append(limits)
        return locals_, ranges

    def _signature(
        self,
        name: str,
        me: rules.Local,
        parameters: list[rules.Local],
        ranges: list[rules.Range | None],
        kind: rules.Type,
    ) -> tuple[rules.Local, ...]:
        """All parameters of an action or definition: where it looks at `me`, that comes first."""
        implicit = bool(self.ground.read[me.number])
        if implicit:
            parameters.insert(0, me)
            ranges.insert(0, None)
        self.ground.signatures[name] = Signature(tuple(parameters), tuple(ranges), implicit, kind)
        return tuple(parameters)

    def _definition(self, name: str) -> None:
        node = self.ground.names.declared[name].node
        assert isinstance(node, syntax.Definition)
        me = self.ground.local("me", PLAYER, node.name.span)
        scope = Scope(me=me, lent=True).inside()
        parameters, ranges = self._parameters(node.parameters, scope)
        value = self.expressions.lower(node.value, scope)
        kind = value.type
        if kind == types.NONE:
            fact = f"`none` alone does not say what else `{name}` could be"
            self.ground.report(WrongType(node.value.span, fact))
            kind = types.UNKNOWN
        lowered = self._signature(name, me, parameters, ranges, kind)
        self.definitions.append(rules.Definition(name, lowered, value, span=node.span))

    def _action(self, name: str) -> None:
        node = self.ground.names.declared[name].node
        assert isinstance(node, syntax.Action)
        me = self.ground.local("me", PLAYER, node.name.span)
        scope = Scope(me=me, action=name, lent=True).inside()
        parameters, ranges = self._parameters(node.parameters, scope)
        self.statements.actions[name] = scope.inside()
        body = self.statements.body(node.body, self.statements.actions[name])
        lowered = self._signature(name, me, parameters, ranges, types.UNKNOWN)
        self.actions.append(rules.Action(name, lowered, body, span=node.span))
