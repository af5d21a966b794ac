"""Looks for an explanation of a history: an order of its calls that the reference accepts.

The search goes depth first, as Wing and Gong have described it: among the calls that may come next, try each. May come
next: the first call of each task that is left, if no other call that is left had ended before it began. Where a search
has failed once (these calls are left, in this state) it does not go again.
"""

from .history import calls_of
from .program import END
from .reference import Reference, founded

BOUND = 500_000
"""Steps. A history that needs more is not judged: `TooHard`."""


class TooHard(Exception):
    """The search was given up. Says nothing about the history."""


class Search:
    """One search for an order of these calls, one list of ended calls for each task."""

    def __init__(self, reference, tasks, at_the_end=None):
        self.reference = reference
        self.tasks = tasks
        self.at_the_end = at_the_end or (lambda state: True)
        self.failed = set()
        self.steps = 0

    def order(self):
        """The calls in such an order, as tuples of those that happen together; None if there is none."""
        return self._from((0,) * len(self.tasks), self.reference.begin)

    def _from(self, done, state):
        if (done, state) in self.failed:
            return None
        self.steps += 1
        if self.steps > BOUND:
            raise TooHard(f"no explanation within {BOUND} steps, and no proof that there is none")
        heads = [calls[count] for calls, count in zip(self.tasks, done, strict=True) if count < len(calls)]
        if not heads:
            return [] if self.at_the_end(state) else None
        for together, after in self._next(heads, state):
            rest = self._from(_advanced(done, together), after)
            if rest is not None:
                return [together, *rest]
            if after == state:
                break  # what changes nothing can't have been a mistake: any explanation can begin with it as well
        self.failed.add((done, state))
        return None

    def _next(self, heads, state):
        """Who may come next, and the state after; first those who change nothing."""
        first_end = min(call.end for call in heads)
        ready = sorted((call for call in heads if call.start <= first_end), key=lambda call: call.end)
        steps = [((call,), after) for call in ready if (after := self.reference.step(state, call)) is not None]
        yield from sorted(steps, key=lambda step: step[1] != state)
        for sender in ready:
            for receiver in ready:
                if self.reference.meet(state, sender, receiver):
                    yield (sender, receiver), state


def _advanced(done, together):
    tasks = [call.task for call in together]
    return tuple(count + (task in tasks) for task, count in enumerate(done))


def explain(program, notes):
    """An order of the calls that explains the history, or None. Raises `TooHard`."""
    tasks = calls_of(program, notes)
    return Search(Reference(program.capacities), tasks).order() if founded(tasks) else None


def stands_still(program, notes):
    """Whether all tasks that have not ended wait, and nobody of them could go on."""
    tasks = calls_of(program, notes)
    ended = [[call for call in calls if call.outcome is not None] for calls in tasks]
    pending = [call for calls in tasks for call in calls if call.outcome is None]
    if len(pending) + _number_of_ended(program, ended) < len(program.tasks):
        return False  # somebody is just between two calls
    reference = Reference(program.capacities)
    search = Search(reference, ended, lambda state: reference.stand_still(state, pending))
    return search.order() is not None


def _number_of_ended(program, tasks):
    """How many tasks have done all they had to do, as far as the notes tell."""
    return sum(_has_ended(operations, calls) for operations, calls in zip(program.tasks, tasks, strict=False))


def _has_ended(operations, calls):
    last = max((step for step, operation in enumerate(operations) if operation.verb != "pause"), default=None)
    if last is None:
        return True
    if calls and calls[-1].operation is END:
        return True
    if not calls or calls[-1].step != last:
        return False
    operation = operations[last]
    return calls[-1].part == operation.count - 1 or calls[-1].outcome[0] == "closed"
