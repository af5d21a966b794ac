"""How a program is performed: what its tasks do, and what the main task does meanwhile.

Written with `await`; `plain.py` is this text without. Children import it.

A note is (task, step, part, moment, outcome): a call begins (its outcome is None) or has ended. An outcome is
(what, channel, item). In one process the notes go into a list, across a memory boundary through a channel.
"""

import socket
from ast import literal_eval
from collections import deque
from contextlib import suppress
from math import inf
from time import monotonic_ns

from concmodels.errors import ChannelClosed, SocketClosed, WouldBlock

from .program import BLOCKED, BUSY, CANCELLED, CLOSED, DONE, NOWAIT, RECEIVED, SENT, SHUT, SOCKET, script

ITEM_BYTES = 16


class Notes(list):
    """A list that is written to like a channel."""

    send_nowait = list.append


class Line:
    """Two connected sockets, with the operations of a channel: each waits for a socket and then uses it."""

    def __init__(self, model):
        self.verbs = model
        self.ours, self.theirs = self.ends = socket.socketpair()
        for end in self.ends:
            end.setblocking(False)

    async def receive(self, timeout):
        """Receive an item; wait again if another task was quicker."""
        while True:
            await self.verbs.wait_readable(self.ours, timeout)
            with suppress(WouldBlock):
                return self.receive_nowait()

    def receive_nowait(self):
        """Receive an item without waiting."""
        try:
            data = self.ours.recv(ITEM_BYTES)
        except BlockingIOError:
            raise WouldBlock from None
        except OSError:
            raise SocketClosed from None
        if not data:
            raise ChannelClosed
        try:
            return literal_eval(data.decode().strip())
        except SyntaxError, ValueError:
            return data  # it was not sent like this: no history explains it

    async def send(self, item, timeout):
        """Send an item."""
        await self.verbs.wait_writable(self.theirs, timeout)
        self.send_nowait(item)

    def send_nowait(self, item):
        """Send an item without waiting."""
        try:
            self.theirs.send(repr(item).encode().ljust(ITEM_BYTES))
        except ConnectionError:
            raise ChannelClosed from None

    def close(self):
        """Send no more; what was sent can be received."""
        with suppress(OSError):  # where the other side has gone
            self.theirs.shutdown(socket.SHUT_WR)

    def notify(self):
        """Wake all who wait."""
        for end in self.ends:
            self.verbs.notify_closing(end)

    def shut(self):
        """Close the socket that is received from."""
        self.verbs.notify_closing(self.ours)
        self.ours.close()

    def end(self):
        """Close both sockets when nobody uses them."""
        for end in self.ends:
            end.close()


class Player:
    """Performs the operations of one task, and notes what happens."""

    def __init__(self, model, task, channels, notes, timeouts, handles=()):
        self.verbs, self.task, self.channels, self.timeouts, self.handles = model, task, channels, timeouts, handles
        self.note = notes.send_nowait

    async def perform(self, operations, first=0):
        """One after the other."""
        for step, operation in enumerate(operations, first):
            if operation.verb == "pause":
                await self.verbs.sleep(0)
            elif operation.verb == "iterate":
                await self.iterate(step, operation)
            else:
                await self.repeat(step, operation)

    async def repeat(self, step, operation):
        """So many times, as long as something comes of it."""
        for part in range(operation.count):
            self.note((self.task, step, part, monotonic_ns(), None))
            try:
                outcome = await self.attempt(operation)
            except self.verbs.Cancelled:
                self.cancelled(step, part)
                raise
            self.note((self.task, step, part, monotonic_ns(), outcome))
            if outcome[0] in (CLOSED, BLOCKED, SHUT):
                return

    async def iterate(self, step, operation):
        """Each turn of the loop is a call of its own."""
        ((channel, _),) = operation.cases
        part = 0
        self.note((self.task, step, part, monotonic_ns(), None))
        try:
            async for item in self.channels[channel]:
                self.note((self.task, step, part, monotonic_ns(), (RECEIVED, channel, item)))
                part += 1
                if part == operation.count:
                    return
                self.note((self.task, step, part, monotonic_ns(), None))
        except self.verbs.Cancelled:
            self.cancelled(step, part)
            raise
        self.note((self.task, step, part, monotonic_ns(), (CLOSED, channel, None)))

    def cancelled(self, step, part):
        """The call has ended because its task was cancelled."""
        self.note((self.task, step, part, monotonic_ns(), (CANCELLED, None, None)))

    async def attempt(self, operation):
        """Do it, and return what came of it."""
        due = WouldBlock if operation.patience == NOWAIT else TimeoutError
        try:
            return await self.do(operation)
        except ChannelClosed:
            return (CLOSED, operation.cases[0][0], None)
        except due:
            return (BLOCKED, None, None)
        except SocketClosed:
            return (SHUT, operation.cases[0][0], None)
        except RuntimeError as error:
            if "another task waits until" not in str(error):
                raise
            return (BUSY, operation.cases[0][0], None)

    async def do(self, operation):
        """Do it; raises what the model raises."""
        if operation.verb == "select":
            return await self.select(operation)
        ((number, item),) = operation.cases
        if operation.verb == "cancel":
            self.handles[number].cancel()
            return (DONE, None, None)
        channel = self.channels[number]
        if operation.verb in ("close", "notify", "shut"):
            getattr(channel, operation.verb)()
            return (DONE, number, None)
        if operation.patience == NOWAIT:
            return self.do_nowait(channel, number, item)
        timeout = self.timeouts[operation.patience]
        if item is None:
            return (RECEIVED, number, await channel.receive(timeout))
        await channel.send(item, timeout)
        return (SENT, number, item)

    def do_nowait(self, channel, number, item):
        """The same without waiting."""
        if item is None:
            return (RECEIVED, number, channel.receive_nowait())
        channel.send_nowait(item)
        return (SENT, number, item)

    async def select(self, operation):
        """Turn what `select` returns into an outcome."""
        cases = [
            self.channels[channel] if item is None else (self.channels[channel], item)
            for channel, item in operation.cases
        ]
        timeout = self.timeouts[operation.patience]
        chosen = await self.verbs.select(*cases, timeout=timeout, priority=operation.priority)
        (number,) = [number for number, channel in enumerate(self.channels) if channel is chosen.channel]
        if chosen.closed:
            return (CLOSED, number, None)
        return (SENT if chosen.sent else RECEIVED, number, chosen.item)


