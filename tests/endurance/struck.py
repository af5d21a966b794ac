"""A command of the programs that Ctrl-C strikes at one place after the other.

    python -m endurance.struck MOST pool 4 --work nothing --workers 2 --model asyncio

CPython runs the handler of a signal where a function begins or a generator goes on (but not a coroutine after an
`await`), where a loop jumps back, and after a call of C. `sys.monitoring` tells of these moments. So the command is run
again and again in this process, and each time the signal is raised at the first place where it has not been raised
before: until a run comes to its end, or MOST times. A place is an instruction and that of its caller. The last line of
its output is JSON: how many places there were, the status of a run that came to its end, and what ended otherwise than
it should.
"""

import gc
import importlib
import io
import json
import opcode
import os
import signal
import sys
import threading
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from undisturbed import undisturbed

from concmodels.programs.command import command

TOOL = sys.monitoring.OPTIMIZER_ID
EVENTS = sys.monitoring.events
GONE_WITHIN_S = 2
SHOWN = 8

CALLBACKS = """
def at(code, offset, *_):
    if is_new(getframe(1)):
        raise_signal(2)


def resume(code, offset):
    if code.co_code[offset + 1] & 3 < AFTER_YIELD_FROM and is_new(getframe(1)):
        raise_signal(2)


def jump(code, offset, target):
    if code.co_code[offset] == JUMP_BACKWARD and is_new(getframe(1)):
        raise_signal(2)
"""
"""The handler asks whose code it strikes. These are of the standard library then: so those who called them decide."""


class Striker:
    """`with striker:` has a signal strike at the first place that is new."""

    def __init__(self):
        self.places = set()
        self.struck_at = None
        self._main = threading.get_ident()
        names = {"__name__": "signal", "getframe": sys._getframe, "raise_signal": signal.raise_signal}
        names |= {"is_new": self._is_new, "AFTER_YIELD_FROM": 2, "JUMP_BACKWARD": opcode.opmap["JUMP_BACKWARD"]}
        exec(CALLBACKS, names)
        kinds = {"at": (EVENTS.PY_START, EVENTS.C_RETURN), "resume": (EVENTS.PY_RESUME,), "jump": (EVENTS.JUMP,)}
        self._callbacks = {kind: names[name] for name, its in kinds.items() for kind in its}

    def __enter__(self):
        self.struck_at = None
        sys.monitoring.use_tool_id(TOOL, "struck")
        for kind, callback in self._callbacks.items():
            sys.monitoring.register_callback(TOOL, kind, callback)
        sys.monitoring.set_events(TOOL, EVENTS.PY_START | EVENTS.PY_RESUME | EVENTS.JUMP | EVENTS.CALL)

    def __exit__(self, *_):
        sys.monitoring.set_events(TOOL, 0)
        sys.monitoring.free_tool_id(TOOL)

    def _is_new(self, frame):
        """Whether it is to strike here; then it strikes nowhere else."""
        if self.struck_at is not None or threading.get_ident() != self._main:
            return False
        caller = frame.f_back
        place = frame.f_code, frame.f_lasti, caller and caller.f_code, caller and caller.f_lasti
        if place in self.places or signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
            return False
        self.places.add(place)
        self.struck_at = [f"{Path(it.filename).name}:{it.lineno} {it.name}" for it in traceback.extract_stack(frame)]
        sys.monitoring.set_events(TOOL, 0)
        return True


def run(program, arguments):
    """Run the command; return its status, what it wrote on standard error, and what it has left."""
    before = present()
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as err:
        try:
            status = command(program, arguments)
        except BaseException as error:  # noqa: BLE001 - a command must not raise anything: this is printed below
            status = f"{type(error).__name__}: {error}"
        gc.collect()
    until = undisturbed() + GONE_WITHIN_S
    while any(left := [max(0, now - then) for now, then in zip(present(), before, strict=True)]):
        if undisturbed() > until:
            break
        time.sleep(0.001)
    return status, err.getvalue(), left


def present():
    """The numbers of threads, descriptors and children."""
    children = Path("/proc/thread-self/children").read_text().split()
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), len(children)


def main(most, name, *arguments):
    """Do it."""
    module = importlib.import_module(f"concmodels.{name}.program")
    program = getattr(module, f"{name.title()}Command")()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # as the command itself does it: only a run lets it in
    message = f"{program.name}: {arguments[-1]}: interrupted\n"
    run(program, arguments)  # what is imported and opened once
    striker, bad, last = Striker(), [], None
    for _ in range(int(most)):
        with striker:
            status, err, left = run(program, arguments)
        if striker.struck_at is None:
            last = status
            break
        if (status, err, *left) != (130, message, 0, 0, 0):
            where = striker.struck_at[: -SHOWN - 1 : -1]
            bad.append({"status": status, "err": err, "left": left, "at": where})
    print(json.dumps({"places": len(striker.places), "last": last, "bad": bad}))


if __name__ == "__main__":
    main(*sys.argv[1:])
