"""Writes what runs on which system into the pages that say it, from one list: `concmodels.platform.tried`, and this.

    python docs/reference/_systems.py

`tests/docs/test_systems.py` fails if a page differs from what this would write.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from concmodels.platform import tried  # noqa: E402 - only now it is found

DOCS = ROOT / "docs"
SYSTEMS = {
    "Linux, x86-64": ("Linux", "x86_64"),
    "Linux, ARM64": ("Linux", "aarch64"),
    "macOS": ("macOS", "arm64"),
    "Windows": ("Windows", "AMD64"),
    "Linux with musl": ("Linux (musl)", "x86_64"),
}
"""What the columns are called, and what `tried` calls it."""

UNKNOWN = "not known"
WORKS = {
    "the models in one process": ["yes", "yes", "yes", "yes", UNKNOWN],
    "subinterp": ["yes", "yes", "yes", "yes; an unbounded channel holds 1 MiB", UNKNOWN],
    "processes": ["yes", "yes", "yes", "no: use WSL", UNKNOWN],
    "ring, channel, pool, explore, the grader": ["yes", "yes", "yes", "yes", UNKNOWN],
    "waits for sockets, `net`, `serve`": ["yes", "yes", "yes; not for a terminal", "yes; not for a pipe", UNKNOWN],
    "`--timeout` of a program": ["yes", "yes", "yes", "no: it needs a signal timer", UNKNOWN],
    "what a killed run leaves": ["the next run removes it", "the same", "the same", "nothing stays", UNKNOWN],
    "context switches, PSS": ["yes", "yes", "switches only", "no", UNKNOWN],
    "limits that are checked before a run": [
        "all", "all", "descriptors, a user's threads, the machine's memory", "none", UNKNOWN,
    ],
}  # fmt: skip

LACKS = {"Windows": ("processes",)}
"""The models that a system does not have."""

SESSIONS = {
    1: ("threads; `make demo` uses subinterp", "the demo is `python -m concmodels.ring` (there is no `make`)"),
    2: ("threads", ""),
    3: ("threads, processes, greenlet, gevent, asyncio, then all", ""),
    4: ("threads", "instead of `kill -9` in exercise B, end the process in the Task Manager"),
    5: ("threads, processes", "exercises A (on threads alone) and C"),
    6: ("threads, and the grader", ""),
}
"""The models of each session, and what is different on Windows."""


def tested() -> dict[str, str]:
    """Return how the library was tried on each system."""
    found = {}
    for title, (system, machine) in SYSTEMS.items():
        hows = (how for (its, machines), how in tried.TRIED.items() if its == system and machine in machines)
        found[title] = next(hows, tried.UNTRIED)
    return found


def platforms() -> str:
    """Return the table of the page on platforms."""
    rows = [
        ["", *SYSTEMS],
        ["---"] * (1 + len(SYSTEMS)),
        ["the library was", *(f"**{how}**" for how in tested().values())],
    ]
    return "\n".join(_row(row) for row in [*rows, *([name, *cells] for name, cells in WORKS.items())])


def sessions() -> str:
    """Return the table of the sessions, for teachers."""
    titles = [title for title in SYSTEMS if tested()[title] != tried.UNTRIED]
    lines = [_row(["session", "models in it", *titles]), _row(["---"] * (2 + len(titles)))]
    for number, (models, on_windows) in SESSIONS.items():
        cells = [_cell(title, models, on_windows) for title in titles]
        lines.append(_row([f"[{number}](session-{number}.md)", models, *cells]))
    return "\n".join(lines)


def _cell(title: str, models: str, on_windows: str) -> str:
    missing = [it for it in LACKS.get(title, ()) if it in re.findall(r"\w+", models)]
    parts = [f"all but {' and '.join(missing)}" if missing else "all"]
    return "; ".join([*parts, on_windows] if title == "Windows" and on_windows else parts)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def written() -> dict[Path, str]:
    """Return the pages with their tables."""
    tables = {DOCS / "reference" / "platform.md": platforms(), DOCS / "teachers" / "systems.md": sessions()}
    return {
        path: re.sub(
            r"(<!-- systems -->\n).*?(<!-- end -->)",
            lambda found, table=table: f"{found[1]}{table}\n{found[2]}",
            path.read_text(),
            flags=re.DOTALL,
        )
        for path, table in tables.items()
    }


if __name__ == "__main__":
    for page, text in written().items():
        page.write_text(text)
