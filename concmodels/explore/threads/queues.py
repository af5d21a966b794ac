"""Each operation of a `Queue` or a `LifoQueue` is one step.

The standard library's code takes a mutex and waits for conditions, and each order in which tasks take the mutex would
be a schedule of its own: a producer and two consumers of four items had more than 3,000. Here a put and a get of other
items are independent, as in a `SimpleQueue` (`locks.py`): a put takes a place and makes an item, a get takes an item
and makes a place, and each item and each place has a key.

A `PriorityQueue` compares items, and a subclass may do anything, so they run the code of the standard library. So do
all queues of a program that uses their locks itself; `LOCKS` has the names of these.
"""

from collections import deque
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from concmodels.explore.threads.locks import Shared
from concmodels.explore.threads.standing_for import standing_for
from concmodels.models.simulated.world import current, new_key

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Key
    from concmodels.models.simulated.world import World

LOCKS = frozenset({"mutex", "not_empty", "not_full", "all_tasks_done", "unfinished_tasks"})
"""The attributes of a queue that are of no use without its locks."""


def do_in_one_step(module: ModuleType, is_wanted: Callable[[], bool]) -> None:
    """Change the queues of this copy of `queue`; `is_wanted` tells of each that is made whether it is to be changed."""
    module.Queue.__init__ = _with_sides(module.Queue.__init__, module, is_wanted)
    for name, step in vars(_Steps).items():
        if isinstance(step, FunctionType):
            setattr(module.Queue, name, _either(step, vars(module.Queue)[name]))


def _with_sides(init: Callable[..., None], module: Any, is_wanted: Callable[[], bool]) -> Callable[..., None]:
    @standing_for(init)
    def with_sides(self: Any, maxsize: int = 0) -> None:
        init(self, maxsize)
        is_of_ours = type(self) in (module.Queue, module.LifoQueue) and is_wanted()
        self._sides = _Sides(self, module) if is_of_ours else None

    return with_sides


