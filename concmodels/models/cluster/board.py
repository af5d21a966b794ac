"""The board of a run: one actor, which keeps the run's channels and all else that its tasks wait for.

It is an object in the event loop of the process of `main`, and its `on_...` methods are called by messages. A channel
of the run is a channel of the asyncio model there, and a task that waits in it waits as one of asyncio's does. So what
holds for that model's channels (order, rendezvous, select, what a cancellation undoes and what not) holds here too.

It lives with `main` because the run ends with `main` anyway: no death that a run survives can take its channels away.
An actor of Dask's own lives on a worker, which may be killed. When a worker is killed its connection breaks, and what
its tasks were waiting for is withdrawn, so that no item is handed to them.
"""

import asyncio
import pickle
from functools import partial

from concmodels.models.cluster.link import OVER, Interrupted, Link, converse
from concmodels.models.cluster.tasks import Group, Task, Tasks
from concmodels.models.cluster.work import DIED, FAILED, STOPPED
from concmodels.models.cluster.workers import Workers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.cluster.link import Answer, Message
    from concmodels.models.cluster.tasks import Outcome

CHECKPOINTS = ("send", "receive", "select")
OUTCOMES = ("spawn", "submit")
"""The calls that are answered when the task that they start has ended. Nobody waits in them."""


