"""Measures what a program has used, what is left for it, and which processes live, as Linux shows it in /proc.

A port provides the names that stand here. What a system does not show is None, or not among the things that are listed;
the programs then show a dash, or refuse nothing.

    usage                      CPU seconds, context switches and the peak of memory of this process
    held_up                    how long anything on this machine has waited for a processor
    runnable                   how many threads of this machine run, or would if there were a processor
    scheduled                  how long the threads of a process have run, and how long they waited for a processor
    busy                       how many seconds the processors of this machine were busy
    peak, reset_peak, pss      memory of a process: its peak, and its share now
    processes, parent_and_name, descendants
                               the processes that live
    threads, open_descriptors  what this process has
    caught_signals             which signals have a handler, of whatever kind
    descriptor_limit, raise_descriptor_limit, task_limits, free_memory
                               what there may be at most
    world, born, has_ended, started
                               by which a process is told from a later one with the same number
    SOCKET_PATH                how long the path of a socket may be

Children import this module, so it imports next to nothing at its top.
"""

import os

from concmodels.platform import PORTABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "SOCKET_PATH", "Usage", "born", "busy", "caught_signals", "descendants", "descriptor_limit", "free_memory",
    "has_ended", "held_up",
    "open_descriptors", "parent_and_name", "peak", "processes", "pss", "raise_descriptor_limit", "reset_peak",
    "runnable", "scheduled", "started", "task_limits", "threads", "usage", "world",
]  # fmt: skip

type Usage = tuple[float, float, int, int, int]
"""User seconds, system seconds, voluntary and involuntary context switches, the peak resident set in bytes."""

PROC = "/proc"
CGROUPS = "/sys/fs/cgroup"
SOCKET_PATH = 107
"""Bytes, without the zero at its end."""
MOST_DESCRIPTORS: int | None = None
"""The highest limit on descriptors where the system says that there is none."""


# What has been used.


def usage() -> Usage:
    """Return what this process has used up to now."""
    from resource import RUSAGE_SELF, getrusage

    used = getrusage(RUSAGE_SELF)
    return used.ru_utime, used.ru_stime, used.ru_nvcsw, used.ru_nivcsw, used.ru_maxrss * 1024


def held_up() -> float:
    """Return the seconds, since it was started, in which anything on this machine waited for a processor.

    They are 0 where the kernel doesn't count them.
    """
    try:
        with open(f"{PROC}/pressure/cpu") as file:
            some = file.readline()
    except OSError:
        return 0
    return int(some.rpartition("total=")[2]) / 1e6


def runnable() -> int | None:
    """Return how many threads of this machine run now or wait for a processor, the calling one among them."""
    try:
        with open(f"{PROC}/loadavg", "rb") as file:
            return int(file.read().split()[3].partition(b"/")[0])
    except OSError, IndexError, ValueError:
        return None


def scheduled(pid: int | str = "self") -> tuple[float, float] | None:
    """Return how many seconds the threads of a process have run, and how many they have waited for a processor.

    `thread-self` is the calling thread alone. Returns None where the kernel doesn't count that; threads that have ended
    are not counted.
    """
    tasks = [f"{PROC}/{pid}"] if pid == "thread-self" else [
        f"{PROC}/{pid}/task/{task}" for task in _listed(f"{PROC}/{pid}/task")
    ]  # fmt: skip
    ran = waited = 0
    for task in tasks:
        try:
            with open(f"{task}/schedstat") as file:
                fields = file.read().split()
        except FileNotFoundError, ProcessLookupError:
            continue  # it has just ended
        except OSError:
            return None
        ran, waited = ran + int(fields[0]), waited + int(fields[1])
    return (ran / 1e9, waited / 1e9) if ran else None


def busy() -> float | None:
    """Return for how many seconds the processors of this machine were busy since it was started, all together.

    The time that a virtual machine's host gave to others is among them. None where the system doesn't tell.
    """
    try:
        with open(f"{PROC}/stat") as lines:
            user, nice, system, _, _, irq, softirq, stolen = map(int, lines.readline().split()[1:9])
    except OSError, ValueError:
        return None
    return (user + nice + system + irq + softirq + stolen) / os.sysconf("SC_CLK_TCK")


