"""The serve program as a user has it: right answers, bad clients, the graceful end; thoroughly on every model."""

import contextlib
import os
import signal
import socket
import struct
import threading
import time

import pytest
from commands import ring, skip_unless_here, until
from in_process import called
from interruptible import until_its_main_thread_waits
from kinds import EACH_KIND, HALVES, one_of_each_kind
from platforms import linux_files
from serving import BODY, HELLO, HOST, PATIENCE, Client, Deaf, Served, impatient_work, request

from concmodels import catalog
from concmodels.serve import Server, serve, tasks, workers

ENDS_IN_S = 3
LENGTH = "Content-Length must be one whole number of at most 19 digits\n"
NO_REQUEST = "this is not an HTTP/1.1 request\n"
TOO_LONG = "a body may have at most 1048576 bytes\n"
HEAD_TOO_LONG = "the head of a request may have at most 16384 bytes\n"
SOME = ("threads", "greenlet", "trio")


@pytest.fixture(scope="module", params=one_of_each_kind(catalog.names(variants=True)))
def server(request, tmp_path_factory):
    """A server on a model of each kind, or on each, for several tests; in the end it leaves nothing behind."""
    skip_unless_here(request.param)
    with Served(tmp_path_factory.mktemp("serve"), "--model", request.param) as served:
        served.name = request.param
        yield served
        status, err, took = served.stop(signal.SIGTERM)
        assert (status, err) == (143, "concmodels.serve: ended by SIGTERM\n")
        assert took < ENDS_IN_S
        assert not served.left()
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(served.address)


@pytest.fixture(scope="module")
def threads_server():
    """A server on threads in this process, by the function for Python."""
    yield from in_this_process("threads")


def in_this_process(name, **options):
    """Start a server in a thread, yield it, stop it."""
    started = []
    there = threading.Event()

    def take(server):
        started.append(server)
        there.set()

    thread = threading.Thread(target=serve, args=(name,), kwargs={"port": 0, "started": take, **options})
    thread.start()
    assert there.wait(PATIENCE)
    yield started[0]
    started[0].stop()
    thread.join(PATIENCE)
    assert not thread.is_alive()


# Answers.


def test_what_it_answers(server):
    with Client(server.address) as client:
        assert client.ask("/json") == (200, HELLO)
        assert client.ask("/io?ms=1") == (200, b"slept for 1 ms\n")
        assert client.ask("/cpu?n=10") == (200, b"fibonacci(10) is 55\n")
        assert client.ask("/echo?good%20day") == (200, b"good day")
        assert client.ask("/echo", method="POST", body=b"\0\r\n\r\n\xff") == (200, b"\0\r\n\r\n\xff")
        status, page = client.ask("/")
        assert status == 200
        assert page.decode().startswith("<!doctype html>") and f"<h1>{server.line.split()[0]}" in page.decode()


def test_the_right_bytes_on_many_connections(server, thorough):
    """20 connections, 50 requests on each or 200, all at a time: every answer is that of its own request."""
    clients = [Client(server.address) for _ in range(20)]
    for turn in range(200 if thorough else 50):
        for number, client in enumerate(clients):
            body = f"{number}:{turn}".encode() * (1 + turn % 50)
            client.send(request("/echo", "POST", body) if turn % 2 else request(f"/echo?{number}:{turn}"))
        for number, client in enumerate(clients):
            due = f"{number}:{turn}".encode() * (1 + turn % 50 if turn % 2 else 1)
            status, _, body = client.answer()
            assert (status, body) == (200, due)
    for client in clients:
        client.socket.close()


def test_two_requests_in_one_packet(server):
    with Client(server.address) as client:
        client.send(request("/json") + request("/echo", "POST", b"body") + request("/cpu?n=1") + request("/nothing"))
        assert [client.answer()[0::2] for _ in range(3)] == [
            (200, HELLO),
            (200, b"body"),
            (200, b"fibonacci(1) is 1\n"),
        ]
        assert client.answer()[0] == 404


def test_a_request_in_single_bytes(server):
    with Client(server.address) as client:
        for byte in request("/echo", "POST", b"slow"):
            client.send(bytes([byte]))
            time.sleep(0.001)
        assert client.answer()[0::2] == (200, b"slow")


