"""Nothing hidden shows: rulesets that leak are refuted with two games, those that come along are not."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from regelwerk.dsl import load, load_text
from regelwerk.interpreter import Answer, Chance, Decision, Reference, State, Stream
from regelwerk.interpreter.exchange import exchanged, swapped, translated
from regelwerk.interpreter.outline import is_open
from regelwerk.interpreter.records import step
from regelwerk.interpreter.told import told
from regelwerk.verify.leaks import NOTHING_SHOWS, SEES_ENOUGH, Leak, Leaks, twin_game

HERE = Path(__file__).parent

HIDING = [
    "nacho_pile",
    "chipbanditen/junior",
    "chipbanditen/quick",
    "chipbanditen/standard",
    "classics/blackjack",
    "classics/goofspiel",
    "classics/kuhn_poker",
    "classics/liars_dice",
    "classics/no_thanks",
]
"""The games of the library in which something is hidden."""


def engine(name: str, players: int = 2, **options: int | bool) -> Reference:
    """A game out of `tests/leaks`, or of the library."""
    file = HERE / "leaks" / f"{name}.rules"
    return Reference(load(file if file.exists() else name).game, players, options)


@cache
def shipped(name: str) -> Reference:
    """A game of the library with the fewest players that can hide something from each other."""
    game = load(name).game
    return Reference(game, min(max(game.players[0], 2), game.players[1]))


def games(made: Reference, count: int, most: int = 200) -> Iterator[tuple[int | Answer, ...]]:
    """The answers of random games."""
    for game in range(count):
        table, draws, answers = made.table(), Stream(1, game), list[int | Answer]()
        while (request := table.request()) is not None and len(answers) < most:
            asked: Any = request
            answer = draws.below(len(asked)) if hasattr(asked, "owner") else asked.sample(draws)
            answers.append(answer)
            table.answer(answer)
        yield tuple(answers)


def states(made: Reference, answers: tuple[int | Answer, ...]) -> list[State]:
    """The positions of a game."""
    table = made.table()
    found = [table.freeze()]
    for answer in answers:
        table.answer(answer)
        found.append(table.freeze())
    return found


def everything(request: Decision | Chance, answer: int | Answer, seat: int) -> str:
    """A log in which everybody reads everything."""
    return str(step(request, answer))


def leaks_of(leaks: Leaks, count: int = 4) -> list[Leak]:
    """What leaks in random games."""
    return [leak for answers in games(leaks.engine, count) for leak in leaks.of_game(answers)]


# ---- what leaks ----------------------------------------------------------------------------------------


def seen(made: Reference, state: State, seat: int) -> Any:
    """What a player sees, without what is asked."""
    return {name: part for name, part in made.view(state, seat).items() if name not in ("asked", "phases")}


def offered(made: Reference, state: State, seat: int) -> list[str] | None:
    """The options of a player; None if that player is not asked."""
    request: Any = made.pending(state)
    mine = getattr(request, "owner", None) == seat
    return [request.text(number) for number in range(len(request))] if mine else None


def differs(made: Reference, leak: Leak) -> bool:
    """Whether the two games look the same to the player, step by step, and have other options at the end."""
    assert leak.games is not None
    left, right = (states(made, answers) for answers in leak.games)
    same = [seen(made, one, leak.seat) for one in left] == [seen(made, other, leak.seat) for other in right]
    return same and offered(made, left[-1], leak.seat) != offered(made, right[-1], leak.seat)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("face_down_choice", "options of chip"),
        ("guarded_label", "options of attack_or_wait"),
        ("shown_by_asking", "options of bid"),
    ],
)
def test_options_that_depend_on_hidden_things(name: str, what: str) -> None:
    """Options that depend on a number face down, a private one or a hidden card: two games show it."""
    made = engine(name)
    found = [leak for leak in leaks_of(Leaks(made)) if leak.what == what and leak.name == NOTHING_SHOWS]
    shown = [leak for leak in found if leak.games is not None]

    assert shown
    assert all(differs(made, leak) for leak in shown)


def test_a_choice_that_is_not_asked() -> None:
    """A choice without options is not asked: that it is asked tells of a hidden card."""
    made = engine("shown_by_asking")
    start: Any = made.pending(made.start())
    dealt = made.play(made.start(), start.find(["1"]))
    second: Any = made.pending(dealt)
    answers = (start.find(["1"]), second.find(["2"]))
    state = made.play(dealt, answers[1])
    leaks = Leaks(made)
    none = [each for each in leaks.at(state) if each.right.startswith("nothing can be chosen")]
    left, right = leaks.with_games(none[0], answers).games or ((), ())

    assert answers == left
    assert made.view(states(made, left)[-1], 0)["asked"] == {"name": "bid", "player": 1}
    assert made.view(states(made, right)[-1], 0)["asked"] != {"name": "bid", "player": 1}


def test_the_same_seen_and_other_options() -> None:
    """Who has met other options at a position that looked the same would have to remember something."""
    found = [leak for leak in leaks_of(Leaks(engine("guarded_label"))) if leak.name == SEES_ENOUGH]

    assert found
    assert found[0].left != found[0].right
    assert not [leak for leak in leaks_of(Leaks(engine("thrown_in_the_box"))) if leak.name == SEES_ENOUGH]


# ---- what is told --------------------------------------------------------------------------------------


def test_a_log_that_tells_everything() -> None:
    """A line that names a card drawn face down, or what another one has bid, tells too much."""
    for made in (engine("face_down_choice"), engine("classics/goofspiel", cards_in_suit=3)):
        told_too_much = [leak for leak in leaks_of(Leaks(made, everything)) if leak.what.startswith("line told of")]

        assert told_too_much
        assert all(leak.games is not None and leak.left != leak.right for leak in told_too_much)
        assert not [leak for leak in leaks_of(Leaks(made)) if leak.what.startswith("line told of")]


def test_a_log_that_tells_what_another_holds() -> None:
    """A line about one thing that names another that is hidden."""
    made = engine("shown_by_asking")
    hand = made.program.layout.zones["hand"]

    def gossip(request: Decision | Chance, answer: int | Answer, seat: int) -> str:
        memory: Any = getattr(request, "m", None)
        return f"{request.name}, while others hold {memory[hand.base + hand.stride * (1 - seat)]}"

    found = leaks_of(Leaks(made, gossip))

    assert [leak for leak in found if leak.what == "line told of draw" and leak.games is not None]
    assert [leak for leak in found if leak.what == "line told of bid"]


def test_nobody_looks_into_the_box() -> None:
    """In an open game everything may be told but what lies in the box."""
    made = engine("thrown_in_the_box")
    throw: Any = made.pending(made.start())

    assert is_open(made.game)
    assert "throw" == told(throw, (3,), 0, all_open=True)
    assert [leak for leak in leaks_of(Leaks(made, everything)) if leak.what == "line told of throw"]
    assert not [leak for leak in leaks_of(Leaks(made)) if leak.name == NOTHING_SHOWS]


def test_told() -> None:
    """The own decision in full; of others that they were asked; of chance nothing, unless everything is open."""
    pig, secret = shipped("classics/pig"), Reference(load(HERE / "games" / "secret.rules").game, 2)
    choice: Any = pig.pending(pig.start())
    throw: Any = pig.pending(pig.play(pig.start(), 0))
    deal: Any = secret.pending(secret.start())
    card: Any = secret.pending(states(secret, next(games(secret, 1)))[1])

    assert "seat 1  throw_or_hold: throw_again" == told(choice, 0, 1, all_open=True)
    assert "throw: 5" == told(throw, throw.find(["5"]), 1, all_open=True)
    assert "" == told(deal, next(deal.outcomes())[0], 0)
    assert "seat 1  card" == told(card, 0, 1)
    assert f"seat 1  card: {card.text(0)}" == told(card, 0, 0)


# ---- views and secrets ---------------------------------------------------------------------------------


def test_views_that_show_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """A view that depends on what its player cannot see is refuted."""
    made = engine("classics/kuhn_poker")
    sight = made.program.sight
    leaks = Leaks(made)
    answers = next(games(made, 1))
    state = states(made, answers)[2]

    assert [] == list(leaks.at(state))
    twins = {seat: list(leaks.twins.of(state, seat)) for seat in range(2)}
    monkeypatch.setattr(leaks.twins, "of", lambda state, seat: twins[seat])
    monkeypatch.setattr(sight, "into", lambda zone, seat: True)
    found = [leaks.with_games(leak, answers[:2]) for leak in leaks.at(state)]

    assert {"view of player 1 hand", "view of player 2 hand", "view of table deck from_bottom"} >= {
        leak.what for leak in found
    }
    assert all(leak.games is not None for leak in found if leak.what == "view of player 2 hand")


def test_a_secret_that_is_shown() -> None:
    """A hand that is said to be secret and lies open is shown, until the phase up to which it is secret."""
    made = engine("shown_secret")
    found = [leak for leak in leaks_of(Leaks(made), 1) if leak.name == "what others hold"]

    assert {"view of player 1 hand", "view of player 2 hand"} == {leak.what for leak in found}
    for leak in found:
        assert leak.games is not None
        left, right = (states(made, answers)[-1] for answers in leak.games)
        assert made.view(left, leak.seat) != made.view(right, leak.seat)
    assert {"what others hold"} == Leaks(made).lifted(("play", "showdown"), ())
    assert set() == Leaks(made).lifted(("bidding", "turn"), ())


def test_a_secret_that_is_kept() -> None:
    """The same hands, private now, are no longer shown."""
    text = (HERE / "leaks" / "shown_secret.rules").read_text("utf-8")
    kept = made_of(text.replace("zone hand: cards", "zone hand: cards private"))
    dice = made_of(DICE)
    open_dice = made_of(DICE.replace(" private", ""))

    assert [] == leaks_of(Leaks(kept), 2)
    assert [] == leaks_of(Leaks(dice), 2)
    assert {"the cup"} == {leak.name for leak in leaks_of(Leaks(open_dice), 2)}


DICE = """
game "Cups"
players 2
components dice:
    faces pips: 1..6
    4 of each
