"""The clock and the order of an explored trio program.

trio's own loop runs. It draws lots itself: with each batch of tasks that are ready, whether it is run forwards or
backwards. These lots are the schedule's here. Its clock is a `MockClock`, which jumps to the next deadline when all
tasks wait. Before a batch is run, it may jump there too, if that lies at most `SLACK_S` ahead of the last moment in
which nothing could go on: so long the batches before may have taken.
"""

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from signal import SIGINT
from typing import TYPE_CHECKING, Any

import trio
import trio.testing
from greenlet import GreenletExit

from concmodels.explore.eventloops import trio_threads
from concmodels.explore.eventloops.findings import findings_of
from concmodels.explore.eventloops.haste import END_OF_SLEEP, PATIENCE, SLACK_S, haste_of
from concmodels.explore.eventloops.history import history_of
from concmodels.explore.eventloops.interrupts import OUTSIDE, interrupts_of, name_of
from concmodels.explore.eventloops.numbered import forget_numbers, number
from concmodels.explore.eventloops.refused import refuse
from concmodels.models.simulated.steps import TIMER
from concmodels.models.simulated.world import current
from concmodels.models.tasks.signals.frames import awaits, line_of_program

if TYPE_CHECKING:
    from types import FrameType

    from concmodels.explore.eventloops.haste import Haste
    from concmodels.explore.eventloops.interrupts import Interrupts
    from concmodels.models.simulated.steps import Identity, Step
    from concmodels.models.simulated.world import World

_run: Any = sys.modules["trio._core._run"]


class _Lane:
    def __init__(self, name: str, identity: Identity) -> None:
        self.name = name
        self.identity = identity


def new_clock(world: World) -> Any:
    """Return the clock of a run. A `MockClock` can't be derived from, so its methods are replaced in the object."""
    clock: Any = trio.testing.MockClock(autojump_threshold=0)
    start, jump, loop = clock.start_clock, clock._autojump, _Loop(world, clock)

    def start_clock() -> None:
        start()
        loop.start()

    def autojump() -> None:
        if loop.is_woken():
            return
        jump()
        world.clock = world.idle_at = clock.current_time()
        loop.has_moved()

    clock.start_clock, clock._autojump = start_clock, autojump
    return clock


