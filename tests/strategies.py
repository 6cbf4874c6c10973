"""Rules files that follow the notation, derived from the grammar itself, and real ones with something wrong in them.

A derivation is steered by a tape of numbers: each says which of a rule's forms comes next, and where the tape ends
the shortest forms do. So whatever the grammar has can come up, and Hypothesis finds small files by shortening tapes.
What the tapes cannot say, spacing, comments and the width of steps, is drawn as one number.
"""

import random
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from hypothesis import strategies as st
from lark import Token

from regelwerk.dsl import grammar

RULESETS = Path(__file__).parent.parent / "rulesets"

Form = tuple[str, ...]


# ---- the grammar's forms ---------------------------------------------------------------------------------


@cache
def forms() -> dict[str, tuple[Form, ...]]:
    """For each rule of the grammar its forms without holes, the shortest first."""
    found: dict[str, list[Form]] = {}
    for rule in grammar.parser().rules:
        form = tuple(symbol.name for symbol in rule.expansion)
        if not {"hole", "HOLE"} & set(form):
            found.setdefault(rule.origin.name, []).append(form)
    heights = _heights(found)
    return {name: tuple(sorted(set(of), key=lambda form: (_height(form, heights), form))) for name, of in found.items()}


def _heights(found: dict[str, list[Form]]) -> dict[str, int]:
    """How many rules deep the shortest derivation from each rule goes."""
    heights: dict[str, int] = {}
    while len(heights) < len(found) - 1:  # the rule for holes has no form left
        for name, of in found.items():
            known = [_height(form, heights) for form in of if all(s in heights or s not in found for s in form)]
            if known:
                heights[name] = min(known) + 1
        if set(found) <= set(heights):
            break
    return heights


def _height(form: Form, heights: dict[str, int]) -> int:
    return max((heights.get(symbol, 0) for symbol in form), default=0)


@cache
def ways(root: str) -> dict[tuple[str, Form], tuple[tuple[str, Form], ...]]:
    """Every form that a rule can lead to, with the forms on the shortest way there."""
    found: dict[tuple[str, Form], tuple[tuple[str, Form], ...]] = {}
    reached: dict[str, tuple[tuple[str, Form], ...]] = {root: ()}
    waiting = [root]
    for name in waiting:
        for form in forms()[name]:
            found[name, form] = (*reached[name], (name, form))
            for symbol in form:
                if symbol in forms() and symbol not in reached:
                    reached[symbol] = found[name, form]
                    waiting.append(symbol)
    return found


def derived(name: str, tape: Iterator[int], way: tuple[tuple[str, Form], ...] = ()) -> Iterator[str]:
    """Terminals that a rule stands for: along a way first, then as the tape says, then as short as can be."""
    if name not in forms():
        yield name
        return
    if way and way[0][0] == name:
        form, way = way[0][1], way[1:]
    else:
        form, way = forms()[name][next(tape, 0) % len(forms()[name])], ()
    for symbol in form:
        turn = bool(way) and way[0][0] == symbol
        yield from derived(symbol, tape, way if turn else ())
        way = () if turn else way


# ---- terminals → text ------------------------------------------------------------------------------------

_NAMES = ("a", "b2", "größe", "_x", "turn_points", "骰子", "setup", "from", "number", "hidden", "phase")
_SPELT = {
    "NUMBER": ("0", "7", "12", "007"),
    "DECIMAL": ("0.5", "12.25"),
    "TIMES": ("x2", "x10"),
    "STRING": ('"a text"', '""', '"# no comment"', '"(: "'),
    "PATH": ("pig", "dice/big-one", "2nd"),
}


@attrs.frozen
class Written:
    """A rules file and the comments in it."""

    text: str
    comments: tuple[str, ...] = ()


def written(terminals: Iterable[str], seed: int = 0) -> Written:
    """A text for terminals: plain for the seed 0, with odd spacing and comments for others."""
    writer = _Writer(random.Random(seed), plain=seed == 0)
    for terminal in terminals:
        writer.write(terminal)
    return Written("".join(writer.pieces), tuple(writer.comments))


