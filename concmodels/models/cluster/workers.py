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
        self.own = Scope(outer)
        self.waiting: dict[str, asyncio.Future[bool]] = {}  # for each task that waits: whether it may begin
        self._tasks, self._number, self._size, self._start = tasks, number, size, start
        self._room = size > sum(threads.values())  # more workers than threads: each task needs one of its own
        self._busy = 0  # how many tasks are with the cluster
        self._left: set[str] = set()  # those of them that have made room for others
        self._refusal: Outcome | None = None
        self._idle: AsyncEvent | None = None  # somebody waits for that
        self._starting = asyncio.ensure_future(self._prepare(_spread(threads))) if start else None

    async def _prepare(self, places: list[str]) -> None:
        """Have the initializer called once for every worker; then begin."""
        calls = []
        for turn in range(self._size):
            task = Task(self._tasks, f"{self._number}-{turn}", "initializer", self.own, self._number)
            where = {"workers": [places[turn % len(places)]], "allow_other_workers": True}
            calls.append(self._tasks.perform(task, b"", self._number, self._start, **where))
        for state, data in await asyncio.gather(*calls):
            if state == NOT_PREPARED:
                self._break(data)
        self._starting = None
        self._feed()

    def accepts(self, task: Task) -> Outcome | None:
        """Return why the pool takes nothing more, if so. A task of the pool that asks makes room for what it gives."""
        if task.pool == self._number:
            self._left.add(task.number)
            self._feed()
        return self._refusal

    async def do(self, task: Task, call: bytes) -> Outcome:
        """Do a task as soon as there is a worker for it."""
        if self._refusal is not None:
            return self._refusal
        self._tasks.by_number[task.number], task.is_queued = task, True
        may_begin = self.waiting[task.number] = self._tasks.loop.create_future()
        self._feed()
        if not await may_begin:
            self._tasks.end(task)
            return self._refusal if self._is_broken() else (TAKEN_BACK, b"")
        task.is_queued = False
        outcome = await self._tasks.perform(task, call, self._number, self._start, self._room)
        if outcome[0] == NOT_PREPARED:
            self._break(outcome[1])
        self._busy -= 1
        self._left.discard(task.number)
        self._feed()
        return outcome

    def _feed(self) -> None:
        """Give the cluster as many tasks as there are workers for."""
        while self.waiting and not self._starting and self._busy - len(self._left) < self._size:
            self._busy += 1
            self.waiting.pop(next(iter(self.waiting))).set_result(True)
        if self._idle is not None and not self._is_busy():
            self._idle.set()
            self._idle = None

    def _is_busy(self) -> bool:
        return bool(self.waiting or self._busy or self._starting)

    def take_back(self, number: str) -> bool:
        """Drop a task, if it waits; return whether it does."""
        may_begin = self.waiting.pop(number, None)
        if may_begin is not None:
            may_begin.set_result(False)
            self._feed()
        return may_begin is not None

    async def shut(self, drop: bool) -> None:
        """Take nothing more, and perhaps drop what waits."""
        self._refusal = self._refusal or (REFUSED, b"")
        dropped = [self._tasks.by_number[number].ended for number in self.waiting] if drop else []
        for number in list(self.waiting) if drop else ():
            self.take_back(number)
        for ended in dropped:
            await ended.wait()  # then whoever gave the task knows it too

    def _break(self, reason: bytes) -> None:
        """Fail what waits, and take nothing more: the initializer has raised this."""
        if not self._is_broken():
            self._refusal = REFUSED, reason
        for number in list(self.waiting):
            self.take_back(number)

    def _is_broken(self) -> bool:
        return self._refusal is not None and bool(self._refusal[1])

    async def wait(self) -> None:
        """Wait until nothing is left to do."""
        while self._is_busy():
            self._idle = self._idle or self._tasks.new_event()
            await self._idle.wait(None, self)

    def describe_wait(self, _waiter: Waiter) -> str:
        """Say what a task waits for that leaves this pool."""
        return "waits for the end of its pool"


def _spread(threads: dict[str, int]) -> list[str]:
    """The addresses of Dask's workers, each as often as it has threads, in turn."""
    return [address for turn in range(max(threads.values())) for address, count in threads.items() if turn < count]
