"""Operations of the native tier: small trees over 64-bit numbers and 32-bit tests and addresses.

Every operation stands for one instruction of WebAssembly, or for one of its structures. `n` is a number, `t` a test
(0 or 1) or an address. The functions below make operations and work out at once what is known.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

WORD = 2**64
NONE = -(2**63)
"""What stands for `none`, and for a local that is not bound."""


class Op:
    """An operation: its name, what it works on, what is written into it, and the type of what it gives."""

    __slots__ = ("name", "parts", "value", "type", "faults")

    def __init__(self, name: str, parts: Sequence["Op"] = (), value: Any = None, type: str = "") -> None:
        self.name = name
        self.parts = parts
        self.value = value
        self.type = type
        self.faults: bool = name == "fault" or (name == "call" and value.faults)
        for part in parts:  # many are made, and a loop is quickest
            if part.faults:
                self.faults = True
                break

    def __repr__(self) -> str:
        return written(self)


PLAIN: dict[str, tuple[int, str]] = {
    "+": (0x7C, "n"),
    "-": (0x7D, "n"),
    "*": (0x7E, "n"),
    "div": (0x7F, "n"),
    "rem": (0x81, "n"),
    "rem_u": (0x82, "n"),
    "and": (0x83, "n"),
    "or": (0x84, "n"),
    "xor": (0x85, "n"),
    "shl": (0x86, "n"),
    "shr": (0x88, "n"),
    "ctz": (0x7A, "n"),
    "popcnt": (0x7B, "n"),
    "zero": (0x50, "t"),
    "is": (0x51, "t"),
    "is not": (0x52, "t"),
    "<": (0x53, "t"),
    "<u": (0x54, "t"),
    ">": (0x55, "t"),
    "<=": (0x57, "t"),
    ">=": (0x59, "t"),
    "not": (0x45, "t"),
    "t is": (0x46, "t"),
    "t is not": (0x47, "t"),
    "t <": (0x48, "t"),
    "t <u": (0x49, "t"),
    "t >=": (0x4E, "t"),
    "t +": (0x6A, "t"),
    "t -": (0x6B, "t"),
    "t *": (0x6C, "t"),
    "t and": (0x71, "t"),
    "t or": (0x72, "t"),
    "t xor": (0x73, "t"),
    "t shl": (0x74, "t"),
    "number": (0xAD, "n"),
    "address": (0xA7, "t"),
}
"""Operations that are one instruction: the byte, and the type of the result."""

KNOWN: dict[str, Callable[..., int]] = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "shl": lambda a, b: a << b % 64,
    "shr": lambda a, b: a % WORD >> b % 64,
    "ctz": lambda a: (a & -a).bit_length() - 1 if a else 64,
    "popcnt": lambda a: (a % WORD).bit_count(),
    "zero": lambda a: a == 0,
    "is": operator.eq,
    "is not": operator.ne,
    "<": operator.lt,
    "<u": lambda a, b: a % WORD < b % WORD,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "t <": operator.lt,
    "t and": operator.and_,
    "t or": operator.or_,
}
"""What these come to, where all is known."""

IDLE = {"and": -1, "or": 0, "xor": 0, "shl": 0, "shr": 0}
"""With this an operation changes nothing."""

LOADS = {("n", 1): 0x30, ("n", 2): 0x32, ("n", 4): 0x34, ("n", 8): 0x29, ("t", 1): 0x2D, ("t", 2): 0x2F, ("t", 4): 0x28}
STORES = {
    ("n", 1): 0x3C,
    ("n", 2): 0x3D,
    ("n", 4): 0x3E,
    ("n", 8): 0x37,
    ("t", 1): 0x3A,
    ("t", 2): 0x3B,
    ("t", 4): 0x36,
}


class Label:
    """The end of a `block` or the head of a `loop`, to jump to."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name


class Region:
    """A stretch of memory whose place and size are settled when everything is known."""

    __slots__ = ("name", "size", "address")

    def __init__(self, name: str, size: int = 0) -> None:
        self.name = name
        self.size = size
        self.address = -1

    def need(self, size: int) -> None:
        """Make room for so many bytes."""
        self.size = max(self.size, size)


class Shared:
    """A value that several functions read and write."""

    __slots__ = ("name", "users", "index", "read")

    def __init__(self, name: str) -> None:
        self.name = name
        self.read = False
        """Whether those that run games read it afterwards."""
        self.users: set[Any] = set()
        self.index = -1


# ---- constants -----------------------------------------------------------------------------------------


def num(value: int) -> Op:
    """A number."""
    return Op("num", (), value, "n")


def at(address: int | Region) -> Op:
    """An address, or a small whole number of that type."""
    return Op("at", (), address, "t")


YES, NO = at(1), at(0)


def known(op: Op) -> int | None:
    """The value of a constant."""
    return op.value if op.name in ("num", "at") and isinstance(op.value, int) else None


# ---- arithmetic ----------------------------------------------------------------------------------------


