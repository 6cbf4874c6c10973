"""The places in a program that ask: decisions and events of chance, made when play comes there and answered.

A place has two sides: `request(memory)` says what is asked there, and only reads; `take(memory, request, answer)`
plays the answer and says which step follows. Where chance has only one outcome, `step` takes it without asking.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

import attrs

from ..dsl import rules
from ..dsl.source import Span
from .chance import Handful, HandfulEvent, PickEvent, ThrowEvent
from .closures import Memory, Read, fault
from .decisions import Counts, Group, LabelDecision, OneDecision, SetDecision, Sets
from .effects import reveal
from .engine import MOST_OPTIONS, MOST_SETS, Answer, Chance, Decision, IllegalAnswer
from .layout import ASKED
from .sight import Sight
from .words import Words

AN_OPTION = "every decision has an option"
"""The property that a decision refutes in which nothing can be chosen."""

Put = Callable[[Memory, tuple[int, ...]], None]


class Place(Protocol):
    """A place that asks."""

    name: str
    span: Span

    def request(self, m: Memory) -> Decision | Chance:
        """What is asked here. A decision without an option is a fault."""

    def take(self, m: Memory, request: Any, answer: Any) -> int:
        """Play the answer; the step that follows.

        Raises:
            IllegalAnswer: no option or outcome is called that; nothing has changed then.
        """


@attrs.define(eq=False, kw_only=True)
class Asker:
    """What all places have in common."""

    pc: int
    name: str
    span: Span
    words: Words
    path: Callable[[Memory, int], tuple[str, ...]]
    types: Sequence[Any] = ()
    of_items: bool = True
    labels: Sequence[tuple[str, str]] = ()
    site: int = -1

    def phases(self, m: Memory) -> tuple[str, ...]:
        """The phases around this place."""
        return self.path(m, self.pc)


def chosen(request: Any, answer: Any) -> int:
    """An option's number, if it is one."""
    if not isinstance(answer, int) or isinstance(answer, bool) or not 0 <= answer < len(request):
        raise IllegalAnswer(f"{request.name}: {answer!r} is no option; there are {len(request)}, numbered from 0")
    return answer


# ---- decisions -----------------------------------------------------------------------------------------


@attrs.define(eq=False, kw_only=True)
class LabelPlace(Asker):
    """A decision between labels."""

    owner: Read
    guards: Sequence[Read | None]
    targets: Sequence[int]
    open: Sequence[int] | None
    """The labels, where none has a guard."""

    def request(self, m: Memory) -> LabelDecision:
        """The labels whose guard holds."""
        if self.open is not None:
            return LabelDecision(self, m, self.owner(m), self.open)
        open = [number for number, guard in enumerate(self.guards) if guard is None or guard(m)]
        if not open:
            raise fault(f"nothing can be chosen for {self.name}", self.span, AN_OPTION)
        return LabelDecision(self, m, self.owner(m), open)

    def take(self, m: Memory, request: LabelDecision, answer: Any) -> int:
        """The label's own steps."""
        return self.targets[request.open[chosen(request, answer)]]


@attrs.define(eq=False, kw_only=True)
class PartPlan:
    """One thing to choose: from where, how many, and the slot of its local."""

    source: Read
    slot: int
    own: int | None
    """Where the choice of the first seat stands, for what players choose together."""
    of_items: bool
    one: bool
    low: Read
    high: Read | None

    def bind(self, m: Memory, value: Any, seat: int) -> None:
        """The local gets its value."""
        m[self.slot] = value
        if self.own is not None:
            m[self.own + seat] = value


