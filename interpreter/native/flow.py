"""The flow of a game: functions of blocks, each of which does something and ends by going somewhere.

Blocks stand in program order. A jump to a block that stands before makes a loop; nothing jumps into the middle of one.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from ..layout import Layout
from .code import NOTHING, Op, Shared, do


@attrs.define(eq=False)
class Block:
    """Operations, and where play goes from there."""

    name: str
    number: int = -1
    """Its place in the program order; -1 until it is there."""
    code: list[Op] = attrs.Factory(list)
    end: "End | None" = None
    leaps: list["Block"] = attrs.Factory(list)
    """Where its operations may jump to, before its end."""

    def targets(self) -> Iterator["Block"]:
        """Where play may go from here."""
        yield from self.leaps
        match self.end:
            case Jump(to):
                yield to
            case Branch(_, yes, no):
                yield from (yes, no)
            case Switch(_, targets, otherwise):
                yield from (*targets, otherwise)
            case Ask(then=then):
                yield then


@attrs.frozen(eq=False)
class Jump:
    """On to a block."""

    to: Block


@attrs.frozen(eq=False)
class Branch:
    """One block or another."""

    condition: Op
    yes: Block
    no: Block


@attrs.frozen(eq=False)
class Switch:
    """The block of this number, or another one."""

    value: Op
    targets: Sequence[Block]
    otherwise: Block


@attrs.frozen(eq=False)
class Ask:
    """A decision or an event of chance: `inside` answers it without asking anybody."""

    kind: str
    name: str
    inside: Op
    then: Block


@attrs.frozen(eq=False)
class Return:
    """Back to whoever called; with a value where there is one."""

    value: Op = NOTHING


End = Jump | Branch | Switch | Ask | Return


@attrs.define(eq=False)
class Function:
    """A function: the play, an action, a definition, or something smaller."""

    name: str
    parameters: tuple[str, ...] = ()
    result: str = ""
    locals: list[str] = attrs.Factory(list)
    """The types of its locals, parameters first."""
    blocks: list[Block] = attrs.Factory(list)
    faults: bool = True
    """Whether calling it may be a fault."""
    index: int = -1
    short: bool = False
    """Whether it is written where it is called."""
    points: list[Block] = attrs.Factory(list)
    """Where play can go on that was stopped."""
    where: Any = None
    """The cell in which the number of such a point stands, from 1."""

    def __attrs_post_init__(self) -> None:
        self.locals = list(self.parameters)

    def local(self, type: str = "n") -> "Local":
        """A new local."""
        self.locals.append(type)
        return Local(len(self.locals) - 1, type)

    def parameter(self, number: int) -> "Local":
        """One of the parameters."""
        return Local(number, self.parameters[number])

    def fill(self, *code: Op) -> "Function":
        """Give a function its only block: statements, or an expression, last."""
        body = do(*code)
        self.blocks = [Block(self.name, 0, [], Return(body))]
        self.faults = body.faults
        return self


@attrs.frozen
class Local:
    """A local of a function."""

    index: int
    type: str

    @property
    def get(self) -> Op:
        """Its value."""
        return Op("get", (), self.index, self.type)

    def set(self, value: Op) -> Op:
        """Give it a value."""
        return Op("set", (value,), self.index)


@attrs.define(eq=False)
class Flow:
    """All functions of a game with its players, options and agents, and what they share."""

    layout: Layout
    functions: list[Function] = attrs.Factory(list)
    shared: dict[str, Shared] = attrs.Factory(dict)
    exports: dict[str, Function] = attrs.Factory(dict)
    drivers: list[Function] = attrs.Factory(list)
    """What stands between the exports and the play."""
    prepare: Function | None = None
    """What is done once, before the first game: all games begin with the same statements of the setup."""
    resuming: Op | None = None
    """Whether play is on the way back to where it was stopped; None where it is never stopped."""
    throws: bool = False
    """Whether faults of trials are thrown."""
    play: Function | None = None
    """The play of a game, which keeps in locals what only it shares with those that call it."""

    def function(self, name: str, parameters: tuple[str, ...] = (), result: str = "") -> Function:
        """A new function."""
        made = Function(name, parameters, result)
        self.functions.append(made)
        return made

    def __str__(self) -> str:
        return "\n\n".join(map(written, self.functions))


def written(function: Function) -> str:
    """A function as text."""
    head = f"{function.name}({', '.join(f'v{number}' for number in range(len(function.parameters)))})"
    lines = [head]
    for block in function.blocks:
        if len(function.blocks) > 1:
            lines.append(f"  {_name(block)}:")
        lines += [f"    {op!r}" for op in block.code]
        lines.append(f"    {_end(block)}")
    return "\n".join(lines)


def _name(block: Block) -> str:
    return f"b{block.number} {block.name}".rstrip()


def _end(block: Block) -> str:
    match block.end:
        case Jump(to):
            return f"to {_name(to)}"
        case Branch(condition, yes, no):
            return f"to {_name(yes)} if {condition!r} else {_name(no)}"
        case Switch(value, targets, otherwise):
            ways = ", ".join(f"{number}: {_name(target)}" for number, target in enumerate(targets))
            return f"to the one of {value!r}: {ways}, else {_name(otherwise)}"
        case Ask(kind, name, _, then):
            return f"{kind} {name}, then {_name(then)}"
        case Return(value):
            return f"return {value!r}" if value is not NOTHING else "return"
    return "nowhere"
