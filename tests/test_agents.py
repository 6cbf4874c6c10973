"""Who answers decisions, and what happens when they do not."""

import json
import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regelwerk import dsl
from regelwerk.interpreter import Reference, Stream
from regelwerk.interpreter.agents import (
    Agent,
    AgentError,
    AgentUnknown,
    Position,
    Program,
    PythonObject,
    Random,
    Recipe,
    closing,
    recipe,
)
from regelwerk.interpreter.playing import Playthrough, play

HERE = Path(__file__).parent
ROOT = HERE.parent
COINS = dsl.load(HERE / "games" / "coins.rules").game
CAUTIOUS = f"{sys.executable} {HERE / 'programs' / 'cautious.py'}"


def played(*recipes: Recipe, seed: int = 1) -> Playthrough:
    """One game of coins."""
    engine = Reference(COINS, len(recipes))
    agents: list[Agent] = [one.make(engine, seat) for seat, one in enumerate(recipes)]
    with closing(agents):
        return play(engine, agents, Stream(seed))


def program(tmp_path: Path, code: str, timeout: float = 10) -> Program:
    """An agent that is a Python program with this code."""
    file = tmp_path / "agent.py"
    file.write_text(textwrap.dedent(code), "utf-8")
    return Program(f"{sys.executable} {file}", timeout)


def blame(agent: Recipe) -> str:
    """What is said when this agent, in seat 2, does not do as it should."""
    with pytest.raises(AgentError) as caught:
        played(Random(), agent)

    assert (agent.name, 2, "toss_or_take") == (caught.value.agent, caught.value.seat, caught.value.decision)
    assert str(caught.value).startswith(f"agent `{agent.name}` of seat 2, asked for `toss_or_take`: ")
    return caught.value.what


@pytest.mark.parametrize("name", ["random", "first", "greedy", "careful", "bold"])
def test_named_agents_play(name: str) -> None:
    """Built-in agents and strategies of the rules file play games to their end."""
    agent = recipe(name, ["careful", "bold"])

    assert name == agent.name
    assert played(agent, agent).result is not None


def test_a_strategy_does_what_it_says() -> None:
    """The careful take a point in each of two rounds."""
    careful = recipe("careful", ["careful"])
    result = played(careful, careful).result

    assert result is not None
    assert (2, 2) == result.scores


def test_greedy_takes_points_at_once() -> None:
    """The point for sure is there right after the choice; those of the toss are not yet."""
    result = played(recipe("greedy", []), recipe("greedy", [])).result

    assert result is not None
    assert (2, 2) == result.scores


def test_unknown_agent() -> None:
    """A name that is nearly right gets a question, and all names are listed."""
    with pytest.raises(AgentUnknown, match=r"Did you mean `careful`\? There are: careful, random, first, greedy"):
        recipe("carefull", ["careful"])
    with pytest.raises(AgentUnknown, match="wants a command"):
        recipe("program:", [])
    with pytest.raises(AgentUnknown, match="wants a file and a name"):
        recipe("python:agent", [])


# ---- programs ------------------------------------------------------------------------------------------


def test_the_documented_program_plays() -> None:
    """The program shown in docs/agents.md is the one in the tests, and plays the same game twice."""
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    code = (HERE / "programs" / "cautious.py").read_text("utf-8")

    assert f"```python\n{code}```" in page
    assert played(Program(CAUTIOUS), Random(), seed=5) == played(Program(CAUTIOUS), Random(), seed=5)


def test_what_a_program_is_asked(tmp_path: Path) -> None:
    """A request has the fields that docs/agents.md lists, and only what the seat may see."""
    log = tmp_path / "log"
    agent = program(
        tmp_path,
        f"""
        import sys
        for line in sys.stdin:
            open({str(log)!r}, "a").write(line)
            print('{{"option": 1}}', flush=True)
        """,
    )
    played(Random(), agent)
    requests = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    page = (ROOT / "docs" / "agents.md").read_text("utf-8")
    documented = re.findall(r"^\| `(\w+)` \|", page.split("A request (here")[1].split("## What a seat")[0], re.M)

    assert 2 == len(requests)
    assert documented == list(requests[0])
    assert ("Coins", 2, 2) == (requests[0]["game"], requests[0]["players"], requests[0]["seat"])
    assert ["toss", "take"] == requests[0]["options"]
    assert ["round", "turn"] == requests[0]["phases"]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("hello", "answered 'hello'; wanted a line of JSON"),
        ("", "answered ''; wanted a line of JSON"),
        ('{"move": 1}', 'answered \'{"move": 1}\'; wanted {"option": NUMBER}'),
        ("[1]", "answered '[1]'; wanted {\"option\": NUMBER}"),
        ("[" * 99_999, f"answered '{'[' * 199}…; wanted a line of JSON"),
        ('{"option": 7}', "answered option 7; there are options 0 to 1"),
        ('{"option": -1}', "answered option -1; there are options 0 to 1"),
        ('{"option": true}', "answered True; wanted the number of an option, from 0 to 1"),
        ('{"option": "toss"}', "answered 'toss'; wanted the number of an option, from 0 to 1"),
    ],
)
def test_wrong_answers(tmp_path: Path, line: str, what: str) -> None:
    """A program that answers wrongly is told apart by what it said."""
    assert what == blame(program(tmp_path, f"input()\nprint({line!r}, flush=True)\ninput()"))


