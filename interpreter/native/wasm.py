"""WebAssembly modules in their binary form: the few sections that a game needs."""

from collections.abc import Sequence

import attrs

TYPES = {"n": 0x7E, "t": 0x7F}


def unsigned(value: int) -> bytes:
    """LEB128 of a number from 0."""
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> bytes:
    """LEB128 of any number."""
    if -64 <= value < 64:
        return bytes((value & 0x7F,))
    out = bytearray()
    while not -64 <= value < 64:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)


def vector(parts: Sequence[bytes]) -> bytes:
    """How many parts there are, and the parts."""
    return unsigned(len(parts)) + b"".join(parts)


def named(name: str) -> bytes:
    """A name."""
    text = name.encode()
    return unsigned(len(text)) + text


@attrs.frozen
class Body:
    """A function of a module."""

    parameters: tuple[str, ...]
    result: str
    locals: Sequence[str]
    """The types of the locals that are no parameters."""
    code: bytes


def module(
    bodies: Sequence[Body],
    exports: dict[str, int],
    start: int | None,
    shared: int,
    pages: int,
    most_pages: int,
    data: Sequence[tuple[int, bytes]],
    throws: bool = False,
) -> bytes:
    """A module with these functions, `shared` numbers as globals, a memory of `pages` that can grow to `most_pages`,
    and what stands in it. `throws`: there is an exception that says nothing but that it came.

    The function `start` runs before all others.
    """
    kinds: dict[tuple[tuple[str, ...], str], int] = {}
    for body in bodies:
        kinds.setdefault((body.parameters, body.result), len(kinds))
    exception = kinds.setdefault(((), ""), len(kinds)) if throws else None
    types = [
        b"\x60" + vector([bytes((TYPES[each],)) for each in parameters]) + vector([bytes((TYPES[r],)) for r in result])
        for parameters, result in kinds
    ]
    functions = [unsigned(kinds[body.parameters, body.result]) for body in bodies]
    entries = [named(name) + b"\x00" + unsigned(index) for name, index in exports.items()]
    entries.append(named("memory") + b"\x02\x00")
    codes = []
    for body in bodies:
        code = _locals(body.locals) + body.code + b"\x0b"
        codes.append(unsigned(len(code)) + code)
    segments = [b"\x00\x41" + signed(place) + b"\x0b" + unsigned(len(text)) + text for place, text in data]
    sections = [
        (1, vector(types)),
        (3, vector(functions)),
        (5, vector([b"\x01" + unsigned(pages) + unsigned(most_pages)])),
        *([(13, vector([b"\x00" + unsigned(exception)]))] if exception is not None else []),
        (6, vector([b"\x7e\x01\x42\x00\x0b"] * shared)),
        (7, vector(entries)),
        *([(8, unsigned(start))] if start is not None else []),
        (10, vector(codes)),
        (11, vector(segments)),
    ]
    return b"\x00asm\x01\x00\x00\x00" + b"".join(
        bytes((number,)) + unsigned(len(content)) + content for number, content in sections
    )


def _locals(types: Sequence[str]) -> bytes:
    """Locals, those of the same type next to each other together."""
    runs: list[tuple[int, str]] = []
    for type_ in types:
        if runs and runs[-1][1] == type_:
            runs[-1] = (runs[-1][0] + 1, type_)
        else:
            runs.append((1, type_))
    return vector([unsigned(count) + bytes((TYPES[type_],)) for count, type_ in runs])
