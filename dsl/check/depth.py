"""How deeply a game is nested, with definitions and actions put in the place of the names they are called by.

Whatever plays a game follows it to the bottom, so there must be one that is not too far down.
"""

from collections.abc import Iterable, Iterator

from .. import rules
from ..problems import Problem, TooDeep
from ..tree import walk

DEEPEST = 150


def too_deep(
    definitions: Iterable[rules.Definition],
    actions: Iterable[rules.Action],
    bodies: Iterable[rules.Body],
    beside: Iterable[rules.Rule],
) -> Iterator[Problem]:
    """What is nested too deeply, in play and beside it; definitions and actions come after those that they need."""
    known: dict[str, int] = {}
    named = [*definitions, *actions]
    for rule in (*named, *(statement for body in bodies for statement in body), *beside):
        depth = max(below + known.get(_called(node), 0) for node, below in walk(rule))
        if depth > DEEPEST:
            hint = "Work part of it out once, and keep it in a `let`, a `var` or a table of constants."
            yield TooDeep(rule.span, f"with all that it needs, this is nested more than {DEEPEST} deep", hint)
            return
        if isinstance(rule, rules.Definition | rules.Action):
            known[rule.name] = depth


def _called(node: object) -> str:
    match node:
        case rules.Call(definition=name) | rules.Do(action=name):
            return name
        case _:
            return ""
