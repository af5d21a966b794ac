"""Sockets: how to wait until a socket can be read or written."""

import errno

from .pool_tools import of_one_memory
from .socket_tools import (
    DIRECTIONS,
    connected,
    empty,
    fill,
    listening,
    make_ready,
    over_tcp,
    piped,
    take,
    unready,
    wait_and_report,
    wait_until,
    with_numbers,
)
from .timeouts import NO_NUMBERS, NOT_LONG, NUMBERS, SHORT, TOO_LONG, refuses, takes
from .tools import INF, PATIENCE, become, drain, guarantee, pause, raises

NEEDS = ("wait_readable", "wait_writable")


@guarantee(direction=DIRECTIONS)
async def what_is_ready_is_ready_at_once(model, direction):
    """`wait_readable` returns at once if there is something to receive, `wait_writable` if there is room to send."""
    with connected() as (ours, theirs):
        theirs.send(b"here")
        with takes(model, 0, NOT_LONG):
            await wait_until(model, ours, direction)
        assert ours.recv(10) == b"here"


@guarantee(direction=DIRECTIONS)
async def a_wait_ends_when_the_socket_is_ready(model, direction):
    """`wait_readable` waits until something arrives, `wait_writable` until the other side has read some of the data."""
    report = model.Channel(INF)
    with unready(direction) as (ours, theirs):
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            assert drain(report) == []
            make_ready(theirs, direction)
            assert await report.receive(PATIENCE) == "ready"


@guarantee()
async def waiting_takes_nothing(model):
    """A wait takes nothing from the socket: the data stays there until it is read."""
    with connected() as (ours, theirs):
        theirs.send(b"stays")
        for _ in range(3):
            await model.wait_readable(ours, PATIENCE)
        assert ours.recv(10) == b"stays"
        with raises(TimeoutError):
            await model.wait_readable(ours, SHORT)


@guarantee()
async def both_directions_may_be_waited_for(model):
    """One task may wait until a socket is readable while another one waits until it is writable."""
    reader, writer = model.Channel(INF), model.Channel(INF)
    with unready("writable") as (ours, theirs):
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, ours, "readable", reader)
            group.spawn(wait_and_report, model, ours, "writable", writer)
            await pause(model)
            assert drain(reader) == [] and drain(writer) == []
            empty(theirs)
            assert await writer.receive(PATIENCE) == "ready"
            await pause(model)
            assert drain(reader) == []
            theirs.send(b"!")
            assert await reader.receive(PATIENCE) == "ready"


async def write_then_close(model, socket, data):
    """Send all of the data, waiting for room, and then no more."""
    import socket as library

    rest = memoryview(data)
    while rest:
        await model.wait_writable(socket, PATIENCE)
        rest = rest[socket.send(rest) :]
    socket.shutdown(library.SHUT_WR)


@guarantee(size=(1, 3_000_000))
async def what_is_sent_arrives_in_order(model, size):
    """Tasks that wait before they send or receive pass on every byte once and in order, even more than the connection
    holds.
    """
    data = (bytes(range(251)) * (size // 251 + 1))[:size]
    received = bytearray()
    with connected() as (ours, theirs):
        async with model.TaskGroup() as group:
            group.spawn(write_then_close, model, theirs, data)
            while part := await take(model, ours, 1 << 16):
                received += part
    assert received == data


@guarantee(by=with_numbers, direction=DIRECTIONS)
async def a_pipe_can_be_waited_for(model, direction):
    """A wait accepts any object with a `fileno()` that the system can poll, such as a pipe."""
    import os

    report = model.Channel(INF)
    with piped() as (reading, writing):
        if direction == "writable":
            with raises(BlockingIOError):
                while True:
                    os.write(writing.number, bytes(1 << 16))
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, reading if direction == "readable" else writing, direction, report)
            await pause(model)
            assert drain(report) == []
            if direction == "readable":
                os.write(writing.number, b"!")
            else:
                os.read(reading.number, 1 << 20)
            assert await report.receive(PATIENCE) == "ready"


@guarantee(direction=DIRECTIONS, what=("text", 0, None))
async def what_has_no_fileno_is_refused(model, direction, what):
    """A wait for an object without a `fileno()` raises `TypeError`."""
    with raises(TypeError):
        await wait_until(model, what, direction)


# Connections.


@guarantee()
async def a_listening_socket_is_readable_when_somebody_connects(model):
    """A listening socket is readable when a connection waits to be accepted."""
    import socket

    report = model.Channel(INF)
    with listening() as server:
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, server, "readable", report)
            await pause(model)
            assert drain(report) == []
            with socket.create_connection(server.getsockname()):
                assert await report.receive(PATIENCE) == "ready"
                server.accept()[0].close()


