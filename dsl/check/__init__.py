"""Syntax → checked tree. The order of the checks stands here, and nothing else.

Every pass runs as far as it can, so that one call reports every problem.
"""

import attrs

from .. import rules, syntax
from ..problems import DeclaredTwice, Label, MissingPart, Problem, ReservedWord, SaidTwice, WrongPlayers
from ..source import Source, Span
from ..weave import kind_of
from . import reach
from .declarations import Declarations
from .endings import Endings
from .ground import Ground
from .names import Names, Scope, collect_names
from .statements import Statements

MOST_PLAYERS = 99
_ONCE = (
    syntax.Players, syntax.Teams, syntax.Setup, syntax.Play, syntax.Score, syntax.Winner, syntax.Bounds,
)  # fmt: skip


def check(
    title: syntax.Text, sections: list[syntax.Declaration], main: Source, problems: list[Problem]
) -> rules.Game | None:
    """The checked tree of a game's sections, or None with the reasons in `problems`."""
    once = _once(sections, problems)
    names = collect_names(sections, problems)
    _collect_phases(sections, names, problems)
    ground = Ground(names, problems, _players(once.get(syntax.Players), title.span, problems))
    ground.has_score = syntax.Score in once
    statements = Statements(ground)
    declarations = Declarations(ground, statements)
    endings = Endings(ground, statements, declarations, main)
    _declare(sections, declarations)
    setup = _block(once.get(syntax.Setup), statements)
    play = _play(once.get(syntax.Play), statements, title.span)
    for name, declared in names.declared.items():
        if declared.kind in ground.lowering:
            ground.need(syntax.Name(name, span=declared.at))
    score = once.get(syntax.Score)
    winner = once.get(syntax.Winner)
    bounds = once.get(syntax.Bounds)
    teams = _teams(once.get(syntax.Teams), ground)
    lowered_score = endings.score(score, bounds) if isinstance(score, syntax.Score) else None  # type: ignore[arg-type]
    if bounds is not None and score is None:
        ground.report(MissingPart(bounds.span, "there is no score that could have bounds"))
    lowered_winner = endings.winner(winner) if isinstance(winner, syntax.Winner) else ()
    invariants = tuple(endings.invariant(s) for s in sections if isinstance(s, syntax.Invariant))
    measures = tuple(m for s in sections if isinstance(s, syntax.Measure) and (m := endings.measure(s)) is not None)
    problems.extend(statements.unread())
    strategies = tuple(endings.strategy(s) for s in sections if isinstance(s, syntax.Strategy))
    examples = tuple(endings.example(s) for s in sections if isinstance(s, syntax.Example))
    named = [s.name for s in strategies], [m.name for m in measures]
    claims = tuple(c for s in sections if isinstance(s, syntax.Claim) and (c := endings.claim(s, *named)) is not None)
    actions = {a.name: a for a in declarations.actions}
    problems.extend(reach.endless([setup, play, *(a.body for a in actions.values())], actions))
    problems.extend(reach.unused(ground, statements, main))
    if problems:
        return None
    return rules.Game(
        title=title.text,
        players=ground.players,
        teams=teams,
        options=tuple(ground.options.values()),
        tables=tuple(ground.tables.values()),
        kinds=tuple(declarations.kinds),
        zones=tuple(ground.zones.values()),
        variables=tuple(ground.variables.values()),
        definitions=(*declarations.definitions, *_score_definition(lowered_score)),
        actions=tuple(declarations.actions),
        setup=setup,
        play=play,
        score=lowered_score,
        winner=lowered_winner,
        invariants=invariants,
        measures=measures,
        strategies=strategies,
        examples=tuple(_with_whole(e, setup, play) for e in examples),
        claims=claims,
        span=title.span,
    )


def _once(sections: list[syntax.Declaration], problems: list[Problem]) -> dict[type, syntax.Node]:
    """The sections that a game has once, by their class."""
    found: dict[type, syntax.Node] = {}
    for section in sections:
        if isinstance(section, _ONCE):
            if type(section) in found:
                other = (Label(found[type(section)].span, "it was said here before"),)
                what = f"`{kind_of(section)}` stands there a second time"
                hint = f"In a variant say `replace {kind_of(section)} …`." if kind_of(section) != "players" else None
                problems.append(SaidTwice(section.span, what, hint, other))
            found[type(section)] = section
    return found


