"""The verbs of a traced model: each does what the model's own does, and leaves a row.

This is the async text. Without `async` and `await` it is the sync one: `texts.py` makes both. What runs for each
message is written out and short, because its time is what tracing costs. The number of a message travels with it, as a
pair; `boundary.py` has what is different where a message is a copy.
"""

from collections import deque

from concmodels.errors import ChannelClosed, Selected
from concmodels.trace import rows
from concmodels.trace.rows import failure
from concmodels.trace.texts import again

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator
    from typing import Any, Self

    from concmodels.trace.recorder import Recorder


class Noted:
    """Leaves a row of what is done in a `with` block; `failed` is of those whose exception says that it was in vain."""

    def __init__(self, recorder: Recorder, what: int, number: int = 0, *, failed: bool = True) -> None:
        self.recorder, self.what, self.number, self.failed = recorder, what, number, failed

    def __enter__(self) -> Self:
        self.lane, self.begin = self.recorder.lane(), self.recorder.clock()
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        failed = failure(error) if error is not None and self.failed else 0
        self.lane.row(self.begin, self.recorder.clock(), self.what | failed, self.number)


class Run:
    """The function of a task: it opens the lane of the task, and ends it."""

    def __init__(self, recorder: Recorder, number: int, name: str, function: Callable[..., Any]) -> None:
        self.recorder, self.number, self.name, self.function = recorder, number, name, function
        look_like(self, function)

    def __reduce__(self) -> Any:
        return again, ("Run", IS_ASYNC, self.recorder, self.number, self.name, self.function)

    async def __call__(self, *args: Any) -> Any:
        lane = self.recorder.open(self.number, self.name)
        token = self.recorder.current.set(lane)
        try:
            return await self.function(*args)
        except BaseException as error:
            lane.mark(self.recorder.clock(), rows.ERROR | failure(error))
            raise
        finally:
            lane.over(self.recorder.clock())
            self.recorder.current.reset(token)


def look_like(this: Any, function: Any) -> None:
    """Give it the names and the code of the function that it calls: a model looks at them, and may refuse it."""
    for name in ("__name__", "__qualname__", "__code__", "__wrapped__"):
        if hasattr(function, name):
            setattr(this, name, getattr(function, name))


MARK = object()
"""What a numbered message begins with: `(MARK, number, item)`. One that the trace leaves out is the bare item."""


