"""Strategies: a policy for each decision that they name."""

import attrs

from .. import rules, syntax
from ..problems import WrongPolicy, near
from ..source import Source
from . import types
from .blocks import Site
from .expressions import Expressions
from .ground import Ground
from .statements import Statements
from .types import constant


@attrs.frozen
class Strategies:
    """Lowers strategies; comes after play, whose decisions they name. `main` is the file that was asked for."""

    ground: Ground
    statements: Statements
    main: Source

    @property
    def expressions(self) -> Expressions:
        """The part that lowers expressions."""
        return Expressions(self.ground)

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
