"""Playing step by step: the functions that begin a game and go on with it, request by request."""

from .code import Op, at, call, do, load, no, num, store, when
from .interrupts import OVER, Interrupts
from .lowering import Lowering


def stepping(low: Lowering, script: Interrupts) -> None:
    """Add what plays a game step by step to what the module exports."""
    play = low.flow.play
    assert play is not None
    low.flow.exports["advance"] = script.advance()
    low.flow.exports["begin"] = begin = low.flow.function("begin", ("n", "n", "n"))
    seed, game, stops = (begin.parameter(place).get for place in range(3))
    with low.inside(begin):
        begin.fill(_stops(script, stops, False), call(low.flow.exports["playout"], seed, game), _said(low, script))
    low.flow.exports["resume"] = resume = low.flow.function("resume", ("n",))
    with low.inside(resume):
        resume.fill(
            _stops(script, resume.parameter(0).get, True),
            script.read_from_start(),
            low.write("left", num(low.limits.steps)),
            low.write("idle", num(low.limits.steps)),
            call(play),
            _said(low, script),
        )


def _stops(script: Interrupts, stops: Op, resuming: bool) -> Op:
    return do(
        store(at(0), stops, script.stopping),
        store(at(0), at(int(resuming)), script.resuming, 4),
        store(at(0), at(0), script.stopped, 4),
    )


def _said(low: Lowering, script: Interrupts) -> Op:
    """Where play was not stopped, the game is over."""
    return when(no(load(at(0), script.stopped, 4, "t")), script.points.owner.write(num(OVER)))
