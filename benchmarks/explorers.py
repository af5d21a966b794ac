"""What finds the schedule that breaks a program, side by side: ours, other explorers, and real threads.

    measured(tool, bug, schedules) -> seconds and figures

Each tool runs the *fixed* twin of a bug of `examples/races` on so many schedules: that is timed, and an explorer that
tries all of them may need fewer. Then it looks for the first failing schedule of the broken twin, within `MOST`:

    first_failure     its number; missing if none of them failed
    first_failure_s   the seconds until then, starting and telling included
    complete          1 if the explorer says that the fixed twin holds in all schedules

The programs are the same files for all that run unmodified programs. `frontrun` takes a setup, workers and an
invariant, which are made of the same files; ploom takes programs in types of its own, of which two are here.
"""

import importlib.util
import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cell import NotHere

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    type Took = tuple[float, dict[str, Any]]

RACES = Path(__file__).parent.parent / "examples" / "races"
BUGS = sorted(path.name.removesuffix("_broken.py") for path in RACES.glob("*_broken.py"))
OF_CHANNELS = frozenset({"forgotten_cancel", "select_starvation"})
MOST = 1000
"""The most schedules that are run to find a failure."""
HANGS_S = 1.0


def measured(tool: str, bug: str, schedules: int) -> Took:
    """Measure one tool at one bug."""
    return TOOLS[tool](bug, schedules)


def _path(bug: str, kind: str) -> str:
    return str(RACES / f"{bug}_{kind}.py")


def _module(bug: str, kind: str) -> ModuleType:
    """Execute a file anew."""
    spec = importlib.util.spec_from_file_location(f"{bug}_{kind}", _path(bug, kind))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def _ours(switches: str) -> Callable[[str, int], Took]:
    def measured(bug: str, schedules: int) -> Took:
        from concmodels.explore import explore

        begin = time.perf_counter()
        broken = explore(_path(bug, "broken"), switches=switches, schedules=MOST)  # type: ignore[arg-type]
        found_s = time.perf_counter() - begin
        fixed = explore(_path(bug, "fixed"), switches=switches, schedules=10**6, seconds=20.0)  # type: ignore[arg-type]
        sample = explore(_path(bug, "fixed"), switches=switches, search="random", schedules=schedules, seconds=60.0)  # type: ignore[arg-type]
        figures = {"complete": float(fixed.verdict == "held in all"), "complete_s": fixed.seconds}
        if broken.failure is not None:
            figures |= {"first_failure": broken.failure.number, "first_failure_s": found_s}
        return sample.seconds * schedules / sample.schedules, figures

    return measured


def _interleave(bug: str, schedules: int) -> Took:
    try:
        import interleave_test
    except ImportError as error:
        raise NotHere(f"interleave-test can't be imported: {error}") from None

    def runs(kind: str, number: int) -> Any:
        def program() -> None:
            _module(bug, kind).main()

        return interleave_test.explore(
            program, iterations=number, seed=0, strategy="random", timeout=10.0, raise_on_failure=False
        )

    begin = time.perf_counter()
    found = runs("broken", MOST)
    found_s = time.perf_counter() - begin
    begin = time.perf_counter()
    done = runs("fixed", schedules)
    seconds = time.perf_counter() - begin
    figures: dict[str, Any] = {"versions": _versions("interleave-test")}
    if found.failure is not None:
        figures |= {"first_failure": found.schedules_run, "first_failure_s": found_s}
    if done.failure is not None:
        raise NotHere(f"interleave-test calls the fixed program broken: {done.failure}"[:200])
    return seconds, figures


def _frontrun(bug: str, schedules: int) -> Took:
    if importlib.util.find_spec("frontrun") is None:
        raise NotHere("frontrun can't be imported")
    from benchmarks.frontrun_parts import PARTS

    if bug not in PARTS:
        raise NotHere(f"{bug} is not written as a setup, workers and an invariant")

    found, found_s = _under_frontrun(bug, "broken", MOST)
    done, seconds = _under_frontrun(bug, "fixed", schedules)
    figures: dict[str, Any] = {"versions": _versions("frontrun"), "ran": done["explored"]}
    if not found["holds"]:
        figures |= {"first_failure": found["explored"], "first_failure_s": found_s}
    if not done["holds"]:
        raise NotHere("frontrun calls the fixed program broken")
    return seconds * schedules / max(1, done["explored"]), figures


