"""The search as machine code finds what the search on the reference engine finds: edge for edge, note for note."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from generated import generated
from planted import FAULTS, Planted, broken, settings
from test_docs import RULES, Block, written
from test_engine import NAMES
from test_native import GAMES

from regelwerk.dsl import Ruleset, load, load_text, rules
from regelwerk.interpreter import Readers, Watch
from regelwerk.verify.explore import TURN, Budget, Search
from regelwerk.verify.looking import Subject
from regelwerk.verify.machine import MachineSearch, searching
from regelwerk.verify.solving import BrokenOff, solving
from regelwerk.verify.tracks import Holds, Rising

POSITIONS = 400
"""Positions that are looked at."""
SEEDS = range(60)
NOBODY: Mapping[int, str] = {}
FOLLOWED = [name for name in NAMES if load(name).game.strategies]
FOCUSES = [(name, focus.name) for name in NAMES for focus in load(name).game.focuses]


def searched(make: Callable[..., Search], subject: Subject, play: Mapping[int, str] = NOBODY) -> tuple[Search, Watch]:
    """A search that notes whatever it can, where some seats `play` by strategies."""
    watch, game = Watch(), subject.ruleset.game
    engine = subject.engine(watch)
    tracks: list[Any] = [Rising.of(engine, rule) for rule in game.monotones]
    tracks += [Holds.of(engine, rule, part) for rule in game.leads for part in (rule.first, rule.second)]
    keys = engine.keys(Readers(always=tuple(track.value for track in tracks), strategies=tuple(set(play.values()))))
    policies = {seat: engine.policy(name) for seat, name in play.items()}
    search = make(engine, keys, tracks, counted=(TURN,), value=getattr(engine, "value", None), policies=policies)
    if isinstance(search, MachineSearch):
        search.few = 100
    search.run(Budget(positions=POSITIONS))
    return search, watch


def compare(
    ruleset: Ruleset,
    players: int = 0,
    options: Any = None,
    focus: rules.Focus | None = None,
    play: Mapping[int, str] = NOBODY,
) -> bool:
    """Look at the nearest positions on both engines; with the fewest players if nothing is said. Gives whether machine
    code could: a value that is wanted of every position must be no fault."""
    subject = Subject(ruleset, players or ruleset.game.players[0], options or {}, focus)
    (slow, watched), (fast, noted) = (searched(make, subject, play) for make in (Search, searching))
    one, other = slow.graph, fast.graph
    opened = min(len(one.first), len(other.first)) - 1
    edges, known = one.first[opened], min(len(one), len(other))
    if not one.owner or not other.owner:
        edges = known = 0

    for column in ("first", "target", "owner", "came"):
        most = {"first": opened + 1, "target": edges}.get(column, known)
        assert list(getattr(one, column)[:most]) == list(getattr(other, column)[:most]), column
    for graph in (one, other):
        assert len(graph.target) == len(graph.odds) == len(graph.turned) == graph.first[-1]
    assert [_chance(one, edge) for edge in range(edges)] == [_chance(other, edge) for edge in range(edges)]
    depth = min(len(one.levels), len(other.levels)) - 1
    assert one.levels[:depth] == other.levels[:depth]
    assert _ends(one, known) == _ends(other, known)
    assert list(slow.passes[TURN][:edges]) == list(fast.passes[TURN][:edges])
    assert +slow.early == +fast.early
    for track, expected, actual in zip(slow.tracks, slow.tracked, fast.tracked, strict=True):
        if not isinstance(track.value.type, rules.Many):
            assert [int(value) for value in expected[:known]] == list(map(int, actual[:known]))
    assert _before(slow.met, edges) == _before(fast.met, edges)
    assert _breaks(slow, edges) == _breaks(fast, edges)
    if one.complete and other.complete:
        assert slow.idle == fast.idle
        assert slow.faces == fast.faces
        assert watched.reached == noted.reached
        assert {name for name, count in watched.looked.items() if count} == {
            name for name, count in noted.looked.items() if count
        }
        assert one.levels == other.levels
    elif slow.graph.owner and opened + 1 == len(one.first):
        assert watched.reached <= noted.reached
    return isinstance(fast, MachineSearch)


def _chance(graph: Any, edge: int) -> Any:
    return graph.chances[graph.odds[edge]] if graph.odds[edge] >= 0 else None


def _ends(graph: Any, known: int) -> dict[int, Any]:
    worth = graph.values or [None] * len(graph.results)
    return {at: (graph.results[result], worth[result]) for at, result in graph.ends.items() if at < known}


def _before(at: dict[str, int], edges: int) -> dict[str, int]:
    return {name: edge for name, edge in at.items() if edge < edges}


def _breaks(search: Search, edges: int) -> dict[str, Any]:
    return {name: at for name, at in search.breaks.items() if at.edge < edges}


@pytest.mark.parametrize("name", NAMES)
def test_shipped_rulesets(name: str) -> None:
    """The fewest players, with the usual options."""
    assert compare(load(name))


@pytest.mark.parametrize("name", FOLLOWED)
def test_strategies(name: str) -> None:
    """One seat, or all of them, play by a strategy."""
    ruleset = load(name)
    first, *_, last = [*ruleset.game.strategies, *ruleset.game.strategies]
    assert compare(ruleset, play={0: first.name})
    assert compare(ruleset, play=dict.fromkeys(range(ruleset.game.players[0]), last.name))


LOST = """
game "Lost"
players 2
each player has:
    var points: 0..9 = 0
