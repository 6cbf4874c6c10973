"""Each law can fail: engines that break one are found out by that one; sound ones break none."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import attrs
import pytest

from regelwerk.dsl import load, load_text, rules
from regelwerk.interpreter import Answer, Event, IllegalAnswer, Reference, Result, State, Stream, Table
from regelwerk.interpreter.chance import ThrowEvent
from regelwerk.interpreter.decisions import LabelDecision
from regelwerk.interpreter.records import record_text
from regelwerk.verify import laws

Breaches = set[tuple[str, str]]


def played(made: Reference, count: int = 30) -> tuple[list[int | Answer], list[State]]:
    """A random game: its answers and its positions."""
    table, draws, answers = made.table(), Stream(1, 0), list[int | Answer]()
    states = [table.freeze()]
    while (request := table.request()) is not None and len(answers) < count:
        asked: Any = request
        answer = draws.below(len(asked)) if hasattr(asked, "owner") else asked.sample(draws)
        answers.append(answer)
        table.answer(answer)
        states.append(table.freeze())
    return answers, states


def broken(made: Reference, states: Sequence[State]) -> Breaches:
    """What does not hold at positions."""
    return {found for state in states for found in laws.check_position(made, state)}


def names(found: Breaches) -> set[str]:
    """The properties alone."""
    return {name for name, _ in found}


@cache
def game() -> rules.Game:
    """A small game."""
    return load("classics/pig_to_20").game


def pig(kind: type[Reference] = Reference) -> Reference:
    """An engine of a kind for it."""
    return kind(game(), 2)


@cache
def positions() -> list[State]:
    """Positions of that game, to its end."""
    return played(pig(), 500)[1]


@pytest.mark.parametrize(
    "name", ["classics/pig_to_20", "classics/kuhn_poker", "chipbanditen/quick", "tests/games/coins"]
)
def test_sound(name: str) -> None:
    """A sound engine breaks no law, nor does a sound ruleset."""
    ruleset = load(name)
    made = Reference(ruleset.game, 2)
    answers, states = played(made, 60)

    assert set() == broken(made, states[::3] + states[-1:])
    assert [] == list(laws.check_game(made, answers))
    assert [] == list(laws.check_game(made, answers[:5]))
    assert [] == list(laws.check_text(ruleset))


# ---- engines that are wrong ----------------------------------------------------------------------------


class Forgetful(Reference):
    """Plays the same answer differently every other time."""

    turn = 0

    def step(self, state: State, answer: int | Answer) -> tuple[State, tuple[Event, ...]]:
        """The next position, now and then with another number in it."""
        self.turn += 1
        after, events = super().step(state, answer)
        return State(after.step, (*after.values[:-1], self.turn)), events


class OtherTables(Reference):
    """Its tables play on differently than it does itself."""

    def step(self, state: State, answer: int | Answer) -> tuple[State, tuple[Event, ...]]:
        """The next position, without what has happened."""
        return super().step(state, answer)[0], ()


class Restless(Reference):
    """Whoever looks changes something."""

    def result(self, state: State) -> Result:
        """Scores, with one more point at each look."""
        self.looks = getattr(self, "looks", 0) + 1
        return Result((self.looks, 0), ())


class Misread(Reference):
    """Reads a position that it has written down as another one."""

    def from_text(self, text: str) -> State:
        """The first position, whatever is written."""
        return self.start()


class Unread(Reference):
    """Cannot read what it writes."""

    def from_text(self, text: str) -> State:
        """None at all."""
        raise ValueError("nothing is called that")


class Hasty(Reference):
    """Takes any number for an option."""

    def step(self, state: State, answer: int | Answer) -> tuple[State, tuple[Event, ...]]:
        """The next position; after an answer that there is not, the first option's."""
        try:
            return super().step(state, answer)
        except IllegalAnswer:
            return super().step(state, 0)


class Deaf(Reference):
    """Refuses the first option."""

    def step(self, state: State, answer: int | Answer) -> tuple[State, tuple[Event, ...]]:
        """The next position."""
        if answer == 0:
            raise IllegalAnswer("no")
        return super().step(state, answer)


@pytest.mark.parametrize(
    ("kind", "law"),
    [
        (Forgetful, laws.SAME_GAME),
        (OtherTables, laws.SAME_GAME),
        (Restless, laws.LOOKING),
        (Misread, laws.WRITTEN),
        (Unread, laws.WRITTEN),
        (Hasty, laws.ANSWERS_AGREE),
        (Deaf, laws.ANSWERS_AGREE),
    ],
)
def test_wrong_engines(kind: type[Reference], law: str) -> None:
    """An engine that breaks a law is found out."""
    assert law in names(broken(pig(kind), positions()))


class Touching(Table):
    """A table that changes whenever it is asked."""

    def request(self) -> Any:
        """What is asked; and the first player gets a point."""
        self.m[self.engine.program.layout.variables["points"].base] += 1
        return super().request()


class Touchy(Reference):
    """An engine with such tables."""

    def table(self, state: State | None = None) -> Table:
        """Such a table."""
        return Touching(self, state)


class Moving(Reference):
    """Plays on in the position itself."""

    over = False

    def step(self, state: State, answer: int | Answer) -> tuple[State, tuple[Event, ...]]:
        """The next position."""
        self.over = True
        return super().step(state, answer)

    def to_text(self, state: State) -> str:
        """A position, or what has become of it."""
        return super().to_text(self.start() if self.over else state)