class Channel:
    """A channel whose messages are numbered, and which has the model's own one inside."""

    __slots__ = (
        "__weakref__", "_clock", "_lane", "_mask", "_note", "_numbers", "_received", "_recorder", "_sent", "inner",
    )  # fmt: skip

    on: Any
    """The traced model; its own subclass has it."""

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        self.inner = self.on.inner.Channel(capacity, name)
        self._recorder = recorder = self.on.recorder
        self._clock, self._mask, self._lane = recorder.clock, recorder.mask, recorder.current.get
        number, self._note = recorder.note_channel(self.inner, name, self.on.is_beyond)
        self._numbers = self._note.numbers
        self._sent, self._received = rows.SEND | number << 16, rows.RECEIVE | number << 16

    @property
    def name(self) -> Any:
        return self.inner.name

    @property
    def capacity(self) -> Any:
        return self.inner.capacity

    @property
    def closed(self) -> Any:
        return self.inner.closed

    def __len__(self) -> int:
        return len(self.inner)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return repr(self.inner)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Channel) and self.inner is other.inner

    def __hash__(self) -> int:
        return hash(self.inner)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it."""
        self._recorder.lane().mark(self._clock(), rows.CLOSE | self._sent & ~255)
        self.inner.close()

    async def send(self, item: Any, timeout: float | None = None) -> None:
        """Send."""
        number = next(self._numbers)
        if number & self._mask[0]:
            try:
                await self.inner.send(item, timeout)
            except BaseException:
                self.not_sent()
                raise
            return
        try:
            lane = self._lane()
        except LookupError:
            lane = self._recorder.lane()
        clock = self._clock
        begin = clock()
        try:
            await self.inner.send((MARK, number, item), timeout)
        except BaseException as error:
            self.not_sent()
            lane.row(begin, clock(), self._sent | failure(error))
            raise
        lane.write((begin, clock(), self._sent, number))
        if len(lane.rows) >= lane.full:
            lane.thin()

    async def receive(self, timeout: float | None = None) -> Any:
        """Receive."""
        try:
            lane = self._lane()
        except LookupError:
            lane = self._recorder.lane()
        clock = self._clock
        begin = clock()
        try:
            item = await self.inner.receive(timeout)
        except BaseException as error:
            lane.row(begin, clock(), self._received | failure(error))
            raise
        if type(item) is tuple and len(item) == 3 and item[0] is MARK:
            _, number, item = item
            lane.write((begin, clock(), self._received, number))
            if len(lane.rows) >= lane.full:
                lane.thin()
        return item

    def send_nowait(self, item: Any) -> None:
        """Send without waiting."""
        lane, number, begin = self._recorder.lane(), next(self._numbers), self._clock()
        try:
            self.inner.send_nowait((MARK, number, item))
        except BaseException:
            self.not_sent()
            raise
        lane.row(begin, self._clock(), self._sent, number)

    def receive_nowait(self) -> Any:
        """Receive without waiting."""
        lane, begin = self._recorder.lane(), self._clock()
        return self.opened(self.inner.receive_nowait(), lane, begin)

    def __aiter__(self) -> AsyncIterator[Any]:
        return Items(self)

    def case(self, item: Any) -> tuple[Any, Any]:
        """Return the case of a select that sends this item."""
        return self.inner, (MARK, next(self._numbers), item)

    def opened(self, item: Any, lane: Any, begin: int, sent: bool = False, position: int = 0) -> Any:
        """Return the item of what was sent or received, and write its row if it has a number."""
        if type(item) is tuple and len(item) == 3 and item[0] is MARK:
            _, number, item = item
            lane.row(begin, self._clock(), self._sent if sent else self._received, number)
        return item

    def not_sent(self) -> None:
        """Note that a number was given to a message that was not sent."""
        next(self._note.unsent)


class Turn:
    """A channel of `concmodels.net`, which is no message of the program: a wait for it is part of one for a socket."""

    on: Any

    def __init__(self, capacity: float, name: str) -> None:
        self.inner = self.on.inner.Channel(capacity, name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def receive(self, timeout: float | None = None) -> Any:
        """Receive."""
        with Noted(self.on.recorder, rows.SOCKET):
            return await self.inner.receive(timeout)


class Items:
    """Receives from a channel until it is closed and drained."""

    def __init__(self, channel: Channel) -> None:
        self._word = channel._received
        self._clock = channel._clock
        self._lane = channel._recorder.lane()
        self._next = channel.inner.__aiter__().__anext__

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        begin = self._clock()
        try:
            item = await self._next()
        except StopAsyncIteration:
            self._lane.row(begin, self._clock(), self._word | failure(ChannelClosed()))
            raise
        except BaseException as error:
            self._lane.row(begin, self._clock(), self._word | failure(error))
            raise
        if type(item) is tuple and len(item) == 3 and item[0] is MARK:
            lane, (_, number, item) = self._lane, item
            lane.write((begin, self._clock(), self._word, number))
            if len(lane.rows) >= lane.full:
                lane.thin()
        return item


class TaskGroup:
    """A task group whose tasks have lanes."""

    on: Any

    def __init__(self, timeout: float | None = None) -> None:
        self.inner = self.on.inner.TaskGroup(timeout)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def __aenter__(self) -> Self:
        await self.inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        with Noted(self.on.recorder, rows.JOIN, failed=False):
            return await self.inner.__aexit__(*error)

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Task:
        """Start a task."""
        recorder = self.on.recorder
        lane, number, begin = recorder.lane(), recorder.reserve(), recorder.clock()
        called = getattr(function, "__name__", "task")
        run: Any = function
        if callable(run):  # else the model says what is wrong with it
            run = Run(recorder, number, name or f"{called}-{number}", function)
        inner = self.inner.spawn(run, *args, name=name or f"{called}-{number}")
        lane.mark(begin, rows.SPAWN, number)
        return Task(recorder, inner, number)

    def cancel(self) -> None:
        """Cancel all tasks of the group."""
        self.on.recorder.lane().mark(self.on.recorder.clock(), rows.CANCEL)
        self.inner.cancel()


class Task:
    """The handle of a task, which has the model's own one inside."""

    def __init__(self, recorder: Recorder, inner: Any, number: int) -> None:
        self._recorder, self.inner, self._number = recorder, inner, number

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def __repr__(self) -> str:
        return repr(self.inner)

    def cancel(self) -> None:
        """Cancel the task."""
        self._recorder.lane().mark(self._recorder.clock(), rows.CANCEL, self._number)
        self.inner.cancel()

    async def result(self, timeout: float | None = None) -> Any:
        """Wait for the end of the task."""
        with Noted(self._recorder, rows.RESULT, self._number):
            return await self.inner.result(timeout)


