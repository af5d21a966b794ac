"""Tries every schedule of a small program in the simplest way: no two schedules are taken for the same."""

from concmodels import catalog
from concmodels.models.simulated import sim, sim_async

KINDS = {"sim": sim, "sim:async": sim_async}


class Odometer:
    """A strategy that makes other decisions on every run, until all have been made."""

    def __init__(self):
        self.digits = []
        self.bases = []
        self.at = 0

    def choose(self, steps):
        return self.branch(len(steps))

    def branch(self, n):
        if self.at == len(self.digits):
            self.digits.append(0)
            self.bases.append(n)
        assert self.bases[self.at] == n, "the program is not repeatable"
        self.at += 1
        return self.digits[self.at - 1]

    def advance(self):
        """Prepare for the next run. False: that was the last one."""
        while self.digits and self.digits[-1] == self.bases[-1] - 1:
            self.digits.pop()
            self.bases.pop()
        if self.digits:
            self.digits[-1] += 1
        self.at = 0
        return bool(self.digits)


def runs(program, *args, kind="sim", most=100_000):
    """Yield what comes of the program on each schedule."""
    model, odometer = KINDS[kind], Odometer()
    for _ in range(most):
        yield model.explored(program, (catalog.load(kind), *args), odometer)
        if not odometer.advance():
            return
    raise AssertionError(f"there are more than {most} schedules")


def outcomes(program, *args, **options):
    """The results of all schedules, as a set; of one that failed, the type of the error."""
    return {type(run.error) if run.error else run.value for run in runs(program, *args, **options)}
