"""Finds out whether the callbacks of a run would do the same in any order that their loop can call them in.

Two callbacks can be called in either order, unless one has scheduled the other, or both are steps of one task. If they
then touch the same thing, and one of them changes it, the order may matter: the run *differs* from others. If no two
do, all schedules do the same as this one, and one run proves the program: a new order only swaps callbacks that have
nothing to do with each other (Mazurkiewicz: Trace Theory, 1987). It is said at `preemption/following.py` how it is
known what they touch. What can't be found out counts as anything.

Some callbacks of asyncio change the same and can be swapped nevertheless: those by which `gather` and a `TaskGroup`
count the tasks that have ended well. Who waits for them goes on after all of them.

A timer that was cancelled might have expired before, if the loop had been late. How late it can be is known: by the
slack for each timer on the way there. One that lay further ahead could not expire in any schedule.
"""

import sys
from asyncio import BaseEventLoop, Handle, TaskGroup, tasks
from asyncio import __file__ as _asyncio_file
from functools import partial
from os.path import dirname
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from concmodels.explore.eventloops.futures import FollowedTask
from concmodels.explore.eventloops.haste import SLACK_S
from concmodels.explore.eventloops.history import PROGRAM, history_of
from concmodels.explore.threads.installed import is_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from concmodels.explore.monitor import Race, Site
    from concmodels.models.simulated.steps import Step
    from concmodels.models.simulated.world import World

_DISCARD: Any = getattr(tasks, "_discard_awaited_by", BaseEventLoop)
_ASYNCIO = dirname(_asyncio_file)
_MOST = 1_000
"""The most callbacks of a run that is followed; far fewer than those after which a timer expires in any case."""


