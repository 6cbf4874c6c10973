"""What can be wrong with a rules file: one class for each kind of problem, next to its wording.

Codes go by stage and are never used twice: R0xx the file and its notation, R1xx declarations, R2xx names,
R3xx phases, actions and decisions, R4xx types and ranges, R5xx examples.
"""

import difflib
from collections.abc import Iterable
from typing import ClassVar

import attrs

from .source import Span


@attrs.frozen
class Label:
    """A remark about one stretch of the text."""

    at: Span
    text: str = ""


@attrs.frozen
class Report:
    """A problem put into words."""

    title: str
    primary: Label
    others: tuple[Label, ...] = ()
    hint: str | None = None


def near(name: str, known: Iterable[str]) -> str | None:
    """A question whether a known name was meant, where one is near."""
    close = difflib.get_close_matches(name, sorted(set(known)), n=1, cutoff=0.6)
    return f"Did you mean `{close[0]}`?" if close else None


@attrs.frozen
class Problem:
    """One thing that is wrong, and where."""

    code: ClassVar[str] = ""
    title: ClassVar[str] = ""
    at: Span

    def report(self) -> Report:
        """The problem put into words."""
        return Report(self.title, Label(self.at, self.text()), self.others(), self.hint())

    def text(self) -> str:
        """The fact, for the place where it is."""
        return ""

    def others(self) -> tuple[Label, ...]:
        """Other places that have to do with it."""
        return ()

    def hint(self) -> str | None:
        """One thing to do, where we know one."""
        return None


@attrs.frozen
class _Said(Problem):
    """A problem whose fact and hint are given where it is found."""

    fact: str
    advice: str | None = None
    other: tuple[Label, ...] = ()

    def text(self) -> str:
        return self.fact

    def others(self) -> tuple[Label, ...]:
        return self.other

    def hint(self) -> str | None:
        return self.advice


# ---- R0xx: the file and its notation ---------------------------------------------------------------------


class UnreadableFile(_Said):
    """The file cannot be read as text."""

    code, title = "R001", "Unreadable file"


class UnexpectedText(_Said):
    """Something stands where the notation does not allow it."""

    code, title = "R002", "Unexpected text"


class BadIndentation(_Said):
    """A line is not indented like its neighbours, or with tabs."""

    code, title = "R003", "Uneven indentation"


class TooDeep(_Said):
    """The text is nested too deeply, or a line or file is too long."""

    code, title = "R004", "Too large to read"


class MissingFile(_Said):
    """A rules file named in another one is not there."""

    code, title = "R005", "No such rules file"


class OutsideFolder(_Said):
    """A rules file names one outside its own folder and the library."""

    code, title = "R006", "Outside the folder"


class Circle(_Said):
    """Files, actions or definitions lead back to themselves."""

    code, title = "R007", "Going round in a circle"


class UnknownCharacter(_Said):
    """A character that the notation does not use."""

    code, title = "R008", "Unknown character"


# ---- R1xx: declarations ------------------------------------------------------------------------------------


class MissingPart(_Said):
    """A game lacks something that every game needs."""

    code, title = "R101", "Something is missing"


class WrongPlayers(_Said):
    """A number of players that cannot be."""

    code, title = "R102", "Wrong number of players"


class SaidTwice(_Said):
    """A section that a game has once stands there again."""

    code, title = "R103", "Said twice"


class WrongPlace(_Said):
    """A section or line that does not belong in this kind of file or block."""

    code, title = "R104", "Wrong place"


class WrongTable(_Said):
    """A table's rows do not fit its header or its size."""

    code, title = "R105", "Uneven table"


class NeverPlaced(_Said):
    """A component that never leaves the box."""

    code, title = "R106", "Never on the table"


class UnusedOption(_Said):
    """An option that no rule looks at."""

    code, title = "R107", "Unused option"


class NothingToChange(_Said):
    """A variant changes something that the game does not have."""

    code, title = "R108", "Nothing to change"


class TooMany(_Said):
    """More components, values or sets than can be handled."""

    code, title = "R109", "Too many"


