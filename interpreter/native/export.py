"""What a host of its own needs to run a module: where in its memory what stands, as plain data for JSON."""

import re
from collections.abc import Callable
from typing import Any

from ..options import plain_values
from .interrupts import CHANCE, CHANCES, DECISIONS, MOST_DIGITS, OVER, Interrupts
from .lowering import Lowering
from .memory import DECISIONS as DECISIONS_TAKEN
from .memory import FAULT_FIRST, FAULT_SECOND, FAULT_SITE, GAME, HEAD, LOGGED, STATE, TURNS
from .tallies import ENTRY


def described(low: Lowering) -> dict[str, Any]:
    """A module's memory in words and addresses."""
    layout, memory, tallies = low.layout, low.memory, low.tallies
    found: dict[str, Any] = {
        "title": low.game.title,
        "players": layout.players,
        "options": plain_values(low.game, layout.options),
        "exports": {
            "playout": "(seed: i64, game: i64)",
            "batch": "(seed: i64, first: i64, count: i64, unit: i64) -> i64",
            "memory": f"{memory.pages} pages",
        },
        "fixed": {
            "fault": [FAULT_SITE, FAULT_FIRST, FAULT_SECOND],
            "game": GAME,
            "decisions": DECISIONS_TAKEN,
            "turns": TURNS,
            "logged": LOGGED,
        },
        "state": {"address": STATE, "slots": _slots(low)},
        "scores": low.rooms["scores"].address if low.game.score is not None else None,
        "winners": low.rooms["winners"].address,
        "wins": tallies.wins.address,
        "tallies": [
            {
                "number": each.number,
                "name": each.room.name.removeprefix("tally of "),
                "low": each.low,
                "high": each.high,
                "address": each.room.address,
            }
            for each in tallies.all
        ],
        "measures": {
            measure.name: tallies.games.address + 32 * number for number, measure in enumerate(low.game.measures)
        },
        "log": {"address": tallies.log.address, "entry": ENTRY},
        "faults": [{"message": site.message, "at": str(site.span)} for site in low.sites],
    }
    if low.interrupts is not None:
        found["exports"] |= {
            "begin": "(seed: i64, game: i64, stops: i64)",
            "resume": "(stops: i64)",
            "advance": "() -> i32",
        }
        found["state"]["end"] = memory.state_end
        found["steps"] = _steps(low.interrupts)
    return found


def _steps(script: Interrupts) -> dict[str, Any]:
    """Where a game that is played step by step says what it waits for, and where the answer is to be put."""
    points = {"request": script.points.site, "owner": script.points.owner, "options": script.points.options}
    return {
        **{name: {"address": cell.address, "width": cell.width} for name, cell in points.items()},
        "stops": {"decisions": DECISIONS, "chance": CHANCES},
        "owners": {"chance": CHANCE, "over": OVER},
        "answer": {"length": script.length.address, "digits": script.digits.address, "most": MOST_DIGITS},
        "open": script.open.address,
        "chance": {"weight": script.weight.address, "of": script.total.address},
        "requests": [
            {"name": each.name, "at": str(each.span), "labels": list(each.labels)} for each in script.requests
        ],
    }


def graph(low: Lowering) -> str:
    """The flow as text, with names for what stands in the state."""
    names = {slot["address"]: slot["name"] for slot in reversed(_slots(low))}
    name: Callable[[re.Match[str]], str] = lambda found: f"[{names.get(int(found[1]), found[1])}"  # noqa: E731
    return re.sub(r"\[(\d+)", name, str(low.flow))


def _slots(low: Lowering) -> list[dict[str, Any]]:
    """The slots of the state: numbers with their width, zones as bits, sets and orders as lists."""
    layout, memory = low.layout, low.memory
    found: list[dict[str, Any]] = [{"name": "in", "address": memory.players_in, "bits": layout.players}]
    for slot, name in enumerate(layout.names):
        if slot in memory.cells:
            cell = memory.cells[slot]
            found.append({"name": name, "address": cell.address, "width": cell.width})
        elif slot in memory.flags:
            flags, item = memory.flags[slot]
            found.append({"name": name, "address": flags.address, "bit": item, "least": flags.least})
        elif slot in memory.lists:
            found.append({"name": name, "address": memory.lists[slot].address, "list": HEAD})
        elif slot in memory.zone_numbers:
            number = memory.zone_numbers[slot]
            place = memory.zone_bits + 8 * memory.words * number
            found.append({"name": name, "address": place, "bits": layout.movable})
            if number in memory.stacks:
                found.append({"name": f"{name} in order", "address": memory.stacks[number], "list": HEAD})
        elif memory.places is not None and layout.places <= slot < layout.places + layout.movable:
            place = memory.places.address + memory.places.width * (slot - layout.places)
            found.append({"name": name, "address": place, "width": memory.places.width})
    return found
