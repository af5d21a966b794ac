"""Searches all that a program can do on the simulated memory, or a sample of it."""

from itertools import count
from math import inf
from random import Random
from time import process_time

from weak_library import UNLOCKED, Library, installed, is_shared
from weak_machine import Again, Machine

from concmodels.explore.strategies.pos import POS
from concmodels.explore.strategies.sleep_sets import Redundant, SleepSets
from concmodels.models.simulated.schedules import RandomWalk
from concmodels.models.simulated.units import Units
from concmodels.models.simulated.world import explored


class Found(Exception):
    """A run that has failed."""


class Turns:
    """A strategy that lets threads run in given turns, each for a number of steps that is drawn or until it waits."""

    def __init__(self, seed, turns):
        self._random = Random(seed)
        self._turns = [[name, self._random.randint(1, most) if most else inf] for name, most in turns]

    def choose(self, steps):
        while self._turns:
            turn = self._turns[0]
            name, left = turn
            mine = [number for number, step in enumerate(steps) if step.runner.task.name.startswith(name)]
            if left and mine:
                turn[1] -= 1
                return mine[0]
            self._turns.pop(0)
        return 0

    def branch(self, n):
        return self._random.randrange(n)


class Main:
    name, waiter, runner = "main", None, None

    def run(self):
        raise NotImplementedError


class Result:
    """What a search has come to: how many runs it made, whether these were all, and the error that was found."""

    def __init__(self):
        self.runs, self.seconds, self.in_all, self.error, self.outcomes = 0, 0.0, False, None, set()

    def __repr__(self):
        how = "held in all" if self.in_all else "held so far" if self.error is None else f"failed: {self.error!r}"
        return f"{how}, {self.runs} schedules, {self.seconds:.1f} s CPU"


class Search:
    """The runs of one program, `program(library)`, which starts threads and may return a function for the end."""

    def __init__(
        self, program, most, most_sampled=0, shared=is_shared, unlocked=UNLOCKED.__contains__, turns=(), first=0
    ):
        self.program, self.most, self.most_sampled, self.turns = program, most, most_sampled, turns
        self.first = first  # of the samples, by its number
        self.shared, self.unlocked = shared, unlocked
        self.points = set()

    def result(self):
        found, began = Result(), process_time()
        units = Units()
        try:
            with installed() as self.here:
                if self.most:
                    self._search_all(units, found)
                if found.error is None and not found.in_all:
                    self._sample(units, found)
        finally:
            units.end()
        found.seconds = process_time() - began
        return found

    def _run(self, units, strategy):
        def body():
            machine = Machine(self.shared, self.points, self.unlocked)
            self.here[:] = [machine]
            look = self.program(Library(machine))
            machine.join()
            return look() if look else None

        return explored(Main(), body, strategy, units=units, limit=3000)

    def _search_all(self, units, found):
        strategy = SleepSets()
        while found.runs < self.most:
            strategy.begin()
            run = self._run(units, strategy)
            if isinstance(run.error, Again):
                strategy = SleepSets()
                continue
            if not isinstance(run.error, Redundant):
                found.runs += 1
                self._judge(run, found)
                if found.error is not None:
                    return
            if not strategy.end(run):
                found.in_all = True
                return

    def _sample(self, units, found):
        for number in count(self.first):
            if found.error is not None or number >= self.first + self.most_sampled:
                return
            run = self._run(units, self._sampling(number))
            if not isinstance(run.error, Again):
                found.runs += 1
                self._judge(run, found)

    def _sampling(self, number):
        if self.turns:
            return Turns(number, self.turns)
        return POS(number) if number % 2 else RandomWalk(number)

    @staticmethod
    def _judge(run, found):
        if run.error is not None:
            found.error = run.error
        else:
            found.outcomes.add(run.value)
