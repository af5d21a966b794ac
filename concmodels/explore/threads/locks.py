"""The locks of simulated threads: what `_thread` has, as steps of a world (`concmodels/models/simulated/world.py`).

A lock that is taken is a step that is not enabled; it is never waited for by waking up and trying again:

    acquire      announce; enabled while the lock is free; done, all the other tasks' steps are disabled
    release      a step; all that wait for the lock are enabled
    a timeout    a second step of the same task, which the clock enables

Locks can be made outside of a run too, by a module that is imported once for all runs: nobody else is there then, and
nothing needs to be announced. `made_outside` has these, for every run must find them free.
"""

import linecache
import re
import sys
from _thread import TIMEOUT_MAX
from collections import deque
from typing import TYPE_CHECKING, Any, NoReturn, Self
from weakref import ref

from concmodels.models.simulated.world import current, new_key
from concmodels.models.tasks.signals.frames import of_program, short, stack

if TYPE_CHECKING:
    from types import FrameType

    from concmodels.models.simulated.steps import Key, Kind, Runner, Step
    from concmodels.models.simulated.world import World

made_outside: list[ref[Lock]] = []
_ASSIGNED = re.compile(r"\s*([\w.]+)(?:\s*:[^=]+)?\s*=[^=]")


class Wait:
    """The wait of a simulated thread, for the message of a `Deadlock`; noted in `task.waiter`."""

    __slots__ = ("runner", "subject")

    def __init__(self, runner: Runner, subject: Any) -> None:
        self.runner = runner
        self.subject = subject

    @property
    def purpose(self) -> Wait:
        """This object itself, whose `describe_wait` says what it is for."""
        return self

    def finish(self, outcome: str) -> bool:
        """Nothing but what it waits for ends the wait of a thread: it can't be cancelled."""
        return False

    def describe_wait(self, _waiter: object) -> str:
        """Say which function of the standard library has been called, or which lock is wanted."""
        frame = self.runner.unit.gr_frame or sys._getframe()
        called = None
        for it in stack(frame):
            if of_program(it):
                break
            if it.f_globals.get("__name__") in _WAITING_MODULES:
                called = it.f_code.co_qualname
        return f"waits in {called}" if called else str(self.subject.describe())


_WAITING_MODULES = ("threading", "queue", "concurrent.futures._base", "concurrent.futures.thread")


_INSIDE = frozenset({__name__, "concmodels.explore.threads.tasks", *_WAITING_MODULES})


class Shared:
    """Something that threads share: it has a key, by which steps that touch it are known to depend on each other."""

    key: Key
    _keys: tuple[tuple[Key, bool], ...]
    _made: tuple[str, int] | None = None
    is_mutex = False
    """Whether the program itself has made it, as a lock: it lets either of two threads come first."""

    def _become_shared(self, kind: Kind) -> None:
        self.key = new_key(kind)
        self._waiting: list[Step] = []
        self._keys = ((self.key, True),)
        if kind == "thread":
            return  # it has a name that is not looked for in the program's text
        frame: FrameType | None = sys._getframe(2)
        self.is_mutex = kind == "lock"
        while frame is not None and (module := frame.f_globals.get("__name__")) in _INSIDE:
            if module in _WAITING_MODULES and frame.f_code.co_name != "RLock":
                self.is_mutex = False
            frame = frame.f_back
        if frame is not None:
            self._made = frame.f_code.co_filename, frame.f_lineno

    def __hash__(self) -> int:
        """The same one on the same schedule, for sets are gone through in the order of these."""
        return hash(self.key[1])

    def _stop_before(self, world: World, kind: str, possible: bool, seconds: float | None) -> bool:
        """Stop before a step that waits until it is possible; return False if the seconds were over before.

        `_enable` and `_disable` are called when that changes.
        """
        runner = world.running
        step = world.announce(kind, self._keys, self)
        step.waits = self.key
        self._waiting.append(step)
        if possible:
            world.enable(step)
        runner.task.waiter = Wait(runner, self)
        try:
            if seconds is None:
                world.park(step)
                return True
            late = world.announce("time out", (), self)
            world.enable_at(world.clock + seconds, late)
            return world.park(step, late) is step
        finally:
            runner.task.waiter = None
            self._waiting.remove(step)

    def _enable(self, world: World | None) -> None:
        if world is not None:
            for step in self._waiting:
                world.enable(step)

    def _disable(self, world: World | None) -> None:
        if world is not None:
            for step in self._waiting:
                world.disable(step)

    @property
    def name(self) -> str:
        """The name that it has in the program's text, where it was made."""
        if self._made is None:
            return self.key[0]
        file, line = self._made
        assigned = _ASSIGNED.match(linecache.getline(file, line))
        return assigned[1].removeprefix("self.") if assigned else f"{self.key[0]} of {short(file)}:{line}"


