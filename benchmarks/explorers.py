"""Searches for the schedule that breaks a program, side by side: ours, other explorers, and real threads.

    measured(tool, bug, schedules) -> seconds of CPU time, and figures

Each tool looks for the first failing schedule of the broken twin of a bug of `examples/races`, within `MOST` schedules
and `LONGEST_S`. Then it runs the *fixed* twin on so many schedules: that is timed, as CPU time of this process and its
children, because schedules are run one after the other; an explorer that tries all of them may need fewer.

    first_failure     its number; missing if none of them failed
    first_failure_s   the seconds until then, on the wall, starting and telling included
    tried             how many schedules of the broken twin were run, if none failed
    no_verdict        1 if the explorer says itself that it can't say anything of the broken twin
    complete          1 if the explorer says that the fixed twin holds in all schedules, under no bound

The programs are the same files for all that run unmodified programs. `frontrun` takes a setup, workers and an
invariant, which are made of the same files; ploom takes programs in types of its own (`ploom_programs.py`). Each tool
is told nothing that its documentation does not say, and its strategies are candidates of their own.
"""

import contextlib
import importlib.util
import json
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from benchmarks.cell import NotHere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType
    from typing import Any

    type Took = tuple[float, dict[str, Any]]

RACES = Path(__file__).parent.parent / "examples" / "races"
BUGS = sorted(path.name.removesuffix("_broken.py") for path in RACES.glob("*_broken.py"))
OF_CHANNELS = frozenset({"forgotten_cancel", "select_starvation"})
MOST = 1000
"""The most schedules that are run to find a failure."""
LONGEST_S = 20.0
"""The longest that a tool may take for one program."""
HANGS_S = 1.0
"""Real threads that have come no further for so long are in a deadlock."""


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


def _cpu_s() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@contextlib.contextmanager
def _no_longer(tool: str) -> Iterator[None]:
    """Raise `NotHere` after `LONGEST_S`."""

    def strike(*_: object) -> None:
        raise NotHere(f"{tool} took more than {LONGEST_S:g} s for one program")

    old = signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def _ours(switches: str) -> Callable[[str, int], Took]:
    def measured(bug: str, schedules: int) -> Took:
        from concmodels.explore import explore

        begin = time.perf_counter()
        broken = explore(_path(bug, "broken"), switches=switches, schedules=MOST, seconds=LONGEST_S)  # type: ignore[arg-type]
        found_s = time.perf_counter() - begin
        fixed = explore(_path(bug, "fixed"), switches=switches, schedules=10**6, seconds=LONGEST_S)  # type: ignore[arg-type]
        begin = _cpu_s()
        sample = explore(
            _path(bug, "fixed"),
            switches=switches,
            search="random",
            schedules=schedules,
            seconds=LONGEST_S,  # type: ignore[arg-type]
        )
        seconds = _cpu_s() - begin
        figures = {"complete": float(fixed.verdict == "held in all"), "complete_s": fixed.seconds}
        figures |= {"schedules_in_all": fixed.in_all} if fixed.in_all is not None else {}
        failure = broken.failure
        return seconds * schedules / sample.schedules, figures | _found(
            failure and failure.number, found_s, broken.schedules
        )

    return measured


def _found(number: int | None, seconds: float, tried: int) -> dict[str, Any]:
    """Return the figures of a search for the first failure."""
    return {"tried": tried} if number is None else {"first_failure": number, "first_failure_s": seconds}


def _interleave(strategy: str) -> Callable[[str, int], Took]:
    def measured(bug: str, schedules: int) -> Took:
        try:
            import interleave_test
        except ImportError as error:
            raise NotHere(f"interleave-test can't be imported: {error}") from None

        def runs(kind: str, number: int) -> Any:
            def program() -> None:
                module = _module(bug, kind)
                named = {"current_thread": lambda: SimpleNamespace(name="a thread")}  # its own threads have none
                module.threading = SimpleNamespace(**(vars(threading) | named))  # type: ignore[attr-defined]
                module.main()

            with _no_longer("interleave-test"):
                return interleave_test.explore(
                    program, iterations=number, seed=0, strategy=strategy, timeout=10.0, raise_on_failure=False
                )

        begin = time.perf_counter()
        broken = runs("broken", MOST)
        found_s = time.perf_counter() - begin
        begin = _cpu_s()
        fixed = runs("fixed", schedules)
        seconds = _cpu_s() - begin
        if fixed.failure is not None:
            raise NotHere(f"interleave-test calls the fixed program broken: {_last_line(fixed.failure.traceback)}")
        number = None if broken.failure is None else broken.schedules_run
        figures = {"versions": _versions("interleave-test"), "ran": fixed.schedules_run, "complete": 0.0}
        return seconds * schedules / fixed.schedules_run, figures | _found(number, found_s, broken.schedules_run)

    return measured


