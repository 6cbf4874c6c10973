"""Positions and answers in which items have changed places: the same game with other things where nobody looks.

An exchange says for items under which other number each goes on; who takes the place of another also takes over what
that one shows and its changing fields. So what differs afterwards is which fixed fields lie where.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .asking import ChoosePlace, Choosing, TogetherPlace
from .chance import HandfulEvent, PickEvent, ThrowEvent
from .decisions import LabelDecision, OneDecision, SetDecision
from .engine import Answer, Chance, Decision, IllegalAnswer
from .program import Program
from .state import State

Exchange = Mapping[int, int]
"""The new numbers of the items that get others; each that is named comes once on both sides."""


def swapped(program: Program, state: State, a: int, b: int) -> State | None:
    """The state in which two items have changed places; None where an open choice leaves it unsaid what that is."""
    return exchanged(program, state, {a: b, b: a})


def exchanged(program: Program, state: State, moved: Exchange) -> State | None:
    """The state with items under other numbers.

    None where a player has chosen one of several things that looked alike and no longer do.
    """
    m, other = program.layout.memory(), program.layout.memory()
    m[: len(state.values)] = state.values
    other[: len(state.values)] = relabelled(program, m, moved)
    for slot, seat, choice in _unsettled(program, m):
        looks = _looks(program, m, other, moved, seat, choice, slot)
        if looks is None:
            return None
        other[slot] = looks
    return State(state.step, tuple(other[: len(state.values)]))


def relabelled(program: Program, m: Sequence[Any], moved: Exchange) -> list[Any]:
    """A memory's slots with items under their new numbers."""
    layout = program.layout
    values = list(m[: len(layout.names)])
    for slot in program.sight.marks:
        values[slot] = _renamed(m[slot], moved)
    for zone, (rule, _, _) in layout.zone_at.items():
        if zone >= 0:
            values[zone] = _in_order(_renamed(m[zone], moved), m[zone + 1] if rule.stacked else None)
    for old, new in moved.items():
        for slots in layout.field_slots.values():
            if slots[old]:
                values[slots[new]] = m[slots[old]]
        if old < layout.movable:
            values[layout.places + new] = m[layout.places + old]
    return values


def _renamed(value: Any, moved: Exchange) -> Any:
    if isinstance(value, tuple):
        return tuple([moved.get(item, item) for item in value])
    return moved.get(value, value)


def _in_order(items: tuple[int, ...], unknown: tuple[int, ...] | None) -> tuple[int, ...]:
    """A zone's items by number, in a stacked zone only those in unknown positions."""
    if unknown is None:
        return tuple(sorted(items))
    laid, free = list(items), sorted(items[p] for p in unknown)
    for position, item in zip(unknown, free, strict=True):
        laid[position] = item
    return tuple(laid)


# ---- what was chosen and is not settled ----------------------------------------------------------------


def _unsettled(program: Program, m: list[Any]) -> Iterator[tuple[int, int, Choosing]]:
    """The slots that keep what was chosen as it looked: with who chose it, and where."""
    for place in program.places.values():
        if isinstance(place, TogetherPlace):
            for seat in range(program.layout.players):
                if m[place.kept + seat]:
                    yield place.kept + seat, seat, place
        elif isinstance(place, ChoosePlace) and m[place.kept]:
            yield place.kept, place.owner(m), place


def _looks(
    program: Program, m: list[Any], other: list[Any], moved: Exchange, seat: int, choice: Choosing, slot: int
) -> tuple[Any, ...] | None:
    """What was chosen as it looks after the exchange."""
    sight = program.sight
    looks: list[Any] = []
    for part, chosen in zip(choice.parts[len(choice.parts) - len(m[slot]) :], m[slot], strict=True):
        if not part.of_items:
            looks.append(chosen)
            continue
        pairs = []
        for key, count in chosen:
            alike = [item for item in range(len(program.layout.kind_of)) if sight.seen(m, item, seat) == key]
            now = {sight.seen(other, moved.get(item, item), seat) for item in alike}
            if len(now) != 1:
                return None
            pairs.append((now.pop(), count))
        looks.append(tuple(sorted(pairs)))
    return tuple(looks)


# ---- answers -------------------------------------------------------------------------------------------


def translated(
    request: Decision | Chance, other: Decision | Chance, answer: int | Answer, moved: Exchange
) -> tuple[int | Answer, Exchange] | None:
    """The same answer to a request where items are exchanged, and the exchange from there on.

    Where an engine takes the lowest of several items that nobody could tell apart, that one goes on in the place of
    the one that was meant. None where there is no such answer.
    """
    if type(request) is not type(other):
        return None
    made: tuple[int | Answer, Exchange] | None = _ANSWERS[type(request)](request, other, answer, moved)
    if made is not None and not isinstance(made[0], int):
        try:
            other.check(made[0])  # type: ignore[union-attr]  # all events of chance can check
        except IllegalAnswer:
            return None
    return made


def _label(request: LabelDecision, other: LabelDecision, answer: int, moved: Exchange) -> tuple[int, Exchange] | None:
    label = request.open[answer]
    return (list(other.open).index(label), moved) if label in other.open else None


