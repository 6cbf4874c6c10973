"""Values in words, and the way back: options and outcomes as text, and lines of text as options and outcomes."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..dsl import rules
from .closures import Memory
from .layout import Layout
from .sight import SeenField, Sight

UNSEEN = "?"
NOTHING = "nothing"
"""The empty set."""
DECLINE = "none"


def value_text(type_: rules.Type, value: Any) -> str:
    """A number, a member, a player, yes or no, or none."""
    if value is None:
        return "none"
    match type_:
        case rules.Maybe(of):
            return value_text(of, value)
        case rules.Member(_, names):
            return str(names[value])
        case rules.YesNo():
            return "yes" if value else "no"
        case rules.Player():
            return f"player {value + 1}"
    return str(value)


def plain(text: str) -> str:
    """A text for comparison: one space between words, `player(2)` as `player 2`."""
    return " ".join(text.replace("(", " ").replace(")", " ").split())


Readings = Sequence[str]
"""The texts that may stand for one thing: the one it is given, then others that say more or less than needed."""


def begins(written: str, text: str) -> bool:
    """Whether a text begins with these words; unseen fields may be left out."""
    wanted, words = plain(written).split(), plain(text).split()
    seen = [word for word in words if word != UNSEEN]
    return bool(wanted) and wanted in (words[: len(wanted)], seen[: len(wanted)])


def meant(written: str, things: Sequence[Readings]) -> list[int]:
    """The numbers of the things that may be meant: those that read exactly like this, else those that begin so."""
    for fits in (_is_text, _is_reading, _begins_so):
        if found := [number for number, readings in enumerate(things) if fits(written, readings)]:
            return found
    return []


def _is_text(written: str, readings: Readings) -> bool:
    return plain(written) == plain(readings[0])


def _is_reading(written: str, readings: Readings) -> bool:
    return any(plain(written) == plain(text) for text in readings)


def _begins_so(written: str, readings: Readings) -> bool:
    return any(begins(written, text) for text in readings)


def spread(
    written: Sequence[str], groups: Sequence[tuple[Readings, int]], pools: Sequence[tuple[range, int]] = ()
) -> list[int] | None:
    """How many items of each group are meant by texts in any order; None where they do not fit.

    `groups` are readings with how many there are; `pools` say for groups next to each other how many are taken.
    """
    things = [readings for readings, _ in groups]
    # Those with the fewest ways first: a short text takes what is left.
    waiting = sorted([meant(text, things) for text in written], key=len)
    counts = [0] * len(groups)
    return counts if _spread(waiting, 0, counts, [size for _, size in groups], pools) else None


def _spread(
    waiting: list[list[int]], number: int, counts: list[int], sizes: list[int], pools: Sequence[tuple[range, int]]
) -> bool:
    """Whether the texts from `number` on find a group each; `counts` then says which."""
    if number == len(waiting):
        return all(sum(counts[group] for group in pool) == taken for pool, taken in pools)
    for group in waiting[number]:
        full = any(group in pool and sum(counts[each] for each in pool) >= taken for pool, taken in pools)
        if counts[group] < sizes[group] and not full:
            counts[group] += 1
            if _spread(waiting, number + 1, counts, sizes, pools):
                return True
            counts[group] -= 1
    return False


def listed(texts: Iterable[str]) -> str:
    """Texts between commas."""
    return ", ".join(texts)


def _told_apart(texts: list[str], words: list[str]) -> list[str]:
    """Texts with more words, where texts are the same and the words are not."""
    seen: dict[str, set[str]] = {}
    for text, more in zip(texts, words, strict=True):
        seen.setdefault(text, set()).add(more)
    return [f"{text} {more}".rstrip() if len(seen[text]) > 1 else text for text, more in zip(texts, words, strict=True)]


class Words:
    """Items of one layout in words."""

    def __init__(self, layout: Layout, sight: Sight) -> None:
        self.layout = layout
        self.sight = sight
        self._fields = {name: self._label(rule.rule) for name, rule in layout.kinds.items()}

    def _label(self, rule: rules.Kind) -> list[SeenField]:
        fields = {field.name: field for field in self.sight.looks[rule.name].fields}
        names = rule.label or [field.name for field in rule.fields if field.value is None]
        if rule.faces is not None and not rule.label:
            names = [*names, rule.faces.name]
        return [fields[name] for name in names if rule.label or self._varies(rule, name)]

    def _varies(self, rule: rules.Kind, name: str) -> bool:
        """Whether a field helps to tell items apart: `copy: 1..1` says nothing."""
        kind = self.layout.kinds[rule.name]
        if all(name != field.name for field in rule.fields):
            return True
        return len(set(self.layout.fixed[name][kind.first : kind.end])) > 1

    def item(self, m: Memory, item: int, seat: int | None = None, face: bool = True) -> str:
        """An item as a seat sees it; without one, everything in the open. `face`: with what it shows."""
        zone = self.sight.expressions.lies_in(m, item)
        if not self.sight.into(zone, seat):
            return UNSEEN
        rule = self.layout.kind_of[item].rule
        texts = []
        for field in self._fields[rule.name]:
            if not face and rule.faces is not None and field.name == rule.faces.name:
                continue
            if not self.sight.field(m, item, field, zone, seat):
                texts.append(UNSEEN)
            elif (value := field.read(m, item)) is not None:
                texts.append(value_text(field.type, value))
        return " ".join(texts) or (rule.name if face else "")

    def items(self, m: Memory, items: Sequence[int], seat: int | None) -> list[str]:
        """Items that look different to a seat, each by a text of its own: with more words where need be."""
        return [readings[0] for readings in self.readings(m, items, seat)]

    def readings(self, m: Memory, items: Sequence[int], seat: int | None) -> list[Readings]:
        """The same with all texts that may stand for an item: with and without words about where it lies."""
        plainly = texts = [self.item(m, item, seat) for item in items]
        for more in (self._part, self._zone, self._place, self._kind):
            if len(set(texts)) < len(texts):
                texts = _told_apart(texts, [more(m, item, seat) for item in items])
        if len(set(texts)) < len(texts):
            for number in range(max(len(self.sight.look(item).fields) for item in items)):
                texts = _told_apart(texts, [self._field(m, item, seat, number) for item in items])
        parts = [self._part(m, item, seat) or self._zone(m, item, seat) for item in items]
        said = [f"{text} {part}" for text, part in zip(plainly, parts, strict=True)]
        return list(zip(texts, plainly, said, strict=True))

    def _part(self, m: Memory, item: int, seat: int | None) -> str:
        rule, _, indexes = self.layout.zone_at[self.sight.expressions.lies_in(m, item)]
        return " ".join(value_text(domain.type, index) for domain, index in zip(rule.shape, indexes, strict=True))

    def _zone(self, m: Memory, item: int, seat: int | None) -> str:
        rule, owner, _ = self.layout.zone_at[self.sight.expressions.lies_in(m, item)]
        return rule.name if owner is None else f"{rule.name} of player {owner + 1}"

    def _place(self, m: Memory, item: int, seat: int | None) -> str:
        place = self.sight.place(m, item, self.sight.expressions.lies_in(m, item))
        return "" if place < 0 else f"place {place + 1}"

    def _kind(self, m: Memory, item: int, seat: int | None) -> str:
        return self.layout.kind_of[item].rule.name

    def _field(self, m: Memory, item: int, seat: int | None, number: int) -> str:
        """An item's field of this number with its name, if the seat sees it."""
        zone = self.sight.expressions.lies_in(m, item)
        fields = self.sight.look(item).fields
        if number >= len(fields) or not self.sight.into(zone, seat):
            return ""
        field = fields[number]
        seen = self.sight.field(m, item, field, zone, seat)
        return f"{field.name} {value_text(field.type, field.read(m, item)) if seen else UNSEEN}"

    def face(self, item: int, face: Any) -> str:
        """A face of an item."""
        faces = self.layout.kind_of[item].rule.faces
        assert faces is not None
        return value_text(faces.type, face)
