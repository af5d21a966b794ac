"""How a task reaches the board of its run: calls, and their answers.

A call is a message `(caller, number, verb, arguments, place)`; the number names what on the board has to do it. In the
process of `main`, where the board is, it is handed to the board's event loop. Any other process has one connection to
the board, for all its tasks, on which many calls may be under way. When the process is killed, the connection breaks at
once: that is how the board learns of it.
"""

import asyncio
import pickle
import sys
import threading
import uuid
from _thread import allocate_lock
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from itertools import count
from weakref import WeakValueDictionary

from distributed import get_worker
from distributed.comm.core import connect

from concmodels.models.tasks.signals.frames import of_program
from concmodels.models.tasks.signals.guard import LOOK_UP_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, ClassVar

    from concmodels.models.tasks.signals.guard import Guard

    type Answer = Callable[[Any, BaseException | None], object]
    type Message = tuple[str, str, str, tuple[Any, ...], str]

CONNECT_S = 5.0
"""The seconds that another process, the scheduler or that of `main`, may take to answer."""

BOARD = "board"
"""The number of the board itself."""


def new_number() -> str:
    """Return a number that nothing else has."""
    return uuid.uuid4().hex


class Cancelled(BaseException):
    """Raised where a cancelled task waits. Swallow it, and the next wait raises it again."""


class Interrupted(Exception):
    """The board's answer to main when Ctrl-C came while main waited; main's thread raises the real interrupt."""


class Link:
    """The way from one process to the board of a run. `embedded` says that all its tasks are in this very process."""

    embedded = False

    def __init__(self, run: str, loop: asyncio.AbstractEventLoop) -> None:
        self.run = run
        self.over: Exception | None = None  # why no call is possible any more
        self.handles: WeakValueDictionary[str, Handle] = WeakValueDictionary()  # all that this process has of it
        self.loop = loop
        with _lock:
            _links[run] = self

    def check(self) -> None:
        """Raise the reason why no call is possible any more, if there is one."""
        if self.over is not None:
            raise type(self.over)(*self.over.args)

    def sign_off(self, why: Exception) -> None:
        """Note that no call is possible any more."""
        self.over = why
        with _lock:
            _links.pop(self.run, None)

    def post(self, message: Message, answer: Answer) -> None:
        """Send a message. Called in the event loop."""
        raise NotImplementedError("a link must say how it sends")


# The other processes.


class RemoteLink(Link):
    """The way from a worker's process, over a connection of its own."""

    def __init__(self, run: str, address: str, worker: Any) -> None:
        super().__init__(run, worker.loop.asyncio_loop)
        self._calls = count(1)
        self._answers: dict[int, Answer] = {}
        self._outgoing: asyncio.Queue[Any] = asyncio.Queue()
        self._living = asyncio.run_coroutine_threadsafe(self._live(address, worker.connection_args), self.loop)

    def post(self, message: Message, answer: Answer) -> None:
        if self.over is not None:
            answer(None, self.over)
            return
        token = next(self._calls)
        self._answers[token] = answer
        self._outgoing.put_nowait((token, self.run, message))

    async def _live(self, address: str, arguments: dict[str, Any]) -> None:
        why = "the connection to the process of main is lost"
        try:
            await converse(await connect(address, CONNECT_S, **arguments), self._outgoing, self._arrived)
        except Exception as error:  # noqa: BLE001 - whatever it is, the tasks that wait must learn of it
            why = f"this worker can't reach the process of main at {address}: {error}"
        finally:
            self.sign_off(ConnectionError(why))
            for answer in self._answers.values():
                answer(None, self.over)

    def _arrived(self, message: tuple[int, Any, bytes]) -> None:
        token, value, error = message
        self._answers.pop(token)(value, pickle.loads(error) if error else None)


async def converse(comm: Any, outgoing: asyncio.Queue[Any], arrived: Callable[[Any], object]) -> None:
    """Send what is put into `outgoing`, and call `arrived` for each message that comes, until the connection ends."""
    writer = asyncio.ensure_future(_write(comm, outgoing))
    try:
        while True:
            for message in await comm.read():
                arrived(message)
    except OSError:
        return  # it is closed, from here or from there
    finally:
        writer.cancel()
        comm.abort()


async def _write(comm: Any, outgoing: asyncio.Queue[Any]) -> None:
    # Dask's own `BatchedSend` does the same, with a timed wait for each batch that makes every call slower.
    while True:
        messages = [await outgoing.get()]
        while not outgoing.empty():
            messages.append(outgoing.get_nowait())
        try:
            await comm.write(messages)
        except OSError:
            return  # the reader sees it too


_links: dict[str, Link] = {}
_lock, _opening = threading.Lock(), threading.Lock()


