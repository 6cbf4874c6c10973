"""What can never happen or never end: phases without a way out, actions nobody runs, options nobody uses."""

from collections.abc import Iterator

from .. import rules, syntax
from ..problems import EndlessPhase, NeverPlaced, Problem, Unreachable, UnusedOption
from ..source import Source
from .ground import Ground
from .statements import Statements


def blocks(statement: rules.Statement) -> Iterator[rules.Body]:
    """The blocks directly inside a statement."""
    match statement:
        case rules.If(cases=cases, otherwise=otherwise):
            yield from (c.body for c in cases)
            yield otherwise
        case rules.Match(cases=matches, otherwise=otherwise):
            yield from (c.body for c in matches)
            yield otherwise
        case rules.Choose(body=body, otherwise=otherwise):
            yield body
            yield otherwise
        case rules.ChooseLabel(labels=labels):
            yield from (one.body for one in labels)
        case (
            rules.For(body=body) | rules.RepeatTimes(body=body) | rules.RepeatUntil(body=body) | rules.Phase(body=body)
        ):
            yield body
        case _:
            return


def walk(body: rules.Body) -> Iterator[rules.Statement]:
    """Every statement of a block and the blocks in it."""
    for statement in body:
        yield statement
        for block in blocks(statement):
            yield from walk(block)


def endless(bodies: list[rules.Body], actions: dict[str, rules.Action]) -> Iterator[Problem]:
    """Phases that go round and round with no way out."""
    for body in bodies:
        for statement in walk(body):
            if isinstance(statement, rules.Phase) and isinstance(statement.kind, rules.EachPlayer):
                turns = statement.kind.in_turn and statement.kind.until is None
                if turns and not _way_out(statement, actions):
                    fact = f"the players take turns in `{statement.name}`, and nothing ever ends it"
                    hint = "Add `until …`, or an `end game` or `leave` in it."
                    yield EndlessPhase(statement.span, fact, hint)


def _way_out(phase: rules.Phase, actions: dict[str, rules.Action]) -> bool:
    todo, seen = [phase.body], set()
    while todo:
        for statement in walk(todo.pop()):
            if isinstance(statement, rules.EndGame | rules.Leave | rules.Eliminate):
                return True
            if isinstance(statement, rules.EndPass) and statement.phase != phase.name:
                return True
            if isinstance(statement, rules.Do) and statement.action not in seen and statement.action in actions:
                seen.add(statement.action)
                todo.append(actions[statement.action].body)
    return False


def unused(ground: Ground, statements: Statements, main: Source) -> Iterator[Problem]:
    """Options, actions, definitions and components of the main file that nothing uses.

    What a variant inherits is left alone: it may well have removed the only use.
    """
    for name, declared in ground.names.declared.items():
        if declared.at.source is not main:
            continue
        match declared.kind:
            case "option" if name not in ground.used_options:
                yield UnusedOption(declared.at, f"no rule looks at the option `{name}`", "Use it or delete it.")
            case "action" if name not in ground.used_callables:
                hint = f"Run it with `do {name}`, or delete it."
                yield Unreachable(declared.at, f"nothing ever runs the action `{name}`", hint)
            case "define" if name not in ground.used_callables:
                yield Unreachable(declared.at, f"nothing ever uses `{name}`", "Use it or delete it.")
            case "components" if name not in statements.placed:
                assert isinstance(declared.node, syntax.Components)
                hint = f"Move them somewhere in `setup`: `move {name} to …`."
                yield NeverPlaced(declared.at, f"`{name}` never leave the box", hint)
            case _:
                pass
