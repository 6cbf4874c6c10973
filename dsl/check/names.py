"""Every name of a game: what it stands for, and which names can be seen from where."""

from collections.abc import Callable, Iterable, Iterator

import attrs

from .. import rules, syntax, words
from ..problems import DeclaredTwice, Label, Problem, ReservedWord, UnknownName, near
from ..source import Span
from ..weave import kind_of
from .functions import FUNCTIONS as FUNCTIONS

Report = Callable[[Problem], None]

# ---- names bound in blocks -------------------------------------------------------------------------------


@attrs.frozen
class Together:
    """What each of several players chose at the same time."""

    number: int
    name: str
    type: rules.Type


Bound = rules.Local | Together


@attrs.define
class Frame:
    """Names bound in one block, or the fields of an element being looked at (`element`).

    Of the names those are seen whose number is not above `until`.
    """

    bound: dict[str, tuple[Bound, Span]] = attrs.field(factory=dict)
    element: rules.Local | None = None
    until: int | None = None

    def find(self, name: str) -> tuple[Bound, Span] | None:
        """What a name bound here stands for, and where it was bound."""
        found = self.bound.get(name)
        return None if found is None or (self.until is not None and found[0].number > self.until) else found


@attrs.frozen
class Scope:
    """What can be named at a place: frames from the innermost outwards, the player around, the phases around.

    `fixed` says that only what is known before play may be named; `own` that all fields of a component may be
    named all the same. `action` names the action around; `lent` says that `me` is there only if the action or
    definition around is run for a player. `ahead` is a name that is given only after this.
    """

    frames: tuple[Frame, ...] = ()
    me: rules.Expr | None = None
    phases: tuple[str, ...] = ()
    loops: int = 0
    fixed: bool = False
    action: str | None = None
    lent: bool = False
    own: bool = False
    ahead: str = ""

    def inside(self, element: rules.Local | None = None) -> "Scope":
        """The scope of a block or an element inside this one."""
        return attrs.evolve(self, frames=(Frame(element=element), *self.frames))

    def of(self, me: rules.Expr) -> "Scope":
        """The scope with another player around."""
        return attrs.evolve(self, me=me, lent=False)

    def before(self, name: syntax.Name) -> "Scope":
        """The scope of what stands before a name is given to each element of it."""
        return attrs.evolve(self, ahead=name.text)

    def bind(self, name: syntax.Name, bound: Bound) -> None:
        """Give a name a meaning from here to the end of the block."""
        self.frames[0].bound[name.text] = (bound, name.span)

    def as_of(self, number: int) -> "Scope":
        """The scope with only those names bound that were bound when locals up to this number were."""
        return attrs.evolve(self, frames=tuple(Frame(frame.bound, frame.element, number) for frame in self.frames))

    def find(self, name: str) -> tuple[Bound, Span] | None:
        """What a bound name stands for, and where it was bound."""
        return next((found for frame in self.frames if (found := frame.find(name))), None)

    def elements(self) -> Iterator[rules.Local]:
        """The elements being looked at, innermost first."""
        return (frame.element for frame in self.frames if frame.element is not None)

    def names(self) -> Iterator[str]:
        """All bound names."""
        return (name for frame in self.frames for name in frame.bound if frame.find(name))


# ---- declared names --------------------------------------------------------------------------------------


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


FORGOTTEN = "Use it inside that block, or keep it in a `var` or a zone."
"""What to do about a name that ends with its block."""


@attrs.define
class Names:
    """The declared names of a game, its member types, and its phases; `removed` are those a variant took away.

    `forgotten` has every name bound in some block, for whoever looks for it outside.
    """

    removed: dict[str, Span]
    declared: dict[str, Declared] = attrs.field(factory=dict)
    members: dict[str, list[rules.Member]] = attrs.field(factory=dict)
    types: dict[str, rules.Member] = attrs.field(factory=dict)
    phases: dict[str, Span] = attrs.field(factory=dict)
    titled: dict[str, dict[str, Span]] = attrs.field(factory=dict)
    forgotten: dict[str, Span] = attrs.field(factory=dict)

    def all(self) -> list[str]:
        """Every name that an expression may use."""
        return [*self.declared, *self.members, "me", "it", "players", "others", "everyone", "box", *FUNCTIONS]

    def of_kind(self, *kinds: str) -> list[str]:
        """The names of all declared things of these kinds."""
        return [name for name, declared in self.declared.items() if declared.kind in kinds]

    def add_members(self, member: rules.Member) -> None:
        """Let a type's members be found by their names."""
        for name in member.names:
            if member not in self.members.setdefault(name, []):
                self.members[name].append(member)

    def unknown(self, name: syntax.Name, what: str, known: Iterable[str]) -> Problem:
        """A name that nothing of this kind has, with the one that was probably meant."""
        other: tuple[Label, ...] = ()
        hint = near(name.text, known)
        if name.text in self.declared:
            fact = f"`{name.text}` is {SPOKEN[self.declared[name.text].kind]}, not {article(what)} {what}"
        elif name.text in self.phases:
            fact = f"`{name.text}` is a phase, not {article(what)} {what}"
        else:
            fact = f"{f'no {what}' if what else 'nothing'} is called `{name.text}`"
        if name.text in self.removed:
            other, hint = (Label(self.removed[name.text], "it is removed here"),), None
        elif name.text in self.forgotten:
            other, hint = self.elsewhere(name.text), FORGOTTEN
        return UnknownName(name.span, fact, hint, other)

    def elsewhere(self, name: str) -> tuple[Label, ...]:
        """Where a name was bound in another block."""
        return (Label(self.forgotten[name], "it is named here, and forgotten at the end of this block"),)

    def check_free(self, name: syntax.Name, report: Report) -> bool:
        """Whether a name may be given; one that is a word of the language, a function, or taken is reported."""
        if name.text in words.reserved():
            report(reserved(name))
        elif name.text in FUNCTIONS:
            report(ReservedWord(name.span, f"`{name.text}` is a function of the language", "Choose another name."))
        elif name.text in self.declared:
            declared = self.declared[name.text]
            first = Label(declared.at, f"`{name.text}` was first declared here")
            hint = _rename(declared.kind, declared.at, name.span)
            report(DeclaredTwice(name.span, f"`{name.text}` is declared again", hint, (first,)))
        return name.text not in self.declared