def reset_peak() -> bool:
    """Let the kernel measure the peak of this process anew; return False where it can't, and the old peak stays."""
    try:
        with open(f"{PROC}/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return False
    return True


def peak(pid: int | str = "self") -> int | None:
    """Return the peak resident set of a process in bytes."""
    return _labelled(f"{PROC}/{pid}/status", "VmHWM:", 1024)


def pss(pid: int | str = "self") -> int | None:
    """Return the proportional set of a process in bytes: a page shared by n processes counts as 1/n."""
    return _labelled(f"{PROC}/{pid}/smaps_rollup", "Pss:", 1024)


# What there is.


def processes() -> set[int]:
    """Return the numbers of all processes that can be seen, zombies included."""
    return {int(entry) for entry in _listed(PROC) if entry.isdecimal()}


def parent_and_name(pid: int) -> tuple[int, str] | None:
    """Return the number of a process's parent, and its own name; None if it has ended meanwhile."""
    try:
        with open(f"{PROC}/{pid}/stat", errors="replace") as file:
            head, _, tail = file.read().rpartition(")")
    except OSError:
        return None
    return int(tail.split()[1]), head.partition("(")[2]


def descendants(pid: int) -> dict[int, str] | None:
    """Return the names of the children of a process, of their children, and so on; None if they can't be seen."""
    known = {number: seen for number in processes() if (seen := parent_and_name(number))}
    if pid not in known:
        return None
    children: dict[int, list[int]] = {}
    for child, (parent, _) in known.items():
        children.setdefault(parent, []).append(child)
    found, ahead = {}, [pid]
    while ahead:
        for child in children.get(ahead.pop(), ()):
            found[child] = known[child][1]
            ahead.append(child)
    return found


def threads() -> set[int] | None:
    """Return the kernel's numbers of this process's threads, also of those that `threading` does not know."""
    return {int(entry) for entry in _listed(f"{PROC}/self/task")} or None


def open_descriptors() -> dict[int, str] | None:
    """Return what each open descriptor of this process refers to."""
    found = {}
    for entry in _listed(f"{PROC}/self/fd"):
        try:
            found[int(entry)] = os.readlink(f"{PROC}/self/fd/{entry}")
        except OSError:
            pass  # the descriptor of the listing itself
    return found or None


def caught_signals() -> int:
    """Return the signals that have handlers, a bit for each, as the kernel sees it.

    Python does not know the handlers that gevent and faulthandler install: `signal.getsignal` says `SIG_DFL`.
    """
    try:
        with open(f"{PROC}/self/status") as file:
            return int(next(line for line in file if line.startswith("SigCgt:")).split()[1], 16)
    except OSError:
        return 0


# How much there may be.


def descriptor_limit() -> int | None:
    """Return how many descriptors this process may have open; None if there is no limit."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ImportError:
        return None  # Windows
    soft = getrlimit(RLIMIT_NOFILE)[0]
    return None if soft == RLIM_INFINITY else soft


def raise_descriptor_limit(need: int | None = None) -> int | None:
    """Raise that limit to `need`, or as far as possible, if it is lower; never lower it.

    Return None, or the limit beyond which it can't be raised and which is below `need`: then nothing is changed.
    """
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
    except ImportError:
        return None  # Windows
    soft, hard = getrlimit(RLIMIT_NOFILE)
    if hard == RLIM_INFINITY and MOST_DESCRIPTORS is not None:
        hard = max(soft, MOST_DESCRIPTORS)
    if need is not None and hard != RLIM_INFINITY and need > hard:
        return hard
    goal = hard if need is None else need
    if RLIM_INFINITY not in (soft, goal) and goal > soft:
        setrlimit(RLIMIT_NOFILE, (goal, getrlimit(RLIMIT_NOFILE)[1]))
    return None


def task_limits(*, processes: bool) -> Iterator[tuple[int, str]]:
    """Yield how many threads, or processes, there can be, and what says so."""
    from resource import RLIM_INFINITY, RLIMIT_NPROC, getrlimit

    soft = getrlimit(RLIMIT_NPROC)[0]
    if soft != RLIM_INFINITY and os.geteuid() != 0:
        yield soft, "ulimit -u"
    for name in ("threads-max", "pid_max"):
        if (limit := _number(f"{PROC}/sys/kernel/{name}")) is not None:
            yield limit, f"kernel.{name}"
    maps = _number(f"{PROC}/sys/vm/max_map_count")
    if maps is not None and not processes:
        yield maps // 2, "vm.max_map_count"  # a thread's stack and its guard page are two mappings
    for group in _cgroups():
        most, now = _number(f"{group}/pids.max"), _number(f"{group}/pids.current")
        if most is not None and now is not None:
            yield most - now, "the cgroup's pids.max"


def free_memory() -> Iterator[tuple[int, str]]:
    """Yield how many bytes of memory this process can still have, and what says so."""
    from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit

    free = _labelled(f"{PROC}/meminfo", "MemAvailable:", 1024)
    if free is not None:
        yield free, "MemAvailable"
    for group in _cgroups():
        most, now = _number(f"{group}/memory.max"), _number(f"{group}/memory.current")
        if most is not None and now is not None:
            yield most - now + (_labelled(f"{group}/memory.stat", "inactive_file") or 0), "the cgroup's memory.max"
    limit = getrlimit(RLIMIT_AS)[0]
    size = _labelled(f"{PROC}/self/status", "VmSize:", 1024)
    if limit != RLIM_INFINITY and size is not None:
        yield limit - size, "ulimit -v"


def _cgroups() -> Iterator[str]:
    """The control group (version 2) of this process, and the groups that contain it."""
    try:
        with open(f"{PROC}/self/cgroup") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        number, _, path = line.partition("::")
        if number == "0":
            parts = [part for part in path.split("/") if part]
            for count in range(len(parts), -1, -1):
                yield "/".join((CGROUPS, *parts[:count]))


# Who a process is.


def world() -> str:
    """Return what a process number is valid in: this boot of this machine, and these namespaces, as six digits.

    A folder may be shared with other containers, or with other machines. Raises `OSError` if that can't be told.
    """
    from hashlib import blake2s

    with open(f"{PROC}/sys/kernel/random/boot_id") as file:
        boot = file.read()
    namespaces = (os.readlink(f"{PROC}/self/ns/{kind}") for kind in ("pid", "time"))
    return blake2s("".join((boot, *namespaces)).encode(), digest_size=3).hexdigest()


def born() -> int | None:
    """Return when this process was started, for `has_ended`. Raises `OSError` if that can't be told."""
    return started(os.getpid())


def has_ended(pid: int, since: int) -> bool:
    """Return whether the process has ended whose `born` was this. Raises `OSError` if that can't be told."""
    return started(pid) != since


def started(pid: int) -> int | None:
    """Return when a process was started, in the kernel's clock; None if it has ended.

    Raises `OSError` if that can't be told.
    """
    if _has_ended(pid):
        return None
    try:
        # That of the first thread is the same number. In /proc/PID/stat an emulator (qemu) makes one up, by which no
        # other process would know this one again.
        with open(f"{PROC}/{pid}/task/{pid}/stat", errors="replace") as file:
            state, *fields = file.read().rpartition(") ")[2].split()
    except FileNotFoundError, ProcessLookupError:
        if _has_ended(pid):  # since we asked; otherwise /proc hides it from us
            return None
        raise
    return None if state in "ZX" else int(fields[18])


def _has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass  # the number is another user's process, at least by now: the time tells
    return False


def _listed(folder: str) -> list[str]:
    """Return the names in a folder; none if there is no such folder."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _number(path: str) -> int | None:
    """Return the number in a one-line file; None if there is no such file, or it says `max`."""
    try:
        with open(path) as file:
            return int(file.read())
    except OSError, ValueError:
        return None


def _labelled(path: str, label: str, unit: int = 1) -> int | None:
    """Return the number in a line like `VmHWM:   1234 kB`, times `unit`; None if there is no such file or line."""
    try:
        with open(path) as lines:
            for line in lines:
                words = line.split()
                if words[:1] == [label]:
                    return int(words[1]) * unit
    except OSError, ValueError:
        pass
    return None


if PORTABLE:
    from concmodels.platform.portable.measuring import (
        MOST_DESCRIPTORS,
        SOCKET_PATH,
        born,
        busy,
        caught_signals,
        free_memory,
        has_ended,
        held_up,
        open_descriptors,
        parent_and_name,
        peak,
        processes,
        pss,
        reset_peak,
        runnable,
        scheduled,
        started,
        task_limits,
        threads,
        usage,
        world,
    )
