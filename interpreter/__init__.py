"""Plays a checked ruleset."""

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
from .focus import FocusEngine, focus_engine
from .keys import Keys
from .liveness import Readers
from .reference import Reference
from .state import State
from .stream import Stream
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
