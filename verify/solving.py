"""What a game is worth: a search of its own, which looks at nothing but play and its end, and then a solution."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Literal

import attrs

from ..dsl import rules
from ..interpreter import Policy, Readers
from ..interpreter.focus import FocusEngine
from ..interpreter.outline import is_open
from .explore import Budget, Progress, Search
from .graph import Graph
from .looking import Subject
from .machine import searching
from .solve import Payoffs, Solution, Unsolvable, scores, shares, solve

UNIFORM = "uniformly"
"""Every option alike. No strategy is called so."""
BEST = "best"
"""As well as possible. No strategy is called so."""

Objective = Literal["win", "score", "value"]


class BrokenOff(Unsolvable):
    """A game can come to a fault in the rules."""


@attrs.frozen
class Solved:
    """A solution, and the search it rests on."""

    solution: Solution
    search: Search
    objective: Objective
    alone: tuple[Fraction | float, ...] = ()
    """How likely each seat wins without sharing, where that was worked out too. Another way to play that is as good may
    share other wins."""


SEVERAL = "where several ways to play are best, one of them was followed"
MOST_CHOICES = 100_000
"""Decisions up to which it is worked out who wins alone if all play as well as possible."""


def objective_of(subject: Subject) -> Objective:
    """What is made as high as possible: a focus's value, a win against others, alone the score."""
    if subject.focus is not None and subject.focus.value is not None:
        return "value"
    return "score" if subject.players == 1 and subject.ruleset.game.score is not None else "win"


def solving(
    subject: Subject,
    play: Mapping[int, str] | None = None,
    objective: Objective | None = None,
    budget: Budget | None = None,
    gap: float = 1e-9,
    progress: Progress | None = None,
) -> Solved:
    """What each seat can expect if the seats play as `play` says (by default all as well as possible).

    Raises:
        Unsolvable: not every position could be looked at within the budget, or the question has no answer.
        LookupError: there is no strategy of such a name.
        ValueError: a value is asked for where there is none.
    """
    objective = objective or objective_of(subject)
    if objective == "value" and (subject.focus is None or subject.focus.value is None):
        raise ValueError("there is no `value`: only a focus may say one")
    best = {seat for seat in range(subject.players) if (play or {}).get(seat, BEST) == BEST}
    alike = len(best) in (0, subject.players)
    search = searched(subject, play, objective, budget, progress, turning=alike)
    found = solve(search.graph, payoffs(search, objective), best, gap=gap)
    return Solved(found, search, objective, _alone(search, found, best))


def searched(
    subject: Subject,
    play: Mapping[int, str] | None = None,
    objective: Objective = "win",
    budget: Budget | None = None,
    progress: Progress | None = None,
    turning: bool = False,
) -> Search:
    """All positions that such play can come to; `turning`: with the table turned, where seats are alike.

    Raises:
        Unsolvable: they could not all be looked at within the budget, or the rules break off.
        LookupError: there is no strategy of such a name.
    """
    engine = subject.engine(check=False)
    wanted = {seat: (play or {}).get(seat, BEST) for seat in range(engine.players)}
    policies = {seat: engine.policy(name) for seat, name in wanted.items() if name not in (UNIFORM, BEST)}
    readers = Readers(properties=False, strategies=tuple({policy.name for policy in policies.values()}))
    made: dict[int, Policy] = {**policies}
    value = engine.value if objective == "value" and isinstance(engine, FocusEngine) else None
    keys = engine.keys(readers)
    search = searching(engine, keys, value=value, policies=made)
    if type(search) is Search:
        # As machine code all positions come faster than half of them on the reference engine.
        turning = turning and not made and value is None and subject.focus is None and not keys.rotation.seats.named
        search = Search(engine, keys, value=value, policies=made, turning=turning)
    graph = search.run(budget or Budget(), progress)
    if search.breaks:
        broken = next(iter(search.breaks.values()))
        raise BrokenOff(f"the rules break off: {broken.message} (line {broken.span.line})")
    if not graph.complete:
        raise Unsolvable(f"there are more than the {len(graph):,} positions looked at")
    return search


def sees_hidden(game: rules.Game, graph: Graph, best: Collection[int]) -> bool:
    """Whether best play rests on what players do not see: it chooses as if everything lay open."""
    if is_open(game):
        return False
    owners = enumerate(graph.owner[: len(graph.first) - 1])
    return any(owner in best and len(graph.edges(position)) > 1 for position, owner in owners)


def _alone(search: Search, found: Solution, best: Collection[int]) -> tuple[Fraction | float, ...]:
    """How likely each seat wins alone, if the seats play like this; nothing where the rules name no winner, or where
    there are many positions in which somebody has a choice."""
    graph = search.graph
    if not any(result.winners for result in graph.results) or isinstance(search.engine, FocusEngine):
        return ()
    chosen = {position: edge for position, edge in enumerate(found.policy) if edge >= 0}
    if len(chosen) > MOST_CHOICES:
        return ()
    policy = {position: [Fraction(each == edge) for each in graph.edges(position)] for position, edge in chosen.items()}
    of = [tuple(Fraction(result.winners == (seat,)) for seat in range(graph.players)) for result in graph.results]
    ends = {position: of[result] for position, result in graph.ends.items()}
    return solve(graph, ends, (), policy).seats


def payoffs(search: Search, objective: Objective) -> Payoffs:
    """What the ends are worth to each seat. A focus's value is one seat's; of two players the other loses it."""
    graph = search.graph
    if objective == "win":
        return shares(graph)
    if objective == "score":
        return scores(graph)
    engine = search.engine
    seat = engine.seat if isinstance(engine, FocusEngine) else 0
    against = -1 if graph.players == 2 else 0
    factors = [1 if each == seat else against for each in range(graph.players)]
    of = [tuple(value * factor for factor in factors) for value in graph.values]
    return {position: of[result] for position, result in graph.ends.items()}