class _Loop(trio.abc.Instrument):
    """Announces each task that goes on as a step of the world."""

    def __init__(self, world: World, clock: Any) -> None:
        self.world = world
        self._clock = clock
        self._lanes: dict[int, _Lane | None] = {}
        self._numbers = itertools.count(1)
        self._tasks: dict[int, Any] = {}
        findings_of(world).loops.append(self)
        history_of(world).differ()
        trio_threads.loops_of(world).append(self)
        self.entry_queue: Any = None
        self._keys = ((world.new_key("queue"), True),)
        self._wake: Step | None = None
        self._haste = haste_of(world)
        self._interrupts = interrupts_of(world)
        self._late = 0
        """How many steps there were since the clock has moved."""
        world.running.event_loop = self

    def start(self) -> None:
        """Note the loop that starts now, and ask to be told of its steps."""
        trio.lowlevel.add_instrument(self)
        self.entry_queue = _run.GLOBAL_RUN_CONTEXT.runner.entry_queue

    def before_task_step(self, task: Any) -> None:
        """As `Instrument.before_task_step`."""
        self._tasks[task._counter] = task
        self._late += 1
        lane = self._lane(task)
        if lane is not None:
            place = line_of_program(awaits(task.coro)) if self.world.record else None
            with suppress(GreenletExit):  # trio would log it; the next lot is refused
                self.world.point("resume", self._keys, resumes=lane, place=place)

    def after_io_wait(self, _timeout: float) -> None:
        """As `Instrument.after_io_wait`. Let the schedule interrupt the run, have deadlines come, or end a sleep too
        soon, where it may.
        """
        if self.world.dying:
            return
        if self._interrupts is not None and not self._interrupts.have_come:
            self._interrupt(self._interrupts)
        if self._haste is None:
            with suppress(GreenletExit):  # as below
                while self._comes_first():
                    pass
            return
        self._note_passed(self._haste)
        if self._late > PATIENCE and (following := self._following()) < math.inf:
            self._jump(following)
            return
        sleeps = list(self._sleeps(self._haste))
        if not sleeps:
            return
        self._haste.meet(place for place, _, _ in sleeps)
        with suppress(GreenletExit):  # as below
            chosen = self.world.branch(len(sleeps) + 1)
            if chosen < len(sleeps):
                self._end_now(*sleeps[chosen], self._haste)

    def _comes_first(self) -> bool:
        """Let the schedule decide whether the next deadline comes before the next batch, where it may."""
        world, now, following = self.world, self._clock.current_time(), self._following()
        is_ready = _run.GLOBAL_RUN_CONTEXT.runner.runq or any(it <= now for it, _ in self._deadlines())
        is_long_ago = self._late > PATIENCE
        if not is_ready or following > (world.idle_at + SLACK_S if not is_long_ago else sys.float_info.max):
            return False
        if not is_long_ago:
            steps = [world.announce("go on first", self._keys), world.announce(self._kind(following), self._keys)]
            for step in steps:
                world.enable(step)
            if world.park(*steps) is steps[0]:
                return False
        self._jump(following)
        return True

    def _following(self) -> float:
        """Return the next deadline that lies ahead."""
        now = self._clock.current_time()
        return min((it for it, _ in self._deadlines() if it > now), default=math.inf)

    def _jump(self, moment: float) -> None:
        """Have it be this moment, or a little later: floats are not exact."""
        while (now := self._clock.current_time()) < moment:
            self._clock.jump(max(moment - now, math.ulp(moment)))
        self.world.clock = self._clock.current_time()
        self.has_moved()

    def has_moved(self) -> None:
        """Note that the clock has moved."""
        self._late = 0

    def _deadlines(self) -> Iterator[tuple[float, Any]]:
        """Yield the deadlines that may come, each with its scope."""
        for deadline, _, scope in _run.GLOBAL_RUN_CONTEXT.runner.deadlines._heap:
            if deadline == scope._registered_deadline:
                yield deadline, scope

    def _kind(self, moment: float) -> str:
        """Return what a deadline is that comes at this moment."""
        return END_OF_SLEEP if moment < self._next_limit() else TIMER

    def _interrupt(self, interrupts: Interrupts) -> None:
        """Let the schedule have a Ctrl-C come now, if the main task has begun and has not ended."""
        runner = _run.GLOBAL_RUN_CONTEXT.runner
        if runner.main_task is None or runner.main_task_outcome is not None:
            return
        with suppress(GreenletExit):  # as below
            if self.world.branch(2):
                interrupts.have_come = True
                place = line_of_program(awaits(runner.main_task.coro)) if self.world.record else None
                self.world.point("signal", self._keys, resumes=_Lane(name_of(SIGINT), OUTSIDE), place=place)
                runner.deliver_ki()

    def _sleeps(self, haste: Haste) -> Iterator[tuple[tuple[str, int], float, Any]]:
        """Yield where each task sleeps that may end that too soon, how long, and the scope of it."""
        runner = _run.GLOBAL_RUN_CONTEXT.runner
        following = runner.deadlines.next_deadline()
        limit = self._next_limit()
        for place, seconds, scope in self._all_sleeps():
            if scope.deadline == following and not runner.runq:
                continue  # that one is the next in any case
            if haste.may_end(place) and scope.deadline <= limit and scope.deadline < math.inf:
                yield place, seconds, scope

    def _all_sleeps(self) -> Iterator[tuple[tuple[str, int], float, Any]]:
        """Yield where each task sleeps, how long, and the scope of it."""
        for task in sorted(_run.GLOBAL_RUN_CONTEXT.runner.tasks, key=lambda it: it._counter):
            frames = awaits(task.coro)
            slept = next((it for it in frames if it.f_code is _SLEEP), None)
            place = line_of_program(frames)
            if slept is not None and place is not None:
                yield place, slept.f_locals["seconds"], task._cancel_status._scope

    def _note_passed(self, haste: Haste) -> None:
        """Note which sleeps end now, when they should."""
        now = self._clock.current_time()
        haste.passed.update(place for place, _, scope in self._all_sleeps() if scope.deadline <= now)

    def _next_limit(self) -> float:
        """Return the next deadline that ends no sleep."""
        runner = _run.GLOBAL_RUN_CONTEXT.runner
        sleeping = {
            id(task._cancel_status._scope)
            for task in runner.tasks
            if any(it.f_code is _SLEEP for it in awaits(task.coro))
        }
        limits = [deadline for deadline, scope in self._deadlines() if id(scope) not in sleeping]
        findings_of(self.world).has_limits |= bool(limits)
        return float(min(limits, default=math.inf))

    def _end_now(self, place: tuple[str, int], seconds: float, scope: Any, haste: Haste) -> None:
        """End a sleep: the clock jumps to its end."""
        haste.end(place, seconds)
        self._jump(scope.deadline)
        scope.cancel()

    def is_woken(self) -> bool:
        """Wait, as all tasks do, for other threads and for the next deadline; return whether a thread came first.

        If there is neither, nothing will ever wake a task, and the run ends.
        """
        world, seconds = self.world, trio.lowlevel.current_statistics().seconds_to_next_deadline
        moment = world.clock + seconds
        wake = world.announce("wake", self._keys)
        expire = world.announce(self._kind(moment), self._keys)
        world.enable_at(moment, expire)
        self._wake = wake
        try:
            return world.park(wake, expire) is wake
        finally:
            self._wake = None

    def wake(self) -> None:
        """Let the loop go on, if it waits."""
        if self._wake is not None:
            self.world.enable(self._wake)

    def announce_another_thread(self) -> None:
        """Stop before the step in which another thread schedules something."""
        if self.world.running.event_loop is not self:
            self.world.point("call soon", self._keys, "a function of another thread")

    def _lane(self, task: Any) -> _Lane | None:
        """Return the lane of a task; None for one of trio's own."""
        if task._counter not in self._lanes:
            self._lanes[task._counter] = self._new_lane(task)
        return self._lanes[task._counter]

    def _new_lane(self, task: Any) -> _Lane | None:
        if task.name.startswith("<"):
            return None
        if task is _run.GLOBAL_RUN_CONTEXT.runner.main_task:
            return _Lane("main", (0,))
        started = next(self._numbers)
        return _Lane(f"{task.name.rpartition('.')[2]}-{started}", (started,))

    def abandon(self) -> None:
        """End the tasks that a run has left behind, without a word, the innermost first."""
        forget_numbers(self.world)
        for task in reversed(self._tasks.values()):
            nurseries = list(task._child_nurseries)
            with suppress(BaseException):  # what is left of trio's loop is closed
                task.coro.close()
            for nursery in nurseries:
                nursery._children.clear()  # it looks when it is freed

    def waits(self) -> Iterator[tuple[str, Any, list[FrameType]]]:
        """As `EventLoop.waits`."""
        for task in _run.GLOBAL_RUN_CONTEXT.runner.tasks:
            lane = self._lane(task)
            if lane is not None:
                yield lane.name, None, awaits(task.coro)


