"""What may not travel to another process: a function without an importable name, a lock, an exception with a lock."""

import textwrap
import threading
from collections.abc import Callable

from concmodels import SyncModel, load
from concmodels.errors import CannotTravel, RemoteError


class Locked(Exception):
    def __init__(self) -> None:
        super().__init__(threading.Lock())


def fail() -> None:
    raise Locked


def main(model: SyncModel) -> None:
    calls: list[tuple[Callable[[object], object], object]] = [(lambda it: it, 1), (print, threading.Lock())]
    for function, argument in calls:
        try:
            with model.TaskGroup() as group:
                group.spawn(function, argument)
        except* CannotTravel as refused:
            print(textwrap.fill(f"refused: {refused.exceptions[0]}", 88, subsequent_indent="    "))
    try:
        with model.TaskGroup() as group:
            group.spawn(fail)
    except* RemoteError as group:
        print("arrived as RemoteError:", str(group.exceptions[0]).splitlines()[0])


if __name__ == "__main__":
    model = load("processes")
    model.run(main, model)
