"""Workers of a pool that are killed at a random instruction, and tasks that leave a line wherever they were begun."""

import os
import random
import signal
import sys
from pathlib import Path

import concmodels

MEMORY = str(Path(concmodels.__file__).parent / "models" / "memory")
SIZES = (0, 1, 70, 5_000, 150_000)
"""Of results that are bytes; the last one does not fit into the ring of a run with 64 KiB for each channel."""


def doom(seed, most):
    """Kill this worker at one of its next instructions in the code of the pool, or between two lines of a task.

    The initializer of a pool. The end of a worker's task is let alone: it takes locks of the run, as any task's does.
    """
    choose = random.Random(seed * 1_000_003 + os.getpid())
    left = choose.randrange(1, most)

    def trace(frame, event, _arg):
        nonlocal left
        if event == "call":
            if not frame.f_code.co_filename.startswith(MEMORY):
                return None
            frame.f_trace_opcodes = True
        elif event == "return" and frame.f_code.co_name == "work":
            sys.settrace(None)
        else:
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def noted(path, number):
    """Write the number into the file, and return what `result_of` says."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{number}\n".encode())
    os.close(file)
    result = result_of(number)
    if isinstance(result, Exception):
        raise result
    return result


def noted_in(call):
    return noted(*call)


def result_of(number):
    """Return the result of this task: an int, None, True, bytes of any size, or an exception."""
    kind = number % 11
    if kind == 0:
        return None
    if kind == 1:
        return number % 2 == 0
    if kind == 2:
        return ArithmeticError(number)
    if kind < 6:
        return bytes([number % 256]) * SIZES[number % len(SIZES)] + str(number).encode()
    return number