def _one(request: OneDecision, other: OneDecision, answer: int, moved: Exchange) -> tuple[int, Exchange] | None:
    if request.declines(answer):
        return len(other) - 1, moved
    wanted = [each[1] if isinstance(each, tuple) else each for each in request.rows[answer]]
    for number, row in enumerate(other.rows):
        there = [each[1] if isinstance(each, tuple) else each for each in row]
        if all(_same(one, two, moved) for one, two in zip(wanted, there, strict=True)):
            for one, two in zip(wanted, there, strict=True):
                moved = _bound(other, one[:1], two, moved) if isinstance(one, tuple) else moved
            return number, moved
    return None


def _same(wanted: Any, there: Any, moved: Exchange) -> bool:
    """Whether an element of a row is the one wanted: the same value, or items among which the wanted one is."""
    return moved.get(wanted[0], wanted[0]) in there if isinstance(wanted, tuple) else bool(wanted == there)


def _set(request: SetDecision, other: SetDecision, answer: int, moved: Exchange) -> tuple[int, Exchange] | None:
    if request.declines(answer):
        return len(other) - 1, moved
    taken, of_items = request.taken(request.sets[answer]), request.asking.of_items
    named = {moved.get(item, item) if of_items else item: item for item in taken}
    chosen = [sorted([named[item] for item in items if item in named]) for _, items in other.groups]
    if sum(map(len, chosen)) != len(taken):
        return None
    try:
        number = other.sets.index(tuple(map(len, chosen)))
    except ValueError:
        return None
    for (_, items), mine in zip(other.groups, chosen, strict=True):
        moved = _bound(other, mine, items, moved) if of_items else moved
    return number, moved


def _bound(
    other: OneDecision | SetDecision, chosen: Sequence[int], group: tuple[int, ...], moved: Exchange
) -> Exchange:
    """The exchange when the first of a group are bound; where they differ, chance will say which."""
    asking: Any = other.asking
    meant = [moved.get(item, item) for item in chosen]
    return _standing_for(moved, meant, group) if asking.sight.same(other.m, group) else moved


def _throw(request: ThrowEvent, other: ThrowEvent, answer: Answer, moved: Exchange) -> tuple[Answer, Exchange] | None:
    shown = {moved.get(item, item): face for item, face in zip(request.items, answer, strict=True)}
    if set(shown) != set(other.items):
        return None
    faces, was = [shown[item] for item in other.items], _back(moved)
    for places in other.groups:
        by_face = sorted(places, key=lambda place: (shown[other.items[place]], was(other.items[place])))
        moved = _onwards(moved, {other.items[old]: other.items[new] for old, new in zip(by_face, places, strict=True)})
        for place, old in zip(places, by_face, strict=True):
            faces[place] = shown[other.items[old]]
    return tuple(faces), moved


def _handful(
    request: HandfulEvent, other: HandfulEvent, answer: Answer, moved: Exchange
) -> tuple[Answer, Exchange] | None:
    came = [moved.get(item, item) for item in answer]
    lowest = dict(zip(came, came, strict=True))
    for handful in other.handfuls:
        mine = [item for item in came if item in handful.items]
        lowest |= dict(zip(mine, handful.lowest(mine), strict=True))
        for group in handful.subgroups:
            moved = _standing_for(moved, [item for item in mine if item in group], group)
    given = [lowest[item] for item in came]
    return tuple(given if other.in_order else sorted(given)), moved


def _pick(request: PickEvent, other: PickEvent, answer: Answer, moved: Exchange) -> tuple[Answer, Exchange] | None:
    place: Any = other.happening
    if not place.of_items:
        return answer, moved
    wanted = moved.get(answer[0], answer[0])
    for group in place.sight.apart(other.m, place.source(other.m)):
        if wanted in group:
            return (group[0],), _standing_for(moved, [wanted], group)
    return None


_ANSWERS: dict[type, Callable[..., Any]] = {
    LabelDecision: _label,
    OneDecision: _one,
    SetDecision: _set,
    ThrowEvent: _throw,
    HandfulEvent: _handful,
    PickEvent: _pick,
}


def _standing_for(moved: Exchange, meant: Sequence[int], group: Sequence[int]) -> Exchange:
    """The exchange in which the first of a group, all alike, go on in the places of those that were meant.

    The others stay in their order: rules may take the first of several that are alike.
    """
    first = list(group[: len(meant)])
    rest = sorted([item for item in group if item not in meant], key=_back(moved))
    return _onwards(moved, dict(zip([*meant, *rest], first + list(group[len(meant) :]), strict=True)))


def _back(moved: Exchange) -> Callable[[int], int]:
    """From an item to the one whose place it has taken."""
    old = {new: item for item, new in moved.items()}
    return lambda item: old.get(item, item)


def _onwards(moved: Exchange, then: Exchange) -> Exchange:
    """An exchange followed by another."""
    both = {item: then.get(new, new) for item, new in moved.items()}
    both |= {item: new for item, new in then.items() if item not in moved}
    return {item: new for item, new in both.items() if item != new}
