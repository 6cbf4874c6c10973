"""Functions of the flow as code of WebAssembly.

WebAssembly knows no jumps but out of blocks and back to the heads of loops. Blocks of the flow stand in program order,
so a jump forward leaves a block that ends where its target begins, and a jump back goes to the head of a loop.
"""

from collections.abc import Callable, Iterator, Sequence

import attrs

from .bounds import Bounds
from .code import LOADS, NO, NOTHING, PLAIN, STORES, YES, Label, Op, Region, Shared, known
from .flow import Ask, Block, Branch, Flow, Function, Jump, Return, Switch
from .interrupts import lead_back
from .listings import Offset
from .memory import STATE, Cell, Memory
from .wasm import Body, module, signed, unsigned

BLOCK_TYPES = {"": b"\x40", "n": b"\x7e", "t": b"\x7f"}

FEW = 200
"""Blocks of a small game."""

SHORT_IN_SMALL, SHORT_IN_LARGE = 150, 40
"""Functions of fewer operations than this are written where they are called, in a small game and in a large one."""

LAZY: dict[str, Callable[[Op, Op], Op]] = {
    "t and": lambda one, other: Op("if", (one, other, NO), None, "t"),
    "t or": lambda one, other: Op("if", (one, YES, other), None, "t"),
}
"""Tests that are both worked out, where one may settle it. In a checked build nothing is read on the off chance."""

SHORT_COPY = 512
"""So many bytes are copied one word after the other."""


def assemble(flow: Flow, memory: Memory, checked: bool = False) -> bytes:
    """The module of a flow. `checked`: every address is held against the layout before it is used."""
    bounds = Bounds(flow, memory) if checked else None
    if flow.resuming is not None:
        for function in flow.functions:
            lead_back(function, flow.resuming)
    for index, function in enumerate(flow.functions):
        function.index = index
    for index, shared in enumerate(flow.shared.values()):
        shared.index = index
    few = sum(len(function.blocks) for function in flow.functions) <= FEW
    _mark_short(flow.functions, SHORT_IN_SMALL if few else SHORT_IN_LARGE)
    kept = _kept(flow, memory, few)
    bodies = [body(function, kept if function is flow.play else [], bounds) for function in flow.functions]
    exports = {name: function.index for name, function in flow.exports.items()}
    start = flow.prepare.index if flow.prepare is not None else None
    pages = memory.pages, memory.most_pages or memory.pages
    return module(bodies, exports, start, len(flow.shared), *pages, memory.data(), flow.throws)


def body(function: Function, kept: Sequence["Shared | Cell"] = (), bounds: Bounds | None = None) -> Body:
    """A function as code; it keeps some shared values and cells in locals while it runs."""
    emitter = Emitter(function, None if bounds is None or function in bounds.own else bounds)
    emitter.fetch(kept)
    emitter.function(function)
    count = len(function.parameters)
    return Body(function.parameters, function.result, emitter.types[count:], bytes(emitter.out))


def _kept(flow: Flow, memory: Memory, few: bool) -> list["Shared | Cell"]:
    """What only the play of a game uses: it keeps that in locals. In large games that would not help."""
    play, drivers = flow.play, {*flow.exports.values(), *flow.drivers}
    if play is None or flow.resuming is not None:
        return []
    if not few:
        return [shared for shared in flow.shared.values() if shared.users - drivers == {play}]
    cells = {cell.address: cell for cell in memory.single()}
    users: dict[Shared | Cell, set[Function]] = {}
    arrays: set[int] = set()
    for function in flow.functions:
        if function is not play and (function.short or function is flow.prepare):
            continue
        for op in _all_ops(function):
            if op.name in ("shared", "share"):
                users.setdefault(op.value, set()).add(function)
            elif op.name in ("load", "store"):
                offset, width = op.value
                here = cells.get(offset.region.address if isinstance(offset, Offset) else offset)
                if here is None:
                    continue
                if op.parts[0].name == "at" and width == here.width:
                    users.setdefault(here, set()).add(function)
                else:
                    arrays.add(here.address)
    return [
        each
        for each, by in users.items()
        if by - drivers == {play} and not (isinstance(each, Cell) and (each.address in arrays or by & drivers))
    ]


