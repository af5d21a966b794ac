"""Programs that are run while the site is built, once for each content of the code that they run on."""

import functools
import hashlib
import json
import os
import shlex
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from concdocs.places import ROOT, Mistake

CACHE = ROOT / "build" / "docs-outputs"
WIDTH = 88
"""Columns; what is wider scrolls inside its block on a phone."""


@dataclass(frozen=True)
class Run:
    """What a program printed, and how it ended."""

    output: str
    status: int


def run(command: str, seconds: float, status: int = 0) -> Run:
    """Run this command line from the project's top folder, or remember what it printed when it ended as wanted.

    `python` is the interpreter that builds the site. Raises `Mistake` when it takes longer than so many seconds.
    """
    kept = CACHE / f"{_key(command)}.json"
    if kept.exists():
        return Run(**json.loads(kept.read_text()))
    done = _started(command, seconds)
    if done.status == status:  # anything else may be a moment's: it is tried again
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(asdict(done)))
    return done


def _started(command: str, seconds: float) -> Run:
    """A process group of its own, so that what hangs goes with all its children."""
    words = shlex.split(command)
    if words[:1] == ["python"]:
        words[0] = sys.executable
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a build in the background ignores Ctrl-C,
    try:
        process = subprocess.Popen(
            words, cwd=ROOT, env=_environment(), text=True, encoding="utf-8", errors="replace", start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    finally:
        signal.signal(signal.SIGINT, before)  # and its programs would, too
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        raise Mistake(f"`{command}` takes longer than {seconds:g} seconds; `:seconds:` allows more") from None
    return Run(_cleaned(output), process.returncode)


def _cleaned(output: str) -> str:
    """The same from every checkout."""
    return output.replace(f"{ROOT}/", "").replace(sys.executable, "python").rstrip()


def _environment() -> dict[str, str]:
    """No colours, and the width that the pages have room for."""
    plain = {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "PYTHON_COLORS": "0", "TERM": "dumb", "PYTHONPATH": str(ROOT)}
    dropped = ("FORCE_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONSTARTUP")
    return {name: value for name, value in os.environ.items() if name not in dropped} | plain


def _key(command: str) -> str:
    """Changes with the command, the interpreter, the package, and the project's files that the command names."""
    digest = hashlib.sha256(f"{command}\n{sys.version}\n{_package()}".encode())
    for word in shlex.split(command):
        if (ROOT / word).is_file():
            digest.update((ROOT / word).read_bytes())
        elif word.partition(".")[0] == "benchmarks":
            digest.update(_content(ROOT / "benchmarks").encode())
    return digest.hexdigest()[:32]


@functools.cache
def _package() -> str:
    return _content(ROOT / "concmodels")


def _content(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()
