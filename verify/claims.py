"""Whether a claim about many games holds: exactly where a game is small enough, else as far as played games tell."""

import time
from fractions import Fraction

import attrs

from ..dsl import rules
from ..interpreter import Stream
from ..interpreter.agents import recipe
from ..interpreter.figures import Interval
from ..interpreter.playing import Match, play
from ..interpreter.simulate import Figures, engine_for, figure, simulate
from .explore import Budget
from .graph import Graph
from .looking import Looking
from .solve import Payoffs, Solution, Unsolvable, scores, shares, solve
from .solving import BEST, SEVERAL, UNIFORM, searched, sees_hidden
from .verdicts import Finding, Verdict

SEARCHING, PLAYING = 0.05, 0.05
"""The shares of the time for looking at what strategies can come to, and for playing games."""

MOST_GAMES = 10_000
"""Games that are played for the claims of one strategy."""

SMALL, WORK = 20_000, 10**8
"""How hard fractions are tried: see `solve`."""

EXACT = ("win_rate", "shared_rate", "mean_score")
"""Figures that follow from how games end."""

ELSEWHERE = "claims are about games of the fewest players with the usual options"


@attrs.frozen
class _Worth:
    """Certain bounds of a figure. `sure`: nobody who plays as said can come to another."""

    low: Fraction | float
    high: Fraction | float
    sure: bool = True

    def verdict(self, claim: rules.Claim) -> Verdict:
        """What it says of a claim."""
        low, high = Fraction(claim.low), Fraction(claim.high)
        if low <= self.low and self.high <= high:
            return "proved" if self.sure else "not_refuted"
        return "refuted" if self.sure and (self.high < low or high < self.low) else "undecided"

    def __str__(self) -> str:
        if isinstance(self.low, Fraction) and self.low == self.high:
            told = f"{self.low.numerator}/{self.low.denominator}" if self.low.denominator > 1 else str(self.low)
            return f"{float(self.low):.6g}" + (f" = {told}, exactly" if 1 < len(told) < 30 else ", exactly")
        middle, error = float(self.low + self.high) / 2, float(self.high - self.low) / 2
        if error > 1e-3:
            return f"from {float(self.low):.6g} to {float(self.high):.6g}"
        return f"{middle:.6g}, off by {error:.1e} at most"


