"""The top level of the repository is the package: what ships, what is linked and what is there agree."""

import ast
import tomllib
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import regelwerk

ROOT = Path(__file__).parent.parent
LINKS = ROOT / "src" / "regelwerk"

needs_links = pytest.mark.skipif(not LINKS.is_dir(), reason="an unpacked sdist has no links")


def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def shipped() -> set[str]:
    names: list[str] = pyproject()["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    return set(names)


def shipped_files() -> list[Path]:
    """Every file of the package, relative to the top level."""
    tops = [ROOT / name for name in sorted(shipped())]
    inside = [path for top in tops for path in ([top] if top.is_file() else sorted(top.rglob("*")))]
    return [path.relative_to(ROOT) for path in inside if path.is_file() and "__pycache__" not in path.parts]


def imports(path: Path) -> list[tuple[int, str]]:
    """How many dots, and which module, for each import in a file."""
    found = []
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            found.append((node.level, node.module or ""))
        elif isinstance(node, ast.Import):
            found.extend((0, alias.name) for alias in node.names)
    return found


def test_what_is_there_ships() -> None:
    """Each module and package at the top level is named in only-include, and nothing else is."""
    modules = {path.name for path in ROOT.glob("*.py")}
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}

    assert modules | packages | {"py.typed", "rulesets"} == shipped()


def test_what_ships_is_there() -> None:
    """Nothing is named in only-include that does not exist."""
    assert [] == [name for name in sorted(shipped()) if not (ROOT / name).exists()]


@needs_links
def test_what_ships_is_linked() -> None:
    """src/regelwerk/ holds one link to each thing that ships, and nothing else."""
    links = {path.name: path for path in LINKS.iterdir() if path.name != "__pycache__"}

    assert {name: f"../../{name}" for name in shipped()} == {
        name: path.readlink().as_posix() if path.is_symlink() else "not a link" for name, path in links.items()
    }


def test_folders_of_modules_are_packages() -> None:
    """No folder with modules in it lacks an __init__.py."""
    folders = {path.parent for path in shipped_files() if path.suffix == ".py"}

    assert [] == sorted(str(folder) for folder in folders if not (ROOT / folder / "__init__.py").is_file())


def test_top_level_dunders_use_the_full_name() -> None:
    """pytest loads a top-level __init__.py under a name of its own; dots there would import things twice."""
    for name in ("__init__.py", "__main__.py"):
        assert [] == [module for dots, module in imports(Path(name)) if dots], name


def test_inside_the_package_imports_have_dots() -> None:
    """Type checkers see a class and its twin under src/ as two types unless imports inside are relative."""
    modules = [path for path in shipped_files() if path.suffix == ".py" and len(path.parts) > 1]
    named = [
        f"{path}: {module}"
        for path in [Path("cli.py"), *modules]
        for dots, module in imports(path)
        if not dots and module.split(".")[0] == "regelwerk"
    ]

    assert [] == named


def test_every_file_is_installed() -> None:
    """Modules, grammar, pages and rulesets are all in what is installed."""
    installed = files("regelwerk")

    assert [] == [path.as_posix() for path in shipped_files() if not installed.joinpath(*path.parts).is_file()]


def test_one_name_is_installed() -> None:
    """No folder of ours becomes an import name of its own."""
    tops = {path.parts[0] for path in metadata.files("regelwerk") or ()}

    assert set() == tops & (shipped() | {"src", "tests", "docs", "benchmarks"})


def test_one_version() -> None:
    """The package and its metadata agree on the version."""
    assert pyproject()["project"]["version"] == regelwerk.__version__
