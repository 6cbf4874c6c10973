"""A game and the variants of it → the sections of one game. Knows kinds and names of sections, not what they mean."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import attrs

from . import syntax
from .problems import Label, NothingToChange, Problem, TooDeep, WrongPlace, near
from .source import Span
from .tree import walk

DEEPEST = 100
"""How deep a section may be nested, with all that variants put into it."""

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
    syntax.Possible: "possible",
    syntax.Secret: "secret",
    syntax.Unchecked: "unchecked",
    syntax.Ends: "ends",
    syntax.Measure: "measure",
    syntax.Strategy: "strategy",
    syntax.Example: "example",
    syntax.Focus: "focus",
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
_PROPERTIES = frozenset({"invariant", "possible", "secret", "focus", "claim"})
_ONCE = frozenset({"players", "teams", "setup", "play", "score", "winner", "ends", "bounds"})
_OWN = (syntax.Example, syntax.Focus, syntax.Claim)
"""What is about the very game that says it, and about no variant of that."""


def kind_of(section: syntax.Node) -> str:
    """What a section is called: `zone`, `action`, … (empty for others)."""
    return _KINDS.get(type(section), "")


def name_of(section: syntax.Node) -> str:
    """The name a section gives to something, or an empty one."""
    name = getattr(section, "name", None)
    return name.text if isinstance(name, syntax.Name | syntax.Text) else ""


def property_names(sections: Iterable[syntax.Node]) -> frozenset[str]:
    """The names of what may be left unchecked; how the game ends goes by its words."""
    titled = (name_of(section) for section in sections if kind_of(section) in _PROPERTIES)
    endings = (" ".join(section.span.text.split()) for section in sections if isinstance(section, syntax.Ends))
    return frozenset({*titled, *endings})


@attrs.frozen
class Woven:
    """The declarations of one game, and the names that a variant has taken away."""

    sections: list[syntax.Declaration]
    removed: dict[str, Span]


def weave(layers: tuple[tuple[syntax.Section, ...], ...], problems: list[Problem]) -> Woven:
    """The declarations of a game after each variant's changes, in order."""
    sections = list(_unchanging(layers[0], problems)) if layers else []
    removed: dict[str, Span] = {}
    for changes in layers[1:]:
        named, inherited = property_names(sections), [s for s in sections if isinstance(s, syntax.Unchecked)]
        sections = [s for s in sections if not isinstance(s, _OWN)]
        weaver = _Weaver(sections, removed, problems)
        for change in changes:
            weaver.apply(change)
        gone = named - property_names(weaver.sections)
        sections = [s for s in weaver.sections if s not in inherited or name_of(s) not in gone]
        _report_too_deep(sections, problems)
    return Woven(
        [s for s in sections if not isinstance(s, syntax.Change | syntax.OptionDefault | syntax.Hole)], removed
    )


def _unchanging(sections: tuple[syntax.Section, ...], problems: list[Problem]) -> Iterator[syntax.Section]:
    """A game's own sections; those that only a variant may have are reported."""
    for section in sections:
        if isinstance(section, syntax.OptionDefault):
            name = section.name.text
            fact, hint = (
                f"nothing says what `{name}` may be",
                f"Say it before the usual value: `option {name}: 1..9 = …`.",
            )
            problems.append(WrongPlace(section.name.span, fact, hint))
        elif isinstance(section, syntax.Change):
            fact = "only a variant changes what another file says"
            problems.append(WrongPlace(section.span.head, fact, 'Begin the file with `variant "Title" of GAME`.'))
        else:
            yield section


def _report_too_deep(sections: list[syntax.Section], problems: list[Problem]) -> None:
    for section in sections:
        deep = next((node for node, depth in walk(section) if depth > DEEPEST), None)
        if isinstance(deep, syntax.Node):
            problems.append(TooDeep(deep.span, f"this is nested more than {DEEPEST} deep in `{kind_of(section)}`"))


@attrs.define
class _Weaver:
    sections: list[syntax.Section]
    removed: dict[str, Span]
    problems: list[Problem]
    dropped: set[tuple[str, str]] = attrs.field(factory=set)
    """Figures that went with their phase: a variant may remove them all the same."""

    def apply(self, change: syntax.Section) -> None:
        match change:
            case syntax.Remove(kind="phase"):
                self.removed[change.name.text] = change.name.span
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
        self.removed[name.text] = name.span
        if name.text not in known and (kind, name.text) not in self.dropped:
            self._missing(kind, name, known)
        if kind == "action":
            self._drop_figures({name.text} - _phases(self.sections))

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
        hint = near(name.text, known)
        if kind in ("example", "focus", "claim"):
            hint = f"{'Focuses' if kind == 'focus' else 'Examples and claims'} of another file are never taken over."
        self.problems.append(NothingToChange(name.span, fact, hint))

    def _drop_figures(self, gone: set[str]) -> None:
        """What was to be looked at after phases or actions that are no more has no moment left."""
        self.dropped |= {(kind_of(s), name_of(s)) for s in self.sections if _moments(s) & gone}
        self.sections = [section for section in self.sections if not _moments(section) & gone]

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

        before = _phases(self.sections)
        self.sections = [_with_bodies(section, in_body) for section in self.sections]
        self._drop_figures(before - _phases(self.sections))
        if name.text not in (one.text for one in known):
            hint = near(name.text, [one.text for one in known])
            others = (Label(known[0].span, "the first phase is this one"),) if known and not hint else ()
            fact = f"the game has no phase called `{name.text}`"
            self.problems.append(NothingToChange(name.span, fact, hint, others))


def _moments(section: syntax.Section) -> frozenset[str]:
    """The phases and actions at which a figure or a property looks, or whose passes it counts (by two names)."""
    match section:
        case (
            syntax.Invariant(promise=syntax.LeadsTo(within=syntax.Within(of=name)))
            | syntax.Ends(how=syntax.Within(of=name))
        ):
            return frozenset({name.text, name.text.removesuffix("s")})
        case (
            syntax.Invariant(moment=syntax.After(name=name))
            | syntax.Possible(moment=syntax.After(name=name))
            | syntax.Measure(moment=syntax.After(name=name))
            | syntax.Secret(until=syntax.Name() as name)
        ):
            return frozenset({name.text})
        case _:
            return frozenset()


def _phases(sections: list[syntax.Section]) -> set[str]:
    """The names of all phases in some sections."""
    nodes = (node for section in sections for node, _ in walk(section))
    return {node.name.text for node in nodes if isinstance(node, syntax.Phase)}


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
