"""Examples: positions set up, parts of the game played by a script, and what must be true then."""

from collections.abc import Iterator

import attrs

from .. import rules, syntax
from ..problems import WrongExample, WrongPlayers, near
from ..source import Span
from ..tree import walk
from . import types
from .blocks import PhaseInfo
from .expressions import Expressions
from .ground import Ground
from .names import Scope
from .statements import Statements
from .types import PLAYER, constant, number

CHANCE_NAMES = ("throw", "draw", "pick")


@attrs.frozen
class Examples:
    """Lowers examples; comes after play, whose phases they play."""

    ground: Ground
    statements: Statements

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

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