@attrs.define(eq=False)
class Claims:
    """Judges the claims of a ruleset that was looked at."""

    looked: Looking
    _graphs: dict[str, Graph | str] = attrs.Factory(dict)
    """What play by a strategy can come to, or why that is not known."""
    _figures: dict[str, Figures] = attrs.Factory(dict)

    def judge(self, claim: rules.Claim) -> Finding:
        """What is said of a claim."""
        subject, game = self.looked.subject, self.looked.game
        if subject.options or subject.players != game.players[0]:
            return Finding(claim.name, "author", "undecided", span=claim.span, unchecked=ELSEWHERE)
        why = ""
        if claim.figure in EXACT:
            try:
                return _compared(claim, self._worth(claim))
            except Unsolvable as error:
                why = str(error)
        if claim.strategy == BEST:
            why = why or "what best play comes to can be worked out for wins and scores alone"
            return Finding(claim.name, "author", "undecided", why, claim.span)
        return self._estimated(claim)

    def _share(self, part: float) -> float | None:
        share = self.looked.share(part)
        return None if share is None else share / len({claim.strategy for claim in self.looked.game.claims})

    # ---- exactly ----------------------------------------------------------------------------------------

    def _worth(self, claim: rules.Claim) -> _Worth:
        """The figure of all games there can be.

        Raises:
            Unsolvable: there are too many positions, or it has no answer.
        """
        assert isinstance(claim.of, int)
        graph = self._graph(claim.strategy or UNIFORM)
        wanted = self._payoffs(claim, graph)
        if claim.strategy != BEST:
            return _seat(solve(graph, wanted, (), small=SMALL, work=WORK), claim.of)
        if sees_hidden(self.looked.game, graph, range(graph.players)):
            raise Unsolvable("best play of players who do not see everything is not worked out")
        aim = scores(graph) if claim.figure == "mean_score" or graph.players == 1 else shares(graph)
        found = solve(graph, aim, small=SMALL, work=WORK)
        if all(tuple(aim[end]) == tuple(wanted[end]) for end in graph.ends):
            return _seat(found, claim.of)
        if claim.figure == "win_rate" and (worth := _alone(_seat(found, claim.of))).verdict(claim) != "undecided":
            return worth
        taken = {position: _only(graph, position, edge) for position, edge in enumerate(found.policy) if edge >= 0}
        worth = _seat(solve(graph, wanted, (), taken, small=SMALL, work=WORK), claim.of)
        return attrs.evolve(worth, sure=False)

    def _graph(self, strategy: str) -> Graph:
        """All positions that play by a strategy can come to."""
        if self.looked.complete and strategy in (UNIFORM, BEST):
            return self.looked.search.graph
        if strategy not in self._graphs:
            self._graphs[strategy] = self._searched(strategy)
        found = self._graphs[strategy]
        if isinstance(found, str):
            raise Unsolvable(found)
        return found

    def _searched(self, strategy: str) -> Graph | str:
        play = dict.fromkeys(range(self.looked.subject.players), strategy)
        try:
            self._go_on()
            budget = Budget(self._share(SEARCHING))
            return searched(self.looked.subject, play, budget=budget, progress=self._go_on).graph
        except Unsolvable as error:
            return str(error)

    def _go_on(self, known: int = 0, waiting: int = 0, depth: int = 0) -> None:
        if self.looked.stop:
            raise Unsolvable("interrupted")

    def _payoffs(self, claim: rules.Claim, graph: Graph) -> Payoffs:
        """What the figure counts, at every end."""
        if claim.figure == "mean_score":
            return scores(graph)
        teams = self.looked.game.teams or graph.players
        paid = []
        for result in graph.results:
            alone = len({seat % teams for seat in result.winners}) == 1
            counts = alone is (claim.figure == "win_rate")
            paid.append(tuple(int(counts and seat in result.winners) for seat in range(graph.players)))
        return {position: paid[result] for position, result in graph.ends.items()}

    # ---- by playing -------------------------------------------------------------------------------------

    def _estimated(self, claim: rules.Claim) -> Finding:
        """What played games say of a claim. They refute it where even an interval twice as wide lies elsewhere."""
        figures = self._played(claim.strategy or "random")
        found, games = figure(figures, claim), figures.finished
        if found is None:
            return Finding(claim.name, "author", "undecided", f"nothing to go by in {games:,} games", claim.span)
        low, high = float(claim.low), float(claim.high)
        said = f"{found.estimate:.6g}, 95 % interval {found.low:.6g} to {found.high:.6g} in {games:,} games"
        if figures.games > games:
            said += f", {figures.games - games:,} more broke off"
        verdict: Verdict = "undecided"
        if found.verdict(low, high) == "holds":
            verdict = "not_refuted"
        elif _wider(found).verdict(low, high) == "fails" and figures.games == games:
            verdict = "refuted"
        if figures.games > games and verdict == "not_refuted":
            verdict = "undecided"  # who is left of games that break off is not who would be there
        return Finding(claim.name, "author", verdict, _told(claim, verdict, said), claim.span, evaluated=games)

    def _played(self, agent: str) -> Figures:
        """The figures of games in which everybody plays alike."""
        if agent not in self._figures:
            looked, ruleset = self.looked, self.looked.subject.ruleset
            strategies = [strategy.name for strategy in looked.game.strategies]
            everybody = (recipe(agent, strategies),) * looked.subject.players
            match = Match(
                looked.game, ruleset.name, ruleset.fingerprint, looked.subject.players, {}, everybody, looked.seed
            )
            if engine_for(match, "native") == "native":
                self._figures[agent] = simulate(match, MOST_GAMES, jobs=1)
                return self._figures[agent]
            share, engine = self._share(PLAYING), match.engine()
            until, agents = None if share is None else time.monotonic() + share, match.seated(engine)
            figures = self._figures[agent] = Figures(match.players, looked.game.teams)
            while figures.games < MOST_GAMES and not looked.stop and (until is None or time.monotonic() < until):
                draws = Stream(looked.seed, figures.games)
                figures.add(play(engine, agents, draws, match.limits.decisions))
        return self._figures[agent]


def _compared(claim: rules.Claim, worth: _Worth) -> Finding:
    """What an exact figure says of a claim."""
    verdict = worth.verdict(claim)
    notes = () if worth.sure else (SEVERAL,)
    return Finding(claim.name, "author", verdict, _told(claim, verdict, str(worth)), claim.span, notes=notes)


def _told(claim: rules.Claim, verdict: Verdict, said: str) -> str:
    """What was found, and beside it what is claimed if that is not the same."""
    return said if verdict in ("proved", "not_refuted") else f"{said}; claimed {claim.low} to {claim.high}"


def _seat(found: Solution, seat: int) -> _Worth:
    """What a solution says of a seat, from 1."""
    value = found.seats[seat - 1]
    if isinstance(value, Fraction):
        return _Worth(value, value)
    return _Worth(value - found.error, value + found.error)


def _alone(share: _Worth) -> _Worth:
    """What two players who win such a share win without sharing, however they came by it."""
    low = 2 * share.low - 1
    return _Worth(low if low > 0 else Fraction(0), share.high)


def _only(graph: Graph, position: int, taken: int) -> list[Fraction]:
    """The odds of the options where one of them is taken."""
    return [Fraction(edge == taken) for edge in graph.edges(position)]


def _wider(interval: Interval) -> Interval:
    """An interval twice as wide."""
    low, high = interval.estimate - interval.low, interval.high - interval.estimate
    return Interval(interval.estimate, interval.low - low, interval.high + high)
