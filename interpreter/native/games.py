"""Whole games: the play from the setup to the end, one game from its seed, and many with their figures."""

from collections.abc import Sequence
from typing import Any

import attrs

from ...dsl import rules
from ..effects import leaps
from ..layout import Layout
from ..liveness import Liveness
from ..watch import Watch
from . import moments, steps
from .code import Label, Op, add, at, call, compare, do, load, loop, mul, num, plain, store
from .exploring import Exploration, Tracked, Tracking
from .flow import Block, Function, Local, Return
from .happenings import GAMMA, mixing, signed
from .interrupts import Interrupts
from .keying import keying
from .lowering import Limits, Lowering
from .memory import ALL_PAGES, DECISIONS, GAME, LOGGED, NOTED, TURNS
from .sight import fill_holding, fill_likes
from .stepping import stepping
from .tallies import ENTRIES, Tallies
from .watching import Watching


@attrs.frozen
class Explored:
    """What is wanted of a game that is explored."""

    liveness: Liveness
    tracks: tuple[Tracked, ...] = ()
    watch: Watch | None = None
    counted: tuple[str, ...] = ()
    """The phases whose passes are counted."""
    outcomes: tuple[int, int] = (20_000, 500)
    """Outcomes of one chance that are all looked at; and how many of more are, the first ones."""

    def watching(self, low: Lowering) -> Watching:
        """What is noted on the way."""
        return Watching(low, self.watch, self.counted)


def lower(
    layout: Layout,
    seated: Sequence[Any],
    limits: Limits,
    traced: bool = False,
    interrupted: bool = False,
    explored: Explored | None = None,
    nodes: int = 0,
) -> Lowering:
    """The flow of a game whose seats are played by these; `interrupted`: it can also be played step by step, and
    `explored`, position by position; with `nodes` it can be searched, with room for a tree of so many.

    Raises:
        Unexplorable: what is wanted of positions cannot be worked out inside.
    """
    watching = explored.watching if explored is not None else None
    low = Lowering(layout, seated, limits, traced, interrupted or explored is not None, watching, nodes)
    low.tallies = Tallies(low)
    play = _play(low)
    _game(low, play)
    batch = _batch(low)
    _late(low)
    low.flow.exports |= {"playout": _playout(low), "batch": batch}
    low.flow.play = play
    if low.interrupts is not None:
        low.flow.resuming = low.interrupts.is_resuming
        if low.trying is None:
            stepping(low, low.interrupts)
        if explored is not None:
            low.exploration = _exploration(low, low.interrupts, explored)
            low.memory.most_pages = ALL_PAGES
    if low.tree is not None:
        low.flow.exports |= low.tree.exports(play)
    low.flow.drivers = [low.made["game"]]
    for name in ("decisions", "turns"):
        low.shared(name).read = True
    low.memory.finish()
    return low


def _exploration(low: Lowering, script: Interrupts, explored: Explored) -> Exploration:
    """What looks at every position."""
    tracking = Tracking(low, explored.tracks)
    key = keying(low, explored.liveness, tracking.told)
    return Exploration(low, script, low.flow.exports["resume"], key, tracking, explored.outcomes)


def _play(low: Lowering) -> Function:
    """The play of a game, from the setup to the end."""
    play = low.flow.function("play")
    always_the_same = _prepare(low)
    with low.inside(play):
        low.begin(Block("setup"))
        low.body(low.game.setup[always_the_same:])
        low.body(low.game.play)
        low.begin(low.over_block)
        low.emit(do(*[low.unbind(slot) for slot in low.marks() if slot >= low.memory.slots]))
        low.emit(moments.at_end(low))
        low.end(Return())
    return play


def _prepare(low: Lowering) -> int:
    """The beginning of the setup is played once, up to what may ask, bind or be a fault; how long it is."""
    prepare = low.flow.prepare = low.flow.function("prepare")
    code = [Op("reset", (), low.memory)]
    with low.inside(prepare):
        for statement in low.game.setup:
            if isinstance(statement, rules.Let) or not steps.is_brief(low, statement) or leaps((statement,)):
                break
            made = steps.brief(low, statement)
            if made.faults:
                break
            code.append(made)
        prepare.fill(*code, Op("image", (), low.memory))
    return len(code) - 1


def _late(low: Lowering) -> None:
    """Functions that had to wait until everything was known."""
    if "always" in low.made:
        moments.always(low, low.made["always"])
    if "holding" in low.made:
        fill_holding(low, low.made["holding"])
    if "likes" in low.made:
        fill_likes(low, low.made["likes"])


def _game(low: Lowering, play: Function) -> Function:
    """The function that plays a game from its beginning: of the mixed seed, and the game's number."""
    game = low.made["game"] = low.flow.function("game", ("n", "n"))
    with low.inside(game):
        z = game.local()
        start = add(game.parameter(0).get, mul(add(game.parameter(1).get, num(1)), signed(GAMMA)))
        fresh = [store(at(0), at(-1), region, 4) for region in low.memory.lists.values()]
        game.fill(
            store(at(0), game.parameter(1).get, GAME),
            Op("reset", (), low.memory),
            *fresh,
            z.set(start),
            *mixing(z.set, z.get),
            low.write("position", plain("xor", z.get, plain("shr", z.get, num(31)))),
            low.write("left", num(low.limits.steps)),
            low.write("idle", num(low.limits.steps)),
            low.write("decisions", num(0)),
            low.write("turns", num(0)),
            store(at(0), num(0), NOTED),
            low.tallies.begin(),
            low.trying.play(play) if low.trying is not None else call(play),
            store(at(0), low.read("decisions"), DECISIONS),
            store(at(0), low.read("turns"), TURNS),
        )
    return game


def _playout(low: Lowering) -> Function:
    """The function that plays one game: of the seed, and the game's number."""
    playout = low.flow.function("playout", ("n", "n"))
    with low.inside(playout):
        seed = playout.parameter(0)
        playout.fill(
            low.write("unit", num(1)),
            *_mixed(seed),
            call(low.made["game"], seed.get, playout.parameter(1).get),
        )
    return playout


def _mixed(seed: Local) -> list[Op]:
    """A seed is mixed, once for all of its games."""
    z = seed.get
    return [
        seed.set(add(z, signed(GAMMA))),
        *mixing(seed.set, z),
        seed.set(plain("xor", z, plain("shr", z, num(31)))),
    ]


def _batch(low: Lowering) -> Function:
    """The function that plays games and counts: of the seed, the first game, how many, and by how much each counts.

    It gives how many it has played: fewer, where the log of figures should be emptied first.
    """
    batch = low.flow.function("batch", ("n", "n", "n", "n"), "n")
    with low.inside(batch):
        seed, first, count, unit = (batch.parameter(place) for place in range(4))
        done, again = batch.local(), Label()
        going = plain("t and", compare("<", done.get, count.get), compare("<", load(at(0), LOGGED), num(ENTRIES // 2)))
        batch.fill(
            low.write("unit", unit.get),
            *_mixed(seed),
            done.set(num(0)),
            loop(
                again,
                call(low.made["game"], seed.get, add(first.get, done.get)),
                low.tallies.finish(),
                done.set(add(done.get, num(1))),
                Op("jump if", (going,), again),
            ),
            done.get,
        )
    return batch