@guarantee(outcome=("made", "refused"))
async def a_connection_is_writable_once_it_is_known(model, outcome):
    """A socket whose non-blocking `connect` is in progress is writable once the connection is made or refused."""
    import socket

    with listening() as server, socket.socket() as ours:
        address = server.getsockname()
        if outcome == "refused":
            server.close()
        ours.setblocking(False)
        if ours.connect_ex(address) == errno.EINPROGRESS:
            await model.wait_writable(ours, PATIENCE)
            found = ours.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            assert found == (errno.ECONNREFUSED if outcome == "refused" else 0)
        else:
            assert outcome == "refused"  # some systems say it at once


async def accept_some(model, server, told):
    """Accept connections, and tell what each of them says, until one says that this is all."""
    with server.dup() as mine:  # other tasks wait for the same connections, each by a descriptor of its own
        while True:
            await model.wait_readable(mine, PATIENCE)
            try:
                connection, _ = mine.accept()
            except BlockingIOError:
                continue  # another task was faster
            with connection:
                said = await take(model, connection, 10)
            if said == b"all":
                return
            await told.send(said)


@guarantee(capacity=(0, INF))
async def several_tasks_accept(model, effort, capacity):
    """Several tasks can wait for connections to one address, each with its own `dup()` of the listening socket: each
    connection is accepted once.
    """
    import socket

    told, tasks = model.Channel(capacity), 4
    wanted = [b"%d" % number for number in range(effort.rounds)]
    with listening() as server:
        async with model.TaskGroup() as group:
            for _ in range(tasks):
                group.spawn(accept_some, model, server, told)
            for said in wanted:
                with socket.create_connection(server.getsockname()) as connection:
                    connection.send(said)
                    assert await told.receive(PATIENCE) == said
            for _ in range(tasks):
                with socket.create_connection(server.getsockname()) as connection:
                    connection.send(b"all")
    assert drain(told) == []


# The other side goes away.


@guarantee(half=(False, True))
async def the_end_of_the_other_side_is_readable(model, half):
    """A socket is readable when the other side has closed, or has shut down sending: `recv` returns the rest, then
    `b""`.
    """
    import socket

    with connected() as (ours, theirs):
        theirs.send(b"the rest")
        if half:
            theirs.shutdown(socket.SHUT_WR)
        else:
            theirs.close()
        assert [await take(model, ours, 10), await take(model, ours, 10)] == [b"the rest", b""]
        if half:
            await model.wait_writable(ours, PATIENCE)
            ours.send(b"is heard")
            assert await take(model, theirs, 10) == b"is heard"


@guarantee(by=of_one_memory, direction=DIRECTIONS)
async def the_end_of_the_other_side_ends_a_wait(model, direction):
    """A wait in either direction ends when the other side closes."""
    report = model.Channel(INF)
    with unready(direction) as (ours, theirs):
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            assert drain(report) == []
            theirs.close()
            assert await report.receive(PATIENCE) == "ready"


