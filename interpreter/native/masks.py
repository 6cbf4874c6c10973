"""Conditions on the elements of a small set as bits: one number says of every element whether it holds.

`count(chips where number is 3)` becomes a count of bits, without a loop. Where a condition cannot be told so, or might
be a fault, there is no such number, and elements are looked at one by one.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...dsl import rules
from ...dsl.tree import walk
from ..layout import KindOfItem
from . import items, sight, values
from .code import NONE, NOTHING, Op, add, choose, compare, do, known, mul, num, plain, sub
from .listings import Bits, Listing, Numbers, Prepared, bit
from .memory import MOST_FLAGS, Cell, Flags, Planes, Table

if TYPE_CHECKING:
    from .lowering import Lowering

EVERY = num(-1)
WIDEST = 64
"""The values of a field that are told apart by a table lie no further from each other."""

Each = frozenset[int]
"""The numbers of the locals that stand for the element."""

TURNED = {"is": "is", "is not": "is not", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""What a comparison is with its sides exchanged."""


def narrowed(low: "Lowering", source: Listing, condition: rules.Expr, each: rules.Local, holds: bool) -> Listing | None:
    """The elements of a small set for which a condition holds, or does not, if bits say so."""
    if isinstance(source, Prepared):
        then = narrowed(low, source.then, condition, each, holds)
        return then and Prepared(low, source.bound, True, True, first=source.first, then=then)
    if not (source.small and source.rising and isinstance(source, Bits | Numbers)):
        return None
    if isinstance(source, Numbers) and (known(source.first) is None or known(source.last) is None):
        return None
    fits = mask(low, condition, frozenset({each.number}))
    if fits is None:
        return None
    sole = source.sole if isinstance(source, Bits) else -1
    return Bits(low, source.bound, True, True, word=_and(source.bits(), fits if holds else _not(fits)), sole=sole)


def mask(low: "Lowering", condition: rules.Expr, each: Each) -> Op | None:
    """The elements for which a condition holds, as bits; what is no element may be among them."""
    if not _mentions(condition, each):
        return _settled(low, condition)
    match condition:
        case rules.Compare(operator, left, right) if isinstance(left.type, rules.YesNo):
            one, other = mask(low, left, each), mask(low, right, each)
            if one is None or other is None or operator not in ("is", "is not"):
                return None
            differ = plain("xor", one, other)
            return differ if operator == "is not" else _not(differ)
        case rules.Compare(left=left) if isinstance(left.type, rules.Many):
            return None
        case rules.Compare(operator, left, right):
            if not _mentions(right, each):
                return _compared(low, operator, left, right, each)
            return None if _mentions(left, each) else _compared(low, TURNED[operator], right, left, each)
        case rules.Contains(rules.Local(number=number), source) if number in each and not _mentions(source, each):
            listing = low.listing(source)
            bits = listing.bits() if listing.small else None
            return None if bits is None or bits.faults else bits
        case rules.Not(value):
            fits = mask(low, value, each)
            return None if fits is None else _not(fits)
        case rules.Both(terms) | rules.Either(terms):
            together = [mask(low, term, each) for term in terms]
            join = _and if isinstance(condition, rules.Both) else _or
            made: Op | None = together[0]
            for fits in together[1:]:
                made = None if made is None or fits is None else join(made, fits)
            return made
        case rules.Conditional(test, then, otherwise):
            return _either(low, mask(low, test, each), mask(low, then, each), mask(low, otherwise, each))
        case rules.Call():
            return _called(low, condition, each, lambda value, each: mask(low, value, each))
        case rules.FieldOf():
            return _field(low, condition, "is", num(1), each)
    return None


