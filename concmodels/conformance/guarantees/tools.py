"""The tools with which the chapters are written."""

import math

from concmodels.errors import ChannelClosed, WouldBlock

INF = math.inf
CAPACITIES = (0, 1, 3, INF)
BOUNDED = (0, 1, 3)

FOR_EVER = 3600
"""Seconds: somebody else has to end this wait."""

PATIENCE = 15
"""Seconds to wait for what must come; a library that breaks its guarantee is found by this, not by a hang."""

PAUSE = 0.02
"""Seconds in which the others most likely reach their wait. No verdict depends on it."""


def everybody(_facts):
    """All models."""
    return True


def cooperative(facts):
    """The cooperative models."""
    return not facts.preemptive


def of_one_process(facts):
    """The models without a memory boundary, where a cancelled task knows of it at once."""
    return facts.family not in ("boundary", "cluster")


def patient(facts):
    """The models whose tasks use no CPU while they wait."""
    return not facts.polls


def variant(facts):
    """The models that are not the default of their file."""
    from concmodels import catalog

    return facts.variant is not None and ":" in catalog.name_of(facts)


def telling_of_swallowing(facts):
    """The models whose facts say whether a swallowed cancellation is raised again."""
    return facts.raised_again is not None


def guarantee(by=everybody, needs=None, uses=(), **choices):
    """Mark a function as a guarantee of these models; it is tested for every combination of the values in `choices`.

    `needs` names the parts of the vocabulary that the guarantee is about: only a model that implements them itself
    gives the guarantee. By default these are the chapter's `NEEDS`. Parts that the guarantee merely uses need not be
    named. `uses` names libraries that start something when they are imported, and keep it: threads, for example.
    """

    def mark(function):
        function.by, function.uses, function.choices = by, uses, choices
        function.needs = function.__globals__.get("NEEDS", ()) if needs is None else needs
        return function

    return mark


class raises:
    """`with raises(...)` fails unless its block raises one of these exceptions."""

    def __init__(self, *kinds):
        self.kinds = kinds
        self.error = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        assert error is not None, f"{' or '.join(kind.__name__ for kind in self.kinds)} was due, and nothing was raised"
        self.error = error
        as_due = isinstance(error, self.kinds)
        if not as_due and isinstance(error, Exception):
            error.add_note(f"due was {' or '.join(kind.__name__ for kind in self.kinds)}")
        return as_due


class Trouble(Exception):
    """An exception class of the program's own."""


class Attempts:
    """`for _ in Attempts(model)` repeats its block, but not for ever."""

    def __init__(self, model):
        self.now = model.now
        self.end = model.now() + PATIENCE

    def __iter__(self):
        return self

    def __next__(self):
        assert self.now() < self.end, "what was guaranteed did not happen"


async def pause(model):
    """Let the other tasks run until they wait."""
    for _ in range(4):  # a loop that is late may go on here in the very turn in which the others begin
        await model.sleep(PAUSE / 4)


async def become(model, wanted, value):
    """Wait until `value()` has the wanted value."""
    for _ in Attempts(model):
        if value() == wanted:
            return
        await model.sleep(0.001)


async def send_when_awaited(model, channel, item):
    """Send without waiting, as soon as that is possible: on a rendezvous, when a receiver waits."""
    for _ in Attempts(model):
        try:
            channel.send_nowait(item)
            return
        except WouldBlock:
            await model.sleep(0.001)


async def receive_when_offered(model, channel):
    """Receive without waiting, as soon as that is possible: on a rendezvous, when a sender waits."""
    items = []
    for _ in Attempts(model):
        items += drain(channel)
        if items:
            break
        await model.sleep(0.001)
    (item,) = items
    return item


def drain(channel):
    """Return all items that can be received without waiting."""
    items = []
    try:
        while True:
            items.append(channel.receive_nowait())
    except WouldBlock, ChannelClosed:
        return items


# Tasks that several chapters need.


async def send_all(channel, items):
    """Send these items, one after the other."""
    for item in items:
        await channel.send(item)


async def send_and_report(channel, item, report):
    """Send one item, then report that."""
    await channel.send(item)
    report.send_nowait("sent")


async def receive_all(channel):
    """Receive until the channel ends."""
    return [item async for item in channel]


async def receive_and_report(channel, report):
    """Receive one item, and pass it on."""
    report.send_nowait(await channel.receive())


async def answer(value):
    """Return the argument."""
    return value


async def fail(kind, *args):
    """Raise this exception."""
    raise kind(*args)


async def fail_when_told(go, kind, *args):
    """Raise this exception when told to."""
    await go.receive()
    raise kind(*args)


async def wait_in(model, where):
    """Wait for ever, in one of the possible ways."""
    nobody = model.Channel(0)
    if where == "receive":
        await nobody.receive()
    elif where == "send":
        await nobody.send("nobody wants this")
    elif where == "sleep":
        await model.sleep(FOR_EVER)
    else:
        async with model.TaskGroup() as group:
            task = group.spawn(wait_in, model, "receive")
            if where == "result":
                await task.result()


WAITS = ("receive", "send", "sleep", "result", "group")
"""The ways of `wait_in`."""


async def tell_of_cancellation(model, where, report):
    """Wait for ever, and report what ends the wait."""
    report.send_nowait("waits")
    try:
        await wait_in(model, where)
    except model.Cancelled:
        report.send_nowait("cancelled")
        raise
    report.send_nowait("went on")


async def select_and_report(model, report, label, *cases):
    """Select once, and report which case it was."""
    done = await model.select(*cases)
    report.send_nowait((label, cases_of(cases).index(done.channel), done.item, done.sent, done.closed))


def cases_of(cases):
    """Return the channels of these cases."""
    return [case[0] if isinstance(case, tuple) else case for case in cases]