def _players(node: syntax.Node | None, at: Span, problems: list[Problem]) -> tuple[int, int]:
    if not isinstance(node, syntax.Players):
        problems.append(MissingPart(at, "nothing says how many play", "Add a line such as `players 2..4`."))
        return 1, 1
    if not 1 <= node.low <= node.high <= MOST_PLAYERS:
        why = "the second number is lower than the first" if node.low > node.high else f"1 to {MOST_PLAYERS} can play"
        problems.append(WrongPlayers(node.span, why))
        return 1, 1
    return node.low, node.high


def _teams(node: syntax.Node | None, ground: Ground) -> int | None:
    if not isinstance(node, syntax.Teams):
        return None
    low, high = ground.players
    if not (2 <= node.count <= low and low % node.count == 0 and high % node.count == 0):
        fact = f"{low} to {high} players cannot be {node.count} teams of equal size"
        ground.report(WrongPlayers(node.span, fact))
    return node.count


def _collect_phases(sections: list[syntax.Declaration], names: Names, problems: list[Problem]) -> None:
    """The names of all phases, with doubled ones reported."""

    def visit(node: object) -> None:
        if isinstance(node, tuple):
            for part in node:
                visit(part)
        elif isinstance(node, syntax.Node):
            if isinstance(node, syntax.Phase):
                name = node.name
                if name.text in ("game", "setup"):
                    problems.append(
                        ReservedWord(name.span, f"no phase can be called `{name.text}`", "Choose another name.")
                    )
                if name.text in names.phases:
                    other = (Label(names.phases[name.text], "the first one"),)
                    hint = "Give each phase a name of its own."
                    problems.append(DeclaredTwice(name.span, f"a second phase is called `{name.text}`", hint, other))
                names.phases.setdefault(name.text, name.span)
            for field in ("body", "otherwise", "cases", "labels"):
                visit(getattr(node, field, None))

    for section in sections:
        visit(section)


def _declare(sections: list[syntax.Declaration], declarations: Declarations) -> None:
    """Components first, then zones, variables, and what needs them."""
    placed: list[tuple[syntax.Node, bool]] = []
    for section in sections:
        if isinstance(section, syntax.EachPlayerHas):
            placed += [(thing, True) for thing in section.things]
        else:
            placed.append((section, False))
    for node, owned in placed:
        if isinstance(node, syntax.Components | syntax.Sheet):
            declarations.kind(node, owned)
    kinds = tuple(kind.name for kind in declarations.kinds if not kind.sheet)
    declarations.ground.zones["box"] = rules.Zone("box", kinds, False, (), "hidden", False)
    for node, owned in placed:
        if isinstance(node, syntax.Zone):
            declarations.zone(node, owned)
    for node, owned in placed:
        if isinstance(node, syntax.Variable):
            declarations.variable(node, owned)


def _block(node: syntax.Node | None, statements: Statements) -> rules.Body:
    return statements.body(node.body, Scope().inside()) if isinstance(node, syntax.Setup) else ()


def _play(node: syntax.Node | None, statements: Statements, at: Span) -> rules.Body:
    if not isinstance(node, syntax.Play):
        statements.ground.report(MissingPart(at, "nothing says how play goes", "Add a section `play:`."))
        return ()
    return statements.body(node.body, Scope().inside())


def _score_definition(score: rules.Score | None) -> tuple[rules.Definition, ...]:
    """The score as a definition, so that rules can name it: `score`, `p.score`."""
    return () if score is None else (rules.Definition("score", (score.me,), score.value, span=score.span),)


def _with_whole(example: rules.Example, setup: rules.Body, play: rules.Body) -> rules.Example:
    """An example whose `do setup` and `do game` have their bodies."""
    bodies = {"setup": setup, "game": (*setup, *play)}
    steps = tuple(
        attrs.evolve(s, body=bodies[s.title]) if isinstance(s, rules.PlayPart) and s.title in bodies else s
        for s in example.steps
    )
    return attrs.evolve(example, steps=steps)
