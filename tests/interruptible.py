"""Start programs that Ctrl-C reaches."""

import signal
import subprocess


def popen(command, **options):
    """Start a program with SIGINT at its default, also where this process was told to ignore it.

    Without `preexec_fn`: that forks in Python, and some libraries (eventlet) warn of any fork.
    """
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, text=True, **(pipes | options))
    finally:
        signal.signal(signal.SIGINT, old)
