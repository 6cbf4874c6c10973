"""What items are and where they lie, as closures."""

from typing import TYPE_CHECKING, Any

from ..dsl import rules
from .closures import Memory, Read, fault

if TYPE_CHECKING:
    from .expressions import Expressions


def field_of(made: "Expressions", expr: rules.FieldOf) -> Read:
    """A field of an item; short where all its kinds have it in the same way."""
    item = made.sure(expr.item)
    values, shift = made.field(expr)
    if values is not None:
        return lambda m: values[item(m)]
    if shift is not None:
        if isinstance(expr.item, rules.Local):
            own = made.slot(expr.item)
            if not isinstance(expr.item.type, rules.Maybe):
                return lambda m: m[m[own] + shift]
        return lambda m: m[item(m) + shift]
    return _varied(made, expr.field, item)


def _varied(made: "Expressions", name: str, item: Read) -> Read:
    """A field that is fixed for some kinds and changes for others."""
    items = len(made.layout.kind_of)
    slots = made.layout.field_slots.get(name) or [0] * items
    fixed = made.layout.fixed.get(name) or [None] * items

    def varied(m: Memory) -> Any:
        number = item(m)
        return m[slots[number]] if slots[number] else fixed[number]

    return varied


def owner_of(made: "Expressions", expr: rules.OwnerOf) -> Read:
    """The player whose zone or sheet holds an item."""
    item, zones, span = made.sure(expr.item), made.layout.zone_at, expr.span

    def owner(m: Memory) -> int:
        seat = zones[made.lies_in(m, item(m))][1]
        if seat is None:
            raise fault("the zone that holds the item belongs to nobody", span)
        return seat

    return owner


def item_at(made: "Expressions", expr: rules.ItemAt) -> Read:
    """The item in a place of a stacked zone."""
    slot, span = made.zone(expr.zone), expr.span
    where = slot if not isinstance(slot, int) else (lambda m: slot)
    position = made.sure(expr.position) if expr.position is not None else None

    def item(m: Memory) -> int:
        zone = where(m)
        index = len(m[zone]) - 1 if position is None else position(m) - 1
        if not 0 <= index < len(m[zone]):
            raise fault("there is no item in that place", span)
        if index in m[zone + 1]:
            raise fault("the item in that place is not known since the shuffle; draw it first", span)
        return int(m[zone][index])

    return item


def place_of(made: "Expressions", expr: rules.PlaceOf) -> Read:
    """An item's place in its stacked zone, from 1."""
    item, span, zones = made.sure(expr.item), expr.span, made.layout.zone_at

    def place(m: Memory) -> int:
        number = item(m)
        zone = made.lies_in(m, number)
        if not zones[zone][0].stacked:
            raise fault("the item lies in no stacked zone", span)
        index: int = m[zone].index(number)
        if index in m[zone + 1]:
            raise fault("the item's place is not known since the shuffle", span)
        return index + 1

    return place
