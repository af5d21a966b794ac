"""The programs on `concmodels.actors`, on a sync model."""

from math import inf
from time import perf_counter
from typing import Any

from benchmarks.actors import wrong
from benchmarks.calls import not_without
from concmodels import actors, load


def run(model: str, program: str, **sizes: int) -> float:
    """Run a program on a model."""
    not_without(model)
    loaded = load(model)
    seconds: float = loaded.run({"ring": ring, "ask": ask, "failure": failure}[program], loaded, *sizes.values())
    return seconds


class Node(actors.Actor):
    """Passes each message on, to an actor or to the caller's channel."""

    def __init__(self, following: Any, done: Any) -> None:
        self.following, self.done = following, done

    def receive(self, message: int) -> None:
        """Pass it on."""
        if self.following is None:
            self.done.send(message)
        else:
            self.following.tell(message)


class Echo(actors.Actor):
    """Answers with the question; a negative one fails."""

    def __init__(self) -> None:
        self.number = 0

    def receive(self, message: int) -> int:
        """Count it, and answer."""
        if message < 0:
            raise LookupError(message)
        self.number += 1
        return message


def ring(model: Any, nodes: int, messages: int) -> float:
    """Send messages round."""
    done = model.Channel(inf)
    with actors.system(model) as system:
        first = None
        for _ in range(nodes):
            first = system.start(Node, first, done)
        assert first is not None
        first.tell(-1)
        done.receive()
        begin = perf_counter()
        for message in range(messages):
            first.tell(message)
        came = [done.receive() for _ in range(messages)]
        took = perf_counter() - begin
    if came != list(range(messages)):
        raise wrong("other messages came round")
    return took


def ask(model: Any, messages: int) -> float:
    """Ask an actor."""
    with actors.system(model) as system:
        echo = system.start(Echo)
        echo.ask(0)
        begin = perf_counter()
        answers = [echo.ask(message) for message in range(messages)]
        took = perf_counter() - begin
    if answers != list(range(messages)):
        raise wrong("other answers came")
    return took


def failure(model: Any, messages: int) -> float:
    """Have an actor fail, and ask it then."""
    with actors.system(model) as system:
        echo = system.start(Echo, on_failure=actors.restart(messages))
        echo.ask(0)
        begin = perf_counter()
        for message in range(messages):
            echo.tell(-1)
            if echo.ask(message) != message:
                raise wrong("another answer came")
        return perf_counter() - begin
