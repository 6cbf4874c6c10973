"""Decisions of `greedy`: every option is played up to the next request, and its player's score is read there.

Play stops at such a decision (`interrupts`), so that nothing but the state has to be put back after a trial. While
something is merely tried it counts for nothing: `unit`, by which figures grow, is 0 then. A fault of a trial is no
trap: it is thrown, and caught where the option was taken. A limit of machine code alone is a trap there too, for then
it is not known what the option is worth.
"""

from typing import TYPE_CHECKING

from ..agents import MOST_TRIED
from . import moments
from .code import (
    NOTHING,
    WORD,
    Label,
    Op,
    add,
    address,
    at,
    block,
    both,
    call,
    compare,
    copy,
    do,
    either,
    jump,
    jump_if,
    load,
    loop,
    mul,
    num,
    store,
    sub,
    when,
)
from .flow import Block, Branch, Function, Return
from .happenings import below
from .interrupts import CHANCES, DECISIONS, GREEDY, Interrupts
from .listings import Size
from .memory import NOTED

if TYPE_CHECKING:
    from .lowering import Lowering


class Trying:
    """All there is to trying options, in one game."""

    def __init__(self, low: "Lowering", script: Interrupts) -> None:
        self.low = low
        self.script = script
        self.before = low.memory.spare("before a trial")
        self.options = low.memory.room("options tried", 8 + 8 * MOST_TRIED)
        """A number below all options, and the options from the lowest on."""
        low.flow.throws = True

    @property
    def merely(self) -> Op:
        """Whether what is played is merely tried."""
        return compare("is", self.low.read("unit"), num(0))

    def stops(self, owner: Op, options: Op) -> Op:
        """What play has to stop at to stop at a decision."""
        greedy = [compare("is", owner, num(seat)) for seat, agent in enumerate(self.low.seated) if agent == "greedy"]
        several = both(compare(">", options, num(1)), either(*greedy))
        return Op("select", (at(DECISIONS | GREEDY), at(DECISIONS), several), None, "t")

    def failing(self, failing: Function) -> Function:
        """The function for faults, which are thrown where something is merely tried."""
        f = self.low.flow.function("fault or failed trial", failing.parameters)
        with self.low.inside(f):
            told = call(failing, *[f.parameter(place).get for place in range(len(failing.parameters))])
            return f.fill(told, when(self.merely, Op("throw")))

    def end(self, otherwise: Block) -> None:
        """A trial is over here, before it is worked out what can be chosen; otherwise play goes on."""
        low, over = self.low, Block("tried")
        low.end(Branch(self.merely, over, otherwise))
        low.begin(over)
        low.emit(store(at(0), at(1), self.script.stopped, 4))
        low.end(Return(at(0) if low.f.result else NOTHING))

    def play(self, play: Function) -> Op:
        """Plays a game to its end."""
        again, stopped = Label(), load(at(0), self.script.stopped, 4, "t")
        going = self._going(play)
        best = call(self._best(going))
        on = loop(again, call(going, best, num(GREEDY)), jump_if(again, stopped))
        return do(self.script.stop_at(num(GREEDY), False), call(play), when(stopped, on))

    def _going(self, play: Function) -> Function:
        """The function that takes an option and plays on."""
        f = self.low.flow.function("take_option", ("n", "n"))
        with self.low.inside(f):
            option, stops = f.parameter(0).get, f.parameter(1).get
            script = do(store(at(0), option, self.script.digits), store(at(0), num(1), self.script.length))
            return f.fill(script, self.script.go_on(stops), call(play))

    def _best(self, going: Function) -> Function:
        """The function that gives the option right after which the score is highest, of equals any."""
        low, points = self.low, self.script.points
        f = low.flow.function("best_option", (), "n")
        with low.inside(f):
            seat, count, tried, place, option = f.local(), f.local(), f.local(), f.local(), f.local()
            score, best, equal, skipped, again = f.local(), f.local(), f.local(), Label(), Label()
            kept = {name: f.local() for name in ("turns", "unit")}
            noted = f.local()
            state, size = at(low.memory.state), at(Size(low.memory.state))
            result = self._result()
            put_back = do(
                copy(state, at(self.before), size),
                *[low.write(name, local.get) for name, local in kept.items()],
                store(at(0), noted.get, NOTED),
            )
            has_score = low.game.score is not None
            of_seat = mul(address(seat.get), at(8))
            worth = load(of_seat, moments.scores_room(low)) if has_score else num(0)
            better = either(compare("is", equal.get, num(0)), compare(">", score.get, best.get))
            trial = do(
                put_back,
                low.write("unit", num(0)),
                option.set(self._option(place.get)),
                block(
                    skipped,
                    Op("try", (do(call(going, option.get, num(CHANCES)), call(result)),), skipped),
                    score.set(worth),
                    when(better, do(best.set(score.get), equal.set(num(0)))),
                    when(
                        compare("is", score.get, best.get),
                        do(equal.set(add(equal.get, num(1))), self._put(equal.get, option.get)),
                    ),
                ),
                place.set(add(place.get, num(1))),
                jump_if(again, compare("<=", place.get, tried.get)),
            )
            any_best = self._option(add(below(low, equal.get), num(1)))
            return f.fill(
                seat.set(points.owner.read()),
                count.set(points.options.read()),
                copy(at(self.before), state, size),
                *[local.set(low.read(name)) for name, local in kept.items()],
                noted.set(load(at(0), NOTED)),
                tried.set(call(self._gather(), count.get)),
                place.set(num(1)),
                equal.set(num(0)),
                loop(again, trial),
                put_back,
                Op("if", (compare("is", equal.get, num(0)), num(0), any_best), None, "n"),
            )

    def _result(self) -> Function:
        """The function that works out scores, and who would win."""
        low = self.low
        f = low.flow.function("result")
        with low.inside(f):
            return f.fill(moments.scoring(low), moments.winning(low))

    def _option(self, place: Op) -> Op:
        return load(mul(address(place), at(8)), self.options)

    def _put(self, place: Op, option: Op) -> Op:
        return store(mul(address(place), at(8)), option, self.options)

    def _gather(self) -> Function:
        """The function that writes down the options to try, of so many, and gives how many they are."""
        low = self.low
        f = low.flow.function("options_to_try", ("n",), "n")
        with low.inside(f):
            count, tried, draws = f.parameter(0).get, f.local(), f.local()
            drawn, place, each, all_, down, found = f.local(), f.local(), Label(), Label(), Label(), Label()
            whole = loop(
                all_,
                self._put(add(tried.get, num(1)), tried.get),
                tried.set(add(tried.get, num(1))),
                jump_if(all_, compare("<", tried.get, count)),
            )
            here = add(at(self.options), mul(address(place.get), at(8)))
            beyond = address(mul(sub(tried.get, place.get), num(8)))
            new = do(
                copy(add(here, at(16)), add(here, at(8)), beyond),
                self._put(add(place.get, num(1)), drawn.get),
                tried.set(add(tried.get, num(1))),
            )
            some = loop(
                each,
                drawn.set(below(low, count, WORD)),
                place.set(tried.get),
                block(
                    found,
                    loop(
                        down,
                        jump_if(found, compare("<=", self._option(place.get), drawn.get)),
                        place.set(sub(place.get, num(1))),
                        jump(down),
                    ),
                ),
                when(compare("is not", self._option(place.get), drawn.get), new),
                draws.set(add(draws.get, num(1))),
                jump_if(each, compare("<", draws.get, num(MOST_TRIED))),
            )
            return f.fill(
                store(at(0), num(-1), self.options),
                tried.set(num(0)),
                draws.set(num(0)),
                when(compare(">", count, num(MOST_TRIED)), some, whole),
                tried.get,
            )
