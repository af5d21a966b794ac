"""The explorers (`benchmarks.explorers`): ten races, and what each tool needs to find them.

It takes five minutes, of which the rivals take most: a tool may take 20 seconds for each program.
"""

from benchmarks.cell import Candidate
from benchmarks.explorers import BUGS, OF_CHANNELS

TOOLS = {
    # name: kind, what is installed for it, whether it runs programs of channels, schedules
    "explore": ("model", (), True, 500),
    "explore, gil": ("model", (), True, 500),
    "interleave-test random": ("peer", ("interleave-test",), False, 100),
    "interleave-test pct": ("peer", ("interleave-test",), False, 100),
    "interleave-test dfs": ("peer", ("interleave-test",), False, 100),
    "frontrun dpor": ("peer", ("frontrun",), False, 100),
    "frontrun random": ("peer", ("frontrun",), False, 100),
    "ploom": ("peer", ("ploom",), False, 20),
    "real threads": ("baseline", (), True, 500),
}


def candidates(quick: bool) -> list[Candidate]:
    """Return all tools at all bugs; if `quick`, at two of them."""
    bugs = ("lost_update", "select_starvation") if quick else BUGS
    return [_candidate(bug, tool, quick) for bug in bugs for tool in TOOLS if TOOLS[tool][2] or bug not in OF_CHANNELS]


def _candidate(bug: str, tool: str, quick: bool) -> Candidate:
    kind, needs, _, schedules = TOOLS[tool]
    schedules = 20 if quick else schedules
    return Candidate(
        f"explore/{bug}/{tool}",
        "benchmarks.explorers:measured",
        kind=kind,
        model="sim",
        step="schedule",
        steps=schedules,
        sizes={"tool": tool, "bug": bug, "schedules": schedules},
        needs=needs,
        rounds=1,
    )