@guarantee()
async def the_end_of_what_is_sent_ends_a_wait(model):
    """`wait_readable` ends when the other side shuts down sending."""
    import socket

    with connected() as (ours, theirs):
        async with model.TaskGroup() as group:
            task = group.spawn(take, model, ours)
            await pause(model)
            theirs.shutdown(socket.SHUT_WR)
            assert await task.result(PATIENCE) == b""


def reset(socket):
    """Close the socket so that the connection breaks."""
    import socket as library
    import struct

    socket.setsockopt(library.SOL_SOCKET, library.SO_LINGER, struct.pack("ii", 1, 0))
    socket.close()


@guarantee(by=of_one_memory, direction=DIRECTIONS)
async def a_broken_connection_ends_a_wait(model, direction):
    """A wait in either direction ends when the connection breaks; the next operation then raises `ConnectionError`."""
    report = model.Channel(INF)
    with over_tcp() as (ours, theirs):
        if direction == "writable":
            while fill(ours):
                await pause(model)  # the system moves it to the other side meanwhile
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            assert drain(report) == []
            reset(theirs)
            assert await report.receive(PATIENCE) == "ready"
        with raises(ConnectionError):
            ours.recv(1) if direction == "readable" else ours.send(b"!")


# Timeouts.


@guarantee(direction=DIRECTIONS, timeout=(SHORT, *NUMBERS))
async def a_wait_for_a_socket_times_out(model, direction, timeout):
    """A wait for a socket raises the builtin `TimeoutError` after `timeout` seconds, which may be a fraction."""
    with unready(direction) as (ours, theirs):
        for _ in range(2):
            with takes(model, SHORT * 0.95, TOO_LONG), raises(TimeoutError):
                await wait_until(model, ours, direction, timeout)
        make_ready(theirs, direction)
        await wait_until(model, ours, direction)


@guarantee(direction=DIRECTIONS, timeout=(0, 0.0, -1, -0.5, -INF))
async def a_timeout_of_zero_only_looks(model, direction, timeout):
    """A timeout of 0 never waits, and a negative one counts as 0: the wait succeeds if the socket is ready now."""
    with unready(direction) as (ours, theirs):
        for _ in range(2):
            with takes(model, 0, NOT_LONG), raises(TimeoutError):
                await wait_until(model, ours, direction, timeout)
        make_ready(theirs, direction)
        with takes(model, 0, NOT_LONG):
            await wait_until(model, ours, direction, timeout)


@guarantee(direction=DIRECTIONS, timeout=(1e-9, 5, None, 1e9, 1e300, INF))
async def what_is_ready_does_not_time_out(model, direction, timeout):
    """A timeout limits only the waiting: a socket that is ready is in time, whatever the timeout."""
    with connected() as (ours, theirs):
        theirs.send(b"!")
        with takes(model, 0, NOT_LONG):
            await wait_until(model, ours, direction, timeout)


@guarantee(timeout=NO_NUMBERS)
async def a_timeout_that_is_no_number_is_refused(model, timeout):
    """A wait for a socket raises `ValueError` for a timeout of nan and `TypeError` for anything that is not a number,
    even if the socket is ready.
    """
    with connected() as (ours, theirs):
        for direction in DIRECTIONS:
            with refuses(timeout):
                await wait_until(model, ours, direction, timeout)
        theirs.send(b"!")
        assert await take(model, ours) == b"!"


# Many tasks.


async def take_and_tell(model, socket, number, told):
    """Wait for one byte, as long as it takes, and tell which task received it."""
    await model.wait_readable(socket)
    told.send_nowait((number, socket.recv(1)))


