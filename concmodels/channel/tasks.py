"""Channels at work: five patterns of use, each with messages that are checked as they arrive.

    stream     sender --> the caller                            as fast as possible
    pingpong   the caller --> echo --> the caller               one message there and back, then the next
    fanin      N senders --> one channel --> the caller
    fanout     the caller --> one channel --> N receivers
    select     N senders --> a channel each --> the caller      which selects among the channels

The messages are numbers (with a payload: bytes around a number), sent in phases: a warm-up first, the counted messages
last. Each sender and each receiver has a channel for its orders. An order begins a phase; to a sender it also says how
far to send. `None` as a message marks an end: the end of a sender or, to a receiver, the end of a phase.

The program is written twice, once sync and once async; the two differ only in `async` and `await`. Run it with
`python -m concmodels.channel fanin 100000 --model trio`, or from Python with `channel("trio", pattern="fanin",
messages=100_000)`.

Processes and subinterpreters import this module to find their functions, so at its top it imports next to nothing.
"""

from concmodels.channel.messages import add_up, expected, misdelivered, overtaken, too_late, unpacked
from concmodels.programs.messages import numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel
    from concmodels.programs.stopwatch import Phase
    from concmodels.programs.usage import Usage

__all__ = ["async_bounce", "async_converge", "async_spread", "bounce", "converge", "spread"]

UNBOUNDED = float("inf")


def send(orders: Channel[int], outbox: Channel[Any], number: int, step: int, payload: int) -> None:
    """Send every `step`-th message from `number` on, up to the number that each order allows; mark the end."""
    for limit in orders:
        number = emit(outbox, range(number, limit, step), payload)
    outbox.send(None)


def emit(outbox: Channel[Any], numbers: range, payload: int) -> int:
    """Send the messages with these numbers; return the number that follows them."""
    for message in numbered(numbers, payload):
        outbox.send(message)
    return numbers.start + len(numbers) * numbers.step


def echo(inbox: Channel[Any], outbox: Channel[Any]) -> None:
    """Send every message back until the inbox is closed and empty; then close the outbox."""
    for message in inbox:
        outbox.send(message)
    outbox.close()


def receive(orders: Channel[int], inbox: Channel[Any], reports: Channel[Any], payload: int) -> None:
    """In each phase, receive messages up to a mark, and report how many there were and their checksum."""
    for _ in orders:
        reports.send(take(inbox, payload))


def take(inbox: Channel[Any], payload: int) -> tuple[int, int]:
    """Receive messages up to a mark; return their number and a checksum.

    Other receivers take some of the messages, so this one can't know which to expect. It checks that the numbers
    increase; `add_up` checks in the end, by all counts and checksums, that every message has arrived once.
    """
    count, checksum, latest = 0, 0, -1
    for message in inbox:
        if message is None:
            break
        number = message if not payload else unpacked(message, payload)
        if number <= latest:
            raise overtaken(number, latest)
        latest = number
        count += 1
        checksum += hash((number,))
    return count, checksum


def follow(inbox: Channel[Any], phase: Phase) -> None:
    """Receive the messages of one phase, which come from one sender, and check each of them."""
    ahead = iter(numbered(phase.numbers, phase.payload))
    (last,) = numbered((phase.stop - 1,), phase.payload)
    for message in inbox:
        if message != (due := next(ahead)):
            raise misdelivered(message, {due: None})
        if message == last:
            break


def gather(inbox: Channel[Any], phase: Phase, due: dict[Any, Iterator[Any]]) -> None:
    """Receive the messages of one phase from several senders; each must be the next one of its sender.

    `due` has the next message of each sender as its keys, and as its values the iterators over the messages after it.
    """
    numbers, last = phase.numbers, phase.stop - 1
    for message in inbox:
        sender = due.pop(message, None)
        if sender is None:
            raise misdelivered(message, due)
        due[next(sender)] = sender
        if next(numbers) == last:
            break


def pick(model: Any, inboxes: list[Channel[Any]], phase: Phase, due: dict[Any, Iterator[Any]]) -> None:
    """Receive the messages of one phase as `gather` does, but select among several channels."""
    for _ in phase.numbers:
        message = model.select(*inboxes).item
        sender = due.pop(message, None)
        if sender is None:
            raise misdelivered(message, due)
        due[next(sender)] = sender


