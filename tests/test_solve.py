"""What games are worth and how they end, on graphs drawn by hand and at random."""

import sys
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from itertools import product
from math import isclose
from subprocess import run

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regelwerk.interpreter import Result
from regelwerk.verify.ending import Stall, ending, lengths, longest
from regelwerk.verify.graph import BROKEN, CHANCE, END, OPEN, Graph
from regelwerk.verify.solve import Payoffs, Solution, Unsolvable, scores, shares, solve

HALF = Fraction(1, 2)


@attrs.frozen
class Turned:
    """A way after which the table has been turned by one seat."""

    to: Hashable


@attrs.frozen
class Seat:
    """A seat decides."""

    number: int
    ways: tuple[Hashable, ...]


@attrs.frozen
class Odds:
    """Chance decides."""

    ways: dict[Hashable, Fraction]


@attrs.frozen
class Paid:
    """The game is over."""

    seats: tuple[int | Fraction, ...]


Place = Seat | Odds | Paid | None
"""None: it has not been looked into."""


def seat(number: int, *ways: Hashable) -> Seat:
    """A decision of a seat, from 0."""
    return Seat(number, ways)


def chance(*ways: Hashable) -> Odds:
    """All are as likely."""
    return Odds({way: Fraction(ways.count(way), len(ways)) for way in ways})


def paid(*seats: int | Fraction) -> Paid:
    """What each seat gets; a single number is what the first gets from the second."""
    return Paid(seats if len(seats) > 1 else (seats[0], -seats[0]))


def drawn(look: Callable[[Hashable], Place], start: Hashable, players: int = 2) -> tuple[Graph, Payoffs]:
    """The graph of all that is found from a start."""
    graph, payoffs, number = Graph(players=players, complete=True), {}, {start: 0}
    graph.came.append(-1)
    level = [start]
    while level:
        graph.levels.append(number[level[0]])
        ahead = []
        for name in level:
            place = look(name)
            ways: list[tuple[Hashable, int]] = []
            match place:
                case Seat(who, options):
                    graph.owner.append(who)
                    ways = [(way, -1) for way in options]
                case Odds(odds):
                    graph.owner.append(CHANCE)
                    graph.chances += [likely for likely in odds.values() if likely not in graph.chances]
                    ways = [(way, graph.chances.index(likely)) for way, likely in odds.items()]
                case Paid(seats):
                    graph.owner.append(END)
                    payoffs[number[name]] = seats
                    graph.ends[number[name]] = 0
                case None:
                    graph.owner.append(OPEN)
                    graph.complete = False
            for way, likely in ways:
                to, turned = (way.to, 1) if isinstance(way, Turned) else (way, 0)
                if to not in number:
                    number[to] = len(number)
                    graph.came.append(len(graph.target))
                    ahead.append(to)
                graph.target.append(number[to])
                graph.odds.append(likely)
                graph.turned.append(turned)
            graph.first.append(len(graph.target))
        level = ahead
    return graph, payoffs


def board(**places: Place) -> tuple[Graph, Payoffs]:
    """The graph of places with names, from the first of them."""
    return drawn(lambda name: places[str(name)], next(iter(places)))


# ---- values --------------------------------------------------------------------------------------------


@given(st.integers(2, 30), st.data(), st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=12))
def test_the_ruin_of_a_gambler(goal: int, data: st.DataObject, luck: Fraction) -> None:
    """The chance to win all before all is lost has a formula; it comes out as a fraction."""
    start = data.draw(st.integers(1, goal - 1))
    places: dict[Hashable, Place] = {n: Odds({n + 1: luck, n - 1: 1 - luck}) for n in range(1, goal)}
    places |= {0: paid(0, 1), goal: paid(1, 0)}
    graph, payoffs = drawn(places.__getitem__, start)
    ratio = (1 - luck) / luck
    formula = Fraction(start, goal) if ratio == 1 else (1 - ratio**start) / (1 - ratio**goal)
    solution = solve(graph, payoffs)
    rounded = solve(graph, payoffs, work=0)

    assert (formula, 1 - formula) == solution.seats
    assert solution.exact and solution.error == 0
    assert not rounded.exact and 0 < rounded.error < 1e-9
    assert rounded.low <= formula <= rounded.high
    assert abs(formula - Fraction(rounded.value)) <= rounded.error


