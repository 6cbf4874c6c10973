"""What the pages show is what happens: their rules load and play, their commands run, their links lead somewhere.

The word after three backticks says what a block is:

    rules                 a whole file: it is in house style, loads, its examples hold, and random games end well
    rules NAME.rules      the same, and kept under this name for what follows on the page
    rules NAME.rules more the same, added at the end of what the page has under this name
    rules table           a whole file too; the fragments of the page are laid on it, in place of `nothing  # here`
    rules fragment        sections that are added to the table, or statements
    rules R201            a whole file with this problem and no other; `rules fragment R201` for a fragment
    sh                    commands, run one after the other in a folder with the files named before
    console               the same after `$ `, with what they print; a line `…` stands for any lines,
                          and `…` in a line for anything
    python NAME.py        tests for pytest, which pass in a folder with the files named before
    python NAME.py fails  the same, but they fail, and the next block is part of what Hypothesis prints

`pytest --update tests/test_docs.py` writes what commands print into the pages, where no `…` stands among it.
"""

import re
import runpy
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner
from lark import Token, Tree

from regelwerk import cli, dsl
from regelwerk.dsl import files, grammar, rules, words
from regelwerk.dsl.check.names import FUNCTIONS
from regelwerk.dsl.format import format_text
from regelwerk.interpreter.agents import Random
from regelwerk.interpreter.examples import run_examples
from regelwerk.interpreter.playing import play
from regelwerk.interpreter.reference import Reference
from regelwerk.interpreter.stream import Stream

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    path
    for folder in (ROOT, ROOT / "docs", ROOT / "rulesets", ROOT / "tests", ROOT / "benchmarks", ROOT / "dsl")
    for path in (folder.glob("*.md") if folder != ROOT / "docs" else folder.rglob("*.md"))
)
OURS = (
    "README.md", "docs/README.md", "docs/tutorial.md", "docs/language.md", "docs/verify.md", "docs/decisions/",
    "rulesets/README.md",
)  # fmt: skip
"""The pages whose commands are run here; the others' have tests of their own."""

HERE = "nothing  # here"
ONCE = ("players", "teams", "setup", "play", "score", "winner", "bounds")
MOST_GAMES = 50
SPEED = re.compile(r"[\d.]+ s, [\d.,]+ games a second")
SETUP = "python3 -m venv .venv && .venv/bin/pip install -q "


# ---- the blocks of a page ------------------------------------------------------------------------------


@attrs.frozen
class Block:
    """A fenced block of a page: the words behind its backticks, its text, and the line where that begins."""

    page: str
    line: int
    words: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def file(self) -> str | None:
        """The name it is kept under."""
        return next((word for word in self.words if word.endswith(files.SUFFIX)), None)

    @property
    def codes(self) -> set[str]:
        """The problems it has."""
        return {word for word in self.words if re.fullmatch(r"R\d+", word)}