@attrs.define(eq=False, kw_only=True)
class Choosing(Asker):
    """How the options of a choice come about, and how the one taken is bound.

    What was chosen, but is not settled yet, is kept as it looked: for each part left a value, or pairs of how items
    look and how many were taken. Which items these are is a matter of chance where they differ in something hidden.
    """

    parts: Sequence[PartPlan]
    such_that: Read | None
    optional: bool
    sight: Sight

    def decision(self, m: Memory, seat: int) -> OneDecision | SetDecision:
        """What a seat may choose."""
        made = self.options(m, seat)
        if not len(made):
            raise fault(f"nothing can be chosen for {self.name}", self.span, AN_OPTION)
        return made

    def options(self, m: Memory, seat: int) -> OneDecision | SetDecision:
        """What there is to choose, if anything."""
        part = self.parts[0]
        return self._ones(m, seat) if part.one else self._sets(m, seat, part)

    def _ones(self, m: Memory, seat: int) -> OneDecision:
        rows = list(islice(self._rows(m, seat, 0), MOST_OPTIONS + 1))
        if len(rows) > MOST_OPTIONS:
            raise fault(f"there are more than {MOST_OPTIONS:,} options for {self.name}", self.span)
        for part in self.parts:
            part.bind(m, None, seat)
        return OneDecision(self, m, seat, rows, self.optional)

    def _rows(self, m: Memory, seat: int, number: int) -> Iterator[tuple[Any, ...]]:
        """The elements for the parts from `number` on; what is chosen for the parts before is bound."""
        if number == len(self.parts):
            if self.such_that is None or self.such_that(m):
                yield ()
            return
        part, last = self.parts[number], number + 1 == len(self.parts) and self.such_that is None
        for element in self._elements(m, part, seat):
            if last:
                yield (element,)
                continue
            part.bind(m, element[1][0] if part.of_items else element, seat)
            for rest in self._rows(m, seat, number + 1):
                yield (element, *rest)

    def _elements(self, m: Memory, part: PartPlan, seat: int) -> Sequence[Any]:
        return self.sight.alike(m, part.source(m), seat) if part.of_items else tuple(dict.fromkeys(part.source(m)))

    def _sets(self, m: Memory, seat: int, part: PartPlan) -> SetDecision:
        groups = self._groups(m, seat, part)
        sizes = tuple([len(items) for _, items in groups])
        there = sum(sizes)
        high = there if part.high is None else min(part.high(m), there)
        sets = Sets(sizes, max(part.low(m), 0), high)
        if there > 61 and sets.count >= MOST_SETS:  # of fewer elements there are no more sets than 2^61
            raise fault(f"there are too many sets to choose from for {self.name}", self.span)
        found = SetDecision(self, m, seat, groups, sets, self.optional)
        if self.such_that is not None:
            found.sets = self._such(m, found, part, seat)
        return found

    def _groups(self, m: Memory, seat: int, part: PartPlan) -> list[Group]:
        """The items in groups that look alike; values stand each for itself."""
        if part.of_items:
            return self.sight.alike(m, part.source(m), seat)
        return [((), (value,)) for value in dict.fromkeys(part.source(m))]

    def _such(self, m: Memory, decision: SetDecision, part: PartPlan, seat: int) -> list[Counts]:
        """The sets for which the condition holds."""
        assert self.such_that is not None
        fit = []
        for counts in decision.sets:
            part.bind(m, decision.taken(counts), seat)
            if self.such_that(m):
                fit.append(counts)
        part.bind(m, None, seat)
        return fit

    # ---- what was chosen -------------------------------------------------------------------------------

    def unsettled(self, request: OneDecision | SetDecision, number: int) -> tuple[Any, ...]:
        """An option as it looked."""
        if isinstance(request, OneDecision):
            row = request.rows[number]
            return tuple([((e[0], 1),) if isinstance(e, tuple) else e for e in row])
        counts = request.sets[number]
        if not self.of_items:
            return (request.taken(counts),)
        return (tuple([(key, count) for (key, _), count in zip(request.groups, counts, strict=True) if count]),)

    def hides(self, m: Memory, request: OneDecision | SetDecision, number: int) -> bool:
        """Whether it is a matter of chance which items an option takes."""
        if isinstance(request, OneDecision):
            return any(isinstance(e, tuple) and self._mixed(m, e, 1) for e in request.rows[number])
        return any(map(self._mixed, [m] * len(request.groups), request.groups, request.sets[number]))

    def _mixed(self, m: Memory, group: Group, count: int) -> bool:
        key, items = group
        if not 0 < count < len(items) or (len(key) > 2 and self.sight.look(items[0]).plain):
            return False
        return not self.sight.same(m, items)

    def settle(self, m: Memory, seat: int, kept: int) -> bool:
        """Bind what was chosen, part by part, until the first that is a matter of chance; whether all is bound."""
        while m[kept]:
            part, chosen = self._next(m, kept)
            if not part.of_items:
                part.bind(m, chosen, seat)
            else:
                handfuls, sure = self._handfuls(m, part, chosen, seat)
                if handfuls:
                    return False
                part.bind(m, sure[0] if part.one else sure, seat)
            m[kept] = m[kept][1:]
        m[kept] = None
        return True

    def _next(self, m: Memory, kept: int) -> tuple[PartPlan, Any]:
        return self.parts[len(self.parts) - len(m[kept])], m[kept][0]

    def _handfuls(self, m: Memory, part: PartPlan, chosen: Any, seat: int) -> tuple[list[Handful], tuple[int, ...]]:
        """What is left to chance of a part, and the items that are certain."""
        groups = dict(self.sight.alike(m, part.source(m), seat))
        handfuls, sure = [], list[int]()
        for key, count in chosen:
            items = groups.get(key, ())
            if len(items) < count:
                raise fault(f"what can be chosen for {self.name} depends on what cannot be seen", self.span)
            handful = Handful(items, count, self.sight.apart(m, items))
            if handful.certain() or self.sight.same(m, items):
                sure += items[:count]
            else:
                handfuls.append(handful)
        return handfuls, tuple(sorted(sure))

    def event(self, m: Memory, seat: int, kept: int, place: "HiddenPick") -> HandfulEvent:
        """The items that a choice takes by chance."""
        part, chosen = self._next(m, kept)
        handfuls, sure = self._handfuls(m, part, chosen, seat)
        return HandfulEvent(place, m, handfuls, sure)

    def bind_next(self, m: Memory, seat: int, kept: int, items: Answer) -> None:
        """Bind the part whose items chance has given."""
        part, _ = self._next(m, kept)
        part.bind(m, items[0] if part.one else items, seat)
        m[kept] = m[kept][1:]


