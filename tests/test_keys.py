"""Keys: positions with one key play on alike, and no more is told apart than can matter."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from regelwerk.dsl import load
from regelwerk.interpreter import Reference, RulesFault, State, Stream
from regelwerk.interpreter.keys import Keys
from regelwerk.verify.explore import Budget, Search
from regelwerk.verify.solve import shares, solve

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
