"""A checked ruleset in words: what there is, the phase tree, and who decides what where.

Conditions and amounts are quoted from the rules file; everything else is said in plain words.
"""

from collections.abc import Iterator, Mapping
from typing import Literal as OneOf

import attrs

from ..dsl import rules
from ..dsl.source import Span
from .options import value_text


@attrs.frozen
class Entry:
    """A node of the phase tree: a phase, an action with something in it, a decision, a chance event."""

    kind: OneOf["phase", "action", "decision", "chance"]
    name: str
    words: str
    """How often a phase is played, who decides what, what is thrown."""
    line: int
    options: tuple[tuple[str, str], ...] = ()
    """A decision's labels, and what each one means and when it is there."""
    inside: tuple["Entry", ...] = ()


def phase_tree(game: rules.Game) -> tuple[Entry, ...]:
    """The play of a game, top to bottom, with the setup first where chance or choice is in it."""
    actions = {action.name: action for action in game.actions}
    setup = tuple(_entries(game.setup, actions))
    first = (Entry("phase", "setup", "once, before play", _line(game.setup), inside=setup),) if setup else ()
    return (*first, *_entries(game.play, actions))


def _line(body: rules.Body) -> int:
    return body[0].span.line if body else 0


def _entries(body: rules.Body, actions: Mapping[str, rules.Action]) -> Iterator[Entry]:
    for statement in body:
        yield from _entry(statement, actions)


def _entry(statement: rules.Statement, actions: Mapping[str, rules.Action]) -> Iterator[Entry]:
    line = statement.span.line
    match statement:
        case rules.Phase(name=name, kind=kind, body=body):
            yield Entry("phase", name, how_often(kind), line, inside=tuple(_entries(body, actions)))
        case rules.Do(action=name):
            inside = tuple(_entries(actions[name].body, actions))
            if inside:
                yield Entry("action", name, "", line, inside=inside)
        case rules.Choose(name=name, owner=owner, parts=parts, such_that=such_that, optional=optional):
            words = f"{who(owner)} {'may choose' if optional else 'chooses'} {_parts(parts, such_that)}"
            words += ", if there is anything to choose" if statement.or_else else ""
            inside = tuple(_entries((*statement.body, *statement.otherwise), actions))
            yield Entry("decision", name, words, line, inside=inside)
        case rules.ChooseTogether(name=name, players=players, parts=parts, such_that=such_that):
            words = f"{quoted(players.span)} choose at the same time: {_parts(parts, such_that)}"
            yield Entry("decision", name, words, line)
        case rules.ChooseLabel(name=name, owner=owner, labels=labels):
            inside = tuple(entry for label in labels for entry in _entries(label.body, actions))
            options = tuple((label.name, _label(label)) for label in labels)
            yield Entry("decision", name, f"{who(owner)} chooses", line, options, inside)
        case rules.Throw() | rules.Draw() | rules.Shuffle() | rules.Pick():
            yield Entry("chance", type(statement).__name__.lower(), quoted(statement.span), line)
        case rules.If(cases=cases, otherwise=otherwise) | rules.Match(cases=cases, otherwise=otherwise):
            for case in cases:
                yield from _entries(case.body, actions)
            yield from _entries(otherwise, actions)
        case rules.For(body=body) | rules.RepeatTimes(body=body) | rules.RepeatUntil(body=body):
            yield from _entries(body, actions)
        case _:
            pass


def how_often(kind: rules.Once | rules.Times | rules.Until | rules.EachPlayer) -> str:
    """How often a phase of this kind is played."""
    match kind:
        case rules.Once():
            return "once"
        case rules.Times(count=count):
            return f"{quoted(count.span)} times"
        case rules.Until(condition=condition):
            return f"again and again until {quoted(condition.span)}"
        case rules.EachPlayer():
            words = ["each player in turn, round and round" if kind.in_turn else "each player once"]
            if kind.start:
                words.append(f"from {quoted(kind.start.span)}")
            if kind.where:
                words.append(f"where {quoted(kind.where.span)}")
            if kind.order:
                direction = "greatest" if kind.order.descending else "least"
                words.append(f"by {quoted(kind.order.key.span)}, {direction} first")
            if kind.until:
                words.append(f"until {quoted(kind.until.span)}")
            return ", ".join(words)


def who(owner: rules.Expr) -> str:
    """Who decides."""
    text = quoted(owner.span)
    return "the player" if text in ("me", "") or "choose" in text.split() else text


def _parts(parts: tuple[rules.Part, ...], such_that: rules.Expr | None) -> str:
    words = " and ".join(f"{amount(part.amount)} of {quoted(part.source.span)}" for part in parts)
    return f"{words}, such that {quoted(such_that.span)}" if such_that else words


def amount(wanted: rules.Amount) -> str:
    """How many."""
    low = quoted(wanted.low.span)
    match wanted.kind:
        case "one":
            return "one"
        case "exactly":
            return low
        case "up to":
            return f"up to {quoted(wanted.high.span) if wanted.high else low}"
        case "at least":
            return f"{low} or more"
        case "between":
            return f"{low} to {quoted(wanted.high.span) if wanted.high else low}"
        case "any":
            return "any number"


def _label(label: rules.Labelled) -> str:
    when = f"when {quoted(label.when.span)}" if label.when else ""
    return ", ".join(filter(None, (label.text, when)))


def quoted(span: Span) -> str:
    """What stands at a place in the rules file, on one line."""
    return " ".join(span.text.split())


