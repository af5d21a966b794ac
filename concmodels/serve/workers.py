"""Workers that have a memory of their own, for processes and subinterpreters: all accept from one listening socket.

A task for each connection would be a process for each. So there is one for each CPU, and in it a run of the model
`threads`, with a thread for each connection: a thread may wait while others of its worker run, and each worker has a
GIL of its own. The other models can't run in subinterpreters, or need an async handler.
"""

from concmodels import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Any

    from concmodels.contract import Task
    from concmodels.net import Listener
    from concmodels.serve.stop import Stop

__all__ = ["serve_apart", "work"]

LONGEST_S = 2.5
"""The seconds that the workers have to end when the server stops, more than each gives its connections."""


def serve_apart(model: Any, listener: Listener, stop: Stop, name: str, workers: int) -> None:
    """Have workers serve until `stop` says so, and end with them."""
    load("threads")  # here too: a fork while this thread imports it would never end its own import
    with stop.heard(), model.TaskGroup() as group:
        try:
            numbers = range(1, workers + 1)
            names = [f"{name}, worker {number} of {workers}" for number in numbers]
            tasks = [group.spawn(work, listener, stop.socket, it, name=it) for it in names]
            model.wait_readable(stop)
        finally:
            stop.now()  # also if a worker has failed: the others end then
        listener.close()
        if not ended(model, tasks):
            group.cancel()


def ended(model: Any, tasks: list[Task[None]]) -> bool:
    """Wait for the end of these tasks; return False if they take too long."""
    until = model.now() + LONGEST_S
    try:
        for task in tasks:
            task.result(timeout=until - model.now())
    except TimeoutError:
        return False
    return True


def work(listener: Listener, stop: socket.socket, name: str) -> None:
    """Serve in this process or interpreter, by threads."""
    from concmodels.net.sync import Listener
    from concmodels.serve.service import Service
    from concmodels.serve.stop import Stop
    from concmodels.serve.tasks import serve

    threads = load("threads")
    with stop, listener.socket:
        here, its_stop = Listener(threads, listener.socket), Stop(stop)
        if not its_stop.has_come():  # else this worker has started too late to begin with anything
            threads.run(serve, threads, here, its_stop, Service(name), deadlock_after=None)
