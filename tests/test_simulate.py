"""Many games counted: the figures, their intervals, and that the number of processes does not matter."""

import json
import os
import pickle
import re
import signal
import threading
from fractions import Fraction
from math import isclose, sqrt
from pathlib import Path
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regelwerk import dsl
from regelwerk.interpreter.agents import AgentError, Position, PythonName, PythonObject, Random, Recipe, Strategy
from regelwerk.interpreter.figures import Interval, Sampled, Tally, wilson
from regelwerk.interpreter.playing import Limits, Match, play
from regelwerk.interpreter.records import read_record, replay
from regelwerk.interpreter.simulate import EngineName, Figures, figure, simulate, summary
from regelwerk.interpreter.stream import Stream

GAMES = Path(__file__).parent / "games"
COINS = dsl.load(GAMES / "coins.rules")
BROKEN = dsl.load(GAMES / "broken.rules")
ENDLESS = dsl.load(GAMES / "endless.rules")
DEFAULT = Limits()


def match(ruleset: dsl.Ruleset, *agents: Recipe, seed: int = 1, limits: Limits = DEFAULT) -> Match:
    """A match between agents with default options; two random ones where none are named."""
    agents = agents or (Random(), Random())
    return Match(ruleset.game, ruleset.name, ruleset.fingerprint, len(agents), {}, agents, seed=seed, limits=limits)


def figures_text(table: Match, figures: Figures) -> str:
    """Everything but the time it took."""
    return json.dumps(summary(table, figures, 0))


# ---- figures -------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-(10**12), 10**12), min_size=2))
def test_tally(values: list[int]) -> None:
    """A tally's mean and spread are those of its values."""
    tally = Tally()
    for value in values:
        tally.add(value)

    assert (len(values), sum(values)) == (tally.n, tally.total)
    assert mean(map(Fraction, values)) == tally.mean
    assert isclose(stdev(values), tally.sd, rel_tol=1e-9, abs_tol=1e-9)
    assert (min(values), max(values)) == (tally.low, tally.high)
    assert len(values) == sum(tally.histogram.values())


@given(st.lists(st.lists(st.integers(0, 9), min_size=1)), st.integers(0, 9))
def test_sampled_in_any_order(games: list[list[int]], cut: int) -> None:
    """Counting in two halves, put together in either order, gives the same as counting at once."""
    whole, left, right = Sampled(), Sampled(), Sampled()
    for number, values in enumerate(games):
        whole.add_game(values)
        (left if number < cut else right).add_game(values)
    right.merge(left)

    assert whole == right
    assert whole.interval == right.interval


def test_the_interval_of_a_sampled_mean_rests_on_games() -> None:
    """Ten games whose values are all alike within a game know no more than ten values."""
    sampled, tally = Sampled(), Tally()
    for value in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10):
        sampled.add_game([value] * 100)
        tally.add(value)
    wide, narrow = sampled.interval, tally.interval

    assert wide is not None and narrow is not None
    assert isclose(wide.estimate, narrow.estimate)
    assert isclose(wide.low, narrow.low)
    assert isclose(wide.high, narrow.high)


def test_wilson() -> None:
    """Wilson's interval, against values from the literature, and at its ends."""
    one = wilson(1, 10)

    assert one is not None
    assert (0.0179, 0.4042) == (round(one.low, 4), round(one.high, 4))
    assert wilson(0, 0) is None
    assert Interval(0.0, 0.0, round(3.8414588 / 103.8414588, 6)) == (
        lambda i: Interval(i.estimate, i.low, round(i.high, 6))
    )(wilson(0, 100) or one)
    assert 1.0 == (wilson(7, 7) or one).high


@given(st.integers(1, 10_000), st.data())
def test_wilson_holds_the_share(tries: int, data: st.DataObject) -> None:
    """The interval holds the estimate and lies between 0 and 1."""
    share = wilson(data.draw(st.integers(0, tries)), tries)

    assert share is not None
    assert 0 <= share.low <= share.estimate <= share.high <= 1


def test_verdicts() -> None:
    """A claim holds when the whole interval lies inside, fails when it lies outside, and is open otherwise."""
    interval = Interval(0.5, 0.48, 0.52)

    assert "holds" == interval.verdict(0.48, 0.52)
    assert "fails" == interval.verdict(0.53, 0.6)
    assert "fails" == interval.verdict(0.1, 0.47)
    assert "undecided" == interval.verdict(0.49, 0.6)
    assert "undecided" == interval.verdict(0.49, 0.51)


