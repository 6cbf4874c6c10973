"""Which judge notices which mutant: the examples and properties of a rules file put to the test.

Judges are the examples, the invariants, the bounds of the score, the claims, and what must hold in every game anyway;
an `explore` function may add all that a search through the positions finds. A mutant that no judge notices and that
plays like the right rules in every game looked at is `same`: as far as seen there is nothing to notice. Every other
mutant that no judge notices survives. The same games are played for any number of processes.
"""

import multiprocessing
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import attrs

from ..dsl import rules
from ..dsl.tree import walk
from ..interpreter import Broken, Decision, Draws, Policy, Reference, Result, RulesFault, Stream, Watch
from ..interpreter.agents import Random, recipe
from ..interpreter.examples import run_examples
from ..interpreter.playing import Limits, Match, is_decision
from ..interpreter.simulate import figure, simulate
from .laws import check_position
from .mutate import Mutant, loosened

Explore = Callable[[rules.Game], Mapping[str, str]]
"""A verdict for each property of a game, `refuted` among others. Has to be pickled where there are more processes."""

PORTION = 8
"""So many mutants go to a process at a time."""

TEXTS = 8
"""Of so many options of a decision the texts are compared."""

ENDLESS = 20
"""A game this many times as long as the longest one of the right rules is taken for one without end."""

ENDS = "the game comes to an end"
SETUP = "setup"


@attrs.frozen
class Budget:
    """How much is played for each mutant."""

    games: int = 3
    """Random games at the usual table."""
    more: int = 1
    """Games with each strategy, with one player more, and under each other reading of an option."""
    claims: int = 0
    """Games for the claims, played with those that nothing else has noticed; 0: claims are no judges."""
    seed: int = 1


@attrs.frozen
class Judged:
    """A mutant and who noticed it."""

    number: int
    operator: str
    text: str
    killed_by: tuple[str, ...]
    """The names of properties, and `example` with the names of examples. Only the first, unless asked for all."""
    changes: bool
    """Whether anything was different: a judge, a request, an answer or a result."""

    @property
    def survives(self) -> bool:
        """Whether it makes a difference that nobody noticed."""
        return self.changes and not self.killed_by


@attrs.frozen
class Matrix:
    """Mutants by judges."""

    title: str
    rows: tuple[Judged, ...]
    full: bool
    """Whether each mutant was put before all judges."""

    @property
    def changing(self) -> int:
        """How many mutants make a difference."""
        return sum(row.changes for row in self.rows)

    @property
    def killed(self) -> int:
        """How many of these were noticed."""
        return sum(bool(row.killed_by) for row in self.rows)

    @property
    def survivors(self) -> tuple[Judged, ...]:
        """Those of these that were not."""
        return tuple(row for row in self.rows if row.survives)

    @property
    def share(self) -> float:
        """The share of the mutants that make a difference that were noticed."""
        return self.killed / self.changing if self.changing else 1.0

    @property
    def judges(self) -> Mapping[str, int]:
        """How many mutants each judge noticed, the best judge first."""
        noticed = Counter(judge for row in self.rows for judge in row.killed_by)
        return dict(sorted(noticed.items(), key=lambda pair: (-pair[1], pair[0])))

    def data(self) -> dict[str, Any]:
        """Everything as plain data for JSON."""
        return {
            "ruleset": self.title,
            "mutants": len(self.rows),
            "changing": self.changing,
            "killed": self.killed,
            "share": round(self.share, 4),
            "judges": dict(self.judges),
            "rows": [{**attrs.asdict(row), "killed_by": list(row.killed_by)} for row in self.rows],
        }

    def lines(self) -> Iterator[str]:
        """The figures and the survivors for people; of a full matrix also what each judge noticed."""
        same = len(self.rows) - self.changing
        yield f"{self.title}: {len(self.rows)} mutants, {same} of them the same game as far as seen"
        yield f"{self.killed} of {self.changing} noticed, {self.share:.1%}"
        if self.full:
            yield ""
            yield from (f"{count:>5}  {judge}" for judge, count in self.judges.items())
        if self.survivors:
            yield ""
            yield "nobody notices"
            yield from (f"  {row.text}" for row in self.survivors)


