"""What the tests of the models with memory boundaries (processes and subinterpreters) are made of: models, and
functions for tasks.
"""

import math
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import interruptible
import pytest

from concmodels.errors import TaskCancelled
from concmodels.models import processes, subinterp

PIPE, QUEUE = subinterp.variant("pipe"), subinterp.variant("queue")
FORK, SPAWN = processes.variant("fork"), processes.variant("spawn")
BOTH = [pytest.param(processes, id="processes"), pytest.param(subinterp, id="subinterp")]
ALL = [
    *BOTH,
    pytest.param(FORK, id="fork"),
    pytest.param(SPAWN, id="spawn"),
    pytest.param(PIPE, id="pipe"),
    pytest.param(QUEUE, id="queue"),
]


def _all(*, thorough):
    """ALL, but these variants only with `--thorough`."""
    return [pytest.param(*it.values, id=it.id, marks=pytest.mark.thorough if it.id in thorough else ()) for it in ALL]


EACH_CARRIER = _all(thorough=("fork", "spawn"))
"""For what is about messages: these two differ from processes only in how a process starts."""
EACH_START = _all(thorough=("pipe", "queue"))
"""For what is about tasks: these two differ from subinterp only in what carries messages."""


def in_turn(models, settings):
    """As parameters: each model with every second setting, each setting on every second model; the rest is thorough.

    The code that a setting changes is common to these models. See `kinds`.
    """
    return [
        pytest.param(model, setting, marks=pytest.mark.thorough if (place + number) % 2 else ())
        for place, model in enumerate(models)
        for number, setting in enumerate(settings)
    ]


HERE = str(Path(__file__).parent)


def echo(incoming, outgoing):
    for item in incoming:
        outgoing.send(item)
    outgoing.close()


def wait_for_ever(model, ready=None):
    if ready is not None:
        ready.send(os.getpid())
    model.sleep(3600)


def receive_for_ever(channel):
    channel.receive()


def compute_for_ever(ready=None):
    if ready is not None:
        ready.send(os.getpid())
    while True:
        pass


def stream_for_ever(model, channel, ready):
    ready.send(1)
    mine = model.Channel(8)
    while True:
        mine.send(1)
        mine.receive()


class OwnError(Exception):
    def __init__(self, number):
        super().__init__(number)
        self.number = number


class Stubborn(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


class Poisoned:
    def __reduce__(self):
        return int, ("this is no number",)


def fail(error):
    raise error


def raise_own(number):
    raise OwnError(number)


def raise_stubborn():
    raise Stubborn(1, 2)


def exit_with(status):
    raise SystemExit(status)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def leave_without_a_word():
    os._exit(7)


def lambda_result():
    return lambda: 1


def close_stdout():
    os.close(1)
    sys.stdout = None
    return "done"


def modules():
    return sorted(sys.modules)


def identity(value):
    return value


def spawn_below(model, depth, channel):
    if depth == 0:
        channel.send(os.getpid())
        return 1
    with model.TaskGroup() as group:
        task = group.spawn(spawn_below, model, depth - 1, channel)
    return task.result() + 1


def send_channel(model, outgoing):
    made_here = model.Channel(math.inf, name="made in a child")
    made_here.send("first")
    outgoing.send(made_here)
    made_here.send("second")
    made_here.close()


def send_range(channel, start, stop):
    for number in range(start, stop):
        channel.send(number)


def count_into(incoming, outgoing):
    outgoing.send(list(incoming))


def swallow(model, ready):
    times = 0
    ready.send(None)
    try:
        while times < 3:
            try:
                model.sleep(60)
            except model.Cancelled:
                times += 1
    finally:
        ready.send_nowait(times)
    raise model.Cancelled


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
        assert fine.result(10) == {"a": [1]}
        assert fine.done()
        slow.cancel()
    assert fine.result() == {"a": [1]}
    with pytest.raises(TaskCancelled):
        slow.result()


def nest(model, ready):
    with model.TaskGroup() as group:
        group.spawn(wait_for_ever, model, ready, name="victim")
