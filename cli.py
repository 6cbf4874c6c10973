"""The program `regelwerk`: the only code that knows the terminal, touches files and picks an exit code.

Exit codes: 0 well; 1 a claim, an example or a game failed, or a file is not as it should be; 2 wrong use;
65 wrong rules; 130 interrupted. What each command prints with `--json` stands in `docs/cli.md`.

Only what every command needs is imported at the top: `--help` and `check` are to be quick.
"""

import contextlib
import errno
import gc
import io
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Drawing
    from rich.tree import Tree

    from .dsl import Problem, Ruleset
    from .interpreter.agents import Agent
    from .interpreter.board import Board
    from .interpreter.engine import Answer, Chance, Decision, Draws, Engine, Table
    from .interpreter.figures import Interval, Tally
    from .interpreter.native.lowering import Lowering
    from .interpreter.outline import Entry
    from .interpreter.playing import Match, Playthrough
    from .interpreter.records import Ending, Step
    from .interpreter.simulate import EngineName, Figures
    from .interpreter.state import State
    from .verify.looking import Looking, Subject
    from .verify.report import Line
    from .verify.solving import Solved
    from .verify.verdicts import Finding, Report

Command = TypeVar("Command", bound=Callable[..., Any])

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
FAILED, WRONG_RULES, INTERRUPTED = 1, 65, 130


# ---- what goes wrong -----------------------------------------------------------------------------------


class Failed(click.ClickException):
    """A game or a claim failed."""

    exit_code = FAILED


class WrongRules(click.ClickException):
    """Rules that cannot be played, for the problems they have."""

    exit_code = WRONG_RULES

    def __init__(self, problems: "Sequence[Problem]", as_json: bool) -> None:
        super().__init__(f"{len(problems)} problem{'s' * (len(problems) != 1)} in the rules")
        self.problems = problems
        self.as_json = as_json

    def show(self, file: Any = None) -> None:
        """The problems, drawn for people, or as JSON where JSON is wanted."""
        if self.as_json:
            print_json({"problems": [problem_json(problem) for problem in self.problems]})
        else:
            for problem in self.problems:
                click.echo(drawn(problem, sys.stderr) + "\n", err=True)


class Program(click.Group):
    """The group of commands, which lets nothing through as a traceback."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and exit."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a terminal that cannot show `±` shows `?`
        try:
            return super().main(*args, **extra)
        except Exception as error:
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                click.echo(f"Error: the output cannot be written: {error.strerror}.", err=True)
                sys.exit(click.UsageError.exit_code)
            if os.environ.get("REGELWERK_DEBUG"):
                raise
            click.echo(
                f"Error: this is a mistake in Regelwerk, not yours: {type(error).__name__}: {error}. Please "
                "report it with the command and the rules file; REGELWERK_DEBUG=1 shows where it happened.",
                err=True,
            )
            sys.exit(FAILED)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Ctrl-C ends it with one word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(INTERRUPTED)


@click.group(cls=Program, context_settings=SETTINGS)
@click.version_option(package_name="regelwerk", message="%(prog)s %(version)s")
def program() -> None:
    """Tabletop game rules as text: check them, play them, count ten thousand games of them.

    A RULESET is a file (my_game.rules), a folder of them, or a name from the library (see `regelwerk list`).
    """


def main() -> None:
    """The program."""
    gc.set_threshold(300_000)  # rules that are being read are no garbage, and need not be looked through for it
    try:
        program(prog_name="regelwerk")
    finally:
        gc.freeze()  # nor is what is there when the process ends


# ---- rulesets: everything asked of the dsl -------------------------------------------------------------

SUFFIX = ".rules"


def named(name: str) -> list[str]:
    """The rulesets that a name or path on the command line means, each as something to load."""
    from .dsl import library

    playable = [entry.name for entry in library() if entry.kind != "pieces"]
    path = Path(name)
    if path.is_file() or path.suffix == SUFFIX:
        if not path.exists():
            raise click.UsageError(f"There is no file `{name}`.")
        return [name]
    if name in playable or Path(name + SUFFIX).is_file():
        return [name]
    if path.is_dir():
        found = rules_files(path)
        if not found:
            raise click.UsageError(f"There is no ruleset ({SUFFIX}) in the folder `{name}`.")
        return found
    inside = [one for one in playable if one.startswith(name.rstrip("/") + "/")]
    if inside:
        return inside
    from .dsl.problems import near

    folders = {one.rpartition("/")[0] for one in playable} - {""}
    short = [one for one in playable if one.endswith(f"/{name}")]
    question = f"Did you mean `{short[0]}`?" if short else near(name, [*playable, *folders])
    hint = question or "`regelwerk list` shows the library."
    raise click.UsageError(f"There is no file, folder or library ruleset `{name}`. {hint}")


def rules_files(folder: Path) -> list[str]:
    """The rules files in a folder and below that can be played; pieces are left out."""
    paths = sorted(path for path in folder.rglob(f"*{SUFFIX}") if path.is_file())
    return [path.as_posix() for path in paths if not is_pieces(path)]


def is_pieces(path: Path) -> bool:
    """Whether a file says of itself that it holds only pieces."""
    with contextlib.suppress(OSError):
        text = path.read_text("utf-8", "replace")
        header = re.search(r'^(game|variant|pieces)\s+"', text, re.MULTILINE)
        return header is not None and header[1] == "pieces"
    return False


def only(name: str) -> str:
    """The one ruleset that is meant."""
    found = named(name)
    if len(found) > 1:
        raise click.UsageError(f"`{name}` holds {len(found)} rulesets; name one of them: {', '.join(found)}.")
    return found[0]


def loaded(name: str, as_json: bool, examples: bool = True) -> "Ruleset":
    """A checked ruleset."""
    from .dsl import RulesetError, load

    try:
        return load(name, examples)
    except RulesetError as error:
        raise WrongRules(error.problems, as_json) from None


def excerpt(ruleset: "Ruleset", file: str, line: int) -> str:
    """The line of a rules file that a fault names."""
    for source in ruleset.sources:
        if source.name == file and 1 <= line <= source.text.count("\n") + 1:
            return f"{line:7} | {source.line(line)}"
    return ""


def drawn(problem: "Problem", stream: Any) -> str:
    """A problem as a person sees it."""
    from .dsl.render import draw

    return draw(problem, colour=colour_wanted(stream)).rstrip("\n")


def problem_json(problem: "Problem") -> dict[str, Any]:
    """A problem as plain data."""
    from .dsl.render import as_json

    return as_json(problem)


# ---- output --------------------------------------------------------------------------------------------


def colour_wanted(stream: Any) -> bool:
    """Whether a stream shows colours, and they are not declined."""
    return bool(stream.isatty()) and not os.environ.get("NO_COLOR")


def console() -> "Console":
    """Where tables are drawn. Outside a terminal lines are as long as they need to be."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)


