"""One program of the stack as a process: it is started, found ready, and ended; and it ends when this process does."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from signal import Signals

from benchmarks.web.server import ended
from benchmarks.web.stack.account import Account

READY_S = 15.0
END_S = 5.0
_PAUSE_S = 0.01
_ENVIRONMENT = {"LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


class Component:
    """A running program, which the signal `polite` ends in order, with all its children.

    When the thread dies that has started it, the kernel sends it the signal `at_once`: so nothing is left of it when
    this process is killed. `apart` starts it in a session of its own, for a program that must not be killed together
    with our process group.
    """

    def __init__(
        self, name: str, command: list[str], account: Account, log: Path, *,
        polite: Signals, at_once: Signals, apart: bool = False,
    ) -> None:  # fmt: skip
        self.name = name
        self._command = [*account.prefix, *ending_with_us(at_once), *command]
        self._account = account
        self._log = log
        self._polite = polite
        self._apart = apart
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The number of the process, which is the parent of all others of the program."""
        assert self._process is not None
        return self._process.pid

    def start(self, is_ready: Callable[[], bool]) -> None:
        """Start it, and return when it is ready. Raises `RuntimeError` if it ends or takes too long."""
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command, cwd="/", env=_ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=self._apart, **self._account.options,
            )  # fmt: skip
        deadline = time.monotonic() + READY_S
        while not is_ready():
            if self._process.poll() is not None:
                raise RuntimeError(f"{self.name} has ended: {self._last_line()}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} was not ready within {READY_S:g} s: {self._last_line()}")
            time.sleep(_PAUSE_S)

    def end(self) -> None:
        """End it if it runs: politely, and after five seconds by force."""
        if self._process is None:
            return
        self._process.send_signal(self._polite)
        if not ended(self._process, END_S):
            self._process.kill()
            self._process.wait()
        self._process = None

    def _last_line(self) -> str:
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else "it did not say why"


def ending_with_us(at_once: Signals) -> list[str]:
    """Return what stands before a command that is to get this signal when the thread dies that starts it."""
    return ["setpriv", "--pdeathsig", at_once.name.removeprefix("SIG")]
