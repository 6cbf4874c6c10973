"""A game and the variants of it → the sections of one game. Knows kinds and names of sections, not what they mean."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import attrs

from . import syntax
from .problems import Label, NothingToChange, Problem, WrongPlace, near
from .source import Span

_KINDS: dict[type, str] = {
    syntax.Option: "option",
    syntax.MemberType: "type",
    syntax.Constant: "constant",
    syntax.ConstantTable: "constant",
    syntax.Components: "components",
    syntax.Sheet: "sheet",
    syntax.Zone: "zone",
    syntax.Variable: "var",
    syntax.Definition: "define",
    syntax.Action: "action",
    syntax.Invariant: "invariant",
    syntax.Measure: "measure",
    syntax.Strategy: "strategy",
    syntax.Example: "example",
    syntax.Claim: "claim",
    syntax.Players: "players",
    syntax.Teams: "teams",
    syntax.Setup: "setup",
    syntax.Play: "play",
    syntax.Score: "score",
    syntax.Winner: "winner",
    syntax.Bounds: "bounds",
}
_N = TypeVar("_N", bound=syntax.Node)
_ONCE = frozenset({"players", "teams", "setup", "play", "score", "winner", "bounds"})


def kind_of(section: syntax.Node) -> str:
    """What a section is called: `zone`, `action`, … (empty for others)."""
    return _KINDS.get(type(section), "")


def name_of(section: syntax.Node) -> str:
    """The name a section gives to something, or an empty one."""
    name = getattr(section, "name", None)
    return name.text if isinstance(name, syntax.Name | syntax.Text) else ""


def weave(layers: tuple[tuple[syntax.Section, ...], ...], problems: list[Problem]) -> list[syntax.Declaration]:
    """The declarations of a game after each variant's changes, in order."""
    sections = _flat(layers[0], problems, variant=False) if layers else []
    for changes in layers[1:]:
        sections = [s for s in sections if not isinstance(s, syntax.Example | syntax.Claim)]
        weaver = _Weaver(sections, problems)
        for change in _flat(changes, problems, variant=True):
            weaver.apply(change)
        sections = weaver.sections
    return [s for s in sections if not isinstance(s, syntax.Change | syntax.Hole)]


def _flat(sections: tuple[syntax.Section, ...], problems: list[Problem], *, variant: bool) -> list[syntax.Section]:
    """The sections, with those that only a variant may have reported in other files."""
    kept: list[syntax.Section] = []
    for section in sections:
        if not variant and isinstance(section, syntax.Change | syntax.OptionDefault):
            fact = "only a variant changes what another file says"
            problems.append(WrongPlace(section.span, fact, 'Begin the file with `variant "Title" of GAME`.'))
        else:
            kept.append(section)
    return kept


