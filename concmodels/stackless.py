"""Stackless Python's own API, on greenlet: an old Stackless program runs after one changed import.

    import concmodels.stackless as stackless

    def hello(channel):
        print("received", channel.receive())

    channel = stackless.channel()
    stackless.tasklet(hello)(channel)
    channel.send("world")
    stackless.run()

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
import time
from _thread import _local, get_ident
from collections import deque
from weakref import WeakValueDictionary

from greenlet import greenlet

from concmodels.errors import Deadlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType, TracebackType
    from typing import Any, NoReturn, Self

__all__ = [
    "TaskletExit", "atomic", "channel", "enable_softswitch", "get_channel_callback", "get_schedule_callback",
    "get_thread_info", "getcurrent", "getmain", "getruncount", "run", "schedule", "schedule_remove",
    "set_channel_callback", "set_schedule_callback", "stackless", "switch_trap", "tasklet",
]  # fmt: skip

INSTRUCTION_S = 20e-9
"""What one instruction of `run(timeout)` stands for, in seconds."""

_IN_RING: Any = "in the ring"
_NOT_GIVEN: Any = "not given"
_schedule_callback: Callable[[tasklet, tasklet], object] | None = None
_channel_callback: Callable[[channel, tasklet, int, int], object] | None = None


class TaskletExit(SystemExit):
    """Ends a tasklet without a word: `kill` raises it there. Let it pass."""


class _Bomb:
    """An exception on its way to a tasklet, in the place of a value; it goes off when the tasklet goes on."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException | None) -> None:
        self.error = error

    def explode(self) -> NoReturn:
        error, self.error = self.error, None
        assert error is not None
        try:
            raise error
        finally:
            del error  # else the traceback would hold the exception in a cycle


class _Timer:
    """The watchdog of `run(timeout)`: at a switch, sends the one who called `run` on when the time is up."""

    def __init__(self, owner: tasklet, timeout: int, total: bool) -> None:
        self._owner, self._limit, self._total = owner, timeout * INSTRUCTION_S, total
        self._start = time.perf_counter()
        self.victim: tasklet | None = None

    def check(self, ready: deque[tasklet], source: tasklet, target: tasklet) -> tasklet:
        """Return who goes on: the target or, if the time is up, the owner."""
        moment, owner = time.perf_counter(), self._owner
        late = moment - self._start > self._limit
        if not self._total or source is owner:
            self._start = moment
        if not late or source is owner or target is owner or owner._place is not None:
            return target
        self.victim = source if source._place is _IN_RING and source is not target else target
        ready.appendleft(target)
        owner._place = _IN_RING
        return owner


