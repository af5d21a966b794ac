"""The workers of a pool, as the board knows them: which of its tasks are with the cluster, and which wait.

At most as many tasks as the pool has workers are with the cluster at a time. So a task that is there has as good as
begun. When a worker is killed, only the tasks that it was doing fail with `WorkerDied`, and the rest goes to others.

A worker of the pool is no process and no thread of its own, only the right to one of the cluster's. The initializer is
called once for each, spread over Dask's workers; and in a process that is added later, before its first task.

A task that gives the pool further tasks makes room for them (`secede`). So tasks may wait for tasks, however deep:
there are then more of them at once than the pool has workers, and no deadlock.
"""

import asyncio

from concmodels.models.cluster.tasks import Scope, Task
from concmodels.models.cluster.work import NOT_PREPARED, REFUSED, TAKEN_BACK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.models.cluster.tasks import Outcome, Tasks
    from concmodels.models.waiting.waiter import AsyncEvent, Waiter


class Workers:
    """The workers of one pool, and what they are to do."""

    def __init__(
        self, tasks: Tasks, number: str, outer: Scope, size: int, threads: dict[str, int], start: bytes
    ) -> None:
        self._own = Scope(outer)
        self._waiting: dict[str, asyncio.Future[Outcome | None]] = {}  # None: the task may begin
        self._tasks, self._number, self.size, self._start = tasks, number, size, start
        self._secede = size > sum(threads.values())  # more workers than threads: each task needs one of its own
        self._busy = 0  # how many tasks are with the cluster
        self._left: set[str] = set()  # those of them that have made room for others
        self._shut = False
        self._broken = b""  # what the initializer has raised
        self._idle: AsyncEvent | None = None  # somebody waits for that
        self._starting = asyncio.ensure_future(self._prepare(_spread(threads))) if start else None

    async def _prepare(self, places: list[str]) -> None:
        """Have the initializer called once for every worker; then begin."""
        calls = []
        for turn in range(self.size):
            task = Task(self._tasks, f"{self._number}-{turn}", "initializer", self._own, self._number)
            where = {"workers": [places[turn % len(places)]], "allow_other_workers": True}
            calls.append(self._tasks.perform(task, b"", self._number, self._start, **where))
        for state, data in await asyncio.gather(*calls):
            if state == NOT_PREPARED:
                self._break(data)
        self._starting = None
        self._feed()

    # What is asked of them: `caller` is the task that asks.

    def accepts(self, caller: Task) -> Outcome | None:
        """Return why the pool takes nothing more, if so. A task of the pool that asks makes room for what it gives."""
        if caller.pool == self._number:
            self._left.add(caller.number)
            self._feed()
        return (REFUSED, self._broken) if self._shut or self._broken else None

    async def submit(self, _caller: Task, number: str, name: str, call: bytes) -> Outcome:
        """Do a task as soon as there is a worker for it; return how it ended."""
        if self._shut or self._broken:
            return REFUSED, self._broken
        task = Task(self._tasks, number, name, self._own, self._number)
        self._tasks.by_number[task.number], task.is_queued = task, True
        may_begin: asyncio.Future[Outcome | None] = self._tasks.loop.create_future()
        self._waiting[number] = may_begin
        self._feed()
        refused: Outcome | None = await may_begin
        if refused is not None:
            self._tasks.end(task)
            return refused
        task.is_queued = False
        outcome = await self._tasks.perform(task, call, self._number, self._start, self._secede)
        if outcome[0] == NOT_PREPARED:
            self._break(outcome[1])
        self._busy -= 1
        self._left.discard(task.number)
        self._feed()
        return outcome

    def is_waiting(self, _caller: Task, number: str) -> bool:
        """Whether a task has not begun."""
        return number in self._waiting

    async def take_back(self, _caller: Task, *numbers: str) -> None:
        """Drop those of these tasks that wait, and wait until the tasks that gave them know it."""
        dropped = [self._tasks.by_number[number].ended for number in numbers if number in self._waiting]
        self._drop((TAKEN_BACK, b""), *numbers)
        for ended in dropped:
            await ended.wait()

    async def shut(self, caller: Task, drop: bool) -> None:
        """Take nothing more, and perhaps drop what waits."""
        self._shut = True
        if drop:
            await self.take_back(caller, *self._waiting)

    async def idle(self, caller: Task) -> None:
        """Wait until nothing is left to do."""
        await self._wait()
        caller.check()  # leaving is a checkpoint, also when the tasks were cancelled first

    async def stop(self, caller: Task) -> None:
        """Cancel what has begun and what has not, and wait for the end of it."""
        await self.shut(caller, drop=True)
        self._tasks.cancel(self._own)
        await self._wait()

    # The rest.

    async def _wait(self) -> None:
        while self._is_busy():
            self._idle = self._idle or self._tasks.new_event()
            await self._idle.wait(None, self)

    def _feed(self) -> None:
        """Give the cluster as many tasks as there are workers for."""
        while self._waiting and not self._starting and self._busy - len(self._left) < self.size:
            self._busy += 1
            self._waiting.pop(next(iter(self._waiting))).set_result(None)
        if self._idle is not None and not self._is_busy():
            self._idle.set()
            self._idle = None

    def _is_busy(self) -> bool:
        return bool(self._waiting or self._busy or self._starting)

    def _drop(self, outcome: Outcome, *numbers: str) -> None:
        for number in numbers:
            if number in self._waiting:
                self._waiting.pop(number).set_result(outcome)
        self._feed()

    def _break(self, reason: bytes) -> None:
        """Fail what waits, and take nothing more: the initializer has raised this."""
        self._broken = self._broken or reason
        self._drop((REFUSED, self._broken), *self._waiting)

    def describe_wait(self, _waiter: Waiter) -> str:
        """Say what a task waits for that leaves this pool."""
        return "waits for the end of its pool"


def _spread(threads: dict[str, int]) -> list[str]:
    """The addresses of Dask's workers, each as often as it has threads, in turn."""
    return [address for turn in range(max(threads.values())) for address, count in threads.items() if turn < count]
