"""Ctrl-C, and once more while the run waits for a task that nobody can stop: it names the task and leaves with 130."""

import signal
import sys
import time
from pathlib import Path

import pytest
from interruptible import popen

PROGRAM = """
import sys
from concmodels import load


def compute(ready):
    ready.send(1)
    while True:
        pass


def in_a_group(room):
    ready = room.Channel(1)
    with room.TaskGroup() as group:
        group.spawn(compute, ready, name="stubborn")
        tell(ready)
        room.sleep(3600)


def in_a_pool(room):
    ready = room.Channel(1)
    with room.Pool(1) as pool:
        call = pool.submit(compute, ready)
        tell(ready)
        call.result()


def tell(ready):
    ready.receive()
    print("ready", flush=True)


if __name__ == "__main__":
    room = load(sys.argv[1])
    room.run(globals()[sys.argv[2]], room)
"""

STUBBORN = ["threads", "rawthreads", "subinterp"]


@pytest.mark.parametrize("where", ["in_a_group", "in_a_pool"])
@pytest.mark.parametrize("name", STUBBORN)
def test_the_second_one_gives_up(tmp_path, name, where):
    file = tmp_path / "stubborn.py"
    file.write_text(PROGRAM)
    root = str(Path(__file__).parent.parent)
    with popen([sys.executable, file, name, where], env={"PYTHONPATH": root}, cwd=tmp_path) as program:
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGINT)
        time.sleep(1)  # it waits for the task now
        assert program.poll() is None
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=20)
    assert program.returncode == 130
    assert "interrupted again during the clean-up; still running: " in err
    assert ("stubborn" if where == "in_a_group" else "worker") in err