# ---- R2xx: names -------------------------------------------------------------------------------------------


class UnknownName(_Said):
    """A name that nothing has."""

    code, title = "R201", "Unknown name"


class DeclaredTwice(_Said):
    """Two things of one name."""

    code, title = "R202", "Declared twice"


class ReservedWord(_Said):
    """A name that is a word of the language."""

    code, title = "R203", "A word of the language"


class TwoMeanings(_Said):
    """A name that could mean two things here."""

    code, title = "R204", "Two meanings"


class NobodyHere(_Said):
    """`me`, or something that each player has, where no player is on turn."""

    code, title = "R205", "Whose is it?"


class NoElement(_Said):
    """`it` where there is no element to look at."""

    code, title = "R206", "Nothing to look at"


# ---- R3xx: phases, actions, decisions ----------------------------------------------------------------------


class Unreachable(_Said):
    """A phase, action, label or statement that can never be reached."""

    code, title = "R301", "Never reached"


class EndlessPhase(_Said):
    """A phase that nothing ever ends."""

    code, title = "R302", "Never ends"


class NotAround(_Said):
    """`end`, `leave` or `again` of a phase that is not around it, `break` outside a loop."""

    code, title = "R303", "Nothing to leave here"


class BindsNothing(_Said):
    """A choice or draw whose outcome no rule looks at."""

    code, title = "R304", "A choice without effect"


class WrongArguments(_Said):
    """An action, definition or function called with the wrong number or form of values."""

    code, title = "R305", "Wrong values in brackets"


class FixedChoice(_Said):
    """A choice that cannot be asked as written."""

    code, title = "R306", "A choice that cannot be"


class NotConserved(_Said):
    """A conserved variable changed other than by `pay`, or `pay` with another variable."""

    code, title = "R307", "Conserved"


class WrongPolicy(_Said):
    """A strategy's line that does not fit its decision."""

    code, title = "R308", "Wrong strategy"


class NotAllowedHere(_Said):
    """A statement that may not stand here."""

    code, title = "R309", "Not allowed here"


# ---- R4xx: types and ranges ----------------------------------------------------------------------------------


class WrongType(_Said):
    """A value of one type where another is needed."""

    code, title = "R401", "Wrong kind of value"


class OutOfRange(_Said):
    """A number that can never be allowed here."""

    code, title = "R402", "Out of range"


class MayBeNone(_Said):
    """A value that may be `none` where something must be."""

    code, title = "R403", "Maybe none"


class WrongZone(_Said):
    """Components where they do not belong."""

    code, title = "R404", "Wrong zone"


class EmptyRange(_Said):
    """A range whose end lies below its beginning."""

    code, title = "R405", "Empty range"


class CannotChange(_Said):
    """Something assigned to that never changes."""

    code, title = "R406", "Cannot change"


# ---- R5xx: examples and claims ---------------------------------------------------------------------------------


class WrongExample(_Said):
    """An example that cannot be played as written."""

    code, title = "R501", "Wrong example"


class WrongClaim(_Said):
    """A claim that cannot be tested as written."""

    code, title = "R502", "Wrong claim"


@attrs.define
class Findings:
    """What one stage finds wrong: each thing once, and after `MOST` of them no more.

    Raises:
        Enough: there is no use in looking for more.
    """

    MOST: ClassVar[int] = 100
    problems: list[Problem]

    def report(self, problem: Problem) -> None:
        """Take note of a problem; one about a whole block is shown where that begins."""
        problem = attrs.evolve(problem, at=problem.at.head)
        if problem not in self.problems:
            self.problems.append(problem)
        if len(self.problems) >= self.MOST:
            raise Enough


class Enough(Exception):
    """So much is wrong that looking for more is of no use."""


KINDS: dict[str, type[_Said]] = {kind.code: kind for kind in _Said.__subclasses__()}
"""Every kind of problem by its number."""


class RulesetError(Exception):
    """A ruleset cannot be played, for the reasons it carries: `problems`, in the order of the text."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"{p.at}: {p.code} {p.text()}" for p in self.problems))
