"""Functions of which it is known where they belong, for the tests of `concmodels.which`; each child imports them."""

import asyncio
import hashlib
import json
import threading
import time
import zlib

DATA = b"x" * 2_000_000
LOCK = threading.Lock()
TEXTS = []


def python():
    return sum(i * i for i in range(100_000))


def digest():
    return hashlib.sha256(DATA).hexdigest()


def deflate():
    return len(zlib.compress(DATA, 6))


def ask(sock_type="stream"):
    """Wait for an answer of another thread through a socket."""
    import socket

    here, there = socket.socketpair()
    answer = threading.Timer(0.01, there.sendall, (b"answer",))
    with here, there:
        answer.start()
        received = here.recv(100)
        answer.join()
    return received


def sleeps():
    time.sleep(0.01)


def parse():
    """Parse ten megabytes of JSON."""
    if not TEXTS:
        TEXTS.append(json.dumps([{"a": i, "b": [i] * 5} for i in range(250_000)]))
    return len(json.loads(TEXTS[0]))


def locked():
    with LOCK:
        time.sleep(0.005)


def unpicklable():
    python()
    return (i for i in range(3))


async def waits():
    await asyncio.sleep(0.01)


async def blocks():
    time.sleep(0.01)


def add(one, other=1):
    return one + other


def numbers():
    yield 1


def raises():
    raise ValueError("no such number")


def dies():
    import os
    import signal

    os.kill(os.getpid(), signal.SIGKILL)


def exits():
    import os

    os._exit(0)


def dies_of_a_real_time_signal():
    import os
    import signal

    os.kill(os.getpid(), signal.SIGRTMIN + 1)


def never():
    threading.Event().wait()


async def waits_long():
    await asyncio.sleep(0.5)


def annotated(order: Decimal) -> Decimal:  # noqa: F821 - as a program's that imports it for type checkers alone
    return order
