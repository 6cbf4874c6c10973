"""What can never happen or never end: statements behind a way out, conditions that never hold, endless phases.

Where play can go from a statement is a set of ways: on to the next statement, or out of something around.
"""

from collections.abc import Iterable, Iterator

import attrs

from .. import rules
from ..problems import EndlessPhase, Label, Problem, Unreachable
from ..source import Span

Way = tuple[str, str]
ON: Way = ("on", "")
BREAK: Way = ("break", "")
THE_END: Way = ("end", "game")
Ways = frozenset[Way]


@attrs.define
class Reach:
    """Follows every way through a game's blocks, and collects what is never reached or never ends."""

    actions: dict[str, rules.Action]
    problems: list[Problem] = attrs.field(factory=list)
    _known: dict[str, Ways] = attrs.field(factory=dict)

    def through(self, body: rules.Body) -> Ways:
        """The ways out of a block."""
        out: set[Way] = set()
        before: rules.Statement | None = None
        for statement in body:
            if before is not None:
                self._unreached(statement, before)
                return frozenset(out)
            ways = self._ways(statement)
            out |= ways - {ON}
            before = statement if ON not in ways else None
        return frozenset(out if before is not None else out | {ON})

    def _unreached(self, statement: rules.Statement, before: rules.Statement) -> None:
        fact = "play never gets here"
        at = before.span
        if isinstance(before, rules.EndGame | rules.EndPass | rules.Leave | rules.Again | rules.Break):
            fact = f"nothing after `{at.text}` in this block is ever done"
        self.problems.append(Unreachable(statement.span, fact, None, (Label(at.head, "it never goes on after this"),)))

    def _ways(self, statement: rules.Statement) -> Ways:
        match statement:
            case rules.EndGame():
                return frozenset({THE_END})
            case rules.EndPass(phase=phase):
                return frozenset({("end", phase)})
            case rules.Leave(phase=phase):
                return frozenset({("leave", phase)})
            case rules.Again(phase=phase):
                return frozenset({("again", phase)})
            case rules.Break():
                return frozenset({BREAK})
            case rules.Do(action=action):
                return self.action(action)
            case rules.If():
                return self._if(statement)
            case rules.Match():
                return self._match(statement)
            case rules.ChooseLabel(labels=labels):
                for label in labels:
                    if label.when is not None and _never(label.when):
                        self.problems.append(Unreachable(label.span, f"`{label.name}` can never be chosen"))
                return _all(self.through(label.body) for label in labels)
            case rules.Choose(body=body, otherwise=otherwise) if statement.optional or statement.or_else:
                return self.through(body) | self.through(otherwise)
            case rules.For(body=body):
                return self._loop(self.through(body)) | {ON}
            case rules.RepeatTimes(count=count, body=body):
                ways, surely = self.through(body), self._at_least_once(count)
                goes_on = not surely or bool(ways & {ON, BREAK})
                return self._loop(ways) | {ON} if goes_on else self._loop(ways)
            case rules.RepeatUntil(condition=condition, body=body):
                return self._repeat(statement, condition, body)
            case rules.Phase():
                return self._phase(statement)
            case _:
                return frozenset({ON})

    def action(self, name: str) -> Ways:
        """The ways out of an action."""
        if name not in self._known:
            self._known[name] = frozenset({ON})  # for an action that runs itself, which was reported
            self._known[name] = self.through(self.actions[name].body)
        return self._known[name]

    def _if(self, statement: rules.If) -> Ways:
        for case in statement.cases:
            if _never(case.condition):
                self.problems.append(Unreachable(case.condition.span, "this never holds"))
        ways = _all(self.through(case.body) for case in statement.cases) | self.through(statement.otherwise)
        for index, case in enumerate(statement.cases):
            if _always(case.condition):
                rest = [c.condition.span for c in statement.cases[index + 1 :]]
                rest += [s.span for s in statement.otherwise[:1]]
                if rest:
                    other = (Label(case.condition.span, "this always holds"),)
                    self.problems.append(Unreachable(rest[0], "play never gets here", None, other))
        return ways

    def _match(self, statement: rules.Match) -> Ways:
        ways = _all(self.through(case.body) for case in statement.cases)
        named = {value for case in statement.cases for value in case.values}
        complete = len(named) == _size(statement.value.type)
        if complete and statement.otherwise:
            fact = "every value has a case of its own; nothing is left for `else`"
            self.problems.append(Unreachable(statement.otherwise[0].span, fact))
        return ways if complete else ways | self.through(statement.otherwise)

    def _at_least_once(self, count: rules.Expr) -> bool:
        """Whether something is surely done once or more; what is never done is reported."""
        if isinstance(count, rules.Constant) and count.value == 0:
            self.problems.append(Unreachable(count.span, "what is done 0 times is never done"))
        return isinstance(count.type, rules.Number) and count.type.low > 0

    def _loop(self, ways: Ways) -> Ways:
        return ways - {ON, BREAK}

    def _repeat(self, statement: rules.RepeatUntil, condition: rules.Expr, body: rules.Body) -> Ways:
        ways = self.through(body)
        out = self._loop(ways)
        if not _never(condition) or BREAK in ways:
            return out | {ON}
        if out:
            return out
        return self._endless(
            condition.span, "this is repeated, and nothing ever ends it", "Add a `break` where it ends."
        )

    def _phase(self, phase: rules.Phase) -> Ways:
        name, ways = phase.name, self.through(phase.body)
        left = ("leave", name) in ways
        out = ways - {ON, ("end", name), ("leave", name), ("again", name)}
        match phase.kind:
            case rules.Once():
                at, goes_on = phase.span, left or ON in ways or ("end", name) in ways
                fact, hint = f"`{name}` begins again and again, and nothing ever ends it", f"Add a `leave {name}`."
            case rules.Times(count=count):
                surely = self._at_least_once(count)
                at, goes_on = phase.span, left or not surely or ON in ways or ("end", name) in ways
                fact, hint = f"`{name}` begins again and again, and nothing ever ends it", f"Add a `leave {name}`."
            case rules.Until(condition=condition):
                at, goes_on = condition.span, left or not _never(condition)
                fact, hint = f"`{name}` is repeated, and nothing ever ends it", f"Add `leave {name}` where it ends."
            case rules.EachPlayer(in_turn=in_turn, until=until):
                rounds = in_turn and (until is None or _never(until))
                at, goes_on = phase.span, left or not rounds or self._eliminates(phase.body)
                fact = f"the players take turns in `{name}`, and nothing ever ends it"
                hint = f"Add `until …`, or an `end game` or `leave {name}` in it."
        if goes_on:
            return out | {ON}
        return out or self._endless(at, fact, hint)

    def _eliminates(self, body: rules.Body) -> bool:
        """Whether somebody may be out in a block, or in an action that it runs."""
        todo, seen = [body], set()
        while todo:
            for statement in walk(todo.pop()):
                if isinstance(statement, rules.Eliminate):
                    return True
                if isinstance(statement, rules.Do) and statement.action not in seen:
                    seen.add(statement.action)
                    todo.append(self.actions[statement.action].body)
        return False

    def _endless(self, at: Span, fact: str, hint: str) -> Ways:
        """Report what never ends, and let play go on as if it did."""
        self.problems.append(EndlessPhase(at, fact, hint))
        return frozenset({ON})


def unreached(bodies: Iterable[rules.Body], actions: Iterable[rules.Action]) -> list[Problem]:
    """What is never reached or never ends in these blocks and the actions."""
    reach = Reach({action.name: action for action in actions})
    for name in reach.actions:  # each after those that it runs
        reach.action(name)
    for body in bodies:
        reach.through(body)
    return reach.problems


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
    todo = [*reversed(body)]
    while todo:
        statement = todo.pop()
        yield statement
        todo += [one for block in blocks(statement) for one in block]


def _all(ways: Iterable[Ways]) -> Ways:
    return frozenset().union(*ways)


def _never(condition: rules.Expr) -> bool:
    return isinstance(condition, rules.Constant) and condition.value is False


def _always(condition: rules.Expr) -> bool:
    return isinstance(condition, rules.Constant) and condition.value is True


def _size(kind: rules.Type) -> int | None:
    """How many values there are of a type, where that is known for certain."""
    match kind:
        case rules.YesNo():
            return 2
        case rules.Member(names=names):
            return len(names)
        case rules.Maybe(of=of):
            inner = _size(of)
            return inner + 1 if inner is not None else None
        case _:
            return None
