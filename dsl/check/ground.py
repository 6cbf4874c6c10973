"""What all parts of lowering share: problems, names, what each declared thing is, and numbers for locals."""

from collections import Counter
from collections.abc import Callable, Iterable

import attrs

from .. import rules, syntax
from ..problems import Circle, Findings, NotAllowedHere, Problem, TooDeep
from ..source import Span
from ..tree import walk
from . import types
from .names import SPOKEN, Names

DEEPEST = 100
"""How deep things may be nested that need one another in a circle, or may seem to."""


@attrs.frozen
class FieldInfo:
    """A field of a kind: its type, and whether rules may change it, throw it, or neither."""

    type: rules.Single
    role: str
    at: Span


@attrs.define
class KindInfo:
    """A component or sheet while it is being lowered: what expressions need to know of it."""

    name: str
    sheet: bool
    owned: bool
    it: rules.Local
    fields: dict[str, FieldInfo] = attrs.field(factory=dict)
    printed: tuple[rules.Field, ...] = ()
    derived: tuple[rules.Field, ...] = ()
    faces: rules.Faces | None = None
    changing: tuple[rules.Changing, ...] = ()
    most: int = types.WIDEST


@attrs.frozen
class Signature:
    """An action or definition: its parameters (an implicit `me` first if `implicit`), and for definitions its type."""

    parameters: tuple[rules.Local, ...] = ()
    ranges: tuple[rules.Range | None, ...] = ()
    implicit: bool = False
    type: rules.Type = types.UNKNOWN


@attrs.define
class Ground:
    """The shared state of one check."""

    names: Names
    findings: Findings
    players: tuple[int, int]
    teams: int | None = None
    kinds: dict[str, KindInfo] = attrs.field(factory=dict)
    options: dict[str, rules.Option] = attrs.field(factory=dict)
    tables: dict[str, rules.Table] = attrs.field(factory=dict)
    table_types: dict[str, rules.Single] = attrs.field(factory=dict)
    zones: dict[str, rules.Zone] = attrs.field(factory=dict)
    variables: dict[str, rules.Variable] = attrs.field(factory=dict)
    signatures: dict[str, Signature] = attrs.field(factory=dict)
    needs: dict[str, set[str]] = attrs.field(factory=dict)
    """The phases that must be around wherever an action is run."""
    lowering: dict[str, Callable[[str], None]] = attrs.field(factory=dict)
    """How a declared thing is lowered when it is first needed, by its kind."""
    used_options: set[str] = attrs.field(factory=set)
    used_callables: set[str] = attrs.field(factory=set)
    read: Counter[int] = attrs.field(factory=Counter)
    """How often each local is looked at."""
    last_local: int = 0
    sites: int = 0
    lowered: dict[str, None] = attrs.field(factory=dict)
    """What was lowered, each thing after what it needs."""
    _skipped: set[str] = attrs.field(factory=set)
    _busy: list[str] = attrs.field(factory=list)

    def report(self, problem: Problem) -> None:
        """Take note of a problem."""
        self.findings.report(problem)

    def unknown(self, name: syntax.Name, what: str, known: Iterable[str]) -> None:
        """Report a name that nothing of this kind has."""
        self.report(self.names.unknown(name, what, known))

    def local(self, name: str, kind: rules.Type, at: Span) -> rules.Local:
        """A new local."""
        self.last_local += 1
        return rules.Local(self.last_local, name, type=kind, span=at)

    def site(self) -> int:
        """The number of a new decision."""
        self.sites += 1
        return self.sites

    def need(self, name: syntax.Name) -> bool:
        """Lower a declared thing that was not lowered yet; False where it is needed for itself."""
        kind = self.names.declared[name.text].kind
        if name.text in self._busy:
            self._circle(name, kind)
            return False
        if name.text not in self.lowered and kind in self.lowering:
            self._busy.append(name.text)
            deep = self._too_deep(name)
            if not deep:
                self.lowering[kind](name.text)
            done = self._busy.pop()
            if deep:
                self._skipped.add(done)
            else:
                self.lowered[done] = None
        return name.text not in self._skipped

    def _circle(self, name: syntax.Name, kind: str) -> None:
        chain = " → ".join([*self._busy[self._busy.index(name.text) :], name.text])
        fact = f"{SPOKEN[kind]} that {'runs' if kind == 'action' else 'needs'} itself: {chain}"
        hint = "Use `repeat until …`, or a list of what is still to be done." if kind == "action" else None
        self.report(Circle(name.span, fact, hint))

    def _too_deep(self, name: syntax.Name) -> bool:
        """Whether what is being lowered is nested so deeply, all together, that it cannot be followed.

        Things are lowered in an order in which this matters only for those that need one another in a circle.
        """
        depth = sum(max(d for _, d in walk(self.names.declared[busy].node)) for busy in self._busy)
        if name.text in self._skipped or (depth > DEEPEST and len(self._busy) > 1):
            self.report(TooDeep(name.span, f"what `{name.text}` needs is nested more than {DEEPEST} deep"))
            return True
        return False

    def signature(self, name: syntax.Name) -> Signature:
        """What an action or definition takes."""
        return self.signatures.get(name.text, Signature()) if self.need(name) else Signature()

    def not_before_play(self, at: Span, name: str, own: bool) -> None:
        """Report something used where only what is known before play may stand, or a component's `own` fields."""
        fact = f"`{name}` is none of the component's own fields" if own else f"`{name}` is not known before play"
        also = "its own fields, " if own else ""
        hint = f"Here only {also}numbers, options, constants and count(players) may stand."
        self.report(NotAllowedHere(at, fact, hint))
