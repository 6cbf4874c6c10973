"""Keys: positions with one key play on alike, and no more is told apart than can matter."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from generated import generated

from regelwerk.dsl import load, load_text
from regelwerk.interpreter import Broken, Reference, RulesFault, State, Stream, Table
from regelwerk.interpreter.engine import Met
from regelwerk.interpreter.keys import Keys
from regelwerk.verify.explore import Budget, Search
from regelwerk.verify.looking import Looking, Subject
from regelwerk.verify.solve import scores, shares, solve

GAMES = {
    "classics/pig": 2, "classics/craps": 1, "classics/kuhn_poker": 2, "classics/liars_dice_one_die": 2,
    "classics/goofspiel": 2, "classics/no_thanks": 3, "classics/shut_the_box": 1, "classics/yacht": 1,
    "classics/cant_stop": 2, "classics/blackjack": 1, "classics/left_center_right": 3, "classics/tenzi": 2,
    "classics/lamps_and_locks": 1, "chipbanditen/junior": 2, "chipbanditen/standard": 2, "chipbanditen/quick": 2,
    "thirty": 2, "nacho_pile": 2, "clever_hoch_drei/standard": 2, "clever_hoch_drei/solo": 1,
}  # fmt: skip
"""One number of players for each."""

KEPT = 3
"""Positions that are kept of each key."""


def met(engine: Reference, keys: Keys, games: int, answers: int) -> dict[bytes, list[State]]:
    """Different positions of random games by their keys."""
    found: dict[bytes, list[State]] = {}
    for game in range(games):
        draws, table = Stream(3, game), engine.table()
        for _ in range(answers):
            request: Any = table.request()
            if request is None:
                break
            states = found.setdefault(table.key(keys), [])
            if len(states) < KEPT and (state := table.freeze()) not in states:
                states.append(state)
            table.answer(draws.below(len(request)) if hasattr(request, "owner") else request.sample(draws))
    return found


def ahead(engine: Reference, keys: Keys, state: State) -> Any:
    """What is asked at a position, and the keys of what follows."""
    table = engine.table(state)
    request: Any = table.request()

    def then(answer: Any) -> bytes:
        table.seek(state, request)
        try:
            table.answer(answer)
            return table.key(keys)
        except RulesFault as fault:
            return fault.message.encode()

    if hasattr(request, "owner"):
        return request.name, request.owner, len(request), [then(number) for number in range(min(len(request), 40))]
    return request.name, sorted((chance, then(answer)) for answer, chance in islice(request.outcomes(), 300))


def alike(engine: Reference) -> Iterator[list[Any]]:
    """What lies ahead of positions with one key, where there are several."""
    keys = engine.keys()
    for states in met(engine, keys, 12, 120).values():
        if len(states) > 1:
            yield [ahead(engine, keys, state) for state in states]


@pytest.mark.parametrize(("name", "players"), GAMES.items())
def test_one_key_one_future(name: str, players: int) -> None:
    """The same is asked at all positions of one key, and the same follows."""
    engine = Reference(load(name).game, players)

    for first, *others in islice(alike(engine), 60):
        assert all(other == first for other in others)


class Everything(Keys):
    """Keys in which all counts, whether it can matter or not."""

    def live(self, step: int) -> None:
        """All may be read."""


@pytest.mark.parametrize(
    ("name", "players", "options"),
    [
        ("classics/pig", 2, {"target": 8}),
        ("classics/kuhn_poker", 2, {}),
        ("classics/liars_dice_one_die", 2, {}),
        ("classics/goofspiel", 2, {"cards_in_suit": 3}),
        ("classics/left_center_right", 3, {"chips_each": 1}),
    ],
)
def test_nothing_that_matters_is_left_out(name: str, players: int, options: dict[str, int]) -> None:
    """A game is worth the same whether all is told apart or only what can matter, and that is no more positions."""
    engine = Reference(load(name).game, players, options, check=False)
    full = Everything(engine.program, engine.keys().liveness)
    graphs = [Search(engine, keys).run(Budget()) for keys in (engine.keys(), full)]
    few, many = (solve(graph, shares(graph), best=()) for graph in graphs)

    assert all(graph.complete for graph in graphs)
    assert few.seats == many.seats
    assert len(graphs[0]) <= len(graphs[1])


# ---- games that were made up -----------------------------------------------------------------------------


MOST_STATES = 4_000
SEEDS = range(120)
"""Among these are games that find out keys which forget what dice show, what holds on to them, or their order."""


class ByState(Search):
    """A search that tells all states apart."""

    def _key(self, table: Table, values: Any) -> tuple[bytes, int]:
        return repr(table.freeze()).encode(), 0


def states(engine: Reference) -> Iterator[State]:
    """All states of a game in which something is asked, told apart by all there is to them; not of a large one."""
    try:
        waiting = [engine.start()]
    except RulesFault:
        return
    known = set(waiting)
    for state in waiting:
        table = engine.table(state)
        request: Any = table.request()
        if len(known) > MOST_STATES:
            return
        if request is None:
            continue
        yield state
        for answer in range(len(request)) if hasattr(request, "owner") else [each for each, _ in request.outcomes()]:
            table.seek(state, request)
            try:
                table.answer(answer)
                table.request()
            except RulesFault:
                continue
            if (after := table.freeze()) not in known:
                known.add(after)
                waiting.append(after)


def future(looking: Looking, state: State) -> Any:
    """What can be told of a state and of those that follow it."""
    table = looking.engine.table(state)
    request: Any = table.request()
    now = [repr(track.read(table)) for track in looking.search.tracks if track.at_end]

    def then(answer: Any) -> Any:
        table.seek(state, request)
        try:
            table.answer(answer)
            table.request()
        except RulesFault as fault:
            return fault.property
        told = sorted(str(event) for event in table.events if isinstance(event, Broken | Met))
        return table.key(looking.keys), told, steps(table)

    def steps(table: Table) -> list[bool]:
        values = zip(looking.search.tracks, before, strict=True)
        return [track.step(old, track.read(table)) is None for track, old in values]

    before = [track.read(table) for track in looking.search.tracks]
    if hasattr(request, "owner"):
        return now, request.name, request.owner, [then(number) for number in range(len(request))]
    likely: dict[str, Any] = {}
    for answer, chance in request.outcomes():
        told = repr(then(answer))
        likely[told] = likely.get(told, 0) + chance
    return now, request.name, likely


@pytest.mark.parametrize("seed", SEEDS)
def test_one_key_one_future_for_made_up_games(seed: int) -> None:
    """In every state of a small game the same follows as in all states of its key, and the same is seen of it."""
    ruleset = load_text(generated(seed))
    looking = Looking(Subject(ruleset, ruleset.game.players[0]), None)
    known: dict[bytes, Any] = {}

    for state in states(looking.engine):
        ahead_ = future(looking, state)
        assert known.setdefault(looking.engine.table(state).key(looking.keys), ahead_) == ahead_


@pytest.mark.parametrize("seed", SEEDS)
def test_worth_of_made_up_games(seed: int) -> None:
    """Played evenly, a game is worth the same by its keys as by its states."""
    game = load_text(generated(seed)).game
    engine = Reference(game, game.players[0], check=False)
    by_key, by_state = Search(engine, engine.keys()), ByState(engine, engine.keys())
    for search in (by_key, by_state):
        search.run(Budget(positions=MOST_STATES))
    if by_state.graph.complete and by_state.graph.ends and not by_state.breaks:
        for payoffs in (shares, scores):
            one, other = (solve(each.graph, payoffs(each.graph), ()).seats for each in (by_key, by_state))
            assert one == pytest.approx(other)
    assert by_key.breaks.keys() == by_state.breaks.keys() or not by_state.graph.complete
    assert len(by_key.graph) <= len(by_state.graph)
