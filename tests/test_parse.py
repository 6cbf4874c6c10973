"""Reading text: what can be read gives a tree, what cannot gives problems in words, and nothing else ever happens."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mistakes import MISTAKES
from strategies import Written, derived, real_pieces, rules_files, ways, written, wrong_files

from regelwerk.dsl import files, grammar, syntax, words
from regelwerk.dsl.parse import DEEPEST, MOST_CHARACTERS, MOST_PROBLEMS, parse
from regelwerk.dsl.problems import Problem, TooDeep
from regelwerk.dsl.render import as_json, draw
from regelwerk.dsl.source import Source, Span

RULESETS = Path(__file__).parent.parent / "rulesets"


def read(text: str) -> tuple[syntax.File, list[Problem]]:
    problems: list[Problem] = []
    return parse(Source("made.rules", text), problems), problems


def said(problems: list[Problem]) -> list[str]:
    """Line and code of each problem."""
    return [f"{problem.at.line} {problem.code}" for problem in problems]


def in_setup(*statements: str) -> str:
    return "".join(f"{line}\n" for line in ["setup:", *(f"    {statement}" for statement in statements)])


def nodes(node: syntax.Node) -> Iterator[syntax.Node]:
    """The nodes right under a node."""
    waiting = [getattr(node, field.name) for field in attrs.fields(type(node)) if field.name != "span"]
    for value in waiting:
        if isinstance(value, tuple):
            waiting.extend(value)
        elif isinstance(value, syntax.Node):
            yield value


def astray(node: syntax.Node) -> list[str]:
    """The nodes under a node that do not lie inside the one above them, or not where their text stands."""
    found, waiting = [], [node]
    for above in waiting:
        for below in nodes(above):
            waiting.append(below)
            inside = above.span.start <= below.span.start <= below.span.end <= above.span.end
            if not inside or (isinstance(below, syntax.Name | syntax.Text) and below.text not in below.span.text):
                found.append(f"{below!r} at {below.span.start}:{below.span.end}")
    return found


# ---- what can be read ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(RULESETS.rglob("*.rules")), ids=lambda path: path.stem)
def test_shipped_rulesets(path: Path) -> None:
    """Every shipped ruleset can be read, and every node of it knows where it stands."""
    tree, problems = read(path.read_text("utf-8"))

    assert [] == said(problems)
    assert [] == astray(tree)


@pytest.mark.parametrize("root", ["_section", "header"])
def test_every_form_of_the_grammar(root: str) -> None:
    """The shortest text for each form of each rule is read without a problem."""
    for way in ways(root).values():
        before = [] if root == "header" else ["GAME", "STRING", "_NL"]
        text = written([*before, *derived(root, iter(()), way)]).text
        tree, problems = read(text)

        assert ([], []) == (said(problems), astray(tree)), text


@given(rules_files())
def test_made_files(made: Written) -> None:
    """A file derived from the grammar is read without a problem, and every node of it knows where it stands."""
    tree, problems = read(made.text)

    assert [] == said(problems)
    assert [] == astray(tree)
    assert len(made.text) == tree.span.end


def test_spans_leave_out_comments() -> None:
    """A statement ends with its code, not with the comment behind it or the lines below."""
    tree, _ = read("setup:\n    if a:  # first\n        throw b  # second\n\n    # third\n\nscore: 3\n")
    setup = tree.sections[0]
    assert isinstance(setup, syntax.Setup)
    condition = setup.body[0]
    assert isinstance(condition, syntax.If)

    assert "if a:  # first\n        throw b" == condition.span.text == condition.cases[0].span.text
    assert setup.span.text.endswith("throw b")


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "# only a comment", "   # indented", "\n\n\n# a\n\n", 'game "Ü"', 'game "\U0001f3b2"\n',
        "setup:\n throw größe\n", "score: a  \t \n", "define a = (\nb\n)\n", "score: (a\n# b\n+ c)\n",
    ],
)  # fmt: skip
def test_odd_texts(text: str) -> None:
    """Empty files, odd spacing, letters of other languages and free lines inside brackets are no problem."""
    assert [] == said(read(text)[1])


def test_words_are_whole() -> None:
    """A keyword is not read off the beginning of a longer word."""
    assert ["2 R002"] == said(read(in_setup("move a tob"))[1])
    assert ["1 R002"] == said(read("players 2x")[1])
    assert [] == said(read(in_setup("throw tofu", "ending = 3", "notempty = 3"))[1])


# ---- what is said about mistakes -------------------------------------------------------------------------


@pytest.mark.parametrize("topic", MISTAKES)
def test_reports(topic: str, golden: Callable[[str, str], None]) -> None:
    """What a person sees for each typical mistake."""
    drawn = []
    for text in MISTAKES[topic]:
        drawn += [draw(problem) for problem in read(text)[1]]

    golden(f"reports/notation/{topic}.txt", "\n\n".join(drawn) + "\n")


@pytest.mark.parametrize("topic", MISTAKES)
def test_one_mistake_is_one_problem(topic: str) -> None:
    """A single mistake is reported once, and what follows it is read."""
    for text in MISTAKES[topic]:
        tree, problems = read(text + "\nscore: untouched\n")

        assert 1 == len(problems), text
        assert any(isinstance(section, syntax.Score) for section in tree.sections), text


def test_independent_mistakes() -> None:
    """Several mistakes in several places are reported in one run, in the order of the text."""
    text = """\