@attrs.define(eq=False, kw_only=True)
class ChoosePlace(Choosing):
    """A choice of one player."""

    owner: Read
    body: int
    otherwise: int
    kept: int
    settled: int
    """The step that binds what is a matter of chance."""

    def begin(self, m: Memory) -> int:
        """Ask if there is anything to choose."""
        decision = self.options(m, self.owner(m))
        if not len(decision):
            return self.otherwise
        m[ASKED] = decision
        return ~self.pc

    def request(self, m: Memory) -> OneDecision | SetDecision:
        """What the owner may choose."""
        return self.decision(m, self.owner(m))

    def take(self, m: Memory, request: OneDecision | SetDecision, answer: Any) -> int:
        """Bind what was chosen, or decline."""
        number = chosen(request, answer)
        if request.declines(number):
            return self.otherwise
        if self.hides(m, request, number):
            m[self.kept] = self.unsettled(request, number)
            return self.settled
        bound: Any = request.option(number)
        for part, value in zip(self.parts, bound if len(self.parts) > 1 else (bound,), strict=True):
            part.bind(m, value, request.owner)
        return self.body

    def step(self, m: Memory) -> int:
        """Settle what was chosen; ask chance where it has a say."""
        return self.body if self.settle(m, self.owner(m), self.kept) else ~self.settled


