"""The kinds of work that a pool can be given, to compare the models by.

    nothing   empty tasks, which show what a pool costs
    cpu       slices of a factorial, Fibonacci numbers, sorting; these show which models compute at the same time
    io        requests to a small HTTP server that takes its time; these show what waiting workers cost
    buffer    ten million numbers, summed in slices; these show what it costs to give workers a large block of data

Each kind is a class in the module of its name. An object of that class is the work of one run:

    work = load("io")("threads", tasks=40, workers=8, delay=100)

    def main():
        with work.prepared(model):                   # `async with` in an async model
            with model.Pool(8) as pool:
                results = list(pool.map(work.function, work.items()))
            assert results == list(work.expected())
            for result in work.loop(): ...          # the same in a plain loop, one task after the other

Children import the modules with the functions of the tasks, so these import nothing heavy at their top. An item
contains everything that its task needs to know.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from typing import Any, Self

__all__ = ["NAMES", "Option", "Work", "load"]

NAMES = ("nothing", "cpu", "io", "buffer")


class Option:
    """One option of a work: an option of the command line, and an argument of the class.

    The value is one of the words in `choices`; without `choices` it is a whole number from `least` to `most`. `default`
    is the value if none is given, and `help` is the text of the command line.
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
        self.choices = choices
        self.least = least
        self.most = most

    def check(self, value: Any) -> Any:
        """Return the value if it is valid; raise `ValueError` with a sentence if not.

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
    """The work of one run: what its tasks do on one model. This is the base class of all kinds of work.

    `Work(model, tasks, workers, **options)`: `model` is a name as `load` takes it, `tasks` and `workers` are numbers.
    The names of the options are those in `Work.options`; an option that is missing or None has its default. Raises
    `ValueError` for an invalid value, `TypeError` for an option that this work does not have, and `ModelUnavailable` if
    a library that it needs is missing.
    """

    name: str
    options: tuple[Option, ...] = ()
    needs: tuple[str, ...] = ()
    """The libraries that the tasks need."""

    function: Any
    """The function that the pool calls with each item; in an async model it is a coroutine function."""

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
        """Set what depends on the model and the options, `function` above all."""

    @property
    def descriptors(self) -> int:
        """The number of file descriptors that the tasks of all workers need in this process."""
        return 0

    def items(self) -> Iterable[Any]:
        """Return the arguments of the tasks, one item for each. Call it only inside the `with` of `prepared`."""
        raise NotImplementedError

    def warm_up(self) -> Iterable[Any]:
        """Return as many items as there are workers, for tasks that are not counted. Only inside `prepared`."""
        from itertools import cycle, islice

        return islice(cycle(self.items()), self.workers)

    def expected(self) -> Iterable[Any]:
        """Return what the tasks must return, in order. Computing that takes time, so it must not be timed."""
        raise NotImplementedError

    def loop(self) -> Generator[Any]:
        """Do the same work in a plain loop, and yield the results; it may be left early. Only inside `prepared`."""
        function = self.plain()
        for item in self.items():
            yield function(item)

    def plain(self) -> Any:
        """Return the function for the plain loop."""
        return self.function

    def prepared(self, model: Any) -> Self:
        """Return this object for a `with` (in an async model: `async with`) inside a run of this model.

        Inside the `with`, everything that the tasks need exists. Leave it after the pool has ended.
        """
        self.verbs = model
        return self

    def start(self) -> None:
        """Make everything that the tasks need."""

    def stop(self) -> None:
        """Remove what `start` has made."""

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
    """Return the class of the work with this name. Raises `ValueError` with a sentence if there is none.

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
