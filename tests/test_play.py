"""What rules do when they are played: small games, each for one thing, with what must come of it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from regelwerk.dsl import load, load_text, rules
from regelwerk.interpreter import Reference, RulesFault, Sample, State, Stream, TurnTaken
from regelwerk.interpreter.compile import Compiler
from regelwerk.interpreter.decisions import Asked
from regelwerk.interpreter.exact import BEST, TooLarge, Unending, distribution, results, value

DICE = """
components dice:
    has colour: red, blue
    faces pips: 1..6
    2 of each
zone tray: dice
"""

DECK = """
components cards:
    has rank: 1..5
    1 of each
zone deck: cards stacked hidden
zone seen: cards
"""

CHIPS = """
components chips:
    has number: 1..3
    has odd = number mod 2 is 1
    faces side: up, down
    hide number unless side is up
    2 of each
zone middle: chips
zone taken: chips
"""


def reference(rules: str, players: int = 1, most: str = "1..4") -> Reference:
    """An engine for rules without their first lines."""
    return Reference(load_text(f'game "Made"\nplayers {most}\n' + rules.lstrip("\n")).game, players)


def played(engine: Reference, answers: Sequence[str], state: State | None = None) -> State:
    """The state after answers in words, one text for each request."""
    state = state or engine.start()
    for text in answers:
        request: Any = engine.pending(state)
        state = engine.play(state, request.find([] if text == "" else text.split(", ")))
    return state


def asked(engine: Reference, state: State) -> list[str]:
    """What is asked: all options, or all outcomes, in words."""
    request: Any = engine.pending(state)
    if hasattr(request, "owner"):
        return [request.text(number) for number in range(len(request))]
    return [request.text(answer) for answer, _ in request.outcomes()]


def fault(rules: str, answers: Sequence[str] = (), players: int = 1) -> RulesFault:
    """The fault that a game runs into."""
    engine = reference(rules, players)
    with pytest.raises(RulesFault) as caught:
        state = played(engine, answers)
        engine.pending(state)
    return caught.value


# ---- decisions -----------------------------------------------------------------------------------------


def test_options_are_what_can_be_told_apart() -> None:
    """Six dice that show 6 6 5 4 4 1 give 35 sets that are not empty, the small ones first."""
    engine = reference("""
components dice:
    faces pips: 1..6
    6 of each
zone tray: dice
setup:
    move dice to tray
play:
    phase turn each player:
        throw tray
        choose 1.. from tray as kept
        move kept to box
""")
    state = played(engine, ["6, 6, 5, 4, 4, 1"])
    options = asked(engine, state)

    assert 35 == len(options)
    assert ["1", "4", "5", "6", "1, 4", "1, 5", "1, 6", "4, 4"] == options[:8]
    assert "1, 4, 4, 5, 6, 6" == options[-1]


def test_counting_needs_no_listing() -> None:
    """The sets of sixty cards are numbered, though nobody could list them."""
    engine = reference("""
components cards:
    has rank: 1..60
    1 of each
zone tray: cards
setup:
    move cards to tray
play:
    phase turn each player:
        choose any from tray as kept
        move kept to box
""")
    decision: Any = engine.pending(engine.start())

    assert 2**60 == len(decision)
    for number in (0, 1, 61, 2**59, 2**60 - 1):
        assert number == decision.find(decision.text(number).split(", "))


def test_a_condition_on_the_whole_set() -> None:
    """With `such that` only the sets that fit are options."""
    engine = reference("""
components tiles:
    has number: 1..5
    1 of each
zone open: tiles
setup:
    move tiles to open
play:
    phase turn each player:
        choose 1.. from open as shut such that sum(shut.number) is 6
        move shut to box
""")

    assert ["1, 5", "2, 4", "1, 2, 3"] == asked(engine, engine.start())


def test_parts_depend_on_earlier_parts() -> None:
    """A later part's options are those for what the parts before have chosen."""
    engine = reference("""
play:
    phase turn each player:
        choose one from 1..3 as high and one from 1..high as low such that high + low is not 4
        points = 10 * high + low
each player has:
    var points: 0..99 = 0
score: points
""")

    assert ["1, 1", "2, 1", "3, 2", "3, 3"] == asked(engine, engine.start())
    assert (32,) == engine.result(played(engine, ["3, 2"])).scores


