"""What is said of each property after a look at a game. No verdict says more than what was looked at."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

import attrs

from ..dsl import rules
from ..dsl.source import Span
from ..interpreter import Answer, Point, RulesFault, Watch
from ..interpreter.engine import BROKEN_OFF
from ..interpreter.rotation import alike
from ..interpreter.seats import names_a_seat
from . import exports, laws
from .claims import Claims
from .ending import Ending, Lengths, ending, lengths, longest
from .explore import Budget
from .growth import Growth
from .leads import astray, endless
from .leaks import NOTHING_SHOWS, SEES_ENOUGH, Leak, Leaks
from .looking import Looking
from .shorten import shorten
from .stalls import stalling
from .story import Teller
from .verdicts import Covered, Finding, Kind, Trace, Verdict
from .whole import COMPARED, balance, disagreement, unplayable

SHORTENING, SHORTER = 5.0, 0.5
"""Seconds for making one game short, and for proving that it is the shortest; no more than such a share of all."""

STALLING, GROWING, LAWFUL, LEAKING, PLAYING, TURNING = 0.07, 0.03, 0.05, 0.05, 0.03, 0.02
"""The shares of the time for play without end, for numbers without end, for laws, for leaks, for other tables, and for
turning the table."""

ALL_TABLES = 60.0
"""Seconds for other tables where there is no limit."""

SAMPLED = 400
"""Positions at which laws are looked at."""

ALONE = 0.85
"""The share of the time for one of these, where nothing else is asked for."""

LEAKS = 400
"""Positions at which is looked for leaks, if there is time."""

SURE = 0.95
"""How sure a bound is that games at random give."""

IN_PLAY = ("every value stays in its range", "every decision has an option", BROKEN_OFF)
"""Free properties that play itself breaks."""
KEPT = "components and conserved numbers are kept"
ENDS = "the game comes to an end"
HAPPENS = "everything can happen"
IDLE = "no option does nothing"
BOUNDS = "scores stay in their bounds"
GROWS = "no number grows for ever"
ALIKE = "seats are alike"
ENGINES = "both engines agree"
ORDERED = "order of simultaneous effects"
COUNT = "count of positions"
LENGTH = "balance and length"
PLAYABLE = "every number of players and option can be played"
TESTED = "every property was put to the test"

LAWS = (
    laws.NOTHING_AFTER_THE_END, laws.ANSWERS_AGREE, laws.CHANCES_ADD_UP, laws.SAME_GAME, laws.LOOKING, laws.EARLIER,
    laws.WRITTEN, laws.WINNERS, laws.STILL_IN,
)  # fmt: skip

ASKING = (
    ENDS, IDLE, HAPPENS, *LAWS, laws.REPLAYS, NOTHING_SHOWS, SEES_ENOUGH, PLAYABLE, ENGINES, ALIKE, GROWS, COUNT,
    LENGTH,
)  # fmt: skip
"""Free properties of which nothing can be said where a game breaks off before it asks for anything."""
NOT_BEGUN = "the game breaks off before anything is asked"

PLURALS = {
    "phase": "phases", "action": "actions", "branch": "branches", "option": "options", "table row": "table rows",
}  # fmt: skip


@attrs.frozen
class Found:
    """A game that breaks a property, as short as it is known."""

    answers: tuple[int | Answer, ...]
    shortest: bool
    examined: int
    message: str = ""
    span: Span | None = None
    repeats: int | None = None


@attrs.define(eq=False, slots=False)
class Findings:
    """Judges the properties of a game that was looked at. `only`: the name of the one that is asked for."""

    looked: Looking
    only: str | None = None

    def all(self) -> list[Finding]:
        """A finding for each property: the author's in the order of the forms, then the free ones."""
        found = [finding for finding in (*self._own(), *self._free()) if self.only in (None, finding.name)]
        found += self._left_out({finding.name for finding in found})
        if self.only is None:
            found.append(self._tested(found))
        return found

    @property
    def looking(self) -> float:
        """The part of the usual time for looking: less where one property is asked for that is judged by itself."""
        secrets = {secret.name for secret in self.looked.game.secrets}
        return 1 - ALONE if self.only in {ENDS, GROWS, NOTHING_SHOWS, SEES_ENOUGH, *LAWS, *secrets} else 1

    def _share(self, part: float) -> float | None:
        """A share of the time; where one property is asked for, it has that of all."""
        return self.looked.share(part if self.only is None or self.looking == 1 else ALONE)

    def _wanted(self, name: str) -> bool:
        return self.only in (None, name) and not self.looked.stop and name not in self.looked.unchecked

    def _left_out(self, found: set[str]) -> Iterator[Finding]:
        """The free properties at which nobody is to look."""
        for name, reason in self.looked.unchecked.items():
            if name in rules.FREE and name not in found and self.only in (None, name):
                yield Finding(name, "free", "undecided", unchecked=reason)

    def _own(self) -> Iterator[Finding]:
        game, focus = self.looked.game, self.looked.subject.focus
        for invariant in game.invariants:
            if focus is None or self.looked.watch.looked[invariant.name]:
                yield from self._played(invariant.name, "author", invariant.span, counted=True)
        for monotone in game.monotones:
            yield from self._played(monotone.name, "author", monotone.span)
        if focus is not None:
            if focus.then:
                yield from self._played(focus.name, "author", focus.span, counted=True)
            return
        for possible in game.possibles:
            yield from self._checked(possible.name, self._possible, possible)
        for lead in game.leads:
            yield from self._checked(lead.name, self._leads, lead)
        for end in game.endings:
            yield from self._checked(end_name(end), self._ends_so, end)
        for secret in game.secrets:
            yield from self._checked(secret.name, self._secret, secret)
        claims = Claims(self.looked)
        for claim in game.claims:
            yield from self._checked(claim.name, claims.judge, claim)

    def _free(self) -> Iterator[Finding]:
        game = self.looked.game
        yield Finding(KEPT, "free", "proved", "no statement of the language can lose or copy any")
        yield Finding(ORDERED, "free", "proved", "rules are played in the order in which they stand")
        for name in IN_PLAY:
            yield from self._played(name, "free", None)
        scored = self.looked.subject.focus is None or self.looked.watch.looked[BOUNDS]
        if game.score is not None and game.score.bounds is not None and scored:
            yield from self._played(BOUNDS, "free", game.score.bounds.span, counted=True)
        if not self.looked.search.graph.owner:
            yield from (Finding(name, "free", "undecided", NOT_BEGUN) for name in ASKING if self._wanted(name))
            return
        if self._wanted(ENDS):
            yield self._ends()
        if self._wanted(IDLE):
            yield self._idle()
        if self._wanted(HAPPENS):
            yield self._happens()
        yield from self._laws()
        yield from self._hidden()
        if self.looked.subject.focus is None and self._wanted(PLAYABLE):
            yield self._playable()
        if self.looked.subject.focus is None and self._wanted(ENGINES):
            yield self._engines()
        if self.looked.subject.focus is None and self._wanted(ALIKE):
            yield self._alike()
        if self._wanted(GROWS):
            yield self._grows()
        yield from self._even()

    # ---- how far was looked --------------------------------------------------------------------------------

    def _reach(self) -> tuple[Verdict, str]:
        """The verdict for what was not refuted, and how far it reaches."""
        search, walks = self.looked.search, self.looked.walks
        if search.graph.complete:
            return "proved", ""
        if not search.graph.owner:
            return "undecided", NOT_BEGUN
        if walks.games.total():
            return "not_refuted", f"every game of up to {search.depth} answers, {walks.games.total():,} random games"
        return ("holds_to_depth", "") if search.depth else ("undecided", "nothing was looked at")

    def notes(self) -> list[str]:
        """What random games say, and how much of the game they have not met."""
        walks = self.looked.walks
        if not walks.games.total():
            return self._balance if self.only is None else []
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in walks.games.items())
        notes = [f"random games by how players choose: {kinds}"]
        if evenly := walks.games["evenly"]:
            rare = max(int(1 / (1 - (1 - SURE) ** (1 / evenly))), 1)
            notes.append(f"what is not refuted breaks in fewer than 1 game of {rare:,} played evenly ({SURE:.0%} sure)")
        if (unseen := walks.unseen) is not None:
            notes.append(f"of what random games come to next, about {unseen:.0%} was not met before")
        return notes

    # ---- what play itself breaks -----------------------------------------------------------------------------

    def _checked(self, name: str, judge: Callable[[Any], Finding], rule: rules.Rule) -> Iterator[Finding]:
        """A finding, unless nobody is to look."""
        if reason := self.looked.unchecked.get(name):
            yield Finding(name, "author", "undecided", span=rule.span, unchecked=reason)
        elif self.only in (None, name):
            begun = bool(self.looked.search.graph.owner)
            yield judge(rule) if begun else Finding(name, "author", "undecided", NOT_BEGUN, rule.span)

    def _played(self, name: str, kind: Kind, span: Span | None, counted: bool = False) -> Iterator[Finding]:
        """What is said of a property that is looked at while play goes on."""
        evaluated = self.looked.watch.looked[name]
        if reason := self.looked.unchecked.get(name):
            yield Finding(name, kind, "undecided", span=span, unchecked=reason)
        elif self.only not in (None, name):
            return
        elif (found := self._broken(name)) is not None:
            trace = self._told(found, name)
            yield Finding(name, kind, "refuted", span=span or found.span, trace=trace, evaluated=evaluated)
        elif counted and not evaluated:
            never = "no game comes to a moment at which it could be looked at"
            if self.looked.complete:
                yield Finding(name, kind, "vacuous", never, span)
            else:
                yield Finding(name, kind, "undecided", f"so far {never}", span)
        else:
            verdict, message = self._reach()
            yield Finding(name, kind, verdict, message, span, evaluated=evaluated)

    def _broken(self, name: str) -> Found | None:
        """The shortest known game that breaks a property."""
        looked = self.looked
        if (at := looked.search.breaks.get(name)) is not None:
            answers = tuple(looked.search.game(at.edge))
            shortest = looked.search.depth >= len(answers) - 1
            return Found(answers, shortest, len(looked.search.graph), at.message, at.span)
        walked = looked.walks.found.get(name)
        if walked is None:
            return None
        seconds = min(SHORTENING, looked.seconds * SHORTER if looked.seconds is not None else SHORTENING)
        search = looked.search if self.only == name else None
        short = shorten(looked.engine, looked.keys, walked.answers, name, Budget(seconds), looked.tracks, search)
        return Found(short.answers, short.proved, short.examined, walked.message, walked.span)

    @cached_property
    def _teller(self) -> Teller:
        subject = self.looked.subject
        return Teller(subject.engine(Watch(tracing=True)), subject.engine(Watch()))

    def _told(self, found: Found, name: str | None) -> Trace:
        """The game as a story."""
        subject = self.looked.subject
        trace = self._teller.trace(
            found.answers, name, found.message, shortest=found.shortest, examined=found.examined, repeats=found.repeats
        )
        if subject.focus is None:
            record = exports.record(subject.ruleset, self.looked.engine, trace.answers, self.looked.seed)
            trace = attrs.evolve(trace, record=record)
        return trace if trace.span is not None else attrs.evolve(trace, span=found.span)

    # ---- what must be possible, and what follows ---------------------------------------------------------------

    def _possible(self, rule: rules.Possible) -> Finding:
        if (broken := self._broken(rule.name)) is not None:
            return Finding(rule.name, "author", "refuted", span=rule.span, trace=self._told(broken, rule.name))
        found = self._witness(rule)
        if found is not None:
            return Finding(rule.name, "author", "proved", span=rule.span, trace=self._told(found, None))
        if self.looked.complete:
            return Finding(rule.name, "author", "refuted", "no game comes to it", rule.span)
        return Finding(rule.name, "author", "undecided", f"not met so far: {self._reach()[1]}", rule.span)

    def _witness(self, rule: rules.Possible) -> Found | None:
        search, walks = self.looked.search, self.looked.walks
        if rule.then is not None:
            return self._witness_of_two(rule)
        if rule.name in search.met:
            return Found(tuple(search.game(search.met[rule.name])), True, len(search.graph))
        if rule.name in walks.met:
            return Found(walks.met[rule.name].answers, False, 0)
        return None

    def _witness_of_two(self, rule: rules.Possible) -> Found | None:
        """A game to where the first came about, and on from there to a later position where the second holds."""
        search, graph, meetings = self.looked.search, self.looked.search.graph, self.looked.search.meetings[rule.name]
        holds = search.tracked[search.tracks.index(self.looked.later[rule.name])]
        came, waiting, last = dict[int, int](), list(meetings), None
        if not isinstance(rule.moment, rules.Always):
            # It came about on the way to the position, which is later.
            last = next((edge for position, edge in meetings.items() if holds[position]), None)
            if last is not None:
                return Found(tuple(search.game(last)), False, len(graph))
        for position in waiting:
            for each in graph.edges(position):
                if (target := graph.target[each]) < 0 or target in came:
                    continue
                came[target] = each
                waiting.append(target)
                if holds[target]:
                    way = [each]
                    while (source := graph.source(way[-1])) not in meetings:
                        way.append(came[source])
                    met = meetings[source]
                    before = [*graph.way(graph.source(met)), met] if met >= 0 else []
                    return Found(tuple(search.answers([*before, *way[::-1]])), False, len(graph))
        return None

    def _leads(self, rule: rules.LeadsTo) -> Finding:
        if (broken := self._broken(rule.name)) is not None:
            return Finding(rule.name, "author", "refuted", span=rule.span, trace=self._told(broken, rule.name))
        search = self.looked.search
        first, second = (search.tracked[search.tracks.index(each)] for each in self.looked.ahead[rule.name])
        within = None
        if rule.within is not None:
            count, phase = rule.within
            within = (self.looked.engine.worth(count), search.passes[phase], f"passes of {phase}")
        if not any(first):
            verdict: Verdict = "vacuous" if self.looked.complete else "undecided"
            return Finding(rule.name, "author", verdict, "no game comes to where the first part holds", rule.span)
        lost = astray(search.graph, first, second, within)
        if lost is not None:
            found = Found(tuple(search.answers(lost.edges)), False, len(search.graph), lost.why, rule.span)
            return Finding(rule.name, "author", "refuted", lost.why, rule.span, self._told(found, None))
        if endless(search.graph, first, second):
            return Finding(rule.name, "author", "refuted", "players can keep it off for ever", rule.span)
        if self.looked.complete:
            return Finding(rule.name, "author", "proved", f"from {sum(map(bool, first)):,} positions", rule.span)
        if not search.depth:
            return Finding(rule.name, "author", "undecided", "nothing was looked at", rule.span)
        return Finding(rule.name, "author", "holds_to_depth", "", rule.span)

    # ---- the end -----------------------------------------------------------------------------------------------

    @cached_property
    def ending(self) -> Ending:
        """What can be said of the end of the game."""
        return ending(self.looked.search.graph)

    @cached_property
    def _mean(self) -> Lengths | None:
        """How long a game takes if all choose evenly."""
        return lengths(self.looked.search.graph)

    @cached_property
    def _balance(self) -> list[str]:
        """How even and how long games are, where all is known."""
        return list(balance(self.looked, self._mean)) if self.looked.complete else []

    def _ends(self) -> Finding:
        """The free property: play without end that players can bring about is something to think about; play that
        never ends whatever happens is a failure."""
        if (found := self._broken(ENDS)) is not None:
            return Finding(ENDS, "free", "refuted", span=found.span, trace=self._told(found, ENDS))
        said = self.ending
        if said.stall is not None:
            return self._stalled(said)
        if self.looked.complete:
            return Finding(ENDS, "free", "proved", self._lengths())
        share = self._share(STALLING)
        stall = stalling(self.looked.subject.engine(check=False), share) if share is not None else None
        if stall is not None:
            edges = [*stall.stall.stem, *stall.stall.cycle]
            answers, stem = tuple(stall.search.answers(edges)), len(stall.stall.stem)
            found = Found(answers, False, len(stall.search.graph), str(stall), repeats=stem)
            message = f"it can be played for ever: {stall}"
            return Finding(ENDS, "free", "refuted", message, trace=self._told(found, None), advice=True)
        return Finding(ENDS, "free", "not_refuted", f"no play without end found; {self._reach()[1]}")

    def _stalled(self, said: Ending) -> Finding:
        assert said.stall is not None
        stall, search = said.stall, self.looked.search
        who = f"seats {', '.join(str(seat + 1) for seat in stall.seats)} can" if stall.seats else "the rules alone"
        alone = f"; alone can: {', '.join(str(seat + 1) for seat in stall.alone)}" if stall.alone else ""
        still = {True: "; played evenly it still ends", False: "; played evenly it may never end", None: ""}
        message = f"{who} keep the end off for ever{alone}{still[said.uniformly]}"
        edges = [*stall.stem, *stall.cycle]
        found = Found(tuple(search.answers(edges)), stall.smallest, len(search.graph), message, repeats=len(stall.stem))
        return Finding(
            ENDS, "free", "refuted", message, trace=self._told(found, None), advice=said.uniformly is not False
        )

    def _even(self) -> Iterator[Finding]:
        """How many positions there are, and how even and long games are: to be known, where all is."""
        if self.looked.complete and self._wanted(COUNT):
            yield Finding(COUNT, "free", "proved", f"{len(self.looked.search.graph):,}, every time")
        if self._wanted(LENGTH) and self._balance:
            yield Finding(LENGTH, "free", "proved", "; ".join(self._balance))

    def _grows(self) -> Finding:
        """Numbers that can be moved on without end are something to think about."""
        if self.looked.complete:
            return Finding(GROWS, "free", "proved", "there are finitely many positions")
        growth = Growth(self.looked.subject.engine(check=False), self._share(GROWING))
        pump = growth.pump(self.looked.walks.kept)
        if pump is None:
            return Finding(GROWS, "free", "not_refuted", f"no such number in {growth.looked:,} games")
        found = Found((*pump.stem, *pump.loop), False, 0, str(pump), repeats=len(pump.stem))
        return Finding(GROWS, "free", "refuted", str(pump), trace=self._told(found, None), advice=True)

    def _lengths(self) -> str:
        said = self.ending
        parts = [f"after {said.shortest} answers at the soonest"] if said.shortest is not None else []
        if said.longest is not None:
            parts.append(f"after {said.longest.count} at the latest")
        else:
            parts.append("with probability one, whatever players do")
        if self._mean is not None:
            parts.append(f"played evenly after {self._mean.decisions:.1f} decisions on average")
            parts.append(f"999 of 1,000 such games after {self._mean.most} answers")
        return ", ".join(parts)

    def _ends_so(self, rule: rules.Ends) -> Finding:
        """The author's word about the end."""
        name, said, complete = end_name(rule), self.ending, self.looked.complete
        if said.stall is not None:
            finding = self._stalled(said)
            return Finding(name, "author", "refuted", finding.message, rule.span, finding.trace)
        if not complete:
            message = f"not every position was looked at: {self._reach()[1]}"
            return Finding(name, "author", "undecided", message, rule.span)
        if rule.kind == "almost surely":
            return Finding(name, "author", "proved", self._lengths(), rule.span)
        if rule.kind == "surely":
            if said.longest is not None:
                return Finding(name, "author", "proved", self._lengths(), rule.span)
            return Finding(name, "author", "refuted", "chance alone can go round for ever", rule.span)
        return self._within(rule, name)

    def _within(self, rule: rules.Ends, name: str) -> Finding:
        assert rule.count is not None
        search, most = self.looked.search, self.looked.engine.worth(rule.count)
        graph = search.graph
        counts = (
            search.passes["turn"]
            if rule.of == "turns"
            else [
                1 if graph.owner[position] >= 0 else 0
                for position in range(len(graph.first) - 1)
                for _ in graph.edges(position)
            ]
        )
        found = longest(graph, counts)
        if found is None:
            return Finding(name, "author", "refuted", f"there is no end to the {rule.of}", rule.span)
        count = found.count + (search.early["turn"] if rule.of == "turns" else 0)
        if count <= most:
            return Finding(name, "author", "proved", f"never more than {count} {rule.of}", rule.span)
        message = f"a game can take {count} {rule.of}"
        trace = self._told(Found(tuple(search.answers(found.way)), False, len(graph), message, rule.span), None)
        return Finding(name, "author", "refuted", message, rule.span, trace)

    # ---- nothing idle, everything possible -----------------------------------------------------------------------

    def _idle(self) -> Finding:
        """Options that never change anything."""
        tried = self.looked.search.idle.items()
        idle = [f"{name}: {label}" for (name, label), (taken, still) in tried if taken == still > 0]
        verdict, message = self._reach()
        if idle:
            return Finding(IDLE, "free", "refuted", f"never changes anything: {', '.join(idle)}", advice=True)
        return Finding(IDLE, "free", verdict, message)

    def _happens(self) -> Finding:
        missing = [point.name for point in self._points() if not self._met(point)]
        if not missing:
            return Finding(HAPPENS, "free", "proved", "every phase, action, branch, option and table row was met")
        told = f"{len(missing)} of {len(self._points())} parts of the rules"
        if self.looked.complete:
            return Finding(HAPPENS, "free", "refuted", f"{told} are never met with these options", advice=True)
        return Finding(HAPPENS, "free", "undecided", f"{told} were not met", advice=True)

    def _points(self) -> Mapping[Point, int]:
        return self.looked.watch.points

    def _met(self, point: Point) -> bool:
        return self.looked.watch.points[point] in self.looked.watch.reached

    def coverage(self) -> list[Covered]:
        """What was met of all there is."""
        sorts: dict[str, list[Point]] = {}
        for point in self._points():
            sorts.setdefault(point.sort, []).append(point)
        covered = [
            Covered(
                PLURALS[sort],
                tuple(dict.fromkeys(point.name for point in points)),
                frozenset(point.name for point in points if self._met(point)),
            )
            for sort, points in sorts.items()
        ]
        return [*covered, *self._faces()]

    def _faces(self) -> Iterator[Covered]:
        layout, thrown = self.looked.engine.program.layout, self.looked.search.faces
        words = self.looked.engine.program.words
        for kind in layout.kinds.values():
            if kind.rule.faces is None or not any(name == kind.rule.name for name, _ in thrown):
                continue
            faces = dict.fromkeys(face for item in range(kind.first, kind.end) for face in layout.faces[item])
            names = {face: words.face(kind.first, face) for face in faces}
            seen = frozenset(names[face] for face in faces if (kind.rule.name, face) in thrown)
            yield Covered(f"faces of {kind.rule.name}", tuple(names.values()), seen)

    # ---- laws and leaks --------------------------------------------------------------------------------------------

    def _laws(self) -> Iterator[Finding]:
        wanted = [name for name in (*LAWS, laws.REPLAYS, laws.FORMATTED) if self._wanted(name)]
        if not wanted:
            return
        looked, began = self.looked, time.monotonic()
        plain, broken = looked.subject.engine(check=False), dict[str, str]()
        share, done = self._share(LAWFUL), 0
        for state in looked.states(plain, SAMPLED):
            if looked.stop or (share is not None and time.monotonic() - began > share):
                break
            done += 1
            for name, message in laws.check_position(plain, state):
                broken.setdefault(name, message)
        games = self._whole_games()[:3] if looked.subject.focus is None else []
        for game in games:
            for name, message in laws.check_game(looked.subject.engine(), game):
                broken.setdefault(name, message)
        for name, message in laws.check_text(looked.subject.ruleset):
            broken.setdefault(name, message)
        whole = looked.complete and done == len(looked.search.graph)
        for name in wanted:
            if name in broken:
                yield Finding(name, "free", "refuted", broken[name])
            elif name == laws.FORMATTED:
                yield Finding(name, "free", "proved")
            elif name == laws.REPLAYS:
                if games:
                    yield Finding(name, "free", "not_refuted", f"{len(games)} games")
            else:
                verdict: Verdict = "proved" if whole else "not_refuted" if done else "undecided"
                yield Finding(name, "free", verdict, f"{done:,} positions")

    def _whole_games(self) -> list[tuple[int | Answer, ...]]:
        """Some games to their ends."""
        search = self.looked.search
        ends = [tuple(search.answers(search.graph.way(end))) for end in list(search.graph.ends)[-3:]]
        return [*self.looked.walks.kept, *ends]

    @cached_property
    def _leaks(self) -> tuple[dict[str, Leak], int]:
        """Leaks by the property they refute, and how many positions were looked at."""
        looked, began = self.looked, time.monotonic()
        leaks, share = Leaks(looked.subject.engine(check=False)), self._share(LEAKING)
        found, done = dict[str, Leak](), 0
        for game in looked.games(LEAKS):
            if looked.stop or (share is not None and time.monotonic() - began > share):
                break
            with suppress(RulesFault):
                for leak in leaks.after(game):
                    if leak.name not in found or found[leak.name].games is None:
                        found[leak.name] = leak
            done += 1
            if self.only in found and found[self.only].games is not None:
                break
        return found, done

    def _hidden(self) -> Iterator[Finding]:
        for name in (NOTHING_SHOWS, SEES_ENOUGH):
            if self._wanted(name):
                yield self._leak(name, "free", None)

    def _secret(self, rule: rules.Secret) -> Finding:
        return self._leak(rule.name, "author", rule.span)

    def _leak(self, name: str, kind: Kind, span: Span | None) -> Finding:
        """What is said of something that must not show."""
        found, done = self._leaks
        if name not in found:
            return Finding(name, kind, "not_refuted" if done else "undecided", f"{done:,} positions", span)
        leak = found[name]
        if leak.games is None:
            return Finding(name, kind, "undecided", f"it may show, if play can come to this: {leak}", span)
        one, other = leak.games
        trace = self._told(Found(one, False, 0, str(leak), span), None)
        record = exports.record(self.looked.subject.ruleset, self.looked.engine, other, self.looked.seed)
        return Finding(name, kind, "refuted", str(leak), span, attrs.evolve(trace, other=record))

    def _alike(self) -> Finding:
        """Whether the game is the same from every seat, where no rule names one."""
        looked = self.looked
        plain = looked.subject.engine(check=False)
        named = names_a_seat(plain.program.layout, plain.program.expressions)
        if named:
            why = f"the rules name a seat: {named[0].words} (line {named[0].span.line})"
            return Finding(ALIKE, "free", "undecided", unchecked=why)
        keys, began, done, share = plain.keys(), time.monotonic(), 0, looked.share(TURNING)
        for state in looked.states(plain, LEAKS):
            if looked.stop or (share is not None and time.monotonic() - began > share):
                break
            if (wrong := alike(plain, keys, state)) is not None:
                return Finding(ALIKE, "free", "refuted", wrong, advice=True)
            done += 1
        return Finding(ALIKE, "free", "not_refuted", f"no rule names a seat; {done:,} positions turned")

    # ---- the whole ruleset -----------------------------------------------------------------------------------------

    def _engines(self) -> Finding:
        try:
            wrong = disagreement(self.looked)
        except LookupError as error:
            return Finding(ENGINES, "free", "undecided", unchecked=str(error))
        if wrong is not None:
            return Finding(ENGINES, "free", "refuted", wrong)
        return Finding(ENGINES, "free", "not_refuted", f"{COMPARED} games on both")

    def _playable(self) -> Finding:
        looked = self.looked
        played, wrong = unplayable(looked.subject.ruleset, looked.share(PLAYING) or ALL_TABLES, looked.seed)
        if wrong is not None:
            return Finding(PLAYABLE, "free", "refuted", wrong)
        return Finding(PLAYABLE, "free", "not_refuted", f"a game at each of {played} tables")

    # ---- whether anything was looked at ---------------------------------------------------------------------------

    def _tested(self, found: list[Finding]) -> Finding:
        vacuous = [finding.name for finding in found if finding.verdict == "vacuous"]
        if vacuous:
            return Finding(TESTED, "free", "refuted", f"never put to the test: {', '.join(vacuous)}", advice=True)
        return Finding(TESTED, "free", "proved", "each was looked at")


def end_name(rule: rules.Ends) -> str:
    """What is said about the end, which is the name of this property."""
    return " ".join(rule.span.head.text.split())
