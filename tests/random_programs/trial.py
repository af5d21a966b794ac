"""A model, many programs, the verdict.

A failure prints the program, its history as a table, and how to run it again:

    cd tests; python -c "from random_programs.trial import *; hunt('threads', Program(...))"
"""

import sys
import time
from importlib import import_module
from math import inf

from concmodels import catalog

from .checker import explain, stands_still
from .history import table
from .program import FOR_EVER, LONG, SHORT, ZERO, Operation, Program, listing

__all__ = ["Operation", "Program", "Setting", "Unexplained", "hunt", "inf", "sample"]

BATCH = 25
"""Programs for one team: a run with four processes or interpreters is not started for a single program. Nor is it used
for all of them: some models keep what a channel has taken (descriptors) until the end of the run."""

TEAM = 4
"""Tasks of a team: as many as a program can have."""

PATIENCE = 40
"""Seconds that somebody who can go on may take to do so, on a machine that is busy with other things too."""

REPEATS = 20
"""How often a smaller program is tried while a failure is being reduced: a race does not show each time."""

REDUCING = 15
"""Seconds to look for a smaller program that fails too."""


class Unexplained(AssertionError):
    """No order of the calls explains what they returned; or somebody should go on and does not."""


class Setting:
    """Where a program is performed, and how fast things are there."""

    stands_still = staticmethod(stands_still)

    def __init__(self, name, model, facts, make=None, patience=PATIENCE, reducing=REDUCING):
        self.name, self.verbs, self.facts, self.patience = name, model, facts, patience
        self.reducing = reducing
        self.make = make or model.Channel
        self.boundary = facts.family == "boundary"
        self.quiet = max(2e-3 if self.boundary else 5e-4, 3 * facts.hop)
        self.timeouts = {FOR_EVER: None, LONG: 3600, SHORT: facts.hop, ZERO: 0}
        self.texts = import_module(f"{__package__}.{'awaited' if facts.is_async else 'plain'}")
        self.notes = ()

    @staticmethod
    def named(name):
        """That of a model in the catalog."""
        return Setting(name, catalog.load(name), catalog.facts(name))

    def play_alone(self, program):
        """Perform the program in a run of its own."""
        return self.verbs.run(self.texts.play_alone, program, self)

    def with_team(self, use):
        """Return `use(play)`: many programs in one run."""
        return self.verbs.run(self.texts.lead, self, TEAM, use)


class Jury:
    """Has programs performed, and judges their histories. `plays` says how many were."""

    def __init__(self, setting, play):
        self.setting, self.play = setting, play
        self.plays, self.failures, self.since = 0, {}, inf

    def __call__(self, program):
        """Raise `Unexplained` if the program fails, and again whenever it is asked about the same program."""
        times = REPEATS if self.failures and self.setting.facts.preemptive else 1
        while times and program not in self.failures and not self._is_late():
            times -= 1
            if failure := self._failure(program):
                self.failures[program] = failure
                self.since = min(self.since, time.monotonic())
        if program in self.failures:
            raise self.failures[program]

    def _is_late(self):
        """Whether there is no more time, or no more team, to try smaller programs."""
        return bool(self.failures) and (self.setting.boundary or time.monotonic() > self.since + self.setting.reducing)

    def _failure(self, program):
        self.plays += 1
        try:
            with hurried(self.plays % 2 == 0 and self.setting.facts.preemptive):
                notes, ended = self.play(program)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a failure, and the history explains it
            verdict = f"the model itself failed: {error!r}"
            failure = Unexplained(report(self.setting, program, verdict, self.setting.notes))
            failure.__cause__ = error
            return failure
        if not ended:
            return Unexplained(report(self.setting, program, "somebody could go on and does not", notes))
        if explain(program, notes) is None:
            return Unexplained(report(self.setting, program, "no order of the calls explains this", notes))
        return None


class hurried:
    """Within the block, threads are switched as often as possible."""

    def __init__(self, really):
        self.really = really

    def __enter__(self):
        self.before = sys.getswitchinterval()
        if self.really:
            sys.setswitchinterval(1e-6)

    def __exit__(self, *_):
        sys.setswitchinterval(self.before)


def report(setting, program, verdict, notes):
    """What a failure shows."""
    again = f"from random_programs.trial import *; hunt({setting.name!r}, {program!r})"
    return "\n\n".join([f"{setting.name}: {verdict}", listing(program), table(program, notes), f"Again: {again}"])


def sample(setting, count, number=None, with_sockets=False):
    """Try so many programs: always the same ones, or those of the seed `number`. Returns how many were performed.

    Programs with sockets are for the models of one process: a line is an object that their tasks share.
    """
    if not setting.boundary:
        return _try(Jury(setting, setting.play_alone), count, number, with_sockets)
    plays = 0
    for first in range(0, count, BATCH):
        batch = min(BATCH, count - first), None if number is None else number + first
        plays += setting.with_team(lambda play, batch=batch: _try(Jury(setting, play), *batch))
    return plays


def _try(jury, count, number, with_sockets=False):
    # Hypothesis takes a third of a second to import; most of the processes that import this try nothing.
    from hypothesis import HealthCheck, Phase, given, seed, settings

    from .strategies import CANCELLING, VERBS, programs, programs_with_sockets

    made = programs(VERBS if jury.setting.boundary else CANCELLING)

    @settings(
        phases=[Phase.generate, Phase.shrink] if jury.setting.reducing else [Phase.generate],
        max_examples=count,
        derandomize=number is None,
        deadline=None,  # the machine may be busy
        report_multiple_bugs=False,  # one failure is reported, the smallest
        database=None,  # a race that failed yesterday is no better candidate than any other program
        suppress_health_check=[HealthCheck.too_slow],  # the same: slow is the machine
    )
    @given(programs_with_sockets() if with_sockets else made)
    def check(program):
        jury(program)

    (check if number is None else seed(number)(check))()
    return jury.plays


def hunt(name, program, times=1000):
    """Perform one program so often, or until it fails: how a race is looked for. Raises `Unexplained`."""
    setting = Setting.named(name)
    if not setting.boundary:
        _repeat(Jury(setting, setting.play_alone), program, times)
        return
    for first in range(0, times, 3 * BATCH):
        turns = min(3 * BATCH, times - first)
        setting.with_team(lambda play, turns=turns: _repeat(Jury(setting, play), program, turns))


def _repeat(jury, program, times):
    for _ in range(times):
        jury(program)
