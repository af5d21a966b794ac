"""What streams and listeners do, as programs for every model: this is the async text, `stream_programs_plain.py` the
same without `await`.
"""

import contextlib
import math
import socket
import struct
import threading

from undisturbed import undisturbed

from concmodels.errors import DelimiterNotFound, SocketClosed, TaskCancelled
from concmodels.net import connect, listen

PATIENCE = 50
SHORT = 0.05
HOST = "127.0.0.1"


def pair(model):
    """Two streams that are connected to each other."""
    from concmodels import net

    kind = net.AsyncStream if net.is_async(model) else net.Stream
    return [kind(model, end) for end in socket.socketpair()]


@contextlib.contextmanager
def raises(*expected):
    """A `with` that expects one of these exceptions; gives a list that has it afterwards."""
    found = []
    try:
        yield found
    except expected as error:
        found.append(error)
        return
    raise AssertionError(f"expected {expected}")


async def echo(stream):
    """Send back what comes."""
    with stream:
        while data := await stream.receive():
            await stream.send(data)


async def accept_all(listener, group, handle):
    async for stream in listener:
        group.spawn(handle, stream)


async def receive_all(stream):
    received = bytearray()
    while data := await stream.receive():
        received += data
    return bytes(received)


async def ask(model, address, number, rounds):
    with await connect(model, *address, timeout=PATIENCE) as stream:
        for turn in range(rounds):
            await stream.send(b"%d:%d\n" % (number, turn))
            assert await stream.receive_until(b"\n", timeout=PATIENCE) == b"%d:%d\n" % (number, turn)


async def bytes_come_back(model, address):
    """20 connections at a time, to one listener among four tasks."""
    with listen(model, *address) as listener:
        async with model.TaskGroup() as group:
            for _ in range(4):
                group.spawn(accept_all, listener, group, echo)
            async with model.TaskGroup() as clients:
                for number in range(20):
                    clients.spawn(ask, model, listener.address, number, 20)
            listener.close()


async def echo_in_turn(listener):
    async for stream in listener:
        await echo(stream)


async def tasks_share_a_listener(model):
    """Where a task has a memory of its own, it gets a copy of the listener, which closing ours does not close."""
    with listen(model, HOST, 0) as listener:
        async with model.TaskGroup() as group:
            accepting = [group.spawn(echo_in_turn, listener) for _ in range(2)]
            async with model.TaskGroup() as clients:
                for number in range(6):
                    clients.spawn(ask, model, listener.address, number, 20)
            for task in accepting:
                task.cancel()


async def each_connection_is_accepted_once(model):
    accepted = model.Channel(math.inf)
    with listen(model, HOST, 0) as listener:
        async with model.TaskGroup() as group:
            for _ in range(4):
                group.spawn(accept_all, listener, group, accepted.send)
            with contextlib.ExitStack() as clients:
                for _ in range(30):
                    clients.enter_context(await connect(model, *listener.address))
                streams = [await accepted.receive(PATIENCE) for _ in range(30)]
            listener.close()
    for stream in streams:
        stream.close()
    assert len(accepted) == 0


async def accept_and_report(listener, report):
    try:
        await listener.accept()
    except SocketClosed:
        await report.send("closed")


async def closing_a_listener_wakes_all_who_accept(model):
    report = model.Channel(math.inf)
    listener = listen(model, HOST, 0)
    async with model.TaskGroup() as group:
        for _ in range(4):
            group.spawn(accept_and_report, listener, report)
        await model.sleep(SHORT)
        began = undisturbed()
        listener.close()
        listener.close()
        for _ in range(4):
            assert await report.receive(PATIENCE) == "closed"
        assert undisturbed() - began < 0.9
    with raises(SocketClosed):
        await listener.accept()


async def a_cancelled_accept_lets_the_others_accept(model):
    accepted = model.Channel(math.inf)
    with listen(model, HOST, 0) as listener:
        async with model.TaskGroup() as group:
            tasks = [group.spawn(accept_all, listener, group, accepted.send) for _ in range(3)]
            await model.sleep(SHORT)
            tasks[0].cancel()
            tasks[1].cancel()
            with await connect(model, *listener.address):
                (await accepted.receive(PATIENCE)).close()
            listener.close()


async def the_end_is_empty_bytes(model):
    ours, theirs = pair(model)
    with ours, theirs:
        await ours.send(b"last")
        ours.send_eof()
        assert await theirs.receive(PATIENCE) == b"last"
        assert [await theirs.receive() for _ in range(3)] == [b""] * 3
        await theirs.send(b"still")
        assert await ours.receive() == b"still"


