"""Nothing hidden shows: positions that differ only in what a player cannot see must be the same to that player.

From a position *twins* are made for each player. Either two components of a kind change places that differ in what is
printed on them, where the player cannot tell which is which; or one thing that the player does not see gets another
value: a variable, a face, a changing field. What is compared, between a position and its twin:

- the view;
- whether the player is asked, and then the number of options and their texts: a choice among face-down chips `where
  number > 3` is one option or none, depending on a number that nobody sees;
- the line the player is told of an answer, as long as the positions after it look the same to the player. This is
  compared for different answers at one position, too: which card is drawn face down may not be told.

What may differ:

- what comes after an answer. Rules may act on what nobody sees, and what they turn up, move, count or say by that is
  then seen by all. But where an answer has just shown more, the twins are made anew from what is seen by then;
- what others are asked and offered, and what chance can bring: they and the bank may know more;
- which of the steps of the rules comes next, as a twin stands where its position stands: a phase that begins because
  of a hidden number shows it, and is an effect of the rules. Not so with a choice that is not asked where it has no
  option: that there is an option is then shown by asking.

A twin may be a position that no game comes to: rules may have sorted by what is hidden, and a player may remember what
lies face down now. So a leak is proved by two games alone, which look the same to the player up to the end and differ
there: `with_games`. Where none is found, the two positions are all there is to show.

A *secret* that the author declares is compared in the same way, and stricter: each of its items changes places with one
that the others cannot see, and the views of all others must stay as they are.

*Nobody needs to see more*: the options of two positions that look the same to the player who decides must be the same,
whatever came before. Where they are not, the player has to remember something, or cannot know it at all.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import combinations, islice
from typing import Any

import attrs

from ..dsl import rules
from ..interpreter import Answer, Chance, Decision, Event, Reference, RulesFault, State, Table, TurnTaken
from ..interpreter.asking import ChoosePlace, TogetherPlace
from ..interpreter.exchange import Exchange, translated
from ..interpreter.outline import is_open
from ..interpreter.playing import is_decision
from ..interpreter.told import told
from ..interpreter.view import view
from .twins import Twin, Twins, spread

NOTHING_SHOWS = "nothing hidden shows"
SEES_ENOUGH = "nobody needs to see more"

MOST_ANSWERS = 8
"""Answers at a position that are tried; of more, so many spread evenly."""

MOST_TEXTS = 200
"""Options whose texts are compared."""

MOST_TRIES = 150
"""Games that are tried to find one that looks the same to a player."""

Told = Callable[[Decision | Chance, int | Answer, int], str]
"""The line that the player in a seat is told of an answer before it is played; empty where nothing is said."""


@attrs.frozen
class Leak:
    """Something that a player sees, is offered or is told depends on what the player cannot see."""

    name: str
    """The property that is refuted: a free one, or a secret's own."""
    seat: int
    """The player, from 0."""
    what: str
    """What differs, in words: `options of draw`, `view of hand of player 2`, `line told of throw`."""
    left: str
    right: str
    state: State
    twin: Twin
    of_view: bool = False
    """Whether it is the view that differs."""
    answer: int | Answer | None = None
    """What was answered where a line differs; None where something differs before any answer."""
    twin_answer: int | Answer | None = None
    games: tuple[tuple[int | Answer, ...], tuple[int | Answer, ...]] | None = None
    """The answers of two games that differ only in what was hidden; None where none were found."""

    def __str__(self) -> str:
        return f"{self.what} for player {self.seat + 1}: {self.left} | {self.right} ({self.twin.words})"


