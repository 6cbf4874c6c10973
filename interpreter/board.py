"""A view in few words: a row for each zone, sheet and variable, and what changed between two views.

Made from views alone, so it can say nothing that a seat may not know.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from ..dsl import rules

Data = Any
"""Plain data out of a view."""

EMPTY = "–"

MANY = 4
"""So many equal ones are said once."""


@attrs.frozen
class Row:
    """What is seen of one thing: the words for each of its parts."""

    name: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    """The part's name (empty where there is only one), and the words in it."""

    def lines(self) -> list[str]:
        """A line for each part; parts that hold a word at most share one, without those that are as most are."""
        named = [(name, in_words(words)) for name, words in self.parts]
        if len(named) == 1 or any(len(words) > 1 for _, words in self.parts):
            return [f"{name}: {words}" if name else words for name, words in named]
        usual, count = Counter(words for _, words in named).most_common(1)[0]
        if count < MANY:
            return [", ".join(f"{name}: {words}" for name, words in named)]
        others = ", ".join(f"{name}: {words}" for name, words in named if words != usual)
        return [f"{usual} everywhere" if not others else f"{others}, elsewhere {usual}"]


@attrs.frozen
class Board:
    """A view, put into words: the rows of the table, and those of each player."""

    table: tuple[Row, ...]
    players: tuple[tuple[Row, ...], ...]
    still_in: frozenset[int]
    """Seats from 1."""


def in_words(words: Sequence[str]) -> str:
    """Words in a row, equal ones counted."""
    return ", ".join(_counted(word, count) for word, count in Counter(words).items()) or EMPTY


def _counted(word: str, count: int) -> str:
    return f"{count} × {word}" if count > 1 else word


def board(game: rules.Game, view: Mapping[str, Data]) -> Board:
    """A view in words."""
    return Board(
        table=tuple(_rows(game, view["table"])),
        players=tuple(tuple(_rows(game, part)) for part in view["players"]),
        still_in=frozenset(view["still_in"]),
    )


def changes(before: Board, after: Board) -> Iterator[str]:
    """What is not as before, a line each."""
    yield from _changes("", before.table, after.table)
    for seat, (old, new) in enumerate(zip(before.players, after.players, strict=True), start=1):
        yield from _changes(f"seat {seat} ", old, new)
    for seat in sorted(before.still_in - after.still_in):
        yield f"seat {seat} is out"


def _changes(whose: str, before: Sequence[Row], after: Sequence[Row]) -> Iterator[str]:
    for old, new in zip(before, after, strict=True):
        for (name, was), (_, now) in zip(old.parts, new.parts, strict=True):
            if was == now:
                continue
            what = f"{whose}{new.name}{f' {name}' if name else ''}"
            lost, got = Counter(was) - Counter(now), Counter(now) - Counter(was)
            if len(was) <= 1 and len(now) <= 1 or len(lost) + len(got) > 8:
                yield f"{what}: {in_words(was)} → {in_words(now)}"
            elif lost or got:
                signs = [f"- {_counted(word, count)}" for word, count in lost.items()]
                signs += [f"+ {_counted(word, count)}" for word, count in got.items()]
                yield f"{what}: {'  '.join(signs)}"


def _rows(game: rules.Game, part: Mapping[str, Data]) -> Iterator[Row]:
    zones = {zone.name: zone for zone in game.zones}
    kinds = {kind.name: kind for kind in game.kinds}
    for name, value in part.items():
        held = [kinds[kind] for kind in (zones[name].kinds if name in zones else (name,)) if kind in kinds]
        yield Row(name, tuple(_parts(value, held, "")))


def _parts(value: Data, held: Sequence[rules.Kind], name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    if isinstance(value, dict) and not _is_leaf(value, held):
        for index, inside in value.items():
            yield from _parts(inside, held, f"{name} {index}".strip())
    else:
        yield name, tuple(_words(value, held))


def _is_leaf(value: Mapping[str, Data], held: Sequence[rules.Kind]) -> bool:
    """Whether this is one zone or item, and not an array of them."""
    if not held:
        return False
    return set(value) <= {"count"} or set(value) == {"from_bottom", "unknown"}


def _words(value: Data, held: Sequence[rules.Kind]) -> Iterator[str]:
    match value:
        case {"count": int(count)} if held:
            if count:
                yield f"{count} unseen"
        case {"from_bottom": laid, "unknown": unknown} if held:
            for item in laid:
                yield "?" if item is None else item_words(item, held)
            if unknown:
                yield f"(in some order: {in_words([item_words(item, held) for item in unknown])})"
        case list():
            for item in value:
                yield item_words(item, held)
        case None:
            pass
        case bool():
            yield "yes" if value else "no"
        case _:
            yield str(value)


def item_words(item: Mapping[str, Data], held: Sequence[rules.Kind]) -> str:
    """An item in few words: what it is marked with, without what follows from that."""
    kind = next((one for one in held if item.get("component", held[0].name) == one.name), None)
    if kind is None:
        return " ".join(_field(name, value) for name, value in item.items() if value not in (None, False)) or "?"
    plain = [field.name for field in kind.fields if field.value is None]
    derived = {field.name for field in kind.fields if field.value is not None}
    if plain and not any(name in item for name in plain):
        derived = set()  # nothing else tells what it is
    changing = {field.name: field for field in kind.changing}
    varying = [name for name in plain if _varies(kind, name)]
    words = [
        _field(name, value)
        for name, value in item.items()
        if value is not None
        and value is not False
        and name not in derived
        and name not in changing
        and (name in varying or name not in plain)
    ]
    marks = [
        name if value is True else f"{name} {value}"
        for name, value in item.items()
        if name in changing and value not in (None, False) and not _as_at_first(changing[name], value)
    ]
    text = " ".join(words) or ("?" if plain and not any(name in item for name in plain) else kind.name)
    return f"{text} ({', '.join(marks)})" if marks else text


def _as_at_first(field: rules.Changing, value: Data) -> bool:
    return isinstance(field.initial, rules.Constant) and field.initial.value == value


def _varies(kind: rules.Kind, name: str) -> bool:
    """Whether a field tells items of a kind apart."""
    index = [field.name for field in kind.fields if field.value is None].index(name)
    if kind.rows is not None:
        return len({row.values[index] for row in kind.rows}) > 1
    domain = kind.fields[[field.name for field in kind.fields].index(name)].domain
    return not (isinstance(domain.type, rules.Number) and domain.type.low == domain.type.high)


def _field(name: str, value: Data) -> str:
    if value is True:
        return name
    return str(value) if not isinstance(value, dict) else "…"