def _all_ops(function: Function) -> Iterator[Op]:
    """Every operation of a function, and of those that are written into it."""
    waiting = [op for block in function.blocks for op in (*block.code, *_ops_at_end(block))]
    while waiting:
        op = waiting.pop()
        yield op
        waiting += op.parts
        if op.name == "call" and op.value.short:
            waiting += _ops_at_end(op.value.blocks[0])


def _ops_at_end(block: Block) -> Iterator[Op]:
    match block.end:
        case Branch(op) | Switch(op) | Return(op) | Ask(inside=op):
            yield op


def _mark_short(functions: Sequence[Function], most: int) -> None:
    """Find out which functions are short enough to be written where they are called."""
    for function in functions:
        end = function.blocks[0].end if len(function.blocks) == 1 else None
        function.short = isinstance(end, Return) and not function.blocks[0].code and _is_short(end.value, most)


@attrs.define(eq=False)
class _Stretch:
    """Blocks from a loop's head, or from the beginning, to its end."""

    first: int
    last: int
    inner: dict[int, "_Stretch"] = attrs.Factory(dict)
    targets: set[int] = attrs.Factory(set)
    """Blocks in here that a jump forward leads to."""


class Emitter:
    """Writes one function."""

    def __init__(self, function: Function, bounds: Bounds | None) -> None:
        self.bounds = bounds
        self.out = bytearray()
        self.types = list(function.locals)
        self.shift = 0
        """What is added to the number of a local: of a function that is written into another."""
        self.depth = 0
        self.labels: dict[Label | Block, int] = {}
        """How deep the block or loop of a label lies."""
        self.kept: dict[Shared, int] = {}
        """The locals of the shared values that are kept."""
        self.cells: dict[int, int] = {}
        """The locals of the cells that are kept, by their address."""

    def fetch(self, kept: Sequence["Shared | Cell"]) -> None:
        """Take the kept values in."""
        for each in kept:
            local = len(self.types)
            self.types.append("n")
            if isinstance(each, Shared):
                self.kept[each] = local
                self.out += b"\x23" + unsigned(each.index)
            else:
                self.cells[each.address] = local
                self.out += b"\x41\x00"
                self.access(LOADS["n", each.width], each.address)
            self.out += b"\x21" + unsigned(local)

    def give_back(self) -> None:
        """Give the kept values back that others read."""
        for shared, local in self.kept.items():
            if shared.read:
                self.out += b"\x20" + unsigned(local) + b"\x24" + unsigned(shared.index)

    # ---- blocks ----------------------------------------------------------------------------------------

    def function(self, function: Function) -> None:
        """All blocks of a function."""
        if len(function.blocks) == 1 and isinstance(end := function.blocks[0].end, Return):
            for op in function.blocks[0].code:
                self.op(op)
            self.op(end.value)
            return
        self.stretch(_stretches(function.blocks), function.blocks)
        if function.result:
            self.out.append(0x00)

    def stretch(self, stretch: _Stretch, blocks: list[Block]) -> None:
        """The blocks of a loop, or all of them."""
        for target in sorted(stretch.targets, reverse=True):
            self.open(0x02, blocks[target])
        number = stretch.first
        while number <= stretch.last:
            if number in stretch.targets:
                self.close()
            inner = stretch.inner.get(number)
            if inner is not None:
                self.open(0x03, blocks[number])
                self.stretch(inner, blocks)
                self.close()
                del self.labels[blocks[number]]
                number = inner.last + 1
            else:
                self.block(blocks[number])
                number += 1

    def open(self, opcode: int, label: Label | Block, type_: str = "") -> None:
        """Begin a block or loop."""
        self.out.append(opcode)
        self.out += BLOCK_TYPES[type_]
        self.labels[label] = self.depth
        self.depth += 1

    def close(self) -> None:
        """End the innermost block or loop."""
        self.out.append(0x0B)
        self.depth -= 1

    def block(self, block: Block) -> None:
        """What a block does, and where it goes."""
        for op in block.code:
            self.op(op)
        match block.end:
            case Jump(to):
                self.go(block, to)
            case Branch(condition, yes, no):
                if yes is no:
                    self.op(condition)
                    self.out.append(0x1A)
                    self.go(block, yes)
                elif yes.number == block.number + 1:
                    self.jump_where(condition, no, False)
                else:
                    self.jump_where(condition, yes, True)
                    self.go(block, no)
            case Switch(value, targets, otherwise):
                self.op(value)
                self.out.append(0x0E)
                self.out += unsigned(len(targets))
                for target in (*targets, otherwise):
                    self.out += unsigned(self.depth - 1 - self.labels[target])
            case Ask(inside=inside, then=then):
                self.op(inside)
                self.go(block, then)
            case Return(value):
                self.op(value)
                self.give_back()
                self.out.append(0x0F)
            case None:
                raise AssertionError(f"block {block.name} goes nowhere")

    def go(self, block: Block, to: Block) -> None:
        """On to a block, if it does not follow anyway."""
        if to.number != block.number + 1:
            self.jump(0x0C, to)

    def jump(self, opcode: int, to: Label | Block) -> None:
        """Leave a block, or begin a loop again."""
        self.out.append(opcode)
        self.out += unsigned(self.depth - 1 - self.labels[to])

    def jump_where(self, condition: Op, to: Label | Block, holds: bool) -> None:
        """A jump if a test holds, or if it does not. What makes up a test is never put together: it is jumped from."""
        if condition.name == "do":
            for part in condition.parts[:-1]:
                self.op(part)
            self.jump_where(condition.parts[-1], to, holds)
        elif condition.name == "not":
            self.jump_where(condition.parts[0], to, not holds)
        elif condition.name == "if":
            self.jump_where_either(condition, to, holds)
        elif (settled := known(condition)) is None:
            self.op(condition)
            if not holds:
                self.out.append(0x45)
            self.jump(0x0D, to)
        elif bool(settled) is holds:
            self.jump(0x0C, to)

    def jump_where_either(self, choice: Op, to: Label | Block, holds: bool) -> None:
        """The same for one test or another, as a third says."""
        first, then, otherwise = choice.parts
        if known(then) == int(holds):
            self.jump_where(first, to, True)
            self.jump_where(otherwise, to, holds)
        elif known(otherwise) == int(holds):
            self.jump_where(first, to, False)
            self.jump_where(then, to, holds)
        else:
            other, over = Label(), Label()
            self.open(0x02, over)
            if known(then) is None:
                self.open(0x02, other)
                self.jump_where(first, other, False)
                self.jump_where(then, to, holds)
                self.jump(0x0C, over)
                self.close()
            else:
                self.jump_where(first, over, True)
            self.jump_where(otherwise, to, holds)
            self.close()

    # ---- operations ------------------------------------------------------------------------------------

    def op(self, op: Op) -> None:
        """An operation with its parts."""
        special = _SPECIAL.get(op.name)
        if special is not None:
            special(self, op)
            return
        if self.bounds is not None and op.name in LAZY and self.bounds.looks(op.parts[1]):
            self.if_(LAZY[op.name](*op.parts))
            return
        for part in op.parts:
            self.op(part)
        self.out.append(PLAIN[op.name][0])

    def num(self, op: Op) -> None:
        """A constant."""
        self.out.append(0x42)
        self.out += signed(op.value)

    def at(self, op: Op) -> None:
        """A constant address."""
        self.out.append(0x41)
        self.out += signed(op.value.address if isinstance(op.value, Region) else op.value)

    def get(self, op: Op) -> None:
        """A local."""
        self.out.append(0x20)
        self.out += unsigned(op.value + self.shift)

    def set(self, op: Op) -> None:
        """A local gets a value."""
        self.op(op.parts[0])
        self.out.append(0x21)
        self.out += unsigned(op.value + self.shift)

    def shared(self, op: Op) -> None:
        """A shared value."""
        kept = self.kept.get(op.value)
        self.out.append(0x23 if kept is None else 0x20)
        self.out += unsigned(op.value.index if kept is None else kept)

    def share(self, op: Op) -> None:
        """A shared value is set."""
        kept = self.kept.get(op.value)
        self.op(op.parts[0])
        self.out.append(0x24 if kept is None else 0x21)
        self.out += unsigned(op.value.index if kept is None else kept)

    def load(self, op: Op) -> None:
        """Read from memory."""
        offset, width = op.value
        if self.cells and offset in self.cells and op.parts[0].name == "at":
            self.out += b"\x20" + unsigned(self.cells[offset])
            return
        self.op(op.parts[0])
        self.check(op.parts[0], offset, width)
        self.access(LOADS[op.type, width], offset)

    def store(self, op: Op) -> None:
        """Write to memory."""
        offset, width = op.value
        if self.cells and offset in self.cells and op.parts[0].name == "at":
            self.op(op.parts[1])
            self.out += b"\x21" + unsigned(self.cells[offset])
            return
        self.op(op.parts[0])
        self.check(op.parts[0], offset, width)
        self.op(op.parts[1])
        self.access(STORES[op.parts[1].type, width], offset)

    def check(self, address: Op, offset: int | Region, width: int) -> None:
        """In a checked build, look at the address that is to be used."""
        if self.bounds is not None and (looked := self.bounds.checks(address, offset, width)) is not None:
            function, numbers = looked
            for number in numbers:
                self.out += b"\x41" + signed(number)
            self.out += b"\x10" + unsigned(function.index)

    def access(self, opcode: int, offset: int | Region) -> None:
        """An instruction on memory."""
        self.out.append(opcode)
        self.out.append(0)
        self.out += unsigned(offset.address if isinstance(offset, Region) else offset)

    def do(self, op: Op) -> None:
        """One after the other."""
        for part in op.parts:
            self.op(part)

    def if_(self, op: Op) -> None:
        """One or the other."""
        if _parted(op.parts[0]):
            self.if_parted(op.type, *op.parts)
            return
        self.op(op.parts[0])
        self.out.append(0x04)
        self.out += BLOCK_TYPES[op.type]
        self.depth += 1
        self.op(op.parts[1])
        if len(op.parts) > 2:
            self.out.append(0x05)
            self.op(op.parts[2])
        self.close()

    def if_parted(self, type_: str, condition: Op, then: Op, otherwise: Op = NOTHING) -> None:
        """The same under a test that has parts."""
        over, other = Label(), Label()
        if otherwise is not NOTHING:
            self.open(0x02, over, type_)
        self.open(0x02, other)
        self.jump_where(condition, other, False)
        self.op(then)
        if otherwise is not NOTHING:
            self.jump(0x0C, over)
        self.close()
        if otherwise is not NOTHING:
            self.op(otherwise)
            self.close()

    def block_(self, op: Op) -> None:
        """A block to leave, or a loop to begin again."""
        self.open(0x02 if op.name == "block" else 0x03, op.value, op.type)
        self.op(op.parts[0])
        self.close()
        del self.labels[op.value]

    def jump_(self, op: Op) -> None:
        """A jump, perhaps under a condition."""
        if op.parts:
            self.jump_where(op.parts[0], op.value, True)
        else:
            self.jump(0x0C, op.value)

    def call(self, op: Op) -> None:
        """A function is called; a short one is written here instead."""
        function: Function = op.value
        if function.short:
            self.inline(function, op.parts)
            return
        for part in op.parts:
            self.op(part)
        self.out.append(0x10)
        self.out += unsigned(function.index)

    def inline(self, function: Function, arguments: Sequence[Op]) -> None:
        """The code of a function, with locals of its own."""
        before, first = self.shift, len(self.types)
        self.types += function.locals
        for argument in arguments:
            self.op(argument)
        for number in reversed(range(len(function.locals))):
            if number >= len(arguments):
                self.out += b"\x42\x00" if function.locals[number] == "n" else b"\x41\x00"
            self.out += b"\x21" + unsigned(first + number)
        self.shift = first
        end = function.blocks[0].end
        assert isinstance(end, Return)
        self.op(end.value)
        self.shift = before

    def fault(self, op: Op) -> None:
        """A function is called, and play never goes on."""
        for part in op.parts:
            self.op(part)
        self.out.append(0x10)
        self.out += unsigned(op.value.index)
        self.out.append(0x00)

    def throw(self, op: Op) -> None:
        """Leave everything up to the next `try`."""
        self.out += b"\x08\x00"

    def try_(self, op: Op) -> None:
        """Statements; where something is thrown meanwhile, a jump."""
        self.out += b"\x1f\x40\x01\x02" + unsigned(self.depth - 1 - self.labels[op.value])
        self.depth += 1
        self.op(op.parts[0])
        self.close()

    def drop(self, op: Op) -> None:
        """A value is not wanted."""
        self.op(op.parts[0])
        self.out.append(0x1A)

    def return_(self, op: Op) -> None:
        """Back to whoever called."""
        for part in op.parts:
            self.op(part)
        self.out.append(0x0F)

    def select(self, op: Op) -> None:
        """One of two values."""
        if self.bounds is not None and any(self.bounds.looks(part) for part in op.parts[:2]):
            then, otherwise, condition = op.parts
            self.if_(Op("if", (condition, then, otherwise), None, then.type))
            return
        for part in op.parts:
            self.op(part)
        self.out.append(0x1B)

    def reset(self, op: Op) -> None:
        """The state is as it is when a game begins."""
        memory: Memory = op.value
        size = len(memory.image)
        if size > SHORT_COPY:
            for number in (STATE, memory.image_at, size):
                self.out += b"\x41" + signed(number)
            self.out += b"\xfc\x0a\x00\x00"
            return
        for place in range(0, size, 8):
            self.out += b"\x41\x00\x41\x00"
            self.access(LOADS["n", 8], memory.image_at + place)
            self.access(STORES["n", 8], STATE + place)

    def copy(self, op: Op) -> None:
        """Bytes are copied: to where, from where, how many."""
        for part in op.parts:
            self.op(part)
        self.out += b"\xfc\x0a\x00\x00"

    def clear(self, op: Op) -> None:
        """So many bytes from a place on are zero."""
        place, size = op.parts
        self.op(place)
        self.out += b"\x41\x00"
        self.op(size)
        self.out += b"\xfc\x0b\x00"

    def root(self, op: Op) -> None:
        """The square root of a number, cut off."""
        self.op(op.parts[0])
        self.out += b"\xb9\x9f\xb0"

    def image(self, op: Op) -> None:
        """From here on games begin with the state as it is now."""
        memory: Memory = op.value
        for number in (memory.image_at, STATE, len(memory.image)):
            self.out += b"\x41" + signed(number)
        self.out += b"\xfc\x0a\x00\x00"