def total(low: "Lowering", source: Listing, value: rules.Expr, each: rules.Local) -> Op | None:
    """The sum of a field that never changes over a small set: its binary digits, counted one by one."""
    if isinstance(source, Prepared):
        made = total(low, source.then, value, each)
        return made and do(source.first, made)
    if not isinstance(source, Bits) or not isinstance(value, rules.FieldOf):
        return None
    fixed = _fixed(low, value, frozenset({each.number}))
    if fixed is None or None in fixed.values() or not fixed:
        return None
    numbers = {item: int(number) for item, number in fixed.items() if number is not None}
    least, most = min(numbers.values()), max(numbers.values())
    if least >= 0 and most.bit_length() <= (most - least).bit_length():
        least = 0
    if (most - least).bit_length() > 8:
        return None
    kept, word = low.keep(source.word)
    made = mul(plain("popcnt", word), num(least)) if least else num(0)
    for digit in range((most - least).bit_length()):
        having = sum(1 << item for item, number in numbers.items() if (number - least) >> digit & 1)
        made = add(made, plain("shl", plain("popcnt", _and(word, _bits(having))), num(digit)))
    return do(kept, made)


# ---- what does not change from element to element ------------------------------------------------------


def _mentions(expr: rules.Expr, each: Each) -> bool:
    return any(isinstance(node, rules.Local | rules.LocalOf) and node.number in each for node, _ in walk(expr))


def _settled(low: "Lowering", condition: rules.Expr) -> Op | None:
    """The same for all elements."""
    test = low.test(condition)
    return None if test.faults else choose(test, EVERY, num(0))


# ---- comparisons ---------------------------------------------------------------------------------------


def _compared(low: "Lowering", operator: str, left: rules.Expr, right: rules.Expr, each: Each) -> Op | None:
    """The elements for which a value compares so with another that is the same for all."""
    other = low.number(right)
    if other.faults or (operator not in ("is", "is not") and isinstance(right.type, rules.Maybe)):
        return None
    kept, it = low.keep(other)
    fits = _fitting(low, operator, left, it, each)
    return None if fits is None else do(kept, fits)


def _fitting(low: "Lowering", operator: str, value: rules.Expr, other: Op, each: Each) -> Op | None:
    if not _mentions(value, each):
        mine = low.number(value)
        return None if mine.faults else choose(compare(operator, mine, other), EVERY, num(0))
    match value:
        case rules.Local():
            if operator not in ("is", "is not"):
                return None
            one = choose(plain("<u", other, num(WIDEST)), bit(other), num(0))
            return one if operator == "is" else _not(one)
        case rules.Conditional(test, then, otherwise):
            return _either(
                low,
                mask(low, test, each),
                _fitting(low, operator, then, other, each),
                _fitting(low, operator, otherwise, other, each),
            )
        case rules.Call():
            return _called(low, value, each, lambda inner, each: _fitting(low, operator, inner, other, each))
        case rules.FieldOf():
            return _field(low, value, operator, other, each)
    return None


def _field(low: "Lowering", value: rules.FieldOf, operator: str, other: Op, each: Each) -> Op | None:
    """The elements whose field compares so with a number."""
    stored = _stored(low, value, each)
    if isinstance(stored, Flags):
        lower, higher = (compare(operator, num(stored.least + more), other) for more in (0, 1))
        return _or(choose(lower, _not(stored.word), num(0)), choose(higher, stored.word, num(0)))
    if isinstance(stored, Planes) and operator in ("is", "is not"):
        having = stored.having(other)
        return having if operator == "is" else _not(having)
    fixed = _fixed(low, value, each)
    if fixed is None:
        return None
    if operator == "is not":
        fits = _field(low, value, "is", other, each)
        return None if fits is None else _not(fits)
    if operator != "is" and None in fixed.values():
        return None
    numbers = {item: NONE if number is None else int(number) for item, number in fixed.items()}
    exact = known(other)
    if exact is not None:
        return _bits(_holding(operator, numbers, exact))
    some = [number for number in numbers.values() if number != NONE]
    least, most = min(some, default=0) - 1, max(some, default=0) + 1
    if most - least > WIDEST:
        return None
    # Below and above all values nothing changes any more.
    table: Table = low.table(
        f"where {value.field} {operator}", [_word(_holding(operator, numbers, n)) for n in range(least, most + 1)]
    )
    kept, it = low.keep(other)
    raised = Op("select", (it, num(least), compare(">", it, num(least))), None, "n")
    low_, place = low.keep(raised)
    clamped = Op("select", (place, num(most), compare("<", place, num(most))), None, "n")
    fits = table.read(sub(clamped, num(least)))
    if NONE in numbers.values():
        fits = choose(compare("is", it, num(NONE)), _bits(_holding(operator, numbers, NONE)), fits)
    return do(kept, low_, fits)


