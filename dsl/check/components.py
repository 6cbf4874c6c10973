"""Components and sheets: their fields, faces and tables, and how many there are."""

from typing import Literal as OneOf

import attrs

from .. import rules, syntax, words
from ..problems import (
    DeclaredTwice,
    Label,
    MissingPart,
    NotAllowedHere,
    OutOfRange,
    TooMany,
    UnknownName,
    WrongPlace,
    WrongTable,
    WrongType,
    near,
)
from ..source import Span
from . import types
from .domains import FIXED, UNREPORTED, Domains, written_out
from .functions import counted
from .ground import FieldInfo, KindInfo
from .names import Scope, reserved
from .types import NUMBER, known, number

MOST_KINDS = 500
MOST_ITEMS = 20_000
MOST_FACES = 1_000


@attrs.define
class Components(Domains):
    """Lowers components and sheets, in two steps: first the fields, then what may look at those of others."""

    kinds: list[rules.Kind] = attrs.field(factory=list)
    items: int = 0
    """How many items there are at most, all together."""

    def fields(self, node: syntax.Components | syntax.Sheet, owned: bool) -> None:
        """The fields of a component or sheet: other kinds may look at them."""
        name = node.name.text
        it = self.ground.local("it", rules.Item((name,)), node.name.span)
        info = KindInfo(name, isinstance(node, syntax.Sheet), owned, it)
        self.ground.kinds[name] = info
        self._check_lines(node)
        info.printed = tuple(self._field(line, info) for line in _lines(node, syntax.Field))
        info.changing = tuple(self._changing(line, info) for line in _lines(node, syntax.Variable))
        info.derived = tuple(self._derived(line, info) for line in _lines(node, syntax.DerivedField))
        info.faces = self._faces(node, info)
        if len(self.ground.kinds) > MOST_KINDS:
            self.ground.report(TooMany(node.name.span, f"at most {MOST_KINDS} kinds of components are possible"))

    def kind(self, node: syntax.Components | syntax.Sheet) -> None:
        """A component, or a sheet with its zone, whose fields are known."""
        name = node.name.text
        info = self.ground.kinds[name]
        hides = tuple(self._hide(line, info) for line in _lines(node, syntax.Hide))
        tables = _lines(node, syntax.Table)
        rows = self._rows(tables[0], info.printed, node) if tables else None
        copies = self._copies(node, info)
        info.most = self._most(info, rows, copies)
        self._count_items(info, node.name.span)
        label = self._label(node, info)
        fields = (*info.printed, *info.derived)
        kind = rules.Kind(
            name, info.sheet, info.owned, info.it, fields, info.faces, info.changing, hides, label, rows, copies,
            span=node.span,
        )  # fmt: skip
        self.kinds.append(kind)
        if info.sheet:
            self.ground.zones[name] = rules.Zone(name, (name,), info.owned, (), "open", False, True, span=node.span)

    def _most(self, info: KindInfo, rows: tuple[rules.Row, ...] | None, copies: rules.Expr) -> int:
        """How many items of a kind there are at most, for all players together."""
        most = self.ground.players[1] if info.owned else 1
        if rows is not None:
            return most * sum(row.copies for row in rows)
        most *= max(1, copies.type.high) if isinstance(copies.type, rules.Number) else 1
        for field in info.printed:
            most *= self.size(field.domain.type)
        return most

    def _count_items(self, info: KindInfo, at: Span) -> None:
        self.items += info.most
        if info.most > MOST_ITEMS:
            self.ground.report(TooMany(at, f"`{info.name}` are {info.most:,}; at most {MOST_ITEMS:,} are possible"))
        elif self.items > MOST_ITEMS:
            fact = f"with these there are {self.items:,} components; at most {MOST_ITEMS:,} are possible"
            self.ground.report(TooMany(at, fact))
        if info.most > MOST_ITEMS or self.items > MOST_ITEMS:
            self.items -= info.most

    def _check_lines(self, node: syntax.Components | syntax.Sheet) -> None:
        once = {syntax.Table: "table", syntax.Copies: "of each", syntax.LabelFields: "label"}
        for kind, what in once.items():
            for line in _lines(node, kind)[1:]:
                self.ground.report(
                    WrongPlace(line.span, f"`{what}` stands there a second time", "Leave one of them out.")
                )
        several = [line for line in node.lines if isinstance(line, syntax.Faces | syntax.FacesBy)]
        for line in several[1:]:
            self.ground.report(WrongPlace(line.span, "a component has faces once", "Make two kinds of component."))

    # ---- fields ----------------------------------------------------------------------------------------

    def _new_field(self, name: syntax.Name, info: KindInfo, kind: rules.Single, role: str) -> None:
        if name.text in words.reserved_for_members():
            self.ground.report(reserved(name))
        if name.text in info.fields:
            fact, first = (
                f"`{info.name}` has a field `{name.text}` already",
                Label(info.fields[name.text].at, "the first one"),
            )
            self.ground.report(DeclaredTwice(name.span, fact, None, (first,)))
        info.fields.setdefault(name.text, FieldInfo(kind, role, name.span))

    def _field(self, line: syntax.Field, info: KindInfo) -> rules.Field:
        domain = self.domain(line.type)
        if known(domain.type) and isinstance(types.bare(domain.type), rules.Item | rules.Player):
            fact = f"what is printed is a number, a member or yes or no; this is {types.spoken(domain.type)}"
            hint = f"Say `var {line.name.text}: …` if it may change during play."
            self.ground.report(WrongType(line.type.span, fact, hint))
            domain = UNREPORTED
        self._new_field(line.name, info, domain.type, "fixed")
        return rules.Field(line.name.text, domain, span=line.span)

    def _derived(self, line: syntax.DerivedField, info: KindInfo) -> rules.Field:
        value = self.expressions.lower(line.value, FIXED.inside(info.it))
        kind = value.type
        if isinstance(kind, rules.Many) or kind == types.NONE:
            fact = f"a field holds one value, this is {types.spoken(kind)}"
            self.ground.report(WrongType(line.value.span, fact))
            kind = types.UNKNOWN
        self._new_field(line.name, info, kind, "derived")
        return rules.Field(line.name.text, rules.Domain(kind, span=line.span), value, span=line.span)

    def _changing(self, line: syntax.Variable, info: KindInfo) -> rules.Changing:
        if line.shape:
            fact = "a component's field has no parts in square brackets"
            self.ground.report(NotAllowedHere(line.shape[0].span, fact))
        for trait in line.traits:
            if trait.text == "conserved":
                self.ground.report(NotAllowedHere(trait.span, "only variables can be conserved, no component's fields"))
        domain = self.variable_domain(line)
        self._new_field(line.name, info, domain.type, "changing")
        initial = self.fixed(line.initial, domain, "the first value")
        return rules.Changing(line.name.text, domain, initial, self.visibility(line.traits, True), span=line.span)

    def variable_domain(self, node: syntax.Variable) -> rules.Domain:
        """What a variable or changing field holds: as it says, or whatever is like its first value."""
        if node.type is not None:
            return self.domain(node.type)
        value = self.expressions.lower(node.initial, FIXED)
        kind = value.type
        if isinstance(kind, rules.Number):
            kind = NUMBER
        if isinstance(kind, rules.Many) or kind == types.NONE:
            hint = "Say what it holds: `var dealt: cards or none = none`."
            if isinstance(node.initial, syntax.Binary) and node.initial.operator == "..":
                text, low = node.initial.span.text, node.initial.left.span.text
                hint = f"Say what it holds, then what it begins with: `var {node.name.text}: {text} = {low}`."
            what = "`none` alone" if kind == types.NONE else types.spoken(kind)
            fact = f"{what} does not say what `{node.name.text}` may hold"
            self.ground.report(WrongType(node.initial.span, fact, hint))
            kind = types.UNKNOWN
        return rules.Domain(kind, span=node.initial.span)

    def visibility(self, traits: tuple[syntax.Name, ...], owned: bool) -> OneOf["open", "private", "hidden"]:
        said = [t.text for t in traits]
        for index, trait in enumerate(traits):
            if trait.text in said[:index]:
                self.ground.report(WrongPlace(trait.span, f"`{trait.text}` stands there twice"))
            elif owned and trait.text in ("hidden", "private") and {"hidden", "private"} & set(said[:index]):
                fact = "`hidden` is what nobody sees, `private` what only its owner sees"
                self.ground.report(WrongPlace(trait.span, fact, "Leave one of the two out."))
        return "hidden" if "hidden" in said else "private" if "private" in said else "open"

    def _hide(self, line: syntax.Hide, info: KindInfo) -> rules.Hide:
        scope = Scope(fixed=True, own=True).inside(info.it)
        unless = self.expressions.truth(line.unless, scope, "the condition after `unless`")
        return rules.Hide(self._named_fields(line.fields, info), info.it, unless, span=line.span)

    def _named_fields(self, names: tuple[syntax.Name, ...], info: KindInfo) -> tuple[str, ...]:
        for index, name in enumerate(names):
            if name.text not in info.fields:
                fact = f"`{info.name}` has no field `{name.text}`"
                self.ground.report(UnknownName(name.span, fact, near(name.text, info.fields)))
            elif name.text in (n.text for n in names[:index]):
                self.ground.report(DeclaredTwice(name.span, f"`{name.text}` stands there twice"))
        return tuple(n.text for n in names if n.text in info.fields)

    def _label(self, node: syntax.Components | syntax.Sheet, info: KindInfo) -> tuple[str, ...]:
        for line in _lines(node, syntax.LabelFields):
            return self._named_fields(line.names, info)
        return (*(f.name for f in info.printed), *([info.faces.name] if info.faces else []))

    # ---- faces -----------------------------------------------------------------------------------------

    def _faces(self, node: syntax.Components | syntax.Sheet, info: KindInfo) -> rules.Faces | None:
        for line in node.lines:
            if isinstance(line, syntax.Faces):
                return self._even_faces(line, info) or self._listed_faces(line, info)
            if isinstance(line, syntax.FacesBy):
                return self._faces_by(line, info)
        return None

    def _even_faces(self, line: syntax.Faces, info: KindInfo) -> rules.Faces | None:
        """Faces that are a range of numbers."""
        if not isinstance(line.faces, syntax.RangeType):
            return None
        domain = self.domain(line.faces)
        if known(domain.type) and self.size(domain.type) > MOST_FACES:
            fact = f"this has {self.size(domain.type):,} faces; at most {MOST_FACES:,} are possible"
            self.ground.report(TooMany(line.faces.span, fact))
        self._new_field(line.name, info, domain.type, "face")
        return rules.Faces(line.name.text, domain.type, domain.range, None, (), span=line.span)

    def _listed_faces(self, line: syntax.Faces, info: KindInfo) -> rules.Faces:
        assert isinstance(line.faces, tuple)
        kind, sets = self._face_sets([(None, line.faces)])
        self._new_field(line.name, info, kind, "face")
        return rules.Faces(line.name.text, kind, None, None, sets, span=line.span)

    def _faces_by(self, by: syntax.FacesBy, info: KindInfo) -> rules.Faces:
        """Faces that depend on a fixed field."""
        field = info.fields.get(by.field.text)
        if field is None:
            fact, hint = f"`{info.name}` has no fixed field `{by.field.text}`", near(by.field.text, info.fields)
            self.ground.report(UnknownName(by.field.span, fact, hint))
        kind = field.type if field else types.UNKNOWN
        seen: dict[object, Span] = {}
        cases = []
        for case in by.cases:
            value = self.expressions.case(case.value, kind, seen)
            cases.append((value, self._written(case.faces)))
        if known(kind) and len(seen) < self.size(kind):
            self._missing_case(by, kind, seen)
        faces, sets = self._face_sets(cases)
        self._new_field(by.name, info, faces, "face")
        return rules.Faces(by.name.text, faces, None, by.field.text, sets, span=by.span)

    def _missing_case(self, by: syntax.FacesBy, kind: rules.Type, seen: "dict[object, Span]") -> None:
        names = types.bare(kind).names if isinstance(types.bare(kind), rules.Member) else ()  # type: ignore[union-attr]
        missing = [name for index, name in enumerate(names) if index not in seen]
        which = f"where `{by.field.text}` is `{missing[0]}`" if missing else f"for every `{by.field.text}`"
        self.ground.report(MissingPart(by.field.span, f"nothing says what the faces are {which}"))

    def _written(self, faces: syntax.FaceList) -> tuple[syntax.Face, ...]:
        """Faces one by one, also where they were written as a range of numbers."""
        if isinstance(faces, tuple):
            return faces
        limits = self.domain(faces).range
        if limits is None:
            return ()
        if not written_out(limits.low) or not written_out(limits.high):
            self.ground.report(NotAllowedHere(faces.span, "here the ends of a range must be written in numbers"))
            return ()
        low, high = int(limits.low.value or 0), int(limits.high.value or 0)
        if high - low >= MOST_FACES:
            fact = f"this has {high - low + 1:,} faces; at most {MOST_FACES:,} are possible"
            self.ground.report(TooMany(faces.span, fact))
            return ()
        one = (syntax.Number(n, span=faces.span) for n in range(low, high + 1))
        return tuple(syntax.Face(value, 1, span=faces.span) for value in one)

    def _face_sets(
        self, cases: "list[tuple[int | bool | None, tuple[syntax.Face, ...]]]"
    ) -> tuple[rules.Single, tuple[rules.FaceSet, ...]]:
        """The faces of each case, and their type: numbers, or members in the order they are first named."""
        faces = [face for _, shown in cases for face in shown]
        numbers = [f.value.value for f in faces if isinstance(f.value, syntax.Number)]
        names = tuple(dict.fromkeys(f.value.text for f in faces if isinstance(f.value, syntax.Name)))
        for face in faces:
            if face.weight < 1:
                self.ground.report(OutOfRange(face.span, "a face that is there at all is there at least once"))
            if face.weight > MOST_FACES:
                self.ground.report(TooMany(face.span, f"a face is there at most {MOST_FACES:,} times"))
            if not isinstance(face.value, syntax.Number | syntax.Name) or (
                numbers and isinstance(face.value, syntax.Name)
            ):
                self.ground.report(WrongType(face.value.span, "faces are all numbers or all names"))
            if isinstance(face.value, syntax.Name) and face.value.text in words.reserved_for_members():
                self.ground.report(reserved(face.value))
        kind: rules.Single = types.UNKNOWN
        if numbers:
            kind = rules.Number(min(numbers), max(numbers))
        elif names:
            kind = self._member_of(names)
        sets = []
        for case, shown in cases:
            weights: dict[int, int] = {}
            for face in shown:
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

    # ---- how many --------------------------------------------------------------------------------------

    def _copies(self, node: syntax.Components | syntax.Sheet, info: KindInfo) -> rules.Expr:
        one = number(1, node.span)
        lines, table = _lines(node, syntax.Copies), _lines(node, syntax.Table)
        if not lines:
            if not info.sheet and not table:
                hint = "Add a line such as `1 of each`, or a `table:`."
                self.ground.report(MissingPart(node.name.span, f"nothing says how many `{info.name}` there are", hint))
            return one
        if info.sheet or table:
            what = "a sheet has each cell once" if info.sheet else "the table says how many, in a column `copies`"
            self.ground.report(WrongPlace(lines[0].span, what))
            return one
        count = self.expressions.amount(lines[0].count, FIXED, "how many of each")
        if count.type == rules.Number(0, 0):
            self.ground.report(OutOfRange(count.span, f"there are no `{info.name}` at all"))
        return count

    def _rows(
        self, table: syntax.Table, fields: tuple[rules.Field, ...], node: syntax.Components | syntax.Sheet
    ) -> tuple[rules.Row, ...]:
        """A component's table: its first row names the fields, in any order."""
        printed = {f.name: f for f in fields}
        header: list[str] = []
        for cell in table.rows[0].cells:
            text = cell.text if isinstance(cell, syntax.Name) else cell.span.text
            if text in header:
                self.ground.report(WrongTable(cell.span, f"the column `{text}` stands there twice"))
            elif text == "copies" and isinstance(node, syntax.Sheet):
                self.ground.report(WrongTable(cell.span, "a sheet has each cell once"))
            elif text != "copies" and text not in printed:
                fact = f"the head of the table names fields; `{node.name.text}` has no fixed field `{text}`"
                self.ground.report(WrongTable(cell.span, fact, near(text, [*printed, "copies"])))
            header.append(text)
        for name in printed:
            if name not in header:
                self.ground.report(WrongTable(table.rows[0].span, f"the table has no column `{name}`"))
        if len(table.rows) == 1:
            self.ground.report(WrongTable(table.rows[0].span, "the table has a head, but no rows"))
        return tuple(row for line in table.rows[1:] if (row := self._row(line, header, printed)) is not None)

    def _row(self, line: syntax.TableRow, header: list[str], printed: dict[str, rules.Field]) -> rules.Row | None:
        if len(line.cells) != len(header):
            fact = f"this row has {counted(len(line.cells))}, the head of the table {len(header)}"
            self.ground.report(WrongTable(line.span, fact))
            return None
        values: dict[str, int | bool | None] = {}
        copies = 1
        for name, cell in zip(header, line.cells, strict=True):
            if name == "copies":
                number_ = self.expressions.literal(cell, NUMBER, "how many copies")
                copies = number_.value or 0 if number_ else 0
                if copies < 0:
                    self.ground.report(OutOfRange(cell.span, "how many copies cannot be less than nothing"))
            elif name in printed:
                value = self.expressions.literal(cell, printed[name].domain.type, f"`{name}`")
                values[name] = value.value if value else 0
        if len(values) != len(printed):
            return None
        return rules.Row(tuple(values[name] for name in printed), max(copies, 0), span=line.span)


def _lines(node: syntax.Components | syntax.Sheet, kind: type) -> list:  # type: ignore[type-arg]
    return [line for line in node.lines if isinstance(line, kind)]
