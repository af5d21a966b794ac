"""The differences between systems that Python does not hide, as far as they matter here: three things, one file each.

    memory.py       the memory that processes share, the locks between them, and what is believed of the order of stores
    waking.py       how a task that waits is woken, and how a process learns of another one's end
    measuring.py    what has been used (CPU time, memory, switches, descriptors), what is left, and which processes live

A port is another version of these three files and nothing else; each says at its head what it has to provide. The files
are written for Linux. `portable/` has a second version of what in them no other system has: a temporary file for a
memfd, a pipe for an eventfd, `getrusage` for /proc. It is there for the tests, and as a start for a port; it is slower.
`polling.py` has `poll`, for which `select` stands in on Windows. `sessions.py` kills a process and what it has started,
and `confining.py` has the limits of programs of others; both go without what a system lacks.

On Linux the second version is chosen by an environment variable, which every process and every interpreter of a run
inherits:

    CONCMODELS_PLATFORM=portable python -m concmodels.ring 20 1000 --model processes

With `windows` it is the version for Windows (`portable/windows.py`), as far as another system can run it.

It is read once, when this package is imported.
"""

import os
import sys

FOLDER = __path__[0] + os.sep
"""The folder of these files: their code is part of the models', and no signal is raised in the middle of it."""

CHOSEN = os.environ.get("CONCMODELS_PLATFORM", "")
WINDOWS = CHOSEN == "windows" or (not CHOSEN and sys.platform == "win32")
"""Whether what Windows has not is done without, too: `portable/windows.py`."""
PORTABLE = CHOSEN in ("portable", "windows") or (not CHOSEN and sys.platform != "linux")
"""Whether the versions in `portable/` take the place of those for Linux."""
MACHINE: str = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
"""The processor, by the name that the system has for it."""
IS_ORDERED = MACHINE in ("x86_64", "amd64", "AMD64")
"""Whether the processor keeps the order of loads and stores, as `memory.py` says; on others there are fences."""


def why_not(*, processes: bool) -> str | None:
    """Return why no memory can be shared between processes, or else interpreters, in words, or None if it can.

    Another processor than x86-64 only needs fences, which `memory.py` has.
    """
    if CHOSEN not in ("", "linux", "portable", "windows"):
        return f"the environment variable CONCMODELS_PLATFORM is 'linux', 'portable' or 'windows', not {CHOSEN!r}"
    if WINDOWS and processes:
        return "it sends descriptors from process to process, which Windows can't: use WSL (`wsl --install`)"
    if not PORTABLE and not (hasattr(os, "memfd_create") and hasattr(os, "eventfd")):
        return "it needs Linux's memfd and eventfd; with CONCMODELS_PLATFORM=portable it does without"
    return None
