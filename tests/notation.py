"""The notation by Lark, which makes of `dsl/grammar.lark` the table that Regelwerk reads with."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.lexer import PatternRE, TerminalDef
from lark.parsers.lalr_analysis import Shift

DSL = Path(__file__).parent.parent / "dsl"


def _whole_words(terminal: TerminalDef) -> TerminalDef:
    """A terminal that takes a word only as a whole: without this, `tomiddle` would be read as `to middle`."""
    if terminal.pattern.type == "str" and terminal.pattern.value.isalpha():
        terminal.pattern = PatternRE(terminal.pattern.value + r"\b")
        terminal.priority = 1
    return terminal


@cache
def parser() -> Lark:
    """The parser that Lark makes of the grammar."""
    return Lark(
        (DSL / "grammar.lark").read_text("utf-8"), parser="lalr", maybe_placeholders=True, edit_terminals=_whole_words
    )


def table() -> str:
    """The table as text: the same for the same grammar, with a line for each rule and state."""
    grammar, made = parser(), parser().parser.parser._parse_table
    terminals = sorted((each for each in grammar.terminals if each.name not in grammar.ignore_tokens), key=_precedence)
    order, rules, sets = [made.start_states["start"]], dict[Rule, int](), dict[tuple[str, ...], int]()
    places = {order[0]: 0}
    states = []
    for state in order:
        leads, makes = dict[str, int](), dict[Rule, list[str]]()
        for symbol, (action, to) in sorted(made.states[state].items()):
            if action is not Shift:
                makes.setdefault(to, []).append(symbol)
                continue
            if to not in places:
                places[to] = len(order)
                order.append(to)
            leads[symbol] = places[to]
        if state == made.end_states["start"]:
            leads["$END"] = places[state]
        kinds = {rule: sets.setdefault(tuple(symbols), len(sets)) for rule, symbols in makes.items()}
        states.append([leads, [[rules.setdefault(rule, len(rules)), place] for rule, place in kinds.items()]])
    parts = {
        "ignored": f"(?:{'|'.join(grammar.get_terminal(name).pattern.to_regexp() for name in grammar.ignore_tokens)})*",
        "terminals": {each.name: each.pattern.to_regexp() for each in terminals},
        "literals": {each.name: _literal(each) for each in terminals if _literal(each)},
        "kinds": list(sets),
        "rules": [_rule(rule) for rule in rules],
        "states": states,
    }
    return "{\n" + ",\n".join(f"{_text(name)}: {_lines(part)}" for name, part in parts.items()) + "\n}\n"


def _lines(part: Any) -> str:
    """A part of the table; a list with a line for each element."""
    return "[\n" + ",\n".join(map(_text, part)) + "\n]" if isinstance(part, list) else _text(part)


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _precedence(terminal: TerminalDef) -> tuple[int, int, int, str]:
    """Which terminal is looked for first."""
    pattern = terminal.pattern
    return -terminal.priority, -pattern.max_width, -len(pattern.value), terminal.name


def _literal(terminal: TerminalDef) -> str | None:
    """The word or sign that a terminal stands for, if it stands for one."""
    text: str = terminal.pattern.value.removesuffix(r"\b")
    return text if text.isalpha() or terminal.pattern.type == "str" else None


def _rule(rule: Rule) -> Any:
    """What a rule is one of, its name, how many parts it has, which it takes, and whether it hands on a single one."""
    takes: list[int | None] = []
    parts = enumerate(rule.expansion)
    for empty in rule.options.empty_indices or [False] * len(rule.expansion):
        if empty:
            takes.append(None)
            continue
        place, symbol = next(parts)
        if not symbol.name.startswith("_"):
            takes.append(place)
        elif not symbol.is_term:
            takes.append(~place)
    single = rule.options.expand1 and not rule.alias
    return [rule.origin.name, rule.alias or rule.origin.name, len(rule.expansion), takes, single]
