"""Programs that are run while the site is built, once for each content of the code that they run on.

Those that a page shows are started when it is read, several side by side, and waited for when all pages have been read.
A program that shows what it measures is run after the others, alone.
"""

import atexit
import functools
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import asdict, dataclass
from multiprocessing.pool import AsyncResult, ThreadPool
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.display import status_iterator

from concdocs.places import ROOT, Mistake
from concmodels.platform import sessions

CACHE = ROOT / "build" / "docs-outputs"
PROGRAMS = ROOT / "build" / "docs-programs"
"""Programs that the build writes, for each model in a folder of its name."""
PROGRAM = re.compile(rf"{re.escape(str(PROGRAMS.relative_to(ROOT)))}/[^/]*/")
IMPORTED = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
WIDTH = 88
"""Columns; what is wider scrolls inside its block on a phone."""
SECONDS = 60.0


@dataclass(frozen=True)
class Program:
    """A command line, run from the project's top folder, and how it is to end; `python` is the interpreter that builds
    the site."""

    command: str
    status: int = 0
    seconds: float = SECONDS
    """How long it may take."""


@dataclass(frozen=True)
class Run:
    """A run of a program: what it printed, and how it ended."""

    output: str
    """What is on both streams, in the order in which it was written."""
    status: int
    complained: bool
    """Whether any of that was on standard error."""


_results: dict[Program, AsyncResult[Run]] = {}
_alone: dict[Program, None] = {}
_processes: set[subprocess.Popen[str]] = set()


def start(program: Program, *, alone: bool = False) -> None:
    """Have this program run beside the build, or with `alone` after the others. What it printed when it last ended as
    wanted is remembered, and it is not run again."""
    if alone:
        _alone[program] = None
    elif program not in _results:
        _results[program] = _pool().apply_async(_remembered, (program,))


def printed(program: Program) -> str:
    """The output of the program, once it has ended. Raises `Mistake` when it took too long or ended otherwise than
    wanted."""
    start(program)
    run = _results[program].get()
    if run.status != program.status:
        raise Mistake(f"`{program.command}` ended with status {run.status} instead of {program.status}:\n{run.output}")
    return run.output


def wait_for_all(*_: object) -> None:
    """For `env-updated`: wait for the programs that have been started, then run those that measure, one by one."""
    steps = [*((it, False) for it in _results), *((it, True) for it in _alone)]
    for program, alone in status_iterator(steps, "running programs... ", length=len(steps), stringify_func=_command):
        if alone:
            start(program)
        _results[program].wait()


def _command(step: tuple[Program, bool]) -> str:
    return step[0].command


@functools.cache
def _pool() -> ThreadPool:
    """One thread for each processor and one more, since many programs wait; Ctrl-C does not wait for any."""
    return ThreadPool((os.process_cpu_count() or 1) + 1)


def earlier_run(command: str) -> Run | None:
    """The run of this command when the site was last built, if nothing that it runs on has changed since. The site's
    tests ask for it, so that they need not run a program again."""
    file = _file(command)
    return Run(**json.loads(file.read_text())) if file.exists() else None


def _file(command: str) -> Path:
    return CACHE / f"{_key(command)}.json"


def _remembered(program: Program) -> Run:
    if (run := earlier_run(program.command)) is not None and run.status == program.status:
        return run
    run = _run(program)
    if run.status == program.status:  # anything else may be a moment's: it is tried again
        file = _file(program.command)
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps(asdict(run)))
        new.replace(file)
    return run


def _run(program: Program) -> Run:
    """Two pipes tell whether it complains, but not when: what is to end well and complains is run again, with one."""
    if program.status != 0:
        return Run(*_run_to_end(program, subprocess.STDOUT), complained=True)
    with tempfile.TemporaryFile() as errors:
        run = _run_to_end(program, errors.fileno())
        errors.seek(0)
        complaint = errors.read().decode(errors="replace")
    if run[1] != 0:
        return Run(f"{run[0]}\n{_cleaned(complaint)}", run[1], complained=True)
    return Run(*(_run_to_end(program, subprocess.STDOUT) if complaint else run), complained=bool(complaint))


def _run_to_end(program: Program, stderr: int) -> tuple[str, int]:
    """Run it to its end; return what it printed, and its exit status. It gets a process group of its own, so that what
    hangs goes with all its children."""
    words = shlex.split(program.command)
    if words[:1] == ["python"]:
        words[0] = sys.executable
    process = subprocess.Popen(
        words, cwd=ROOT, env=_environment(), text=True, encoding="utf-8", errors="replace", start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
    )  # fmt: skip
    _processes.add(process)
    try:
        output, _ = process.communicate(timeout=program.seconds)
    except subprocess.TimeoutExpired:
        sessions.kill(process)
        process.communicate()
        raise Mistake(
            f"`{program.command}` takes longer than {program.seconds:g} seconds; `:seconds:` allows more"
        ) from None
    finally:
        _processes.discard(process)
    return _cleaned(output), process.returncode


@atexit.register
def _end_all() -> None:
    """End the programs that still run when the build is given up."""
    if _results:
        _pool().terminate()
    for process in list(_processes):
        sessions.kill(process)


def _cleaned(output: str) -> str:
    """The same from every checkout."""
    return PROGRAM.sub("", output.replace(f"{ROOT}/", "")).replace(sys.executable, "python").rstrip()


def _environment() -> dict[str, str]:
    """No colours, and the width that the pages have room for."""
    plain = {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "PYTHON_COLORS": "0", "TERM": "dumb", "PYTHONPATH": str(ROOT)}
    dropped = ("FORCE_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONSTARTUP")
    return {name: value for name, value in os.environ.items() if name not in dropped} | plain


def _key(command: str) -> str:
    """Changes with the command, the interpreter, what is installed, the package, and the project's files that the
    command names or that these import from beside them."""
    words = shlex.split(command)
    digest = hashlib.sha256(f"{shlex.join(words)}\n{sys.version}\n{_installed()}\n{_package()}".encode())
    for word in words:
        if (ROOT / word).is_file():
            for path in _with_imported(ROOT / word):
                digest.update(path.read_bytes())
        elif word.partition(".")[0] == "benchmarks":
            digest.update(_content(ROOT / "benchmarks").encode())
    return digest.hexdigest()[:32]


def _with_imported(file: Path) -> list[Path]:
    names = IMPORTED.findall(file.read_text(errors="replace")) if file.suffix == ".py" else []
    beside = [file.with_name(f"{name}.py") for name in dict.fromkeys(names)]
    return [file, *(path for path in beside if path.is_file())]


@functools.cache
def _installed() -> str:
    """The names and versions of all installed packages."""
    folder = Path(sysconfig.get_path("purelib"))
    return " ".join(sorted(path.stem for path in folder.glob("*.dist-info")))


@functools.cache
def _package() -> str:
    return _content(ROOT / "concmodels")


def _content(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def listen_to_ctrl_c(app: Sphinx) -> None:
    """For `builder-inited`: a build in the background ignores Ctrl-C, and so would the programs that it starts."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", listen_to_ctrl_c)
    app.connect("env-updated", wait_for_all)
