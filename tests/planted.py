"""Rulesets with a fault planted in them: the tables of `faults/`, and the broken rulesets they stand for."""

import tempfile
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import attrs

from regelwerk.dsl import Ruleset, load
from regelwerk.dsl.files import SUFFIX, library_folder
from regelwerk.interpreter.options import read_options

FOLDER = Path(__file__).parent / "faults"


@attrs.frozen(eq=False)
class Planted:
    """One entry of a table: what is changed in a ruleset, and which property must be refuted then."""

    ruleset: str
    """The ruleset's name in the library; the table's path says it."""
    name: str
    why: str
    replace: tuple[tuple[str, str], ...]
    """Old texts, each of which stands in the file once, and what takes their place."""
    refuted: str
    """The property's name: an author's own, or a free one."""
    players: int
    """The fewest with whom it shows."""
    options: Mapping[str, str] = attrs.field(factory=dict)
    """The options without which it does not show, as they are set on the command line."""
    also: frozenset[str] = attrs.field(default=frozenset(), converter=frozenset)
    """Other properties that it breaks, now and then before this one."""
    file: str | None = None
    """The file with the old texts, if the ruleset builds on it: by the name that the ruleset gives it."""
    random: bool = True
    """Whether some hundred games show it."""
    agent: str | None = None
    """The strategy that all players follow in those games; at random if there is none."""
    everything: bool = False
    """Whether nothing less than a look at every position refutes it: then no game shows it."""

    def __str__(self) -> str:
        return f"{self.ruleset}: {self.name}"


def _planted(table: Path) -> list[Planted]:
    ruleset = table.relative_to(FOLDER).with_suffix("").as_posix()
    entries = tomllib.loads(table.read_text("utf-8"))["fault"]
    return [Planted(ruleset, **{**entry, "replace": tuple(map(tuple, entry["replace"]))}) for entry in entries]


FAULTS = tuple(fault for table in sorted(FOLDER.rglob("*.toml")) for fault in _planted(table))


def before(fault: Planted) -> str:
    """The text of the file that the fault is planted in."""
    return (library_folder() / ((fault.file or fault.ruleset) + SUFFIX)).read_text("utf-8")


def after(fault: Planted) -> str:
    """The same text with the fault."""
    text = before(fault)
    for old, new in fault.replace:
        text = text.replace(old, new)
    return text


@cache
def broken(fault: Planted) -> Ruleset:
    """The ruleset with the fault.

    A file that the ruleset builds on is looked for beside it before it is in the library, so that is where it
    is put when it is the one with the fault.
    """
    with tempfile.TemporaryDirectory() as folder:
        main = Path(folder) / (Path(fault.ruleset).name + SUFFIX)
        main.write_text((library_folder() / (fault.ruleset + SUFFIX)).read_text("utf-8"), "utf-8")
        file = main if fault.file is None else Path(folder) / (fault.file + SUFFIX)
        file.parent.mkdir(exist_ok=True)
        file.write_text(after(fault), "utf-8")
        return load(main)


def settings(fault: Planted, ruleset: Ruleset) -> dict[str, int | bool]:
    """The options of a fault as an engine takes them."""
    return read_options(ruleset.game, fault.options.items())
