"""Servers over TLS and on another loop, and a message to many connections: that what is measured is what happens."""

import select
import socket
import ssl
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.machine import tag
from benchmarks.suites import web
from benchmarks.web import broadcast, broadcasting, tls
from benchmarks.web.answers import Broken
from benchmarks.web.connections import Connection
from benchmarks.web.servers import servers
from concmodels.models import threads

pytestmark = pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs Linux")
INSTALLED = Path(__file__).parents[2] / ".python" / f"peers-{tag()}" / "web-tls"
"""The library that makes certificates is not among this project's requirements: a run of the suite installs it."""


@pytest.fixture
def certificate(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(INSTALLED)])
    pytest.importorskip("cryptography", reason="`python -m benchmarks run web/tls` installs it")
    with tls.certificate() as path:
        yield path
    assert not Path(path).exists()


@pytest.fixture
def pair(certificate: str):
    """The ends of a connection that never wait, after their handshake."""
    ends = socket.socketpair()
    for end in ends:
        end.setblocking(False)
    server = tls.of_server(certificate).wrap_socket(ends[0], server_side=True, do_handshake_on_connect=False)
    client = tls.of_client(certificate).wrap_socket(ends[1], server_hostname=tls.HOST, do_handshake_on_connect=False)
    waiting = [client, server]
    while waiting:
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.remove(end)
            except ssl.SSLWantReadError:
                continue
    with server, client:
        yield server, client


def test_a_certificate_holds_for_this_machine_alone_and_its_key_is_for_its_owner(certificate):
    assert Path(certificate).stat().st_mode & 0o077 == 0
    (made,) = tls.of_client(certificate).get_ca_certs()
    assert made["subjectAltName"] == (("IP Address", "127.0.0.1"),)


def test_a_socket_with_tls_never_waits(pair):
    server, client = pair
    for end in pair:
        with pytest.raises(BlockingIOError):
            end.recv(100)
    with pytest.raises(BlockingIOError):
        while True:
            client.send(b"x" * 10_000)
    assert server.recv(65536).strip(b"x") == b""


def test_all_that_is_decrypted_is_returned_because_epoll_does_not_tell_of_it_again(pair):
    server, client = pair
    client.send(b"x" * 1000)
    client.send(b"y" * 1000)
    assert server.recv(1000) == b"x" * 1000
    assert server.recv(65536) == b"y" * 1000 and not server.pending()
    client.send(b"z" * 1000)
    assert server.recv(400) + server.recv(65536) == b"z" * 1000


def test_a_server_without_tls_is_an_error_with_a_name(certificate):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        connection = Connection(*listening.getsockname(), tls.of_client(certificate))
        connection.open()
        other, _ = listening.accept()
        with other:
            assert connection.opened() is False and not connection.ready
            other.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            with pytest.raises(Broken, match="^tls: "):
                while not connection.opened():
                    continue
        connection.close()


def test_each_server_over_tls_has_the_same_one_without_it_beside_it():
    names = {it.name for it in web.candidates(False) if it.cell == "tls"}
    secret = {name for name in names if servers()[name].tls}
    assert secret == {f"{name}, TLS" for name in names - {web.UVLOOP} if not servers()[name].tls} and len(secret) > 1
    assert all("web-tls" in servers()[name].needs for name in secret)


def test_nothing_is_measured_in_one_round():
    rounds = {it.cell: it.rounds for it in web.candidates(False) if it.cell in ("idle", "slow", "tls", "broadcast")}
    assert rounds == {"idle": 3, "slow": 2, "tls": 6, "broadcast": 6}


def test_every_listener_gets_every_message():
    took, figures = broadcast.broadcast("asyncio, broadcast", listeners=30, messages=4, size=64)
    assert 0 < took < 20 and figures["all_s"] == pytest.approx(took / 4) and figures["killed"] == 0


def listening(*others: socket.socket) -> broadcast.Listeners:
    return broadcast.Listeners(others[0], list(others))


@pytest.mark.parametrize(
    "sent, said", [(b"", "1 of 1 listeners got no whole"), (b"12345", "more than was sent"), (None, "has ended")]
)
def test_a_listener_that_gets_something_else_is_an_error(monkeypatch, sent, said):
    monkeypatch.setattr(broadcast, "ANSWER_S", 0.01)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        found = listening(ours)
        if sent is None:
            theirs.close()
        else:
            theirs.sendall(sent)
        with pytest.raises(RuntimeError, match=said):
            found.wait_for(4)
        found.close()


def test_a_slow_listener_misses_messages_and_delays_nobody():
    topic = broadcasting.Topic()
    topic.channels |= {1: threads.Channel(1), 2: threads.Channel(9)}
    for message in (b"a", b"b", b"c"):
        topic.publish(message)
    assert [channel.receive_nowait() for channel in topic.channels.values()] == [b"a", b"a"]
    assert [topic.channels[2].receive_nowait() for _ in range(2)] == [b"b", b"c"]


def test_a_listener_that_has_gone_is_forgotten():
    topic, ours = broadcasting.Topic(), SimpleNamespace(close=lambda: None)
    ours.send = lambda data: (_ for _ in ()).throw(BrokenPipeError())
    with pytest.raises(BrokenPipeError):
        broadcasting.deliver(threads, ours, topic)
    assert topic.channels == {}
