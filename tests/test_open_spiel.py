"""Same game, other engine: classics are played side by side with the package open-spiel.

Both engines walk through one game together. At every step the same player must be to move with the same choices, chance
must have the same outcomes with the same odds, and at the end the same returns must come out. What a player has been
able to see is compared too: over all games, two positions that one engine can tell apart for a player must be two for
the other. How the rules differ, and which option or parameter settles it, stands in `docs/classics_compared.md`.

Without the package (`pip install .[compare]`) nothing is compared: where CI is set the tests fail, elsewhere the
summary says in red what has not been looked at.
"""

import importlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from hashlib import blake2b
from typing import Any, Protocol

import attrs
import pytest

from regelwerk.dsl import load
from regelwerk.interpreter import Reference, Result, State, Stream

MISSING = "NOT COMPARED with open-spiel, which is not installed: pip install .[compare]"

Data = Any
Word = str
"""A choice or an outcome of chance, called the same for both engines."""


def open_spiel() -> Any:
    """The other engine. Where it is missing, that is a failure in CI and said in red elsewhere."""
    try:
        return importlib.import_module("pyspiel")
    except ImportError:
        if os.environ.get("CI", "").lower() not in ("", "0", "false"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)


def same(word: str) -> Word:
    """Nothing to translate."""
    return word


def last(text: str) -> Word:
    """`Roll 3`, `Deal 3` and `[P0]Bid: 3` are about 3."""
    return text.rpartition(" ")[2]


def everything(view: Data) -> Data:
    """The whole view."""
    return view


def nothing(view: Data) -> Data:
    """Nothing of it."""
    return None


# ---- returns -------------------------------------------------------------------------------------------


def win_or_lose(result: Result, players: int) -> list[Fraction]:
    """The winners share one point, which the others lose."""
    winners = len(result.winners)
    if winners in (0, players):
        return [Fraction(0)] * players
    lost, won = Fraction(-1, players - winners), Fraction(1, winners)
    return [won if seat in result.winners else lost for seat in range(players)]


def scores(result: Result, players: int) -> list[Fraction]:
    """The scores as they are."""
    assert result.scores is not None
    return [Fraction(score) for score in result.scores]


def against_the_mean(result: Result, players: int) -> list[Fraction]:
    """How far each score lies above the mean."""
    points = scores(result, players)
    return [each - sum(points, Fraction(0)) / players for each in points]


def halves(result: Result, players: int) -> list[Fraction]:
    """Scores that are counted in halves of the stake."""
    return [score / 2 for score in scores(result, players)]


# ---- what players know ---------------------------------------------------------------------------------


def without_tray(view: Data) -> Data:
    """A view of Pig without the die, which goes on showing what it showed last."""
    return {**view, "table": {"turn_points": view["table"]["turn_points"]}}


def prizes_taken(view: Data) -> Data:
    """What of Goofspiel the other engine remembers in its order when bids are open: the prizes, and who took them."""
    return view["asked"], view["table"]["offer"], [player["won"] for player in view["players"]]


def cards_left(view: Data) -> Data:
    """… and the hands as they are now, which follow from the own hand and from what lies before each player."""
    return view["players"][view["seat"] - 1]["hand"], [player["played"] for player in view["players"]]


def ranks(known: str) -> str:
    """The cards a player of Blackjack has seen, in order: 13 cards of each suit, one suit after the other."""
    return " ".join(str(int(card) % 13 + 1) for card in known.split())


RANKS = {"A": "1", "T": "10", "J": "11", "Q": "12", "K": "13"}


# ---- the pairs -----------------------------------------------------------------------------------------


@attrs.frozen
class Pair:
    """A ruleset and a game of open-spiel that are one game, and how to translate."""

    ruleset: str
    theirs: str
    games: int
    options: Mapping[str, int | bool] = {}
    players: int = 2
    returns: Callable[[Result, int], list[Fraction]] = win_or_lose
    outcome: Callable[[str], Word] = same
    """Our words for an outcome of chance as a word for both."""
    their_outcome: Callable[[str], Word] = last
    choice: Callable[[str], Word] = same
    """Our words for an option as a word for both."""
    their_choice: Callable[[str], Word] = same
    goes_on: frozenset[str] = frozenset()
    """Our options that lead to a second decision; with it they are one choice of theirs."""
    unasked: frozenset[Word] = frozenset()
    """Choices that one engine asks for and the other makes by itself, where there is no other."""
    remembered: Callable[[Data], Data] = everything
    """What of a view a player keeps in mind, in its order."""
    own_choices: bool = True
    """Whether a player keeps in mind what the player has chosen."""
    seen_now: Callable[[Data], Data] = nothing
    """What of a view counts only as it is now."""
    known: Callable[[str], str] = same
    """Their words for what a player knows."""
    open_only: bool = False
    """The other engine has no information states here, only what can be seen."""

    def __str__(self) -> str:
        return f"{self.ruleset}-{self.theirs}".replace(" ", "")


