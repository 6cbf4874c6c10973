"""Every name of a game: what it stands for, and which names can be seen from where."""

from collections.abc import Iterator
from typing import Union

import attrs

from .. import rules, syntax, words
from ..problems import DeclaredTwice, Label, Problem, ReservedWord, UnknownName, near
from ..source import Span

FUNCTIONS = frozenset({
    "count", "sum", "max", "min", "any", "all", "distinct", "highest", "lowest", "largest", "smallest", "first", "the",
    "next", "previous", "seat", "player", "team", "top", "bottom", "at", "place", "abs", "owner",
})  # fmt: skip
"""The functions of the language."""


@attrs.frozen
class Together:
    """What each of several players chose at the same time."""

    number: int
    name: str
    type: rules.Type


Bound = Union[rules.Local, Together]


@attrs.define
class Frame:
    """Names bound in one block, or the fields of an element being looked at (`element`)."""

    bound: dict[str, tuple[Bound, Span]] = attrs.field(factory=dict)
    element: rules.Local | None = None


@attrs.frozen
class Scope:
    """What can be named at a place: frames from the innermost outwards, the player around, the phases around.

    `fixed` says that only what is known before play may be named; `action` names the action around.
    """

    frames: tuple[Frame, ...] = ()
    me: rules.Expr | None = None
    phases: tuple[str, ...] = ()
    loops: int = 0
    fixed: bool = False
    action: str | None = None

    def inside(self, element: rules.Local | None = None) -> "Scope":
        """The scope of a block or an element inside this one."""
        return attrs.evolve(self, frames=(Frame(element=element), *self.frames))

    def bind(self, name: syntax.Name, bound: Bound) -> None:
        """Give a name a meaning from here to the end of the block."""
        self.frames[0].bound[name.text] = (bound, name.span)

    def find(self, name: str) -> tuple[Bound, Span] | None:
        """What a bound name stands for, and where it was bound."""
        for frame in self.frames:
            if name in frame.bound:
                return frame.bound[name]
        return None

    def elements(self) -> Iterator[rules.Local]:
        """The elements being looked at, innermost first."""
        return (frame.element for frame in self.frames if frame.element is not None)

    def names(self) -> Iterator[str]:
        """All bound names."""
        return (name for frame in self.frames for name in frame.bound)

    def frozen(self) -> "Scope":
        """A copy that later bindings do not reach."""
        return attrs.evolve(self, frames=tuple(Frame(dict(f.bound), f.element) for f in self.frames))


@attrs.frozen
class Declared:
    """Something declared at the top of a game: its syntax, and whether each player has one."""

    kind: str
    node: syntax.Node
    owned: bool = False

    @property
    def at(self) -> Span:
        """The place of its name."""
        name = getattr(self.node, "name", None)
        return name.span if isinstance(name, syntax.Name | syntax.Text) else self.node.span


@attrs.define
class Names:
    """The declared names of a game, its member types, and its phases."""

    declared: dict[str, Declared] = attrs.field(factory=dict)
    members: dict[str, list[rules.Member]] = attrs.field(factory=dict)
    types: dict[str, rules.Member] = attrs.field(factory=dict)
    phases: dict[str, Span] = attrs.field(factory=dict)
    titled: dict[tuple[str, str], Span] = attrs.field(factory=dict)

    def all(self) -> list[str]:
        """Every name that an expression may use."""
        return [*self.declared, *self.members, "me", "it", "players", "others", "everyone", *FUNCTIONS]

    def add_members(self, member: rules.Member) -> None:
        """Let a type's members be found by their names."""
        for name in member.names:
            if member not in self.members.setdefault(name, []):
                self.members[name].append(member)


def collect_names(sections: list[syntax.Declaration], problems: list[Problem]) -> Names:
    """Every declared name, with doubled and reserved ones reported."""
    names = Names()
    for section in sections:
        if isinstance(section, syntax.EachPlayerHas):
            for thing in section.things:
                _declare(thing, True, names, problems)
        else:
            _declare(section, False, names, problems)
    return names


_DECLARED = {
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
}
_TITLED = {
    syntax.Strategy: "strategy",
    syntax.Invariant: "invariant",
    syntax.Measure: "measure",
    syntax.Example: "example",
    syntax.Claim: "claim",
}


def _declare(node: syntax.Node, owned: bool, names: Names, problems: list[Problem]) -> None:
    kind = _DECLARED.get(type(node))
    if kind is not None:
        name: syntax.Name = node.name  # type: ignore[attr-defined]
        check_free(name, problems, names)
        names.declared.setdefault(name.text, Declared(kind, node, owned))
        if isinstance(node, syntax.MemberType):
            member = rules.Member(name.text, unique_members(node.members, problems))
            names.types[name.text] = member
            names.add_members(member)
    elif (kind := _TITLED.get(type(node))) is not None:
        title: syntax.Name | syntax.Text = node.name  # type: ignore[attr-defined]
        key = (kind, title.text)
        if key in names.titled:
            fact = f"a second {kind} is called `{title.text}`"
            first = Label(names.titled[key], "the first one")
            problems.append(
                DeclaredTwice(title.span, fact, "Rename one of them, or delete the one you do not need.", (first,))
            )
        names.titled.setdefault(key, title.span)


def unique_members(members: tuple[syntax.Name, ...], problems: list[Problem]) -> tuple[str, ...]:
    """The names of a type's members, with doubled and reserved ones reported."""
    seen: dict[str, Span] = {}
    for member in members:
        if member.text in words.reserved_for_members():
            problems.append(_reserved(member))
        if member.text in seen:
            first = Label(seen[member.text], "the first one")
            problems.append(DeclaredTwice(member.span, f"`{member.text}` is listed twice", None, (first,)))
        seen.setdefault(member.text, member.span)
    return tuple(seen)


def check_free(name: syntax.Name, problems: list[Problem], names: Names) -> None:
    """Report a name that is a word of the language, a function, or taken."""
    if name.text in words.reserved():
        problems.append(_reserved(name))
    elif name.text in FUNCTIONS:
        problems.append(ReservedWord(name.span, f"`{name.text}` is a function of the language", "Choose another name."))
    elif name.text in names.declared:
        first = Label(names.declared[name.text].at, f"`{name.text}` was first declared here")
        hint = "Rename one of them, or delete the one you do not need."
        problems.append(DeclaredTwice(name.span, f"`{name.text}` is declared again", hint, (first,)))


def _reserved(name: syntax.Name) -> Problem:
    return ReservedWord(name.span, f"`{name.text}` is a word of the language", "Choose another name.")


def unknown(name: syntax.Name, what: str, known: list[str]) -> Problem:
    """A name that nothing has, with the one that was probably meant."""
    return UnknownName(name.span, f"no {what} is called `{name.text}`", near(name.text, known))
