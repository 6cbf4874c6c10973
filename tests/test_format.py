"""The house style: what it looks like, that it is stable, and that it never changes what was said."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from mistakes import MISTAKES
from strategies import Written, derived, rules_files, ways, written, wrong_files

from regelwerk.dsl import damage, syntax
from regelwerk.dsl.format import format_text
from regelwerk.dsl.parse import parse
from regelwerk.dsl.problems import Problem, RulesetError
from regelwerk.dsl.source import Source

RULESETS = Path(__file__).parent.parent / "rulesets"


def formatted(text: str) -> str:
    return format_text(Source("made.rules", text))


def tree(text: str) -> syntax.File:
    problems: list[Problem] = []
    found = parse(Source("made.rules", text), problems)
    assert [] == [str(problem.at) for problem in problems]
    return found


def check_house_style(text: str) -> str:
    """A text in the house style, after everything that must hold of it has been looked at."""
    done = formatted(text)

    assert damage(Source("made.rules", text)) is None
    assert tree(text) == tree(done)
    assert not re.search(r"[ \t]\n|\n\n\n|\A\n|\n\n\Z|[^\n]\Z", done)
    return done


# ---- what it looks like ----------------------------------------------------------------------------------

LINES = {
    "x=a+b*-c": "x = a + b * -c",
    "x  =  a  -  b": "x = a - b",
    "x = - - a": "x = --a",
    "x += ( a - b )": "x += (a - b)",
    "x=f ( a,b ) [ 1 ] . c": "x = f(a, b)[1].c",
    "x = f( )": "x = f()",
    "x = not(a)and(b)": "x = not (a) and (b)",
    "x = -(a)": "x = -(a)",
    "x = a/2 rounded up-3": "x = a / 2 rounded up - 3",
    "x = a is not in_hand": "x = a is not in_hand",
    "x = a<=b": "x = a <= b",
    "x = 1 .. 6": "x = 1..6",
    "x = -3 .. -1": "x = -3..-1",
    "x = 1..n+1": "x = 1 .. n + 1",
    "x = n-1..6": "x = n - 1 .. 6",
    "x = 1..f(n+1)": "x = 1..f(n + 1)",
    "x = f(a..b).c..d[1 + 2]": "x = f(a..b).c..d[1 + 2]",
    "x = a in 1..6 and b is c+1": "x = a in 1..6 and b is c + 1",
    "choose 1 .. from hand as c": "choose 1.. from hand as c",
    "choose n+1.. from hand as c": "choose n + 1 .. from hand as c",
    "choose 1..3 from hand as c": "choose 1..3 from hand as c",
    "draw up  to 3 from(a where b)to c": "draw up to 3 from (a where b) to c",
    "all(players where a)choose one from b as c": "all (players where a) choose one from b as c",
    "all others choose one from b as c": "all others choose one from b as c",
    "do  f ( a , b )": "do f(a, b)",
    "if a :break": "if a: break",
    "p . hand = a if b else c": "p.hand = a if b else c",
}


@pytest.mark.parametrize("line", LINES)
def test_spacing(line: str) -> None:
    """There is one spacing between tokens."""
    assert f"setup:\n    {LINES[line]}\n" == check_house_style(f"setup:\n {line}\n")


SECTIONS = {
    'game"A"': 'game "A"',
    'variant "A"of  pig': 'variant "A" of pig',
    "players 2 .. 4": "players 2..4",
    'option  "text"a :1 .. 6=3': 'option "text" a: 1..6 = 3',
    "zone a [ half , 1..6 ] :b ,c  hidden": "zone a[half, 1..6]: b, c hidden",
    "var a:-n*2..n*2=0": "var a: -n * 2 .. n * 2 = 0",
    "var a : set  of b = c": "var a: set of b = c",
    "define f( a:1..6 ,b:c )=a": "define f(a: 1..6, b: c) = a",
    'claim "a"with b:win_rate ( 1 ) in -0.5 .. 0.5': 'claim "a" with b: win_rate(1) in -0.5..0.5',
    'claim "a": mean( "b" )in 1..2': 'claim "a": mean("b") in 1..2',
    "winner:highest(a),then lowest b": "winner: highest (a), then lowest b",
    "score : max(a default 0)": "score: max(a default 0)",
}


@pytest.mark.parametrize("line", SECTIONS)
def test_spacing_of_sections(line: str) -> None:
    """Declarations are spaced by the same rules."""
    assert f"{SECTIONS[line]}\n" == check_house_style(line)


UGLY = """\


# What it is.
game "Ugly"
components  dice :
 has colour:red,green   # what is printed
 faces shows by colour:

      red : brain x3,foot x2
      green: shot
 2 of each # copies
# Where they lie.
zone tray:dice# the tray
zone cup [ 1..2 ]:dice    hidden   # the cup, which nobody can look into
zone box_of_more_dice_than_anybody_needs: dice


constant gap[ 1..2,1..3 ]:
    |1|-2|three|
    # between
    |  long_name  |none|   yes|
setup:
  if a:
      # inside
      throw dice


      throw tray
      # still inside
  # after the condition
  throw cup
  # at the end of setup
