"""The native engine plays every game as the reference engine does: choice for choice, to the same end or fault.

`pytest tests/test_native.py --games 200` plays more games of each; `--choices 1000000` plays every ruleset, number of
players and option until so many choices have been compared, equally many of each.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from test_docs import RULES, Block, written
from test_rulesets import Table, loaded, played, pytest_generate_tests  # noqa: F401  pytest looks for it by its name

from regelwerk import cli
from regelwerk.dsl import load, rules
from regelwerk.interpreter import Reference, Stream
from regelwerk.interpreter.agents import PythonObject, Random, recipe
from regelwerk.interpreter.native import is_there
from regelwerk.interpreter.playing import Match, is_decision, play
from regelwerk.interpreter.simulate import engine_for, simulate

if not is_there():
    pytest.skip("NOT COMPARED for want of wasmtime", allow_module_level=True)

from engines import FEW, compare

GAMES = Path(__file__).parent / "games"


def all_play(
    game: rules.Game,
    players: int,
    options: Mapping[str, int | bool],
    games: int,
    choices: int = 0,
    others: bool = True,
) -> int:
    """Games by random players, and by others: greedy ones, and each strategy; how many choices were compared."""
    names = ["random", "greedy", *[strategy.name for strategy in game.strategies]][: None if others else 1]
    share = choices // len(names)
    return sum(compare(game, [name] * players, options, games=games, choices=share) for name in names)


def test_shipped_rulesets(table: Table, pytestconfig: pytest.Config, compared: Callable[[int], None]) -> None:
    """Every ruleset, number of players, and option by itself; others than random players by the usual options."""
    options = {table.option: table.value} if table.option is not None and table.value is not None else {}
    games = pytestconfig.getoption("--games") // 2 or 1
    share = pytestconfig.getoption("--choices") // len(played(pytestconfig))
    usual = table.option is None
    compared(all_play(loaded(table.ruleset).game, table.players, options, games, share, usual))


@pytest.mark.parametrize("block", [block for block in RULES if not block.codes], ids=str)
def test_rules_on_pages(block: Block, tmp_path: Path) -> None:
    """Whatever the pages show of the language."""
    path = written(block, tmp_path)
    if block.text.lstrip().startswith("pieces "):
        return
    game = load(path).game
    for players in range(game.players[0], min(game.players[1], 4) + 1):
        all_play(game, players, {}, 3)


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.rules")), ids=lambda path: str(path.stem))
def test_games(path: Path) -> None:
    """Games made to be difficult, some of them with faults."""
    game = load(path).game
    for players in range(game.players[0], game.players[1] + 1):
        all_play(game, players, {}, 10)


# ---- figures -------------------------------------------------------------------------------------------


@cache
def match(name: str, agent: str) -> Match:
    """A match of the fewest players, all of them this agent."""
    ruleset = load(name)
    strategies = [strategy.name for strategy in ruleset.game.strategies]
    players = ruleset.game.players[0]
    agents = tuple([recipe(agent, strategies)] * players)
    return Match(ruleset.game, ruleset.name, ruleset.fingerprint, players, {}, agents, 3, FEW)


def many() -> Iterator[tuple[str, str]]:
    """Games whose figures are compared."""
    yield from (("thirty", "good"), ("classics/pig", "random"), ("chipbanditen/quick", "random"), ("thirty", "greedy"))
    yield from (("classics/no_thanks", "thrifty"), ("clever_hoch_drei/solo", "good"), ("nacho_pile", "random"))
    yield from ((str(GAMES / f"{name}.rules"), "random") for name in ("broken", "endless", "wide"))
    yield str(GAMES / "trials.rules"), "greedy"


@pytest.mark.parametrize(("name", "agent"), list(many()))
def test_figures(name: str, agent: str) -> None:
    """Scores, wins, lengths, measures and faults of many games are the same, for one thread and for two."""
    expected = simulate(match(name, agent), 30, jobs=1, engine="reference")

    assert expected == simulate(match(name, agent), 30, jobs=1)
    assert expected == simulate(match(name, agent), 30, jobs=2)


# ---- for other hosts -----------------------------------------------------------------------------------

NODE = """
import { readFileSync } from 'node:fs';
const [module, about] = process.argv.slice(2).map(path => readFileSync(path));
const layout = JSON.parse(about);
const { exports } = (await WebAssembly.instantiate(module, {})).instance;
const games = Number(exports.batch(1n, 0n, 100n, 1n));
const view = new DataView(exports.memory.buffer);
const read = address => Number(view.getBigInt64(address, true));
const wins = Array.from({ length: layout.players }, (_, seat) => read(layout.wins + 16 * seat));
exports.playout(1n, 7n);
const scores = Array.from({ length: layout.players }, (_, seat) => read(layout.scores + 8 * seat));
console.log(JSON.stringify({ games, wins, scores }));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="NOT COMPARED for want of Node.js")
@pytest.mark.parametrize("name", ["thirty", "clever_hoch_drei/standard", "classics/no_thanks"])
def test_exported_module_runs_under_node(name: str, tmp_path: Path) -> None:
    """A module that was written to a file gives the same figures in another host."""
    done = CliRunner().invoke(cli.program, ["export", name, "--wasm", str(tmp_path / "game.wasm")])
    assert 0 == done.exit_code, done.output
    (tmp_path / "run.mjs").write_text(NODE, "utf-8")
    command = ["node", "run.mjs", "game.wasm", "game.json"]
    shown = json.loads(subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout)
    ruleset = load(name)
    players = ruleset.game.players[0]
    many = simulate(Match(ruleset.game, name, "", players, {}, (Random(),) * players), 100)
    one = play(Reference(ruleset.game, players), [Random()] * players, Stream(1, 7))

    assert one.result is not None
    assert {"games": 100, "wins": many.wins, "scores": list(one.result.scores or ())} == shown


