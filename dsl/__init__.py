"""The language: rules text in, a checked game or its problems out.

`load` reads a ruleset by path or library name; `load_text` checks a text that is not in a file. Both raise
`RulesetError` with every problem found. Engines take the `game` of a `Ruleset`.
"""

from collections.abc import Iterable
from importlib import resources
from pathlib import Path

import attrs

from . import files, rules
from .check import check as _check
from .files import SUFFIX, Entry, Gathered, gather, library
from .format import damage
from .problems import KINDS, MissingFile, Problem, RulesetError, WrongPlace, near
from .source import Source, Span
from .weave import weave

__all__ = [
    "Entry",
    "Problem",
    "Ruleset",
    "RulesetError",
    "Source",
    "Span",
    "damage",
    "library",
    "load",
    "load_text",
    "page",
]


@attrs.frozen
class Ruleset:
    """A checked game, by the name it was asked for, with all texts it was made from (the main one first)."""

    name: str
    path: Path | None
    sources: tuple[Source, ...] = attrs.field(repr=False)
    game: rules.Game = attrs.field(repr=False)
    fingerprint: str


def load(name: str | Path, examples: bool = True) -> Ruleset:
    """The ruleset of a path, or of a name in the library such as `chipbanditen/quick`.

    Who only plays can do without its `examples`. They are passed over then, and so is whether everything is used,
    unless anything else is wrong.

    Raises:
        RulesetError: it cannot be read, or is not right; all problems found are in the error.
    """
    path, shown = _locate(str(name))
    problems: list[Problem] = []
    gathered = gather(path, shown, problems, examples)
    try:
        return _made(str(name), path, gathered, problems, examples)
    except RulesetError as error:
        if examples:
            raise
        found = error.problems
    try:
        return load(name)
    except RulesetError as error:
        # Where examples cannot be read, the rest was not checked a second time.
        raise RulesetError(_in_order(dict.fromkeys((*found, *error.problems)))) from None


def load_text(text: str, name: str = "text.rules") -> Ruleset:
    """The ruleset of a text; files that it names are looked for in the library alone.

    Raises:
        RulesetError: it is not right; all problems found are in the error.
    """
    problems: list[Problem] = []
    source = Source(name, files.with_plain_line_ends(text.removeprefix("\ufeff")))
    gathered = files.gather_text(source, problems)
    return _made(name, None, gathered, problems)


def page(code: str) -> str | None:
    """The page about a kind of problem, such as `R203`; None when there is no such kind."""
    if code.upper() not in KINDS:
        return None
    return resources.files(__name__).joinpath("errors", f"{code.upper()}.md").read_text("utf-8")


def _locate(name: str) -> tuple[Path, str]:
    """The file a name means: a path, with or without suffix, or else a name of the library."""
    given = Path(name)
    library_path = files.library_folder() / (name.removesuffix(SUFFIX) + SUFFIX)
    for path in (given, Path(name + SUFFIX)):
        if files.there(path) and not path.is_dir():
            return path, path.as_posix()
    if ".." not in given.parts and not given.is_absolute() and files.there(library_path):
        return library_path, library_path.relative_to(files.library_folder()).as_posix()
    if files.there(given) or given.suffix == SUFFIX or given.is_absolute():
        return given, name
    nowhere = Span(Source(name, ""), 0, 0)
    fact = f"`{name}` is neither a file nor a ruleset of the library"
    raise RulesetError([MissingFile(nowhere, fact, near(name, [e.name for e in library()]))])


def _made(
    name: str, path: Path | None, gathered: Gathered | None, problems: list[Problem], examples: bool = True
) -> Ruleset:
    game = None
    if gathered is not None and gathered.kind == "pieces" and not problems:
        fact = "these are pieces for games to use, not a game"
        problems.append(WrongPlace(gathered.title.span, fact, "Run a game that uses them."))
    if gathered is not None and not problems:
        woven = weave(gathered.layers, problems)
        if not problems:
            game = _check(gathered.title, woven, gathered.main, problems, examples)
    if problems or game is None or gathered is None:
        raise RulesetError(_in_order(problems))
    return Ruleset(name, path, gathered.sources, game, gathered.fingerprint)


def _in_order(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (problem.at.source.name, problem.at.start))