async def parts_are_received_in_order(model):
    ours, theirs = pair(model)
    with ours, theirs:
        await ours.send(bytearray(b"abcdef"))
        assert await theirs.receive(2) == b"ab"
        assert await theirs.receive_until(b"d") == b"cd"
        assert await theirs.receive(1) == b"e"
        assert await theirs.receive() == b"f"
        with raises(ValueError):
            await theirs.receive(0)
        with raises(ValueError):
            await theirs.receive_until(b"")


async def send_slowly(model, stream, data):
    for place in range(len(data)):
        await stream.send(data[place : place + 1])
        await model.sleep(0.001)
    stream.send_eof()


async def lines_are_found_in_pieces(model):
    """A delimiter may come in parts; what follows it is kept; what is left at the end is returned."""
    ours, theirs = pair(model)
    with ours, theirs:
        async with model.TaskGroup() as group:
            group.spawn(send_slowly, model, ours, b"one\r\n\r\ntwo\r\r\n\r\n\r\n\r\nrest")
            found = [await theirs.receive_until(b"\r\n\r\n", 9) for _ in range(5)]
        assert found == [b"one\r\n\r\n", b"two\r\r\n\r\n", b"\r\n\r\n", b"rest", b""]


async def all_lines_at_once(model):
    ours, theirs = pair(model)
    lines = [b"x" * number + b"\n" for number in range(300)]
    with ours, theirs:
        await ours.send(b"".join(lines))
        assert [await theirs.receive_until(b"\n", 301) for _ in lines] == lines


async def a_limit_is_kept(model, at_once):
    ours, theirs = pair(model)
    with ours, theirs:
        async with model.TaskGroup() as group:
            if at_once:
                await ours.send(b"12345678\nrest")
            else:
                group.spawn(send_slowly, model, ours, b"12345678\nrest")
            for limit in (1, 8):
                with raises(DelimiterNotFound) as found:
                    await theirs.receive_until(b"\n", limit)
                assert str(found[0]) == f"there is no b'\\n' in the first {limit} bytes"
            assert await theirs.receive_until(b"\n", 9) == b"12345678\n"
            ours.send_eof() if at_once else None
            assert await receive_all(theirs) == b"rest"


async def much_is_sent_to_the_last_byte(model):
    """More than the system holds for a socket, to a side that is slow to take it."""
    ours, theirs = pair(model)
    data = bytes(range(256)) * 20_000
    with ours, theirs:
        async with model.TaskGroup() as group:
            group.spawn(send_and_end, ours, data)
            await model.sleep(SHORT)
            assert await receive_all(theirs) == data


async def send_and_end(stream, data):
    await stream.send(memoryview(data).cast("I"))
    stream.send_eof()


async def timeouts_lose_nothing(model):
    ours, theirs = pair(model)
    with ours, theirs:
        for timeout in (-1, 0, SHORT):
            with raises(TimeoutError):
                await theirs.receive(timeout=timeout)
        await ours.send(b"half a li")
        with raises(TimeoutError):
            await theirs.receive_until(b"\n", timeout=SHORT)
        await ours.send(b"ne\n")
        assert await theirs.receive_until(b"\n", timeout=PATIENCE) == b"half a line\n"
        await ours.send(b"there")
        assert await theirs.receive(timeout=0) == b"there"
        began = undisturbed()
        with raises(TimeoutError):
            await ours.send(bytes(50_000_000), timeout=SHORT)
        assert undisturbed() - began < 5


async def a_timeout_is_for_all_parts_together(model):
    ours, theirs = pair(model)
    with ours, theirs:
        async with model.TaskGroup() as group:
            task = group.spawn(send_slowly, model, ours, b"x" * 5000)
            assert await theirs.receive(1) == b"x"
            with raises(TimeoutError):
                await theirs.receive_until(b"\n", timeout=0.3)
            task.cancel()
        await ours.send(b"\n")
        received = await theirs.receive_until(b"\n", timeout=PATIENCE)
        assert received == b"x" * (len(received) - 1) + b"\n"


async def a_cancelled_receive_takes_nothing(model):
    ours, theirs = pair(model)
    with ours, theirs:
        async with model.TaskGroup() as group:
            for wait in (theirs.receive, lambda: theirs.receive_until(b"\n")):
                task = group.spawn(call, wait)
                await model.sleep(SHORT)
                task.cancel()
                with raises(TaskCancelled):
                    await task.result()
        await ours.send(b"whole\n")
        assert await theirs.receive_until(b"\n", timeout=PATIENCE) == b"whole\n"


async def call(function):
    return await function()