_SLEEP = trio.sleep.__code__


class _Lots:
    """In place of the `Random` of trio's loop, which asks it for each batch."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def random(self) -> float:
        """Return what has trio run the batch forwards, or backwards."""
        world = current()
        if world is None:
            return float(self._real.random())
        if world.dying:
            raise GreenletExit
        if len(sys._getframe(1).f_locals["batch"]) < 2:
            return 1.0
        return 1.0 - world.branch(2)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _clock(real: Callable[[], Any]) -> Callable[[], Any]:
    def clock() -> Any:
        world = current()
        return real() if world is None else new_clock(world)

    return clock


def _no_socket(real: Callable[..., Any]) -> Callable[..., Any]:
    async def wait(self: Any, socket: Any) -> None:
        if socket is not _run.GLOBAL_RUN_CONTEXT.runner.entry_queue.wakeup.wakeup_sock:
            refuse("waits for a socket", "give it a stream of trio.testing.memory_stream_pair instead")
        await real(self, socket)

    return wait


_MISSING = object()


def replacements() -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """Yield what is replaced: the owner, the name, and what makes the new one from the old one."""
    yield _run, "_r", _Lots
    yield _run, "_ALLOW_DETERMINISTIC_SCHEDULING", lambda _: False  # Hypothesis has batches shuffled
    yield _run, "SystemClock", _clock
    yield _run.Task, "__hash__", lambda _: number
    yield _run.CancelStatus, "__hash__", lambda _: number
    yield _run.TheIOManager, "wait_readable", _no_socket
    yield _run.TheIOManager, "wait_writable", _no_socket
    yield _run, "id", lambda _: number
    yield from trio_threads.replacements()


@contextmanager
def trio_replaced() -> Iterator[None]:
    """During this `with`, explored programs get this clock, this order, and these threads."""
    before = [(owner, name, vars(owner).get(name, _MISSING)) for owner, name, _ in replacements()]
    for owner, name, make in replacements():
        setattr(owner, name, make(getattr(owner, name, None)))
    try:
        yield
    finally:
        for owner, name, real in before:
            if real is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, real)
