"""What all parts of lowering share: problems, names, what each declared thing is, and numbers for locals."""

from collections.abc import Callable

import attrs

from .. import rules, syntax
from ..problems import Circle, NotAllowedHere, Problem
from ..source import Span
from . import types
from .names import Names


@attrs.frozen
class FieldInfo:
    """A field of a kind: its type, and whether rules may change it, throw it, or neither."""

    type: rules.Single
    role: str


@attrs.define
class KindInfo:
    """A component or sheet while it is being lowered: what expressions need to know of it."""

    name: str
    sheet: bool
    owned: bool
    it: rules.Local
    fields: dict[str, FieldInfo] = attrs.field(factory=dict)
    most: int = types.WIDEST


@attrs.frozen
class Signature:
    """An action or definition: its parameters (an implicit `me` first if `implicit`), and for definitions its type."""

    parameters: tuple[rules.Local, ...]
    ranges: tuple[rules.Range | None, ...]
    implicit: bool
    type: rules.Type


@attrs.define
class Ground:
    """The shared state of one check."""

    names: Names
    problems: list[Problem]
    players: tuple[int, int]
    has_score: bool = False
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
    """How a declared option, constant, definition or action is lowered when it is first needed."""
    used_options: set[str] = attrs.field(factory=set)
    used_callables: set[str] = attrs.field(factory=set)
    read: set[int] = attrs.field(factory=set)
    sites: int = 0
    _busy: list[str] = attrs.field(factory=list)
    _locals: int = 0

    def report(self, problem: Problem) -> None:
        """Take note of a problem, once a place."""
        if not any(type(p) is type(problem) and p.at == problem.at for p in self.problems):
            self.problems.append(problem)

    def local(self, name: str, kind: rules.Type, at: Span) -> rules.Local:
        """A new local."""
        self._locals += 1
        return rules.Local(self._locals, name, type=kind, span=at)

    def site(self) -> int:
        """The number of a new decision."""
        self.sites += 1
        return self.sites

    def need(self, name: syntax.Name) -> bool:
        """Lower a declared thing that was not lowered yet; False where it is needed for itself."""
        kind = self.names.declared[name.text].kind
        if name.text in self._busy:
            chain = " → ".join([*self._busy[self._busy.index(name.text) :], name.text])
            what = {"action": "an action that runs itself", "define": "a definition that needs itself"}
            fact = f"{what.get(kind, f'a {kind} that needs itself')}: {chain}"
            hint = "Use `repeat until …`, or a list of what is still to be done." if kind == "action" else None
            self.report(Circle(name.span, fact, hint))
            return False
        if name.text not in (self.signatures if kind in ("define", "action") else {**self.options, **self.tables}):
            self._busy.append(name.text)
            try:
                self.lowering[kind](name.text)
            finally:
                self._busy.pop()
        return True

    def signature(self, name: syntax.Name) -> Signature:
        """What an action or definition takes."""
        if self.need(name) and name.text in self.signatures:
            return self.signatures[name.text]
        return Signature((), (), False, types.UNKNOWN)

    def not_before_play(self, at: Span, what: str) -> None:
        """Report something used where only what is known before play may stand."""
        hint = "Here only numbers, options, constants and count(players) may stand."
        self.report(NotAllowedHere(at, f"{what} is not known before play", hint))
