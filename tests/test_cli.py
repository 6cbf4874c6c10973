"""The commands: what they print, their JSON, their exit codes, and that nothing ends in a traceback."""

import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from regelwerk import cli, dsl

HERE = Path(__file__).parent
GAMES = HERE / "games"
COINS = str(GAMES / "coins.rules")
BROKEN = str(GAMES / "broken.rules")
SECRET = str(GAMES / "secret.rules")
REGELWERK = [sys.executable, "-m", "regelwerk"]
CLI_PAGE = (HERE.parent / "docs" / "cli.md").read_text("utf-8")

WRONG = """\
game "Wrong"
players 2
var pott: 0..3 = 0
play:
    phase turn each player:
        pot = 3
score: pott
"""


def regelwerk(*words: object, code: int = 0, stdin: str | None = None) -> Result:
    """A command run in this process; it must end with this exit code and without a traceback."""
    result = CliRunner().invoke(cli.program, [str(word) for word in words], input=stdin)

    assert code == result.exit_code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result


def as_json(*words: object, code: int = 0) -> Any:
    """What a command prints with `--json`."""
    return json.loads(regelwerk(*words, "--json", code=code).stdout)


def complaint(*words: object, code: int = 2) -> str:
    """What a command says on standard error when it is used wrongly."""
    result = regelwerk(*words, code=code)

    assert "" == result.stdout
    return result.stderr


def documented(command: str) -> Any:
    """The first JSON shown in docs/cli.md for a command."""
    shown = re.search(rf"### `{command} --json`.*?```json\n(.*?)```", CLI_PAGE, re.S)

    assert shown is not None
    return json.loads(shown[1])


def same_keys(expected: Any, actual: Any, path: str = "") -> None:
    """Objects have the same keys in the same order, and so have the objects in them that both have."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        if path.endswith(("/options", "/measures", "/histogram", "/state")) and not path.endswith("options/options"):
            return
        assert list(expected) == list(actual), path
        for key in expected:
            same_keys(expected[key], actual[key], f"{path}/{key}")
    elif isinstance(expected, list) and isinstance(actual, list) and expected and actual:
        same_keys(expected[0], actual[0], path)


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    """A file with one mistake in its rules."""
    file = tmp_path / "wrong.rules"
    file.write_text(WRONG, "utf-8")
    return file


# ---- all commands --------------------------------------------------------------------------------------


def test_every_command_is_documented() -> None:
    """docs/cli.md names every command, and the shape of its JSON."""
    assert [] == [name for name in cli.program.commands if f"\nregelwerk {name} " not in CLI_PAGE]
    for name, command in cli.program.commands.items():
        if any(parameter.name == "as_json" for parameter in command.params):
            assert f"### `{name} --json`" in CLI_PAGE, name


@pytest.mark.parametrize("name", cli.program.commands)
def test_every_option_is_documented(name: str) -> None:
    """docs/cli.md has a table of each command's options: none is missing, and none is there that is not."""
    section = re.search(rf"^### `regelwerk {name}\b.*?(?=^##)", CLI_PAGE, re.M | re.S)
    options = [each for each in cli.program.commands[name].params if isinstance(each, click.Option)]

    assert section is not None
    cells = " ".join(line.split("|")[1] for line in section[0].splitlines() if line.startswith("| "))
    assert sorted(word for option in options for word in option.opts) == sorted(re.findall(r"`(-[\w-]+)", cells))


def test_every_option_has_help() -> None:
    """No option of any command is without a word about it."""
    missing = [
        f"{name} {option.opts}"
        for name, command in cli.program.commands.items()
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]

    assert [] == missing