PAGE = """# Mutants

How well do the properties and examples of the games that come along pin their rules down? A *mutant* is a ruleset with
one small mistake: a statement left out, a chip that goes astray, a comparison off by one, the wrong player next, a
phase played twice, a printed number that is another one. Each mutant is put before the judges of its file: the
examples, the invariants, the bounds of the score, the claims, and what must hold in every game anyway. A few games are
played as well, with the same dice and the same decisions as under the right rules: a mutant that plays the same in all
of them, and that no judge minds, is called the same game. Of the others, each one that nobody notices stands below,
with the reason why.

Each mutant is put before the judges until one notices it, the quickest judges first.

A variant is changed in its own lines; what it inherits is judged with its base.

`pytest --update tests/test_mutate.py` judges those games again whose mutants are others than before, and writes this
page. The reasons are kept in [mutants.json](mutants.json).

"""


def page(data: Mapping[str, Any]) -> str:
    """The figures of rulesets, by name, as a page in Markdown: each with its judges, survivors and their reasons."""
    lines = ["| ruleset | mutants | the same game | others | noticed | share |", "|---|--:|--:|--:|--:|--:|"]
    for name, one in data.items():
        same, share = one["mutants"] - one["changing"], one["killed"] / one["changing"]
        lines.append(
            f"| [{name}](#{name.replace('/', '')}) | {one['mutants']} | {same} | {one['changing']} "
            f"| {one['killed']} | {share:.1%} |"
        )
    for name, one in data.items():
        lines += ["", f"## {name}"]
        if one["survivors"]:
            lines += ["", "| nobody notices | because |", "|---|---|"]
            lines += [f"| {entry['text']} | {entry['reason']} |" for entry in one["survivors"]]
        lines += ["", "| judge | notices first |", "|---|--:|"]
        lines += [f"| {judge} | {count} |" for judge, count in one["judges"].items()]
    return PAGE + "\n".join(lines) + "\n"


def judge(
    game: rules.Game,
    mutants: Iterable[Mutant],
    budget: Budget = Budget(),
    *,
    full: bool = False,
    jobs: int = 1,
    explore: Explore | None = None,
    progress: Callable[[int], None] | None = None,
) -> Matrix:
    """Put mutants before the judges of a game, each until one notices it, or, `full`, before all of them."""
    court = Court(game, budget, full, explore)
    waiting = list(mutants)
    portions = [waiting[start : start + PORTION] for start in range(0, len(waiting), PORTION)]
    rows: list[Judged] = []
    for judged in _judged(court, portions, jobs):
        rows += judged
        if progress is not None:
            progress(len(rows))
    return Matrix(game.title, tuple(rows), full)


def _judged(court: "Court", portions: Sequence[list[Mutant]], jobs: int) -> Iterator[list[Judged]]:
    if jobs == 1 or len(portions) < 2:
        for portion in portions:
            yield [court.judge(mutant) for mutant in portion]
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(portions)), context, _sit, (pickle.dumps(court),)) as pool:
        yield from pool.map(_try, portions)


_court: "Court | None" = None


def _sit(court: bytes) -> None:
    global _court
    _court = pickle.loads(court)


def _try(portion: list[Mutant]) -> list[Judged]:
    assert _court is not None
    return [_court.judge(mutant) for mutant in portion]


# ---- games ---------------------------------------------------------------------------------------------


@attrs.frozen
class Probe:
    """A game to compare: a table, who plays, and the game's number."""

    players: int
    options: tuple[tuple[str, int | bool], ...]
    strategy: str | None
    game: int


@attrs.frozen
class Course:
    """How a game went."""

    steps: tuple[Any, ...]
    result: Result | None
    """None where a fault stopped it, or the strategy did not know what to do."""
    broken: tuple[str, ...] = ()
    """The properties that did not hold."""


def probes(game: rules.Game, budget: Budget) -> Iterator[Probe]:
    """The games to compare, the most telling ones first."""
    few, most = game.players
    for number in range(budget.games):
        yield Probe(few, (), None, number)
    for strategy in game.strategies:
        yield from (Probe(few, (), strategy.name, number) for number in range(budget.more))
    step = game.teams or 1
    if few + step <= most:
        yield from (Probe(few + step, (), None, number) for number in range(budget.more))
    for option in game.options:
        for value in _readings(option):
            yield from (Probe(few, ((option.name, value),), None, number) for number in range(budget.more))