SPOKEN = {
    "option": "an option", "type": "a type", "constant": "a constant", "components": "a component", "sheet": "a sheet",
    "zone": "a zone", "var": "a variable", "define": "a definition", "action": "an action", "score": "the score",
}  # fmt: skip


def _rename(kind: str, first: Span, second: Span) -> str:
    """What to do about two things of one name."""
    if first.source is second.source:
        return "Rename one of them, or delete the one you do not need."
    return f"Say `replace {kind} …` to change the one of the other file, or choose another name."


def article(what: str) -> str:
    """`a` or `an`."""
    return "an" if what[0] in "aeio" else "a"


_DECLARED = frozenset({"option", "type", "constant", "components", "sheet", "zone", "var", "define", "action"})
_TITLED = frozenset({
    "strategy", "invariant", "possible", "secret", "unchecked", "measure", "example", "focus", "claim",
})  # fmt: skip


def collect_names(sections: Iterable[syntax.Node], removed: dict[str, Span], report: Report) -> Names:
    """Every declared name, with doubled and reserved ones reported."""
    names = Names(removed)
    for section in sections:
        if isinstance(section, syntax.EachPlayerHas):
            for thing in section.things:
                _declare(thing, True, names, report)
        else:
            _declare(section, False, names, report)
    return names


def _declare(node: syntax.Node, owned: bool, names: Names, report: Report) -> None:
    kind = kind_of(node)
    if kind in _DECLARED:
        name: syntax.Name = node.name  # type: ignore[attr-defined]
        if names.check_free(name, report):
            names.declared[name.text] = Declared(kind, node, owned)
        _declare_members(node, names, report)
    elif isinstance(node, syntax.Score):
        names.declared.setdefault("score", Declared("score", node, True))
    elif kind in _TITLED:
        title: syntax.Name | syntax.Text = node.name  # type: ignore[attr-defined]
        if kind == "strategy" and title.text == rules.BEST:
            report(reserved(title))
        first = names.titled.setdefault(kind, {}).setdefault(title.text, title.span)
        if first is not title.span:
            fact, other = f"a second {kind} is called `{title.text}`", (Label(first, "the first one"),)
            report(DeclaredTwice(title.span, fact, _rename(kind, first, title.span), other))


def _declare_members(node: syntax.Node, names: Names, report: Report) -> None:
    """The members that a declaration lists, in a type of their own or on the spot."""
    if isinstance(node, syntax.MemberType):
        member = rules.Member(node.name.text, unique_members(node.members, report))
        names.types.setdefault(node.name.text, member)
        names.add_members(names.types[node.name.text])
    lines = node.lines if isinstance(node, syntax.Components | syntax.Sheet) else (node,)
    for line in lines:
        if isinstance(line, syntax.Field | syntax.Variable | syntax.Option) and isinstance(
            line.type, syntax.MemberList
        ):
            names.add_members(listed_members(line.type, report))


def listed_members(node: syntax.MemberList, report: Report) -> rules.Member:
    """The type that a list of members on the spot stands for."""
    listed = unique_members(node.names, report)
    return rules.Member(", ".join(listed), listed)


def unique_members(members: tuple[syntax.Name, ...], report: Report) -> tuple[str, ...]:
    """The names of a type's members, with doubled and reserved ones reported."""
    seen: dict[str, Span] = {}
    for member in members:
        if member.text in words.reserved_for_members():
            report(reserved(member))
        if member.text in seen:
            first = Label(seen[member.text], "the first one")
            report(DeclaredTwice(member.span, f"`{member.text}` is listed twice", None, (first,)))
        seen.setdefault(member.text, member.span)
    return tuple(seen)


def reserved(name: syntax.Name | syntax.Text) -> Problem:
    """A name that is a word of the language."""
    return ReservedWord(name.span, f"`{name.text}` is a word of the language", "Choose another name.")