def _last_line(text: str | None) -> str:
    return ((text or "").strip().splitlines() or ["for no reason that it tells"])[-1][:200]


def _frontrun(strategy: str) -> Callable[[str, int], Took]:
    def measured(bug: str, schedules: int) -> Took:
        if importlib.util.find_spec("frontrun") is None:
            raise NotHere("frontrun can't be imported")
        begin = time.perf_counter()
        broken = _under_frontrun(bug, "broken", strategy, MOST)
        found_s = time.perf_counter() - begin
        fixed = _under_frontrun(bug, "fixed", strategy, schedules)
        if fixed["holds"] is False:
            raise NotHere(f"frontrun calls the fixed program broken: {fixed['why']}")
        if not fixed["explored"]:
            raise NotHere(f"frontrun has no verdict: {fixed['why']}")
        number = broken["explored"] if broken["holds"] is False else None
        figures = {"versions": _versions("frontrun"), "ran": fixed["explored"], "complete": 0.0}
        return fixed["seconds"] * schedules / fixed["explored"], figures | _found(
            number, found_s, broken["explored"]
        ) | {"no_verdict": float(broken["holds"] is None)}

    return measured


_UNDER_FRONTRUN = """
import json, sys, frontrun
from benchmarks.explorers import LONGEST_S, _cpu_s, _module
from benchmarks.frontrun_parts import PARTS
bug, kind, strategy, number = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
most = {"max_executions": number} if strategy == "dpor" else {"max_attempts": number, "seed": 0}
begin = _cpu_s()
done = frontrun.explore(
    **PARTS[bug](lambda: _module(bug, kind)), strategy=strategy, reproduce_on_failure=0, total_timeout=LONGEST_S, **most
)
seconds = _cpu_s() - begin
why = str(getattr(done, "inconclusive_reason", "") or done.explanation or "")
print(json.dumps({"holds": done.property_holds, "explored": done.num_explored, "seconds": seconds, "why": why[:200]}))
"""


def _under_frontrun(bug: str, kind: str, strategy: str, number: int) -> dict[str, Any]:
    """Explore one program in a process of frontrun's, which it insists on."""
    command = [
        sys.executable,
        "-m",
        "frontrun.cli",
        sys.executable,
        "-c",
        _UNDER_FRONTRUN,
        bug,
        kind,
        strategy,
        str(number),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S + 15)
    except subprocess.TimeoutExpired:
        raise NotHere(f"frontrun took more than {LONGEST_S:g} s for the {kind} program, and did not stop") from None
    if done.returncode:
        raise NotHere(f"frontrun failed at the {kind} program: {_last_line(done.stderr)}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _ploom(bug: str, schedules: int) -> Took:
    try:
        import ploom
    except ImportError as error:
        raise NotHere(f"ploom can't be imported: {error}") from None
    from benchmarks import ploom_programs

    program = getattr(ploom_programs, bug, None)
    if program is None:
        raise NotHere("ploom has no conditions, in which this program waits")

    def checked(fixed: bool, most: int) -> tuple[int | None, int, bool]:
        """Return the number of the failing schedule, how many were run, and whether these were all."""
        config = ploom.Config(max_executions=most, minimize_executions=0, timeout=LONGEST_S)
        with tempfile.TemporaryDirectory() as folder:
            try:
                scenario, folder_of_traces = partial(program, ploom, fixed), Path(folder)
                statistics = ploom.check(
                    scenario, config=config, trace_dir=folder_of_traces, on_failure=lambda *_: None
                )
            except (ploom.ModelCheckError, ploom.DeadlockError) as error:
                return error.statistics.executions, 0, False
            except ploom.IncompleteExplorationError as error:
                return None, error.statistics.executions, False
        return None, statistics.executions, True

    begin = time.perf_counter()
    number, tried, _ = checked(False, MOST)
    found_s = time.perf_counter() - begin
    begin = _cpu_s()
    wrong, ran, complete = checked(True, MOST)
    seconds = _cpu_s() - begin
    if wrong is not None:
        raise NotHere("ploom calls the fixed program broken")
    figures = {"versions": _versions("ploom"), "ran": ran, "complete": float(complete)}
    return seconds * schedules / max(1, ran), figures | _found(number, found_s, tried)


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
    begin = _cpu_s()
    _runs_on_threads(bug, "fixed", schedules)
    seconds = _cpu_s() - begin
    return seconds, _found(runs or None, found_s, MOST) | {"complete": 0.0}


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
    **{f"interleave-test {strategy}": _interleave(strategy) for strategy in ("random", "pct", "dfs")},
    **{f"frontrun {strategy}": _frontrun(strategy) for strategy in ("dpor", "random")},
    "ploom": _ploom,
    "real threads": _real,
}
