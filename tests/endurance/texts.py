"""The tasks, async; `plain.py` is the same text as sync code.

A stream never has more than a few WINDOWs of messages under way, also where the channel has no bound: its receivers
hand back a credit for each WINDOW that they got. So ten million messages need no more memory than a hundred thousand.
"""

import math

from endurance.accounts import Account, Wrong, must_be_exactly_once

WINDOW = 50_000
SENDERS, RECEIVERS = 3, 2


async def send_numbers(channel, credits, start, stop):
    """Send these numbers, a window at a time."""
    for first in range(start, stop, WINDOW):
        await credits.receive()
        for number in range(first, min(first + WINDOW, stop)):
            await channel.send(number)


async def receive_in_order(channel, credits):
    """Receive 0, 1, 2 ... to the end of the channel; return how many there were."""
    due = 0
    async for number in channel:
        if number != due:
            raise Wrong(f"{number} came when {due} was due")
        due += 1
        if not due % WINDOW:
            await credits.send(None)
    return due


async def receive_any(channel, credits, messages, share):
    """Receive some of the numbers of several senders; return which."""
    account, got = Account(messages, share), 0
    async for number in channel:
        account.enter(number)
        got += 1
        if not got % WINDOW:
            await credits.send(None)
    return account.seen()


async def first_credits(model, count):
    """A channel with so many credits in it."""
    credits = model.Channel(math.inf)
    for _ in range(count):
        await credits.send(None)
    return credits


async def stream(model, capacity, messages):
    """One sender, one receiver; return how many messages came, each in its turn."""
    channel, credits = model.Channel(capacity), await first_credits(model, 2)
    async with model.TaskGroup() as group:
        receiver = group.spawn(receive_in_order, channel, credits)
        sender = group.spawn(send_numbers, channel, credits, 0, messages)
        await sender.result()
        channel.close()
    return await receiver.result()


async def crowd(model, capacity, messages):
    """Several senders and receivers on one channel: each message to one receiver, each sender's in order."""
    # One credit more than there are receivers: each may sit on most of a window, and one must always be left.
    channel, credits = model.Channel(capacity), await first_credits(model, RECEIVERS + SENDERS)
    share = messages // SENDERS
    messages = share * SENDERS
    async with model.TaskGroup() as group:
        receivers = [group.spawn(receive_any, channel, credits, messages, share) for _ in range(RECEIVERS)]
        async with model.TaskGroup() as senders:
            for first in range(0, messages, share):
                senders.spawn(send_numbers, channel, credits, first, first + share)
        channel.close()
    must_be_exactly_once([await receiver.result() for receiver in receivers], messages)
    return messages
