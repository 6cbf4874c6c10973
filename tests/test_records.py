"""Games written down and played again."""

import contextlib
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regelwerk import dsl
from regelwerk.interpreter.agents import Random
from regelwerk.interpreter.playing import Limits, Match, Playthrough, play
from regelwerk.interpreter.records import (
    Record,
    RecordError,
    Replay,
    read_record,
    record_text,
    replay,
    write_record,
)
from regelwerk.interpreter.stream import Stream

GAMES = Path(__file__).parent / "games"
COINS = dsl.load(GAMES / "coins.rules")
SECRET = dsl.load(GAMES / "secret.rules")
BROKEN = dsl.load(GAMES / "broken.rules")
ENDLESS = dsl.load(GAMES / "endless.rules")
DEFAULT = Limits()


def match(ruleset: dsl.Ruleset, seed: int = 1, players: int = 2, limits: Limits = DEFAULT) -> Match:
    """Random agents at a table with default options."""
    agents = (Random(),) * players
    return Match(ruleset.game, ruleset.name, ruleset.fingerprint, players, {}, agents, seed=seed, limits=limits)


def recorded(ruleset: dsl.Ruleset, seed: int = 1, limits: Limits = DEFAULT) -> Record:
    """A random game, written down."""
    table = match(ruleset, seed, limits=limits)
    engine = table.engine()
    return write_record(table, 0, play(engine, table.seated(engine), Stream(seed), limits.decisions))


def again(record: Record, ruleset: dsl.Ruleset = COINS, until: int | None = None) -> Replay:
    """A record played again, by way of its text."""
    return replay(read_record(record_text(record)), ruleset.game, ruleset.fingerprint, until)


def changed(*replaced: tuple[str, str]) -> dsl.Ruleset:
    """The game of coins, without examples and claims, with some of its text changed."""
    text = COINS.sources[0].text.partition("claim ")[0]
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return dsl.load_text(text, "changed.rules")


def without_phases(record: Record) -> Record:
    """A record as it is read: the phases of its steps are comments."""
    return attrs.evolve(record, steps=tuple(attrs.evolve(step, phases=()) for step in record.steps))


@given(st.sampled_from([COINS, SECRET, BROKEN]), st.integers(0, 2**64))
def test_round_trip(ruleset: dsl.Ruleset, seed: int) -> None:
    """A record survives its text, and plays to the same end."""
    record = recorded(ruleset, seed)
    replayed = again(record, ruleset)

    assert without_phases(record) == read_record(record_text(record))
    assert (True, False, None) == (replayed.same, replayed.changed, replayed.problem)
    assert record.ending == replayed.ending
    assert record.steps == replayed.steps


def test_what_a_record_looks_like() -> None:
    """The form in docs/records.md is the form there is."""
    lines = record_text(recorded(COINS)).splitlines()

    assert [
        "regelwerk record 1",
        f"ruleset: {GAMES / 'coins.rules'}",
        "title: Coins",
        f"fingerprint: {COINS.fingerprint}",
        "players: 2",
        "option rounds: 2",
        "option pair: two",
        "option tails_too: no",
        "seed: 1",
        "game: 0",
        "agent 1: random",
        "agent 2: random",
        "limit decisions: 10000",
        "limit steps: 100000",
        "",
        "# round > turn",
        "1. seat 1 toss_or_take: take",
        "2. seat 2 toss_or_take: take",
        "3. seat 1 toss_or_take: toss",
        "4. throw: 1 tails, 2 heads",
        "5. seat 2 toss_or_take: take",
        "",
        "scores: 2, 2",
        "winners: 1, 2",
    ] == lines


def test_a_record_by_hand() -> None:
    """Ruleset, players and steps are enough, and steps may be left to chance to be found by their words."""
    record = read_record(
        "regelwerk record 1\nruleset: coins\nplayers: 2\noption rounds: 1\n"
        "1. seat 1 toss_or_take: toss\n2. throw: 1 heads, 2 heads\n3. seat 2 toss_or_take: take\n"
        "scores: 2, 1\nwinners: 1\n"
    )
    replayed = replay(record, COINS.game, COINS.fingerprint)

    assert (True, True) == (replayed.changed, replayed.same)


def test_stopping_at_any_step() -> None:
    """Every step can be stopped at, and gives the state there."""
    record = recorded(COINS)
    engine = match(COINS).engine()
    scores = [engine.result(again(record, until=n).state or engine.start()).scores for n in range(6)]

    assert [(0, 0), (1, 0), (1, 1), (1, 1), (2, 1), (2, 2)] == scores
    assert again(record, until=3).same is None
    assert 3 == len(again(record, until=3).steps)


