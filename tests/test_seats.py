"""Whether seats are alike: what the rules say, what play does, and what a search may make of it."""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

import pytest

from regelwerk.dsl import load, load_text, rules
from regelwerk.dsl.files import library
from regelwerk.interpreter import Policy, Reference, RulesFault, State, Stream
from regelwerk.interpreter.rotation import alike
from regelwerk.interpreter.seats import Named, names_a_seat
from regelwerk.verify.explore import Budget, Search
from regelwerk.verify.graph import Graph
from regelwerk.verify.solve import Unsolvable, shares, solve

Options = Mapping[str, int | bool]


def named(game: rules.Game, players: int, options: Options | None = None) -> list[str]:
    """Where rules name a seat: what stands there, and why."""
    program = Reference(game, players, options).program
    found: tuple[Named, ...] = names_a_seat(program.layout, program.expressions)
    return [f"{each.span.head.text}: {each.words}" for each in found]


def states(engine: Reference, games: int, every: int = 1, longest: int = 400) -> Iterator[State]:
    """Positions of random games."""
    for number in range(games):
        table, draws = engine.table(), Stream(1, number)
        for answered in range(longest):
            if answered % every == 0 or table.request() is None:
                yield table.freeze()
            request = table.request()
            if request is None:
                break
            try:
                table.answer(draws.below(len(request)) if hasattr(request, "owner") else request.sample(draws))  # type: ignore[arg-type]
                table.request()
            except RulesFault:
                break


def unlike(game: rules.Game, players: int, options: Options | None = None, games: int = 20, every: int = 1) -> set[str]:
    """What is wrong with seats in random games."""
    engine = Reference(game, players, options)
    keys = engine.keys()
    return {wrong for state in states(engine, games, every) if (wrong := alike(engine, keys, state)) is not None}


# ---- the library ---------------------------------------------------------------------------------------

FIRST, TOLD = "this begins with the first seat", "this tells seats apart"
ASKED = "players are asked in the order of seats"
THROUGH = "this goes through the seats, and begins with the first"

NAMED = {
    "chipbanditen/no_actions": [f"phase cancel each player:: {FIRST}", f"phase tally each player:: {FIRST}"],
    "chipbanditen/no_raid": [f"phase tally each player:: {FIRST}"],
    "chipbanditen/quick": [f"all players choose one from hand as action_chip: {ASKED}"],
    "chipbanditen/quick_peaceful": [f"all players choose one from hand as action_chip: {ASKED}"],
    "chipbanditen/standard": [f"phase cancel each player:: {FIRST}", f"phase tally each player:: {FIRST}"],
    "chipbanditen/two_different": [f"phase cancel each player:: {FIRST}", f"phase tally each player:: {FIRST}"],
    "classics/goofspiel": [f"all players choose one from hand as bid: {ASKED}", f"for p in players:: {THROUGH}"],
    "classics/goofspiel_carried": [
        f"all players choose one from hand as bid: {ASKED}",
        f"for p in players:: {THROUGH}",
    ],
    "classics/kuhn_poker": [f"seat(me): {TOLD}"],
    "classics/lamps_and_locks": [f"phase turn each player:: {FIRST}"],
    "classics/liars_dice": [f"for p in players: throw p.cup: {THROUGH}"],
    "classics/liars_dice_one_die": [f"for p in players: throw p.cup: {THROUGH}"],
    "classics/tenzi": [f"phase turn each player:: {FIRST}"],
    "classics/yacht": [f"phase turn each player:: {FIRST}"],
    "classics/yahtzee": [f"phase turn each player:: {FIRST}"],
    "classics/yahtzee_free_joker": [f"phase turn each player:: {FIRST}"],
    "clever_hoch_drei/short": [
        f"phase round_start each player:: {FIRST}",
        f"phase turn each player as active:: {FIRST}",
        f"phase final_count each player:: {FIRST}",
    ],
    "clever_hoch_drei/standard": [
        f"phase round_start each player:: {FIRST}",
        f"phase turn each player as active:: {FIRST}",
        f"phase final_count each player:: {FIRST}",
    ],
}
"""The rulesets that name a seat, and where."""


@pytest.mark.parametrize("name", [entry.name for entry in library()])
def test_library(name: str) -> None:
    """What of the library names a seat is known; where nothing does, turning and playing commute."""
    game = load(name).game
    for players in range(max(2, game.players[0]), min(3, game.players[1]) + 1):
        found = named(game, players)

        assert NAMED.get(name, []) == found
        if not found:
            assert set() == unlike(game, players, games=2, every=3)


def test_one_player() -> None:
    """Where only one plays there is nothing to tell apart."""
    assert [] == named(load("classics/yahtzee").game, 1)


def test_options_are_settled_first() -> None:
    """Pig tells seats apart only where everybody is to have as many turns."""
    pig = load("classics/pig").game

    assert [] == named(pig, 2)
    assert [f"seat(me): {TOLD}"] == named(pig, 2, {"equal_turns": True})
    assert set() != unlike(pig, 2, {"equal_turns": True, "target": 10})