@attrs.define
class _Weaver:
    sections: list[syntax.Section]
    problems: list[Problem]

    def apply(self, change: syntax.Section) -> None:
        match change:
            case syntax.Remove(kind="phase"):
                self._change_phase(change.name, lambda phase: ())
            case syntax.Remove():
                self._remove(change.kind, change.name)
            case syntax.Replace(by=syntax.Phase() as phase):
                self._change_phase(phase.name, lambda old: (phase,))
            case syntax.Replace(by=syntax.EachPlayerHas() as has):
                for thing in has.things:
                    self._replace(thing, change.span)
            case syntax.Replace():
                self._replace(change.by, change.span)
            case syntax.Insert():
                self._change_phase(change.phase, lambda phase: _inserted(phase, change))
            case syntax.OptionDefault():
                self._default(change)
            case syntax.Players():
                self.sections = [s for s in self.sections if not isinstance(s, syntax.Players)] + [change]
            case _:
                self.sections.append(change)

    def _default(self, change: syntax.OptionDefault) -> None:
        found = False
        for index, section in enumerate(self.sections):
            if isinstance(section, syntax.Option) and section.name.text == change.name.text:
                self.sections[index] = attrs.evolve(section, default=change.default)
                found = True
        if not found:
            options = [s.name.text for s in self.sections if isinstance(s, syntax.Option)]
            self._missing("option", change.name, options)

    def _remove(self, kind: str, name: syntax.Name | syntax.Text) -> None:
        known: list[str] = []

        def keep(section: syntax.Node) -> bool:
            if kind_of(section) != kind:
                return True
            known.append(name_of(section))
            return name_of(section) != name.text

        self.sections = list(_kept(self.sections, keep))
        if name.text not in known:
            self._missing(kind, name, known)

    def _replace(self, new: syntax.Node, at: Span) -> None:
        kind, name = kind_of(new), name_of(new)
        known: list[str] = []

        def exchange(section: syntax.Node) -> syntax.Node:
            if kind_of(section) != kind:
                return section
            known.append(name_of(section))
            return new if name_of(section) == name or kind in _ONCE else section

        self.sections = list(_exchanged(self.sections, exchange))
        if not known or (kind not in _ONCE and name not in known):
            where = getattr(new, "name", None)
            span = where.span if isinstance(where, syntax.Node) else at
            self._missing(kind, syntax.Name(name, span=span), known)

    def _missing(self, kind: str, name: syntax.Name | syntax.Text, known: list[str]) -> None:
        fact = f"the game has no {kind} called `{name.text}`" if name.text else f"the game has no `{kind}`"
        self.problems.append(NothingToChange(name.span, fact, near(name.text, known)))

    def _drop_figures(self, gone: set[str]) -> None:
        """What was to be looked at after phases that are no more has no moment left."""
        self.sections = [
            section
            for section in self.sections
            if not (
                isinstance(section, syntax.Invariant | syntax.Measure)
                and isinstance(section.moment, syntax.After)
                and section.moment.phase.text in gone
            )
        ]

    def _change_phase(
        self, name: syntax.Name | syntax.Text, change: Callable[[syntax.Phase], tuple[syntax.Statement, ...]]
    ) -> None:
        known: list[syntax.Name] = []

        def in_body(body: syntax.Body) -> syntax.Body:
            changed: list[syntax.Statement] = []
            for statement in body:
                if isinstance(statement, syntax.Phase):
                    known.append(statement.name)
                    if statement.name.text == name.text:
                        changed.extend(change(statement))
                        continue
                changed.append(_with_bodies(statement, in_body))
            return tuple(changed)

        before = self.sections
        self.sections = [_with_bodies(section, in_body) for section in before]
        self._drop_figures(_phases(before) - _phases(self.sections))
        if name.text not in (one.text for one in known):
            hint = near(name.text, [one.text for one in known])
            others = (Label(known[0].span, "the first phase is this one"),) if known and not hint else ()
            fact = f"the game has no phase called `{name.text}`"
            self.problems.append(NothingToChange(name.span, fact, hint, others))


def _phases(sections: list[syntax.Section]) -> set[str]:
    """The names of all phases in some sections."""
    found: set[str] = set()

    def visit(body: syntax.Body) -> syntax.Body:
        for statement in body:
            if isinstance(statement, syntax.Phase):
                found.add(statement.name.text)
            _with_bodies(statement, visit)
        return body

    for section in sections:
        _with_bodies(section, visit)
    return found


def _inserted(phase: syntax.Phase, change: syntax.Insert) -> tuple[syntax.Statement, ...]:
    match change.where:
        case "before":
            return (*change.body, phase)
        case "after":
            return (phase, *change.body)
        case "start of":
            return (attrs.evolve(phase, body=(*change.body, *phase.body)),)
        case _:
            return (attrs.evolve(phase, body=(*phase.body, *change.body)),)


def _kept(sections: list[syntax.Section], keep: Callable[[syntax.Node], bool]) -> Iterator[syntax.Section]:
    for section in sections:
        if isinstance(section, syntax.EachPlayerHas):
            yield attrs.evolve(section, things=tuple(t for t in section.things if keep(t)))
        elif keep(section):
            yield section


def _exchanged(
    sections: list[syntax.Section], exchange: Callable[[syntax.Node], syntax.Node]
) -> Iterator[syntax.Section]:
    for section in sections:
        if isinstance(section, syntax.EachPlayerHas):
            yield attrs.evolve(section, things=tuple(exchange(t) for t in section.things))  # type: ignore[misc]
        else:
            yield exchange(section)  # type: ignore[misc]


def _with_bodies(node: _N, change: Callable[[syntax.Body], syntax.Body]) -> _N:
    """A node with every block in it changed."""
    changes: dict[str, Any] = {}
    for name in ("body", "otherwise"):
        block = getattr(node, name, None)
        if isinstance(block, tuple):
            changes[name] = change(block)
    for name in ("cases", "labels"):
        parts = getattr(node, name, None)
        if isinstance(parts, tuple):
            changes[name] = tuple(_with_bodies(part, change) for part in parts)
    return attrs.evolve(node, **changes) if changes else node
