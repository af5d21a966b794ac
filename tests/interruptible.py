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


def run(command, timeout, **options):
    """Run a program to its end, likewise; what it prints is in the result, as with `subprocess.run`."""
    with popen(command, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)