@cache
def blocks(page: str) -> tuple[Block, ...]:
    """The fenced blocks of a page."""
    text = (ROOT / page).read_text("utf-8")
    found = []
    for match in re.finditer(r"^```([^\n`]+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start(2)) + 1
        found.append(Block(page, line, tuple(match[1].split()), match[2]))
    return tuple(found)


def files_at(block: Block) -> dict[str, str]:
    """The files that a page has named up to a block, with this one."""
    found: dict[str, str] = {}
    for before in blocks(block.page):
        if before.file:
            found[before.file] = f"{found[before.file]}\n{before.text}" if "more" in before.words else before.text
        if before is block:
            break
    return found


def names(*kinds: str) -> list[Block]:
    """All blocks of these kinds, on whatever page."""
    pages = [path.relative_to(ROOT).as_posix() for path in PAGES]
    return [block for page in pages for block in blocks(page) if block.words[0] in kinds]


RULES = names("rules")


# ---- rules ---------------------------------------------------------------------------------------------


def is_sections(text: str) -> bool:
    """Whether a fragment consists of sections, and not of statements."""
    try:
        grammar.read(text)
    except grammar.Stuck:
        return False
    return True


def laid_on_table(block: Block) -> tuple[str, str]:
    """The table with a fragment laid on it, and pieces for it to use."""
    table = next(other.text for other in blocks(block.page) if "table" in other.words)
    assert table.count(HERE) == 1, "the table says where statements are laid"
    if not is_sections(block.text):
        before, line, after = re.split(rf"(^ *{re.escape(HERE)}\n)", table, flags=re.MULTILINE)
        indent = line[: -len(line.lstrip())]
        lines = [indent + each if each.strip() else each for each in block.text.splitlines(keepends=True)]
        return before + "".join(lines) + after, ""
    own = set(re.findall(r"^(\w+)", block.text, re.MULTILINE)) & set(ONCE)
    sections = [
        part for part in re.split(r"^(?=\w)", table, flags=re.MULTILINE) if part.split(":")[0].split()[0] not in own
    ]
    return "".join([*sections, "use fragment\n"]), f'pieces "Fragment"\n{block.text}'


def written(block: Block, folder: Path) -> Path:
    """The file of a block in a folder, with those it may need beside it."""
    for name, text in files_at(block).items():
        (folder / name).write_text(text, "utf-8")
    if block.file:
        return folder / block.file
    path = folder / "shown.rules"
    text = block.text
    if "fragment" in block.words:
        text, pieces = laid_on_table(block)
        (folder / "fragment.rules").write_text(pieces, "utf-8")
    path.write_text(text, "utf-8")
    return path


def problems(path: Path) -> list[str]:
    """What is wrong with a file."""
    try:
        dsl.load(path)
    except dsl.RulesetError as error:
        return [f"{each.at}: {each.code} {each.text()}" for each in error.problems]
    return []


@pytest.mark.parametrize("block", [block for block in RULES if not block.codes], ids=str)
def test_rules_hold(block: Block, tmp_path: Path) -> None:
    """Rules that a page shows load, their examples go as they say, and random games come to their end."""
    path = written(block, tmp_path)
    if block.text.lstrip().startswith("pieces "):
        return

    assert [] == problems(path)
    game = dsl.load(path).game
    assert [] == [f"{f.span}: {f.message}" for _, f in run_examples(game, game.examples) if f]
    least, most = game.players
    for players in range(least, min(most, 4) + 1):
        engine = Reference(game, players)
        for number in range(5):
            played = play(engine, [Random()] * players, Stream(1, number))

            assert None is played.fault, f"{players} players, game {number}"


@pytest.mark.parametrize("block", [block for block in RULES if block.codes], ids=str)
def test_wrong_rules_are_wrong(block: Block, tmp_path: Path) -> None:
    """Rules that a page shows as wrong have the problem that it names, and no other."""
    path = written(block, tmp_path)
    with pytest.raises(dsl.RulesetError) as caught:
        dsl.load(path)

    assert block.codes == {problem.code for problem in caught.value.problems}


@pytest.mark.parametrize("block", RULES, ids=str)
def test_rules_are_in_house_style(block: Block) -> None:
    """Rules on a page are written as `regelwerk fmt` writes them."""
    text = block.text
    if "fragment" in block.words and not is_sections(text):
        lines = text.splitlines(keepends=True)
        text = "play:\n" + "".join("    " + line if line.strip() else line for line in lines)
    if block.codes & {"R002", "R003"}:
        return

    assert format_text(dsl.Source("shown.rules", text)) == text


# ---- nothing of the language is left out ---------------------------------------------------------------


def trees(page: str) -> Iterator[Tree[Token]]:
    """The parse trees of a page's rules."""
    for block in blocks(page):
        if block.words[0] != "rules" or block.codes:
            continue
        text = block.text
        if "fragment" in block.words and not is_sections(text):
            text = "play:\n" + "".join(f"    {line}\n" for line in text.splitlines())
        yield grammar.read(text)


def test_every_construct_has_an_example() -> None:
    """The reference shows every rule of the grammar at work."""
    text = (ROOT / "dsl" / "grammar.lark").read_text("utf-8")
    rules = set(re.findall(r"^([a-z]\w*)\s*:", text, re.MULTILINE)) | set(re.findall(r"-> (\w+)", text))
    shown = {node.data for tree in trees("docs/language.md") for node in tree.iter_subtrees()}

    assert set() == rules - {"hole"} - shown


def test_every_word_has_an_example() -> None:
    """The reference shows every word and sign of the grammar at work."""
    leaves = [leaf for tree in trees("docs/language.md") for leaf in tree.scan_values(bool)]
    tokens = {leaf.type for leaf in leaves if isinstance(leaf, Token)}
    # Signs that the tree does not keep are there wherever the text is read at all.
    text = "\n".join(block.text for block in blocks("docs/language.md") if block.words[0] == "rules")
    seen = {name for name, word in grammar.literals().items() if re.search(rf"(?<!\w){re.escape(word)}", text)}

    assert {"HOLE"} == set(grammar.literals()) - tokens - seen


def test_every_function_has_an_example() -> None:
    """The reference shows every function at work."""
    calls = {str(node.children[0]) for tree in trees("docs/language.md") for node in tree.find_data("call")}

    assert set() == FUNCTIONS - calls


def test_free_properties_are_listed() -> None:
    """The reference lists what is looked at in every game."""
    text = (ROOT / "docs" / "language.md").read_text("utf-8")
    listed = re.search(r"<!-- free -->\n(.*?)\n<!-- -->", text, re.DOTALL)

    assert listed is not None
    assert [f"- {name}" for name in rules.FREE] == listed[1].splitlines()


def test_reserved_words_are_listed() -> None:
    """The reference lists the words that nothing of a game may be called, and no other."""
    text = (ROOT / "docs" / "language.md").read_text("utf-8")
    listed = re.search(r"<!-- reserved -->\n(.*?)\n<!-- -->", text, re.DOTALL)

    assert listed is not None
    assert sorted(words.reserved() | FUNCTIONS) == sorted(re.findall(r"`(\w+)`", listed[1]))


# ---- commands ------------------------------------------------------------------------------------------


@attrs.frozen
class Command:
    """A command of a page, and what it is said to print, if that is said."""

    line: int
    text: str
    output: tuple[str, ...] | None


def commands(block: Block) -> Iterator[Command]:
    """The commands of a block."""
    lines = block.text.splitlines()
    if block.words[0] == "sh":
        for number, line in enumerate(lines):
            if line and not line.startswith("#"):
                yield Command(block.line + number, line, None)
        return
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    assert starts[0] == 0, f"{block}: begins with a command"
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield Command(block.line + start, lines[start][2:], tuple(lines[start + 1 : end]))


def arguments(command: Command) -> list[str]:
    """What the program is to be given: fewer games where nobody looks at the figures, no other process."""
    program, *given = shlex.split(command.text.rpartition(" && ")[2], comments=True)
    assert program in ("regelwerk", ".venv/bin/regelwerk"), command.text
    if command.output is None and "--games" in given:
        at = given.index("--games") + 1
        given[at] = str(min(int(given[at]), MOST_GAMES))
    return [*given, "--jobs", "1"] if given[0] == "simulate" else given


def matches(expected: tuple[str, ...], actual: list[str]) -> bool:
    """Whether lines are those expected, where `…` stands for any, and in a line for anything."""
    pattern = "".join(
        r"(.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"\n" for line in expected
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual)) is not None


