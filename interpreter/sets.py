"""Sets and lists as closures: filtered, mapped, counted."""

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, assert_never

import attrs

from ..dsl import rules
from .closures import Memory, Read, fault, within_64_bits

if TYPE_CHECKING:
    from .expressions import Expressions


def filtered(made: "Expressions", expr: rules.Filter) -> Read:
    """The elements for which a condition holds."""
    terms = list(expr.condition.terms) if isinstance(expr.condition, rules.Both) else [expr.condition]
    source = _sorted_out(made, expr.source, expr.each, terms[0])
    if source is not None:
        terms = terms[1:]
    else:
        source = made.read(expr.source)
    # One term after the other, each over what the terms before have left.
    for term in terms:
        source = _narrowed(made, source, expr.each, term)
    return source


def _narrowed(made: "Expressions", source: Read, each: rules.Local, term: rules.Expr) -> Read:
    """The elements for which one term holds; short where it compares a field with what is the same for all."""
    if isinstance(term, rules.Compare):
        for field, other, relation in (
            (term.left, term.right, term.operator),
            (term.right, term.left, TURNED[term.operator]),
        ):
            if _own_field(field, each) and not mentions(other, each):
                assert isinstance(field, rules.FieldOf)
                values, shift = made.field(field)
                if values is not None or shift is not None:
                    return compared_fields(relation, source, values, shift or 0, _side(made, other, relation))
    slot, condition = made.slot(each), made.read(term)
    return lambda m: tuple([m[slot] for m[slot] in source(m) if condition(m)])


def _side(made: "Expressions", other: rules.Expr, relation: str) -> Read:
    """The other side of a comparison."""
    return made.read(other) if relation in ("is", "is not") else made.sure(other)


def _own_field(expr: rules.Expr, each: rules.Local) -> bool:
    """Whether this is a field, surely there, of the element itmade."""
    return (
        isinstance(expr, rules.FieldOf)
        and isinstance(expr.item, rules.Local)
        and expr.item.number == each.number
        and isinstance(expr.item.type, rules.Item)
        and not isinstance(expr.type, rules.Maybe | rules.Many)
    )


def _sorted_out(made: "Expressions", source: rules.Expr, each: rules.Local, term: rules.Expr) -> Read | None:
    """All items of a kind with a fixed field of some value: sorted by it before play."""
    if not (isinstance(source, rules.AllItems) and isinstance(term, rules.Compare) and term.operator == "is"):
        return None
    field, other = term.left, term.right
    if not _own_field(field, each) or mentions(other, each):
        return None
    assert isinstance(field, rules.FieldOf)
    values, _ = made.field(field)
    if values is None:
        return None
    kind, sorted_out = made.layout.kinds[source.kind], dict[Any, tuple[int, ...]]()
    for item in range(kind.first, kind.end):
        sorted_out[values[item]] = (*sorted_out.get(values[item], ()), item)
    wanted = made.read(other)
    return lambda m: sorted_out.get(wanted(m), ())


def mapped(made: "Expressions", expr: rules.Mapped) -> Read:
    """A list of values, one for each element."""
    source = made.read(expr.source)
    inner = expr.value
    if isinstance(inner, rules.FieldOf) and inner.item == expr.each and isinstance(inner.item.type, rules.Item):
        values, shift = made.field(inner)
        if values is not None:
            return lambda m: tuple([values[item] for item in source(m)])
        if shift is not None:
            return lambda m: tuple([m[item + shift] for item in source(m)])
    each, value = made.slot(expr.each), made.read(inner)
    return lambda m: tuple([value(m) for m[each] in source(m)])


MOST_NUMBERS = 1_000_000
"""More numbers than this are not written out as a set."""


def numbers(made: "Expressions", expr: rules.Span_) -> Read:
    """The numbers from one to another."""
    least, most, span = made.sure(expr.low), made.sure(expr.high), expr.span

    def numbers(m: Memory) -> tuple[int, ...]:
        low, high = least(m), most(m)
        if high - low >= MOST_NUMBERS:
            raise fault(f"{low}..{high} are more than {MOST_NUMBERS:,} numbers", span)
        return tuple(range(low, high + 1))

    return numbers


def between(made: "Expressions", element: rules.Expr, ends: rules.Span_) -> Read:
    """Whether a number lies between two others, however far apart these are."""
    read, least, most = made.read(element), made.sure(ends.low), made.sure(ends.high)

    def between(m: Memory) -> bool:
        value, low, high = read(m), least(m), most(m)
        return value is not None and bool(low <= value <= high)

    return between