def plain(name: str, *parts: Op) -> Op:
    """One of the plain operations, worked out where all is known."""
    type_ = PLAIN[name][1]
    if name in KNOWN:
        numbers = [known(part) for part in parts]
        if None not in numbers:
            value = int(KNOWN[name](*numbers))
            return num(_signed(value, 64)) if type_ == "n" else at(_signed(value, 32))
        if name in ("and", "or", "xor", "shl", "shr") and numbers[1] == IDLE[name]:
            return parts[0]
        if name in ("and", "or", "xor") and numbers[0] == IDLE[name]:
            return parts[1]
        if name == "and" and 0 in numbers and cheap(parts[numbers[0] == 0]):
            return num(0)
    return Op(name, parts, None, type_)


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def add(left: Op, right: Op) -> Op:
    """The sum, wrapping around."""
    a, b = known(left), known(right)
    if a is not None and b is not None:
        return num(_signed(a + b, 64)) if left.type == "n" else at(_signed(a + b, 32))
    if b == 0:
        return left
    if a == 0:
        return right
    return plain("+" if left.type == "n" else "t +", left, right)


def sub(left: Op, right: Op) -> Op:
    """The difference, wrapping around."""
    a, b = known(left), known(right)
    if a is not None and b is not None:
        return num(_signed(a - b, 64)) if left.type == "n" else at(_signed(a - b, 32))
    if b == 0:
        return left
    return plain("-" if left.type == "n" else "t -", left, right)


def mul(left: Op, right: Op) -> Op:
    """The product, wrapping around."""
    a, b = known(left), known(right)
    if a is not None and b is not None:
        return num(_signed(a * b, 64)) if left.type == "n" else at(_signed(a * b, 32))
    if b == 1:
        return left
    if a == 1:
        return right
    return plain("*" if left.type == "n" else "t *", left, right)


def compare(relation: str, left: Op, right: Op) -> Op:
    """Two numbers compared."""
    if relation == "is" and known(right) == 0:
        return plain("zero", left)
    return plain(relation, left, right)


def number(op: Op) -> Op:
    """A test or an address as a number."""
    if op.type == "n":
        return op
    if (value := known(op)) is not None:
        return num(value)
    return plain("number", op)


def address(op: Op) -> Op:
    """A number as an address."""
    if op.type == "t":
        return op
    if (value := known(op)) is not None:
        return at(value)
    return op.parts[0] if op.name == "number" else plain("address", op)


def test(op: Op) -> Op:
    """A yes or no that stands as a number."""
    return address(op)


def no(op: Op) -> Op:
    """Whether a test fails."""
    if (value := known(op)) is not None:
        return at(int(not value))
    if op.name == "not":
        return op.parts[0]
    if op.name == "is":
        return plain("is not", *op.parts)
    if op.name == "is not":
        return plain("is", *op.parts)
    return plain("not", op)


def both(*tests: Op) -> Op:
    """Whether all hold; later ones are not looked at after the first that does not."""
    rest = list(tests)
    result = rest.pop() if rest else YES
    while rest:
        first = rest.pop()
        value = known(first)
        if value is not None:
            result = result if value else NO
        elif known(result) == 0 and cheap(first):
            continue
        elif known(result) == 1:
            result = first
        elif cheap(result):
            result = plain("t and", first, result)
        else:
            result = choose(first, result, NO)
    return result


def either(*tests: Op) -> Op:
    """Whether one holds; later ones are not looked at after the first that does."""
    rest = list(tests)
    result = rest.pop() if rest else NO
    while rest:
        first = rest.pop()
        value = known(first)
        if value is not None:
            result = YES if value else result
        elif known(result) == 1 and cheap(first):
            continue
        elif known(result) == 0:
            result = first
        elif cheap(result):
            result = plain("t or", first, result)
        else:
            result = choose(first, YES, result)
    return result


def outside(value: Op, low: int, high: int) -> Op:
    """Whether a cheap value lies outside of two ends."""
    constant = known(value)
    if constant is not None:
        return at(int(not low <= constant <= high))
    if not -(2**62) < low <= high < 2**62:
        return either(compare("<", value, num(low)), compare(">", value, num(high)))
    return no(plain("<u", sub(value, num(low)), num(high - low + 1)))


def cheap(op: Op, limit: int = 8) -> bool:
    """Whether working something out costs next to nothing and does nothing else."""
    return size_of(op, limit) <= limit


def size_of(op: Op, limit: int) -> int:
    """How many operations there are, up to a limit; more than that where not all are plain."""
    if op.name not in PLAIN and op.name not in ("num", "at", "get", "load", "select"):
        return limit + 1
    size = 1
    for part in op.parts:
        size += size_of(part, limit - size)
        if size > limit:
            break
    return size


def weight(op: Op, limit: int) -> int:
    """How many operations there are, whatever they do, up to a limit; one more than that beyond."""
    waiting, found = [op], 0
    while waiting and found <= limit:
        found += 1
        waiting += waiting.pop().parts
    return found


