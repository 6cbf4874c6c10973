"""A state: where play stands and what everything is worth, as a value that can be kept, compared and played on.

Knows nothing of rules; which value belongs to which name is the layout's business.
"""

from typing import Any

import attrs


@attrs.frozen(cache_hash=True)
class State:
    """A moment in which a request is pending, or the end (`step` 0).

    `step` is the request's number in the program; `values` are the slots the layout and the program name.
    """

    step: int
    values: tuple[Any, ...]