def _holding(operator: str, numbers: dict[int, int], other: int) -> int:
    """The items whose number compares so with another, as bits."""
    return sum(1 << item for item, number in numbers.items() if known(compare(operator, num(number), num(other))))


def _fixed(low: "Lowering", value: rules.FieldOf, each: Each) -> dict[int, int | bool | None] | None:
    """A field of the element that never changes, by item; None for others, and where a strategy might not see it."""
    kinds = _own(low, value, each)
    if not kinds or any((kind.rule.name, value.field) in low.memory.fields for kind in kinds):
        return None
    column = low.layout.fixed[value.field]
    return {item: column[item] for kind in kinds for item in range(kind.first, kind.end)}


def _stored(low: "Lowering", value: rules.FieldOf, each: Each) -> Cell | Flags | Planes | None:
    """How a field of the element stands in memory; None for others, and where a strategy might not see it."""
    kinds = _own(low, value, each)
    return low.memory.fields.get((kinds[0].rule.name, value.field)) if len(kinds) == 1 else None


def _own(low: "Lowering", value: rules.FieldOf, each: Each) -> list[KindOfItem]:
    """The kinds of the element, whose field this is; none where there are many items or a strategy might not see it."""
    if not (isinstance(value.item, rules.Local) and value.item.number in each):
        return []
    kinds = items.of_kinds(low, value.item.type)
    if any(kind.end > MOST_FLAGS for kind in kinds):
        return []
    if low.watcher is not None and sight.watched(low, kinds, value, num(0)) is not NOTHING:
        return []
    return kinds


def _called(
    low: "Lowering", call: rules.Call, each: Each, inside: Callable[[rules.Expr, Each], Op | None]
) -> Op | None:
    """The same of what a definition says."""
    rule = low.definitions[call.definition]
    passed, others = set(each), []
    for parameter, argument in zip(rule.parameters, call.arguments, strict=True):
        if isinstance(argument, rules.Local) and argument.number in each:
            passed.add(parameter.number)
        elif _mentions(argument, each):
            return None
        else:
            others.append((parameter, argument))
    prepared, env = values.bound_to(low, others)
    if prepared.faults:
        return None
    with low.where(env):
        made = inside(rule.value, frozenset(passed))
    return None if made is None else do(prepared, made)


# ---- bits ----------------------------------------------------------------------------------------------


def _word(bits: int) -> int:
    """Bits as a signed number."""
    return bits - (1 << 64) if bits >> 63 else bits


def _bits(bits: int) -> Op:
    return num(_word(bits))


def _not(word: Op) -> Op:
    if word.name == "xor" and known(word.parts[1]) == -1:
        return word.parts[0]
    return plain("xor", word, EVERY)


def _and(one: Op, other: Op) -> Op:
    return plain("and", one, other)


def _or(one: Op, other: Op) -> Op:
    return plain("or", one, other)


def _either(low: "Lowering", where: Op | None, then: Op | None, otherwise: Op | None) -> Op | None:
    """One word where a third has ones, another where it has none."""
    if where is None or then is None or otherwise is None:
        return None
    if known(where) in (-1, 0):
        return then if known(where) else otherwise
    kept, else_ = low.keep(otherwise)
    return do(kept, plain("xor", else_, plain("and", plain("xor", then, else_), where)))