class Work:
    """The function of a pool's tasks: it leaves a row for each of them. A single task has its number here.

    Of a `map` the items have their numbers with them.
    """

    def __init__(self, recorder: Recorder, function: Callable[..., Any], number: int = 0) -> None:
        self.recorder, self.function, self.number = recorder, function, number
        look_like(self, function)

    def __reduce__(self) -> Any:
        return again, ("Work", IS_ASYNC, self.recorder, self.function, self.number)

    async def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        number = self.number
        if not number:
            ((number, args),) = args
        with Noted(self.recorder, rows.WORK, number) as begun:
            begun.lane.mark(begun.begin, rows.BEGIN, number)
            result = self.function(*args, **kwargs)
            if hasattr(type(result), "__await__"):
                result = await result
            return result


class Worker:
    """The initializer of a pool's workers: it opens the lane of a worker, and calls that of the program."""

    def __init__(self, recorder: Recorder, function: Callable[..., Any] | None) -> None:
        self.recorder, self.function = recorder, function
        if function is not None:
            look_like(self, function)

    def __reduce__(self) -> Any:
        return again, ("Worker", IS_ASYNC, self.recorder, self.function)

    def __call__(self, *args: Any) -> Any:
        number = self.recorder.reserve()
        lane = self.recorder.open(number, f"worker {number}")
        lane.works()
        self.recorder.current.set(lane)
        return None if self.function is None else self.function(*args)


class PoolVerbs:
    """The verbs of a pool, which has the model's own one inside."""

    on: Any

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
    ) -> None:
        opened: Any = initializer
        if initializer is None or callable(initializer):
            opened = Worker(self.on.recorder, initializer)
        self._recorder = self.on.recorder
        self.inner = self.on.inner.Pool(workers, initializer=opened, initargs=initargs)

    def __reduce__(self) -> Any:
        return again, ("pool_again", IS_ASYNC, self._recorder, self.inner)

    def __getattr__(self, name: str) -> Any:
        if name in ("_recorder", "inner"):  # not made yet
            raise AttributeError(name)
        return getattr(self.inner, name)

    @property
    def workers(self) -> int:
        """The number of workers."""
        return int(self.inner.workers)

    def __repr__(self) -> str:
        return repr(self.inner)

    async def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Have a worker call `fn(*args, **kwargs)`."""
        recorder = self._recorder
        number = recorder.new_call()
        work: Any = fn
        if callable(work):
            work = Work(recorder, fn, number)
        lane, begin = recorder.lane(), recorder.clock()
        call = await self.inner.submit(work, *args, **kwargs)
        lane.row(begin, recorder.clock(), rows.SUBMIT, number)
        return answering(call, recorder, number)

    def map(self, fn: Any, /, *iterables: Iterable[Any], **how: Any) -> Any:
        """Call `fn` with the next item of each iterable; the results in order."""
        if not callable(fn) or not iterables:
            return self.inner.map(fn, *iterables, **how)
        numbers: deque[int] = deque()
        work, items = Work(self._recorder, fn), self._numbered(iterables, numbers)
        return Results(self._recorder, self.inner.map(work, items, **how), numbers)

    def _numbered(
        self, iterables: tuple[Iterable[Any], ...], numbers: deque[int]
    ) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield the arguments of each call with its number; leave a row when they are taken."""
        recorder = self._recorder
        for args in zip(*iterables):  # noqa: B905 - as Executor.map does
            number = recorder.new_call()
            numbers.append(number)
            recorder.lane().mark(recorder.clock(), rows.SUBMIT, number)
            yield number, args

    async def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks."""
        with Noted(self._recorder, rows.JOIN, failed=False):
            await self.inner.shutdown(wait, cancel_futures=cancel_futures)

    async def __aenter__(self) -> Self:
        await self.inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> Any:
        with Noted(self._recorder, rows.JOIN, failed=False):
            return await self.inner.__aexit__(*error)


class Answering:
    """A part of the class of handles of a pool's calls, beside their own: here `result` leaves a row of the wait."""

    traced_by: tuple[Recorder, int]

    async def result(self, timeout: float | None = None) -> Any:
        """Wait for the result."""
        with Noted(self.traced_by[0], rows.CALL, self.traced_by[1]):
            return await super().result(timeout)  # type: ignore[misc] # of the handle's own class


