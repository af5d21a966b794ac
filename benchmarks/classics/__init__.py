"""The classics: small concurrent programs that languages have been compared by for decades, on the vocabulary.

    run(classic, model, size=None) -> float   seconds of the work itself; whatever it returns has been checked

    run("commstime", "trio", 1000)

Each is one file with a sync and an async text, as in `concmodels.ring`, and with:

    SIZE            what the size counts, in words
    SIZES           a sensible size per kind of model: "light", "threads", "boundary"; "tiny" is for tests
    SMALLEST        the smallest size, where that is not 1
    tasks(size)     how many tasks it starts (beside the caller)
    steps(size)     how many steps it takes, and
    STEP            what one step is, in words: seconds / steps(size) is the cost of one
    main(model, size), async_main(model, size) -> float

Set-up is outside the clock (but for skynet, sieve and fjcreate, where starting tasks is the work). A result that is
wrong is a `Wrong`, alone or in the group of exceptions that left the run.

Children of processes and subinterp import these files, so they import next to nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CLASSICS = ("commstime", "skynet", "chameneos", "buffer", "philosophers", "sieve", "fjcreate", "fjthroughput", "big")
"""All of them: the names of the modules here."""


class Wrong(Exception):
    """The program has computed a wrong result."""


def load(classic: str) -> Any:
    """Return the module of a classic. Raises `ValueError` if there is none of this name."""
    from importlib import import_module

    if classic not in CLASSICS:
        raise ValueError(f"there is no classic {classic!r}; there are {', '.join(CLASSICS)}")
    return import_module(f"benchmarks.classics.{classic}")


def kind(model: str) -> str:
    """Return "light" (many units in one thread), "threads" or "boundary" (units have no memory in common)."""
    from concmodels import catalog

    facts = catalog.facts(model)
    if facts.family == "boundary":
        return "boundary"
    return "threads" if facts.preemptive else "light"


def run(classic: str, model: str, size: int | None = None) -> float:
    """Run one on a model and return the seconds of its work; `size` None is the one in its `SIZES`.

    Raises `Wrong`, `ValueError` for a size that is too small, and what `concmodels.catalog.load` raises.
    """
    from concmodels import catalog

    module = load(classic)
    if size is None:
        size = module.SIZES[kind(model)]
    smallest = getattr(module, "SMALLEST", 1)
    if size < smallest:
        raise ValueError(f"the size of {classic} counts {module.SIZE}; it must be at least {smallest}, not {size}")
    loaded = catalog.load(model)
    main: Any = module.async_main if catalog.facts(model).is_async else module.main
    seconds: float = loaded.run(main, loaded, size)
    return seconds
