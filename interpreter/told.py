"""What a player is told of an answer while it is played: never more than the player can see.

In full what the player has decided. Where everything is open, in full also what others have decided and what chance
has brought, as far as it can be seen where it lies. Else of others that they were asked, and of chance nothing: not
even that it was asked, which depends on what is left to chance. What has changed on the table speaks for itself.
"""

from .asking import DrawPlace
from .chance import Event, PickEvent, ThrowEvent
from .engine import Answer, Chance, Decision
from .records import Step, step


def told(request: Decision | Chance, answer: int | Answer, seat: int, all_open: bool = False) -> str:
    """The line for the player in a seat; empty where nothing is said. `all_open`: everybody sees everything."""
    taken = step(request, answer)
    if taken.seat == seat + 1 or (all_open and _in_sight(request, answer, seat)):
        return step_text(taken)
    if taken.seat is not None:
        return f"seat {taken.seat}  {taken.name}"
    return taken.name if all_open else ""


def step_text(step: Step) -> str:
    """A step in full."""
    seat = "" if step.seat is None else f"seat {step.seat}  "
    return f"{seat}{step.name}: {step.text}".rstrip()


def _in_sight(request: Decision | Chance, answer: int | Answer, seat: int) -> bool:
    """Whether a player sees what an answer speaks of: even in an open game nobody looks into the box."""
    if not isinstance(request, Event) or not isinstance(answer, tuple):
        return True
    happening, sight = request.happening, request.happening.words.sight
    if isinstance(happening, DrawPlace) and happening.put is not None:
        return True
    items = request.items if isinstance(request, ThrowEvent) else answer
    if isinstance(request, PickEvent) and happening.types[0] is not None:
        return True
    return all(sight.into(sight.expressions.lies_in(request.m, item), seat) for item in items)