def test_help_is_quick() -> None:
    """`--help` imports neither parser nor engine nor anything for tables."""
    code = (
        "import sys; from regelwerk.cli import program\n"
        "try: program(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('rich', 'regelwerk.dsl', 'regelwerk.interpreter') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == result.stdout.splitlines()[-1]


@pytest.mark.parametrize("command", ["check", "explain", "run", "simulate", "play"])
def test_rulesets_that_are_not_there(command: str, tmp_path: Path) -> None:
    """Bad names and paths are wrong use, with a question where something is near."""
    (tmp_path / "empty").mkdir()

    assert "There is no file `none.rules`." in complaint(command, "none.rules")
    assert "Did you mean `thirty`?" in complaint(command, "thrity")
    assert "`regelwerk list` shows the library." in complaint(command, "zzz")
    assert "There is no ruleset (.rules) in the folder" in complaint(command, tmp_path / "empty")


@pytest.mark.parametrize("command", ["run", "simulate", "play"])
def test_wrong_rules(command: str, wrong: Path) -> None:
    """Wrong rules are drawn on standard error, and the exit code says so."""
    drawn = complaint(command, wrong, code=65)

    assert "error[R201]" in drawn
    assert "Did you mean `pott`?" in drawn


@pytest.mark.parametrize("command", ["run", "simulate", "explain"])
def test_wrong_rules_as_json(command: str, wrong: Path) -> None:
    """With `--json` the problems are JSON."""
    assert ["R201"] == [problem["code"] for problem in as_json(command, wrong, code=65)["problems"]]


def test_wrong_words() -> None:
    """Unknown options, values, agents, numbers of players are wrong use, with a question where one is near."""
    assert "Did you mean `rounds`?" in complaint("run", COINS, "--set", "round=3")
    assert "`rounds` is a number from 1 to 5, not 9." in complaint("run", COINS, "--set", "rounds=9")
    assert "`rounds` is a number from 1 to 5, not `x`." in complaint("run", COINS, "--set", "rounds=x")
    assert "Did you mean `five`?" in complaint("run", COINS, "--set", "pair=fve")
    assert "`tails_too` is `yes` or `no`" in complaint("run", COINS, "--set", "tails_too=maybe")
    assert "is not of the form NAME=VALUE" in complaint("run", COINS, "--set", "rounds")
    assert "Did you mean `careful`?" in complaint("run", COINS, "--agent", "carful")
    assert "give it once, or 3 times" in complaint("run", COINS, "-p", 3, "-a", "bold", "-a", "bold")
    assert "is for 2 to 3 players, not for 4" in complaint("run", COINS, "--players", 4)
    assert "Missing argument" in complaint("check")
    assert "No such command" in complaint("chekc")
    assert "holds" in complaint("run", GAMES)
    assert "Secret has no options" in complaint("run", SECRET, "--set", "rounds=3")


def test_mistakes_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What we did not expect is one line that says how to report it."""

    def fail() -> None:
        raise KeyError("oops")

    monkeypatch.setattr(dsl, "library", fail)
    said = complaint("list", code=1)

    assert said.startswith("Error: this is a mistake in Regelwerk, not yours: KeyError: 'oops'.")
    assert 1 == said.count("\n")
    monkeypatch.setenv("REGELWERK_DEBUG", "1")

    assert isinstance(CliRunner().invoke(cli.program, ["list"]).exception, KeyError)


def test_a_closed_pipe() -> None:
    """A reader that has seen enough is no reason for a traceback."""
    command = f"{' '.join(REGELWERK)} simulate {COINS} --games 3 --json | head -n 1"
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)

    assert ("{\n", "") == (result.stdout, result.stderr)


def test_a_terminal_without_unicode() -> None:
    """A terminal that cannot show a sign gets another one."""
    surroundings = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(
        [*REGELWERK, "simulate", COINS, "--games", "20"], capture_output=True, env=surroundings, check=True
    )

    assert b"Coins" in result.stdout


# ---- list, check, explain ------------------------------------------------------------------------------


def test_list() -> None:
    """The library is listed, and its JSON has the documented keys."""
    data = as_json("list")

    same_keys(documented("list"), data)
    assert {"thirty", "nacho_pile", "chipbanditen/quick"} <= {entry["name"] for entry in data}
    assert "Chipbanditen Quick" in regelwerk("list").stdout


def test_check() -> None:
    """Right rules are well; examples are run."""
    result = regelwerk("check", COINS, BROKEN)

    assert [f"{COINS}: ok, 1 example", f"{BROKEN}: ok"] == result.stdout.splitlines()


def test_check_a_folder(wrong: Path) -> None:
    """A folder gives all its rulesets but no pieces, and one wrong one among them is enough."""
    (wrong.parent / "inner").mkdir()
    (wrong.parent / "inner" / "right.rules").write_text(Path(BROKEN).read_text("utf-8"))
    (wrong.parent / "parts.rules").write_text('pieces "Parts"\n')
    data = as_json("check", wrong.parent, code=65)

    assert ["right.rules", "wrong.rules"] == [Path(one["ruleset"]).name for one in data["rulesets"]]
    assert [True, False] == [one["ok"] for one in data["rulesets"]]
    assert not data["ok"]
    assert "error[R201]" in regelwerk("check", wrong, code=65).stdout


def test_check_an_example_that_fails(tmp_path: Path) -> None:
    """An example that does not hold fails the check, with its place."""
    file = tmp_path / "coins.rules"
    file.write_text(Path(COINS).read_text("utf-8").replace(".points is 1", ".points is 2"), "utf-8")
    result = regelwerk("check", file, code=1)

    assert "1 of 1 examples failed" in result.stdout
    assert f'{file}:57: example "a head is a point": ' in result.stdout
    assert [False] == [one["ok"] for one in as_json("check", file, code=1)["rulesets"][0]["examples"]]


def test_check_claims() -> None:
    """Claims are decided by games: inside, outside, or honestly open."""
    data = as_json("check", COINS, "--claims", "--games", 1000, code=1)
    shown = regelwerk("check", COINS, "--claims", "--games", 1000, code=1).stdout

    same_keys(documented("check"), data)
    assert ["holds", "fails", "undecided"] == [claim["verdict"] for claim in data["rulesets"][0]["claims"]]
    assert 'claim "the careful have two points" holds: 2.0000' in shown
    assert "undecided" in shown
    assert "more --games would narrow it" in shown


def test_explain_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number gives the page; a number that is none gives those there are."""
    monkeypatch.setattr(dsl, "page", lambda code: f"# {code.upper()}\n" if code != "R999" else None)

    assert "# R201\n" == regelwerk("explain", "r201").stdout
    assert {"code": "R201", "page": "# R201\n"} == as_json("explain", "R201")
    assert "There is no problem R999. There are: R001, " in complaint("explain", "R999")


def test_explain_a_ruleset() -> None:
    """A ruleset's phases and decisions are told in words."""
    shown = regelwerk("explain", COINS).stdout
    data = as_json("explain", COINS)

    for words in (
        "Coins",
        "2 to 3 players",
        "phase round: rounds times",
        "phase turn: each player once",
        "decision toss_or_take: the player chooses",
        "toss: toss the coins",
        "chance: throw tray",
        "what a pair of heads is worth",
        "side: heads, tails",
        "winner: highest score",
    ):
        assert words in shown
    same_keys(documented("explain"), data)
    assert ["round"] == [phase["name"] for phase in data["phases"]]


def test_explain_every_ruleset_of_the_library() -> None:
    """Nothing in the library is beyond words."""
    names = [entry.name for entry in dsl.library() if entry.kind == "game"]

    assert all(as_json("explain", name)["phases"] for name in names)


# ---- run and replay ------------------------------------------------------------------------------------


def test_run() -> None:
    """One game, with every step and its end."""
    shown = regelwerk("run", COINS, "--agent", "bold", "--agent", "careful").stdout

    assert "seat 1: bold  seat 2: careful" in shown
    assert "\nround > turn\n    1. seat 1  toss_or_take: toss\n    2. throw: " in shown
    assert re.search(r"\nscores \d, 2; won by seat", shown)


def test_run_as_json() -> None:
    """The shape is the documented one, and the same seed gives the same game."""
    data = as_json("run", COINS, "--seed", 5, "--set", "pair=five", "--set", "tails_too=yes")

    same_keys(documented("run"), data)
    assert {"rounds": 2, "pair": "five", "tails_too": True} == data["options"]
    assert data == as_json("run", COINS, "--seed", 5, "--set", "pair=five", "--set", "tails_too=yes")
    assert data["record"].startswith("regelwerk record 1\n")


def test_a_record_is_replayed_in_a_new_process(tmp_path: Path) -> None:
    """`run --record` and `replay` agree, and a replay says when the rules have changed."""
    rules, record = tmp_path / "coins.rules", tmp_path / "game.txt"
    text = Path(COINS).read_text("utf-8")
    rules.write_text(text, "utf-8")
    regelwerk("run", rules, "--seed", 4, "--record", record)
    again = subprocess.run([*REGELWERK, "replay", record], capture_output=True, text=True, check=True)

    assert "The same end: scores" in again.stdout
    assert "changed" not in again.stdout
    same_keys(documented("replay"), as_json("replay", record))
    rules.write_text(text + "\n# changed\n", "utf-8")

    assert "The rules have changed since this was recorded." in regelwerk("replay", record).stdout
    assert as_json("replay", record)["changed"]
    rules.write_text(text.replace("points += 1", "points += 3"), "utf-8")

    assert "Not the same: recorded was scores" in regelwerk("replay", record, code=1).stdout
    assert not as_json("replay", record, code=1)["same"]
    rules.unlink()

    assert "The record's ruleset is not here" in complaint("replay", record)
    assert "The same end" in regelwerk("replay", record, "--ruleset", COINS).stdout


def test_replay_until(tmp_path: Path) -> None:
    """A replay stops at a step and shows how things stand, to all or to one seat."""
    record = tmp_path / "game.txt"
    regelwerk("run", SECRET, "--record", record)
    data = as_json("replay", record, "--until", 3)
    seen = as_json("replay", record, "--until", 3, "--seat", 2)

    assert "Stopped after step 3 of 7." in regelwerk("replay", record, "--until", 3).stdout
    assert (3, None) == (data["steps"], data["same"])
    assert [2, 2] == [len(player["hand"]) for player in data["state"]["players"]]
    assert {"count": 2} == seen["state"]["players"][0]["hand"]
    assert "cannot stop after step 99" in complaint("replay", record, "--until", 99)
    assert "there is no seat 3" in complaint("replay", record, "--seat", 3)


def test_files_that_are_no_records(tmp_path: Path) -> None:
    """A file that is not there, not readable, or no record is wrong use."""
    file = tmp_path / "game.txt"
    file.write_bytes(b"\xff\xfe")

    assert "No such file" in complaint("replay", tmp_path / "none")
    assert "cannot be read: Is a directory" in complaint("replay", tmp_path)
    assert "it is not UTF-8 text" in complaint("replay", file)
    file.write_text("hello")
    assert "is not a record: line 1: a record begins with" in complaint("replay", file)


def test_records_that_cannot_be_written(tmp_path: Path) -> None:
    """It is said before the game is played, not after it."""
    assert "No such file or directory" in complaint("run", COINS, "--record", tmp_path / "no" / "game.txt")
    assert "Is a directory" in complaint("run", COINS, "--record", tmp_path)


def test_run_a_fault(tmp_path: Path) -> None:
    """A game that its rules stop is a failure with a place, and its record shows the same again."""
    record = tmp_path / "fault.txt"
    shown = regelwerk("run", BROKEN, "--seed", 2, "--record", record, code=1).stdout

    assert f"a fault: {BROKEN}:22: " in shown
    assert "The same end: a fault: " in regelwerk("replay", record, code=1).stdout
    assert as_json("replay", record, code=1)["same"]
    fault = as_json("run", BROKEN, "--seed", 2, code=1)["fault"]

    assert ["message", "file", "line", "phase"] == list(fault)


def test_run_with_an_agent_that_fails(tmp_path: Path) -> None:
    """The game up to there is shown and recorded, and the agent named."""
    file, record = tmp_path / "agent.py", tmp_path / "game.txt"
    file.write_text("def choose(position):\n    return 7\n")
    result = regelwerk("run", COINS, "-a", "careful", "-a", f"python:{file}:choose", "--record", record, code=1)

    assert "    1. seat 1  toss_or_take: take\n" in result.stdout
    assert "of seat 2, asked for `toss_or_take`: answered option 7; there are options 0 to 1" in result.stderr
    assert "\nstopped\n" in record.read_text("utf-8")
    assert "The same end: stopped." in regelwerk("replay", record).stdout


# ---- simulate ------------------------------------------------------------------------------------------


def test_simulate_as_json() -> None:
    """The shape is the documented one."""
    data = as_json("simulate", COINS, "--games", 30, "--seed", 3, "--agent", "bold")

    same_keys(documented("simulate"), data)
    assert (30, 3, ["bold", "bold"]) == (data["games"], data["seed"], data["agents"])


def test_simulate() -> None:
    """Tables of seats, lengths and measures."""
    shown = regelwerk("simulate", COINS, "--games", 50, "-p", 3).stdout

    for words in ("3 players", "50 games", "wins", "shared", "turns", "decisions", "points so far", "difference"):
        assert words in shown


def test_simulate_a_folder(tmp_path: Path) -> None:
    """All rulesets of a folder, one after the other."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.rules").write_text(Path(COINS).read_text("utf-8"), "utf-8")
    data = as_json("simulate", tmp_path, "--games", 5)

    assert ["one.rules", "two.rules"] == [Path(one["ruleset"]).name for one in data]


def test_simulate_faults(tmp_path: Path) -> None:
    """Faults are shown with a command that plays the shortest game again, and their records replay."""
    result = regelwerk("simulate", BROKEN, "--games", 40, "--records", tmp_path / "faults", code=1)
    command = re.search(r"the shortest: regelwerk (run .*)", result.stdout)
    data = as_json("simulate", BROKEN, "--games", 40, code=1)

    assert re.search(r"\d+ games stopped by a fault", result.stdout)
    assert command is not None
    assert "a fault: " in regelwerk(*command[1].split(), code=1).stdout
    same_keys(documented("simulate")["faults"], data["faults"])
    for file in (tmp_path / "faults").iterdir():
        assert "The same end: a fault: " in regelwerk("replay", file, code=1).stdout


def test_simulate_without_end() -> None:
    """The limit of decisions is an option."""
    data = as_json("simulate", GAMES / "endless.rules", "--games", 2, "--max-decisions", 30, code=1)

    assert ["the game has not ended after 30 decisions"] == [fault["message"] for fault in data["faults"]]
    for command in ("simulate", "run"):
        shown = regelwerk(command, GAMES / "endless.rules", "--max-decisions", 30, code=1).stdout
        assert "raise the limit with --max-decisions N." in shown


def test_simulate_where_some_games_fault() -> None:
    """The table is that of the others, and the faults stand below it."""
    shown = regelwerk("simulate", "classics/pig", "--games", 20, "--max-decisions", 70, code=1).stdout

    assert re.search(r"turns .*\n(.*\n)*\d+ games stopped by a fault; the figures are those of the other \d+\n", shown)
    assert "raise the limit with --max-decisions N." in shown


def test_numbers_in_tables() -> None:
    """Large numbers have separators everywhere."""
    from regelwerk.interpreter.figures import Tally

    tally = Tally()
    for value in (0, -5_000, 40_000):
        tally.add(value)

    assert ["11,666.667", "27,909.899", "24,664.41", "-5,000", "40,000"] == cli.spread_cells(tally)


@pytest.mark.skipif(os.name != "posix", reason="signals are otherwise elsewhere")
def test_simulate_interrupted(tmp_path: Path) -> None:
    """Ctrl-C prints what there is."""
    agent, sign = tmp_path / "agent.py", tmp_path / "playing"
    agent.write_text(f"def choose(position):\n    open({str(sign)!r}, 'a').close()\n    return 0\n")
    command = [*REGELWERK, "simulate", COINS, "--games", "500000", "--agent", f"python:{agent}:choose", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        while not sign.exists() and running.poll() is None:
            time.sleep(0.05)
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate()
    data = json.loads(output)

    assert 130 == running.returncode
    assert data["interrupted"]
    assert 0 < data["games"] < 500_000
    assert errors.startswith("Interrupted after ")


# ---- play ----------------------------------------------------------------------------------------------


def test_play() -> None:
    """A person plays by numbers and by words, against an agent."""
    shown = regelwerk("play", COINS, "--seed", 3, "--agent", "careful", stdin="9\nnonsense\n2\ntake\n").stdout

    assert "Seat 1 decides toss_or_take (round > turn):\n    1  toss: toss the coins\n" in shown
    assert "There are options 1 to 2." in shown
    assert "no option reads `nonsense`" in shown
    assert "seat 2  toss_or_take: take" in shown
    assert "The end: scores 2, 2; won by seat 1 and seat 2." in shown


def test_play_and_stop(tmp_path: Path) -> None:
    """`q` and the end of the input stop the game; what was played is recorded."""
    record = tmp_path / "game.txt"
    shown = regelwerk("play", COINS, "--record", record, stdin="?\nwhy\nlook\nall\n1\nq\n").stdout

    assert "a number     take that option" in shown
    assert "choose toss_or_take:" in shown
    assert "Stopped.\nWritten to " in shown
    assert "agent 1: person" in record.read_text("utf-8")
    assert "The same end: stopped." in regelwerk("replay", record).stdout
    assert "Stopped." in regelwerk("play", COINS, stdin="1\n").stdout


def test_play_shows_nothing_secret() -> None:
    """A person sees their own cards, and of others only what anybody sees."""
    shown = regelwerk("play", SECRET, "--seed", 3, stdin="1\n1\n1\n").stdout
    before_the_end = shown.rpartition("on the table")[0]

    assert "seat 1 hand: + 1  + 2  + 6" in before_the_end
    assert "seat 2 hand: – → 3 unseen" in before_the_end
    assert "seat 2  card\n" in before_the_end
    assert "seat 2  card:" not in before_the_end
    assert "draw: " not in before_the_end


def test_two_persons_at_one_terminal() -> None:
    """The screen is passed on before the next one sees anything."""
    shown = regelwerk("play", SECRET, "--seat", 1, "--seat", 2, "--seed", 3, stdin="1\n\n1\n\nq\n").stdout

    assert 2 == shown.count("Pass the screen on, then press Enter.")
    assert "Seat 2 decides card (turn):" in shown
    assert "there is no seat 7" in complaint("play", SECRET, "--seat", 7)
    assert "for 1 other seats" in complaint("play", SECRET, "-a", "first", "-a", "first")


# ---- new and fmt ---------------------------------------------------------------------------------------


def test_new(tmp_path: Path) -> None:
    """A new file is a whole game: checked, in house style, playable, and never written over another."""
    file = tmp_path / "my_game.rules"
    regelwerk("new", tmp_path / "my_game")

    assert 'game "My Game"' in file.read_text("utf-8")
    assert f"{file}: ok\n" == regelwerk("check", file).stdout
    regelwerk("fmt", "--check", file)
    assert [] == as_json("simulate", file, "-n", 100, "-a", "careful")["faults"]
    assert "is there already" in complaint("new", file)
    assert "There is no folder" in complaint("new", tmp_path / "no" / "game.rules")


@pytest.mark.parametrize("base", ["chipbanditen/quick", "thirty", COINS])
def test_new_variant(tmp_path: Path, base: str) -> None:
    """A new variant changes nothing yet, and names what it could change."""
    if base == COINS:
        (tmp_path / "coins.rules").write_text(Path(COINS).read_text("utf-8"), "utf-8")
        base = str(tmp_path / "coins.rules")
    file = tmp_path / "mine.rules"
    regelwerk("new", file, "--variant-of", base, "--title", "Mine")
    text = file.read_text("utf-8")

    assert 'variant "Mine" of ' in text
    assert "# remove phase turn" in text
    assert "ok" in regelwerk("check", file).stdout
    regelwerk("fmt", "--check", file)


def test_fmt(tmp_path: Path) -> None:
    """Files are put into house style; `--check` and `--diff` only say so."""
    file = tmp_path / "game.rules"
    file.write_text(Path(BROKEN).read_text("utf-8").replace("total += sum", "total  +=  sum"), "utf-8")

    assert f"{file}: not in house style\n" == regelwerk("fmt", "--check", file, code=1).stdout
    assert "\n-        total  +=  sum(tray.pips)\n+        total += sum(tray.pips)\n" in (
        regelwerk("fmt", "--diff", file, code=1).stdout
    )
    same_keys(documented("fmt"), as_json("fmt", "--diff", file, code=1))
    assert f"{file}: put into house style\n" == regelwerk("fmt", tmp_path).stdout
    assert "" == regelwerk("fmt", "--check", file).stdout
    assert file.read_text("utf-8") == regelwerk("fmt", "-", stdin=file.read_text("utf-8")).stdout


def test_fmt_wrong_rules(tmp_path: Path) -> None:
    """A file that cannot be read as rules is left alone."""
    file = tmp_path / "game.rules"
    file.write_text("game Nothing\n", "utf-8")

    assert "error[R0" in regelwerk("fmt", file, code=65).stderr
    assert "game Nothing\n" == file.read_text("utf-8")
    assert "No such file" in complaint("fmt", tmp_path / "none.rules")


def test_python_examples_in_the_page_about_agents() -> None:
    """The Python code in docs/agents.md runs."""
    page = (HERE.parent / "docs" / "agents.md").read_text("utf-8")
    codes = re.findall(r"```python\n(.*?)```", page, re.S)

    assert 3 == len(codes)
    for code in codes[1:]:
        exec(compile(textwrap.dedent(code), "docs/agents.md", "exec"), {"__name__": "page"})
