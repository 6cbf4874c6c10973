"""The settings of a ruleset as text: `rounds=3` read, and values put into words."""

from collections.abc import Iterable, Mapping

from ..dsl import rules
from ..dsl.problems import near


class OptionError(ValueError):
    """A ruleset has no such option, or the option no such value; the message says what there is."""


def read_options(game: rules.Game, texts: Iterable[tuple[str, str]]) -> dict[str, int | bool]:
    """The values of options given as names and texts.

    Raises:
        OptionError: a name or a value that does not exist.
    """
    known = {option.name: option for option in game.options}
    values: dict[str, int | bool] = {}
    for name, text in texts:
        if name not in known:
            if not known:
                raise OptionError(f"{game.title} has no options, so no `{name}` either.")
            raise OptionError(f"{game.title} has no option `{name}`.{_near(name, known)} There are: {_list(known)}.")
        values[name] = read_value(known[name], text)
    return values


def read_value(option: rules.Option, text: str) -> int | bool:
    """The value that a text stands for.

    Raises:
        OptionError: the option has no such value.
    """
    match option.domain.type:
        case rules.YesNo():
            meaning = {"yes": True, "no": False, "true": True, "false": False}
            if text.lower() in meaning:
                return meaning[text.lower()]
            raise OptionError(f"`{option.name}` is `yes` or `no`, not `{text}`.")
        case rules.Member(names=names):
            if text in names:
                return names.index(text)
            raise OptionError(f"`{option.name}` has no value `{text}`.{_near(text, names)} There are: {_list(names)}.")
        case rules.Number(low=low, high=high):
            try:
                value = int(text)
            except ValueError:
                raise OptionError(f"`{option.name}` is a number from {low} to {high}, not `{text}`.") from None
            if not low <= value <= high:
                raise OptionError(f"`{option.name}` is a number from {low} to {high}, not {value}.")
            return value
    raise AssertionError(option.domain.type)


def value_text(option: rules.Option, value: int | bool) -> str:
    """A value in words, as it would be written on the command line."""
    match option.domain.type:
        case rules.YesNo():
            return "yes" if value else "no"
        case rules.Member(names=names):
            return names[value]
    return str(value)


def plain_values(game: rules.Game, values: Mapping[str, int | bool]) -> dict[str, int | bool | str]:
    """Values by option as plain data: numbers, yes or no as booleans, members by name."""
    known = {option.name: option for option in game.options}
    return {name: _plain(known[name], value) for name, value in values.items()}


def _plain(option: rules.Option, value: int | bool) -> int | bool | str:
    return value_text(option, value) if isinstance(option.domain.type, rules.Member) else value


def _near(name: str, known: Iterable[str]) -> str:
    question = near(name, known)
    return f" {question}" if question else ""


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
