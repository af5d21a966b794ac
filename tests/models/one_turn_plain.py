"""The same question for the models whose library throws, or cancels scopes: gevent, eventlet, trio, anyio on trio.

Here each request is an exception of its own, or a scope that stays cancelled, so nothing can be counted wrongly. What
must hold can be said outright, and needs no comparison: if the partner was first, the operation returns; a block that
has been left by the next wait is not heard of any more; every other request is, or the one that was raised before it
ended the block that it was for; and a task that was cancelled from outside ends.
"""

from contextlib import suppress
from itertools import permutations, product

import anyio
import eventlet
import trio
from greenlet import getcurrent

from concmodels import catalog, load
from concmodels.errors import WouldBlock

if catalog.why_not("gevent") is None:  # its import would switch the GIL on again for all other tests
    import gevent

PARTNER, CANCEL = "the partner", "Task.cancel"
GREEN, SCOPED = ("gevent", "eventlet"), ("trio", "anyio:trio")
TURNS = 30
"""So many turns after the acts nothing moves any more."""

NEXT_WAITS = ("receive", "the library's sleep")


def schedules():
    """All orders of the partner and some requests, in up to two blocks; some of these are left before the next wait."""
    for depth in range(3):
        for number in range(1, depth + 2):
            for acts in permutations([PARTNER, CANCEL, *range(depth)], number + 1):
                if PARTNER in acts:
                    yield from product([depth], [acts], range(depth + 1), NEXT_WAITS)


def check(log, depth, acts, around):
    """What must hold."""
    case = (log, depth, acts, around)
    requests = [act for act in acts if act != PARTNER]
    assert "hangs" not in log, case
    assert ("done" in log) == (acts[0] == PARTNER), case
    assert (log[-1] == "cancelled") == (CANCEL in acts), case
    struck = [entry for entry in log if isinstance(entry, int)]
    heard_of = [act for act in requests if act != CANCEL and (acts[0] != PARTNER or act < around)]
    assert {*struck} <= {*heard_of} and len(struck) == len({*struck}), case
    assert struck or not heard_of or CANCEL in acts, case


class Run:
    """A run of one schedule."""

    def __init__(self, name, depth, acts, around, next_wait):
        self.name, self.model = name, load(name)
        self.depth, self.acts, self.around, self.next_wait = depth, acts, around, next_wait
        self.log = []

    def expects_more(self):
        """Whether something must be raised in the next wait: then it has no end of its own."""
        left = [act for act in self.acts if act != PARTNER]
        return self.acts[0] == PARTNER and any(act == CANCEL or act < self.around for act in left)


def serve(channel):
    """The partner."""
    with suppress(WouldBlock):
        channel.send_nowait("item")


class GreenRun(Run):
    """A run on gevent or eventlet, whose timeouts are thrown in the turn of the hub in which the partner comes."""

    def __init__(self, *schedule):
        super().__init__(*schedule)
        self.native = gevent if self.name == "gevent" else eventlet
        self.timeouts = [self.native.Timeout(3600) for _ in range(self.depth)]
        for timeout in self.timeouts:
            timeout.cancel()

    def body(self, channel):
        """The task."""
        self.unit = getcurrent()
        try:
            self.inside(0, channel)
            self.settle()
            self.log.append("ended")
        except self.model.Cancelled:
            self.log.append("cancelled")

    def inside(self, number, channel):
        """A block and what is in it."""
        if number == self.depth:
            channel.receive()
            self.log.append("done")
        else:
            try:
                with self.timeouts[number]:
                    self.inside(number + 1, channel)
            except self.native.Timeout as error:
                self.log.append(self.timeouts.index(error))
        if number == self.around:
            self.wait()

    def wait(self):
        """The next wait; a few turns of the hub if nothing should be raised."""
        if not self.expects_more():
            self.settle()
        elif self.next_wait == "receive":
            self.model.Channel(0).receive()
        else:
            self.native.sleep(3600)

    def settle(self):
        """Let the hub do what it has to."""
        for _ in range(5):
            self.native.sleep(0)

    def main(self):
        """Do all acts in one turn of the hub."""
        channel = self.model.Channel(0)
        with self.model.TaskGroup() as group:
            task = group.spawn(self.body, channel)
            while not channel._receivers:
                self.model.sleep(0)
            for act in self.acts:
                self.in_the_next_turn(self.act(act, channel, task))
            for _ in range(TURNS):
                self.native.sleep(0)
            if not task.done():
                self.log.insert(0, "hangs")
                task.cancel()
        return self.log

    def act(self, act, channel, task):
        """What this act does."""
        if act == PARTNER:
            return lambda: serve(channel)
        if act == CANCEL:
            return task.cancel
        return lambda: self.timeouts[act].pending and self.unit.throw(self.timeouts[act])

    def in_the_next_turn(self, act):
        """Have the hub call this."""
        if self.native is eventlet:
            eventlet.hubs.get_hub().schedule_call_global(0, act)
        else:
            gevent.get_hub().loop.run_callback(act)


class ScopedRun(Run):
    """A run on trio, whose scopes are cancelled before the task that the partner serves runs again."""

    def __init__(self, *schedule):
        super().__init__(*schedule)
        self.scopes = [None] * self.depth

    async def body(self, channel):
        """The task; what `Task.cancel` raises can't be seen from the inside, but that it did not go on."""
        self.log.append("cancelled")
        await self.inside(0, channel)
        await self.settle()
        self.log.append("ended")

    async def inside(self, number, channel):
        """A block and what is in it."""
        if number == self.depth:
            await channel.receive()
            self.log.insert(0, "done")
        else:
            with trio.CancelScope() if self.name == "trio" else anyio.CancelScope() as self.scopes[number]:
                await self.inside(number + 1, channel)
            if self.scopes[number].cancelled_caught:
                self.log.insert(0, number)
        if number == self.around:
            await self.wait()

    async def wait(self):
        """The next wait; a few turns of the loop if nothing should be raised."""
        if not self.expects_more():
            await self.settle()
        elif self.next_wait == "receive":
            await self.model.Channel(0).receive()
        else:
            await trio.sleep(3600)

    async def settle(self):
        """Let the loop do what it has to."""
        for _ in range(5):
            await trio.lowlevel.checkpoint()

    async def main(self):
        """Do all acts in one turn."""
        channel = self.model.Channel(0)
        async with self.model.TaskGroup() as group:
            task = group.spawn(self.body, channel)
            while not channel._receivers:
                await self.model.sleep(0)
            for act in self.acts:
                if act == PARTNER:
                    serve(channel)
                elif act == CANCEL:
                    task.cancel()
                else:
                    self.scopes[act].cancel()
            for _ in range(TURNS):
                await trio.lowlevel.checkpoint()
            if not task.done():
                self.log.insert(0, "hangs")
                task.cancel()
        return self.log