def converge(model: Any, timer: Any) -> list[Any]:
    """Run the patterns in which senders send to the caller: `stream`, `fanin` and `select`."""
    plan = timer.plan
    inboxes = [model.Channel(plan.capacity, f"link {number + 1}") for number in range(plan.channels)]
    orders = [model.Channel(UNBOUNDED, f"sender {number + 1}") for number in range(plan.tasks)]
    due = expected(plan.tasks, plan.payload or 0)
    with model.TaskGroup() as group:
        tasks = []
        for k in range(plan.tasks):
            arguments = (orders[k], inboxes[k % plan.channels], k, plan.tasks, plan.payload or 0)
            tasks.append(group.spawn(timer.send, *arguments, name=f"sender {k + 1}"))
        timer.spawned(tasks, inboxes)
        for phase in timer.phases():  # the warm-up first, the counted messages last
            for order in orders:
                order.send(phase.stop)
            if plan.pattern == "stream":
                follow(inboxes[0], phase)
            elif plan.pattern == "fanin":
                gather(inboxes[0], phase, due)
            else:
                pick(model, inboxes, phase, due)
        for k in range(plan.tasks):
            orders[k].close()
            if (message := inboxes[k % plan.channels].receive()) is not None:
                raise too_late(message)
    return [task.result() for task in tasks]


def bounce(model: Any, timer: Any) -> list[Any]:
    """Run the pattern `pingpong`: the caller sends a message to an echo, and waits until it is back."""
    there, back = (model.Channel(timer.plan.capacity, name) for name in ("there", "back"))
    with model.TaskGroup() as group:
        task = group.spawn(timer.echo, there, back, name="echo")
        timer.spawned([task], [there, back])
        for phase in timer.phases():
            for message in numbered(phase.numbers, phase.payload):
                there.send(message)
                if (came := back.receive()) != message:
                    raise misdelivered(came, {message: None})
        there.close()
        for message in back:
            raise too_late(message)
    return [task.result()]


def spread(model: Any, timer: Any) -> list[Any]:
    """Run the pattern `fanout`: the caller sends to receivers, whose reports must add up to what it sent."""
    plan, reports = timer.plan, model.Channel(UNBOUNDED, "reports")
    outbox = model.Channel(plan.capacity, "link")
    orders = [model.Channel(UNBOUNDED, f"receiver {number + 1}") for number in range(plan.tasks)]
    with model.TaskGroup() as group:
        tasks = []
        for k in range(plan.tasks):
            arguments = (orders[k], outbox, reports, plan.payload or 0)
            tasks.append(group.spawn(timer.receive, *arguments, name=f"receiver {k + 1}"))
        timer.spawned(tasks, [outbox])
        for phase in timer.phases():
            for order in orders:
                order.send(phase.stop)
            for message in numbered(phase.numbers, phase.payload):
                outbox.send(message)
            for _ in tasks:
                outbox.send(None)
            came = [reports.receive() for _ in tasks]
        for order in orders:
            order.close()
        outbox.close()
        for message in outbox:
            raise too_late(message)
    timer.pause()  # adding up is not part of the teardown
    add_up(came, range(phase.start, phase.stop))
    timer.resume()
    return [task.result() for task in tasks]


async def async_send(
    orders: AsyncChannel[int], outbox: AsyncChannel[Any], number: int, step: int, payload: int
) -> None:
    """The async form of `send`."""
    async for limit in orders:
        number = await async_emit(outbox, range(number, limit, step), payload)
    await outbox.send(None)


async def async_emit(outbox: AsyncChannel[Any], numbers: range, payload: int) -> int:
    """The async form of `emit`."""
    for message in numbered(numbers, payload):
        await outbox.send(message)
    return numbers.start + len(numbers) * numbers.step


async def async_echo(inbox: AsyncChannel[Any], outbox: AsyncChannel[Any]) -> None:
    """The async form of `echo`."""
    async for message in inbox:
        await outbox.send(message)
    outbox.close()


async def async_receive(
    orders: AsyncChannel[int], inbox: AsyncChannel[Any], reports: AsyncChannel[Any], payload: int
) -> None:
    """The async form of `receive`."""
    async for _ in orders:
        await reports.send(await async_take(inbox, payload))


async def async_take(inbox: AsyncChannel[Any], payload: int) -> tuple[int, int]:
    """The async form of `take`."""
    count, checksum, latest = 0, 0, -1
    async for message in inbox:
        if message is None:
            break
        number = message if not payload else unpacked(message, payload)
        if number <= latest:
            raise overtaken(number, latest)
        latest = number
        count += 1
        checksum += hash((number,))
    return count, checksum


async def async_follow(inbox: AsyncChannel[Any], phase: Phase) -> None:
    """The async form of `follow`."""
    ahead = iter(numbered(phase.numbers, phase.payload))
    (last,) = numbered((phase.stop - 1,), phase.payload)
    async for message in inbox:
        if message != (due := next(ahead)):
            raise misdelivered(message, {due: None})
        if message == last:
            break


async def async_gather(inbox: AsyncChannel[Any], phase: Phase, due: dict[Any, Iterator[Any]]) -> None:
    """The async form of `gather`."""
    numbers, last = phase.numbers, phase.stop - 1
    async for message in inbox:
        sender = due.pop(message, None)
        if sender is None:
            raise misdelivered(message, due)
        due[next(sender)] = sender
        if next(numbers) == last:
            break


