"""The facts about every model and variant. Use them through `catalog`.

Children import this module, through the catalog, when a model is sent to them; so it imports nothing
that would have to be loaded.

The numbers are measurements (CPython 3.14, x86-64 Linux), rounded up. By them the programs refuse a run that this
machine can't hold, so each covers what one node of the ring costs: its task, its channel, and the first message in it.
"""

from sys import abiflags

KIB = 1024
MIB = 1024 * KIB
INTERPRETER = (10 if "t" in abiflags else 4) * MIB
"""One subinterpreter. On a free-threaded build each allocates its memory in far larger pieces."""


class Facts:
    """The facts about one model, or about one variant of it."""

    __slots__ = (
        "cancellation", "cost", "descriptors", "differs_in", "family", "file", "hop", "is_async", "libraries", "memory",
        "message", "model", "needs", "parallel", "polls", "pool", "preemptive", "raised_again", "scheduler", "separate",
        "shares", "unit", "variant",
    )  # fmt: skip

    model: str
    variant: str | None  # None: the model has no variants
    file: str  # its file in concmodels/models, without .py
    needs: tuple[str, ...]  # the libraries it is built on, by their name for pip and for import
    family: str  # one of FAMILIES
    libraries: tuple[str, ...]  # the packages whose code runs below a task: theirs, and what these are built on
    is_async: bool  # whether its operations are awaited
    unit: str  # what one task is: the unit of execution
    scheduler: str
    preemptive: bool
    polls: bool  # a task that waits looks again every so often, instead of being woken
    message: str  # how a message travels
    pool: str  # what a pool of this model is good for
    shares: str  # what `share` gives to all tasks
    parallel: str  # whether tasks run at the same time, and on which builds
    cancellation: str
    raised_again: bool  # whether a cancellation that was swallowed is raised again
    cost: str  # what one task costs, in words
    descriptors: int  # file descriptors per task, in the process that starts it, without what the task itself opens
    memory: int  # bytes per task, over all processes
    separate: bool  # whether tasks are processes of their own
    hop: float  # seconds that one message alone takes, at most
    differs_in: tuple[str, ...]  # of a variant: the chapters of guarantees that its difference affects

    def __init__(self, **facts: object) -> None:
        for slot in self.__slots__:
            setattr(self, slot, facts[slot])

    def but(self, **changes: object) -> Facts:
        """Return these facts with some of them changed, for a variant or a similar model."""
        return Facts(**{slot: getattr(self, slot) for slot in self.__slots__} | changes)


FAMILIES = ("threads", "boundary", "greenlets", "coroutines", "cluster")
"""The kind of thing that a task is: a thread, one beyond a memory boundary, a greenlet, a coroutine, a cluster's."""

HOW_UNITS_START = (
    "tasks", "failures", "cancellation", "runs", "pooling_ends", "pooling_deaths", "pooling_boundaries", "travelling",
    "sharing_ends",
)  # fmt: skip

THREADS = Facts(
    model="threads", variant=None, file="threads", needs=(), family="threads", libraries=(), is_async=False,
    unit="an OS thread", scheduler="the kernel, one at a time under the GIL", preemptive=True, polls=False,
    message="a reference, through a deque", shares="the object itself", parallel="on free-threaded builds only",
    pool="what waits, side by side; what computes too, but only without the GIL",
    cancellation="an exception where it waits; nothing stops one that computes, or waits for a threading.Lock",
    raised_again=True,
    cost="0.1 ms to start, 8 MiB of addresses, of which 27 KiB are touched",
    descriptors=0, memory=32 * KIB, separate=False, hop=12e-6, differs_in=(),
)  # fmt: skip

RAWTHREADS = THREADS.but(
    model="rawthreads", variant="locks", file="rawthreads",
    message="a reference, through a list and locks made by hand",
    cost="0.1 ms to start, 8 MiB of addresses, of which 20 KiB are touched",
)  # fmt: skip

