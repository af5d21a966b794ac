"""The world of a simulated run: one task at a time, an order that a strategy decides, and a clock of its own.

    task ── announces a step ──►  world  ── which of the enabled ones? ──►  strategy
                                    │
                                    └── goes on in the task whose step was picked, to that one's next announcement

Each task is a greenlet, for which a `Runner` stands. There is no central loop: the task that has announced a step, that
waits or that has ended asks the strategy itself and switches to the task that is next. What steps, keys and footprints
are is said in `steps.py`, and how a strategy is asked in `schedules.py`.

**How something announces itself.** All that tasks share must do so, or the world does not see it:

    world.point(kind, keys, subject)    stop before a step that can be done at any time; returns when it was picked
    world.touch(key, changes)           the step under way touches this too; what `keys` have said need not be repeated
    world.park(step, ...)               stop before several steps of which one will be done; returns that one. They are
                                        made by `world.announce(kind, keys, subject)`, and are not enabled
    world.enable(step), .disable(step)  say whether such a step can be picked now; called by what changes that
    world.enable_at(moment, step)       let it be picked once the clock shows this, unless its task has gone on by then
    world.wake(step)                    enable it, and no other one of its task: this wait is decided
    world.start(task)                   start a task, an object with `name`, `waiter`, `run()`: to begin is a step
    world.new_key(kind)                 a key for an object that the running task has just made

So a channel's `send` is a point, and what finds the channel full parks. A lock that is taken is a step that is not
enabled, never a wake-up and a second try, which would multiply the schedules:

    acquire   step = world.announce("acquire", keys, lock); if it is free: world.enable(step); lock.steps.append(step)
              world.park(step); lock.steps.remove(step); lock.owner = ...; world.disable(each other of lock.steps)
    release   world.point("release", keys, lock); lock.owner = None; world.enable(each of lock.steps)

A lock with a timeout parks before two steps, of which the second is enabled by `enable_at`. An instruction of plain
code is announced by a callback of `sys.monitoring`: `world.point(..., in_callback=True, place=(file, line))`.

**Time** is virtual. It moves when no step is enabled: to the next moment that a step waits for; all steps of that
moment are then enabled, and it is for the strategy to say which is done first. In `sim.run` each step takes 10 us of it
too, so that a task which looks again and again comes to an end.

**A run that is explored** is made by `explored`. It is *cut* at a deadlock, at the step limit, by a strategy that
raises, and by `World.cut`: then every task ends by `GreenletExit` where it stands, no step of the clean-up is
scheduled, and whatever the program tries to announce raises `GreenletExit` again.
"""

import gc
import heapq
import math
import sys
import time
from _thread import _local
from contextlib import contextmanager
from functools import partial
from itertools import count

from greenlet import GreenletExit, getcurrent

from concmodels.models.deadlocks.report import deadlock
from concmodels.models.deadlocks.threads import DeadlockDetector
from concmodels.models.simulated.steps import ANNOUNCED, ENABLED, OVER, Runner, Step, text_of
from concmodels.models.simulated.units import Unit, Units
from concmodels.models.tasks.nesting import refusal
from concmodels.models.tasks.signals.frames import line_of_program, stack
from concmodels.models.tasks.signals.guard import LOOK_UP_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable, Iterable
    from types import FrameType
    from typing import Any, Protocol

    from greenlet import greenlet

    from concmodels.errors import Deadlock
    from concmodels.models.simulated.schedules import Strategy
    from concmodels.models.simulated.steps import Identity, Key, Kind, Resumed

    class Startable(Protocol):
        """A task that a world can start; `sim` has the library's own `Task` here."""

        name: str
        waiter: Any
        """What it waits for, None if it can go on: an object whose `purpose` can say so for a `Deadlock`."""
        runner: Runner
        """The runner that stands for it in the world, which sets this."""

        def run(self) -> None: ...


TICK_S = 1e-5
"""The virtual seconds that a step takes in `sim.run`."""

_SWALLOWED = 1000
"""The times that a task of a run that was cut may swallow `GreenletExit` before it is left where it is."""