def chosen(graph: Graph, solution: Solution) -> dict[int, int]:
    """Which option is taken, by position."""
    return {graph.source(edge): edge - graph.first[graph.source(edge)] for edge in solution.policy if edge >= 0}


def test_two_players_who_stop_or_dare() -> None:
    """Both may stop or dare, and hand on the turn if it comes to nothing; both dare."""
    graph, payoffs = board(
        first=seat(0, "modest", "dare"),
        modest=paid(Fraction(1, 10)),
        dare=chance("won", "second"),
        won=paid(1),
        second=seat(1, "refuse", "defy"),
        refuse=paid(Fraction(-1, 5)),
        defy=chance("lost", "first"),
        lost=paid(-1),
    )
    solution = solve(graph, payoffs)

    assert solution.exact
    assert (Fraction(1, 3), Fraction(-1, 3)) == solution.seats
    assert [1, 1] == list(chosen(graph, solution).values())


def test_best_play_against_chance_and_against_a_policy() -> None:
    """Only some seats play as well as possible; the others choose uniformly, or as a policy says."""
    graph, payoffs = board(
        first=seat(0, "left", "right"),
        left=seat(1, "a", "b"),
        right=seat(1, "c", "d"),
        a=paid(1),
        b=paid(5),
        c=paid(2),
        d=paid(3),
    )

    assert [2, 3, Fraction(11, 4)] == [solve(graph, payoffs, best).value for best in (None, [0], [])]
    assert -1 == solve(graph, payoffs, [1], {0: (Fraction(1), Fraction(0))}).value
    assert Fraction(-3, 2) == solve(graph, payoffs, [1]).value, "that of the seat that plays best"
    assert 4 == solve(graph, payoffs, policy={1: (Fraction(1, 4), Fraction(3, 4))}).value
    with pytest.raises(Unsolvable, match="do not add up to one"):
        solve(graph, payoffs, policy={0: (HALF, Fraction(1, 4))})


def test_three_players_and_points() -> None:
    """With payoffs of any sort: by chance for all seats, and as good as can be for one of them."""
    graph, payoffs = board(
        first=chance("first", "mine", "thine"),
        mine=seat(0, "poor", "rich"),
        thine=paid(0, 7, 1),
        poor=paid(1, 1, 1),
        rich=paid(6, 0, 2),
    )
    graph.players = 3
    likely = solve(graph, payoffs, [])
    best = solve(graph, payoffs)

    assert (Fraction(7, 4), Fraction(15, 4), Fraction(5, 4)) == likely.seats
    assert (3, Fraction(7, 2), Fraction(3, 2)) == best.seats
    graph.owner[1] = 1
    assert (HALF, 4, 1) == solve(graph, payoffs).seats


def test_two_who_do_not_play_against_each_other() -> None:
    """Best play of two seats whose payoffs do not add up to the same is not known."""
    graph, payoffs = board(
        first=seat(0, "end", "second"), second=seat(1, "end", "both"), end=paid(1, 2), both=paid(3, 3)
    )
    with pytest.raises(Unsolvable, match="add up"):
        solve(graph, payoffs)

    assert (1 / HALF, Fraction(9, 4)) == (solve(graph, payoffs, [0]).value, solve(graph, payoffs, []).seats[1])


@pytest.mark.parametrize("wrong", ["open", "broken", "stuck", "endless"])
def test_what_cannot_be_solved(wrong: str) -> None:
    """A graph with a hole has no value, and the message says which hole."""
    graph, payoffs = board(first=chance("won", "lost"), won=paid(1), lost=paid(-1))
    if wrong == "open":
        graph.complete = False
    elif wrong == "broken":
        graph.target[0] = BROKEN
    elif wrong == "stuck":
        graph.owner[1] = 0
    else:
        graph, payoffs = board(first=seat(0, "first"))
    words = {"open": "looked into", "broken": "faults", "stuck": "no way on", "endless": "no end"}
    with pytest.raises(Unsolvable, match=words[wrong]):
        solve(graph, payoffs)