# ---- games ---------------------------------------------------------------------------------------------


def test_known_figures() -> None:
    """The bold toss two coins twice: 2 points, variance 1, and ties in 70 of 256 games."""
    bold = match(COINS, Strategy("bold"), Strategy("bold"))
    data = summary(bold, simulate(bold, 4_000, jobs=1), 0)
    for seat in data["seats"]:
        assert abs(seat["score"]["mean"] - 2) < 4 / sqrt(4_000)
        assert abs(seat["score"]["sd"] - 1) < 0.06
        assert abs(seat["wins"]["share"] - 93 / 256) < 4 * sqrt(0.2314 / 4_000)
        assert abs(seat["shared_wins"]["share"] - 70 / 256) < 4 * sqrt(0.1987 / 4_000)

    assert (0, 4) == (data["seats"][0]["score"]["min"], data["seats"][0]["score"]["max"])
    assert {"mean": 4.0, "sd": 0.0, "min": 4, "max": 4} == data["turns"] == data["decisions"]
    assert 16_000 == data["measures"]["points so far"]["n"]
    assert {"0", "1", "2", "3", "4"} == set(data["measures"]["difference"]["histogram"])


def test_the_shape_of_the_summary() -> None:
    """The keys are those promised, in every part."""
    table = match(COINS)
    data = summary(table, simulate(table, 10, jobs=1), 1.5)
    spread = ["mean", "sd", "min", "max"]
    share = ["share", "low", "high"]

    assert [
        "ruleset",
        "players",
        "games",
        "seed",
        "agents",
        "options",
        "seats",
        "turns",
        "decisions",
        "measures",
        "faults",
        "seconds",
    ] == list(data)
    assert {"rounds": 2, "pair": "two", "tails_too": False} == data["options"]
    assert (10, 1, ["random", "random"]) == (data["games"], data["seed"], data["agents"])
    for seat in data["seats"]:
        assert ["seat", "score", "wins", "shared_wins"] == list(seat)
        assert (spread, share, share) == (list(seat["score"]), list(seat["wins"]), list(seat["shared_wins"]))
    assert (spread, spread) == (list(data["turns"]), list(data["decisions"]))
    assert ["points so far", "difference"] == list(data["measures"])
    assert all(["n", *spread, "histogram"] == list(measure) for measure in data["measures"].values())


def test_a_game_depends_on_seed_and_number_alone() -> None:
    """Game 7 of a batch is game 7 played by itself."""
    table = match(COINS)
    engine = table.engine()
    alone = [play(engine, table.seated(engine), Stream(1, game)) for game in range(20)]
    together = simulate(table, 20, jobs=1)

    assert len({played.answers for played in alone}) > 10
    assert sum(sum(played.result.scores or ()) for played in alone if played.result) == sum(
        tally.total for tally in together.scores
    )


