"""Ctrl-C, and the group waits for a thread that only computes. The next Ctrl-C gives up, and says on whom."""

import signal
import subprocess
import sys
import time

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    ready = model.Channel(1)
    with model.TaskGroup() as group:
        group.spawn(compute, ready, name="stubborn")
        ready.receive()
        print("ready", flush=True)
        model.sleep(3600)


def compute(ready: Channel[str]) -> None:
    ready.send("I begin")
    end = time.monotonic() + 30
    while time.monotonic() < end:
        pass


def press() -> None:
    """Run this file as another process, and interrupt it twice a second until it has ended."""
    command = [sys.executable, __file__, "child"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout and child.stderr
        child.stdout.readline()
        while child.poll() is None:
            child.send_signal(signal.SIGINT)
            time.sleep(0.5)
        print(child.stderr.read().strip())
    print("exit status", child.returncode)


if __name__ == "__main__":
    if "child" in sys.argv:
        model = load("threads")
        model.run(main, model)
    else:
        press()
