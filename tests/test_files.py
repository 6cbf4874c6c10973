"""Rules files are a stranger's data: whatever lies there, a load gives a ruleset or says what is wrong with it."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from regelwerk import dsl
from regelwerk.dsl import files
from regelwerk.dsl.parse import MOST_CHARACTERS

GAME = 'game "G"\nplayers 2\nplay: nothing\n'
needs_permissions = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def wrong(name: str | Path) -> list[tuple[str, str, str]]:
    """The code, the fact and the marked text of each problem."""
    with pytest.raises(dsl.RulesetError) as raised:
        dsl.load(name)
    return [(problem.code, problem.text(), problem.at.text) for problem in raised.value.problems]


def codes(name: str | Path) -> list[str]:
    return [code for code, *_ in wrong(name)]


def write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        path = folder / f"{name}.rules"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


# ---- how a ruleset is named ------------------------------------------------------------------------------


def test_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ruleset goes by its path, with or without suffix, or by its name in the library."""
    write(tmp_path, {"g": GAME})
    monkeypatch.chdir(tmp_path)

    assert tmp_path / "g.rules" == dsl.load(tmp_path / "g.rules").path
    assert tmp_path / "g.rules" == dsl.load(tmp_path / "g").path
    assert "G" == dsl.load("g.rules").game.title == dsl.load("g").game.title
    assert "Thirty" == dsl.load("thirty").game.title == dsl.load("thirty.rules").game.title


def test_a_file_goes_before_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of one's own hides the library's ruleset of the same name."""
    write(tmp_path, {"thirty": GAME})
    monkeypatch.chdir(tmp_path)

    assert "G" == dsl.load("thirty").game.title


@pytest.mark.parametrize("name", ["thirtyy", "no such thing", "", "\0", "a" * 5000, "../../no/passwd", "chipbanditen"])
def test_no_such_ruleset(name: str) -> None:
    """What is neither a file nor in the library is reported."""
    assert codes(name) in (["R001"], ["R005"])


def test_nearly_a_ruleset() -> None:
    """A name that is nearly one of the library's is corrected."""
    with pytest.raises(dsl.RulesetError) as raised:
        dsl.load("thirrty")

    assert ["Did you mean `thirty`?"] == [problem.hint() for problem in raised.value.problems]


@pytest.mark.parametrize("path", ["/etc/passwd", "/dev/null", "/proc/self/mem", "/", "/no/such.rules", "/no/such"])
def test_a_path_leads_to_no_rules(path: str) -> None:
    """Any path gives problems, never another error."""
    assert codes(path)


# ---- what a file is --------------------------------------------------------------------------------------


def test_not_a_file(tmp_path: Path) -> None:
    """A folder, a pipe or nothing at all is not opened."""
    tmp_path.joinpath("folder.rules").mkdir()
    os.mkfifo(tmp_path / "pipe.rules")
    tmp_path.joinpath("loop.rules").symlink_to("loop.rules")
    tmp_path.joinpath("dangling.rules").symlink_to("nowhere.rules")

    for name, why in [
        ("folder", "is a folder"),
        ("pipe", "is not a regular file"),
        ("loop", "does not exist"),
        ("dangling", "does not exist"),
        ("missing", "does not exist"),
    ]:
        path = tmp_path / f"{name}.rules"

        assert [("R001", f"`{path}` {why}", "")] == wrong(path)


