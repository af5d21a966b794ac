"""A program that presses its own Ctrl-C while a pool is at work: `python -m endurance.interrupted_pools MODEL RUNS`.

So many runs for each of `WAITS` and `LOOPS`. The last line of its output is JSON.
"""

import json
import math
import sys
import time

from concmodels import catalog
from endurance import plain_pools, pools
from endurance.interrupted import Program, present

WAITS = ("result", "map", "shutdown", "leave")
LOOPS = ("main_maps", "main_submits", "main_makes_pools")


def ways(texts):
    """What the main task does, and what it is told to."""
    yield from ((texts.main_waits, where) for where in WAITS)
    yield from ((getattr(texts, name),) for name in LOOPS)


def main(name, runs):
    """Do it, and print what was seen."""
    facts, began = catalog.facts(name), time.monotonic()
    texts = pools if facts.is_async else plain_pools
    program = Program(name, 0.1 if facts.family == "boundary" else 0.01)
    program.before = (math.inf,) * 3
    program.interrupt(texts.main_waits, "result")  # what is opened by the first pool and kept
    program.before = present()
    for _ in range(int(runs)):
        for way, *args in ways(texts):
            try:
                program.interrupt(way, *args)
            except BaseException as error:
                error.add_note(f"{way.__name__} {args}, run {len(program.late)}")
                raise
    program.presser.stop()
    late, took = sorted(program.late), round(time.monotonic() - began, 1)
    print(json.dumps({"runs": len(late), "seconds": took, "latest": late[-1], "late": late}))


if __name__ == "__main__":
    main(*sys.argv[1:])