async def async_pick(model: Any, inboxes: list[AsyncChannel[Any]], phase: Phase, due: dict[Any, Iterator[Any]]) -> None:
    """The async form of `pick`."""
    for _ in phase.numbers:
        message = (await model.select(*inboxes)).item
        sender = due.pop(message, None)
        if sender is None:
            raise misdelivered(message, due)
        due[next(sender)] = sender


async def async_converge(model: Any, timer: Any) -> list[Any]:
    """The async form of `converge`."""
    plan = timer.plan
    inboxes = [model.Channel(plan.capacity, f"link {number + 1}") for number in range(plan.channels)]
    orders = [model.Channel(UNBOUNDED, f"sender {number + 1}") for number in range(plan.tasks)]
    due = expected(plan.tasks, plan.payload or 0)
    async with model.TaskGroup() as group:
        tasks = []
        for k in range(plan.tasks):
            arguments = (orders[k], inboxes[k % plan.channels], k, plan.tasks, plan.payload or 0)
            tasks.append(group.spawn(timer.send, *arguments, name=f"sender {k + 1}"))
        timer.spawned(tasks, inboxes)
        for phase in timer.phases():  # the warm-up first, the counted messages last
            for order in orders:
                await order.send(phase.stop)
            if plan.pattern == "stream":
                await async_follow(inboxes[0], phase)
            elif plan.pattern == "fanin":
                await async_gather(inboxes[0], phase, due)
            else:
                await async_pick(model, inboxes, phase, due)
        for k in range(plan.tasks):
            orders[k].close()
            if (message := await inboxes[k % plan.channels].receive()) is not None:
                raise too_late(message)
    return [await task.result() for task in tasks]


async def async_bounce(model: Any, timer: Any) -> list[Any]:
    """The async form of `bounce`."""
    there, back = (model.Channel(timer.plan.capacity, name) for name in ("there", "back"))
    async with model.TaskGroup() as group:
        task = group.spawn(timer.echo, there, back, name="echo")
        timer.spawned([task], [there, back])
        for phase in timer.phases():
            for message in numbered(phase.numbers, phase.payload):
                await there.send(message)
                if (came := await back.receive()) != message:
                    raise misdelivered(came, {message: None})
        there.close()
        async for message in back:
            raise too_late(message)
    return [await task.result()]


async def async_spread(model: Any, timer: Any) -> list[Any]:
    """The async form of `spread`."""
    plan, reports = timer.plan, model.Channel(UNBOUNDED, "reports")
    outbox = model.Channel(plan.capacity, "link")
    orders = [model.Channel(UNBOUNDED, f"receiver {number + 1}") for number in range(plan.tasks)]
    async with model.TaskGroup() as group:
        tasks = []
        for k in range(plan.tasks):
            arguments = (orders[k], outbox, reports, plan.payload or 0)
            tasks.append(group.spawn(timer.receive, *arguments, name=f"receiver {k + 1}"))
        timer.spawned(tasks, [outbox])
        for phase in timer.phases():
            for order in orders:
                await order.send(phase.stop)
            for message in numbered(phase.numbers, phase.payload):
                await outbox.send(message)
            for _ in tasks:
                await outbox.send(None)
            came = [await reports.receive() for _ in tasks]
        for order in orders:
            order.close()
        outbox.close()
        async for message in outbox:
            raise too_late(message)
    timer.pause()  # adding up is not part of the teardown
    add_up(came, range(phase.start, phase.stop))
    timer.resume()
    return [await task.result() for task in tasks]


def measured_echo(inbox: Channel[Any], outbox: Channel[Any]) -> Usage:
    """Run an `echo` in a process of its own; return the resources that it used after its first message, the warm-up."""
    from concmodels.programs.usage import since, usage

    outbox.send(inbox.receive())
    before = usage()
    echo(inbox, outbox)
    return since(before)


def measured_send(orders: Channel[int], outbox: Channel[Any], number: int, step: int, payload: int) -> Usage:
    """Run a `send` in a process of its own; return the resources that it used after the warm-up, its first order."""
    from concmodels.programs.usage import since, usage

    number = emit(outbox, range(number, orders.receive(), step), payload)
    before = usage()
    send(orders, outbox, number, step, payload)
    return since(before)


def measured_receive(orders: Channel[int], inbox: Channel[Any], reports: Channel[Any], payload: int) -> Usage:
    """Run a `receive` in a process of its own; return the resources that it used after its first order."""
    from concmodels.programs.usage import since, usage

    orders.receive()
    reports.send(take(inbox, payload))
    before = usage()
    receive(orders, inbox, reports, payload)
    return since(before)