def test_who_can_wait_for_ever() -> None:
    """One who can wait may get what is there, but what waiting for ever is worth is not known: the bounds stay
    apart, and the policy does not wait."""
    graph, payoffs = board(
        first=seat(0, "wait", "take"), wait=chance("first"), take=chance("won", "lost"), won=paid(1), lost=paid(0, 0)
    )
    solution = solve(graph, {position: (pay[0], -pay[0]) for position, pay in payoffs.items()})

    assert not solution.exact
    assert solution.low <= HALF <= solution.high
    assert isclose(0.5, solution.low) and isclose(1, solution.high)
    assert 0.25 <= solution.error
    assert {0: 1} == chosen(graph, solution)


def test_waiting_that_does_not_help() -> None:
    """Where waiting for ever is worse for whoever can wait than to go on, both bounds meet, and a fraction is found."""
    graph, payoffs = board(
        first=seat(0, "second", "toss"),
        second=seat(1, "first", "throw"),
        toss=chance("won", "won", "lost"),
        throw=chance("won", "lost", "lost"),
        won=paid(1),
        lost=paid(-1),
    )
    solution = solve(graph, payoffs)

    assert solution.value == Fraction(1, 3)


def test_a_table_that_turns_for_ever() -> None:
    """What one player wins the other loses, but where play has no end that does not make it nothing."""
    graph, payoffs = board(first=chance("end", "round"), round=chance(Turned("round")), end=paid(1))
    solution = solve(graph, payoffs)

    assert not solution.exact
    assert isclose(0, solution.low, abs_tol=1e-9) and isclose(1, solution.high)


def test_bounds_move_on_behind_what_stays_open() -> None:
    """Somebody may go where play has no end, but has something better: bounds meet, though behind they never do."""
    graph, payoffs = board(
        first=seat(1, "second", "third"),
        second=seat(0, "first", "round"),
        third=seat(1, "first", "lost"),
        round=chance("round"),
        lost=paid(-1),
    )
    solution = solve(graph, payoffs)

    assert isclose(-1, solution.seats[0]) and solution.error < 1e-9


@st.composite
def games(draw: st.DrawFn, players: int = 2, turning: bool = False, against: bool = True) -> dict[Hashable, Place]:
    """A few places with ways between them in all directions, of seats and of chance."""
    count = draw(st.integers(1, 5))
    payoff = st.integers(-3, 3)
    places: dict[Hashable, Place] = {
        name: Paid((first := draw(payoff), -first) if against else tuple(draw(payoff) for _ in range(players)))
        for name in ("end", "other end")
    }
    way = st.sampled_from([*range(count), *places])
    ways = st.builds(Turned, way) | way if turning else way
    for name in range(count):
        who = draw(st.integers(-1, players - 1))
        places[name] = (
            chance(*draw(st.lists(ways, min_size=1, max_size=3))) if who < 0 else seat(who, draw(ways), draw(ways))
        )
    return places