PIG: dict[str, Any] = {
    "ruleset": "pig",
    "their_choice": {"roll": "throw_again", "stop": "hold"}.__getitem__,
    "unasked": frozenset({"hold"}),  # where the target is reached
    "remembered": nothing,
    "own_choices": False,
    "seen_now": without_tray,
    "open_only": True,
}
KUHN: dict[str, Any] = {
    "ruleset": "kuhn_poker",
    "theirs": "kuhn_poker",
    "returns": scores,
    "outcome": {"jack": "0", "queen": "1", "king": "2"}.__getitem__,
    "their_outcome": lambda text: text.rpartition(":")[2],
    "their_choice": str.lower,
}
LIARS: dict[str, Any] = {
    "ruleset": "liars_dice",
    "choice": lambda text: text.removeprefix("bid, ").replace(", ", "-"),
    "their_choice": lambda text: "call" if text == "Liar" else text,
    "goes_on": frozenset({"bid"}),
}
GOOFSPIEL: dict[str, Any] = {
    "ruleset": "goofspiel",
    "their_choice": last,
    "unasked": frozenset(str(value) for value in range(1, 14)),  # the last card
}
OPEN_BIDS = {**GOOFSPIEL, "remembered": prizes_taken, "own_choices": False, "seen_now": cards_left}
BLACKJACK: dict[str, Any] = {
    "ruleset": "blackjack",
    "theirs": "blackjack",
    "players": 1,
    "options": {"decks": 1, "naturals": False, "asked_at_21": True, "hole_card": True},
    "returns": halves,
    "their_outcome": lambda text: RANKS.get(text[1], text[1]),
    "their_choice": str.lower,
    "known": ranks,
}


def pig(target: int, games: int, players: int = 2) -> Pair:
    """Pig to so many points. Their limit to the length of a game is put out of reach."""
    theirs = f"pig(winscore={target},players={players},horizon=1000000)"
    return Pair(theirs=theirs, games=games, players=players, options={"target": target, "may_pass": True}, **PIG)


def liars_dice(faces: int, games: int) -> Pair:
    """Liar's Dice with one die each, of so many faces."""
    theirs = f"liars_dice(numdice=1,dice_sides={faces})"
    return Pair(theirs=theirs, games=games, options={"dice_each": 1, "faces": faces}, **LIARS)


ORDERS = ("random", "descending", "ascending")
"""Their names for the values of our option `prize_order`."""


def goofspiel(
    cards: int, games: int, hidden: bool, players: int = 2, returns: str = "win_loss", order: str = "random"
) -> Pair:
    """Goofspiel with so many cards, with bids in the open or hidden."""
    theirs = f"goofspiel(num_cards={cards},imp_info={hidden},players={players},returns_type={returns}"
    theirs += f",points_order={order})"
    count = {"win_loss": win_or_lose, "total_points": scores, "point_difference": against_the_mean}[returns]
    options = {"cards_in_suit": cards, "face_down": hidden, "prize_order": ORDERS.index(order)}
    usual = GOOFSPIEL if hidden else OPEN_BIDS
    return Pair(theirs=theirs, games=games, players=players, options=options, returns=count, **usual)


PAIRS = [
    pig(10, 500),
    pig(20, 100, players=3),
    pig(100, 20),
    Pair(games=500, **KUHN),
    liars_dice(6, 800),
    liars_dice(3, 500),
    goofspiel(4, 500, hidden=True),
    goofspiel(4, 500, hidden=False, returns="total_points"),
    goofspiel(4, 300, hidden=True, players=3, returns="point_difference"),
    goofspiel(4, 300, hidden=False, players=3),
    goofspiel(5, 100, hidden=True, order="descending"),
    goofspiel(5, 100, hidden=False, order="ascending"),
    goofspiel(13, 20, hidden=True, returns="point_difference"),
    goofspiel(13, 20, hidden=False),
    Pair(games=800, **BLACKJACK),
]

WHOLE = [
    Pair(games=3 * 2 * 5, **KUHN),
    liars_dice(2, 2 * 2 * 15),
    goofspiel(3, 6 * 3**2 * 2**2, hidden=True),
    goofspiel(3, 6 * 3**2 * 2**2, hidden=False),
]


# ---- two engines, one game -----------------------------------------------------------------------------


class Picks(Protocol):
    """Who says which of several ways a game goes."""

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""


