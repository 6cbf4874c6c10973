"""Who answers decisions: built in, from the rules file, a Python object, or another program over JSON lines.

An agent is named by a short text (`random`, `hold_at_20`, `program:./clever.py`). `recipe` reads it, before
any game, into something that can be sent to another process and made into an agent there. What an outside
agent is told, and what it has to answer, stands in `docs/agents.md`.
"""

import contextlib
import importlib
import importlib.util
import json
import os
import queue
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import attrs

from ..dsl.problems import near
from . import native
from .engine import Answer, Chance, Decision, Draws, Engine, RulesFault, Table

MOST_LISTED = 10_000
"""More options than this are not written out for an outside agent."""

MOST_TRIED = 1_000
"""Of more options than this, `greedy` tries so many, taken at random."""


MOST_ROLLOUTS = 1_000_000
"""The most rollouts, and the most seconds, of one search."""


class AgentError(Exception):
    """An agent answered wrongly, late or not at all."""

    def __init__(self, agent: str, seat: int, decision: str, what: str, game: int | None = None) -> None:
        super().__init__(agent, seat, decision, what, game)
        self.agent = agent
        self.seat = seat
        self.decision = decision
        self.what = what
        self.game = game

    def __str__(self) -> str:
        game = "" if self.game is None else f" in game {self.game}"
        return f"agent `{self.agent}` of seat {self.seat}, asked for `{self.decision}`{game}: {self.what}"


class AgentUnknown(ValueError):
    """No agent has this name; the message says which there are."""


class Agent(Protocol):
    """Answers the decisions of one seat."""

    def choose(self, table: Table, decision: Decision, draws: Draws) -> int:
        """The number of the option taken. Whatever is random in it comes from `draws`."""


@runtime_checkable
class Follower(Protocol):
    """An agent that follows the whole game, and not its own decisions only."""

    def follow(self, table: Table, request: Decision | Chance, answer: int | Answer) -> None:
        """Is shown the table, its request and the answer, before the answer is played."""


class Recipe(Protocol):
    """An agent that is not made yet. It can be pickled, if it is to play in another process."""

    @property
    def name(self) -> str:
        """How it is named on the command line and in records."""

    def make(self, engine: Engine, seat: int) -> Agent:
        """The agent for a seat (from 0)."""


# ---- built in ------------------------------------------------------------------------------------------


@attrs.frozen
class Random:
    """Takes any option, evenly."""

    name: str = "random"

    def make(self, engine: Engine, seat: int) -> Agent:
        """Itself: it remembers nothing."""
        return self

    def choose(self, table: Table, decision: Decision, draws: Draws) -> int:
        """Any option."""
        return draws.below(len(decision))


@attrs.frozen
class First:
    """Takes the first option."""

    name: str = "first"

    def make(self, engine: Engine, seat: int) -> Agent:
        """Itself: it remembers nothing."""
        return self

    def choose(self, table: Table, decision: Decision, draws: Draws) -> int:
        """The first option."""
        return 0


@attrs.frozen
class Greedy:
    """Takes the option right after which its score is highest; of equals, any.

    It looks no further than the next request: what chance or others do then is not weighed. It looks at the
    position itself and not only at what its seat may see.
    """

    name: str = "greedy"

    def make(self, engine: Engine, seat: int) -> Agent:
        """An agent that tries options on the engine."""
        return _Greedy(engine, seat)


@attrs.frozen
class _Greedy:
    engine: Engine
    seat: int

    def choose(self, table: Table, decision: Decision, draws: Draws) -> int:
        count = len(decision)
        if count == 1:
            return 0
        tried: Sequence[int] = range(count)
        if count > MOST_TRIED:
            tried = sorted({draws.below(count) for _ in range(MOST_TRIED)})
        state = table.freeze()
        best: int | None = None
        taken: list[int] = []
        for number in tried:
            try:
                scores = self.engine.result(self.engine.play(state, number)).scores
            except RulesFault:
                continue
            score = scores[self.seat] if scores else 0
            if best is None or score > best:
                best, taken = score, [number]
            elif score == best:
                taken.append(number)
        return taken[draws.below(len(taken))] if taken else 0


