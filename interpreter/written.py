"""States as text and back: a line for the step, and a line `name: value` for each slot that differs from the start.

Values are JSON. Where components lie follows from the zones and is not written.
"""

import json
from typing import Any

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
            values[slots[name]] = value
        else:
            raise ValueError(f"line {number}: nothing is called {name}")
    if step is None or (step and step not in program.places):
        raise ValueError("the text does not say where play stands" if step is None else f"nothing is asked at {step}")
    _lay(layout, values)
    return State(step, tuple(values))


def _value(written: str, number: int) -> Any:
    try:
        return _frozen(json.loads(written))
    except json.JSONDecodeError as error:
        raise ValueError(f"line {number}: {error}") from None


def _frozen(value: Any) -> Any:
    return tuple([_frozen(each) for each in value]) if isinstance(value, list) else value


def _lay(layout: Layout, values: list[Any]) -> None:
    """Say for each component in which zone it lies."""
    seen = 0
    for zone in (slot for slot in layout.zone_at if slot >= 0):
        for item in values[zone]:
            values[layout.places + item] = zone
            seen += 1
    if seen != layout.movable or len({item for z in layout.zone_at if z >= 0 for item in values[z]}) != seen:
        raise ValueError("every component must lie in exactly one zone")
