"""The classics: the figures of the literature, worked out from the rules files, and what `docs/classics.md` says.

Everything here is exact, from the engine's own chances. Where a game can be walked to its end, `exact` does it; where
positions come again, the equations between them are solved (`Ways`).

`pytest --update tests/test_classics.py` writes the tables of the page.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import isclose
from pathlib import Path
from typing import Any

import attrs
import pytest

from regelwerk.dsl import Ruleset, Source, library, load, load_text, syntax
from regelwerk.dsl.parse import parse
from regelwerk.interpreter import Reference, State, TurnTaken
from regelwerk.interpreter.exact import UNIFORM, distribution, results, value

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "classics.md"

loaded: Callable[[str], Ruleset] = cache(load)


def of(name: str, players: int = 1, **options: int | bool) -> Reference:
    """An engine for one of the classics."""
    return Reference(loaded(f"classics/{name}").game, players, options)


def made(text: str, players: int = 1, **options: int | bool) -> Reference:
    """An engine for a variant written here."""
    return Reference(load_text(text, "made.rules").game, players, options)


def mean(spread: Mapping[int, Fraction]) -> Fraction:
    """The mean of a distribution."""
    return sum((number * chance for number, chance in spread.items()), Fraction(0))


def near(known: float, figure: float | Fraction) -> None:
    """A figure is what is known of it, in as many places as it is known."""
    places = len(str(known).partition(".")[2])

    assert known == round(float(figure), places)


# ---- games whose positions come again ------------------------------------------------------------------


@attrs.define
class Way:
    """Where a position leads: how likely to which others, and what it brings on the average until the next one."""

    to: dict[int, float] = attrs.field(factory=dict)
    brings: list[float] = attrs.field(factory=list)


class Ways:
    """How often a phase is passed, and who wins: solved from all positions that chance leads to."""

    def __init__(self, engine: Reference, phase: str) -> None:
        """All positions of an engine's game; decisions are answered evenly."""
        self.engine = engine
        self.phase = phase
        self.numbers: dict[State, int] = {}
        self.open: list[State] = []
        self.ways: list[Way] = []
        self._number(engine.canonical(engine.start()))
        while self.open:
            state = self.open.pop()
            self.ways[self.numbers[state]] = self._way(state)

    def _number(self, state: State) -> int:
        if state not in self.numbers:
            self.numbers[state] = len(self.numbers)
            self.ways.append(Way())
            self.open.append(state)
        return self.numbers[state]

    def _way(self, state: State) -> Way:
        table = self.engine.table(state)
        request: Any = table.request()
        if hasattr(request, "owner"):
            outcomes = [(n, Fraction(1, len(request))) for n in range(len(request))]
        else:
            outcomes = list(request.outcomes())
        way = Way(brings=[0.0] * (1 + self.engine.players))
        for answer, chance in outcomes:
            table.seek(state, request)
            table.answer(answer)
            way.brings[0] += float(chance) * sum(
                isinstance(event, TurnTaken) and event.phase == self.phase for event in table.events
            )
            if table.request() is None:
                for seat in table.result().winners:
                    way.brings[1 + seat] += float(chance)
            else:
                then = self._number(self.engine.canonical(table.freeze()))
                way.to[then] = way.to.get(then, 0.0) + float(chance)
        return way

    def solved(self) -> list[float]:
        """The mean number of passes, then each seat's chance to be among the winners.

        One position after the other is taken out: whoever led to it leads to where it led.
        """
        before: list[set[int]] = [set() for _ in self.ways]
        for number, way in enumerate(self.ways):
            for then in way.to:
                before[then].add(number)
        for number in range(len(self.ways) - 1, -1, -1):
            way = self.ways[number]
            stays = 1 / (1 - way.to.pop(number, 0.0))
            way.to = {then: chance * stays for then, chance in way.to.items()}
            way.brings = [each * stays for each in way.brings]
            for earlier in before[number] - {number}:
                led = self.ways[earlier]
                if chance := led.to.pop(number, 0.0):
                    for then, onward in way.to.items():
                        led.to[then] = led.to.get(then, 0.0) + chance * onward
                        before[then].add(earlier)
                    led.brings = [a + chance * b for a, b in zip(led.brings, way.brings, strict=True)]
            for then in way.to:
                before[then].discard(number)
        return self.ways[0].brings


