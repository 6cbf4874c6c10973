"""Statements that ask: the places made for throws, draws, picks and choices."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..dsl import rules
from ..dsl.source import Span
from .asking import (
    Asker,
    ChoosePlace,
    DrawPlace,
    HiddenPick,
    LabelPlace,
    PartPlan,
    PickPlace,
    ThrowPlace,
    TogetherPlace,
    TopPlace,
)
from .closures import Memory
from .layout import holds_items
from .program import Around
from .sight import blind

if TYPE_CHECKING:
    from .compile import Compiler


def _asker(compiler: "Compiler", pc: int, name: str, span: Span) -> dict[str, Any]:
    """What every place is made with."""
    return {"pc": pc, "name": name, "span": span, "words": compiler.program.words, "path": compiler.program.path}


def _place(compiler: "Compiler", place: Any) -> None:
    """Enter a place in the program."""
    assert isinstance(place, Asker)
    compiler.program.places[place.pc] = place  # type: ignore[assignment]


def throw(compiler: "Compiler", statement: rules.Throw, entry: int, then: int, around: Around) -> None:
    """Items are thrown."""
    sides = [len(set(faces)) for faces in compiler.layout.faces]
    place = ThrowPlace(
        **_asker(compiler, entry, "throw", statement.span),
        items=compiler.expressions.items(statement.items),
        then=then,
        sight=compiler.program.sight,
        slots=compiler.layout.face_slot,
        sides=sides,
        blind=blind(statement.items),
    )
    _place(compiler, place)
    compiler.program.code[entry] = place.step


def draw(compiler: "Compiler", statement: rules.Draw, entry: int, then: int, around: Around) -> None:
    """Items are drawn out of a set, or from the top of a stacked zone."""
    source, to = statement.source, statement.to
    top = isinstance(source, rules.ZoneItems) and source.indexes is not None and _stacked(compiler, source)
    onto_stack = _stacked(compiler, to.zone) if to is not None else top
    known: dict[str, Any] = {
        **_asker(compiler, entry, "draw", statement.span),
        "source": compiler.expressions.items(source),
        "number": _number(compiler, statement.amount),
        "in_order": onto_stack,
        "one": statement.amount.kind == "one",
        "put": None if to is None else compiler.effects.put(to, source.type),
        "bind": None if statement.bind is None else compiler.local(statement.bind, around),
        "then": then,
        "sight": compiler.program.sight,
    }
    place = DrawPlace(**known)
    if top:
        assert isinstance(source, rules.ZoneItems)
        slot = compiler.expressions.zone(source)
        place = TopPlace(**known, zone=slot if not isinstance(slot, int) else _always(slot))
    _place(compiler, place)
    compiler.program.code[entry] = place.step


def _stacked(compiler: "Compiler", zone: rules.ZoneItems) -> bool:
    """Whether a zone has an order."""
    return compiler.layout.zone_rules[zone.name].stacked


def _number(compiler: "Compiler", amount: rules.Amount) -> Callable[[Memory, int], int]:
    """How many are drawn of so many."""
    if amount.kind == "one":
        return lambda m, there: 1
    if amount.kind == "up to":
        most = compiler.expressions.sure(amount.high if amount.high is not None else amount.low)
        return lambda m, there: min(most(m), there)
    exactly = compiler.expressions.sure(amount.low)
    return lambda m, there: exactly(m)


def pick(compiler: "Compiler", statement: rules.Pick, entry: int, then: int, around: Around) -> None:
    """A value is picked."""
    type_ = statement.bind.type
    of_items = isinstance(type_, rules.Item)
    place = PickPlace(
        **_asker(compiler, entry, "pick", statement.span),
        types=[None if of_items else type_],
        source=compiler.expressions.read(statement.source),
        each=compiler.expressions.slot(statement.each),
        weight=compiler.expressions.sure(statement.weight) if statement.weight is not None else None,
        bind=compiler.local(statement.bind, around),
        of_items=of_items,
        then=then,
        sight=compiler.program.sight,
    )
    _place(compiler, place)
    compiler.program.code[entry] = place.step


def choose_label(compiler: "Compiler", statement: rules.ChooseLabel, entry: int, then: int, around: Around) -> None:
    """A player chooses between labels."""
    guards = [None if each.when is None else compiler.expressions.read(each.when) for each in statement.labels]
    place = LabelPlace(
        **_asker(compiler, entry, statement.name, statement.span),
        site=statement.site,
        labels=[(each.name, each.text) for each in statement.labels],
        owner=compiler.expressions.sure(statement.owner),
        guards=guards,
        targets=[_target(compiler, statement, each, then, around) for each in statement.labels],
        open=None if any(guards) else tuple(range(len(guards))),
    )
    _place(compiler, place)


def _target(
    compiler: "Compiler", statement: rules.ChooseLabel, label: rules.Labelled, then: int, around: Around
) -> int:
    """Where a label leads."""
    body = compiler.body(label.body, then, around)
    return compiler.marked("option", f"{statement.name}: {label.name}", label.span, body, around)


def _part(compiler: "Compiler", part: rules.Part, slot: int, own: int | None) -> PartPlan:
    """One thing to choose."""
    amount = part.amount
    high = amount.low if amount.kind in ("exactly", "up to") and amount.high is None else amount.high
    low = compiler.expressions.sure(amount.low) if amount.kind != "up to" else _always(0)
    return PartPlan(
        source=compiler.expressions.read(part.source),
        slot=slot,
        own=own,
        of_items=holds_items(part.source.type),
        one=amount.kind == "one",
        low=low,
        high=compiler.expressions.sure(high) if high is not None else None,
    )


def choose(compiler: "Compiler", statement: rules.Choose, entry: int, then: int, around: Around) -> None:
    """A player chooses."""
    parts = []
    for part in statement.parts:
        slot = compiler.local(part.bind, around)
        parts.append(_part(compiler, part, slot, None))
    settled = compiler.reserve(statement.span, around)
    kept = compiler.slot(f"{statement.name} taken", rules.Many(rules.Number()))
    place = ChoosePlace(
        **_asker(compiler, entry, statement.name, statement.span),
        site=statement.site,
        types=[part.bind.type for part in statement.parts],
        parts=parts,
        of_items=parts[0].of_items,
        such_that=compiler.expressions.read(statement.such_that) if statement.such_that is not None else None,
        optional=statement.optional,
        sight=compiler.program.sight,
        owner=compiler.expressions.sure(statement.owner),
        body=_way(compiler, statement, "taken", statement.body, then, around),
        otherwise=_way(compiler, statement, "declined", statement.otherwise, then, around),
        kept=kept,
        settled=settled,
    )
    _place(compiler, place)
    if statement.or_else:
        compiler.program.code[entry] = place.begin
    _settling(compiler, place, settled, statement.span)


def _way(compiler: "Compiler", statement: rules.Choose, way: str, body: rules.Body, then: int, around: Around) -> int:
    """What follows a choice, where there are two ways on."""
    entry = compiler.body(body, then, around)
    if not (statement.optional or statement.or_else):
        return entry
    return compiler.marked("option", f"{statement.name}: {way}", statement.span, entry, around)


def _settling(compiler: "Compiler", place: ChoosePlace | TogetherPlace, settled: int, span: Span) -> None:
    """The step behind a choice that settles what chance has a say in."""
    _place(compiler, HiddenPick(**_asker(compiler, settled, "pick", span), choice=place))
    compiler.program.code[settled] = place.step


def choose_together(
    compiler: "Compiler", statement: rules.ChooseTogether, entry: int, then: int, around: Around
) -> None:
    """Players choose without seeing the others'."""
    seats, ask = range(compiler.layout.players), compiler.reserve(statement.span, around)
    each = compiler.local(statement.each, around)
    compiler.program.control.add(statement.each.number)
    parts = []
    for part in statement.parts:
        name, type_ = part.bind.name, part.bind.type
        first = [compiler.slot(f"{name} of player({seat + 1})", type_) for seat in seats][0]
        compiler.expressions.together[part.bind.number] = first
        parts.append(_part(compiler, part, compiler.expressions.slot(part.bind), first))
    kept = [
        compiler.slot(f"{statement.name} taken by player({seat + 1})", rules.Many(rules.Number())) for seat in seats
    ][0]
    settled = compiler.reserve(statement.span, around)
    place = TogetherPlace(
        **_asker(compiler, ask, statement.name, statement.span),
        site=statement.site,
        types=[part.bind.type for part in statement.parts],
        parts=parts,
        of_items=parts[0].of_items,
        such_that=compiler.expressions.read(statement.such_that) if statement.such_that is not None else None,
        optional=False,
        sight=compiler.program.sight,
        players=compiler.expressions.read(statement.players),
        each=each,
        waiting=compiler.slot(f"{statement.name} waiting", rules.Many(rules.Player())),
        kept=kept,
        settled=settled,
        then=then,
    )
    _place(compiler, place)
    compiler.program.code[entry] = place.begin
    _settling(compiler, place, settled, statement.span)


def _always(value: Any) -> Callable[[Memory], Any]:
    return lambda m: value
