"""Players who search: they find what is best where that is known, and look at nothing they cannot see."""

import json
import struct
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from click.testing import CliRunner
from test_native import GAMES

from regelwerk import cli
from regelwerk.dsl import library, load, load_text, rules
from regelwerk.interpreter import Reference, Stream
from regelwerk.interpreter.agents import Agent, AgentUnknown, Greedy, Mcts, Random, recipe
from regelwerk.interpreter.native import is_there
from regelwerk.interpreter.playing import Match, Playthrough, is_decision, play
from regelwerk.interpreter.simulate import simulate

if not is_there():
    pytest.skip("NOT SEARCHED for want of wasmtime", allow_module_level=True)

from regelwerk.interpreter.native import searching, uct
from regelwerk.interpreter.native.determinisation import Determinisation
from regelwerk.interpreter.native.flow import Function
from regelwerk.interpreter.native.native import Native
from regelwerk.interpreter.native.searching import Searcher, Tried
from regelwerk.interpreter.native.stepped import Steps
from regelwerk.interpreter.native.uct import Tree

NIM = """
game "Nim"
players 2

option heap: 1..20 = 8
var left: 0..heap = heap
each player has:
    var last = no

play:
    phase turn each player in turn until left is 0:
        choose how_many:
            one:
                left -= 1
            two when left >= 2:
                left -= 2
        last = left is 0
        for p in others: p.last = no

winner: players where last
"""

ALIKE = """
game "Alike"
players 2

each player has:
    var taken: 0..3 = 0

play:
    phase turn each player in turn until all(p.taken > 0 for p in players):
        choose one from 1..3 as number
        taken = number

winner: players

strategy two:
    number: 2
"""

EDGE = """
game "Edge"
players 2

components dice:
    faces pips: 1..6
    1 of each

zone tray: dice
each player has:
    var points: 0..6 = 0

setup: move dice to tray

play:
    phase turn each player:
        choose go_or_stay:
            go "to where the rules break off, five times in six":
                throw tray
                points += 7 - 6 * count(tray where pips is 6)
            stay:
                points += 1

score: points
winner: highest score
"""

SETS = """
game "Sets"
players 2

each player has:
    var points: 0..12 = 0

play:
    phase turn each player:
        choose 1.. from 1..7 as taken
        points = count(taken)

score: points
winner: highest score
"""


def searcher(game: rules.Game, seat: int, rollouts: int, options: dict[str, Any] | None = None) -> Searcher:
    """A player who searches, at a table of two."""
    return Searcher(Reference(game, 2, options or {}), seat, rollouts, "random")


def best(tried: Sequence[Tried]) -> int:
    """The option that was tried most often."""
    return max(tried, key=lambda each: each.visits).option


def shares(tried: Sequence[Tried]) -> dict[int, float]:
    """How much of the search went to each option."""
    total = sum(each.visits for each in tried)
    return {each.option: each.visits / total for each in tried}


def led(
    game: rules.Game, seat: int, rollouts: int, answers: Callable[[Any], Any], asked: str, time: int = 1
) -> list[Tried]:
    """What a search tries when its seat is asked for this, at first or later, where `answers` answers all before."""
    player = searcher(game, seat, rollouts)
    table = Reference(game, 2).table()
    while (request := table.request()) is not None:
        if is_decision(request) and (request.owner, request.name) == (seat, asked):
            time -= 1
            if not time:
                player.choose(table, request, Stream(3))  # it sits down here, and finds that all agree on what is asked
                return player.tried(1)
        answer = answers(request)
        player.follow(table, request, answer)
        table.answer(answer)
    raise AssertionError("the game is over")


# ---- what is best --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("heap", "option"), [(2, 1), (4, 0), (5, 1), (8, 1), (10, 0)])
def test_nim(heap: int, option: int) -> None:
    """Who leaves a multiple of three wins."""
    game = load_text(NIM).game
    player = searcher(game, 0, 400, {"heap": heap})
    table = Reference(game, 2, {"heap": heap}).table()
    request: Any = table.request()

    assert option == player.choose(table, request, Stream(1))
    assert 400 == sum(each.visits for each in player.tried(5))


