"""Ends a process and what it has started, as far as the system has sessions."""

import os
import signal
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen


def kill(process: Popen[bytes] | Popen[str]) -> None:
    """Kill a process that was started with `start_new_session`, and all that is left in its session; wait for nothing.

    The process may have ended, and then it is not an error if nothing is left. Windows has no sessions: there this
    kills the process alone.
    """
    if os.name == "posix":
        # macOS refuses with EPERM what has ended and was not waited for.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
