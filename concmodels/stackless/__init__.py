"""Stackless Python's own API, on greenlet: an old Stackless program runs after one changed import.

    >>> import concmodels.stackless as stackless
    >>> def hello(channel):
    ...     print("received", channel.receive())
    >>> channel = stackless.channel()
    >>> task = stackless.tasklet(hello)(channel)
    >>> channel.send("world")
    received world
    >>> stackless.run()

For modules that say `import stackless` themselves: `sys.modules["stackless"] = concmodels.stackless`. As in Stackless,
importing this defines the builtin name `TaskletExit`.

The scheduler is a ring of runnable tasklets, the current one first; the main tasklet, which is the program itself, is
one of them. There is no loop anywhere: whoever stops switches to the next in the ring. A channel holds nothing, only
the tasklets that wait at it. Who finds a partner waiting hands the value over, and `preference` says which of the two
goes on at once; the other goes to the end of the ring.

        ring:   current ──► a ──► b ──► c ──┐          channel:   receivers  r1, r2   (balance -2)
                   ▲────────────────────────┘                     or senders s1       (balance +1)

What is not as in Stackless:

* A tasklet is always switched with its C stack ("hard"), as Stackless itself did for tasklets that called through C.
  So `enable_softswitch` changes nothing, `restorable` is False once a tasklet has begun, a tasklet can't be pickled,
  can't move to another thread once it has begun, and `bind(None)` refuses one that is half-way through.
* Nothing interrupts a tasklet between two instructions. `run(timeout)` is checked where tasklets switch, and an
  instruction counts as `INSTRUCTION_S` seconds. `atomic` and `ignore_nesting` are remembered and have no effect.
* A channel connects tasklets of one thread. Every thread has its own ring; one that ends should kill its tasklets.
* A tasklet that waits for ever is not garbage while its thread lives, as greenlets hide their frames from the
  collector. At the end of the program those of the main thread are killed, so that their `finally` clauses run.
* `threadblock` is ignored. There are no `trace_function`, `profile_function`, `cframe`, `bomb`.
"""

import atexit
import builtins
import sys

from concmodels.stackless import threads
from concmodels.stackless.callbacks import (
    get_channel_callback,
    get_schedule_callback,
    set_channel_callback,
    set_schedule_callback,
)
from concmodels.stackless.channel import channel
from concmodels.stackless.errors import TaskletExit
from concmodels.stackless.run import INSTRUCTION_S as INSTRUCTION_S
from concmodels.stackless.run import run, schedule, schedule_remove
from concmodels.stackless.tasklet import tasklet
from concmodels.stackless.threads import (
    atomic,
    enable_softswitch,
    get_thread_info,
    getcurrent,
    getmain,
    getruncount,
    switch_trap,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = [
    "TaskletExit", "atomic", "channel", "enable_softswitch", "get_channel_callback", "get_schedule_callback",
    "get_thread_info", "getcurrent", "getmain", "getruncount", "run", "schedule", "schedule_remove",
    "set_channel_callback", "set_schedule_callback", "stackless", "switch_trap", "tasklet",
]  # fmt: skip

_COMPUTED: dict[str, Callable[[], Any]] = {
    "current": getcurrent, "main": getmain, "runcount": getruncount, "threads": threads.thread_ids
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _COMPUTED:
        return _COMPUTED[name]()
    if "pickle" in name.lower():
        raise AttributeError(f"{__name__} has no {name!r}: a tasklet on greenlet can't be pickled")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


for _public in (TaskletExit, atomic, channel, tasklet):
    _public.__module__ = __name__  # under which they are shown and pickled
del _public

stackless = sys.modules[__name__]
builtins.TaskletExit = TaskletExit  # type: ignore[attr-defined]  # Stackless has it there
atexit.register(threads.end_all)
