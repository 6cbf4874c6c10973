"""Plays a checked ruleset."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .engine import (
    Answer,
    Broken,
    Chance,
    Decision,
    Draws,
    Engine,
    Event,
    IllegalAnswer,
    Met,
    Policy,
    Request,
    Result,
    RulesFault,
    Sample,
    TurnTaken,
)
from .state import State
from .stream import Stream

if TYPE_CHECKING:
    from .focus import FocusEngine, focus_engine
    from .keys import Keys
    from .liveness import Readers
    from .reference import Reference
    from .table import Table
    from .watch import Point, Watch

__all__ = [
    "Answer",
    "Broken",
    "Chance",
    "Decision",
    "Draws",
    "Engine",
    "Event",
    "FocusEngine",
    "IllegalAnswer",
    "Keys",
    "Met",
    "Point",
    "Policy",
    "Readers",
    "Reference",
    "Request",
    "Result",
    "RulesFault",
    "Sample",
    "State",
    "Stream",
    "Table",
    "TurnTaken",
    "Watch",
    "focus_engine",
]

_LATER = {
    "FocusEngine": "focus",
    "focus_engine": "focus",
    "Keys": "keys",
    "Point": "watch",
    "Readers": "liveness",
    "Reference": "reference",
    "Table": "table",
    "Watch": "watch",
}
"""Modules that machine code plays without: imported where somebody asks for what is in them."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f".{_LATER[name]}", __name__), name)
