"""The service at work: a task that accepts, and a task for each connection.

    client  ---- connection ---->  accept_all --- spawns --->  converse
       '<------- request, answer, request, answer ... ----------'

A connection is kept for one request after the other. A client that is slow, or sends nonsense, or nothing at all, only
delays its own task, because each task waits for its own socket. It can't delay that task for ever either: a head or a
body that has begun must arrive in time, and an answer must be taken in time. Only between two requests a client may be
silent for as long as it likes.

The service ends gracefully (`serve`): it accepts nothing more, closes connections that wait for a request, and gives
requests that are being answered two seconds. What is left then is cancelled.

The program is written twice, once sync and once async; the two differ only in `async` and `await`. Run it with
`python -m concmodels.serve --model trio`, or from Python with `serve("trio")`.
"""

from concmodels.errors import DelimiterNotFound, SocketClosed
from concmodels.serve.http import CONTINUE, HEAD_END, MOST_HEAD, Refusal, Request, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.contract import AsyncTaskGroup, TaskGroup
    from concmodels.net import AsyncListener, AsyncStream, Listener, Stream
    from concmodels.serve.service import Service, Visit
    from concmodels.serve.stop import Stop

__all__ = ["accept_all", "async_accept_all", "async_converse", "async_serve", "converse", "serve"]

GRACE_S = 2.0
"""The seconds that requests which are being answered have when the service stops."""
HEAD_S = 10.0
"""The seconds that the head of a request may take to come, once it has begun."""
LOOK_S = 1.0
"""The seconds between two looks for heads that take longer."""
BODY_S = 10.0
"""The seconds that a body may take to come."""
SEND_S = 10.0
"""The seconds that a client may take to receive an answer."""
LINGER_S = 1.0
"""The seconds that a connection which ends waits for the client to close it."""
SHORT_S = 0.1
"""The pause before the next try where the system has no room for another connection."""
PIECE = 65536


def serve(model: Any, listener: Listener, stop: Stop, service: Service) -> None:
    """Serve until `stop` says so or a signal arrives; then end gracefully."""
    with stop.heard():
        serve_until(model, listener, stop, service)


def serve_until(model: Any, listener: Listener, stop: Stop, service: Service) -> None:
    """Serve until `stop` says so; then end gracefully."""
    with model.TaskGroup() as limit:
        with model.TaskGroup() as group:
            group.spawn(accept_all, model, group, listener, service, name="accept")
            looker = group.spawn(end_slow_heads, model, service, name="slow heads")
            model.wait_readable(stop)
            looker.cancel()
            listener.close()
            service.stop()
            timer = limit.spawn(cut_off, model, group, name="timer")
        timer.cancel()


def cut_off(model: Any, group: TaskGroup) -> None:
    """Cancel what has not ended in time."""
    model.sleep(GRACE_S)
    group.cancel()


def end_slow_heads(model: Any, service: Service) -> None:
    """End the waits for heads that do not come in time.

    One task looks at all connections now and then, because a timeout for each request would cost every request.
    """
    while True:
        model.sleep(LOOK_S)
        service.end_slow_heads(model.now(), HEAD_S)


def accept_all(model: Any, group: TaskGroup, listener: Listener, service: Service) -> None:
    """Spawn a task for each connection, until the listener is closed."""
    while True:
        try:
            for stream in listener:
                welcome(model, group, stream, service)
            return
        except OSError as error:  # there are too many descriptors open: some will be closed, so the rest can wait
            service.tell_once(f"can't accept more connections for now: {error.strerror}")
            model.sleep(SHORT_S)


def welcome(model: Any, group: TaskGroup, stream: Stream, service: Service) -> None:
    """Spawn the task of one connection; close the connection if no more tasks can be started."""
    try:
        group.spawn(converse, model, stream, service)
    except RuntimeError as error:  # of threads: the system starts no more
        stream.close()
        service.tell_once(f"can't take more connections for now: {error}")


def converse(model: Any, stream: Stream, service: Service) -> None:
    """Serve one connection until it ends."""
    with stream, service.visit(stream) as visit:
        try:
            answer_all(model, stream, service, visit)
        except OSError, SocketClosed:
            return  # the client has gone, or takes nothing


def answer_all(model: Any, stream: Stream, service: Service, visit: Visit) -> None:
    """Answer the requests of one connection, one after the other."""
    while True:
        visit.expect_another()
        try:
            request = next_request(model, stream, visit)
        except Refusal as refusal:
            stream.send(service.refuse(refusal), timeout=SEND_S)
            break
        if request is None:
            return
        if pause := service.pause_s(request):
            model.sleep(pause)
        last = visit.is_last(request)
        stream.send(service.answer(request, last), timeout=SEND_S)
        if last:
            break
    linger(stream)


def next_request(model: Any, stream: Stream, visit: Visit) -> Request | None:
    """Receive a request with its body; return None if the client has ended. Raises `Refusal`."""
    try:
        head = stream.receive_until(HEAD_END, MOST_HEAD)
    except DelimiterNotFound:
        raise Refusal(431, f"the head of a request may have at most {MOST_HEAD} bytes") from None
    if not head.endswith(HEAD_END):
        if head and visit.is_slow:
            raise Refusal(408, f"the head of the request did not come within {HEAD_S:g} s")
        return None
    visit.begin_request()
    request = parse(head)
    if request.length:
        if request.expects:
            stream.send(CONTINUE, timeout=SEND_S)
        request.body = body_of(model, stream, request.length)
        if len(request.body) < request.length:
            return None
    return request


