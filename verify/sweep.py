"""What is verified one after the other: numbers of players and values of options, the smallest first."""

from collections.abc import Iterator, Sequence
from itertools import product

from ..dsl import Ruleset, rules
from ..interpreter import Reference
from ..interpreter.options import read_options
from .looking import Subject


def subjects(
    ruleset: Ruleset, players: tuple[int, int] | None = None, chosen: Sequence[tuple[str, str]] = ()
) -> Iterator[Subject]:
    """The ruleset for each number of players and each combination of the values that are given for options, between
    commas. Without players, for the fewest.

    Raises:
        ValueError: the rules know no such option or value, or are not for so many players.
    """
    low, high = players or (ruleset.game.players[0],) * 2
    names = [name for name, _ in chosen]
    for number in range(low, high + 1):
        for values in product(*[[text.strip() for text in texts.split(",")] for _, texts in chosen]):
            options = read_options(ruleset.game, list(zip(names, values, strict=True)))
            Reference(ruleset.game, number, options)  # complains about what only this combination rules out
            yield Subject(ruleset, number, options)


def focuses(ruleset: Ruleset, name: str | None = None) -> Iterator[Subject]:
    """The focuses of a ruleset, or the one of this name.

    Raises:
        LookupError: there is no such focus.
    """
    found = [focus for focus in ruleset.game.focuses if name in (None, focus.name)]
    if name is not None and not found:
        names = ", ".join(f'"{focus.name}"' for focus in ruleset.game.focuses)
        raise LookupError(f'there is no focus "{name}"; there are: {names or "none"}')
    yield from (_subject(ruleset, focus) for focus in found)


def _subject(ruleset: Ruleset, focus: rules.Focus) -> Subject:
    return Subject(ruleset, focus.players, dict(focus.options), focus)