class _Here(_local):
    world: World | None = None


_here = _Here()
_numbers = count(1)


class StepLimit(RuntimeError):
    """An explored run has made more steps than it may: perhaps a task looks again and again for what never comes."""


class RunInRun(RuntimeError):
    """A program has called `run` inside of a run."""


class Run:
    """The result of a run: `value` or `error`, and how it came about.

    `decisions` are the numbers that the strategy has returned, of `choose` and `branch` alike; `steps` are those that
    were done, in order. `cut` says that the run did not end by itself.
    """

    def __init__(self) -> None:
        self.value: Any = None
        self.error: BaseException | None = None
        self.cut = False
        self.decisions: list[int] = []
        self.steps: list[Step] = []
        self.seconds = 0.0
        """The virtual seconds that it has taken."""
        self.is_timed = False
        """Whether a step was to be enabled at a moment."""
        self.left: list[Step] = []
        """What tasks still had to do, or waited for, when it ended."""


class World:
    """The scheduler of a simulated run: its tasks, the steps that are enabled, and the time.

    `units` are the greenlets that its tasks are run in. With a `hub`, the greenlet that explores, decisions, steps and
    footprints are kept, and the run can be cut. `tick` is how many virtual seconds a step takes, `limit` how many steps
    there may be; both may be changed while it runs.
    """

    def __init__(
        self,
        main: Startable,
        unit: greenlet,
        strategy: Strategy,
        model: str,
        units: Units,
        *,
        patience: float | None = 0,
        hub: greenlet | None = None,
        tick: float = TICK_S,
        limit: int = sys.maxsize,
        record: bool = False,
    ) -> None:
        self.model = model
        self.clock = 0.0
        self.on_clock_read: Callable[[float], object] | None = None
        """The function that is called with the clock when the program asks what time it is."""
        self.idle_at = 0.0
        """What the clock showed the last time that nothing could go on."""
        self.enabled: list[Step] = []
        self.decisions: list[int] = []
        self.steps: list[Step] = []
        self.running = self.main = Runner(main, (0,), unit)
        self.runners: dict[Runner, None] = {self.main: None}
        self.keeps_order = True
        """Whether event loops call callbacks in the order in which these were scheduled; else in any order."""
        self.may_be_interrupted = False
        """Whether a signal may come to event loops, once, as a Ctrl-C does."""
        self.waited_for: list[Any] = []
        """The threads that a program waits for when its main one has ended, in the order of their start."""
        self.detector = DeadlockDetector()
        self.cut_by: BaseException | None = None
        self.dying = False
        self.strategy = strategy
        self._units = units
        self._patience = patience
        self._hub = hub
        self._outside = hub or unit  # where the run was begun, and ends
        self.limit = limit
        self.record = record
        self.tick = tick
        self._step = Step(self.main, "begin")  # the one that is under way
        self._timers: list[tuple[float, int, Step]] = []
        self.is_timed = False
        self._order = count()
        self._swallowed = 0
        self._silent = 0

    # What tasks do.

    def begin(self) -> None:
        """Let main begin, and return when the run is over. This first step is not put to the strategy."""
        self.steps.append(self._step)
        self.main.unit.switch()

    def start(self, task: Startable) -> Runner:
        """Start a task; it begins when its first step is picked."""
        unit = self._units.take(partial(self._work, task), self._hub or self.main.unit)
        runner = Runner(task, self.next_identity(), unit)
        self.running.started += 1
        self.runners[runner] = None
        begin = Step(runner, "begin")
        runner.pending = (begin,)
        self.enable(begin)
        return runner

    def point(
        self,
        kind: str,
        keys: tuple[tuple[Key, bool], ...] = (),
        subject: Any = None,
        *,
        in_callback: bool = False,
        place: tuple[str, int] | None = None,
        resumes: Resumed | None = None,
    ) -> None:
        """Stop before a step that can be done at any time; return when it was picked."""
        runner = self.running
        # No point in a finalizer, in a signal handler that comes between here and the switch (then there are pending
        # steps), and in a greenlet that is none of the tasks.
        if self._silent or runner.pending or getcurrent() is not runner.unit:
            self._do_at_once(keys)
            return
        if self.dying:
            self._refuse()
        step = Step(runner, kind, keys, subject)
        if self.record:
            step.place = place or line_of_program(stack(sys._getframe(1)))
        step.resumes = resumes
        step.state = ENABLED
        runner.pending = (step,)
        self.enabled.append(step)
        following = self._next()
        if following is not runner:
            if in_callback:
                sys.call_tracing(following.unit.switch, ())  # so that events are seen in the others meanwhile
            else:
                following.unit.switch()
            if self.dying:  # it was not picked: `end` has switched here, so that this task ends
                self._refuse()

    def _do_at_once(self, keys: tuple[tuple[Key, bool], ...]) -> None:
        """Touch the keys without a point, as in a finalizer, or in a signal handler that came during a switch."""
        if self.dying and not self._silent and getcurrent() is not self._outside:
            self._refuse()
        for key, changes in keys:
            self.touch(key, changes)

    @contextmanager
    def unannounced(self) -> Generator[None]:
        """During this `with`, do what tasks announce as a part of the step under way: for finalizers."""
        self._silent += 1
        try:
            yield
        finally:
            self._silent -= 1

    def announce(self, kind: str, keys: tuple[tuple[Key, bool], ...] = (), subject: Any = None) -> Step:
        """Return a step of the running task which is not enabled, for `park`."""
        step = Step(self.running, kind, keys, subject)
        if self.record:
            step.place = line_of_program(stack(sys._getframe(1)))
        return step

    def park(self, *steps: Step) -> Step:
        """Stop before these steps, of which one will be done; return that one when it was picked."""
        if self.dying:
            self._refuse()
        runner = self.running
        runner.pending = steps
        following = self._next()
        if following is not runner:
            following.unit.switch()
            if self.dying:
                self._refuse()
        assert runner.chosen is not None
        return runner.chosen

    def name_of_next(self, function: Callable[..., Any]) -> str:
        """Return the name of the task that the running one is about to start, unless it is given one."""
        return f"{getattr(function, '__name__', 'task')}-{text_of(self.next_identity())}"

    def next_identity(self) -> Identity:
        """Return the identity of the next task that the running one starts. That of main is left out of it."""
        parent = self.running
        return (parent.started + 1,) if parent is self.main else (*parent.identity, parent.started + 1)

    # What decides whether steps can be done.

    def enable(self, step: Step) -> None:
        """Let this step be picked: once, and only until its task has gone on. A signal handler may call this."""
        if step.state == ANNOUNCED:
            step.state = ENABLED
            self.enabled.append(step)

    def disable(self, step: Step) -> None:
        """Let this step not be picked until it is enabled again."""
        if step.state == ENABLED:
            step.state = ANNOUNCED
            self.enabled.remove(step)

    def enable_at(self, moment: float, step: Step) -> None:
        """Let this step be picked once the clock shows `moment`, unless its task has gone on by then."""
        if moment < math.inf:
            # The number keeps steps of one moment in order, and keeps the heap from comparing them.
            heapq.heappush(self._timers, (moment, next(self._order), step))
            self.is_timed = True

    def wake(self, step: Step) -> None:
        """Let this step be picked, and no other of its task: what decides the wait has happened."""
        for other in step.runner.pending:
            if other is not step:
                self._drop(other)  # also one that could be picked already, as a timeout whose moment has come
        self.enable(step)
        self.touch(step.runner.key, True)

    def _drop(self, step: Step) -> None:
        self.disable(step)
        step.state = OVER

    # What steps touch.

    def new_key(self, kind: Kind) -> Key:
        """Return the key of an object that the running task has just made: the same one on every schedule."""
        return kind, self.new_identity(kind)

    def new_identity(self, kind: str) -> Identity:
        """Return the identity of the next object of this kind that the running task makes."""
        maker = self.running
        number = maker.objects[kind] = maker.objects.get(kind, 0) + 1
        return *maker.identity, number

    def touch(self, key: Key, changes: bool) -> None:
        """Note that the step under way touches this, and whether it changes it."""
        footprint = self._step.footprint
        if changes or key not in footprint:
            footprint[key] = changes

    def opens(self, subject: Any, key: Key) -> None:
        """Note that the step under way, which was announced for this subject, has opened a gate that was closed."""
        if self._step.subject is subject:
            self._step.opens = key

    # What happens next.

    def branch(self, n: int) -> int:
        """Draw lots: return a number below `n`."""
        if n < 2:
            return 0
        try:
            lot = self.strategy.branch(n)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it ends the run
            self.cut(error)
        if self._hub is not None:
            self.decisions.append(lot)
        return lot

    def tell_time(self) -> float:
        """Return what the clock shows, for the program."""
        if self.on_clock_read is not None:
            self.on_clock_read(self.clock)
        return self.clock

    def visit(self, state: Hashable) -> None:
        """Tell the strategy that all that can come now depends on this alone; it may end a run that can't be new."""
        if self.dying:
            self._refuse()
        visit = getattr(self.strategy, "visit", None)
        if visit is not None:
            try:
                visit(state)
            except BaseException as error:  # noqa: BLE001 - as above
                self.cut(error)

    def _next(self) -> Runner:
        """Ask the strategy for the next step; return its task, which is the running one from now on."""
        self.clock += self.tick
        if self._timers and self._timers[0][0] <= self.clock:
            self._ring()
        enabled = self.enabled
        while not enabled:
            self._idle()
        try:
            index = self.strategy.choose(enabled)
        except BaseException as error:  # noqa: BLE001 - as above
            self.cut(error)
        step = enabled.pop(index)
        step.state = OVER
        runner = step.runner
        if len(runner.pending) > 1:
            for other in runner.pending:
                if other is not step:
                    self._drop(other)
        runner.pending = ()
        runner.chosen = self._step = step
        self.running = runner
        if self._hub is not None:
            if self.cut_by is not None:  # `cut_soon` was called
                self.cut(self.cut_by)
            self.decisions.append(index)
            self.steps.append(step)
            if len(self.steps) > self.limit:
                self.cut(StepLimit(f"the run has made {self.limit} steps, and does not end"))
        return runner

    def _ring(self) -> None:
        """Enable the steps whose time has come."""
        while self._timers and self._timers[0][0] <= self.clock:
            self.enable(heapq.heappop(self._timers)[2])

    def _idle(self) -> None:
        """Go to the next moment that a step waits for, because no step is enabled; without one, report a deadlock."""
        while self._timers and self._timers[0][2].state == OVER:
            heapq.heappop(self._timers)
        if self._timers:
            self.clock = self.idle_at = max(self.clock, self._timers[0][0])
            self._ring()
        elif self._hub is not None:
            self.cut(self.describe())
        elif self._patience is None:
            time.sleep(LOOK_UP_S)  # only a signal handler can end this
        else:
            self._report()

    def _report(self) -> None:
        """Have main raise that this is a deadlock."""
        error = self.detector.find(self.describe())
        self.main.task.abort(error)
        if not self.enabled:  # the main task is busy ending the others: this one is one of them
            raise error

    def describe(self) -> Deadlock:
        """Return the exception that says what each task waits for, and where."""
        return deadlock(wait for runner in self.runners for wait in self._waits(runner))

    def _waits(self, runner: Runner) -> Iterable[tuple[str, Any, list[FrameType]]]:
        if runner.event_loop is not None:
            return runner.event_loop.waits()
        frame = sys._getframe() if runner.unit is getcurrent() else runner.unit.gr_frame
        return [(runner.name, runner.task.waiter, stack(frame))]

    # How it ends.

    def cut(self, error: BaseException) -> None:
        """End this run here and now: it is explored, and `error` is its outcome."""
        if self._hub is None:
            raise error
        if self.dying:
            self._refuse()
        self.cut_by = error
        self.dying = True
        sys.call_tracing(self._hub.switch, ())  # never returns by itself, and may be in a callback
        self._refuse()

    def cut_soon(self, error: BaseException) -> None:
        """End this run at its next step. A signal handler or another thread may call this."""
        self.cut_by = error

    def end(self) -> None:
        """End the tasks that are left; also one that had ended, and was asking which is next when the run was cut."""
        self.dying = True
        for runner in dict.fromkeys((self.running, *reversed(self.runners))):
            if isinstance(runner.unit, Unit):  # the main task of `sim.run` is run by its caller
                self._units.give_back(runner.unit)

    def _refuse(self) -> None:
        """Raise `GreenletExit` in a task of a run that was cut."""
        self._swallowed += 1
        if self._swallowed > _SWALLOWED and self._hub is not None:
            self._hub.switch()  # it swallows that, in a loop: leave it here
        raise GreenletExit

    def _work(self, task: Startable) -> greenlet:
        """Run a task in its unit; return the greenlet that goes on."""
        task.run()
        runner = task.runner
        del self.runners[runner]  # before `_next`, which may find a deadlock: this task is no part of it
        return self._outside if self.dying else self._next().unit