def is_ours(page: str) -> bool:
    """Whether a page's commands are run here."""
    return any(page == ours or (ours.endswith("/") and page.startswith(ours)) for ours in OURS)


@pytest.mark.parametrize("page", sorted({b.page for b in names("sh", "console", "text") if is_ours(b.page)}))
def test_commands_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Every command on a page runs, in order, and prints what the page says."""
    monkeypatch.chdir(tmp_path)
    update: bool = request.config.getoption("--update")
    printed: dict[int, list[str]] = {}
    for block in blocks(page):
        if block.file:
            (tmp_path / block.file).write_text(files_at(block)[block.file], "utf-8")
        for command in commands(block) if block.words[0] in ("sh", "console") else ():
            if command.text.startswith(SETUP) and "regelwerk" not in command.text:
                continue  # `.ci/run` runs it
            result = CliRunner().invoke(cli.program, arguments(command), prog_name="regelwerk")
            where = f"{page}:{command.line}: {command.text}"
            lines = [line.rstrip() for line in result.output.splitlines()]

            assert not isinstance(result.exception, Exception), f"{where}\n{result.exception!r}\n{result.output}"
            if command.output is None:
                assert 0 == result.exit_code, f"{where}\n{result.output}"
            elif update and "…" not in command.output[:-1] and not matches(command.output, lines):
                printed[command.line] = shown(command.output, lines)
            else:
                assert matches(command.output, lines), f"{where}\n" + "\n".join(lines)
    if printed:
        write_in(ROOT / page, printed)


def shown(before: tuple[str, ...], lines: list[str]) -> list[str]:
    """What a page is to show of what was printed: no speed, and no more lines than before where it broke off."""
    new = ["…" if SPEED.fullmatch(line) else line for line in lines]
    if before and before[-1] == "…" and new[-1] != "…":
        return [*new[: len(before) - 1], "…"]
    return new


def write_in(page: Path, printed: dict[int, list[str]]) -> None:
    """Put what was printed below commands, which stand in these lines."""
    lines = page.read_text("utf-8").splitlines()
    for number in sorted(printed, reverse=True):
        end = next(at for at in range(number, len(lines)) if lines[at].startswith(("$ ", "```")))
        lines[number:end] = printed[number]
    page.write_text("\n".join(lines) + "\n", "utf-8")


# ---- tests on pages ------------------------------------------------------------------------------------

PYTHON = [block for block in names("python") if len(block.words) > 1]


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_python_tests_run(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests on a page pass, or fail with what the page shows."""
    monkeypatch.chdir(tmp_path)
    for name, text in files_at(block).items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / block.words[1]).write_text(block.text, "utf-8")
    tests = [test for name, test in runpy.run_path(block.words[1]).items() if name.startswith("test_")]

    assert tests
    for test in tests:
        if "fails" not in block.words:
            test()
            continue
        with pytest.raises(AssertionError) as caught:
            test()
        page = blocks(block.page)
        shown = page[page.index(block) + 1].text.splitlines()

        assert matches(("…", *shown, "…"), "\n".join(caught.value.__notes__).splitlines())