def test_a_stopped_game() -> None:
    """A game that a person stopped is replayed up to there, and that is the same."""
    record = attrs.evolve(recorded(COINS), steps=recorded(COINS).steps[:2])
    stopped = write_record(match(COINS), 0, Playthrough((1, 1), 2, 2, {}, None, None))

    assert without_phases(record).steps == without_phases(stopped).steps
    assert "\nstopped\n" in record_text(stopped)
    assert again(stopped).same
    assert "recorded was scores 2, 2; won by seat 1 and seat 2, but after the last step the game goes on" == (
        again(record).problem
    )


def test_a_fault_is_found_again() -> None:
    """The record of a fault leads to the same fault."""
    record = next(r for r in (recorded(BROKEN, seed) for seed in range(50)) if r.ending.fault)

    assert "\nfault: " in record_text(record)
    assert again(record, BROKEN).same
    assert record.ending == again(record, BROKEN).ending


def test_a_game_without_end_is_found_again() -> None:
    """The limit of decisions belongs to the record."""
    record = recorded(ENDLESS, limits=Limits(decisions=20))

    assert record.ending.fault is not None
    assert "the game has not ended after 20 decisions" == record.ending.fault.message
    assert 20 == len(record.steps)
    assert again(record, ENDLESS).same


# ---- changed rules -------------------------------------------------------------------------------------


def test_a_change_that_does_not_matter() -> None:
    """The change is told, and the game is the same."""
    replayed = again(recorded(COINS), changed(('"toss the coins"', '"toss both coins"')))

    assert (True, True) == (replayed.changed, replayed.same)


def test_a_change_of_the_end() -> None:
    """The same steps lead to another end."""
    replayed = again(recorded(COINS), changed(("points += 1", "points += 4")))

    assert not replayed.same
    assert (
        "recorded was scores 2, 2; won by seat 1 and seat 2; now it is scores 5, 8; won by seat 2" == replayed.problem
    )


@pytest.mark.parametrize(
    ("replaced", "problem"),
    [
        (
            [('take "take one', 'grab "take one'), ("toss_or_take: take", "toss_or_take: grab")],
            "step 1 (seat 1 toss_or_take: take): ",
        ),
        (
            [("throw tray", "points += 0")],
            "step 4 (throw: 1 tails, 2 heads): the rules ask for `seat 2 toss_or_take` here, at changed.rules:",
        ),
        ([("tails_too", "tails_two")], "Coins has no option `tails_too`. Did you mean `tails_two`?"),
        ([("players 2..3", "players 3")], "it was played by 2, and Coins is for 3 players"),
        ([("rounds: 1..5 = 2", "rounds: 3..5 = 3")], "`rounds` is a number from 3 to 5, not 2."),
    ],
)
def test_changes_that_leave_a_record_behind(replaced: list[tuple[str, str]], problem: str) -> None:
    """Where a record does not fit any more, the first step that does not is named."""
    replayed = again(recorded(COINS), changed(*replaced))

    assert replayed.problem is not None
    assert replayed.problem.startswith(problem)
    assert (True, False) == (replayed.changed, replayed.same)


# ---- wrong texts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: a record begins with `regelwerk record 1`"),
        ("regelwerk record 2\n", "line 1: a record begins with `regelwerk record 1`"),
        ("regelwerk record 1\nplayers: 2\n", "the line `ruleset: …` is missing"),
        ("regelwerk record 1\nruleset: x\nplayers: two\n", "invalid literal for int"),
        ("regelwerk record 1\nruleset: x\nplayers: 2\n2. throw: 1\n", "line 4: step 1 should come here, not 2"),
        ("regelwerk record 1\nruleset: x\nplayers: 1000000000\n", "no game is for 1000000000 players"),
        ("regelwerk record 1\n1. throw #" + "9" * 5000 + ": 1\n", "line 2: neither a setting nor a step: 1. throw"),
        ("regelwerk record 1\nthis is not a record\n", "line 2: neither a setting nor a step: this is not a rec"),
    ],
)
def test_texts_that_are_no_records(text: str, message: str) -> None:
    """What is wrong with a text is said with its line."""
    with pytest.raises(RecordError) as caught:
        read_record(text)

    assert str(caught.value).startswith(message)


@given(st.text())
def test_any_text(text: str) -> None:
    """Any text is a record or is not; nothing else happens."""
    for whole in (text, f"regelwerk record 1\nruleset: x\nplayers: 2\n{text}"):
        with contextlib.suppress(RecordError):
            read_record(whole)
