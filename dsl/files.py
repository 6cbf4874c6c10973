"""Reading rules files: by path or library name, with the files they name, as one list of sections.

A rules file is a stranger's data: it may name only rules files in its own folder and the library, and only
regular files of a sensible size are opened.
"""

import hashlib
import re
from importlib import resources
from pathlib import Path
from typing import Literal as OneOf

import attrs

from . import syntax
from .parse import MOST_CHARACTERS, parse
from .problems import (
    Circle,
    MissingFile,
    MissingPart,
    OutsideFolder,
    Problem,
    TooDeep,
    UnreadableFile,
    WrongPlace,
    near,
)
from .source import Source, Span

SUFFIX = ".rules"
MOST_BYTES = 4 * MOST_CHARACTERS
MOST_FILES = 100
DEEPEST_FILES = 20
"""How many files may build on one another."""


def library_folder() -> Path:
    """The folder of the rulesets that come with Regelwerk."""
    return Path(str(resources.files("regelwerk").joinpath("rulesets")))


@attrs.frozen
class Entry:
    """A file of the library: the name to call it by, its kind and its title."""

    name: str
    kind: OneOf["game", "variant", "pieces"]
    title: str


def library() -> list[Entry]:
    """The library's files, by name."""
    root = library_folder()
    entries = []
    for path in sorted(root.rglob(f"*{SUFFIX}")):
        header = re.search(r'^(game|variant|pieces)\s+"([^"\n]*)"', path.read_text("utf-8"), re.MULTILINE)
        if header:
            name = path.relative_to(root).with_suffix("").as_posix()
            entries.append(Entry(name, header.group(1), header.group(2)))  # type: ignore[arg-type]
    return entries


def there(path: Path) -> bool:
    """Whether there is anything by this path; what can be no path at all is not there."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def read(path: Path, shown: str, problems: list[Problem]) -> Source | None:
    """The text of a file, with line ends as `\\n`; what cannot be read is appended to `problems`."""
    nowhere = Span(Source(shown, ""), 0, 0)
    try:
        if not path.is_file():
            kind = "is a folder" if path.is_dir() else "is not a regular file" if path.exists() else "does not exist"
            problems.append(UnreadableFile(nowhere, f"`{shown}` {kind}"))
            return None
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        problems.append(UnreadableFile(nowhere, f"`{shown}` cannot be read: {why}"))
        return None
    if len(data) > MOST_BYTES:
        problems.append(TooDeep(nowhere, f"`{shown}` is larger than a rules file may be"))
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        fact = f"`{shown}` is not UTF-8 text: line {line} has a byte 0x{data[error.start]:02X} that does not belong"
        problems.append(UnreadableFile(nowhere, fact, "Save the file with the encoding UTF-8."))
        return None
    return Source(shown, with_plain_line_ends(text))


def with_plain_line_ends(text: str) -> str:
    """The text with `\\n` at the end of each line, however it was written."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@attrs.frozen
