"""The programs on Pykka, whose actors are threads.

Pykka restarts nothing: an actor that fails has ended, and its mailbox with it. So here the caller starts another one.
"""

import logging
import queue
from importlib.metadata import version
from time import perf_counter
from typing import Any

from benchmarks.actors import wrong
from benchmarks.calls import Took
from benchmarks.cell import NotHere


def run(program: str, **sizes: int) -> Took:
    """Run a program, and say which Pykka it was."""
    try:
        import pykka
    except ImportError as error:
        raise NotHere(f"pykka can't be imported: {error}") from None
    logging.getLogger("pykka").setLevel(logging.CRITICAL)  # it logs each failure, with a traceback
    try:
        seconds = {"ring": ring, "ask": ask, "failure": failure}[program](pykka, *sizes.values())
    finally:
        pykka.ActorRegistry.stop_all()
    return seconds, {"versions": {"pykka": version("pykka")}}


def ring(pykka: Any, nodes: int, messages: int) -> float:
    """Send messages round."""

    class Node(pykka.ThreadingActor):  # type: ignore[misc, name-defined]
        def __init__(self, following: Any) -> None:
            super().__init__()
            self.following = following

        def on_receive(self, message: int) -> None:
            if self.following is None:
                done.put(message)
            else:
                self.following.tell(message)

    done: queue.SimpleQueue[int] = queue.SimpleQueue()
    first = None
    for _ in range(nodes):
        first = Node.start(first)
    assert first is not None
    first.tell(-1)
    done.get()
    begin = perf_counter()
    for message in range(messages):
        first.tell(message)
    came = [done.get() for _ in range(messages)]
    took = perf_counter() - begin
    if came != list(range(messages)):
        raise wrong("other messages came round")
    return took


def echo_of(pykka: Any) -> Any:
    """Return the class of an actor that answers with the question; a negative one fails."""

    class Echo(pykka.ThreadingActor):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.number = 0

        def on_receive(self, message: int) -> int:
            if message < 0:
                raise LookupError(message)
            self.number += 1
            return message

    return Echo


def ask(pykka: Any, messages: int) -> float:
    """Ask an actor."""
    echo = echo_of(pykka).start()
    echo.ask(0)
    begin = perf_counter()
    answers = [echo.ask(message) for message in range(messages)]
    took = perf_counter() - begin
    if answers != list(range(messages)):
        raise wrong("other answers came")
    return took


def failure(pykka: Any, messages: int) -> float:
    """Have an actor fail, start another one when it has ended, and ask that."""
    kind = echo_of(pykka)
    echo = kind.start()
    echo.ask(0)
    begin = perf_counter()
    for message in range(messages):
        echo.tell(-1)
        try:
            echo.ask(message)
        except pykka.ActorDeadError:
            echo = kind.start()
        if echo.ask(message) != message:
            raise wrong("another answer came")
    return perf_counter() - begin
