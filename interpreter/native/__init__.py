"""The native tier: a checked ruleset compiled to WebAssembly and run as machine code."""

from importlib.util import find_spec


class EnginesDisagree(Exception):
    """The engines play the same game differently: a mistake in one of them, and never one of the rules."""


def is_there() -> bool:
    """Whether WebAssembly can be run on this machine."""
    return find_spec("wasmtime") is not None