@needs_permissions
def test_not_allowed(tmp_path: Path) -> None:
    """A file that may not be read is reported."""
    write(tmp_path, {"g": GAME})
    tmp_path.joinpath("g.rules").chmod(0)

    assert ["R001"] == codes(tmp_path / "g.rules")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("ä".encode("latin-1"), "R001"),
        (b"\x00\x01\x02", "R008"),
        (b"\xff\xfeg\x00a\x00", "R001"),
        (b"\x7fELF\xd0\xd1", "R001"),
        (b"", "R101"),
        (b"# only a comment\n", "R101"),
        (b"\n\n   \n", "R101"),
        (b"players 2\nplay: nothing\n", "R101"),
        (b"\t" + GAME.encode(), "R003"),
        (b"x" * (files.MOST_BYTES + 1), "R004"),
        (b"#" * (MOST_CHARACTERS + 1), "R004"),
        (b"1" * 100_000, "R004"),
        (GAME.encode() + b"var x = " + b"(" * 5000 + b"1" + b")" * 5000, "R004"),
        (GAME.encode() + b"var x = " + b"(" * 500 + b"1" + b")" * 500, "R004"),
        (GAME.encode() + b"var x = " + b"not " * 5000 + b"yes\n", "R004"),
        (GAME.encode() + b"var x = 1" + b" + 1" * 5000 + b"\n", "R004"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_what_is_in_a_file(data: bytes, expected: str, tmp_path: Path) -> None:
    """Bytes of any kind give problems."""
    path = tmp_path / "g.rules"
    path.write_bytes(data)

    assert expected in codes(path)


@pytest.mark.parametrize("bytes_", [b"\xef\xbb\xbf" + GAME.encode(), GAME.replace("\n", "\r\n").encode()])
def test_how_a_text_is_saved(bytes_: bytes, tmp_path: Path) -> None:
    """A byte order mark and other line ends change nothing."""
    path = tmp_path / "g.rules"
    path.write_bytes(bytes_)
    same = dsl.load_text(bytes_.decode("utf-8"))

    assert dsl.load_text(GAME).fingerprint == dsl.load(path).fingerprint == same.fingerprint


def test_pieces_are_no_game(tmp_path: Path) -> None:
    """Pieces alone cannot be played."""
    write(tmp_path, {"p": 'pieces "P"\n'})

    assert [("R104", "these are pieces for games to use, not a game", '"P"')] == wrong(tmp_path / "p.rules")


# ---- files that name others ------------------------------------------------------------------------------

DICE = """pieces "Dice"
components dice:
    faces pips: 1..6
    2 of each
zone tray: dice
"""
THROW = """game "Throw"
use dice
players 2
var best: 0..6 = 0
setup:
    move dice to tray
play:
    phase turn each player:
        throw tray
        best = max(tray.pips)
"""


def test_pieces(tmp_path: Path) -> None:
    """A game takes pieces from beside it, also from a folder, and each only once."""
    more = 'pieces "More"\nuse dice\n'
    write(tmp_path, {"g": THROW.replace("use dice", "use parts/more\nuse parts/dice"), "parts/more": more})
    write(tmp_path, {"parts/dice": DICE})

    game = dsl.load(tmp_path / "g.rules")

    assert ["dice"] == [kind.name for kind in game.game.kinds]
    assert 3 == len(game.sources)


def test_a_variant_takes_pieces(tmp_path: Path) -> None:
    """A variant may use pieces of its own, and change those of the game."""
    cards = 'pieces "Cards"\ncomponents cards:\n    1 of each\nzone deck: cards\n'
    variant = 'variant "V" of g\nuse cards\nremove zone tray\nzone tray: dice hidden\nstart of phase turn:\n'
    variant += "    move cards to deck\n"
    write(tmp_path, {"g": THROW, "dice": DICE, "cards": cards, "v": variant})

    game = dsl.load(tmp_path / "v.rules").game

    assert ["dice", "cards"] == [kind.name for kind in game.kinds]
    assert ["hidden"] == [zone.visibility for zone in game.zones if zone.name == "tray"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"g": 'variant "V" of nothing_there\n'}, ("R005", "nothing_there")),
        ({"g": THROW.replace("dice", "dise", 1), "dice": DICE}, ("R005", "dise")),
        ({"g": 'variant "V" of ' + "a" * 3000}, ("R005", "a" * 3000)),
        ({"g": 'variant "V" of g\n'}, ("R007", "g")),
        ({"g": 'variant "V" of h\n', "h": 'variant "W" of g\n'}, ("R007", "g")),
        ({"g": 'variant "V" of h\n', "h": 'variant "W" of h\n'}, ("R007", "h")),
        ({"g": THROW, "dice": DICE + "use dice\n"}, ("R007", "dice")),
        ({"g": THROW, "dice": DICE + "use g\n"}, ("R007", "g")),
        ({"g": THROW, "dice": GAME}, ("R104", "dice")),
        ({"g": THROW, "dice": 'variant "V" of thirty\n'}, ("R104", "dice")),
        ({"g": 'variant "V" of dice\n', "dice": DICE}, ("R104", "dice")),
        ({"g": GAME + "use ../../etc/passwd\n"}, ("R002", ".")),
        ({"g": 'variant "V" of /etc/passwd\n'}, ("R002", "/")),
        ({"g": GAME + "use dice.rules\n", "dice": DICE}, ("R002", ".")),
    ],
    ids=repr,
)
def test_a_file_that_cannot_be_used(texts: dict[str, str], expected: tuple[str, str], tmp_path: Path) -> None:
    """A problem with another file is shown where that is named."""
    write(tmp_path, texts)

    assert expected in [(code, at) for code, _, at in wrong(tmp_path / "g.rules")]