def test_clients_that_are_slow_or_gone_cost_nobody_else_anything(server):
    slow = [Client(server.address) for _ in range(30)]
    for number, client in enumerate(slow):
        client.send(b"" if number % 3 == 0 else b"GET /js" if number % 3 == 1 else request("/echo", "POST", b"12")[:-1])
    for kind in (b"GET ", request("/io?ms=50"), request("/echo", "POST", b"gone")[:-2]):
        gone = Client(server.address)
        gone.send(kind)
        gone.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.socket.close()
    with Client(server.address) as client:
        for _ in range(20):
            assert client.ask("/json") == (200, HELLO)
    for number, client in enumerate(slow):
        if number % 3 == 1:
            client.send(b"on HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.answer()[0::2] == (200, HELLO)
        client.socket.close()


def test_who_computes_does_not_keep_others_out(server):
    """While some clients have the server compute without a pause, others are accepted and answered."""
    over = threading.Event()

    def busy():
        with Client(server.address) as client:
            while not over.is_set():
                assert client.ask("/cpu?n=21")[0] == 200

    threads = [threading.Thread(target=busy) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            with Client(server.address) as client:
                assert client.ask("/json") == (200, HELLO)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_a_client_may_send_much(server):
    data = os.urandom(1 << 20)
    with Client(server.address) as client:
        sender = threading.Thread(target=client.send, args=(request("/echo", "POST", data),))
        sender.start()
        assert client.answer()[0::2] == (200, data)
        sender.join()


# The protocol; it is the same text on all models.


@pytest.mark.parametrize(
    ("sent", "status", "said"),
    [
        (b"hello\r\n\r\n", 400, NO_REQUEST),
        (b"GET /json\r\n\r\n", 400, NO_REQUEST),
        (b"GET  /json HTTP/1.1\r\n\r\n", 400, NO_REQUEST),
        (b"GET /json HTTP/1.1\r\nno colon\r\n\r\n", 400, NO_REQUEST),
        (b"GET /json HTTP/1.1\r\nname : value\r\n\r\n", 400, NO_REQUEST),
        (b"GET /\xff HTTP/1.1\r\n\r\n", 400, NO_REQUEST),
        (b"GET /json HTTP/2.0\r\n\r\n", 505, "this service only supports HTTP/1.1\n"),
        (b"POST /echo HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, LENGTH),
        (b"POST /echo HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n", 400, LENGTH),
        (
            b"POST /echo HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n",
            400,
            LENGTH,
        ),
        (b"POST /echo HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", 413, TOO_LONG),
        (
            b"POST /echo HTTP/1.1\r\nContent-Length: 9%s\r\n\r\n" % (b"9" * 5000),
            400,
            LENGTH,
        ),
        (
            b"POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            501,
            "send the body with a Content-Length: this service doesn't support Transfer-Encoding\n",
        ),
        (
            b"GET /json HTTP/1.1\r\nx: %s\r\n\r\n" % (b"y" * 17_000),
            431,
            "the head of a request may have at most 16384 bytes\n",
        ),
        (b"GET /%s" % (b"y" * 200_000), 431, HEAD_TOO_LONG),
    ],
)
def test_what_is_no_request_is_answered_and_ends_the_connection(threads_server, sent, status, said):
    with Client(threads_server.address) as client:
        client.send(sent)
        answered, fields, body = client.answer()
        assert (answered, fields["connection"], body.decode()) == (status, "close", said)
        assert client.ends()


@pytest.mark.parametrize(
    ("target", "options", "status", "said"),
    [
        ("/nothing", {}, 404, "there is no such page; there are /, /json, /io, /cpu, /echo\n"),
        ("/json", {"method": "POST", "body": b"x"}, 405, "/json takes GET, HEAD\n"),
        ("/echo", {"method": "DELETE"}, 405, "/echo takes GET, HEAD, POST\n"),
        ("/io?ms=x", {}, 400, "ms must be a whole number from 0 to 10000\n"),
        ("/io?ms=10001", {}, 400, "ms must be a whole number from 0 to 10000\n"),
        ("/cpu?n=31", {}, 400, "n must be a whole number from 0 to 30\n"),
        ("/cpu?n=-1", {}, 400, "n must be a whole number from 0 to 30\n"),
        ("/cpu?n=%E0%B1%A7", {}, 400, "n must be a whole number from 0 to 30\n"),
    ],
)
def test_what_it_refuses_leaves_the_connection(threads_server, target, options, status, said):
    with Client(threads_server.address) as client:
        assert client.ask(target, **options) == (status, said.encode())
        assert client.ask("/json") == (200, HELLO)


def test_a_method_that_is_not_allowed_says_which_are(threads_server):
    with Client(threads_server.address) as client:
        client.send(request("/echo", "PUT", b"x"))
        assert client.answer()[1]["allow"] == "get, head, post"


@pytest.mark.parametrize("target", ["/", "/json", "/echo?x", "/nothing"])
def test_head_is_the_head_of_get(threads_server, target):
    with Client(threads_server.address) as client:
        client.send(request(target, "HEAD"))
        head = client.answer(has_body=False)
        client.send(request(target))
        found = client.answer()
        assert head[:2] == found[:2] and int(head[1]["content-length"]) == len(found[2])


@pytest.mark.parametrize(
    ("line", "fields", "stays"),
    [
        ("1.1", "", True),
        ("1.1", "Connection: close\r\n", False),
        ("1.1", "connection: Upgrade, CLOSE\r\n", False),
        ("1.0", "", False),
        ("1.0", "Connection: keep-alive\r\n", True),
    ],
)
def test_how_long_a_connection_is_kept(threads_server, line, fields, stays):
    with Client(threads_server.address) as client:
        client.send(f"GET /json HTTP/{line}\r\nHost: x\r\n{fields}\r\n".encode())
        status, answered, body = client.answer()
        assert (status, body) == (200, HELLO)
        if stays:
            assert answered.get("connection") == ("keep-alive" if line == "1.0" else None)
            assert client.ask("/json") == (200, HELLO)
        else:
            assert answered["connection"] == "close"
            assert client.ends()


def test_a_client_that_asks_first_is_told_to_go_on(threads_server):
    with Client(threads_server.address) as client:
        head, body = request("/echo", "POST", b"body", "Expect: 100-continue\r\n").split(b"\r\n\r\n")
        client.send(head + b"\r\n\r\n")
        assert client.answer()[0] == 100
        client.send(body)
        assert client.answer()[0::2] == (200, b"body")


def test_empty_lines_between_requests_are_nothing(threads_server):
    with Client(threads_server.address) as client:
        client.send(request("/echo", "POST", b"body") + b"\r\n" + request("/json"))
        assert [client.answer()[2] for _ in range(2)] == [b"body", HELLO]


def test_a_body_that_does_not_come(threads_server, monkeypatch):
    monkeypatch.setattr(tasks, "BODY_S", 0.2)
    with Client(threads_server.address) as client:
        client.send(request("/echo", "POST", b"body")[:-1])
        status, fields, body = client.answer()
        assert (status, fields["connection"]) == (408, "close")
        assert body == b"the body of 4 bytes did not come within 0.2 s\n"
        assert client.ends()


@pytest.mark.parametrize("name", SOME)
def test_a_head_that_does_not_come(name, monkeypatch):
    """Its client is told so; one that has not begun with a head may wait as long as it likes."""
    monkeypatch.setattr(tasks, "HEAD_S", 0.3)
    monkeypatch.setattr(tasks, "LOOK_S", 0.05)
    for server in in_this_process(name):
        with Client(server.address) as slow, Client(server.address) as silent, Client(server.address) as idle:
            idle.send(request("/echo", "POST", b"body") + b"\r\n")  # an empty line is no head
            assert idle.answer()[2] == b"body"
            assert slow.ask("/json") == (200, HELLO)
            slow.send(b"GET /json HTTP/1.1\r\nHost:")
            status, fields, body = slow.answer()
            assert (status, fields["connection"]) == (408, "close")
            assert body == b"the head of the request did not come within 0.3 s\n"
            assert slow.ends()
            for other in (silent, idle):
                assert other.ask("/json") == (200, HELLO)


@pytest.mark.parametrize("name", one_of_each_kind(catalog.names(), of=HALVES[0]))
def test_a_client_that_never_reads_loses_its_connection(name, monkeypatch):
    skip_unless_here(name)
    monkeypatch.setattr(tasks, "SEND_S", 0.05)
    monkeypatch.setattr(workers, "work", impatient_work)
    for server in in_this_process(name):
        with Deaf(server.address) as deaf, Client(server.address) as other:
            deaf.ask_until_the_end()
            assert other.ask("/json") == (200, HELLO)


@pytest.mark.parametrize("name", [it for it in EACH_KIND if it.values[0] not in ("processes", "subinterp")])
def test_a_client_that_never_reads_keeps_no_server_from_its_end(name, monkeypatch):
    """It is cut off with all others, long before its own time is over."""
    skip_unless_here(name)
    monkeypatch.setattr(tasks, "SEND_S", 1e6)
    monkeypatch.setattr(tasks, "GRACE_S", 0.05)
    waits, limits = waits_to_send(catalog.load(name), monkeypatch)
    for server in in_this_process(name):
        deaf = Deaf(server.address)
        asking = threading.Thread(target=deaf.ask_until_the_end)
        asking.start()
        waits.wait()
        with Client(server.address) as other:
            assert other.ask("/json") == (200, HELLO)
    asking.join()
    deaf.socket.close()
    assert limits and None not in limits


def waits_to_send(model, monkeypatch):
    """An event that is set when a task of the model waits for a client that takes nothing, and the time limits."""
    waits, limits = threading.Event(), []
    wait_writable = model.wait_writable

    def noted(socket, timeout=None):
        limits.append(timeout)
        waits.set()
        return wait_writable(socket, timeout)

    monkeypatch.setattr(model, "wait_writable", noted)
    return waits, limits


def test_a_head_that_comes_slowly_but_in_time(monkeypatch):
    monkeypatch.setattr(tasks, "HEAD_S", 30)
    monkeypatch.setattr(tasks, "LOOK_S", 0.01)
    for server in in_this_process("threads"):
        with Client(server.address) as client:
            for _ in range(3):
                for byte in request("/json"):
                    client.send(bytes([byte]))
                    time.sleep(0.002)
                assert client.answer()[0::2] == (200, HELLO)


def test_a_client_that_ends_in_the_middle_of_a_body(threads_server):
    with Client(threads_server.address) as client:
        client.send(request("/echo", "POST", b"body")[:-1])
        client.socket.shutdown(socket.SHUT_WR)
        assert client.ends()


def test_a_client_that_only_sends_is_not_waited_for(threads_server, monkeypatch):
    """A connection that ends is read for a moment only, however much comes."""
    monkeypatch.setattr(tasks, "LINGER_S", 0.2)
    with Client(threads_server.address) as client:
        client.send(b"nonsense\r\n\r\n")
        assert client.answer()[0] == 400
        with pytest.raises(ConnectionError):
            while True:
                client.send(bytes(100_000))


def test_the_page_counts(threads_server):
    clients = [Client(threads_server.address) for _ in range(5)]
    before = counted(clients[0])
    for client in clients:
        assert client.ask("/json") == (200, HELLO)
    clients[4].socket.close()
    assert counted(clients[0])[1] == before[1] + 6
    assert until(lambda: counted(clients[0])[0] == 4 or None)
    for client in clients:
        client.socket.close()


def counted(client):
    """The connections and the requests that the page shows."""
    page = client.ask("/")[1].decode()
    return [int(part.partition("<")[0].replace(",", "")) for part in page.split("<dd>")[2:]]


# The end.


@pytest.mark.parametrize("name", one_of_each_kind(catalog.names(variants=True)))
def test_what_is_being_answered_is_answered_to_the_end(tmp_path, name):
    skip_unless_here(name)
    with Served(tmp_path, "--model", name) as server:
        idle = [Client(server.address) for _ in range(5)]
        for client in idle:
            assert client.ask("/json") == (200, HELLO)  # workers of their own take a moment to start
        busy = [Client(server.address) for _ in range(20)]
        for client in busy:
            client.begin("/io?ms=900")

        def send_the_rest():
            for client in busy:
                client.send(BODY + request("/json"))

        status, err, took = server.stop(signal.SIGINT, send_the_rest)
        assert (status, err) == (130, "concmodels.serve: interrupted\n")
        assert took < ENDS_IN_S
        for client in busy:
            answered, fields, body = client.answer()
            assert (answered, body, fields["connection"]) == (200, b"slept for 900 ms\n", "close")
            assert client.ends()
        assert all(client.ends() for client in idle)
        assert not server.left()
    for client in busy + idle:
        client.socket.close()
    with pytest.raises(ConnectionRefusedError):
        Client(server.address)


@pytest.mark.parametrize("name", one_of_each_kind(catalog.names(variants=True), first=1, of=HALVES[1]))
def test_it_ends_in_time_whatever_is_being_answered(tmp_path, name):
    skip_unless_here(name)
    with Served(tmp_path, "--model", name) as server:
        deaf = Deaf(server.address)
        asking = threading.Thread(target=deaf.ask_until_the_end)
        asking.start()
        clients = [Client(server.address) for _ in range(10)]
        for number, client in enumerate(clients):
            assert client.ask("/json") == (200, HELLO)
            client.begin("/io?ms=10000")
            if number % 2:
                client.send(BODY)
        status, err, took = server.stop(signal.SIGTERM)
        assert (status, err) == (143, "concmodels.serve: ended by SIGTERM\n")
        assert took < ENDS_IN_S
        assert not server.left()
    asking.join()
    for client in (deaf, *clients):
        client.socket.close()


@pytest.mark.parametrize("name", one_of_each_kind(catalog.names(), first=2, of=HALVES[0]))
def test_nothing_is_cut_in_two_under_load(tmp_path, thorough, name):
    """Each connection ends between two answers, and after an answer that says so or before a request was read."""
    skip_unless_here(name)
    all_at_it, wrong = threading.Barrier(9), []

    def ask_until_the_end(address):
        try:
            with Client(address) as client, contextlib.suppress(ConnectionResetError, BrokenPipeError):
                for _ in range(100 if thorough else 20):
                    assert client.ask("/json") == (200, HELLO)
                all_at_it.wait()
                fields = {}
                while "connection" not in fields:
                    client.send(request("/json"))  # it breaks if nobody reads any more
                    answer = client.answer()
                    if answer is None:
                        break
                    status, fields, body = answer
                    assert (status, body) == (200, HELLO)
        except (AssertionError, OSError, threading.BrokenBarrierError) as error:
            wrong.append(error)
            all_at_it.abort()

    with Served(tmp_path, "--model", name) as server:
        with Client(server.address) as client:
            assert client.ask("/json") == (200, HELLO)  # workers of their own take a moment to start
        threads = [threading.Thread(target=ask_until_the_end, args=(server.address,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        with contextlib.suppress(threading.BrokenBarrierError):
            all_at_it.wait(PATIENCE)
        status, _, took = server.stop(signal.SIGTERM)
        for thread in threads:
            thread.join()
        assert (status, wrong) == (143, [])
        assert took < ENDS_IN_S


@pytest.mark.parametrize("name", SOME)
def test_a_second_ctrl_c_ends_it_at_once(tmp_path, name):
    with Served(tmp_path, "--model", name) as server, Client(server.address) as client:
        client.begin("/io?ms=10000")
        client.send(BODY)
        server.process.send_signal(signal.SIGINT)
        until_its_main_thread_waits(server.process)
        time.sleep(1.1)  # what comes earlier is the same request to end
        status, err, took = server.stop(signal.SIGINT)
        assert (status, err) == (130, "concmodels.serve: interrupted\n")
        assert took < 0.8
        assert client.ends()


@linux_files
@pytest.mark.parametrize("name", ["processes", "subinterp"])
def test_a_killed_server_leaves_no_worker(tmp_path, name):
    skip_unless_here(name)
    with Served(tmp_path, "--model", name, "--workers", 3) as server:
        with Client(server.address) as client:
            assert client.ask("/json") == (200, HELLO)
        server.process.kill()
        server.process.wait()
        assert until(lambda: not server.alive() or None)


@pytest.mark.parametrize("name", ["processes", "subinterp"])
def test_all_workers_answer(tmp_path, name):
    skip_unless_here(name)
    with Served(tmp_path, "--model", name, "--workers", 3) as server:
        seen = set()

        def all_seen():
            with Client(server.address) as client:
                seen.add(client.ask("/")[1].partition(b"<h1>")[2].partition(b"</h1>")[0].decode())
            return len(seen) >= 3 or None

        until(all_seen)
        assert seen == {f"{name}, worker {number} of 3" for number in (1, 2, 3)}
        assert server.stop(signal.SIGTERM)[0] == 143


# What is too much, and what is wrong.


@linux_files
@pytest.mark.parametrize(
    "name", one_of_each_kind(["threads", "greenlet", "asyncio", "trio"], of=["threads", "asyncio"])
)
def test_too_few_descriptors(tmp_path, name):
    """It goes on with the connections that it has, says so once, and takes others when some have ended."""
    limit = 48
    with Served(tmp_path, "--model", name, prefix=("prlimit", f"--nofile={limit}:{limit}")) as server:
        clients = [Client(server.address) for _ in range(limit + 20)]
        assert clients[0].ask("/json") == (200, HELLO)
        said = server.process.stderr.readline()
        assert said == "concmodels.serve: can't accept more connections for now: Too many open files\n"
        assert clients[1].ask("/json") == (200, HELLO)
        clients[-1].send(request("/json"))
        for client in clients[:-1]:
            client.socket.close()
        assert clients[-1].answer()[0::2] == (200, HELLO)
        clients[-1].socket.close()
        status, err, _ = server.stop(signal.SIGTERM)
        assert (status, err) == (143, "concmodels.serve: ended by SIGTERM\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--port", "no"), "argument --port: a whole number is needed, not 'no'"),
        (("--port", "65536"), "argument --port: a port is a whole number from 0 to 65535, not 65536"),
        (("--host", "no.such.invalid"), "there is no address for the host 'no.such.invalid': "),
        (("--host", "/a/path"), "'/a/path' is the path of a Unix socket, which has no port, so 0 is not needed"),
        (("--model", "trioo"), "there is no model 'trioo': did you mean trio? There are trio, "),
        (("--model", "sim"), "sim can't serve: its tasks can't wait for a socket"),
        (("--workers", 2), "workers are for processes and subinterp; threads serves all connections in one process"),
        (("--model", "processes", "--workers", 0), "workers must be a whole number of at least 1, not 0"),
        (("extra",), "unrecognized arguments: extra"),
    ],
)
def test_bad_input(arguments, sentence):
    if arguments[0] != "--port":
        arguments = ("--port", 0, *arguments)
    status, out, err = called(*arguments, module="concmodels.serve")
    assert (status, out) == (2, "")
    assert err.startswith(f"concmodels.serve: {sentence}") and err.count("\n") == 1


@linux_files
def test_more_workers_than_descriptors(tmp_path):
    arguments = ("--model", "processes", "--workers", 600, "--port", 0)
    status, out, err = ring(tmp_path, *arguments, module="concmodels.serve", prefix=("prlimit", "--nofile=256:256"))
    assert (status, out) == (2, "")
    assert err.startswith("concmodels.serve: a server with 600 workers of processes needs about 1,8")
    assert err.count("\n") == 1


def test_a_port_that_is_in_use(tmp_path):
    with socket.create_server((HOST, 0)) as other:
        port = other.getsockname()[1]
        status, _, err = ring(tmp_path, "--port", port, module="concmodels.serve")
    assert status == 2
    assert (
        err
        == f"concmodels.serve: can't listen at {HOST}:{port}: Address already in use; choose another one by --port\n"
    )


def test_help_says_what_it_is_not(tmp_path):
    status, out, err = ring(tmp_path, "--help", module="concmodels.serve")
    assert (status, err) == (0, "")
    assert "not a web server for production" in " ".join(out.split())


# The function.


@pytest.mark.parametrize("name", ["threads", "asyncio", "greenlet"])
def test_it_can_be_called(name, nothing_left_behind):
    for server in in_this_process(name):
        with Client(server.address) as client:
            assert client.ask("/json") == (200, HELLO)


def test_what_fails_at_the_start_closes_the_port(nothing_left_behind):
    def fail(server):
        raise ValueError(server.address[1])

    with pytest.raises(ValueError) as found:
        serve("threads", port=0, started=fail)
    socket.create_server((HOST, found.value.args[0])).close()


def test_a_server_that_was_not_run_can_be_closed(nothing_left_behind):
    server = Server("trio", port=0)
    assert server.url == f"http://{HOST}:{server.address[1]}/"
    server.close()
    server.close()
