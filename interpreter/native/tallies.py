"""Figures of many games, gathered in memory: how often each score, length and measure came up.

Each tally has a window of values that are counted in place; what lies outside of it goes to a log, which is emptied by
whoever runs the games. When a fault has stopped a game, the same game is played once more with -1 for 1.
"""

from typing import TYPE_CHECKING

import attrs

from ...dsl import rules
from .code import (
    Op,
    Region,
    add,
    address,
    at,
    both,
    call,
    compare,
    do,
    load,
    mul,
    no,
    num,
    number,
    plain,
    store,
    sub,
    when,
)
from .flow import Function
from .listings import Offset
from .memory import LOGGED
from .values import checked_sum

if TYPE_CHECKING:
    from .lowering import Lowering

WIDEST = 4096
"""No window is wider than this."""

USUAL = -512, 1535
"""The window of values about which nothing is known."""

ENTRIES = 200_000
"""Entries that the log holds."""

ENTRY = 24

LARGEST = 2**20
"""Sums of a game beyond this are logged."""


@attrs.frozen(eq=False)
class Tally:
    """A figure: its window, and its number in the log."""

    number: int
    low: int
    high: int
    room: Region


class Tallies:
    """All figures of a game."""

    def __init__(self, low: "Lowering") -> None:
        self.low = low
        self.all: list[Tally] = []
        players = low.layout.players
        self.scores = [self._tally(f"score {seat + 1}", _score_type(low)) for seat in range(players)]
        self.decisions = self._tally("decisions", None, (0, min(low.limits.decisions, WIDEST - 1)))
        self.turns = self._tally("turns", None, (0, 1023))
        self.measures = [self._tally(measure.name, measure.value.type) for measure in low.game.measures]
        self.log = low.shared_room("log", ENTRY * ENTRIES)
        self.sums = low.shared_room("sums", 16 * len(self.measures) + 8)
        """For each measure the total and the number of its values in this game."""
        self.games = low.shared_room("games", 32 * len(self.measures) + 8)
        """For each measure how many games gave values, and the sums that its interval needs."""
        self.wins = low.shared_room("wins", 16 * players)
        """For each seat the games won alone and the games shared."""

    def _tally(self, name: str, type_: rules.Type | None, ends: tuple[int, int] | None = None) -> Tally:
        if ends is None:
            known = isinstance(type_, rules.Number) and type_.high - type_.low < WIDEST
            ends = (type_.low, type_.high) if known and isinstance(type_, rules.Number) else USUAL
            if isinstance(type_, rules.YesNo):
                ends = 0, 1
        low, high = ends
        room = self.low.memory.room(f"tally of {name}", 8 * (high - low + 1))
        self.all.append(Tally(len(self.all), low, high, room))
        return self.all[-1]

    def count(self, tally: Tally, value: Op) -> Op:
        """A value came up once more."""
        kept, it = self.low.keep(value)
        place, less = self.low.f.local(), num(tally.low)
        cell = mul(address(place.get), at(8))
        more = store(cell, add(load(cell, tally.room), self.low.read("unit")), tally.room)
        inside = plain("<u", place.get, num(tally.high - tally.low + 1))
        far = call(self._logging(), num(tally.number), it, self.low.read("unit"))
        return do(kept, place.set(sub(it, less)), when(inside, more, far))

    def sample(self, number_: int, value: Op) -> Op:
        """A measure's value."""
        total, length = Offset(self.sums, 16 * number_), Offset(self.sums, 16 * number_ + 8)
        kept, it = self.low.keep(value)
        more = add(load(at(0), total), it)
        if _may_be_large(self.low.game.measures[number_].value.type):
            message = "the values of a measure add up to too much"
            far = self.low.fault(message, self.low.game.measures[number_].span, own=True)
            more = checked_sum(self.low, add, load(at(0), total), it, far)
        counted = do(
            self.count(self.measures[number_], it),
            store(at(0), more, total),
            store(at(0), add(load(at(0), length), num(1)), length),
        )
        return do(kept, counted if self.low.trying is None else when(no(self.low.trying.merely), counted))

    def _logging(self) -> Function:
        """The function that writes an entry into the log."""
        low = self.low
        if "log" not in low.made:
            f = low.made["log"] = low.flow.function("log", ("n", "n", "n"))
            with low.inside(f):
                place = load(at(0), LOGGED)
                message = "a game gives more figures outside of the usual than can be kept"
                full = low.fault(message, low.game.span, own=True)
                cell = mul(address(place), at(ENTRY))
                f.fill(
                    when(compare(">=", place, num(ENTRIES)), full),
                    *[store(cell, f.parameter(n).get, Offset(low.shared_room("log", 0), 8 * n)) for n in range(3)],
                    store(at(0), add(place, num(1)), LOGGED),
                )
        return low.made["log"]

    def begin(self) -> Op:
        """Before a game."""
        code = [store(at(0), num(0), Offset(self.sums, 8 * place)) for place in range(2 * len(self.measures))]
        return do(*code)

    def finish(self) -> Op:
        """After a game that came to its end."""
        low = self.low
        players, teams = low.layout.players, low.game.teams or low.layout.players
        code = [self.count(self.decisions, low.read("decisions")), self.count(self.turns, low.read("turns"))]
        if low.game.score is not None:
            room = low.shared_room("scores", 8 * players)
            code += [self.count(t, load(at(0), Offset(room, 8 * seat))) for seat, t in enumerate(self.scores)]
        flags = [load(at(0), Offset(low.shared_room("winners", 8 * players), 8 * seat)) for seat in range(players)]
        winners = low.f.local()
        total = num(0)
        for team in range(teams):
            won = num(0)
            for seat in range(team, players, teams):
                won = plain("or", won, flags[seat]) if seat >= teams else flags[seat]
            total = add(total, won)
        code.append(winners.set(total))
        for seat, flag in enumerate(flags):
            shared = number(compare("is not", winners.get, num(1)))
            cell = mul(address(add(mul(shared, num(8)), num(16 * seat))), at(1))
            code.append(store(cell, add(load(cell, self.wins), flag), self.wins))
        for place in range(len(self.measures)):
            code.append(self._game(place))
        return do(*code)

    def _game(self, place: int) -> Op:
        """The sums of a game over the values of a measure."""
        low = self.low
        total, length = low.f.local(), low.f.local()
        cells = [Offset(self.games, 32 * place + 8 * part) for part in range(4)]
        added = [num(1), mul(total.get, total.get), mul(length.get, length.get), mul(total.get, length.get)]
        more = [store(at(0), add(load(at(0), cell), each), cell) for cell, each in zip(cells, added, strict=True)]
        usual = both(plain("<u", add(total.get, num(LARGEST)), num(2 * LARGEST)), plain("<u", length.get, num(LARGEST)))
        far = call(self._logging(), num(-1 - place), total.get, length.get)
        return do(
            total.set(load(at(0), Offset(self.sums, 16 * place))),
            length.set(load(at(0), Offset(self.sums, 16 * place + 8))),
            when(compare("is not", length.get, num(0)), when(usual, do(*more), far)),
        )


def _may_be_large(type_: rules.Type) -> bool:
    """Whether as many values of a type as a game may give could add up to more than 64 bits."""
    return isinstance(type_, rules.Number) and not -(2**30) < type_.low <= type_.high < 2**30


def _score_type(low: "Lowering") -> rules.Type | None:
    score = low.game.score
    if score is None:
        return None
    if score.bounds is not None:
        return rules.Number(low.known(score.bounds.low), low.known(score.bounds.high))
    return score.value.type
