"""The board of a run: one actor, which keeps the run's channels and all else that its tasks wait for.

It is an object in the event loop of the process of `main`, and messages say what it is to do. A channel of the run is a
channel of the asyncio model there, and a task that waits in it waits as one of asyncio's does. So what holds for that
model's channels (order, rendezvous, select, what a cancellation does and does not undo) holds here too.

It lives with `main` because the run ends with `main` anyway: no death that a run survives can take its channels away.
An actor of Dask's own lives on a worker, which may be killed. When a worker is killed its connection breaks, and what
its tasks were waiting for is withdrawn, so that no item is handed to them.
"""

import asyncio
import pickle
from functools import partial

from concmodels.models.cluster.link import BOARD, Interrupted, Link, converse
from concmodels.models.cluster.tasks import Group, Task, Tasks
from concmodels.models.cluster.workers import Workers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.cluster.link import Answer, Message

CHECKPOINTS = ("send", "receive", "select")
"""The calls that stop a task which was cancelled, now and then even if they need not wait."""

OUTCOMES = ("spawn", "submit")
"""The calls that are answered when the task that they start has ended. No task waits in them."""


class Board(Link):
    """The board, which is also the link of the process that it is in. `Channel` and `select` are asyncio's.

    All that it keeps has a number. A message says which object is to do what: a channel to `send`, a group to `spawn`.
    """

    def __init__(self, run: str, client: Any, Channel: Any, select: Any, *, embedded: bool) -> None:
        super().__init__(run, asyncio.get_running_loop())
        self.embedded = embedded
        self.tasks = Tasks(run, client, Channel._new_waiter)
        self._Channel, self._select = Channel, select
        self._kept: dict[str, Any] = {BOARD: self}
        self._calls: dict[asyncio.Task[Any], object] = {}
        self._comms: set[Any] = set()

    # Calls and their answers.

    def post(self, message: Message, answer: Answer, wire: object = None) -> None:
        """Do what a message asks for, and answer it once that is done."""
        caller, number, verb, args, place = message
        task = self.tasks.by_number.get(caller) or self._outsider(caller)
        args = (wire,) if verb == "begin" else args
        call = asyncio.Task(self._do(task, number, verb, args), loop=self.loop, eager_start=True)
        self._calls[call] = wire if verb not in OUTCOMES else None
        if verb not in OUTCOMES and not call.done():
            task.wait_for(call, verb, place)
        # A callback also for a call that is done already: so the answers leave in the order in which the calls ended,
        # and the outcome of a task is told to the task that started it before any wait for its end is answered.
        call.add_done_callback(partial(self._done, task, answer))

    def _outsider(self, caller: str) -> Task:
        """Return a stand-in for a thread of the program's own, or for a caller that has ended, if it has a number."""
        self.tasks.outside_threads = self.tasks.outside_threads or not caller
        return Task(self.tasks, "", "a thread", None)

    async def _do(self, task: Task, number: str, verb: str, args: tuple[Any, ...]) -> Any:
        if verb in CHECKPOINTS:
            task.take_turn()
        target = self._kept.get(number, self.tasks.by_number.get(number))
        if target is None:
            return None  # a task that has ended
        method = getattr(target, verb)
        done = method(*args) if isinstance(target, self._Channel) else method(task, *args)
        return await done if asyncio.iscoroutine(done) else done

    def _done(self, task: Task, answer: Answer, call: asyncio.Task[Any]) -> None:
        del self._calls[call]
        if task.call is call:
            task.call = None
        if call.cancelled():
            answer(None, self.over or task.reason())
        elif (error := call.exception()) is not None:
            answer(None, error)
        else:
            answer(call.result(), None)

    async def serve(self, comm: Any) -> None:
        """Serve the tasks of another process, until its connection ends. Then withdraw what they were waiting for."""
        outgoing: asyncio.Queue[Any] = asyncio.Queue()

        def arrived(numbered: tuple[int, str, Message]) -> None:
            token, run, message = numbered
            if run == self.run:  # otherwise it comes from something that only knows the address
                self.post(message, lambda *answer: outgoing.put_nowait((token, *_packed(*answer))), comm)

        self._comms.add(comm)
        try:
            await converse(comm, outgoing, arrived)
        finally:
            self._comms.discard(comm)
            for call in [call for call, wire in self._calls.items() if wire is comm]:
                call.cancel()
            self.tasks.give_up_those_of(comm)

    def interrupt(self) -> None:
        """End the wait of main, if it waits, because of Ctrl-C."""
        self.tasks.main.stop(Interrupted())

    async def close(self) -> None:
        """End the run, and what still waits in it."""
        self.sign_off(RuntimeError("this belongs to a run that is over"))
        for comm in self._comms:
            comm.abort()
        for call in list(self._calls):
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    # What is asked of the board itself.

    def open(self, _caller: Task, number: str, capacity: float, name: str | None) -> None:
        """Make a channel."""
        self._kept[number] = self._Channel(capacity, name)

    def enter(self, caller: Task, number: str, timeout: float | None) -> None:
        """Make a group."""
        self._kept[number] = Group(self.tasks, caller, timeout)

    async def make_pool(self, caller: Task, number: str, size: int | None, start: bytes) -> int:
        """Make a pool; return how many workers it has."""
        threads = await self.tasks.client.nthreads()
        size = sum(threads.values()) if size is None else size
        self._kept[number] = Workers(self.tasks, number, caller.scope, size, threads, start)
        return size

    def leave(self, _caller: Task, number: str) -> None:
        """Forget a group."""
        self._kept.pop(number).forget_limit()

    def look(self, _caller: Task, number: str) -> tuple[int, bool]:
        """Return the number of items that a channel holds, and whether it is closed."""
        return len(self._kept[number]), self._kept[number].closed

    async def select(
        self, _caller: Task, cases: list[tuple[str, bytes | None]], timeout: float | None, priority: bool
    ) -> tuple[int, bool, bool, Any]:
        """Select; return which case it was, whether it sent, whether its channel is closed, and what it received."""
        channels = [self._kept[number] for number, _ in cases]
        asked = [it if data is None else (it, data) for it, (_, data) in zip(channels, cases, strict=True)]
        done = await self._select(*asked, timeout=timeout, priority=priority)
        which = next(
            index
            for index, (_, data) in enumerate(cases)
            if channels[index] is done.channel and (data is done.item or not done.sent)
        )
        return which, done.sent, done.closed, None if done.sent else done.item

    async def sleep(self, _caller: Task, seconds: float) -> None:
        """Sleep."""
        await asyncio.sleep(seconds)

    def check_caller(self, caller: Task) -> None:
        """Raise `Cancelled` if the caller was cancelled."""
        caller.check()

    def pools(self, _caller: Task) -> list[str]:
        """Return the numbers of all pools of the run."""
        return [number for number, it in list(self._kept.items()) if isinstance(it, Workers)]


def _packed(value: Any, error: BaseException | None) -> tuple[Any, bytes]:
    return value, b"" if error is None else pickle.dumps(error)
