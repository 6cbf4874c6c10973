"""Tabletop game rules as text: check them, play them headless, verify them.

`regelwerk.dsl` reads a ruleset, `regelwerk.interpreter` plays it, and
`regelwerk.cli` is the program `regelwerk`. Importing this module loads none of
them.
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
