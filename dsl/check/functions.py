"""The functions of the language, one by one: what each takes and gives."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import rules, syntax
from ..problems import MissingPart, OutOfRange, WrongArguments, WrongType
from . import types
from .types import COUNT, NUMBER, PLAYER, YES_NO, bare, element, number, unknown, unknowns

if TYPE_CHECKING:
    from .expressions import Expressions
    from .names import Scope

_Function = Callable[["Expressions", syntax.Call, "Scope", rules.Type | None], rules.Expr]
_MOST = 99
_WORDS = ("no", "one", "two", "three", "four", "five", "six")


def _word(number: int) -> str:
    return _WORDS[number] if number < len(_WORDS) else str(number)


def counted(values: int) -> str:
    """A number of values in words: `two values`."""
    return f"{_word(values)} value{'s' * (values != 1)}"


def are(values: int) -> str:
    """How many values stand somewhere: `are two`."""
    return "is none" if not values else "is one" if values == 1 else f"are {_word(values)}"


def call(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    """A function's value."""
    name, given = node.name.text, len(node.arguments)
    least, most, function = _TABLE[name]
    if not least <= given <= most:
        need = counted(least) if least == most else f"{_word(least)} or {counted(most)}"
        need = f"at least {counted(least)}" if most == _MOST else need
        lower.ground.report(WrongArguments(node.span, f"`{name}` takes {need} in its brackets, here {are(given)}"))
        return unknown(node.span)
    return function(lower, node, scope, want)


# ---- lists of values -------------------------------------------------------------------------------------


def _values(
    lower: "Expressions", node: syntax.Argument, scope: "Scope", what: str, kind: rules.Type = NUMBER
) -> rules.Expr:
    """A list of values of a type, `none` ruled out."""
    source = lower.many(node, scope, what)
    of = element(source)
    if not types.fits(of, kind):
        wanted = types.spoken(rules.Many(kind))
        hint = None
        if isinstance(of, rules.Item | rules.Player) and kind == NUMBER:
            hint = f"Say what of each: `{node.span.text}.NAME`, or `count({node.span.text})` for how many they are."
        fact = f"{what} must be {wanted}, this is {types.spoken(source.type)}"
        lower.ground.report(WrongType(node.span, fact, hint))
        return unknowns(node.span)
    if isinstance(of, rules.Maybe):
        each = lower.ground.local("it", of, node.span)
        sure = rules.Something(each, type=of.of, span=node.span)
        return rules.Mapped(source, each, sure, type=rules.Many(of.of), span=node.span)
    return source


