"""One state for all that differ only in which of several items exactly alike lies where.

Items of a kind with the same fixed fields are twins. Each gets a signature: where it lies, what it shows, its changing
fields, and every slot that holds on to it. Twins are then numbered anew in the order of their signatures; those with
the same signature cannot be told apart by anything. What lies there to be thrown shows its first face: what it showed
before is soon forgotten.
"""

from typing import Any

from .asking import ThrowPlace
from .program import Program
from .state import State


def canonical(program: Program, state: State) -> State:
    """The state with twins numbered in the order of their signatures."""
    if not program.layout.families:
        return state
    m = [*state.values, *[None] * program.layout.scratch]
    place = program.places.get(state.step)
    if isinstance(place, ThrowPlace):
        place.forget(m)
    moved = _numbered(program, m)
    values = _relabelled(program, m, moved) if moved else m[: len(state.values)]
    return State(state.step, tuple(values))


def _numbered(program: Program, m: list[Any]) -> dict[int, int]:
    """New numbers for the items that get others."""
    layout, sight = program.layout, program.sight
    held: dict[int, tuple[int, ...]] = {}
    for slot in sight.marks:
        value = m[slot]
        for place, item in enumerate(value if isinstance(value, tuple) else () if value is None else (value,)):
            held[item] = (*held.get(item, ()), slot, place)
    moved: dict[int, int] = {}
    for family in layout.families:
        signed = [(sight.whole(m, item), held.get(item, ()), item) for item in family]
        signed.sort()
        moved |= {old: new for (_, _, old), new in zip(signed, family, strict=True) if old != new}
    return moved


def _relabelled(program: Program, m: list[Any], moved: dict[int, int]) -> list[Any]:
    """The memory with items under their new numbers."""
    layout = program.layout
    values = m[: len(layout.names)]
    for slot in (*program.sight.marks, *(zone for zone in layout.zone_at if zone >= 0)):
        values[slot] = _renamed(m[slot], moved)
    for zone, (rule, _, _) in layout.zone_at.items():
        if zone >= 0:
            values[zone] = _in_order(values[zone], m[zone + 1] if rule.stacked else None)
    for old, new in moved.items():
        for slots in layout.field_slots.values():
            if slots[old]:
                values[slots[new]] = m[slots[old]]
        if old < layout.movable:
            values[layout.places + new] = m[layout.places + old]
    return values


def _renamed(value: Any, moved: dict[int, int]) -> Any:
    if isinstance(value, tuple):
        return tuple([moved.get(item, item) for item in value])
    return moved.get(value, value)


def _in_order(items: tuple[int, ...], unknown: tuple[int, ...] | None) -> tuple[int, ...]:
    """A zone's items by number, in a stacked zone only those in unknown positions."""
    if unknown is None:
        return tuple(sorted(items))
    laid, free = list(items), sorted(items[p] for p in unknown)
    for position, item in zip(unknown, free, strict=True):
        laid[position] = item
    return tuple(laid)