class Gathered:
    """A rules file with everything it builds on.

    `layers` holds the sections of each file, the game first, then the variants of it in order; pieces stand
    in the layer of the file that uses them. `sources` are all texts read.
    """

    kind: OneOf["game", "variant", "pieces"]
    title: syntax.Text
    layers: tuple[tuple[syntax.Section, ...], ...]
    sources: tuple[Source, ...]

    @property
    def main(self) -> Source:
        """The file that was asked for."""
        return self.sources[0]

    @property
    def fingerprint(self) -> str:
        """A digest of all texts: it changes when any of them does."""
        digest = hashlib.sha256()
        for source in self.sources:
            digest.update(source.text.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()


@attrs.define
class _Gatherer:
    folder: Path
    problems: list[Problem]
    examples: bool = True
    sources: list[Source] = attrs.field(factory=list)
    used: set[Path] = attrs.field(factory=set)

    def gather(self, path: Path, shown: str, way: tuple[Path, ...]) -> tuple[syntax.File, list[list[syntax.Section]]]:
        """A file's tree, and the layers up to and with it."""
        source = read(path, shown, self.problems)
        if source is None:
            return syntax.File(None, ()), []
        self.sources.append(source)
        return self.layered(parse(source, self.problems, self.examples), path, way)

    def layered(
        self, file: syntax.File, path: Path, way: tuple[Path, ...]
    ) -> tuple[syntax.File, list[list[syntax.Section]]]:
        """A tree with the layers up to and with it."""
        layers: list[list[syntax.Section]] = []
        if file.header and file.header.of:
            found = self._find(file.header.of, path, (*way, path))
            if found:
                base, layers = self.gather(*found, (*way, path))
                if base.header and base.header.kind == "pieces":
                    fact = "a variant is of a game or of another variant; this file holds only pieces"
                    self.problems.append(WrongPlace(file.header.of.span, fact, "Say `use` to take pieces into a game."))
        layers.append(self._with_pieces(file, path, (*way, path)))
        return file, layers

    def _with_pieces(self, file: syntax.File, path: Path, way: tuple[Path, ...]) -> list[syntax.Section]:
        sections: list[syntax.Section] = []
        for section in file.sections:
            if not isinstance(section, syntax.Use):
                sections.append(section)
                continue
            found = self._find(section.path, path, way)
            if found is None or found[0] in self.used:
                continue
            self.used.add(found[0])
            pieces, layers = self.gather(*found, way)
            if pieces.header and pieces.header.kind != "pieces":
                fact = f"`{section.path.text}` is a {pieces.header.kind}; only pieces can be used"
                self.problems.append(WrongPlace(section.path.span, fact, "Make it a variant of that game instead."))
            sections += [part for layer in layers for part in layer]
        return sections

    def _find(self, name: syntax.Text, beside: Path, way: tuple[Path, ...]) -> tuple[Path, str] | None:
        """The file that a name in a rules file means."""
        for root in (beside.parent, library_folder()):
            path = root / (name.text + SUFFIX)
            if not there(path):
                continue
            if not _inside(path, self.folder) and not _inside(path, library_folder()):
                fact = f"`{name.text}` leads out of the folder of the rules file"
                self.problems.append(OutsideFolder(name.span, fact))
                return None
            if any(one.exists() and path.samefile(one) for one in way):
                chain = " → ".join(one.stem for one in (*way, path))
                hint = "Give this file another name than the one it builds on." if path.samefile(beside) else None
                self.problems.append(Circle(name.span, f"the files lead back to themselves: {chain}", hint))
                return None
            if len(way) > DEEPEST_FILES or len(self.sources) >= MOST_FILES:
                fact = f"more than {DEEPEST_FILES} files build on one another"
                if len(self.sources) >= MOST_FILES:
                    fact = f"this ruleset has more than {MOST_FILES} files"
                self.problems.append(TooDeep(name.span, fact))
                return None
            return path, _shown(path, self.sources[0].name)
        known = [entry.name for entry in library()] + [p.stem for p in beside.parent.glob(f"*{SUFFIX}")]
        fact = f"no rules file `{name.text}` beside this one or in the library"
        self.problems.append(MissingFile(name.span, fact, near(name.text, known)))
        return None


def _inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _shown(path: Path, first: str) -> str:
    """How a second file is called in messages: beside the first one, or by its place in the library."""
    if _inside(path, library_folder()):
        return path.resolve().relative_to(library_folder().resolve()).as_posix()
    return (Path(first).parent / path.name).as_posix()


def gather(path: Path, shown: str, problems: list[Problem], examples: bool = True) -> Gathered | None:
    """A rules file and all it names; None where the file itself gives nothing to go on with."""
    gatherer = _Gatherer(path.parent, problems, examples)
    file, layers = gatherer.gather(path, shown, ())
    return _gathered(gatherer, file, layers) if gatherer.sources else None


def _gathered(gatherer: _Gatherer, file: syntax.File, layers: list[list[syntax.Section]]) -> Gathered | None:
    header = file.header
    if header is None:
        if not gatherer.problems:
            start = Span(gatherer.sources[0], 0, 0)
            fact = 'a rules file begins with `game "Title"`, `variant "Title" of …` or `pieces "Title"`'
            gatherer.problems.append(MissingPart(start, fact))
        return None
    return Gathered(header.kind, header.title, tuple(map(tuple, layers)), tuple(gatherer.sources))


def gather_text(source: Source, problems: list[Problem]) -> Gathered | None:
    """The same for a text that is in no file: it may name only files of the library."""
    gatherer = _Gatherer(library_folder(), problems)
    gatherer.sources.append(source)
    file, layers = gatherer.layered(parse(source, problems), library_folder() / "a text", ())
    return _gathered(gatherer, file, layers)
