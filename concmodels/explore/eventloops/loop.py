"""The event loop of an explored asyncio program: no selector, a clock of the world, and choices of the schedule.

An iteration of asyncio's loop waits for the outside, appends the timers that have expired to the callbacks that are
ready, and then calls these. This one does the same, but its timers expire when the schedule says so. Each callback is a
step of the world, and so is each timer:

    go on first    the callbacks that are ready are called, before the next timer expires
    timer          it expires first; "end of a sleep" if a task sleeps for it
    wake           another thread has scheduled something

A timer may come before callbacks that are ready if it lies at most `SLACK_S` ahead of the last moment in which nothing
could go on: so long they may take, all together, not for ever. A time limit of five seconds never expires while there
is something left to do.
"""

import asyncio
import gc
import heapq
import sys
from asyncio import base_events, events, futures
from collections import deque
from contextlib import suppress
from functools import partial
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from concmodels.explore.eventloops.executor import Job, awaitable
from concmodels.explore.eventloops.findings import findings_of, is_over
from concmodels.explore.eventloops.futures import FollowedTask, Future, Gathering, Task
from concmodels.explore.eventloops.haste import END_OF_SLEEP, PATIENCE, SLACK_S, haste_of
from concmodels.explore.eventloops.history import PROGRAM, history_of
from concmodels.explore.eventloops.interrupts import OUTSIDE, interrupts_of, name_of
from concmodels.explore.eventloops.numbered import forget_numbers
from concmodels.explore.eventloops.refused import refuse, refusing_methods
from concmodels.explore.eventloops.unwatched import CodeInThread
from concmodels.explore.threads.given import callers, line_behind
from concmodels.explore.threads.installed import is_own
from concmodels.models.simulated.steps import TIMER
from concmodels.models.tasks.signals.frames import awaits, line_of_program

if TYPE_CHECKING:
    import contextvars
    from collections.abc import Callable, Iterator
    from types import FrameType

    from concmodels.explore.eventloops.haste import Haste
    from concmodels.models.simulated.steps import Identity, Step
    from concmodels.models.simulated.world import World

_A_SIGNAL = "have the schedule decide when it comes, by --interrupt or interrupt=True, or call the handler in a task"


class _Lane:
    """The name and identity of an asyncio task, as pictures show them."""

    def __init__(self, name: str, identity: Identity) -> None:
        self.name = name
        self.identity = identity


class _Handle(events.Handle):
    __slots__ = ("identity",)

    identity: int


class _Timer(events.TimerHandle):
    __slots__ = ("begun", "calls", "identity", "is_sleep", "lane", "number", "place", "slept_at")

    identity: int
    number: int
    calls: int
    is_sleep: bool
    lane: _Lane | None
    place: tuple[str, int] | None
    slept_at: tuple[str, int] | None
    """Where the program sleeps for this, in a run in which that may end too soon."""
    begun: float
    _when: float
    _scheduled: bool

    def __lt__(self, other: Any) -> bool:
        return bool((self._when, self.number) < (other._when, other.number))


_BaseEventLoop: Any = base_events.BaseEventLoop  # of what a loop is derived from, the types tell little