def link_to(run: str, address: str) -> Link:
    """Return this process's link to the board of a run, which listens at this address. Called in a task."""
    with _opening:
        return _links.get(run) or RemoteLink(run, address, get_worker())


# What a task holds.


class Handle:
    """A process's handle for something that the board keeps under a number. It is pickled as that number.

    In another process it becomes that process's own handle, of which there is one; unless it is `local`.
    """

    local: ClassVar[bool] = False
    link: Link
    number: str
    _about: tuple[Any, ...]

    def _attach(self, link: Link, number: str, *about: Any) -> None:
        """Make this a handle of a run. `about` is what another process must be told."""
        self.link, self.number, self._about = link, number, about
        link.handles[number] = self

    def _ask(self, verb: str, *args: Any) -> Any:
        """Have the board do what this verb says, and wait for the answer."""
        return running_in(self.link).ask(self.number, verb, *args)

    def __reduce__(self) -> tuple[Callable[..., Handle], tuple[Any, ...]]:
        self.link.check()
        return revive, (type(self), self.link.run, self.number, self._about)


def revive(kind: type[Handle], run: str, number: str, about: tuple[Any, ...]) -> Handle:
    """Unpickle a handle: return this process's own. Raises `RuntimeError` if the run is over, or if it is not here."""
    link = _links.get(run)
    if link is None:
        raise RuntimeError("this belongs to a run that is over, or to one on another cluster")
    handle: Handle | None = link.handles.get(number)
    if handle is None:
        if kind.local:
            raise RuntimeError(f"this {kind.__name__} is not here: it is in another process, or it is no longer in use")
        handle = kind.__new__(kind)
        handle._attach(link, number, *about)
    return handle


# The callers.


@dataclass
class Running:
    """One task, in the thread that it runs in. `number` is empty for a thread that runs no task."""

    link: Link
    number: str
    name: str
    _: KW_ONLY
    guard: Guard | None = None  # main's only
    pool: str = ""  # the pool that it is a task of
    seceded: bool = False  # whether it has left its worker's pool of threads

    def start(self, answer: Answer, number: str, verb: str, *args: Any) -> None:
        """Make a call without waiting. `answer` is called in the event loop. Raises why the run is over, if it is."""
        link = self.link
        link.check()
        link.loop.call_soon_threadsafe(link.post, (self.number, number, verb, args, _place()), answer)

    def ask(self, number: str, verb: str, *args: Any) -> Any:
        """Make a call, and wait for its answer. Raises what the board says, and as `start`."""
        if asyncio._get_running_loop() is self.link.loop:
            raise RuntimeError("this would wait in the thread of Dask's event loop")
        while True:
            waiting = _Waiting()
            self.start(waiting.answer, number, verb, *args)
            try:
                return waiting.result()
            except Interrupted:
                assert self.guard is not None
                self.guard.check()  # unless it has landed in the meantime, this raises

    def tell(self, number: str, verb: str, *args: Any) -> None:
        """Make a call that needs no answer."""
        self.start(_ignore, number, verb, *args)

    @contextmanager
    def cleaning_up(self, reason: BaseException | None = None) -> Iterator[None]:
        """Note that in this block main waits for tasks that were told to end: only a second Ctrl-C ends that wait."""
        if self.guard is not None:
            self.guard.leave(reason, cleaning_up=True)
        try:
            yield
        finally:
            if self.guard is not None:
                self.guard.cleaning_up = False


def _ignore(_value: Any, _error: BaseException | None) -> None:
    pass


class _Waiting:
    """A thread that waits for the answer to its call."""

    __slots__ = ("_error", "_lock", "_value")

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._lock.acquire()
        self._value: Any = None
        self._error: BaseException | None = None

    def answer(self, value: Any, error: BaseException | None) -> None:
        self._value, self._error = value, error
        self._lock.release()

    def result(self) -> Any:
        while not self._lock.acquire(True, LOOK_UP_S):
            pass  # a signal handler has had its chance
        if self._error is None:
            return self._value
        try:
            raise self._error
        finally:
            del self  # the error holds this frame, which would hold the error


def _place() -> str:
    """Return the place in the program where the call is made, for the message of a deadlock."""
    frame: Any = sys._getframe(2)
    while frame is not None and not of_program(frame):
        frame = frame.f_back
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


class _Here(threading.local):
    running: Running | None = None


here = _Here()


def current() -> Running:
    """Return the task that runs in this thread. Raises `RuntimeError` outside a run."""
    if here.running is None:
        raise RuntimeError("a channel, a group or a pool of dask is made inside dask.run, in its tasks")
    return here.running


def running_in(link: Link) -> Running:
    """Return this run's task in this thread; for a thread that runs none, one that is never cancelled."""
    running = here.running
    if running is not None and running.link is link:
        return running
    return Running(link, "", threading.current_thread().name)
