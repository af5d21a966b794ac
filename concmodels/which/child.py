"""The process in which one way calls the function: it does a round whenever a line tells it to.

`python -m concmodels.which.child ORDER`; the order is JSON, and so is each line that is read and written. The function
finds neither of them: it has no standard input, and what it prints is dropped. When the other side is gone, this
process ends, whatever it is doing.
"""

import asyncio
import functools
import inspect
import json
import os
import pickle
import sys
import threading
from collections.abc import Awaitable, Callable
from queue import SimpleQueue
from time import perf_counter
from typing import Any, TextIO

from concmodels.which.function import (
    CantCall,
    Place,
    arguments_of,
    described,
    found,
    not_picklable,
    shared_by,
    where,
)
from concmodels.which.ways import Loop, Tasks, Workers, holds_gil, many


def main() -> None:
    """Import the function, tell about it, and do rounds until this process ends."""
    order = json.loads(sys.argv[1])
    lines, answers = _own_streams()
    place = Place(*order["place"])
    sys.argv = [place.module]
    try:
        kind, began = order["kind"], perf_counter()
        function = found(place)
        _answer(answers, {"import_s": perf_counter() - began, "gil": sys._is_gil_enabled()})
        arguments = arguments_of(function, place, order["arguments"])
        if order["first"]:
            about = _about(function, arguments, order["arguments"], place)
            _answer(answers, about)
            kind = "Tasks" if about["is_async"] else kind
        way = _way(kind, function, arguments, order["workers"], order["ahead"], order["chunk"])
        while True:
            what, seconds, most_s = json.loads(lines.get())
            if what == "round":
                _answer(answers, way.round(seconds, most_s))
            else:
                share = holds_gil(functools.partial(many, function, arguments, order["chunk"]), seconds)
                _answer(answers, {"holds_gil": share})
    except CantCall as error:
        _answer(answers, {"refused": str(error)})
    except BaseException as error:  # noqa: BLE001 - whatever the function raises is the answer
        _answer(answers, {"failed": f"{described(error)}{where(error, place.folder)}"})
    _end()


def _own_streams() -> tuple[SimpleQueue[str], TextIO]:
    """Return the lines that come, and the stream for the answers, under numbers of their own."""
    source, sink = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read, args=(source, lines), daemon=True).start()
    return lines, sink


def _read(source: TextIO, lines: SimpleQueue[str]) -> None:
    for line in source:
        lines.put(line)
    _end()


def _end() -> None:
    """End this process at once, with its workers: nothing that they do counts any more."""
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        for child in active_children():
            child.kill()
    os._exit(0)


def _answer(answers: TextIO, figures: dict[str, Any]) -> None:
    answers.write(json.dumps(figures) + "\n")
    answers.flush()


def _about(function: Callable[..., Any], arguments: tuple[Any, ...], texts: list[str], place: Place) -> dict[str, Any]:
    """Call the function for the first time; return what stands in the way of calling it elsewhere."""
    result = function(*arguments)
    if is_async := inspect.isawaitable(result):
        result = asyncio.run(_awaited(result))
    hindrances = [not_picklable(place.function, function)]
    hindrances += [not_picklable(f"the argument {text}", value) for text, value in zip(texts, arguments, strict=True)]
    hindrances.append(not_picklable(f"its result, a {type(result).__name__},", result))
    size = None if hindrances[-1] else len(pickle.dumps(result))
    shared = shared_by(function, sys.modules[place.module])
    return {"is_async": is_async, "hindrances": [it for it in hindrances if it], "result_bytes": size, "shared": shared}


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result


def _way(
    kind: str, function: Callable[..., Any], arguments: tuple[Any, ...], workers: int, ahead: int, chunk: int
) -> Loop | Workers | Tasks:
    if kind == "Loop":
        return Loop(function, arguments)
    if kind == "Tasks":
        return Tasks(function, arguments, workers)
    return Workers(kind, function, arguments, workers, ahead, chunk)


if __name__ == "__main__":
    main()
