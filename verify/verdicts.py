"""What verification may say: one honest verdict for each property, with how far it looked."""

from collections.abc import Sequence
from typing import Any, Literal

import attrs

from ..dsl.source import Span
from ..interpreter import Answer

Kind = Literal["author", "free"]
Verdict = Literal["proved", "holds_to_depth", "not_refuted", "refuted", "vacuous", "undecided"]


@attrs.frozen
class Change:
    """One thing that an answer changed, in words: `player 1 points`, `12`, `18`."""

    what: str
    before: str
    after: str
    line: int | None = None
    """The line of the rule that did it; None where not known."""


@attrs.frozen
class Row:
    """One answer of a game and what came of it."""

    number: int
    """From 1."""
    seat: int | None
    """Who decided, from 1; None for chance."""
    name: str
    """The request's name."""
    text: str
    """The answer in words."""
    phases: tuple[str, ...]
    changes: tuple[Change, ...]
    matters: bool | None = None
    """Whether another answer here would not have led to the same failure; None where that was not tried, or where
    there was no other."""


@attrs.frozen
class Side:
    """A part of a comparison that came out false: as written, and what it was worth."""

    text: str
    value: str


@attrs.frozen
class Trace:
    """A game that refutes a property, or that shows one to be possible."""

    answers: tuple[int | Answer, ...]
    rows: tuple[Row, ...]
    start: tuple[str, ...]
    """How things stand before the first answer, in words."""
    shortest: bool
    """Whether a search has shown that no shorter game does the same."""
    examined: int
    """Positions looked at to show that."""
    message: str
    """What is wrong at its end."""
    span: Span | None
    """The rule that is wrong at its end."""
    sides: tuple[Side, ...] = ()
    repeats: int | None = None
    """For play without end: the row (from 1) after which the position before the last answers comes again."""
    record: str = ""
    """The game as text that `regelwerk replay` runs."""
    other: str = ""
    """A second game, where it takes two: they look the same to somebody to whom they must, up to their ends."""


@attrs.frozen
class Sample:
    """A game in which a property holds."""

    trace: Trace
    notes: tuple[str, ...]
    """Where it was looked at, and what it was worth there."""


@attrs.frozen
class Finding:
    """A property and what was found out about it."""

    name: str
    kind: Kind
    verdict: Verdict
    message: str = ""
    """How far the verdict reaches, or why it is none, in words."""
    span: Span | None = None
    trace: Trace | None = None
    evaluated: int | None = None
    """How often it was looked at; None where that is not counted."""
    notes: tuple[str, ...] = ()
    unchecked: str = ""
    """Why nobody looked, where the rules say so or there is nothing of the sort. The verdict, `undecided`, then counts
    for nothing."""
    advice: bool = False
    """Whether it is only something to think about: refuted, it is no failure."""


@attrs.define
class Covered:
    """What of one sort has been met: `seen` of `all` its names."""

    sort: str
    """In words: `phases`, `branches`, `faces`."""
    all: tuple[str, ...]
    seen: frozenset[str]


@attrs.define
class Report:
    """What one verification found: one ruleset, one number of players, one setting of its options."""

    ruleset: str
    title: str
    fingerprint: str
    players: int
    options: dict[str, Any]
    focus: str | None
    seed: int
    positions: int
    depth: int
    complete: bool
    seconds: float
    findings: list[Finding]
    coverage: list[Covered]
    notes: Sequence[str] = ()
    interrupted: bool = False
    counts: dict[str, int] = attrs.Factory(dict)
    """Positions by what happens there: `decisions`, `chance`, `ends`; and `games`, if random games were played."""
    memory: int = 0
    """The most memory the process has used, in megabytes; 0 where it cannot be told."""
    file: str = ""
    """The main rules file, as spans name it: where a finding without a span is shown."""
