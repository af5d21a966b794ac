"""Functions for the ring of a thread as a whole: questions about it, its switch trap, and its end."""

import sys

from greenlet import greenlet

from concmodels.stackless.tasklet import here, scheduler_of, threads_with_rings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.stackless.tasklet import tasklet


def getcurrent() -> tasklet:
    """Return the current tasklet."""
    current: tasklet = here.scheduler.current
    return current


def getmain() -> tasklet:
    """Return the main tasklet of this thread, which is the thread's own code."""
    main: tasklet = here.scheduler.main
    return main


def getruncount() -> int:
    """Return the number of tasklets in the ring, the current one included."""
    return 1 + len(here.scheduler.ready)


def get_thread_info(thread_id: int = -1, flags: int = 0) -> tuple[tasklet, tasklet, int]:
    """Return the main tasklet, the current tasklet and the run count of a thread; -1 is the current thread."""
    scheduler = here.scheduler if thread_id == -1 else scheduler_of(thread_id)
    return scheduler.main, scheduler.current, 1 + len(scheduler.ready)


def switch_trap(change: int = 0) -> int:
    """Add `change` to the trap level, and return the old level. While it is not 0, a switch raises `RuntimeError`."""
    scheduler = here.scheduler
    old, scheduler.trap = scheduler.trap, scheduler.trap + change
    return old


def enable_softswitch(flag: object) -> bool:
    """Return False and change nothing: greenlet has no soft switching."""
    return False


class atomic:
    """`with atomic():` marks a block that must not be interrupted. Here nothing interrupts tasklets anyway."""

    def __enter__(self) -> None:
        self._old = getcurrent().set_atomic(True)

    def __exit__(self, *_: object) -> None:
        getcurrent().set_atomic(self._old)


def end_all() -> None:
    """At the end of the program, kill tasklets that have begun and not ended; try it up to ten times."""
    scheduler = here.scheduler
    if scheduler.main._unit is not greenlet.getcurrent():
        return  # the program ended inside a tasklet, from which others can't be ended
    scheduler.trap, scheduler.timer, scheduler.current = 0, None, scheduler.main
    scheduler.watchdogs.clear()
    scheduler.ready.clear()  # Ctrl-C may have interrupted a switch: begin with an empty ring
    for _ in range(10):
        for unit in [*scheduler.started]:
            _end_one(unit)


def _end_one(unit: tasklet) -> None:
    try:
        if not unit.blocked:
            unit._place = None
        unit.kill()
    except BaseException:  # noqa: BLE001 - at the end of the program it can only be shown
        sys.excepthook(*sys.exc_info())


def thread_ids() -> list[int]:
    """Return the ids of the threads that have tasklets, their main tasklets included; the main thread first."""
    import threading

    main = threading.main_thread().ident
    return sorted(threads_with_rings(), key=lambda ident: ident != main)