class _Scheduler:
    """The ring of one thread: the current tasklet and, behind it, the others that can go on."""

    def __init__(self) -> None:
        self.thread_id = get_ident()
        self.ready: deque[tasklet] = deque()
        self.watchdogs: list[tasklet] = []  # those who called `run`, the innermost last
        self.started: set[tasklet] = set()
        self.timer: _Timer | None = None
        self.trap = 0
        self.main = self.current = main = tasklet.__new__(tasklet, _scheduler=self)
        main._unit, main._place = greenlet.getcurrent(), _IN_RING
        self._nursery = greenlet(_start_units)
        self._nursery.switch(main._unit)
        _schedulers[self.thread_id] = self

    def switch(self, source: tasklet, target: tasklet) -> Any:
        """Go on as `target`; come back when `source` is the current one again, with the value left for it."""
        if self.timer is not None:
            target = self.timer.check(self.ready, source, target)
        if target is not source:
            if _schedule_callback is not None:
                _call_back(_schedule_callback, source, target)
            self.current = target
            unit = target._unit
            if unit is None:
                self._nursery.switch(self._make_unit(target))
            else:
                unit.switch()
        value = source.tempval
        if value is not None:
            source.tempval = None
            if value.__class__ is _Bomb:
                value.explode()
        return value

    def leave(self, source: tasklet) -> Any:
        """Go on as the next in the ring; the source has left it."""
        return self.switch(source, self.ready.popleft() if self.ready else self._last_resort(source))

    def bring(self, target: tasklet) -> None:
        """Turn the ring until the target comes first, and take it out to be the current one."""
        self.ready.rotate(-self.ready.index(target))
        self.ready.popleft()

    def check_here(self) -> None:
        """Refuse to switch to a tasklet of another thread."""
        if _here.scheduler is not self:
            raise RuntimeError("can't switch to a different thread.")

    def check_trap(self) -> None:
        """Refuse to switch while a switch trap is set."""
        if self.trap:
            raise RuntimeError("switch_trap")

    def end(self, dead: tasklet) -> greenlet | None:
        """A tasklet has ended. What is returned goes to its greenlet's parent: the next one, or the nursery."""
        me, bomb = dead._unit, dead.tempval
        assert me is not None
        dead._unit = dead._place = dead.tempval = None
        self.started.discard(dead)
        target = self._heir(bomb)
        if self.timer is not None:
            target = self.timer.check(self.ready, dead, target)
        if _schedule_callback is not None:
            _call_back(_schedule_callback, dead, target)
        self.current = target
        if target._unit is not None:
            me.parent = target._unit
            return None
        me.parent = self._nursery
        return self._make_unit(target)

    def _heir(self, bomb: _Bomb | None) -> tasklet:
        """Who goes on after the end of a tasklet: the next, or whoever has to hear of an error."""
        if bomb is None and self.ready:
            return self.ready.popleft()
        target = self._watchdog()
        if bomb is None and target.blocked:
            verb, partner = ("receiving", "sender") if target._place.balance < 0 else ("sending", "receiver")
            bomb = _Bomb(RuntimeError(f"the main tasklet is {verb} without a {partner} available."))
        if target._place is _IN_RING:
            self.bring(target)
        target._unblock()
        target._place, target.tempval = _IN_RING, bomb
        return target

    def _last_resort(self, source: tasklet) -> tasklet:
        """Nobody is left in the ring: the caller of `run` goes on, or the main tasklet, if it does not wait too."""
        target = self._watchdog()
        if target._place is not None:
            source._unblock()
            source._place, source.tempval = _IN_RING, None
            raise Deadlock("Deadlock: the last runnable tasklet cannot be blocked.")
        target._place = _IN_RING
        return target

    def _watchdog(self) -> tasklet:
        return self.watchdogs[-1] if self.watchdogs else self.main

    def _make_unit(self, target: tasklet) -> greenlet:
        unit = target._unit = greenlet(target._work, self.main._unit)
        self.started.add(target)
        return unit


def _start_units(unit: greenlet) -> None:
    """The nursery: a greenlet that enters the new ones.

    A greenlet lies on the stack, and counts its recursion depth, from where it was first entered. Entered from each
    other, ten thousand in a chain would have no room left; entered from here, all have the same.
    """
    while True:
        unit = unit.switch()


class _Here(_local):
    scheduler: _Scheduler

    def __getattr__(self, name: str) -> _Scheduler:  # the first use in this thread
        if name != "scheduler":
            raise AttributeError(name)
        self.scheduler = _Scheduler()
        return self.scheduler


_schedulers: WeakValueDictionary[int, _Scheduler] = WeakValueDictionary()
_here = _Here()


