"""A random program of tasks that exchange items inside of time limits, groups and scopes, and are cancelled meanwhile.

Each task enters up to three blocks, one in the other, does some operations and leaves them, again and again. A driver
makes random blocks strike, serves waiting tasks in the same turn, and cancels each task once, from outside. Whatever
the order, this must hold in the end:

* Every item that was sent was received once, or is still in its channel.
* A task gets a cancellation that leaves all of its blocks only if it was cancelled from outside; and then it does get
  one, however busy its partners are. No wait goes on for ever.
* A task that has left all of its blocks, and was not cancelled from outside, has no request left.

What anyio and asyncio confuse by themselves is left out: in one turn, a task is sent requests of asyncio's or of
anyio's, not of both, and beside anyio's scopes there is no `asyncio.TaskGroup`, which cancels its task again, without
anyio's message, when it has failed. `one_turn.py` has these: it compares with what they do to a bare future.
"""

import asyncio
from collections import Counter
from contextlib import suppress
from itertools import count
from random import Random
from unittest.mock import patch

import one_turn
from one_turn import soon

from concmodels import load
from concmodels.errors import WouldBlock
from concmodels.models.waiting import select

KINDS = {
    "asyncio": ("timeout", "group", "model_group"),
    "anyio": ("timeout", "model_group", "scope", "deadline"),
}
TASKS, TURNS, PATIENCE = 5, 60, 60


class Unmeant(Exception):
    """A task was cancelled by nobody, or was cancelled and goes on."""


class Worker(one_turn.Run):
    """One task. Its blocks are those of `one_turn`, whose `strikes` are cleared when a block is left."""

    def __init__(self, world, dice):
        super().__init__(one_turn.Schedule(world.name, (), (), 0))
        self.world, self.dice = world, dice
        self.strikes = []
        self.cancelled = self.is_last = self.ended = False

    async def body(self):
        """Enter blocks and leave them, until cancelled from outside for the last time."""
        self.task = asyncio.current_task()
        while not self.ended:
            try:
                await self.inside(0, self.dice.choices(KINDS[self.world.name], k=self.dice.randrange(4)))
                if self.task.cancelling() and not self.cancelled:
                    raise Unmeant("a request has been left behind")
            except asyncio.CancelledError:
                if not self.cancelled:
                    raise Unmeant("it was raised, and nobody had cancelled the task") from None
                self.cancelled, self.ended = False, self.is_last
                while self.task.cancelling():
                    self.task.uncancel()

    async def inside(self, depth, blocks):
        """The blocks from this one on, and what is in them."""
        self.strikes[depth:] = [None]
        if depth == len(blocks):
            for _ in range(self.dice.randrange(4)):
                await self.operate()
            return
        try:
            async with getattr(self, blocks[depth])(depth):
                await self.inside(depth + 1, blocks)
        except TimeoutError:
            pass
        except ExceptionGroup:
            # asyncio's group cancels the task again, if it is cancelled from outside as well. A time limit that is
            # entered before that is raised takes the request for an old one, and swallows it.
            await asyncio.sleep(0)
        finally:
            del self.strikes[depth:]
        if self.dice.random() < 0.3:
            await self.operate()

    async def operate(self):
        """One operation."""
        world, dice = self.world, self.dice
        channel, other = dice.sample(world.channels, 2)
        item = next(world.numbers)
        verb = dice.choice(("send", "receive", "iterate", "select", "result", "handle", "pause"))
        if verb == "send":
            await channel.send(item, timeout=dice.choice((None, 3600)))
            world.sent.append(item)
        elif verb == "receive":
            world.received.append(await channel.receive(timeout=dice.choice((None, 3600))))
        elif verb == "iterate":
            async for got in channel:
                world.received.append(got)
                break
        elif verb == "select":
            done = await world.model.select(channel, (other, item))
            (world.sent if done.sent else world.received).append(done.item)
        elif verb == "result":
            await world.group.spawn(asyncio.sleep, 0).result()
        elif verb == "handle":
            await (await world.pool.submit(asyncio.sleep, 0))
        else:
            await asyncio.sleep(0)

    def strike(self):
        """Be sent requests in the next turn, all of them of one library."""
        named = [getattr(it, "__qualname__", "") for it in self.strikes]
        anyio_s = ("scope", "deadline") if self.world.name == "asyncio" else ("scope", "deadline", "model_group")
        by_anyio = [it for it, name in zip(self.strikes, named, strict=True) if it and name.split(".")[1] in anyio_s]
        native = [it for it in self.strikes if it and it not in by_anyio]
        chosen = self.dice.choice((native, by_anyio))
        for strike in self.dice.sample(chosen, self.dice.randint(0, len(chosen))):
            strike()
        if chosen is native and not self.cancelled and self.dice.random() < 0.3:
            self.cancel()

    def cancel(self):
        """Cancel it from outside, if the last time was noticed."""
        if not self.cancelled:
            self.cancelled = True
            soon(lambda: self.task.cancel("from outside"))


class World:
    """One program: the tasks, their channels, and what was sent and received."""

    def __init__(self, name, seed):
        self.name, self.model, self.dice = name, load(name), Random(seed)
        self.sent, self.received, self.numbers = [], [], count()

    async def run(self):
        """Perform it and check what has come of it."""
        self.channels = [self.model.Channel(bound) for bound in (0, 0, 1, 3, float("inf"))]
        async with self.model.TaskGroup() as self.group, self.model.Pool(2) as self.pool:
            workers = [Worker(self, Random(self.dice.random())) for _ in range(TASKS)]
            for worker in workers:
                self.group.spawn(worker.body)
            await asyncio.sleep(0)
            for _ in range(TURNS):
                await self.turn(workers)
            for worker in workers:
                worker.is_last = True
                worker.cancel()
            await self.wait_for_the_end(workers)
        left = [channel.receive_nowait() for channel in self.channels for _ in range(len(channel))]
        assert Counter(self.sent) == Counter(self.received + left), "an item was lost, or was there twice"

    async def turn(self, workers):
        """Serve and strike in one turn, in any order; then let the tasks go on for a few."""
        acts = [worker.strike for worker in workers if not worker.ended] + [self.serve] * 3
        self.dice.shuffle(acts)
        for act in acts:
            act()
        for _ in range(self.dice.randint(3, 6)):
            await asyncio.sleep(0)

    def serve(self):
        """Be a partner of somebody who waits, in the next turn."""
        channel, item = self.dice.choice(self.channels), next(self.numbers)
        sends = self.dice.random() < 0.5

        def act():
            with suppress(WouldBlock):
                if sends:
                    channel.send_nowait(item)
                    self.sent.append(item)
                else:
                    self.received.append(channel.receive_nowait())

        soon(act)

    async def wait_for_the_end(self, workers):
        """Give each cancelled task some turns, in which it is served all the time."""
        for _ in range(PATIENCE):
            if all(worker.ended for worker in workers):
                return
            self.serve()
            await asyncio.sleep(0)
        for worker in workers:
            worker.task.cancel()
        raise Unmeant("a task was cancelled and goes on")


def perform(name, seed):
    """Run the program of this seed; `select` throws seeded dice as well."""
    world = World(name, seed)
    with patch.object(select, "dice", Random(seed).random):
        world.model.run(world.run)