def _readings(option: rules.Option) -> list[int | bool]:
    """The values of an option that lists its readings, without the usual one."""
    usual = option.default.value if isinstance(option.default, rules.Constant) else None
    match option.domain.type:
        case rules.Member(_, names):
            return [value for value in range(len(names)) if value != usual]
        case rules.YesNo():
            return [value for value in (False, True) if value is not usual]
    return []


class _Table:
    """Plays probes of one game; `full`: goes on after a property that does not hold."""

    def __init__(self, game: rules.Game, full: bool, most: int = Limits().decisions) -> None:
        self.game = game
        self.full = full
        self.most = most
        self.engines: dict[tuple[int, tuple[tuple[str, int | bool], ...]], Reference] = {}

    def play(self, probe: Probe, seed: int) -> Course:
        """A probe from its start to its end, its fault, or until it is too long."""
        steps: list[Any] = []
        broken: dict[str, None] = {}
        result = table = None
        draws = Stream(seed, probe.game)
        try:
            engine = self._engine(probe)
            policy = None if probe.strategy is None else engine.policy(probe.strategy)
            table = engine.table()
            while (request := table.request()) is not None:
                if len(steps) == self.most:
                    message = f"the game has not ended after {self.most:,} answers"
                    raise RulesFault(message, request.span, request.phases, property=ENDS)
                answer: Any
                if is_decision(request):
                    answer = _choice(table, request, policy, draws)
                    if answer is None:
                        break
                else:
                    answer = request.sample(draws)  # type: ignore[union-attr]
                steps.append(_step(request, answer))
                table.answer(answer)
            else:
                result = table.result()
                broken |= {law: None for law, _ in check_position(engine, table.freeze())}
        except RulesFault as fault:
            broken[fault.property] = None
        for event in table.events if table is not None else ():
            if isinstance(event, Broken):
                broken[event.property] = None
        return Course(tuple(steps), result, tuple(broken))

    def _engine(self, probe: Probe) -> Reference:
        key = probe.players, probe.options
        if key not in self.engines:
            self.engines[key] = Reference(
                self.game, probe.players, dict(probe.options), watch=Watch() if self.full else None
            )
        return self.engines[key]


def _choice(table: Any, decision: Decision, policy: Policy | None, draws: Draws) -> int | None:
    """The option taken; None where the strategy fails: that is no fault of the rules."""
    if policy is None:
        return draws.below(len(decision))
    try:
        return policy.choose(table, decision, draws)
    except RulesFault:
        return None


