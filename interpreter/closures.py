"""Closures over the memory that need no tree: what expressions are put together from."""

from collections.abc import Callable
from typing import Any

from ..dsl import rules
from ..dsl.source import Span
from .engine import BROKEN_OFF, RulesFault
from .layout import IN

Memory = list[Any]
Read = Callable[[Memory], Any]


IN_RANGE = "every value stays in its range"
"""The property that a value refutes which lies outside of the range it was declared with."""


def fault(message: str, span: Span, property: str = BROKEN_OFF) -> RulesFault:
    """A fault of the rules; whoever runs the program adds the phases and the state."""
    return RulesFault(message, span, property=property)


def total(known: int, unknown: list[tuple[Read, int]]) -> int | Read:
    """The sum of a number and of others times a factor; short for up to two."""
    if not unknown:
        return known
    (first, a), *rest = unknown
    if not rest:
        return (lambda m: known + first(m)) if a == 1 else (lambda m: known + first(m) * a)
    if len(rest) == 1:
        ((second, b),) = rest
        return lambda m: known + first(m) * a + second(m) * b
    return lambda m: known + sum([read(m) * step for read, step in unknown])


def all_of(terms: list[Read]) -> Read:
    """Whether all hold, from left to right up to the first that does not."""
    if len(terms) == 2:
        one, two = terms
        return lambda m: one(m) and two(m)

    def both(m: Memory) -> bool:
        for term in terms:  # noqa: SIM110  all() with a generator costs twice the time
            if not term(m):
                return False
        return True

    return both


def any_of(terms: list[Read]) -> Read:
    """Whether one holds, from left to right up to the first that does."""
    if len(terms) == 2:
        one, two = terms
        return lambda m: one(m) or two(m)

    def either(m: Memory) -> bool:
        for term in terms:  # noqa: SIM110  any() with a generator costs twice the time
            if term(m):
                return True
        return False

    return either


def compared(relation: str, left: Read, right: Read) -> Read:
    """Two values compared."""
    match relation:
        case "is":
            return lambda m: left(m) == right(m)
        case "is not":
            return lambda m: left(m) != right(m)
        case "<":
            return lambda m: left(m) < right(m)
        case "<=":
            return lambda m: left(m) <= right(m)
        case ">":
            return lambda m: left(m) > right(m)
        case _:
            return lambda m: left(m) >= right(m)


def compared_to(relation: str, left: Read, right: Any) -> Read:
    """A value compared with a known one."""
    match relation:
        case "is":
            return lambda m: left(m) == right
        case "is not":
            return lambda m: left(m) != right
        case "<":
            return lambda m: left(m) < right
        case "<=":
            return lambda m: left(m) <= right
        case ">":
            return lambda m: left(m) > right
        case _:
            return lambda m: left(m) >= right


def inside(read: Read, ends: tuple[int, int], span: Span) -> Read:
    """The same, with a fault where a number lies outside of a range."""
    low, high = ends

    def checked(m: Memory) -> Any:
        value = read(m)
        if value is not None and not low <= value <= high:
            raise fault(f"{value} is not in {low}..{high}", span, IN_RANGE)
        return value

    return checked


def within_64_bits(read: Read, span: Span) -> Read:
    """The same, with a fault where a number needs more than 64 bits."""

    return lambda m: of_64_bits(read(m), span)


def of_64_bits(value: int, span: Span) -> int:
    """A number, with a fault where it needs more than 64 bits."""
    if not rules.LEAST <= value <= rules.MOST:
        raise fault("the number is too large", span)
    return value


def dividing(divide: Callable[[int, int], int], left: Read, right: Read, span: Span) -> Read:
    """A division, with a fault for zero."""

    def divided(m: Memory) -> int:
        number, by = left(m), right(m)
        if by == 0:
            raise fault("division by zero", span)
        return divide(number, by)

    return divided


def called(body: Read, slots: list[int], arguments: list[Read]) -> Read:
    """A definition's body with its parameters set."""
    if len(slots) == 1:
        (slot,), (argument,) = slots, arguments

        def with_one(m: Memory) -> Any:
            m[slot] = argument(m)
            return body(m)

        return with_one

    def with_many(m: Memory) -> Any:
        # All are evaluated before any is set: an argument may call the same definition.
        for slot, value in zip(slots, [argument(m) for argument in arguments], strict=True):
            m[slot] = value
        return body(m)

    return with_many


def others(player: Read) -> Read:
    """The seats still in after a player, round the table."""

    def others(m: Memory) -> tuple[int, ...]:
        me, seats = player(m), m[IN]
        return tuple([seat for seat in seats if seat > me] + [seat for seat in seats if seat < me])

    return others


def seat_after(seats: tuple[int, ...], seat: int, steps: int) -> int:
    """The seat so many further on among `seats`, which need not include it; `seats` are not empty."""
    after = sum(1 for other in seats if other < seat)
    if seat not in seats and steps > 0:
        steps -= 1
    return seats[(after + steps) % len(seats)]


def neighbour(player: Read, steps: Read, span: Span) -> Read:
    """The seat so many further on."""

    def neighbour(m: Memory) -> int:
        seat, number, seats = player(m), steps(m), m[IN]
        if number == 0:
            return int(seat)
        if not seats:
            raise fault("nobody is left in the game", span)
        return seat_after(seats, seat, number)

    return neighbour


def player_at(seat: Read, players: int, span: Span) -> Read:
    """The player in a seat from 1."""

    def player(m: Memory) -> int:
        number: int = seat(m)
        if not 1 <= number <= players:
            raise fault(f"there is no player {number}", span)
        return number - 1

    return player


def only(source: Read, span: Span) -> Read:
    """The only element."""

    def only(m: Memory) -> Any:
        elements = source(m)
        if len(elements) != 1:
            raise fault(f"there must be exactly one, and there are {len(elements)}", span)
        return elements[0]

    return only


def without(kept: tuple[Any, ...], dropped: tuple[Any, ...]) -> tuple[Any, ...]:
    """The elements that are not among the others."""
    return tuple([element for element in kept if element not in dropped]) if dropped else kept
