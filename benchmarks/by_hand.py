"""Two games as tight Python: what the engines are measured against. Choices are random, as in the benchmarks."""

from collections.abc import Callable
from random import Random


def pig(games: int, seed: int) -> int:
    """Pig for two to a hundred points, rolling or holding at random; the number of requests answered."""
    draw: Callable[[], float] = Random(seed).random
    asked = 0
    for _ in range(games):
        points = [0, 0]
        mover = 0
        while True:
            turn = 0
            while points[mover] + turn < 100:
                asked += 1
                if turn and draw() < 0.5:
                    break
                asked += 1
                pips = int(draw() * 6) + 1
                if pips == 1:
                    turn = 0
                    break
                turn += pips
            points[mover] += turn
            if points[mover] >= 100:
                break
            mover ^= 1
    return asked


def junior(games: int, seed: int) -> int:
    """Chipbanditen Junior for two; the number of draws and throws."""
    draw: Callable[[], float] = Random(seed).random
    asked = 0
    for _ in range(games):
        middle = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
        points = [0, 0]
        mover = 0
        while middle:
            kept = []
            asked += 2
            for _ in range(min(2, len(middle))):
                place = int(draw() * len(middle))
                middle[place], middle[-1] = middle[-1], middle[place]
                number = middle.pop()
                if draw() < 0.5:
                    points[mover] += number
                else:
                    kept.append(number)
            middle += kept
            mover ^= 1
    return asked