each player has:
    zone cup: dice private
setup:
    for p in players: move first(2, dice where it in box) to p.cup
play:
    phase turn each player:
        throw cup
        choose go_on:
            yes_: nothing
            no_: nothing
secret "the cup": cup
"""


def made_of(text: str) -> Reference:
    """An engine for rules."""
    return Reference(load_text(text).game, 2)


# ---- what comes along ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HIDING)
def test_games_that_come_along(name: str) -> None:
    """In no game of the library does anything hidden show, nor does anybody need to remember."""
    made = shipped(name)
    leaks = Leaks(made)
    for number, answers in enumerate(games(made, 2)):
        met = states(made, answers)
        for state in met:
            assert leaks.recalled(state) is None
        for state in met[number :: max(len(met) // 12, 1)]:
            assert [] == [str(leak) for leak in leaks.at(state)]


# ---- exchanges -----------------------------------------------------------------------------------------


def test_swapped_twice_is_the_same() -> None:
    """Items that have changed places twice lie where they lay; unsettled choices come along."""
    made = engine("classics/goofspiel", cards_in_suit=3)
    answers = next(games(made, 1))
    layout = made.program.layout
    first, last = layout.kinds["bids"].first, layout.kinds["bids"].end - 1
    there_and_back = 0
    for state in states(made, answers)[:-1]:
        twin = swapped(made.program, state, first, last)
        assert twin is not None
        assert twin != state
        assert made.pending(twin) is not None
        back = swapped(made.program, twin, first, last)
        assert back in (state, None)  # None where two cards look alike now, of which one has been bid
        there_and_back += back == state

    assert there_and_back > 2


def alike(made: Reference) -> dict[int, int]:
    """An exchange of two items after which the start is the same."""
    for family in made.program.layout.families:
        for item in reversed(family):
            moved = {family[0]: item, item: family[0]}
            if exchanged(made.program, made.start(), moved) == made.start():
                return moved
    raise AssertionError("no items are alike")


@pytest.mark.parametrize("name", ["chipbanditen/quick", "classics/liars_dice", "nacho_pile", "classics/tenzi"])
def test_a_game_with_twins_exchanged_is_the_same_game(name: str) -> None:
    """Answers translated for two items printed alike lead to the same position, with these items exchanged."""
    made = shipped(name)
    answers, table, other = next(games(made, 1)), made.table(), made.table()
    moved = alike(made)
    for answer in answers:
        request, asked = table.request(), other.request()
        assert request is not None
        assert asked is not None
        found = translated(request, asked, answer, moved)
        assert found is not None
        table.answer(answer)
        other.answer(found[0])
        moved = dict(found[1])

        assert exchanged(made.program, table.freeze(), moved) == other.freeze()


def test_twin_game() -> None:
    """The game in which another card was dealt, and all else went the same way; none where an answer is gone."""
    made = engine("classics/kuhn_poker")
    king, jack = 2, 0
    names = {card: made.program.layout.fixed["rank"][card] for card in range(3)}
    answers: tuple[int | Answer, ...] = ((jack,), (king,), 0)

    assert {0: 0, 1: 1, 2: 2} == names
    assert ((king,), (jack,), 0) == twin_game(made, answers, jack, king)
    assert ((1,), (king,), 0) == twin_game(made, answers, jack, 1)
    assert twin_game(engine("face_down_choice"), ((0, 1, 3), 0, (3,)), 2, 3) is None
