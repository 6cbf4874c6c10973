"""Values as fractions: one component after the other, each by elimination in whole numbers."""

from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import gcd, lcm

import numpy as np

from .shape import Components, Ints
from .task import AVERAGE, MOST, OVER, Task

Row = tuple[int, dict[int, int], int]
"""`(d, c, r)` says: `d` times the value here is the sum of `c[p]` times the value of `p`, and `r`."""

IMPROVEMENTS = 20
"""How often the choices in one component may be improved."""


class GivenUp(Exception):
    """The numbers get too large, or play may run on without end."""


class Elimination:
    """The values of all positions.

    In a component with a way from a position back to it, what is chosen must come along in `choice`, and is improved
    there; everywhere else it is found. Raises `GivenUp`.
    """

    def __init__(self, task: Task, pay: dict[int, Fraction], parts: Components, choice: Ints, work: int) -> None:
        self.numerator = [0] * len(task)
        self.denominator = [1] * len(task)
        self.choice = choice
        self._left = work
        self._role = task.role.data
        self._first = task.first.data
        self._target = task.target.data
        self._odds = task.odds.data
        self._negative = task.negative.data
        self._some_negative = bool(task.negative.any())
        self._label = parts.label.data
        self._whole = lcm(*(chance.denominator for chance in task.chances))
        self._weights = [chance.numerator * (self._whole // chance.denominator) for chance in task.chances]
        for position, paid in pay.items():
            self.numerator[position], self.denominator[position] = paid.numerator, paid.denominator
        order = np.lexsort((parts.label, parts.height[parts.label]))
        cuts = [0, *(np.flatnonzero(np.diff(parts.label[order])) + 1).tolist(), len(order)]
        loops = parts.loops[parts.label[order]].data
        ordered = order.data
        for begin, end in zip(cuts, cuts[1:], strict=False):
            if loops[begin]:
                self._loop(ordered[begin:end].tolist())
            elif self._role[ordered[begin]] != OVER:
                self._single(ordered[begin])

    def value(self, position: int) -> Fraction:
        """What a position is worth."""
        return Fraction(self.numerator[position], self.denominator[position])

    def _spend(self, number: int, times: int) -> None:
        self._left -= number.bit_length() * times
        if self._left < 0:
            raise GivenUp

    def _ahead(self, position: int) -> tuple[list[int], int]:
        """What each edge leads to, as numerators over one denominator."""
        begin, end = self._first[position], self._first[position + 1]
        targets = self._target[begin:end]
        under = [self.denominator[target] for target in targets]
        common = lcm(*under)
        ahead = [
            self.numerator[target] * (common // denominator) for target, denominator in zip(targets, under, strict=True)
        ]
        if self._some_negative:
            ahead = [-n if minus else n for n, minus in zip(ahead, self._negative[begin:end], strict=True)]
        self._spend(common, len(ahead))
        return ahead, common

    def _set(self, position: int, numerator: int, denominator: int) -> None:
        divisor = gcd(numerator, denominator)
        self.numerator[position] = numerator // divisor
        self.denominator[position] = denominator // divisor

    def _single(self, position: int) -> None:
        """A position that play cannot come back to."""
        ahead, common = self._ahead(position)
        begin = self._first[position]
        if self._role[position] == AVERAGE:
            odds = self._odds[begin : begin + len(ahead)]
            total = sum(self._weights[index] * n for index, n in zip(odds, ahead, strict=True))
            self._set(position, total, common * self._whole)
        else:
            chosen = max(ahead) if self._role[position] == MOST else min(ahead)
            self.choice[position] = begin + ahead.index(chosen)
            self._set(position, chosen, common)

    def _loop(self, positions: list[int]) -> None:
        """A component: solve for what is chosen, choose what is better, until nothing is."""
        for _ in range(IMPROVEMENTS):
            self._system(positions)
            if not [position for position in positions if self._role[position] != AVERAGE and self._improve(position)]:
                return
        raise GivenUp

    def _improve(self, position: int) -> bool:
        """Whether there is something better than what is chosen."""
        ahead, _ = self._ahead(position)
        chosen = max(ahead) if self._role[position] == MOST else min(ahead)
        begin = self._first[position]
        if ahead[self.choice[position] - begin] == chosen:
            return False
        self.choice[position] = begin + ahead.index(chosen)
        return True

    def _system(self, positions: list[int]) -> None:
        """Solve the linear equations of a component, sparsest position first."""
        rows, common = self._rows(positions)
        users: dict[int, set[int]] = {position: set() for position in positions}
        for position, (_, factors, _) in rows.items():
            for target in factors:
                users[target].add(position)
        heap = [(len(users[position]) * len(rows[position][1]), position) for position in positions]
        heapify(heap)
        done = []
        while heap:
            cost, position = heappop(heap)
            now = len(users[position]) * len(rows[position][1])
            if now > cost and heap and now > heap[0][0]:
                heappush(heap, (now, position))
                continue
            done.append(position)
            row = rows[position]
            for target in row[1]:
                users[target].discard(position)
            for user in users[position]:
                for target in row[1]:
                    if target != user:
                        users[target].add(user)
                rows[user] = self._inserted(user, rows[user], position, row)
        for position in reversed(done):
            whole, factors, rest = rows[position]
            under = lcm(common, *(self.denominator[target] for target in factors))
            total = rest * (under // common)
            for target, factor in factors.items():
                total += factor * self.numerator[target] * (under // self.denominator[target])
            self._spend(under, len(factors) + 1)
            self._set(position, total, whole * under)

    def _rows(self, positions: list[int]) -> tuple[dict[int, Row], int]:
        """The equation of each position, and what all their last numbers are divided by."""
        label, first, target = self._label, self._first, self._target
        here = label[positions[0]]
        edges = {
            position: range(first[position], first[position + 1])
            if self._role[position] == AVERAGE
            else (int(self.choice[position]),)
            for position in positions
        }
        common = lcm(
            *{self.denominator[target[edge]] for some in edges.values() for edge in some if label[target[edge]] != here}
        )
        rows = {}
        for position, some in edges.items():
            mean = self._role[position] == AVERAGE
            factors: dict[int, int] = {}
            rest = 0
            for edge in some:
                weight = self._weights[self._odds[edge]] if mean else 1
                if self._negative[edge]:
                    weight = -weight
                ahead = target[edge]
                if label[ahead] == here:
                    factors[ahead] = factors.get(ahead, 0) + weight
                else:
                    rest += weight * self.numerator[ahead] * (common // self.denominator[ahead])
            whole = self._whole if mean else 1
            rows[position] = _reduced(whole - factors.pop(position, 0), factors, rest)
        return rows, common

    def _inserted(self, position: int, row: Row, other: int, equation: Row) -> Row:
        """A row with the value of another position put in."""
        whole, factors, rest = row
        divisor, more, further = equation
        factor = factors.pop(other)
        shared = gcd(divisor, factor)
        times, factor = divisor // shared, factor // shared
        if times != 1:
            whole *= times
            rest *= times
            for target in factors:
                factors[target] *= times
        rest += factor * further
        for target, part in more.items():
            if target == position:
                whole -= factor * part
            else:
                factors[target] = factors.get(target, 0) + factor * part
        self._spend(whole, len(factors) + 1)
        return _reduced(whole, factors, rest)


def _reduced(whole: int, factors: dict[int, int], rest: int) -> Row:
    """A row in its least numbers."""
    if not whole:
        raise GivenUp
    divisor = gcd(whole, rest, *factors.values())
    if divisor > 1:
        return whole // divisor, {target: factor // divisor for target, factor in factors.items()}, rest // divisor
    return whole, factors, rest
