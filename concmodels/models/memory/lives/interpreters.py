"""The supervisor of `subinterp`: each interpreter is hosted by a thread of the main one until it is closed."""

import sys
import threading
from concurrent import interpreters
from os import cpu_count

from concmodels.models.memory.arena import STATE
from concmodels.models.memory.group import DONE
from concmodels.models.memory.lives.ctypes_turns import turns
from concmodels.models.memory.lives.supervisor import Supervisor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import ExitStack

_LIFE = """
import sys
sys.path[:] = path
from concmodels.models.memory.lives.child import interpreter
interpreter(kind, run, fd, supervisor, view, at, turn)
del view
"""


class InterpreterSupervisor(Supervisor):
    """Starts an interpreter per task."""

    def __init__(self, kind: str, channel_bytes: int, deadlock_after: float | None) -> None:
        super().__init__(kind, channel_bytes, deadlock_after)
        self._hosts: set[threading.Thread] = set()
        self._gone: list[threading.Thread] = []
        self._making = threading.Semaphore(cpu_count() or 2)  # more at a time only get in each other's way

    def _open(self, opened: ExitStack, kind: str, channel_bytes: int) -> None:
        super()._open(opened, kind, channel_bytes)
        self._turn = turns.begin()
        opened.callback(turns.end)

    def start(self, at: int, name: str) -> None:
        """Start the thread that hosts the interpreter. Not a daemon: that may crash at exit."""
        host = threading.Thread(target=self._host, args=(at, name), name=name)
        self._hosts.add(host)
        host.start()

    def wait(self) -> None:
        """Wait as `Supervisor` does; join the threads whose interpreter is closed."""
        super().wait()
        while self._gone:
            host = self._gone.pop()
            host.join()
            self._hosts.discard(host)

    def own_threads(self) -> Iterable[int]:
        """Return the threads that host interpreters."""
        return [host.ident for host in list(self._hosts) if host.ident is not None]

    def idle(self) -> bool:
        """Return whether no interpreter is left."""
        return not self._hosts

    def names(self) -> list[str]:
        """Return the names of the tasks that have not ended."""
        return [host.name for host in list(self._hosts) if host not in self._gone]

    def _host(self, at: int, name: str) -> None:
        try:
            self._run_interpreter(at)
            if self.participant.words[at + STATE] < DONE:
                raise RuntimeError("the interpreter ended without a word")
        except BaseException as error:  # noqa: BLE001 - it is the task's failure
            self.failed(at, name, error)
        finally:
            self.ended(at)
            self._gone.append(threading.current_thread())
            self.participant.notify_supervisor()

    def _run_interpreter(self, at: int) -> None:
        with self._making:
            interpreter = interpreters.create()
        try:
            interpreter.prepare_main(
                kind=self.participant.kind,
                run=self.run,
                fd=self.participant.arena.fd,
                supervisor=self.waker,
                view=self.participant.arena.bytes,
                at=at,
                turn=self._turn,
                path=tuple(sys.path),
            )
            interpreter.exec(_LIFE)
        finally:
            interpreter.close()

    def finish(self) -> None:
        """Join the hosts."""
        for host in self._hosts:
            host.join()
