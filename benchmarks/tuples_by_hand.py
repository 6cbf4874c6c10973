"""Five games as plain Python over tuples: what `verify`'s search is measured against.

Each function gives what can follow a position, chance and choices alike; a position is a tuple of small tuples and
numbers, as a careful programmer would write it for one game.
"""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from typing import Any

Position = tuple[Any, ...]

PIG_TARGET = 30
DICE = list(combinations_with_replacement(range(1, 7), 2))


def pig(position: Position) -> Iterator[Position]:
    """(mover, points, points, points of this turn, whether the die is thrown next)"""
    mover, one, two, turn, thrown = position
    points = (one, two)
    if max(points) >= PIG_TARGET:
        return
    if thrown:
        yield (1 - mover, one, two, 0, False)
        for pips in range(2, 7):
            if points[mover] + turn + pips >= PIG_TARGET:
                yield _banked(mover, points, turn + pips)
            else:
                yield (mover, one, two, turn + pips, False)
    else:
        yield (mover, one, two, turn, True)
        if turn:
            yield _banked(mover, points, turn)


def _banked(mover: int, points: tuple[int, int], turn: int) -> Position:
    one, two = (total + turn if seat == mover else total for seat, total in enumerate(points))
    return (1 - mover, one, two, 0, False)


def junior(position: Position) -> Iterator[Position]:
    """(mover, chips in the middle, chips of each player: how many of each number; chips being thrown)"""
    mover, middle, won, thrown = position
    if thrown:
        yield from _fallen(mover, middle, won, thrown)
        return
    there = [number for number in range(6) if middle[number]]
    if sum(middle) > 1:
        for pair in combinations_with_replacement(there, 2):
            if pair[0] != pair[1] or middle[pair[0]] > 1:
                yield (mover, _without(middle, pair), won, pair)
    else:
        for number in there:
            yield (mover, _without(middle, (number,)), won, (number,))


def _fallen(
    mover: int, middle: tuple[int, ...], won: tuple[tuple[int, ...], ...], thrown: tuple[int, ...]
) -> Iterator[Position]:
    ways = {()} | {(number,) for number in thrown} | {thrown}
    for up in ways:
        down = list(thrown)
        for number in up:
            down.remove(number)
        mine = _with(won[mover], up)
        both = (mine, won[1]) if mover == 0 else (won[0], mine)
        yield (1 - mover, _with(middle, tuple(down)), both, ())


def _with(counts: tuple[int, ...], numbers: tuple[int, ...]) -> tuple[int, ...]:
    made = list(counts)
    for number in numbers:
        made[number] += 1
    return tuple(made)


def _without(counts: tuple[int, ...], numbers: tuple[int, ...]) -> tuple[int, ...]:
    made = list(counts)
    for number in numbers:
        made[number] -= 1
    return tuple(made)


def left_center_right(position: Position) -> Iterator[Position]:
    """(mover, chips of each player)"""
    mover, chips = position
    if sum(1 for each in chips if each) == 1:
        return
    players, dice = len(chips), min(3, chips[mover])
    for kept in range(dice + 1):
        for left in range(dice - kept + 1):
            for right in range(dice - kept - left + 1):
                now = list(chips)
                now[mover] -= dice - kept
                now[(mover + 1) % players] += left
                now[(mover - 1) % players] += right
                yield ((mover + 1) % players, tuple(now))


def shut_the_box(position: Position) -> Iterator[Position]:
    """(open tiles, what was thrown or None, dice to be thrown or None)"""
    tiles, rolled, dice = position
    if rolled is not None:
        ways = [shut for size in range(1, len(tiles) + 1) for shut in combinations(tiles, size) if sum(shut) == rolled]
        for shut in ways:
            yield (tuple(tile for tile in tiles if tile not in shut), None, None)
        if not ways:
            yield ((), sum(tiles), "over")
        return
    if dice == "over" or not tiles:
        return
    if dice is None and max(tiles) <= 6:
        yield (tiles, None, 1)
        yield (tiles, None, 2)
        return
    for total in range(1, 7) if dice == 1 else range(2, 13):
        yield (tiles, total, None)


def gathering(position: Position) -> Iterator[Position]:
    """Thirty's first phase: (dice put aside, dice lying thrown or None)"""
    aside, thrown = position
    if thrown is None:
        if len(aside) < 6:
            for faces in combinations_with_replacement(range(1, 7), 6 - len(aside)):
                yield (aside, faces)
        return
    for size in range(1, len(thrown) + 1):
        for kept in set(combinations(thrown, size)):
            yield (tuple(sorted(aside + kept)), None)
