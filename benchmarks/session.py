"""One call of `python -m benchmarks run`: what is measured, in which order, and what becomes of it.

Candidates that are compared run side by side: in every round each cell is gone through, each of its candidates in a
fresh process under each Python, and every round begins with another one. So the moods of the machine strike all alike.
"""

import io
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks import suites
from benchmarks.cell import Candidate
from benchmarks.child import Failed, measure
from benchmarks.interpreters import Interpreter, NotToBeHad, find
from benchmarks.machine import about_machine, about_run
from benchmarks.packages import Packages
from benchmarks.record import Record
from benchmarks.result import FIGURE, LeftOut
from benchmarks.rounds import ENOUGH
from benchmarks.web.usage import noted
from benchmarks.worker import CALIBRATE, function

ROUNDS = ENOUGH
QUICK_ROUNDS = 1


@dataclass(frozen=True)
class Turn:
    """One measurement: a candidate, under a Python, in a round."""

    number: int
    candidate: Candidate
    python: Interpreter

    @property
    def key(self) -> tuple[str, str]:
        """The identity of what is measured, the same in every round."""
        return self.candidate.path, self.python.tag

    @property
    def name(self) -> str:
        """The name of the turn, for messages."""
        return "@".join(self.key)


class Session:
    """Measures what the options ask for; the record has what came of it."""

    def __init__(self, options: Namespace, candidates: list[Candidate], command: str) -> None:
        self.quick: bool = options.quick
        self.rounds: int = options.rounds or (QUICK_ROUNDS if self.quick else ROUNDS)
        self._forced: bool = options.rounds is not None
        self.candidates = candidates
        self.pythons: list[Interpreter] = []
        about = {"command": command, "quick": self.quick, "machine": about_machine()}
        self.record = Record(options.output, **about, wanted=len(candidates), pythons={})
        self._find_pythons(options.pythons or [None])
        self._packages = {it.tag: Packages(it, not self.quick) for it in self.pythons}
        self._gone: set[tuple[str, str]] = set()
        self._loops: dict[tuple[str, str], int] = {}
        self.record.about["pythons"] = {it.tag: it.about() for it in self.pythons}

    def _find_pythons(self, asked: list[str | None]) -> None:
        """Find the Pythons that were asked for; one that is not available is a line in the report."""
        for name in asked:
            try:
                python = find(name)
            except NotToBeHad as reason:
                self.record.left_out.append(LeftOut("", "", "", str(name), False, str(reason)))
                continue
            if python.tag in [it.tag for it in self.pythons]:
                why = f"another Python is {python.tag} here already, and results are told apart by that"
                self.record.left_out.append(LeftOut("", "", "", str(name), False, why))
            else:
                self.pythons.append(python)

    def turns(self) -> Iterator[Turn]:
        """Return all measurements in their order."""
        cells = list(suites.by_cell(self.candidates).values())
        for number in range(1, max([self.rounds, *map(self._rounds_of, self.candidates)], default=0) + 1):
            for cell in cells:
                shift = (number - 1) % len(cell)
                for candidate in cell[shift:] + cell[:shift]:
                    if number <= self._rounds_of(candidate):
                        yield from (Turn(number, candidate, python) for python in self._pythons_of(candidate, number))

    def _pythons_of(self, candidate: Candidate, number: int) -> list[Interpreter]:
        """Return the Pythons in their order in a round: in every other round the last one comes first."""
        pythons = self.pythons[:1] if candidate.kind == "past" else self.pythons
        return pythons if number % 2 else pythons[::-1]

    def _rounds_of(self, candidate: Candidate) -> int:
        """Return the number of rounds: a candidate's own, unless the user has set it or the run is quick.

        What is not measured changes from round to round no more than a book does.
        """
        if candidate.kind == "past":
            return 1
        return self.rounds if self._forced or self.quick else candidate.rounds or self.rounds

    def run(self, tell: Callable[[Turn], None]) -> None:
        """Measure everything, and write the file after every round. Raises `KeyboardInterrupt`; then it is partial."""
        finished, latest = False, 1
        try:
            for turn in self.turns():
                if turn.number > latest:
                    self.record.write()
                    if self._is_late(latest):
                        break
                    latest = turn.number
                tell(turn)
                self._take(turn)
            finished = True
        finally:
            self.record.finish(finished)

    def _is_late(self, rounds: int) -> bool:
        """Return whether another round like these would end after the time that the suite has."""
        after = self.record.seconds() * (rounds + 1) / rounds
        return not self._forced and after > suites.limit(self.candidates)

    def _take(self, turn: Turn) -> None:
        """Measure one candidate once. A candidate that can't be measured is not tried again."""
        if turn.key in self._gone:
            return
        try:
            loops = self._loops_of(turn)
            with noted() as meanwhile:
                measured = self._measured(turn, loops)
            self.record.add(measured, meanwhile)
        except NotToBeHad as reason:
            self._leave_out(turn, str(reason), failed=False)
        except Failed as reason:
            self._leave_out(turn, str(reason), failed=reason.fault)

    def _measured(self, turn: Turn, loops: int) -> str:
        if turn.candidate.kind == "past":
            return quoted(turn.candidate, turn.python)
        modules = self._packages[turn.python.tag].path(turn.candidate.needs)
        return measure(turn.python, turn.candidate.path, turn.number, loops, self.quick, modules)

    def _loops_of(self, turn: Turn) -> int:
        """Return how often the work is repeated in one run: once, or as often as pyperf's calibration says."""
        given = turn.candidate.loops or (1 if self.quick else CALIBRATE)
        if given != CALIBRATE:
            return given
        if turn.key not in self._loops:
            benchmark = self.record.add(self._measured(turn, CALIBRATE))
            self._loops[turn.key] = loops_found(benchmark)
        return self._loops[turn.key]

    def _leave_out(self, turn: Turn, why: str, *, failed: bool) -> None:
        self._gone.add(turn.key)
        it = turn.candidate
        self.record.left_out.append(LeftOut(it.suite, it.cell, it.name, turn.python.tag, failed, why))


def quoted(candidate: Candidate, python: Interpreter) -> str:
    """Return the run of a figure that was published. It needs no worker, and stands beside what this Python does."""
    import pyperf

    seconds, figures = function(candidate.call)(**candidate.sizes)
    about = about_run(candidate, 1, {}) | {"python": python.tag, "gil": "on" if python.gil else "off"}
    about |= {"name": f"{candidate.path}@{python.tag}", "inner_loops": candidate.steps, "loops": 1, "unit": "second"}
    about |= {FIGURE + name: value for name, value in figures.items() if value is not None}
    text = io.StringIO()
    pyperf.Benchmark([pyperf.Run([seconds], metadata=about, collect_metadata=False)]).dump(text)
    return text.getvalue()


def loops_found(benchmark: Any) -> int:
    """Return the number of loops that a calibration has found."""
    loops: int = benchmark.get_runs()[0].get_metadata()["calibrate_loops"]
    return loops


def described(candidate: Candidate) -> str:
    """Return the sizes of a candidate in one line."""
    return ", ".join(f"{name} {value}" for name, value in candidate.parameters.items())
