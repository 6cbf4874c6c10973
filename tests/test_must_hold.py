"""When what must hold is looked at, what a search notes of it, and the engine of a focus."""

from fractions import Fraction
from typing import Any

import pytest

from regelwerk.dsl import load_text
from regelwerk.interpreter import Broken, Reference, RulesFault, State, Watch
from regelwerk.interpreter.engine import Met
from regelwerk.interpreter.focus import FocusEngine, focus_engine

STEPS = """game "Steps"
players 2
each player has:
    var points: 0..99 = 0
var pot: 0..99 = 0
play:
    phase turn each player in turn until pot >= 20:
        choose one from 1..6 as said
        do quick(said)
        do slow(said)
        if said is 5: end game
        pot += said
action quick(n: 1..6):
    let before_ = points
    points += n
action slow(n: 1..6):
    let first_half = n / 2
    phase halves repeat 1 times:
        choose go_on:
            on_and_on: pot += 1
            no_more: end turn
            all_over: end game
    let second_half = n - first_half
score: points
winner: highest score
"""
"""A game of one action in which nothing is asked, and one in which something is."""


def engine(*lines: str, watch: Watch | None = None, check: bool = True) -> Reference:
    """An engine for the game with some lines more."""
    return Reference(load_text(STEPS + "\n".join(lines) + "\n").game, 2, watch=watch, check=check)


def played(engine: Reference, *answers: str | int) -> State:
    """The state after answers: labels, or numbers that are said."""
    state = engine.start()
    for answer in answers:
        request: Any = engine.pending(state)
        state = engine.play(state, request.find([str(answer)]))
    return state


def fault(engine: Reference, *answers: str | int) -> str | None:
    """What is found wrong on the way."""
    try:
        played(engine, *answers)
    except RulesFault as error:
        return error.property
    return None


@pytest.mark.parametrize(
    ("line", "answers", "broken"),
    [
        ('invariant "x" after quick: n < 3', (2,), False),
        ('invariant "x" after quick: n < 3', (3,), True),
        ('invariant "x" after quick: points is before_ + n and player(2).points is 0', (3, "on_and_on"), False),
        ('invariant "x" after quick: points is before_ + n and player(2).points is 0', (3, "on_and_on", 1), True),
        ('invariant "x" after slow: n < 3', (3,), False),
        ('invariant "x" after slow: n < 3', (3, "on_and_on"), True),
        ('invariant "x" after slow: n < 3', (2, "on_and_on"), False),
        ('invariant "x" after slow: n < 3', (3, "no_more"), True),
        ('invariant "x" after slow: n < 3', (3, "all_over"), True),
        ('invariant "x" after slow: first_half is 3', (2, "no_more"), True),
        ('invariant "x" after slow: second_half is 3', (2, "no_more"), False),
        ('invariant "x" after slow: second_half is 3', (2, "on_and_on"), True),
        ('invariant "x" after slow: second_half is 1', (2, "on_and_on", 3, "no_more", 4, "on_and_on"), True),
        ('invariant "x" after halves: n < 3', (3, "on_and_on"), True),
        ('invariant "x" never: pot is 1', (), False),
        ('invariant "x" never: pot is 0', (), True),
        ('invariant "x" never: pot is 3', (2, "on_and_on"), True),
        ('invariant "x" never: pot is 1', (2, "on_and_on"), False),
        ('invariant "x" never: pot is 1', (5, "all_over"), False),
        ('invariant "x" never: points is 5 and pot is 0', (5, "all_over"), True),
    ],
)
def test_moments(line: str, answers: tuple[str | int, ...], broken: bool) -> None:
    """A condition is looked at when an action ends, however it ends, or whenever something is asked."""
    line = line.replace("points is 5 and", "player(1).points is 5 and")

    assert ("x" if broken else None) == fault(engine(line), *answers)


def test_an_action_without_effect_is_looked_at() -> None:
    """Also after an action that does nothing, and nobody needs its values."""
    text = 'game "G"\nplayers 1\nplay: do idle\naction idle: nothing\ninvariant "x" after idle: no\n'

    with pytest.raises(RulesFault, match="x"):
        Reference(load_text(text).game, 1).start()


def test_never_is_not_looked_at_without_checks() -> None:
    """What must never be is looked at whenever something is asked, like what must always be."""
    assert None is fault(engine('invariant "x" never: pot is 0', check=False), 3)


def test_a_watch_notes_what_is_met() -> None:
    """A search is told where what must be possible comes about, at its own moments, and how often it looked."""
    watch = Watch()
    made = engine(
        'possible "a three" after quick: n is 3 then pot > 0',
        'possible "half" after slow: second_half is 2',
        'possible "nothing" at end: pot is 0',
        'possible "a lot": pot > 3',
        'invariant "small" after quick: n < 4',
        watch=watch,
    )
    table = made.table()
    noted = []
    for answer in (1, "no_more", 3, "on_and_on", 4, "all_over"):
        table.events.clear()
        request: Any = table.request()
        table.answer(request.find([str(answer)]))
        noted.append([event for event in table.events if isinstance(event, Met | Broken)])

    assert [["a three"], ["half", "a lot"]] == [[event.property for event in events] for events in noted[2:4]]
    assert [[], [], ["small", "a lot"], ["a lot"]] == [[event.property for event in noted[i]] for i in (0, 1, 4, 5)]
    assert {"a three": 3, "half": 1, "nothing": 1, "a lot": 7, "small": 3} == watch.looked


