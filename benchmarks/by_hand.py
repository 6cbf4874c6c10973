"""Four games for two as tight Python: what the engines are measured against. Choices are random, as in the benchmarks.

Each game is played with the numbers that `draw` gives, from 0 up to but not including 1, and gives who has won (0, 1,
or 2 for both) and the points. With `draws` they are games of the engines, choice for choice.
"""

from collections.abc import Callable
from functools import lru_cache

from regelwerk.interpreter import Stream

Draw = Callable[[], float]
Outcome = tuple[int, int, int]


def draws(seed: int, game: int) -> Draw:
    """The numbers of a game of the engines."""
    below = Stream(seed, game).below
    return lambda: below(2**32) / 2**32


def higher(one: int, other: int) -> Outcome:
    """The higher points win."""
    return 0 if one > other else 1 if one < other else 2, one, other


def pig(draw: Draw) -> Outcome:
    """Pig to a hundred points, rolling or holding at random."""
    points = [0, 0]
    mover = 0
    while True:
        turn = 0
        while points[mover] + turn < 100:
            if draw() >= 0.5 and turn:
                break
            pips = int(draw() * 6) + 1
            if pips == 1:
                turn = 0
                break
            turn += pips
        points[mover] += turn
        if points[mover] >= 100:
            return higher(*points)
        mover ^= 1


def junior(draw: Draw) -> Outcome:
    """Chipbanditen Junior."""
    middle = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    points = [0, 0]
    mover = 0
    while middle:
        there = len(middle)
        if there > 2:
            first = int(draw() * there)
            second = int(draw() * (there - 1)) + 1
            if second == first:
                second = 0
            thrown = [middle[first], middle[second]] if first < second else [middle[second], middle[first]]
            kept = []
            for number in thrown:
                middle.remove(number)
                if draw() < 0.5:
                    points[mover] += number
                else:
                    kept.append(number)
            if kept:
                middle += kept
                middle.sort()
        else:
            kept = []
            for number in middle:
                if draw() < 0.5:
                    points[mover] += number
                else:
                    kept.append(number)
            middle = kept
        mover ^= 1
    return higher(*points)


@lru_cache(None)
def ways(dice: tuple[int, ...], wanted: int) -> int:
    """In how many ways so many dice can be taken out of some, counted by their pips."""
    if not dice:
        return int(wanted == 0)
    return sum(ways(dice[1:], wanted - taken) for taken in range(min(dice[0], wanted) + 1))


@lru_cache(None)
def sets(dice: tuple[int, ...]) -> list[tuple[int, int]]:
    """All sets of some dice, counted by their pips, by size and with low pips first: how many dice, and their sum."""
    found: list[tuple[int, int]] = []

    def take(face: int, wanted: int, size: int, eyes: int) -> None:
        if face == 6:
            found.extend([(size, eyes)] if wanted == 0 else [])
            return
        for taken in range(min(dice[face], wanted), -1, -1):
            take(face + 1, wanted - taken, size, eyes + taken * (face + 1))

    for size in range(1, sum(dice) + 1):
        take(0, size, size, 0)
    return found


def thirty(draw: Draw) -> Outcome:
    """Thirty; what can be kept of a throw is remembered."""
    points = [30, 30]
    mover = 0
    while True:
        eyes = 0
        left = 6
        while left:
            dice = [0, 0, 0, 0, 0, 0]
            for _ in range(left):
                dice[int(draw() * 6)] += 1
            options = sets(tuple(dice))
            kept, more = options[int(draw() * len(options))]
            left -= kept
            eyes += more
        if eyes < 30:
            points[mover] -= 30 - eyes
        elif eyes > 30:
            left = 6
            aim = eyes - 31
            while left:
                found = 0
                for _ in range(left):
                    if int(draw() * 6) == aim:
                        found += 1
                if not found:
                    break
                left -= int(draw() * found) + 1
            points[1 - mover] -= (eyes - 30) * (6 - left)
        if points[mover] < 0:
            return 1 - mover, points[0], points[1]
        mover ^= 1


# The chips of Nacho Pile in their order: numbers from 0, wild ones, and the spicy ones that steal, save and return.
WILD, STEAL, POINTS = 7, 8, 9
SPICY = 7
CHIPS = [type_ for type_, copies in enumerate([6] * 8 + [2] * 3) for _ in range(copies)]


def nacho_pile(draw: Draw) -> Outcome:
    """Nacho Pile. A row has for each category its chips; what lies in the bag and on plates is in order."""
    bag = list(range(54))
    rows: list[dict[int, list[int]]] = [{}, {}]
    plates: list[list[int]] = [[], []]
    me = 0
    while True:
        row, plate, other = rows[me], plates[me], plates[1 - me]
        for chips in row.values():
            plate += chips
        row.clear()
        saved = -1
        while len(bag) > 1:
            if draw() >= 0.5 and row:
                break
            if len(bag) > 6 or len({CHIPS[chip] for chip in bag}) > 1:
                kind = CHIPS[bag[int(draw() * len(bag))]]
            else:
                kind = CHIPS[bag[0]]
            # Of chips that are alike the lowest comes.
            at = next(at for at, chip in enumerate(bag) if CHIPS[chip] == kind)
            chip = bag.pop(at)
            if kind < WILD:
                category = kind
            elif kind > WILD:
                category = SPICY
            else:
                free = [n for n in range(7) if n not in row and n != saved]
                category = free[int(draw() * len(free))] if free else -1
            if category < 0 or category in row or category == saved:
                bag.append(chip)
                for chips in row.values():
                    bag += chips
                bag.sort()
                row.clear()
                break
            row[category] = [chip]
            if category != SPICY:
                continue
            draw()
            if kind == POINTS:
                numbers = sorted((chips[0], n) for n, chips in row.items() if n != SPICY)
                if numbers:
                    saved = numbers[int(draw() * len(numbers))][1]
                    plate += row.pop(saved)
            elif other:
                types = sorted({CHIPS[each] for each in other})
                taken = types[int(draw() * len(types))]
                lowest = min([each for each in other if CHIPS[each] == taken])
                other.remove(lowest)
                if kind == STEAL:
                    plate.append(lowest)
                else:
                    bag.append(lowest)
                    bag.sort()
        theirs = rows[1 - me]
        for category in [each for each in theirs if each in row]:
            row[category] += theirs.pop(category)
        if len(bag) == 1:
            break
        me ^= 1
    held = [[0] * 8, [0] * 8]
    for player in (me, 1 - me):
        plate, mine = plates[player], held[player]
        for chips in rows[player].values():
            plate += chips
        for chip in plate:
            kind = CHIPS[chip]
            if kind == WILD:
                mine[int(draw() * 7)] += 1
            else:
                mine[kind if kind < WILD else SPICY] += 1
    points = [0, 0]
    for one, two in zip(*held, strict=True):
        if one >= two and one:
            points[0] += 1
        if two >= one and two:
            points[1] += 1
    return higher(*points)
