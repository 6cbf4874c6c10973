"""Numbers at the ends of 64 bits: what needs more is a fault, in both engines; everything else is as on paper."""

import pytest

from regelwerk.dsl import load_text
from regelwerk.interpreter.native import is_there

if not is_there():
    pytest.skip("NOT COMPARED for want of wasmtime", allow_module_level=True)

from engines import SEED, compare

from regelwerk.interpreter import Reference, Stream
from regelwerk.interpreter.agents import Random
from regelwerk.interpreter.playing import play

GAME = """game "Extremes"
players {players}

components dice:
    faces pips: 1..6
    3 of each

zone tray: dice
zone pile: dice stacked
var big = 999999999999999999
var much = 9
var most = 1
var least = 1
var made = 0
var found: player = player(1)
var small: 0..9 = 0
var row[1..3] = 0

each player has:
    var own = 0

setup:
    move first(2, dice) to tray
    move dice - tray to pile
    most = big * much + 223372036854775816
    least = -1 - most

play:
    phase turn each player:
        pick one from 1..2 as n
        small = n
        own = big * (much - 4)
        {line}

{tail}
"""

TOO_MUCH = (
    "big * 10", "big * much + big", "0 - big * much - big", "most + 1", "least - 1", "1 - least", "-least",
    "abs(least)", "most * most", "least * -1", "-1 * least", "least * least", "most * 2", "least * 2", "2 * least",
    "least / -1", "least / (much - 10)", "least / -1 rounded up", "least / (much - 10) rounded up", "most - least",
    "least - most", "sum(most for x in 1..2)", "sum(least for x in 1..2)", "sum(everyone.own)",
    "sum((most if x < 3 else 1) for x in 1..3)", "sum(largest(2, everyone.own))", "0 - (least + 0)", "most + n",
    "n + most", "least - n", "most * (n + 1)",
)  # fmt: skip
"""What needs more than 64 bits."""

FITS = (
    "most", "least", "most + least", "most - most", "least + most", "most * -1", "least * 1", "1 * least",
    "least * 0", "0 * least", "most / -1", "least / 2", "least / 2 rounded up", "least / 7", "most / -7",
    "least / 7 rounded up", "most / -7 rounded up", "least / (much - 16) rounded up",
    "(0 - n) / (much - 7) rounded up", "least mod -1", "least mod (much - 10)", "most mod -7", "least mod 10",
    "most / least", "least / most", "least / least", "most / most rounded up", "abs(most)", "abs(1 + least)",
    "sum((most if x < 3 else 0 - most) for x in 1..3)", "sum((least if x < 3 else most) for x in 1..4)",
    "max(most, least)", "min(most, least)", "max((most if x is 1 else least) for x in 1..2)",
    "count(first(most, tray))", "count(first(least, tray))", "sum(largest(most, tray.pips))",
    "sum(smallest(least, tray.pips))", "count(least..least)", "count(most..most)", "count(most..least)",
    "1 if n in least..most else 0", "1 if most in least..n else 0", "seat(next(me, most))", "seat(next(me, least))",
    "seat(previous(me, most))", "count(distinct(x * most for x in 0..1))", "count(highest(tray by least))",
    "count(lowest(tray by (most if pips is 1 else least)))",
)  # fmt: skip
"""What does not."""

FAULTS = (
    "count(least..most)", "count(most - 2000000..most)", "row[most]", "row[least]", "seat(player(most))",
    "seat(player(least))", "most / (much - 9)", "least mod (much - 9)", "max(most for x in 1..3 where x > 3)",
    "seat(previous(me, least))",
)  # fmt: skip
"""What is a fault of another kind."""