@attrs.define
class _Writer:
    chance: random.Random
    plain: bool
    pieces: list[str] = attrs.field(factory=list)
    comments: list[str] = attrs.field(factory=list)
    indents: list[int] = attrs.field(factory=lambda: [0])
    depth: int = 0
    line_ended: bool = True
    reader: Any = attrs.field(factory=lambda: grammar.parser().parse_interactive(""))

    def write(self, terminal: str) -> None:
        if terminal == "_INDENT":
            self.indents.append(self.indents[-1] + (4 if self.plain else self.chance.randint(1, 6)))
        elif terminal == "_DEDENT":
            self.indents.pop()
        elif terminal == "_NL":
            self.end_line()
        else:
            self.write_token(terminal)
        self.reader.feed_token(Token(terminal, ""))

    def write_token(self, terminal: str) -> None:
        text = self.spelt(terminal)
        if self.line_ended:
            self.pieces.append(" " * self.indents[-1])
        else:
            self.pieces.append(self.gap(text))
        self.pieces.append(text)
        self.line_ended = False
        self.depth += (text in "([") - (text in ")]")

    def spelt(self, terminal: str) -> str:
        if terminal != "NAME":
            return self.chance.choice(_SPELT.get(terminal, ())) if terminal in _SPELT else grammar.literals()[terminal]
        # Keywords may be names only where they could not be meant as such.
        taken = {grammar.literals().get(kind) for kind in self.reader.choices()}
        return self.chance.choice([name for name in _NAMES if name not in taken])

    def gap(self, text: str) -> str:
        """The space before a token inside a line; inside brackets it may be a line end."""
        needed = re.match(r"\w", text) and re.search(r"\w$", self.pieces[-1])
        if self.plain:
            return " "
        if self.depth and self.chance.random() < 0.15:
            return f"{self.comment()}\n{self.between()}{' ' * self.chance.randint(0, 9)}"
        return self.chance.choice([" ", "  ", "\t", " \t "] if needed else ["", " ", "  "])

    def end_line(self) -> None:
        self.pieces.append("\n" if self.plain else f"{self.comment()}\n{self.between()}")
        self.line_ended = True

    def between(self) -> str:
        """Blank lines and comments between two lines."""
        often = self.chance.choice([0, 0, 0, 1, 2])
        return "".join(f"{self.comment(0.5)}\n" for _ in range(often))

    def comment(self, often: float = 0.2) -> str:
        if self.chance.random() >= often:
            return self.chance.choice(["", "", " "])
        comment = f"# {len(self.comments)} " + self.chance.choice(['"open', "(", "a: b", "# twice", "ß骰"])
        self.comments.append(comment)
        return " " * self.chance.randint(0, 9) + comment


# ---- strategies ------------------------------------------------------------------------------------------

_TAPES = st.lists(st.integers(0, 40), max_size=40)
_HEADERS = st.sampled_from(["game_header", "variant_header", "pieces_header"])
_SECTIONS = tuple(ways("_section").values())


def _section(way: tuple[tuple[str, Form], ...], tape: list[int]) -> tuple[str, ...]:
    return tuple(derived("_section", iter(tape), way))


sections = st.builds(_section, st.sampled_from(_SECTIONS), _TAPES)
"""The terminals of a section that uses some form of the grammar."""


@st.composite
def rules_files(draw: st.DrawFn) -> Written:
    """A rules file that follows the notation, with every form of the grammar as likely as any other."""
    header = derived(draw(_HEADERS), iter(()))
    parts = draw(st.lists(sections, max_size=4))
    seed = draw(st.integers(0, 10_000))
    first = ["_NL"] if seed and draw(st.booleans()) else []
    return written([*first, *header, *(terminal for part in parts for terminal in part)], seed)


@cache
def real_pieces() -> tuple[str, ...]:
    """Parts of the shipped rulesets, each some sections long."""
    found = []
    for path in sorted(RULESETS.rglob("*.rules")):
        parts = re.split(r"\n\n(?=\S)", path.read_text("utf-8"))
        found += ["\n\n".join(parts[at : at + 2]) + "\n" for at in range(0, len(parts), 2)]
    return tuple(part for part in found if part.count("\n") < 40)


_STRAY = st.sampled_from([*'"()]:=#.\t\0;é', "..", "==", "if", "else", "end", "x", "3"])


@st.composite
def wrong_files(draw: st.DrawFn) -> str:
    """Part of a real ruleset in which lines or tokens were lost, doubled, exchanged or put in."""
    text = draw(st.sampled_from(real_pieces()))
    for _ in range(draw(st.integers(1, 3))):
        separate = r"(?<=\n)" if draw(st.booleans()) else r"(?<=\W)|(?=\W)"
        parts = re.split(separate, text)
        here, there = (draw(st.integers(0, len(parts) - 1)) for _ in range(2))
        match draw(st.sampled_from(["lose", "double", "exchange", "put in", "push"])):
            case "lose":
                del parts[here]
            case "double":
                parts.insert(here, parts[here])
            case "exchange":
                parts[here], parts[there] = parts[there], parts[here]
            case "put in":
                parts.insert(here, draw(_STRAY))
            case _:
                parts.insert(here, " " * draw(st.integers(1, 9)))
        text = "".join(parts)
    return text
