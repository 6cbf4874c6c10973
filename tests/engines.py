"""Both engines play the same games, and everything that can be told of these must be the same."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from regelwerk.dsl import rules
from regelwerk.interpreter import Stream
from regelwerk.interpreter.agents import recipe
from regelwerk.interpreter.native.batches import seated
from regelwerk.interpreter.native.lowering import Limits as NativeLimits
from regelwerk.interpreter.native.native import GameFault, Instance, Native
from regelwerk.interpreter.playing import Limits, Match, Playthrough, play

FEW = Limits(decisions=2_000, steps=20_000)
SEED = 7


def compare(
    game: rules.Game,
    names: Sequence[str],
    options: Mapping[str, int | bool] | None = None,
    *,
    games: int = 1,
    choices: int = 0,
    checked: bool = False,
) -> int:
    """So many games, and more until there were so many choices, on both engines; `names` says who plays the seats.

    Gives how many choices were compared.
    """
    agents = tuple(recipe(name, [strategy.name for strategy in game.strategies]) for name in names)
    match = Match(game, "", "", len(names), options or {}, agents, SEED, FEW)
    reference, limits = match.engine(), NativeLimits(FEW.decisions, FEW.steps)
    native = Native(
        game, len(names), match.options, seated=seated(match) or (), limits=limits, traced=True, checked=checked
    )
    instance, compared = native.table(), 0
    for number in count():
        if number >= games and (compared >= choices or number >= MOST_GAMES):
            break
        expected = play(reference, match.seated(reference), Stream(SEED, number), FEW.decisions)
        compared += len(expected.answers)

        assert _told(expected, game) == _told_by_code(instance, number), f"{', '.join(names)}: game {number}"
    return compared


MOST_GAMES = 20_000
"""Games in which next to nothing is chosen are not played for ever."""


def _told(played: Playthrough, game: rules.Game) -> tuple[Any, ...]:
    """What the reference says of a game."""
    answers = tuple(_plain(answer) for answer in played.answers)
    if played.fault is not None:
        return answers, played.fault.message, played.fault.line
    samples = [played.samples.get(measure.name, []) for measure in game.measures]
    measures = tuple((_wrapped(sum(values)), len(values)) for values in samples)
    return answers, played.result, played.decisions, played.turns, measures


def _told_by_code(instance: Instance, number: int) -> tuple[Any, ...]:
    """What machine code says of a game."""
    try:
        done = instance.play(SEED, number)
    except GameFault as fault:
        assert fault.site is not None, fault.message
        # The reference notes an answer before it plays it, and so does machine code.
        return instance.noted(), fault.message, fault.site.span.line
    return done.answers, done.result, done.decisions, done.turns, done.measures


def _plain(answer: Any) -> Any:
    """An answer with yes and no as numbers."""
    return tuple(int(each) for each in answer) if isinstance(answer, tuple) else int(answer)


def _wrapped(total: int) -> int:
    """A sum as 64 bits hold it."""
    return (total + 2**63) % 2**64 - 2**63