def dense(graph: Graph, payoffs: Payoffs, taken: Mapping[int, int], endless: Fraction) -> Fraction:
    """What the first seat gets if these edges are chosen; all equations at once."""
    odds: dict[int, dict[int, Fraction]] = {}
    for position in range(len(graph)):
        row: dict[int, Fraction] = {}
        odds[position] = row
        for edge in [taken[position]] if position in taken else graph.edges(position):
            likely = graph.chances[graph.odds[edge]] if graph.odds[edge] >= 0 else Fraction(1)
            row[graph.target[edge]] = row.get(graph.target[edge], Fraction(0)) + likely
    ending = set(graph.ends)
    while more := {position for position, row in odds.items() if ending & row.keys()} - ending:
        ending |= more
    values = {position: Fraction(payoffs[position][0]) for position in graph.ends}
    values |= {position: endless for position in odds if position not in ending}
    unknown = [position for position in odds if position not in values]
    rows: list[list[Fraction]] = []
    for position in unknown:
        line = [Fraction(position == other) - odds[position].get(other, Fraction(0)) for other in unknown]
        rows.append(
            [*line, sum((likely * values[to] for to, likely in odds[position].items() if to in values), Fraction(0))]
        )
    for column in range(len(rows)):
        pivot = next(index for index in range(column, len(rows)) if rows[index][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for index in range(len(rows)):
            if index != column:
                times = rows[index][column]
                rows[index] = [a - times * b for a, b in zip(rows[index], rows[column], strict=True)]
    return (values | {position: row[-1] for position, row in zip(unknown, rows, strict=True)})[0]


def tried(graph: Graph, payoffs: Payoffs, endless: Fraction) -> Fraction:
    """The value of best play, by trying all ways to play."""
    plans: list[list[dict[int, int]]] = []
    for who in range(2):
        places = [position for position in range(len(graph)) if graph.owner[position] == who]
        plans.append([dict(zip(places, plan, strict=True)) for plan in product(*map(graph.edges, places))])
    return max(min(dense(graph, payoffs, first | second, endless) for second in plans[1]) for first in plans[0])


@given(games())
def test_best_play_as_by_trying_everything(places: dict[Hashable, Place]) -> None:
    """Bounds hold whatever play without end is worth, meet where that makes no difference, and fractions are right."""
    graph, payoffs = drawn(places.__getitem__, 0)
    if not payoffs:
        return
    most = max(abs(Fraction(pay[0])) for pay in payoffs.values())
    least, greatest = (tried(graph, payoffs, endless) for endless in (-most, most))
    for solution in (solve(graph, payoffs), solve(graph, payoffs, small=0)):
        value = Fraction(solution.seats[0])
        assert value - Fraction(solution.error) <= least <= greatest <= value + Fraction(solution.error)
        assert not solution.exact or least == value == greatest
        assert least < greatest or solution.high - solution.low <= 1e-6
        for position, option in chosen(graph, solution).items():
            assert graph.owner[position] >= 0 and option < len(graph.edges(position))


@given(games())
def test_chances_as_by_all_equations_at_once(places: dict[Hashable, Place]) -> None:
    """Without best play the value is that of one system of equations, and a fraction wherever play ends."""
    graph, payoffs = drawn(places.__getitem__, 0)
    if not payoffs:
        return
    uniform = {
        position: chance(*place.ways) if isinstance(place, Seat) else place for position, place in places.items()
    }
    expected = dense(*drawn(uniform.__getitem__, 0), {}, min(Fraction(pay[0]) for pay in payoffs.values()))
    solution, rounded = solve(graph, payoffs, []), solve(graph, payoffs, [], work=0)

    assert solution.exact == ending(graph).uniformly
    assert rounded.low <= expected <= rounded.high
    assert not solution.exact or (expected == solution.value and rounded.error < 1e-9)


@given(
    st.data(),
    st.sampled_from([(2, True, None), (2, True, [1]), (2, True, []), (2, False, []), (3, False, []), (3, False, [1])]),
)
def test_turned_tables(data: st.DataObject, case: tuple[int, bool, list[int] | None]) -> None:
    """A graph whose table is turned on the way has the values of the graph in which seats stay where they are."""
    players, against, best = case
    places = data.draw(games(players, True, against))

    def unfolded(name: Hashable) -> Place:
        assert isinstance(name, tuple)
        place, moved = places[name[0]], name[1]

        def to(way: Hashable) -> Hashable:
            return (way.to, (moved + 1) % players) if isinstance(way, Turned) else (way, moved)

        match place:
            case Seat(number, ways):
                return Seat((number - moved) % players, tuple(map(to, ways)))
            case Odds(odds):
                return Odds({to(way): likely for way, likely in odds.items()})
            case Paid(seats):
                return Paid(tuple(seats[(place + moved) % players] for place in range(players)))
        return None

    folded, whole = drawn(places.__getitem__, 0, players), drawn(unfolded, (0, 0), players)
    if not folded[1]:
        return
    one, other = solve(*folded, best), solve(*whole, best)
    short, long = ending(folded[0]), ending(whole[0])

    for value, same in zip(one.seats, other.seats, strict=True):
        assert abs(float(value) - float(same)) < 1e-6 or best == [1] and players == 3
    assert all(isclose(a, b, abs_tol=1e-6) for a, b in ((one.low, other.low), (one.high, other.high)))
    assert (short.kind, short.uniformly) == (long.kind, long.uniformly)
    if short.stall and long.stall:
        assert len(short.stall.stem + short.stall.cycle) == len(long.stall.stem + long.stall.cycle)
        assert (short.stall.alone, short.stall.at_once) == (long.stall.alone, long.stall.at_once)


def pig(goal: int, turned: bool) -> tuple[Graph, Payoffs]:
    """Pig of two: throw a die as long as you dare; a one costs the points of the turn."""

    def look(name: Hashable) -> Place:
        assert isinstance(name, tuple)
        mine, other, total, thrown, me = name

        def over(points: int) -> Hashable:
            return Turned((other, points, 0, False, 0)) if turned else (other, points, 0, False, 1 - me)

        if other >= goal:
            return Paid((0, 1) if me == 0 else (1, 0))
        if thrown:
            return Odds(
                {
                    way: Fraction(1, 6)
                    for way in (over(mine), *((mine, other, total + n, False, me) for n in range(2, 7)))
                }
            )
        throw = (mine, other, total, True, me)
        return seat(me, *([over(mine + total)] if total else []), *([] if mine + total >= goal else [throw]))

    return drawn(look, (0, 0, 0, False, 0))


def pig_by_sweeping(goal: int) -> float:
    """The chances of whoever begins, by going over all positions until nothing moves."""
    worth: dict[tuple[int, int, int], float] = {
        (i, j, k): 0.0 for i in range(goal) for j in range(goal) for k in range(goal - i)
    }
    moved = 1.0
    while moved > 1e-14:
        moved = 0.0
        for i, j, k in worth:
            throw = 1 - worth[j, i, 0]
            throw += sum(1.0 if i + k + n >= goal else worth[i, j, k + n] for n in range(2, 7))
            best = max(throw / 6, 1 - worth[j, i + k, 0] if k else 0)
            moved = max(moved, abs(best - worth[i, j, k]))
            worth[i, j, k] = best
    return worth[0, 0, 0]


def test_pig() -> None:
    """Best play of Pig, with seats as they are and with the table turned, is that of sweeping over all positions."""
    whole, folded = (solve(*pig(15, turned)) for turned in (False, True))
    rounded = solve(*pig(15, True), small=0)

    assert whole.exact and whole.seats == folded.seats
    assert isclose(pig_by_sweeping(15), whole.value, abs_tol=1e-12)
    assert rounded.low <= whole.value <= rounded.high
    assert 0 < rounded.error < 1e-11


def test_payoffs_of_results() -> None:
    """A win is shared, and points are points."""
    graph, _ = board(first=chance("won", "shared"), won=paid(1), shared=paid(0))
    graph.results = [Result((3, 1), (0,)), Result((2, 2), (0, 1))]
    graph.ends[2] = 1

    assert {1: (1, 0), 2: (HALF, HALF)} == shares(graph)
    assert {1: (3, 1), 2: (2, 2)} == scores(graph)
    assert (Fraction(5, 2), Fraction(3, 2)) == solve(graph, scores(graph)).seats


# ---- ends ----------------------------------------------------------------------------------------------


def test_a_bounded_game() -> None:
    """A game in which no position comes twice has a longest game, by whatever counts."""
    graph, _ = board(
        first=seat(0, "end", "roll"),
        roll=chance("end", "second"),
        second=seat(1, "third", "end"),
        third=seat(0, "end"),
        end=paid(1),
    )
    decisions = [int(odds < 0) for odds in graph.odds]
    result = ending(graph)

    assert ("bounded", 1, True, None) == (result.kind, result.shortest, result.uniformly, result.stall)
    assert result.longest and (4, (1, 3, 4, 6)) == (result.longest.count, result.longest.way)
    assert (most := longest(graph, decisions)) and 3 == most.count
    assert (none := longest(graph, [0] * len(decisions))) and (0, ()) == (none.count, none.way)


def test_a_game_that_ends_almost_surely() -> None:
    """Chance may go round, but not for ever; what is counted elsewhere stays bounded."""
    graph, _ = board(
        first=seat(0, "toss"),
        toss=chance("again", "second"),
        again=chance("toss", "again"),
        second=seat(1, "end"),
        end=paid(1),
    )
    result = ending(graph)
    most = longest(graph, [int(odds < 0) for odds in graph.odds])

    assert ("almost surely", 3, None, None, True) == (
        result.kind,
        result.shortest,
        result.longest,
        result.stall,
        result.uniformly,
    )
    assert longest(graph) is None
    assert most and (2, (0, 2, 5)) == (most.count, most.way)


@pytest.mark.parametrize(
    ("places", "stall", "uniformly"),
    [
        pytest.param(
            {"first": seat(0, "end", "second"), "second": seat(1, "end", "first"), "end": paid(1)},
            Stall((), (1, 3), True, (0, 1), (), ()),
            True,
            id="both",
        ),
        pytest.param(
            {
                "first": seat(0, "end", "second"),
                "second": seat(1, "roll"),
                "roll": chance("first", "second"),
                "end": paid(1),
            },
            Stall((), (1, 2, 3), True, (0,), (0,), (0,)),
            True,
            id="alone",
        ),
        pytest.param(
            {"first": chance("end", "luck"), "luck": seat(1, "end", "luck"), "end": paid(1)},
            Stall((1,), (3,), True, (1,), (1,), ()),
            True,
            id="alone with luck",
        ),
        pytest.param(
            {"first": seat(0, "end", "round"), "round": chance("round"), "end": paid(1)},
            Stall((1,), (2,), True, (), (0, 1), (0,)),
            False,
            id="the rules go round",
        ),
        pytest.param(
            {"first": seat(0, "end", Turned("first")), "end": paid(1)},
            Stall((), (1, 1), True, (0, 1), (), ()),
            True,
            id="a turned table",
        ),
        pytest.param(
            {
                "first": seat(0, "end", "far", "near"),
                "far": seat(0, "farther"),
                "farther": seat(0, "first"),
                "near": seat(0, "near", "end"),
                "end": paid(1),
            },
            Stall((2,), (4,), True, (0,), (0,), (0,)),
            True,
            id="the smallest",
        ),
        pytest.param(
            {"first": seat(0, "open", "wait"), "wait": seat(0, "first"), "open": None},
            Stall((), (1, 2), True, (0,), (0,), (0,)),
            None,
            id="not all is known",
        ),
    ],
)
def test_players_who_stall(places: dict[str, Place], stall: Stall, uniformly: bool | None) -> None:
    """Who can keep the end off for ever, and how: the smallest play without end."""
    graph, _ = board(**places)
    result = ending(graph)

    assert ("stallable", stall, uniformly) == (result.kind, result.stall, result.uniformly)


def test_an_end_that_is_not_known() -> None:
    """Behind a position that has not been looked into there may be anything."""
    graph, _ = board(first=chance("end", "open"), end=paid(1), open=None)
    result = ending(graph)

    assert ("undecided", 1, None) == (result.kind, result.shortest, result.uniformly)
    assert lengths(graph) is None


@given(games())
def test_stalling_as_by_looking(places: dict[Hashable, Place]) -> None:
    """A set in which players can stay for ever is there if and only if the game is stallable, and the play that is
    shown goes round in it."""
    graph, _ = drawn(places.__getitem__, 0)
    result = ending(graph)
    kept = set(range(len(graph))) - graph.ends.keys()
    while leaving := {
        position
        for position in kept
        if not (any if graph.owner[position] >= 0 else all)(
            graph.target[edge] in kept for edge in graph.edges(position)
        )
    }:
        kept -= leaving

    assert bool(kept) == (result.stall is not None) == (result.kind == "stallable")
    if result.stall:
        at = [0] + [graph.target[edge] for edge in result.stall.stem + result.stall.cycle]
        assert [graph.source(edge) for edge in result.stall.stem + result.stall.cycle] == at[:-1]
        assert at[-1] == at[len(result.stall.stem)]
        assert kept.issuperset(at[len(result.stall.stem) :])


def test_lengths() -> None:
    """A coin until it shows heads: two tosses in the mean, and after ten of them 999 games in 1000 are over."""
    graph, _ = board(first=seat(0, "toss"), toss=chance("end", "toss"), end=paid(1))
    found = lengths(graph, [0, 0, 3])

    assert found and isclose(3, found.answers) and isclose(1, found.decisions) and isclose(3, found.counted or 0)
    assert 11 == found.most
    assert lengths(board(first=chance("first", "round", "end"), round=chance("round"), end=paid(1))[0]) is None


def test_nothing_is_imported_before_it_is_needed() -> None:
    """Whoever only verifies small games does not wait for arrays."""
    code = "import sys, regelwerk.verify.ending; sys.exit('numpy' in sys.modules)"

    assert 0 == run([sys.executable, "-c", code], check=False).returncode