class Leaks:
    """Looks for leaks at the positions of one game."""

    def __init__(self, engine: Reference, line: Told | None = None) -> None:
        self.engine = engine
        all_open = is_open(engine.game)
        self.line: Told = line or (lambda request, answer, seat: told(request, answer, seat, all_open))
        self.twins = Twins(engine)
        self.known: dict[bytes, tuple[bytes, State]] = {}
        self.secrets = [(each, *self._reader(each)) for each in engine.game.secrets]

    def _reader(self, secret: rules.Secret) -> tuple[int, Callable[[Any], tuple[int, ...]]]:
        expressions = self.engine.program.expressions
        return expressions.slot(secret.me), expressions.read(secret.items)

    # ---- nothing hidden shows --------------------------------------------------------------------------

    def at(self, state: State) -> Iterator[Leak]:
        """What leaks at a position."""
        table = self.engine.table(state)
        request = table.request()
        for seat in range(self.engine.players):
            for twin in self.twins.of(state, seat):
                if (leak := self._compared(table, seat, state, twin)) is not None:
                    yield leak
            if request is not None and (leak := self._overheard(state, request, seat)) is not None:
                yield leak

    def _compared(self, table: Table, seat: int, state: State, twin: Twin) -> Leak | None:
        """What a player can tell a position from its twin by."""
        other, request = self.engine.table(twin.state), table.request()
        if (found := self.asked(request, other, seat)) is not None:
            return Leak(NOTHING_SHOWS, seat, *found, state, twin)
        try:
            if (found := _apart(view(table, seat), view(other, seat))) is not None:
                return Leak(NOTHING_SHOWS, seat, *found, state, twin, of_view=True)
            asked = other.request()
        except RulesFault:
            return None  # somebody else could not be asked there
        if request is None or asked is None:
            return None
        for answer in _answers(request):
            made = translated(request, asked, answer, twin.moved or {})
            if made is not None and (lines := self.heard(table, other, answer, made[0], seat)) is not None:
                what = f"line told of {request.name}"
                return Leak(NOTHING_SHOWS, seat, what, *lines, state, twin, answer=answer, twin_answer=made[0])
        return None

    def asked(self, request: Decision | Chance | None, other: Table, seat: int) -> tuple[str, str, str] | None:
        """How it differs what a player is asked."""
        mine = request if request is not None and is_decision(request) and request.owner == seat else None
        try:
            asked = other.request()
        except RulesFault as error:
            return None if mine is None else (f"options of {mine.name}", _options(mine)[0], error.message)
        theirs = asked if asked is not None and is_decision(asked) and asked.owner == seat else None
        if mine is None or theirs is None:
            said = ["nothing" if each is None else each.name for each in (mine, theirs)]
            return None if mine is theirs else (f"what player {seat + 1} is asked", said[0], said[1])
        for one, two in zip(_options(mine), _options(theirs), strict=False):
            if one != two:
                return f"options of {mine.name}", one, two
        return None

    def heard(
        self, table: Table, other: Table, answer: int | Answer, other_answer: int | Answer, seat: int
    ) -> tuple[str, str] | None:
        """The lines that tell a player two answers apart, after which all looks the same."""
        request, asked = table.request(), other.request()
        assert request is not None and asked is not None
        left, right = self.line(request, answer, seat), self.line(asked, other_answer, seat)
        if left == right:
            return None
        one, two = self.played(table.freeze(), answer), self.played(other.freeze(), other_answer)
        return (left, right) if one is not None and two is not None and self._alike(one, two, seat) else None

    def _overheard(self, state: State, request: Decision | Chance, seat: int) -> Leak | None:
        """A line that tells answers at one position apart, between which the player sees no difference."""
        if is_decision(request) and request.owner == seat:
            return None
        said = [(self.line(request, answer, seat), answer) for answer in _answers(request)]
        if len({line for line, _ in said}) < 2:
            return None
        then = [(line, answer, after) for line, answer in said if (after := self.played(state, answer)) is not None]
        for (left, answer, one), (right, other, two) in combinations(then, 2):
            if left != right and self._hidden_between(one, two) and self._alike(one, two, seat):
                what, twin = f"line told of {request.name}", Twin(state, "another answer", {})
                return Leak(NOTHING_SHOWS, seat, what, left, right, state, twin, answer=answer, twin_answer=other)
        return None

    def played(self, state: State, answer: int | Answer) -> State | None:
        """The next position; None where the rules go wrong."""
        try:
            return self.engine.play(state, answer)
        except RulesFault:
            return None

    def _alike(self, one: State, two: State, seat: int) -> bool:
        """Whether two positions look the same to a player."""
        try:
            return one.step == two.step and self.engine.view(one, seat) == self.engine.view(two, seat)
        except RulesFault:
            return False

    def _hidden_between(self, one: State, two: State) -> bool:
        """Whether positions that look the same differ in what lies on the table or in what rules keep to themselves."""
        return any(one.values[slot] != two.values[slot] for slot in self._kept_slots)

    @cached_property
    def _kept_slots(self) -> list[int]:
        """The slots in which there may be something that somebody does not see; where play stands is no such thing."""
        program = self.engine.program
        shown = set(program.shown)
        slots = [
            *range(program.lasting),
            *(s for s in program.expressions.locals.values() if s >= 0 and s not in shown),
        ]
        for place in program.places.values():
            if isinstance(place, TogetherPlace):
                slots += range(place.kept, place.kept + self.engine.players)
            elif isinstance(place, ChoosePlace):
                slots.append(place.kept)
        return slots

    # ---- nobody needs to see more ----------------------------------------------------------------------

    def recalled(self, state: State) -> Leak | None:
        """Whether the player who decides has met other options at a position that looked just like this one."""
        table = self.engine.table(state)
        request = table.request()
        if request is None or not is_decision(request):
            return None
        options = _options(request)
        known, before = self.known.setdefault(_digest(view(table, request.owner)), (_digest(options), state))
        if known == _digest(options):
            return None
        twin = Twin(before, "an earlier position that looked the same", None)
        said = " | ".join(options), " | ".join(_options(self.engine.pending(before)))  # type: ignore[arg-type]  # as seen
        return Leak(SEES_ENOUGH, request.owner, f"options of {request.name}", *said, state, twin)

    # ---- secrets ---------------------------------------------------------------------------------------

    def shown(self, state: State, lifted: Iterable[str] = ()) -> Iterator[Leak]:
        """What of the declared secrets is shown at a position; `lifted` are the names of those that are no more."""
        table = self.engine.table(state)
        for secret, slot, items in self.secrets:
            if secret.name in lifted:
                continue
            for me in range(self.engine.players):
                table.m[slot] = me
                mine = items(table.m)
                for seat in range(self.engine.players):
                    if seat != me and (leak := self._exposed(table, state, secret.name, mine, seat)):
                        yield leak

    def _exposed(self, table: Table, state: State, name: str, mine: tuple[int, ...], seat: int) -> Leak | None:
        seen = view(table, seat)
        for item in mine:
            for twin in self.twins.otherwise(state, item, mine, seat):
                try:
                    found = _apart(seen, self.engine.view(twin.state, seat))
                except RulesFault:
                    continue
                if found is not None:
                    return Leak(name, seat, *found, state, twin, of_view=True)
        return None

    def lifted(self, phases: Sequence[str], events: Iterable[Event]) -> set[str]:
        """The names of the secrets that last no longer: a pass has begun of the phase up to which they were to last.

        `phases` are those around what is asked now, `events` what has happened on the way to it.
        """
        begun = {*phases, *(event.phase for event in events if isinstance(event, TurnTaken))}
        return {secret.name for secret, _, _ in self.secrets if secret.until in begun}

    # ---- two games -------------------------------------------------------------------------------------

    def with_games(self, leak: Leak, answers: Sequence[int | Answer]) -> Leak:
        """The leak with two games that show it, given the answers that led to its position; itself where none is found.

        The second game is the first with the items exchanged from the start; else the first with one answer changed
        that is not the player's own. Up to the end both look the same to the player. Only where it is the view that
        differs, it may have done so before.
        """
        if leak.twin.state == leak.state and leak.answer is not None and leak.twin_answer is not None:
            return attrs.evolve(leak, games=((*answers, leak.answer), (*answers, leak.twin_answer)))
        games = _Games(self, leak, tuple(answers))
        other = games.exchanged() or games.altered()
        return leak if other is None else attrs.evolve(leak, games=other)

    def of_game(self, answers: Sequence[int | Answer]) -> Iterator[Leak]:
        """What leaks at the positions of a game, each with the games that show it."""
        for number in range(len(answers) + 1):
            yield from self.after(answers[:number])

    def after(self, answers: Sequence[int | Answer]) -> Iterator[Leak]:
        """What leaks where a game is after these answers, each with the games that show it."""
        table = self.engine.table()
        lifted = self.lifted(table.phases, table.events)
        for answer in answers:
            table.answer(answer)
            lifted |= self.lifted(table.phases, table.events)
        state = table.freeze()
        for leak in (*self.at(state), *self.shown(state, lifted)):
            yield self.with_games(leak, answers)
        if (again := self.recalled(state)) is not None:
            yield again