def test_the_two_commands_are_there() -> None:
    """The README says in one line each how to play ten thousand games and how to run the tests."""
    text = (ROOT / "README.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith(SETUP)]

    assert [
        SETUP + ". && .venv/bin/regelwerk simulate chipbanditen/junior --games 10000",
        SETUP + "'.[test]' && .venv/bin/pytest -q -n 2",
    ] == lines


# ---- links ---------------------------------------------------------------------------------------------


def anchors(text: str) -> set[str]:
    """What can be linked to in a page: its headings as GitHub names them."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Every link within the project leads to a file, and to a heading where it names one."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, anchor = target.partition("#")
        if "://" in target:
            continue
        path = (page.parent / file).resolve() if file else page
        if not path.exists() or (anchor and anchor not in anchors(path.read_text("utf-8"))):
            broken.append(target)

    assert [] == broken


# ---- the table of games --------------------------------------------------------------------------------


def test_the_table_of_games_is_complete() -> None:
    """`rulesets/README.md` has a row for each ruleset, with its title and the players it is for."""
    text = (ROOT / "rulesets" / "README.md").read_text("utf-8")
    rows = {m[1]: (m[2], m[3]) for m in re.finditer(r"^\| `([\w/]+)` \| ([^|]+?) \| ([^|]+?) \|", text, re.MULTILINE)}

    assert {entry.name: expected_row(entry) for entry in dsl.library()} == rows


def expected_row(entry: dsl.Entry) -> tuple[str, str]:
    """A ruleset's title, and its players."""
    if entry.kind == "pieces":
        return entry.title, "–"
    least, most = dsl.load(entry.name).game.players
    return entry.title, str(least) if least == most else f"{least}–{most}"