@attrs.frozen
class Strategy:
    """Follows a strategy of the rules file."""

    name: str

    def make(self, engine: Engine, seat: int) -> Agent:
        """The engine's policy of this name."""
        return engine.policy(self.name)


@attrs.frozen
class Mcts:
    """Searches from each of its decisions: plays so many games on from there, or as many as the time allows."""

    budget: int | float
    """Rollouts, or seconds where it is no whole number."""
    policy: str = "random"
    """Who plays all seats in these games once they leave the tree: `random`, `first`, or a strategy of the rules."""

    @property
    def name(self) -> str:
        """How it is named on the command line."""
        budget = self.budget if isinstance(self.budget, int) else f"{self.budget:g}s"
        return f"mcts:{budget}" + (f":{self.policy}" if self.policy != "random" else "")

    def make(self, engine: Engine, seat: int) -> Agent:
        """A player who follows the game on machine code, and searches there."""
        from .native.searching import Searcher

        return Searcher(engine, seat, self.budget, self.policy)


# ---- from outside --------------------------------------------------------------------------------------


@attrs.frozen
class Position:
    """What an agent from outside is told when it has to decide."""

    ruleset: str
    """The ruleset's title."""
    players: int
    seat: int
    """Who decides, from 1."""
    decision: str
    """The decision's name in the rules."""
    phases: tuple[str, ...]
    """The phases around the decision, outermost first."""
    options: tuple[str, ...]
    """Every option in words. The answer is a number from 0 that counts these."""
    view: dict[str, Any]
    """What this seat may see."""
    draws: Draws = attrs.field(repr=False)
    """`draws.below(n)` is a number from 0 to n - 1 that depends on the game's seed alone."""


def _position(engine: Engine, name: str, table: Table, decision: Decision, draws: Draws) -> Position:
    count = len(decision)
    if count > MOST_LISTED:
        what = f"there are {count:,} options, and no more than {MOST_LISTED:,} are written out"
        raise AgentError(name, decision.owner + 1, decision.name, what)
    return Position(
        ruleset=engine.game.title,
        players=engine.players,
        seat=decision.owner + 1,
        decision=decision.name,
        phases=decision.phases,
        options=tuple(decision.text(number) for number in range(count)),
        view=engine.view(table.freeze(), decision.owner),
        draws=draws,
    )


def _checked(answer: object, options: int) -> int | str:
    """The answer as an option number, or what is wrong with it."""
    if isinstance(answer, bool) or not isinstance(answer, int):
        return f"answered {_short(answer)}; wanted the number of an option, from 0 to {options - 1}"
    if not 0 <= answer < options:
        return f"answered option {answer}; there are options 0 to {options - 1}"
    return answer


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


@attrs.frozen
class PythonObject:
    """A Python callable that takes a `Position` and returns an option's number.

    A class is called once a game batch to give such a callable. To play in several processes it must be
    picklable, as functions and classes at the top of a module are.
    """

    target: Callable[..., Any]
    name: str = attrs.field()

    @name.default
    def _name(self) -> str:
        return getattr(self.target, "__name__", type(self.target).__name__)

    def make(self, engine: Engine, seat: int) -> Agent:
        """The callable, or the class that gives one, behind the agent's contract."""
        return _Asked(engine, self.name, seat, self.target)


@attrs.frozen
class PythonName:
    """A Python callable by name: `module:object`, or `file.py:object`."""

    where: str
    attribute: str

    @property
    def name(self) -> str:
        """How it was named on the command line."""
        return f"python:{self.where}:{self.attribute}"

    def make(self, engine: Engine, seat: int) -> Agent:
        """The named object, loaded."""
        return PythonObject(self.load(), self.name).make(engine, seat)

    def load(self) -> Callable[..., Any]:
        """The object of that name.

        Raises:
            AgentUnknown: the file or module, or the object in it, is not there or does not load.
        """
        try:
            target = getattr(self._module(), self.attribute)
        except AttributeError:
            raise AgentUnknown(f"`{self.where}` has nothing called `{self.attribute}`") from None
        except (Exception, SystemExit) as error:
            raise AgentUnknown(f"`{self.where}` does not load: {type(error).__name__}: {error}") from error
        if not callable(target):
            raise AgentUnknown(f"`{self.attribute}` in `{self.where}` cannot be called")
        return target  # type: ignore[no-any-return]

    def _module(self) -> object:
        if not self.where.endswith(".py"):
            return importlib.import_module(self.where)
        spec = importlib.util.spec_from_file_location(f"_agent_{Path(self.where).stem}", self.where)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module


