"""What holds in every game of every ruleset, whatever is chosen and however the dice fall: games made by Hypothesis.

Decisions and chance are drawn alike, so a failing game is shrunk as a whole. Dice are not fair here: nothing below
counts how often something happens.
"""

from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from regelwerk.dsl import library, load
from regelwerk.interpreter import Reference, State
from regelwerk.verify.laws import check_position
from regelwerk.verify.leaks import Leaks

GAMES = [entry.name for entry in library() if entry.kind == "game"]
LONGEST = 120

every_game = pytest.mark.parametrize("name", GAMES)
few = settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@cache
def engine(name: str, players: int) -> Reference:
    """An engine, made once."""
    return Reference(load(name).game, players)


@cache
def below(limit: int) -> st.SearchStrategy[int]:
    """Numbers below a limit; kept, since making a strategy costs more than drawing from it."""
    return st.integers(0, limit - 1)


class Drawn:
    """Random numbers that Hypothesis chooses."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def below(self, limit: int) -> int:
        """A number from 0 to `limit` - 1."""
        return self.data.draw(below(limit)) if limit > 1 else 0


def played(name: str, data: st.DataObject) -> tuple[Reference, list[State]]:
    """The states of a game, from its start to its end or until it has grown long. A fault fails the test."""
    low, high = load_players(name)
    made = engine(name, data.draw(st.integers(low, min(high, low + 2)), label="players"))
    draws, states = Drawn(data), [made.start()]
    while len(states) < LONGEST:
        request: Any = made.pending(states[-1])
        if request is None:
            break
        answer = draws.below(len(request)) if hasattr(request, "owner") else request.sample(draws)
        note(f"{request.name}: {request.text(answer)}")
        states.append(made.play(states[-1], answer))
    return made, states


@cache
def load_players(name: str) -> tuple[int, int]:
    """How many play a game, from and to."""
    return load(name).game.players


@every_game
@given(data=st.data())
@few
def test_nothing_is_lost(name: str, data: st.DataObject) -> None:
    """Every component is in exactly one zone, and no invariant, range or bound of the rules is ever broken."""
    made, states = played(name, data)
    layout = made.program.layout
    zones = [slot for slot in layout.zone_at if slot >= 0]
    for state in states:
        lying = [item for slot in zones for item in state.values[slot]]

        assert sorted(lying) == list(range(layout.movable))
        assert all(item in state.values[state.values[layout.places + item]] for item in lying)


@every_game
@given(data=st.data())
@few
def test_laws(name: str, data: st.DataObject) -> None:
    """At every position the laws hold that no game breaks, and a canonical state stands for itself."""
    made, states = played(name, data)
    state = data.draw(st.sampled_from(states), label="state")

    assert [] == list(check_position(made, state))
    assert made.canonical(made.canonical(state)) == made.canonical(state)


@every_game
@given(data=st.data())
@few
def test_equal_views_equal_options(name: str, data: st.DataObject) -> None:
    """Two positions that a player cannot tell apart offer that player the same options."""
    made, states = played(name, data)
    leaks = Leaks(made)

    assert [] == [str(leak) for state in states if (leak := leaks.recalled(state)) is not None]
