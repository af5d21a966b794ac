"""Tests on an emulated ARM64 (`make test-arm64`): `python tests/emulated.py SECONDS`.

The programs run on every model; then each model is held to chapters of guarantees, each guarantee with one value of its
parameters. Each piece has a limit of its own: what has not ended by then is wrong. What is left when the seconds are
over is named, and not run. It is the last line that counts: how many were right, and which were not. The exit status is
1 if one was not, or none was right.

An emulator keeps the order of stores of the machine that it runs on: so this shows that the models run on ARM64, and
`tests/memory/weak` that its order of stores is enough for them.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHON = ROOT / ".python" / "arm64" / "python"

CHAPTERS = ("delivery", "closing", "cancellation", "same_turn", "pooling")
MODELS = (
    "subinterp",
    "processes",
    "threads",
    "greenlet",
    "asyncio",
    "trio",
    "gevent",
    "eventlet",
    "anyio",
    "rawthreads",
)

PROGRAMS = (
    ("concmodels.ring", "10", "100", "--model", "threads"),
    ("concmodels.channel", "100", "--model", "threads"),
    ("concmodels.ring", "10", "100", "--model", "asyncio"),
    ("concmodels.ring", "2", "20", "--model", "subinterp"),
    ("concmodels.ring", "2", "20", "--model", "processes"),
    ("concmodels.pool", "1", "--work", "nothing", "--model", "subinterp"),
)
"""Small ones, the cheap ones first: to start an interpreter or a process takes seconds of CPU there."""

NOT_EMULATED = {
    "memory/test_platform.py::test_pages_are_given_back_with_and_without_a_map": (
        "the emulator (qemu 7.2) keeps pages that are given back"
    ),
    "models/test_dask.py": "distributed needs compiled packages that aren't fetched for it",
}
"""Tests that can't run there, with the reason. What isn't listed is left out because it takes too long."""

PROGRAM_S, GUARANTEES_S = 40, 240
"""So long each may take. The programs took about 8 to 15 seconds of CPU: on a machine that does nothing else, only one
that hangs is stopped.
"""


def pieces():
    """What there is to run: a name, the arguments of the emulated Python, and the seconds that it may take."""
    for program in PROGRAMS:
        yield " ".join(program), ("-m", *program), PROGRAM_S
    for chapter in CHAPTERS:
        for model in MODELS:
            yield f"{model}-{chapter}", ("tests/memory/holds.py", "fewest", f"{model}-{chapter}"), GUARANTEES_S


def main(seconds):
    end, right, wrong, left = time.monotonic() + seconds, 0, [], []
    for name, arguments, longest in pieces():
        rest = end - time.monotonic()
        if rest <= 0:
            left.append(name)
            continue
        how = run(arguments, min(rest, longest))
        print(f"{name}: {how}", flush=True)
        if how == "right":
            right += 1
        elif how == "not ended" and rest < longest:  # it was the time of all that was over
            left.append(name)
        else:
            wrong.append(name)
    if left:
        print(f"not run, because the time was over: {', '.join(left)}")
    print(f"ARM64, emulated: {right} right, {len(wrong)} wrong{': ' + ', '.join(wrong) if wrong else ''}")
    return 1 if wrong or not right else 0


def run(arguments, seconds):
    """Run one of them; return what came of it. What it has started ends with it."""
    process = subprocess.Popen(
        [PYTHON, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "not ended"
    if process.returncode == 0:
        return "right"
    print(out.decode(errors="replace")[-4000:])
    return f"exit status {process.returncode}"


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