@attrs.define(eq=False, kw_only=True)
class TogetherPlace(Choosing):
    """A choice that several players make without seeing the others'."""

    players: Read
    each: int
    waiting: int
    """The slot of the players that have still to decide."""
    kept: int
    """What the first seat has chosen; the others' follow."""
    settled: int
    then: int

    def begin(self, m: Memory) -> int:
        """All players are to decide."""
        m[self.waiting] = tuple(sorted(self.players(m)))
        return self.next(m)

    def next(self, m: Memory) -> int:
        """Ask the next one, or show what all have chosen."""
        if not m[self.waiting]:
            m[self.waiting] = None
            return self.settled
        m[self.each] = m[self.waiting][0]
        return ~self.pc

    def request(self, m: Memory) -> OneDecision | SetDecision:
        """What the next player may choose."""
        return self.decision(m, m[self.each])

    def take(self, m: Memory, request: OneDecision | SetDecision, answer: Any) -> int:
        """Keep what was chosen secret."""
        m[self.kept + request.owner] = self.unsettled(request, chosen(request, answer))
        m[self.waiting] = m[self.waiting][1:]
        return self.next(m)

    def step(self, m: Memory) -> int:
        """Bind what all have chosen; ask chance where it has a say."""
        for seat in range(self.words.layout.players):
            if m[self.kept + seat] is not None:
                m[self.each] = seat
                if not self.settle(m, seat, self.kept + seat):
                    return ~self.settled
        m[self.each] = None
        return self.then


@attrs.define(eq=False, kw_only=True)
class HiddenPick(Asker):
    """Chance: which of the items that look alike a player has taken."""

    choice: ChoosePlace | TogetherPlace

    def _seat(self, m: Memory) -> tuple[int, int]:
        """Who has chosen, and the slot of what."""
        choice = self.choice
        if isinstance(choice, ChoosePlace):
            return choice.owner(m), choice.kept
        return m[choice.each], choice.kept + m[choice.each]

    def request(self, m: Memory) -> HandfulEvent:
        """The items it may be."""
        seat, kept = self._seat(m)
        return self.choice.event(m, seat, kept, self)

    def take(self, m: Memory, request: HandfulEvent, answer: Any) -> int:
        """Bind these items, and settle what is left."""
        request.check(answer)
        seat, kept = self._seat(m)
        self.choice.bind_next(m, seat, kept, answer)
        return self.choice.step(m)


# ---- chance --------------------------------------------------------------------------------------------


@attrs.define(eq=False, kw_only=True)
class ThrowPlace(Asker):
    """Items are thrown."""

    items: Read
    then: int
    sight: Sight
    slots: Sequence[int]
    sides: Sequence[int]
    """For each item how many different faces it has."""
    blind: bool
    """Whether the items are the same whatever they show."""

    def forget(self, m: Memory) -> None:
        """Let the items show their first face, where what they show now can matter no more."""
        if self.blind:
            for item in self.items(m):
                m[self.slots[item]] = self.words.layout.faces[item][0]

    def step(self, m: Memory) -> int:
        """Ask if any face is open."""
        items = self.items(m)
        sides = self.sides
        for item in items:
            if sides[item] != 1:
                return ~self.pc
        for item in items:
            m[self.slots[item]] = self.words.layout.faces[item][0]
        return self.then

    def request(self, m: Memory) -> ThrowEvent:
        """The ways the faces can fall."""
        items = self.items(m)
        if len(items) == 1:
            return ThrowEvent(self, m, items, [[0]])
        places = {item: place for place, item in enumerate(items)}
        groups = [[places[item] for item in group] for group in self.sight.apart(m, items, face=False)]
        return ThrowEvent(self, m, items, groups)

    def take(self, m: Memory, request: ThrowEvent, answer: Any) -> int:
        """Every item shows its face."""
        request.check(answer)
        slots = self.slots
        for item, face in zip(request.items, answer, strict=True):
            m[slots[item]] = face
        return self.then