# ---- Pig -----------------------------------------------------------------------------------------------


def pig_turn(target: int, strategy: str) -> dict[int, Fraction]:
    """What a turn brings to somebody who needs so many points."""
    return distribution(of("pig", 2, target=max(target, 2)), "points a turn", strategy)


def test_pig_hold_at_20_in_a_turn() -> None:
    """Holding at twenty brings 8.141795 points a turn, and nothing in 0.624541 of them."""
    turn = pig_turn(500, "hold_at_20")

    assert 1 == sum(turn.values())
    near(8.141795, mean(turn))
    near(0.624541, turn[0])
    assert turn == pig_turn(20, "hold_at_20")


@pytest.mark.parametrize("strategy", ["hold_at_15", "hold_at_25"])
def test_pig_holding_elsewhere_brings_less(strategy: str) -> None:
    """Nothing beats holding at twenty."""
    assert mean(pig_turn(500, strategy)) < mean(pig_turn(500, "hold_at_20"))


def test_pig_first_seat() -> None:
    """When both hold at twenty, the first seat wins 0.534698: from the engine's chances of a turn at each score."""
    goal = 100
    at = {needed: pig_turn(needed, "hold_at_20") for needed in range(1, 21)}
    turns = [{n: float(c) for n, c in at[min(goal - own, 20)].items()} for own in range(goal)]
    wins: dict[tuple[int, int], float] = {}

    def onward(own: int, other: int) -> float:
        """To win without a turn for nothing now."""
        return sum(
            chance * (1 if own + points >= goal else 1 - wins[other, own + points])
            for points, chance in turns[own].items()
            if points
        )

    for both in range(2 * goal - 2, -1, -1):
        for own in range(max(0, both - goal + 1), min(goal - 1, both) + 1):
            other = both - own
            if own <= other:
                a, b, p, q = onward(own, other), onward(other, own), turns[own][0], turns[other][0]
                wins[own, other] = (a + p * (1 - b - q)) / (1 - p * q)
                wins[other, own] = b + q * (1 - wins[own, other])

    near(0.534698, wins[0, 0])


def test_pig_to_20_nobody_holds() -> None:
    """To twenty points, holding is never better than throwing on, whatever the scores: `optimal_at_20` is optimal.

    Nobody banks anything then, so the chance to throw what one needs, taken from the engine, says who wins.
    """
    reach = [Fraction(1)] + [1 - pig_turn(needed, "optimal_at_20")[0] for needed in range(1, 21)]

    def to_win(mine: Fraction, others: Fraction) -> Fraction:
        """Whose turn it is, with so good a chance in each turn against so good a one."""
        return mine / (1 - (1 - mine) * (1 - others))

    for own in range(20):
        for other in range(20):
            for turn in range(2, 20 - own):
                hold = 1 - to_win(reach[20 - other], reach[20 - own - turn])
                needed = reach[20 - own - turn]
                throw = needed + (1 - needed) * (1 - to_win(reach[20 - other], reach[20 - own]))
                assert throw > hold
    near(0.6156, to_win(reach[20], reach[20]))


# ---- Craps ---------------------------------------------------------------------------------------------

CRAPS = """
variant "Craps, throws not counted" of classics/craps
end of phase throwing: throws = 0
"""


def test_craps() -> None:
    """The shooter wins 244 of 495 games, of 557/165 throws."""
    throws, won = Ways(made(CRAPS), "throwing").solved()

    assert isclose(won, 244 / 495, abs_tol=1e-12)
    assert isclose(throws, 557 / 165, abs_tol=1e-12)


def test_crapless_craps() -> None:
    """Without craps it is 6557 of 13860."""
    _, won = Ways(made(CRAPS, crapless=True), "throwing").solved()

    assert isclose(won, 6557 / 13860, abs_tol=1e-12)


# ---- races of chance alone -----------------------------------------------------------------------------


