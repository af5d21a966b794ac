"""Random programs of plain threads, small enough that every schedule of them can be run.

Two threads do one to three operations each on a few things of `threading` and `queue`, which are all that they share.
What a program has come to is what each thread has seen, and how the run ended.
"""

from random import Random

from concmodels.explore.running.scenario import Scenario
from concmodels.explore.threads.program import library

TIMEOUT_S = 0.1
LOCKS = ("Lock", "RLock")
KINDS = {
    "Lock": ("acquire", "acquire", "acquire in time", "release", "try", "locked"),
    "RLock": ("acquire", "acquire", "acquire in time", "release", "try"),
    "Semaphore": ("acquire", "try", "release"),
    "Event": ("set", "clear", "is_set", "wait", "wait in time"),
    "Condition": ("notify", "notify_all", "wait inside", "wait inside in time"),
    "Queue": ("put", "get", "get_nowait", "get in time", "qsize"),
    "SimpleQueue": ("put", "put", "get", "get_nowait", "get in time", "qsize", "empty"),
}
"""What there is, and what can be done with it."""


class Program:
    """The random program of this number; `scenario` runs it, and `text` shows it."""

    def __init__(self, number):
        draw = Random(number)
        self.things = [draw.choice((*LOCKS, *KINDS)) for _ in range(draw.choice((1, 1, 2)))]
        self.threads = [self._operations(draw) for _ in range(2)]
        library()  # made now: made in a run, its locks would be the run's
        self.scenario = Scenario(self.main, label=f"thread program {number}")

    @property
    def text(self):
        """The program, one line for each thread."""
        lines = [f"things: {self.things}"]
        return "\n".join(
            [*lines, *(f"thread {number}: {operations}" for number, operations in enumerate(self.threads))]
        )

    def _operations(self, draw):
        return [self._operation(draw) for _ in range(draw.choice((1, 2, 2, 3)))]

    def _operation(self, draw):
        number = draw.randrange(len(self.things))
        kind = draw.choice((*KINDS[self.things[number]], *KINDS[self.things[number]], "alive", "join", "sleep"))
        return kind, number

    def main(self):
        """Run the program; return what each thread has seen."""
        modules = library()
        modules.fresh()
        run = _Run(modules.modules, self.things)
        for number, operations in enumerate(self.threads):
            run.add(number, operations)
        for thread in run.threads:
            thread.start()
        for thread in run.threads:
            thread.join()
        modules.end()
        return repr(run.seen)


class OfThree(Program):
    """The same with three threads, of one or two operations each, without a time limit."""

    def __init__(self, number):
        draw = Random(number)
        self.things = [draw.choice((*LOCKS, "SimpleQueue", *KINDS)) for _ in range(draw.choice((1, 2)))]
        self.threads = [[self._operation(draw) for _ in range(draw.choice((1, 1, 2, 2)))] for _ in range(3)]
        library()
        self.scenario = Scenario(self.main, label=f"program {number} of three threads")

    def _operation(self, draw):
        number = draw.randrange(len(self.things))
        return draw.choice([it for it in KINDS[self.things[number]] if "time" not in it]), number


class _Run:
    """One run of a program: its objects, and what its threads see."""

    def __init__(self, modules, things):
        self.threading, self.queue, self.time = modules["threading"], modules["queue"], modules["time"]
        self.things = [getattr(self.threading, it, None) or getattr(self.queue, it) for it in things]
        self.things = [make() for make in self.things]
        self.threads = []
        self.seen = []

    def add(self, number, operations):
        self.seen.append([])
        self.threads.append(self.threading.Thread(target=self._work, args=(number, operations), name=f"t{number}"))

    def _work(self, number, operations):
        for operation in operations:
            try:
                self.seen[number].append(self._do(number, *operation))
            except (RuntimeError, ValueError, self.queue.Empty) as error:
                self.seen[number].append(type(error).__name__)

    def _do(self, own, kind, number):
        it, other = self.things[number], self.threads[1 - own]
        match kind:
            case "alive":
                return other.is_alive()
            case "join":
                return other.join(timeout=TIMEOUT_S)
            case "sleep":
                return self.time.sleep(TIMEOUT_S)
            case "try":
                return it.acquire(blocking=False)
            case "put":
                return it.put(own)
            case "notify" | "notify_all":
                with it:
                    return getattr(it, kind)()
            case "wait inside":
                with it:
                    return it.wait()
            case "wait inside in time":
                with it:
                    return it.wait(timeout=TIMEOUT_S)
            case "acquire in time" | "get in time" | "wait in time":
                return getattr(it, kind.split()[0])(timeout=TIMEOUT_S)
        return getattr(it, kind)()