game "Many"
plyers 2..4

components chips:
    has number 1..6
    faces side: up, down
    2 each

zone bag = chips

setup:
    if a == b:
        throw chips
    move chips bag
    for c in chips
        throw c
    while a: throw b

play:
    phase turn each player:
        roll dice
        choose one from bag
        match a:
            1 throw b
            2: throw c
        throw d

score; points
winner: highest score lowest minus
"""

    problems = read(text)[1]

    assert [2, 5, 7, 9, 12, 14, 15, 17, 21, 22, 24, 28, 29] == [problem.at.line for problem in problems]


def test_no_more_than_can_be_read() -> None:
    """Of very many problems only the first are told."""
    assert MOST_PROBLEMS == len(read("zone = chips\n" * 200)[1])


def test_one_look_at_odd_characters() -> None:
    """The same odd character all over a file is one problem."""
    problems = read("zone a: chips\r\nzone b: chips\r\n\x07")[1]

    assert ["1 R008", "3 R008"] == said(problems)
    assert problems[0].report().primary.text.endswith("(and 1 more like it)")


def test_tabs() -> None:
    """Lines indented with tabs are one problem; tabs elsewhere are space."""
    assert ["2 R003"] == said(read("setup:\n\tthrow a\n\tthrow b\n")[1])
    assert [] == said(read("setup:\t# a\n    throw\ta\t# b\n\t\n\t# c\n")[1])


def test_line_ends(tmp_path: Path) -> None:
    """Files with the line ends of Windows and old Macs, with or without a mark at the start, are read alike."""
    trees = []
    for name, data in enumerate(
        [b'game "A"\r\nscore: b\r\n', b'game "A"\rscore: b', b'\xef\xbb\xbfgame "A"\nscore: b\n']
    ):
        path = tmp_path / f"{name}.rules"
        path.write_bytes(data)
        problems: list[Problem] = []
        source = files.read(path, path.name, problems)
        assert source is not None
        trees.append(parse(source, problems))
        assert [] == problems

    assert trees[0] == trees[1] == trees[2]


NO_WORDS_OF_OURS = re.compile(r"\b_?[A-Z][A-Z_]+\b")


def told(problem: Problem) -> str:
    """Everything that is said about a problem, without what is quoted."""
    report = problem.report()
    parts = [report.title, report.primary.text, report.hint or "", *(label.text for label in report.others)]
    return re.sub(r'`[^`]*`|"[^"]*"|U\+[0-9A-F]+', "", "\n".join(parts))


@pytest.mark.parametrize("topic", MISTAKES)
def test_no_names_of_terminals(topic: str) -> None:
    """What the grammar calls its terminals is never said."""
    for text in MISTAKES[topic]:
        for problem in read(text)[1]:
            assert not NO_WORDS_OF_OURS.search(told(problem)), told(problem)


def test_what_is_expected_is_short() -> None:
    """Wherever reading may get stuck, what could have stood there is said in few words."""
    states = grammar.parser().parse_interactive("").parser_state.parse_conf.states
    for state in states.values():
        names = [str(name) for name in state if str(name).isupper()]
        sentence = words.expected(names)

        assert not NO_WORDS_OF_OURS.search(re.sub(r"`[^`]*`", "", sentence)), names
        assert len(sentence.split(", ")) <= 2 * words.MOST_WORDS, sentence


# ---- whatever the text -----------------------------------------------------------------------------------


def check_problems(text: str) -> None:
    tree, problems = read(text)
    for problem in problems:
        assert 0 <= problem.at.start <= problem.at.end <= len(text)
        assert not NO_WORDS_OF_OURS.search(told(problem)), told(problem)
        assert draw(problem)
        assert as_json(problem)["file"] == "made.rules"
    assert [] == astray(tree)


@given(st.one_of(st.text(), st.text(alphabet='ab =:()[]."\n #if x3-\t')))
@example("\0")
@example("(")
@example('"')
@example(" a")
@example("\ud800")
@example("else:")
@example(":\n :")
@example("score: (\n\n)\n)")
@example("setup:\n  a\n b\n   c\n d")
def test_any_text(text: str) -> None:
    """Any text gives a tree or problems."""
    check_problems(text)


@given(wrong_files())
def test_wrong_files(text: str) -> None:
    """A real ruleset with lines or tokens lost, doubled or exchanged gives a tree or problems."""
    check_problems(text)


LONG = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "score: " + "(" * LONG, "score: " + ")" * LONG, "score: " + "a" * LONG, "score: " + "a " * LONG, "\n" * LONG,
        "score: " + "-" * LONG + "1", "#" * LONG, '"' * LONG, "score: " + "1" * LONG, " " * LONG + "a", ":" * LONG,
        "zone a: " + "b, " * LONG + "c", "a" * LONG + " b", "(\n" * (LONG // 10), "setup:\n" + " a\n" * (LONG // 10),
    ],
    ids=range(15),
)  # fmt: skip
def test_long_texts(text: str) -> None:
    """Lines, words and files of any length are read in moments, and their problems drawn in lines of usual length."""
    for problem in read(text)[1]:
        assert len(draw(problem)) < 1_000


def nested(depth: int) -> dict[str, str]:
    """Texts that are nested so deeply, in every way there is."""
    return {
        "brackets": f"score: {'(' * depth}a{')' * depth}\n",
        "calls": f"score: {'f(' * depth}a{')' * depth}\n",
        "indexes": f"score: {'a[' * depth}a{']' * depth}\n",
        "signs": f"score: {'-' * depth}a\n",
        "negations": f"score: {'not ' * depth}a\n",
        "sums": f"score: a{' + a' * depth}\n",
        "products": f"score: a{' * a' * depth}\n",
        "attributes": f"score: a{'.a' * depth}\n",
        "choices": f"score: {'a if b else ' * depth}c\n",
        "policies": f"strategy s:\n    d: {'a if b else ' * depth}c\n",
        "blocks": "setup:\n" + "".join(f"{' ' * level}if a:\n" for level in range(1, depth)) + " " * depth + "break\n",
    }


@pytest.mark.parametrize("way", nested(1))
def test_deep_texts(way: str) -> None:
    """What is nested too deeply for later stages is a problem, and what is not is read."""
    tree, problems = read(nested(20)[way])
    assert [] == problems
    assert tree == read(nested(20)[way])[0]

    for depth in (DEEPEST + 1, 3_000):
        problems = read(nested(depth)[way] + "score: a\n")[1]
        assert [TooDeep] == [type(problem) for problem in problems]


def test_long_chains_are_not_deep() -> None:
    """What stands side by side is not nested."""
    chains = ["score: a" + " and a" * 500, "score: a" + " or a" * 500, "score: f(a" + ", a" * 500 + ")"]
    cases = "".join(f"    else if a is {n}: break\n" for n in range(300))

    assert [] == [problem for text in chains for problem in read(text)[1]]
    assert [] == read(f"setup:\n    if a: break\n{cases}")[1]


def test_too_large() -> None:
    """A file that is too large is not read at all."""
    assert ["1 R004"] == said(read("#" * (MOST_CHARACTERS + 1))[1])


def test_large_files_with_problems() -> None:
    """A large file is not read again for each of its problems."""
    piece = "".join(real_pieces())
    text = ("zone = a\n" + piece) * (MOST_CHARACTERS // (len(piece) + 9))

    assert 1 <= len(read(text)[1]) <= 10


# ---- problems drawn --------------------------------------------------------------------------------------


@given(st.text(), st.data())
def test_any_span_can_be_drawn(text: str, data: st.DataObject) -> None:
    """A stretch of any text, and one that lies outside it, can be drawn and given as data."""
    start, end = (data.draw(st.integers(0, len(text) + 2)) for _ in range(2))
    problem = TooDeep(Span(Source("made.rules", text), start, end), "a fact")

    drawn = draw(problem)

    assert drawn.isprintable() or all(part.isprintable() for part in drawn.split("\n"))
    assert draw(problem, colour=True).count("\033[0m") >= 2
    assert {"line", "column", "end_line", "end_column"} <= set(as_json(problem))


# ---- the parser that comes along -------------------------------------------------------------------------


def test_saved_parser(request: pytest.FixtureRequest) -> None:
    """The saved parser is of the grammar as it stands, and reads as one that is made anew."""
    path = Path(grammar.__file__).with_name(grammar.SAVED)
    if request.config.getoption("--update"):
        path.write_bytes(grammar.saved())
    fresh, (_, _, digest) = grammar.saved(), path.read_bytes().split(b"\n", 1)[0].split()

    assert digest == fresh.split(b"\n", 1)[0].split()[2], "run pytest tests/test_parse.py --update"
    made = grammar.made()
    for ruleset in ("thirty", "nacho_pile", "chipbanditen/standard", "clever_hoch_drei/standard"):
        text = (RULESETS / f"{ruleset}.rules").read_text("utf-8") + "\n"
        assert made.parse(text) == grammar.parser().parse(text)


def test_parser_of_another_lark(monkeypatch: pytest.MonkeyPatch) -> None:
    """A saved parser is not used where another Lark runs."""
    monkeypatch.setattr("lark.__version__", "0.0")
    grammar.parser.cache_clear()

    assert grammar.parser().parse('game "x"\n') == grammar.made().parse('game "x"\n')
    grammar.parser.cache_clear()
