"""What holds for the reference engine, whatever the rules: laws at every state of every shipped game."""

import os
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from regelwerk.dsl import load
from regelwerk.interpreter import Event, IllegalAnswer, Reference, State, Stream
from regelwerk.interpreter.exchange import swapped

RULESETS = Path(__file__).parent.parent / "rulesets"
NAMES = sorted(path.relative_to(RULESETS).with_suffix("").as_posix() for path in RULESETS.rglob("*.rules"))

STATES = 25
"""How many states of a game are looked at closely."""

every_ruleset = pytest.mark.parametrize("name", NAMES)


@cache
def engine(name: str, players: int | None = None) -> Reference:
    game = load(str(RULESETS / f"{name}.rules")).game
    return Reference(game, players or game.players[0])


def answered(engine: Reference, seed: int, most: int = 10_000) -> Iterator[tuple[State, Any, Any]]:
    """A game at random: each state with its request and the answer."""
    state, draws = engine.start(), Stream(seed)
    for _ in range(most):
        request: Any = engine.pending(state)
        if request is None:
            return
        answer = draws.below(len(request)) if hasattr(request, "owner") else request.sample(draws)
        yield state, request, answer
        state = engine.play(state, answer)


@cache
def game(name: str) -> list[tuple[State, Any, Any]]:
    """States spread over a game at random, to its end."""
    whole = list(answered(engine(name), seed=3))
    return whole[:: max(1, len(whole) // STATES)]


def exactly(value: Any) -> Any:
    """A value in which yes is not 1."""
    return tuple([exactly(each) for each in value]) if isinstance(value, tuple) else (type(value), value)


# ---- states --------------------------------------------------------------------------------------------


@every_ruleset
def test_text_and_back(name: str) -> None:
    """Every state is its text, and plays on from it."""
    for state, _, answer in game(name):
        text = engine(name).to_text(state)
        again = engine(name).from_text(text)

        assert (state, hash(state), exactly(state.values)) == (again, hash(again), exactly(again.values))
        assert text == engine(name).to_text(again)
        assert engine(name).play(state, answer) == engine(name).play(again, answer)


def test_text_of_another_game() -> None:
    """A text that is no state is refused with the line that is wrong."""
    pig = engine("classics/pig")
    text = pig.to_text(pig.start())

    with pytest.raises(ValueError, match="nothing is called pot"):
        pig.from_text(text + "pot: 3\n")
    with pytest.raises(ValueError, match="exactly one zone"):
        pig.from_text(text + "box: [0]\n")
    with pytest.raises(ValueError, match="where play stands"):
        pig.from_text("")
    wrong = "tray: 5", "box: {}", "player(1).points: [1]", "player(2).points: null", f"box: {'[' * 9999}", "me: 7"
    for line in wrong:
        name = line.partition(":")[0]
        kept = [kept for kept in text.splitlines() if not kept.startswith(f"{name}:")]
        with pytest.raises(ValueError, match="line"):
            pig.from_text("\n".join([*kept, line]))


@every_ruleset
def test_old_states_play_on(name: str) -> None:
    """Whatever is looked at or played, a state stays what it was, and leads where it led."""
    followers = [(state, answer, *engine(name).step(state, answer)) for state, _, answer in game(name)]
    texts = [engine(name).to_text(state) for state, *_ in followers]
    for state, *_ in followers:
        engine(name).view(state, 0)
        engine(name).result(state)

    assert texts == [engine(name).to_text(state) for state, *_ in followers]
    for state, answer, after, events in reversed(followers):
        assert (after, events) == engine(name).step(state, answer)


@every_ruleset
def test_table_and_states_agree(name: str) -> None:
    """Playing in place and playing from state to state come to the same, and so do the events."""
    table, events = engine(name).table(), list[Event]()
    last = engine(name).start()
    for state, _, answer in islice(answered(engine(name), seed=5), 300):
        assert state == table.freeze()

        last, happened = engine(name).step(state, answer)
        events += happened
        table.answer(answer)

    assert (last, engine(name).result(last)) == (table.freeze(), table.result())
    assert events == table.events[len(table.events) - len(events) :]


@every_ruleset
def test_a_table_moves_to_any_state(name: str) -> None:
    """A table that was somewhere else plays on from a state as a fresh one does."""
    table = engine(name).table()
    for state, _, answer in reversed(game(name)):
        table.seek(state)
        table.answer(answer)

        assert engine(name).play(state, answer) == table.freeze()


def test_one_seed_one_game() -> None:
    """The same seed gives the same game in every process, whatever the order of hashes."""
    code = (
        "from regelwerk.dsl import load; from regelwerk.interpreter import Reference, Stream\n"
        "table, draws = Reference(load('chipbanditen/standard').game, 3).table(), Stream(7, 11)\n"
        "while (r := table.request()) is not None:\n"
        "    table.answer(draws.below(len(r)) if hasattr(r, 'owner') else r.sample(draws))\n"
        "print(table.freeze(), table.result(), table.events)\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(said) == 1


# ---- decisions -----------------------------------------------------------------------------------------


@every_ruleset
def test_options(name: str) -> None:
    """A decision has options, told apart by their texts, found by them, and each can be taken."""
    for state, request, _ in game(name):
        if not hasattr(request, "owner"):
            continue
        some = range(len(request)) if len(request) <= 12 else range(0, len(request), len(request) // 12)
        texts = [request.text(number) for number in some]

        assert request.owner in state.values[0]
        assert len(texts) == len(set(texts)) > 0
        assert list(some) == [request.find(text.split(", ")) for text in texts]
        for number in some:
            engine(name).play(state, number)


@every_ruleset
def test_no_other_answers(name: str) -> None:
    """What is not among the options or outcomes is refused."""
    for state, request, answer in game(name):
        wrong: list[Any] = [-1, len(request), True] if hasattr(request, "owner") else [(), (*answer, 0), 0]
        for each in wrong:
            with pytest.raises(IllegalAnswer):
                engine(name).play(state, each)


def swaps(engine: Reference, state: State, seat: int) -> Iterator[State]:
    """States that differ only in which of two items, alike to a seat, lies where."""
    m = [*state.values, *[None] * engine.program.layout.scratch]
    sight = engine.program.sight
    for _, items in sight.alike(m, tuple(range(engine.program.layout.movable)), seat):
        one, other = items[0], items[-1]
        twin = swapped(engine.program, state, one, other)
        if twin is not None and sight.whole(m, one) != sight.whole(m, other):
            yield twin


@pytest.mark.parametrize("name", ["chipbanditen/standard", "chipbanditen/junior", "nacho_pile", "classics/kuhn_poker"])
def test_secrets_are_kept(name: str) -> None:
    """What a seat cannot see changes neither its view nor its options."""
    seen = 0
    for state, request, _ in answered(engine(name), seed=9, most=150):
        for seat in range(engine(name).players):
            for other in swaps(engine(name), state, seat):
                seen += 1
                assert engine(name).view(state, seat) == engine(name).view(other, seat)
                if getattr(request, "owner", None) == seat:
                    assert texts(request) == texts(engine(name).pending(other))

    assert seen


def texts(request: Any) -> list[str]:
    return [request.text(number) for number in range(min(len(request), 50))]


@every_ruleset
def test_same_view_same_options(name: str) -> None:
    """A seat that sees the same has the same to choose from."""
    seen: dict[str, list[str]] = {}
    for seed in range(4):
        for state, request, _ in answered(engine(name), seed, most=250):
            if hasattr(request, "owner") and len(request) <= 100:
                known = seen.setdefault(repr(engine(name).view(state, request.owner)), texts(request))

                assert known == texts(request)


# ---- chance --------------------------------------------------------------------------------------------


@every_ruleset
def test_chance(name: str) -> None:
    """Chances add up to 1; outcomes differ, can be read back, and can come; what comes is among them."""
    looked = 0
    for state, request, _ in game(name):
        if hasattr(request, "owner"):
            continue
        outcomes = list(islice(request.outcomes(), 2_000))
        if len(outcomes) == 2_000:
            continue
        looked += 1
        answers = [answer for answer, _ in outcomes]

        assert Fraction(1) == sum(chance for _, chance in outcomes)
        assert min(chance for _, chance in outcomes) > 0
        assert 1 < len(outcomes) == len(set(answers))
        assert {request.sample(Stream(2, number)) for number in range(20)} <= set(answers)
        for answer in answers[:: max(1, len(answers) // 5)]:
            engine(name).play(state, request.find(request.text(answer).split(", ")))

    assert looked


# ---- keys ----------------------------------------------------------------------------------------------


IN_ORDER = {
    "chipbanditen/no_actions", "chipbanditen/no_raid", "chipbanditen/standard", "chipbanditen/two_different",
    "classics/cant_stop", "classics/cant_stop_one_column", "classics/left_center_right", "classics/liars_dice",
    "classics/liars_dice_one_die", "nacho_pile", "nacho_pile_hot", "nacho_pile_mild",
}  # fmt: skip
"""Rulesets that take the first of equal things, go through them one by one, or hold on to one while another is
chosen."""


@every_ruleset
def test_twins_have_one_key(name: str) -> None:
    """It makes no difference which of several items exactly alike lies where, unless the rules look at their order."""
    made, keys = engine(name), engine(name).keys()
    pairs = [(family[0], twin) for family in keys.families for twin in family[1:]]
    for number, (state, _, _) in enumerate(game(name) if pairs else []):
        item, twin = pairs[number % len(pairs)]
        exchanged = swapped(made.program, state, item, twin)

        assert exchanged is not None
        assert made.table(state).key(keys) == made.table(exchanged).key(keys)

    assert bool(keys.ordered) == (name in IN_ORDER)
