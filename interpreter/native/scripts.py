"""Answers of the reference engine as scripts for a game that machine code plays step by step."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..chance import Handful, HandfulEvent, PickEvent, ThrowEvent
from ..engine import Answer
from .stepped import Script


def script_of(request: Any, answer: int | Answer) -> Script:
    """The digits that say what an answer says to a request of the reference."""
    if isinstance(answer, int):
        return (answer,)
    match request:
        case ThrowEvent():
            return tuple(_thrown(request, answer))
        case HandfulEvent(in_order=True):
            (handful,) = request.handfuls
            came = [item for item, sure in zip(answer, request.sure, strict=True) if sure is None]
            return tuple(_in_sequence(handful.subgroups, came))
        case HandfulEvent():
            return tuple([digit for handful in request.handfuls for digit in _in_groups(handful, answer)])
        case PickEvent():
            possible = [value for value, weight in zip(request.values, request.weights, strict=True) if weight]
            return (possible.index(answer[0]),)
    raise AssertionError(f"{request!r} is no event of chance")


def _thrown(event: ThrowEvent, answer: Answer) -> Iterator[int]:
    """The faces of a group rise: each is counted from the one before."""
    faces = event.happening.words.layout.faces
    for group in event.groups:
        least = 0
        for place in group:
            number = sorted(set(faces[event.items[place]])).index(answer[place])
            yield number - least
            least = number


def _in_groups(handful: Handful, answer: Answer) -> Iterator[int]:
    """Of each group how many fewer come than could."""
    left = handful.count
    for group in handful.subgroups:
        taken = sum(item in answer for item in group)
        yield min(left, len(group)) - taken
        left -= taken


def _in_sequence(groups: Sequence[Sequence[int]], came: Sequence[int]) -> Iterator[int]:
    """Of which of the groups that are left each one is."""
    waiting = [set(group) for group in groups]
    for item in came:
        there = [group for group in waiting if group]
        number = next(number for number, group in enumerate(there) if item in group)
        there[number].remove(item)
        yield number