STEPPING = """
import { readFileSync } from 'node:fs';
const [module, about] = process.argv.slice(2).map(path => readFileSync(path));
const layout = JSON.parse(about);
const { exports } = (await WebAssembly.instantiate(module, {})).instance;
const { steps } = layout;
const read = address => Number(new DataView(exports.memory.buffer).getBigInt64(address, true));
const cell = ({ address, width }) => {
    const view = new DataView(exports.memory.buffer);
    return width === 1 ? view.getInt8(address) : width === 4 ? view.getInt32(address, true) : read(address);
};
const write = (address, value) => new DataView(exports.memory.buffer).setBigInt64(address, BigInt(value), true);
const state = () => exports.memory.buffer.slice(layout.state.address, layout.state.end);
const seek = kept => new Uint8Array(exports.memory.buffer).set(new Uint8Array(kept), layout.state.address);
const answer = (number, stops) => {
    write(steps.answer.digits, number);
    write(steps.answer.length, 1);
    exports.resume(BigInt(stops));
};
const asked = [];
exports.begin(1n, 7n, BigInt(steps.stops.decisions));
while (cell(steps.owner) !== steps.owners.over) {
    const { name, labels } = steps.requests[cell(steps.request)];
    const open = labels.filter((_, place) => read(steps.open) >> place & 1);
    const [owner, options] = [cell(steps.owner), cell(steps.options)];
    if (labels.length && open.length !== options) throw new Error(`${name}: ${open}`);
    const kept = state();
    answer(options - 1, steps.stops.decisions | steps.stops.chance);
    seek(kept);
    answer(asked.length * 7 % options, steps.stops.decisions);
    asked.push([name, owner, options]);
}
const scores = Array.from({ length: layout.players }, (_, seat) => read(layout.scores + 8 * seat));
console.log(JSON.stringify({ asked, scores }));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="NOT COMPARED for want of Node.js")
@pytest.mark.parametrize("name", ["thirty", "clever_hoch_drei/standard", "classics/no_thanks"])
def test_exported_steps_run_under_node(name: str, tmp_path: Path) -> None:
    """Another host that answers what is asked, tries options and goes back, comes to the same end."""
    done = CliRunner().invoke(cli.program, ["export", name, "--steps", "--wasm", str(tmp_path / "game.wasm")])
    assert 0 == done.exit_code, done.output
    (tmp_path / "run.mjs").write_text(STEPPING, "utf-8")
    command = ["node", "run.mjs", "game.wasm", "game.json"]
    shown = json.loads(subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout)
    game = load(name).game
    table: Any = Reference(game, game.players[0]).table()
    draws, asked = Stream(1, 7), list[list[Any]]()
    while (request := table.request()) is not None:
        if is_decision(request):
            table.answer(len(asked) * 7 % len(request))
            asked.append([request.name, request.owner, len(request)])
        else:
            table.answer(request.sample(draws))

    assert {"asked": asked, "scores": list(table.result().scores or ())} == shown


@pytest.mark.skipif(shutil.which("node") is None, reason="NOT COMPARED for want of Node.js")
def test_hosts_on_pages(tmp_path: Path) -> None:
    """What the pages show of other hosts runs there."""
    page = (Path(__file__).parents[1] / "docs" / "native.md").read_text("utf-8")
    shown = re.findall(r"```js\n(.*?)```", page, re.DOTALL)

    assert len(shown) == 2
    for number, script in enumerate(shown):
        steps = ["--steps"] if "begin" in script else []
        done = CliRunner().invoke(cli.program, ["export", "thirty", *steps, "--wasm", str(tmp_path / "thirty.wasm")])
        assert 0 == done.exit_code, done.output
        path = tmp_path / f"{number}.mjs"
        path.write_text(f"import {{ readFileSync }} from 'node:fs';\n{script}", "utf-8")
        subprocess.run(["node", path.name], cwd=tmp_path, check=True, capture_output=True, timeout=60)


def test_flow_as_text() -> None:
    """The flow of a game can be read, with the names of what it works on."""
    done = CliRunner().invoke(cli.program, ["explain", "classics/pig", "--graph"])

    assert 0 == done.exit_code
    assert "decision throw_or_hold, then" in done.output
    assert "[turn_points] := " in done.output


def test_without_wasmtime_the_reference_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where machine code cannot be run, the reference engine plays and says so."""
    monkeypatch.setattr("regelwerk.interpreter.native.is_there", lambda: False)
    done = CliRunner().invoke(cli.program, ["simulate", "classics/pig", "--games", "5"])

    assert 0 == done.exit_code
    assert "the reference engine plays" in done.output
    assert "5 games" in done.output


def test_agents_from_outside_need_the_reference() -> None:
    """Who cannot play inside machine code plays on the reference engine."""
    asked = match("classics/pig", "random")
    outside = Match(asked.game, asked.ruleset, asked.fingerprint, 2, {}, (PythonObject(len), Random()))

    assert "native" == engine_for(asked, "native")
    assert "native" == engine_for(match("classics/pig", "greedy"), "native")
    assert "reference" == engine_for(outside, "native")
    assert "reference" == engine_for(asked, "reference")
