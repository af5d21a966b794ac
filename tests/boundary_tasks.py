"""Functions for the tasks of `boundaries.py`. Each child imports this file, so it imports nothing that is heavy."""

import math
import os
import sys

from concmodels.errors import ChannelClosed


def echo(incoming, outgoing):
    for item in incoming:
        outgoing.send(item)
    outgoing.close()


def wait_for_ever(model, ready=None):
    if ready is not None:
        ready.send(os.getpid())
    model.sleep(3600)


def fork_below(model, ready):
    pid = os.fork()
    if pid == 0:
        from signal import pause

        pause()
        os._exit(0)
    ready.send(pid)
    wait_for_ever(model, ready)


def receive_for_ever(channel):
    channel.receive()


def compute_for_ever(ready=None):
    if ready is not None:
        ready.send(os.getpid())
    while True:
        pass


def stream_for_ever(model, channel, ready):
    ready.send(1)
    mine = model.Channel(8)
    while True:
        mine.send(1)
        mine.receive()


class OwnError(Exception):
    def __init__(self, number):
        super().__init__(number)
        self.number = number


class Stubborn(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


class Poisoned:
    def __reduce__(self):
        return int, ("this is no number",)


def fail(error):
    raise error


def raise_own(number):
    raise OwnError(number)


def raise_stubborn():
    raise Stubborn(1, 2)


def exit_with(status):
    raise SystemExit(status)


def leave_without_a_word():
    os._exit(7)


def lambda_result():
    return lambda: 1


def close_stdout():
    os.close(1)
    sys.stdout = None
    return "done"


def modules():
    return sorted(sys.modules)


def identity(value):
    return value


def spawn_below(model, depth, channel):
    if depth == 0:
        channel.send(os.getpid())
        return 1
    with model.TaskGroup() as group:
        task = group.spawn(spawn_below, model, depth - 1, channel)
    return task.result() + 1


def send_channel(model, outgoing):
    made_here = model.Channel(math.inf, name="made in a child")
    made_here.send("first")
    outgoing.send(made_here)
    made_here.send("second")
    made_here.close()


def send_range(channel, start, stop):
    for number in range(start, stop):
        channel.send(number)


def count_into(incoming, outgoing):
    outgoing.send(list(incoming))


def swallow(model, ready):
    times = 0
    ready.send(None)
    try:
        while times < 3:
            try:
                model.sleep(60)
            except model.Cancelled:
                times += 1
    finally:
        ready.send_nowait(times)
    raise model.Cancelled


def nest(model, ready):
    with model.TaskGroup() as group:
        group.spawn(wait_for_ever, model, ready, name="victim")


def receive_into(channel, results):
    results.send(channel.receive())


def send_or_tell(channel, item, results):
    try:
        channel.send(item)
    except ChannelClosed:
        results.send("refused")


def hammer(channel, results, timeout, start):
    sent = []
    for number in range(start, start + 200):
        try:
            channel.send(number, timeout)
            sent.append(number)
        except TimeoutError:
            pass
    results.send(sent)
