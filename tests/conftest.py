"""Golden files and their `--update` switch, how hard Hypothesis tries, and what takes long."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
LEFT_OUT = "LEFT OUT, for it takes long: pytest --long"
COMPARED = "choices compared"
REFUTING = "test_verify_refutes"

# `ci` runs unless `--hypothesis-profile` names another: the same examples on every machine, every time.
settings.register_profile("quick", max_examples=10, derandomize=True, deadline=None, database=None)
settings.register_profile("ci", max_examples=100, derandomize=True, deadline=None, database=None)
settings.register_profile("deep", max_examples=2_000, derandomize=False, deadline=None, print_blob=True)
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the golden files")
    parser.addoption("--games", type=int, default=2, help="random games of each ruleset, players and option")
    parser.addoption(
        "--choices", type=int, default=0, help="compare so many on both engines, equally many of each table"
    )
    parser.addoption("--long", action="store_true", help="also the tests that take long")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: runs under --long alone")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes long, unless it is asked for."""
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("long") is not None:
                item.add_marker(pytest.mark.skip(reason=LEFT_OUT))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in red what was skipped, and why; how much was compared."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in sorted(reasons.items()):
        said = reason if reason[:2].isupper() else f"NOT TRIED: {reason}"
        terminalreporter.write_sep("!", f"{count} {'test' if count == 1 else 'tests'} {said}", red=True, bold=True)
    faults = [report.duration for report in terminalreporter.stats.get("passed", []) if REFUTING in report.nodeid]
    if faults:
        terminalreporter.write_line(f"{len(faults)} planted faults refuted in {sum(faults):.0f} s")
    compared = [
        (number, report.duration)
        for report in terminalreporter.stats.get("passed", [])
        for name, number in report.user_properties
        if name == COMPARED
    ]
    if compared:
        choices, seconds = (sum(each) for each in zip(*compared, strict=True))
        terminalreporter.write_line(f"{choices:,} choices are the same on both engines, in {seconds:.0f} s")


@pytest.fixture
def compared(record_property: Callable[[str, object], None]) -> Callable[[int], None]:
    """Notes down how many choices a test has compared; the end of the run says how many they were in all."""
    return lambda choices: record_property(COMPARED, choices)


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
