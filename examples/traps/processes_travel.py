"""What may not travel to another process: a function without an importable name, a lock, an exception with a lock."""

import textwrap
import threading

from concmodels import load
from concmodels.errors import CannotTravel, RemoteError


class Locked(Exception):
    def __init__(self):
        super().__init__(threading.Lock())


def fail():
    raise Locked


def main(model):
    for function, argument in ((lambda it: it, 1), (print, threading.Lock())):
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
