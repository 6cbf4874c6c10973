"""What holds in every game of every ruleset, whatever is chosen and however the dice fall: games made by Hypothesis.

Decisions and chance are drawn alike, so a failing game is shrunk as a whole. Dice are not fair here: nothing below
counts how often something happens.
"""

from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from regelwerk.dsl import library
from regelwerk.verify.laws import check_position
from regelwerk.verify.leaks import Leaks
from regelwerk.verify.plays import Play, plays

GAMES = [entry.name for entry in library() if entry.kind == "game"]
MOST_CHOICES = 120

every_game = pytest.mark.parametrize("name", GAMES)
few = settings(
    max_examples=6,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@cache
def games(name: str) -> st.SearchStrategy[Play]:
    """Games of a ruleset, made once: what brings them to their end is learnt only once then."""
    return plays(name, max_choices=MOST_CHOICES)


@every_game
@given(data=st.data())
@few
def test_nothing_is_lost(name: str, data: st.DataObject) -> None:
    """Every component is in exactly one zone, and no invariant, range or bound of the rules is ever broken."""
    play = data.draw(games(name))
    layout = play.engine.program.layout
    zones = [slot for slot in layout.zone_at if slot >= 0]
    for state in play.states:
        lying = [item for slot in zones for item in state.values[slot]]

        assert sorted(lying) == list(range(layout.movable))
        assert all(item in state.values[state.values[layout.places + item]] for item in lying)
    assert play.broken is None


@every_game
@given(data=st.data())
@few
def test_laws(name: str, data: st.DataObject) -> None:
    """At every position the laws hold that no game breaks."""
    play = data.draw(games(name))
    engine, state = play.engine, data.draw(st.sampled_from(play.states), label="state")

    assert [] == list(check_position(engine, state))


@every_game
@given(data=st.data())
@few
def test_equal_views_equal_options(name: str, data: st.DataObject) -> None:
    """Two positions that a player cannot tell apart offer that player the same options."""
    play = data.draw(games(name))
    leaks = Leaks(play.engine)

    assert [] == [str(leak) for state in play.states if (leak := leaks.recalled(state)) is not None]