play:
    phase turn each player in turn until max(p.points for p in players) >= 4:
        choose one from 1..2 as n
        points += n
score: points
winner: highest score
strategy lost:
    n: points + 1
"""


def test_a_strategy_that_is_at_a_loss() -> None:
    """What it wants cannot be chosen: the rules break off there."""
    ruleset = load_text(LOST)

    assert compare(ruleset, play={0: "lost"})
    with pytest.raises(BrokenOff, match="not among the options of n"):
        solving(Subject(ruleset, 2), {1: "lost"})


@pytest.mark.parametrize(("name", "focus"), FOCUSES)
def test_focuses(name: str, focus: str) -> None:
    """One part of a game, from a position that is described."""
    ruleset = load(name)
    assert compare(ruleset, focus=next(each for each in ruleset.game.focuses if each.name == focus))


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.rules")), ids=lambda path: str(path.stem))
def test_games(path: Path) -> None:
    """Games made to be difficult, some of them with faults."""
    assert compare(load(path))


@pytest.mark.parametrize("block", [block for block in RULES if not block.codes], ids=str)
def test_rules_on_pages(block: Block, tmp_path: Path) -> None:
    """Whatever the pages show of the language."""
    path = written(block, tmp_path)
    if not block.text.lstrip().startswith("pieces "):
        assert compare(load(path))


@pytest.mark.parametrize("seed", SEEDS)
def test_generated_rulesets(seed: int) -> None:
    """Games that were made up."""
    ruleset = load_text(generated(seed))

    assert compare(ruleset) or ruleset.game.monotones or ruleset.game.leads


@pytest.mark.parametrize("fault", FAULTS[::4], ids=str)
def test_planted_faults(fault: Planted) -> None:
    """Broken games: the same property is broken on the same edge."""
    ruleset = broken(fault)
    assert compare(ruleset, fault.players, settings(fault, ruleset))


def test_chances_too_fine_for_64_bits() -> None:
    """They are told by the reference."""
    text = """
    game "Many dice"
    players 1

    components dice:
        faces pips: 1..6
        25 of each

    zone tray: dice

    setup:
        move dice to tray

    play:
        throw tray

    score: count(tray where pips is 1)
    winner: highest score
    """
    ruleset = load_text(dedent(text).lstrip())
    search, _ = searched(searching, Subject(ruleset, 1))

    assert isinstance(search, MachineSearch)
    assert Fraction(1, 6**25) == search.graph.chances[search.graph.odds[0]]
    assert compare(ruleset)


def test_without_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no machine code can be run, the reference engine searches."""
    monkeypatch.setattr("regelwerk.verify.machine.is_there", lambda: False)
    search, _ = searched(searching, Subject(load("thirty"), 2))

    assert type(search) is Search


def test_a_fault_where_a_focus_begins() -> None:
    """It is found before anything is asked, and is no mistake of the program."""
    text = """
    game "Jar"
    players 1

    var jar: 0..3 = 3
    var spoons: 0..9 = 0

    play:
        phase turn each player in turn until jar is 0:
            choose take_or_wait:
                take: jar -= 1
                wait: spoons += 1

    score: spoons
    winner: highest score

    focus "too much":
        given: jar -= spoons + 3
        given: jar -= spoons + 3
        do turn for player(1)
        then jar is 0
    """
    ruleset = load_text(dedent(text).lstrip())
    search, _ = searched(searching, Subject(ruleset, 1, {}, ruleset.game.focuses[0]))

    assert [(-1, True)] == [(broken.edge, broken.fault) for broken in search.breaks.values()]
