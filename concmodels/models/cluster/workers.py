"""The workers of a pool, as the board knows them: which of its tasks are with the cluster, and which wait.

At most as many tasks as the pool has workers are with the cluster at a time. So a task that is there has practically
begun. When a worker is killed, only the tasks that it was doing fail with `WorkerDied`, and the rest goes to others.

A worker of the pool is no process and no thread of its own, only the right to one of the cluster's. The initializer is
called once for each, spread over Dask's workers; and in a process that is added later, before its first task.

A task that gives the pool further tasks makes room for them (`secede`). So tasks may wait for tasks, however deep:
there are then more of them at once than the pool has workers, and no deadlock.
"""

import asyncio
from collections import deque

from concmodels.models.cluster.tasks import Joinable, Task
from concmodels.models.cluster.work import NOT_PREPARED, REFUSED, TAKEN_BACK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.models.cluster.tasks import Outcome, Scope, Tasks


class Workers(Joinable):
    """The workers of one pool, and what they are to do."""

    what = "pool"

    def __init__(
        self, tasks: Tasks, number: str, outer: Scope, size: int, threads: dict[str, int], start: bytes
    ) -> None:
        super().__init__(tasks, outer)
        self.size = size
        self._number, self._start = number, start
        self._secede = size > sum(threads.values())  # more workers than threads: each task needs one of its own
        self._free = 0 if start else size
        self._queue: deque[Task] = deque()  # some of them may have been taken back
        self._shut = False
        self._broken = b""  # what the initializer has raised
        self._starting = asyncio.ensure_future(self._count(self._prepare(_spread(threads)))) if start else None

    async def _prepare(self, places: list[str]) -> None:
        """Have the initializer called once for every worker; then begin."""
        calls = []
        for turn in range(self.size):
            task = Task(self._tasks, f"{self._number}-{turn}", "initializer", self._own, self._number)
            where = {"workers": [places[turn % len(places)]], "allow_other_workers": True}
            calls.append(self._tasks.perform(task, b"", self._number, self._start, **where))
        for state, data in await asyncio.gather(*calls):
            if state == NOT_PREPARED:
                await self._break(data)
        self._free = self.size
        self._feed()

    # What is asked of them: `caller` is the task that asks.

    def accepts(self, caller: Task) -> Outcome | None:
        """Return why the pool takes nothing more, or None. A task of the pool makes room for what it gives."""
        if caller.pool == self._number:
            self._make_room(caller)
        return self._refusal()

    async def submit(self, _caller: Task, number: str, name: str, call: bytes) -> Outcome:
        """Do a task as soon as there is a worker for it; return how it ended."""
        refused = self._refusal()
        if refused is not None:
            return refused
        return await self._count(self._do(Task(self._tasks, number, name, self._own, self._number), call))

    async def _do(self, task: Task, call: bytes) -> Outcome:
        self._tasks.by_number[task.number] = task
        task.may_begin = self._tasks.loop.create_future()
        self._queue.append(task)
        self._feed()
        refused = await task.may_begin
        if refused is not None:
            self._tasks.end(task)
            return refused
        outcome = await self._tasks.perform(task, call, self._number, self._start, self._secede)
        if outcome[0] == NOT_PREPARED:
            await self._break(outcome[1])
        self._make_room(task)
        return outcome

    async def shut(self, _caller: Task, drop: bool) -> None:
        """Take nothing more, and perhaps drop what waits."""
        self._shut = True
        if drop:
            await self._drop(TAKEN_BACK, b"")

    async def idle(self, caller: Task) -> None:
        """Wait until nothing is left to do."""
        await self._wait()
        caller.check()  # leaving is a checkpoint, also when the tasks were cancelled first

    async def stop(self, caller: Task) -> None:
        """Cancel all tasks, begun or not, and wait until they have ended."""
        await self.shut(caller, drop=True)
        await self._end_all()

    # The rest.

    def _make_room(self, task: Task) -> None:
        """Free the worker of a task, once."""
        if not task.has_left:
            task.has_left = True
            self._free += 1
            self._feed()

    def _feed(self) -> None:
        """Give the cluster as many tasks as there are workers for."""
        while self._queue and self._free > 0:
            may_begin = self._queue.popleft().may_begin
            if may_begin is not None and not may_begin.done():
                self._free -= 1
                may_begin.set_result(None)

    async def _drop(self, state: str, data: bytes) -> None:
        """Let all tasks that were not begun end in this state."""
        queued, self._queue = self._queue, deque()
        await asyncio.gather(*(task.take_back(task, state, data) for task in queued))

    def _refusal(self) -> Outcome | None:
        return (REFUSED, self._broken) if self._shut or self._broken else None

    async def _break(self, reason: bytes) -> None:
        """Fail what was not begun, and take nothing more: the initializer has raised this."""
        self._broken = self._broken or reason
        await self._drop(REFUSED, self._broken)


def _spread(threads: dict[str, int]) -> list[str]:
    """Return the addresses of Dask's workers, each as often as it has threads, in turn."""
    return [address for turn in range(max(threads.values())) for address, count in threads.items() if turn < count]