def test_declining_comes_last() -> None:
    """An optional choice ends with the option to decline, which may be the only one."""
    rules = """
each player has:
    var points: 0..99 = 50
play:
    phase turn each player:
        may choose one from 1..2 where it > points - {0} as bid:
            points = bid
        else:
            points = 9
score: points
"""
    some, none = reference(rules.replace("{0}", "49")), reference(rules.replace("{0}", "40"))

    assert ["2", "none"] == asked(some, some.start())
    assert (2,) == some.result(played(some, ["2"])).scores
    assert (9,) == some.result(played(some, ["none"])).scores
    assert ["none"] == asked(none, none.start())


def test_nothing_to_choose_is_a_fault() -> None:
    """Where one must be chosen and there is none, the rules are at fault, in the phase and at the line."""
    error = fault(
        CHIPS
        + "play:\n    phase turn each player:\n        choose one from middle as mine\n        move mine to taken\n"
    )

    assert "nothing can be chosen for mine" == error.message
    assert ("turn",) == error.phases
    assert "choose one from middle as mine" in error.span.text


def test_options_cannot_hang_on_what_is_hidden() -> None:
    """A part whose options depend on which chip was taken unseen is a fault where chance took another."""
    rules = """
setup:
    move chips where number is 1 to middle showing up
    move chips where number > 1 to middle showing down
    move first(1, chips where number is 1) to middle showing down
play:
    phase turn each player:
        choose one from middle where side is down as a and one from middle where side is up and number is a.number as b
        move a to taken
        move b to taken
"""

    assert "depends on what cannot be seen" in fault(CHIPS + rules, ["?, 1", "2"]).message


def test_who_has_not_chosen() -> None:
    """The choice of a player who was not asked is no value."""
    error = fault(
        """
each player has:
    var points: 0..9 = 0
play:
    phase turn each player:
        all others choose one from 1..3 as bid
        points = sum(p.bid for p in players)
score: points
""",
        ["2"],
        2,
    )

    assert "player 1 has chosen no bid" == error.message


@pytest.mark.parametrize(
    ("statement", "order"),
    [
        ("move bottom(pile) to place count(pile) of pile", [2, 3, 4, 5, 1]),
        ("let c = at(pile, 2)\n    move c to place place(c) of pile", [1, 2, 3, 4, 5]),
        ("move cards where rank mod 2 is 0 to place 5 of pile", [1, 3, 5, 2, 4]),
        ("move cards where rank mod 2 is 0 to place 2 of pile", [1, 4, 2, 3, 5]),
        ("move cards where rank mod 2 is 0 to bottom of pile", [4, 2, 1, 3, 5]),
    ],
)
def test_moving_inside_a_pile(statement: str, order: list[int]) -> None:
    """Cards go to their place one by one; which place that is, is read before any is taken."""
    engine = reference(f"""
components cards:
    has rank: 1..5
    1 of each
zone pile: cards stacked
setup:
    for c in cards: move c to pile
play:
    {statement}
""")
    pile = engine.view(engine.start(), 0)["table"]["pile"]

    assert order == [card["rank"] for card in pile["from_bottom"]]


def test_a_number_between_far_ends() -> None:
    """Whether a number lies in a range needs no list of the range."""
    engine = reference("""
each player has:
    var points = 1
play:
    phase turn each player:
        if points in 0..999999999999999999 and 0 not in points..5: points = 7
score: points
""")

    assert (7,) == engine.result(engine.start()).scores


def test_what_was_hidden_is_left_to_chance() -> None:
    """Face-down chips are one option; which chip it was is a pick, hypergeometric for a set."""
    engine = reference(
        CHIPS
        + """
setup:
    move chips to middle showing down
play:
    phase turn each player:
        choose 2 from middle as mine
        move mine to taken showing up
"""
    )
    state = engine.start()
    pick: Any = engine.pending(engine.play(state, 0))

    assert ["? down, ? down"] == asked(engine, state)
    assert {"1 down, 1 down": Fraction(1, 15), "1 down, 2 down": Fraction(4, 15)}.items() <= {
        pick.text(answer): chance for answer, chance in pick.outcomes()
    }.items()
    assert ["3", "3"] == [
        chip["number"] and str(chip["number"])
        for chip in engine.view(played(engine, ["?, ?", "3, 3"]), 0)["table"]["taken"]
    ]


