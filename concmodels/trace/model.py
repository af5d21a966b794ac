"""A traced model: a decorator over any model. Its channels, groups, pools and waits wrap the model's own.

Nothing in a model knows of it, except that a channel beyond a memory boundary tells the position of an item.
"""

from concmodels import catalog
from concmodels.catalog import Variant
from concmodels.errors import Deadlock, ModelUnavailable
from concmodels.models import tools
from concmodels.trace.texts import verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.catalog import Facts
    from concmodels.trace.recorder import Recorder

tools.append("concmodels.trace")

VERBS = frozenset({"Channel", "Pool", "TaskGroup", "run", "select", "sleep", "wait_readable", "wait_writable"})
"""What a traced model does instead of the model."""


class Own:
    """The model's own verbs."""

    def __init__(self, model: Any) -> None:
        names = vars(model)
        for verb in VERBS:
            if verb != "Pool":
                setattr(self, verb, names[verb])
        self._model = model

    @property
    def Pool(self) -> Any:
        """The class of its pools, which is imported only now."""
        if isinstance(self._model, Variant):
            return POOL_OF_VARIANT.fget(self._model)
        names = vars(self._model)
        return names["Pool"] if "Pool" in names else names["__getattr__"]("Pool")


POOL_OF_VARIANT = vars(Variant)["Pool"]
"""The property that all variants have, except while a trace is recorded."""


class Traced:
    """A traced model, but for the verbs that are functions."""

    def __init__(self, model: Any, recorder: Recorder, is_async: bool, is_beyond: bool) -> None:
        self.inner: Any = Own(model)
        self.recorder = recorder
        self.is_async, self.is_beyond = is_async, is_beyond
        text = verbs(is_async)
        channel = text.Channel
        if is_beyond:
            from concmodels.trace.boundary import Channel as channel
        self.Channel: Any = type("Channel", (channel,), {"on": self, "__slots__": ()})
        self.Turn: Any = type("Turn", (text.Turn,), {"on": self})
        self.TaskGroup: Any = type("TaskGroup", (text.TaskGroup,), {"on": self})
        self._pool: Any = None

    @property
    def Pool(self) -> Any:
        """The class of its pools."""
        if self._pool is None:
            kinds: tuple[Any, ...] = (verbs(self.is_async).PoolVerbs,)
            if not self.is_async:
                from concurrent.futures import Executor

                kinds = (*kinds, Executor)
            self._pool = type("Pool", kinds, {"on": self})
        return self._pool

    def run(self, main: Any, *args: Any, **options: Any) -> Any:
        """Run `main`, in a lane of its own."""
        if not callable(main):
            return self.inner.run(main, *args, **options)  # which says what is wrong with it
        recorder = self.recorder
        recorder.ended, recorder.waits = None, []  # of the run before
        traced = verbs(self.is_async).Run(recorder, recorder.reserve(), "main", main)
        if self.is_beyond and recorder.is_home:
            from concmodels.trace.boundary import counted

            traced.function = counted(recorder, self.inner.Channel.kind, main)
        try:
            return self.inner.run(traced, *args, **options)
        except Deadlock as error:
            recorder.ended, recorder.waits = f"Deadlock: {error.args[0]}", list(error.waits)
            raise


def traced(model: Any, recorder: Recorder, entry: Facts) -> Any:
    """Return the traced form of a model: an object with the names of the vocabulary."""
    if entry.family == "cluster":
        raise ModelUnavailable(f"{entry.model} can't be traced: its tasks may run on other machines")
    is_beyond = entry.family == "boundary"
    if recorder.is_home:
        name, is_simulated = catalog.name_of(entry), catalog.is_simulated(entry)
        if recorder.model and name != recorder.model and (is_simulated or recorder.clock_name == "virtual"):
            raise RuntimeError(f"{name} after {recorder.model}: a simulated model has a time of its own, so it needs a "
                               "trace of its own")  # fmt: skip
        recorder.model = recorder.model or name
        if is_beyond:
            recorder.need_folder()
        elif is_simulated:
            recorder.clock, recorder.clock_name = _VirtualClock(vars(model)["now"]), "virtual"
    text = verbs(entry.is_async)
    kind: Any = Traced
    functions = text.Verbs
    if is_beyond:
        from concmodels.trace.boundary import Verbs as functions
    return type("TracedModel", (kind, functions), {})(model, recorder, entry.is_async, is_beyond)


class _VirtualClock:
    """The time of a simulated model in nanoseconds, a microsecond later at least with each call: so it tells the order.

    Before the model runs it has no time. Each run begins at 0, and here where the one before has ended.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._last = self._before = self._begin = 0

    def __call__(self) -> int:
        try:
            time = int(self._now() * 1e9)
        except RuntimeError:
            time = 0
        if time < self._before:
            self._begin = self._last
        self._before = time
        self._last = max(self._last + 1_000, self._begin + time)
        return self._last
