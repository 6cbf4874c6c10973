"""What a game declares and never uses: options, actions, definitions, components, and what choices bind.

Only the file that was asked for is looked at: a variant may well have removed the only use of what it inherits.
Where other things are wrong already, a name that stands anywhere else, or is nearly written somewhere, may be in
use once they are put right; nothing is said of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import attrs

from .. import syntax
from ..problems import BindsNothing, NeverPlaced, Problem, UnknownName, Unreachable, UnusedOption, near
from ..source import Source
from ..tree import walk
from .ground import Ground
from .statements import Statements

UNUSED = (UnusedOption, NeverPlaced, BindsNothing, Unreachable)


@attrs.frozen
class Used:
    """What the rules themselves use, without the strategies and examples beside them."""

    options: frozenset[str]
    placed: frozenset[str]
    unread: tuple[Problem, ...]

    @classmethod
    def so_far(cls, ground: Ground, statements: Statements) -> "Used":
        """What has been used when it is asked."""
        return cls(frozenset(ground.used_options), frozenset(statements.placed), tuple(statements.unread()))


def unused(ground: Ground, used: Used, sections: Iterable[syntax.Node], main: Source) -> Iterator[Problem]:
    """What nothing uses."""
    wrong = list(ground.findings.problems)
    written: Counter[str] = Counter()
    misspelt = [problem.at.text for problem in wrong if isinstance(problem, UnknownName)]
    if wrong:
        written.update(n.text for s in sections for n, _ in walk(s) if isinstance(n, syntax.Name))
    for problem in (*_declared(ground, used), *used.unread):
        name = problem.at.text
        mentioned = written[name] > 1 or near(name, misspelt) or any(problem.at == one.at for one in wrong)
        if problem.at.source is main and not mentioned:
            yield problem


def _declared(ground: Ground, used: Used) -> Iterator[Problem]:
    for name, declared in ground.names.declared.items():
        match declared.kind:
            case "option" if name not in used.options:
                yield UnusedOption(declared.at, f"no rule looks at the option `{name}`", "Use it or delete it.")
            case "action" if name not in ground.used_callables:
                hint = f"Run it with `do {name}`, or delete it."
                yield Unreachable(declared.at, f"nothing ever runs the action `{name}`", hint)
            case "define" if name not in ground.used_callables:
                yield Unreachable(declared.at, f"nothing ever uses `{name}`", "Use it or delete it.")
            case "components" if name not in used.placed:
                hint = f"Move them somewhere in `setup`: `move {name} to …`."
                yield NeverPlaced(declared.at, f"`{name}` never leave the box", hint)
            case _:
                pass
