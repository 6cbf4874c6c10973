"""Invariants and measures at the moments at which they are looked at, and the scores and winners of a game.

What a pass has not bound, an invariant or measure that reads it says nothing about.
"""

from typing import TYPE_CHECKING

from ...dsl import rules
from ...dsl.tree import walk
from ..scoring import IN_BOUNDS
from .code import (
    NOTHING,
    Op,
    Region,
    address,
    at,
    both,
    compare,
    do,
    either,
    load,
    mul,
    no,
    num,
    number,
    store,
    when,
)
from .listings import Offset
from .sets import numbers
from .values import WideSum
from .watching import Watching, possible

if TYPE_CHECKING:
    from .flow import Function
    from .lowering import Lowering


def after(low: "Lowering", phase: str, me: rules.Local | None, function: "Function") -> None:
    """Fill what happens whenever a pass of a phase ends."""
    with low.inside(function):
        code = [looking(low, rules.After(phase), me)]
        code += [
            _sampling(low, place, measure, me)
            for place, measure in enumerate(low.game.measures)
            if isinstance(measure.moment, rules.After) and measure.moment.phase == phase
        ]
        function.fill(do(*code))


def looking(low: "Lowering", moment: rules.Moment, me: rules.Local | None = None) -> Op:
    """What must hold that is looked at in a moment, and, where that is watched, what must be possible; `me` is the
    player of a pass, who is always bound."""
    code = [_holding(low, rule, me) for rule in low.game.invariants if rule.moment == moment]
    if low.keeping_on is not None:
        code += [_meeting(low, low.keeping_on, rule, me) for rule in possible(low.game, moment)]
    return do(*code)


def always(low: "Lowering", function: "Function") -> None:
    """Fill what is looked at whenever something is asked."""
    with low.inside(function):
        function.fill(looking(low, rules.Always()), looking(low, rules.Never()))


def at_end(low: "Lowering") -> Op:
    """What is looked at when the game is over, and how it has ended."""
    game = low.game
    low.at_end = True
    code = [looking(low, rules.AtEnd())]
    if game.score is not None and game.score.bounds is not None:
        code.append(_bounds(low, game.score, game.score.bounds))
    for place, measure in enumerate(game.measures):
        if isinstance(measure.moment, rules.AtEnd) and _free(measure.value):
            code.append(_sampling(low, place, measure, None))
    code += [scoring(low), winning(low)]
    made = do(*code, looking(low, rules.Always()), looking(low, rules.Never()))
    low.at_end = False
    return made


def _free(value: rules.Expr) -> bool:
    """Whether a value reads nothing that a pass binds: at the end nothing is bound."""
    own, read = _locals(value)
    return not {each.number for each in read if not isinstance(each.type, rules.Maybe)} - own


def _locals(value: rules.Expr) -> tuple[set[int], list[rules.Local | rules.LocalOf]]:
    """The numbers that a value binds itself, and the locals it reads."""
    nodes = [node for node, _ in walk(value)]
    own = {node.each.number for node in nodes if isinstance(node, rules.Filter | rules.Mapped | rules.Extreme)}
    return own, [node for node in nodes if isinstance(node, rules.Local | rules.LocalOf)]


def _bound(low: "Lowering", value: rules.Expr, me: rules.Local | None) -> Op | None:
    """Whether a pass has bound all that a value needs; None where the program never binds it."""
    own, read = _locals(value)
    tests = []
    for each in {each.number: each for each in read}.values():
        if isinstance(each, rules.LocalOf):
            if each.number not in low.together:
                return None
            first = low.together[each.number]
            tests.append(either(*[low.is_bound(first + seat) for seat in range(low.layout.players)]))
        elif each.number not in own and each.number not in low.env and not isinstance(each.type, rules.Maybe):
            if each.number not in low.slots:
                return None
            if me is None or each.number != me.number:
                tests.append(low.is_bound(low.slots[each.number]))
    return both(*tests)


def _holding(low: "Lowering", rule: rules.Invariant, me: rules.Local | None) -> Op:
    if low.at_end and not _free(rule.condition):
        return NOTHING
    bound = _bound(low, rule.condition, me)
    if bound is None:
        return NOTHING
    holds = low.test(rule.condition)
    fails = holds if isinstance(rule.moment, rules.Never) else no(holds)
    if low.keeping_on is not None:
        return when(bound, do(low.keeping_on.looks(rule.name), when(fails, low.keeping_on.note(rule.name))))
    return when(bound, when(fails, low.fault(f"the invariant does not hold: {rule.name}", rule.span)))