Same = Callable[[Table, Table, int | Answer, int | Answer], bool]
"""Whether two games are still the same to somebody, before these answers."""


def twin_game(engine: Reference, answers: Sequence[int | Answer], a: int, b: int) -> tuple[int | Answer, ...] | None:
    """The answers of the game in which two items have changed places from the start; None where there is none."""
    given = _along(engine.table(), engine.table(), answers, {a: b, b: a}, lambda *_: True)
    return None if given is None else given[0]


def _along(
    table: Table, other: Table, answers: Sequence[int | Answer], moved: Exchange, same: Same
) -> tuple[tuple[int | Answer, ...], Exchange] | None:
    """Play a game on at one table, and at the other the same with items exchanged: its answers, and what is exchanged
    at the end. None where the rules ask for something else, or where it is no longer the same."""
    given: list[int | Answer] = []
    try:
        for answer in answers:
            request, asked = table.request(), other.request()
            if request is None or asked is None or table.freeze().step != other.freeze().step:
                return None
            made = translated(request, asked, answer, moved)
            if made is None or not same(table, other, answer, made[0]):
                return None
            given.append(made[0])
            moved = made[1]
            table.answer(answer)
            other.answer(made[0])
    except RulesFault:
        return None
    return tuple(given), moved


Games = tuple[tuple[int | Answer, ...], tuple[int | Answer, ...]]