def test_no_answer(tmp_path: Path) -> None:
    """A program that ends, says nothing in time, or is not there, is an error and leaves nothing running."""
    assert "the program ended without an answer (exit code 3)" == blame(
        program(tmp_path, "input(); raise SystemExit(3)")
    )
    assert "no answer within 0.2 s" == blame(program(tmp_path, "input(); input(); input()", timeout=0.2))
    assert blame(Program("/no/such/program")).startswith("the program does not start: ")


def test_answers_before_questions(tmp_path: Path) -> None:
    """A program that writes more lines than it is asked for does not get out of step."""
    chatty = """
        import sys, time
        for line in sys.stdin:
            print('{"option": 1}\\n{"option": 0}', flush=True)
            time.sleep(0.05)
        """
    with pytest.raises(AgentError, match="before it was asked"):
        for seed in range(20):
            played(program(tmp_path, chatty), Random(), seed=seed)


def test_a_program_that_does_not_read(tmp_path: Path) -> None:
    """A program that never reads a request too long for the pipe does not block us."""
    engine = Reference(COINS, 2)
    agent = program(tmp_path, "import time; time.sleep(60)", timeout=0.2).make(engine, 0)
    table = engine.table()
    request: Any = table.request()
    with closing([agent]), pytest.raises(AgentError, match="no answer within"):
        agent.choose(table, Loud(request), Stream(1))


class Loud:
    """A decision with options of many words."""

    def __init__(self, decision: Any) -> None:
        self.decision = decision

    def __getattr__(self, name: str) -> Any:
        return getattr(self.decision, name)

    def __len__(self) -> int:
        return len(self.decision)

    def text(self, number: int) -> str:
        return "words " * 100_000


def test_too_many_options() -> None:
    """A decision with more options than can be written out is an error for agents from outside."""

    class Many(Loud):
        def __len__(self) -> int:
            return 2**40

    engine = Reference(COINS, 2)
    table = engine.table()
    with pytest.raises(AgentError, match=r"there are 1,099,511,627,776 options"):
        PythonObject(first).make(engine, 0).choose(table, Many(table.request()), Stream(1))


# ---- Python objects ------------------------------------------------------------------------------------


def first(position: Position) -> int:
    """The first option."""
    return 0


class Counting:
    """Counts what it is asked; an instance for each seat."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, position: Position) -> int:
        self.asked += 1
        return position.draws.below(len(position.options))


def test_python_objects_play() -> None:
    """Functions and classes play."""
    assert played(PythonObject(first), PythonObject(Counting)).result is not None


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda position: "toss", "answered 'toss'; wanted the number of an option, from 0 to 1"),
        (lambda position: 2, "answered option 2; there are options 0 to 1"),
        (lambda position: None, "answered None; wanted the number of an option, from 0 to 1"),
        (lambda position: 1 // 0, "failed with ZeroDivisionError: integer division or modulo by zero"),
        (lambda position: sys.exit(3), "failed with SystemExit: 3"),
        (type("Moody", (), {"__init__": lambda self: [][1]}), "failed with IndexError: list index out of range"),
    ],
)
def test_wrong_python_objects(function: Callable[[Position], object], what: str) -> None:
    """A Python object that answers wrongly or fails is an error."""
    assert what == blame(PythonObject(function))


def test_closing_tells_all() -> None:
    """An object that fails when games are over is an error, and the others are told all the same."""
    told = []

    class Sore:
        def __call__(self, position: Position) -> int:
            return 0

        def close(self) -> None:
            told.append(self)
            raise LookupError("nothing to close")

    with pytest.raises(AgentError, match="failed with LookupError: nothing to close"):
        played(PythonObject(Sore), PythonObject(Sore))
    assert 2 == len(told)


def test_python_objects_by_name(tmp_path: Path) -> None:
    """A file's function is found by name; what is missing is said."""
    file = tmp_path / "mine.py"
    file.write_text("def choose(position):\n    return 0\n\nnumber = 3\n")

    assert played(recipe(f"python:{file}:choose", []), Random()).result is not None
    for wrong, message in (("other", "has nothing called `other`"), ("number", "cannot be called")):
        with pytest.raises(AgentUnknown, match=message):
            recipe(f"python:{file}:{wrong}", [])
    file.write_text("import nothing_like_this")
    with pytest.raises(AgentUnknown, match="does not load: ModuleNotFoundError"):
        recipe(f"python:{file}:choose", [])
    with pytest.raises(AgentUnknown, match="does not load: FileNotFoundError"):
        recipe(f"python:{tmp_path / 'none.py'}:choose", [])
