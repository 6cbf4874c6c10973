"""Makes the pictures of the pages from real runs: `.venv/bin/python docs/images/make_pictures.py`.

A command is run as it stands, its colours are kept, and what it printed is drawn as a terminal in SVG. Only how long it
took is left out, since that is never the same.
"""

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

HERE = Path(__file__).parent
PICTURES = {
    "simulate.svg": "regelwerk simulate chipbanditen/junior --games 10000",
}
SPEED = re.compile(r"[\d.]+ s, [\d,]+ games a second")
FONT_FROM_THE_NET = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def printed(command: str) -> list[Text]:
    """The lines that a command prints, with their colours."""
    words = [sys.executable, "-m", *shlex.split(command)]
    environment = {**os.environ, "FORCE_COLOR": "1", "COLORTERM": "truecolor"}
    run = subprocess.run(words, stdout=subprocess.PIPE, check=True, env=environment, encoding="utf-8")
    lines = [Text.from_ansi(line) for line in run.stdout.splitlines()]
    for line in lines:
        line.rstrip()
    kept = [line for line in lines if not SPEED.fullmatch(line.plain)]
    while kept and not kept[-1].plain:
        kept.pop()
    return kept


def drawn(command: str) -> str:
    """A terminal in which a command has run, as SVG."""
    lines = printed(command)
    width = max(len(command) + 2, *(line.cell_len for line in lines))
    screen = Console(record=True, width=width, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    screen.print(Text.assemble(("$ ", "bold green"), (command, "bold")), "", sep="\n")
    for line in lines:
        screen.print(line, no_wrap=True, overflow="ignore", crop=False)
    svg = screen.export_svg(title="regelwerk", theme=MONOKAI, unique_id="terminal")
    return FONT_FROM_THE_NET.sub("", svg)


def main() -> None:
    """Make all pictures."""
    for name, command in PICTURES.items():
        (HERE / name).write_text(drawn(command), "utf-8", newline="\n")
        print(f"{name}: {command}")


if __name__ == "__main__":
    main()