_answering: dict[type, type] = {}


def answering(call: Any, recorder: Recorder, number: int) -> Any:
    """Return the handle, whose `result` now leaves a row."""
    kind = type(call)
    if kind not in _answering:
        _answering[kind] = type(kind.__name__, (Answering, kind), {"__module__": kind.__module__})
    call.__class__ = _answering[kind]
    call.traced_by = recorder, number
    return call


def pool_again(recorder: Recorder, inner: Any) -> PoolVerbs:
    """Return a traced pool that arrives."""
    pool = PoolVerbs.__new__(PoolVerbs)
    pool._recorder, pool.inner = recorder, inner
    return pool


class Results:
    """The results of a `map`, in order: the wait for each leaves a row."""

    def __init__(self, recorder: Recorder, inner: Any, numbers: deque[int]) -> None:
        self._recorder, self.inner, self._numbers = recorder, inner, numbers
        self._next = inner.__aiter__().__anext__

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        if not self._numbers:
            return await self._next()
        with Noted(self._recorder, rows.CALL, self._numbers[0]):
            result = await self._next()
        self._numbers.popleft()
        return result


def not_sent(channels: list[Channel]) -> None:
    """Note of each of these channels that a message was not sent there."""
    for channel in channels:
        channel.not_sent()


class Verbs:
    """The verbs of a model that are functions."""

    inner: Any
    recorder: Recorder

    async def sleep(self, seconds: float) -> None:
        """Sleep."""
        with Noted(self.recorder, rows.SLEEP):
            await self.inner.sleep(seconds)

    async def wait_readable(self, socket: Any, timeout: float | None = None) -> None:
        """Wait until the socket can be read."""
        with Noted(self.recorder, rows.SOCKET):
            await self.inner.wait_readable(socket, timeout)

    async def wait_writable(self, socket: Any, timeout: float | None = None) -> None:
        """Wait until the socket accepts bytes."""
        with Noted(self.recorder, rows.SOCKET):
            await self.inner.wait_writable(socket, timeout)

    async def select(self, *cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
        """Wait for the first of several channels."""
        known, inner, sending = self.opened(cases)
        lane, begin = self.recorder.lane(), self.recorder.clock()
        try:
            done, position = await self.chosen(inner, timeout, priority)
        except BaseException as error:
            not_sent(sending)
            lane.row(begin, self.recorder.clock(), rows.SELECT | failure(error))
            raise
        channel = known.get(done.channel)
        if channel is None:  # it was made before the trace began
            not_sent(sending)
            lane.row(begin, self.recorder.clock(), rows.SELECT)
            return done
        if done.closed:
            not_sent(sending)
            lane.row(begin, self.recorder.clock(), rows.SELECT | failure(ChannelClosed()))
            return Selected(channel, closed=True)
        if done.sent:
            sending.remove(channel)
        not_sent(sending)
        item = channel.opened(done.item, channel._recorder.lane(), begin, done.sent, position)
        return Selected(channel, item, sent=done.sent)

    async def chosen(self, cases: list[Any], timeout: float | None, priority: bool) -> tuple[Selected, int]:
        """Return what the model's own select has done; and, where that is the number of the item, its position."""
        return await self.inner.select(*cases, timeout=timeout, priority=priority), 0

    def opened(self, cases: tuple[Any, ...]) -> tuple[dict[Any, Channel], list[Any], list[Channel]]:
        """Return the traced channels by the model's own, the cases with the latter, and the channels of the sends."""
        known, inner, sending = {}, [], []
        for case in cases:
            is_pair = isinstance(case, tuple) and len(case) == 2
            channel = case[0] if is_pair else case
            if not isinstance(channel, Channel):
                inner.append(case)  # the model says what is wrong with it
                continue
            known[channel.inner] = channel
            inner.append(channel.case(case[1]) if is_pair else channel.inner)
            if is_pair:
                sending.append(channel)
        return known, inner, sending


IS_ASYNC = True
