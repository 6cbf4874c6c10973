"""What two positions differ in, in words; and why a condition does not hold, by the values of its parts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from ..dsl import rules
from .closures import Memory
from .layout import BOX, IN
from .program import Program
from .state import State
from .words import listed, value_text

MOST_ITEMS = 6
"""Items that are named one by one."""

MOST_WORDS = 60
"""Letters of a part of a condition that is told with its value."""


@attrs.frozen
class Changed:
    """One thing that is different: what, and how it was before and is after. `slot` is where it stands."""

    what: str
    before: str
    after: str
    slot: int


def changes(program: Program, before: State, after: State) -> Iterator[Changed]:
    """What is different after a step. What a throw shows stands in its own line already, unless it is told."""
    layout = program.layout
    old = [*before.values, *[None] * layout.scratch]
    new = [*after.values, *[None] * layout.scratch]
    for slot in range(program.lasting):
        if old[slot] == new[slot] or layout.places <= slot < layout.places + layout.movable:
            continue
        if slot in layout.zone_at:
            if layout.zone_at[slot][0].name != BOX:
                yield Changed(layout.names[slot], _items(program, old, slot), _items(program, new, slot), slot)
        elif slot == IN:
            yield Changed("still in", _seats(old[slot]), _seats(new[slot]), slot)
        elif not layout.names[slot].endswith(" unknown"):
            was, is_ = (told(program, m, layout.types[slot], m[slot]) for m in (old, new))
            yield Changed(layout.names[slot], was, is_, slot)


def standing(program: Program, state: State) -> Iterator[str]:
    """How things stand: all that is not as it was when the game began, and where the components lie."""
    layout = program.layout
    m = [*state.values, *[None] * layout.scratch]
    for slot in range(program.lasting):
        if slot in layout.zone_at and layout.zone_at[slot][0].name != BOX and m[slot]:
            yield f"{layout.names[slot]}: {_items(program, m, slot)}"
        elif layout.names[slot] and any(slot in block.slots for block in layout.variables.values()):
            yield f"{layout.names[slot]} {told(program, m, layout.types[slot], m[slot])}"


def _seats(seats: Sequence[int]) -> str:
    return listed(str(seat + 1) for seat in seats) or "nobody"


def _items(program: Program, m: Memory, slot: int) -> str:
    """The items of a zone, or how many there are."""
    items = m[slot]
    if not items:
        return "empty"
    if len(items) > MOST_ITEMS:
        return str(len(items))
    counts = Counter(program.words.item(m, item) for item in items)
    return listed(f"{text} ×{number}" if number > 1 else text for text, number in counts.items())


def told(program: Program, m: Memory, type_: rules.Type, value: Any) -> str:
    """A value of any type in words."""
    inner: Any = type_
    while isinstance(inner, rules.Maybe | rules.Many):
        inner = inner.of
    if value is None:
        return "none"
    values = value if isinstance(value, tuple) else (value,)
    if isinstance(inner, rules.Item):
        if len(values) > MOST_ITEMS:
            return f"{len(values)} items"
        return listed("none" if item is None else program.words.item(m, item) for item in values) or "nothing"
    if isinstance(inner, rules.YesNo):
        return listed("yes" if each else "no" for each in values) or "nothing"
    return listed(value_text(inner, each) for each in values) or "nothing"


# ---- why a condition does not hold -------------------------------------------------------------------------


def sides(program: Program, condition: rules.Expr, m: Memory, holds: bool = True) -> list[tuple[str, str]]:
    """Parts of a condition with their values, that show why it is not what it should be (`holds`: true)."""
    read = program.expressions.read
    match condition:
        case rules.Both(terms) if holds:
            return sides(program, next((term for term in terms if not read(term)(m)), terms[0]), m)
        case rules.Either(terms) if not holds:
            return sides(program, next((term for term in terms if read(term)(m)), terms[0]), m, False)
        case rules.Either(terms):
            return [side for term in terms for side in sides(program, term, m)]
        case rules.Not(value):
            return sides(program, value, m, not holds)
        case rules.Conditional(test, then, otherwise):
            return [*_told(program, test, m), *sides(program, then if read(test)(m) else otherwise, m, holds)]
        case rules.Aggregate("all", rules.Mapped(source, each, value)):
            return _first_that_fails(program, source, each, value, m)
        case rules.Call(name, arguments):
            rule = next(rule for rule in program.layout.game.definitions if rule.name == name)
            for parameter, argument in zip(rule.parameters, [read(each)(m) for each in arguments], strict=True):
                m[program.expressions.slot(parameter)] = argument
            return [*_told(program, condition, m), *sides(program, rule.value, m, holds)]
        case rules.Compare(_, left, right):
            return [part for side in (left, right) for part in _parts(program, side, m)]
        case rules.Contains(element, source):
            return [*_told(program, element, m), *_told(program, source, m)]
    return _told(program, condition, m)


def _first_that_fails(
    program: Program, source: rules.Expr, each: rules.Local, value: rules.Expr, m: Memory
) -> list[tuple[str, str]]:
    slot, read = program.expressions.slot(each), program.expressions.read(value)
    for element in program.expressions.read(source)(m):
        m[slot] = element
        if not read(m):
            assert not isinstance(source.type, rules.Maybe)
            of = source.type.of if isinstance(source.type, rules.Many) else source.type
            return [(each.name, told(program, m, of, element)), *sides(program, value, m)]
    return []


def _parts(program: Program, side: rules.Expr, m: Memory) -> list[tuple[str, str]]:
    """A side of a comparison, and what it is the sum of."""
    parts = _told(program, side, m)
    if isinstance(side, rules.Arithmetic):
        inner = [part for each in (side.left, side.right) for part in _parts(program, each, m)]
        parts += [part for part in inner if part not in parts]
    return parts


def _told(program: Program, part: rules.Expr, m: Memory) -> list[tuple[str, str]]:
    """A part as it is written, with its value; nothing for what is written as a value."""
    if isinstance(part, rules.Constant):
        return []
    text = " ".join(part.span.text.split())
    if len(text) > MOST_WORDS:
        text = text[: MOST_WORDS - 1] + "…"
    return [(text, told(program, m, part.type, program.expressions.read(part)(m)))]