def test_what_follows_from_a_secret_is_secret() -> None:
    """A field worked out from a hidden one is hidden with it."""
    engine = reference(
        CHIPS
        + """
setup:
    move chips where odd to middle showing down
    move chips where not odd to middle showing up
play:
    phase turn each player:
        choose one from middle as mine
        move mine to taken
"""
    )

    assert ["2 up", "? down"] == asked(engine, engine.start())
    assert [{"side": "up", "number": 2, "odd": False}] * 2 + [{"side": "down"}] * 4 == engine.view(engine.start(), 0)[
        "table"
    ]["middle"]


def test_nobody_sees_a_pick_before_all_have_chosen() -> None:
    """Simultaneous choices come in seat order, each on what was seen before, and are bound together."""
    engine = reference(
        """
each player has:
    var points: 0..9 = 0
play:
    phase round:
        all players choose one from 1..3 as bid
        for p in players where bid is max(q.bid for q in players):
            p.points = p.bid
score: points
winner: highest score
""",
        3,
    )
    state = played(engine, ["2", "3"])
    other = played(engine, ["1", "3"])

    assert 2 == engine.pending(state).owner  # type: ignore[union-attr]
    assert [engine.view(state, seat) for seat in (1, 2)] == [engine.view(other, seat) for seat in (1, 2)]
    assert (0, 3, 3) == engine.result(played(engine, ["3"], state)).scores


def test_private_cards_are_seen_by_their_owner() -> None:
    """The owner of a hand chooses between cards, others see how many there are."""
    engine = reference(
        DECK.replace("zone seen: cards", "")
        + """
each player has:
    zone hand: cards private
setup:
    move cards where rank <= 2 to player(1).hand
    move cards where rank > 2 to player(2).hand
play:
    phase turn each player:
        choose one from hand as mine
        move mine to deck
        choose one from the(others).hand as theirs
        move theirs to deck
""",
        2,
    )
    state = engine.start()

    assert ["1", "2"] == asked(engine, state)
    assert ["?"] == asked(engine, played(engine, ["1"]))
    assert {"count": 3} == engine.view(state, 0)["players"][1]["hand"]
    assert [{"rank": 1}, {"rank": 2}] == engine.view(state, 0)["players"][0]["hand"]


def test_what_rules_have_named_is_shown_unless_it_tells() -> None:
    """A view has what was named in a pass, but not what was worked out from secrets."""
    engine = reference(
        CHIPS
        + """
setup:
    move chips to middle showing down
play:
    phase turn each player:
        let there = count(middle)
        let low_ones = count(middle where number is 1)
        choose one from 1..there - low_ones as said
        choose one from 1..said as mine
        points = mine
each player has:
    var points: 0..9 = 0
score: points
"""
    )
    state = played(engine, ["3"])

    assert {"there": 6, "said": 3} == engine.view(state, 0)["named"]


def test_what_is_put_away_is_not_shown() -> None:
    """A number that rules keep where not everybody sees it stays a secret under its name as well."""
    engine = reference(
        """
each player has:
    var points: 0..9 = 0
    var own: 0..9 = 0 private
var secret: 0..9 = 0 hidden
score: points
play:
    phase turn each player as guesser:
        all players choose one from 1..2 as bid
        for p in players: p.own = p.bid
        pick one from 1..3 as n
        pick one from 1..3 as m
        let both = n + 1
        secret = both * seat(guesser)
        for p in players by p.own ascending:
            choose one from 1..6 as guess
            points += 1 if guess is secret and m is 1 and own is 1 else 0
""",
        2,
    )
    state = played(engine, ["1", "2", "3", "2"])

    assert {"m": 2} == engine.view(state, 0)["named"]


def test_simultaneous_choice_of_hidden_things() -> None:
    """What players take unseen is left to chance for each, when all have chosen."""
    engine = reference(
        CHIPS.replace("zone taken: chips", "")
        + """
each player has:
    zone won: chips
    zone pile: chips
setup:
    move chips where number is 1 to player(1).pile showing down
    move chips where number is 2 to player(1).pile showing down
    move chips where number is 3 to player(2).pile showing down
    move middle to box
play:
    phase round:
        all players choose one from pile as taken
        for p in players:
            move p.taken to p.won showing up
score: sum(won.number)
""",
        2,
    )
    state = played(engine, ["?", "?"])
    pick: Any = engine.pending(state)

    assert {"1 down": Fraction(1, 2), "2 down": Fraction(1, 2)} == {
        pick.text(answer): chance for answer, chance in pick.outcomes()
    }
    assert (2, 3) == engine.result(played(engine, ["2"], state)).scores


