"""Golden files and their `--update` switch, and how hard Hypothesis tries."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent

# `ci` runs unless `--hypothesis-profile` names another: the same examples on every machine, every time.
settings.register_profile("quick", max_examples=10, derandomize=True, deadline=None, database=None)
settings.register_profile("ci", max_examples=100, derandomize=True, deadline=None, database=None)
settings.register_profile("deep", max_examples=2_000, derandomize=False, deadline=None, print_blob=True)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the golden files")
    parser.addoption("--games", type=int, default=2, help="random games of each ruleset, players and option")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares text with a golden file under `tests/`, or rewrites it under `--update`."""
    update: bool = request.config.getoption("--update")

    def compare(path: str, actual: str) -> None:
        file = HERE / path
        if update:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(actual, "utf-8", newline="\n")
        expected = file.read_text("utf-8") if file.exists() else ""

        assert expected == actual, f"run pytest --update to accept {path}, then read the diff"

    return compare
