"""Who answers decisions inside: at random, with the first option, or by a strategy of the rules file.

For `greedy` play stops where there are several options, and they are tried (`trying`).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, assert_never

from ...dsl import rules
from .choices import Labels, Options, SetsOf
from .code import WORD, Label, Op, add, choose, compare, do, either, jump_if, loop, num, when
from .happenings import HALF, below
from .interrupts import FOLLOWED

if TYPE_CHECKING:
    from .lowering import Lowering


def answer(low: "Lowering", options: Options) -> Op:
    """The number of the option that whoever plays the seat takes, or that a search tries."""
    played = _played(low, options, lambda: at_random(low, options))
    return low.tree.answer(options, played) if low.tree is not None else played


def scripted(low: "Lowering", options: Options) -> Op:
    """The number of the option that the script says; for a strategy's seat that of the strategy, or if it takes any of
    them, evenly, each in turn."""
    script = low.interrupts
    assert script is not None
    if not _followed(low, options):
        return script.digit(options.optional_count)
    taken, digit = low.f.local(), low.f.local()
    open_ = compare("<", taken.get, num(0))
    radix = low.f.local()
    return do(
        taken.set(_played(low, options, lambda: num(-1))),
        radix.set(choose(open_, options.optional_count, num(1))),
        digit.set(script.digit(radix.get)),
        script.evenly(radix.get),
        choose(open_, digit.get, taken.get),
    )


def asked(low: "Lowering", options: Options) -> Op:
    """The seat that is asked; `FOLLOWED` where a search follows its strategy."""
    followed = _followed(low, options)
    return choose(either(*followed), num(FOLLOWED), options.owner) if followed else options.owner


def _followed(low: "Lowering", options: Options) -> list[Op]:
    """Tests that a strategy is followed here, one for each seat that has one; only in searches of all positions."""
    strategies = [seat for seat, agent in enumerate(low.seated) if isinstance(agent, rules.Strategy)]
    return [compare("is", options.owner, num(seat)) for seat in strategies if low.watching is not None]


def _played(low: "Lowering", options: Options, evenly: Callable[[], Op]) -> Op:
    """The number of the option that whoever plays the seat takes; `evenly` where he takes any of them."""
    ways: list[tuple[Any, list[int]]] = []
    for seat, agent in enumerate(low.seated):
        for known, seats in ways:
            if known is agent:
                seats.append(seat)
                break
        else:
            ways.append((agent, [seat]))
    taken = _taken(low, ways[-1][0], options, evenly)
    for agent, seats in reversed(ways[:-1]):
        mine = either(*[compare("is", options.owner, num(seat)) for seat in seats])
        taken = Op("if", (mine, _taken(low, agent, options, evenly), taken), None, "n")
    return taken


def _taken(low: "Lowering", agent: Any, options: Options, evenly: Callable[[], Op]) -> Op:
    if agent == "random":
        return evenly()
    if agent in ("first", "greedy"):  # greedy is asked here where there is but one
        return num(0)
    assert isinstance(agent, rules.Strategy)
    sites = {each.site: each.policy for each in agent.policies}
    before, low.watcher = low.watcher, options.owner
    made = _policy(low, sites.get(options.site, agent.otherwise), options, evenly)
    low.watcher = before
    return made


def at_random(low: "Lowering", options: Options) -> Op:
    """Any option, evenly."""
    many = isinstance(options, SetsOf) and options.groups.sorted.bound > 31
    count = options.optional_count
    if not isinstance(options, Labels):
        return below(low, count, WORD if many else HALF)
    # Whoever has no choice draws a number all the same; that nothing depends on it the processor soon foresees.
    several = num(2) if len(options.open) == 2 else count
    return choose(compare("is", count, num(1)), below(low, num(1)), below(low, several))


def _policy(low: "Lowering", policy: rules.Policy, options: Options, evenly: Callable[[], Op]) -> Op:
    match policy:
        case rules.AtRandom():
            return evenly()
        case rules.FirstOption():
            return num(0)
        case rules.ByValue(value):
            kept, it = low.keep(low.number(value))
            found = low.f.local()
            message = f"the strategy's choice is not among the options of {options.name}"
            missing = when(compare("<", found.get, num(0)), low.fault(message, policy.span))
            return do(kept, found.set(options.find(it)), missing, found.get)
        case rules.Best(value):
            return _best(low, value, options)
        case rules.PolicyIf(condition, then, otherwise):
            test = low.test(condition)
            one, other = _policy(low, then, options, evenly), _policy(low, otherwise, options, evenly)
            return choose(test, do(one), do(other))
        case _:
            assert_never(policy)


def _best(low: "Lowering", value: rules.Expr, options: Options) -> Op:
    """The option with the highest value, the first of equals."""
    number, best, taken, again = low.f.local(), low.f.local(), low.f.local(), Label()
    made, env = options.trial(number.get)
    with low.where(env):
        kept, worth = low.keep(low.number_of(value))
    first = compare("is", number.get, num(0))
    better = either(first, compare(">", worth, best.get))
    step: Callable[[], Op] = lambda: loop(  # noqa: E731
        again,
        made,
        kept,
        when(better, do(best.set(worth), taken.set(number.get))),
        number.set(add(number.get, num(1))),
        jump_if(again, compare("<", number.get, options.count.get)),
    )
    return do(taken.set(num(0)), number.set(num(0)), when(compare(">", options.count.get, num(1)), step()), taken.get)
