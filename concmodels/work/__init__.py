"""The work that a pool is given: what people choose a model by.

    nothing   an empty task: what a pool costs
    cpu       slices of a factorial, Fibonacci numbers, sorting: what runs at the same time, and what does not
    io        requests to a small HTTP server that takes its time: what waits at the same time
    buffer    ten million numbers summed in slices: what it costs that the workers see them

Each is a class in the module of its name, and one object of it is the work of one run:

    work = load("io")("threads", tasks=40, workers=8, delay=100)

    def main():
        with work.prepared(model):                   # `async with` in an async model
            with model.Pool(8) as pool:
                results = list(pool.map(work.function, work.items()))
            assert results == list(work.expected())
            for result in work.loop(): ...          # the same in a plain loop, one task after the other

The functions stand in modules that children import, so these import nothing heavy before they must, and an item
carries all that its task needs to know.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from typing import Any, Self

__all__ = ["NAMES", "Option", "Work", "load"]

NAMES = ("nothing", "cpu", "io", "buffer")


class Option:
    """One thing that may be set about a work: an option of the command line, an argument of the class.

    `choices` are the words that it may be; without them it is a whole number from `least` to `most`. `default` is what
    it is unless it is set, and `help` what the command line says of it.
    """

    __slots__ = ("choices", "default", "help", "least", "most", "name")

    def __init__(
        self,
        name: str,
        default: int | str | None,
        help: str,
        *,
        choices: tuple[str, ...] | None = None,
        least: int = 1,
        most: int = 10**12,
    ) -> None:
        self.name = name
        self.default = default
        self.help = help
        self.choices = choices  # the words that it may be; None: it is a whole number
        self.least = least
        self.most = most

    def check(self, value: Any) -> Any:
        """Return the value, or raise `ValueError` with a sentence.

        >>> from concmodels.work import Option
        >>> Option("delay", 100, "milliseconds", most=60_000).check(20)
        20
        """
        if self.choices:
            if value not in self.choices:
                raise ValueError(f"{self.name} is one of {', '.join(self.choices)}, not {value!r}")
        elif not isinstance(value, int) or value < self.least:
            raise ValueError(f"{self.name} must be a whole number of at least {self.least}, not {value!r}")
        elif value > self.most:
            raise ValueError(f"{self.name} must be at most {self.most}, not {value}")
        return value


class Work:
    """What TASKS tasks are to do, prepared for one model. This one is for the others to build on.

    `Work(model, tasks, workers, **options)`: `model` is a name as `load` takes it, `tasks` and `workers` are how many;
    `options` are by the names in `Work.options`, and None or nothing is the default. Raises `ValueError` for an option
    that can't be, `TypeError` for one that the work has not, `ModelUnavailable` if a library that it needs is missing.
    """

    name: str
    options: tuple[Option, ...] = ()
    needs: tuple[str, ...] = ()
    """The libraries that its tasks are written with."""

    function: Any
    """What the pool calls with each item: a function in a sync model, a coroutine function in an async one."""

    def __init__(self, model: str, tasks: int, workers: int = 1, **options: Any) -> None:
        from concmodels.catalog import facts

        self.model = model
        self.facts = facts(model)
        self.tasks = Option("tasks", None, "").check(tasks)
        self.workers = Option("workers", None, "").check(workers)
        self.sizes = {option.name: self._value(option, options) for option in self.options}
        if options:
            raise TypeError(f"the work {self.name!r} has no option {next(iter(options))!r}")
        self.verbs: Any = None
        self._check_libraries()
        self.choose()

    def _check_libraries(self) -> None:
        from importlib.util import find_spec

        if missing := [library for library in self.needs if find_spec(library) is None]:
            from concmodels.errors import ModelUnavailable

            names = " ".join(missing)
            raise ModelUnavailable(f"the work {self.name!r} can't be done here: not installed; pip install {names}")

    @staticmethod
    def _value(option: Option, given: dict[str, Any]) -> Any:
        value = given.pop(option.name, None)
        return option.default if value is None else option.check(value)

    def choose(self) -> None:
        """Decide what depends on the model and the options: `function` above all."""

    @property
    def descriptors(self) -> int:
        """How many file descriptors the tasks need in this process, all workers together."""
        return 0

    def items(self) -> Iterable[Any]:
        """The arguments of the tasks, one for each. Only while prepared."""
        raise NotImplementedError

    def warm_up(self) -> Iterable[Any]:
        """As many items as there are workers, for tasks that are not counted. Only while prepared."""
        from itertools import cycle, islice

        return islice(cycle(self.items()), self.workers)

    def expected(self) -> Iterable[Any]:
        """What the tasks must return, in their order; it may cost a little, so not inside what is timed."""
        raise NotImplementedError

    def loop(self) -> Generator[Any]:
        """Do the same work in a plain loop, and yield the results; it may be left at any time. Only while prepared."""
        function = self.plain()
        for item in self.items():
            yield function(item)

    def plain(self) -> Any:
        """The function of the plain loop."""
        return self.function

    def prepared(self, model: Any) -> Self:
        """Return itself for a `with` (in an async model: `async with`) inside a run of this model.

        Inside it everything that the tasks need is there; it ends when the pool has ended.
        """
        self.verbs = model
        return self

    def start(self) -> None:
        """Make what the tasks need."""

    def stop(self) -> None:
        """Take it away again."""

    async def stop_async(self) -> None:
        """The async form of `stop`."""
        self.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop_async()


def load(name: str) -> type[Work]:
    """Return the class of a work by its name. Raises `ValueError` with a sentence for any other name.

    >>> from concmodels.work import load
    >>> work = load("cpu")("threads", tasks=3, workers=2, kind="sort", size=1000)
    >>> with work.prepared(None):
    ...     print(list(work.loop()) == list(work.expected()))
    True
    """
    if name not in NAMES:
        raise ValueError(f"there is no work {name!r}; there are {', '.join(NAMES)}")
    from importlib import import_module

    work: type[Work] = import_module(f"concmodels.work.{name}").Work
    return work