_SPECIAL: dict[str, Callable[[Emitter, Op], None]] = {
    "num": Emitter.num,
    "at": Emitter.at,
    "get": Emitter.get,
    "set": Emitter.set,
    "shared": Emitter.shared,
    "share": Emitter.share,
    "load": Emitter.load,
    "store": Emitter.store,
    "do": Emitter.do,
    "if": Emitter.if_,
    "block": Emitter.block_,
    "loop": Emitter.block_,
    "jump": Emitter.jump_,
    "jump if": Emitter.jump_,
    "call": Emitter.call,
    "fault": Emitter.fault,
    "throw": Emitter.throw,
    "try": Emitter.try_,
    "drop": Emitter.drop,
    "return": Emitter.return_,
    "select": Emitter.select,
    "reset": Emitter.reset,
    "image": Emitter.image,
    "copy": Emitter.copy,
    "clear": Emitter.clear,
    "root": Emitter.root,
}


def _parted(condition: Op) -> bool:
    """Whether a test has parts from which jumps can lead away."""
    while condition.name in ("do", "not"):
        condition = condition.parts[-1]
    return condition.name == "if"


def _is_short(op: Op, most: int) -> bool:
    """Whether code has fewer operations than this, and no way out of the function but its end."""
    waiting, left = [op], most
    while waiting and left:
        op = waiting.pop()
        left -= 1
        if op.name == "return":
            return False
        waiting += op.parts
    return not waiting


def _stretches(blocks: list[Block]) -> _Stretch:
    """The loops of a function, one inside the other, and where jumps forward lead to."""
    ends: dict[int, int] = {}
    for block in blocks:
        for target in block.targets():
            if target.number <= block.number:
                ends[target.number] = max(ends.get(target.number, 0), block.number)
    whole = _Stretch(0, len(blocks) - 1)
    at: list[_Stretch] = []
    """The innermost stretch of each block, without a loop that it is the head of."""
    open_ = [whole]
    for number in range(len(blocks)):
        while open_[-1].last < number:
            open_.pop()
        at.append(open_[-1])
        if number in ends:
            inner = _Stretch(number, ends[number])
            for outer in open_[1:]:
                # Loops that overlap: the outer one takes all of the inner one in.
                outer.last = max(outer.last, inner.last)
            open_[-1].inner[number] = inner
            open_.append(inner)
    for block in blocks:
        forward = [target.number for target in block.targets() if target.number > block.number]
        leaps = {leap.number for leap in block.leaps}
        for place in forward:
            # What follows anyway needs no jump.
            if place != block.number + 1 or place in leaps or isinstance(block.end, Switch):
                at[place].targets.add(place)
    return whole