LINES = (
    "made += most", "made -= least", "own += most", "small = most", "small = least", "small += most", "row[1] = most",
    "row[most] = 1", "row = least", "made = most\n        made += n", "made = least\n        made -= n",
    "repeat least times: made += 1", "repeat most times: break", "for x in 1..3 by most ascending: made += x",
    "draw up to most from tray as some\n        made = count(some)",
    "draw most from tray as some\n        made = count(some)",
    "draw up to least from tray as some\n        made = count(some)", "draw least from tray to pile",
    "pick one from 1..3 weighted (most if it is 2 else 0) as m\n        made = m",
    "pick one from 1..3 weighted most as m\n        made = m",
    "pick one from 1..3 weighted least as m\n        made = m",
    "pick one from 1..3 weighted (most if it is 2 else 1) as m\n        made = m",
    "choose up to most from tray as some\n        made = count(some)",
    "choose most from tray as some\n        made = count(some)",
    "choose least.. from tray as some\n        made = count(some)",
    "choose up to least from tray as some\n        made = count(some)",
    "choose least..most from tray as some\n        made = count(some)", "move tray to place most of pile",
    "move tray to place least of pile", "made = at(pile, most).pips", "phase many repeat least times: made += 1",
    "phase few each player by most descending: made += 1", "choose one from most - 1 .. most as m\n        made = m",
    "choose any from least .. least + 2 as some\n        made = count(some)",
)  # fmt: skip
"""Statements."""


def message(line: str, tail: str = "score: made\nwinner: highest score", players: str = "2") -> str | None:
    """What the reference says of a game with this line, after both engines have played the same games."""
    made = load_text(GAME.format(line=line, tail=tail, players=players)).game
    agents = [Random()] * made.players[0]
    compare(made, ["random"] * made.players[0], games=3)
    played = play(Reference(made, made.players[0]), agents, Stream(SEED, 0))
    return played.fault.message if played.fault else None


@pytest.mark.parametrize("expression", TOO_MUCH)
def test_too_large(expression: str) -> None:
    """The fault says so."""
    assert "the number is too large" == message(f"made = {expression}")


@pytest.mark.parametrize("expression", FITS)
def test_fits(expression: str) -> None:
    """There is no fault where the result has room, whatever was on the way in a sum."""
    assert message(f"made = {expression}") is None


@pytest.mark.parametrize("expression", FAULTS)
def test_other_faults(expression: str) -> None:
    """Both engines say the same of what is not there."""
    assert message(f"made = {expression}") is not None


@pytest.mark.parametrize("line", LINES)
def test_statements(line: str) -> None:
    """Both engines do the same with numbers that are far too large or small."""
    message(line)


@pytest.mark.parametrize(
    "tail",
    [
        "score: own + big * much",
        "score: made\nwinner: highest own + big * much",
        'measure "m" at end: own + most',
        'measure "m" after turn: own + most', 'invariant "i": own + most > 0', 'invariant "i" at end: own + most > 0',
        "score: made\nwinner: highest sum(p.own for p in everyone)",
    ],
)  # fmt: skip
def test_at_the_end(tail: str) -> None:
    """Scores, ranks, measures and invariants are numbers like all others."""
    made = tail.replace("own", "sum(everyone.own)") if "p.own" not in tail else tail

    assert "the number is too large" == message("made = 1", made)


def test_scores_of_teams() -> None:
    """The scores of a team are added up, and so are the numbers by which it is ranked."""
    for tail in ("score: most\nwinner: highest score", "score: 1\nwinner: highest most"):
        assert "the number is too large" == message("made = 1", tail, players="4\nteams 2")


SETS = """game "Sets"
players 1

components cards:
    has value: 1..{cards}
    1 of each

zone deck: cards
var taken = 0

setup: move cards to deck

play:
    phase turn each player:
        choose any from deck as many
        taken = count(many)

score: taken
"""


@pytest.mark.parametrize(("cards", "too_many"), [(61, False), (62, True), (70, True)])
def test_many_sets(cards: int, too_many: bool) -> None:
    """Sets are only counted, up to 2^62."""
    game = load_text(SETS.format(cards=cards)).game
    played = play(Reference(game, 1), [Random()], Stream(SEED, 0))

    assert compare(game, ["random"], games=3) == (0 if too_many else 3)
    assert (played.fault is not None) is too_many
    if played.fault is not None:
        assert played.fault.message == "there are too many sets to choose from for many"