async def report_end(stream, report):
    try:
        await stream.receive()
    except SocketClosed:
        await report.send("closed")


async def closing_wakes_who_receives(model):
    report = model.Channel(math.inf)
    ours, theirs = pair(model)
    with theirs:
        async with model.TaskGroup() as group:
            group.spawn(report_end, ours, report)
            await model.sleep(SHORT)
            began = undisturbed()
            ours.close()
            assert await report.receive(PATIENCE) == "closed"
            assert undisturbed() - began < 0.9
        for operation in (ours.receive, lambda: ours.receive_until(b"\n"), lambda: ours.send(b"x"), eof_of(ours)):
            with raises(SocketClosed):
                await operation()
        ours.close()
        assert await theirs.receive(timeout=PATIENCE) == b""


def eof_of(stream):
    """An operation that fails as the others do, awaited in async models as these are."""

    async def operation():
        stream.send_eof()

    return operation


async def receive_or_be_refused(stream, report):
    try:
        received = await stream.receive()
    except RuntimeError:
        received = "refused"
    await report.send(received)


async def two_receivers_are_refused(model):
    """The one that comes second, whichever that is."""
    report = model.Channel(math.inf)
    ours, theirs = pair(model)
    with ours, theirs:
        async with model.TaskGroup() as group:
            for _ in range(2):
                group.spawn(receive_or_be_refused, ours, report)
            assert await report.receive(PATIENCE) == "refused"
            await theirs.send(b"to the first")
            assert await report.receive(PATIENCE) == b"to the first"


async def a_broken_connection_is_an_error(model):
    with listen(model, HOST, 0) as listener:
        client = socket.create_connection(listener.address)
        with client, await listener.accept() as stream:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
            with raises(ConnectionError):
                await stream.receive(timeout=PATIENCE)
            with raises(ConnectionError):
                while True:
                    await stream.send(b"x")


async def what_is_not_there_can_not_be_connected(model, folder):
    with listen(model, HOST, 0) as listener:
        free = listener.address
    with raises(ConnectionRefusedError):
        await connect(model, *free)
    with raises(FileNotFoundError):
        await connect(model, f"{folder}/none")
    for wrong in ((HOST, 65536), (HOST, -1), (HOST, "80"), (HOST, None), (f"{folder}/none", 80)):
        with raises(ValueError):
            await connect(model, *wrong)


async def a_full_queue_times_out(model, address):
    """Nobody accepts, and the system holds no more connections that wait for that."""
    with listen(model, *address, backlog=0) as listener, contextlib.ExitStack() as clients:
        with raises(TimeoutError):
            while True:
                clients.enter_context(await connect(model, *listener.address, timeout=SHORT))
        async with model.TaskGroup() as group:
            group.spawn(accept_all, listener, group, echo)
            with await connect(model, *listener.address, timeout=PATIENCE) as stream:
                await stream.send(b"at last")
                assert await stream.receive(timeout=PATIENCE) == b"at last"
            clients.close()
            listener.close()


async def a_used_port_says_so(model):
    with listen(model, HOST, 0) as listener:
        port = listener.address[1]
        with raises(OSError) as found:
            listen(model, HOST, port)
        assert found[0].strerror == f"can't listen at {HOST}:{port}: Address already in use"
    listen(model, HOST, port).close()


async def swallow(stream):
    while await stream.receive():
        pass


def pump(end):
    """Send as fast as possible, from a thread, until the other side has gone."""
    with end, contextlib.suppress(OSError):
        while True:
            end.sendall(bytes(1 << 20))


async def a_fast_sender_starves_nobody(model):
    """A task that always has something to receive lets others run, and can be cancelled."""
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=pump, args=(ours,))
    thread.start()
    stream = pair(model)
    with stream[0], stream[1]:
        stream[0].socket.close()
        stream[0].socket = theirs
        theirs.setblocking(False)
        async with model.TaskGroup() as group:
            task = group.spawn(swallow, stream[0])
            for _ in range(5):
                await model.sleep(0.001)
            task.cancel()
    thread.join(PATIENCE)
    assert not thread.is_alive()


async def take_bytes(stream):
    while await stream.receive(1):
        pass


async def what_was_received_before_starves_nobody(model):
    """Bytes that need not be waited for, one after the other: the task that takes them ends when it is cancelled."""
    ours, theirs = pair(model)
    with ours, theirs:
        theirs.received += bytes(1_000_000)
        async with model.TaskGroup() as group:
            task = group.spawn(take_bytes, theirs)
            await model.sleep(0)
            await model.sleep(0)
            task.cancel()
        assert len(theirs.received) > 0