PROCESSES = Facts(
    model="processes", variant="forkserver", file="processes", needs=(), family="boundary", libraries=(),
    is_async=False,
    unit="an OS process", scheduler="the kernel, on all CPUs", preemptive=True, polls=False,
    message="a copy: a word in shared memory, or a pickle", shares="one copy in the run's shared memory",
    pool="what computes, side by side; if a worker is killed, only its task is lost",
    parallel="always",
    cancellation="an exception where it waits; at worst the process is killed", raised_again=True,
    cost="5 ms to start, 3 MiB of its own, 3 descriptors",
    descriptors=3, memory=4 * MIB, separate=True, hop=25e-6, differs_in=(),
)  # fmt: skip

SUBINTERP = Facts(
    model="subinterp", variant=None, file="subinterp", needs=(), family="boundary", libraries=(), is_async=False,
    unit="a subinterpreter with its own modules and its own GIL, if any, in an OS thread",
    scheduler="the kernel, on all CPUs", preemptive=True, polls=False,
    message="a copy: a word in a shared memoryview, or a pickle", shares="one copy in the run's shared memory",
    pool="what computes, side by side",
    parallel="always",
    cancellation="an exception where it waits; nothing stops one that computes", raised_again=True,
    cost="10 ms to start, 3.7 MiB (10 MiB on free-threaded builds), 1 descriptor",
    descriptors=1, memory=INTERPRETER, separate=False, hop=15e-6, differs_in=(),
)  # fmt: skip

GREENLET = Facts(
    model="greenlet", variant=None, file="greenlet_", needs=("greenlet",), family="greenlets", libraries=("greenlet",),
    is_async=False,
    unit="a greenlet: a C stack that is swapped", scheduler="the model's own run queue", preemptive=False, polls=False,
    message="a reference", shares="the object itself", parallel="never: one thread",
    pool="what waits by the model's own means, for sockets too",
    cancellation="an exception where it waits; nothing stops one that computes", raised_again=True,
    cost="40 us to start, 15 KiB", descriptors=0, memory=16 * KIB, separate=False, hop=3e-6, differs_in=(),
)  # fmt: skip

TASKLETS = GREENLET.but(
    model="tasklets", file="tasklets",
    unit="a tasklet, as in Stackless Python, made of a greenlet",
    scheduler="Stackless's: a task that waits in a rendezvous runs at once, the rest in turn",
)  # fmt: skip

GEVENT = GREENLET.but(
    model="gevent", file="gevent_", needs=("gevent",), libraries=("gevent", "greenlet"),
    unit="a gevent Greenlet", scheduler="gevent's hub (libev)",
    pool="what waits, through gevent's own sockets; a task that computes blocks all others",
    parallel="never: one thread; its import switches the GIL on",
    cancellation="an exception that the hub throws in where it waits; nothing stops one that computes",
    raised_again=False,
    cost="40 us to start, 14 KiB", hop=6e-6,
)  # fmt: skip

EVENTLET = GREENLET.but(
    model="eventlet", file="eventlet_", needs=("eventlet",), libraries=("eventlet", "greenlet"),
    unit="an eventlet GreenThread (deprecated upstream)", scheduler="eventlet's hub (epoll)",
    pool="what waits, through eventlet's own sockets; a task that computes blocks all others",
    cancellation="an exception that the hub throws in where it waits; nothing stops one that computes",
    raised_again=False,
    cost="0.1 ms to start, 13 KiB", hop=10e-6,
)  # fmt: skip

ASYNCIO = Facts(
    model="asyncio", variant=None, file="asyncio_", needs=(), family="coroutines", libraries=("asyncio",),
    is_async=True, unit="a Task around a coroutine", scheduler="asyncio's event loop", preemptive=False, polls=False,
    message="a reference", shares="the object itself", parallel="never: one thread per loop",
    pool="what is awaited, in any number; a task that computes blocks all others",
    cancellation="CancelledError at an await that waits; nothing stops one that computes", raised_again=False,
    cost="40 us to start, 6 KiB", descriptors=0, memory=8 * KIB, separate=False, hop=8e-6, differs_in=(),
)  # fmt: skip