def test_snakes_and_ladders() -> None:
    """Alone, with an exact landing, it takes 39.2251 turns."""
    turns, won = Ways(of("snakes_and_ladders"), "turn").solved()

    near(39.2251, turns)
    near(1.0, won)


def test_left_center_right() -> None:
    """Three players: 18.863 turns, those without chips counted, and the later the seat the better."""
    turns, *seats = Ways(of("left_center_right", 3), "turn").solved()

    near(18.863, turns)
    for known, won in zip((0.3068, 0.3280, 0.3651), seats, strict=True):
        near(known, won)


def test_tenzi() -> None:
    """Alone, with the face named beforehand: 16.565 throws for ten dice."""
    text = 'variant "Tenzi, throws not counted" of classics/tenzi\nstart of phase race: throws = 0\n'
    throws, _ = Ways(made(text), "race").solved()

    near(16.565, throws)


def test_coupons() -> None:
    """All six faces of a die have shown after 14.7 throws."""
    text = """
variant "Coupon Collector, throws not counted" of classics/coupons
end of phase throwing: throws = 0
replace bounds score: 0..1
"""
    throws, _ = Ways(made(text), "throwing").solved()

    assert isclose(throws, 14.7, abs_tol=1e-12)


# ---- Shut the Box, Blackjack ---------------------------------------------------------------------------


def test_shut_the_box_played_evenly() -> None:
    """Always two dice, each set of tiles that adds up as likely: 20.419 are left."""
    spread = distribution(of("shut_the_box", one_die=False), "left", UNIFORM)

    assert 1 == sum(spread.values())
    near(20.419, mean(spread))


def test_blackjack_like_the_dealer() -> None:
    """An infinite deck, and a player who draws as the dealer does, loses 0.05675 of the stake a game."""
    gain = value(of("blackjack"), 0, "like_the_dealer") / 2

    near(-0.05675, gain)


# ---- Goofspiel, Kuhn poker -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "order", "equal"),
    [
        (3, "by_chance", Fraction(5, 18)),
        (4, "by_chance", Fraction(7, 36)),
        # Even bids take no notice of the prize, so its order makes no difference, as it made none above.
        (3, "falling", Fraction(5, 18)),
        (4, "falling", Fraction(7, 36)),
        (5, "falling", Fraction(4, 45)),
    ],
)
def test_goofspiel_equal_totals(cards: int, order: str, equal: Fraction) -> None:
    """Two players who bid evenly, ties discarded, have equal totals so often."""
    orders = ("by_chance", "falling", "rising")
    game = of("goofspiel", 2, cards_in_suit=cards, prize_order=orders.index(order))

    assert equal == distribution(game, "equal totals")[1]


def test_kuhn_poker_played_evenly() -> None:
    """Who bets and passes evenly wins an eighth a game in the first seat, and loses it in the second."""
    assert Fraction(1, 8) == value(of("kuhn_poker", 2), 0)
    assert Fraction(-1, 8) == value(of("kuhn_poker", 2), 1)
    assert {(1, -1), (2, -2), (-1, 1), (-2, 2)} == {result.scores for result in results(of("kuhn_poker", 2))}


# ---- more than was asked for ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "well"), [((6, 7, 8), Fraction(1192, 1296)), ((2, 3, 12), Fraction(568, 1296))], ids=str
)
def test_cant_stop_the_next_throw(columns: tuple[int, int, int], well: Fraction) -> None:
    """How likely a throw goes well with climbers on the best and the worst three columns."""
    standing = "".join(f"    climber[{column}] = 1\n" for column in columns)
    game = made(f"""
variant "Can't Stop, three climbers" of classics/cant_stop
start of phase climbing:
{standing}
strategy once:
    go_on_or_stop: stop
""")
    spread = distribution(game, "nothing kept", "once")

    assert well == spread[0]


@pytest.mark.parametrize(("name", "measure"), [("yahtzee", "a yahtzee"), ("yacht", "a yacht")])
def test_five_alike(name: str, measure: str) -> None:
    """Who collects what there is most of has five alike after three throws in 347897/7558272."""
    assert Fraction(347897, 7558272) == distribution(of(name), measure, "collector")[1]