def choose(condition: Op, then: Op, otherwise: Op) -> Op:
    """One value or another."""
    value = known(condition)
    if value is not None:
        return then if value else otherwise
    if condition.name == "not":
        condition, then, otherwise = condition.parts[0], otherwise, then
    if cheap(then, 4) and cheap(otherwise, 4):
        return Op("select", (then, otherwise, condition), None, then.type)
    return Op("if", (condition, then, otherwise), None, then.type)


# ---- statements ----------------------------------------------------------------------------------------


NOTHING = Op("do")


def do(*ops: Op) -> Op:
    """One after the other; gives what the last one gives."""
    flat: list[Op] = []
    for op in ops:
        if op.name == "do":
            flat.extend(op.parts)
        else:
            flat.append(op)
    if len(flat) == 1:
        return flat[0]
    return Op("do", flat, None, flat[-1].type) if flat else NOTHING


def when(condition: Op, then: Op, otherwise: Op = NOTHING) -> Op:
    """Statements under a condition."""
    value = known(condition)
    if value is not None:
        return then if value else otherwise
    if then is NOTHING and otherwise is NOTHING:
        return Op("drop", (condition,)) if condition.faults else NOTHING
    if then is NOTHING:
        return Op("if", (no(condition), otherwise))
    return Op("if", (condition, then) if otherwise is NOTHING else (condition, then, otherwise))


def loop(label: Label, *body: Op) -> Op:
    """Statements that a jump to the label begins again."""
    return Op("loop", (do(*body),), label)


def block(label: Label, *body: Op, type: str = "") -> Op:
    """Statements that a jump to the label leaves."""
    return Op("block", (do(*body),), label, type)


def jump(label: Label) -> Op:
    """To a label."""
    return Op("jump", (), label)


def jump_if(label: Label, condition: Op) -> Op:
    """To a label, if a test holds."""
    value = known(condition)
    if value is not None:
        return jump(label) if value else NOTHING
    return Op("jump if", (condition,), label)


def load(at_: Op, offset: int | Region = 0, width: int = 8, type: str = "n") -> Op:
    """What stands at an address."""
    at_, offset = _settled(at_, offset)
    return Op("load", (at_,), (offset, width), type)


def store(at_: Op, value: Op, offset: int | Region = 0, width: int = 8) -> Op:
    """Write to an address."""
    at_, offset = _settled(at_, offset)
    return Op("store", (at_, value), (offset, width))


def _settled(at_: Op, offset: int | Region) -> tuple[Op, int | Region]:
    """A known address is all offset."""
    place = known(at_)
    return (at_, offset) if place is None or isinstance(offset, Region) else (NO, offset + place)


def copy(to: Op, source: Op, size: Op) -> Op:
    """Bytes are copied."""
    return Op("copy", (to, source, size))


def call(function: Any, *arguments: Op) -> Op:
    """What a function gives."""
    return Op("call", arguments, function, function.result)


def drop(op: Op) -> Op:
    """Work something out for its effects."""
    return Op("drop", (op,)) if op.type else op


# ---- as text -------------------------------------------------------------------------------------------


def written(op: Op) -> str:
    """An operation as text."""
    match op.name:
        case "num":
            return "none" if op.value == NONE else str(op.value)
        case "at":
            return op.value.name if isinstance(op.value, Region) else str(op.value)
        case "get":
            return f"v{op.value}"
        case "set":
            return f"v{op.value} := {op.parts[0]!r}"
        case "load":
            return f"[{_place(op)}]"
        case "store":
            return f"[{_place(op)}] := {op.parts[1]!r}"
        case "shared":
            return str(op.value.name)
        case "share":
            return f"{op.value.name} := {op.parts[0]!r}"
        case "if":
            then = f"if {op.parts[0]!r} {{ {op.parts[1]!r} }}"
            return then + (f" else {{ {op.parts[2]!r} }}" if len(op.parts) > 2 else "")
        case "select":
            return f"({op.parts[2]!r} ? {op.parts[0]!r} : {op.parts[1]!r})"
        case "do":
            return "; ".join(map(repr, op.parts)) or "nothing"
        case "loop" | "block":
            return f"{op.name} {{ {op.parts[0]!r} }}"
        case "call":
            return f"{op.value.name}({_listed(op.parts)})"
        case "jump" | "jump if":
            return f"{op.name}{''.join(f' {part!r}' for part in op.parts)}"
    if len(op.parts) == 2 and op.name in PLAIN:
        return f"({op.parts[0]!r} {op.name.removeprefix('t ')} {op.parts[1]!r})"
    return f"{op.name}({_listed(op.parts)})"


def _listed(ops: Iterable[Op]) -> str:
    return ", ".join(map(repr, ops))


def _place(op: Op) -> str:
    offset = op.value[0]
    name = offset.name if isinstance(offset, Region) else str(offset)
    return name if known(op.parts[0]) == 0 else f"{name} + {op.parts[0]!r}"
