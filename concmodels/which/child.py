"""The process in which one way calls the function, round by round, until its time is over.

`python -m concmodels.which.child ORDER`; the order is JSON, and so is each line that it writes: first what it has found
in the file, then, if it is the first, what a call has told, then its rounds. What the function prints is dropped.
"""

import asyncio
import functools
import inspect
import json
import os
import pickle
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from multiprocessing import active_children
from time import monotonic
from typing import Any

from concmodels.which.function import CantCall, Place, arguments_of, described, found, not_picklable, shared_by, where
from concmodels.which.ways import Loop, Tasks, Workers, holds_gil, many


def main() -> None:
    """Import the function, tell about it, and do rounds."""
    order = json.loads(sys.argv[1])
    place = Place(*order["place"])
    sys.argv = [place.module]
    last = threading.Timer(order["limit_s"], os._exit, (1,))  # should the other side be gone
    last.daemon = True
    last.start()
    with os.fdopen(os.dup(1), "w") as answers, open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        try:
            for answer in _answers(place, order):
                print(json.dumps(answer), file=answers, flush=True)
        except CantCall as error:
            print(json.dumps({"refused": str(error)}), file=answers)
        except BaseException as error:  # noqa: BLE001 - whatever the function raises is the answer
            print(json.dumps({"failed": f"{described(error)}{where(error, place.folder)}"}), file=answers)
    for child in active_children():  # nothing that they do counts any more
        child.kill()
    os._exit(0)


def _answers(place: Place, order: dict[str, Any]) -> Iterator[dict[str, Any]]:
    function = found(place)
    arguments = arguments_of(function, place, order["arguments"])
    answer: dict[str, Any] = {"gil": sys._is_gil_enabled()}
    if order["asks_gil"]:
        answer["holds_gil"] = holds_gil(functools.partial(many, function, arguments, order["chunk"]), order["round_s"])
    yield answer
    if order["is_first"]:
        about = _about(function, arguments, order["arguments"], place)
        yield about
        order["kind"] = "Tasks" if about["is_async"] else order["kind"]
    kinds: dict[str, Any] = {"Loop": Loop, "Tasks": Tasks}
    way = kinds.get(order["kind"], Workers)(function, arguments, order)
    warm_up = {} if order["is_first"] else way.round(0.0, order["most_s"])  # which starts its workers
    if warm_up.get("unfinished"):
        yield warm_up
        return
    over = monotonic() + order["seconds"]
    while True:
        figures = way.round(order["round_s"], order["most_s"])
        yield figures
        if figures.get("unfinished") or monotonic() > over:
            return


def _about(function: Callable[..., Any], arguments: tuple[Any, ...], texts: list[str], place: Place) -> dict[str, Any]:
    """Call the function for the first time; return what stands in the way of calling it elsewhere."""
    result = function(*arguments)
    if is_async := inspect.isawaitable(result):
        result = asyncio.run(_awaited(result))
    values = {place.function: function} | {f"the argument {it}": at for it, at in zip(texts, arguments, strict=True)}
    values[f"its result, a {type(result).__name__},"] = result
    reasons = [not_picklable(what, value) for what, value in values.items()]
    size = None if reasons[-1] else len(pickle.dumps(result))
    shared = shared_by(function, sys.modules[place.module])
    return {"is_async": is_async, "hindrances": [*filter(None, reasons)], "result_bytes": size, "shared": shared}


async def _awaited(result: Awaitable[Any]) -> Any:
    return await result


if __name__ == "__main__":
    main()
