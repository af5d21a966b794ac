"""The resources that a process has used: CPU time, context switches, memory.

Where tasks are processes, `getrusage` in the parent does not include them (`RUSAGE_CHILDREN` stays 0 for the children
of a forkserver), so each task reports its own usage. Children import this module, so it imports next to nothing.
"""

from concmodels.platform.measuring import Usage, usage

__all__ = ["Usage", "since", "usage"]


def since(before: Usage) -> Usage:
    """Return what this process has used since `before` was taken; the peak is that of its whole life."""
    return difference(usage(), before)


def difference(now: Usage, before: Usage) -> Usage:
    """Return what was used between two such moments; the peak is the later one."""
    return (now[0] - before[0], now[1] - before[1], now[2] - before[2], now[3] - before[3], now[4])