class Learner:
    """Remembers what it was asked, and plays otherwise for it: a function of all its games."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, position: Position) -> int:
        self.asked += 1
        return self.asked % 7 % len(position.options)


@pytest.mark.parametrize(("ruleset", "jobs"), [(COINS, 3), (BROKEN, 2)])
def test_the_number_of_processes_does_not_matter(ruleset: dsl.Ruleset, jobs: int) -> None:
    """One process and several give the same figures and faults."""
    table = match(ruleset)

    assert figures_text(table, simulate(table, 300, jobs=1)) == (figures_text(table, simulate(table, 300, jobs=jobs)))


def test_agents_that_remember() -> None:
    """An agent that remembers plays the same portions in this process, whoever plays the others."""
    table = match(COINS, PythonObject(Learner), Random())

    assert figures_text(table, simulate(table, 250, jobs=1)) == figures_text(table, simulate(table, 250))


def test_progress() -> None:
    """The callback is told every game, in order, up to the last; of machine code, how many are done now and then."""
    told: list[int] = []
    simulate(match(COINS), 30, jobs=1, progress=told.append, engine="reference")

    assert list(range(1, 31)) == told

    told.clear()
    simulate(match(COINS), 2_000_000, jobs=1, progress=told.append)

    assert sorted(told) == told
    assert 2_000_000 == told[-1]


# ---- what goes wrong -----------------------------------------------------------------------------------


def test_faults() -> None:
    """Each different fault comes with how often it came and the shortest game that led to it."""
    table = match(BROKEN)
    figures = simulate(table, 600, jobs=1)
    data = summary(table, figures, 0)

    assert 600 == data["games"]
    assert figures.finished + sum(fault["games"] for fault in data["faults"]) == 600
    assert 0 < figures.finished < 600
    for fault in data["faults"]:
        record = read_record(fault["record"])
        again = replay(record, BROKEN.game, BROKEN.fingerprint)

        assert ["message", "file", "line", "phase", "games", "game", "record"] == list(fault)
        assert (str(GAMES / "broken.rules"), 22, "turn") == (fault["file"], fault["line"], fault["phase"])
        assert again.same
        assert fault["message"] == again.ending.fault.message if again.ending.fault else False
        assert fault["game"] == record.game


def test_a_game_without_end() -> None:
    """Games that do not end are stopped at the limit of decisions, and that is a fault."""
    table = match(ENDLESS, limits=Limits(decisions=50))
    figures = simulate(table, 3, jobs=1)

    assert (3, 0) == (figures.games, figures.finished)
    assert ["the game has not ended after 50 decisions"] == [fault.message for fault in figures.faults]
    assert [3] == [found.games for found in figures.faults.values()]


def test_an_agent_that_does_not_answer_ends_it_all(tmp_path: Path) -> None:
    """The error says in which game it was, also from another process."""
    file = tmp_path / "late.py"
    file.write_text("def fails(position):\n    return position.draws.below(50) // 49 * 7\n")
    table = match(COINS, Random(), PythonName(str(file), "fails"))
    for jobs in (1, 2):
        with pytest.raises(AgentError, match=r":fails` of seat 2, asked for `toss_or_take` in game \d+: answered"):
            simulate(table, 100, jobs=jobs)


def test_an_agent_that_cannot_be_sent() -> None:
    """An object that cannot be sent to another process plays in this one, and says so elsewhere."""
    table = match(COINS, Random(), PythonObject(lambda position: 0, "lambda"))

    assert 20 == simulate(table, 20, jobs=1).finished
    with pytest.raises((pickle.PicklingError, AttributeError), match="pickle"):
        simulate(table, 20, jobs=2)


@pytest.mark.parametrize(("engine", "games"), [("reference", 100_000), ("native", 1_000_000_000)])
@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted(jobs: int, engine: EngineName, games: int) -> None:
    """Interrupted from the keyboard, it gives what there is."""

    def interrupt(done: int) -> None:
        if done >= 100 and not told:
            told.append(done)
            signal.raise_signal(signal.SIGINT)

    told: list[int] = []

    figures = simulate(match(COINS), games, jobs=jobs, progress=interrupt, engine=engine)

    assert figures.interrupted
    assert 100 <= figures.games < games
    assert figures.games == figures.finished
    assert summary(match(COINS), figures, 0)["interrupted"]


@pytest.mark.skipif(os.name != "posix", reason="signals are otherwise elsewhere")
@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_while_threads_play(jobs: int) -> None:
    """Ctrl-C comes while nothing is done but wait for them: what they have counted is there."""
    done = [0]

    def begin(so_far: int) -> None:
        if so_far > 0 and done[0] == 0:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        done[0] = so_far

    figures = simulate(match(COINS), 1_000_000_000, jobs=jobs, progress=begin)

    assert figures.interrupted
    assert figures.games == figures.finished >= done[0] > 0


# ---- claims --------------------------------------------------------------------------------------------


def test_claims() -> None:
    """Each claim of the game of coins comes out as its name says."""
    verdicts = []
    for claim in COINS.game.claims:
        figures = simulate(match(COINS, *[Strategy(str(claim.strategy))] * 2), 2_000, jobs=1)
        interval = figure(figures, claim)

        assert interval is not None
        verdicts.append(interval.verdict(float(claim.low), float(claim.high)))

    assert ["holds", "fails", "undecided"] == verdicts


def test_documented_shape() -> None:
    """The keys in docs/cli.md are those of the summary."""
    page = (GAMES.parent.parent / "docs" / "cli.md").read_text("utf-8")
    shown = re.search(r"### `simulate --json`.*?```json\n(.*?)```", page, re.S)

    assert shown is not None
    table = match(COINS)
    assert list(json.loads(shown[1])) == list(summary(table, simulate(table, 3, jobs=1), 0))
