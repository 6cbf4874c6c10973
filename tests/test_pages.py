"""Each kind of problem has a page, and what the page shows is true."""

import re

import pytest

from regelwerk import dsl
from regelwerk.dsl.problems import KINDS

ABOUT_FILES = {"R001", "R006"}
"""What no text can show: these are about files themselves."""


def shown(code: str, kind: str) -> list[str]:
    """The rulesets of a kind on a page."""
    return re.findall(rf"^```rules {kind}\n(.*?)^```$", dsl.page(code) or "", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", KINDS)
def test_a_page(code: str) -> None:
    """A page begins with the number and title of its problem and says something about it, in lines of 120."""
    text = dsl.page(code) or ""

    assert text.startswith(f"# {code}: {KINDS[code].title}\n\n")
    assert [] == [line for line in text.splitlines() if len(line) > 120]
    assert text == dsl.page(code.lower())


@pytest.mark.parametrize("code", sorted(set(KINDS) - ABOUT_FILES))
def test_what_a_page_shows(code: str) -> None:
    """The wrong ruleset has this problem and no other; the right one has none."""
    (wrong,), (right,) = shown(code, "wrong"), shown(code, "right")
    with pytest.raises(dsl.RulesetError) as raised:
        dsl.load_text(wrong)

    assert {code} == {problem.code for problem in raised.value.problems}
    assert dsl.load_text(right).game


def test_no_page_without_a_problem() -> None:
    """There is no page about anything else."""
    assert None is dsl.page("R999")
    assert None is dsl.page("../problems")