def test_a_circle_is_shown(tmp_path: Path) -> None:
    """The way round a circle is named."""
    write(tmp_path, {"a": 'variant "A" of b\n', "b": 'variant "B" of c\n', "c": 'variant "C" of a\n'})

    assert [("R007", "the files lead back to themselves: a → b → c → a", "a")] == wrong(tmp_path / "a.rules")


def test_out_of_the_folder(tmp_path: Path) -> None:
    """A link does not lead out of the folder of the file that was asked for."""
    write(tmp_path, {"secret": DICE, "games/g": THROW, "games/folder/dice": DICE})
    tmp_path.joinpath("games/dice.rules").symlink_to("../secret.rules")

    assert [("R006", "dice")] == [(code, at) for code, _, at in wrong(tmp_path / "games/g.rules")]

    tmp_path.joinpath("games/dice.rules").unlink()
    tmp_path.joinpath("games/dice.rules").symlink_to("folder/dice.rules")

    assert "Throw" == dsl.load(tmp_path / "games/g.rules").game.title


def test_what_another_file_is(tmp_path: Path) -> None:
    """A folder, a pipe or bytes of any kind behind a name are reported."""
    write(tmp_path, {"g": THROW})
    dice = tmp_path / "dice.rules"
    dice.mkdir()

    assert ["R001"] == codes(tmp_path / "g.rules")

    dice.rmdir()
    os.mkfifo(dice)

    assert ["R001"] == codes(tmp_path / "g.rules")

    dice.unlink()
    dice.write_bytes(b"\xff\xff")

    assert ["R001"] == codes(tmp_path / "g.rules")


def test_variants_of_variants(tmp_path: Path) -> None:
    """Variants build on one another, each on what the one before made of the game."""
    base = GAME.replace("play:", "option n: 1..99 = 1\nvar x: 0..99 = 0\nplay:").replace("nothing", "x = n")
    write(tmp_path, {"v0": base})
    write(tmp_path, {f"v{n}": f'variant "V{n}" of v{n - 1}\noption n = {n}\n' for n in range(1, 30)})

    ruleset = dsl.load(tmp_path / "v15.rules")
    (option,) = ruleset.game.options

    assert ("V15", 16) == (ruleset.game.title, len(ruleset.sources))
    assert "15" == option.default.span.text
    assert ["R004"] == codes(tmp_path / "v29.rules")


def test_too_many_files(tmp_path: Path) -> None:
    """A ruleset of very many files is not followed to the end."""
    many = range(files.MOST_FILES + 20)
    write(tmp_path, {"g": GAME + "".join(f"use p{n}\n" for n in many)})
    write(tmp_path, {f"p{n}": f'pieces "P{n}"\n' for n in many})

    assert {"R004"} == set(codes(tmp_path / "g.rules"))


def test_what_a_variant_took_away_is_shown(tmp_path: Path) -> None:
    """A name that is missing since a variant removed it leads to that line."""
    base = GAME.replace("play: nothing", "var x: 0..9 = 0\nplay: x = 3")
    write(tmp_path, {"base": base, "v": 'variant "V" of base\nremove var x\n'})
    with pytest.raises(dsl.RulesetError) as raised:
        dsl.load(tmp_path / "v.rules")
    (problem,) = raised.value.problems

    assert ("R201", "x") == (problem.code, problem.at.text)
    assert ["it is removed here"] == [label.text for label in problem.others()]
    assert [2] == [label.at.line for label in problem.others()]


