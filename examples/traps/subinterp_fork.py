"""A process that has a subinterpreter is forked. The child does not live to run a single line."""

import os
import resource
import signal
import subprocess
import sys
import warnings
from concurrent import interpreters

from concmodels import load


def forked() -> str:
    child = os.fork()
    if child == 0:
        os._exit(0)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core file, please
    warnings.simplefilter("ignore", DeprecationWarning)
    other = interpreters.create()
    print("a child beside a subinterpreter was", forked())
    program = [sys.executable, "-c", "print('it runs')"]
    print("subprocess.run beside it:", subprocess.run(program, capture_output=True, text=True).stdout.strip())
    done = subprocess.run(program, capture_output=True, text=True, preexec_fn=int)
    print("subprocess.run with a preexec_fn, without an error:", done.returncode)
    model = load("processes:fork")
    try:
        model.run(print)
    except RuntimeError as error:
        print("processes:fork refuses:", error)
    other.close()
    print("a child after it was closed", forked())


if __name__ == "__main__":
    main()
