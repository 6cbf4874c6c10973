"""The parser made from `grammar.lark`: text → Lark's tree, or the place where reading gets stuck.

Making it takes half a second, so it comes along as Lark saves it; where the saved one is of another grammar or of
another Lark, it is made anew. Knows how lines and indentation become tokens, and no nodes and no messages.
"""

import gzip
import io
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

import attrs
import lark
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.lark import PostLex
from lark.lexer import PatternRE, TerminalDef

HOLE = "\ue000"
"""Stands for a line that was reported and taken out, so that what follows can still be read."""

UNEVEN = "_UNEVEN"
"""A line that is indented less than the block above it, but like no line around that block."""

LAYOUT = frozenset({"_NL", "_INDENT", "_DEDENT"})
"""Kinds of tokens that stand for lines and blocks, and not for a word or sign."""

AT_THE_EDGE = frozenset({"ENDS", "FOCUS", "POSSIBLE", "SECRET", "UNCHECKED"})
"""Words with which nothing but a section begins: in a block they are names like any other."""

_AT_HOME = {"GIVEN": frozenset({"EXAMPLE", "FOCUS"}), "VALUE": frozenset({"FOCUS"})}
"""Words that are names in all sections but these."""


@attrs.frozen
class Stuck(Exception):
    """Where and at what kind of token reading cannot go on, and what kinds could stand there.

    The kind is empty where not even a token could be made; `levels` are the indentations of the blocks around.
    """

    kind: str
    offset: int
    allowed: frozenset[str] = frozenset()
    levels: tuple[int, ...] = ()


class Indentation(PostLex):
    """Turns deeper and shallower lines into tokens; inside brackets lines just go on."""

    always_accept = ("_NL",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens with `_INDENT` and `_DEDENT` among them."""
        levels, depth, first, section, token = [0], 0, True, "", None
        # In a block the parser cannot always tell yet whether the next line is a statement or a section.
        for token in stream:
            if first and token.type != "_NL" and token.start_pos:
                yield Token("_INDENT", "", 0)
            first = False
            depth += (token.type in ("LPAR", "LSQB")) - (token.type in ("RPAR", "RSQB"))
            if len(levels) == 1 and token.type not in ("_NL", "REPLACE"):
                section = section or token.type
            if token.type != "_NL":
                yield _as_name(token) if len(levels) > 1 and _is_name(token.type, section) else token
            elif depth == 0:
                yield token
                yield from _turns(levels, token)
                section = section if len(levels) > 1 else ""
        for _ in levels[1:] if depth == 0 else ():
            yield Token.new_borrow_pos("_DEDENT", "", token) if token else Token("_DEDENT", "")


def _is_name(kind: str, section: str) -> bool:
    """Whether a word in a block of a section is a name, whatever else it may be."""
    return kind in AT_THE_EDGE or (kind in _AT_HOME and section not in _AT_HOME[kind])


def _as_name(token: Token) -> Token:
    return Token.new_borrow_pos("NAME", token, token)


def _turns(levels: list[int], line_end: Token) -> Iterator[Token]:
    """The token for a deeper line, or those for a shallower one; `levels` changes with them."""
    indent = len(line_end) - line_end.rindex("\n") - 1
    if indent > levels[-1]:
        levels.append(indent)
        yield Token.new_borrow_pos("_INDENT", "", line_end)
    around = tuple(levels)
    while indent < levels[-1]:
        levels.pop()
        if indent > levels[-1]:
            raise Stuck(UNEVEN, line_end.start_pos or 0, levels=around)
        yield Token.new_borrow_pos("_DEDENT", "", line_end)


def _is_word(terminal: TerminalDef) -> bool:
    return terminal.pattern.type == "str" and terminal.pattern.value.isalpha()


def _whole_words(terminal: TerminalDef) -> TerminalDef:
    """A terminal that takes a word only as a whole: without this, `tomiddle` would be read as `to middle`."""
    if _is_word(terminal):
        terminal.pattern = PatternRE(terminal.pattern.value + r"\b")
        terminal.priority = 1
    return terminal


SAVED = "grammar.saved"
"""The file with the saved parser; `pytest tests/test_parse.py --update` writes it."""


def made() -> Lark:
    """The parser, made from its grammar."""
    return Lark(
        _file("grammar.lark").decode(),
        parser="lalr",
        postlex=Indentation(),
        maybe_placeholders=True,
        edit_terminals=_whole_words,
    )


def saved() -> bytes:
    """What stands in the file of the saved parser: what it is of, and the parser."""
    content = io.BytesIO()
    made().save(content)
    return _origin() + gzip.compress(content.getvalue(), mtime=0)


def _origin() -> bytes:
    """Of what Lark and what grammar a parser is."""
    return f"lark {lark.__version__} {sha256(_file('grammar.lark')).hexdigest()}\n".encode()


def _file(name: str) -> bytes:
    return resources.files(__package__ or "").joinpath(name).read_bytes()


@cache
def parser() -> Lark:
    """The parser itself."""
    try:
        origin, content = _file(SAVED).split(b"\n", 1)
    except FileNotFoundError:
        return made()
    if origin + b"\n" != _origin():
        return made()
    loaded: Lark = Lark.load(io.BytesIO(gzip.decompress(content)))
    return loaded


@cache
def literals() -> dict[str, str]:
    """The words and signs of the notation, by the names of their terminals."""
    known = {t.name: t.pattern.value.removesuffix(r"\b") for t in parser().terminals}
    return {
        name: text
        for name, text in known.items()
        if text.isalpha() or parser().get_terminal(name).pattern.type == "str"
    }


def read(text: str) -> Tree[Token]:
    """Lark's tree of a text.

    Raises:
        Stuck: the text does not follow the grammar.
    """
    reader: Any = parser().parse_interactive(text + "\n")
    seen: list[Token] = []
    try:
        for token in reader.lexer_thread.lex(reader.parser_state):
            seen.append(token)
            reader.feed_token(token)
        seen.append(Token.new_borrow_pos("$END", "", seen[-1]))
        tree: Tree[Token] = reader.feed_token(seen[-1])
    except UnexpectedCharacters as error:
        raise Stuck("", error.pos_in_stream or 0, frozenset(reader.accepts())) from error
    except UnexpectedToken as error:
        token = error.token
        if seen and token is seen[-1]:
            # The parser closes what it can before it gives up on a token, and then knows less of what was possible.
            allowed = accepted(*(before.type for before in seen[:-1]))
        else:
            allowed = frozenset(reader.accepts())
        raise Stuck(token.type, token.start_pos or 0, allowed) from error
    return tree


def tokens(text: str) -> list[Token]:
    """The tokens of a text that can be read, layout and all."""
    return list(parser().parse_interactive(text + "\n").iter_parse())


def accepted(*kinds: str) -> frozenset[str]:
    """The terminals that may follow these from the beginning of a file."""
    reader: Any = parser().parse_interactive("")
    for kind in kinds:
        reader.feed_token(Token(kind, ""))
    return frozenset(reader.accepts())