# ---- chance --------------------------------------------------------------------------------------------


def test_throws_up_to_symmetry() -> None:
    """Two pairs of equal dice have 21 times 21 outcomes, each with its chance."""
    engine = reference(DICE + "setup:\n    move dice to tray\nplay:\n    phase turn each player:\n        throw tray\n")
    throw: Any = engine.pending(engine.start())
    chances = dict(throw.outcomes())

    assert 441 == len(chances)
    assert Fraction(1, 36**2) == chances[throw.find(["red 1", "red 1", "blue 6", "blue 6"])]
    assert Fraction(4, 36**2) == chances[throw.find(["2", "1", "6", "3"])]


def test_a_marked_die_is_not_like_the_others() -> None:
    """What a rule holds on to can be told apart: its face is as likely as any other."""
    engine = reference("""
components dice:
    faces pips: 1..6
    3 of each
zone tray: dice
each player has:
    var points: 0..6 = 0
setup:
    move dice to tray
play:
    phase turn each player:
        choose one from tray as mine
        throw tray
        points = mine.pips
measure "mine" after turn: points
""")

    assert {pips: Fraction(1, 6) for pips in range(1, 7)} == distribution(engine, "mine")


def test_faces_by_a_field_and_by_weight() -> None:
    """Faces have weights, and may depend on a fixed field."""
    engine = reference("""
components dice:
    has colour: green, red
    faces shows by colour:
        green: brain x3, foot x2, shot
        red: brain, foot x2, shot x3
    1 of each
zone cup: dice
setup:
    move dice to cup
play:
    phase turn each player:
        throw cup
""")
    throw: Any = engine.pending(engine.start())

    assert Fraction(9, 36) == dict(throw.outcomes())[throw.find(["green brain", "red shot"])]


def test_one_outcome_is_not_asked() -> None:
    """A throw of nothing and a draw of all there is are no events."""
    engine = reference(
        CHIPS
        + """
play:
    phase turn each player:
        throw taken
        draw 2 from chips where number is 1 as ones
        move ones to taken
        draw up to 3 from middle as none_there
        move none_there to taken
"""
    )

    assert None is engine.pending(engine.start())
    assert 2 == len(engine.view(engine.start(), 0)["table"]["taken"])


def test_a_pick_by_weight() -> None:
    """`weighted` gives each value its chance; values without weight never come."""
    engine = reference("""
each player has:
    var points: 0..9 = 0
play:
    phase turn each player:
        pick one from 1..4 weighted it mod 4 as n
        points = n
measure "n" after turn: points
""")

    assert {1: Fraction(1, 6), 2: Fraction(2, 6), 3: Fraction(3, 6)} == distribution(engine, "n")


# ---- stacked zones -------------------------------------------------------------------------------------

DRAW_TWO = """
play:
    phase turn each player:
        draw one from deck to seen
        draw one from deck to seen
"""


def test_an_order_that_is_known_is_no_chance() -> None:
    """Cards laid on a deck one by one come back in the opposite order, and nothing is asked."""
    engine = reference(DECK + "setup:\n    move cards to deck\n" + DRAW_TWO)

    assert None is engine.pending(engine.start())
    assert [{"rank": 4}, {"rank": 5}] == engine.view(engine.start(), 0)["table"]["seen"]


def test_a_shuffled_deck_is_drawn_card_by_card() -> None:
    """After a shuffle each draw is one event with the cards that are left; the last needs none."""
    engine = reference(DECK + "setup:\n    move cards to deck\n    shuffle deck\n" + DRAW_TWO)

    assert ["1", "2", "3", "4", "5"] == asked(engine, engine.start())
    assert ["1", "2", "4", "5"] == asked(engine, played(engine, ["3"]))