class Followed:
    """As `RaceDetector`, of one run. Sets of callbacks are numbers with a bit for each.

    `are_alike` is so until something is met by which schedules may differ.
    """

    def __init__(self, forget: Callable[[], object]) -> None:
        self.are_alike = False
        self.found: list[Race] = []
        self.sites: set[Site] = set()
        self.unseen: list[str] = []
        self._forget = forget
        self._reset()

    def _reset(self) -> None:
        self._count = 0
        self._timers = 0
        self._bit = 0
        """The callback that is called now; 0 between two of them."""
        self._before = 0
        """Those that come before it in any schedule, and itself."""
        self._made: dict[int, int] = {}
        """By the identity of a callback: what comes before it."""
        self._last: dict[int, int] = {}
        """By task, and by what counts tasks: what comes before its next callback."""
        self._continued: list[int] = []
        self._changed: dict[int, int] = {}
        self._read: dict[int, int] = {}
        self._accessed: dict[int, Any] = {}
        """What was accessed, which is kept alive: another object would get its address."""

    def begin(self, world: World) -> None:
        """As `RaceDetector.begin`."""
        self._reset()
        self._world = world
        history_of(world).followed = self
        self.are_alike = True

    @property
    def is_proof(self) -> bool:
        """Whether all schedules do the same as this one, in which callbacks were called."""
        return self.are_alike and self._count > 0

    def is_over(self, step: Step) -> None:
        """As `RaceDetector.is_over`."""

    def differ(self) -> None:
        """Note that schedules may differ from this one."""
        self.are_alike = False

    # What comes before what.

    def make(self, identity: int) -> None:
        """Note that the present callback schedules this one."""
        self._made[identity] = self._before

    def begin_callback(self, handle: Any, key: int) -> None:
        """Begin a callback, which touches this."""
        self._forget()
        self._clock = self._world.clock
        callback = handle._callback
        self._continued = []
        if isinstance(callback, partial) and callback.func is _DISCARD:
            self._before = self._made[handle.identity]
            return  # it forgets who waits for whom, which only a debugger looks at
        self._bit = 1 << self._count
        self._count += 1
        self._timers += hasattr(handle, "_when")
        owner = getattr(callback, "__self__", None)
        if isinstance(owner, FollowedTask):
            self._continued.append(owner.identity)
        elif _counts(callback, handle._args):
            self._continued.append(id(owner or callback))
        self._before = self._made[handle.identity] | self._bit
        for it in self._continued:
            self._before |= self._last.get(it, 0)
        if self._count > _MOST:
            self.differ()
        self.touch_key(PROGRAM, False)
        if isinstance(owner, FollowedTask):
            self.touch_key(owner.identity, True)
        elif key != PROGRAM:
            self.touch_key(key, True)
        elif _is_of_asyncio(callback):
            self.touch(callback, "", not _counts(callback, handle._args))
        elif owner is not None and not hasattr(callback, "__func__"):
            self.touch_all()  # a method that is written in C

    def end_callback(self) -> None:
        """The callback has ended. If it has slept, all that should have happened by then is late."""
        if self._world.clock != self._clock:
            self.differ()
        for it in self._continued:
            self._last[it] = self._before
        self._bit = 0

    def end_loop(self, ready: Iterable[Any], timers: Iterable[Any], clock: float) -> None:
        """The loop stops: what the program does now must come after all callbacks, in any schedule."""
        if self._before != (1 << self._count) - 1 or any(not it._cancelled for it in ready):
            self.differ()
        for timer in timers:
            if not timer._cancelled:
                self.leave(timer._when, clock)

    def leave(self, when: float, clock: float) -> None:
        """Note that a timer for this moment never expires. In other schedules the clock may show more or less."""
        if when - clock <= (2 * self._timers + 3) * SLACK_S:
            self.differ()

    def read_clock(self) -> None:
        """Note that somebody asks for the time: if it isn't asyncio, which needs it for timers, it may do anything."""
        frame = sys._getframe(2)
        while frame.f_back is not None and is_own(frame.f_code.co_filename):
            frame = frame.f_back
        if not frame.f_code.co_filename.startswith(_ASYNCIO):
            self.differ()

    # What is touched.

    def touch_key(self, key: int, changes: bool) -> None:
        """Note that the present callback touches this."""
        if self._bit == 0:
            return  # it comes after all callbacks before, and before all that follow
        others = self._changed.get(key, 0)
        if changes:
            others |= self._read.get(key, 0)
        if others & ~self._before:
            self.differ()
        if changes:
            self._changed[key], self._read[key] = self._bit, 0
        else:
            self._read[key] = self._read.get(key, 0) | self._bit

    def touch(self, thing: Any, name: str, changes: bool) -> None:
        """Note an access to an object: of variables to one of them, otherwise to the whole."""
        is_variable = name and isinstance(thing, (dict, CodeType))
        self._accessed[id(thing)] = thing
        self.touch_key(hash((id(thing), name)) if is_variable else id(thing), changes)

    def touch_all(self) -> None:
        """Note an access to what may be anything."""
        self.touch_key(PROGRAM, True)

    def access(self, _site: Site, it: Any, _surely: bool) -> None:
        """Note an access of the present callback."""
        self.touch(it.owner, it.name, it.writes)

    def access_unknown(self, _site: Site, _writes: bool, _calls_back: bool) -> None:
        """As `touch_all`."""
        self.touch_all()

    def missed(self, _site: Site, _why: str, _at_once: bool = False) -> None:
        """As `touch_all`."""
        self.touch_all()


def _counts(callback: Any, args: Any) -> bool:
    """Return whether a callback only counts a task that has ended well."""
    function = getattr(callback, "__func__", callback)
    if function is not TaskGroup._on_task_done and (
        not isinstance(function, FunctionType)
        or function.__qualname__ != "gather.<locals>._done_callback"
        or not _is_of_asyncio(function)
    ):
        return False
    task = args[0]
    return isinstance(task, FollowedTask) and not FollowedTask.ended_badly(task)


def _is_of_asyncio(callback: Any) -> bool:
    """Return whether this is a function of asyncio, which may keep something between two calls."""
    return isinstance(callback, FunctionType) and callback.__code__.co_filename.startswith(_ASYNCIO)


def is_known(owner: Any, name: str) -> bool:
    """Return whether this method of the library changes nothing but what is ready and what waits."""
    if isinstance(owner, BaseEventLoop):
        return name in _SCHEDULING
    return isinstance(owner, Handle) and name in ("_run", "__init__", "cancel")


_SCHEDULING = frozenset(
    {
        "call_later", "call_soon", "call_at", "create_task", "create_future", "time", "_check_closed", "get_debug",
        "is_closed", "is_running", "stop", "_timer_handle_cancelled", "_asyncgen_firstiter_hook",
    }
)  # fmt: skip
