"""Measures one candidate once, in a process of its own: `python -m benchmarks.worker PATH OUTPUT ROUND LOOPS [quick]`.

The run is pyperf's; it and all metadata are written to OUTPUT, which the session reads. What can't be measured here is
a sentence there instead. The children of some models import the main module again, so this one imports nothing before
it must.

`python -m benchmarks.worker forks` is for quick runs, which are no measurements. It reads such arguments line by line,
and does the same in a fork of a process that has imported already what every worker needs.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from benchmarks.cell import Candidate

CALIBRATE = 0
"""LOOPS: let pyperf find how many make up its least time, and report that alone."""


def main(path: str, output: str, number: int, loops: int, quick: bool) -> int:
    """Write the run, or why there is none, to the file `output`."""
    import json
    import os

    die_with_parent()
    from benchmarks.cell import NotHere
    from benchmarks.interpreters import ROUND
    from benchmarks.suites import find
    from concmodels.errors import ModelUnavailable

    os.environ[ROUND] = str(number)
    try:
        text = measured(find(path, quick), number, loops)
    except (NotHere, ModelUnavailable) as reason:
        text = json.dumps({"left_out": str(reason)})
    with open(output, "w") as file:
        file.write(text)
    return 0


def die_with_parent() -> None:
    """Have the kernel kill this process when the session dies, however it dies; it starts a session of its own."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def measured(candidate: Candidate, number: int, loops: int) -> str:
    """One pyperf run of this candidate, as JSON."""
    import io

    import pyperf

    from benchmarks.machine import about_run

    runner = pyperf.Runner()
    how = ["--calibrate-loops"] if loops == CALIBRATE else ["--loops", str(loops)]
    runner.parse_args(["--worker", "--quiet", "--values", "1", "--warmups", "0", *how])
    timed = Timed(function(candidate.call), candidate.sizes)
    run = runner.bench_time_func(candidate.path, timed, inner_loops=candidate.steps)
    run.update_metadata(timed.figures | timed.texts | about_run(candidate, number, timed.versions))
    text = io.StringIO()
    run.dump(text)
    return text.getvalue()


class Timed:
    """Calls a function as often as it is told to, and adds up the seconds that it returns."""

    def __init__(self, call: Callable[..., Any], sizes: dict[str, Any]) -> None:
        self.call = call
        self.sizes = sizes
        self.figures: dict[str, float] = {}
        self.versions: dict[str, str] = {}
        self.texts: dict[str, str] = {}

    def __call__(self, loops: int) -> float:
        """Return the seconds of all repetitions together; other figures are those of the last one."""
        return sum(self.repeat() for _ in range(loops))

    def repeat(self) -> float:
        """Do the work once more; return the seconds."""
        import gc
        import json

        from benchmarks.result import FIGURE, TEXTS

        gc.collect()  # what was made before is nobody's cost: the same for all candidates
        took = self.call(**self.sizes)
        seconds, figures = took if isinstance(took, tuple) else (took, {})
        self.versions = figures.pop("versions", {})
        self.texts = {name: json.dumps(figures.pop(name)) for name in TEXTS if name in figures}
        self.figures = {FIGURE + name: value for name, value in figures.items() if value is not None}
        return float(seconds)


def function(name: str) -> Callable[..., Any]:
    """Return the function that a candidate names."""
    from importlib import import_module

    module, _, attribute = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), attribute)
    return found


def fork_for_each_line() -> list[str]:
    """For each line, tell the process of the fork, and in the end how that ended; in a fork, return its arguments.

    A fork is reaped with the next line, so that until then nobody else has its number.
    """
    import json
    import os

    import pyperf  # noqa: F401 - for the forks, as the next one

    import benchmarks.machine  # noqa: F401

    die_with_parent()
    pid = 0
    for line in sys.stdin:
        if pid:
            os.waitpid(pid, 0)
        errors, *arguments = json.loads(line)
        if not (pid := os.fork()):
            stand_alone(errors)
            return [str(it) for it in arguments]
        os.setpgid(pid, pid)
        print(pid, flush=True)
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        print(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status, flush=True)
    return []


def stand_alone(errors: str) -> None:
    """Read nothing, and write all that a worker says into this file."""
    import os

    with open(os.devnull) as nothing, open(errors, "w") as file:
        os.dup2(nothing.fileno(), 0)
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)


if __name__ == "__main__":
    words = sys.argv[1:] if sys.argv[1:] != ["forks"] else fork_for_each_line()
    if words:
        path, output, number, loops, *quick = words
        sys.exit(main(path, output, int(number), int(loops), quick == ["quick"]))