def test_what_lies_on_and_under_a_shuffled_deck_is_known() -> None:
    """Cards put on top come first, cards put below come last, and a card put into it comes in its place."""
    engine = reference(
        DECK
        + """
setup:
    move cards where rank <= 2 to deck
    shuffle deck
    move cards where rank is 3 to bottom of deck
    move cards where rank is 4 to place 3 of deck
    move cards where rank is 5 to deck
play:
    phase turn each player:
        repeat 5 times:
            draw one from deck as card
            move card to seen
            points = 10 * points + card.rank
each player has:
    var points: 0..99999 = 0
score: points
"""
    )
    state = engine.start()

    assert ["1", "2"] == asked(engine, state)
    assert (52413,) == engine.result(played(engine, ["2"])).scores
    assert (51423,) == engine.result(played(engine, ["1"])).scores


def test_looking_at_the_top_settles_it() -> None:
    """A draw that goes nowhere leaves the cards where they lay; from then on their order is known."""
    engine = reference(
        DECK
        + """
setup:
    move cards to deck
    shuffle deck
play:
    phase turn each player:
        draw 2 from deck as peeked
        points = top(deck).rank
        move peeked to seen
each player has:
    var points: 0..99 = 0
score: points
"""
    )
    draw: Any = engine.pending(engine.start())

    assert 20 == len(list(draw.outcomes()))
    assert (4,) == engine.result(played(engine, ["4, 2"])).scores


def test_an_unknown_order_cannot_be_read() -> None:
    """The top of a shuffled deck is a fault to look at before it is drawn."""
    rules = (
        DECK
        + """
setup:
    move cards to deck
    shuffle deck
play:
    phase turn each player:
        move top(deck) to seen
"""
    )

    assert "not known since the shuffle" in fault(rules).message


def test_a_draw_onto_a_stack_has_an_order() -> None:
    """Whoever deals a shuffled deck onto a pile does not know what lies on top of it."""
    engine = reference(
        DECK.replace("zone seen: cards", "zone pile: cards stacked")
        + """
setup:
    move cards where rank <= 3 to deck
    shuffle deck
play:
    phase turn each player:
        draw 3 from deck to pile
        points = top(pile).rank
each player has:
    var points: 0..99 = 0
measure "top" after turn: points
"""
    )

    assert {rank: Fraction(1, 3) for rank in (1, 2, 3)} == distribution(engine, "top")


# ---- phases and loops ----------------------------------------------------------------------------------

WAYS_OUT = """
each player has:
    var points: 0..99 = 0
var passes: 0..99 = 0
play:
    phase outer repeat 3 times:
        phase inner each player:
            passes += 1
            choose way:
                stay: nothing
                end_inner: end inner
                leave_inner: leave inner
                end_outer: end outer
                again_inner: again inner
                leave_outer: leave outer
                over: end game
            points += 1
score: 10 * points + passes
measure "passes" after outer: passes
"""


@pytest.mark.parametrize(
    ("answers", "scores"),
    [
        (["stay", "stay"] * 3, (36, 36)),
        (["end_inner", "stay"] * 3, (6, 36)),
        (["leave_inner"] * 3, (3, 3)),
        (["stay", "end_outer"] * 3, (36, 6)),
        (["again_inner", "stay", "leave_outer"], (13, 3)),
        (["stay", "over"], (12, 2)),
    ],
)
def test_ways_out(answers: list[str], scores: tuple[int, ...]) -> None:
    """`end`, `leave`, `again` and `end game` lead where they say."""
    engine = reference(WAYS_OUT, 2)
    state = played(engine, answers)

    assert None is engine.pending(state)
    assert scores == engine.result(state).scores


def test_what_ends_a_pass_ends_those_inside() -> None:
    """Ending the game ends every pass around it, innermost first, with their measures."""
    engine = reference(WAYS_OUT, 2)
    _, events = engine.step(played(engine, ["stay"]), 6)

    assert (TurnTaken("inner", 1), Sample("passes", 2), TurnTaken("outer", None)) == events


def test_who_is_out_has_no_turn() -> None:
    """A player who is eliminated is skipped from then on, and cannot win."""
    engine = reference(
        """
each player has:
    var points: 0..9 = 0
play:
    phase turn each player in turn until count(players) is 1:
        points += 1
        choose one from others as victim
        eliminate victim
score: points
winner: highest score
""",
        3,
    )
    state = played(engine, ["player 2"])

    assert 2 == engine.pending(state).owner  # type: ignore[union-attr]
    assert ["player 1"] == asked(engine, state)
    assert (2,) == engine.result(played(engine, ["player 1"], state)).winners


