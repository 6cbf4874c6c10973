"""Positions in which everybody has moved on by some seats: the same game with other people in the seats.

Turned by 1, what player 1 had belongs to player 2, and so on round the table; components stay what they are, and where
a sheet moves on, its cells do.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..dsl import rules
from ..dsl.source import Span
from .asking import ChoosePlace, TogetherPlace
from .closures import Memory
from .decisions import LabelDecision, OneDecision, SetDecision
from .engine import IllegalAnswer, Result, RulesFault
from .layout import IN, Block, kinds_of
from .seats import Seats
from .state import State

if TYPE_CHECKING:
    from .keys import Keys
    from .program import Program
    from .reference import Reference
    from .table import Table

Renamed = dict[Any, Any]

MOST_ANSWERS = 2_000
"""Answers to one request that are compared."""

MOST_PLAYED = 4
"""Answers to one request that are played on from."""


class Rotation:
    """Turns the positions of one program."""

    def __init__(self, program: "Program") -> None:
        self.program = program
        self.players = program.layout.players
        self.seats = Seats(program.layout, program.expressions)
        self._seat = [_and_none(self._by_seat(by)) for by in range(self.players)]
        self._item = [_and_none(self._by_item(by)) for by in range(self.players)]
        self._place = [self._by_place(by) for by in range(self.players)]
        self._from = [itemgetter(*self._sources(by)) for by in range(self.players)]
        self._sort_slots()

    # ---- where things are after it -----------------------------------------------------------------------

    def _by_seat(self, by: int) -> Renamed:
        return {seat: (seat + by) % self.players for seat in range(self.players)}

    def _by_item(self, by: int) -> Renamed:
        layout = self.program.layout
        moved = {item: item for item in range(len(layout.kind_of))}
        for sheets in layout.sheets.values():
            if len(sheets) > 1:
                for seat, cells in enumerate(sheets):
                    moved |= zip(cells, sheets[(seat + by) % self.players], strict=True)
        return moved

    def _by_place(self, by: int) -> Renamed:
        zones = self.program.layout.zones.values()
        moved = {slot: slot for block in zones for slot in block.slots}
        return moved | {slot: to for block in zones for slot, to in self._block(block, by)}

    def _block(self, block: Block, by: int) -> Iterator[tuple[int, int]]:
        """For the slots of what each player has, the slots they become."""
        if block.seats > 1:
            for slot in range(block.base, block.base + block.seats * block.stride):
                seat, inside = divmod(slot - block.base, block.stride)
                yield slot, block.base + (seat + by) % self.players * block.stride + inside

    def _sources(self, by: int) -> list[int]:
        """For each slot the one whose value it gets."""
        layout, sources = self.program.layout, list(range(len(self.program.layout.names)))
        for block in [*layout.variables.values(), *layout.zones.values()]:
            for slot, to in self._block(block, by):
                sources[to] = slot
        for first in self._firsts:
            for seat in range(self.players):
                sources[first + (seat + by) % self.players] = first + seat
        for slots in layout.field_slots.values():
            for item, to in self._by_item(by).items():
                if slots[item]:
                    sources[slots[to]] = slots[item]
        return sources

    @cached_property
    def _firsts(self) -> list[int]:
        """The slots of the first seat, where the program has one for each."""
        places = self.program.places.values()
        return [
            *self.program.expressions.together.values(),
            *[place.kept for place in places if isinstance(place, TogetherPlace)],
        ]

    # ---- what stands in slots ----------------------------------------------------------------------------

    def _sort_slots(self) -> None:
        """Which slots hold players, cells, and what cannot be turned."""
        layout, expressions = self.program.layout, self.program.expressions
        loose = {expressions.locals[number] for number in self.seats.loose if number in expressions.locals}
        owned = {kind for kind in layout.sheets if layout.kinds[kind].rule.owned}
        self._ones: list[tuple[int, list[Renamed]]] = []
        self._several: list[tuple[int, list[Renamed], bool]] = []
        self._unsure: list[int] = []
        for place in self.program.places.values():
            if isinstance(place, TogetherPlace):
                self._unsure += range(place.kept, place.kept + self.players)
            elif isinstance(place, ChoosePlace):
                self._unsure.append(place.kept)
        for slot, type_ in enumerate(layout.types):
            inner: Any = type_
            while isinstance(inner, rules.Many | rules.Maybe):
                inner = inner.of
            cells = slot not in layout.zone_at and bool(owned & set(kinds_of(type_)))
            if isinstance(inner, rules.Player) or cells:
                renamed = self._item if cells else self._seat
                if isinstance(type_, rules.Many):
                    self._several.append((slot, renamed, slot == IN or slot in loose))
                else:
                    self._ones.append((slot, renamed))
            elif slot in loose:
                self._unsure.append(slot)
        shapes = [block.shape for block in [*layout.variables.values(), *layout.zones.values()]]
        self._possible = not any(isinstance(span.domain.type, rules.Player) for shape in shapes for span in shape)

    def memory(self, m: Memory, by: int) -> Memory | None:
        """A memory turned by so many seats; None where it is left unsaid what that is."""
        for slot in self._unsure:
            if m[slot]:
                return None
        layout = self.program.layout
        turned = [*self._from[by](m), *m[len(layout.names) :]]
        for slot, renamed in self._ones:
            turned[slot] = renamed[by][turned[slot]]
        for slot, several, in_order in self._several:
            if turned[slot]:
                to = several[by]
                values = [to[value] for value in turned[slot]]
                turned[slot] = tuple(sorted(values) if in_order else values)
        to, first = self._place[by], layout.places
        turned[first : first + layout.movable] = [to[zone] for zone in turned[first : first + layout.movable]]
        return turned

    def rotated(self, state: State, by: int) -> State | None:
        """A state turned by so many seats; None where it is left unsaid what that is."""
        if not self._possible:
            return None
        m = self.memory([*state.values, *[None] * self.program.layout.scratch], by % self.players)
        return None if m is None else State(state.step, tuple(m[: len(state.values)]))

    def result(self, result: Result, by: int) -> Result:
        """A result turned by so many seats."""
        scores, to = result.scores, self._seat[by]
        if scores is not None:
            scores = tuple([scores[seat - by] for seat in range(self.players)])
        return Result(scores, tuple(sorted(to[seat] for seat in result.winners)))

    # ---- by how much -------------------------------------------------------------------------------------

    def pivots(self, step: int, live: Callable[[str], bool]) -> list[int]:
        """The slots of players by whom positions at a step may be turned: the first that holds one counts.

        None in the setup, which may treat seats as it likes. `live` says which variables still matter.
        """
        program, layout = self.program, self.program.layout
        if not self._possible or self.of_setup(step):
            return []
        locals_ = sorted(program.expressions.locals[number] for number in program.control)
        return [slot for slot in locals_ if slot >= 0] + [
            layout.variables[rule.name].base
            for rule in layout.game.variables
            if isinstance(rule.domain.type, rules.Player) and not rule.owned and not rule.shape and live(rule.name)
        ]

    def of_setup(self, step: int) -> bool:
        """Whether a step that asks is one of the setup, or of an action that the setup uses."""
        return self.program.places[step].span in self._setup

    @cached_property
    def _setup(self) -> frozenset[Span]:
        return self.seats.setup()

    def value(self, type_: Any, value: Any, by: int) -> Any:
        """A value of a type that is no item, turned."""
        while isinstance(type_, rules.Many | rules.Maybe):
            type_ = type_.of
        if not isinstance(type_, rules.Player):
            return value
        return tuple([self._seat[by][each] for each in value]) if isinstance(value, tuple) else self._seat[by][value]

    def items(self, items: tuple[int, ...], by: int) -> tuple[int, ...]:
        """Items, turned."""
        return tuple([self._item[by][item] for item in items])


def _and_none(renamed: Renamed) -> Renamed:
    return {None: None, **renamed}


# ---- are seats alike? ----------------------------------------------------------------------------------


def alike(engine: "Reference", keys: "Keys", state: State) -> str | None:
    """What is wrong if turning a position and playing on is not the same as playing on and turning; else None.

    Positions of the setup are passed over: a game may be set up unevenly.
    """
    if state.step and keys.rotation.of_setup(state.step):
        return None
    for by in range(1, engine.players):
        other = keys.rotation.rotated(state, by)
        if other is not None and (wrong := _Alike(engine, keys, by).position(state, other)) is not None:
            return wrong
    return None


class _Alike:
    """Compares positions with the same positions turned."""

    def __init__(self, engine: "Reference", keys: "Keys", by: int) -> None:
        self.engine = engine
        self.keys = keys
        self.rotation = keys.rotation
        self.by = by
        self.told = f"with everybody {by} {'seat' if by == 1 else 'seats'} further on"

    def position(self, state: State, other: State) -> str | None:
        """What is wrong with a position or one of the next, if anything."""
        one, two = self.engine.table(state), self.engine.table(other)
        asked, again = _asked(one), _asked(two)
        if isinstance(asked, RulesFault) or isinstance(again, RulesFault):
            same = isinstance(asked, RulesFault) and isinstance(again, RulesFault)
            return None if same else f"{self.told}, {_fault(asked, again).message}"
        if asked is None:
            return self._ends(one, two)
        owner = getattr(asked, "owner", None)
        if owner is not None and again.owner != (owner + self.by) % self.engine.players:
            return f"{self.told}, player {again.owner + 1} decides {asked.name} and not player " + str(
                (owner + self.by) % self.engine.players + 1
            )
        mine, theirs = dict(self._answers(asked, self.by)), dict(self._answers(again, 0))
        if Counter({key: odds for key, (_, odds) in mine.items()}) != Counter(
            {key: odds for key, (_, odds) in theirs.items()}
        ):
            return f"{self.told}, other answers can be given to {asked.name}"
        for key in [*mine][:: max(1, len(mine) // MOST_PLAYED)]:
            if (wrong := self._played(state, other, mine[key][0], theirs[key][0])) is not None:
                return f"{self.told}, {wrong} after `{asked.text(mine[key][0])}`"
        return None

    def _ends(self, one: "Table", two: "Table") -> str | None:
        due = self.rotation.result(one.result(), self.by)
        return None if two.result() == due else f"{self.told}, the result is {two.result()} and not {due}"

    def _answers(self, request: Any, by: int) -> Iterator[tuple[Any, tuple[Any, Any]]]:
        """What can be answered: what that means, turned, with the answer itself and its chance."""
        if not hasattr(request, "owner"):
            values = getattr(request, "values", None)
            for answer, odds in islice(request.outcomes(), MOST_ANSWERS):
                yield self._outcome(request, answer, by, values is not None), (answer, odds)
            return
        count = len(request)
        if count > MOST_ANSWERS:
            yield count, (0, None)
            return
        for number in range(count):
            yield self._option(request, number, by), (number, None)

    def _outcome(self, request: Any, answer: Any, by: int, picked: bool) -> Any:
        if hasattr(request, "items"):
            return frozenset(zip(self.rotation.items(request.items, by), answer, strict=True))
        place = request.happening
        if picked and not place.of_items:
            return self.rotation.value(place.types[0], answer[0], by)
        return self.rotation.items(answer, by)

    def _option(self, request: Any, number: int, by: int) -> Any:
        if request.declines(number):
            return None
        types = request.asking.types
        match request:
            case LabelDecision():
                return request.option(number)
            case OneDecision():
                return tuple(
                    [
                        frozenset(self.rotation.items(element[1], by))
                        if isinstance(element, tuple)
                        else self.rotation.value(type_, element, by)
                        for type_, element in zip(types, request.rows[number], strict=True)
                    ]
                )
            case SetDecision():
                chosen = zip(request.groups, request.sets[number], strict=True)
                if request.asking.of_items:
                    return frozenset((frozenset(self.rotation.items(items, by)), n) for (_, items), n in chosen if n)
                return frozenset(self.rotation.value(types[0], items[0], by) for (_, items), n in chosen if n)
        raise AssertionError(f"no decision: {request}")

    def _played(self, state: State, other: State, answer: Any, again: Any) -> str | None:
        one, two = self.engine.table(state), self.engine.table(other)
        mine, theirs = _answered(one, answer), _answered(two, again)
        if mine is not None or theirs is not None:
            same = mine is not None and theirs is not None
            return None if same else f"there is a fault once and not always ({_fault(mine, theirs).message})"
        after, then = one.freeze(), two.freeze()
        turned = self.rotation.rotated(after, self.by)
        if turned is None:
            return None
        if not after.step and not then.step:
            return self._ends(one, two)
        if self.engine.table(turned).key(self.keys) != two.key(self.keys):
            return "play comes to another position"
        return None


def _asked(table: "Table") -> Any:
    """What is asked, or the fault."""
    try:
        return table.request()
    except RulesFault as error:
        return error


def _answered(table: "Table", answer: Any) -> RulesFault | None:
    """The fault that an answer leads to."""
    try:
        table.answer(answer)
        table.request()
    except RulesFault as error:
        return error
    except IllegalAnswer as error:
        raise AssertionError(f"an answer that was offered is refused: {error}") from error
    return None


def _fault(*either: Any) -> RulesFault:
    return next(error for error in either if isinstance(error, RulesFault))
