"""Pipelines of channels on every model, as books on Go and on CSP have them: generator, merge, fan_out, tee, map_, ...

Each function here takes a model and a task group, starts tasks in that group, and returns a channel, or a list of them.
It is never awaited itself, and in an async model the channels that it returns are those of that model:

    >>> from concmodels import csp, load
    >>> def main(model):
    ...     with model.TaskGroup() as group:
    ...         numbers = csp.generator(model, group, range(1, 6))
    ...         squares = csp.map_(model, group, square, numbers)
    ...         return list(csp.filter_(model, group, is_odd, squares))
    >>> def square(number):
    ...     return number * number
    >>> def is_odd(number):
    ...     return number % 2 == 1
    >>> model = load("threads")
    >>> model.run(main, model)
    [1, 9, 25]

All of them keep three rules:

* A channel that is returned is closed once its last item has been sent: when the source is closed and drained.
* A reader that needs no more closes the channel that it reads. The task that feeds it then closes its own source, as
  soon as that has a next item, and so on up to the generator: no task is left. (To end while a source has no next item,
  use `quit_on`.) What was on its way is lost.
* A function that fails ends its task, and so the group is cancelled. Read the channels inside of the group: if a task
  is cancelled before its first step, its channel is never closed.

In an async model the functions that are passed may be coroutine functions; in a sync one that is a `TypeError`. Across
a memory boundary they have to be importable, and iterables and items have to be picklable. `capacity` is that of the
channels that are returned; 0, the default, is a rendezvous.

`timeout`, `quit_on`, `batch`, `fan_out` and `broadcast` choose between events, so their results depend on time; those
of the others don't, except that `merge` has the items of its sources in the order in which they come.

The tasks are in `concmodels/awaited/csp.py`; sync models run that text without `await`.
"""

from collections.abc import Callable, Iterable
from math import inf
from typing import Any

from concmodels.two_forms import form_for, must_fit

__all__ = [
    *("batch", "broadcast", "fan_out", "filter_", "generator", "map_", "merge", "pipeline", "quit_on", "take", "tee"),
    "timeout",
]


def generator(model: Any, group: Any, items: Iterable[Any], *, capacity: float = 0) -> Any:
    """Return a channel of the items of an iterable. The next item is taken once the one before has been accepted."""
    return _started(model, group, "generate", items, capacity=capacity)


def map_(model: Any, group: Any, function: Callable[[Any], Any], source: Any, *, capacity: float = 0) -> Any:
    """Return a channel of what `function` returns for each item, one after the other."""
    must_fit(model, function)
    return _started(model, group, "convert", source, function, capacity=capacity)


def filter_(model: Any, group: Any, predicate: Callable[[Any], Any], source: Any, *, capacity: float = 0) -> Any:
    """Return a channel of the items for which `predicate` is true."""
    must_fit(model, predicate)
    return _started(model, group, "choose", source, predicate, capacity=capacity)


def take(model: Any, group: Any, count: int, source: Any, *, capacity: float = 0) -> Any:
    """Return a channel of the first `count` items. Once they have been accepted, the source is closed."""
    return _started(model, group, "give_first", source, count, capacity=capacity)


def batch(model: Any, group: Any, size: int, source: Any, *, within: float | None = None, capacity: float = 0) -> Any:
    """Return a channel of lists of `size` items; the last one may be shorter.

    With `within`, a list that isn't full is sent this number of seconds after its first item.
    """
    if size < 1:
        raise ValueError(f"a batch has at least one item, not {size}")
    return _started(model, group, "collect", source, model, size, within, capacity=capacity)


def timeout(model: Any, group: Any, seconds: float, source: Any, *, capacity: float = 0) -> Any:
    """Return a channel of the items until the source has had none for `seconds`; then both channels are closed."""
    return _started(model, group, "give_in_time", source, seconds, capacity=capacity)


def quit_on(model: Any, group: Any, quit: Any, source: Any, *, capacity: float = 0) -> Any:
    """Return a channel of the items until the channel `quit` is closed, or has an item, which is taken.

    That ends the task also while it waits for an item, or for a reader. If both can be done, `quit` comes first.
    """
    return _started(model, group, "give_until", source, model, quit, capacity=capacity)


def merge(model: Any, group: Any, *sources: Any, capacity: float = 0) -> Any:
    """Return a channel of the items of all sources. Those of one source stay in their order."""
    out, others = model.Channel(capacity), model.Channel(inf)
    for _ in sources[1:]:
        others.send_nowait(None)
    for source in sources:
        group.spawn(form_for(model, "csp").copy, source, out, others)
    if not sources:
        out.close()
    return out


def fan_out(model: Any, group: Any, count: int, source: Any, *, capacity: float = 0) -> list[Any]:
    """Return `count` channels. Each item goes to one of them, to one that can take it now if there is one.

    A channel that its reader has closed is left out; when all are closed, the source is closed.
    """
    return _spread(model, group, "deal", source, count, capacity)


def tee(model: Any, group: Any, count: int, source: Any, *, capacity: float = 0) -> list[Any]:
    """Return `count` channels, each with all items. The slowest reader sets the pace, so read them at the same time.

    A channel that its reader has closed is left out; when all are closed, the source is closed.
    """
    return _spread(model, group, "double", source, count, capacity)


def broadcast(model: Any, group: Any, count: int, source: Any, *, capacity: float = 1) -> list[Any]:
    """Return `count` channels, each with the items that came while it was not full. A slow reader misses items.

    A channel that its reader has closed is left out; when all are closed, the source is closed.
    """
    return _spread(model, group, "announce", source, count, capacity)


def pipeline(model: Any, group: Any, source: Any, *functions: Callable[[Any], Any], capacity: float = 0) -> Any:
    """Return a channel of the items after all `functions`, each of which runs in a task of its own: see `map_`."""
    for function in functions:
        source = map_(model, group, function, source, capacity=capacity)
    return source


def _started(model: Any, group: Any, task: str, *args: Any, capacity: float) -> Any:
    out = model.Channel(capacity)
    group.spawn(getattr(form_for(model, "csp"), task), *args, out, name=task)
    return out


def _spread(model: Any, group: Any, task: str, source: Any, count: int, capacity: float) -> list[Any]:
    if count < 1:
        raise ValueError(f"there is at least one reader, not {count}")
    outs = [model.Channel(capacity) for _ in range(count)]
    group.spawn(getattr(form_for(model, "csp"), task), source, model, outs, name=task)
    return outs
