"""The clock and the order of an explored trio program.

trio's own loop runs. It draws lots itself: with each batch of tasks that are ready, whether it is run forwards or
backwards. These lots are the schedule's here. Its clock is a `MockClock`, which jumps to the next deadline when all
tasks wait. So a deadline never comes while something can go on.
"""

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import trio
import trio.testing
from greenlet import GreenletExit

from concmodels.explore.eventloops.findings import findings_of
from concmodels.explore.eventloops.haste import Haste, haste_of
from concmodels.explore.eventloops.refused import refuse
from concmodels.models.simulated.world import current
from concmodels.models.tasks.signals.frames import awaits, line_of_program

if TYPE_CHECKING:
    from types import FrameType

    from concmodels.models.simulated.steps import Identity
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
        trio.lowlevel.add_instrument(loop)

    def autojump() -> None:
        loop.must_go_on()
        jump()
        world.clock = world.idle_at = clock.current_time()

    clock.start_clock, clock._autojump = start_clock, autojump
    return clock


class _Loop(trio.abc.Instrument):
    """Announces each task that goes on as a step of the world."""

    def __init__(self, world: World, clock: Any) -> None:
        self.world = world
        self._clock = clock
        self._lanes: dict[int, _Lane | None] = {}
        self._numbers = itertools.count(1)
        self._coroutines: dict[int, Any] = {}
        findings_of(world).loops.append(self)
        self._haste = haste_of(world)
        world.running.event_loop = self

    def before_task_step(self, task: Any) -> None:
        """As `Instrument.before_task_step`."""
        self._coroutines[task._counter] = task.coro
        lane = self._lane(task)
        if lane is not None:
            place = line_of_program(awaits(task.coro)) if self.world.record else None
            with suppress(GreenletExit):  # trio would log it; the next lot is refused
                self.world.point("resume", (), resumes=lane, place=place)

    def after_io_wait(self, _timeout: float) -> None:
        """As `Instrument.after_io_wait`. Let the schedule end a sleep too soon, in a run in which that may be."""
        if self._haste is None or self.world.dying:
            return
        sleeps = list(self._sleeps(self._haste))
        if not sleeps:
            return
        self._haste.meet(place for place, _, _ in sleeps)
        with suppress(GreenletExit):  # as below
            chosen = self.world.branch(len(sleeps) + 1)
            if chosen < len(sleeps):
                self._end_now(*sleeps[chosen], self._haste)

    def _sleeps(self, haste: Haste) -> Iterator[tuple[tuple[str, int], float, Any]]:
        """Yield where each task sleeps that may end that too soon, how long, and the scope of it."""
        runner = _run.GLOBAL_RUN_CONTEXT.runner
        following = runner.deadlines.next_deadline()
        for task in sorted(runner.tasks, key=lambda it: it._counter):
            frames = awaits(task.coro)
            slept = next((it for it in frames if it.f_code is _SLEEP), None)
            if slept is None:
                continue
            scope = task._cancel_status._scope
            if scope.deadline == following and not runner.runq:
                continue  # that one is the next in any case
            place = line_of_program(frames)
            if haste.may_end(place) and place is not None and scope.deadline < float("inf"):
                yield place, slept.f_locals["seconds"], scope

    def _end_now(self, place: tuple[str, int], seconds: float, scope: Any, haste: Haste) -> None:
        """End a sleep, and put off the time limits by as much as the clock jumps."""
        haste.end(place, seconds)
        jump = max(0.0, scope.deadline - self._clock.current_time())
        runner = _run.GLOBAL_RUN_CONTEXT.runner
        sleeping = {id(it) for _, _, it in self._sleeps(_ALL)}
        for _, _, other in list(runner.deadlines._heap):
            if other is not scope and id(other) not in sleeping and other.deadline < float("inf"):
                other.deadline += jump
        self._clock.jump(jump)
        scope.cancel()

    def must_go_on(self) -> None:
        """End the run if all tasks wait and there is no deadline that would wake one."""
        if trio.lowlevel.current_statistics().seconds_to_next_deadline == float("inf"):
            self.world.cut(self.world.describe())

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
        number = next(self._numbers)
        return _Lane(f"{task.name.rpartition('.')[2]}-{number}", (number,))

    def abandon(self) -> None:
        """End the tasks that a run has left behind, without a word, the innermost first."""
        _numbers.pop(self.world, None)
        for coroutine in reversed(self._coroutines.values()):
            with suppress(BaseException):  # what is left of trio's loop is closed
                coroutine.close()

    def waits(self) -> Iterator[tuple[str, Any, list[FrameType]]]:
        """As `EventLoop.waits`."""
        for task in _run.GLOBAL_RUN_CONTEXT.runner.tasks:
            lane = self._lane(task)
            if lane is not None:
                yield lane.name, None, awaits(task.coro)


_SLEEP = trio.sleep.__code__
_ALL = Haste(1)


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


def _no_thread(real: Callable[..., Any]) -> Callable[..., Any]:
    def start_thread_soon(*args: Any, **options: Any) -> Any:
        refuse("gives a job to a thread of trio", "explore it with a coroutine function in place of the job")
        return real(*args, **options)

    return start_thread_soon


def _no_socket(real: Callable[..., Any]) -> Callable[..., Any]:
    async def wait(self: Any, socket: Any) -> None:
        if socket is not _run.GLOBAL_RUN_CONTEXT.runner.entry_queue.wakeup.wakeup_sock:
            refuse("waits for a socket", "give it a stream of trio.testing.memory_stream_pair instead")
        await real(self, socket)

    return wait


def _number(it: Any) -> int:
    """Number the objects that trio keeps in sets, or orders by their addresses: the same order in each run."""
    world = current()
    if world is None:
        return id(it)
    numbers = _numbers.setdefault(world, {})
    number, _ = numbers.setdefault(id(it), (len(numbers), it))  # kept alive, or another one may get its id
    return int(number)


_numbers: WeakKeyDictionary[World, dict[int, tuple[int, Any]]] = WeakKeyDictionary()
_MISSING = object()


def replacements() -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """Yield what is replaced: the owner, the name, and what makes the new one from the old one."""
    yield _run, "_r", _Lots
    yield _run, "_ALLOW_DETERMINISTIC_SCHEDULING", lambda _: False  # Hypothesis has batches shuffled
    yield _run, "SystemClock", _clock
    yield _run.Task, "__hash__", lambda _: _number
    yield _run.CancelStatus, "__hash__", lambda _: _number
    yield _run.TheIOManager, "wait_readable", _no_socket
    yield _run.TheIOManager, "wait_writable", _no_socket
    yield _run, "id", lambda _: _number
    yield sys.modules["trio._threads"], "start_thread_soon", _no_thread


@contextmanager
def trio_replaced() -> Iterator[None]:
    """During this `with`, explored programs get this clock, this order, and no threads."""
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
