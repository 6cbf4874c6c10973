"""Playing step by step: the functions that begin a game and go on with it, request by request."""

from .code import Op, at, call, load, no, num, when
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
        begin.fill(script.stop_at(stops, False), call(low.flow.exports["playout"], seed, game), _said(low, script))
    low.flow.exports["resume"] = resume = low.flow.function("resume", ("n",))
    with low.inside(resume):
        resume.fill(script.go_on(resume.parameter(0).get), call(play), _said(low, script))


def _said(low: Lowering, script: Interrupts) -> Op:
    """Where play was not stopped, the game is over."""
    return when(no(load(at(0), script.stopped, 4, "t")), script.points.owner.write(num(OVER)))
