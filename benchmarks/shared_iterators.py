"""Several threads take numbers from one iterator: how often that goes wrong, and whether Python itself survives it.

A race runs in a process of its own, because without the GIL it may end that process. A step is a call of `next`; it is
wrong if it returns a number that was handed out before, or raises `ValueError` because another thread is in the
generator. Nothing is changed that decides when threads take turns: these are the odds of an ordinary program.
"""

import itertools
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

type Took = tuple[float, dict[str, Any]]
type Counts = dict[str, float]

LIMIT_S = 30.0
"""For one race, which takes a second."""


class Counter:
    """Counts from 0; the two steps of a count are as near to each other as Python can write them."""

    def __init__(self) -> None:
        self.last = -1

    def __iter__(self) -> Counter:
        return self

    def __next__(self) -> int:
        self.last += 1
        return self.last


class CallingCounter(Counter):
    """Counts from 0, and calls a function between counting and handing out."""

    def __next__(self) -> int:
        self.last += 1
        nothing()
        return self.last


class LockedCounter(CallingCounter):
    """The same with a lock around it."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def __next__(self) -> int:
        with self.lock:
            return super().__next__()


def nothing() -> None:
    """Stand for any call between two steps."""


def generated() -> Iterator[int]:
    """Count from 0 in a generator."""
    number = 0
    while True:
        yield number
        number += 1


FORMS: dict[str, Callable[[int], Iterator[int]]] = {
    "range": lambda steps: iter(range(steps)),
    "list": lambda steps: iter(list(range(steps))),
    "itertools.count": lambda steps: itertools.count(),
    "a class": lambda steps: Counter(),
    "a class with a call": lambda steps: CallingCounter(),
    "a generator": lambda steps: generated(),
    "that class, locked": lambda steps: LockedCounter(),
}
"""What is shared: a function that makes it for so many steps."""


def raced(form: str, threads: int, steps: int, races: int) -> Took:
    """Run races one after the other. Return the seconds of all their steps, and what went wrong in a million of them.

    Raises `RuntimeError` if every race has ended its process.
    """
    command = [sys.executable, "-m", "benchmarks.shared_iterators", form, str(threads), str(steps)]
    outcomes: list[Counts] = []
    signals: list[int] = []
    for _ in range(races):
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        if done.returncode < 0:
            signals.append(-done.returncode)
        elif done.returncode:
            raise RuntimeError(done.stderr.strip().rpartition("\n")[2])
        else:
            outcomes.append(json.loads(done.stdout))
    if not outcomes:
        raise RuntimeError(f"each of {races} races ended its process, by the signals {signals}")
    return summary(outcomes, len(signals), races)


def summary(outcomes: list[Counts], crashes: int, races: int) -> Took:
    """Return the seconds as if no race had crashed, and the counts for a million steps."""
    total = {name: sum(it[name] for it in outcomes) for name in outcomes[0]}
    seconds = total["seconds"] / len(outcomes) * races
    per_million = {f"{name}_per_million": 1e6 * total[name] / total["steps"] for name in ("wrong", "refused", "lost")}
    return seconds, per_million | {"crashes": crashes, "races": races}


def one_race(form: str, threads: int, steps: int) -> Counts:
    """Let threads take that many numbers together, and count what they got."""
    shared, start = FORMS[form](steps), threading.Barrier(threads + 1)
    shares: list[list[int]] = [[] for _ in range(threads)]
    refused = [0] * threads
    takers = [
        threading.Thread(target=take, args=(shared, start, steps // threads, shares[number], refused, number))
        for number in range(threads)
    ]
    for taker in takers:
        taker.start()
    start.wait()
    begin = time.perf_counter()
    for taker in takers:
        taker.join()
    seconds = time.perf_counter() - begin
    taken = [number for share in shares for number in share]
    different = set(taken)
    lost = max(different, default=-1) + 1 - len(different)
    wrong = len(taken) - len(different) + sum(refused)
    return {
        "seconds": seconds,
        "steps": len(taken) + sum(refused),
        "wrong": wrong,
        "refused": sum(refused),
        "lost": lost,
    }


def take(
    shared: Iterator[int], start: threading.Barrier, steps: int, share: list[int], refused: list[int], place: int
) -> None:
    """Call `next` so many times; what is refused counts as well."""
    start.wait()
    failures = 0
    for _ in range(steps):
        try:
            share.append(next(shared))
        except ValueError:
            failures += 1
        except StopIteration:
            break
    refused[place] = failures


if __name__ == "__main__":
    form, threads, steps = sys.argv[1:]
    print(json.dumps(one_race(form, int(threads), int(steps))))