TRIO = ASYNCIO.but(
    model="trio", file="trio_", needs=("trio",),
    libraries=("trio", "outcome", "sniffio", "attr", "attrs", "sortedcontainers"),
    unit="a trio task around a coroutine", scheduler="trio's run loop",
    cancellation="Cancelled at a checkpoint; nothing stops one that computes", raised_again=True,
    cost="60 us to start, 8 KiB", memory=12 * KIB, hop=20e-6,
)  # fmt: skip

ANYIO = TRIO.but(
    model="anyio", variant="asyncio", file="anyio_", needs=("anyio",),
    libraries=("anyio", *ASYNCIO.libraries, *TRIO.libraries),
    unit="an anyio task, on asyncio", scheduler="asyncio's event loop",
    cancellation="the backend's exception at a checkpoint; nothing stops one that computes",
    cost="0.1 ms to start, 11 KiB", memory=16 * KIB, hop=40e-6,
)  # fmt: skip

FACTS: tuple[Facts, ...] = (
    THREADS,
    RAWTHREADS,
    RAWTHREADS.but(
        variant="polling", polls=True, message="a reference; the receiver sleeps 0.1 ms and looks again", hop=1e-3,
        cost="as rawthreads, and it burns CPU while it waits",
    ),
    PROCESSES,
    PROCESSES.but(
        variant="spawn", cost="25 ms to start, 7 MiB of its own, 4 descriptors", descriptors=4, memory=8 * MIB,
        differs_in=HOW_UNITS_START,
    ),
    PROCESSES.but(
        variant="fork", cost="5 ms to start, 3 MiB of its own, 5 descriptors", descriptors=5,
        differs_in=HOW_UNITS_START,
    ),
    SUBINTERP,
    GREENLET,
    TASKLETS,
    GEVENT,
    EVENTLET,
    ASYNCIO,
    TRIO,
    ANYIO,
    ANYIO.but(variant="trio", needs=("anyio", "trio"), unit="an anyio task, on trio", scheduler="trio's run loop"),
)  # fmt: skip
"""Every model, followed by its variants. The first entry of a model is its default."""

DASK = Facts(
    model="dask", variant=None, file="dask_", needs=("distributed",), family="cluster",
    libraries=("distributed", "dask", "tornado"), is_async=False,
    unit="a task of a Dask cluster, in a thread of a worker", scheduler="Dask's, and below it the kernel",
    preemptive=True, polls=False,
    message="a pickle, in a channel of asyncio's that the process of main keeps",
    shares="the object itself; nothing on a real cluster",
    pool="what takes milliseconds at least, on many machines",
    parallel="by as many processes as the cluster has; the embedded one is in this one",
    cancellation="an exception where it waits; nothing stops one that computes", raised_again=True,
    cost="7 ms to start, 40 KiB", descriptors=0, memory=64 * KIB, separate=False, hop=5e-4, differs_in=(),
)  # fmt: skip

SIM = GREENLET.but(
    model="sim", variant="sync", file="simulated/sim",
    unit="a greenlet, whose turn comes by a schedule", scheduler="a schedule that can be repeated",
    pool="what is to be run again on the same schedule", cost="40 us to start, 15 KiB", hop=1e-5,
)  # fmt: skip

SIMULATED: tuple[Facts, ...] = (
    SIM,
    SIM.but(
        variant="async",
        file="simulated/sim_async",
        family="coroutines",
        is_async=True,
        unit="a coroutine, whose turn comes by a schedule",
    ),
)
"""The models whose order a schedule decides, on a virtual clock. `all` leaves them out: they must be named."""

DISTRIBUTED: tuple[Facts, ...] = (DASK,)
"""The models that can use several machines. They must be named to be used: `all` does not include them."""

LIBRARIES = frozenset(library for entry in FACTS + SIMULATED + DISTRIBUTED for library in entry.libraries)
"""The packages of all models' libraries: their code is the program's as little as the standard library's is."""
