"""A second `threading`, `queue`, `time` and `concurrent.futures`: the standard library's own code on simulated locks.

The sources of those modules are executed once more, over the `_thread` of `locks.py` and `tasks.py`. So `Condition`,
`Semaphore`, `Barrier`, `PriorityQueue` and `Future` are what CPython has, line by line, and nothing is patched in the
modules that the rest of the process uses: who gets which is decided by `__import__`.

What is not the standard library's code:

    Lock, RLock, SimpleQueue    are written in C, and are in `locks.py`
    Thread.start                and the new thread wait for each other by locks; here they don't
    Event.is_set                reads without a lock, and so must say what it reads
    Queue and LifoQueue         have operations of one step each (`queues.py`)
    Future                      has operations of one step each, but for waits with a time limit (`futures.py`)
    ThreadPoolExecutor          has workers that share less with each other (`thread_pool.py`)

The modules are executed once, and keep state: the names of threads are numbered. `fresh` puts them back.
"""

import _queue
import builtins
import contextvars
import importlib.util
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from types import CodeType, FunctionType, ModuleType
from typing import Any

from concmodels.explore.errors import CannotExplore
from concmodels.explore.threads import tasks
from concmodels.explore.threads.futures import hash_by, wait_for_futures_by_gates
from concmodels.explore.threads.given import callers, given
from concmodels.explore.threads.locks import Lock, RLock, SimpleQueue, WaiterLock, made_outside
from concmodels.explore.threads.queues import do_in_one_step
from concmodels.explore.threads.standing_for import standing_for
from concmodels.explore.threads.thread_pool import let_workers_commute
from concmodels.facts import DISTRIBUTED, FACTS
from concmodels.models.simulated.world import current, new_key

_EXECUTED = ("threading", "queue", "concurrent.futures._base", "concurrent.futures", "concurrent.futures.thread")
_BLOCKING = frozenset(
    {
        "asyncore", "fcntl", "multiprocessing", "pty", "select", "selectors", "socket", "socketserver", "ssl",
        "subprocess", "uvloop", *(entry.libraries[0] for entry in FACTS + DISTRIBUTED if entry.libraries),
    }
)  # fmt: skip
"""Modules by which a program waits for something that no schedule decides."""

LOOK_AT_THREADS = frozenset({"active_count", "activeCount", "enumerate"})
"""The functions of `threading` that look at all threads."""
_EPOCH_S = 1_700_000_000.0
"""What `time.time` tells when a run begins."""


_made: list[Library] = []