def _meeting(low: "Lowering", watching: Watching, rule: rules.Possible, me: rules.Local | None) -> Op:
    """What must be possible is noted where it comes about."""
    if low.at_end and not _free(rule.condition):
        return NOTHING
    bound = _bound(low, rule.condition, me)
    if bound is None:
        return NOTHING
    return when(bound, do(watching.looks(rule.name), when(low.test(rule.condition), watching.note(rule.name))))


def _sampling(low: "Lowering", place: int, measure: rules.Measure, me: rules.Local | None) -> Op:
    bound = _bound(low, measure.value, me)
    if bound is None:
        return NOTHING
    kept, value = low.keep(low.number_of(measure.value))
    return when(bound, do(kept, low.tallies.sample(place, value)))


# ---- scores and winners --------------------------------------------------------------------------------


def scores_room(low: "Lowering") -> Region:
    """Where the scores stand."""
    return low.shared_room("scores", 8 * low.layout.players)


def by_seat(low: "Lowering", me: rules.Local, value: rules.Expr, room: Region) -> Op:
    """A value for each seat; for teams, what its players have together."""
    players, teams = low.layout.players, low.game.teams
    code = []

    def one(seat: Op) -> Op:
        with low.where(low.bound(me, seat)):
            return store(mul(address(seat), at(8)), low.number_of(value), room)

    code.append(numbers(low, 0, players - 1).each(one))
    if teams is not None:
        sums = low.shared_room("team sums", 8 * players)
        for team in range(teams):
            own = [load(at(0), Offset(room, 8 * seat)) for seat in range(team, players, teams)]
            total = WideSum(low)
            added = [total.add(each) for each in own]
            code.append(store(at(0), do(total.begin(), *added, total.end(value.span)), Offset(sums, 8 * team)))
        for seat in range(players):
            code.append(store(at(0), load(at(0), Offset(sums, 8 * (seat % teams))), Offset(room, 8 * seat)))
    return do(*code)


def scoring(low: "Lowering") -> Op:
    """Works out the scores."""
    score = low.game.score
    return NOTHING if score is None else by_seat(low, score.me, score.value, scores_room(low))


def _bounds(low: "Lowering", score: rules.Score, bounds: rules.Range) -> Op:
    least, most = low.known(bounds.low), low.known(bounds.high)
    code = [scoring(low)]
    if low.keeping_on is not None:
        code.append(low.keeping_on.looks(IN_BOUNDS))
    for seat in range(low.layout.players):
        value = load(at(0), Offset(scores_room(low), 8 * seat))
        outside = either(compare("<", value, num(least)), compare(">", value, num(most)))
        message = f"player {{0}} has the score {{1}}, outside of {least}..{most}"
        if low.keeping_on is not None:
            code.append(when(outside, low.keeping_on.note(IN_BOUNDS)))
        else:
            code.append(when(outside, low.fault(message, bounds.span, num(seat + 1), value)))
    return do(*code)


def winning(low: "Lowering") -> Op:
    """Works out who wins: the statements, which write a yes or no for each seat."""
    game, players = low.game, low.layout.players
    room = low.shared_room("winners", 8 * players)
    flags = [Offset(room, 8 * seat) for seat in range(players)]
    cleared = [store(at(0), num(0), flag) for flag in flags]
    set_flag = lambda seat: store(mul(address(seat), at(8)), num(1), room)  # noqa: E731
    if isinstance(game.winner, rules.Winners):
        return do(*cleared, low.listing(game.winner.players).each(set_flag))
    code = [*cleared]
    if game.winner:
        code.append(low.seats.each(set_flag))
    ranks = low.shared_room("ranks", 8 * players)
    for rank in game.winner:
        best, some = low.f.local(), low.f.local("t")
        code += [by_seat(low, rank.me, rank.value, ranks), some.set(at(0))]
        for seat, flag in enumerate(flags):
            value, left = load(at(0), Offset(ranks, 8 * seat)), load(at(0), flag, 4, "t")
            better = either(no(some.get), compare(">" if rank.highest else "<", value, best.get))
            code.append(when(left, do(when(better, best.set(value)), some.set(at(1)))))
        for seat, flag in enumerate(flags):
            value = load(at(0), Offset(ranks, 8 * seat))
            stays = both(load(at(0), flag, 4, "t"), compare("is", value, best.get))
            code.append(store(at(0), number(stays), flag))
    return do(*code)
