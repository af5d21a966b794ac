"""The candidates that are measured with the GIL and without it: `python -m benchmarks run --twins`, in 20 minutes.

Twins are two builds of one version that differ in the GIL and in what comes with it, such as the memory allocator; the
result says of each how it was built (`benchmarks.machine.build`). Measured is what a page compares, on the models that
both have, and the suite `gil`. Where the suite `web` is named, its article on web services without the GIL is measured,
too.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.cell import Candidate

MODELS = ("threads", "rawthreads", "processes", "subinterp", "greenlet", "asyncio", "trio", "anyio")
CELLS = {
    "ring": ("stream", "token"),
    "pool": ("nothing", "cpu", "io", "buffer"),
    "spawn": ("units-300",),
    "classics": (),
    "articles": ("cpu", "io", "buffer"),
    "gil": (),
}
"""The cells of each suite; empty: all of them."""
NAMED_ONLY = {"web": ("granian", "threads-1", "threads-8", "threads-32", "threads-128", "granian-shares")}
"""The cells of suites that are measured only where they are named; all of their candidates."""
ONE_THREADED = ("greenlet", "asyncio")
"""The models whose classics are measured: all of their tasks share a thread, so their ratio is that of the builds."""
POOLS = ("threads", "processes", "subinterp", "asyncio")
"""The models whose pools are compared."""
FEW = {"classics": ONE_THREADED, "nothing": POOLS}
"""The models of a suite or of a cell, where these are not all."""


def wanted(it: Candidate) -> bool:
    """Return whether this candidate tells something about the GIL, and, but for the web services, needs no package."""
    if it.suite not in CELLS:
        return it.cell in NAMED_ONLY.get(it.suite, ())
    cells, ours = CELLS[it.suite], it.kind == "model" or it.suite == "gil"
    models = FEW.get(it.suite) or FEW.get(it.cell) or (None, *MODELS)
    return (not cells or it.cell in cells) and it.model in models and ours and not it.needs


def only(it: Candidate) -> bool:
    """Return whether this candidate is of interest under two Pythons alone."""
    return it.suite == "gil" or it.cell in NAMED_ONLY.get(it.suite, ())


def alike(one: dict[str, Any] | None, other: dict[str, Any] | None) -> bool | None:
    """Return whether two builds were configured alike but for the GIL; None if it is not known how they were built."""
    if not one or not other:
        return None
    return plain(one) == plain(other) and one["gil_disabled"] != other["gil_disabled"]


def plain(build: dict[str, Any]) -> dict[str, Any]:
    """Return what does not say that the GIL was disabled."""
    arguments = [it for it in build["configure"] if it != "--disable-gil"]
    return {name: value for name, value in build.items() if name != "gil_disabled"} | {"configure": arguments}


def versions() -> Iterator[str]:
    """Yield the names of the twins of this Python's version, the one with the GIL first."""
    from benchmarks.machine import tag

    version = tag().removesuffix("t")
    yield version
    yield f"{version}t"
