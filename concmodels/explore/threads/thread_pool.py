"""The workers of a thread pool say that they are idle, and end, otherwise than in `concurrent.futures`' own code.

That has a semaphore and a queue that they share. So the order in which they become idle, and in which they end,
would make schedules of their own, which no program can tell apart. Here each worker says for itself that it is idle,
and `submit` looks at all of them; and `None` in the queue, which each worker takes out and puts back when it ends,
closes the queue for all of them. Once a pool has all its workers, it makes no difference whether any is idle: then
nobody says so or looks.
"""

import sys
from _queue import Empty
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from concmodels.explore.threads.locks import SimpleQueue
from concmodels.explore.threads.standing_for import standing_for
from concmodels.explore.threads.tasks import get_ident
from concmodels.models.simulated.world import current, new_key, touch

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Key
    from concmodels.models.simulated.world import World


def let_workers_commute(thread: ModuleType) -> None:
    """Change the thread pool of this copy of `concurrent.futures.thread`."""
    pool = thread.ThreadPoolExecutor
    pool.__init__ = _sharing_less(pool.__init__, thread._worker.__code__)
    pool._adjust_thread_count = _knowing_the_worker(pool._adjust_thread_count)


def _sharing_less(init: Callable[..., None], of_worker: CodeType) -> Callable[..., None]:
    @standing_for(init)
    def sharing_less(self: Any, *args: Any, **options: Any) -> None:
        init(self, *args, **options)
        self._work_queue, self._idle_semaphore = _Jobs(of_worker), _Idle()

    return sharing_less


def _knowing_the_worker(adjust: Callable[..., None]) -> Callable[..., None]:
    """Return a method that starts a worker if none is idle; whichever it starts has done no step yet."""

    @standing_for(adjust)
    def knowing_the_worker(self: Any) -> None:
        if len(self._threads) < self._max_workers:
            adjust(self)
            self._idle_semaphore.know(self._threads)
            if len(self._threads) == self._max_workers:
                self._work_queue.have_all_workers()

    return knowing_the_worker


class _Jobs(SimpleQueue):
    """As `SimpleQueue`, but that `None` comes last and is there for all that wait."""

    def __init__(self, of_worker: CodeType) -> None:
        super().__init__()
        self._of_worker = of_worker
        self._workers, self._has_all = new_key("thread"), False
        self._closing, self._is_closed = new_key("queue"), False

    def have_all_workers(self) -> None:
        """Take note that the pool has as many workers as it may have."""
        touch(self._workers, True)
        self._has_all = True

    def get_nowait(self) -> Any:
        """As `SimpleQueue.get_nowait`. A worker asks whether it is idle, and goes on to wait if that is of no use."""
        world = current()
        if world is None or sys._getframe(1).f_code is not self._of_worker:
            return super().get_nowait()
        world.point("get_nowait", (), self)
        if self._items:
            return self._take(world)
        world.touch(self._workers, False)
        world.touch(self.key, False)
        if self._has_all:
            return self.get()
        self._touch_tail(world)
        raise Empty

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """As `SimpleQueue.put`. `None` is put again by each worker that has got it, and is there already."""
        if item is not None:
            super().put(item)
        elif not self._is_closed:
            self._close(current())

    def _close(self, world: World | None) -> None:
        if world is not None and not world.dying:
            world.point("put", ((self._closing, True),), self)
            world.opens(self, self.key)
        self._is_closed = True
        self._enable(world)

    def _is_open(self) -> bool:
        return self._is_closed or super()._is_open()

    def _take(self, world: World | None) -> Any:
        if self._items:
            return super()._take(world)
        if world is not None:
            world.touch(self._closing, False)
        return None


class _Idle:
    """As the semaphore that counts the idle workers: each that has become idle changes what is its own."""

    def __init__(self) -> None:
        self._count = 0
        self._workers: dict[int, Key] = {}

    def know(self, threads: Any) -> None:
        """Take note of new workers."""
        for thread in threads:
            if thread.ident not in self._workers:
                self._workers[thread.ident] = new_key("thread")

    def acquire(self, timeout: int) -> bool:
        """As `Semaphore.acquire`, which does not wait: `submit` has it look whether a worker is idle."""
        world = current()
        if world is not None:
            world.point("try to acquire", tuple((key, True) for key in self._workers.values()), self)
        if not self._count:
            return False
        self._count -= 1
        return True

    def release(self) -> None:
        """As `Semaphore.release`: this worker is idle."""
        world = current()
        if world is not None:
            world.point("release", ((self._workers[get_ident()], True),), self)
        self._count += 1
