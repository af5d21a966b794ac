"""Simulated threads: what `_thread` has besides locks, as tasks of a world."""

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from greenlet import GreenletExit, getcurrent

from concmodels.explore.threads.given import callers, given
from concmodels.explore.threads.locks import Shared, Wait
from concmodels.models.simulated.world import current

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Identity, Runner

_MAIN = 1
"""The ident of the main thread; nothing else has it."""


class Handle(Shared):
    """As `_thread._ThreadHandle`: of a thread that may have ended."""

    def __init__(self, ident: int | None = None) -> None:
        self.ident = ident
        self.thread_name = ""
        self._done = False
        self._become_shared("thread")

    def is_done(self) -> bool:
        """As in `_thread`; a step, because the thread may be about to end."""
        world = current()
        if world is not None:
            world.point("look at", ((self.key, False),), self)
        return self._done

    def join(self, timeout: float | None = None) -> None:
        """As in `_thread`: wait for the end of the thread."""
        world = current()
        if world is None:
            return
        if timeout is not None and timeout <= 0:
            self.is_done()
        else:
            self._stop_before(world, "join", self._done, timeout)

    def _set_done(self) -> None:
        world = current()
        if world is not None:
            world.touch(self.key, True)
        self._done = True
        self._enable(world)

    @property
    def name(self) -> str:
        """The name of the thread."""
        return self.thread_name

    def describe(self) -> str:
        """Say that a thread waits for this one's end."""
        return f"waits for the end of {self.name}"


class ThreadTask:
    """The body of one thread, as the world runs it."""

    runner: Runner

    def __init__(self, name: str, body: Callable[[], object], handle: Handle) -> None:
        self.name = name
        self.waiter: Wait | None = None
        self.handle = handle
        self._body = body

    def run(self) -> None:
        """Run the body. What it raises ends the run: nobody is there who would catch it."""
        world = current()
        assert world is not None
        try:
            self._body()
        except SystemExit:
            pass  # as in `threading`
        except BaseException as error:  # noqa: BLE001 - whatever it is, the run has failed by it
            if world.dying:
                raise GreenletExit from None  # it comes of the clean-up
            world.cut(error)
        world.point("end", ((self.handle.key, True),), self)
        world.opens(self, self.handle.key)
        self.handle._set_done()

    def must_stop(self) -> bool:
        """Nothing can end a thread, so a verb of the vocabulary may be used in one."""
        return False


def start_joinable_thread(function: Callable[[], object], handle: Handle | None = None, daemon: bool = True) -> Handle:
    """As in `_thread`."""
    return start(function, (), {}, handle or Handle(), daemon, getattr(function, "__name__", "thread"))


def start_new_thread(
    function: Callable[..., object], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, /
) -> int:
    """As in `_thread`."""
    handle = start(given(function), args, kwargs or {}, Handle(), True, getattr(function, "__name__", "thread"))
    assert handle.ident is not None
    return handle.ident


callers.add(start_new_thread)


def start(
    function: Callable[..., object],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    handle: Handle,
    daemon: bool,
    name: str,
) -> Handle:
    """Start a thread. That is no step: nobody can see it begin before it does its first one."""
    world = current()
    if world is None:
        raise RuntimeError("a module starts a thread while it is imported: start it in a function")
    handle.thread_name = name
    runner = world.start(ThreadTask(name, partial(function, *args, **kwargs), handle))
    handle.ident = ident_of(runner.identity)
    if not daemon:
        world.waited_for.append(handle)
    return handle


@cache
def ident_of(identity: Identity) -> int:
    """Return the ident of the thread with this identity: the same one on every schedule."""
    if identity == (0,):
        return _MAIN
    number = _MAIN
    for part in identity:
        number = number * 1000 + part
    return number


def get_ident() -> int:
    """As in `_thread`."""
    world = current()
    return _MAIN if world is None else ident_of(world.running.identity)


def wait_for_threads() -> None:
    """As `_thread._shutdown`: wait for all threads that are no daemons, and for those that they start."""
    world = current()
    if world is not None:
        while world.waited_for:
            world.waited_for.pop(0).join()


class local:
    """As `_thread._local`: each thread sees attributes of its own, and `__init__` is called in each."""

    __slots__ = ("__dict__", "__weakref__", "_local__args", "_local__of")

    _local__of: WeakKeyDictionary[Any, dict[str, Any]]
    _local__args: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError("Initialization arguments are not supported")
        self = object.__new__(cls)
        object.__setattr__(self, "_local__args", (args, kwargs))
        object.__setattr__(self, "_local__of", WeakKeyDictionary({_this_thread(): self.__dict__}))
        return self

    def __getattribute__(self, name: str) -> Any:
        if name not in ("_local__of", "_local__args", "__dict__"):
            _turn_to_this_thread(self)
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        _turn_to_this_thread(self)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        _turn_to_this_thread(self)
        object.__delattr__(self, name)


def _this_thread() -> object:
    """Return something that the running thread alone has: the job of its greenlet, which does others' after it."""
    unit = getcurrent()
    return getattr(unit, "job", None) or unit


def _turn_to_this_thread(it: local) -> None:
    """Exchange the attributes for those of the running thread. Until its next one, no other thread can run."""
    of, thread = it._local__of, _this_thread()
    own = of.get(thread)
    if own is not None:
        object.__setattr__(it, "__dict__", own)
    else:
        of[thread] = own = {}
        object.__setattr__(it, "__dict__", own)
        args, kwargs = it._local__args
        type(it).__init__(it, *args, **kwargs)