def statements(game: rules.Game) -> Iterator[rules.Statement]:
    """Every statement of the setup, the play and the actions, outer ones before inner ones."""
    bodies = [game.setup, game.play, *(action.body for action in game.actions)]
    waiting: list[rules.Statement] = [statement for body in bodies for statement in body]
    while waiting:
        statement = waiting.pop(0)
        yield statement
        waiting[:0] = [inner for body in _bodies(statement) for inner in body]


def _bodies(statement: rules.Statement) -> Iterator[rules.Body]:
    match statement:
        case rules.If(cases=cases, otherwise=otherwise) | rules.Match(cases=cases, otherwise=otherwise):
            yield from (case.body for case in cases)
            yield otherwise
        case rules.ChooseLabel(labels=labels):
            yield from (label.body for label in labels)
        case rules.Choose(body=body, otherwise=otherwise):
            yield body
            yield otherwise
        case rules.Phase(body=body) | rules.For(body=body):
            yield body
        case rules.RepeatTimes(body=body) | rules.RepeatUntil(body=body):
            yield body


def label_texts(game: rules.Game) -> dict[tuple[str, int], dict[str, str]]:
    """The texts of labels, by the place (source and offset) of their decision."""
    return {
        (one.span.source.name, one.span.start): {label.name: label.text for label in one.labels}
        for one in statements(game)
        if isinstance(one, rules.ChooseLabel)
    }


def is_open(game: rules.Game) -> bool:
    """Whether everybody sees everything, so that every step may be told to all."""
    seen = [zone.visibility for zone in game.zones if zone.name != "box"]
    seen += [variable.visibility for variable in game.variables]
    seen += [field.visibility for kind in game.kinds for field in kind.changing]
    if any(visibility != "open" for visibility in seen) or any(kind.hides for kind in game.kinds):
        return False
    return not any(isinstance(one, rules.ChooseTogether) for one in statements(game))


def players(game: rules.Game) -> str:
    """How many play."""
    least, most = game.players
    return f"{least} to {most} players" if least != most else f"{least} player{'s' * (least != 1)}"


def values(domain: rules.Domain) -> str:
    """The values something may have."""
    kind = domain.type
    maybe = isinstance(kind, rules.Maybe)
    kind = kind.of if isinstance(kind, rules.Maybe) else kind
    match kind:
        case rules.Number(low=low, high=high):
            given = domain.range
            words = f"{_end(given.low, low)}..{_end(given.high, high)}" if given else f"{low}..{high}"
        case rules.YesNo():
            words = "yes or no"
        case rules.Member(names=names):
            words = ", ".join(names)
        case rules.Item(kinds=kinds):
            words = " or ".join(kinds)
        case rules.Player():
            words = "player"
    return f"{words} or none" if maybe else words


def _end(end: rules.Expr, widest: int) -> str:
    return quoted(end.span) or str(widest)


def default(option: rules.Option) -> str:
    """An option's default, as a value where it is one."""
    if isinstance(option.default, rules.Constant) and option.default.value is not None:
        return value_text(option, option.default.value)
    return quoted(option.default.span)


def seen_by(visibility: OneOf["open", "private", "hidden"]) -> str:
    """Who sees something of this visibility."""
    return {"open": "everybody", "private": "its player", "hidden": "nobody"}[visibility]


def faces(kind: rules.Kind) -> str | None:
    """What a throw of a component shows, with weights; None where it is not thrown."""
    thrown = kind.faces
    if thrown is None:
        return None
    if thrown.range is not None:
        return f"{_end(thrown.range.low, 0)}..{_end(thrown.range.high, 0)}"
    texts = []
    for one in thrown.sets:
        shown = ", ".join(
            _value(thrown.type, face) + (f" x{weight}" if weight != 1 else "") for face, weight in one.faces
        )
        texts.append(shown if thrown.by is None else f"{_case(kind, thrown.by, one.case)}: {shown}")
    return "; ".join(texts)


def copies(kind: rules.Kind) -> str:
    """How many there are of a component, or of a sheet's cells."""
    if kind.rows is not None:
        return f"{sum(row.copies for row in kind.rows)} in all"
    number = quoted(kind.copies.span) if not kind.sheet else "1"
    return f"{number} of each" if any(field.value is None for field in kind.fields) else number


def _value(type: rules.Single, value: int | bool | None) -> str:
    match type:
        case rules.Member(names=names) if value is not None:
            return names[value]
        case rules.Maybe(of=of) if value is not None:
            return _value(of, value)
    return "none" if value is None else str(value)


def _case(kind: rules.Kind, by: str, value: int | bool | None) -> str:
    field = next(field for field in kind.fields if field.name == by)
    return f"{by} {_value(field.domain.type, value)}"


def winner(game: rules.Game) -> str | None:
    """Who wins: how players are ranked, or a set of them as the rules name it."""
    if isinstance(game.winner, rules.Winners):
        named = quoted(game.winner.players.span)
        return "all players who are still in" if named == "players" else f"all of {named}"
    ranks = (f"{'highest' if rank.highest else 'lowest'} {quoted(rank.value.span)}" for rank in game.winner)
    return ", then ".join(ranks) or None


def invariants(game: rules.Game) -> list[str]:
    """The names of all that must hold, as the rules file has them."""
    found: list[rules.Invariant | rules.Monotone | rules.LeadsTo]
    found = [*game.invariants, *game.monotones, *game.leads]
    return [one.name for one in sorted(found, key=lambda one: (one.span.source.name, one.span.start))]


def phases(game: rules.Game) -> Iterator[Entry]:
    """All phases of a game, outer ones before inner ones."""
    waiting = list(phase_tree(game))
    while waiting:
        entry = waiting.pop(0)
        if entry.kind == "phase" and entry.line and entry.words != "once, before play":
            yield entry
        waiting[:0] = entry.inside