class SimulatedLoop(_BaseEventLoop):  # type: ignore[misc]
    """An event loop of the run in this world."""

    _ready: Any
    _scheduled: list[_Timer]

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world
        self.history = history_of(world)
        self._findings = findings_of(world)
        self._findings.loops.append(self)
        self._haste = haste_of(world)
        self._interrupts = interrupts_of(world)
        self.key = world.new_key("queue")
        self._keys = ((self.key, True),)
        self.jobs: set[Job] = set()
        """The jobs of threads that are not done."""
        self._all_done: Future | None = None
        self._left = 0
        self._wake: Step | None = None
        self._timers = count()
        self._task_names = count(1)
        self._lanes: WeakKeyDictionary[Any, _Lane] = WeakKeyDictionary()

    # What the program schedules.

    def time(self) -> float:
        """As `loop.time`: the clock of the world."""
        return self._world.tell_time()

    def _call_soon(self, callback: Any, args: Any, context: contextvars.Context | None) -> Any:
        handle = _Handle(callback, args, self, context)
        handle.identity = self.history.new_identity()
        self._ready.append(handle)
        return handle

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> Any:
        """As `loop.call_at`."""
        if when is None:
            raise TypeError("when cannot be None")
        self._check_closed()
        timer = _Timer(when, callback, args, self, context)
        timer.identity, timer.number = self.history.new_identity(), next(self._timers)
        timer.calls, timer.lane, timer.place = self.history.calls, None, None
        timer.begun, timer.slept_at = self._world.clock, None
        if self._world.record:
            timer.lane, timer.place = self._caller()
        timer.is_sleep = sys._getframe(2).f_code is _SLEEP
        self._findings.has_limits |= not timer.is_sleep
        if self._haste is not None and timer.is_sleep:
            timer.slept_at = line_behind(sys._getframe(2))
        timer._scheduled = True
        heapq.heappush(self._scheduled, timer)
        return timer

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> Any:
        """As `loop.call_soon_threadsafe`; a step, because another thread may call it at any time."""
        self._check_closed()
        self.announce_another_thread()
        self.history.differ()
        handle = self._call_soon(callback, args, context)
        self._write_to_self()
        return handle

    def _write_to_self(self) -> None:
        if self._wake is not None:
            self._world.enable(self._wake)

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        """As `loop.run_in_executor`."""
        self._check_closed()
        if executor is None:
            executor = self._default_executor
            self._check_default_executor()
        if executor is not None:
            return awaitable(executor.submit(func, *args), self)
        self.history.differ()
        job = Job(self, partial(func, *args) if args else func)
        self.jobs.add(job)
        if not job.is_one_step:
            self.history.is_complete = False
            if not (job.is_plain or self._findings.is_watched):
                self._world.cut(CodeInThread())
        runner = self._world.start(job)
        if self._world.record:
            (begin,) = runner.pending
            begin.resumes, begin.place = self._caller()
        if not hasattr(func, "stands_for"):
            with self.history.interrupted():
                self._world.point("give a job", self._keys)
        job.is_given = False
        return job.future

    def is_watched(self) -> bool:
        """Return whether the code of the program is watched."""
        return self._findings.is_watched

    def must_be_watched(self) -> None:
        """End this run: what seemed to be one step ran code of the program."""
        self._world.cut(CodeInThread())

    def set_default_executor(self, executor: Any) -> None:
        """As `loop.set_default_executor`; any executor will do."""
        self._default_executor = executor

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """As `loop.shutdown_default_executor`: wait for the jobs of threads, also for those that nothing awaits."""
        self._executor_shutdown_called = True
        if self.jobs:
            self._all_done = self.create_future()
            await self._all_done
        if self._default_executor is not None:
            self._default_executor.shutdown(wait=True)

    def job_is_done(self, job: Job) -> None:
        """Take note of the end of a job."""
        self.jobs.discard(job)
        if self._all_done is not None and not self.jobs:
            self.append(futures._set_result_unless_cancelled, self._all_done, None)  # type: ignore[attr-defined]

    def touch(self) -> None:
        """Note that the step under way schedules something."""
        self._world.touch(self.key, True)

    def announce_another_thread(self) -> None:
        """Stop before the step in which another thread schedules something."""
        self._world.point("call soon", self._keys, "a callback of another thread")

    def append(self, callback: Callable[..., object], *args: Any) -> Any:
        """Schedule a callback from another thread, in a step that was announced."""
        handle = self._call_soon(callback, args, None)
        self._write_to_self()
        return handle

    def get_debug(self) -> bool:
        """As `loop.get_debug`. A future asks for it when it is made. Only those that the loop makes tell who touches
        them."""
        if self.history.followed is not None:
            code = sys._getframe(1).f_code
            if code not in _ASK_FOR_DEBUG and not is_own(code.co_filename):
                self.history.differ()
        return bool(super().get_debug())

    def create_future(self) -> Future:
        """As `loop.create_future`."""
        return Future(self.history, loop=self)

    def create_task(self, coro: Any, **options: Any) -> Any:
        """As `loop.create_task`; names are numbered anew in each run."""
        number = next(self._task_names)
        name = options.get("name")
        if name is None:
            options["name"] = f"Task-{number}"
        if self._task_factory is None:
            self._check_closed()
            is_told = self.history.followed is not None or self._findings.is_watched
            kind = FollowedTask if is_told else Task
            task: Any = kind(coro, history=self.history, loop=self, **options)
            if options.get("context") is not None:
                self.history.touch(PROGRAM)  # others may have it, too
        else:
            self.history.differ()  # tasks of another kind tell nothing
            task = super().create_task(coro, **options)
        if number == 1 or getattr(coro, "cr_code", None) in _CLOSING:
            self._lanes[task] = _Lane("main", (0,))
        else:
            own = name or f"{getattr(coro, '__name__', 'task')}-{number - 1}"
            self._lanes[task] = _Lane(str(own), self._world.next_identity())
            self._world.running.started += 1
        return task

    # What is done when.

    def run_forever(self) -> None:
        """As `loop.run_forever`."""
        runner = self._world.running
        outer, runner.event_loop = runner.event_loop, self
        try:
            super().run_forever()
        finally:
            runner.event_loop = outer
        if self.history.followed is not None:
            self.history.followed.end_loop(self._ready, self._scheduled, self._world.clock)

    def run_until_complete(self, future: Any) -> Any:
        """As `loop.run_until_complete`. Then tasks are freed that nothing holds, as they might have been before."""
        is_closing = getattr(future, "cr_code", None) in _CLOSING  # then it was done just before
        try:
            return super().run_until_complete(future)
        finally:
            if not (self._world.dying or is_closing):
                gc.collect(0)

    def _run_once(self) -> None:
        if not self._world.keeps_order:
            self._call_any()
            return
        self._poll()
        for left in range(len(self._ready), 0, -1):
            self._left = left
            if self.jobs:
                self._visit()
            handle = self._ready.popleft()
            if handle._cancelled:
                self.history.differ()  # it might have been called before
            else:
                self._call(handle)

    def _poll(self) -> None:
        """Wait until something is ready, and let timers expire."""
        while not self._stopping or self._ready:
            timer = self._next_timer()
            if self._ends_too_soon(timer):
                continue
            if not self._ready:
                if not self._is_interrupted():
                    self._wait(timer)
            elif timer is None or not (self._may_expire(timer) or self._is_long_ago(timer)):
                return
            elif self._is_long_ago(timer) or self._is_first(timer):
                self._expire(timer)
            else:
                return

    def _call_any(self) -> None:
        """Call one of the callbacks that are ready, whichever the schedule takes, or let a timer expire."""
        world, self._left = self._world, 0
        ready = self._ready = deque(it for it in self._ready if not it._cancelled)
        timer = self._next_timer()
        if self._ends_too_soon(timer):
            return
        if not ready:
            if not (self._stopping or self._is_interrupted()):
                self._wait(timer)
            return
        if timer is not None and self._is_long_ago(timer):
            self._expire(timer)
            return
        self._visit()
        steps = [world.announce(f"go on {number}", self._keys) for number in range(len(ready))]
        for step, handle in zip(steps, ready, strict=True):
            step.resumes, step.place = self._resumed_by(handle)
        if timer is not None and self._may_expire(timer):
            steps.append(self._expiry(timer))
        chosen = self._choose(steps)
        if timer is not None and chosen == len(ready):
            self._expire(timer)
        else:
            handle = ready[chosen]
            del ready[chosen]
            self._call(handle)

    def _choose(self, steps: list[Step]) -> int:
        """Let the schedule take one of these steps, which can all be taken now; return which."""
        for step in steps:
            self._world.enable(step)
        return steps.index(self._world.park(*steps))

    def _next_timer(self) -> _Timer | None:
        timers = self._scheduled
        while timers and timers[0]._cancelled:
            heapq.heappop(timers)._scheduled = False
        return timers[0] if timers else None

    def _may_expire(self, timer: _Timer) -> bool:
        return timer._when <= self._world.idle_at + (SLACK_S if self._haste is None else 0)

    def _is_long_ago(self, timer: _Timer) -> bool:
        return self.history.calls - timer.calls > PATIENCE

    def _is_first(self, timer: _Timer) -> bool:
        """Let the schedule decide whether this timer expires before the callbacks that are ready."""
        world, self._left = self._world, 0
        self._visit()
        go_on, expire = world.announce("go on first", self._keys), self._expiry(timer)
        world.enable(go_on)
        world.enable(expire)
        return world.park(go_on, expire) is expire

    def _ends_too_soon(self, following: _Timer | None) -> bool:
        """Let the schedule end a sleep before anything else, where that may be; return whether it has."""
        haste, world = self._haste, self._world
        if haste is None:
            return False
        scheduled = sorted(it for it in self._scheduled if not it._cancelled)
        before = takewhile(lambda it: it.slept_at is not None, scheduled)
        sleeping = [it for it in before if haste.may_end(it.slept_at)]
        if not (self._ready or world.enabled):
            sleeping = [it for it in sleeping if it is not following]  # that one is the next in any case
        if not sleeping:
            return False
        if self._ready:
            self._visit()
        haste.meet(it.slept_at for it in sleeping)
        steps = [world.announce(f"end sleep {number}", self._keys) for number in range(len(sleeping))]
        steps.append(world.announce("go on", self._keys))
        chosen = self._choose(steps)
        if chosen == len(sleeping):
            return False
        self._end_now(sleeping[chosen], haste)
        return True

    def _end_now(self, sleep: _Timer, haste: Haste) -> None:
        """End a sleep: the clock jumps to its end."""
        world, place = self._world, sleep.slept_at
        assert place is not None
        haste.end(place, sleep._when - sleep.begun)
        self._scheduled.remove(sleep)
        heapq.heapify(self._scheduled)
        sleep._scheduled = False
        world.clock = max(world.clock, sleep._when)
        self._ready.append(sleep)

    def _is_interrupted(self) -> bool:
        """Let the schedule have a signal come, in a run in which one may; return whether one has."""
        interrupts, world = self._interrupts, self._world
        signals = [] if interrupts is None or world.running is not world.main else interrupts.may_come()
        if interrupts is None or not signals:
            return False
        steps = [world.announce(f"signal {number}", self._keys) for number in signals]
        if world.record:
            for step, number in zip(steps, signals, strict=True):
                step.resumes, step.place = _Lane(name_of(number), OUTSIDE), self._place_of_main()
        steps.append(world.announce("no signal", self._keys))
        chosen = self._choose(steps)
        if chosen == len(signals):
            return False
        self.history.begin(signals[chosen], PROGRAM)
        with world.unannounced():
            interrupts.come(signals[chosen])
        self.history.end()
        return True

    def add_signal_handler(self, sig: int, callback: Callable[..., object], *args: Any) -> None:
        """As `loop.add_signal_handler`, in a run in which a signal may come. Otherwise it is refused."""
        if self._interrupts is None:
            refuse("handles a signal", _A_SIGNAL)
        else:
            self._interrupts.handlers[sig] = lambda: self._call_soon(callback, args, None)

    def remove_signal_handler(self, sig: int) -> bool:
        """As `loop.remove_signal_handler`."""
        if self._interrupts is None:
            refuse("handles a signal", _A_SIGNAL)
        return self._interrupts is not None and self._interrupts.handlers.pop(sig, None) is not None

    def _wait(self, timer: _Timer | None) -> None:
        """Nothing is ready: wait for the timer, and for other threads."""
        world = self._world
        steps = [world.announce("wake", self._keys)]
        if timer is not None:
            expire = self._expiry(timer)
            steps.append(expire)
            if world.enabled and self._may_expire(timer):
                world.enable(expire)
            else:
                world.enable_at(timer._when, expire)
        self._wake = steps[0]
        try:
            chosen = world.park(*steps)
        finally:
            self._wake = None
        if timer is not None and chosen is not steps[0]:
            self._expire(timer)

    def _expiry(self, timer: _Timer) -> Step:
        step = self._world.announce(END_OF_SLEEP if timer.is_sleep else TIMER, self._keys)
        step.place, step.resumes = timer.place, timer.lane
        return step

    def _expire(self, timer: _Timer) -> None:
        heapq.heappop(self._scheduled)._scheduled = False
        self._world.clock = max(self._world.clock, timer._when)
        if self._haste is not None and timer.slept_at is not None:
            self._haste.passed.add(timer.slept_at)
        self._ready.append(timer)

    def _call(self, handle: Any) -> None:
        """Call a callback, as a step of the world."""
        self._is_interrupted()
        history = self.history
        lane, place = self._resumed_by(handle)
        self._world.point("callback" if lane is None else "resume", self._keys, resumes=lane, place=place)
        history.begin(handle.identity, key := _touched_by(handle))
        if history.followed is not None:
            history.followed.begin_callback(handle, key)
        try:
            handle._run()
        finally:
            if history.followed is not None:
                history.followed.end_callback()
            history.end()

    def _timer_handle_cancelled(self, handle: Any) -> None:
        if self.history.followed is not None and handle._scheduled:
            self.history.followed.leave(handle._when, self._world.clock)
        super()._timer_handle_cancelled(handle)

    def _visit(self) -> None:
        """Let a search leave this run if the same state was there before."""
        if self.history.is_complete and len(self._world.runners) == 1 + len(self.jobs):
            self._world.visit(self._state())

    def _resumed_by(self, handle: Any) -> tuple[_Lane | None, tuple[str, int] | None]:
        """Return which task a callback resumes, if it is one's, and at which line."""
        task = getattr(handle._callback, "__self__", None)
        if not isinstance(task, asyncio.Task):
            return None, None
        return self._lane(task), line_of_program(awaits(task.get_coro())) if self._world.record else None

    def _state(self) -> Any:
        """All that the rest of the run depends on."""
        world = self._world
        jobs = tuple(sorted(job.identity for job in self.jobs))
        ready = tuple(it.identity for it in self._ready if not it._cancelled)
        timers = [(it._when, it.number, it.identity) for it in self._scheduled if not it._cancelled]
        waiting = tuple((when, identity) for when, _, identity in sorted(timers))
        if not world.keeps_order:
            ready = tuple(sorted(ready))
        left = 0 if self._haste is None else self._haste.left
        if self._interrupts is not None and self._interrupts.have_come:
            left -= 1
        return left, hash(self.history), self._stopping, ready, self._left, waiting, jobs, world.clock, world.idle_at

    # What is seen from outside.

    def _caller(self) -> tuple[_Lane | None, tuple[str, int] | None]:
        """Return the task that runs, and where it is in the program."""
        current = asyncio.current_task(self) if events._get_running_loop() is self else None
        return self._lane(current), line_behind(sys._getframe(2))

    def _place_of_main(self) -> tuple[str, int] | None:
        """Return where the main task waits."""
        main = [it for it in asyncio.all_tasks(self) if (lane := self._lane(it)) is not None and lane.name == "main"]
        return line_of_program(awaits(main[0].get_coro())) if main else None

    def _lane(self, task: Any) -> _Lane | None:
        return None if task is None else self._lanes.get(task)

    def waits(self) -> Iterator[tuple[str, Any, list[FrameType]]]:
        """As `EventLoop.waits`."""
        for task in asyncio.all_tasks(self):
            lane = self._lane(task)
            yield lane.name if lane else task.get_name(), None, awaits(task.get_coro())

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """As `loop.default_exception_handler`: what asyncio would log is a finding."""
        if not is_over(self._world):
            self._findings.logged(context)

    def abandon(self) -> None:
        """End the tasks that a run has left behind, without a word."""
        forget_numbers(self._world)
        self._ready.clear()
        self._scheduled.clear()
        for task in asyncio.all_tasks(self):
            task._log_destroy_pending = False  # type: ignore[attr-defined]  # as asyncio itself does
            with suppress(Exception):  # what a clean-up raises that nobody waits for
                task.get_coro().close()  # type: ignore[union-attr]
        if not self.is_closed() and not self.is_running():
            self.close()

    def __del__(self) -> None:
        pass  # it holds nothing of the system

    def _process_events(self, event_list: Any) -> None:
        pass


_CLOSING = (SimulatedLoop.shutdown_asyncgens.__code__, SimulatedLoop.shutdown_default_executor.__code__)
"""What `asyncio.run` has the loop do at the end."""

_SLEEP = asyncio.sleep.__code__

_OF_ASYNCIO: Any = (events.Handle.__init__, events.Handle.cancel, Gathering.__mro__[1].__init__)
_ASK_FOR_DEBUG = tuple(it.__code__ for it in _OF_ASYNCIO)
"""What asks whether the loop is in debug mode, and makes no other future than ours."""

callers.add(SimulatedLoop.run_in_executor)

for _name, _method in refusing_methods().items():
    setattr(SimulatedLoop, _name, _method)


def _touched_by(handle: Any) -> int:
    """Return the key of what a callback touches: of one future alone, or of the program."""
    if handle._callback is futures._set_result_unless_cancelled:  # type: ignore[attr-defined]
        future = handle._args[0]
        if isinstance(future, Future):
            return future.identity
    return PROGRAM