def test_order_of_passes() -> None:
    """Passes go from a player round the table, or by a key; equal keys keep that order."""
    engine = reference(
        """
each player has:
    var points: 0..9 = 0
    var key: 0..9 = 0
var last: 0..9 = 0
play:
    player(2).key = 5
    phase rank each player from player(3) by key descending:
        last += 1
        points = last
score: points
""",
        4,
    )

    assert (4, 1, 2, 3) == engine.result(engine.start()).scores


def test_states_that_play_on_alike_are_equal() -> None:
    """What a pass has bound is forgotten when it ends."""
    engine = reference(
        """
play:
    phase turn each player in turn:
        choose one from 1..3 as said
        let twice = 2 * said
        phase wait repeat twice times:
            choose go_on:
                yes_please: nothing
                enough: leave wait
        if said > 3: end game
""",
        2,
    )

    assert played(engine, ["1", "enough"]) == played(engine, ["3", "yes_please", "enough"])


def test_an_action_comes_back_to_where_it_was_called() -> None:
    """An action that asks is played from two places, with values of its own each time."""
    engine = reference("""
each player has:
    var points: 0..99 = 0
action bid(most: 1..9):
    choose one from 1..most as amount
    points += most * amount
play:
    phase first each player:
        do bid(2)
        phase second:
            do bid(3)
score: points
""")
    state = played(engine, ["2"])

    assert ("first", "second") == engine.pending(state).phases  # type: ignore[union-attr]
    assert (13,) == engine.result(played(engine, ["3"], state)).scores


def test_loops_that_ask() -> None:
    """A loop takes its set at the start, in the order of its key; `break` leaves the innermost."""
    engine = reference(
        CHIPS
        + """
each player has:
    var points: 0..999999 = 0
setup:
    move chips to middle showing up
play:
    phase turn each player:
        for chip in first(1, chips where number is 1) + first(1, chips where number is 3) by number descending:
            repeat 3 times:
                choose go_on:
                    add "add it":
                        points = 10 * points + chip.number
                    stop: break
            repeat until points mod 2 is 0:
                choose one from 0..9 as last
                points = 10 * points + last
score: points
"""
    )

    assert (334116,) == engine.result(played(engine, ["add", "add", "stop", "4", "add", "add it", "stop", "6"])).scores


def test_leaving_from_inside_an_action() -> None:
    """An action may end the game, and then nothing after its call is played."""
    engine = reference(
        """
each player has:
    var points: 0..9 = 0
action risk:
    choose one from 1..2 as luck
    if luck is 2:
        end game
play:
    phase turn each player in turn until any(p.points is 3 for p in players):
        do risk
        points += 1
score: points
""",
        2,
    )
    state = played(engine, ["1", "1", "1", "2"])

    assert None is engine.pending(state)
    assert (2, 1) == engine.result(state).scores


# ---- faults --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("points = points - 1", "points cannot be -1: it lies in 0..9"),
        ("points = 10 / points", "division by zero"),
        ("points = max(c.number for c in middle)", "there is no max of nothing"),
        ("points = the(chips).number", "there must be exactly one, and there are 6"),
        ("draw 2 from middle to taken", "2 are to be drawn, and there are only 0"),
        ("repeat until points is 1: points = 0", "has not ended"),
        ("big = big * big", "the number is too large"),
        ("points = seat(player(points))", "there is no player 0"),
        ("points = count(1..big)", "1..9000000000 are more than 1,000,000 numbers"),
        (
            "choose one from 1..2000 as a and one from a..2000 as b such that a < b",
            "there are more than 1,000,000 options for a",
        ),
    ],
)
def test_faults(statement: str, message: str) -> None:
    """What no check could see stops the game with the rule that did it."""
    rules = f"""
{CHIPS}
var big = 9000000000
each player has:
    var points: 0..9 = 0
play:
    phase turn each player:
        {statement}
        choose one from 1..2 as n
        points = n
        big = n
        move chips to taken
score: points
"""
    error = fault(rules)

    assert message in error.message
    assert ("turn",) == error.phases
    assert error.span.text in statement


