"""One state for all that differ only in which of several items exactly alike lies where.

Items of a kind with the same fixed fields are twins. Each gets a signature: where it lies, what it shows, its changing
fields, and every slot that holds on to it. Twins are then numbered anew in the order of their signatures; those with
the same signature cannot be told apart by anything. What lies there to be thrown shows its first face: what it showed
before is soon forgotten.
"""

from typing import Any

from .asking import ThrowPlace
from .exchange import relabelled
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
    values = relabelled(program, m, moved) if moved else m[: len(state.values)]
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
