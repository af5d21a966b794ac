"""The tasklet, and the ring that it belongs to: every thread has a ring of its own, from its first use on."""

import sys
from _thread import _local
from weakref import WeakValueDictionary

from concmodels.stackless.scheduler import IN_RING, Bomb, Scheduler, TaskletExit, instance, normalized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType, TracebackType
    from typing import Any, NoReturn, Self

    from greenlet import greenlet


class tasklet:
    """A call that can stop anywhere and continue later: `tasklet(function)(*args, **kwargs)` puts one into the ring.

    `tasklet(function, args, kwargs)` also binds the arguments, but does not put the tasklet into the ring.

        >>> import concmodels.stackless as stackless
        >>> def work(name):
        ...     for step in (1, 2):
        ...         print(name, step)
        ...         stackless.schedule()
        >>> one, two = stackless.tasklet(work)("one"), stackless.tasklet(work)("two")
        >>> stackless.run()
        one 1
        two 1
        one 2
        two 2
        >>> one.alive, one.scheduled
        (False, False)
    """

    tempval: Any = None  # the function it is bound to; later the value that is handed to it
    block_trap = False
    atomic = False
    ignore_nesting = False
    nesting_level = 0

    _scheduler: Scheduler
    _place: Any = None  # in the ring, or the channel it waits at, or nowhere
    _call: tuple[Callable[..., object], Iterable[Any], dict[str, Any]] | None = None  # what it will do when it begins
    _unit: greenlet | None = None  # from its beginning to its end

    def __new__(cls, *_: object, **__: object) -> Self:
        self = super().__new__(cls)
        self._scheduler = here.scheduler
        return self

    def __init__(
        self,
        func: Callable[..., object] | None = None,
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self.bind(func, args, kwargs)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Self:
        """Bind the arguments of the function: see `setup`."""
        return self.setup(*args, **kwargs)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a tasklet can't be pickled: greenlet keeps its frames on the C stack")

    def bind(
        self,
        func: Callable[..., object] | None = None,
        args: Iterable[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Self:
        """Set the function to call. With arguments, the tasklet can be inserted; without function, it is unbound.

        Raises `TypeError` for what can't be called, and `RuntimeError` if there is no function for the arguments, or if
        the tasklet is the current one, is scheduled, or has begun.
        """
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
        """Bind the arguments of the function, and put the tasklet at the end of the ring.

        Raises `RuntimeError` if the tasklet has arguments already, or no function.
        """
        if self.alive:
            raise RuntimeError("tasklet is alive")
        if self.tempval is None:
            raise RuntimeError("the tasklet was not bound to a function")
        self._call, self.tempval = (self.tempval, args, kwargs), None
        self._place = IN_RING
        self._scheduler.ready.append(self)
        return self

    def insert(self) -> Self:
        """Put the tasklet at the end of the ring if it is in none. Raises `RuntimeError` if it waits at a channel."""
        if self.blocked:
            raise RuntimeError("You cannot run a blocked tasklet")
        if self._place is None:
            if not self.alive:
                raise RuntimeError("You cannot run an unbound(dead) tasklet")
            self._place = IN_RING
            self._scheduler.ready.append(self)
        return self

    def remove(self) -> Self:
        """Remove the tasklet from the ring; it continues after `insert` or `run`.

        Raises `RuntimeError` if it waits at a channel or is the current one.
        """
        if self.blocked:
            raise RuntimeError("You cannot remove a blocked tasklet.")
        if self.is_current:
            raise RuntimeError("The current tasklet cannot be removed.")
        if self._place is IN_RING:
            self._scheduler.ready.remove(self)
            self._place = None
        return self

    def run(self) -> Any:
        """Switch to this tasklet at once; the current one stays in the ring."""
        return self._run(stay=True)

    def switch(self) -> Any:
        """Switch to this tasklet at once; the current one leaves the ring."""
        return self._run(stay=False)

    def _run(self, stay: bool) -> Any:
        scheduler = self._scheduler
        self._check_here()
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

    def _check_here(self) -> None:
        if here.scheduler is not self._scheduler:
            raise RuntimeError("can't switch to a different thread.")

    def kill(self, pending: bool = False) -> None:
        """End the tasklet by raising `TaskletExit` in it. Does nothing if it has ended."""
        if self.alive and self._scheduler is not here.scheduler and self.thread_id == -1:
            self._unblock()
            self.remove()
            self._call = self._unit = None
        self._throw(TaskletExit(), pending)

    def raise_exception(self, exc_class: type[BaseException], *args: Any) -> None:
        """Raise `exc_class(*args)` in the tasklet, at once."""
        self._throw(instance(exc_class, args), pending=False)

    def throw(
        self,
        exc: type[BaseException] | BaseException,
        val: object = None,
        tb: TracebackType | None = None,
        pending: bool = False,
    ) -> None:
        """Raise in the tasklet what `raise exc, val, tb` would raise: at once or, if `pending`, when it runs next."""
        self._throw(normalized(exc, val, tb), pending)

    def _throw(self, error: BaseException, pending: bool) -> None:
        if self is here.scheduler.current:
            raise error
        if not self.alive:
            if isinstance(error, TaskletExit):
                return
            raise RuntimeError("You cannot throw to a dead tasklet")
        if not pending:
            self._check_here()
            self._scheduler.check_trap()
        self._unblock()
        self.tempval = Bomb(error)
        self.insert()
        if not pending:
            self.run()

    def _work(self) -> greenlet | None:
        """Run the tasklet in its greenlet. greenlet passes the return value to the greenlet's parent, which goes on."""
        assert self._call is not None
        function, args, kwargs = self._call
        bomb, self._call, self.tempval = self.tempval, None, None
        try:
            if bomb.__class__ is Bomb:
                bomb.explode()
            function(*args, **kwargs)
        except TaskletExit:
            pass
        except BaseException as error:  # noqa: BLE001 - any error leaves `run`
            self.tempval = Bomb(error)
        else:
            self.tempval = None
        del function, args, kwargs, bomb
        return self._scheduler.end(self)

    def set_atomic(self, flag: object) -> bool:
        """Set the flag and return the old one. It has no effect: nothing interrupts a tasklet here."""
        old, self.atomic = self.atomic, bool(flag)
        return old

    def set_ignore_nesting(self, flag: object) -> bool:
        """Set the flag and return the old one. It has no effect."""
        old, self.ignore_nesting = self.ignore_nesting, bool(flag)
        return old

    def bind_thread(self, thread_id: int = -1) -> None:
        """Move a tasklet that has not begun to the current thread (-1), or to another thread that has tasklets.

        Raises `RuntimeError` if it has begun or is scheduled, or if that thread has no tasklets.
        """
        target = here.scheduler if thread_id == -1 else scheduler_of(thread_id)
        if target is self._scheduler:
            return
        if self._unit is not None or self._place is not None:
            raise RuntimeError("only a tasklet that has not begun and is not scheduled can move to another thread")
        self._scheduler = target

    # What can be asked for.

    @property
    def alive(self) -> bool:
        """Whether the tasklet has its arguments and has not ended."""
        return self._unit is not None or self._call is not None

    @property
    def blocked(self) -> bool:
        """Whether the tasklet waits at a channel."""
        return self._place is not None and self._place is not IN_RING

    @property
    def scheduled(self) -> bool:
        """Whether the tasklet is in the ring, or waits at a channel."""
        return self._place is not None

    @property
    def paused(self) -> bool:
        """Whether the tasklet is alive, and neither in the ring nor at a channel."""
        return self._place is None and self.alive

    @property
    def restorable(self) -> bool:
        """Whether the tasklet has nothing on the C stack. This is only true before it begins and after it has ended."""
        return self._unit is None

    @property
    def is_current(self) -> bool:
        """Whether this is the current tasklet of its thread."""
        return self._scheduler.current is self

    @property
    def is_main(self) -> bool:
        """Whether this is the main tasklet of its thread."""
        return self._scheduler.main is self

    @property
    def thread_id(self) -> int:
        """The id of the thread that the tasklet belongs to; -1 if that thread has ended."""
        return self._scheduler.thread_id if self._scheduler.thread_id in sys._current_frames() else -1

    @property
    def next(self) -> tasklet | None:
        """The next tasklet in the ring; at a channel, the next one that waits, or None."""
        return self._neighbour(1)

    @property
    def prev(self) -> tasklet | None:
        """The previous tasklet in the ring; at a channel, the one that has waited longer, or None."""
        return self._neighbour(-1)

    def _neighbour(self, step: int) -> tasklet | None:
        if self._place is None:
            return None
        if self._place is IN_RING:
            row: list[Any] = [self._scheduler.current, *self._scheduler.ready]
            index = (row.index(self) + step) % len(row)
        else:
            row = [None, *self._place._waiting(), None]
            index = row.index(self) + step
        neighbour: tasklet | None = row[index]
        return neighbour

    @property
    def frame(self) -> FrameType | None:
        """The current frame of the tasklet; None if it has not begun or has ended."""
        if self.is_current:
            return sys._getframe(1)
        return self._unit.gr_frame if self._unit is not None else None

    @property
    def recursion_depth(self) -> int:
        """The number of frames of the tasklet."""
        frame, depth = self.frame, 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1
        return depth

    def _unblock(self) -> None:
        if self.blocked:
            self._place._forget(self)
            self._place = None


class _Ring:
    """The scheduler of a thread, for others. It ends with the thread, whose number another one may have after that.

    The scheduler itself may exist for longer: its tasklets refer to it.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler


class _Here(_local):
    scheduler: Scheduler
    ring: _Ring

    def __getattr__(self, name: str) -> Scheduler:  # at the first use in a thread
        if name != "scheduler":
            raise AttributeError(name)
        self.scheduler = scheduler = Scheduler(object.__new__(tasklet))  # this is the main tasklet
        self.ring = _rings[scheduler.thread_id] = _Ring(scheduler)
        return scheduler


_rings: WeakValueDictionary[int, _Ring] = WeakValueDictionary()
here = _Here()


def scheduler_of(thread_id: int) -> Scheduler:
    """Return the ring of another thread. Raises `RuntimeError` if it has none."""
    try:
        return _rings[thread_id].scheduler
    except KeyError:
        raise RuntimeError(f"thread {thread_id} has no tasklets") from None


def threads_with_rings() -> list[int]:
    """Return the ids of the threads that have a ring: the current one, and those in which this module was used."""
    here.scheduler  # noqa: B018 - the first use in a thread makes its ring
    return [ident for ident in sys._current_frames() if ident in _rings]