# ---- one rule after the other --------------------------------------------------------------------------

RACE = """\
game "Race"
players {players}

components dice:
    faces pips: 1..2
    2 of each

zone tray: dice
var holder: player = player(1)
{declared}

each player has:
    zone won: dice
    var points: 0..30 = 0
    var marks: 0..9 = 0
    sheet row:
        has place: 1..2
        var crossed = no

setup:
    move dice to tray

play:
    phase turn each player in turn until any(p.points >= 4 for p in players) or count(players) is 1:
        throw tray
        points += sum(tray.pips) / 2
        {rule}

score: points
winner: highest score
"""

BOW = "action bow: marks = min(marks + 1, 9)"


def race(rule: str, players: int, declared: str = "") -> rules.Game:
    """A small game with a rule in every turn."""
    indented = rule.replace("\n", "\n        ")
    return load_text(RACE.format(players=players, declared=declared, rule=indented)).game


UNLIKE = [
    ("if me is player(1): points += 1", ""),
    ("points += seat(me)", ""),
    ("holder = player(1)\nif holder is me: points += 1", ""),
    ("holder = the(first(1, players))\nif holder is me: points += 1", ""),
    ("holder = the(first(1, highest(players by points)))\nif holder is me: points += 1", ""),
    ("for p in players: throw tray", ""),
    ("for p in players: points = p.points + 1", ""),
    ("for p in players by p.marks descending: holder = p\nif holder is me: points += 1", ""),
    ("phase bonus each player: points = max(p.points for p in others)", ""),
    ("phase bonus each player: throw tray", ""),
    ("phase bonus each player in turn until holder.marks > 0:\n    throw tray\n    marks = 1\n    holder = me", ""),
    ("all players choose one from 1..2 as bid\npoints += bid", ""),
    ("choose 2 from players as two\nholder = the(first(1, two))\nif holder is me: points += 1", ""),
    ("if owner(the(first(1, row))) is player(2): points += 1", ""),
    ("let cells = row + next(me).row\nif owner(the(first(1, cells))) is me: points += 1", ""),
    (
        "do take(players)",
        "action take(these: set of player):\n    if the(first(1, these)).marks > 0: points += 1\n    marks = 1",
    ),
    ("holder = leader\nif holder is me: points += 1", "define leader = the(first(1, lowest(players by points)))"),
]
"""Rules that do not treat seats alike, and what they need declared."""

ALIKE = [
    ("holder = next(me)", ""),
    ("if holder is me: points += 1\nholder = previous(me)", ""),
    ("for p in others:\n    if points > p.points: p.points = points", ""),
    ("phase bonus each player: points = min(points, 9)", ""),
    ("phase bonus each player: do bow", BOW),
    ("phase bonus each player from me: throw tray", ""),
    ("for p in players: p.marks = min(p.points, 9)", ""),
    ("move first(1, tray) to won\nif tray is empty:\n    for p in players: move p.won to tray", ""),
    ("if all(p.points < 3 for p in players): points += 1", ""),
    ("choose one from players as chosen\nholder = chosen", ""),
    ("choose one from others as chosen such that chosen.points >= 0\nchosen.points += 1", ""),
    ("choose 2 from players as two\nif holder in two: points += 1\nholder = me", ""),
    ("let ahead = highest(players by points)\nthrow tray\nif holder in ahead: points += 1\nholder = me", ""),
    ("if points mod 3 is 2 and count(players) > 2: eliminate next(me)", ""),
    ("holder = the(first(1, others))", ""),
    ("for p in others by p.marks descending: holder = p", ""),
    (
        "if any(row where not crossed):\n"
        "    choose one from row where not crossed as cell\n    throw tray\n    cell.crossed = yes",
        "",
    ),
    ("for c in next(me).row where place is points mod 2 + 1: c.crossed = yes\nif all(row.crossed): points += 1", ""),
    ("pick one from players as lucky\nlucky.points += 1", ""),
    ("do take(players)", "action take(these: set of player): points += count(these where marks is 0) / 2"),
]
"""Rules that do, and what they need declared."""


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize(("rule", "declared"), UNLIKE)
def test_unlike(rule: str, declared: str, players: int) -> None:
    """A rule that does not treat seats alike is found in the text and in play, and no search turns it."""
    game = race(rule, players, declared)
    engine = Reference(game, players)

    assert [] != named(game, players)
    assert set() != unlike(game, players)
    with pytest.raises(ValueError, match="seats are not alike"):
        Search(engine, engine.keys(), turning=True)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize(("rule", "declared"), ALIKE)
def test_alike(rule: str, declared: str, players: int) -> None:
    """A rule that does is not, and with the table turned games have fewer positions and the same values."""
    game = race(rule, players, declared)

    assert [] == named(game, players)
    assert set() == unlike(game, players)
    plain, turned = explored(game, players)
    assert len(turned) <= len(plain)
    for best in ((), None):
        assert worth(plain, best) == worth(turned, best)


