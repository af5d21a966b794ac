"""The exceptions of the library, and the result of `select`. They are the same in every model."""

# Child processes and subinterpreters import this module, so it imports nothing.

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from typing import Generic as _Generic
    from typing import TypeVar as _TypeVar

    _T = _TypeVar("_T", covariant=True, default=Any)
else:
    _T = None

    class _Generic:
        """Stands for that of `typing`, which takes longer to import than all that a child needs."""

        __slots__ = ()

        def __class_getitem__(cls, _):
            return cls


class Selected(_Generic[_T]):  # `class Selected[T]` would import `typing`
    """The result of a `select`: which case it performed, and how. `Selected[int]` is one whose item is an int.

    * `channel`: the channel of the case
    * `item`: the item that was received or sent; None if the channel was closed
    * `sent`: True if an item was sent
    * `closed`: True if nothing was done because the channel is closed (for a receive case: closed and drained)

    A result can be matched by channel and item:

        >>> from concmodels.errors import Selected
        >>> match Selected("work", 7):
        ...     case Selected("work", item):
        ...         print(item)
        7
    """

    __slots__ = ("channel", "closed", "item", "sent")
    __match_args__ = ("channel", "item")

    def __init__(self, channel: Any, item: Any = None, *, sent: bool = False, closed: bool = False) -> None:
        self.channel = channel
        self.item: _T = item
        self.sent = sent
        self.closed = closed

    def __repr__(self) -> str:
        what = "closed" if self.closed else f"{'sent' if self.sent else 'received'} {self.item!r}"
        return f"<selected {self.channel!r}: {what}>"


class ChannelClosed(Exception):
    """The channel is closed: it accepts no more items, or no item is left to receive.

    >>> from concmodels import load
    >>> from concmodels.errors import ChannelClosed
    >>> with load("threads").Channel(1) as channel:
    ...     channel.send("accepted before")
    >>> channel.receive()
    'accepted before'
    >>> try:
    ...     channel.receive()
    ... except ChannelClosed:
    ...     print("and then closed")
    and then closed
    """


class SocketClosed(Exception):
    """The socket was closed on this side, before or during the operation.

    This exception is not raised for what the other side does. If the other side closes its socket, `recv` returns
    `b""`; if the connection breaks, the builtin `ConnectionError` is raised.

        >>> import socket
        >>> from concmodels import load
        >>> from concmodels.errors import SocketClosed
        >>> ours, theirs = socket.socketpair()
        >>> ours.close()
        >>> try:
        ...     load("threads").wait_readable(ours)
        ... except SocketClosed:
        ...     print("closed")
        closed
        >>> theirs.close()
    """


class DelimiterNotFound(Exception):
    """`receive_until` has received as many bytes as its limit allows, but no delimiter.

    The bytes are not lost: the next `receive` of the stream returns them.

        >>> import socket
        >>> from concmodels import load
        >>> from concmodels.errors import DelimiterNotFound
        >>> from concmodels.net import Stream
        >>> def main(model):
        ...     ours, theirs = (Stream(model, end) for end in socket.socketpair())
        ...     with ours, theirs:
        ...         ours.send(b"a long line")
        ...         try:
        ...             theirs.receive_until(b"\\n", limit=8)
        ...         except DelimiterNotFound as error:
        ...             print(error)
        ...         return theirs.receive()
        >>> model = load("threads")
        >>> model.run(main, model)
        there is no b'\\n' in the first 8 bytes
        b'a long line'
    """


class WouldBlock(Exception):
    """`send_nowait` or `receive_nowait` would have had to wait.

    >>> from concmodels import load
    >>> from concmodels.errors import WouldBlock
    >>> try:
    ...     load("threads").Channel(1).receive_nowait()
    ... except WouldBlock:
    ...     print("nothing there")
    nothing there
    """