# about play
play:
    let a =g( f(b,
      c ),     # the third
# the fourth
    d
    )
"""

PRETTY = """\
# What it is.
game "Ugly"

components dice:
    has colour: red, green  # what is printed
    faces shows by colour:

        red: brain x3, foot x2
        green: shot
    2 of each  # copies

# Where they lie.
zone tray: dice              # the tray
zone cup[1..2]: dice hidden  # the cup, which nobody can look into
zone box_of_more_dice_than_anybody_needs: dice

constant gap[1..2, 1..3]:
    | 1         | -2   | three |
    # between
    | long_name | none | yes   |

setup:
    if a:
        # inside
        throw dice

        throw tray
        # still inside
    # after the condition
    throw cup
    # at the end of setup

# about play
play:
    let a = g(f(b,
        c),  # the third
        # the fourth
        d
    )
"""


def test_layout() -> None:
    """Indentation, blank lines, tables, comments and breaks inside brackets come into one form."""
    assert PRETTY == check_house_style(UGLY)


def test_wide_letters_in_tables() -> None:
    """Columns are as wide as they look."""
    text = "constant a[1..2]:\n    | 骰子 | b |\n    | c | d |\n"

    assert "constant a[1..2]:\n    | 骰子 | b |\n    | c    | d |\n" == check_house_style(text)


def test_scripts() -> None:
    """What a script says is no arithmetic."""
    text = 'example "a":\n do turn:\n  throw: - 3 up,2 - 1\n then a is 2-1\n'
    done = 'example "a":\n    do turn:\n        throw: -3 up, 2 -1\n    then a is 2 - 1\n'

    assert done == check_house_style(text)


def test_blank_lines_between_sections() -> None:
    """Sections with a block stand by themselves, others as close as they were written."""
    text = "zone a: b\nzone c: b\n\n\nzone d: b\nsetup:\n    throw a\nplay:\n    throw b\n# about e\nzone e: b\n"
    done = "zone a: b\nzone c: b\n\nzone d: b\n\nsetup:\n    throw a\n\nplay:\n    throw b\n\n# about e\nzone e: b\n"

    assert done == check_house_style(text)


def test_values_below() -> None:
    """A value on a line of its own is a block like any other."""
    assert "define a =\n    b\n\nscore:\n    c\n" == check_house_style("define a =\n  b\nscore:\n  c")


def test_long_code_pushes_no_comments() -> None:
    """Comments are aligned behind code of usual width only."""
    long = "a" * 100
    text = f"zone b: c # short\nzone {long}: c # long\nzone bb: c # short\n"

    assert f"zone b: c   # short\nzone {long}: c  # long\nzone bb: c  # short\n" == check_house_style(text)


@pytest.mark.parametrize("text", ["", "\n\n", "  \n\t\n"])
def test_empty_files(text: str) -> None:
    """A file with nothing in it stays empty."""
    assert "" == formatted(text)


@pytest.mark.parametrize("text", ["# a", "\n\n  # a\n\n\n# b  \n\n"])
def test_files_of_comments(text: str) -> None:
    """A file with nothing but comments keeps them."""
    assert re.findall(r"# \w", text) == re.findall(r"# \w", check_house_style(text))


# ---- what must hold --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(RULESETS.rglob("*.rules")), ids=lambda path: path.stem)
def test_shipped_rulesets(path: Path) -> None:
    """Every shipped ruleset means the same in the house style, and keeps its comments."""
    text = path.read_text("utf-8")

    assert re.findall(r"# .*", text) == re.findall(r"# .*", check_house_style(text))


@pytest.mark.parametrize("root", ["_section", "header"])
def test_every_form_of_the_grammar(root: str) -> None:
    """Every form of every rule has a house style that keeps what it says."""
    before = [] if root == "header" else ["GAME", "STRING", "_NL"]
    for way in ways(root).values():
        check_house_style(written([*before, *derived(root, iter(()), way)], seed=1).text)


@given(rules_files())
def test_made_files(made: Written) -> None:
    """The house style of any file means the same, is stable, and keeps every comment in its order."""
    done = check_house_style(made.text)

    assert [comment.rstrip() for comment in made.comments] == re.findall(r"# \d+ .*", done)


@given(rules_files())
def test_layout_never_shows(made: Written) -> None:
    """Files that differ only in the width of their steps have one house style."""
    done = formatted(made.text)
    wide = re.sub(r"(?m)^ +", lambda indent: indent.group() * 2, done)

    assert done == formatted(wide)


@given(wrong_files())
def test_wrong_files(text: str) -> None:
    """What cannot be read is refused, what can be read keeps its meaning."""
    try:
        formatted(text)
    except RulesetError as error:
        assert error.problems
    else:
        check_house_style(text)


@pytest.mark.parametrize("topic", MISTAKES)
def test_mistakes_are_refused(topic: str) -> None:
    """A text with a mistake is not formatted; its problems say why."""
    for text in MISTAKES[topic]:
        with pytest.raises(RulesetError) as caught:
            formatted(text)

        problems: list[Problem] = []
        parse(Source("made.rules", text), problems)
        assert problems == list(caught.value.problems)
