"""Declarations: options, constants, components, sheets, zones, variables, definitions and actions."""

from collections.abc import Callable
from typing import Literal as OneOf

import attrs

from .. import rules, syntax
from ..problems import (
    DeclaredTwice,
    EmptyRange,
    Label,
    MissingPart,
    NotAllowedHere,
    OutOfRange,
    TooMany,
    WrongPlace,
    WrongTable,
    WrongType,
    near,
)
from ..source import Span
from . import types
from .expressions import COUNT, NUMBER, PLAYER, YES_NO, Expressions, constant
from .ground import FieldInfo, Ground, KindInfo, Signature
from .names import Scope, check_free, unique_members, unknown
from .statements import Statements

FIXED = Scope(fixed=True)
MOST_ITEMS = 20_000
MOST_VALUES = 100_000


def size(kind: rules.Type) -> int:
    """How many values a type has at most."""
    match kind:
        case rules.Number(low=low, high=high):
            return high - low + 1
        case rules.Member(names=names):
            return len(names)
        case rules.YesNo():
            return 2
        case rules.Maybe(of=of):
            return size(of) + 1
        case _:
            return 99


@attrs.define
class Declarations:
    """Lowers declarations; what they were lowered to is collected in the fields."""

    ground: Ground
    statements: Statements
    kinds: list[rules.Kind] = attrs.field(factory=list)
    definitions: list[rules.Definition] = attrs.field(factory=list)
    actions: list[rules.Action] = attrs.field(factory=list)

    def __attrs_post_init__(self) -> None:
        lowering: dict[str, Callable[[str], None]] = {
            "option": self._option,
            "constant": self._constant,
            "define": self._definition,
            "action": self._action,
        }
        self.ground.lowering.update(lowering)

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

    # ---- types -----------------------------------------------------------------------------------------

    def domain(self, node: syntax.Type, *, finite: bool = True) -> rules.Domain:
        """A declared type with the exact ends of a range."""
        match node:
            case syntax.RangeType():
                low = self.expressions.number(node.low, FIXED, "the beginning of a range")
                high = self.expressions.number(node.high, FIXED, "the end of a range")
                a, b = low.type, high.type
                if not isinstance(a, rules.Number) or not isinstance(b, rules.Number):
                    return rules.Domain(rules.Number(0, 0), span=node.span)
                if a.low > b.high:
                    self.ground.report(EmptyRange(node.span, f"no number lies from {a.low} to {b.high}"))
                kind = rules.Number(a.low, max(a.low, b.high))
                return rules.Domain(kind, rules.Range(low, high, span=node.span), span=node.span)
            case syntax.YesOrNo():
                return rules.Domain(YES_NO, span=node.span)
            case syntax.MemberList():
                names = unique_members(node.names, self.ground.problems)
                member = rules.Member(", ".join(names), names)
                self.ground.names.add_members(member)
                return rules.Domain(member, span=node.span)
            case syntax.OrNone():
                inner = self.domain(node.of)
                kind_ = inner.type
                if not isinstance(kind_, rules.Maybe):
                    kind_ = rules.Maybe(kind_)
                return rules.Domain(kind_, inner.range, span=node.span)
            case syntax.SetOf():
                hint = "A zone holds items; a `let` or a choice can name a set for a while."
                self.ground.report(NotAllowedHere(node.span, "only a parameter can be a set", hint))
                return rules.Domain(rules.YesNo(), span=node.span)
            case _:
                return rules.Domain(self.named(node.name), span=node.span)

    def named(self, name: syntax.Name) -> rules.Single:
        """The type of a name: a member type, a component or sheet, or `player`."""
        if name.text == "player":
            return PLAYER
        if name.text in self.ground.names.types:
            return self.ground.names.types[name.text]
        declared = self.ground.names.declared.get(name.text)
        if declared is not None and declared.kind in ("components", "sheet"):
            return rules.Item((name.text,))
        known = [*self.ground.names.types, "player"]
        known += [n for n, d in self.ground.names.declared.items() if d.kind in ("components", "sheet")]
        self.ground.report(unknown(name, "type, component or sheet", known))
        return types.UNKNOWN

    def parameter(self, node: syntax.Parameter) -> tuple[rules.Type, rules.Range | None]:
        """A parameter's type, which may be a set."""
        if isinstance(node.type, syntax.SetOf):
            return rules.Many(self.named(node.type.name)), None
        domain = self.domain(node.type)
        return domain.type, domain.range

    def shape(self, nodes: tuple[syntax.Type, ...], at: Span) -> tuple[rules.Domain, ...]:
        """What something is indexed by."""
        domains = []
        places = 1
        for node in nodes:
            domain = self.domain(node)
            if isinstance(domain.type, rules.Item | rules.Maybe) and types.known(domain.type):
                self.ground.report(
                    WrongType(node.span, "only ranges, member types, yes or no and players can be indexed by")
                )
            places *= max(size(domain.type), 1)
            domains.append(domain)
        if places > MOST_VALUES:
            self.ground.report(TooMany(at, f"this has {places:,} parts; at most {MOST_VALUES:,} are possible"))
        return tuple(domains)

    def fixed(self, node: syntax.Expr, domain: rules.Domain, what: str) -> rules.Expr:
        """A value known before play that fits a declared type."""
        value = self.expressions.want(node, FIXED, domain.type, what)
        self.expressions.in_range(value, domain.type, what)
        return value

    # ---- options and constants -------------------------------------------------------------------------

    def _option(self, name: str) -> None:
        node = self.ground.names.declared[name].node
        assert isinstance(node, syntax.Option)
        domain = self.domain(node.type)
        if not isinstance(domain.type, rules.Number | rules.Member | rules.YesNo):
            fact = "an option is a range, a list of readings or `yes or no`"
            self.ground.report(WrongType(node.type.span, fact))
            domain = rules.Domain(YES_NO, span=node.type.span)
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
            self._check_rows(node.rows, size(shape[-1].type) if shape else 1)
        values: list[rules.Expr] = []
        kind: rules.Type | None = None
        for expression in written:
            value = self.expressions.lower(expression, FIXED, kind)
            joined = value.type if kind is None else types.joined(kind, value.type)
            if isinstance(value.type, rules.Many) or joined is None:
                fact = f"the values of a constant are all alike; this is {types.spoken(value.type)}"
                self.ground.report(WrongType(value.span, fact))
                continue
            kind = joined
            values.append(value)
        self._check_count(node, shape, len(written))
        single = kind if kind is not None and not isinstance(kind, rules.Many) else types.UNKNOWN
        self.ground.tables[name] = rules.Table(name, shape, tuple(values), span=node.span)
        self.ground.table_types[name] = single

    def _check_rows(self, rows: tuple[syntax.TableRow, ...], width: int) -> None:
        for row in rows:
            if len(row.cells) != width:
                self.ground.report(WrongTable(row.span, f"this row has {len(row.cells)} values, it needs {width}"))

    def _check_count(
        self, node: syntax.Constant | syntax.ConstantTable, shape: tuple[rules.Domain, ...], given: int
    ) -> None:
        places = 1
        for domain in shape:
            limits = domain.range
            if limits and not (isinstance(limits.low, rules.Constant) and isinstance(limits.high, rules.Constant)):
                self.ground.report(NotAllowedHere(domain.span, "the size of a constant must be written in numbers"))
            places *= size(domain.type)
        if given != places:
            self.ground.report(
                WrongTable(node.name.span, f"`{node.name.text}` has {places} places, here stand {given} values")
            )

    # ---- components and sheets -------------------------------------------------------------------------

    def kind(self, node: syntax.Components | syntax.Sheet, owned: bool) -> None:
        """A component, or a sheet with its zone."""
        name = node.name.text
        sheet = isinstance(node, syntax.Sheet)
        it = self.ground.local("it", rules.Item((name,)), node.name.span)
        info = KindInfo(name, sheet, owned, it)
        self.ground.kinds[name] = info
        self._check_lines(node)
        fields = tuple(self._field(line, info) for line in _lines(node, syntax.Field))
        table = next(iter(_lines(node, syntax.Table)), None)
        fields += tuple(self._derived(line, info) for line in _lines(node, syntax.DerivedField))
        faces = self._faces(node, info)
        changing = tuple(self._changing(line, info) for line in _lines(node, syntax.Variable))
        hides = tuple(self._hide(line, info) for line in _lines(node, syntax.Hide))
        rows = self._rows(table, fields, node) if table else None
        copies = self._copies(node, info, sheet, table)
        printed = [f for f in fields if f.value is None]
        if rows is not None:
            info.most = sum(r.copies for r in rows)
        else:
            info.most = max(1, copies.type.high) if isinstance(copies.type, rules.Number) else 1
            for field in printed:
                info.most *= size(field.domain.type)
        if info.most > MOST_ITEMS:
            self.ground.report(
                TooMany(node.name.span, f"`{name}` are {info.most:,}; at most {MOST_ITEMS:,} are possible")
            )
        label = self._label(node, info, printed, faces)
        self.kinds.append(
            rules.Kind(name, sheet, owned, it, fields, faces, changing, hides, label, rows, copies, span=node.span)
        )
        if sheet:
            self.ground.zones[name] = rules.Zone(name, (name,), owned, (), "open", False, True, span=node.span)

    def _check_lines(self, node: syntax.Components | syntax.Sheet) -> None:
        for kind, what in (
            (syntax.Table, "table"),
            (syntax.Copies, "of each"),
            (syntax.LabelFields, "label"),
        ):
            for line in _lines(node, kind)[1:]:
                self.ground.report(WrongPlace(line.span, f"`{what}` stands there a second time"))
        several = [*_lines(node, syntax.Faces), *_lines(node, syntax.FacesBy)]
        for line in several[1:]:
            self.ground.report(WrongPlace(line.span, "a component has faces once", "Make two kinds of component."))

    def _new_field(self, name: syntax.Name, info: KindInfo, kind: rules.Single, role: str) -> None:
        if name.text in info.fields:
            self.ground.report(DeclaredTwice(name.span, f"`{info.name}` has a field `{name.text}` already"))
        if name.text in ("it", "me", "yes", "no", "none", "not"):
            check_free(name, self.ground.problems, self.ground.names)
        info.fields[name.text] = FieldInfo(kind, role)

    def _field(self, line: syntax.Field, info: KindInfo) -> rules.Field:
        domain = self.domain(line.type)
        self._new_field(line.name, info, domain.type, "fixed")
        return rules.Field(line.name.text, domain, span=line.span)

    def _derived(self, line: syntax.DerivedField, info: KindInfo) -> rules.Field:
        value = self.expressions.lower(line.value, FIXED.inside(info.it))
        kind = value.type
        if isinstance(kind, rules.Many):
            self.ground.report(WrongType(line.value.span, "a field holds one value, not a set"))
            kind = types.UNKNOWN
        self._new_field(line.name, info, kind, "derived")
        return rules.Field(line.name.text, rules.Domain(kind, span=line.span), value, span=line.span)

    def _faces(self, node: syntax.Components | syntax.Sheet, info: KindInfo) -> rules.Faces | None:
        for line in _lines(node, syntax.Faces):
            if isinstance(line.faces, syntax.RangeType):
                domain = self.domain(line.faces)
                self._new_field(line.name, info, domain.type, "face")
                return rules.Faces(line.name.text, domain.type, domain.range, None, (), span=line.span)
            kind, sets = self._face_sets([(None, line.faces)])
            self._new_field(line.name, info, kind, "face")
            return rules.Faces(line.name.text, kind, None, None, sets, span=line.span)
        for by in _lines(node, syntax.FacesBy):
            field = info.fields.get(by.field.text)
            if field is None or field.role not in ("fixed", "derived"):
                self.ground.report(unknown(by.field, f"fixed field of `{info.name}`", list(info.fields)))
                return None
            cases = [(self.statements.literal(c.value, field.type, "a case"), _written(c.faces)) for c in by.cases]
            kind, sets = self._face_sets(cases)
            self._new_field(by.name, info, kind, "face")
            return rules.Faces(by.name.text, kind, None, by.field.text, sets, span=by.span)
        return None

    def _face_sets(
        self, cases: "list[tuple[int | bool | None, tuple[syntax.Face, ...]]]"
    ) -> tuple[rules.Single, tuple[rules.FaceSet, ...]]:
        """The faces of each case, and their type: numbers, or members in the order they are first named."""
        faces = [face for _, listed in cases for face in listed]
        numbers = [f.value.value for f in faces if isinstance(f.value, syntax.Number)]
        names = tuple(dict.fromkeys(f.value.text for f in faces if isinstance(f.value, syntax.Name)))
        for face in faces:
            if face.weight < 1:
                self.ground.report(OutOfRange(face.span, "a face that is there at all is there at least once"))
            if not isinstance(face.value, syntax.Number | syntax.Name) or (
                numbers and isinstance(face.value, syntax.Name)
            ):
                self.ground.report(WrongType(face.span, "faces are all numbers or all names"))
        kind: rules.Single = rules.Number(min(numbers), max(numbers)) if numbers else self._member_of(names)
        sets = []
        for case, listed in cases:
            weights: dict[int, int] = {}
            for face in listed:
                if isinstance(face.value, syntax.Number):
                    index = face.value.value
                elif isinstance(face.value, syntax.Name) and isinstance(kind, rules.Member):
                    index = kind.names.index(face.value.text)
                else:
                    continue
                weights[index] = weights.get(index, 0) + face.weight
            sets.append(rules.FaceSet(case, tuple(weights.items())))
        return kind, tuple(sets)

    def _member_of(self, names: tuple[str, ...]) -> rules.Member:
        """The declared type with exactly these members, or a new one."""
        for member in self.ground.names.types.values():
            if set(names) == set(member.names):
                return member
        member = rules.Member(", ".join(names), names)
        self.ground.names.add_members(member)
        return member

    def _changing(self, line: syntax.Variable, info: KindInfo) -> rules.Changing:
        if line.shape:
            self.ground.report(NotAllowedHere(line.span, "a component's field has no parts in square brackets"))
        domain = self._variable_domain(line)
        self._new_field(line.name, info, domain.type, "changing")
        initial = self.fixed(line.initial, domain, "the first value")
        return rules.Changing(line.name.text, domain, initial, self._visibility(line.traits), span=line.span)

    def _hide(self, line: syntax.Hide, info: KindInfo) -> rules.Hide:
        for name in line.fields:
            if name.text not in info.fields:
                self.ground.report(unknown(name, f"field of `{info.name}`", list(info.fields)))
        unless = self.expressions.truth(line.unless, Scope().inside(info.it), "the condition after `unless`")
        names = tuple(n.text for n in line.fields if n.text in info.fields)
        return rules.Hide(names, info.it, unless, span=line.span)

    def _copies(
        self, node: syntax.Components | syntax.Sheet, info: KindInfo, sheet: bool, table: syntax.Table | None
    ) -> rules.Expr:
        one = constant(1, rules.Number(1, 1), node.span)
        lines = _lines(node, syntax.Copies)
        if not lines:
            if not sheet and table is None:
                hint = "Add a line such as `1 of each`, or a `table:`."
                self.ground.report(MissingPart(node.name.span, f"nothing says how many `{info.name}` there are", hint))
            return one
        if sheet or table is not None:
            what = "a sheet has each cell once" if sheet else "the table says how many there are, in a column `copies`"
            self.ground.report(WrongPlace(lines[0].span, what))
            return one
        return self.expressions.number(lines[0].count, FIXED, "how many of each")

    def _label(
        self,
        node: syntax.Components | syntax.Sheet,
        info: KindInfo,
        printed: list[rules.Field],
        faces: rules.Faces | None,
    ) -> tuple[str, ...]:
        for line in _lines(node, syntax.LabelFields):
            for name in line.names:
                if name.text not in info.fields:
                    self.ground.report(unknown(name, f"field of `{info.name}`", list(info.fields)))
            return tuple(n.text for n in line.names if n.text in info.fields)
        return (*(f.name for f in printed), *([faces.name] if faces else []))

    def _rows(
        self, table: syntax.Table, fields: tuple[rules.Field, ...], node: syntax.Components | syntax.Sheet
    ) -> tuple[rules.Row, ...]:
        """A component's table: its first row names the fields, in any order."""
        printed = {f.name: f for f in fields if f.value is None}
        header: list[str] = []
        for cell in table.rows[0].cells:
            text = cell.text if isinstance(cell, syntax.Name) else cell.span.text
            if text != "copies" and text not in printed:
                fact = f"the head of the table names fields; `{node.name.text}` has no fixed field `{text}`"
                self.ground.report(WrongTable(cell.span, fact, near(text, [*printed, "copies"])))
            if text in header:
                self.ground.report(WrongTable(cell.span, f"the column `{text}` stands there twice"))
            header.append(text)
        for name in printed:
            if name not in header:
                self.ground.report(WrongTable(table.rows[0].span, f"the table has no column `{name}`"))
        return tuple(row for line in table.rows[1:] if (row := self._row(line, header, printed)) is not None)

    def _row(self, line: syntax.TableRow, header: list[str], printed: dict[str, rules.Field]) -> rules.Row | None:
        if len(line.cells) != len(header):
            self.ground.report(WrongTable(line.span, f"this row has {len(line.cells)} values, its head {len(header)}"))
            return None
        values: dict[str, int | bool | None] = {}
        copies = 1
        for name, cell in zip(header, line.cells, strict=True):
            if name == "copies":
                number = self.statements.literal(cell, COUNT, "how many copies")
                copies = int(number or 0)
            elif name in printed:
                values[name] = self.statements.literal(cell, printed[name].domain.type, f"`{name}`")
        if len(values) != len(printed):
            return None
        return rules.Row(tuple(values[name] for name in printed), copies, span=line.span)

    # ---- zones and variables ---------------------------------------------------------------------------

    def _visibility(self, traits: tuple[syntax.Name, ...]) -> OneOf["open", "private", "hidden"]:
        words = [t.text for t in traits]
        for index, trait in enumerate(traits):
            if trait.text in words[:index]:
                self.ground.report(WrongPlace(trait.span, f"`{trait.text}` stands there twice"))
        return "hidden" if "hidden" in words else "private" if "private" in words else "open"

    def zone(self, node: syntax.Zone, owned: bool) -> None:
        """A zone."""
        kinds = []
        for name in node.kinds:
            declared = self.ground.names.declared.get(name.text)
            if declared is None or declared.kind != "components":
                known = [n for n, d in self.ground.names.declared.items() if d.kind == "components"]
                self.ground.report(unknown(name, "component", known))
            else:
                kinds.append(name.text)
        visibility = self._visibility(node.traits)
        self._check_private(node.traits, owned)
        shape = self.shape(node.shape, node.name.span)
        stacked = any(t.text == "stacked" for t in node.traits)
        self.ground.zones[node.name.text] = rules.Zone(
            node.name.text, tuple(kinds), owned, shape, visibility, stacked, span=node.span
        )

    def _check_private(self, traits: tuple[syntax.Name, ...], owned: bool) -> None:
        for trait in traits:
            if trait.text == "private" and not owned:
                hint = "Move it under `each player has`, or say `hidden`."
                self.ground.report(NotAllowedHere(trait.span, "only what each player has can be private", hint))

    def _variable_domain(self, node: syntax.Variable) -> rules.Domain:
        if node.type is not None:
            return self.domain(node.type)
        value = self.expressions.lower(node.initial, FIXED)
        kind = value.type
        if isinstance(kind, rules.Number):
            kind = NUMBER
        if isinstance(kind, rules.Many) or kind == types.NONE:
            hint = "Say what it holds: `var dealt: cards or none = none`."
            self.ground.report(WrongType(node.initial.span, f"{types.spoken(kind)} says too little", hint))
            kind = types.UNKNOWN
        return rules.Domain(kind, span=node.initial.span)

    def variable(self, node: syntax.Variable, owned: bool) -> None:
        """A variable or an array of them."""
        domain = self._variable_domain(node)
        initial = self.fixed(node.initial, domain, "the first value")
        conserved = any(t.text == "conserved" for t in node.traits)
        if conserved and not isinstance(domain.type, rules.Number):
            self.ground.report(WrongType(node.name.span, "only a number can be conserved"))
        self._check_private(node.traits, owned)
        shape = self.shape(node.shape, node.name.span)
        self.ground.variables[node.name.text] = rules.Variable(
            node.name.text,
            owned,
            shape,
            domain,
            initial,
            self._visibility(node.traits),
            conserved,
            span=node.span,
        )

    # ---- definitions and actions -----------------------------------------------------------------------

    def _parameters(
        self, nodes: tuple[syntax.Parameter, ...], scope: Scope
    ) -> tuple[list[rules.Local], list[rules.Range | None]]:
        locals_: list[rules.Local] = []
        ranges: list[rules.Range | None] = []
        for node in nodes:
            kind, limits = self.parameter(node)
            local = self.ground.local(node.name.text, kind, node.name.span)
            before = scope.find(node.name.text)
            if before is not None:
                other = (Label(before[1], "the first one"),)
                self.ground.report(
                    DeclaredTwice(node.name.span, f"two parameters are called `{node.name.text}`", None, other)
                )
            else:
                check_free(node.name, self.ground.problems, self.ground.names)
            scope.bind(node.name, local)
            locals_.append(local)
            ranges.append(limits)
        return locals_, ranges

    def _definition(self, name: str) -> None:
        node = self.ground.names.declared[name].node
        assert isinstance(node, syntax.Definition)
        me = self.ground.local("me", PLAYER, node.name.span)
        scope = Scope(me=me).inside()
        parameters, ranges = self._parameters(node.parameters, scope)
        value = self.expressions.lower(node.value, scope)
        if value.type == types.NONE:
            self.ground.report(WrongType(node.value.span, "`none` alone says nothing about its kind"))
        implicit = me.number in self.ground.read
        if implicit:
            parameters.insert(0, me)
            ranges.insert(0, None)
        self.ground.signatures[name] = Signature(tuple(parameters), tuple(ranges), implicit, value.type)
        self.definitions.append(rules.Definition(name, tuple(parameters), value, span=node.span))

    def _action(self, name: str) -> None:
        node = self.ground.names.declared[name].node
        assert isinstance(node, syntax.Action)
        me = self.ground.local("me", PLAYER, node.name.span)
        scope = Scope(me=me, action=name).inside()
        parameters, ranges = self._parameters(node.parameters, scope)
        body = self.statements.body(node.body, scope.inside())
        implicit = me.number in self.ground.read
        if implicit:
            parameters.insert(0, me)
            ranges.insert(0, None)
        self.ground.signatures[name] = Signature(tuple(parameters), tuple(ranges), implicit, types.UNKNOWN)
        self.actions.append(rules.Action(name, tuple(parameters), body, span=node.span))


def _lines(node: syntax.Components | syntax.Sheet, kind: type) -> list:  # type: ignore[type-arg]
    return [line for line in node.lines if isinstance(line, kind)]


def _written(faces: syntax.FaceList) -> tuple[syntax.Face, ...]:
    """Faces one by one, also where they were written as a range of numbers."""
    if not isinstance(faces, syntax.RangeType):
        return faces
    low, high = faces.low, faces.high
    if isinstance(low, syntax.Number) and isinstance(high, syntax.Number) and high.value - low.value < 1000:
        return tuple(
            syntax.Face(syntax.Number(n, span=faces.span), 1, span=faces.span) for n in range(low.value, high.value + 1)
        )
    return ()
