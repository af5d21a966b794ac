"""How often two threads are in the library at once: what is only right one at a time would show then.

Each of two tasks counts its operations, none of which waits, and looks in how many of them the other task has ended one
of its own. Without the GIL, with a processor for each thread, that is often; with it, only if a thread loses its turn
in the middle of an operation.
"""

import math
import time
from collections.abc import Callable
from typing import Any

SHARED = ("a channel of 8", "an unbounded channel", "a pool")
"""What the two tasks share."""


class Meetings:
    """Counts of the operations that each of two tasks has done, and of those in which the other one went on too."""

    def __init__(self) -> None:
        self.here = [False, False]
        self.met = [0, 0]
        self.done = [0, 0]
        self.began = 0.0

    def begin(self, me: int) -> None:
        """Begin together: a thread is started later than another one, and might find that alone."""
        self.here[me] = True
        while not self.here[not me]:
            time.sleep(0)
        self.began = time.perf_counter()

    def do(self, me: int, operation: Callable[..., Any], *args: Any) -> Any:
        """Do one operation, and count it."""
        before = self.done[not me]
        result = operation(*args)
        self.met[me] += self.done[not me] > before
        self.done[me] += 1
        return result


def with_a_channel(meetings: Meetings, me: int, channel: Any, operations: int) -> None:
    """Send an item through the channel of both, and receive one: there always is one."""
    meetings.begin(me)
    for number in range(operations // 2):
        meetings.do(me, channel.send_nowait, number)
        meetings.do(me, channel.receive_nowait)


def with_a_pool(meetings: Meetings, me: int, pool: Any, operations: int) -> None:
    """Give the pool of both some work."""
    meetings.begin(me)
    futures = [meetings.do(me, pool.submit, abs, -number) for number in range(operations // 2)]
    assert [future.result() for future in futures] == list(range(operations // 2))


def side_by_side(model: Any, program: Callable[..., None], shared: Any, operations: int) -> tuple[float, Meetings]:
    """Let two tasks do so many operations each. Return the seconds, and what they counted."""
    meetings = Meetings()
    with model.TaskGroup() as group:
        for me in range(2):
            group.spawn(program, meetings, me, shared, operations)
    return time.perf_counter() - meetings.began, meetings


def main(model: Any, shared: str, operations: int) -> tuple[float, Meetings]:
    """Make what the two tasks share, and let them use it."""
    if shared == "a pool":
        with model.Pool(2) as pool:
            return side_by_side(model, with_a_pool, pool, operations)
    channel = model.Channel(math.inf if shared == "an unbounded channel" else 8)
    return side_by_side(model, with_a_channel, channel, operations)


def counted(model: str, shared: str, operations: int, repeats: int) -> tuple[float, dict[str, Any]]:
    """Return the seconds of all operations, and in how many of a thousand the other thread ended one of its own."""
    from concmodels import load

    verbs = load(model)
    seconds, met, done = 0.0, 0, 0
    for _ in range(repeats):
        took, meetings = verbs.run(main, verbs, shared, operations)
        seconds += took
        met += sum(meetings.met)
        done += sum(meetings.done)
    return seconds, {"operations": done, "met_per_thousand": 1000 * met / done}
