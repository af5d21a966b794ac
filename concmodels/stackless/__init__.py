"""The API of Stackless Python, implemented with greenlets: an old Stackless program runs with one import changed.

    >>> import concmodels.stackless as stackless
    >>> def hello(channel):
    ...     print("received", channel.receive())
    >>> channel = stackless.channel()
    >>> task = stackless.tasklet(hello)(channel)
    >>> channel.send("world")
    received world
    >>> stackless.run()

If a module itself contains `import stackless`, set `sys.modules["stackless"] = concmodels.stackless` before importing
it. As in Stackless, importing this module defines the builtin name `TaskletExit`.

The scheduler is a ring of runnable tasklets, which begins with the current one. One of them is the main tasklet, which
is the program itself. There is no scheduler loop: a tasklet that stops switches to the next one in the ring. A channel
holds no values, only the tasklets that wait at it. If a tasklet sends and another one waits to receive, or the other
way round, the value goes directly from one to the other. The channel's `preference` decides which of the two continues
at once; the other goes to the end of the ring.

        ring:   current ──► a ──► b ──► c ──┐          channel:   receivers  r1, r2   (balance -2)
                   ▲────────────────────────┘                     or senders s1       (balance +1)

The differences from Stackless:

* A tasklet is always switched with its C stack ("hard"), as Stackless itself did for tasklets that called through C.
  So `enable_softswitch` changes nothing, a tasklet that has begun is not `restorable` and can't move to another thread,
  no tasklet can be pickled, and `bind(None)` raises an exception for a tasklet that has begun and not ended.
* Nothing interrupts a tasklet between two instructions. `run(timeout)` is checked where tasklets switch, and an
  instruction counts as `INSTRUCTION_S` seconds. `atomic` and `ignore_nesting` are remembered and have no effect.
* A channel connects tasklets of one thread. Every thread has its own ring; a thread that ends should kill its tasklets.
* A tasklet that waits for ever is not collected while its thread exists, because greenlets hide their frames from the
  garbage collector. At the end of the program the tasklets of the main thread are killed, so that their `finally`
  clauses run.
* `threadblock` is ignored. `trace_function`, `profile_function`, `cframe` and `bomb` don't exist.
"""

import atexit
import builtins
import sys

from concmodels.stackless import thread_ring
from concmodels.stackless.channel import channel
from concmodels.stackless.run import INSTRUCTION_S as INSTRUCTION_S
from concmodels.stackless.run import run, schedule, schedule_remove
from concmodels.stackless.scheduler import (
    TaskletExit,
    get_channel_callback,
    get_schedule_callback,
    set_channel_callback,
    set_schedule_callback,
)
from concmodels.stackless.tasklet import tasklet
from concmodels.stackless.thread_ring import (
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
    "current": getcurrent, "main": getmain, "runcount": getruncount, "threads": thread_ring.thread_ids
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
atexit.register(thread_ring.end_all)
