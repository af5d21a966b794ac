"""What the tests of the models with memory boundaries (processes and subinterpreters) are made of: models and programs.

The functions of their tasks are in `boundary_tasks.py`, because each child imports the file of its task.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import interruptible
import pytest
from boundary_tasks import identity, wait_for_ever

from concmodels.errors import TaskCancelled
from concmodels.models import processes, subinterp

FORK, SPAWN = processes.variant("fork"), processes.variant("spawn")
BOTH = [pytest.param(processes, id="processes"), pytest.param(subinterp, id="subinterp")]
ALL = [
    *BOTH,
    pytest.param(FORK, id="fork"),
    pytest.param(SPAWN, id="spawn"),
]


EACH_CARRIER = [
    pytest.param(*it.values, id=it.id, marks=pytest.mark.thorough if it.id in ("fork", "spawn") else ()) for it in ALL
]
"""For what is about messages: these two differ from processes only in how a process starts."""


def in_turn(models, settings):
    """As parameters: each model with every second setting, each setting on every second model; the rest is thorough.

    The code that a setting changes is common to these models. See `kinds`.
    """
    return [
        pytest.param(model, setting, marks=pytest.mark.thorough if (place + number) % 2 else ())
        for place, model in enumerate(models)
        for number, setting in enumerate(settings)
    ]


def carried_in_turn(settings):
    """As parameters: both models, with every second setting; the rest, and the two variants, are thorough."""
    both, variants = in_turn([processes, subinterp], settings), [FORK, SPAWN]
    return both + [pytest.param(it, setting, marks=pytest.mark.thorough) for it in variants for setting in settings]


HERE = str(Path(__file__).parent)


def run_in(model, main, *args):
    return model.run(main, model, *args)


def run_script(tmp_path, text, *, check=True):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(text))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    if check:
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
    return done


def _offspring(pid):
    """Return all processes below this one that are not servers of multiprocessing."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if b"resource_tracker" not in command and b"forkserver" not in command:
            found.append(child)
        found += _offspring(child) if Path(f"/proc/{child}").exists() else []
    return found


def offspring_of(pid):
    try:
        return _offspring(pid)
    except OSError:
        return []


def start_script(tmp_path, text):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(text))
    return interruptible.popen([sys.executable, str(script)])


def gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def one_task():
    with processes.TaskGroup() as group:
        group.spawn(os.getpid)


def main_result(model):
    with model.TaskGroup() as group:
        slow = group.spawn(wait_for_ever, model)
        with pytest.raises(TimeoutError):
            slow.result(0.05)
        fine = group.spawn(identity, {"a": [1]})
        assert fine.result(50) == {"a": [1]}
        assert fine.done()
        slow.cancel()
    assert fine.result() == {"a": [1]}
    with pytest.raises(TaskCancelled):
        slow.result()