class Board(Link):
    """The board, which is also the link of the process that it is in. `Channel` and `select` are asyncio's."""

    def __init__(self, run: str, client: Any, Channel: Any, select: Any, *, embedded: bool) -> None:
        super().__init__(run, asyncio.get_running_loop())
        self.embedded = embedded
        self.tasks = Tasks(run, client, Channel._new_waiter)
        self._Channel, self._select = Channel, select
        self._channels: dict[str, Any] = {}
        self._groups: dict[str, Group] = {}
        self._pools: dict[str, Workers] = {}
        self._calls: dict[asyncio.Task[Any], object] = {}
        self._comms: set[Any] = set()

    # Calls and their answers.

    def post(self, message: Message, answer: Answer, wire: object = None) -> None:
        """Do what a message asks for, and answer it once that is done."""
        caller, verb, args, place = message
        task = self.tasks.by_number.get(caller) or self._stranger(caller)
        call = asyncio.Task(self._do(task, verb, args, wire), loop=self._loop, eager_start=True)
        self._calls[call] = wire if verb not in OUTCOMES else None
        if verb not in OUTCOMES and not call.done():
            task.wait_for(call, verb, place)
        call.add_done_callback(partial(self._done, task, answer))

    def _stranger(self, caller: str) -> Task:
        """A thread of the program's own. (With a number it is a task that has ended as far as the board knows.)"""
        self.tasks.strangers = self.tasks.strangers or not caller
        return Task(self.tasks, "", "a thread", None)

    async def _do(self, task: Task, verb: str, args: tuple[Any, ...], wire: object) -> Any:
        if self.over:
            raise RuntimeError(OVER)
        if verb in CHECKPOINTS:
            task.take_turn()
        return await getattr(self, f"on_{verb}")(task, *(args if verb != "begin" else (wire,)))

    def _done(self, task: Task, answer: Answer, call: asyncio.Task[Any]) -> None:
        del self._calls[call]
        if task.call is call:
            task.call = None
        if call.cancelled():
            answer(None, RuntimeError(OVER) if self.over else task.reason())
        elif (error := call.exception()) is not None:
            answer(None, error)
        else:
            answer(call.result(), None)

    async def serve(self, comm: Any) -> None:
        """Serve the tasks of another process, until its connection ends."""
        outgoing: asyncio.Queue[Any] = asyncio.Queue()

        def arrived(numbered: tuple[int, str, Message]) -> None:
            token, run, message = numbered
            if run != self.run:
                comm.abort()
                return
            self.post(message, lambda *answer: outgoing.put_nowait((token, *_packed(*answer))), comm)

        self._comms.add(comm)
        await converse(comm, outgoing, arrived)
        self._comms.discard(comm)
        self._withdraw(comm)

    def _withdraw(self, wire: object) -> None:
        """Give up what the tasks of a process that is gone were waiting for, and what they had started."""
        for call, its_wire in list(self._calls.items()):
            if its_wire is wire:
                call.cancel()
        self.tasks.cancel_those_of(wire)

    async def close(self) -> None:
        """End the run: whoever still waits, waits for nothing."""
        self.over = True
        for comm in self._comms:
            comm.abort()
        for call in list(self._calls):
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    # Cancellation, Ctrl-C and deadlocks.

    def interrupt(self) -> None:
        """End the wait of main, if it waits, because of Ctrl-C."""
        self.tasks.main.stop(Interrupted())

    async def on_cancel(self, _task: Task, number: str) -> None:
        held = self.tasks.by_number.get(number) or self._groups.get(number)
        self.tasks.cancel(held.own if held is not None else None)

    async def on_check(self, task: Task) -> None:
        task.check()

    # Channels.

    async def on_open(self, _task: Task, number: str, capacity: float, name: str | None) -> None:
        self._channels[number] = self._Channel(capacity, name)

    async def on_send(self, _task: Task, number: str, data: bytes, timeout: float | None) -> None:
        await self._channels[number].send(data, timeout)

    async def on_receive(self, _task: Task, number: str, timeout: float | None) -> Any:
        return await self._channels[number].receive(timeout)

    async def on_send_nowait(self, _task: Task, number: str, data: bytes) -> None:
        self._channels[number].send_nowait(data)

    async def on_receive_nowait(self, _task: Task, number: str) -> Any:
        return self._channels[number].receive_nowait()

    async def on_close(self, _task: Task, number: str) -> None:
        self._channels[number].close()

    async def on_look(self, _task: Task, number: str) -> tuple[int, bool]:
        return len(self._channels[number]), self._channels[number].closed

    async def on_select(
        self, _task: Task, cases: list[tuple[str, bytes | None]], timeout: float | None, priority: bool
    ) -> tuple[int, bool, bool, Any]:
        channels = [self._channels[number] for number, _ in cases]
        asked = [it if data is None else (it, data) for it, (_, data) in zip(channels, cases, strict=True)]
        done = await self._select(*asked, timeout=timeout, priority=priority)
        which = next(
            index
            for index, (_, data) in enumerate(cases)
            if channels[index] is done.channel and (data is done.item or not done.sent)
        )
        return which, done.sent, done.closed, None if done.sent else done.item

    async def on_sleep(self, _task: Task, seconds: float) -> None:
        await asyncio.sleep(seconds)

    # Tasks and groups.

    async def on_enter(self, task: Task, number: str) -> None:
        self._groups[number] = Group(task, self.tasks.new_event())

    async def on_spawn(self, _task: Task, number: str, name: str, in_group: str, call: bytes) -> Outcome:
        group = self._groups[in_group]
        task = Task(self.tasks, number, name, group.own)
        group.live += 1
        try:
            outcome = await self.tasks.perform(task, call)
            if outcome[0] in (FAILED, DIED):
                self.tasks.cancel(group.own)
        finally:
            group.one_has_ended()
        return outcome

    async def on_join(self, task: Task, number: str, failed: bool) -> None:
        group = self._groups[number]
        task.scope = group.outer  # from here on the group's own cancellation is no reason to stop waiting
        if failed:
            self.tasks.cancel(group.own)
        await group.wait()
        task.check()  # leaving is a checkpoint, also when the tasks were cancelled first
        del self._groups[number]

    async def on_finish(self, task: Task, number: str) -> None:
        group = self._groups[number]
        task.scope = group.outer
        self.tasks.cancel(group.own)
        await group.wait()
        del self._groups[number]

    async def on_await(self, _task: Task, number: str, timeout: float | None) -> None:
        task = self.tasks.by_number.get(number)
        if task is not None:
            await task.ended.wait(timeout, task)

    async def on_begin(self, task: Task, wire: object) -> bool:
        self.tasks.cancel(task.begun)  # what it had started in a process that is gone
        if task.own.is_cancelled() and not task.outcome.done():
            task.outcome.set_result((STOPPED, b""))
        task.begin(wire)
        return task.number in self.tasks.by_number and not task.outcome.done()

    async def on_end(self, task: Task, state: str, data: bytes) -> None:
        if not task.outcome.done():
            task.outcome.set_result((state, data))

    # Pools.

    async def on_make_pool(self, task: Task, number: str, size: int | None, start: bytes) -> int:
        threads = await self.tasks.client.nthreads()
        size = sum(threads.values()) if size is None else size
        self._pools[number] = Workers(self.tasks, number, task.scope, size, threads, start)
        return size

    async def on_accepts(self, task: Task, pool: str) -> tuple[str, bytes] | None:
        return self._pools[pool].accepts(task)

    async def on_submit(self, _task: Task, pool: str, number: str, name: str, call: bytes) -> Outcome:
        return await self._pools[pool].do(Task(self.tasks, number, name, self._pools[pool].own, pool), call)

    async def on_is_waiting(self, _task: Task, pool: str, number: str) -> bool:
        return number in self._pools[pool].waiting

    async def on_take_back(self, _task: Task, pool: str, number: str) -> bool:
        return self._pools[pool].take_back(number)

    async def on_shut(self, _task: Task, pool: str, drop: bool) -> None:
        await self._pools[pool].shut(drop)

    async def on_idle(self, task: Task, pool: str) -> None:
        await self._pools[pool].wait()
        task.check()  # leaving is a checkpoint, also when the tasks were cancelled first

    async def on_stop_pool(self, _task: Task, pool: str) -> None:
        await self._pools[pool].shut(drop=True)
        self.tasks.cancel(self._pools[pool].own)
        await self._pools[pool].wait()


def _packed(value: Any, error: BaseException | None) -> tuple[Any, bytes]:
    return value, b"" if error is None else pickle.dumps(error)
