"""The HTTP server of the `io` work, and the socket for models that have none of their own."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from undisturbed import undisturbed

import concmodels
from concmodels.work import load
from concmodels.work.clients import Socket
from concmodels.work.io import port_of, start_server, stop_server
from concmodels.work.server import DOCUMENTS, RESPONSES

ROOT = Path(concmodels.__file__).parent.parent
LAST = b"GET /posts/7 "


@pytest.fixture
def server(nothing_left_behind):
    """A server that answers at once: its process and its port."""
    process = start_server(0)
    yield process, port_of(process)
    stop_server(process)


def ask(port, *parts):
    """Send these bytes, each after a little while, and a last request; return all that came back before its answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=50) as client:
        for part in parts:
            client.sendall(part)
            time.sleep(0.02)
        client.sendall(LAST + b"HTTP/1.1\r\n\r\n")
        received = b""
        while not received.endswith(RESPONSES[LAST]):
            received += client.recv(65536)
        return received.removesuffix(RESPONSES[LAST])


def test_the_server_has_twenty_documents_of_the_known_shape(server):
    assert [*DOCUMENTS] == [*range(1, 21)]
    for number in (1, 20):
        head, _, body = ask(server[1], b"GET /posts/%d HTTP/1.1\r\nHost: x\r\n\r\n" % number).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK")
        assert json.loads(body) == DOCUMENTS[number]
        assert [*DOCUMENTS[number]] == ["userId", "id", "title", "body"]


def test_the_server_has_no_other_documents(server):
    for target in (b"/posts/21", b"/posts/0", b"/", b"/posts/1/2", b"/posts/", b""):
        assert ask(server[1], b"GET %s HTTP/1.1\r\n\r\n" % target).startswith(b"HTTP/1.1 404 Not Found"), target


def test_requests_may_come_in_pieces_and_several_at_once(server):
    request = b"GET /posts/3 HTTP/1.1\r\nHost: x\r\n\r\n"
    received = ask(server[1], request[:10], request[10:-1], request[-1:] + request + request)
    assert received.count(b"HTTP/1.1 200 OK") == 3


def test_a_client_that_has_gone_does_no_harm(server):
    with socket.create_connection(("127.0.0.1", server[1])) as client:
        client.sendall(b"GET /posts/3 HTTP/1.1\r\n\r\n")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # gone with a reset
    assert b"200 OK" in ask(server[1], b"GET /posts/4 HTTP/1.1\r\n\r\n")


def test_the_server_holds_hundreds_of_requests_at_the_same_time(nothing_left_behind):
    server = start_server(500)
    try:
        address = ("127.0.0.1", port_of(server))
        clients = [socket.create_connection(address, timeout=100) for _ in range(400)]
        began = undisturbed()
        for client in clients:
            client.sendall(b"GET /posts/5 HTTP/1.1\r\n\r\n")
        assert all(client.recv(4096).startswith(b"HTTP/1.1 200") for client in clients)
        assert undisturbed() - began < 100  # one after the other they take 200 s
        for client in clients:
            client.close()
    finally:
        stop_server(server)


def test_the_server_ends_with_the_process_that_started_it():
    program = """
import os, signal
from concmodels.work.io import start_server, port_of
server = start_server(0)
print(server.pid, port_of(server), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    command = [sys.executable, "-c", program]
    out = subprocess.run(command, capture_output=True, text=True, timeout=50, env={"PYTHONPATH": str(ROOT)})
    assert out.returncode == -signal.SIGKILL
    pid = int(out.stdout.split()[0])
    deadline = time.monotonic() + 40
    while Path(f"/proc/{pid}/cmdline").exists() and b"work/server.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
        assert time.monotonic() < deadline, "the server still lives"
        time.sleep(0.01)


def test_ctrl_c_is_for_the_process_that_started_the_server(server):
    process, port = server
    process.send_signal(signal.SIGINT)
    assert b"200 OK" in ask(port, b"GET /posts/4 HTTP/1.1\r\n\r\n")
    assert process.poll() is None


def test_a_server_that_does_not_start_is_an_error(monkeypatch, nothing_left_behind):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    work = load("io")("threads", 1)
    with pytest.raises(RuntimeError, match="the HTTP server that the requests are for did not start"):
        work.prepared(None).__enter__()


# The socket for models that have none.


class Verbs:
    """Stands in for a model: a wait is one more step of the other side."""

    def __init__(self, step):
        self.wait_readable = self.wait_writable = step
        self.notified = []
        self.notify_closing = self.notified.append


def test_the_socket_waits_while_there_is_nothing():
    waited = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def step(its_socket):
            waited.append(its_socket)
            if len(waited) == 3:
                other.sendall(b"at last")

        verbs = Verbs(step)
        ours = Socket(listener.getsockname(), verbs)
        other, _ = listener.accept()
        assert ours.recv(100) == b"at last"
        assert len(waited) == 3
        ours.close()
        other.close()
    assert len(verbs.notified) == 1


def test_the_socket_sends_more_than_fits():
    received = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = Socket(listener.getsockname(), Verbs(lambda _: received.append(other.recv(1 << 20))))
        other, _ = listener.accept()
        content = os.urandom(20_000_000)
        ours.sendall(content)
        ours.close()
        while data := other.recv(1 << 20):
            received.append(data)
        other.close()
    assert b"".join(received) == content
    assert len(received) > 2
