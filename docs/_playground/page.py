"""The functions that the page calls. Each takes the program as text, and returns an answer as JSON.

The second argument is the value that `main` has to return, written in Python; an empty text if it may return anything.
The check is an assertion about it.

An answer has the key "verdict": "ended" or "failed" for one run; "broken", "held in all" or "held so far" for a search;
"asks" where the reader is to choose; "refused" where the program can't be run here. "sentence" says it in words, and
"output" is what the program has printed.

In the archive for the browser this module is `concmodels.explore.page`: the frames of other modules count as those of
the program, and would be in its pictures.
"""

import ast
import asyncio
import contextlib
import dataclasses
import functools
import io
import itertools
import json
import linecache
import os
import time

from js import Object, postMessage
from pyodide.ffi import to_js

from concmodels.explore import exploring
from concmodels.explore.choices import Choose, Chosen
from concmodels.explore.errors import CannotExplore, StillComputing
from concmodels.explore.eventloops.refused import refuse
from concmodels.explore.exploring import scenario_of
from concmodels.explore.failures.drawing import drawing
from concmodels.explore.failures.moment import Moment
from concmodels.explore.failures.picture import rows_of
from concmodels.explore.failures.replay_id import ReplayId, checksum
from concmodels.explore.running.options import Options
from concmodels.explore.running.outcome import failure_of, reached_the_limit, sentence
from concmodels.explore.running.runs import Runs
from concmodels.explore.search import Search
from concmodels.explore.surroundings import Surroundings
from concmodels.models.simulated.schedules import FirstComeFirstServed, Replay

FILE = "program.py"
MOST_OUTPUT = 20_000
"""The characters of output that are kept."""
ROWS = 60
"""The most rows of a picture."""
ROWS_OF_A_GAME = 12
SECONDS_BETWEEN_NEWS = 0.2


class Output(io.StringIO):
    """Keeps the beginning of what a program prints."""

    def write(self, text):
        super().write(text[: max(0, MOST_OUTPUT - self.tell())])
        return len(text)


def answer(function):
    """Make a function of a scenario one of a program's text; what is wrong with the program is an answer, too."""

    @functools.wraps(function)
    def answered(source, returns, *arguments):
        with open(FILE, "w", encoding="utf-8") as file:
            file.write(source)
        linecache.clearcache()  # of the program before
        output = Output()
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                found = function(scenario_of(FILE), check_of(returns), *arguments)
        except (CannotExplore, StillComputing) as error:
            found = {"verdict": "refused", "sentence": str(error)}
        except ModuleNotFoundError as error:
            found = {
                "verdict": "refused",
                "sentence": f"there is no {error.name} in the page, only Python's own library",
            }
        return json.dumps({"output": output.getvalue()} | found)

    return answered


def check_of(returns):
    """The check of what `main` returns; None if it may return anything."""
    if not returns:
        return None
    wanted = ast.literal_eval(returns)

    def is_right(value):
        if value != wanted:  # the archive has no assertions
            raise AssertionError(f"main returned {value!r} instead of {wanted!r}")

    return is_right


@answer
def run(scenario, check):
    """Run it once, first come, first served."""
    with Surroundings().watched(), Runs(scenario, Options()) as runs, runs.switching("checkpoints"):
        return end_of(runs.repeat(FirstComeFirstServed()), check)


@answer
def explore(scenario, check, seconds):
    """Run it on every schedule that makes a difference, for so many seconds."""
    search = Search(scenario, Options(seconds=seconds, check=check))
    search.runs.each = News(search.runs)
    with contextlib.redirect_stdout(Output()):
        report = search.report()
    return found(scenario, report)


@answer
def replay(scenario, check, text):
    """Run it on the schedule with this id."""
    with contextlib.redirect_stdout(Output()):
        report = exploring.replay(scenario, schedule=text, check=check)
    return found(scenario, report)


@answer
def step(scenario, check, choices):
    """Run it until these choices are used up, and say which there are next."""
    with Surroundings().watched(), Runs(scenario, Options().for_play()) as runs, runs.switching():
        turns = Turns(Chosen(json.loads(choices)))
        run = runs.repeat(turns, record=True)
        rows = [*rows_of_game(Moment.of(it, number in turns.forced) for number, it in enumerate(run.steps))]
    asks = isinstance(run.error, Choose) and run.cut
    return {"picture": drawing(rows[-ROWS_OF_A_GAME:], with_steps=True), "forced": len(turns.forced)} | (
        asked(run.error) if asks else end_of(run, check)
    )


def rows_of_game(moments):
    """Yield a moment for each step; one for those that are alike and follow each other."""
    for _, group in itertools.groupby(moments, key=lambda it: (it.identity, it.file, it.line, it.what)):
        alike = list(group)
        yield dataclasses.replace(alike[0], forced=any(it.forced for it in alike))


class Turns:
    """Asks another strategy, and notes at which points the turn was taken from a task that could have gone on."""

    def __init__(self, strategy):
        self.forced = set()
        self._strategy = strategy
        self._point = 0  # the first step is not put to a strategy
        self._last = None

    def choose(self, steps):
        self._point += 1
        index = self._strategy.choose(steps)
        runner = steps[index].runner
        if runner is not self._last and any(step.runner is self._last for step in steps):
            self.forced.add(self._point)
        self._last = runner
        return index

    def branch(self, n):
        return self._strategy.branch(n)


def found(scenario, report):
    """The outcome of a search."""
    answer = report.to_json() | {"sentence": report.sentence, "remarks": report.remarks}
    if report.failure is not None:
        print_again(scenario, report.failure)
        rows = rows_of(report.failure.moments)
        answer["failure"] |= {"picture": drawing(rows[-ROWS:]), "lines": [row.line for row in rows]}
    return answer


def asked(choose):
    """The tasks to choose from."""
    return {
        "verdict": "asks",
        "sentence": "",
        "choices": [{"task": task, "what": what, "where": where} for task, what, where in choose.rows],
    }


def end_of(run, check):
    """The end of a run."""
    error = failure_of(run, check)
    if error is not None:
        return {"verdict": "failed", "sentence": sentence(error), "waits": list(getattr(error, "waits", ()))}
    if reached_the_limit(run):
        return {"verdict": "failed", "sentence": "It makes too many steps, and was cut."}
    return {"verdict": "ended", "sentence": "" if run.value is None else f"It has returned {run.value!r}."}


def print_again(scenario, failure):
    """Run the schedule of a failure once more, for what the program prints in it."""
    options = ReplayId.parse(failure.replay_id, checksum(scenario.codes)).options(Options())
    with Surroundings().watched(), Runs(scenario, options) as runs, runs.switching():
        runs.repeat(Replay(failure.schedule))


class News:
    """Tells the page now and then how many schedules were run."""

    def __init__(self, runs):
        self._runs = runs
        self._last = time.monotonic()

    def __call__(self):
        now = time.monotonic()
        if now - self._last > SECONDS_BETWEEN_NEWS:
            self._last = now
            postMessage(to_js({"count": self._runs.count}, dict_converter=Object.fromEntries))


def refuse_asyncio(main, **_):
    """Take the place of `asyncio.run`. Pyodide's would use the browser's event loop, where no schedule decides."""
    main.close()
    refuse("runs asyncio", "in a terminal, python -m concmodels.explore simulates its event loop; the page can't yet")


asyncio.run = refuse_asyncio

os.makedirs("/program", exist_ok=True)
os.chdir("/program")
