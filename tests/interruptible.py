"""Start programs that Ctrl-C and the end of a terminal reach."""

import re
import signal
import subprocess
import time
from pathlib import Path


def popen(command, **options):
    """Start a program with SIGINT and SIGHUP at their defaults, also where this process was told to ignore them.

    What a shell starts in the background ignores the first one, and what `nohup` starts the second one. Without
    `preexec_fn`: that forks in Python, and some libraries (eventlet) warn of any fork.
    """
    defaults = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    old = {number: signal.signal(number, default) for number, default in defaults.items()}
    try:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, text=True, **(pipes | options))
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def run(command, timeout, **options):
    """Run a program to its end, likewise; what it prints is in the result, as with `subprocess.run`."""
    with popen(command, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def until_its_main_thread_waits(process):
    """Wait until a program that has nothing more to do has gone to sleep in the system.

    Python looks for signals between its instructions. One that comes after the last look, and before the system call
    that waits, is not noticed before that call ends: in a plain program, never. (28 of 700 runs of a program that joins
    a process, interrupted at once after it had printed a line, hung so.)
    """
    status = Path(f"/proc/{process.pid}/status")
    before = None
    while status.exists() and process.poll() is None:
        now = re.findall(r"^(?:State|\w*voluntary_ctxt_switches):\s+(\S+)", status.read_text(), re.MULTILINE)
        if now == before and now[0] == "S":
            return
        before = now
        time.sleep(0.02)
