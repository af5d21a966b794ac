"""The resources that a process has used: CPU time, context switches, memory.

Where tasks are processes, `getrusage` in the parent does not include them (`RUSAGE_CHILDREN` stays 0 for the children
of a forkserver), so each task reports its own usage. Children import this module, so it imports next to nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # user seconds, system seconds, voluntary and involuntary context switches, the peak resident set in bytes
    type Usage = tuple[float, float, int, int, int]


def usage() -> Usage:
    """Return what this process has used up to now."""
    try:
        import resource
    except ImportError:  # not on Windows
        return _portable_usage()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime, used.ru_stime, used.ru_nvcsw, used.ru_nivcsw, used.ru_maxrss * _maxrss_unit()


def since(before: Usage) -> Usage:
    """Return what this process has used since `before` was taken; the peak is that of its whole life."""
    return difference(usage(), before)


def difference(now: Usage, before: Usage) -> Usage:
    """Return what was used between two such moments; the peak is the later one."""
    return (now[0] - before[0], now[1] - before[1], now[2] - before[2], now[3] - before[3], now[4])


def _maxrss_unit() -> int:
    import sys

    return 1 if sys.platform == "darwin" else 1024


def _portable_usage() -> Usage:
    import os

    times = os.times()
    return times.user, times.system, 0, 0, 0
