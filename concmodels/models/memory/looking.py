"""Decides whether a task that has to wait looks for a moment before it blocks, by what both have cost lately.

Blocking and being woken takes 4 us where the processor goes on with another task, and 20 to 30 where it has nothing
else to do: it is halted then, and has to be interrupted. Two tasks that each have a processor pass a message in a
microsecond or two if the one that waits looks at the word that will change. But if its partner has no processor
meanwhile, looking is useless: it only keeps the partner waiting. A hop of two tasks on two processors, without and with
looking, in microseconds (medians of 3 rounds in turn, least and most; CPU is of both sides together):

                                       blocking               looking               CPU, blocking and looking
    processes                          26.6 (26.5 to 27.3)    1.42 (1.16 to 1.71)   20.8    2.8
    subinterp                          30.4 (26.5 to 30.7)    0.94 (0.93 to 0.96)   23.9    1.8
    processes, beside another          4.0 (4.0 to 5.3)       4.7 (4.1 to 4.9)       4.0    4.4
    subinterp, beside another          4.4 (4.1 to 4.7)       4.0 (3.9 to 4.3)       4.1    3.9

So each place where a task waits measures, a few waits of both kinds, and then goes on in the way whose median was
cheaper, without a clock: 32 waits, and four times as many whenever the next measurement agrees. It goes back to
blocking at once if too many of its looks find nothing. It does not even try to look

- in a run of more than a few tasks;
- while more threads of the machine can run than it has processors;
- if its waits are so long that looking would find nothing.

A task that finds an item by looking has waited too, so the caller makes a checkpoint.

In a pool, a worker that waits for work and a task that waits for a result do the same (`pool/worker_memory.py`).
"""

from os import cpu_count
from time import perf_counter_ns

from concmodels.models.memory.arena import NEXT_RECORD

_PROCESSORS = cpu_count() or 1
_FEW = 8 * _PROCESSORS + 8
"""The most records of a run of a few tasks: each task has one, each group has one, and a pool three or four."""

_LOOKS = 2000  # of 40 ns each
LOOK_NS = 80_000
_SAMPLE = 9  # waits
SOON, _SELDOM = 32, 1 << 13  # waits between two measurements
_MORE = 4  # times as many, if a measurement has agreed with the one before
_IN_VAIN = 2  # so many looks that find nothing end a measurement; later they do if they are more than one in eight


class Looking:
    """One place where tasks wait, and what it has cost there to block and to look.

    First it blocks for `rest` waits, without a clock; then it measures blocking, then looking, and if that was cheaper,
    it looks for as many waits. Then it measures again. It tries to look only if a wait by blocking is not longer than
    `longest_ns`: as long as a look may last, or longer where others have to be woken, too, unless one looks.
    """

    __slots__ = (
        "_began",
        "_block_ns",
        "_by_looking",
        "_gap",
        "_in_vain",
        "_longest_ns",
        "_looks",
        "_measures",
        "_sample",
        "_words",
        "rest",
    )

    def __init__(self, words: memoryview, rest: int = SOON, longest_ns: int = LOOK_NS) -> None:
        self._words = words
        self._longest_ns = longest_ns
        self.rest, self._gap = rest, SOON
        self._by_looking = False
        self._looks = 0  # the number of waits still to be done by looking; if 0, they are done by blocking
        self._measures = True  # whether the looks are a measurement
        self._in_vain = 0  # of these looks
        self._sample: list[int] = []
        self._block_ns = 0  # the median
        self._began = 0

    def finds(self, control: memoryview, tail_at: int, head: int) -> bool:
        """Look whether TAIL moves on, if waits are done so now; return whether it did. If not, the caller blocks."""
        self._began, self.rest = perf_counter_ns() if self._measures else 0, 0
        if self._looks <= 0:
            return False
        left = _LOOKS
        while left and control[tail_at] == head:
            left -= 1
        self._looked(left > 0)
        return left > 0

    def _looked(self, found: bool) -> None:
        self._looks -= 1
        self._in_vain += not found
        if self._measures:
            self._sample.append(perf_counter_ns() - self._began if found else 2 * LOOK_NS)
            if self._in_vain >= _IN_VAIN:
                self._block()
            elif self._looks <= 0:
                self._decide()
        elif self._looks <= 0:
            self._measure()
        elif self._in_vain >= _IN_VAIN and self._in_vain * 8 > self._gap - self._looks:
            self._block()
        self._began = 0  # if the caller blocks now, what that takes says nothing

    def blocked(self) -> int:
        """Note that a wait by blocking is over; return `rest`."""
        if self._began:
            self._sample.append(perf_counter_ns() - self._began)
            self._began = 0
            if len(self._sample) >= _SAMPLE:
                self._block_ns, self._sample, self._in_vain = sorted(self._sample)[_SAMPLE // 2], [], 0
                if self._words[NEXT_RECORD] <= _FEW and self._block_ns < self._longest_ns and _is_processor_free():
                    self._looks = _SAMPLE
                else:
                    self._block()
        return self.rest

    def _decide(self) -> None:
        """Look, or block, for a while, whichever was cheaper."""
        if sorted(self._sample)[_SAMPLE // 2] < self._block_ns:
            self._go_on(by_looking=True)
            self._looks, self._in_vain, self._measures = self._gap, 0, False
        else:
            self._block()

    def _block(self) -> None:
        self._go_on(by_looking=False)
        self._measure()
        self.rest = self._gap

    def _go_on(self, *, by_looking: bool) -> None:
        self._gap = min(_MORE * self._gap, _SELDOM) if by_looking == self._by_looking else SOON
        self._by_looking = by_looking

    def _measure(self) -> None:
        """Measure again, first blocking, from the next wait that is no rest."""
        self._looks, self._measures, self._sample = 0, True, []


def _is_processor_free() -> bool:
    """Return whether the machine has no more threads that can run than processors."""
    from concmodels.platform.measuring import runnable  # most children never need it

    number = runnable()
    return number is None or number <= _PROCESSORS
