"""Blocks of statements, and what is remembered about them: decisions, phases, what choices and chance bind."""

from collections.abc import Callable, Iterator

import attrs

from .. import rules, syntax
from ..problems import BindsNothing, NotAllowedHere, Problem
from ..source import Span
from .expressions import Expressions
from .ground import Ground
from .names import Scope


@attrs.frozen
class Site:
    """A decision as strategies and examples see it: what can be named there, and what its options are."""

    number: int
    name: str
    at: Span
    scope: Scope
    parts: tuple[rules.Part, ...]
    names: tuple[syntax.Name, ...]
    labels: rules.Member | None = None
    optional: bool = False


@attrs.frozen
class PhaseInfo:
    """A phase as measures and examples see it: the scope of its block, and its meaning.

    Locals bound around it have numbers up to `before`.
    """

    scope: Scope
    phase: rules.Phase
    before: int


@attrs.frozen
class Outcome:
    """What a choice, a draw or a pick binds: `seen` is how often its own condition looks at each local."""

    how: str
    locals: tuple[rules.Local, ...]
    names: tuple[syntax.Name, ...]
    seen: tuple[int, ...]
    stays: bool = True
    """Whether nothing else comes of it."""


@attrs.define
class Blocks:
    """What all statements share. `still`: neither decisions nor chance may stand here, in an example's position."""

    ground: Ground
    sites: dict[str, list[Site]] = attrs.field(factory=dict)
    phases: dict[str, PhaseInfo] = attrs.field(factory=dict)
    actions: dict[str, Scope] = attrs.field(factory=dict)
    """What can be named where each action ends."""
    outcomes: list[Outcome] = attrs.field(factory=list)
    placed: set[str] = attrs.field(factory=set)
    lively: set[str] = attrs.field(factory=set)
    """The actions in which something is decided or left to chance."""
    still: bool = False

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

    def body(self, body: syntax.Body, scope: Scope) -> rules.Body:
        """The statements of a block; `scope` must be one of its own."""
        lowered = (self.statement(node, scope) for node in body if not isinstance(node, syntax.Hole))
        return tuple(statement for statement in lowered if statement is not None)

    def block(self, body: syntax.Body, scope: Scope) -> rules.Body:
        """A block inside another one."""
        return self.body(body, scope.inside())

    def bind(self, name: syntax.Name, kind: rules.Type, scope: Scope) -> rules.Local:
        """A new local, which the rest of the block can name."""
        local = self.ground.local(name.text, kind, name.span)
        self.expressions.bind(name, local, scope)
        return local

    def statement(self, node: syntax.Statement, scope: Scope) -> rules.Statement | None:
        """One statement."""
        method: Callable[[syntax.Statement, Scope], rules.Statement | None]
        method = getattr(self, f"_{type(node).__name__.lower()}")
        return method(node, scope)

    def lively_here(self, node: syntax.Node, scope: Scope) -> None:
        """Take note of a decision or of chance."""
        if scope.action is not None:
            self.lively.add(scope.action)
        if self.still:
            fact = "`given` sets a position up: no decision, no chance"
            self.ground.report(NotAllowedHere(node.span, fact, "Say `turn … to …` or `move …`, or play it with `do`."))

    def outcome(
        self,
        how: str,
        locals_: tuple[rules.Local, ...],
        names: tuple[syntax.Name, ...],
        before: tuple[int, ...] = (),
        *,
        stays: bool = True,
    ) -> None:
        """Remember what was bound; `before` says how often each was looked at before the condition on the whole."""
        now = (self.ground.read[local.number] for local in locals_)
        seen = tuple(n - b for n, b in zip(now, before or (0,) * len(locals_), strict=True))
        self.outcomes.append(Outcome(how, locals_, names, seen, stays))

    # ---- afterwards ------------------------------------------------------------------------------------

    def unread(self) -> Iterator[Problem]:
        """Choices, draws and picks whose outcome no rule looks at."""
        for outcome in self.outcomes:
            reads = [self.ground.read[local.number] for local in outcome.locals]
            if not any(read > seen for read, seen in zip(reads, outcome.seen, strict=True)):
                yield self._unread(outcome, outcome.names[0])
            else:
                yield from (
                    self._unread(outcome, name) for name, read in zip(outcome.names, reads, strict=True) if not read
                )

    def _unread(self, outcome: Outcome, name: syntax.Name) -> Problem:
        hint = "Use the name in what follows, or leave the whole out."
        if not outcome.stays:
            hint = f"Leave out `as {name.text}`."
        return BindsNothing(name.span, f"no rule looks at what was {outcome.how} as `{name.text}`", hint)