# ---- focuses ---------------------------------------------------------------------------------------------

FOCUS = """game "Dice"
players 2..3
option rounds: 1..9 = 3
components dice:
    faces pips: 1..6
    2 of each
zone tray: dice
each player has:
    var points: 0..99 = 0
var begun: player = player(1)
setup:
    move dice to tray
    throw tray
    begun = player(2)
play:
    phase game_round repeat rounds times:
        phase turn each player from begun:
            throw tray
            choose keep_or_not:
                keep: points = min(points + sum(tray.pips), 99)
                not_this: do lose(1)
            if points > 50: end game
action lose(n: 1..9):
    points = max(points - n, 0)
score: points
winner: highest score
bounds score: 0..60
invariant "few" always: all(p.points < 90 for p in everyone)
focus "a turn":
    players 3
    given:
        player(3).points = 40
    given: begun = player(3)
    do turn for begun
    then player(3).points >= 39 and player(2).points is 0
    value: player(3).points - 40
focus "paying":
    do lose(3)
    then player(1).points is 0
focus "all":
    set rounds = 1
    do game
    value: player(2).points
focus "wrong":
    do turn
    then player(1).points < 10
    then player(1).points < 3
focus "beyond":
    given: player(1).points = 95
    do turn
"""


def focused(name: str, watch: Watch | None = None) -> FocusEngine:
    game = load_text(FOCUS).game
    return focus_engine(game, next(one for one in game.focuses if one.name == name), watch=watch)


def best(engine: FocusEngine, state: State) -> Fraction:
    """What the player of a focus makes of it: chance as it comes, every choice for the value."""
    table = engine.table(state)
    request: Any = table.request()
    if request is None:
        assert engine.value is not None
        return Fraction(engine.value(table))
    if hasattr(request, "owner"):
        return max(best(engine, engine.play(state, number)) for number in range(len(request)))
    return sum(
        (chance * best(engine, engine.play(state, answer)) for answer, chance in request.outcomes()), Fraction(0)
    )


def test_a_focus_begins_where_it_says() -> None:
    """Setup, given and options make the position; only the part is played, for its player, and then it is over."""
    made = focused("a turn")
    table = made.table()
    request: Any = table.request()

    assert (3, 2, "throw") == (made.players, made.seat, request.name)
    assert (0, 0, 40) == made.result(made.start()).scores
    assert 7 == best(made, made.start())


def test_a_focus_needs_no_value() -> None:
    """A part that asks nothing is over at once."""
    made = focused("paying")

    assert (None, None, 0) == (made.pending(made.start()), made.value, made.seat)


def test_a_focus_on_the_whole() -> None:
    """The whole game, with the options of the focus, and with all that is looked at when a game ends."""
    made = focused("all")

    assert {"rounds": 1} == made.options
    assert len(made.at_end) == len(Reference(made.game, made.players, made.options).at_end)
    assert 7 == best(made, made.start())


def test_a_focus_that_does_not_hold() -> None:
    """What must be true at the end of a part is a fault where it is not, or noted for a search."""
    made = focused("wrong")
    state = made.play(made.start(), made.pending(made.start()).find(["2", "2"]))  # type: ignore[union-attr]
    with pytest.raises(RulesFault) as caught:
        made.play(state, 0)
    watched = focused("wrong", Watch())
    _, events = watched.step(state, 0)

    assert ("wrong", "then player(1).points < 3") == (caught.value.property, caught.value.span.text)
    assert [caught.value.span] == [event.span for event in events if isinstance(event, Broken)]


def test_a_part_of_a_pass_is_no_pass() -> None:
    """What is looked at after a phase is left alone where only a part of its pass is played."""
    game = load_text(FOCUS + 'invariant "even" after game_round: sum(everyone.points) > 999\n').game
    engines = {focus.name: focus_engine(game, focus) for focus in game.focuses}

    assert 7 == best(engines["a turn"], engines["a turn"].start())
    with pytest.raises(RulesFault, match="even"):
        best(engines["all"], engines["all"].start())


def test_a_position_that_cannot_be() -> None:
    """A focus that begins where the rules forbid it to be is a fault."""
    with pytest.raises(RulesFault, match="few"):
        focused("beyond").start()


def test_keys_of_a_focus() -> None:
    """Positions of a focus have one key where they play on alike, and at its end where the values are equal."""
    made = focused("a turn")
    keys, table = made.keys(), made.table()
    found = []
    for pips, option in ((["1", "3"], 0), (["2", "2"], 0), (["1", "2"], 0), (["1", "2"], 1), (["2", "3"], 1)):
        table.seek(made.start())
        table.answer(table.request().find(pips))  # type: ignore[union-attr]
        between = table.key(keys)
        table.answer(option)
        found.append((between, table.key(keys)))
    (_, four), (_, too), (_, three), (_, none), (_, nothing) = found

    assert four == too
    assert none == nothing
    assert 3 == len({four, three, none})
