"""Measures what a program has used, as far as POSIX and Python tell it: no /proc.

The peak of a process is known to that process alone, and for its whole life. There is no PSS, and no other process can
be seen: so the programs add up the peaks that the tasks report, and show a dash for what is missing.
"""

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SOCKET_PATH = 103
"""The most bytes in the path of a Unix socket that macOS allows."""

MOST_DESCRIPTORS = 10240
"""macOS says that there may be any number of descriptors, and refuses a limit above this, its OPEN_MAX."""

_DOUBTFUL_S = 60
"""The clock may have been set since. So a process that was started this much later than another one is a later one."""


def usage() -> tuple[float, float, int, int, int]:
    """Return what this process has used up to now; on Windows only its CPU time."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        times = os.times()
        return times.user, times.system, 0, 0, 0
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime, used.ru_stime, used.ru_nvcsw, used.ru_nivcsw, used.ru_maxrss * _maxrss_unit()


def held_up() -> float:
    """Return 0: that is not known."""
    return 0


def runnable() -> int | None:
    """Return None: that is not known."""
    return None


def scheduled(pid: int | str = "self") -> tuple[float, float] | None:
    """Return None: that is not known."""


def busy() -> float | None:
    """Return None: that is not known."""


def _maxrss_unit() -> int:
    import sys

    return 1 if sys.platform == "darwin" else 1024


def reset_peak() -> bool:
    """Return False: the peak stays that of the whole life of the process."""
    return False


def peak(pid: int | str = "self") -> int | None:
    """Return the peak resident set of this process, in bytes; None for any other."""
    return usage()[4] or None if pid in ("self", os.getpid()) else None


def pss(pid: int | str = "self") -> int | None:
    """Return None: only Linux divides what is shared."""


def processes() -> set[int]:
    """Return no processes: they can't be seen."""
    return set()


def parent_and_name(pid: int) -> tuple[int, str] | None:
    """Return None: other processes can't be seen."""


def threads() -> set[int] | None:
    """Return the threads that Python knows of."""
    import threading

    return {thread.native_id for thread in threading.enumerate() if thread.native_id is not None}


def open_descriptors() -> dict[int, str] | None:
    """Return which file each open descriptor refers to: its device and its number there. None without /dev/fd."""
    found = {}
    try:
        entries = os.listdir("/dev/fd")
    except OSError:
        return None
    for entry in entries:
        try:
            status = os.fstat(int(entry))
        except OSError:
            continue  # the descriptor of the listing itself
        found[int(entry)] = f"file {status.st_dev}:{status.st_ino}"
    return found or None


def caught_signals() -> int:
    """Return none: handlers that were not installed through Python can't be seen."""
    return 0


def task_limits(*, processes: bool) -> Iterator[tuple[int, str]]:
    """Yield how many threads and processes this user can have, and what says so."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NPROC, getrlimit
    except ImportError:
        return  # Windows
    soft = getrlimit(RLIMIT_NPROC)[0]
    if soft != RLIM_INFINITY and os.geteuid() != 0:
        yield soft, "ulimit -u"


def free_memory() -> Iterator[tuple[int, str]]:
    """Yield how many bytes of memory the machine has; how many are free is not known."""
    try:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), "the machine's memory"
    except OSError, ValueError, AttributeError:
        pass  # it does not say so, as Windows


def world() -> str:
    """Return what a process number is valid in: this machine, by its name and its disk, as six digits.

    (If the name changes, what was left under the old one stays. macOS has no containers with numbers of their own.)
    """
    from hashlib import blake2s

    if not hasattr(os, "uname"):
        raise OSError("Windows has no owners of files")
    return blake2s(f"{os.uname().nodename} {os.stat('/').st_dev}".encode(), digest_size=3).hexdigest()


def born() -> int:
    """Return the time now, in seconds: this process was started before."""
    return int(time.time())


def has_ended(pid: int, since: int) -> bool:
    """Return whether the process has ended that had this number at this time. Raises `OSError` if `ps` can't be had."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # the number is another user's process, at least by now: the time tells
    later = since + _DOUBTFUL_S
    return time.time() > later and _started(pid) > later


def started(pid: int) -> int | None:
    """Return when a process was started, in seconds; None if it has ended."""
    return None if has_ended(pid, 1 << 62) else _started(pid)


def _started(pid: int) -> int:
    """Ask `ps`, which every Unix has; 0 if the process has just ended."""
    import calendar
    import subprocess

    command = ["ps", "-o", "lstart=", "-p", str(pid)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        env=os.environ | {"LC_ALL": "C", "TZ": "UTC"},
    )  # fmt: skip
    try:
        return calendar.timegm(time.strptime(done.stdout.strip(), "%a %b %d %H:%M:%S %Y"))
    except ValueError:
        return 0
