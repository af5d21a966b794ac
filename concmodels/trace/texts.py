"""The text of the verbs, as it stands and without `async` and `await`; and what of it travels, where it arrives."""

import os
from importlib import import_module
from types import ModuleType

from concmodels.trace.rows import failure
from concmodels.two_forms import PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


_texts: dict[bool, Any] = {}


def verbs(is_async: bool) -> Any:
    """Return the verbs of traced models, async or sync: the same text without `async` and `await`."""
    if is_async not in _texts:
        _texts[is_async] = import_module("concmodels.trace.verbs") if is_async else _sync_verbs()
    return _texts[is_async]


def _sync_verbs() -> ModuleType:
    path = os.path.join(os.path.dirname(__file__), "verbs.py")
    module = ModuleType("concmodels.trace.sync_verbs")
    module.__file__ = path
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("IS_ASYNC = True", "IS_ASYNC = False")
    exec(PLAIN.code(text, path), vars(module))
    module.Channel.__iter__ = items  # a generator takes less time than the iterator of the text
    return module


def items(channel: Any) -> Iterator[Any]:
    """Receive from a traced channel of a sync model until it is closed and drained.

    Where the trace leaves out messages, the next one that it does not leave out is expected after so many others:
    before these it needs no look at the clock.
    """
    clock, mask, word, lane = channel._clock, channel._mask, channel._received, channel._recorder.lane()
    write, rows, mark, left = lane.write, lane.rows, verbs(False).MARK, 0
    begin = clock()
    try:
        for item in channel.inner:
            if type(item) is tuple and len(item) == 3 and item[0] is mark:
                end = clock()
                write((begin or end, end, word, item[1]))
                if len(rows) >= lane.full:
                    lane.thin()
                left = mask[0]
                yield item[2]
            else:
                yield item
            if left:
                left, begin = left - 1, 0
            else:
                begin = clock()
    except GeneratorExit:
        raise
    except BaseException as error:
        lane.row(begin or clock(), clock(), word | failure(error))
        raise
    lane.row(begin or clock(), clock(), word | 2 << 8)


def again(kind: str, is_async: bool, *args: Any) -> Any:
    """Make an object of the verbs where it arrives."""
    return getattr(verbs(is_async), kind)(*args)
