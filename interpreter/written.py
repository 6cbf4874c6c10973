"""States as text and back: a line for the step, and a line `name: value` for each slot that differs from the start.

Values are JSON. Where components lie follows from the zones and is not written.
"""

import json
from typing import Any

from ..dsl import rules
from .layout import Layout
from .program import Program
from .state import State


def state_text(program: Program, state: State) -> str:
    """A state as lines of text."""
    layout = program.layout
    lines = [f"step: {state.step}"]
    for slot, (name, value, start) in enumerate(zip(program.labels, state.values, layout.start, strict=True)):
        if (value != start or type(value) is not type(start)) and not _is_place(layout, slot):
            lines.append(f"{name}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def _is_place(layout: Layout, slot: int) -> bool:
    return layout.places <= slot < layout.places + layout.movable


def read_state(program: Program, text: str) -> State:
    """The state of such a text.

    Raises:
        ValueError: the text is none of this program's states.
    """
    layout = program.layout
    slots = {name: slot for slot, name in enumerate(program.labels)}
    values, step = list(layout.start), None
    for number, line in enumerate(text.splitlines(), 1):
        name, colon, written = line.partition(": ")
        if not colon:
            raise ValueError(f"line {number}: a name, `: ` and a value were expected")
        value = _value(written, number)
        if name == "step":
            step = value
        elif name in slots:
            slot = slots[name]
            if not (_fits(layout, layout.types[slot], value) or value == layout.start[slot] is None):
                raise ValueError(f"line {number}: {name} cannot be {written}")
            values[slot] = value
        else:
            raise ValueError(f"line {number}: nothing is called {name}")
    if isinstance(step, bool) or not isinstance(step, int | None):
        raise ValueError("the step must be a number")
    if step is None or (step and step not in program.places):
        raise ValueError("the text does not say where play stands" if step is None else f"nothing is asked at {step}")
    _lay(layout, values)
    return State(step, tuple(values))


def _value(written: str, number: int) -> Any:
    try:
        return _frozen(json.loads(written))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"line {number}: {error}") from None


def _frozen(value: Any) -> Any:
    return tuple([_frozen(each) for each in value]) if isinstance(value, list) else value


def _fits(layout: Layout, type_: rules.Type, value: Any) -> bool:
    """Whether a value is of a slot's type."""
    match type_:
        case rules.Maybe(of):
            return value is None or _fits(layout, of, value)
        case rules.Many(rules.Number()):
            return isinstance(value, tuple) and all(_numbers(each) for each in value)
        case rules.Many(of):
            return isinstance(value, tuple) and all(_fits(layout, of, each) for each in value)
        case rules.YesNo():
            return isinstance(value, bool)
        case rules.Member(_, names):
            return _numbers(value) and value in range(len(names))
        case rules.Player():
            return _numbers(value) and value in range(layout.players)
        case rules.Item(kinds):
            return _numbers(value) and value in range(len(layout.kind_of)) and layout.kind_of[value].rule.name in kinds
        case rules.Number():
            return isinstance(value, int) and _numbers(value)


def _numbers(value: Any) -> bool:
    """Whether this is a number, or numbers: how things looked that a player has chosen."""
    if isinstance(value, tuple):
        return all(_numbers(each) for each in value)
    return isinstance(value, int) and not isinstance(value, bool)


def _lay(layout: Layout, values: list[Any]) -> None:
    """Say for each component in which zone it lies."""
    seen = 0
    for zone in (slot for slot in layout.zone_at if slot >= 0):
        unknown = values[zone + 1] if layout.zone_at[zone][0].stacked else range(len(values[zone]))
        if not set(unknown) <= set(range(len(values[zone]))):
            raise ValueError("an unknown place lies outside of its zone")
        loose = [values[zone][place] for place in unknown]
        if list(unknown) != sorted(set(unknown)) or loose != sorted(loose):
            raise ValueError("what lies in no order must be given by number")
        for item in values[zone]:
            values[layout.places + item] = zone
            seen += 1
    if seen != layout.movable or len({item for z in layout.zone_at if z >= 0 for item in values[z]}) != seen:
        raise ValueError("every component must lie in exactly one zone")
