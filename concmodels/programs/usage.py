"""What a process has used, and the nodes that report it.

Where nodes are processes, `getrusage` of the parent knows nothing of them (`RUSAGE_CHILDREN` stays 0 for the children
of a forkserver), so each reports its own. Children import this module: it imports next to nothing.
"""

from concmodels.ring import feed, node, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import Channel

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
    """Return what this process has used since then; the peak is the peak."""
    now = usage()
    return (now[0] - before[0], now[1] - before[1], now[2] - before[2], now[3] - before[3], now[4])


def measured_node(inbox: Channel[Any], outbox: Channel[Any], uncounted: int) -> Usage:
    """A `node` in a process of its own: returns what it used for the counted messages."""
    for _ in range(uncounted):
        outbox.send(inbox.receive())
    before = usage()
    node(inbox, outbox)
    return since(before)


def measured_feed(grants: Channel[int], outbox: Channel[Any], payload: int, uncounted: int) -> Usage:
    """A `feed` in a process of its own: returns what it used for the counted messages."""
    sent = 0
    while sent < uncounted:
        limit = grants.receive()
        for message in numbered(range(sent, limit), payload):
            outbox.send(message)
        sent = limit
    before = usage()
    feed(grants, outbox, payload, sent)
    return since(before)


def _maxrss_unit() -> int:
    import sys

    return 1 if sys.platform == "darwin" else 1024


def _portable_usage() -> Usage:
    import os

    times = os.times()
    return times.user, times.system, 0, 0, 0