def _step(request: Any, answer: Any) -> tuple[Any, ...]:
    """A request and its answer, so that they can be compared."""
    if not is_decision(request):
        return request.name, request.text(answer)
    number = len(request)
    shown = range(number) if number <= TEXTS else (*range(0, number, number // TEXTS + 1), answer)
    return request.name, request.owner, number, tuple(request.text(option) for option in shown), answer


# ---- judges --------------------------------------------------------------------------------------------


class Court:
    """The judges of one game, and how the right game goes."""

    def __init__(self, game: rules.Game, budget: Budget, full: bool, explore: Explore | None) -> None:
        self.game = loosened(game)
        self.budget = budget
        self.full = full
        self.explore = explore
        self.laid_out = used(game, *game.options, *game.kinds, *game.zones, *game.variables)
        self.uses = {
            example.name: used(game, example, *(game.setup if example.with_setup else ()))
            | ({SETUP} if example.with_setup else set())
            for example in game.examples
        }
        self.probes = list(probes(game, budget))
        table = _Table(game, full)
        self.right = {probe: table.play(probe, budget.seed) for probe in self.probes}
        self.most = ENDLESS * max([100, *(len(course.steps) for course in self.right.values())])
        self.partial = {name for course in self.right.values() for name in course.broken}
        """Judges that already find fault with the right game say nothing about mutants."""
        self.partial |= set(self._examples(game, game.examples)) | set(self._claims(game)) | self._refuted(game)

    def judge(self, mutant: Mutant) -> Judged:
        """Put one mutant before the judges."""
        killed: dict[str, None] = {}
        changes = False
        table = _Table(mutant.game, self.full, self.most)
        for judges in (self._first, self._shown, self._rest, self._searched, self._claimed):
            if judges == self._claimed and ENDS in killed:
                break
            names, differs = judges(table)
            changes |= differs
            killed |= dict.fromkeys(name for name in names if name not in self.partial)
            if killed and not self.full:
                break
        names_of = tuple(killed) if self.full else tuple(killed)[:1]
        return Judged(mutant.number, mutant.operator, mutant.text, names_of, changes or bool(killed))

    def _first(self, table: _Table) -> tuple[list[str], bool]:
        return self._played(table, self.probes[: self.budget.games])

    def _rest(self, table: _Table) -> tuple[list[str], bool]:
        return self._played(table, self.probes[self.budget.games :])

    def _played(self, table: _Table, probes: Sequence[Probe]) -> tuple[list[str], bool]:
        """What goes wrong in the games, and whether they go otherwise than those of the right rules."""
        found: list[str] = []
        differs = False
        for probe in probes:
            course = table.play(probe, self.budget.seed)
            differs |= course != self.right[probe]
            found += course.broken
            if found and not self.full:
                break
        return found, differs

    def _shown(self, table: _Table) -> tuple[list[str], bool]:
        game, changed = table.game, self._changed(table.game)
        wanted = [
            example
            for example, right in zip(game.examples, self.game.examples, strict=True)
            if None in changed or changed & self.uses[right.name] or example != right
        ]
        return self._examples(game, wanted), False

    def _changed(self, game: rules.Game) -> set[str | None]:
        """What was changed: definitions, tables and actions by name; None stands for all that every example uses."""
        pairs = zip(_named(game), _named(self.game), strict=True)
        changed: set[str | None] = {one.name for one, right in pairs if one != right}
        if game.setup != self.game.setup:
            changed.add(SETUP)
        common = ("options", "kinds", "zones", "variables", "score", "winner")
        if changed & self.laid_out or any(getattr(game, part) != getattr(self.game, part) for part in common):
            changed.add(None)
        return changed

    def _examples(self, game: rules.Game, examples: Iterable[rules.Example]) -> list[str]:
        found = []
        for example, failure in run_examples(game, examples):
            if failure is not None:
                found.append(f"example {example.name}")
                if not self.full:
                    break
        return found

    def _searched(self, table: _Table) -> tuple[list[str], bool]:
        return sorted(self._refuted(table.game)), False

    def _refuted(self, game: rules.Game) -> set[str]:
        verdicts = {} if self.explore is None else self.explore(game)
        return {name for name, verdict in verdicts.items() if verdict == "refuted"}

    def _claimed(self, table: _Table) -> tuple[list[str], bool]:
        return self._claims(table.game), False

    def _claims(self, game: rules.Game) -> list[str]:
        """The claims that many games speak against."""
        found = []
        played: dict[tuple[str | None, int], Any] = {}
        known = {None, *(strategy.name for strategy in game.strategies)}
        for claim in game.claims if self.budget.claims else ():
            if claim.strategy not in known:
                continue
            players = max(game.players[0], claim.of if isinstance(claim.of, int) else 0)
            key = claim.strategy, players
            if key not in played:
                agent = Random() if claim.strategy is None else recipe(claim.strategy, [claim.strategy])
                match = Match(game, "", "", players, {}, (agent,) * players, self.budget.seed, Limits(self.most))
                played[key] = simulate(match, self.budget.claims, jobs=1)
            interval = figure(played[key], claim)
            if interval is not None and interval.verdict(float(claim.low), float(claim.high)) == "fails":
                found.append(f"claim {claim.name}")
        return found


def used(game: rules.Game, *roots: attrs.AttrsInstance) -> set[str]:
    """The names of the definitions, tables and actions that some nodes use."""
    named = {rule.name: rule for rule in _named(game)}
    found: set[str] = set()
    waiting: list[attrs.AttrsInstance] = list(roots)
    while waiting:
        for node, _ in walk(waiting.pop()):
            match node:
                case rules.Call(definition=str(name)) | rules.TableValue(name=str(name)) | rules.Do(action=str(name)):
                    if name not in found:
                        found.add(name)
                        waiting.append(named[name])
    return found


def _named(game: rules.Game) -> tuple[rules.Definition | rules.Table | rules.Action, ...]:
    return (*game.definitions, *game.tables, *game.actions)
