"""Decisions: choices of one, of sets, of several things, together, and between labels."""

import attrs

from .. import rules, syntax, words
from ..problems import DeclaredTwice, FixedChoice, Label, ReservedWord, TooMany
from ..source import Span
from . import types
from .blocks import Site
from .changes import Changes
from .names import Scope, Together, reserved
from .types import PLAYER, bare, element, kinds

MOST_SETS = 200_000
"""A condition on a whole set needs every set listed; more than these are too many."""
_NOT_DECISIONS = ("throw", "draw", "pick", "otherwise")
"""What lines of examples and strategies begin with that are not about a decision."""


@attrs.define
class Decisions(Changes):
    """Lowers everything that begins with `choose`, `may choose` or `all … choose`."""

    def _owner(
        self, node: syntax.Choose | syntax.MayChoose | syntax.MustChoose | syntax.ChooseLabel, scope: Scope
    ) -> rules.Expr:
        if node.owner is not None:
            return self.expressions.player(node.owner, scope, "who chooses")
        start = node.span.source.text.index("choose", node.span.start)
        word = syntax.Name("choose", span=Span(node.span.source, start, start + len("choose")))
        return self.expressions.me(word, scope)

    def _parts(self, nodes: tuple[syntax.Part, ...], scope: Scope, inner: Scope) -> tuple[rules.Part, ...]:
        """The parts of a choice; each is bound in `inner`, so that later ones may name it."""
        parts = []
        for node in nodes:
            amount = self._amount(node.amount, scope)
            source = self.expressions.many(node.source, inner.before(node.bind), "what is chosen from")
            of = element(source)
            single = amount.kind == "one"
            if len(nodes) > 1 and not single:
                self.ground.report(FixedChoice(node.span, "in a choice of several things each must be `one`"))
            if not single and not isinstance(bare(of), rules.Item | rules.Player | rules.Member | rules.Number):
                self.ground.report(FixedChoice(node.span, f"no set of {types.spoken(of)} can be chosen"))
            local = self.bind(node.bind, of if single else rules.Many(of), inner)
            parts.append(rules.Part(amount, source, local, span=node.span))
        return tuple(parts)

    def _such_that(self, node: syntax.Expr | None, parts: tuple[rules.Part, ...], inner: Scope) -> rules.Expr | None:
        if node is None:
            return None
        for part in parts:
            if part.amount.kind != "one":
                self._check_size(part)
        return self.expressions.truth(node, inner, "the condition after `such that`")

    def _check_size(self, part: rules.Part) -> None:
        """Report a choice of a set with a condition on the whole, where too many sets would have to be looked at."""
        most = sum(self.ground.kinds[kind].most for kind in kinds(part.source))
        of = bare(element(part.source))
        if isinstance(of, rules.Number):
            most = of.high - of.low + 1
        elif isinstance(of, rules.Member):
            most = len(of.names)
        elif isinstance(of, rules.Player):
            most = self.ground.players[1]
        high = part.amount.high
        size = min(most, high.type.high) if high is not None and isinstance(high.type, rules.Number) else most
        sets, combinations = 1, 1
        for k in range(1, size + 1):
            combinations = combinations * (most - k + 1) // k
            sets += combinations
            if sets > MOST_SETS:
                fact = f"a condition on the whole set would need more than {MOST_SETS:,} sets listed"
                hint = "Put what you can into `where`, which looks at one element at a time."
                self.ground.report(TooMany(part.span, fact, hint))
                return

    def _decision(
        self, node: syntax.Choose | syntax.MayChoose | syntax.MustChoose, scope: Scope, rest: Scope, optional: bool
    ) -> rules.Choose:
        """A choice by one player, whose names are bound in `rest`."""
        self.lively_here(node, scope)
        owner = self._owner(node, scope)
        here = rest.of(owner).as_of(self.ground.last_local)
        parts = self._parts(node.parts, scope, rest)
        seen = self._reads(parts)
        such_that = self._such_that(node.such_that, parts, rest)
        names = tuple(part.bind for part in node.parts)
        site = self._site(Site(self.ground.site(), names[0].text, names[0].span, here, parts, names, None, optional))
        self.outcome("chosen", tuple(p.bind for p in parts), names, seen)
        return rules.Choose(site.number, site.name, owner, parts, such_that, optional, span=node.span)

    def _choose(self, node: syntax.Choose, scope: Scope) -> rules.Statement:
        return self._decision(node, scope, scope, False)

    def _maychoose(self, node: syntax.MayChoose, scope: Scope) -> rules.Statement:
        inner = scope.inside()
        choice = self._decision(node, scope, inner, True)
        return attrs.evolve(choice, body=self.body(node.body, inner), otherwise=self.block(node.otherwise, scope))

    def _mustchoose(self, node: syntax.MustChoose, scope: Scope) -> rules.Statement:
        inner = scope.inside()
        choice = self._decision(node, scope, inner, False)
        body, otherwise = self.body(node.body, inner), self.block(node.otherwise, scope)
        return attrs.evolve(choice, or_else=True, body=body, otherwise=otherwise)

    def _choosetogether(self, node: syntax.ChooseTogether, scope: Scope) -> rules.Statement:
        self.lively_here(node, scope)
        players = self.expressions.many(node.players, scope, "who chooses")
        players = self.expressions.fit(players, rules.Many(PLAYER), "who chooses together")
        each = self.ground.local("me", PLAYER, node.span)
        inner = scope.inside().of(each)
        here = inner.as_of(self.ground.last_local)
        parts = self._parts(node.parts, inner, inner)
        seen = self._reads(parts)
        such_that = self._such_that(node.such_that, parts, inner)
        names = tuple(part.bind for part in node.parts)
        site = self._site(Site(self.ground.site(), names[0].text, names[0].span, here, parts, names))
        for part, name in zip(parts, names, strict=True):
            bound, _ = inner.frames[0].bound[name.text]
            scope.bind(name, Together(part.bind.number, name.text, bound.type))
        self.outcome("chosen", tuple(p.bind for p in parts), names, seen)
        return rules.ChooseTogether(site.number, site.name, players, each, parts, such_that, span=node.span)

    def _chooselabel(self, node: syntax.ChooseLabel, scope: Scope) -> rules.Statement:
        self.lively_here(node, scope)
        owner = self._owner(node, scope)
        seen: dict[str, Span] = {}
        labels = []
        here = scope.of(owner).as_of(self.ground.last_local)
        if node.name.text in _NOT_DECISIONS:
            fact = f"no decision can be called `{node.name.text}`"
            self.ground.report(ReservedWord(node.name.span, fact, "Choose another name."))
        for label in node.labels:
            if label.name.text in words.reserved_for_members():
                self.ground.report(reserved(label.name))
            if label.name.text in seen:
                fact, other = (
                    f"two options are called `{label.name.text}`",
                    Label(seen[label.name.text], "the first one"),
                )
                self.ground.report(DeclaredTwice(label.name.span, fact, None, (other,)))
            seen.setdefault(label.name.text, label.name.span)
            when = self.expressions.truth(label.when, scope) if label.when is not None else None
            text = label.text.text if label.text else label.name.text.replace("_", " ")
            labels.append(rules.Labelled(label.name.text, text, when, self.block(label.body, scope), span=label.span))
        member = rules.Member(f"the options of {node.name.text}", tuple(seen))
        site = self._site(Site(self.ground.site(), node.name.text, node.name.span, here, (), (), member))
        return rules.ChooseLabel(site.number, site.name, owner, tuple(labels), span=node.span)

    def _site(self, site: Site) -> Site:
        self.sites.setdefault(site.name, []).append(site)
        return site

    def _reads(self, parts: tuple[rules.Part, ...]) -> tuple[int, ...]:
        return tuple(self.ground.read[part.bind.number] for part in parts)