def test_rollouts_that_the_rules_stop_are_lost() -> None:
    """A search goes on after them, and leads nobody there."""
    game = load_text(EDGE).game
    tried = led(game, 0, 200, lambda request: 0, "go_or_stay")

    assert 1 == best(tried)
    assert 200 == sum(each.visits for each in tried)
    assert {0, 1} == {each.option for each in tried}


def match(name: str, agents: Sequence[Any], **options: int) -> Match:
    """A match of these agents."""
    ruleset = load(name)
    return Match(ruleset.game, ruleset.name, ruleset.fingerprint, len(agents), options, tuple(agents), 3)


def test_better_than_random() -> None:
    """In a game of chance, and in one with hidden dice."""
    for name, options in (("classics/pig", {"target": 20}), ("classics/liars_dice", {})):
        figures = simulate(match(name, (Mcts(50), Random()), **options), 30, jobs=1)

        assert figures.wins[0] > 2 * figures.wins[1]


# ---- how games are played ------------------------------------------------------------------------------


GAMES_OF_ALL_SORTS = [*[entry.name for entry in library() if entry.kind == "game"], str(GAMES / "wide.rules")]


@pytest.mark.parametrize("name", GAMES_OF_ALL_SORTS, ids=lambda name: name.removeprefix(f"{GAMES}/"))
def test_any_ruleset(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search leaves the game as it was, is asked what the reference asks, and keeps to its own memory."""
    monkeypatch.setattr(searching, "Native", partial(Native, checked=True))
    game = load(name).game
    players, searched = min(game.players[0] + 1, game.players[1]), 0
    reference, draws = Reference(game, players), Stream(2)
    seats = [Searcher(reference, seat, 8, "random") for seat in range(players)]
    table = reference.table()
    while (request := table.request()) is not None and searched < 8:
        answer: Any
        if is_decision(request):
            one = seats[request.owner]
            answer = one.choose(table, request, draws)
            if len(request) > 1:
                searched += 1
                before = one.steps.state()
                tried = one.tried(searched)
                assert 8 == sum(each.visits for each in tried)
                assert {each.option for each in tried} <= set(range(len(request)))
                assert before == one.steps.state()
        else:
            answer = request.sample(draws)  # type: ignore[union-attr]
        for one in seats:
            one.follow(table, request, answer)
        table.answer(answer)


def test_figures_are_the_same_for_any_number_of_processes() -> None:
    """Rollouts are counted, so nothing depends on how long they take."""
    asked = match("classics/pig", (Mcts(30), Greedy()), target=15)

    assert simulate(asked, 20, jobs=1) == simulate(asked, 20, jobs=2)


@pytest.mark.parametrize(("name", "options"), [("classics/pig", {"target": 30}), ("thirty", {})])
def test_a_game_begins_anew_at_every_table(name: str, options: dict[str, int]) -> None:
    """Whoever has played before plays the next game as if it were the first, and has forgotten what he had learnt."""
    engine = Reference(load(name).game, 2, options)

    def game(agents: Sequence[Agent], number: int) -> Playthrough:
        return play(engine, agents, Stream(1, number))

    made = [Mcts(30).make(engine, seat) for seat in range(2)]
    game(made, 0)

    assert game(made, 1) == game([Mcts(30).make(engine, seat) for seat in range(2)], 1)


def test_strategies_play_rollouts() -> None:
    """Who holds at once in every rollout never sees that there is more to win."""
    ruleset = load("classics/pig")
    named = recipe("mcts:40:hold_at_20", [each.name for each in ruleset.game.strategies])
    figures = simulate(match("classics/pig", (named, Random()), target=30), 10, jobs=1)

    assert "mcts:40:hold_at_20" == named.name
    assert figures.wins[0] > figures.wins[1]


def test_a_strategy_is_left_only_for_something_better() -> None:
    """Where all is alike, a search does what the strategy does that plays its rollouts; where it loses, it does not."""
    alike, nim = load_text(ALIKE).game, load_text(NIM + "\nstrategy one:\n    how_many: one\n").game
    taken = []
    for game, strategy in ((alike, "two"), (nim, "one")):
        engine = Reference(game, 2)
        table = engine.table()
        request: Any = table.request()
        taken.append(Mcts(300, strategy).make(engine, 0).choose(table, request, Stream(1)))

    assert [1, 1] == taken


def test_for_a_time() -> None:
    """A search that is given time makes rollouts until it is over."""
    game = load("classics/pig").game
    player = Searcher(Reference(game, 2), 0, 0.05, "random")
    table = Reference(game, 2).table()
    request: Any = table.request()
    player.choose(table, request, Stream(1))

    assert sum(each.visits for each in player.tried(1)) > 20


# ---- what is learnt ------------------------------------------------------------------------------------


def kept_of_six() -> list[int]:
    """How many dice a searching player keeps of the first throw of each turn, in games of Thirty."""
    engine, kept = Reference(load("thirty").game, 2), []

    def watch(table: Any, request: Any, answer: Any) -> None:
        if request.owner == 0 and request.name == "kept" and len(engine.view(table.freeze(), 0)["table"]["tray"]) == 6:
            kept.append(len(request.text(answer).split(", ")))

    agents = [Mcts(300).make(engine, 0), Random().make(engine, 1)]
    for number in range(3):
        play(engine, agents, Stream(6, number), watch=lambda *shown: watch(*shown) if is_decision(shown[1]) else None)
    return kept


def test_rollouts_learn_what_to_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Thirty it is good to keep few dice and to throw the others again; players who take any dice never see why."""
    learnt = kept_of_six()
    monkeypatch.setattr(uct, "learnable", lambda options: False)
    unlearnt = kept_of_six()

    assert sum(learnt) / len(learnt) < 2
    assert sum(unlearnt) / len(unlearnt) > 2.5


@pytest.mark.parametrize(
    ("most", "sizes", "least", "sets"),
    [
        (6, (1,) * 6, 1, 63),
        (6, (2, 3, 1), 1, 23),
        (3, (2, 2, 2), 2, 13),
        (9, (3, 2, 4, 3), 2, 220),
        (5, (1,) * 5, 5, 1),
    ],
)
def test_numbers_of_sets(
    most: int, sizes: tuple[int, ...], least: int, sets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of a set is worked out from how many it takes of each group, and the other way round."""
    few = sum(sizes) <= 7
    text = SETS if few else SETS.replace("1..7", "1..12")
    before = Tree.exports

    def exports(tree: Tree, play: Function) -> dict[str, Function]:
        made = tree.low.made
        some = {
            "count": made["tails in bytes" if few else "tails"],
            "set": made["unrank", few],
            "rank": made["rank", few],
        }
        return {**before(tree, play), **some}

    monkeypatch.setattr(Tree, "exports", exports)
    steps = Steps(Native(load_text(text).game, 2, {}, seated=["random"] * 2, interrupted=True, nodes=8))
    steps.begin(0, 0)
    steps.memory.write(steps.store, struct.pack(f"<{len(sizes)}q", *sizes), steps.low.rooms["sizes"].address)
    groups = len(sizes)

    assert sets == steps.call(steps.exports["count"], groups, least, most)
    for number in range(sets):
        steps.call(steps.exports["set"], number, groups, least, most)
        total = sum(steps.numbers(steps.low.rooms["counts"].address, groups))
        assert number == steps.call(steps.exports["rank"], groups, least, most, total)


# ---- what is not seen ----------------------------------------------------------------------------------


def kuhn(theirs: str) -> list[Tried]:
    """What is tried by who has a queen and is bet against, with this card in the other hand."""
    cards = iter(("queen", theirs))

    def answer(request: Any) -> Any:
        return request.owner if is_decision(request) else request.find([next(cards)])  # pass, and bet

    return led(load("classics/kuhn_poker").game, 0, 2_000, answer, "bet_or_pass", time=2)


def test_a_hidden_hand_is_not_looked_at() -> None:
    """A search does the same whatever the other one holds."""
    assert abs(shares(kuhn("jack")).get(1, 0) - shares(kuhn("king")).get(1, 0)) < 0.2


def test_a_search_that_looked_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without determinisation the same two games differ."""
    from regelwerk.interpreter.native.code import NOTHING

    monkeypatch.setattr(Determinisation, "shuffle", lambda self, seat: NOTHING)

    assert shares(kuhn("jack")).get(1, 0) - shares(kuhn("king")).get(1, 0) > 0.6


def test_hidden_dice_are_not_looked_at() -> None:
    """A search does the same whatever lies under the other cup."""
    first, second = ({each.option: each.visits for each in tried} for tried in (liars(1), liars(5)))

    assert first == second


def liars(face: int) -> list[Tried]:
    """What is tried against a bid when all dice of the bidder show this face."""
    thrown = iter(([face] * 5, [1, 1, 2, 2, 3]))

    def answer(request: Any) -> Any:
        if not is_decision(request):
            return tuple(sorted(next(thrown)))
        return 0 if request.name == "bid_or_call" else request.find(["4", "5"])

    return led(load("classics/liars_dice").game, 1, 500, answer, "bid_or_call")


def test_what_is_chosen_in_secret_is_not_looked_at() -> None:
    """Who chooses second, of those who choose together, does not know what the first has chosen."""
    game = load("classics/goofspiel").game

    def tried(bid: int) -> dict[int, int]:
        found = led(game, 1, 300, lambda request: bid if is_decision(request) else request.sample(Stream(4)), "bid")
        return {each.option: each.visits for each in found}

    assert tried(0) == tried(12)


# ---- names ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("mcts", "how many rollouts, as in `mcts:1000`, or how long"),
        ("mcts:", "how many rollouts"),
        ("mcts:many", "how many rollouts"),
        ("mcts:0", "how many rollouts"),
        ("mcts:-1s", "how many rollouts"),
        ("mcts:nans", "how many rollouts"),
        ("mcts:1.5", "how many rollouts"),
        ("mcts:10:bold", "`bold` cannot play the rollouts of `mcts`; these can: careful, random, first"),
        ("mcts:10:", "`` cannot play the rollouts"),
    ],
)
def test_wrong_names(name: str, what: str) -> None:
    """Wrong use is told apart from an unknown name."""
    with pytest.raises(AgentUnknown, match=what):
        recipe(name, ["careful"])
    done = CliRunner().invoke(cli.program, ["simulate", "classics/pig", "--agent", name])

    assert 2 == done.exit_code


@pytest.mark.parametrize("name", ["mcts:1000", "mcts:0.5s", "mcts:10:careful", "mcts:2s:first"])
def test_names(name: str) -> None:
    """A name reads back as it was written."""
    assert name == recipe(name, ["careful"]).name


def test_without_wasmtime(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where machine code cannot be run, there is no search."""
    monkeypatch.setattr("regelwerk.interpreter.native.is_there", lambda: False)

    with pytest.raises(AgentUnknown, match="wasmtime is not installed"):
        recipe("mcts:10", [])


def test_one_game_with_its_record() -> None:
    """A game with a searching player is shown and written down like any other."""
    arguments = ["run", "classics/pig", "--set", "target=15", "--agent", "mcts:20", "--agent", "random", "--json"]
    done = [CliRunner().invoke(cli.program, arguments) for _ in range(2)]

    assert [0, 0] == [each.exit_code for each in done]
    assert done[0].output == done[1].output
    assert "agent 1: mcts:20" in json.loads(done[0].output)["record"]