@attrs.define(eq=False, kw_only=True)
class DrawPlace(Asker):
    """Items at random out of a set."""

    source: Read
    number: Callable[[Memory, int], int]
    """How many of so many."""
    in_order: bool
    one: bool
    put: Put | None
    bind: int | None
    then: int
    sight: Sight

    def step(self, m: Memory) -> int:
        """Ask if it is open which items come."""
        event = self.request(m)
        if not event.certain():
            m[ASKED] = event
            return ~self.pc
        return self.give(m, event.sole())

    def request(self, m: Memory) -> HandfulEvent:
        """The handfuls that can come."""
        items = self.source(m)
        number = self.wanted(m, len(items))
        handful = Handful(items, number, self.sight.apart(m, items))
        return HandfulEvent(self, m, [handful], (None,) * number if self.in_order else (), self.in_order)

    def wanted(self, m: Memory, there: int) -> int:
        """How many are drawn, with a fault if there are not so many."""
        number = self.number(m, there)
        if number < 0:
            raise fault(f"{number} items cannot be drawn", self.span)
        if number > there:
            raise fault(f"{number} are to be drawn, and there are only {there}", self.span)
        return number

    def take(self, m: Memory, request: HandfulEvent, answer: Any) -> int:
        """The items drawn go where they are to go."""
        request.check(answer)
        return self.give(m, answer)

    def give(self, m: Memory, items: tuple[int, ...]) -> int:
        """Items go where they are to go, and get their name."""
        if self.put is not None and items:
            self.put(m, items)
        if self.bind is not None:
            m[self.bind] = items[0] if self.one else tuple(sorted(items))
        return self.then


@attrs.define(eq=False, kw_only=True)
class TopPlace(DrawPlace):
    """Items from the top of a stacked zone, `source`: chance only where a shuffle has left it open what lies there."""

    zone: Callable[[Memory], int]

    def request(self, m: Memory) -> HandfulEvent:
        """The items that may lie on top."""
        zone = self.zone(m)
        items, unknown = m[zone], m[zone + 1]
        positions = self._top(m)
        known = tuple([None if p in unknown else items[p] for p in positions])
        pool = tuple([items[p] for p in unknown])
        handful = Handful(pool, known.count(None), self.sight.apart(m, pool))
        sure = known if self.in_order else tuple([item for item in known if item is not None])
        return HandfulEvent(self, m, [handful], sure, self.in_order)

    def _top(self, m: Memory) -> list[int]:
        there = len(m[self.zone(m)])
        return list(range(there - 1, there - 1 - self.wanted(m, there), -1))

    def give(self, m: Memory, items: tuple[int, ...]) -> int:
        """The items are known to lie on top, and go from there."""
        zone = self.zone(m)
        unknown = m[zone + 1]
        open_places = [p for p in self._top(m) if p in unknown]
        pool = {m[zone][p] for p in unknown}
        came = [item for item in items if item in pool]
        reveal(m, zone, list(zip(open_places, came, strict=True)))
        return super().give(m, items)


@attrs.define(eq=False, kw_only=True)
class PickPlace(Asker):
    """One value of a set."""

    source: Read
    each: int
    weight: Read | None
    bind: int
    then: int
    sight: Sight

    def step(self, m: Memory) -> int:
        """Ask if there is more than one."""
        event = self.request(m)
        if sum(1 for weight in event.weights if weight) > 1:
            m[ASKED] = event
            return ~self.pc
        return self.take(m, event, next(event.outcomes())[0])

    def request(self, m: Memory) -> PickEvent:
        """The values with their weights."""
        values = self.source(m)
        groups = self.sight.apart(m, values) if self.of_items else [[value] for value in dict.fromkeys(values)]
        first = [group[0] for group in groups]
        weights = [self._weight(m, group[0]) * len(group) for group in groups]
        total = sum(weights)
        if total > rules.MOST:
            raise fault("the weights are too large together", self.span)
        if not total:
            raise fault("there is nothing to pick from", self.span)
        return PickEvent(self, m, first, weights)

    def _weight(self, m: Memory, value: Any) -> int:
        if self.weight is None:
            return 1
        m[self.each] = value
        weight: int = self.weight(m)
        if weight < 0:
            raise fault(f"{weight} is no weight", self.span)
        return weight

    def take(self, m: Memory, request: PickEvent, answer: Any) -> int:
        """The local gets the value."""
        request.check(answer)
        m[self.bind] = answer[0]
        return self.then