async def work(model, task, operations, channels, gate, notes, news, timeouts, handles):
    """One task of a program: wait for the start, perform, tell the end."""
    player = Player(model, task, channels, notes, timeouts, handles)
    news.send_nowait(None)
    try:
        try:
            await gate.receive()
        except ChannelClosed:
            pass  # that is the start
        await player.perform(operations)
    except model.Cancelled:
        player.note((task, len(operations), 0, monotonic_ns(), None))
        player.cancelled(len(operations), 0)
        news.send_nowait(None)
        raise
    news.send_nowait(None)


async def serve(model, inbox):
    """One of a team that stays for many programs."""
    async for part in inbox:
        await work(model, *part)


class Play:
    """One performance of a program, seen from the main task."""

    def __init__(self, program, setting):
        self.program, self.setting = program, setting
        model = setting.verbs
        self.channels = [
            Line(model) if capacity == SOCKET else setting.make(capacity) for capacity in program.capacities
        ]
        self.gate, self.news = model.Channel(), model.Channel(inf)
        self.notes = setting.notes = Notes()  # the setting's: for a report on a model that fails
        self.me = Player(model, len(program.tasks), self.channels, self.notes, setting.timeouts)
        self.acts, self.steps = deque(script(program)), 0

    async def begin(self, hand_out):
        """Hand out the parts; open the gate once all are there: a task that has not begun can't note its end."""
        notes, handles = self.news if self.setting.boundary else self.notes, []
        for task, operations in enumerate(self.program.tasks):
            part = (task, operations, self.channels, self.gate, notes, self.news, self.setting.timeouts, handles)
            handles.append(hand_out(part))
        for _ in self.program.tasks:
            await self.news.receive()
        self.gate.close()

    async def watch(self):
        """Until the tasks have ended. False if somebody should go on and does not: that is a lost wake-up."""
        model, setting, working = self.setting.verbs, self.setting, len(self.program.tasks)
        pause, until = setting.quiet, model.now() + setting.patience
        while working:
            try:
                news = await self.news.receive(pause)
            except TimeoutError:
                if len(self.acts) > 1 and setting.stands_still(self.program, list(self.notes)):
                    await self.act()
                    pause, until = setting.quiet, model.now() + setting.patience
                elif model.now() > until:
                    return False
                else:
                    pause = min(2 * pause, 0.1)
                continue
            if news is None:
                working -= 1
            else:
                self.notes.append(news)
                pause = setting.quiet
        return True

    async def act(self):
        """Do the next thing that may help them on."""
        act = self.acts.popleft()
        await self.me.perform(act, self.steps)
        self.steps += len(act)

    async def finish(self):
        """The tasks have ended: close what is open, and look what is left."""
        while self.acts:
            await self.act()
        for channel in self.channels:
            if isinstance(channel, Line):
                channel.end()


async def play(program, setting, hand_out):
    """Perform it; returns the notes, and whether all tasks have ended."""
    it = Play(program, setting)
    await it.begin(hand_out)
    ended = await it.watch()
    if ended:
        await it.finish()
    return it.notes, ended


async def play_alone(program, setting):
    """Perform it with tasks that are spawned for it."""
    model = setting.verbs
    async with model.TaskGroup() as group:
        notes, ended = await play(program, setting, lambda part: group.spawn(work, model, *part))
        if not ended:
            group.cancel()
    return notes, ended


async def lead(setting, size, use):
    """Return `use(play)`, where `play` has a team of so many tasks; what it raises leaves once the team is gone."""
    model, value, failure = setting.verbs, None, None
    async with model.TaskGroup() as group:
        inboxes = [model.Channel(inf) for _ in range(size)]
        for inbox in inboxes:
            group.spawn(serve, model, inbox)
        try:
            value = use(lambda program: play(program, setting, lambda part: inboxes[part[0]].send_nowait(part)))
        except BaseException as error:  # noqa: BLE001 - raised again below, and not as part of a group
            failure = error
        for inbox in inboxes:
            inbox.close()
        if failure is not None:
            group.cancel()
    if failure is not None:
        raise failure
    return value
