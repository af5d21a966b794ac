"""The outcomes of the requests so far."""

from array import array
from collections import Counter
from collections.abc import Iterable

from benchmarks.web.answers import Answer
from benchmarks.web.plan import Plan


class Tally:
    """Counts the answers and the errors of a run, and keeps the latencies of what was due after the warm-up."""

    def __init__(self, plan: Plan) -> None:
        self._body = plan.body
        self.begin = self.end = float("inf")
        """From when to when requests and answers count; what was due then counts even if it is answered later."""
        self.latencies = [array("d") for _ in plan.kinds]
        self.errors: Counter[str] = Counter()
        self.answers = 0
        """The right answers that came between `begin` and `end`."""
        self.unanswered = 0

    def answered(self, answer: Answer, due: float, kind: int, now: float) -> bool:
        """Take an answer that has come now. Return whether it is right and came before the end."""
        if not 200 <= answer.status < 300:
            self.errors[f"status {answer.status}"] += 1
            return False
        if self._body is not None and answer.body != self._body:
            self.errors["another body"] += 1
            return False
        if due >= self.begin:
            self.latencies[kind].append(now - due)
        if not self.begin <= now < self.end:
            return False
        self.answers += 1
        return True

    def left(self, waiting: Iterable[tuple[float, int]], now: float) -> None:
        """Take what waits at the end, by when it was due and its kind: its age is the least that its latency can be."""
        for due, kind in waiting:
            if due >= self.begin:
                self.latencies[kind].append(now - due)
                self.unanswered += 1
