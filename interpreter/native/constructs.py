"""For each construct of the language the function that makes code of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...dsl import rules
from . import choices, happenings, items, sets, steps, values
from .code import Op
from .listings import Listing

if TYPE_CHECKING:
    from .lowering import Lowering

VALUES: dict[type[Any], Callable[["Lowering", Any], Op]] = {
    rules.Constant: values.constant,
    rules.OptionValue: values.option,
    rules.TableValue: values.table,
    rules.Local: values.local,
    rules.LocalOf: values.local_of,
    rules.VariableValue: values.variable,
    rules.FieldOf: items.field_of,
    rules.Aggregate: values.aggregate,
    rules.Greatest: values.greatest,
    rules.Only: values.only,
    rules.Arithmetic: values.arithmetic,
    rules.Absolute: values.absolute,
    rules.Compare: values.compare_,
    rules.Contains: values.contains,
    rules.Not: values.not_,
    rules.Both: values.both_,
    rules.Either: values.either_,
    rules.Conditional: values.conditional,
    rules.Neighbour: values.neighbour,
    rules.SeatOf: values.seat_of,
    rules.PlayerAt: values.player_at,
    rules.TeamOf: values.team_of,
    rules.OwnerOf: items.owner_of,
    rules.ItemAt: items.item_at,
    rules.PlaceOf: items.place_of,
    rules.Call: values.call_,
    rules.Something: values.something,
    rules.InRange: values.in_range,
}
"""How each expression that gives a single value is made."""

SETS: dict[type[Any], Callable[["Lowering", Any], Listing]] = {
    rules.Constant: sets.constant,
    rules.Local: sets.local,
    rules.LocalOf: sets.local_of,
    rules.ZoneItems: items.zone_items,
    rules.AllItems: sets.all_items,
    rules.Players: sets.players,
    rules.Others: sets.others,
    rules.Span_: sets.span,
    rules.Members: sets.members,
    rules.Filter: sets.filter,
    rules.Mapped: sets.mapped,
    rules.Aggregate: sets.distinct,
    rules.Extreme: sets.extreme,
    rules.Ranked: sets.ranked,
    rules.FirstOf: sets.first,
    rules.Union: sets.union,
    rules.Difference: sets.difference,
    rules.Conditional: sets.conditional,
    rules.Call: sets.call_,
}
"""How each expression that gives a set or list is made."""

BRIEF: dict[type[Any], Callable[["Lowering", Any], Op]] = {
    rules.Move: items.move,
    rules.Shuffle: items.shuffle,
    rules.Turn: items.turn,
    rules.Assign: steps.assign,
    rules.Let: steps.let_,
    rules.Do: steps.do_,
    rules.Eliminate: steps.eliminate,
    rules.EndGame: steps.end_game,
    rules.EndPass: lambda low, statement: steps.leap(low, statement.phase, "ended"),
    rules.Leave: lambda low, statement: steps.leap(low, statement.phase, "left"),
    rules.Again: lambda low, statement: steps.leap(low, statement.phase, "again"),
    rules.Break: steps.break_,
    rules.Pay: steps.pay,
    rules.If: steps.if_,
    rules.Match: steps.match,
    rules.For: steps.for_,
    rules.RepeatTimes: steps.repeat_times,
    rules.RepeatUntil: steps.repeat_until,
}
"""Statements in which nothing is asked, as code."""

STEPS: dict[type[Any], Callable[["Lowering", Any], None]] = {
    rules.Throw: happenings.throw,
    rules.Draw: happenings.draw,
    rules.Pick: happenings.pick,
    rules.Choose: choices.choose,
    rules.ChooseTogether: choices.choose_together,
    rules.ChooseLabel: choices.choose_label,
    rules.Phase: steps.phase,
    rules.If: steps.if_steps,
    rules.Match: steps.match_steps,
    rules.Do: steps.do_steps,
    rules.For: steps.for_steps,
    rules.RepeatTimes: steps.repeat_times_steps,
    rules.RepeatUntil: steps.repeat_until_steps,
}
"""Statements in which something may be asked, as blocks of the flow."""