def table(*columns: str, title: str | None = None) -> "Drawing":
    """An empty table; columns that begin with `>` are aligned to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    drawing = Table(box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False)
    for column in columns:
        drawing.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left")
    return drawing


def print_json(data: Any) -> None:
    """Plain data on standard output."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text("utf-8")
    except OSError as error:
        raise click.UsageError(f"`{path}` cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise click.UsageError(f"`{path}` cannot be read: it is not UTF-8 text.") from None


def write_text(path: Path, text: str) -> None:
    """A file with this text."""
    try:
        path.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise click.UsageError(f"`{path}` cannot be written: {error.strerror}.") from None


def writable(ctx: click.Context, parameter: click.Parameter, path: str | None) -> Path | None:
    """A path that can be written to, found out before a long game and not after it."""
    if path is None:
        return None
    file = Path(path)
    try:
        new = not file.exists()
        with file.open("a"):
            pass
        if new:
            file.unlink()
    except OSError as error:
        raise click.BadParameter(f"`{path}` cannot be written: {error.strerror}.") from None
    return file


# ---- options that many commands have -------------------------------------------------------------------


def settings(ctx: click.Context, parameter: click.Parameter, values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`NAME=VALUE` taken apart."""
    pairs = [value.partition("=") for value in values]
    for value, (name, equals, _) in zip(values, pairs, strict=True):
        if not name.strip() or not equals:
            raise click.BadParameter(f"`{value}` is not of the form NAME=VALUE.")
    return tuple((name.strip(), text.strip()) for name, _, text in pairs)


engine_option = click.option(
    "--engine",
    type=click.Choice(["native", "reference"]),
    default="native",
    show_default=True,
    help="Machine code, or the engine that is right where the two differ.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")
players_option = click.option("--players", "-p", type=click.IntRange(1), metavar="N", help="How many play.")
set_option = click.option(
    "--set",
    "-s",
    "chosen",
    multiple=True,
    metavar="NAME=VALUE",
    callback=settings,
    help="Set an option of the rules.",
)
seed_option = click.option("--seed", type=int, default=1, show_default=True, help="Where chance comes from.")
agent_option = click.option(
    "--agent",
    "-a",
    "agents",
    multiple=True,
    metavar="AGENT",
    help="Who plays: random, first, greedy, a strategy of the rules, mcts:ROLLOUTS, program:COMMAND or "
    "python:FILE:NAME. "
    "Once for all seats, or once for each.",
)


def finite(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """A number that is one, and not beyond all measure."""
    if not value <= 1_000_000:
        raise click.BadParameter(f"{value} is not a number up to 1000000.", context, parameter)
    return value


timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    callback=finite,
    default=10.0,
    show_default=True,
    help="Seconds that a program has for an answer.",
)
decisions_option = click.option(
    "--max-decisions",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Decisions after which a game counts as endless.",
)
steps_option = click.option(
    "--max-steps",
    type=click.IntRange(1),
    default=100_000,
    show_default=True,
    help="Steps without a decision or chance after which a game counts as endless.",
)


def playing_options(command: Command) -> Command:
    """The options of every command that plays games."""
    for option in (
        steps_option,
        decisions_option,
        timeout_option,
        agent_option,
        seed_option,
        set_option,
        players_option,
    ):
        command = option(command)
    return command


def make_match(
    ruleset: "Ruleset",
    players: int | None,
    chosen: Sequence[tuple[str, str]],
    seed: int,
    agents: Sequence[str],
    timeout: float,
    max_decisions: int,
    max_steps: int,
) -> "Match":
    """Who plays what, as the command line says."""
    from .interpreter import outline as words
    from .interpreter.agents import recipe
    from .interpreter.options import read_options
    from .interpreter.playing import Limits, Match

    game = ruleset.game
    least, most = game.players
    players = least if players is None else players
    if not least <= players <= most:
        raise click.UsageError(f"{ruleset.name} is for {words.players(game)}, not for {players}.")
    names = list(agents) or ["random"]
    if len(names) not in (1, players):
        raise click.UsageError(
            f"--agent is given {len(names)} times for {players} players; give it once, or {players} times."
        )
    names = names * players if len(names) == 1 else names
    try:
        options = read_options(game, chosen)
        strategies = [strategy.name for strategy in game.strategies]
        recipes = {name: recipe(name, strategies, timeout) for name in names}
        match = Match(
            game=game,
            ruleset=ruleset.name,
            fingerprint=ruleset.fingerprint,
            players=players,
            options=options,
            agents=tuple(recipes[name] for name in names),
            seed=seed,
            limits=Limits(max_decisions, max_steps),
        )
        match.layout()  # complains about values that only this number of players rules out
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return match


def headline(match: "Match") -> str:
    """Who plays what, on one line."""
    from .interpreter.options import value_text

    known = {option.name: option for option in match.game.options}
    players = f"{match.players} player{'s' * (match.players != 1)}"
    set_ones = [f"{name} = {value_text(known[name], value)}" for name, value in match.options.items()]
    return ", ".join([f"{match.game.title} ({match.ruleset})", players, *set_ones, f"seed {match.seed}"])


# ---- list, check, explain ------------------------------------------------------------------------------


@program.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Show the rulesets of the library."""
    from .dsl import library

    entries = library()
    if as_json:
        print_json([{"name": entry.name, "kind": entry.kind, "title": entry.title} for entry in entries])
        return
    drawing = table("name", "kind", "title")
    for entry in entries:
        drawing.add_row(entry.name, entry.kind, entry.title)
    console().print(drawing)


@attrs.frozen
class Checked:
    """What came of checking one ruleset."""

    name: str
    ruleset: "Ruleset | None"
    problems: "tuple[Problem, ...]" = ()
    examples: tuple[dict[str, Any], ...] = ()
    claims: tuple[dict[str, Any], ...] = ()

    @property
    def code(self) -> int:
        """The exit code for this one."""
        if self.problems:
            return WRONG_RULES
        failed = [one for one in self.examples if not one["ok"]]
        failed += [one for one in self.claims if one["verdict"] == "fails"]
        return FAILED if failed else 0

    def json(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "ruleset": self.name,
            "title": self.ruleset.game.title if self.ruleset else None,
            "ok": self.code == 0,
            "problems": [problem_json(problem) for problem in self.problems],
            "examples": list(self.examples),
            "claims": list(self.claims),
        }

    def show(self) -> None:
        """All of it for a person."""
        if self.problems:
            click.echo(f"{self.name}: {len(self.problems)} problem{'s' * (len(self.problems) != 1)}\n")
            for problem in self.problems:
                click.echo(drawn(problem, sys.stdout) + "\n")
            return
        failed = [example for example in self.examples if not example["ok"]]
        count = len(self.examples)
        examples = f", {count} example{'s' * (count != 1)}" if count else ""
        click.echo(f"{self.name}: {f'{len(failed)} of {count} examples failed' if failed else f'ok{examples}'}")
        for example in failed:
            click.echo(f'  {example["file"]}:{example["line"]}: example "{example["name"]}": {example["message"]}')
        for claim in self.claims:
            click.echo(f"  {claim_text(claim)}")


@program.command()
@click.argument("rulesets", nargs=-1, required=True, metavar="RULESET...")
@click.option("--claims", is_flag=True, help="Play games to see whether the rules' claims hold.")
@click.option("--games", type=click.IntRange(2), default=10_000, show_default=True, help="Games for each claim.")
@players_option
@set_option
@seed_option
@click.option("--jobs", "-j", type=click.IntRange(1), help="Processes to use.  [default: as it pays]")
@json_option
def check(
    rulesets: tuple[str, ...],
    claims: bool,
    games: int,
    players: int | None,
    chosen: tuple[tuple[str, str], ...],
    seed: int,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Look for everything wrong in rules files, and run their examples."""
    results = []
    for name in dict.fromkeys(one for given in rulesets for one in named(given)):
        result = checked(name)
        if claims and result.ruleset:
            evaluated = tuple(evaluate_claims(result.ruleset, games, players, chosen, seed, jobs))
            result = attrs.evolve(result, claims=evaluated)
        results.append(result)
        if not as_json:
            result.show()
    code = max(result.code for result in results)
    if as_json:
        print_json({"ok": code == 0, "rulesets": [result.json() for result in results]})
    click.get_current_context().exit(code)


def checked(name: str) -> Checked:
    """A ruleset with its problems, or with its examples run."""
    from .dsl import RulesetError, load

    try:
        ruleset = load(name)
    except RulesetError as error:
        return Checked(name, None, tuple(error.problems))
    return Checked(name, ruleset, examples=tuple(examples_json(ruleset)))


def examples_json(ruleset: "Ruleset") -> Iterator[dict[str, Any]]:
    """What each example of a ruleset showed."""
    if not ruleset.game.examples:
        return
    from .interpreter.examples import run_examples

    for example, failure in run_examples(ruleset.game, ruleset.game.examples):
        span = failure.span if failure else example.span
        yield {
            "name": example.name,
            "ok": failure is None,
            "message": failure.message if failure else None,
            "file": span.source.name,
            "line": span.line,
        }


def evaluate_claims(
    ruleset: "Ruleset",
    games: int,
    players: int | None,
    chosen: Sequence[tuple[str, str]],
    seed: int,
    jobs: int | None,
) -> Iterator[dict[str, Any]]:
    """What many games say about each claim about such. Claims with the same strategy share the games."""
    from .dsl.rules import BEST
    from .interpreter.simulate import figure, simulate

    batches: dict[tuple[str, int], Figures] = {}
    for claim in ruleset.game.claims:
        if claim.strategy == BEST:
            continue
        agent = claim.strategy or "random"
        fewest = max(ruleset.game.players[0], claim.of if isinstance(claim.of, int) else 0)
        match = make_match(ruleset, players or fewest, chosen, seed, [agent], 10.0, 10_000, 100_000)
        key = (agent, match.players)
        if key not in batches:
            with progress_bar(games, f"{ruleset.name}, {agent}") as advance:
                batches[key] = simulate(match, games, jobs, advance)
            if batches[key].interrupted:
                raise KeyboardInterrupt
        figures = batches[key]
        interval = figure(figures, claim)
        low, high = float(claim.low), float(claim.high)
        yield {
            "name": claim.name,
            "verdict": interval.verdict(low, high) if interval else "undecided",
            "figure": claim.figure,
            "of": claim.of,
            "claimed": [low, high],
            "estimate": interval.estimate if interval else None,
            "low": interval.low if interval else None,
            "high": interval.high if interval else None,
            "strategy": claim.strategy,
            "players": match.players,
            "games": figures.finished,
            "faults": figures.games - figures.finished,
            "line": claim.span.line,
        }


def claim_text(claim: dict[str, Any]) -> str:
    """What many games say about a claim, on one line."""
    low, high = claim["claimed"]
    found = "nothing to go by"
    if claim["estimate"] is not None:
        found = f"{claim['estimate']:.4f}, 95 % interval {claim['low']:.4f} to {claim['high']:.4f}"
    text = f'claim "{claim["name"]}" {claim["verdict"]}: {found}, claimed {low:g} to {high:g}'
    text += f" ({claim['games']:,} games, {claim['players']} players)"
    return text + ("; more --games would narrow it" if claim["verdict"] == "undecided" else "")


@program.command()
@click.argument("what", metavar="CODE|RULESET")
@click.option("--graph", is_flag=True, help="Show the flow that machine code is made of.")
@players_option
@set_option
@json_option
def explain(what: str, graph: bool, players: int | None, chosen: Sequence[tuple[str, str]], as_json: bool) -> None:
    """Explain a problem by its number (R203), or a ruleset: its phases and decisions in words."""
    if graph:
        from .interpreter.native.export import graph as graph_of

        click.echo(graph_of(lowered(what, players, chosen)))
        return
    if re.fullmatch(r"[Rr]\d+", what) and not Path(what).exists():
        from .dsl import page
        from .dsl.problems import KINDS

        text = page(what)
        if text is None:
            raise click.UsageError(f"There is no problem {what.upper()}. There are: {', '.join(sorted(KINDS))}.")
        if as_json:
            print_json({"code": what.upper(), "page": text})
        elif sys.stdout.isatty():
            from rich.markdown import Markdown

            console().print(Markdown(text))
        else:
            click.echo(text.rstrip("\n"))
        return
    names = named(what)
    outlines = [outline(loaded(name, as_json)) for name in names]
    if as_json:
        print_json(outlines[0] if len(outlines) == 1 else outlines)
    else:
        for each in outlines:
            show_outline(each)


def lowered(
    ruleset: str, players: int | None, chosen: Sequence[tuple[str, str]], interrupted: bool = False
) -> "Lowering":
    """The flow of a ruleset with random players."""
    from .interpreter.native.games import lower
    from .interpreter.native.lowering import Limits

    match = make_match(loaded(only(ruleset), False), players, chosen, 1, [], 10.0, 10_000, 100_000)
    return lower(match.layout(), ["random"] * match.players, Limits(), interrupted=interrupted)


@program.command()
@click.argument("ruleset")
@click.option(
    "--wasm", required=True, type=click.Path(dir_okay=False), metavar="FILE", help="Where to write the module."
)
@click.option("--steps", is_flag=True, help="Let the host answer what is asked; whole games are then slower.")
@players_option
@set_option
def export(ruleset: str, wasm: str, steps: bool, players: int | None, chosen: Sequence[tuple[str, str]]) -> None:
    """Write a ruleset as a module of WebAssembly, with a JSON file beside it that says what stands where."""
    from .interpreter.native.emit import assemble
    from .interpreter.native.export import described

    low = lowered(ruleset, players, chosen, steps)
    module = assemble(low.flow, low.memory)
    path = Path(wasm)
    try:
        path.write_bytes(module)
        path.with_suffix(".json").write_text(json.dumps(described(low), indent=1) + "\n", "utf-8")
    except OSError as error:
        raise Failed(f"{wasm} cannot be written: {error.strerror}") from None
    click.echo(f"{path} ({len(module):,} bytes) and {path.with_suffix('.json')} are written.")


def outline(ruleset: "Ruleset") -> dict[str, Any]:
    """A ruleset in words, as plain data."""
    from .interpreter import outline as words

    game = ruleset.game
    return {
        "ruleset": ruleset.name,
        "title": game.title,
        "players": list(game.players),
        "options": [
            {"name": o.name, "text": o.text, "values": words.values(o.domain), "default": words.default(o)}
            for o in game.options
        ],
        "components": [
            {
                "name": kind.name,
                "sheet": kind.sheet,
                "fields": [{"name": f.name, "values": words.values(f.domain)} for f in kind.fields],
                "face": kind.faces.name if kind.faces else None,
                "faces": words.faces(kind),
                "changing": [{"name": f.name, "values": words.values(f.domain)} for f in kind.changing],
                "copies": words.copies(kind),
            }
            for kind in game.kinds
        ],
        "zones": [
            {
                "name": zone.name,
                "holds": list(zone.kinds),
                "owner": "each player" if zone.owned else "the table",
                "parts": [words.values(domain) for domain in zone.shape],
                "seen_by": words.seen_by(zone.visibility),
                "stacked": zone.stacked,
            }
            for zone in game.zones
            if not zone.sheet and zone.name != "box"
        ],
        "variables": [
            {
                "name": variable.name,
                "values": words.values(variable.domain),
                "owner": "each player" if variable.owned else "the table",
                "parts": [words.values(domain) for domain in variable.shape],
                "seen_by": words.seen_by(variable.visibility),
            }
            for variable in game.variables
        ],
        "phases": [entry_json(entry) for entry in words.phase_tree(game)],
        "score": words.quoted(game.score.value.span) if game.score else None,
        "winner": words.winner(game),
        "strategies": [strategy.name for strategy in game.strategies],
        "measures": [measure.name for measure in game.measures],
        "invariants": words.invariants(game),
        "possible": [one.name for one in game.possibles],
        "endings": [words.quoted(one.span) for one in game.endings],
        "secrets": [secret.name for secret in game.secrets],
        "focuses": [focus.name for focus in game.focuses],
        "unchecked": [{"name": one.name, "reason": one.reason} for one in game.unchecked],
        "claims": [claim.name for claim in game.claims],
    }


def entry_json(entry: "Entry") -> dict[str, Any]:
    """A node of the phase tree as plain data."""
    return {
        "kind": entry.kind,
        "name": entry.name,
        "words": entry.words,
        "line": entry.line,
        "options": [{"name": name, "text": text} for name, text in entry.options],
        "inside": [entry_json(one) for one in entry.inside],
    }


def show_outline(data: dict[str, Any]) -> None:
    """A ruleset in words."""
    from rich.markup import escape
    from rich.tree import Tree

    screen = console()
    low, high = data["players"]
    players = f"{low} to {high} players" if low != high else f"{low} player{'s' * (low != 1)}"
    screen.print(f"[bold]{escape(data['title'])}[/] ({escape(data['ruleset'])}), {players}\n")
    for title, sheet in (("Components", False), ("Sheets", True)):
        kinds = [kind for kind in data["components"] if kind["sheet"] == sheet]
        if kinds:
            faces = () if sheet else ("a throw shows",)
            drawing = table("name", "printed", *faces, "changing", "copies", title=title)
            for kind in kinds:
                thrown = f"{kind['face']}: {kind['faces']}" if kind["face"] else ""
                shown = () if sheet else (escape(thrown),)
                printed, changing = ("\n".join(fields_text(kind[key])) for key in ("fields", "changing"))
                drawing.add_row(kind["name"], escape(printed), *shown, escape(changing), escape(kind["copies"]))
            screen.print(drawing)
    for title, key, columns in (
        ("Options, with --set NAME=VALUE", "options", ("name", "values", "default", "text")),
        ("Zones", "zones", ("name", "holds", "owner", "parts", "seen_by", "stacked")),
        ("Variables", "variables", ("name", "values", "owner", "parts", "seen_by")),
    ):
        if data[key]:
            drawing = table(*(column.replace("_", " ") for column in columns), title=title)
            for row in data[key]:
                drawing.add_row(*(escape(cell_text(row[column])) for column in columns))
            screen.print(drawing)
    tree = Tree("Play")
    for entry in data["phases"]:
        grow(tree, entry)
    screen.print(tree)
    screen.print()
    for key in ("score", "winner"):
        if data[key]:
            screen.print(f"{key}: {escape(data[key])}")
    for key in ("strategies", "measures", "invariants", "possible", "endings", "secrets", "focuses", "claims"):
        if data[key]:
            screen.print(f"{key}: {escape(', '.join(data[key]))}")
    for one in data["unchecked"]:
        screen.print(f"unchecked: {escape(one['name'])}, because {escape(one['reason'])}")


def fields_text(fields: list[dict[str, Any]]) -> list[str]:
    """Fields with the values they may have."""
    return [f"{field['name']}: {field['values']}" for field in fields]


def cell_text(value: Any) -> str:
    """A value in a table."""
    if isinstance(value, bool):
        return "yes" if value else ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def grow(tree: "Tree", entry: dict[str, Any]) -> None:
    """Hang a node of the phase tree and all below it into a drawing."""
    from rich.markup import escape

    name = f"[bold]{escape(entry['name'])}[/]"
    words = escape(entry["words"])
    match entry["kind"]:
        case "phase":
            text = f"phase {name}: {words}"
        case "action":
            text = f"action {name}"
        case "decision":
            text = f"decision {name}: {words}"
        case _:
            text = f"chance: {words}"
    branch = tree.add(f"{text} [dim](line {entry['line']})[/]")
    for option in entry["options"]:
        branch.add(f"· {escape(option['name'])}" + (f": {escape(option['text'])}" if option["text"] else ""))
    for one in entry["inside"]:
        grow(branch, one)


# ---- run and replay ------------------------------------------------------------------------------------


@program.command()
@click.argument("ruleset")
@playing_options
@click.option("--game", type=click.IntRange(0), default=0, show_default=True, help="Which game of the seed.")
@click.option("--record", callback=writable, metavar="FILE", help="Write the game down, for `regelwerk replay`.")
@json_option
def run(ruleset: str, game: int, record: Path | None, as_json: bool, **who: Any) -> None:
    """Play one game and show every step."""
    from .interpreter.agents import AgentError, closing
    from .interpreter.playing import play
    from .interpreter.records import Ending, record_text, write_record
    from .interpreter.stream import Stream

    rules = loaded(only(ruleset), as_json, examples=False)
    match = make_match(rules, **who)
    engine = match.engine()
    agents = match.seated(engine)
    log = Log(silent=as_json)
    log.say(headline(match))
    log.say("".join(f"  seat {seat}: {recipe.name}" for seat, recipe in enumerate(match.agents, start=1)))
    try:
        with closing(agents):
            played = play(engine, agents, Stream(match.seed, game), match.limits.decisions, log.watch)
    except AgentError as error:
        if record:
            write_text(record, record_text(write_record(match, game, log.so_far())))
        raise Failed(str(error)) from None
    written = write_record(match, game, played)
    if record:
        write_text(record, record_text(written))
    ending = Ending.of(played.result, played.fault)
    log.say(f"\n{ending}")
    if ending.fault:
        log.say(excerpt(rules, ending.fault.file, ending.fault.line))
        if advice := how_to_go_on(ending.fault.message):
            log.say(f"  {advice}")
    if as_json:
        data = {
            "ruleset": match.ruleset,
            "fingerprint": match.fingerprint,
            "players": match.players,
            "seed": match.seed,
            "game": game,
            "agents": list(written.agents),
            "options": plain_options(match),
            "steps": [step_json(number, step) for number, step in enumerate(written.steps, start=1)],
            "turns": played.turns,
            "decisions": played.decisions,
            "measures": {name: list(values) for name, values in played.samples.items()},
            **ending_json(ending),
            "record": record_text(written),
        }
        print_json(data)
    elif record:
        log.say(f"Written to {record}.")
    if played.fault:
        click.get_current_context().exit(FAILED)


@attrs.define
class Log:
    """The steps of a game, shown as they are played."""

    silent: bool = False
    answers: "list[int | Answer]" = attrs.field(factory=list)
    phases: tuple[str, ...] | None = None

    def say(self, text: str) -> None:
        """A line, unless JSON is wanted."""
        if not self.silent:
            click.echo(text)

    def watch(self, table: "Table", request: "Decision | Chance", answer: "int | Answer") -> None:
        """An answer, before it is played."""
        from .interpreter.records import step

        self.answers.append(answer)
        if not self.silent:
            self.show(step(request, answer), len(self.answers))

    def show(self, step: "Step", number: int) -> None:
        """A step, under the phases it is in."""
        from .interpreter.told import step_text

        if step.phases != self.phases:
            self.phases = step.phases
            self.say(f"\n{' > '.join(step.phases) or 'setup'}")
        self.say(f"{number:5}. {step_text(step)}")

    def so_far(self) -> "Playthrough":
        """The game as a stopped one."""
        from .interpreter.playing import Playthrough

        return Playthrough(tuple(self.answers), 0, 0, {}, None, None)


def step_json(number: int, step: "Step") -> dict[str, Any]:
    """A step as plain data."""
    return {
        "step": number,
        "kind": "chance" if step.seat is None else "decision",
        "seat": step.seat,
        "name": step.name,
        "answer": step.text,
        "phases": list(step.phases),
    }


def ending_json(ending: "Ending") -> dict[str, Any]:
    """The end of a game as plain data; winners are None where it did not end."""
    return {
        "scores": None if ending.scores is None else list(ending.scores),
        "winners": None if ending.winners is None else list(ending.winners),
        "fault": attrs.asdict(ending.fault) if ending.fault else None,
    }


def plain_options(match: "Match") -> dict[str, Any]:
    """All options with their values as plain data."""
    from .interpreter.options import plain_values

    return plain_values(match.game, match.layout().options)


@program.command()
@click.argument("file", metavar="RECORD")
@click.option("--until", type=click.IntRange(0), metavar="N", help="Stop after step N and show how things stand.")
@click.option("--seat", type=click.IntRange(1), metavar="N", help="Show only what seat N may see.")
@click.option("--ruleset", "name", metavar="RULESET", help="Play it with these rules, not with the recorded ones.")
@json_option
def replay(file: str, until: int | None, seat: int | None, name: str | None, as_json: bool) -> None:
    """Play a recorded game again, and say whether it ends the same."""
    from .interpreter.records import Inapplicable, RecordError, engine_for, read_record
    from .interpreter.records import replay as play_again

    try:
        record = read_record(read_text(file))
    except RecordError as error:
        raise click.UsageError(f"`{file}` is not a record: {error}.") from None
    if seat is not None and seat > record.players:
        raise click.UsageError(f"There are {record.players} seats, so there is no seat {seat}.")
    if until is not None and until > len(record.steps):
        raise click.UsageError(f"The record has {len(record.steps)} steps, so it cannot stop after step {until}.")
    ruleset = loaded(recorded_ruleset(record.ruleset, name), as_json, examples=False)
    log = Log(silent=as_json)
    log.say(f"{record.title} ({record.ruleset}), {record.players} players, seed {record.seed}, game {record.game}")
    if ruleset.fingerprint != record.fingerprint:
        log.say("The rules have changed since this was recorded.")
    shown = 0

    def watch(step: "Step") -> None:
        nonlocal shown
        shown += 1
        log.show(step, shown)

    again = play_again(record, ruleset.game, ruleset.fingerprint, until, watch)
    engine: Engine | None
    try:
        engine = engine_for(record, ruleset.game)
    except Inapplicable:
        engine = None
    state = None
    if engine is not None and again.state is not None and (until is not None or as_json):
        state = engine.view(again.state, seat - 1) if seat is not None else whole(engine, again.state)
    if as_json:
        print_json(
            {
                "record": file,
                "ruleset": ruleset.name,
                "changed": again.changed,
                "same": again.same,
                "problem": again.problem,
                "steps": len(again.steps),
                "until": until,
                **ending_json(again.ending),
                "state": state,
            }
        )
    else:
        if state is not None:
            log.say("")
            assert engine is not None
            show_state(engine, state)
        if again.problem:
            log.say(f"\nNot the same: {again.problem.rstrip('.')}.")
        elif again.same:
            log.say(f"\nThe same end: {again.ending}.")
        else:
            log.say(f"\nStopped after step {len(again.steps)} of {len(record.steps)}.")
    if again.problem or again.ending.fault:
        click.get_current_context().exit(FAILED)


def recorded_ruleset(recorded: str, given: str | None) -> str:
    """The ruleset to play a record with."""
    try:
        return only(given if given is not None else recorded)
    except click.UsageError as error:
        if given is not None:
            raise
        message = f"The record's ruleset is not here: {error.message} Name the rules with --ruleset."
        raise click.UsageError(message) from None


# ---- simulate ------------------------------------------------------------------------------------------


@program.command()
@click.argument("ruleset")
@click.option("--games", "-n", type=click.IntRange(1), default=1_000, show_default=True, help="How many games.")
@playing_options
@click.option("--jobs", "-j", type=click.IntRange(1), help="Cores to use; figures are the same for any number.")
@engine_option
@click.option("--records", type=click.Path(file_okay=False), metavar="FOLDER", help="Write a record for every fault.")
@json_option
def simulate(
    ruleset: str, games: int, jobs: int | None, engine: str, records: str | None, as_json: bool, **who: Any
) -> None:
    """Play many games and show what came of them."""
    from .interpreter.agents import AgentError
    from .interpreter.native.memory import TooLarge
    from .interpreter.simulate import OutOfTime, WorkerLost, summary
    from .interpreter.simulate import simulate as play_many

    rulesets = [loaded(name, as_json, examples=False) for name in named(ruleset)]
    matches = [make_match(rules, **who) for rules in rulesets]
    data, faulty, interrupted = [], False, False
    for rules, match in zip(rulesets, matches, strict=True):
        begun = time.monotonic()
        try:
            with progress_bar(games, match.game.title) as advance:
                meanwhile = advance or (None if as_json else fetch_drawing)
                figures = play_many(match, games, jobs, meanwhile, engine_that_is_there(engine))
        except TooLarge as error:
            raise Failed(f"{error}. `--engine reference` plays it, much slower.") from None
        except (AgentError, WorkerLost, OutOfTime) as error:
            raise Failed(str(error)) from None
        figures_data = summary(match, figures, time.monotonic() - begun)
        data.append(figures_data)
        if not as_json:
            show_figures(rules, match, figures, figures_data)
        if records is not None:
            write_faults(Path(records), figures_data)
        faulty |= bool(figures.faults)
        interrupted |= figures.interrupted
        if interrupted:
            click.echo(f"Interrupted after {figures.games:,} of {games:,} games.", err=True)
            break
    if as_json:
        print_json(data[0] if len(matches) == 1 else data)
    click.get_current_context().exit(INTERRUPTED if interrupted else FAILED if faulty else 0)


def engine_that_is_there(wanted: str) -> "EngineName":
    """The engine to play with; said aloud where it is not the one that was wanted."""
    from .interpreter.native import is_there

    if wanted == "native" and not is_there():
        click.echo("wasmtime is not installed, so the reference engine plays; it is much slower.", err=True)
        return "reference"
    return "native" if wanted == "native" else "reference"


@contextlib.contextmanager
def progress_bar(games: int, title: str) -> "Iterator[Callable[[int], None] | None]":
    """A bar that grows with the games done, on a terminal; nothing elsewhere."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=games)
        yield lambda done: progress.update(task, completed=done)


def fetch_drawing(done: int) -> None:
    """Have at hand what draws tables: it is fetched while machine code is made and games are played."""
    import rich.table  # noqa: F401


def show_figures(rules: "Ruleset", match: "Match", figures: "Figures", data: dict[str, Any]) -> None:
    """Figures as tables."""
    from rich.markup import escape

    screen = console()
    screen.print(f"[bold]{escape(headline(match))}[/]: {figures.games:,} games\n")
    if figures.finished:
        screen.print(seats_table(match, figures))
        screen.print(lengths_table(match, figures))
    faults = data["faults"]
    stopped = figures.games - figures.finished
    if faults:
        rest = f"; the figures are those of the other {figures.finished:,}" if figures.finished else ""
        screen.print(f"[bold red]{stopped:,} game{'s' * (stopped != 1)} stopped by a fault[/]{rest}")
    for fault in faults:
        phase = f" (phase {fault['phase']})" if fault["phase"] else ""
        screen.print(escape(f"  {fault['file']}:{fault['line']}: {fault['message']}{phase}"))
        screen.print(escape(excerpt(rules, fault["file"], fault["line"])))
        if advice := how_to_go_on(fault["message"]):
            screen.print(f"    {advice}")
        times = f"{fault['games']:,} time{'s' * (fault['games'] != 1)}"
        screen.print(escape(f"    {times}; the shortest: {command_for(match, fault['game'])}"), soft_wrap=True)
    speed = figures.games / data["seconds"] if data["seconds"] else 0
    screen.print(f"[dim]{data['seconds']:.1f} s, {speed:,.{1 if speed < 10 else 0}f} games a second[/]")


ENDLESS = {"the game has not ended after ": "--max-decisions", "nothing has been asked for ": "--max-steps"}
"""How faults begin that one of the limits makes, and the option that raises it."""


def how_to_go_on(message: str) -> str | None:
    """What to do about a fault that a limit made."""
    option = next((option for beginning, option in ENDLESS.items() if message.startswith(beginning)), None)
    return f"If the game may take longer, raise the limit with {option} N." if option else None


def seats_table(match: "Match", figures: "Figures") -> "Drawing":
    """A row for each seat."""
    from rich.markup import escape

    from .interpreter.figures import wilson

    drawing = table(
        "seat", "agent", ">score", ">± 95 %", ">spread", ">least", ">most", ">wins", "95 %", ">shared", "95 %"
    )
    for seat, recipe in enumerate(match.agents):
        score = spread_cells(figures.scores[seat]) if figures.scores else ["–"] * 5
        wins = wilson(figures.wins[seat], figures.finished)
        shared = wilson(figures.shared_wins[seat], figures.finished)
        drawing.add_row(str(seat + 1), escape(recipe.name), *score, *share_cells(wins), *share_cells(shared))
    return drawing


def lengths_table(match: "Match", figures: "Figures") -> "Drawing":
    """Rows for turns, decisions and every measure."""
    from rich.markup import escape

    drawing = table("", ">mean", ">± 95 %", ">spread", ">least", ">most", ">samples", "histogram")
    rows: list[tuple[str, Tally]] = [("turns", figures.turns), ("decisions", figures.decisions)]
    rows += [(m.name, figures.measures[m.name]) for m in match.game.measures if m.name in figures.measures]
    for name, tally in rows:
        drawing.add_row(escape(name), *spread_cells(tally), f"{tally.n:,}", histogram(tally))
    return drawing


def spread_cells(tally: "Tally") -> list[str]:
    """Mean, half its interval, spread, least and greatest value."""
    interval = tally.interval
    if interval is None:
        return ["–"] * 5
    half = interval.high - interval.estimate
    return [f"{interval.estimate:,.3f}", f"{half:,.3f}", f"{tally.sd:,.2f}", f"{tally.low:,}", f"{tally.high:,}"]


def share_cells(share: "Interval | None") -> list[str]:
    """A share and the ends of its interval, in per cent."""
    if share is None:
        return ["–", "–"]
    return [f"{share.estimate:.2%}", f"{100 * share.low:.2f}–{share.high:.2%}"]


BARS = "▁▂▃▄▅▆▇█"


def histogram(tally: "Tally", most: int = 24) -> str:
    """How often values came up, as a row of bars; neighbours share one where there are too many."""
    low, high = tally.low, tally.high
    if low is None or high is None or low == high:
        return ""
    width = -(-(high - low + 1) // most)
    heights = [0] * (-(-(high - low + 1) // width))
    for value, count in tally.counts.items():
        heights[(value - low) // width] += count
    top = max(heights)
    return "".join(BARS[-(-height * 7 // top)] if height else " " for height in heights)


def command_for(match: "Match", game: int) -> str:
    """The command that plays one game of a batch again."""
    import shlex

    from .interpreter.options import value_text

    known = {option.name: option for option in match.game.options}
    words = ["regelwerk", "run", match.ruleset, "--players", str(match.players), "--seed", str(match.seed)]
    words += [
        word for name, value in match.options.items() for word in ("--set", f"{name}={value_text(known[name], value)}")
    ]
    names = [recipe.name for recipe in match.agents]
    for name in names[:1] if len(set(names)) == 1 else names:
        words += ["--agent", name]
    if match.limits.decisions != 10_000:
        words += ["--max-decisions", str(match.limits.decisions)]
    if match.limits.steps != 100_000:
        words += ["--max-steps", str(match.limits.steps)]
    return shlex.join([*words, "--game", str(game)])


def write_faults(folder: Path, data: dict[str, Any]) -> None:
    """A record for every fault."""
    if not data["faults"]:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(f"`{folder}` cannot be made: {error.strerror}.") from None
    name = re.sub(r"\W+", "-", data["ruleset"]).strip("-")
    for fault in data["faults"]:
        file = folder / f"{name}-{data['players']}-seed-{data['seed']}-game-{fault['game']}.txt"
        write_text(file, fault["record"])
        click.echo(f"Written to {file}.", err=True)


# ---- verify --------------------------------------------------------------------------------------------


UNDECIDED = 3
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def span_of_time(ctx: click.Context, parameter: click.Parameter, value: str) -> float | None:
    """`10s`, `5m`, `1h` or `none` in seconds."""
    if value == "none":
        return None
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,6})?)([smh]?)", value)
    if found is None or not float(found[1]):
        raise click.BadParameter(f"`{value}` is no time: say 10s, 5m, 1h or none.")
    return float(found[1]) * UNITS[found[2] or "s"]


def span_of_players(ctx: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """`3` or `2..6`."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d{1,3})(?:\.\.(\d{1,3}))?", value)
    if found is None or not 1 <= int(found[1]) <= int(found[2] or found[1]):
        raise click.BadParameter(f"`{value}` is no number of players: say 3 or 2..6.")
    return int(found[1]), int(found[2] or found[1])


budget_option = click.option(
    "--budget",
    default="10s",
    show_default=True,
    metavar="TIME",
    callback=span_of_time,
    help="How long to look at each table: 10s, 5m, 1h; none until all was looked at.",
)
focus_option = click.option("--focus", metavar="NAME", help="Look at this focus of the rules alone.")


@program.command()
@click.argument("ruleset")
@click.option(
    "--players", "-p", metavar="N|N..N", callback=span_of_players, help="How many play; a range for each in turn."
)
@click.option(
    "--set",
    "-s",
    "chosen",
    multiple=True,
    metavar="NAME=VALUE",
    callback=settings,
    help="Set an option of the rules; several values between commas for each in turn.",
)
@focus_option
@click.option("--property", "only", metavar="NAME", help="Look at this property alone.")
@budget_option
@seed_option
@click.option(
    "--require",
    type=click.Choice(["proof"]),
    help="Exit with 3 unless every property is proved.",
)
@click.option("--explain", metavar="NAME", help="Look at this property alone, and show a game for its verdict.")
@click.option("--save-traces", type=click.Path(file_okay=False), metavar="FOLDER", help="Write every trace to files.")
@click.option("--junit", callback=writable, metavar="FILE", help="Write the verdicts as JUnit XML.")
@click.option("--sarif", callback=writable, metavar="FILE", help="Write the verdicts as SARIF.")
@click.option(
    "--replay", "record", metavar="RECORD", help="Play a saved game again: 1 if it still fails, 3 if it no longer fits."
)
@click.option("--mutate", is_flag=True, help="Change the rules in many small ways, and show which judge notices which.")
@click.option("--jobs", "-j", type=click.IntRange(1), help="Processes for --mutate.  [default: all cores]")
@json_option
def verify(
    ruleset: str,
    players: tuple[int, int] | None,
    chosen: Sequence[tuple[str, str]],
    focus: str | None,
    only: str | None,
    budget: float | None,
    seed: int,
    require: str | None,
    explain: str | None,
    save_traces: str | None,
    junit: Path | None,
    sarif: Path | None,
    record: str | None,
    mutate: bool,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Prove what must hold, refute it with the shortest game, or say how far was looked.

    Exits with 0 if nothing is refuted, 1 if something is, 3 if something stays undecided or was never put to the test,
    130 if interrupted.
    """
    from .verify.looking import Looking
    from .verify.report import junit as junit_text
    from .verify.report import lines, plain
    from .verify.report import sarif as sarif_data
    from .verify.sweep import focuses, subjects
    from .verify.verification import exit_code
    from .verify.verification import verify as look

    rules = loaded(only_one(ruleset), as_json)
    if record is not None:
        replay_trace(rules, record)
    if mutate:
        show_mutants(rules, seed, jobs, as_json)
        return
    try:
        wanted = [] if focus is not None else list(subjects(rules, players, chosen))
        if focus is not None or (players is None and not chosen):
            wanted += list(focuses(rules, focus))
    except (ValueError, LookupError) as error:
        raise click.UsageError(str(error)) from None
    reports, wanted_name, taken = [], explain or only, set[str]()
    for subject in wanted:
        looking = Looking(subject, budget, seed)
        with progress_words(subject_title(subject)) as looking.progress, interruptible(looking):
            report = look(looking, wanted_name)
        if wanted_name is not None and not report.findings:
            continue
        reports.append(report)
        saved = save_files(report, subject, Path(save_traces), taken) if save_traces is not None else {}
        if not as_json:
            found = [finding for finding in report.findings if finding.name == explain]
            told = [line for finding in found for line in explained(finding, report, looking)]
            for line in (*lines(report, saved), *told):
                click.secho(line.text, fg=COLOURS.get(line.tone), dim=line.tone == "quiet")
            click.echo()
        if looking.stop:
            break
    if not reports:
        raise click.UsageError(f'there is no property "{wanted_name}".')
    if junit is not None:
        write_text(junit, junit_text(reports))
    if sarif is not None:
        write_text(sarif, json.dumps(sarif_data(reports), indent=2, ensure_ascii=False) + "\n")
    if as_json:
        print_json(plain(reports[0]) if len(reports) == 1 else [plain(report) for report in reports])
    interrupted = any(report.interrupted for report in reports)
    code = max_code(exit_code(report, require == "proof") for report in reports)
    click.get_current_context().exit(INTERRUPTED if interrupted else code)


def explained(finding: "Finding", report: "Report", looking: "Looking") -> "Iterator[Line]":
    """The game behind a verdict, where the report does not tell it already."""
    from .verify.passing import sample
    from .verify.report import Line, passing, story

    if finding.unchecked or (finding.verdict == "refuted" and finding.trace is not None):
        return
    yield Line()
    if finding.trace is not None:
        yield from story(finding)
    else:
        holds = finding.verdict in ("proved", "holds_to_depth", "not_refuted")
        yield from passing(finding, report, sample(looking, finding.name) if holds else None)


COLOURS = {"good": "green", "bad": "red", "warn": "yellow"}


def max_code(codes: "Iterator[int]") -> int:
    """The exit code for several tables: refuted before undecided before well."""
    found = set(codes)
    return FAILED if FAILED in found else UNDECIDED if UNDECIDED in found else 0


def only_one(name: str) -> str:
    """The one ruleset of this name."""
    found = named(name)
    if len(found) != 1:
        raise click.UsageError(f"{name} are several rulesets: {', '.join(found)}; name one of them.")
    return found[0]


def subject_title(subject: "Subject") -> str:
    """What is looked at, in few words."""
    what = f'focus "{subject.focus.name}"' if subject.focus is not None else f"{subject.players} players"
    return f"{subject.ruleset.game.title}, {what}"


@contextlib.contextmanager
def interruptible(looking: "Looking") -> "Iterator[None]":
    """Ctrl-C ends the look with what is known by then; a second one ends the program."""

    def stop(number: int, frame: Any) -> None:
        if looking.stop:
            raise KeyboardInterrupt
        looking.stop = looking.search.stop = looking.walks.stop = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def progress_words(title: str) -> "Iterator[Callable[[str, int, int], None] | None]":
    """What is being done, on a terminal; nothing elsewhere."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(title)) as status:

        def say(what: str, done: int, waiting: int) -> None:
            left = f", {waiting:,} waiting" if waiting else ""
            status.update(escape(f"{title}: {done:,} {what}{left}"))

        yield say


def save_files(report: "Report", subject: "Subject", folder: Path, taken: set[str]) -> dict[str, str]:
    """Every trace as files; the record of each, by the name of its property. `taken` are the names that others have."""
    from .verify import exports

    saved = {}
    for finding in report.findings:
        if finding.trace is None:
            continue
        for name, text in exports.files(finding, subject.engine(check=False), None, taken).items():
            path = folder / name
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise click.UsageError(f"`{folder}` cannot be written: {error.strerror}.") from None
            write_text(path, text)
            if name.endswith(".record"):
                saved[finding.name] = str(path)
    return saved


def show_mutants(ruleset: "Ruleset", seed: int, jobs: int | None, as_json: bool) -> None:
    """The matrix of a ruleset's mutants by its judges."""
    from .verify.mutate import mutants
    from .verify.mutation import mutation

    with progress_bar(sum(1 for _ in mutants(ruleset.game)), ruleset.game.title) as advance:
        matrix = mutation(ruleset.game, seed, jobs, advance)
    if as_json:
        print_json(matrix.data())
        return
    for line in matrix.lines():
        click.echo(line)


def replay_trace(ruleset: "Ruleset", file: str) -> None:
    """Play a saved game again, and exit by what comes of it."""
    from .interpreter.records import Inapplicable, RecordError, read_record
    from .verify.saved import still_broken

    try:
        broken = still_broken(ruleset, read_record(read_text(file)))
    except RecordError as error:
        raise click.UsageError(f"`{file}` is not a record: {error}.") from None
    except Inapplicable as error:
        click.echo(f"The game no longer fits these rules: {error}")
        click.get_current_context().exit(UNDECIDED)
    for name, message in broken:
        click.echo(f"REFUTED  {name}: {message}")
    if not broken:
        click.echo("Nothing is broken in this game any more.")
    click.get_current_context().exit(FAILED if broken else 0)


# ---- solve ---------------------------------------------------------------------------------------------


@program.command()
@click.argument("ruleset")
@players_option
@set_option
@focus_option
@click.option(
    "--agent",
    "-a",
    "agents",
    multiple=True,
    metavar="AGENT",
    help="Who plays: best, random or a strategy of the rules. Once for all seats, or once for each.  [default: best]",
)
@click.option(
    "--for",
    "objective",
    type=click.Choice(["win", "score", "value"]),
    help="What is counted.  [default: a focus's value, alone the score, else the win]",
)
@click.option(
    "--gap",
    type=click.FloatRange(0, 1, min_open=True),
    callback=finite,
    default=1e-9,
    show_default=True,
    help="How near is near enough, where there is no exact value.",
)
@click.option(
    "--budget",
    default="none",
    show_default=True,
    metavar="TIME",
    callback=span_of_time,
    help="How long to look at positions.",
)
@json_option
def solve(
    ruleset: str,
    players: int | None,
    chosen: Sequence[tuple[str, str]],
    focus: str | None,
    agents: Sequence[str],
    objective: Any,
    gap: float,
    budget: float | None,
    as_json: bool,
) -> None:
    """Work out what a game is worth, exactly, over all its positions."""
    from .verify.explore import Budget
    from .verify.solve import Unsolvable
    from .verify.solving import BEST, UNIFORM, BrokenOff, solving
    from .verify.sweep import focuses, subjects

    rules = loaded(only_one(ruleset), as_json)
    try:
        if focus is not None:
            (subject,) = focuses(rules, focus)
        else:
            subject, *others = subjects(rules, None if players is None else (players, players), chosen)
            if others:
                raise ValueError("give each option one value: one table is solved at a time")
        names = list(agents) or [BEST]
        if len(names) not in (1, subject.players):
            raise ValueError(f"--agent is given {len(names)} times for {subject.players} players")
        names = names * subject.players if len(names) == 1 else names
        play = {seat: UNIFORM if name == "random" else name for seat, name in enumerate(names)}
        began = time.monotonic()
        with progress_words(subject_title(subject)) as progress:
            say = None if progress is None else lambda known, waiting, depth: progress("positions", known, waiting)
            found = solving(subject, play, objective, Budget(budget), gap, say)
    except (ValueError, LookupError) as error:
        if not isinstance(error, Unsolvable):
            raise click.UsageError(str(error)) from None
        click.echo(f"Error: {error}", err=True)
        click.get_current_context().exit(FAILED if isinstance(error, BrokenOff) else UNDECIDED)
    show_solution(subject, found, names, time.monotonic() - began, as_json)


def show_solution(subject: "Subject", found: "Solved", names: Sequence[str], seconds: float, as_json: bool) -> None:
    """A solution, as JSON or for people."""
    from .interpreter.options import plain_values
    from .verify.solving import BEST, SEVERAL, sees_hidden

    solution, graph = found.solution, found.search.graph
    hidden = sees_hidden(subject.ruleset.game, graph, {seat for seat, name in enumerate(names) if name == BEST})
    seats = [number_text(value) for value in solution.seats]
    if as_json:
        print_json(
            {
                "ruleset": subject.ruleset.name,
                "players": subject.players,
                "options": plain_values(subject.ruleset.game, found.search.engine.options),
                "focus": None if subject.focus is None else subject.focus.name,
                "agents": list(names),
                "counted": found.objective,
                "value": number_text(solution.value),
                "error": solution.error,
                "low": float(solution.low),
                "high": float(solution.high),
                "seats": seats,
                "alone": [number_text(value) for value in found.alone] or None,
                "sees_hidden": hidden,
                "positions": len(graph),
                "seconds": round(seconds, 3),
            }
        )
        return
    click.echo(f"{subject_title(subject)}: {len(graph):,} positions, {found.objective} counted, {seconds:.1f} s")
    for seat, (name, value) in enumerate(zip(names, solution.seats, strict=True), 1):
        exact = f" = {number_text(value)}" if isinstance(value, Fraction) else ""
        click.echo(f"  seat {seat} ({name})  {float(value):.9f}{exact if len(exact) < 90 else ', exactly'}")
    if found.alone:
        told = ", ".join(f"seat {seat} {float(value):.9f}" for seat, value in enumerate(found.alone, 1))
        several = f"; {SEVERAL}" if BEST in names and found.alone != solution.seats else ""
        click.echo(f"  wins that are not shared: {told}{several}")
    if not solution.exact:
        click.echo(f"  off by {solution.error:.1e} at most")
    if hidden:
        click.echo("  Some of this game is hidden: best play here sees it all, and may do what no player can.")


def number_text(value: Any) -> str | float:
    """A fraction as text, another number as it is."""
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else float(value)


# ---- play ----------------------------------------------------------------------------------------------


class Quit(Exception):
    """The person wants to stop."""


@program.command()
@click.argument("ruleset")
@click.option(
    "--seat",
    "seats",
    type=click.IntRange(1),
    multiple=True,
    metavar="N",
    help="Where you sit; more than once for more.  [default: 1]",
)
@players_option
@set_option
@click.option("--seed", type=int, help="Where chance comes from.  [default: another one every time]")
@click.option(
    "--agent",
    "-a",
    "agents",
    multiple=True,
    metavar="AGENT",
    help="Who else plays: once for all others, or once for each.",
)
@timeout_option
@click.option("--record", callback=writable, metavar="FILE", help="Write the game down, for `regelwerk replay`.")
def play(
    ruleset: str,
    seats: tuple[int, ...],
    players: int | None,
    chosen: tuple[tuple[str, str], ...],
    seed: int | None,
    agents: tuple[str, ...],
    timeout: float,
    record: Path | None,
) -> None:
    """Play at the terminal, against agents or with others at the same terminal."""
    from .interpreter import outline as words
    from .interpreter.agents import AgentError, closing
    from .interpreter.playing import play as play_game
    from .interpreter.records import Ending, record_text, write_record
    from .interpreter.stream import Stream

    rules = loaded(only(ruleset), as_json=False)
    game = rules.game
    players = game.players[0] if players is None else players
    seats = tuple(sorted(set(seats or (1,))))
    if seats[-1] > players:
        raise click.UsageError(f"There are {players} seats, so there is no seat {seats[-1]}.")
    seed = int.from_bytes(os.urandom(4)) if seed is None else seed
    match = make_match(rules, players, chosen, seed, everybody(players, seats, agents), timeout, 1_000_000, 100_000)
    match = attrs.evolve(
        match,
        agents=tuple(Person() if seat in seats else recipe for seat, recipe in enumerate(match.agents, start=1)),
    )
    engine = match.engine()
    log = Log(silent=True)
    room = Room(engine, tuple(seat - 1 for seat in seats), words.label_texts(game), words.is_open(game))
    made: list[Agent] = [room if seat in seats else agent for seat, agent in enumerate(match.seated(engine), start=1)]
    click.echo(f"{headline(match)}. Type ? for help.")

    def watch(table: "Table", request: "Decision | Chance", answer: "int | Answer") -> None:
        log.watch(table, request, answer)
        room.watch(table, request, answer)
        tables[:] = [table]

    tables: list[Table] = []

    error: BaseException | None = None
    try:
        with closing(made):
            played = play_game(engine, made, Stream(seed), match.limits.decisions, watch)
    except (Quit, KeyboardInterrupt, AgentError) as stopped:
        played, error = log.so_far(), stopped
    if played.result:
        if tables:
            room.end(tables[0])
        click.echo(f"\nThe end: {Ending.of(played.result, None)}.")
    elif played.fault:
        click.echo(f"\nThe game cannot go on: {played.fault}")
        click.echo(excerpt(rules, played.fault.file, played.fault.line))
    else:
        click.echo("\nStopped.")
    if record:
        write_text(record, record_text(write_record(match, 0, played)))
        click.echo(f"Written to {record}.")
    elif played.answers and not played.result and sys.stdin.isatty():
        keep(record_text(write_record(match, 0, played)))
    if isinstance(error, AgentError):
        raise Failed(str(error))
    if played.fault:
        click.get_current_context().exit(FAILED)


def everybody(players: int, seats: Sequence[int], agents: Sequence[str]) -> list[str]:
    """An agent for each seat, with a stand-in where a person sits."""
    others = [seat for seat in range(1, players + 1) if seat not in seats]
    names = list(agents) or ["random"]
    if len(names) not in (1, len(others)):
        raise click.UsageError(
            f"--agent is given {len(names)} times for {len(others)} other seats; give it once, or once for each."
        )
    names = names * len(others) if len(names) == 1 else names
    by_seat = dict(zip(others, names, strict=True))
    return [by_seat.get(seat, "first") for seat in range(1, players + 1)]


def keep(text: str) -> None:
    """Write a stopped game down, if the person says where."""
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while name := input("Keep a record? A file name, or Enter for no: ").strip():
            try:
                write_text(Path(name), text)
            except click.UsageError as error:
                click.echo(error.message)
                continue
            click.echo(f"Written to {name}.")
            return


@attrs.frozen
class Person:
    """A person at the terminal, as the record names them."""

    name: str = "person"

    def make(self, engine: "Engine", seat: int) -> "Agent":
        """Nobody: the room answers for them."""
        return Room(engine, (seat,))


HELP = """\
  a number     take that option
  some words   take the option that reads like this; the items of a set in any order
  all          list all options, where there are many
  look         show the table again
  why          show the rule that asks
  q            stop (the game can be recorded)"""

FEW = 30
"""More options than this are listed only on demand."""


@attrs.define
class Room:
    """The persons at this terminal: tells each what they may know, and asks them."""

    engine: "Engine"
    seats: tuple[int, ...]
    labels: dict[tuple[str, int], dict[str, str]] = attrs.field(factory=dict)
    all_open: bool = False
    """Whether every step may be told in full."""
    before: int | None = None
    """The seat that was asked last."""
    boards: "dict[int, Board]" = attrs.field(factory=dict)
    """What each person saw last."""
    news: dict[int, list[str]] = attrs.field(factory=dict)
    """What each person was not told yet."""

    def watch(self, table: "Table", request: "Decision | Chance", answer: "int | Answer") -> None:
        """Note a step for each person: in full where nothing is secret, else what changes in what they see."""
        from .interpreter.told import told

        self.note(table)
        for seat in self.seats:
            if line := told(request, answer, seat, self.all_open):
                self.news.setdefault(seat, []).append(line)

    def note(self, table: "Table") -> None:
        """What has changed in what each person sees."""
        from .interpreter.board import board, changes

        if self.all_open:
            return
        state = table.freeze()
        for seat in self.seats:
            now = board(self.engine.game, self.engine.view(state, seat))
            changed = [f"    {line}" for line in changes(self.boards.get(seat, now), now)]
            self.news.setdefault(seat, []).extend(changed)
            self.boards[seat] = now

    def tell(self, seat: int) -> None:
        """Everything a person was not told yet."""
        for line in self.news.pop(seat, []):
            click.echo(f"  {line}")

    def end(self, table: "Table") -> None:
        """What happened last, and how things stand."""
        self.note(table)
        self.tell(self.before if self.before is not None else self.seats[0])
        click.echo("")
        show_state(self.engine, whole(self.engine, table.freeze()))

    def choose(self, table: "Table", decision: "Decision", draws: "Draws") -> int:
        """What the person in a seat chooses."""
        seat = decision.owner
        self.note(table)
        if self.before not in (None, seat):
            self.change_over(seat)
        self.before = seat
        self.tell(seat)
        self.look(table, decision)
        while True:
            number = self.understand(self.ask(f"{decision.name}> "), table, decision)
            if number is not None:
                return number

    def understand(self, words: str, table: "Table", decision: "Decision") -> int | None:
        """An option's number; None where something else was wanted."""
        match words.lower():
            case "?" | "help":
                click.echo(HELP)
            case "q" | "quit":
                raise Quit
            case "":
                pass
            case "all":
                self.options(decision, len(decision))
            case "look":
                self.look(table, decision)
            case "why":
                click.echo(f"  {decision.span}: {decision.span.source.line(decision.span.line).strip()}")
            case number if number.isdecimal():
                if 1 <= int(number) <= len(decision):
                    return int(number) - 1
                click.echo(f"  There are options 1 to {len(decision):,}.")
            case _:
                try:
                    return decision.find([item.strip() for item in words.split(",")])
                except LookupError as error:
                    click.echo(f"  {error.args[0] if error.args else error}")
        return None

    def ask(self, prompt: str) -> str:
        """A line from the person. The end of the input means to stop."""
        sys.stdout.flush()
        try:
            return " ".join(input(prompt).split())
        except (EOFError, RuntimeError):  # the latter where there is no standard input at all
            raise Quit from None

    def change_over(self, seat: int) -> None:
        """Hide what one person saw from the next."""
        if self.all_open:
            return
        self.ask(f"\nSeat {seat + 1} is next. Pass the screen on, then press Enter. ")
        if sys.stdout.isatty():
            click.clear()

    def look(self, table: "Table", decision: "Decision") -> None:
        """Show what the person may see, and their options."""
        click.echo("")
        show_state(self.engine, self.engine.view(table.freeze(), decision.owner))
        phases = f" ({' > '.join(decision.phases)})" if decision.phases else ""
        click.echo(f"Seat {decision.owner + 1} decides {decision.name}{phases}:")
        self.options(decision, FEW)

    def options(self, decision: "Decision", most: int) -> None:
        """List options, numbered from 1."""
        texts = self.labels.get((decision.span.source.name, decision.span.start), {})
        count = len(decision)
        for number in range(min(count, most)):
            text = decision.text(number)
            said = texts.get(text, "")
            click.echo(f"{number + 1:5}  {f'{text}: {said}' if said else text}")
        if count > most:
            click.echo(f"       … {count:,} in all; `all` lists them, or write what you want")


def whole(engine: "Engine", state: "State") -> dict[str, Any]:
    """What everybody together sees."""
    views = [engine.view(state, seat) for seat in range(engine.players)]
    players = [view["players"][seat] for seat, view in enumerate(views)]
    return {**views[0], "seat": None, "players": players}


def show_state(engine: "Engine", view: dict[str, Any]) -> None:
    """What a seat sees (or everybody together), as tables."""
    from rich.markup import escape

    from .interpreter.board import board

    seen, screen = board(engine.game, view), console()
    if seen.table:
        drawing = table("on the table", "")
        for row in seen.table:
            drawing.add_row(escape(row.name), escape("\n".join(row.lines())))
        screen.print(drawing)
    if seen.players and seen.players[0]:
        heads = []
        for seat in range(1, len(seen.players) + 1):
            out = "" if seat in seen.still_in else ", out"
            heads.append(f"seat {seat}{' (you)' if seat == view['seat'] else ''}{out}")
        drawing = table("players", *heads)
        for rows in zip(*seen.players, strict=True):
            drawing.add_row(escape(rows[0].name), *(escape("\n".join(row.lines())) for row in rows))
        screen.print(drawing)


# ---- new and fmt ---------------------------------------------------------------------------------------


@program.command()
@click.argument("file")
@click.option("--variant-of", "base", metavar="RULESET", help="Begin a variant of this game.")
@click.option("--title", help="What the game is called.  [default: from the file's name]")
def new(file: str, base: str | None, title: str | None) -> None:
    """Begin a rules file, with comments that say how to go on."""
    path = Path(file if file.endswith(SUFFIX) else file + SUFFIX)
    if path.exists():
        raise click.UsageError(f"`{path}` is there already; choose another name.")
    title = (title or path.stem.replace("_", " ").replace("-", " ").title()).replace('"', "'")
    if base is None:
        text = STARTER.format(title=title)
    else:
        target = only(base)
        text = variant_text(loaded(target, as_json=False), title, variant_path(target, path))
    if not path.parent.is_dir():
        raise click.UsageError(f"There is no folder `{path.parent}`.")
    write_text(path, text)
    click.echo(f"{path} is begun. Try: regelwerk check {path}, regelwerk simulate {path}")


def variant_path(target: str, path: Path) -> str:
    """How a variant names its game: by its place beside the file, or by its library name."""
    given = Path(target)
    if given.suffix != SUFFIX:
        return target
    beside = os.path.relpath(given.with_suffix("").resolve(), path.parent.resolve())
    if beside.startswith(".."):
        raise click.UsageError(f"A variant lies in the folder of its game or above, and `{path}` does not.")
    return Path(beside).as_posix()


def variant_text(ruleset: "Ruleset", title: str, base: str) -> str:
    """A variant that changes nothing yet, with what could be changed in comments."""
    from .interpreter import outline as words

    game = ruleset.game
    lines = [
        "# A variant says only what differs from its game. What there is to change, this shows:",
        f"#     regelwerk explain {ruleset.name}",
        f'variant "{title}" of {base}',
        "",
    ]
    if game.options:
        lines.append("# Another default for an option:")
        lines += [f"# option {option.name} = {words.default(option)}" for option in game.options]
        lines.append("")
    phases = [phase.name for phase in words.phases(game)]
    if phases:
        lines.append("# A phase left out, done otherwise, or with something before or after it:")
        for name in phases:
            lines += [f"# remove phase {name}", f"# replace phase {name}: …", f"# after phase {name}: …"][
                : 3 if name == phases[0] else 1
            ]
        lines.append("")
    low, high = game.players
    lines += ["# Other numbers of players:", f"# players {low}..{high}"]
    return "\n".join(lines) + "\n"


@program.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...")
@click.option("--check", "only_check", is_flag=True, help="Change nothing; exit 1 if a file is not in house style.")
@click.option("--diff", is_flag=True, help="Change nothing; show what would change, exit 1 if anything.")
@json_option
def fmt(paths: tuple[str, ...], only_check: bool, diff: bool, as_json: bool) -> None:
    """Put rules files into house style. A folder means all in it; `-` is standard input."""
    from .dsl import RulesetError
    from .dsl.format import format_text
    from .dsl.source import Source

    results: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for name in formatted_files(paths):
        text = read_text(name)
        try:
            made = format_text(Source(name, text))
        except RulesetError as error:
            results.append({"file": name, "changed": False, "problems": [problem_json(p) for p in error.problems]})
            problems += error.problems
            continue
        changed = made != text
        results.append({"file": name, "changed": changed, "problems": []})
        if diff and changed:
            results[-1]["diff"] = difference(name, text, made)
            if not as_json:
                click.echo(results[-1]["diff"], nl=False)
        if name == "-" and not (only_check or diff or as_json):
            click.echo(made, nl=False)
        elif changed and name != "-" and not (only_check or diff):
            write_text(Path(name), made)
        if changed and name != "-" and not (diff or as_json):
            click.echo(f"{name}: {'not in house style' if only_check else 'put into house style'}")
    if as_json:
        print_json({"files": results})
    elif problems:
        WrongRules(problems, as_json=False).show()
    unlike = (only_check or diff) and any(result["changed"] for result in results)
    click.get_current_context().exit(WRONG_RULES if problems else FAILED if unlike else 0)


def formatted_files(paths: Sequence[str]) -> Iterator[str]:
    """The files to format."""
    for name in paths:
        path = Path(name)
        if not path.is_dir():
            yield name
            continue
        found = sorted(one.as_posix() for one in path.rglob(f"*{SUFFIX}"))
        if not found:
            raise click.UsageError(f"There is no rules file ({SUFFIX}) in the folder `{name}`.")
        yield from found


def difference(name: str, text: str, made: str) -> str:
    """What changes, line by line."""
    import difflib

    lines = difflib.unified_diff(
        text.splitlines(keepends=True), made.splitlines(keepends=True), name, f"{name} (house style)"
    )
    return "".join(line if line.endswith("\n") else line + "\n\\ no newline at the end\n" for line in lines)


STARTER = """\
# This is a whole game to begin with: throw a die, keep what it shows or throw once more.
# A `#` begins a comment. Change something, then run:  regelwerk check FILE
game "{title}"
players 2..4

# A setting that a table may change, with its values and its default: --set rounds=5
option rounds: 1..10 = 3

# What is in the box. `faces` is what a throw shows.
components dice:
    faces pips: 1..6
    1 of each

# Where things lie. `hidden` would say that nobody looks inside.
zone tray: dice

# What each player has: places and numbers of their own. A number always has a range.
each player has:
    var points: 0..60 = 0

setup:
    move dice to tray

# Phases say who does what, in which order. In `each player` the player is called `me`.
play:
    phase round repeat rounds times:
        phase turn each player:
            throw tray
            choose keep_or_throw:
                keep "keep what the die shows":
                    points += sum(tray.pips)
                once_more "throw once more, and keep that":
                    throw tray
                    points += sum(tray.pips)

score: points
winner: highest score

# What must always hold; `regelwerk simulate` tells when it does not.
invariant "six points a round at most": all(p.points <= 6 * rounds for p in players)

# A player made of rules: regelwerk simulate FILE --agent careful
strategy careful:
    keep_or_throw: keep if sum(tray.pips) >= 4 else once_more

# A figure that `regelwerk simulate` reports.
measure "points of the best" at end: max(p.points for p in players)
"""