def extreme(made: "Expressions", expr: rules.Extreme) -> Read:
    """The elements with the highest or lowest key."""
    source, each, key = made.read(expr.source), made.slot(expr.each), made.sure(expr.key)
    best = max if expr.highest else min

    def extreme(m: Memory) -> tuple[Any, ...]:
        elements = source(m)
        if not elements:
            return ()
        keys = [key(m) for m[each] in elements]
        bar = best(keys)
        return tuple([element for element, reached in zip(elements, keys, strict=True) if reached == bar])

    return extreme


def aggregate(made: "Expressions", expr: rules.Aggregate) -> Read:
    """What a whole list comes to."""
    match expr.kind:
        case "count":
            source = made.read(expr.source)
            return lambda m: len(source(m))
        case "sum":
            source = made.elements(expr.source)
            total: Read = lambda m: sum(source(m))  # noqa: E731
            return within_64_bits(total, expr.span) if _may_overflow(expr.type) else total
        case "max" | "min":
            return _peak(made, expr)
        case "any":
            source = made.read(expr.source)
            return (lambda m: any(source(m))) if _are_tests(expr.source.type) else lambda m: bool(source(m))
        case "all":
            source = made.read(expr.source)
            return lambda m: all(source(m))
        case "distinct":
            source = made.read(expr.source)
            return lambda m: tuple(dict.fromkeys(source(m)))
        case _:
            assert_never(expr.kind)


def _peak(made: "Expressions", expr: rules.Aggregate) -> Read:
    """The highest or lowest value of a list."""
    source, best, span, kind = made.elements(expr.source), max if expr.kind == "max" else min, expr.span, expr.kind
    default = made.read(expr.default) if expr.default is not None else None

    def peak(m: Memory) -> Any:
        values = source(m)
        if values:
            return best(values)
        if default is None:
            raise fault(f"there is no {kind} of nothing", span)
        return default(m)

    return peak


def union(made: "Expressions", expr: rules.Union) -> Read:
    """Elements in either set."""
    left, right = made.read(expr.left), made.read(expr.right)
    if isinstance(expr.type, rules.Many) and isinstance(expr.type.of, rules.Item):
        return lambda m: tuple(sorted({*left(m), *right(m)}))
    return lambda m: tuple(dict.fromkeys((*left(m), *right(m))))


TURNED: dict[str, str] = {"is": "is", "is not": "is not", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""What a comparison is with its sides exchanged."""

COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def compared_fields(relation: str, source: Read, values: list[Any] | None, shift: int, other: Read) -> Read:
    """The items whose field, fixed or in a slot, compares so with a value that is the same for all of them."""
    if relation == "is" and values is not None:
        return over(source, other, lambda m, items, value: [item for item in items if values[item] == value])
    if relation == "is":
        return over(source, other, lambda m, items, value: [item for item in items if m[item + shift] == value])
    if relation == "is not" and values is not None:
        return over(source, other, lambda m, items, value: [item for item in items if values[item] != value])
    if relation == "is not":
        return over(source, other, lambda m, items, value: [item for item in items if m[item + shift] != value])
    holds = COMPARISONS[relation]
    if values is not None:
        return over(source, other, lambda m, items, value: [item for item in items if holds(values[item], value)])
    return over(source, other, lambda m, items, value: [item for item in items if holds(m[item + shift], value)])


def over(source: Read, other: Read, kept: Callable[[Memory, tuple[int, ...], Any], list[int]]) -> Read:
    """Items kept by a comparison with one value."""

    def over(m: Memory) -> tuple[int, ...]:
        items = source(m)
        # Not evaluated for nothing: it may be a fault where there are no items.
        return tuple(kept(m, items, other(m))) if items else ()

    return over


def mentions(expr: Any, local: rules.Local) -> bool:
    """Whether an expression reads a local."""
    waiting = [expr]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting.extend(part)
        elif isinstance(part, rules.Local):
            if part.number == local.number:
                return True
        elif isinstance(part, rules.Rule):
            waiting.extend(getattr(part, field.name) for field in attrs.fields(type(part)) if field.name != "span")
    return False


def _are_tests(type_: rules.Type) -> bool:
    return isinstance(type_, rules.Many) and isinstance(type_.of, rules.YesNo)


def _may_overflow(type_: rules.Type) -> bool:
    return isinstance(type_, rules.Number) and (type_.low == rules.LEAST or type_.high == rules.MOST)