def test_variants_cannot_pile_up_depth(tmp_path: Path) -> None:
    """What variants put into one another is not nested deeper than one file may be."""

    def nested(begin: int) -> str:
        phases = (f"{'    ' * n}phase p{begin + n}:\n" for n in range(1, 31))
        return "".join(phases) + "    " * 31 + "nothing\n"

    write(tmp_path, {"v0": GAME.replace("play: nothing", "play:") + nested(0)})
    for n in range(1, 10):
        write(tmp_path, {f"v{n}": f'variant "V" of v{n - 1}\nstart of phase p{30 * n}:\n{nested(30 * n)}'})

    assert "V" == dsl.load(tmp_path / "v1.rules").game.title
    assert "R004" in codes(tmp_path / "v9.rules")


def test_a_text_reads_no_files_but_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that is in no file finds the library's rulesets alone, whatever it is called."""
    write(tmp_path, {"dice": DICE})
    monkeypatch.chdir(tmp_path)
    name = str(tmp_path / "g.rules")
    with pytest.raises(dsl.RulesetError) as raised:
        dsl.load_text(THROW, name)

    assert ["R005"] == [problem.code for problem in raised.value.problems]
    assert "V" == dsl.load_text('variant "V" of thirty\n', name).game.title


def test_the_library_is_right() -> None:
    """Every game and variant of the library can be loaded."""
    names = [entry.name for entry in dsl.library() if entry.kind != "pieces"]

    assert names
    assert names == [dsl.load(name).name for name in names]


# ---- without examples ------------------------------------------------------------------------------------

SHOWN = """
game "G"
players 2
var points: 0..9 = 0
define doubled(n: 0..9) = 2 * n
action unused:
    points += 1
play: points = 3
example "begun":  # with a word on it
    then doubled(points) is 6

# at the edge
    then pionts is 3
measure "points" at end: points
"""


@pytest.mark.parametrize("name", [entry.name for entry in dsl.library() if entry.kind != "pieces"])
def test_examples_passed_over(name: str) -> None:
    """What is played is the same without examples; only bound names are numbered otherwise."""
    whole, played = dsl.load(name).game, dsl.load(name, examples=False).game

    assert not played.examples
    for what in ("title", "players", "options", "kinds", "zones", "variables", "measures", "invariants", "winner"):
        assert getattr(played, what) == getattr(whole, what)
    assert played.setup == whole.setup and played.play == whole.play


def test_wrong_examples_passed_over(tmp_path: Path) -> None:
    """They are told where all is read, and where anything else is wrong."""
    shown = SHOWN.replace("action unused:\n    points += 1\n", "").replace("pionts", "points")
    write(tmp_path, {"shown": shown, "wrong": SHOWN, "more": SHOWN.replace("points = 3", "points = many")})

    assert dsl.load(tmp_path / "shown").game.examples
    assert not dsl.load(tmp_path / "shown", examples=False).game.examples
    assert codes(tmp_path / "wrong")
    measured = dsl.load(tmp_path / "wrong", examples=False).game
    assert not measured.examples and [each.name for each in measured.measures] == ["points"]
    with pytest.raises(dsl.RulesetError) as raised:
        dsl.load(tmp_path / "more", examples=False)
    assert [problem.code for problem in raised.value.problems] == codes(tmp_path / "more")
    assert len(raised.value.problems) >= 2


def test_wrong_rules_beside_examples_that_cannot_be_read(tmp_path: Path) -> None:
    """Both are told, though what cannot be read keeps the rest from being checked."""
    write(tmp_path, {"both": SHOWN.replace("then pionts is 3", "then )").replace("points = 3", "pionts = 3")})
    with pytest.raises(dsl.RulesetError) as raised:
        dsl.load(tmp_path / "both", examples=False)

    assert [(p.code, p.at.line) for p in raised.value.problems] == [("R201", 8), ("R002", 13)]


CALLED = """
game "Called"
players 1
components cards:
    has example: 1..3
    has value: 1..3
    1 of each
zone deck: cards
setup: move cards to deck
define best = highest(deck by (
example * 10 +
value))
zone aside: cards
play: move best to aside
"""


def test_what_is_called_example_is_none(tmp_path: Path) -> None:
    """A line in brackets may begin at the edge, with a name of the rules."""
    write(tmp_path, {"called": CALLED})

    assert dsl.load(tmp_path / "called").game == dsl.load(tmp_path / "called", examples=False).game
