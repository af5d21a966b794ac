"""Many units that do nothing but wait: what one costs in time and in memory.

`model` starts them on the vocabulary, the others by hand. All return the seconds from before the first one is started
until the last one has said that it runs, and how much memory they take. Children import this module.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel

    type Took = tuple[float, dict[str, Any]]


def unit(here: Channel[int], go: Channel[int]) -> None:
    """Report that the unit runs, and wait for the end."""
    here.send(1)
    for _ in go:
        pass


async def async_unit(here: AsyncChannel[int], go: AsyncChannel[int]) -> None:
    """The async form of `unit`."""
    await here.send(1)
    async for _ in go:
        pass


def crowd(model: Any, units: int) -> Took:
    """Start so many units, and wait until all run."""
    here, go = model.Channel(float("inf"), "here"), model.Channel(float("inf"), "go")
    timer = UnitTimer(units)
    with model.TaskGroup() as group:
        for _ in range(units):
            group.spawn(unit, here, go)
        for _ in range(units):
            here.receive()
        timer.all_run()
        go.close()
    return timer.took()


async def async_crowd(model: Any, units: int) -> Took:
    """The async form of `crowd`."""
    here, go = model.Channel(float("inf"), "here"), model.Channel(float("inf"), "go")
    timer = UnitTimer(units)
    async with model.TaskGroup() as group:
        for _ in range(units):
            group.spawn(async_unit, here, go)
        for _ in range(units):
            await here.receive()
        timer.all_run()
        go.close()
    return timer.took()


class UnitTimer:
    """Measures the time and the memory from its creation until all units run, and the time from there to their end."""

    def __init__(self, units: int) -> None:
        import gc
        from time import perf_counter

        gc.collect()
        self.units = units
        self.clock = perf_counter
        self.before = memory()
        self.began = perf_counter()

    def all_run(self) -> None:
        """Take the time and the memory: all units have been started, and wait."""
        self.seconds = self.clock() - self.began
        self.after = memory()
        self.ending = self.clock()

    def took(self) -> Took:
        """Return the seconds, and the other figures."""
        figures = {"end_s": self.clock() - self.ending}
        if self.before is not None and self.after is not None:
            figures |= {"pss_bytes": self.after, "bytes_per_unit": max(0, self.after - self.before) / self.units}
        return self.seconds, figures


def memory() -> int | None:
    """Return the PSS of this process and all its descendants; None if that is unknown."""
    from concmodels.programs import memory

    own, others = memory.own_pss(), memory.of_descendants().pss
    return None if own is None or others is None else own + others


def ours(model: str, units: int) -> Took:
    """Start units in a model. Raises `NotHere` if this machine can't hold them."""
    from benchmarks.cell import NotHere
    from concmodels import catalog
    from concmodels.programs.limits import TooLarge
    from concmodels.ring.plan import Plan

    loaded: Any = catalog.load(model)
    try:
        Plan(model, units, 1).check_limits()  # also raises the limit on descriptors
    except TooLarge as reason:
        raise NotHere(str(reason)) from None
    took: Took = loaded.run(async_crowd if catalog.facts(model).is_async else crowd, loaded, units)
    return took


def command(arguments: list[str]) -> float:
    """Run a whole process of this Python, from its start to its end."""
    import subprocess
    import sys
    from time import perf_counter

    begin = perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - begin
