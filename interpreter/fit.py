"""A game fitted to its players and options: fills in a layout with all that can be worked out before play."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from ..dsl import rules
from .expressions import Expressions
from .layout import BOX, IN, Block, KindOfItem, Layout, Span


def fit(game: rules.Game, players: int, options: Mapping[str, int | bool]) -> Layout:
    """The layout of a game for so many players, with these options in place of the defaults.

    Raises:
        ValueError: too few or too many players, an option that does not exist, or a value it cannot have.
    """
    low, high = game.players
    if not low <= players <= high:
        raise ValueError(f"{game.title} is for {low} to {high} players, not {players}")
    if game.teams is not None and players % game.teams:
        raise ValueError(f"{players} players cannot be {game.teams} teams of equal size")
    layout = Layout(game, players, {}, scratch=3 + game.locals)
    _Fitting(layout).run(options)
    return layout


class _Fitting:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.game = layout.game
        self.expressions = Expressions(layout)

    def run(self, options: Mapping[str, int | bool]) -> None:
        self._settle(options)
        self._number_items()
        self._find_families()
        self.layout.add("in", rules.Many(rules.Player()), tuple(range(self.layout.players)))
        assert self.layout.names[IN] == "in"
        for variable in self.game.variables:
            self._variable(variable)
        for zone in self._zones():
            self._zone(zone)
        self._places()
        for kind in self.layout.kinds.values():
            self._item_fields(kind)

    # ---- options and ranges ----------------------------------------------------------------------------

    def _settle(self, chosen: Mapping[str, int | bool]) -> None:
        """Options and tables, each after those that it needs."""
        known = {option.name: option for option in self.game.options}
        tables = {table.name: table for table in self.game.tables}
        for name in chosen:
            if name not in known:
                raise ValueError(f"{self.game.title} has no option {name}; it has {', '.join(known) or 'none'}")
        for name in self.game.settled:
            if name in tables:
                table = tables[name]
                values = tuple(self.expressions.value(value) for value in table.values)
                self.layout.tables[name] = (self._shape(table.shape), values)
            elif name in chosen:
                self.layout.options[name] = self._allowed(known[name], chosen[name])
            else:
                self.layout.options[name] = self.expressions.value(known[name].default)
        # Shown in the order in which they are declared.
        self.layout.options = {name: self.layout.options[name] for name in known}

    def _allowed(self, option: rules.Option, value: int | bool) -> int | bool:
        values = self.values(option.domain)
        if value not in values or isinstance(value, bool) is not isinstance(values[0], bool):
            raise ValueError(f"option {option.name} cannot be {value}: {self._spoken(option.domain)}")
        return value

    def _spoken(self, domain: rules.Domain) -> str:
        match domain.type:
            case rules.Member(_, names):
                return ", ".join(f"{number} is {name}" for number, name in enumerate(names))
            case rules.YesNo():
                return "it is yes or no"
        values = self.values(domain)
        return f"it lies in {values[0]}..{values[-1]}"

    def ends(self, range_: rules.Range) -> tuple[int, int]:
        """A range's exact ends."""
        return self.expressions.value(range_.low), self.expressions.value(range_.high)

    def values(self, domain: rules.Domain) -> list[Any]:
        """All values of a domain, in order; `none` last."""
        return self._values_of(domain.type, domain)

    def _values_of(self, type_: rules.Type, domain: rules.Domain) -> list[Any]:
        match type_:
            case rules.Number(low, high):
                low, high = self.ends(domain.range) if domain.range is not None else (low, high)
                return list(range(low, high + 1))
            case rules.Member(_, names):
                return list(range(len(names)))
            case rules.YesNo():
                return [False, True]
            case rules.Player():
                return list(range(self.layout.players))
            case rules.Maybe(of):
                return [*self._values_of(of, domain), None]
        raise AssertionError(f"no list of values: {type_}")

    def _shape(self, shape: tuple[rules.Domain, ...]) -> tuple[Span, ...]:
        spans = []
        for domain in shape:
            values = self.values(domain)
            spans.append(Span(domain, int(values[0]) if values else 0, len(values)))
        return tuple(spans)

    def _range_of(self, domain: rules.Domain) -> tuple[int, int] | None:
        of = domain.type.of if isinstance(domain.type, rules.Maybe) else domain.type
        if not isinstance(of, rules.Number):
            return None
        return self.ends(domain.range) if domain.range is not None else (of.low, of.high)

    # ---- items -----------------------------------------------------------------------------------------

    def _number_items(self) -> None:
        # Components before cells, so that only they need a place.
        for kind in sorted(self.game.kinds, key=lambda kind: kind.sheet):
            first = len(self.layout.kind_of)
            self._items_of(kind, first)
            if not kind.sheet:
                self.layout.movable = len(self.layout.kind_of)

    def _find_families(self) -> None:
        families: dict[int, list[int]] = {}
        for item, first in enumerate(self.layout.twins):
            families.setdefault(first, []).append(item)
        self.layout.families = [family for family in families.values() if len(family) > 1]

    def _items_of(self, kind: rules.Kind, first: int) -> None:
        rows = [row for row, copies in self._rows(kind) for _ in range(copies)]
        sheets = self.layout.players if kind.owned else 1
        numbered = KindOfItem(kind, first, first + len(rows) * sheets)
        self.layout.kinds[kind.name] = numbered
        self.layout.kind_of.extend([numbered] * len(rows) * sheets)
        for name in [field.name for field in kind.fields]:
            self.layout.fixed.setdefault(name, [])
        for values in self.layout.fixed.values():
            values.extend([None] * (len(self.layout.kind_of) - len(values)))
        for sheet in range(sheets):
            self._fill(kind, first + sheet * len(rows), rows)
        if kind.sheet:
            cells = [range(first + seat * len(rows), first + (seat + 1) * len(rows)) for seat in range(sheets)]
            self.layout.sheets[kind.name] = [tuple(each) for each in cells]

    def _rows(self, kind: rules.Kind) -> Iterator[tuple[tuple[Any, ...], int]]:
        if kind.rows is not None:
            yield from ((row.values, row.copies) for row in kind.rows)
            return
        copies = self.expressions.value(kind.copies)
        for values in product(*[self.values(field.domain) for field in kind.fields if field.value is None]):
            yield values, copies

    def _fill(self, kind: rules.Kind, first: int, rows: list[tuple[Any, ...]]) -> None:
        lowest: dict[tuple[Any, ...], int] = {}
        of_item = [self._of_item(kind, field.value) if field.value and rows else None for field in kind.fields]
        for item, row in enumerate(rows, first):
            plain = iter(row)
            for field, value in zip(kind.fields, of_item, strict=True):
                self.layout.fixed[field.name][item] = value(item) if value else next(plain)
            self.layout.twins.append(lowest.setdefault(row, item))
            self.layout.faces.append(self._faces(kind, item))

    def _of_item(self, kind: rules.Kind, expr: rules.Expr) -> Callable[[int], Any]:
        """What an expression is worth for each item of a kind."""
        memory: list[Any] = [tuple(range(self.layout.players)), *[None] * self.layout.scratch]
        it, read = self.expressions.slot(kind.it), self.expressions.read(expr)

        def value(item: int) -> Any:
            memory[it] = item
            return read(memory)

        return value

    def _faces(self, kind: rules.Kind, item: int) -> tuple[int, ...]:
        faces = kind.faces
        if faces is None:
            return ()
        if faces.range is not None:
            low, high = self.ends(faces.range)
            return tuple(range(low, high + 1))
        case = None if faces.by is None else self.layout.fixed[faces.by][item]
        for among in faces.sets:
            if faces.by is None or among.case == case:
                return tuple(face for face, weight in among.faces for _ in range(weight))
        return ()

    # ---- slots -----------------------------------------------------------------------------------------

    def _variable(self, rule: rules.Variable) -> None:
        shape, seats = self._shape(rule.shape), self.layout.players if rule.owned else 1
        names = _part_names(rule.name, rule.owned, seats, shape)
        initial, base = self.expressions.value(rule.initial), len(self.layout.names)
        for name, _, _ in names:
            self.layout.add(name, rule.domain.type, initial)
        self.layout.variables[rule.name] = Block(rule.name, base, shape, seats, len(names) // seats)
        if (ends := self._range_of(rule.domain)) is not None:
            self.layout.ranges[rule.name] = ends

    def _zones(self) -> list[rules.Zone]:
        """The box first: everything lies in it at the start."""
        return sorted(self.game.zones, key=lambda zone: zone.name != BOX)

    def _zone(self, rule: rules.Zone) -> None:
        self.layout.zone_rules[rule.name] = rule
        if rule.sheet:
            return
        shape, seats = self._shape(rule.shape), self.layout.players if rule.owned else 1
        parts, base, width = _part_names(rule.name, rule.owned, seats, shape), len(self.layout.names), 1 + rule.stacked
        for name, owner, indexes in parts:
            slot = self.layout.add(name, rules.Many(rules.Item(rule.kinds)), ())
            if rule.stacked:
                self.layout.add(f"{name} unknown", rules.Many(rules.Number()), ())
            self.layout.zone_at[slot] = (rule, owner, indexes)
        stride = width * len(parts) // seats
        self.layout.zones[rule.name] = Block(rule.name, base, shape, seats, stride, width)

    def _places(self) -> None:
        layout = self.layout
        box = layout.zones[BOX].base
        layout.start[box] = tuple(range(layout.movable))
        layout.places = len(layout.names)
        for item in range(layout.movable):
            layout.add(f"{_item_name(layout, item)} in", rules.Number(), box)
        layout.cell_zone = [0] * len(layout.kind_of)
        for number, (name, sheets) in enumerate(layout.sheets.items()):
            kind = layout.kinds[name].rule
            rule = layout.zone_rules.get(name) or rules.Zone(name, (name,), kind.owned, (), "open", False, sheet=True)
            layout.zone_rules[name] = rule
            for seat, cells in enumerate(sheets):
                stands_for = -1 - seat - number * layout.players
                layout.zone_at[stands_for] = (rule, seat if kind.owned else None, ())
                for cell in cells:
                    layout.cell_zone[cell] = stands_for

    def _item_fields(self, kind: KindOfItem) -> None:
        layout, rule = self.layout, kind.rule
        layout.face_slot = layout.face_slot or [0] * len(layout.kind_of)
        if rule.faces is not None:
            slots = layout.field_slots.setdefault(rule.faces.name, [0] * len(layout.kind_of))
            for item in range(kind.first, kind.end):
                name = f"{_item_name(layout, item)} {rule.faces.name}"
                slots[item] = layout.face_slot[item] = layout.add(name, rule.faces.type, layout.faces[item][0])
        for field in rule.changing:
            slots = layout.field_slots.setdefault(field.name, [0] * len(layout.kind_of))
            if (ends := self._range_of(field.domain)) is not None:
                layout.ranges[f"{rule.name}.{field.name}"] = ends
            if kind.first < kind.end:
                initial = self._of_item(rule, field.initial)
            for item in range(kind.first, kind.end):
                slots[item] = layout.add(f"{_item_name(layout, item)} {field.name}", field.domain.type, initial(item))


def _part_names(
    name: str, owned: bool, seats: int, shape: tuple[Span, ...]
) -> list[tuple[str, int | None, tuple[int, ...]]]:
    """For every element a readable name, its owner and its indexes."""
    found: list[tuple[str, int | None, tuple[int, ...]]] = []
    for seat in range(seats):
        for indexes in product(*[range(span.first, span.first + span.size) for span in shape]):
            inside = f"[{', '.join(map(_index_name, shape, indexes))}]" if indexes else ""
            owner = f"player({seat + 1})." if owned else ""
            found.append((f"{owner}{name}{inside}", seat if owned else None, indexes))
    return found


def _index_name(span: Span, index: int) -> str:
    match span.domain.type:
        case rules.Member(_, names):
            return names[index]
        case rules.YesNo():
            return "yes" if index else "no"
        case rules.Player():
            return f"player({index + 1})"
    return str(index)


def _item_name(layout: Layout, item: int) -> str:
    kind = layout.kind_of[item]
    return f"{kind.rule.name}#{item - kind.first + 1}"