def _count(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    source = lower.many(node.arguments[0], scope, "what is counted")
    kind = COUNT
    if isinstance(source, rules.Players):
        low, high = lower.ground.players
        kind = rules.Number(low if scope.fixed or source.everyone else 0, high)
    return rules.Aggregate("count", source, type=kind, span=node.span)


def _sum(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    source = _values(lower, node.arguments[0], scope, "what is added up")
    of = element(source)
    kind = types.added_up(of) if isinstance(of, rules.Number) else NUMBER
    return rules.Aggregate("sum", source, type=kind, span=node.span)


def _max(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    name = node.name.text
    if len(node.arguments) > 1:
        values = tuple(lower.number(a, scope, f"each value of `{name}`") for a in node.arguments)
        ends = [v.type for v in values if isinstance(v.type, rules.Number)]
        choose = max if name == "max" else min
        kind = rules.Number(choose(e.low for e in ends), choose(e.high for e in ends)) if ends else NUMBER
        return rules.Greatest(values, name == "max", type=kind, span=node.span)
    argument = node.arguments[0]
    default: rules.Expr | None = None
    if isinstance(argument, syntax.Defaulted):
        default = lower.number(argument.default, scope, "what stands after `default`")
        argument = argument.value
    source = _values(lower, argument, scope, f"the values of `{name}`")
    of = element(source)
    joined = types.joined(of, default.type) if default is not None else of
    return rules.Aggregate(name, source, default, type=joined or NUMBER, span=node.span)  # type: ignore[arg-type]


def _any(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    source = lower.many(node.arguments[0], scope, "what is looked for")
    return rules.Aggregate("any", source, type=YES_NO, span=node.span)


def _all(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    source = _values(lower, node.arguments[0], scope, "what `all` asks", YES_NO)
    return rules.Aggregate("all", source, type=YES_NO, span=node.span)


def _distinct(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    source = lower.many(node.arguments[0], scope, "what `distinct` looks at")
    return rules.Aggregate("distinct", source, type=source.type, span=node.span)


# ---- elements --------------------------------------------------------------------------------------------


def _highest(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    argument, name = node.arguments[0], node.name.text
    if not isinstance(argument, syntax.Keyed):
        one = "max" if name == "highest" else "min"
        hint = f"Write `{name}(players by points)`; the {name} number of a list is `{one}(…)`."
        fact = f"`{name}` needs `by` and what they are compared by"
        lower.ground.report(WrongArguments(node.span, fact, hint))
        return unknowns(node.span)
    source = lower.many(argument.source, scope, "what is compared")
    each = lower.ground.local("it", element(source), argument.span)
    key = lower.number(argument.key, scope.inside(each), "what stands after `by`")
    return rules.Extreme(source, each, key, name == "highest", type=source.type, span=node.span)


def _swapped(lower: "Expressions", node: syntax.Call, scope: "Scope") -> tuple[rules.Expr, bool]:
    """How many of something, which comes first in the brackets; whether it stands there at all."""
    count = lower.lower(node.arguments[0], scope)
    if isinstance(count.type, rules.Many):
        hint = f"Write `{node.name.text}(3, {count.span.text})`."
        fact = f"in the brackets of `{node.name.text}` how many comes first, then of what"
        lower.ground.report(WrongArguments(node.span, fact, hint))
        return count, True
    return lower.fit(count, NUMBER, "how many"), False


def _largest(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    count, wrong = _swapped(lower, node, scope)
    if wrong:
        return unknowns(node.span)
    source = _values(lower, node.arguments[1], scope, f"the values of `{node.name.text}`")
    return rules.Ranked(count, source, node.name.text == "largest", type=source.type, span=node.span)


def _first(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    count, wrong = _swapped(lower, node, scope)
    if wrong:
        return unknowns(node.span)
    source = lower.many(node.arguments[1], scope, "what the first are taken from", want)
    return rules.FirstOf(count, source, type=source.type, span=node.span)


def _the(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    source = lower.many(node.arguments[0], scope, "what `the` finds", rules.Many(want) if want else None)
    return rules.Only(source, type=element(source), span=node.span)


# ---- players ---------------------------------------------------------------------------------------------


def _next(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    player = lower.player(node.arguments[0], scope, f"the first value of `{node.name.text}`")
    steps: rules.Expr = number(1, node.span)
    if len(node.arguments) > 1:
        steps = lower.number(node.arguments[1], scope, "the number of seats")
    if node.name.text == "previous":
        steps = lower.arithmetic("-", number(0, node.span), steps, node.span)
    return rules.Neighbour(player, steps, type=PLAYER, span=node.span)


def _seat(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    player = lower.player(node.arguments[0], scope, "the value of `seat`")
    return rules.SeatOf(player, type=rules.Number(1, lower.ground.players[1]), span=node.span)


def _player(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    seat = lower.number(node.arguments[0], scope, "a seat")
    lower.in_range(seat, rules.Number(1, lower.ground.players[1]), "a seat")
    return rules.PlayerAt(seat, type=PLAYER, span=node.span)


def _team(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    player = lower.player(node.arguments[0], scope, "the value of `team`")
    if lower.ground.teams is None:
        lower.ground.report(MissingPart(node.span, "the game has no teams", "Add a line such as `teams 2`."))
    return rules.TeamOf(player, type=rules.Number(1, lower.ground.teams or 1), span=node.span)


def _owner(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    return rules.OwnerOf(_item(lower, node, scope), type=PLAYER, span=node.span)


# ---- items and their places ------------------------------------------------------------------------------


def _item(lower: "Expressions", node: syntax.Call, scope: "Scope") -> rules.Expr:
    what = f"the value of `{node.name.text}`"
    value = lower.lower(node.arguments[0], scope)
    if isinstance(bare(value.type), rules.Item):
        return lower.fit(value, bare(value.type), what)
    fact = f"{what} must be a component, this is {types.spoken(value.type)}"
    hint = "Name one of them: `the(…)` for the only one." if isinstance(value.type, rules.Many) else None
    lower.ground.report(WrongType(value.span, fact, hint))
    return unknown(node.span)


def _place(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    return rules.PlaceOf(_item(lower, node, scope), type=rules.Number(1, types.WIDEST), span=node.span)


def _top(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    name = node.name.text
    zone = lower.lower(node.arguments[0], scope)
    place: rules.Expr | None = number(1, node.span) if name == "bottom" else None
    if name == "at":
        place = lower.number(node.arguments[1], scope, "the position")
        if isinstance(place.type, rules.Number) and place.type.high < 1:
            lower.ground.report(OutOfRange(place.span, "positions are counted from 1, the bottom"))
    if not isinstance(zone, rules.ZoneItems):
        if types.known(zone.type):
            fact = f"the value of `{name}` must be a stacked zone, this is {types.spoken(zone.type)}"
            lower.ground.report(WrongType(zone.span, fact))
        return unknown(node.span)
    declared = lower.ground.zones.get(zone.name)
    place_ = "positions" if name == "at" else name
    if declared is None or not declared.stacked:
        hint = f"Add `stacked` to the zone `{zone.name}`." if declared and not declared.sheet else None
        lower.ground.report(WrongType(zone.span, f"`{zone.name}` has no order, so no {place_}", hint))
        return unknown(node.span)
    if zone.indexes is None:
        fact, hint = f"`{zone.name}` has several parts", f"Say which part: `{zone.name}[…]`."
        lower.ground.report(WrongType(zone.span, fact, hint))
        return unknown(node.span)
    return rules.ItemAt(zone, place, type=element(zone), span=node.span)


def _abs(lower: "Expressions", node: syntax.Call, scope: "Scope", want: rules.Type | None) -> rules.Expr:
    value = lower.number(node.arguments[0], scope, "the value of `abs`")
    kind = value.type
    if isinstance(kind, rules.Number):
        least = 0 if kind.low <= 0 <= kind.high else min(abs(kind.low), abs(kind.high))
        kind = types.clamped(least, max(abs(kind.low), abs(kind.high)))
    return rules.Absolute(value, type=kind, span=node.span)


_TABLE: dict[str, tuple[int, int, _Function]] = {
    "count": (1, 1, _count), "sum": (1, 1, _sum), "max": (1, _MOST, _max), "min": (1, _MOST, _max), "any": (1, 1, _any),
    "all": (1, 1, _all), "distinct": (1, 1, _distinct), "highest": (1, 1, _highest), "lowest": (1, 1, _highest),
    "largest": (2, 2, _largest), "smallest": (2, 2, _largest), "first": (2, 2, _first), "the": (1, 1, _the),
    "next": (1, 2, _next), "previous": (1, 2, _next), "seat": (1, 1, _seat), "player": (1, 1, _player),
    "team": (1, 1, _team), "owner": (1, 1, _owner), "place": (1, 1, _place), "top": (1, 1, _top),
    "bottom": (1, 1, _top), "at": (2, 2, _top), "abs": (1, 1, _abs),
}  # fmt: skip
FUNCTIONS = frozenset(_TABLE)
"""The functions' names."""