def current() -> World | None:
    """Return the world of the run in this thread; None outside of one."""
    return _here.world


def new_key(kind: Kind) -> Key:
    """Return a key for an object that the running task makes, or that is made outside of a run."""
    world = current()
    return (kind, (-next(_numbers),)) if world is None else world.new_key(kind)


def touch(key: Key, changes: bool) -> None:
    """Note that the step under way touches this, if there is a run; see `World.touch`."""
    world = current()
    if world is not None:
        world.touch(key, changes)


def enter(world: World) -> None:
    """Make this the world of the run in this thread. Raises `RunInRun` inside of another one."""
    running = current()
    if running is not None:
        instead = "await the function instead" if world.model == "sim:async" else "call the function directly"
        raise RunInRun(refusal(world.model, running.model, instead))
    _here.world = world


def leave() -> None:
    """Note that the run in this thread has ended."""
    _here.world = None


def explored(
    main: Startable,
    body: Callable[[], Any],
    strategy: Strategy,
    *,
    model: str = "sim",
    limit: int = 10_000,
    tick: float = 0.0,
    record: bool = False,
    prepare: Callable[[World], object] | None = None,
    units: Units | None = None,
) -> Run:
    """Run `body()` as the task `main` under this strategy, and return the outcome; never raises it.

    The run is cut after `limit` steps. Each step takes `tick` virtual seconds: with 0, a task that looks again and
    again for what never comes makes steps until the run is cut. With `record`, steps have places. `prepare` is called
    with the world before the run begins. With `units`, the run takes its greenlets from there, and leaves them there.

    Meanwhile the garbage collector is off: the moments at which it runs are no part of a schedule, and finalizers may
    close channels.
    """
    hub, run = getcurrent(), Run()
    greenlets = units or Units()
    unit = greenlets.take(partial(_fill, run, body, hub), hub)
    world = World(main, unit, strategy, model, greenlets, hub=hub, tick=tick, limit=limit, record=record)
    enter(world)
    collecting = gc.isenabled()
    gc.disable()
    try:
        if prepare is not None:
            prepare(world)
        world.begin()
        run.cut = world.cut_by is not None
        run.left = [step for runner in world.runners for step in runner.pending]
        world.end()
        if units is None:
            greenlets.end()
    finally:
        leave()
        if collecting:
            gc.enable()
    run.error = world.cut_by or run.error
    run.decisions, run.steps, run.seconds = world.decisions, world.steps, world.clock
    run.is_timed = world.is_timed
    return run


def _fill(run: Run, body: Callable[[], Any], hub: greenlet) -> greenlet:
    """Do the job of the main task: note the outcome of the body, and let the hub go on."""
    try:
        run.value = body()
    except GreenletExit:
        raise  # the run was cut: the unit ends, and `World.end` is in its turn
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the outcome of the run
        run.error = error
    return hub
