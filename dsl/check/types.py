"""Types of values: how they are called in messages, which fits where, and what arithmetic does to ranges."""

from .. import rules
from ..source import Span

NONE = rules.Maybe(rules.Item(()))
"""The type of a bare `none`."""
UNKNOWN = rules.Item(("?",))
"""The type of something that was reported already; it fits everywhere."""
WIDEST = 1_000_000
"""No set or list has more elements than this."""

YES_NO = rules.YesNo()
NUMBER = rules.Number()
PLAYER = rules.Player()
COUNT = rules.Number(0, WIDEST)


def constant(value: int | bool | None, kind: rules.Type, at: Span) -> rules.Constant:
    """A value written down."""
    return rules.Constant(value, type=kind, span=at)


def number(value: int, at: Span) -> rules.Constant:
    """A number written down."""
    return constant(value, rules.Number(value, value), at)


def unknown(at: Span) -> rules.Constant:
    """A stand-in for a value that was reported."""
    return constant(0, UNKNOWN, at)


def unknowns(at: Span) -> rules.Members:
    """A stand-in for a set or list that was reported."""
    return rules.Members(type=rules.Many(UNKNOWN), span=at)


def bare(kind: rules.Type) -> rules.Type:
    """A type without its `or none`."""
    return kind.of if isinstance(kind, rules.Maybe) else kind


def element(value: rules.Expr) -> rules.Single:
    """The type of a set's elements."""
    assert isinstance(value.type, rules.Many)
    assert not isinstance(value.type.of, rules.Many)
    return value.type.of


def kinds(value: rules.Expr) -> tuple[str, ...]:
    """The components and sheets that an item, or the items of a set, may be of."""
    kind = bare(value.type.of if isinstance(value.type, rules.Many) else value.type)
    return kind.kinds if isinstance(kind, rules.Item) and known(kind) else ()


def known(kind: rules.Type) -> bool:
    """Whether a type is that of something nobody reported yet."""
    return UNKNOWN not in (kind, getattr(kind, "of", None))


def spoken(kind: rules.Type) -> str:
    """A type in words."""
    match kind:
        case rules.Number():
            return "a number"
        case rules.YesNo():
            return "yes or no"
        case rules.Member(type=name):
            return f"one of `{name}`"
        case rules.Item(kinds=kinds):
            return "one of " + " or ".join(f"`{k}`" for k in kinds) if kinds else "an item"
        case rules.Player():
            return "a player"
        case rules.Maybe(of=of):
            return "none" if kind == NONE else f"{spoken(of)} or none"
        case rules.Many(of=rules.Number()):
            return "a list of numbers"
        case rules.Many(of=rules.Player()):
            return "a set of players"
        case rules.Many(of=rules.Item(kinds=kinds)):
            return "a set of " + " or ".join(f"`{k}`" for k in kinds)
        case rules.Many(of=rules.Member(type=name)):
            return f"a list of members of `{name}`"
        case rules.Many(of=of):
            return f"a list of {spoken(of).removeprefix('a ')}"


def fits(given: rules.Type, wanted: rules.Type) -> bool:
    """Whether a value of one type can stand where another is wanted; `none` and ranges are looked at elsewhere."""
    if not known(given) or not known(wanted):
        return True
    match given, wanted:
        case rules.Many(of=one), rules.Many(of=other):
            return fits(one, other)
        case rules.Maybe(of=of), _ if given != NONE:
            return fits(of, wanted)
        case _, rules.Maybe(of=of):
            return given == NONE or fits(given, of)
        case rules.Number(), rules.Number():
            return True
        case rules.Item(kinds=kinds), rules.Item(kinds=others):
            return bool(set(kinds) & set(others))
        case _:
            return given == wanted


def joined(one: rules.Type, other: rules.Type) -> rules.Type | None:
    """The smallest type that both fit, if there is one."""
    if not known(one):
        return other
    if not known(other) or one == other:
        return one
    if isinstance(one, rules.Maybe) or isinstance(other, rules.Maybe):
        if NONE in (one, other):
            rest = other if one == NONE else one
            return rest if isinstance(rest, rules.Maybe | rules.Many) else rules.Maybe(rest)
        inner = joined(
            one.of if isinstance(one, rules.Maybe) else one,
            other.of if isinstance(other, rules.Maybe) else other,
        )
        return None if inner is None or isinstance(inner, rules.Many | rules.Maybe) else rules.Maybe(inner)
    match one, other:
        case rules.Number(), rules.Number():
            return rules.Number(min(one.low, other.low), max(one.high, other.high))
        case rules.Item(), rules.Item():
            return rules.Item(tuple(dict.fromkeys((*one.kinds, *other.kinds))))
        case rules.Many(), rules.Many():
            inner = joined(one.of, other.of)
            return rules.Many(inner) if inner else None
    return None


def clamped(low: int, high: int) -> rules.Number:
    """A range, cut to 64 bits."""
    return rules.Number(max(low, rules.LEAST), min(high, rules.MOST))


def arithmetic(operator: str, left: rules.Number, right: rules.Number) -> tuple[rules.Number, bool]:
    """The range of a result, and whether it may leave 64 bits."""
    a, b, c, d = left.low, left.high, right.low, right.high
    match operator:
        case "+":
            low, high = a + c, b + d
        case "-":
            low, high = a - d, b - c
        case "*":
            corners = [x * y for x in (a, b) for y in (c, d)]
            low, high = min(corners), max(corners)
        case "mod":
            reach = max(abs(c), abs(d)) - 1
            low, high = (-reach if c < 0 else 0), (reach if d > 0 else 0)
            if a >= 0 and b <= high:
                high = b
        case _:
            divisors = [x for x in (c, d, -1 if c < 0 < d else c, 1 if c < 0 < d or c == 0 else d) if x]
            corners = [q for x in (a, b) for y in divisors for q in (x // y, -(-x // y))] or [0]
            low, high = min(corners), max(corners)
    return clamped(low, high), low < rules.LEAST or high > rules.MOST


def added_up(of: rules.Number) -> rules.Number:
    """The range of a sum over a list of any length."""
    return clamped(min(0, of.low * WIDEST), max(0, of.high * WIDEST))


def between(of: rules.Number) -> str:
    """A range in words: its only number, or both ends."""
    return str(of.low) if of.low == of.high else f"{of.low}..{of.high}"


def listed(names: tuple[str, ...], word: str = "or") -> str:
    """Names in a sentence: `a`, `b` or `c`."""
    quoted = [f"`{n}`" for n in names]
    return f" {word} ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
