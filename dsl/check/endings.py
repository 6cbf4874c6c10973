"""What stands beside play: score and winner, invariants and measures, strategies, examples and claims."""

from collections.abc import Container, Iterator

import attrs

from .. import rules, syntax
from ..problems import (
    MissingPart,
    NotAllowedHere,
    WrongClaim,
    WrongExample,
    WrongPlayers,
    WrongPolicy,
    WrongType,
    near,
)
from ..source import Source, Span
from ..tree import walk
from . import types
from .declarations import Declarations
from .expressions import Expressions
from .ground import Ground
from .names import Scope
from .statements import PhaseInfo, Site, Statements
from .types import PLAYER, constant, number

TURN = "turn"
CHANCE_NAMES = ("throw", "draw", "pick")
FIGURES = {
    "win_rate": "seat", "shared_rate": "seat", "mean_score": "seat",
    "mean": "measure", "turns": None, "decisions": None,
}  # fmt: skip
"""What a claim may be about, and what each figure is of."""


@attrs.define
class Endings:
    """Lowers everything beside play; comes after play, whose phases and decisions it names."""

    ground: Ground
    statements: Statements
    declarations: Declarations
    main: Source
    scored: rules.Score | None = None
    won: bool = False

    def __attrs_post_init__(self) -> None:
        self.ground.lowering["score"] = self.score

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

    # ---- score and winner ------------------------------------------------------------------------------

    def score(self, name: str) -> None:
        """A player's score, without its bounds."""
        node = self.ground.names.declared[name].node
        assert isinstance(node, syntax.Score)
        me = self.ground.local("me", PLAYER, node.span)
        value = self.expressions.number(node.value, Scope(me=me), "the score")
        self.scored = rules.Score(me, value, None, span=node.span)

    def bounds(self, node: syntax.Bounds) -> rules.Range | None:
        """What the score must lie in."""
        limits = self.declarations.domain(node.range)
        if self.scored is None:
            self.ground.report(MissingPart(node.span, "there is no score that could have bounds"))
        else:
            self.expressions.in_range(self.scored.value, limits.type, "the score")
        return limits.range

    def winner(self, node: syntax.Winner) -> tuple[rules.Rank, ...] | rules.Winners:
        """How players are ranked, or a set of winners."""
        self.won = True
        if isinstance(node.ranks, tuple):
            ranks = []
            for rank in node.ranks:
                me = self.ground.local("me", PLAYER, rank.span)
                value = self.expressions.number(rank.value, Scope(me=me), "what players are compared by")
                ranks.append(rules.Rank(me, value, rank.highest, span=rank.span))
            return tuple(ranks)
        players = self.expressions.many(node.ranks, Scope(), "the winners")
        players = self.expressions.fit(players, rules.Many(PLAYER), "the winners")
        return rules.Winners(players, span=node.span)

    # ---- invariants and measures -----------------------------------------------------------------------

    def _moment(self, node: syntax.Moment) -> tuple[rules.Moment, Scope]:
        match node:
            case syntax.After(phase=name):
                info = self.statements.phases.get(name.text)
                if info is not None:
                    return rules.After(name.text, span=node.span), self._after(info)
                if name.text not in self.ground.names.phases:
                    self.ground.unknown(name, "phase", self.ground.names.phases)
                return rules.After(name.text, span=node.span), Scope(me=constant(0, PLAYER, node.span))
            case syntax.AtEnd():
                return rules.AtEnd(span=node.span), Scope()
            case _:
                return rules.Always(span=node.span), Scope()

    def _after(self, info: PhaseInfo) -> Scope:
        """What can be named after a phase: in an action there is a `me` only if the action is run for one."""
        scope, action = info.scope, info.scope.action
        if scope.lent and action is not None and not self.ground.signatures[action].implicit:
            return attrs.evolve(scope, me=None)
        return scope

    def invariant(self, node: syntax.Invariant) -> rules.Invariant:
        """What must hold."""
        moment, scope = self._moment(node.moment)
        condition = self.expressions.truth(node.condition, scope, "what must hold")
        return rules.Invariant(node.name.text, moment, condition, span=node.span)

    def measure(self, node: syntax.Measure) -> rules.Measure:
        """A figure to report."""
        moment, scope = self._moment(node.moment)
        if isinstance(moment, rules.Always):
            fact, hint = "a measure is taken at certain moments, not always", "Say `after PHASE` or `at end`."
            self.ground.report(NotAllowedHere(node.moment.span, fact, hint))
            moment = rules.AtEnd(span=node.span)
        value = self.expressions.lower(node.value, scope)
        if not isinstance(types.bare(value.type), rules.Number | rules.YesNo) and types.known(value.type):
            fact = f"what is measured is a number or yes or no, this is {types.spoken(value.type)}"
            self.ground.report(WrongType(value.span, fact))
            value = number(0, value.span)
        value = self.expressions.fit(value, types.bare(value.type), "what is measured")
        return rules.Measure(node.name.text, moment, value, span=node.span)

    # ---- strategies ------------------------------------------------------------------------------------

    def strategy(self, node: syntax.Strategy) -> rules.Strategy:
        """A policy for each decision that a strategy names; a variant may have removed some of them."""
        policies: list[rules.SitePolicy] = []
        otherwise: rules.AtRandom | rules.FirstOption = rules.AtRandom(span=node.span)
        seen: set[str] = set()
        for line in node.lines:
            if isinstance(line, syntax.Hole):
                continue
            name = line.name.text
            if name in seen:
                self.ground.report(
                    WrongPolicy(line.name.span, f"`{name}` stands there twice", "Keep one of the lines.")
                )
            seen.add(name)
            sites = self.statements.sites.get(name, [])
            if name == "otherwise" and not sites:
                otherwise = self._otherwise(line)
            elif not sites and line.span.source is self.main:
                self._no_decision(line.name)
            policies += [rules.SitePolicy(s.number, self._policy(line.policy, s), span=line.span) for s in sites]
        return rules.Strategy(node.name.text, tuple(policies), otherwise, span=node.span)

    def _no_decision(self, name: syntax.Name) -> None:
        fact = f"no decision is called `{name.text}`"
        hint = near(name.text, self.statements.sites)
        for sites in self.statements.sites.values():
            for site in sites:
                if name.text in (part.text for part in site.names):
                    hint = f"The decision goes by its first name, `{site.name}`."
        self.ground.report(WrongPolicy(name.span, fact, hint))

    def _otherwise(self, line: syntax.PolicyLine) -> rules.AtRandom | rules.FirstOption:
        if isinstance(line.policy, syntax.FirstOption):
            return rules.FirstOption(span=line.span)
        if not isinstance(line.policy, syntax.AtRandom):
            self.ground.report(WrongPolicy(line.span, "`otherwise` is `first` or `random`: it fits any decision"))
        return rules.AtRandom(span=line.span)

    def _policy(self, node: syntax.Policy, site: Site) -> rules.Policy:
        match node:
            case syntax.AtRandom():
                return rules.AtRandom(span=node.span)
            case syntax.FirstOption():
                return rules.FirstOption(span=node.span)
            case syntax.PolicyIf():
                condition = self.expressions.truth(node.condition, site.scope)
                then, otherwise = self._policy(node.then, site), self._policy(node.otherwise, site)
                return rules.PolicyIf(condition, then, otherwise, span=node.span)
            case syntax.Best():
                return self._best(node, site)
            case syntax.PolicyValue(value=syntax.Conditional() as value):
                yes, no = (syntax.PolicyValue(v, span=v.span) for v in (value.then, value.otherwise))
                return self._policy(syntax.PolicyIf(yes, value.condition, no, span=node.span), site)
            case _:
                return self._by_value(node, site)

    def _best(self, node: syntax.Best, site: Site) -> rules.Policy:
        if site.labels is not None:
            fact = "the options here are labels; `best` looks at things"
            hint = f"Name one of them, as in `{site.labels.names[0]} if … else {site.labels.names[-1]}`."
            self.ground.report(WrongPolicy(node.span, fact, hint))
            return rules.AtRandom(span=node.span)
        scope = site.scope.as_of(site.parts[-1].bind.number)
        scope = scope.inside(site.parts[0].bind) if len(site.parts) == 1 else scope.inside()
        value = self.expressions.number(node.value, scope, "what options are compared by")
        return rules.Best(value, span=node.span)

    def _by_value(self, node: syntax.PolicyValue, site: Site) -> rules.Policy:
        kind: rules.Type
        if site.labels is not None:
            return self._label(node, site, site.labels)
        if isinstance(node.value, syntax.Nothing):
            if not site.optional:
                fact = f"`{site.name}` must be chosen; it cannot be declined"
                self.ground.report(WrongPolicy(node.span, fact))
            return rules.ByValue(constant(None, types.NONE, node.span), span=node.span)
        if len(site.parts) > 1 or site.parts[0].amount.kind != "one":
            hint = "Say `best …` with a number to compare by, `first` or `random`."
            self.ground.report(WrongPolicy(node.span, f"`{site.name}` has no single value that could be named", hint))
            return rules.AtRandom(span=node.span)
        kind, what = site.parts[0].bind.type, f"what `{site.name}` is"
        value = self.expressions.want(node.value, site.scope, kind, what)
        self.expressions.in_range(value, kind, what)
        return rules.ByValue(value, span=node.span)

    def _label(self, node: syntax.PolicyValue, site: Site, labels: rules.Member) -> rules.Policy:
        name = node.value
        if isinstance(name, syntax.Name) and name.text in labels.names:
            return rules.ByValue(constant(labels.names.index(name.text), labels, node.span), span=node.span)
        hint = near(name.text, labels.names) if isinstance(name, syntax.Name) else None
        self.ground.report(
            WrongPolicy(node.span, f"the options of `{site.name}` are {types.listed(labels.names)}", hint)
        )
        return rules.AtRandom(span=node.span)

    # ---- examples --------------------------------------------------------------------------------------

    def example(self, node: syntax.Example) -> rules.Example:
        """A rule shown at work."""
        players = self._players(node)
        options: list[tuple[str, int | bool]] = []
        steps: list[rules.Given | rules.PlayPart | rules.Then] = []
        scope = Scope().inside()
        with_setup, played = True, False
        for line in node.lines:
            match line:
                case syntax.ExampleSet():
                    if steps:
                        self.ground.report(WrongExample(line.span, "`set` stands at the beginning of an example"))
                    options += self._setting(line)
                case syntax.Given():
                    played = True
                    steps.append(rules.Given(self._given(line, scope), span=line.span))
                case syntax.PlayPart():
                    if line.name.text in ("setup", "game"):
                        if played:
                            fact = f"`do {line.name.text}` comes first; everything else comes after the setup"
                            self.ground.report(WrongExample(line.name.span, fact))
                        with_setup = False
                    played = True
                    part = self._play_part(line, scope)
                    if part is not None:
                        steps.append(part)
                case syntax.Then():
                    condition = self.expressions.truth(line.condition, scope, "what must be true")
                    played = True
                    steps.append(rules.Then(condition, span=line.span))
                case _:
                    pass
        return rules.Example(node.name.text, players, tuple(options), with_setup, tuple(steps), span=node.span)

    def _players(self, node: syntax.Example) -> int:
        low, high = self.ground.players
        given = [line for line in node.lines if isinstance(line, syntax.ExamplePlayers)]
        for line in given[1:]:
            self.ground.report(WrongExample(line.span, "the number of players stands there twice"))
        if not given:
            return low
        if not low <= given[0].count <= high:
            fact = f"the game is for {low} to {high} players, not {given[0].count}"
            self.ground.report(WrongPlayers(given[0].span, fact))
            return low
        return given[0].count

    def _setting(self, line: syntax.ExampleSet) -> Iterator[tuple[str, int | bool]]:
        option = self.ground.options.get(line.option.text)
        if option is None:
            if line.option.text not in self.ground.names.of_kind("option"):
                self.ground.unknown(line.option, "option", self.ground.options)
            return
        kind, what = option.domain.type, f"`{option.name}`"
        value = self.expressions.want(line.value, Scope(fixed=True), kind, what)
        if not isinstance(value, rules.Constant):
            if types.known(value.type):
                fact = f"{what} must be written out: a number, a member, `yes` or `no`"
                self.ground.report(WrongExample(value.span, fact))
        elif value.value is not None:
            self.expressions.in_range(value, kind, what)
            yield option.name, value.value

    def _given(self, line: syntax.Given, scope: Scope) -> rules.Body:
        self.statements.still = True
        body = self.statements.body(line.body, scope)
        self.statements.still = False
        return body

    def _play_part(self, line: syntax.PlayPart, scope: Scope) -> rules.PlayPart | None:
        script = []
        for answer in line.script:
            if isinstance(answer, syntax.Hole):
                continue
            if answer.name.text not in self.statements.sites and answer.name.text not in CHANCE_NAMES:
                fact = f"no decision is called `{answer.name.text}`; chance is `throw`, `draw` or `pick`"
                hint = near(answer.name.text, [*self.statements.sites, *CHANCE_NAMES])
                self.ground.report(WrongExample(answer.name.span, fact, hint))
            script.append(rules.ScriptLine(answer.name.text, answer.items, span=answer.span))
        body = self._part_body(line, scope)
        return None if body is None else rules.PlayPart(line.name.text, body, tuple(script), span=line.span)

    def _part_body(self, line: syntax.PlayPart, scope: Scope) -> rules.Body | None:
        name = line.name
        player = None
        if line.player is not None:
            player = self.expressions.player(line.player, scope, "whose turn it is")
        if name.text in ("setup", "game"):
            if line.arguments or player is not None:
                self.ground.report(WrongExample(name.span, f"`do {name.text}` takes no values and no player"))
            return self._whole(name.text)
        if name.text in self.statements.phases:
            if line.arguments:
                self.ground.report(WrongExample(name.span, "a phase takes no values in brackets"))
            return self._pass_of(self.statements.phases[name.text], player, name.span)
        if name.text in self.ground.names.of_kind("action"):
            return self._run(line, player, scope)
        if name.text not in self.ground.names.phases:
            known = [*self.ground.names.of_kind("action"), *self.statements.phases, "setup", "game"]
            self.ground.unknown(name, "phase or action", known)
        return None

    def _run(self, line: syntax.PlayPart, player: rules.Expr | None, scope: Scope) -> rules.Body | None:
        """An action, for a player if one is named; else for the first if it is run for a player at all."""
        name = line.name
        if player is not None and not self.ground.signature(name).implicit:
            self.ground.report(WrongExample(name.span, f"`{name.text}` is not run for a player"))
        for phase in sorted(self.ground.needs.get(name.text, ())):
            fact = f"`{name.text}` ends or leaves the phase `{phase}`, which is not around it here"
            self.ground.report(WrongExample(name.span, fact, f"Play the phase: `do {phase}`."))
        me = player or constant(0, PLAYER, line.span)
        values = self.expressions.arguments(name, line.arguments, me, scope)
        return None if values is None else (rules.Do(name.text, values, span=line.span),)

    def _whole(self, name: str) -> rules.Body:
        """The body of the setup, or of the setup and play: filled in when the game is put together."""
        return (rules.Phase(name, rules.Once(), ()),)

    def _pass_of(self, info: PhaseInfo, player: rules.Expr | None, at: Span) -> rules.Body | None:
        """One pass of a phase, inside shells of the phases around it, so that ways out lead somewhere."""
        alone = self._single(info.phase, player, at)
        statement: rules.Statement = alone
        taken = isinstance(info.phase.kind, rules.EachPlayer)
        players = set()
        for name in reversed(info.scope.phases[:-1]):
            around = self.statements.phases[name].phase
            shell = attrs.evolve(around, body=(statement,))
            if isinstance(around.kind, rules.EachPlayer):
                players.add(around.kind.me.number)
                statement = self._single(shell, None if taken else player, at)
                taken = True
            else:
                statement = attrs.evolve(shell, kind=rules.Once(span=around.span))
        if player is not None and not taken:
            self.ground.report(WrongExample(at, f"no player is on turn in the phase `{info.phase.name}`"))
        for node, _ in walk(alone):
            if not isinstance(node, rules.Local | rules.LocalOf) or node.number in players:
                continue
            if node.number <= info.before:
                self._bound_around(info, node, at)
                return None
        return (statement,)

    def _bound_around(self, info: PhaseInfo, local: rules.Local | rules.LocalOf, at: Span) -> None:
        """Report a phase that cannot be played alone, because it looks at something from around it."""
        around, action = info.scope.phases[:-1], info.scope.action
        fact = f"`{info.phase.name}` looks at `{local.name}`, which is named outside of it"
        hint = (
            f"Play what is around it: `do {around[-1]}`."
            if around
            else f"Run the action: `do {action}`."
            if action
            else None
        )
        self.ground.report(WrongExample(at, fact, hint))

    def _single(self, phase: rules.Phase, player: rules.Expr | None, at: Span) -> rules.Phase:
        """A phase reduced to one pass, of one player where it is a phase of each player."""
        if not isinstance(phase.kind, rules.EachPlayer):
            return phase
        who = player or rules.PlayerAt(number(1, at), type=PLAYER, span=at)
        me = phase.kind.me
        only = rules.Compare("is", me, who, type=rules.YesNo(), span=at)
        kind = rules.EachPlayer(me, False, who, only, None, None, span=phase.kind.span)
        return attrs.evolve(phase, kind=kind)

    # ---- claims ----------------------------------------------------------------------------------------

    def claim(self, node: syntax.Claim) -> rules.Claim | None:
        """That a figure of many games lies in a range."""
        titled = self.ground.names.titled
        strategies, measures = titled.get("strategy", {}), titled.get("measure", {})
        if node.strategy is not None and node.strategy.text not in strategies:
            self.ground.unknown(node.strategy, "strategy", strategies)
        figure = node.figure.text
        if figure not in FIGURES:
            advice = near(figure, FIGURES) or f"There are {types.listed(tuple(FIGURES), 'and')}."
            self.ground.report(WrongClaim(node.figure.span, f"`{figure}` is no figure of a game", advice))
            return None
        wrong = self._wrong_figure(figure, node.of, measures)
        if wrong is not None:
            hint = near(str(node.of), measures) if figure == "mean" else None
            self.ground.report(WrongClaim(node.figure.span, wrong, hint))
        if float(node.low) > float(node.high):
            self.ground.report(WrongClaim(node.span, f"nothing lies from {node.low} to {node.high}"))
        elif figure.endswith("_rate") and (float(node.low) > 1 or float(node.high) < 0):
            self.ground.report(WrongClaim(node.span, f"`{figure}` is a share: it lies from 0 to 1"))
        strategy = node.strategy.text if node.strategy else None
        return rules.Claim(node.name.text, strategy, figure, node.of, node.low, node.high, span=node.span)  # type: ignore[arg-type]

    def _wrong_figure(self, figure: str, of: int | str | None, measures: Container[object]) -> str | None:
        """What is wrong with a figure, or with what stands in its brackets."""
        seats = self.ground.players[0]
        match FIGURES[figure]:
            case None if of is not None:
                return f"`{figure}` takes nothing in brackets"
            case "seat" if not isinstance(of, int):
                return f"say of which seat: `{figure}(1)`"
            case "seat" if isinstance(of, int) and not 1 <= of <= seats:
                return f"claims are about games of the fewest players, here {seats}; there is no seat {of}"
            case "measure" if not isinstance(of, str):
                return f'say of which measure: `{figure}("…")`'
            case "measure" if of not in measures:
                return f'no measure is called "{of}"'
        if figure.endswith("_rate") and not self.won:
            return "nobody ever wins: the game has no `winner`"
        if figure == "mean_score" and self.scored is None:
            return "the game has no score"
        if figure == "turns" and TURN not in self.ground.names.phases:
            return f"turns are passes of a phase called `{TURN}`; there is none"
        return None
