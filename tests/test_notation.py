"""The table that texts are read with is the one that Lark makes of the grammar."""

from collections.abc import Callable

import notation

from regelwerk.dsl import grammar


def test_table(golden: Callable[[str, str], None]) -> None:
    """The table says what `grammar.lark` says."""
    golden("../dsl/table.json", notation.table())


def test_paths_are_looked_for_last() -> None:
    """Where the name of a rules file may stand, nothing may stand that looks like one."""
    for state in grammar.table().states:
        if "PATH" in state:
            assert {"PATH"} == set(state)