def _either(step: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
    @standing_for(method)
    def either(self: Any, *args: Any, **options: Any) -> Any:
        world = current()
        if world is None or self._sides is None:
            return method(self, *args, **options)
        return step(self, world, self._sides, *args, **options)

    return either


class _Gate(Shared):
    """The gate for which an operation of a queue waits."""

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._become_shared("queue")
        self._keys = ((self.key, False),)

    def wait(self, world: World, possible: bool, seconds: float | None) -> bool:
        """As `_stop_before`."""
        return self._stop_before(world, self._verb, possible, seconds)

    def set(self, world: World, is_open: bool) -> None:
        """Let those that wait go on, or not."""
        (self._enable if is_open else self._disable)(world)

    def describe(self) -> str:
        """Say that a thread waits for this."""
        return f"waits in Queue.{self._verb}"


class _Sides:
    """The two sides of one queue, with a key for each item that is in it, and for each place that was made free."""

    def __init__(self, queue: Any, module: Any) -> None:
        self.module = module
        self.items, self.places, self.done = _Gate("get"), _Gate("put"), _Gate("join")
        self._queue = queue
        self._is_last_first = isinstance(queue, module.LifoQueue)
        self.tail = self.items.key if self._is_last_first else new_key("queue")
        self._keys: deque[Key] = deque()
        self._never_used = queue.maxsize
        self._free: deque[Key] = deque()

    @property
    def is_full(self) -> bool:
        """Whether no place is free."""
        return bool(0 < self._queue.maxsize <= self._queue._qsize())

    def add(self, world: World, item: Any) -> None:
        """Put an item into the queue, in the step under way, which was announced for a place."""
        queue = self._queue
        if not queue._qsize():
            world.opens(self.places, self.items.key)
        key = new_key("queue")
        for touched in (self.tail, self.done.key, key):
            world.touch(touched, True)
        if queue.maxsize > 0:
            world.touch(self.places.key, True)
            self._take_place(world)
        self._keys.append(key)
        queue._put(item)
        queue.unfinished_tasks += 1
        self.update(world)

    def _take_place(self, world: World) -> None:
        if self._never_used > 0:
            self._never_used -= 1
        elif self._free:  # the program may have taken items out of `queue` itself
            world.touch(self._free.popleft(), True)

    def take(self, world: World, subject: Any) -> Any:
        """Take an item out of the queue, in the step under way."""
        queue = self._queue
        if self.is_full:
            world.opens(subject, self.places.key)
        world.touch(self.items.key, True)
        if self._keys:  # the program may have put an item into `queue` itself
            world.touch(self._keys.pop() if self._is_last_first else self._keys.popleft(), True)
        if queue.maxsize > 0:
            self._free.append(place := new_key("queue"))
            world.touch(place, True)
        item = queue._get()
        self.update(world)
        return item

    def update(self, world: World) -> None:
        """Open and close the gates."""
        queue = self._queue
        self.items.set(world, bool(queue._qsize() or queue.is_shutdown))
        self.places.set(world, not self.is_full or queue.is_shutdown)
        self.done.set(world, not queue.unfinished_tasks)

    def look(self, world: World) -> int:
        """Return the length, in a step."""
        world.point("look at", ((self.items.key, False), (self.tail, False)), self.items)
        return int(self._queue._qsize())


class _Steps:
    """The operations of a queue, as its methods."""

    def put(
        self: Any, world: World, sides: _Sides, item: Any, block: bool = True, timeout: float | None = None
    ) -> None:
        if self.maxsize <= 0:
            world.point("put", ((sides.tail, True),), sides.places)
        elif not block or timeout == 0:
            world.point("put_nowait", ((sides.places.key, False), (sides.tail, False)), sides.places)
        else:
            _wait(world, sides.places, lambda: not sides.is_full or self.is_shutdown, timeout)
        world.touch(sides.tail, False)
        if self.is_shutdown:
            raise sides.module.ShutDown
        if sides.is_full:
            world.touch(sides.items.key, False)
            raise sides.module.Full
        sides.add(world, item)

    def get(self: Any, world: World, sides: _Sides, block: bool = True, timeout: float | None = None) -> Any:
        if not block or timeout == 0:
            world.point("get_nowait", ((sides.items.key, False),), sides.items)
        else:
            _wait(world, sides.items, lambda: self._qsize() or self.is_shutdown, timeout)
        if not self._qsize():
            world.touch(sides.tail, False)
            raise sides.module.ShutDown if self.is_shutdown else sides.module.Empty
        return sides.take(world, sides.items)

    def task_done(self: Any, world: World, sides: _Sides) -> None:
        world.point("task_done", ((sides.done.key, True),), sides.done)
        if not self.unfinished_tasks:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1
        if not self.unfinished_tasks:
            world.opens(sides.done, sides.done.key)
        sides.update(world)

    def join(self: Any, world: World, sides: _Sides) -> None:
        _wait(world, sides.done, lambda: not self.unfinished_tasks, None)

    def qsize(self: Any, world: World, sides: _Sides) -> int:
        return sides.look(world)

    def empty(self: Any, world: World, sides: _Sides) -> bool:
        return not sides.look(world)

    def full(self: Any, world: World, sides: _Sides) -> bool:
        length = sides.look(world)
        return bool(0 < self.maxsize <= length)

    def shutdown(self: Any, world: World, sides: _Sides, immediate: bool = False) -> None:
        keys = (sides.items.key, sides.tail, sides.places.key, sides.done.key)
        world.point("shut down", tuple((key, True) for key in dict.fromkeys(keys)), sides.items)
        if not self._qsize():
            world.opens(sides.items, sides.items.key)
        self.is_shutdown = True
        while immediate and self._qsize():
            sides.take(world, None)
            self.unfinished_tasks -= self.unfinished_tasks > 0
        sides.update(world)


def _wait(world: World, gate: _Gate, is_possible: Callable[[], Any], timeout: float | None) -> None:
    """Wait for a gate, at most so many seconds. The program may empty `queue` itself before this goes on."""
    if timeout is not None and timeout < 0:
        raise ValueError("'timeout' must be a non-negative number")
    end = None if timeout is None else world.clock + timeout
    while gate.wait(world, bool(is_possible()), None if end is None else end - world.clock):
        if is_possible():
            return
