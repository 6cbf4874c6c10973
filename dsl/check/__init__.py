"""Syntax → checked tree. The order of the checks stands here, and nothing else.

Every pass runs as far as it can, so that one call reports every problem.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import TypeVar

import attrs

from .. import rules, syntax
from ..problems import (
    DeclaredTwice,
    Enough,
    Findings,
    Label,
    MissingPart,
    Problem,
    ReservedWord,
    SaidTwice,
    Unreachable,
    WrongPlayers,
)
from ..source import Source, Span
from ..tree import walk
from ..weave import Woven, kind_of, property_names
from .declarations import Declarations
from .depth import too_deep
from .endings import Endings
from .examples import Examples
from .ground import Ground
from .names import Names, Report, Scope, collect_names
from .order import in_order
from .properties import Properties
from .reach import unreached
from .statements import Statements
from .strategies import Strategies
from .unused import UNUSED, Used, unused

MOST_PLAYERS = 99
_ONCE = (
    syntax.Players, syntax.Teams, syntax.Setup, syntax.Play, syntax.Score, syntax.Winner, syntax.Ends, syntax.Bounds,
)  # fmt: skip
_N = TypeVar("_N", bound=syntax.Node)
_S = TypeVar("_S", bound=rules.Rule)


def check(
    title: syntax.Text, woven: Woven, main: Source, problems: list[Problem], examples: bool = True
) -> rules.Game | None:
    """The checked tree of a game's sections, or None with the reasons in `problems`.

    Where `examples` were passed over, nobody knows whether something is never used.
    """
    found: list[Problem] = []
    game = None
    with suppress(Enough):
        game = _checked(title, woven, main, Findings(found), examples)
    problems += found
    return None if found else game


def _checked(title: syntax.Text, woven: Woven, main: Source, findings: Findings, whole: bool) -> rules.Game:
    sections = woven.sections
    _report_doubled(sections, findings.report)
    names = collect_names(sections, woven.removed, findings.report)
    _collect_phases(sections, names, findings.report)
    ground = Ground(names, findings, _players(sections, title.span, findings.report))
    ground.teams = _teams(sections, ground)
    statements = Statements(ground)
    declarations = Declarations(ground, statements=statements)
    endings, properties = Endings(ground, declarations), Properties(ground, statements, property_names(sections))
    _declare(sections, declarations)
    for name in in_order(names):
        ground.need(name)
    setup, play = _setup(sections, statements), _play(sections, statements, title.span)
    winner = tuple(map(endings.winner, _all(sections, syntax.Winner)))
    bounds = tuple(map(endings.bounds, _all(sections, syntax.Bounds)))
    promises = tuple(map(properties.invariant, _all(sections, syntax.Invariant)))
    possibles = tuple(map(properties.possible, _all(sections, syntax.Possible)))
    ends = tuple(map(properties.ends, _all(sections, syntax.Ends)))
    secrets = tuple(map(properties.secret, _all(sections, syntax.Secret)))
    unchecked = tuple(map(properties.unchecked, _all(sections, syntax.Unchecked)))
    measures = tuple(map(properties.measure, _all(sections, syntax.Measure)))
    used = Used.so_far(ground, statements)
    strategies = tuple(map(Strategies(ground, statements, main).strategy, _all(sections, syntax.Strategy)))
    parts = Examples(ground, statements)
    examples = tuple(map(parts.example, _all(sections, syntax.Example)))
    focuses = tuple(map(parts.focus, _all(sections, syntax.Focus)))
    claims = tuple(map(endings.claim, _all(sections, syntax.Claim)))
    for problem in unused(ground, used, sections, main) if whole else ():
        findings.report(problem)
    beside = [*promises, *possibles, *secrets, *measures, *filter(None, focuses)]
    _follow(declarations, [setup, play], beside, main, findings)
    score = attrs.evolve(endings.scored, bounds=bounds[0]) if endings.scored and bounds else endings.scored
    return rules.Game(
        title=title.text,
        players=ground.players,
        teams=ground.teams,
        options=tuple(ground.options[name] for name in names.declared if name in ground.options),
        tables=tuple(ground.tables.values()),
        settled=tuple(name for name in ground.lowered if name in ground.options or name in ground.tables),
        kinds=tuple(declarations.kinds),
        zones=tuple(ground.zones.values()),
        variables=tuple(ground.variables.values()),
        definitions=(*declarations.definitions, *_score_definition(score)),
        actions=tuple(declarations.actions),
        setup=setup,
        play=play,
        score=score,
        winner=winner[0] if winner else (),
        invariants=tuple(one for one in promises if isinstance(one, rules.Invariant)),
        measures=measures,
        strategies=strategies,
        examples=tuple(
            attrs.evolve(one, steps=tuple(_whole(step, setup, play) for step in one.steps)) for one in examples
        ),
        claims=tuple(claim for claim in claims if claim),
        monotones=tuple(one for one in promises if isinstance(one, rules.Monotone)),
        leads=tuple(one for one in promises if isinstance(one, rules.LeadsTo)),
        possibles=possibles,
        endings=ends,
        secrets=secrets,
        unchecked=unchecked,
        focuses=tuple(attrs.evolve(one, part=_whole(one.part, setup, play)) for one in focuses if one),
        locals=ground.last_local,
        span=title.span,
    )


def _follow(
    declarations: Declarations, bodies: list[rules.Body], beside: Iterable[rules.Rule], main: Source, findings: Findings
) -> None:
    """Report what only shows where play is followed, once each rule by itself is right.

    What a variant inherits may well be out of reach; that something never ends is wrong wherever it stands.
    """
    if any(not isinstance(problem, UNUSED) for problem in findings.problems):
        return
    for problem in unreached(bodies, declarations.actions):
        if problem.at.source is main or not isinstance(problem, Unreachable):
            findings.report(problem)
    for problem in too_deep(declarations.definitions, declarations.actions, bodies, beside):
        findings.report(problem)


def _all(sections: list[syntax.Declaration], kind: type[_N]) -> list[_N]:
    return [section for section in sections if isinstance(section, kind)]


def _report_doubled(sections: list[syntax.Declaration], report: Report) -> None:
    """Report what a game has once and has again."""
    for kind in _ONCE:
        said = _all(sections, kind)
        for section in said[1:]:
            what, other = kind_of(section), (Label(said[0].span.head, "it was said here before"),)
            hint = "Leave one of the two out."
            if said[0].span.source is not section.span.source:
                hint = f"Say `replace {what} …` to change what the other file says."
            report(SaidTwice(section.span, f"`{what}` stands there a second time", hint, other))


def _players(sections: list[syntax.Declaration], at: Span, report: Report) -> tuple[int, int]:
    for node in _all(sections, syntax.Players):
        if 1 <= node.low <= node.high <= MOST_PLAYERS:
            return node.low, node.high
        why = "the second number is lower than the first" if node.low > node.high else f"1 to {MOST_PLAYERS} can play"
        report(WrongPlayers(node.span, why))
        return 1, MOST_PLAYERS
    report(MissingPart(at, "nothing says how many play", "Add a line such as `players 2..4`."))
    return 1, MOST_PLAYERS


def _teams(sections: list[syntax.Declaration], ground: Ground) -> int | None:
    low, high = ground.players
    for node in _all(sections, syntax.Teams):
        count = node.count
        if not (2 <= count <= low and low % count == 0 and high % count == 0):
            fact = f"{_spoken_players(low, high)} cannot be {count} teams of equal size"
            if count < 2:
                fact = "a game with teams has two or more"
            ground.report(WrongPlayers(node.span, fact))
        return count
    return None


def _spoken_players(low: int, high: int) -> str:
    return f"{low} players" if low == high else f"{low} to {high} players"


def _collect_phases(sections: list[syntax.Declaration], names: Names, report: Report) -> None:
    """The names of all phases, with doubled ones reported."""
    for section in sections:
        for node, _ in walk(section):
            if not isinstance(node, syntax.Phase):
                continue
            name = node.name
            if name.text in ("game", "setup"):
                report(ReservedWord(name.span, f"no phase can be called `{name.text}`", "Choose another name."))
            if name.text in names.phases:
                other = (Label(names.phases[name.text], "the first one"),)
                hint = "Give each phase a name of its own."
                report(DeclaredTwice(name.span, f"a second phase is called `{name.text}`", hint, other))
            names.phases.setdefault(name.text, name.span)


def _declare(sections: list[syntax.Declaration], declarations: Declarations) -> None:
    """Components first, then zones, variables, and what needs them; of two with one name the first."""
    placed: list[tuple[syntax.Node, bool]] = []
    for section in sections:
        if isinstance(section, syntax.EachPlayerHas):
            placed += [(thing, True) for thing in section.things]
        else:
            placed.append((section, False))
    first = {id(declared.node) for declared in declarations.ground.names.declared.values()}
    placed = [(node, owned) for node, owned in placed if id(node) in first]
    kinds = [(node, owned) for node, owned in placed if isinstance(node, syntax.Components | syntax.Sheet)]
    for kind, owned in kinds:
        declarations.fields(kind, owned)
    for kind, _ in kinds:
        declarations.kind(kind)
    components = tuple(kind.name.text for kind, _ in kinds if isinstance(kind, syntax.Components))
    declarations.ground.zones["box"] = rules.Zone("box", components, False, (), "hidden", False)
    for node, owned in placed:
        if isinstance(node, syntax.Zone):
            declarations.zone(node, owned)
        elif isinstance(node, syntax.Variable):
            declarations.variable(node, owned)


def _setup(sections: list[syntax.Declaration], statements: Statements) -> rules.Body:
    bodies = [statements.body(node.body, Scope().inside()) for node in _all(sections, syntax.Setup)]
    return bodies[0] if bodies else ()


def _play(sections: list[syntax.Declaration], statements: Statements, at: Span) -> rules.Body:
    bodies = [statements.body(node.body, Scope().inside()) for node in _all(sections, syntax.Play)]
    if not bodies:
        statements.ground.report(MissingPart(at, "nothing says how play goes", "Add a section `play:`."))
    return bodies[0] if bodies else ()


def _score_definition(score: rules.Score | None) -> tuple[rules.Definition, ...]:
    """The score as a definition, so that rules can name it: `score`, `p.score`."""
    return () if score is None else (rules.Definition("score", (score.me,), score.value, span=score.span),)


def _whole(step: _S, setup: rules.Body, play: rules.Body) -> _S:
    """A step of an example; `do setup` and `do game` with their bodies."""
    bodies = {"setup": setup, "game": (*setup, *play)}
    if isinstance(step, rules.PlayPart) and step.title in bodies:
        return attrs.evolve(step, body=bodies[step.title])
    return step
