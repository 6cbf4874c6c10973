"""Plays a checked ruleset."""

from .engine import (
    Answer,
    Chance,
    Decision,
    Draws,
    Engine,
    Event,
    IllegalAnswer,
    Policy,
    Request,
    Result,
    RulesFault,
    Sample,
    TurnTaken,
)
from .reference import Reference
from .state import State
from .stream import Stream
from .table import Table

__all__ = [
    "Answer",
    "Chance",
    "Decision",
    "Draws",
    "Engine",
    "Event",
    "IllegalAnswer",
    "Policy",
    "Reference",
    "Request",
    "Result",
    "RulesFault",
    "Sample",
    "State",
    "Stream",
    "Table",
    "TurnTaken",
]