@guarantee()
async def each_of_many_is_woken_by_its_own(model, effort):
    """Of many tasks that wait for sockets, each goes on when its own socket is ready, and no other does."""
    from contextlib import ExitStack

    told, count = model.Channel(INF), effort.sockets
    with ExitStack() as stack:
        pairs = [stack.enter_context(connected()) for _ in range(count)]
        async with model.TaskGroup() as group:
            for number, (ours, _) in enumerate(pairs):
                group.spawn(take_and_tell, model, ours, number, told)
            await pause(model)
            order = [number * 7 % count for number in range(count)]  # `count` is no multiple of 7
            for number in order[: count // 2]:
                pairs[number][1].send(bytes([number % 251]))
                assert await told.receive(PATIENCE) == (number, bytes([number % 251]))
            for number in order[count // 2 :]:
                pairs[number][1].send(bytes([number % 251]))
            found = [await told.receive(PATIENCE) for _ in order[count // 2 :]]
            assert sorted(found) == sorted((number, bytes([number % 251])) for number in order[count // 2 :])
        assert drain(told) == []


async def echo(model, socket):
    """Send back each byte, until there are no more."""
    while byte := await take(model, socket):
        await model.wait_writable(socket, PATIENCE)
        socket.send(byte)


async def ask(model, socket, rounds):
    """Have so many bytes sent back, one after the other."""
    import socket as library

    for number in range(rounds):
        socket.send(bytes([number]))
        assert await take(model, socket) == bytes([number])
    socket.shutdown(library.SHUT_WR)


async def yield_for_ever(model):
    """Let the others run, again and again."""
    while True:
        await model.sleep(0)


async def talk_for_ever(mine, others):
    """Send and receive in turn, so that there is always a task that can go on."""
    while True:
        await mine.send("item")
        await others.receive()


@guarantee(busy=("sleep", "send and receive"), capacity=(0, 1))
async def busy_tasks_keep_no_socket_waiting(model, effort, busy, capacity):
    """Tasks that never wait for long, because they only `sleep(0)` or pass on items, don't delay tasks whose sockets
    are ready."""
    with connected() as (ours, theirs):
        async with model.TaskGroup() as group:
            if busy == "sleep":
                group.spawn(yield_for_ever, model)
            else:
                one, other = model.Channel(capacity), model.Channel(capacity)
                group.spawn(talk_for_ever, one, other)
                group.spawn(listen_for_ever, one, other)
            group.spawn(echo, model, theirs)
            await ask(model, ours, effort.rounds)
            group.cancel()


async def listen_for_ever(mine, others):
    """The partner of `talk_for_ever`."""
    while True:
        await mine.receive()
        await others.send("item")


async def look_for_ever(model, socket):
    """Wait again and again for a socket that is always ready."""
    while True:
        await model.wait_readable(socket, PATIENCE)


async def send_numbers(channel, count):
    """Send so many numbers."""
    for number in range(count):
        await channel.send(number)
    channel.close()


@guarantee(capacity=(0, 1, INF))
async def a_busy_socket_keeps_nobody_waiting(model, effort, capacity):
    """A task whose socket is always ready doesn't delay tasks that pass on items, sleep or wait for another socket: its
    wait lets them run."""
    channel = model.Channel(capacity)
    with connected() as (ours, theirs), connected() as (quiet, other):
        theirs.send(b"always")
        async with model.TaskGroup() as group:
            group.spawn(look_for_ever, model, ours)
            group.spawn(send_numbers, channel, effort.items)
            assert [number async for number in channel] == list(range(effort.items))
            await model.sleep(0.001)
            task = group.spawn(take, model, quiet)
            await model.sleep(0.001)
            other.send(b"!")
            assert await task.result(PATIENCE) == b"!"
            group.cancel()


@guarantee()
async def a_wait_for_a_socket_lets_others_run(model):
    """While a task waits for a socket, others sleep, send, receive and end."""
    report = model.Channel(0)
    with connected() as (ours, theirs):
        async with model.TaskGroup() as group:
            task = group.spawn(take, model, ours)
            sender = group.spawn(send_numbers, report, 3)
            assert [number async for number in report] == [0, 1, 2]
            await sender.result(PATIENCE)
            await become(model, False, task.done)
            theirs.send(b"!")
            assert await task.result(PATIENCE) == b"!"
