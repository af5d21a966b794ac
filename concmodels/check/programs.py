"""Runs a model's ring, its pool and a Ctrl-C: `python -m concmodels.check.programs MODEL PROGRAM ...`.

Each program is a line of JSON on standard output: its name, and why it failed, or null. A program that hangs is ended
with this process; what every thread was doing then is on standard error.
"""

import faulthandler
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

LIMIT_S = 20.0
"""The seconds that a program may take. Each takes less than two on the machine of the site's figures."""

_NODES, _MESSAGES = 5, 200
_WORKERS, _TASKS = 2, 40
_FOR_EVER = 3600.0


def main(model: str, names: list[str]) -> None:
    """Run these programs, one after the other, and print what came of each."""
    for name in names:
        faulthandler.dump_traceback_later(LIMIT_S, exit=True)
        try:
            error = PROGRAMS[name](model)
        except Exception as failure:  # noqa: BLE001 - whatever it is, it is what the program failed by
            error = f"{type(failure).__name__}: {failure}"
            traceback.print_exc()
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps([name, error]), flush=True)


def _ring(model: str) -> str | None:
    from concmodels.ring import ring

    return ring(model, nodes=_NODES, messages=_MESSAGES).error


def _pool(model: str) -> str | None:
    from concmodels.pool import pool

    return pool(model, tasks=_TASKS, workers=_WORKERS, work="nothing").error


def _interrupt(name: str) -> str | None:
    """Press Ctrl-C while a task and main sleep; return what is wrong with how the run ends."""
    from concmodels import catalog

    model: Any = catalog.load(name)
    began = time.monotonic()
    try:
        model.run(async_sleepers if catalog.facts(name).is_async else sleepers, model)
    except KeyboardInterrupt:
        took = time.monotonic() - began
        return None if took < LIMIT_S / 2 else f"the run ended {took:.0f} seconds after Ctrl-C"
    return "the run did not end with KeyboardInterrupt"


def sleepers(model: Any) -> None:
    """Sleep, beside a task that sleeps, until Ctrl-C comes."""
    with model.TaskGroup() as group:
        group.spawn(model.sleep, _FOR_EVER)
        _press_soon()
        model.sleep(_FOR_EVER)


async def async_sleepers(model: Any) -> None:
    """Do the same on an event loop."""
    async with model.TaskGroup() as group:
        group.spawn(model.sleep, _FOR_EVER)
        _press_soon()
        await model.sleep(_FOR_EVER)


def _press_soon() -> None:
    threading.Timer(0.3, _press_ctrl_c).start()


def _press_ctrl_c() -> None:
    if os.name == "posix":
        os.kill(os.getpid(), signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)  # os.kill would end this process; Windows calls the handler in a thread, too


PROGRAMS: dict[str, Callable[[str], str | None]] = {"ring": _ring, "pool": _pool, "Ctrl-C": _interrupt}

if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