def test_play_without_end_is_a_fault() -> None:
    """Where nothing is asked for too long, play stops."""
    game = load_text(
        'game "Made"\nplayers 1\nvar n: 0..1 = 0\nplay:\n    phase turn repeat until n is 1:\n        n = 0\n'
    ).game

    with pytest.raises(RulesFault, match="nothing has been asked for 500 steps"):
        Reference(game, 1, limit=500).start()


def test_an_invariant_that_does_not_hold() -> None:
    """An invariant is looked at whenever something is asked, unless that is switched off."""
    rules = """
each player has:
    var points: 0..9 = 0
play:
    phase turn each player in turn until any(p.points is 3 for p in players):
        choose one from 0..5 as n
        points = n
score: points
invariant "nobody has more than four": all(p.points <= 4 for p in players)
"""
    engine = reference(rules)
    state = engine.start()
    with pytest.raises(RulesFault, match="nobody has more than four") as caught:
        engine.play(state, 5)
    careless = Reference(engine.game, 1, check=False)

    assert state == caught.value.state
    assert (5,) == careless.result(careless.play(careless.start(), 5)).scores


def test_wrong_players_and_options() -> None:
    """An engine says what players and options there are."""
    game = load_text('game "Made"\nplayers 2..3\noption goal: 3..5 = 4\nvar n = goal\nplay:\n    n = 1\n').game

    with pytest.raises(ValueError, match="Made is for 2 to 3 players, not 4"):
        Reference(game, 4)
    with pytest.raises(ValueError, match="no option gaol; it has goal"):
        Reference(game, 2, {"gaol": 3})
    with pytest.raises(ValueError, match=r"option goal cannot be 6: it lies in 3\.\.5"):
        Reference(game, 2, {"goal": 6})


# ---- money, teams, strategies --------------------------------------------------------------------------


def test_money_only_changes_hands() -> None:
    """`pay` moves a number from one place to another, and no further than their ranges."""
    rules = """
var pot: 0..9 = 0 conserved
each player has:
    var purse: 0..9 = 3 conserved
play:
    phase turn each player:
        choose one from 1..5 as stake
        pay stake from purse to pot
score: purse
invariant "nothing is lost" always: pot + sum(p.purse for p in players) is 3 * count(players)
"""
    engine = reference(rules, 2)

    assert (1, 0) == engine.result(played(engine, ["2", "3"])).scores
    assert "purse cannot be -1: it lies in 0..9" == fault(rules, ["4"]).message


def test_teams_score_together() -> None:
    """A team's score is what its players have; all of them win."""
    engine = reference(
        """
teams 2
each player has:
    var points: 0..99 = 0
play:
    phase turn each player:
        points = seat(me)
score: points
winner: highest score
""",
        4,
        "4",
    )

    assert (4, 6, 4, 6) == engine.result(engine.start()).scores
    assert (1, 3) == engine.result(engine.start()).winners


def test_strategies() -> None:
    """A strategy takes the best option, a value, or any; the first of equals, and it draws only for any."""
    engine = reference("""
each player has:
    var points: 0..99 = 0
play:
    phase turn each player:
        choose one from 1..4 as high
        choose one from 1..4 as low
        choose one from 1..4 as fixed
        choose one from 1..4 as free
        points = 10 * high + low
        points += fixed + free
score: points
strategy careful:
    high: best -abs(it - 3)
    low: best it mod 2
    fixed: 4 if high is 3 else 1
""")
    policy, table, draws = engine.policy("careful"), engine.table(), Stream(1)
    taken = []
    while (decision := table.request()) is not None:
        taken.append(policy.choose(table, decision, draws))
        table.answer(taken[-1])

    assert [2, 0, 3, Stream(1).below(4)] == taken
    with pytest.raises(LookupError, match="no strategy bold; there are: careful"):
        engine.policy("bold")


# ---- exact chances -------------------------------------------------------------------------------------


def test_exact_chances() -> None:
    """The sum of two dice, and the best that can be made of throwing one of them again."""
    rules = """
components dice:
    faces pips: 1..6
    2 of each
zone tray: dice
setup:
    move dice to tray
play:
    phase turn each player:
        throw tray
        {0}
score: sum(tray.pips)
measure "sum" after turn: sum(tray.pips)
"""
    once = reference(rules.replace("{0}", ""))
    twice = reference(rules.replace("{0}", "choose any from tray as again_thrown\n        throw again_thrown"))

    assert Fraction(6, 36) == distribution(once, "sum")[7]
    assert Fraction(7) == value(once, 0)
    assert Fraction(17, 2) == value(twice, 0, BEST)
    with pytest.raises(TooLarge):
        value(twice, 0, BEST, most=10)


