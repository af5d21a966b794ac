"""Two tasks that put each other to sleep and awake, millions of times: is a wake-up ever lost?

Who finds nothing to do says "I wait", looks once more, and sleeps. Who makes progress stores it, then looks whether
somebody waits. A processor may do the two steps of either side in the other order (x86 does: a load overtakes an
earlier store), and then both miss each other: one sleeps for ever. Only a full fence between the steps forbids it. The
moment is some nanoseconds long, so both sides spin for a random time to hit it, and there are millions of tries.
"""

import math

from concmodels.errors import ChannelClosed

LIMIT_S = 30
"""Without any progress for so long, somebody sleeps who should not."""


class LostWakeUp(Exception):
    """Nothing goes on, though there is something to do."""


def spins(seed):
    """For ever a number of spins: mostly few, sometimes up to 255."""
    while True:
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        yield (seed >> 16) & ((2 << (seed >> 8 & 7)) - 1)


def serve(outgoing, rounds, seed):
    """Send all the numbers, each after a short while."""
    idle = spins(seed)
    for number in range(rounds):
        for _ in range(next(idle)):
            pass
        outgoing.send(number)
    outgoing.close()


def ping(outgoing, incoming, rounds, seed, progress):
    """Send a number, and the next one when it has come back."""
    idle = spins(seed)
    for number in range(rounds):
        for _ in range(next(idle)):
            pass
        outgoing.send(number)
        if incoming.receive() != number:
            raise ValueError(f"{number} came back as another")
        if not number & 0xFFF:
            progress.send(number)
    outgoing.close()
    progress.close()


def pong(incoming, outgoing, seed):
    """Send back what comes."""
    idle = spins(seed)
    for number in incoming:
        for _ in range(next(idle)):
            pass
        outgoing.send(number)


def sink(incoming, rounds, seed, progress):
    """Receive all the numbers, each after a short while."""
    idle, due = spins(seed), 0
    for number in incoming:
        if number != due:
            raise ValueError(f"{number} came when {due} was due")
        due += 1
        for _ in range(next(idle)):
            pass
        if not number & 0xFFF:
            progress.send(number)
    if due != rounds:
        raise ValueError(f"only {due} of {rounds} came")
    progress.close()


def table_tennis(model, capacity, rounds):
    """Two channels, one message: each hand-over finds the other side asleep, or about to be."""
    there, back, progress = model.Channel(capacity), model.Channel(capacity), model.Channel(math.inf)
    with model.TaskGroup() as group:
        group.spawn(ping, there, back, rounds, 1, progress)
        group.spawn(pong, there, back, 2)
        watch(progress, {"there": there, "back": back})
    return 2 * rounds


def narrow_stream(model, capacity, rounds):
    """One channel with hardly any model: now the sender waits, now the receiver."""
    channel, progress = model.Channel(capacity), model.Channel(math.inf)
    with model.TaskGroup() as group:
        group.spawn(serve, channel, rounds, 3)
        group.spawn(sink, channel, rounds, 4, progress)
        watch(progress, {"channel": channel})
    return rounds


def watch(progress, channels):
    """Wait for the end. Raises `LostWakeUp` when nothing goes on, and says how things stand."""
    latest = -1
    while True:
        try:
            latest = progress.receive(LIMIT_S)
        except ChannelClosed:
            return
        except TimeoutError:
            stand = "; ".join(f"{name}: {_stand(channel)}" for name, channel in channels.items())
            raise LostWakeUp(f"nothing since message {latest} or soon after; {stand}") from None


def _stand(channel):
    """How a channel stands, read out of the arena."""
    from concmodels.models.memory.channels.layout import HEAD, RECEIVERS, SENDERS, TAIL

    control = channel._control
    waiting = [name for name, at in (("receiver", RECEIVERS), ("sender", SENDERS)) if control[at]]
    return (
        f"head {control[HEAD]}, tail {control[TAIL]}, capacity {channel.capacity}, in its lists: {waiting or 'nobody'}"
    )
