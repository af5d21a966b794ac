"""The tasks of `test_boundary_deadlocks.py`. Each child imports this file, so it imports nothing that is heavy."""

import time

LATER = 0.5


def receive(channel):
    channel.receive()  # the line in which it waits


def choose(model, one, two):
    model.select(one, (two, "item"))  # the line of the choice


def send(channel):
    channel.send("item")  # the line in which it sends


def send_later(model, channel):
    model.sleep(LATER)
    channel.send("late")


def send_from_a_thread(channel):
    import threading

    threading.Timer(LATER, channel.send, ("late",)).start()
    channel.receive()


def compute(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return "computed"


def play(channel, other, rounds):
    for number in range(rounds):
        channel.receive()
        other.send(number)