@attrs.define
class _Asked:
    """A callable of a `Position` as an agent; a class is called for one when it is first asked."""

    engine: Engine
    name: str
    seat: int
    target: Callable[..., Any]
    asked: Callable[[Position], object] | None = None

    def choose(self, table: Table, decision: Decision, draws: Draws) -> int:
        position = _position(self.engine, self.name, table, decision, draws)
        try:
            if self.asked is None:
                self.asked = self.target() if isinstance(self.target, type) else self.target
            answer = self.asked(position)
        except (Exception, SystemExit) as error:
            raise self._failed(position.decision, error) from error
        checked = _checked(answer, len(position.options))
        if isinstance(checked, str):
            raise AgentError(self.name, position.seat, position.decision, checked)
        return checked

    def close(self) -> None:
        """Tell the object that no more games come, if it wants to know."""
        close = getattr(self.asked, "close", None)
        if callable(close):
            try:
                close()
            except (Exception, SystemExit) as error:
                raise self._failed("close", error) from error

    def _failed(self, asked_for: str, error: BaseException) -> AgentError:
        return AgentError(self.name, self.seat + 1, asked_for, f"failed with {type(error).__name__}: {error}")


@attrs.frozen
class Program:
    """Another program, asked with one line of JSON and answering with one."""

    command: str
    timeout: float = 10.0
    """How long an answer may take, in seconds."""

    @property
    def name(self) -> str:
        """How it was named on the command line."""
        return f"program:{self.command}"

    def make(self, engine: Engine, seat: int) -> Agent:
        """The program, started when it is first asked."""
        return _Program(engine, self, seat)


@attrs.define
class _Program:
    engine: Engine
    recipe: Program
    seat: int
    running: "_Running | None" = None

    def choose(self, table: Table, decision: Decision, draws: Draws) -> int:
        position = _position(self.engine, self.recipe.name, table, decision, draws)
        line = self._answer(position, draws.below(2**32))
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise self._error(position, f"answered {_short(line)}; wanted a line of JSON") from None
        if not isinstance(answer, dict) or "option" not in answer:
            raise self._error(position, f'answered {_short(line)}; wanted {{"option": NUMBER}}')
        checked = _checked(answer["option"], len(position.options))
        if isinstance(checked, str):
            raise self._error(position, checked)
        return checked

    def close(self) -> None:
        """End the program: its input ends, and if it does not stop by itself it is stopped."""
        if self.running is not None:
            self.running.close()
            self.running = None

    def _answer(self, position: Position, number: int) -> str:
        request = {
            "game": position.ruleset,
            "players": position.players,
            "seat": position.seat,
            "decision": position.decision,
            "phases": position.phases,
            "options": position.options,
            "view": position.view,
            "random": number,
        }
        try:
            if self.running is None:
                self.running = _Running.start(self.recipe.command)
            return self.running.ask(json.dumps(request, ensure_ascii=False), self.recipe.timeout)
        except _NoAnswer as silence:
            raise self._error(position, str(silence)) from None

    def _error(self, position: Position, what: str) -> AgentError:
        self.close()
        return AgentError(self.recipe.name, position.seat, position.decision, what)


class _NoAnswer(Exception):
    """The program did not give a line."""