def body_of(model: Any, stream: Stream, length: int) -> bytes:
    """Receive so many bytes; fewer if the client ends before. Raises `Refusal` if they do not come in time."""
    body, until = bytearray(), model.now() + BODY_S
    while len(body) < length:
        try:
            more = stream.receive(min(PIECE, length - len(body)), timeout=until - model.now())
        except TimeoutError:
            raise Refusal(408, f"the body of {length} bytes did not come within {BODY_S:g} s") from None
        if not more:
            break
        body += more
    return bytes(body)


def linger(stream: Stream) -> None:
    """End a connection so that the client gets the last answer.

    The system would throw it away if the connection were closed while something that the client has sent is unread.
    """
    stream.send_eof()
    until = stream.model.now() + LINGER_S
    while (rest := until - stream.model.now()) > 0 and stream.receive(timeout=rest):
        pass


async def async_serve(model: Any, listener: AsyncListener, stop: Stop, service: Service) -> None:
    """The async form of `serve`."""
    with stop.heard():
        await async_serve_until(model, listener, stop, service)


async def async_serve_until(model: Any, listener: AsyncListener, stop: Stop, service: Service) -> None:
    """The async form of `serve_until`."""
    async with model.TaskGroup() as limit:
        async with model.TaskGroup() as group:
            group.spawn(async_accept_all, model, group, listener, service, name="accept")
            looker = group.spawn(async_end_slow_heads, model, service, name="slow heads")
            await model.wait_readable(stop)
            looker.cancel()
            listener.close()
            service.stop()
            timer = limit.spawn(async_cut_off, model, group, name="timer")
        timer.cancel()


async def async_cut_off(model: Any, group: AsyncTaskGroup) -> None:
    """The async form of `cut_off`."""
    await model.sleep(GRACE_S)
    group.cancel()


async def async_end_slow_heads(model: Any, service: Service) -> None:
    """The async form of `end_slow_heads`."""
    while True:
        await model.sleep(LOOK_S)
        service.end_slow_heads(model.now(), HEAD_S)


async def async_accept_all(model: Any, group: AsyncTaskGroup, listener: AsyncListener, service: Service) -> None:
    """The async form of `accept_all`."""
    while True:
        try:
            async for stream in listener:
                async_welcome(model, group, stream, service)
            return
        except OSError as error:  # there are too many descriptors open: some will be closed, so the rest can wait
            service.tell_once(f"can't accept more connections for now: {error.strerror}")
            await model.sleep(SHORT_S)


def async_welcome(model: Any, group: AsyncTaskGroup, stream: AsyncStream, service: Service) -> None:
    """The async form of `welcome`."""
    try:
        group.spawn(async_converse, model, stream, service)
    except RuntimeError as error:  # of threads: the system starts no more
        stream.close()
        service.tell_once(f"can't take more connections for now: {error}")


async def async_converse(model: Any, stream: AsyncStream, service: Service) -> None:
    """The async form of `converse`."""
    with stream, service.visit(stream) as visit:
        try:
            await async_answer_all(model, stream, service, visit)
        except OSError, SocketClosed:
            return  # the client has gone, or takes nothing


async def async_answer_all(model: Any, stream: AsyncStream, service: Service, visit: Visit) -> None:
    """The async form of `answer_all`."""
    while True:
        visit.expect_another()
        try:
            request = await async_next_request(model, stream, visit)
        except Refusal as refusal:
            await stream.send(service.refuse(refusal), timeout=SEND_S)
            break
        if request is None:
            return
        if pause := service.pause_s(request):
            await model.sleep(pause)
        last = visit.is_last(request)
        await stream.send(service.answer(request, last), timeout=SEND_S)
        if last:
            break
    await async_linger(stream)


async def async_next_request(model: Any, stream: AsyncStream, visit: Visit) -> Request | None:
    """The async form of `next_request`."""
    try:
        head = await stream.receive_until(HEAD_END, MOST_HEAD)
    except DelimiterNotFound:
        raise Refusal(431, f"the head of a request may have at most {MOST_HEAD} bytes") from None
    if not head.endswith(HEAD_END):
        if head and visit.is_slow:
            raise Refusal(408, f"the head of the request did not come within {HEAD_S:g} s")
        return None
    visit.begin_request()
    request = parse(head)
    if request.length:
        if request.expects:
            await stream.send(CONTINUE, timeout=SEND_S)
        request.body = await async_body_of(model, stream, request.length)
        if len(request.body) < request.length:
            return None
    return request


async def async_body_of(model: Any, stream: AsyncStream, length: int) -> bytes:
    """The async form of `body_of`."""
    body, until = bytearray(), model.now() + BODY_S
    while len(body) < length:
        try:
            more = await stream.receive(min(PIECE, length - len(body)), timeout=until - model.now())
        except TimeoutError:
            raise Refusal(408, f"the body of {length} bytes did not come within {BODY_S:g} s") from None
        if not more:
            break
        body += more
    return bytes(body)


async def async_linger(stream: AsyncStream) -> None:
    """The async form of `linger`."""
    stream.send_eof()
    until = stream.model.now() + LINGER_S
    while (rest := until - stream.model.now()) > 0 and await stream.receive(timeout=rest):
        pass