class Library:
    """The simulated modules, by name. Raises `CannotExplore` if Python has no source of its own library."""

    def __init__(self) -> None:
        self.needs_locks_of_queues = False
        """Whether the program itself uses the locks of queues, which then must have them."""
        self.counts_threads = False
        """Whether the program looks which threads there are, so that these have to tell when they start and end."""
        self._threads = new_key("thread")
        self.modules: dict[str, ModuleType] = {"_thread": _simulated_thread(), "time": _simulated_time()}
        self.modules["_queue"] = _module("_queue", {"SimpleQueue": SimpleQueue, "Empty": _queue.Empty})
        self.modules["os"] = _without("os", "register_at_fork")
        self._builtins = {**vars(builtins), "__import__": self._import_of_library}
        self._imported: set[str] = set()
        """What the last run has imported, by the first part of the name: it may have changed these modules."""
        self._at_exit: list[partial[Any]] = []
        for name in _EXECUTED:
            self._execute(name)
        self.modules["atexit"] = _module("atexit", self._functions_of_atexit())
        del self.modules["os"], self.modules["_queue"]
        self._improve()
        _made.append(self)
        self._main_thread = dict(vars(self.modules["threading"]._main_thread))
        self._states = {name: dict(vars(self.modules[name])) for name in _EXECUTED}

    def _execute(self, name: str) -> None:
        module = ModuleType(name)
        module.__dict__["__builtins__"] = self._builtins
        module.__package__ = name.rpartition(".")[0] if name != "concurrent.futures" else name
        self.modules[name] = module
        code, module.__file__ = _source(name)
        for other, inner in self.modules.items():
            package, _, last = other.rpartition(".")
            if package in self.modules:
                setattr(self.modules[package], last, inner)
        exec(code, vars(module))

    def _import_of_library(
        self, name: str, globals_: Any = None, locals_: Any = None, fromlist: Sequence[str] | None = (), level: int = 0
    ) -> Any:
        return self.find(absolute(name, globals_, level), fromlist) or builtins.__import__(
            name, globals_, locals_, fromlist or (), level
        )

    def find(self, name: str, fromlist: Sequence[str] | None) -> Any:
        """Return what `import` of a simulated module binds: the module, or the package that it is in; None if none."""
        self._imported.add(name.partition(".")[0])
        if name == "concurrent" and fromlist and "futures" in fromlist:
            return _module("concurrent", {"futures": self.modules["concurrent.futures"]})
        module = self.modules.get(name)
        if module is None or fromlist or "." not in name:
            return module
        return _module("concurrent", {"futures": self.modules["concurrent.futures"]})

    def _improve(self) -> None:
        """Put in what is not the standard library's code; see above."""
        threading, futures = self.modules["threading"], self.modules["concurrent.futures"]
        thread, event = threading.Thread, threading.Event
        thread.start, thread._bootstrap_inner = _start_of(threading, self), _bootstrap_inner_of(threading, self)
        for name in LOOK_AT_THREADS:
            setattr(threading, name, _looking_at_threads(getattr(threading, name), self))
        thread.__hash__ = _hash
        for kind, lock in _LOCKS.items():
            getattr(threading, kind).__hash__ = _hash_by(lock)
        self.modules["queue"].Queue.__hash__ = _hash_by("mutex")
        event.is_set = event.isSet = _is_set
        vars(threading)["_active_limbo_lock"] = _NoLock()  # between two steps nobody can come in between
        vars(threading)["_dangling"] = _NoSet()  # only tests of Python look into it
        vars(threading)["_allocate_lock"] = WaiterLock
        deletes: Any = threading._DeleteDummyThreadOnDel.__del__  # whenever the one is freed that no Thread stands for
        deletes.__defaults__ = (threading._active_limbo_lock, *deletes.__defaults__[1:])
        base = self.modules["concurrent.futures._base"]
        wait_for_futures_by_gates(base)
        pool = futures.thread.ThreadPoolExecutor
        let_workers_commute(futures.thread)
        do_in_one_step(self.modules["queue"], lambda: not self.needs_locks_of_queues)
        thread.__init__ = _keeping(thread.__init__, "_target")
        threading.Timer.__init__ = _keeping(threading.Timer.__init__, "function")
        pool.submit = _giving(pool.submit)
        base.Future.add_done_callback = _giving(base.Future.add_done_callback)
        callers.update((thread, threading.Timer, pool.submit, base.Executor.map, base.Future.add_done_callback))
        vars(base)["LOGGER"] = _Logger(base.LOGGER)
        vars(futures).update(
            ThreadPoolExecutor=pool,
            __getattr__=_no_other_pool,
        )

    def _functions_of_atexit(self) -> dict[str, Callable[..., Any]]:
        """Return functions that register what is called at the end of each run, and not at that of this process."""
        registered = self._at_exit

        def register(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
            registered.append(partial(function, *args, **kwargs))
            return function

        def unregister(function: Callable[..., Any]) -> None:
            registered[:] = [it for it in registered if it.func != function]

        return {"register": register, "unregister": unregister}

    def fresh(self) -> None:
        """Put the modules back into the state in which a new process has them."""
        self._at_exit.clear()
        has_pools = "concurrent" in self._imported  # which has the other modules, too
        for name, state in self._states.items():
            if has_pools or name == "threading" or name in self._imported:
                names = vars(self.modules[name])
                names.clear()
                names.update(state)
        self._imported.clear()
        threading = self.modules["threading"]
        vars(threading)["_counter"] = threading._count(1).__next__
        threading._active.clear()
        threading._active[threading._main_thread.ident] = threading._main_thread
        vars(threading._main_thread).clear()
        vars(threading._main_thread).update(self._main_thread)
        threading._main_thread._os_thread_handle._done = False
        threading._limbo.clear()
        if has_pools:
            thread = self.modules["concurrent.futures.thread"]
            thread._threads_queues.clear()
            thread.ThreadPoolExecutor._counter = thread.itertools.count().__next__
        for made in made_outside.copy():
            lock = made()
            if lock is not None:
                lock._at_fork_reinit()

    def touch_threads(self, kind: str, changes: bool) -> None:
        """Stop before a step that looks which threads there are, or changes that, if anybody looks."""
        world = current()
        if self.counts_threads and world is not None and not world.dying:
            world.point(kind, ((self._threads, changes),), _AllThreads)

    def end(self) -> None:
        """Do what Python does when a program has ended: wait for all threads that are no daemons, call `atexit`'s."""
        if self.modules["concurrent.futures.thread"]._threads_queues:
            self.modules["threading"]._shutdown()
        else:
            tasks.wait_for_threads()
        while self._at_exit:
            self._at_exit.pop()()


def blocking(name: str) -> bool:
    """Return whether the module with this name waits for what no schedule decides."""
    return name.partition(".")[0] in _BLOCKING or name in ("concurrent.futures.process", "concurrent.interpreters")


def absolute(name: str, globals_: Mapping[str, Any] | None, level: int) -> str:
    """Return the full name of a module that is imported as `name`, relative to a package if `level` is not 0."""
    if level == 0 or not globals_:
        return name
    package = str(globals_.get("__package__") or "")
    base = package.rsplit(".", level - 1)[0] if level > 1 else package
    return f"{base}.{name}" if name else base


def _source(name: str) -> tuple[CodeType, str]:
    spec = importlib.util.find_spec(name)
    source = getattr(spec.loader, "get_source", lambda _: None)(name) if spec is not None else None
    if spec is None or spec.origin is None or source is None:
        raise CannotExplore(
            f"this Python has no source of its module {name}, which is executed once more to simulate it: "
            "use one that has Lib/*.py"
        )
    return compile(source, spec.origin, "exec", dont_inherit=True), spec.origin


def _module(name: str, names: Mapping[str, Any]) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(names)
    return module


def _without(name: str, *left_out: str) -> ModuleType:
    names = vars(sys.modules[name])
    return _module(name, {key: value for key, value in names.items() if key not in left_out})


def _simulated_thread() -> ModuleType:
    module = _without("_thread", "RLock", "set_name")
    vars(module).update(
        RLock=RLock,
        lock=Lock,
        LockType=Lock,
        allocate_lock=Lock,
        allocate=Lock,
        start_joinable_thread=tasks.start_joinable_thread,
        start_new_thread=tasks.start_new_thread,
        start_new=tasks.start_new_thread,
        get_ident=tasks.get_ident,
        get_native_id=tasks.get_ident,
        _ThreadHandle=tasks.Handle,
        _make_thread_handle=tasks.Handle,
        _get_main_thread_ident=lambda: tasks.ident_of((0,)),
        _shutdown=tasks.wait_for_threads,
        _local=tasks.local,
        _excepthook=_raise_again,
    )
    return module


def _simulated_time() -> ModuleType:
    module = _without("time")
    vars(module)["sleep"] = _sleep
    for name, start in {"monotonic": 0.0, "perf_counter": 0.0, "time": _EPOCH_S}.items():
        setattr(module, name, _clock(start))
        setattr(module, f"{name}_ns", _clock_ns(start))
    return module


def _clock(start: float) -> Callable[[], float]:
    def clock() -> float:
        world = current()
        return start if world is None else start + world.tell_time()

    return clock


def _clock_ns(start: float) -> Callable[[], int]:
    def clock_ns() -> int:
        world = current()
        return int(start * 1e9) + (0 if world is None else round(world.tell_time() * 1e9))

    return clock_ns


def _sleep(seconds: float) -> None:
    """As `time.sleep`, in virtual time."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    world = current()
    if world is None:
        time.sleep(seconds)
    elif seconds == 0:
        world.point("sleep")
    else:
        step = world.announce("sleep")
        world.enable_at(world.clock + seconds, step)
        world.park(step)


def _raise_again(args: Any) -> None:
    """Instead of printing what a thread has died of: the run has failed."""
    if args.exc_value is not None:
        raise args.exc_value


def _no_other_pool(name: str) -> Any:
    if name.endswith("PoolExecutor"):
        raise CannotExplore(f"a {name} works outside of the simulated world: explore the program with a thread pool")
    raise AttributeError(f"module 'concurrent.futures' has no attribute {name!r}")


class _NoLock:
    def __enter__(self) -> bool:
        return True

    def __exit__(self, *_: object) -> None:
        pass


class _NoSet:
    def add(self, _: object) -> None:
        pass


class _Logger:
    """The logger of `concurrent.futures`, which is told of every exception in a worker, also of the end of a run."""

    def __init__(self, logger: Any) -> None:
        self._logger = logger

    def critical(self, *args: Any, **options: Any) -> None:
        """As `Logger.critical`."""
        world = current()
        if world is None or not world.dying:
            self._logger.critical(*args, **options)

    def exception(self, *args: Any, **options: Any) -> None:
        """As `Logger.exception`."""
        self.critical(*args, exc_info=True, **options)


class _AllThreads:
    """The subject of a step that looks which threads there are, or changes that."""

    name = "which threads there are"


class _Started:
    """Instead of the event that a thread has been started, which nobody has to wait for."""

    @staticmethod
    def is_set() -> bool:
        """Return True: the main thread has started."""
        return True


def _looking_at_threads(look: Callable[[], Any], library: Library) -> Callable[[], Any]:
    """Return a function as `threading.enumerate`."""

    @standing_for(look)
    def looking_at_threads() -> Any:
        library.touch_threads("look at", False)
        return look()

    vars(looking_at_threads)["is_told"] = lambda: library.counts_threads
    return looking_at_threads


def _start_of(threading: ModuleType, library: Library) -> Callable[[Any], None]:
    def start(self: Any) -> None:
        """As `Thread.start`."""
        if not self._initialized:
            raise RuntimeError("thread.__init__() not called")
        if isinstance(self._started, _Started):
            raise RuntimeError("threads can only be started once")
        if self._context is None:
            self._context = _context()
        library.touch_threads("change", True)
        handle = tasks.start(self._bootstrap_inner, (), {}, self._os_thread_handle, self.daemon, self.name)
        self._started = _Started()
        self._ident = self._native_id = handle.ident
        threading._active[self._ident] = self

    return start


THREAD_START = next(it for it in _start_of.__code__.co_consts if getattr(it, "co_name", "") == "start")
"""The code of `Thread.start`. The real one waits until the new thread has begun, so there threads switch."""


def codes_that_release() -> list[CodeType]:
    """Return the functions after which a program goes on that may have let others go on: those that release a lock."""
    modules = [module for it in _made for name, module in it.modules.items() if name in ("threading", "queue")]
    kinds = [Lock, RLock, SimpleQueue, *(it for module in modules for it in vars(module).values())]
    functions = [it for kind in kinds if isinstance(kind, type) for it in vars(kind).values()]
    return [it.__code__ for it in functions if isinstance(it, FunctionType) and it.__name__ in _RELEASE]


_RELEASE = frozenset({"release", "__exit__", "put", "put_nowait", "get", "get_nowait", "task_done", "set", "notify"})


def _hash(self: Any) -> int:
    """The same one in every run, for a pool keeps its threads in a set and joins them in its order."""
    return hash_by(self, "thread")


_LOCKS = {"Condition": "_lock", "Event": "_cond", "Semaphore": "_cond", "Barrier": "_cond"}
"""Which attribute of an object has its lock, or another object that has one."""


def _hash_by(name: str) -> Callable[[Any], int]:
    """Return a `__hash__` that is the same one on the same schedule: that of a lock."""
    return lambda self: hash(getattr(self, name))


def _context() -> Any:
    return contextvars.copy_context() if sys.flags.thread_inherit_context else contextvars.Context()


def _bootstrap_inner_of(threading: ModuleType, library: Library) -> Callable[[Any], None]:
    def bootstrap_inner(self: Any) -> None:
        """As `Thread._bootstrap_inner`."""
        try:
            self._context.run(self.run)
        except Exception:
            if threading.excepthook is threading.__excepthook__:
                raise
            self._invoke_excepthook(self)
        finally:
            library.touch_threads("change", True)
            threading._active.pop(self._ident, None)

    return bootstrap_inner


def _keeping(init: Callable[..., None], name: str) -> Callable[..., None]:
    """Return an `__init__` like this one, which keeps a function under this name, as what `given` makes of it."""

    @wraps(init)
    def keeping(self: Any, *args: Any, **options: Any) -> None:
        init(self, *args, **options)
        setattr(self, name, given(getattr(self, name)))

    return keeping


def _giving(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method like this one, which gives a function to a thread, and gives it away by `given`."""

    @wraps(method)
    def giving(self: Any, function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
        return method(self, given(function), *args, **options)

    return giving


def _is_set(self: Any) -> bool:
    """As `Event.is_set`."""
    world = current()
    if world is not None:
        world.point("look at", ((self._cond._lock.key, False),), self)
    flag: bool = self._flag
    return flag