def test_positions_that_change() -> None:
    """A table that a question changes, and positions that playing on changes."""
    assert laws.LOOKING in names(broken(pig(Touchy), positions()[:3]))
    assert laws.EARLIER in names(broken(pig(Moving), positions()[3:4]))


# ---- requests that are wrong ---------------------------------------------------------------------------


def test_options_that_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two options with one text."""
    monkeypatch.setattr(LabelDecision, "text", lambda self, number: "hold")

    assert laws.ANSWERS_AGREE in names(broken(pig(), positions()[:2]))


def test_options_that_are_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that gives another option back."""
    monkeypatch.setattr(LabelDecision, "find", lambda self, items: 0)

    assert laws.ANSWERS_AGREE in names(broken(pig(), positions()[:4]))


def thrown(monkeypatch: pytest.MonkeyPatch, outcomes: list[tuple[Answer, Fraction]]) -> Breaches:
    """What is found where a throw has these outcomes."""
    made = pig()
    states = [state for state in positions() if isinstance(made.pending(state), ThrowEvent)]
    monkeypatch.setattr(ThrowEvent, "outcomes", lambda self: iter(outcomes))
    return broken(made, states[:1])


SIXTH = Fraction(1, 6)


@pytest.mark.parametrize(
    ("outcomes", "law"),
    [
        ([((face,), SIXTH) for face in range(1, 6)], laws.CHANCES_ADD_UP),
        ([((1,), Fraction(0)), *[((face,), Fraction(1, 5)) for face in range(2, 7)]], laws.CHANCES_ADD_UP),
        ([((1,), SIXTH), *[((face,), SIXTH) for face in range(1, 6)]], laws.CHANCES_ADD_UP),
        ([*[((face,), SIXTH) for face in range(1, 6)], ((7,), SIXTH)], laws.ANSWERS_AGREE),
        ([((1,), Fraction(1))], laws.ANSWERS_AGREE),
    ],
)
def test_chances(monkeypatch: pytest.MonkeyPatch, outcomes: list[tuple[Answer, Fraction]], law: str) -> None:
    """Chances that do not add up, that are none, outcomes listed twice, that are refused or that are left out."""
    assert law in names(thrown(monkeypatch, outcomes))


# ---- players and winners -------------------------------------------------------------------------------


def test_players_who_are_out_decide() -> None:
    """A player who has been eliminated decides."""
    made = Reference(
        load_text(
            """
game "Out"
players 2
each player has:
    var points: 0..9 = 0
play:
    phase turn each player:
        eliminate player(2)
        choose by player(2) one from 1..3 as n
        points = n
score: points
winner: highest score
"""
        ).game
    )

    assert laws.STILL_IN in names(broken(made, [made.start()]))


@pytest.mark.parametrize(
    "result",
    [
        Result((1, 2), (1, 0)),
        Result((1, 2), (1, 1)),
        Result((1, 2), (2,)),
        Result((1,), (0,)),
        Result(None, (0,)),
    ],
)
def test_winners(monkeypatch: pytest.MonkeyPatch, result: Result) -> None:
    """Winners out of order, twice, who do not play; too few scores, none where there is a rule for them."""
    made = pig()
    monkeypatch.setattr(made.scoring, "result", lambda m: result)

    assert {laws.WINNERS} == names(broken(made, positions()[-1:]))


def test_winners_who_are_out() -> None:
    """Rules that let everybody win who has points, also those who are out; and a winner without a rule for it."""
    text = """
game "All win"
players 2
play:
    phase turn each player: eliminate player(2)
winner: everyone where seat(it) > 0
"""
    made = Reference(load_text(text).game)
    alone = Reference(attrs.evolve(made.game, winner=()))
    alone.scoring = made.scoring

    assert {laws.WINNERS} == names(broken(made, [made.start()]))
    assert {laws.WINNERS} == names(broken(alone, [alone.start()]))


class Endless(Table):
    """A table that takes an answer after the end."""

    def answer(self, answer: int | Answer) -> None:
        """Nothing happens."""


def test_answers_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that is over and goes on."""
    made, over = pig(), positions()[-1]
    monkeypatch.setattr(made, "table", lambda state=None: Endless(made, state))

    assert {laws.NOTHING_AFTER_THE_END} == names(broken(made, [over]))


# ---- records and texts ---------------------------------------------------------------------------------


def test_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that says something else than was played, and one of other options."""
    made = pig()
    answers, _ = played(made, 500)
    made.options = {**made.options, "target": 10}

    assert [laws.REPLAYS] == [name for name, _ in laws.check_game(made, answers)]

    monkeypatch.setattr(laws, "record_text", lambda record: record_text(record).replace("hold", "stay"))

    assert [(laws.REPLAYS, "the record read back is another")] == list(laws.check_game(pig(), answers))


def test_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A house style that changes what rules say, that does not settle, or that cannot be read."""
    ruleset = load("classics/pig")
    whole = ruleset.sources[0].text
    for spoilt in (whole.replace("100", "10"), "game", whole + "\n\n\n"):
        styles = iter([spoilt, whole])
        monkeypatch.setattr("regelwerk.dsl.format.format_text", lambda source, styles=styles: next(styles))

        assert [laws.FORMATTED] == [name for name, _ in laws.check_text(ruleset)]


def test_names_of_the_laws() -> None:
    """The laws are called as the language calls them."""
    called = {value for name, value in vars(laws).items() if name.isupper() and isinstance(value, str)}

    assert called <= set(rules.FREE)
    assert 11 == len(called)