@pytest.mark.parametrize(
    ("rule", "declared"),
    [
        ("met[me] = min(met[me] + 1, 9)\npoints += met[me] mod 2", "var met[player]: 0..9 = 0"),
        ("points += gift[me]", "constant gift[player] = 0, 1"),
        ("points += team(me) - 1", "teams 2"),
        (
            "move stones to heap\npoints += sum(heap.worth)",
            "components stones:\n    has worth = seat(player(1))\n    1 of each\nzone heap: stones",
        ),
    ],
)
def test_places_for_seats(rule: str, declared: str) -> None:
    """Whatever has a place for each seat names seats."""
    assert [] != named(race(rule, 2, declared), 2)


def test_play_may_begin_anywhere() -> None:
    """What happens once, before play asks for the first time, may go through the seats."""
    game = load_text(
        RACE.format(players=3, declared="", rule="points += 1").replace(
            "play:\n", "play:\n    for p in players: holder = p\n    player(1).points = 1\n"
        )
    ).game

    assert [] == named(game, 3)
    assert set() == unlike(game, 3)
    plain, turned = explored(game, 3)
    assert worth(plain, ()) == worth(turned, ())


def test_setup_may_be_uneven() -> None:
    """Where the setup asks, nothing is turned before it is over."""
    game = load_text(
        RACE.format(players=2, declared="", rule="points += 1")
        .replace(
            "    move dice to tray\n",
            "    move dice to tray\n    for p in players:\n        throw tray\n        p.marks = sum(tray.pips)\n"
            "    player(2).points = player(1).marks / 3\n",
        )
        .replace("winner: highest score", "winner: highest (points + marks)")
    ).game

    assert [] == named(game, 2)
    assert set() == unlike(game, 2)
    plain, turned = explored(game, 2)
    assert len(turned) < len(plain)
    assert worth(plain, ()) == worth(turned, ())
    assert len(set(worth(plain, ()))) == 2


# ---- searches ------------------------------------------------------------------------------------------


def explored(game: rules.Game, players: int, options: Options | None = None) -> tuple[Graph, Graph]:
    """All positions of a game as they are, and with the table turned."""
    engine = Reference(game, players, options)
    searches = [Search(engine, engine.keys(), turning=turning) for turning in (False, True)]
    plain, turned = [search.run(Budget()) for search in searches]
    assert plain.complete and turned.complete
    assert not any(plain.turned)
    return plain, turned


def worth(graph: Graph, best: Collection[int] | None) -> tuple[Fraction | float, ...] | str:
    """What a game is worth to each seat, or why that is not known."""
    try:
        return solve(graph, shares(graph), best=best).seats
    except Unsolvable as error:
        return str(error)


JUNIOR = """\
game "Three chips"
players 2..4

components chips:
    has number: 1..3
    faces side: up, down
    hide number unless side is up
    2 of each

zone middle: chips

each player has:
    zone won: chips

setup: move chips to middle showing down

play:
    phase turn each player in turn until middle is empty:
        draw up to 2 from middle as thrown
        throw thrown
        move thrown where side is up to won
        move thrown where side is down to middle

score: sum(won.number)
winner: highest score
"""


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize(
    ("name", "options"),
    [("classics/pig", {"target": 6}), ("junior", {})],
)
def test_values(name: str, options: Options, players: int) -> None:
    """With the table turned a game has one position for as many as there are players, and is worth the same."""
    game = load_text(JUNIOR).game if name == "junior" else load(name).game
    plain, turned = explored(game, players, options)

    assert len(plain) <= players * len(turned) <= 1.1 * len(plain)
    assert worth(plain, ()) == worth(turned, ())
    if players == 2:
        assert worth(plain, None) == worth(turned, None)
        assert not isinstance(worth(turned, None), str)


def test_values_of_stalling() -> None:
    """The same where both may let the other go on for ever; there the values may come as bounds."""
    plain, turned = explored(load("classics/pig").game, 2, {"target": 4, "may_pass": True})
    values = [solve(graph, shares(graph)).seats for graph in (plain, turned)]

    assert len(plain) == 2 * len(turned)
    assert values[0] == pytest.approx(values[1])


def test_where_the_table_is_turned() -> None:
    """Pig to three points: the second player's first turn is the first player's, with the table turned."""
    _, turned = explored(load("classics/pig").game, 2, {"target": 3})
    back = [edge for edge, target in enumerate(turned.target) if target == 0 and turned.turned[edge]]

    assert [1] * len(back) == [turned.turned[edge] for edge in back]
    assert back


def test_search_for_values_only() -> None:
    """Nothing that may tell seats apart goes with a search that turns; nor are there games of it."""
    game = load("classics/pig").game
    engine = Reference(game, 2, {"target": 3})
    policy: Policy = engine.policy("hold_at_20")
    search = Search(engine, engine.keys(), turning=True)
    search.run(Budget())

    with pytest.raises(ValueError, match="may tell seats apart"):
        Search(engine, engine.keys(), policies={0: policy}, turning=True)
    with pytest.raises(ValueError, match="may tell seats apart"):
        Search(engine, engine.keys(), value=lambda table: 0, turning=True)
    with pytest.raises(ValueError, match="turned"):
        search.game(0)