_UNDER_FRONTRUN = """
import json, sys, time, frontrun
from benchmarks.explorers import _module
from benchmarks.frontrun_parts import PARTS
bug, kind, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
parts = PARTS[bug](lambda: _module(bug, kind))
begin = time.perf_counter()
done = frontrun.explore(**parts, strategy="dpor", max_executions=number, reproduce_on_failure=0, total_timeout=30.0)
seconds = time.perf_counter() - begin
print(json.dumps({"holds": done.property_holds, "explored": done.num_explored, "seconds": seconds}))
"""


def _under_frontrun(bug: str, kind: str, number: int) -> tuple[dict[str, Any], float]:
    """Explore one program in a process of frontrun's, which it insists on."""
    command = [sys.executable, "-m", "frontrun.cli", sys.executable, "-c", _UNDER_FRONTRUN, bug, kind, str(number)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise NotHere(f"frontrun failed: {lines[-1] if lines else done.returncode}"[:200])
    found = json.loads(done.stdout.splitlines()[-1])
    return found, found["seconds"]


def _ploom(bug: str, schedules: int) -> Took:
    try:
        import ploom
    except ImportError as error:
        raise NotHere(f"ploom can't be imported: {error}") from None
    from benchmarks import ploom_programs

    program = getattr(ploom_programs, bug, None)
    if program is None:
        raise NotHere("ploom runs no unmodified programs, and this one is not written in its types")
    config = ploom.Config(max_executions=MOST, minimize_executions=0)
    begin = time.perf_counter()
    figures: dict[str, Any] = {"versions": _versions("ploom")}
    try:
        ploom.check(lambda: program(ploom, False), config=config, on_failure=lambda *_: None)
    except ploom.ModelCheckError as error:
        figures["first_failure_s"] = time.perf_counter() - begin
        figures["first_failure"] = getattr(getattr(error, "statistics", None), "executions", None)
    begin = time.perf_counter()
    try:
        statistics = ploom.check(lambda: program(ploom, True), config=config)
    except ploom.IncompleteExplorationError as error:
        statistics = error.statistics  # not all, but as many as it did in its 30 seconds
    seconds = time.perf_counter() - begin
    return seconds * schedules / max(1, statistics.executions), figures | {"ran": statistics.executions}


def _versions(name: str) -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return {name: version(name)}
    except PackageNotFoundError:
        return {}


_CHILD = """
import sys, threading
from benchmarks.explorers import _module
bug, kind, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.setswitchinterval(1e-6)
errors = []
threading.excepthook = lambda args: errors.append(args.exc_value)
for number in range(runs):
    module = _module(bug, kind)
    try:
        if bug in {of_channels!r}:
            from concmodels import load
            threads = load("threads")
            threads.run(module.main, threads, deadlock_after=0.05)
        else:
            module.main()
    except BaseException as error:
        errors.append(error)
    print("failed" if errors else "held", flush=True)
    if errors:
        break
"""


def _real(bug: str, schedules: int) -> Took:
    """Run it on real threads, with the shortest switch interval; a run that hangs has failed too."""
    begin = time.perf_counter()
    runs = _runs_on_threads(bug, "broken", MOST)
    found_s = time.perf_counter() - begin
    begin = time.perf_counter()
    _runs_on_threads(bug, "fixed", schedules)
    seconds = time.perf_counter() - begin
    return seconds, {"first_failure": runs, "first_failure_s": found_s} if runs else {}


def _runs_on_threads(bug: str, kind: str, runs: int) -> int:
    """Return the number of the first run that fails or hangs; 0 if none does."""
    program = _CHILD.replace("{of_channels!r}", repr(set(OF_CHANNELS)))
    child = subprocess.Popen([sys.executable, "-c", program, bug, kind, str(runs)], stdout=subprocess.PIPE, text=True)
    seen: list[str] = []
    assert child.stdout is not None
    reader = threading.Thread(target=lambda: [seen.append(line) for line in child.stdout], daemon=True)  # type: ignore[arg-type]
    last, since = -1, time.monotonic()
    reader.start()
    while reader.is_alive() and time.monotonic() - since < HANGS_S:
        reader.join(0.02)
        if len(seen) != last:
            last, since = len(seen), time.monotonic()
    hangs = child.poll() is None and reader.is_alive()
    child.kill()
    child.wait()
    reader.join()
    child.stdout.close()
    if "failed\n" in seen:
        return seen.index("failed\n") + 1
    return len(seen) + 1 if hangs else 0


TOOLS: dict[str, Callable[[str, int], Took]] = {
    "explore": _ours("anywhere"),
    "explore, gil": _ours("gil"),
    "interleave-test": _interleave,
    "frontrun": _frontrun,
    "ploom": _ploom,
    "real threads": _real,
}
