"""The code that runs on a worker: a task of the run, in a thread of its own.

A task secedes from its worker's pool of threads before it begins: the worker then has room for another. So there are as
many at once as are spawned, however few threads the cluster has. What a task returns or raises is pickled here and sent
to the board: Dask itself sees only tasks that end well, unless their worker dies.
"""

from distributed import secede

from concmodels.models.cluster.link import Cancelled, Running, here, link_to
from concmodels.models.cluster.pickling import pack, unpack
from concmodels.models.memory.pickling import pack_error

DONE, FAILED, STOPPED, DIED = "done", "failed", "stopped", "died"
"""How a task ends."""

NOT_PREPARED, TAKEN_BACK, REFUSED = "not prepared", "taken back", "refused"
"""How a task of a pool may end too: its worker's initializer failed; it was not begun; the pool takes nothing more."""

_ready: set[str] = set()
"""The pools whose initializer was called in this process."""


def work(
    run: str,
    address: str,
    number: str,
    name: str,
    call: bytes,
    pool: str = "",
    start: bytes = b"",
    secedes: bool = True,
) -> None:
    """Run a task, and tell the board how it ended. In a pool, `start` is the call of the initializer, if it has one.

    Without a `call` only the initializer is called. `secedes` says whether the task leaves its worker's
    threads to others at once.
    """
    if secedes:
        secede()
    running = Running(link_to(run, address), number, name, pool=pool, seceded=secedes)
    if running.ask(number, "begin"):
        running.ask(number, "end", *_outcome(running, call, start))


def _outcome(running: Running, call: bytes, start: bytes) -> tuple[str, bytes]:
    if start and (running.pool not in _ready or not call):  # also in a process that came later
        state, data = _perform(running, start)
        if state != DONE:
            return (NOT_PREPARED if state == FAILED else state), data
        _ready.add(running.pool)
    return _perform(running, call) if call else (DONE, b"")


def _perform(running: Running, call: bytes) -> tuple[str, bytes]:
    here.running = running
    try:
        function, args, kwargs = unpack(call, f"the call of task {running.name!r}")
        return DONE, pack(function(*args, **kwargs), f"the result of task {running.name!r} can't travel")
    except Cancelled:
        return STOPPED, b""
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
        return FAILED, pack_error(error, running.name)
    finally:
        here.running = None