def test_exact_chances_of_games_without_end() -> None:
    """A game that can come to the same position again is refused."""
    engine = reference(
        "play:\n    phase turn each player in turn:\n        pick one from 1..2 as n\n        if n is 2: end game\n"
    )

    with pytest.raises(Unending):
        results(engine)


# ---- random numbers ------------------------------------------------------------------------------------


def test_the_stream_is_what_it_always_was() -> None:
    """Seeds keep their games: these numbers may never change."""
    draws = Stream(1, 2)

    assert [1, 5, 3, 2238248900] == [draws.below(limit) for limit in (6, 6, 6, 2**32)]
    assert [372441944132, 1797212113141388289, 0] == [draws.below(limit) for limit in (2**40, 2**64, 1)]


def test_draws_are_even() -> None:
    """Every face comes about as often as any other."""
    draws = Stream(4)
    counts = [0] * 6
    for _ in range(12_000):
        counts[draws.below(6)] += 1

    assert 1_850 < min(counts) and max(counts) < 2_150


# ---- one way and the other -----------------------------------------------------------------------------


def told(engine: Reference, seed: int) -> list[Any]:
    """A game at random, in words."""
    table, draws, said = engine.table(), Stream(seed), list[Any]()
    while (request := table.request()) is not None:
        if isinstance(request, Asked):
            answer: Any = draws.below(len(request))
        else:
            answer = request.sample(draws)  # type: ignore[union-attr]
        said.append((request.name, request.phases, request.text(answer)))
        table.answer(answer)
    return [*said, *table.events, table.result()]


@pytest.mark.parametrize("name", ["chipbanditen/standard", "clever_hoch_drei/short", "nacho_pile", "thirty"])
def test_fused_steps_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops and actions in steps of their own come to the same as those fused into one step."""
    game = load(name).game
    fused = [told(Reference(game, 2), seed) for seed in range(3)]
    is_brief = Compiler.is_brief
    loops = rules.For | rules.RepeatTimes | rules.RepeatUntil | rules.Do
    monkeypatch.setattr(Compiler, "is_brief", lambda self, each: not isinstance(each, loops) and is_brief(self, each))

    assert fused == [told(Reference(game, 2), seed) for seed in range(3)]


@pytest.mark.parametrize(
    ("look", "what"),
    [
        ("it.number", "number"),
        ("count(taken where odd)", None),
        ("(1 if it.odd else 0)", "odd"),
        ("sum(p.secret for p in others)", "secret"),
    ],
)
def test_strategy_looks_at_nothing_hidden(look: str, what: str | None) -> None:
    """A strategy that looks at what its player cannot see is stopped; one that looks at what lies open is not."""
    engine = reference(
        CHIPS
        + f"""
each player has:
    var secret: 0..9 = 3 private
setup:
    move chips to middle showing down
play:
    phase turn each player:
        choose one from middle as chip
        move chip to taken showing up
strategy looking:
    chip: best {look}
""",
        players=2,
    )
    policy, table, draws = engine.policy("looking"), engine.table(), Stream(1, 1)
    request: Any = table.request()
    # Options that look alike are one; a second one lies open, so that there is something to compare.
    table.m[engine.program.layout.face_slot[5]] = 0
    request = engine.pending(table.freeze())
    if what is None:
        assert policy.choose(engine.table(table.freeze()), request, draws) == 0
    else:
        with pytest.raises(RulesFault, match=f"the strategy looks at `{what}`, which player 1 cannot see"):
            policy.choose(engine.table(table.freeze()), request, draws)


def test_no_further_pass_for_who_is_out() -> None:
    """`again` gives nobody a pass who has been eliminated in this one."""
    engine = reference(
        """
var passes: 0..9 = 0
play:
    phase turn each player:
        passes += 1
        if passes is 1:
            eliminate me
            again turn
measure "passes" at end: passes
""",
        players=3,
    )
    table = engine.table()

    assert table.request() is None
    assert [event.player for event in table.events if isinstance(event, TurnTaken)] == [0, 1, 2]
