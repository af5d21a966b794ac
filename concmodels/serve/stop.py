"""How a server is told to stop: by a byte in a pair of sockets, so that its tasks can wait for it as for any socket."""

import signal
import socket
import threading
import time
from contextlib import contextmanager

from concmodels.models.tasks.signals.handlers import ENDING
from concmodels.platform.polling import POLLIN, poll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any

PAIR_S = 1.0
"""Signals that come within so many seconds are one request: `timeout` and shells send two."""


class Stop:
    """Can be read once the server is to stop: after `stop.now()`, or a signal during `with stop.heard():`.

    No task reads the byte. So every process that has the socket sees it, and so does a task that looks later.
    """

    def __init__(self, socket_: socket.socket | None = None) -> None:
        self.writer: socket.socket | None = None
        if socket_ is None:
            socket_, self.writer = socket.socketpair()
        self.socket = socket_
        self.signum: int | None = None
        """The signal that came first."""
        self._came = 0.0
        self._old: dict[int, Any] = {}

    def fileno(self) -> int:
        """Return the descriptor that can be read once the server is to stop."""
        return self.socket.fileno()

    def now(self) -> None:
        """Stop the server. Can be called from any thread, from a signal handler, and more than once."""
        if self.writer is not None:
            self.writer.send(b".")

    def has_come(self) -> bool:
        """Return whether the server is to stop."""
        poller = poll()
        poller.register(self.socket, POLLIN)
        return bool(poller.poll(0))

    def close(self) -> None:
        """Close both sockets, when nobody waits any more."""
        self.socket.close()
        if self.writer is not None:
            self.writer.close()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Make Ctrl-C, SIGTERM and SIGHUP stop the server; a second signal has the effect that it had before.

        This has an effect only in the main thread, and only on signals that aren't ignored. The first signal interrupts
        nothing: the task that is running goes on.
        """
        if self.writer is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        for signum in ENDING:
            if signal.getsignal(signum) is not signal.SIG_IGN:
                self._old[signum] = signal.signal(signum, self._on_signal)
        try:
            yield
        finally:
            for signum, old in self._old.items():
                signal.signal(signum, old)

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        if self.signum is None:
            self.signum, self._came = signum, time.monotonic()
            self.now()
        elif time.monotonic() - self._came > PAIR_S and callable(old := self._old[signum]):
            old(signum, frame)