class Ways:
    """Every way through a game, one after the other."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int]] = []
        self.at = 0

    def below(self, limit: int) -> int:
        """What this way takes at the next fork."""
        if self.at == len(self.taken):
            self.taken.append((0, limit))
        number, _ = self.taken[self.at]
        self.at += 1
        return number

    def __iter__(self) -> Iterator["Ways"]:
        yield self
        while self.taken:
            number, limit = self.taken.pop()
            if number + 1 < limit:
                self.taken.append((number + 1, limit))
                self.at = 0
                yield self


@attrs.define
class Knowledge:
    """Over all games: which of our knowing goes with which of theirs, for each player."""

    theirs: dict[tuple[int, str], str] = attrs.field(factory=dict)
    ours: dict[tuple[int, str], str] = attrs.field(factory=dict)
    looks: int = 0

    def compare(self, seat: int, ours: str, theirs: str) -> None:
        """What the player in a seat knows, as each engine has it."""
        self.looks += 1

        assert theirs == self.theirs.setdefault((seat, ours), theirs), "they tell apart what looks the same to us"
        assert ours == self.ours.setdefault((seat, theirs), ours), f"we tell apart what is one to them: {theirs!r}"


class Sitting:
    """One game on two tables."""

    def __init__(self, pair: Pair, engine: Reference, game: Any, picks: Picks, knowledge: Knowledge) -> None:
        self.pair, self.engine, self.picks, self.knowledge = pair, engine, picks, knowledge
        self.state: State = engine.start()
        self.other: Any = game.new_initial_state()
        self.minds = [""] * pair.players
        self.together: list[int] = []
        """What players have chosen where all choose at the same time."""

    def play(self) -> None:
        """To the end."""
        while (request := self.request()) is not None:
            self.look()
            if not hasattr(request, "owner"):
                self.chance(request)
            elif not self.alone(request):
                self.decision(request)
        self.finish()

        assert self.other.is_terminal(), f"we are at the end, they are at {self.other}"
        expected = [float(each) for each in self.pair.returns(self.engine.result(self.state), self.pair.players)]
        assert expected == pytest.approx(self.other.returns(), abs=1e-9)

    def request(self) -> Any:
        return self.engine.pending(self.state)

    def look(self) -> None:
        """Every player looks at the table."""
        for seat in range(self.pair.players):
            self.remember(seat, self.pair.remembered(self.engine.view(self.state, seat)))

    def remember(self, seat: int, what: Data) -> None:
        """A player keeps something in mind, after all before."""
        if what is not None:
            self.minds[seat] = digest(self.minds[seat], what)

    # ---- chance ----------------------------------------------------------------------------------------

    def chance(self, request: Any) -> None:
        """The same outcomes with the same odds."""
        self.finish()
        assert self.other.is_chance_node(), f"we are at {request.name}, they are at {self.other}"
        ours: dict[Word, Fraction] = {}
        answers = []
        for answer, odds in request.outcomes():
            word = self.pair.outcome(request.text(answer))
            ours[word] = ours.get(word, Fraction(0)) + odds
            answers.append((answer, word))
        theirs: dict[Word, float] = {}
        actions: dict[Word, int] = {}
        for action, chance in self.other.chance_outcomes():
            word = self.pair.their_outcome(self.other.action_to_string(self.other.current_player(), action))
            theirs[word] = theirs.get(word, 0.0) + chance
            actions.setdefault(word, action)

        assert 1 == sum(ours.values())
        assert {word: float(odds) for word, odds in ours.items()} == pytest.approx(theirs, abs=1e-12)
        answer, word = answers[self.picks.below(len(answers))]
        self.other.apply_action(actions[word])
        self.state = self.engine.play(self.state, answer)

    # ---- decisions -------------------------------------------------------------------------------------

    def choices(self, request: Any) -> dict[Word, tuple[int, ...]]:
        """What we let the owner choose, with the options that say so."""
        found: dict[Word, tuple[int, ...]] = {}
        for number in range(len(request)):
            text = request.text(number)
            if text not in self.pair.goes_on:
                found[self.pair.choice(text)] = (number,)
                continue
            then: Any = self.engine.pending(self.engine.play(self.state, number))
            assert then.owner == request.owner
            for second in range(len(then)):
                found[self.pair.choice(f"{text}, {then.text(second)}")] = (number, second)
        return found

    def their_choices(self, seat: int) -> dict[Word, int]:
        """What they let a player choose."""
        legal = self.other.legal_actions(seat)
        found = {self.pair.their_choice(self.other.action_to_string(seat, action)): action for action in legal}

        assert len(found) == len(legal)
        return found

    def alone(self, request: Any) -> bool:
        """Whether only we ask, there being no choice; then it is made."""
        if self.other.is_simultaneous_node() or self.other.current_player() == request.owner:
            return False
        choices = self.choices(request)
        if len(choices) > 1 or not set(choices) <= self.pair.unasked:
            self.finish()
            return False
        ((word, answers),) = choices.items()
        self.choose(request.owner, word, answers)
        return True

    def finish(self) -> None:
        """What only they ask, there being no choice."""
        while not self.together and not self.other.is_terminal() and self.other.current_player() >= 0:
            choices = self.their_choices(self.other.current_player())
            if len(choices) > 1 or not set(choices) <= self.pair.unasked:
                return
            self.other.apply_action(*choices.values())

    def decision(self, request: Any) -> None:
        """The same player has the same choices, and knows as much."""
        seat, together = request.owner, self.other.is_simultaneous_node()
        assert together or self.other.current_player() == seat, f"we ask seat {seat}, they are at {self.other}"
        ours, theirs = self.choices(request), self.their_choices(seat)

        assert set(ours) == set(theirs)
        self.compare_minds([seat] if together else range(self.pair.players))
        word = list(ours)[self.picks.below(len(ours))]
        self.choose(seat, word, ours[word])
        if not together:
            self.other.apply_action(theirs[word])
            return
        assert seat == len(self.together), "all are asked once, by seat"
        self.together.append(theirs[word])
        if len(self.together) == self.pair.players:
            self.other.apply_actions(self.together)
            self.together = []

    def choose(self, seat: int, word: Word, answers: Sequence[int]) -> None:
        """A choice in our engine; who has made it knows that."""
        self.remember(seat, word if self.pair.own_choices else None)
        for answer in answers:
            self.state = self.engine.play(self.state, answer)

    def compare_minds(self, seats: Sequence[int]) -> None:
        """What players know, who are asked or not."""
        for seat in seats:
            ours = digest(self.minds[seat], self.pair.seen_now(self.engine.view(self.state, seat)))
            other = self.other.observation_string if self.pair.open_only else self.other.information_state_string
            self.knowledge.compare(seat, ours, self.pair.known(other(seat)))


def digest(before: str, what: Data) -> str:
    """A short name for a past and what has come to it."""
    return blake2b(f"{before} {json.dumps(what)}".encode(), digest_size=12).hexdigest()


def side_by_side(pair: Pair, ways: Iterator[Picks]) -> tuple[int, Knowledge]:
    """How many games were played, and what players knew in them."""
    spiel = open_spiel()
    game = spiel.load_game(pair.theirs)
    engine = Reference(load(f"classics/{pair.ruleset}").game, pair.players, pair.options)
    knowledge, games = Knowledge(), 0
    for picks in ways:
        Sitting(pair, engine, game, picks, knowledge).play()
        games += 1
    return games, knowledge


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_random_games_go_alike(pair: Pair) -> None:
    """Two engines go through random games in step, and let players know as much."""
    games, knowledge = side_by_side(pair, (Stream(11, number) for number in range(pair.games)))

    assert games == pair.games
    assert len(knowledge.ours) == len(knowledge.theirs) < knowledge.looks, "something has been seen more than once"


@pytest.mark.parametrize("pair", WHOLE, ids=str)
def test_whole_games_are_alike(pair: Pair) -> None:
    """Two engines have the same game tree from the first chance to the last choice."""
    games, knowledge = side_by_side(pair, iter(Ways()))

    assert games == pair.games
    assert len(knowledge.ours) == len(knowledge.theirs) < knowledge.looks


SETTLED = [
    (pig(10, 200), "may_pass", False),
    (liars_dice(3, 200), "wild", False),
    (goofspiel(3, 200, hidden=True), "face_down", False),
    (goofspiel(3, 200, hidden=False), "face_down", True),
    (goofspiel(3, 200, hidden=True), "ties", 1),
    (goofspiel(3, 200, hidden=True, order="ascending"), "prize_order", 1),
    (Pair(games=300, **BLACKJACK), "decks", 0),
    (Pair(games=300, **BLACKJACK), "naturals", True),
    (Pair(games=300, **BLACKJACK), "asked_at_21", False),
    (Pair(games=300, **BLACKJACK), "hole_card", False),
    (Pair(games=300, **BLACKJACK), "soft_seventeen", 1),
]
"""Readings of an option that the other engine does not share."""


@pytest.mark.parametrize(("pair", "option", "value"), SETTLED, ids=str)
def test_other_readings_are_noticed(pair: Pair, option: str, value: int | bool) -> None:
    """With an option read otherwise the engines fall apart: the comparison sees the difference that it settles."""
    with pytest.raises(AssertionError):
        other = attrs.evolve(pair, options={**pair.options, option: value})
        side_by_side(other, (Stream(11, number) for number in range(pair.games)))
