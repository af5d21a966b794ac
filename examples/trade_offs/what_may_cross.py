"""Send things to another task and back again: what arrives, and what is refused?"""

import threading
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from concmodels import Channel, SyncModel, load
from concmodels.errors import CannotTravel

MODELS = ("threads", "processes", "subinterp")


@dataclass
class Point:
    x: int


THINGS: dict[str, object] = {
    "a small number": 7,
    "a huge number": 2**70,
    "text": "héllo",
    "a list of lists": [1, [2]],
    "a bytearray": bytearray(b"bytes"),
    "an instance of a class": Point(3),
    "a class": Point,
    "a function": len,
    "a lambda": lambda: 1,
    "a generator": (number for number in range(3)),
    "a memoryview": memoryview(b"bytes"),
    "an open file": open(__file__),  # noqa: SIM115 - it is to be sent
    "a lock": threading.Lock(),
    "a module": threading,
}


def echo(inbox: Channel[object], outbox: Channel[object]) -> None:
    for item in inbox:
        outbox.send(item)


def main(model: SyncModel) -> dict[str, str]:
    things = THINGS | {"a channel": model.Channel(), "what `share` gave": model.share(b"bytes")}
    there, back = model.Channel(1), model.Channel(1)
    with model.TaskGroup() as group, there:
        group.spawn(echo, there, back)
        return {name: tell(thing, there, back) for name, thing in things.items()}


def tell(thing: object, there: Channel[object], back: Channel[object]) -> str:
    try:
        there.send(thing)
    except CannotTravel:
        return "refused"
    arrived = back.receive()
    if arrived is thing:
        return "the same object"
    return "a copy" if type(arrived) is not type(thing) or arrived == thing else "another handle"


if __name__ == "__main__":
    answers = [model.run(main, model) for model in map(load, MODELS)]
    table = Table("there and back again", *MODELS)
    for name in answers[0]:
        table.add_row(name, *(answer[name] for answer in answers))
    Console().print(table)
