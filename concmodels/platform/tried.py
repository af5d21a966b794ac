"""On which machines the library was run, and in which way: one list for notices, reports and the site's tables."""

import os
import sys

MEASURED, EMULATED, SIMULATED, UNTRIED = "run and measured", "run in an emulator", "simulated", "tried by nobody"

X86_64 = ("x86_64", "amd64", "AMD64")
ARM64 = ("aarch64", "arm64", "ARM64")

TRIED = {
    ("Linux", X86_64): MEASURED,
    ("Linux", ARM64): EMULATED,
    ("macOS", ARM64): SIMULATED,
    ("macOS", X86_64): SIMULATED,
    ("Windows", X86_64): SIMULATED,
    ("Windows", ARM64): SIMULATED,
}
"""How the library was tried on a system, for the processors with these names. What is not here was tried by nobody."""

_HOW = {
    EMULATED: "has run in an emulator of this machine, but on no real one",
    SIMULATED: "has run on a simulation of this system, but not on the system itself",
    UNTRIED: "has never run on a machine like this one, as far as we know",
}

_SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}

NOTICE = "CONCMODELS_NOTICE"
"""The environment variable that is `off` once the notice was given, or if a user wants none. Children inherit it."""


def system() -> str:
    """Return the name of this system. Linux with another C library than glibc is named with it: `Linux (musl)`."""
    if sys.platform != "linux":
        return _SYSTEMS.get(sys.platform, sys.platform)
    try:
        is_glibc = (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except ValueError, OSError:  # the name is unknown to others
        is_glibc = False
    return "Linux" if is_glibc else "Linux (musl)"


def machine() -> str:
    """Return the name that this system has for its processor."""
    if hasattr(os, "uname"):
        return os.uname().machine
    return os.environ.get("PROCESSOR_ARCHITECTURE", "an unknown processor")


def how() -> str:
    """Return how the library was tried on a machine like this one."""
    its, processor = system(), machine()
    found = (how for (name, processors), how in TRIED.items() if name == its and processor in processors)
    return next(found, UNTRIED)


def doubt() -> str | None:
    """Return a sentence about a machine on which we have not run the library ourselves; None on one where we have."""
    tried = how()
    return None if tried == MEASURED else f"this library {_HOW[tried]} ({system()}, {machine()})"


DOUBT = doubt()
"""That sentence for the machine on which this program runs."""


def give_notice(sentence: str) -> None:
    """Write this sentence to standard error: once in a program, and not again in the processes that it starts."""
    if os.environ.get(NOTICE) == "off":
        return
    os.environ[NOTICE] = "off"
    if sys.stderr is not None:
        try:
            sys.stderr.write(f"concmodels: {sentence}; python -m concmodels check tells in half a minute what works\n")
        except OSError, ValueError:
            pass  # nobody can read it
