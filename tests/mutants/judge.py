"""Judges the guarantees by the mutants: which of them kill which.

A mutant is killed by a guarantee that it does not keep, or in which it hangs or crashes. A kill counts only if the
model without the defect keeps that very guarantee, in a process started just like the mutant's: so neither a slow
machine nor a broken set-up kills anything.
"""

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from matrix import few_rounds, is_for

from concmodels import catalog
from concmodels.conformance.suite import guarantees
from mutants.chosen import VARIABLE
from mutants.held import READY

TESTS = Path(__file__).parents[1]

START_S = 30
"""Seconds that a process may take to begin."""

HANG_S = 8
"""Seconds that a guarantee may take: a mutant that takes longer hangs."""

ROUNDS = None
"""Stands for as many rounds as `make test` gives a guarantee that tries what goes wrong only sometimes; 0 for all."""

HANGS = 10
"""So many hangs are enough: of a mutant that hangs this often the rest is not tried."""


def whole(model):
    """Every guarantee that the model of this name gives."""
    facts = catalog.facts(model)
    return [it for it in guarantees() if it.by(facts)]


def reduced(model):
    """The guarantees that `make test` holds the model of this name to."""
    return [it for it in whole(model) if is_for(model, it, thorough=False)]


def of_chapters(mutant, suite):
    """Those of a suite that stand in the chapters that should find this mutant."""
    chapters = {name.partition(".")[0] for name in mutant.first}
    return [it for it in suite if it.chapter in chapters]


class Hang(Exception):
    """No answer came in time."""


class Held:
    """A model in a process of its own, spoiled or not."""

    def __init__(self, model, mutant=None, rounds=0):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        rounds = few_rounds(catalog.facts(model)) if rounds is ROUNDS else rounds
        here = {"TMPDIR": self._folder.name, "PYTHONPATH": os.pathsep.join(paths), VARIABLE: mutant or ""}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mutants.held", model, str(rounds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | here,
            start_new_session=True,
            text=True,
            bufsize=1,
        )
        try:
            said = self._answer(START_S)
            if said != READY:
                raise RuntimeError(f"{mutant} of {model} {said}")
        except BaseException:
            self.end()
            raise

    def reason(self, guarantee):
        """Why the guarantee is not kept; empty if it is. Raises `Hang`; EOFError for a crash."""
        self._process.stdin.write(f"{guarantee}\n")
        return self._answer(HANG_S)

    def _answer(self, seconds):
        if not select.select([self._process.stdout], [], [], seconds)[0]:
            raise Hang
        line = self._process.stdout.readline()
        if not line:
            raise EOFError
        return line.strip()

    def end(self):
        """End the process, and all that it has started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._folder.cleanup()


class Holder:
    """Holds a mutant to one guarantee after the other, in a new process where one has hung or crashed."""

    def __init__(self, model, mutant=None, rounds=0):
        self._how = model, mutant, rounds
        self._held = None
        self.hangs = 0

    def reason(self, guarantee):
        """Why the guarantee is not kept; empty if it is."""
        try:
            if self._held is None:
                self._held = Held(*self._how)
            return self._held.reason(guarantee)
        except Hang:
            self.hangs += 1
            self.end()
            return "hangs"
        except EOFError, BrokenPipeError:
            self.end()
            return "crashes"

    def end(self):
        """End the process, if there is one."""
        if self._held is not None:
            self._held.end()
            self._held = None


class Healthy:
    """What the models without defects keep; each is asked for each guarantee once."""

    def __init__(self, rounds=0):
        self._rounds = rounds
        self._lock = threading.Lock()
        self._known = {}
        self._holders = {}

    def keeps(self, model, guarantee):
        """Whether the model without the defect keeps the guarantee."""
        with self._lock:
            if (model, str(guarantee)) not in self._known:
                if model not in self._holders:
                    self._holders[model] = Holder(model, None, self._rounds)
                self._known[model, str(guarantee)] = not self._holders[model].reason(guarantee)
            return self._known[model, str(guarantee)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for holder in self._holders.values():
            holder.end()


class Kill(NamedTuple):
    """A guarantee that a mutant does not keep."""

    guarantee: str
    reason: str
    seconds: float


class Verdict:
    """What has killed a mutant."""

    def __init__(self, mutant):
        self.mutant = mutant
        self.killers = []  # of type `Kill`
        self.disputed = []  # the same, where the model without the defect does not keep the guarantee either
        self.held = 0  # to so many guarantees
        self.is_complete = True

    @property
    def first(self):
        """What has killed it first; None if it lives."""
        return self.killers[0] if self.killers else None


def in_order(mutant, suite):
    """The guarantees of a suite; first those that should find this mutant, then the others of their chapters."""
    chapters = [name.partition(".")[0] for name in mutant.first]

    def place(guarantee):
        if guarantee.full_name in mutant.first:
            return 0, mutant.first.index(guarantee.full_name)
        if guarantee.chapter in chapters:
            return 1, chapters.index(guarantee.chapter)
        return 2, 0

    return sorted(suite, key=place)


def judge(mutant, suite, healthy, *, rounds=0, to_the_end=False):
    """Hold a mutant to the guarantees of a suite, until one kills it, or to the end."""
    verdict, holder = Verdict(mutant), Holder(mutant.model, repr(mutant), rounds)
    try:
        for guarantee in in_order(mutant, suite):
            verdict.held += 1
            began = time.monotonic()
            reason, took = holder.reason(guarantee), time.monotonic() - began
            if reason:
                is_kept = healthy.keeps(mutant.model, guarantee)
                (verdict.killers if is_kept else verdict.disputed).append(Kill(str(guarantee), reason, took))
            if verdict.killers and not to_the_end:
                break
            if holder.hangs >= HANGS:
                verdict.is_complete = False
                break
    finally:
        holder.end()
    return verdict


def judge_all(found, suite_of, *, rounds=0, to_the_end=False, only_chapters=False, workers=None):
    """Judge several mutants at a time; yields the verdicts in their order."""
    suites = {model: suite_of(model) for model in {it.model for it in found}}
    with Healthy(rounds) as healthy, ThreadPoolExecutor(workers or os.process_cpu_count()) as pool:

        def one(mutant):
            suite = suites[mutant.model]
            suite = of_chapters(mutant, suite) if only_chapters else suite
            return judge(mutant, suite, healthy, rounds=rounds, to_the_end=to_the_end)

        yield from pool.map(one, found)