class Lock(Shared):
    """As `_thread.lock`."""

    def __init__(self) -> None:
        self.owner: object = None
        self._become_shared("lock")
        if current() is None:
            made_outside.append(ref(self, made_outside.remove))

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As `_thread.lock.acquire`."""
        seconds = None if blocking and timeout == -1 else _seconds(blocking, timeout)
        world = current()
        if world is None:
            return self._acquire_outside(seconds)
        runner = world.running
        if seconds == 0:
            world.point("try to acquire", self._keys, self)
            if self.owner is not None:
                return False
        elif not self._stop_before(world, "acquire", self.owner is None, seconds):
            return False
        self.owner = runner
        if self._waiting:
            self._disable(world)
        return True

    __enter__ = acquire

    def release(self) -> None:
        """As `_thread.lock.release`."""
        world = current()
        if world is not None:
            world.point("release", self._keys, self)
        if self.owner is None:
            raise RuntimeError("release unlocked lock")
        if world is not None:
            world.opens(self, self.key)
        self._free(world)

    def locked(self) -> bool:
        """As `_thread.lock.locked`."""
        world = current()
        if world is not None:
            world.point("look at", ((self.key, False),), self)
        return self.owner is not None

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<{'locked' if self.owner is not None else 'unlocked'} simulated {self.key[0]} {self.name}>"

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise TypeError("cannot pickle '_thread.lock' object")

    def __reduce__(self) -> NoReturn:
        raise TypeError("cannot pickle '_thread.lock' object")

    def describe(self) -> str:
        """Say that a thread waits for this, and for whom."""
        by = f", which {self.owner.task.name} holds" if hasattr(self.owner, "task") else ""
        return f"waits for {self.key[0]} {self.name}{by}"

    def _is_owned(self) -> bool:
        """Whether it is taken. `Condition` finds this out by trying to acquire it, which would be a step."""
        return self.owner is not None

    def _at_fork_reinit(self) -> None:
        self.owner = None
        self._waiting = []

    def _acquire_outside(self, seconds: float | None) -> bool:
        if self.owner is None:
            self.owner = True
            return True
        if seconds is None:
            raise RuntimeError(f"the module waits for {self.name} while it is imported, and nothing else runs")
        return False

    def _free(self, world: World | None) -> None:
        self.owner = None
        if self._waiting:
            self._enable(world)


def _seconds(blocking: bool, timeout: float) -> float | None:
    """Check the arguments of `acquire`; return how long it may wait, None for ever."""
    if not blocking:
        if timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        return 0
    if timeout == -1:
        return None
    if timeout < 0:
        raise ValueError("timeout value must be a non-negative number")
    if timeout > TIMEOUT_MAX:
        raise OverflowError("timeout value is too large")
    return timeout


class WaiterLock(Lock):
    """The lock by which `Condition.wait` waits. It makes one and acquires it, which nobody else can see: no step."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As `_thread.lock.acquire`."""
        if self.owner is None and not self._seen:
            self._seen = True
            self.owner = True
            return True
        return super().acquire(blocking, timeout)

    __enter__ = acquire
    _seen = False


