"""What stands beside play: score and winner, invariants and measures, strategies, examples and claims."""

from collections.abc import Iterator

import attrs

from .. import rules, syntax
from ..problems import MissingPart, OutOfRange, WrongClaim, WrongExample, WrongPlayers, WrongPolicy, near
from ..source import Source, Span
from . import types
from .declarations import Declarations
from .expressions import NUMBER, PLAYER, Expressions, constant
from .ground import Ground
from .names import Scope, unknown
from .statements import PhaseInfo, Site, Statements

CHANCE_NAMES = ("throw", "draw", "pick")
FIGURES = {
    "win_rate": int, "shared_rate": int, "mean_score": int, "mean": str, "turns": None, "decisions": None,
}  # fmt: skip


@attrs.define
class Endings:
    """Lowers everything beside play; comes after play, whose phases and decisions it names."""

    ground: Ground
    statements: Statements
    declarations: Declarations
    main: Source

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

    # ---- score and winner ------------------------------------------------------------------------------

    def score(self, node: syntax.Score, bounds: syntax.Bounds | None) -> rules.Score:
        """A player's score, with its bounds."""
        me = self.ground.local("me", PLAYER, node.span)
        value = self.expressions.number(node.value, Scope(me=me), "the score")
        limits = self.declarations.domain(bounds.range).range if bounds is not None else None
        return rules.Score(me, value, limits, span=node.span)

    def winner(self, node: syntax.Winner) -> tuple[rules.Rank, ...] | rules.Winners:
        """How players are ranked, or a set of winners."""
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
                info = self._phase(name)
                return rules.After(name.text, span=node.span), info.scope if info else Scope(
                    me=constant(0, PLAYER, node.span)
                )
            case syntax.AtEnd():
                return rules.AtEnd(span=node.span), Scope()
            case _:
                return rules.Always(span=node.span), Scope()

    def _phase(self, name: syntax.Name) -> PhaseInfo | None:
        info = self.statements.phases.get(name.text)
        if info is None:
            self.ground.report(unknown(name, "phase", list(self.ground.names.phases)))
        return info

    def invariant(self, node: syntax.Invariant) -> rules.Invariant:
        """What must hold."""
        moment, scope = self._moment(node.moment)
        condition = self.expressions.truth(node.condition, scope, "what must hold")
        return rules.Invariant(node.name.text, moment, condition, span=node.span)

    def measure(self, node: syntax.Measure) -> rules.Measure | None:
        """A figure to report."""
        moment, scope = self._moment(node.moment)
        if isinstance(moment, rules.Always):
            hint = "Say `after PHASE` or `at end`."
            self.ground.report(MissingPart(node.moment.span, "when is this measured?", hint))
            return None
        value = self.expressions.lower(node.value, scope)
        if value.type != rules.YesNo():
            value = self.expressions.fit(value, NUMBER, "what is measured")
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
            if line.name.text in seen:
                self.ground.report(WrongPolicy(line.name.span, f"`{line.name.text}` stands there twice"))
            seen.add(line.name.text)
            sites = [s for s in self.statements.sites if s.name == line.name.text]
            if line.name.text == "otherwise" and not sites:
                otherwise = self._otherwise(line)
                continue
            if not sites and line.span.source is self.main:
                known = [s.name for s in self.statements.sites]
                fact = f"no decision is called `{line.name.text}`"
                self.ground.report(WrongPolicy(line.name.span, fact, near(line.name.text, known)))
            policies += [rules.SitePolicy(s.number, self._policy(line.policy, s), span=line.span) for s in sites]
        return rules.Strategy(node.name.text, tuple(policies), otherwise, span=node.span)

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
            case _:
                return self._by_value(node, site)

    def _best(self, node: syntax.Best, site: Site) -> rules.Policy:
        if site.labels is not None:
            fact = "the options here are labels; `best` looks at things"
            hint = "Name a label, as in `stop if count(drawn) > 2 else draw`."
            self.ground.report(WrongPolicy(node.span, fact, hint))
            return rules.AtRandom(span=node.span)
        scope = site.scope.inside(site.parts[0].bind) if len(site.parts) == 1 else site.scope.inside()
        value = self.expressions.number(node.value, scope, "what options are compared by")
        return rules.Best(value, span=node.span)

    def _by_value(self, node: syntax.PolicyValue, site: Site) -> rules.Policy:
        kind: rules.Type
        if site.labels is not None:
            kind = site.labels
        elif isinstance(node.value, syntax.Nothing):
            if not site.optional:
                self.ground.report(WrongPolicy(node.span, f"`{site.name}` must be chosen; it cannot be declined"))
            return rules.ByValue(constant(None, types.NONE, node.span), span=node.span)
        elif len(site.parts) == 1 and site.parts[0].amount.kind == "one":
            kind = site.parts[0].bind.type
        else:
            hint = "Say `best …` with a number to compare by, `first` or `random`."
            self.ground.report(WrongPolicy(node.span, f"`{site.name}` has no single value that could be named", hint))
            return rules.AtRandom(span=node.span)
        value = self.expressions.want(node.value, site.scope, kind, f"what `{site.name}` is")
        return rules.ByValue(value, span=node.span)

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
                            self.ground.report(WrongExample(line.span, fact))
                        with_setup = False
                    played = True
                    part = self._play_part(line, scope)
                    if part is not None:
                        steps.append(part)
                case syntax.Then():
                    condition = self.expressions.truth(line.condition, scope, "what must be true")
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
        declared = self.ground.names.declared.get(line.option.text)
        option = self.ground.options.get(line.option.text) if declared and self.ground.need(line.option) else None
        if option is None:
            self.ground.report(unknown(line.option, "option", list(self.ground.options)))
            return
        value = self.statements.literal(line.value, option.domain.type, f"`{option.name}`")  # type: ignore[arg-type]
        if value is not None:
            yield option.name, value

    def _given(self, line: syntax.Given, scope: Scope) -> rules.Body:
        self.statements.still = True
        body = self.statements.body(line.body, scope)
        self.statements.still = False
        return body

    def _play_part(self, line: syntax.PlayPart, scope: Scope) -> rules.PlayPart | None:
        script = []
        known = [*(s.name for s in self.statements.sites), *CHANCE_NAMES]
        for answer in line.script:
            if isinstance(answer, syntax.Hole):
                continue
            if answer.name.text not in known:
                fact = f"no decision is called `{answer.name.text}`; chance is `throw`, `draw` or `pick`"
                self.ground.report(WrongExample(answer.name.span, fact, near(answer.name.text, known)))
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
                self.ground.report(WrongExample(line.span, f"`do {name.text}` takes no values and no player"))
            return self._whole(name.text)
        if name.text in self.statements.phases:
            if line.arguments:
                self.ground.report(WrongExample(line.span, "a phase takes no values in brackets"))
            return (self._pass_of(self.statements.phases[name.text], player, line.span),)
        declared = self.ground.names.declared.get(name.text)
        if declared is None or declared.kind != "action":
            known = [
                *self.statements.phases,
                *(n for n, d in self.ground.names.declared.items() if d.kind == "action"),
            ]
            self.ground.report(unknown(name, "phase or action", [*known, "setup", "game"]))
            return None
        me = player or (None if not self.ground.signature(name).implicit else constant(0, PLAYER, line.span))
        values = self.expressions.arguments(name, line.arguments, me, scope)
        return None if values is None else (rules.Do(name.text, values, span=line.span),)

    def _whole(self, name: str) -> rules.Body:
        """The body of the setup, or of the setup and play: filled in when the game is put together."""
        return (rules.Phase(name, rules.Once(), ()),)

    def _pass_of(self, info: PhaseInfo, player: rules.Expr | None, at: Span) -> rules.Statement:
        """One pass of a phase, inside shells of the phases around it, so that ways out lead somewhere."""
        statement: rules.Statement = self._single(info.phase, player, at)
        taken = isinstance(info.phase.kind, rules.EachPlayer)
        for name in reversed(info.scope.phases[:-1]):
            around = self.statements.phases[name].phase
            shell = attrs.evolve(around, body=(statement,))
            each = isinstance(around.kind, rules.EachPlayer)
            if each:
                statement = self._single(shell, None if taken else player, at)
                taken = True
            else:
                statement = attrs.evolve(shell, kind=rules.Once(span=around.span))
        if player is not None and not taken:
            self.ground.report(WrongExample(at, f"no player is on turn in the phase `{info.phase.name}`"))
        return statement

    def _single(self, phase: rules.Phase, player: rules.Expr | None, at: Span) -> rules.Phase:
        """A phase reduced to one pass, of one player where it is a phase of each player."""
        if not isinstance(phase.kind, rules.EachPlayer):
            return phase
        who = player or rules.PlayerAt(constant(1, rules.Number(1, 1), at), type=PLAYER, span=at)
        me = phase.kind.me
        only = rules.Compare("is", me, who, type=rules.YesNo(), span=at)
        kind = rules.EachPlayer(me, False, who, only, None, None, span=phase.kind.span)
        return attrs.evolve(phase, kind=kind)

    # ---- claims ----------------------------------------------------------------------------------------

    def claim(self, node: syntax.Claim, strategies: list[str], measures: list[str]) -> rules.Claim | None:
        """That a figure of many games lies in a range."""
        if node.strategy is not None and node.strategy.text not in strategies:
            self.ground.report(unknown(node.strategy, "strategy", strategies))
        figure = node.figure.text
        if figure not in FIGURES:
            fact = f"`{figure}` is no figure of a game"
            self.ground.report(
                WrongClaim(node.figure.span, fact, near(figure, FIGURES) or f"There are {', '.join(FIGURES)}.")
            )
            return None
        wanted = FIGURES[figure]
        if wanted is None and node.of is not None:
            self.ground.report(WrongClaim(node.figure.span, f"`{figure}` takes nothing in brackets"))
        elif wanted is int and not isinstance(node.of, int):
            self.ground.report(WrongClaim(node.figure.span, f"say of which seat: `{figure}(1)`"))
        elif wanted is int and isinstance(node.of, int) and not 1 <= node.of <= self.ground.players[1]:
            self.ground.report(WrongClaim(node.figure.span, f"there is no seat {node.of}"))
        elif wanted is str and node.of not in measures:
            fact = f'no measure is called "{node.of}"' if node.of is not None else "say of which measure"
            self.ground.report(WrongClaim(node.figure.span, fact, near(str(node.of), measures)))
        if float(node.low) > float(node.high):
            self.ground.report(OutOfRange(node.span, f"nothing lies from {node.low} to {node.high}"))
        strategy = node.strategy.text if node.strategy else None
        return rules.Claim(node.name.text, strategy, figure, node.of, node.low, node.high, span=node.span)  # type: ignore[arg-type]