@attrs.define
class _Running:
    """A started program. Threads write to it and read it, since pipes do not know timeouts everywhere."""

    process: "subprocess.Popen[str]"
    requests: "queue.SimpleQueue[str | None]" = attrs.field(factory=queue.SimpleQueue)
    answers: "queue.SimpleQueue[str | None]" = attrs.field(factory=queue.SimpleQueue)

    @classmethod
    def start(cls, command: str) -> "_Running":
        try:
            process = subprocess.Popen(
                shlex.split(command, posix=os.name == "posix"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # Ctrl-C is for us; the program then sees its input end
            )
        except (OSError, ValueError) as error:
            raise _NoAnswer(f"the program does not start: {error}") from None
        running = cls(process)
        threading.Thread(target=running._write, daemon=True).start()
        threading.Thread(target=running._read, daemon=True).start()
        return running

    def ask(self, line: str, timeout: float) -> str:
        if not self.answers.empty():
            early = self.answers.get()
            raise _NoAnswer(self._ended() if early is None else f"wrote {_short(early.rstrip())} before it was asked")
        self.requests.put(line)
        try:
            answer = self.answers.get(timeout=timeout)
        except queue.Empty:
            raise _NoAnswer(f"no answer within {timeout:g} s") from None
        if answer is None:
            raise _NoAnswer(self._ended())
        return answer.rstrip("\r\n")

    def close(self) -> None:
        self.requests.put(None)
        try:
            self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _ended(self) -> str:
        try:
            code = self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return "the program closed its output without an answer"
        return f"the program ended without an answer (exit code {code})"

    def _write(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError), self.process.stdin as stream:
            while (line := self.requests.get()) is not None:
                stream.write(line + "\n")
                stream.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                self.answers.put(line)
        self.answers.put(None)


# ---- names ---------------------------------------------------------------------------------------------


BUILT_IN: dict[str, Recipe] = {"random": Random(), "first": First(), "greedy": Greedy()}


def recipe(name: str, strategies: Sequence[str], timeout: float = 10.0) -> Recipe:
    """The agent that a name stands for, among the built-in ones, a ruleset's strategies, and outside ones.

    A strategy of the rules file comes before a built-in agent of the same name.

    Raises:
        AgentUnknown: nothing is called like that.
    """
    kind, colon, rest = name.partition(":")
    if name in strategies:
        return Strategy(name)
    if name in BUILT_IN:
        return BUILT_IN[name]
    if kind == "mcts":
        return _mcts(rest, strategies)
    if colon and kind == "program":
        if not rest.strip():
            raise AgentUnknown("`program:` wants a command, as in `program:./agent.py`")
        return Program(rest, timeout)
    if colon and kind == "python":
        where, colon, attribute = rest.rpartition(":")
        if not where or not attribute:
            raise AgentUnknown("`python:` wants a file and a name, as in `python:agent.py:choose`")
        named = PythonName(where, attribute)
        named.load()
        return named
    raise AgentUnknown(_unknown(name, strategies))


def _mcts(words: str, strategies: Sequence[str]) -> Mcts:
    """The search that is meant by what stands behind `mcts:`."""
    budget, colon, policy = words.partition(":")
    number = budget.removesuffix("s")
    found: int | float | None = None
    with contextlib.suppress(ValueError):
        found = int(number) if number == budget else float(number)
    if found is None or not 0 < found <= MOST_ROLLOUTS:
        raise AgentUnknown("`mcts:` wants how many rollouts, as in `mcts:1000`, or how long, as in `mcts:0.5s`")
    playing = [*strategies, "random", "first"]
    if colon and policy not in playing:
        raise AgentUnknown(f"`{policy}` cannot play the rollouts of `mcts`; these can: {', '.join(playing)}")
    if not native.is_there():
        raise AgentUnknown("`mcts` searches on machine code, and wasmtime is not installed")
    return Mcts(found, policy or "random")


def _unknown(name: str, strategies: Sequence[str]) -> str:
    known = [*strategies, *BUILT_IN]
    question = near(name, known)
    hint = f" {question}" if question else ""
    listed = ", ".join([*known, "mcts:ROLLOUTS", "mcts:SECONDSs", "program:COMMAND", "python:FILE:NAME"])
    return f"No agent is called `{name}`.{hint} There are: {listed}."


@contextlib.contextmanager
def closing(agents: Sequence[Agent]) -> Iterator[None]:
    """A stretch of play; afterwards all agents that hold something are told to let it go."""
    with contextlib.ExitStack() as stack:  # closes all of them, also where one fails
        for agent in agents:
            close = getattr(agent, "close", None)
            if callable(close):
                stack.callback(close)
        yield