class tasklet:
    """Work that can stop anywhere and go on later: `tasklet(function)(*args, **kwargs)` puts one into the ring."""

    tempval: Any = None  # the function it is bound to, later the value that is on its way to it
    block_trap = False
    atomic = False
    ignore_nesting = False
    nesting_level = 0

    _scheduler: _Scheduler
    _place: Any = None  # in the ring, or the channel it waits at, or nowhere
    _call: tuple[Callable[..., object], Iterable[Any], dict[str, Any]] | None = None  # what it will do when it begins
    _unit: greenlet | None = None  # from its beginning to its end

    def __new__(cls, *_: object, _scheduler: _Scheduler | None = None, **__: object) -> Self:
        self = super().__new__(cls)
        self._scheduler = _scheduler or _here.scheduler
        return self

    def __init__(
        self,
        func: Callable[..., object] | None = None,
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.bind(func, args, kwargs)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Self:
        """As `setup`."""
        return self.setup(*args, **kwargs)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a tasklet can't be pickled: greenlet keeps its frames on the C stack")

    def bind(
        self,
        func: Callable[..., object] | None = None,
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """Say what it will call. With arguments it is ready to be inserted; with nothing at all it is unbound."""
        if func is not None and not callable(func):
            raise TypeError("tasklet function must be a callable or None")
        self._check_unbound()
        function = self.tempval if func is None else func
        if args is None and kwargs is None:
            self._call, self.tempval = None, func
            return self
        if function is None:
            raise RuntimeError("the tasklet was not bound to a function")
        self._call, self.tempval = (function, tuple(args or ()), dict(kwargs or {})), None
        return self

    def _check_unbound(self) -> None:
        if self.is_current:
            raise RuntimeError("can't (re)bind the current tasklet")
        if self.scheduled:
            raise RuntimeError("tasklet is scheduled")
        if self._unit is not None:
            raise RuntimeError("tasklet has C state on its stack")

    def setup(self, /, *args: Any, **kwargs: Any) -> Self:
        """Give the function its arguments, and put the tasklet at the end of the ring."""
        if self.alive:
            raise RuntimeError("tasklet is alive")
        if self.tempval is None:
            raise RuntimeError("the tasklet was not bound to a function")
        self._call, self.tempval = (self.tempval, args, kwargs), None
        self._place = _IN_RING
        self._scheduler.ready.append(self)
        return self

    def insert(self) -> Self:
        """Put it at the end of the ring, if it is not in it. A tasklet that waits at a channel is refused."""
        if self.blocked:
            raise RuntimeError("You cannot run a blocked tasklet")
        if self._place is None:
            if not self.alive:
                raise RuntimeError("You cannot run an unbound(dead) tasklet")
            self._place = _IN_RING
            self._scheduler.ready.append(self)
        return self

    def remove(self) -> Self:
        """Take it out of the ring; `insert` or `run` let it go on."""
        if self.blocked:
            raise RuntimeError("You cannot remove a blocked tasklet.")
        if self.is_current:
            raise RuntimeError("The current tasklet cannot be removed.")
        if self._place is _IN_RING:
            self._scheduler.ready.remove(self)
            self._place = None
        return self

    def run(self) -> Any:
        """Go on as this tasklet, at once; the current one stays in the ring."""
        return self._run(stay=True)

    def switch(self) -> Any:
        """Go on as this tasklet, at once; the current one leaves the ring."""
        return self._run(stay=False)

    def _run(self, stay: bool) -> Any:
        scheduler = self._scheduler
        scheduler.check_here()
        source = scheduler.current
        if self is not source:
            if not self.blocked:
                scheduler.check_trap()
            self.insert()
            if stay:
                scheduler.ready.appendleft(source)
            else:
                source._place = None
            scheduler.bring(self)
        return scheduler.switch(source, self)

    def kill(self, pending: bool = False) -> None:
        """End it: raise `TaskletExit` where it is. A dead tasklet is left alone; one of a dead thread is dropped."""
        if self.alive and self._scheduler is not _here.scheduler and self.thread_id == -1:
            self._unblock()
            self.remove()
            self._call = self._unit = None
        self._throw(TaskletExit(), pending)

    def raise_exception(self, exc_class: type[BaseException], *args: Any) -> None:
        """Raise `exc_class(*args)` in it, at once."""
        self._throw(_instance(exc_class, args), pending=False)

    def throw(
        self,
        exc: type[BaseException] | BaseException,
        val: object = None,
        tb: TracebackType | None = None,
        pending: bool = False,
    ) -> None:
        """Raise in it what `raise` would raise of the three; at once, or `pending` when its turn comes."""
        self._throw(_normalized(exc, val, tb), pending)

    def _throw(self, error: BaseException, pending: bool) -> None:
        scheduler = self._scheduler
        if self is _here.scheduler.current:
            raise error
        if not self.alive:
            if isinstance(error, TaskletExit):
                return
            raise RuntimeError("You cannot throw to a dead tasklet")
        if not pending:
            scheduler.check_here()
            scheduler.check_trap()
        self._unblock()
        self.tempval = _Bomb(error)
        self.insert()
        if not pending:
            self.run()

    def _unblock(self) -> None:
        if self.blocked:
            self._place._forget(self)
            self._place = None

    def _work(self) -> greenlet | None:
        """What its greenlet does. What this returns goes to the greenlet's parent, which goes on."""
        assert self._call is not None
        function, args, kwargs = self._call
        bomb, self._call, self.tempval = self.tempval, None, None
        try:
            if bomb.__class__ is _Bomb:
                bomb.explode()
            function(*args, **kwargs)
        except TaskletExit:
            pass
        except BaseException as error:  # noqa: BLE001 - whatever it is, it leaves `run`
            self.tempval = _Bomb(error)
        else:
            self.tempval = None
        del function, args, kwargs, bomb
        return self._scheduler.end(self)

    def set_atomic(self, flag: object) -> bool:
        """Remember the flag and return the old one; nothing interrupts a tasklet here."""
        old, self.atomic = self.atomic, bool(flag)
        return old

    def set_ignore_nesting(self, flag: object) -> bool:
        """Remember the flag and return the old one."""
        old, self.ignore_nesting = self.ignore_nesting, bool(flag)
        return old

    def bind_thread(self, thread_id: int = -1) -> None:
        """Move a tasklet that has not begun to the current thread, or to another one that has tasklets."""
        target = _here.scheduler if thread_id == -1 else _scheduler_of(thread_id)
        if target is self._scheduler:
            return
        if self._unit is not None or self._place is not None:
            raise RuntimeError("only a tasklet that has not begun and is not scheduled can move to another thread")
        self._scheduler = target

    @property
    def alive(self) -> bool:
        """Whether it has something to do: it was given arguments, and has not ended."""
        return self._unit is not None or self._call is not None

    @property
    def blocked(self) -> bool:
        """Whether it waits at a channel."""
        return self._place is not None and self._place is not _IN_RING

    @property
    def scheduled(self) -> bool:
        """Whether it is in the ring, or waits at a channel."""
        return self._place is not None

    @property
    def paused(self) -> bool:
        """Whether it is alive and neither in the ring nor at a channel."""
        return self._place is None and self.alive

    @property
    def restorable(self) -> bool:
        """Whether nothing of it lies on the C stack: only before it begins and after it has ended."""
        return self._unit is None

    @property
    def is_current(self) -> bool:
        """Whether it is the current tasklet of its thread."""
        return self._scheduler.current is self

    @property
    def is_main(self) -> bool:
        """Whether it is the main tasklet of its thread."""
        return self._scheduler.main is self

    @property
    def thread_id(self) -> int:
        """The thread it belongs to, -1 if that has ended."""
        return self._scheduler.thread_id if self._scheduler.thread_id in sys._current_frames() else -1

    @property
    def next(self) -> tasklet | None:
        """The one behind it in the ring; at a channel the next that waits, or None."""
        return self._neighbour(1)

    @property
    def prev(self) -> tasklet | None:
        """The one before it in the ring; at a channel the one that has waited longer, or None."""
        return self._neighbour(-1)

    def _neighbour(self, step: int) -> tasklet | None:
        if self._place is None:
            return None
        if self._place is _IN_RING:
            ring = [self._scheduler.current, *self._scheduler.ready]
            return ring[(ring.index(self) + step) % len(ring)]
        waiting: list[tasklet | None] = [None, *self._place._waiting(), None]
        return waiting[waiting.index(self) + step]

    @property
    def frame(self) -> FrameType | None:
        """The frame where it is; None if it has not begun or has ended."""
        if self.is_current:
            return sys._getframe(1)
        return self._unit.gr_frame if self._unit is not None else None

    @property
    def recursion_depth(self) -> int:
        """How many frames it has."""
        frame, depth = self.frame, 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1
        return depth


class channel:
    """A place where tasklets meet. It holds nothing: every value goes from one tasklet straight to another."""

    _order = -1  # who goes on at once: -1 the receiver, 1 the sender, 0 whoever came second, 2 the next in the ring

    def __new__(cls, *_: object, **__: object) -> Self:
        self = super().__new__(cls)
        self._receivers = deque()
        self._senders = deque()
        self._preference = -1
        self._closing = False
        return self

    _receivers: deque[tasklet]
    _senders: deque[tasklet]
    _preference: int
    _closing: bool

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def send(self, value: Any) -> None:
        """Hand the value to a tasklet that receives; wait for one."""
        scheduler, receivers = _here.scheduler, self._receivers
        source = scheduler.current
        if _channel_callback is not None:
            source.tempval = value  # for the callback to look at
            _call_back(_channel_callback, self, source, 1, not receivers)
            source.tempval = None
        if not receivers:
            self._check_wait(scheduler, source)
            source.tempval, source._place = value, self
            self._senders.append(source)
            scheduler.leave(source)
            return
        order = self._order
        target = self._partner(receivers, scheduler, order in (-1, 2))
        target.tempval, target._place = value, _IN_RING
        if order == -1:
            scheduler.ready.append(source)
            scheduler.switch(source, target)
            return
        scheduler.ready.append(target)
        if order == 2:
            scheduler.ready.append(source)
            scheduler.leave(source)

    def receive(self) -> Any:
        """Take the value of a tasklet that sends; wait for one."""
        scheduler, senders = _here.scheduler, self._senders
        source = scheduler.current
        if _channel_callback is not None:
            _call_back(_channel_callback, self, source, 0, not senders)
        if not senders:
            self._check_wait(scheduler, source)
            source._place = self
            self._receivers.append(source)
            return scheduler.leave(source)
        order = self._order
        target = self._partner(senders, scheduler, order > 0)
        source.tempval, target.tempval, target._place = target.tempval, None, _IN_RING
        if order == 1:
            scheduler.ready.append(source)
            return scheduler.switch(source, target)
        scheduler.ready.append(target)
        if order == 2:
            scheduler.ready.append(source)
            return scheduler.leave(source)
        return scheduler.switch(source, source)

    def _check_wait(self, scheduler: _Scheduler, source: tasklet) -> None:
        if source.block_trap:
            raise RuntimeError("this tasklet does not like to be blocked.")
        if self._closing:
            raise ValueError("Send/receive operation on a closed channel")
        if scheduler.trap:
            scheduler.check_trap()

    @staticmethod
    def _partner(waiting: deque[tasklet], scheduler: _Scheduler, switches: bool) -> tasklet:
        if scheduler.trap and switches:
            scheduler.check_trap()
        if waiting[0]._scheduler is not scheduler:
            raise RuntimeError("the tasklet that waits at this channel belongs to another thread")
        return waiting.popleft()

    def send_exception(self, exc: type[BaseException], *args: Any) -> None:
        """As `send`, but `exc(*args)` is raised in the receiver."""
        self.send(_Bomb(_instance(exc, args)))

    def send_throw(
        self, exc: type[BaseException] | BaseException, val: object = None, tb: TracebackType | None = None
    ) -> None:
        """As `send`, but what `raise` would raise of the three is raised in the receiver."""
        self.send(_Bomb(_normalized(exc, val, tb)))

    def send_sequence(self, seq: Iterable[Any]) -> int:
        """Send the items one by one; return how many there were."""
        count = 0
        for item in seq:
            self.send(item)
            count += 1
        return count

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        """Receive; the sender ends the iteration with `send_exception(StopIteration)`, or it is over when closed."""
        if self.closed:
            raise StopIteration
        return self.receive()

    next = __next__

    def close(self) -> None:
        """Nobody may begin to wait here any more. Those who wait already are not woken."""
        self._closing = True

    def open(self) -> None:
        """Undo `close`."""
        self._closing = False

    @property
    def closing(self) -> bool:
        """Whether `close` was called."""
        return self._closing

    @property
    def closed(self) -> bool:
        """Whether `close` was called and nobody waits any more."""
        return self._closing and not self._senders and not self._receivers

    @property
    def balance(self) -> int:
        """How many tasklets wait to send; negative, how many wait to receive."""
        return len(self._senders) - len(self._receivers)

    @property
    def queue(self) -> tasklet | None:
        """The tasklet that has waited longest; `next` leads to the others."""
        return next(iter(self._waiting()), None)

    @property
    def preference(self) -> int:
        """Who goes on at once when two have met: -1 the receiver, 1 the sender, 0 whoever came second."""
        return self._preference

    @preference.setter
    def preference(self, value: int) -> None:
        if not isinstance(value, int):
            raise TypeError("preference must be set to an integer")
        self._preference = (value > 0) - (value < 0)
        if self._order != 2:
            self._order = self._preference

    @property
    def schedule_all(self) -> int:
        """1 if both go to the end of the ring when two have met, whatever the preference."""
        return int(self._order == 2)

    @schedule_all.setter
    def schedule_all(self, value: int) -> None:
        if not isinstance(value, int):
            raise TypeError("preference must be set to a bool or integer")
        self._order = 2 if value else self._preference

    def _waiting(self) -> deque[tasklet]:
        return self._senders or self._receivers

    def _forget(self, waiting: tasklet) -> None:
        queue = self._waiting()
        if waiting in queue:
            queue.remove(waiting)


class atomic:
    """`with atomic():` marks a section not to be interrupted; here nothing would interrupt it anyway."""

    def __enter__(self) -> None:
        self._old = getcurrent().set_atomic(True)

    def __exit__(self, *_: object) -> None:
        getcurrent().set_atomic(self._old)


def run(
    timeout: int = 0,
    threadblock: bool = False,
    soft: bool = False,
    ignore_nesting: bool = False,
    totaltimeout: bool = False,
) -> tasklet | None:
    """Leave the ring until nobody is left in it. An exception that a tasklet does not catch is raised here.

    With a `timeout`, in instructions (see `INSTRUCTION_S`), it also ends at the first switch away from a tasklet that
    took longer or, with `totaltimeout`, when all together took longer. It then returns the tasklet that it interrupted,
    taken out of the ring; `soft`, that one stays in it and None is returned. Inside another `run` with a timeout it is
    ignored.
    """
    scheduler = _here.scheduler
    scheduler.check_trap()
    me, timer = scheduler.current, None
    if timeout > 0 and scheduler.timer is None:
        timer = scheduler.timer = _Timer(me, timeout, totaltimeout)
    scheduler.watchdogs.append(me)
    me._place = None
    try:
        scheduler.leave(me)
    finally:
        scheduler.current = me  # even if Ctrl-C has interrupted a switch half-way
        _return_from_run(scheduler, me)
        if timer is not None:
            scheduler.timer = None
    if timer is None or timer.victim is None or soft:
        return None
    return timer.victim.remove()


def _return_from_run(scheduler: _Scheduler, me: tasklet) -> None:
    """Those who called `run` later than this one return from it too, each in its turn."""
    watchdogs = scheduler.watchdogs
    while me in watchdogs:
        inner = watchdogs.pop()
        if inner is not me and inner.alive:
            inner.insert()


def schedule(retval: Any = _NOT_GIVEN) -> Any:
    """Go to the end of the ring; return `retval`, by default the current tasklet, when it is its turn again."""
    scheduler = _here.scheduler
    source, ready = scheduler.current, scheduler.ready
    if scheduler.trap and ready:
        scheduler.check_trap()
    source.tempval = source if retval is _NOT_GIVEN else retval
    ready.append(source)
    return scheduler.switch(source, ready.popleft())


def schedule_remove(retval: Any = _NOT_GIVEN) -> Any:
    """Leave the ring; return `retval`, or what was put into `tempval`, once the tasklet was inserted again."""
    scheduler = _here.scheduler
    source = scheduler.current
    scheduler.check_trap()
    source.tempval = source if retval is _NOT_GIVEN else retval
    source._place = None
    return scheduler.leave(source)


def getcurrent() -> tasklet:
    """Return the tasklet that runs now."""
    return _here.scheduler.current


def getmain() -> tasklet:
    """Return the main tasklet of this thread: what the thread itself does."""
    return _here.scheduler.main


def getruncount() -> int:
    """Return how many tasklets are in the ring, the current one included."""
    return 1 + len(_here.scheduler.ready)


def get_thread_info(thread_id: int = -1, flags: int = 0) -> tuple[tasklet, tasklet, int]:
    """Return the main tasklet, the current tasklet and the run count of a thread that has used this module."""
    scheduler = _here.scheduler if thread_id == -1 else _scheduler_of(thread_id)
    return scheduler.main, scheduler.current, 1 + len(scheduler.ready)


def switch_trap(change: int = 0) -> int:
    """Add to the trap level and return the old one. While it is not 0, whatever would switch is a `RuntimeError`."""
    scheduler = _here.scheduler
    old, scheduler.trap = scheduler.trap, scheduler.trap + change
    return old


def enable_softswitch(flag: object) -> bool:
    """Return False and change nothing: greenlet has no soft switching."""
    return False


def set_schedule_callback(callback: Callable[[tasklet, tasklet], object] | None) -> Any:
    """Have `callback(previous, next)` called at every switch; return the callback it replaces."""
    global _schedule_callback
    _check_callback(callback)
    old, _schedule_callback = _schedule_callback, callback
    return old


def get_schedule_callback() -> Any:
    """Return what `set_schedule_callback` has set."""
    return _schedule_callback


def set_channel_callback(callback: Callable[[channel, tasklet, int, int], object] | None) -> Any:
    """Have `callback(channel, tasklet, sending, willblock)` called at every send and receive; return the old one."""
    global _channel_callback
    _check_callback(callback)
    old, _channel_callback = _channel_callback, callback
    return old


def get_channel_callback() -> Any:
    """Return what `set_channel_callback` has set."""
    return _channel_callback


def _check_callback(callback: object) -> None:
    if callback is not None and not callable(callback):
        raise TypeError("a callback must be callable, or None")


def _call_back(callback: Callable[..., object], *args: Any) -> None:
    """Call it; an exception in it is shown and goes no further."""
    try:
        callback(*args)
    except Exception:  # noqa: BLE001 - a switch is half done: it can only be shown
        sys.excepthook(*sys.exc_info())


def _instance(exc: Any, args: tuple[Any, ...]) -> BaseException:
    if not (isinstance(exc, type) and issubclass(exc, BaseException)):
        raise TypeError("exceptions must be classes derived from BaseException")
    error: BaseException = exc(*args)
    return error


def _normalized(exc: type[BaseException] | BaseException, val: object, tb: TracebackType | None) -> BaseException:
    """The exception that `raise exc, val, tb` would raise in the Python that had it."""
    if isinstance(exc, BaseException):
        if val is not None:
            raise TypeError("instance exception may not have a separate value")
        error = exc
    elif isinstance(val, BaseException):
        error = val
    else:
        args: tuple[Any, ...] = val if isinstance(val, tuple) else (val,)
        error = _instance(exc, () if val is None else args)
    return error if tb is None else error.with_traceback(tb)


def _scheduler_of(thread_id: int) -> _Scheduler:
    try:
        return _schedulers[thread_id]
    except KeyError:
        raise RuntimeError(f"thread {thread_id} has no tasklets") from None


def _end_all() -> None:
    """At the end of the program: kill what has begun and not ended, ten times if it has to be."""
    scheduler = _here.scheduler
    if scheduler.main._unit is not greenlet.getcurrent():
        return  # the program has ended in the middle of a tasklet: nothing can be ended from there
    scheduler.trap, scheduler.timer, scheduler.current = 0, None, scheduler.main
    scheduler.watchdogs.clear()
    scheduler.ready.clear()  # Ctrl-C may have ended the program in the middle of a switch: begin a new ring
    for _ in range(10):
        for unit in [*scheduler.started]:
            _end_one(unit)


def _end_one(unit: tasklet) -> None:
    try:
        if not unit.blocked:
            unit._place = None
        unit.kill()
    except BaseException:  # noqa: BLE001 - the program has ended: it can only be shown
        sys.excepthook(*sys.exc_info())


def _threads() -> list[int]:
    import threading

    main = threading.main_thread().ident
    return [*sorted(sys._current_frames(), key=lambda ident: ident != main)]


_COMPUTED: dict[str, Callable[[], Any]] = {
    "current": getcurrent, "main": getmain, "runcount": getruncount, "threads": _threads
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _COMPUTED:
        return _COMPUTED[name]()
    if "pickle" in name.lower():
        raise AttributeError(f"{__name__} has no {name!r}: a tasklet on greenlet can't be pickled")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


stackless = sys.modules[__name__]
builtins.TaskletExit = TaskletExit  # type: ignore[attr-defined]  # Stackless has it there
atexit.register(_end_all)
