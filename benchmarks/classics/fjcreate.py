"""Fork-join, creation: many tasks are started that have nothing to do, and the caller waits for all of them.

What is measured is what a task costs, from its start to its end.
"""

from time import perf_counter

from benchmarks.classics import Wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SIZE = "tasks"
SIZES = {"light": 5000, "threads": 1000, "boundary": 50, "tiny": 3}
STEP = "a task"


def tasks(size: int) -> int:
    """Return the number of tasks: as many as the size says."""
    return size


def steps(size: int) -> int:
    """Return the number of tasks."""
    return size


def leaf(number: int) -> int:
    """Do nothing."""
    return number


def main(model: Any, size: int) -> float:
    """Return the seconds of `size` tasks."""
    started = perf_counter()
    with model.TaskGroup() as group:
        leaves = [group.spawn(leaf, number) for number in range(size)]
    took = perf_counter() - started
    results = [task.result() for task in leaves]
    if results != list(range(size)):
        raise Wrong(f"{size:,} tasks returned other numbers than they were given")
    return took


async def async_leaf(number: int) -> int:
    """The async form of `leaf`."""
    return number


async def async_main(model: Any, size: int) -> float:
    """The async form of `main`."""
    started = perf_counter()
    async with model.TaskGroup() as group:
        leaves = [group.spawn(async_leaf, number) for number in range(size)]
    took = perf_counter() - started
    results = [await task.result() for task in leaves]
    if results != list(range(size)):
        raise Wrong(f"{size:,} tasks returned other numbers than they were given")
    return took
