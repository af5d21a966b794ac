"""A program that presses its own Ctrl-C in run after run.

    python -m endurance.interrupted MODEL WHAT RUNS [SWITCH [SIGNAL]]

WHAT is `loops` (the main task in the middle of a channel loop) or a way to wait. SIGNAL is SIGINT, or one of those that
end a run as Ctrl-C does: SIGTERM, SIGHUP. The last line of its output is JSON.
"""

import faulthandler
import itertools
import json
import math
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from undisturbed import undisturbed

from concmodels import catalog
from concmodels.errors import Terminated
from endurance import loops, plain
from endurance.books import Book

TESTS = str(Path(__file__).parent.parent)
KINDS = ("main_exchanges", "main_consumes", "main_receives", "main_produces")
CAPACITIES = (0, 1, 64, math.inf)
HANGS_S = 50
"""A run that has not ended by then never will: the stacks of all threads are printed, and the program ends."""


PRESSER = """
import os, random, signal, sys, time
sys.path[:0] = {tests!r}, {tests!r} + "/.."
from undisturbed import undisturbed
parent, longest = os.getppid(), {longest}
while os.read(0, 1):
    time.sleep(random.uniform(0, longest))
    os.write(1, b"%.9f\\n" % undisturbed())
    os.kill(parent, {signum})
"""
"""A process of its own: a thread would strike only where the others let go of the GIL, which is always the same."""


class Presser:
    """Presses Ctrl-C a random time after it is asked to. Asked through a pipe: one call, no lock."""

    def __init__(self, longest, signum):
        program = PRESSER.format(tests=TESTS, longest=longest, signum=int(signum))
        command = [sys.executable, "-I", "-S", "-c", program]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def press(self):
        """Press soon."""
        os.write(self._process.stdin.fileno(), b"!")

    def pressed(self):
        """When it pressed, by the clock of `undisturbed`; asked once after each."""
        return float(self._process.stdout.readline())

    def stop(self):
        """No more."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


class Program:
    """The runs of one model."""

    def __init__(self, name, longest, signum=signal.SIGINT):
        self.name, self.verbs = name, catalog.load(name)
        self.texts = loops if catalog.facts(name).is_async else plain
        self.presser = Presser(longest, signum)
        self.raised = KeyboardInterrupt if signum == signal.SIGINT else Terminated
        self.late = []
        self.seen = Counter()
        self.before = (math.inf,) * 3
        self.interrupt(self.texts.main_waits, "sleep")  # what a library opens at first use and keeps
        time.sleep(0.1)  # the interrupt's own thread ends in a moment
        self.before = present()

    @staticmethod
    def _watch():
        faulthandler.dump_traceback_later(HANGS_S, exit=True)

    def interrupt(self, main, *args):
        """Run this main task, interrupted; the bare interrupt must come out, and everything must be gone."""
        self._watch()
        try:
            self.verbs.run(main, self.verbs, *args, self.presser.press)
        except (KeyboardInterrupt, Terminated) as error:
            self.late.append(undisturbed() - self.presser.pressed())
            assert type(error) is self.raised
        else:
            raise AssertionError("the run went on to its end")
        until = undisturbed() + 2
        while (left := self._left()) and undisturbed() < until:
            time.sleep(0.0005)
        assert not left, f"(threads, descriptors, children) before: {self.before}, after: {left}"

    def _left(self):
        now = present()
        return now if any(more > before for more, before in zip(now, self.before, strict=True)) else None

    def loop(self, kind, capacity):
        """One interrupted channel loop, and what it has left."""
        book = Book(self.verbs, kind, capacity)
        try:
            self.interrupt(getattr(self.texts, kind), book)
            self.seen["lost in flight"] += book.balance()
            self.seen["in own code"] += book.main.in_its_own_code or book.others.in_its_own_code
            self.seen["hand-overs"] += book.main.sent + book.others.sent
            self.verbs.run(self.texts.use_again, self.verbs, book.channels)
            assert not any(map(len, book.channels))
        except BaseException as error:
            error.add_note(f"{kind}, capacity {capacity}, {self.seen}")
            raise


def present():
    """The numbers of threads, of descriptors, and of processes below this one."""
    with open("/proc/thread-self/children") as file:
        children = file.read().split()
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), len(children)


def main(name, what, runs, switch="0", signum="SIGINT"):
    """Do it, and print what was seen."""
    if float(switch):
        sys.setswitchinterval(float(switch))
    boundary = catalog.facts(name).family == "boundary"
    program, began = Program(name, 0.1 if boundary else 0.005, signal.Signals[signum]), time.monotonic()
    ways = itertools.cycle(itertools.product(KINDS, CAPACITIES))
    for _ in range(int(runs)):
        if what == "loops":
            program.loop(*next(ways))
        else:
            program.interrupt(program.texts.main_waits, what)
    program.presser.stop()
    late = sorted(program.late)
    took = round(time.monotonic() - began, 1)
    print(json.dumps({"runs": len(late), "seconds": took, "latest": late[-1], "late": late, **program.seen}))


if __name__ == "__main__":
    main(*sys.argv[1:])