class RLock(Lock):
    """As `_thread.RLock`: the thread that has it may acquire it again, which others can't see."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As `_thread.RLock.acquire`."""
        if not self._is_owned() and not super().acquire(blocking, timeout):
            return False
        self._count += 1
        return True

    __enter__ = acquire

    def release(self) -> None:
        """As `_thread.RLock.release`."""
        if not self._is_owned():
            raise RuntimeError("cannot release un-acquired lock")
        if self._count == 1:
            self._release_save()
        else:
            self._count -= 1

    def _is_owned(self) -> bool:
        world = current()
        return self.owner is not None and self.owner is (True if world is None else world.running)

    def _recursion_count(self) -> int:
        return self._count if self._is_owned() else 0

    def _release_save(self) -> int:
        if not self._is_owned():
            raise RuntimeError("cannot release un-acquired lock")
        count = self._count
        super().release()
        return count

    def _acquire_restore(self, count: int) -> None:
        super().acquire()
        self._count = count

    def _free(self, world: World | None) -> None:
        self._count = 0  # not before the release was picked
        super()._free(world)

    def _at_fork_reinit(self) -> None:
        super()._at_fork_reinit()
        self._count = 0


class SimpleQueue(Shared):
    """As `queue.SimpleQueue`, which is written in C: each operation is one step.

    One that puts an item and one that takes another item have nothing to do with each other: the former touches the
    tail and its item, the latter the head and that item. Only in an empty queue the tail is the head, too.
    """

    def __init__(self) -> None:
        self._items: deque[tuple[Key, Any]] = deque()
        self._become_shared("queue")
        self._keys = ((self.key, False),)  # of one that waits: it changes the head only if it takes an item
        self._tail = ((new_key("queue"), True),)

    def __class_getitem__(cls, _item: object) -> type[Self]:
        return cls

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """As `SimpleQueue.put`, which never blocks."""
        world = current()
        if world is not None and not world.dying:  # a pool that is garbage puts something, at any time
            world.point("put", self._tail, self)
            if not self._items:
                world.touch(self.key, True)
                world.opens(self, self.key)
        key = new_key("queue")
        if world is not None:
            world.touch(key, True)
        self._items.append((key, item))
        self._enable(world)

    put_nowait = put

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """As `SimpleQueue.get`. Raises `queue.Empty`, and `ValueError` for a negative timeout."""
        if block and timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        world = current()
        if world is None or not block or timeout == 0:
            if world is not None:
                world.point("get_nowait", self._keys, self)
            if not self._items:
                self._touch_tail(world)
                raise _empty()
        elif not self._stop_before(world, "get", self._is_open(), timeout):
            self._touch_tail(world)
            raise _empty()
        return self._take(world)

    def _is_open(self) -> bool:
        """Return whether those that wait can go on."""
        return bool(self._items)

    def _take(self, world: World | None) -> Any:
        key, item = self._items.popleft()
        if world is not None:
            world.touch(self.key, True)
            world.touch(key, True)
        if not self._is_open():
            self._disable(world)
        return item

    def _touch_tail(self, world: World | None) -> None:
        """Note that it matters for the step under way that nothing has been put."""
        if world is not None:
            world.touch(self._tail[0][0], False)

    def get_nowait(self) -> Any:
        """As `SimpleQueue.get_nowait`."""
        return self.get(block=False)

    def empty(self) -> bool:
        """As `SimpleQueue.empty`."""
        return self.qsize() == 0

    def qsize(self) -> int:
        """As `SimpleQueue.qsize`."""
        world = current()
        if world is not None:
            world.point("look at", ((self.key, False), (self._tail[0][0], False)), self)
        return len(self._items)

    def describe(self) -> str:
        """Say that a thread waits for an item."""
        return f"waits for an item of {self.name}"


def _empty() -> Exception:
    from queue import Empty  # the same class in every queue: that of the standard library, written in C

    return Empty()
