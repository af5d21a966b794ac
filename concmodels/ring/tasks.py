"""The ring: N tasks in a circle forward M messages, and the caller checks that all came round, once each and in order.

    feeder --> node 1 --> node 2 --> ... --> node N --> the caller
       '<------------------ credits ---------------------'

Every node knows its two channels and nothing else. The feeder is a task of its own: if the caller both fed and
collected, the ring would deadlock as soon as there are more messages than it can hold, because the caller would wait to
send while everybody else waits for it to receive. A credit tells the feeder how far it may go, so the caller decides
how many messages are under way: all of them (a stream, which measures throughput) or one (a token, which measures
latency).

The program is written twice, once sync and once async; the two differ only in `async` and `await`. Run it with
`python -m concmodels.ring 300 10000 --model trio`, or from Python with `ring("trio", nodes=300, messages=10_000)`.

Processes and subinterpreters import this module to find their functions, so at its top it imports nothing at all:
a run may start hundreds of them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel
    from concmodels.programs.messages import Misdelivered
    from concmodels.programs.stopwatch import Phase
    from concmodels.programs.usage import Usage

__all__ = ["async_circle", "async_feed", "async_node", "circle", "feed", "node"]

UNBOUNDED = float("inf")


def node(inbox: Channel[Any], outbox: Channel[Any]) -> None:
    """Forward every message until the inbox is closed and empty; then close the outbox, so that the next node ends."""
    for message in inbox:
        outbox.send(message)
    outbox.close()


def feed(credits: Channel[int], outbox: Channel[Any], payload: int = 0, sent: int = 0) -> None:
    """Send the messages in order, up to the number that each credit allows; `sent` have been sent before."""
    from concmodels.programs.messages import numbered

    for limit in credits:
        for message in numbered(range(sent, limit), payload):
            outbox.send(message)
        sent = limit
    outbox.close()


def collect(ring_end: Channel[Any], credits: Channel[int], phase: Phase) -> None:
    """Let the feeder send the messages of one phase; check each one as it comes round, and give a credit for it."""
    from concmodels.programs.messages import numbered

    limit, stop = min(phase.start + phase.in_flight, phase.stop), phase.stop
    credits.send(limit)
    for due in numbered(phase.numbers, phase.payload):
        message = ring_end.receive()
        if message != due:
            raise misdelivered(message, due)
        if limit < stop:  # one message has left the ring, so one more may enter it
            limit += 1
            credits.send(limit)


def circle(model: Any, timer: Any) -> list[Any]:
    """Make the channels, start the tasks, send the messages round phase by phase; return what the tasks returned.

    `timer` measures: it says which functions to spawn, and takes the time between the phases.
    """
    plan = timer.plan
    links = [model.Channel(plan.capacity, f"link {number}") for number in range(plan.nodes + 1)]
    credits = model.Channel(UNBOUNDED, "credits")
    with model.TaskGroup() as group:
        tasks = [group.spawn(timer.feed, credits, links[0], plan.payload, name="feeder")]
        for k in range(plan.nodes):
            tasks.append(group.spawn(timer.node, links[k], links[k + 1], name=f"node {k + 1}"))
        timer.spawned(tasks, links)
        for phase in timer.phases():  # the warm-up first, the counted messages last
            collect(links[-1], credits, phase)
        credits.close()  # the feeder ends, then node after node, and the last channel is closed
        for message in links[-1]:
            raise misdelivered(message, None)
    return [task.result() for task in tasks]


async def async_node(inbox: AsyncChannel[Any], outbox: AsyncChannel[Any]) -> None:
    """The async form of `node`."""
    async for message in inbox:
        await outbox.send(message)
    outbox.close()


async def async_feed(credits: AsyncChannel[int], outbox: AsyncChannel[Any], payload: int = 0, sent: int = 0) -> None:
    """The async form of `feed`."""
    from concmodels.programs.messages import numbered

    async for limit in credits:
        for message in numbered(range(sent, limit), payload):
            await outbox.send(message)
        sent = limit
    outbox.close()


async def async_collect(ring_end: AsyncChannel[Any], credits: AsyncChannel[int], phase: Phase) -> None:
    """The async form of `collect`."""
    from concmodels.programs.messages import numbered

    limit, stop = min(phase.start + phase.in_flight, phase.stop), phase.stop
    await credits.send(limit)
    for due in numbered(phase.numbers, phase.payload):
        message = await ring_end.receive()
        if message != due:
            raise misdelivered(message, due)
        if limit < stop:  # one message has left the ring, so one more may enter it
            limit += 1
            await credits.send(limit)


async def async_circle(model: Any, timer: Any) -> list[Any]:
    """The async form of `circle`."""
    plan = timer.plan
    links = [model.Channel(plan.capacity, f"link {number}") for number in range(plan.nodes + 1)]
    credits = model.Channel(UNBOUNDED, "credits")
    async with model.TaskGroup() as group:
        tasks = [group.spawn(timer.feed, credits, links[0], plan.payload, name="feeder")]
        for k in range(plan.nodes):
            tasks.append(group.spawn(timer.node, links[k], links[k + 1], name=f"node {k + 1}"))
        timer.spawned(tasks, links)
        for phase in timer.phases():  # the warm-up first, the counted messages last
            await async_collect(links[-1], credits, phase)
        credits.close()  # the feeder ends, then node after node, and the last channel is closed
        async for message in links[-1]:
            raise misdelivered(message, None)
    return [await task.result() for task in tasks]


def measured_node(inbox: Channel[Any], outbox: Channel[Any]) -> Usage:
    """Run a `node` in a process of its own; return the resources that it used after its first message, the warm-up."""
    from concmodels.programs.usage import since, usage

    outbox.send(inbox.receive())
    before = usage()
    node(inbox, outbox)
    return since(before)


def measured_feed(credits: Channel[int], outbox: Channel[Any], payload: int) -> Usage:
    """Run a `feed` in a process of its own; return the resources that it used after the warm-up, its first credit."""
    from concmodels.programs.messages import numbered
    from concmodels.programs.usage import since, usage

    sent = credits.receive()
    for message in numbered(range(sent), payload):
        outbox.send(message)
    before = usage()
    feed(credits, outbox, payload, sent)
    return since(before)


def misdelivered(message: Any, due: Any) -> Misdelivered:
    """Return the error that says which message came, and which was due."""
    from concmodels.programs.messages import Misdelivered

    came, wanted = (int.from_bytes(it[-8:]) if isinstance(it, bytes) else it for it in (message, due))
    if due is None:
        return Misdelivered(f"message {came} came round after the last one")
    if came == wanted:
        return Misdelivered(f"message {came} came round with other bytes than it was sent with")
    return Misdelivered(f"message {came} came round when {wanted} was due")