class Deadlock(RuntimeError):
    """Every task of the run waits for another one, so no task can go on.

    `.waits` contains a line for each task, which says what the task waits for and where; the message shows the first 20
    of them. `run` raises a bare `Deadlock`, however many groups it passed through. If something failed during the
    clean-up, that is its `__cause__`.

        >>> from concmodels import load
        >>> from concmodels.errors import Deadlock
        >>> def main(model):
        ...     model.Channel(0, "nobody sends").receive()
        >>> model = load("greenlet")
        >>> try:
        ...     model.run(main, model)
        ... except Deadlock as deadlock:
        ...     print(len(deadlock.waits))
        1
    """

    _SHOWN = 20

    def __init__(self, message: str = "all tasks are waiting", waits: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.waits = waits

    def __str__(self) -> str:
        lines = [super().__str__(), *self.waits[: self._SHOWN]]
        hidden = len(self.waits) - self._SHOWN
        if hidden > 0:
            lines.append(f"… and {hidden} more")
        return lines[0] if len(lines) == 1 else ":\n  ".join([lines[0], "\n  ".join(lines[1:])])


class RemoteError(Exception):
    """An exception that could not cross a memory boundary.

    `.task` is the name of the task in which it was raised, and `.traceback` is the text of its traceback.

        >>> from concmodels.errors import RemoteError
        >>> print(RemoteError("worker-1", "ValueError: no"))
        task 'worker-1' failed beyond a memory boundary:
        ValueError: no
    """

    def __init__(self, task: str, traceback: str) -> None:
        super().__init__(task, traceback)
        self.task = task
        self.traceback = traceback

    def __str__(self) -> str:
        return f"task {self.task!r} failed beyond a memory boundary:\n{self.traceback}"


class TaskCancelled(Exception):
    """The task whose result was asked for has been cancelled.

    >>> from concmodels import load
    >>> from concmodels.errors import TaskCancelled
    >>> def main(model):
    ...     with model.TaskGroup() as group:
    ...         task = group.spawn(model.sleep, 60)
    ...         task.cancel()
    ...     try:
    ...         task.result()
    ...     except TaskCancelled:
    ...         return "cancelled"
    >>> model = load("threads")
    >>> model.run(main, model)
    'cancelled'
    """


class TaskDied(RuntimeError):
    """The process or interpreter of a task ended without a result: it was killed, or ran out of memory."""


class WorkerDied(TaskDied):
    """A worker of a pool ended while it was running a task. The pool continues with a new worker.

    `.worker` is the name of the worker. Only the task that it was running fails; tasks that it had not begun go to
    other workers.
    """

    def __init__(self, message: str, worker: str | None = None) -> None:
        super().__init__(message, worker)
        self.worker = worker

    def __str__(self) -> str:
        return str(self.args[0])


class CannotTravel(TypeError):
    """A function, an argument, an item or a result can't cross the boundary to another process or interpreter.

    If pickling failed, nothing was sent or started, and `__cause__` is the reason: for example an exception that
    `__reduce__` raised, or a `RecursionError` for an object that is nested too deeply. `CannotTravel` is also raised
    where an object arrives and can't be unpickled.
    """


class Terminated(SystemExit):
    """SIGTERM or SIGHUP ended the run. `run` raises it bare, like `KeyboardInterrupt`, when all tasks have ended.

    If a program doesn't catch it, the program ends without a traceback, with the exit status that shells expect: 143 or
    129. `.signum` is the number of the signal.

        >>> from concmodels.errors import Terminated
        >>> try:
        ...     raise Terminated(15)
        ... except SystemExit as error:
        ...     print(error, error.code)
        ended by SIGTERM 143
    """

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = int(signum)
        self.code = 128 + self.signum

    def __str__(self) -> str:
        from signal import Signals

        return f"ended by {Signals(self.signum).name}"


class UnknownModel(ValueError):
    """There is no model or variant of that name. The message lists the existing names, the most similar first.

    >>> from concmodels import load
    >>> from concmodels.errors import UnknownModel
    >>> try:
    ...     load("processes:spwan")
    ... except UnknownModel as error:
    ...     print(error)
    processes has no variant 'spwan'; it has spawn, forkserver, fork
    """


class ModelUnavailable(ImportError):
    """The model exists, but it can't run on this interpreter or machine. The message says why, and what to do."""
