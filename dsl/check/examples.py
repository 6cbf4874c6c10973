"""Examples and focuses: positions set up, parts of the game played from there, and what must be true then."""

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
WHOLE = ("setup", "game")
"""Parts that begin before the setup."""


@attrs.frozen
class Examples:
    """Lowers examples and focuses; comes after play, whose phases they play."""

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
                    steps.append(rules.Given(self._given(line, scope.inside()), span=line.span))
                case syntax.PlayPart():
                    with_setup = self._with_setup(line, played) and with_setup
                    played = True
                    part = self._play_part(line, self._player(line, scope), scope)
                    if part is not None:
                        steps.append(part)
                case syntax.Then():
                    condition = self.expressions.truth(line.condition, scope, "what must be true")
                    played = True
                    steps.append(rules.Then(condition, span=line.span))
                case _:
                    pass
        return rules.Example(node.name.text, players, tuple(options), with_setup, tuple(steps), span=node.span)

    def focus(self, node: syntax.Focus) -> rules.Focus | None:
        """One part of the game from a position, for every way it can go."""
        players, scope = self._players(node), Scope().inside()
        options: list[tuple[str, int | bool]] = []
        given: list[rules.Given] = []
        then: list[rules.Then] = []
        for line in node.lines:
            match line:
                case syntax.ExampleSet():
                    if given:
                        self.ground.report(WrongExample(line.span, "`set` stands at the beginning of a focus"))
                    options += self._setting(line)
                case syntax.Given():
                    given.append(rules.Given(self._given(line, scope.inside()), span=line.span))
                case syntax.Then():
                    condition = self.expressions.truth(line.condition, scope, "what must be true")
                    then.append(rules.Then(condition, span=line.span))
                case _:
                    pass
        value = self._value(node, scope)
        played = self._only_part(node)
        if played is None:
            return None
        player = self._player(played, scope)
        with_setup = self._with_setup(played, bool(given))
        part = self._play_part(played, player, scope)
        if part is None:
            return None
        player = player or self._first_player(played)
        return rules.Focus(
            node.name.text,
            players,
            tuple(options),
            with_setup,
            tuple(given),
            part,
            tuple(then),
            value,
            player,
            span=node.span,
        )

    def _only_part(self, node: syntax.Focus) -> syntax.PlayPart | None:
        """The part that a focus is about."""
        parts = [line for line in node.lines if isinstance(line, syntax.PlayPart)]
        for line in parts[1:]:
            self.ground.report(WrongExample(line.span, "a focus is about one part of the game, and this is a second"))
        for line in parts:
            if line.script:
                fact = "a focus goes every way this part can go; it has no script"
                self.ground.report(WrongExample(line.script[0].span, fact, "Write an `example` to go one way."))
        if not parts:
            fact, hint = "nothing says which part of the game this is about", "Add a line such as `do turn`."
            self.ground.report(WrongExample(node.name.span, fact, hint))
        return parts[0] if parts else None

    def _value(self, node: syntax.Focus, scope: Scope) -> rules.Expr | None:
        """What the player of a focus makes as high as possible."""
        given = [line for line in node.lines if isinstance(line, syntax.Value)]
        for line in given[1:]:
            self.ground.report(WrongExample(line.span, "what is made as high as possible stands there twice"))
        lowered = [self.expressions.number(line.value, scope, "what is made as high as possible") for line in given]
        return lowered[0] if lowered else None

    def _with_setup(self, line: syntax.PlayPart, played: bool) -> bool:
        """Whether the setup runs by itself before a part; a part that has it comes first."""
        if line.name.text not in WHOLE:
            return True
        if played:
            fact = f"`do {line.name.text}` comes first; everything else comes after the setup"
            self.ground.report(WrongExample(line.name.span, fact))
        return False

    def _players(self, node: syntax.Example | syntax.Focus) -> int:
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

    def _player(self, line: syntax.PlayPart, scope: Scope) -> rules.Expr | None:
        """The player a part is played for, where one is named."""
        return None if line.player is None else self.expressions.player(line.player, scope, "whose turn it is")

    def _first_player(self, line: syntax.PlayPart) -> rules.Expr | None:
        """The first player, for a part that is played for one where none is named."""
        name = line.name.text
        around = [self.statements.phases[each].phase for each in self._phases_of(name)]
        in_turn = any(isinstance(phase.kind, rules.EachPlayer) for phase in around)
        lent = not around and name not in WHOLE and self.ground.signature(line.name).implicit
        return constant(0, PLAYER, line.span) if in_turn or lent else None

    def _phases_of(self, name: str) -> tuple[str, ...]:
        """A phase and those around it."""
        info = self.statements.phases.get(name)
        return info.scope.phases if info is not None else ()

    def _play_part(self, line: syntax.PlayPart, player: rules.Expr | None, scope: Scope) -> rules.PlayPart | None:
        script = []
        for answer in line.script:
            if isinstance(answer, syntax.Hole):
                continue
            if answer.name.text not in self.statements.sites and answer.name.text not in CHANCE_NAMES:
                fact = f"no decision is called `{answer.name.text}`; chance is `throw`, `draw` or `pick`"
                hint = near(answer.name.text, [*self.statements.sites, *CHANCE_NAMES])
                self.ground.report(WrongExample(answer.name.span, fact, hint))
            script.append(rules.ScriptLine(answer.name.text, answer.items, span=answer.span))
        body = self._part_body(line, player, scope)
        return None if body is None else rules.PlayPart(line.name.text, body, tuple(script), span=line.span)

    def _part_body(self, line: syntax.PlayPart, player: rules.Expr | None, scope: Scope) -> rules.Body | None:
        name = line.name
        if name.text in WHOLE:
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
            known = [*self.ground.names.of_kind("action"), *self.statements.phases, *WHOLE]
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
            shell = attrs.evolve(around, body=(statement,), shell=True)
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
