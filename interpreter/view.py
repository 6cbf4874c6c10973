"""What a seat may see, as plain data for JSON: no item's number, nothing hidden, and no order that could tell it.

    {"seat": 1, "phases": ["turn"], "asked": {"name": "draw_or_stop", "player": 1}, "still_in": [1, 2],
     "table": {"bag": {"count": 54}, "saved": null}, "players": [{"points": 3, "row": [{"kind": "number"}]}, …],
     "named": {"chip": {"kind": "number"}}}

An array is an object by index; an item is an object of the fields that are seen, and of its component's name where a
zone may hold several. A stacked zone lists its items from the bottom; where a shuffle has left it open what lies in a
place there is null, and the items it may be follow under `unknown`. `named` are the values that rules have given a
name in the passes being played, as far as they give nothing away.
"""

from collections.abc import Sequence
from typing import Any

from ..dsl import rules
from .closures import Memory
from .layout import BOX, Block, kinds_of
from .table import Table
from .words import value_text

Data = Any


def view(table: Table, seat: int) -> dict[str, Data]:
    """What a seat may see of a table."""
    return _Seen(table, seat).all()


class _Seen:
    def __init__(self, table: Table, seat: int) -> None:
        self.table = table
        self.m: Memory = table.m
        self.seat = seat
        self.layout = table.engine.program.layout
        self.sight = table.engine.program.sight

    def all(self) -> dict[str, Data]:
        seats = range(self.layout.players)
        return {
            "seat": self.seat + 1,
            "phases": list(self.table.phases),
            "asked": self._asked(),
            "still_in": [each + 1 for each in self.m[0]],
            "table": self._part(None),
            "players": [self._part(each) for each in seats],
            "named": self._named(),
        }

    def _named(self) -> dict[str, Data]:
        """What rules have named, as far as it gives nothing away."""
        program, seen = self.table.engine.program, dict[str, Data]()
        for slot in program.shown:
            if (value := self.m[slot]) is not None:
                seen[self.layout.names[slot]] = self._several(self.layout.types[slot], value)
        return seen

    def _several(self, type_: rules.Type, value: Any) -> Data:
        if not isinstance(type_, rules.Many):
            return self._value(type_, value)
        if kinds_of(type_):
            return self._unordered(value)
        return [self._value(type_.of, each) for each in value]

    def _asked(self) -> Data:
        request: Any = self.table.request()
        if request is None:
            return None
        owner = getattr(request, "owner", None)
        return {"name": request.name, "player": None if owner is None else owner + 1}

    def _part(self, owner: int | None) -> dict[str, Data]:
        """What belongs to the whole table, or to one player."""
        seen: dict[str, Data] = {}
        for rule in self.layout.game.variables:
            if rule.owned is (owner is not None) and self._sees(rule.visibility, owner):
                seen[rule.name] = self._array(self.layout.variables[rule.name], owner, rule.domain.type)
        for zone in self.layout.zone_rules.values():
            if zone.owned is (owner is not None) and zone.name != BOX:
                seen[zone.name] = self._cells(zone, owner) if zone.sheet else self._zones(zone, owner)
        return seen

    def _sees(self, visibility: str, owner: int | None) -> bool:
        return visibility == "open" or (visibility == "private" and owner == self.seat)

    # ---- values ----------------------------------------------------------------------------------------

    def _array(self, block: Block, owner: int | None, type_: rules.Type) -> Data:
        values = [self._value(type_, self.m[slot]) for slot in self._slots(block, owner)]
        return self._by_index(block, values)

    @staticmethod
    def _slots(block: Block, owner: int | None) -> range:
        first = block.base + (owner or 0) * block.stride
        return range(first, first + block.stride, block.width)

    def _by_index(self, block: Block, values: Sequence[Data]) -> Data:
        """Values row by row as an object of objects."""
        for span in reversed(block.shape):
            names = [value_text(span.domain.type, index) for index in range(span.first, span.first + span.size)]
            rows = [values[start : start + span.size] for start in range(0, len(values), span.size)]
            values = [dict(zip(names, row, strict=True)) for row in rows]
        return values[0]

    def _value(self, type_: rules.Type, value: Any) -> Data:
        of = type_.of if isinstance(type_, rules.Maybe) else type_
        match of:
            case _ if value is None:
                return None
            case rules.Item():
                return self._item(value)
            case rules.Player():
                return value + 1
            case rules.YesNo():
                return bool(value)
            case rules.Number():
                return value
        return value_text(of, value)

    # ---- items -----------------------------------------------------------------------------------------

    def _cells(self, zone: rules.Zone, owner: int | None) -> Data:
        return [self._item(cell) for cell in self.layout.sheets[zone.name][owner or 0]]

    def _zones(self, zone: rules.Zone, owner: int | None) -> Data:
        block = self.layout.zones[zone.name]
        return self._by_index(block, [self._zone(zone, slot) for slot in self._slots(block, owner)])

    def _zone(self, zone: rules.Zone, slot: int) -> Data:
        items = self.m[slot]
        if not self.sight.into(slot, self.seat):
            return {"count": len(items)}
        if not zone.stacked:
            return self._unordered(items)
        unknown = self.m[slot + 1]
        laid = [None if place in unknown else self._item(item) for place, item in enumerate(items)]
        return {"from_bottom": laid, "unknown": self._unordered([items[place] for place in unknown])}

    def _unordered(self, items: Sequence[int]) -> list[Data]:
        """Items by what is seen of them."""
        return [self._item(item) for item in sorted(items, key=lambda item: self.sight.seen(self.m, item, self.seat))]

    def _item(self, item: int) -> Data:
        zone = self.sight.expressions.lies_in(self.m, item)
        seen: dict[str, Data] = {}
        if not self.sight.into(zone, self.seat):
            return seen
        if len(self.layout.zone_at[zone][0].kinds) > 1:
            seen["component"] = self.layout.kind_of[item].rule.name
        for field in self.sight.look(item).fields:
            if self.sight.field(self.m, item, field, zone, self.seat):
                seen[field.name] = self._value(field.type, field.read(self.m, item))
        return seen