@attrs.frozen
class _Games:
    """Looks for a second game that shows a leak."""

    leaks: Leaks
    leak: Leak
    answers: tuple[int | Answer, ...]

    def exchanged(self) -> Games | None:
        """The game with the items exchanged from the start."""
        if self.leak.twin.moved is None:
            return None
        engine = self.leaks.engine
        return self._shown(engine.table(), engine.table(), self.answers, (), self.leak.twin.moved)

    def altered(self) -> Games | None:
        """The game with another answer somewhere, late ones first."""
        engine, states = self.leaks.engine, self._states()
        tries = 0
        for number in range(len(self.answers) - 1, -1, -1):
            request = engine.pending(states[number])
            if request is None or (is_decision(request) and request.owner == self.leak.seat):
                continue
            for answer in _answers(request):
                if answer == self.answers[number]:
                    continue
                tries += 1
                if tries > MOST_TRIES:
                    return None
                changed = self.leaks.played(states[number], answer)
                if changed is not None:
                    table, other = engine.table(states[number + 1]), engine.table(changed)
                    before = (*self.answers[:number], answer)
                    if (games := self._shown(table, other, self.answers[number + 1 :], before, {})) is not None:
                        return games
        return None

    def _states(self) -> list[State]:
        table = self.leaks.engine.table()
        states = [table.freeze()]
        for answer in self.answers:
            table.answer(answer)
            states.append(table.freeze())
        return states

    def _shown(
        self,
        table: Table,
        other: Table,
        answers: Sequence[int | Answer],
        before: tuple[int | Answer, ...],
        moved: Exchange,
    ) -> Games | None:
        """Both games, if they look the same to the player up to the end, and there what was found differs."""
        along = _along(table, other, answers, moved, self._same)
        if along is None:
            return None
        given, moved = (*before, *along[0]), along[1]
        try:
            if self.leak.answer is None:
                return (self.answers, given) if self._differs(table, other) else None
            return self._told_apart(table, other, given, moved)
        except RulesFault:
            return None

    def _same(self, table: Table, other: Table, answer: int | Answer, other_answer: int | Answer) -> bool:
        request, asked, seat, line = table.request(), other.request(), self.leak.seat, self.leaks.line
        if self.leak.of_view:
            return True
        assert request is not None and asked is not None
        return view(table, seat) == view(other, seat) and line(request, answer, seat) == line(asked, other_answer, seat)

    def _differs(self, table: Table, other: Table) -> bool:
        seat = self.leak.seat
        if self.leak.of_view:
            return _apart(view(table, seat), view(other, seat)) is not None
        if self.leaks.asked(table.request(), other, seat) is None:
            return False
        try:
            return _apart(_on_the_table(view(table, seat)), _on_the_table(view(other, seat))) is None
        except RulesFault:
            return True  # nothing can be chosen there

    def _told_apart(self, table: Table, other: Table, given: tuple[int | Answer, ...], moved: Exchange) -> Games | None:
        request, asked, answer = table.request(), other.request(), self.leak.answer
        if request is None or asked is None or answer is None:
            return None
        made = translated(request, asked, answer, moved)
        if made is None or not self.leaks.heard(table, other, answer, made[0], self.leak.seat):
            return None
        return (*self.answers, answer), (*given, made[0])


# ---- what is compared ----------------------------------------------------------------------------------


def _answers(request: Decision | Chance) -> Sequence[int | Answer]:
    """Some answers to a request."""
    if is_decision(request):
        return spread(range(len(request)), MOST_ANSWERS)
    outcomes = islice(request.outcomes(), 10 * MOST_ANSWERS)  # type: ignore[union-attr]  # Python 3.11 knows no TypeIs
    return spread([answer for answer, _ in outcomes], MOST_ANSWERS)


def _options(decision: Decision) -> list[str]:
    """How many options there are, and their texts."""
    count = len(decision)
    return [f"{count} option{'s' * (count != 1)}", *(decision.text(number) for number in range(min(count, MOST_TEXTS)))]


def _on_the_table(seen: dict[str, Any]) -> dict[str, Any]:
    """A view without what is asked."""
    return {name: part for name, part in seen.items() if name not in ("asked", "phases")}


def _apart(one: Any, two: Any, path: tuple[str, ...] = ()) -> tuple[str, str, str] | None:
    """Where two views differ first, and how."""
    if one == two:
        return None
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        for name in one:
            if (found := _apart(one[name], two[name], (*path, name))) is not None:
                return found
    if path == ("players",):
        for seat, (left, right) in enumerate(zip(one, two, strict=True), start=1):
            if (found := _apart(left, right, (f"player {seat}",))) is not None:
                return found
    return f"view of {' '.join(path)}", json.dumps(one), json.dumps(two)


def _digest(value: Any) -> bytes:
    return blake2b(json.dumps(value).encode(), digest_size=16).digest()
