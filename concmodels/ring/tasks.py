"""The ring: N tasks in a circle forward M messages, and the caller checks that all came round, once each and in order.

    feeder --> node 1 --> node 2 --> ... --> node N --> the caller
       '<------------------- grants ---------------------'

Every task knows its two channels and nothing else. The feeder is a task of its own: one that feeds and collects
deadlocks as soon as there are more messages than the ring holds. A grant tells the feeder how far it may go, so the
caller decides how many messages are under way: all (a stream: throughput) or one (a token: latency).

The program stands here twice, once per colour, equal up to `async` and `await`. Run it with
`python -m concmodels.ring 300 10000 --model trio`, or from Python with `ring("trio", nodes=300, messages=10_000)`.

The nodes are what processes and subinterpreters import, so this module imports nothing at all before it must.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from concmodels.programs.result import Result
    from concmodels.ring.watch import Lap, Watch
    from concmodels.contract import AsyncChannel, Channel

__all__ = ["Misdelivered", "async_circle", "async_feed", "async_node", "circle", "feed", "node", "ring"]

UNBOUNDED = float("inf")


class Misdelivered(Exception):
    """A message was lost, came twice, or came out of order."""


def node(inbox: Channel[Any], outbox: Channel[Any]) -> None:
    """Forward every message, until there are no more."""
    for message in inbox:
        outbox.send(message)
    outbox.close()


def feed(grants: Channel[int], outbox: Channel[Any], payload: int = 0, sent: int = 0) -> None:
    """Send message after message, always up to where the latest grant allows."""
    for limit in grants:
        for message in numbered(range(sent, limit), payload):
            outbox.send(message)
        sent = limit
    outbox.close()


def collect(ring_end: Channel[Any], grants: Channel[int], lap: Lap) -> None:
    """Have the messages of one lap sent round; check each as it arrives, and hand back a credit for it."""
    granted, stop = min(lap.start + lap.in_flight, lap.stop), lap.stop
    grants.send(granted)
    for due in numbered(lap.numbers, lap.payload):
        message = ring_end.receive()
        if message != due:
            raise misdelivered(message, due)
        if granted < stop:
            granted += 1
            grants.send(granted)


def circle(room: Any, watch: Watch) -> list[Any]:
    """Run one ring, from its first channel to the end of its last task; return what the tasks returned."""
    plan = watch.plan
    links = [room.Channel(plan.capacity, f"link {number}") for number in range(plan.nodes + 1)]
    grants = room.Channel(UNBOUNDED, "grants")
    with room.TaskGroup() as group:
        tasks = [group.spawn(watch.feed, grants, links[0], plan.payload, *watch.extra, name="feeder")]
        for k in range(plan.nodes):
            tasks.append(group.spawn(watch.node, links[k], links[k + 1], *watch.extra, name=f"node {k + 1}"))
        watch.spawned(tasks, links)
        for lap in watch.laps():  # a warm-up first, the counted one last
            collect(links[-1], grants, lap)
        grants.close()
        for message in links[-1]:
            raise misdelivered(message, None)
    return [task.result() for task in tasks]


async def async_node(inbox: AsyncChannel[Any], outbox: AsyncChannel[Any]) -> None:
    """As `node`."""
    async for message in inbox:
        await outbox.send(message)
    outbox.close()


async def async_feed(grants: AsyncChannel[int], outbox: AsyncChannel[Any], payload: int = 0, sent: int = 0) -> None:
    """As `feed`."""
    async for limit in grants:
        for message in numbered(range(sent, limit), payload):
            await outbox.send(message)
        sent = limit
    outbox.close()


async def async_collect(ring_end: AsyncChannel[Any], grants: AsyncChannel[int], lap: Lap) -> None:
    """As `collect`."""
    granted, stop = min(lap.start + lap.in_flight, lap.stop), lap.stop
    await grants.send(granted)
    for due in numbered(lap.numbers, lap.payload):
        message = await ring_end.receive()
        if message != due:
            raise misdelivered(message, due)
        if granted < stop:
            granted += 1
            await grants.send(granted)


async def async_circle(room: Any, watch: Watch) -> list[Any]:
    """As `circle`."""
    plan = watch.plan
    links = [room.Channel(plan.capacity, f"link {number}") for number in range(plan.nodes + 1)]
    grants = room.Channel(UNBOUNDED, "grants")
    async with room.TaskGroup() as group:
        tasks = [group.spawn(watch.feed, grants, links[0], plan.payload, *watch.extra, name="feeder")]
        for k in range(plan.nodes):
            tasks.append(group.spawn(watch.node, links[k], links[k + 1], *watch.extra, name=f"node {k + 1}"))
        watch.spawned(tasks, links)
        for lap in watch.laps():  # a warm-up first, the counted one last
            await async_collect(links[-1], grants, lap)
        grants.close()
        async for message in links[-1]:
            raise misdelivered(message, None)
    return [await task.result() for task in tasks]


def numbered(numbers: Iterable[int], payload: int) -> Iterable[Any]:
    """The messages of these numbers: the bare numbers or, with a payload, that many bytes around them.

    The number stands big-endian in the last eight bytes and, as far as there is room before them, in the first eight.
    """
    if not payload:
        return numbers
    head, filling = min(8, payload - 8), bytes(max(0, payload - 16))
    return (number.to_bytes(8)[:head] + filling + number.to_bytes(8) for number in numbers)


def misdelivered(message: Any, due: Any) -> Misdelivered:
    """The error that says what came and what was due."""
    came, wanted = (int.from_bytes(it[-8:]) if isinstance(it, bytes) else it for it in (message, due))
    if due is None:
        return Misdelivered(f"message {came} came round after the last one")
    if came == wanted:
        return Misdelivered(f"message {came} came round with other bytes than it was sent with")
    return Misdelivered(f"message {came} came round when {wanted} was due")


def ring(
    model: str = "threads",
    *,
    nodes: int,
    messages: int,
    in_flight: int | None = None,
    capacity: float = UNBOUNDED,
    payload: int | None = None,
    timeout: float | None = None,
) -> Result:
    """Send `messages` round a ring of `nodes` in this process and return what it took.

    `in_flight` None streams them all, 1 is a token; `capacity` is that of each channel, 0 a rendezvous; `payload` is
    the size of a message in bytes, at least 8 (None: the bare number); `timeout` is in seconds, over setup, run and
    teardown.

    A ring that fails is a result too: `verified` is False and `error` says why. Raises `ValueError` for sizes
    that make no ring or one that this machine can't hold, `UnknownModel`, `ModelUnavailable`, `TimeoutError`,
    `KeyboardInterrupt`, and `RuntimeError` for a timeout outside the main thread.

        >>> from concmodels.ring import ring
        >>> result = ring("asyncio", nodes=10, messages=100)
        >>> result.hops, result.verified, result.error
        (1000, True, None)
        >>> result.ns_per_hop == result.run_s / result.hops * 1e9
        True
    """
    from concmodels.programs.plan import Plan
    from concmodels.programs.measure import measure

    plan = Plan(model, nodes, messages, in_flight, capacity, payload)
    return measure(plan, timeout=timeout).raise_stopped()


if __name__ == "__main__":  # the command line works with the imported module: a node is concmodels.ring.node there
    import sys

    try:
        from concmodels.programs.command import as_program, command
        from concmodels.ring.program import Ring

        sys.exit(as_program(command(Ring())))
    except KeyboardInterrupt:
        sys.exit(130)
