"""Streams and listeners on every model, and beyond memory boundaries what does not need one memory."""

import os
import pickle
import socket
from types import SimpleNamespace

import matrix
import pytest
import stream_programs
import stream_programs_plain

from concmodels import catalog, net
from concmodels.conformance.census import NothingLeft
from concmodels.errors import SocketClosed
from concmodels.net.addresses import address_text

APART = tuple(catalog.names(family="boundary"))
NAMES = [name for name in catalog.names(variants=True) if not name.startswith(APART)]
HOST = "127.0.0.1"
TOGETHER = (
    "each_connection_is_accepted_once",
    "closing_a_listener_wakes_all_who_accept",
    "a_cancelled_accept_lets_the_others_accept",
    "a_cancelled_receive_takes_nothing",
    "closing_wakes_who_receives",
    "two_receivers_are_refused",
    "a_timeout_is_for_all_parts_together",
    "a_fast_sender_starves_nobody",
    "what_was_received_before_starves_nobody",
)
"""Programs in which a task sees at once what another one does to its stream, or has begun when it is cancelled."""

ANYWHERE = (
    "tasks_share_a_listener",
    "the_end_is_empty_bytes",
    "parts_are_received_in_order",
    "lines_are_found_in_pieces",
    "all_lines_at_once",
    "much_is_sent_to_the_last_byte",
    "timeouts_lose_nothing",
    "a_broken_connection_is_an_error",
    "a_used_port_says_so",
)


@pytest.fixture(params=NAMES)
def run(request, opened_models, quiet_corner):
    """Runs one of the programs on a model, which has run before and leaves nothing behind."""
    name = request.param
    if why := catalog.why_not(name):
        pytest.skip(f"{name} can't run here: {why}")
    if name not in opened_models:
        opened_models[name] = matrix.model(name, thorough=False)
    verbs = opened_models[name].verbs
    texts = stream_programs if catalog.facts(name).is_async else stream_programs_plain

    def run(program, *args):
        verbs.run(getattr(texts, program), verbs, *args)

    with NothingLeft():
        yield run


def address(kind, folder):
    """Where to listen: a host and a port, or the path of a Unix socket."""
    if kind == "::1":
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("this machine has no IPv6")
    return (f"{folder}/socket", None) if kind == "unix" else (kind, 0)


@pytest.mark.parametrize("kind", [HOST, "::1", "localhost", "unix"])
def test_bytes_come_back(run, kind, tmp_path):
    run("bytes_come_back", address(kind, tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", [HOST, "unix"])
def test_a_full_queue(run, kind, tmp_path):
    run("a_full_queue_times_out", address(kind, tmp_path))


@pytest.mark.parametrize("at_once", [True, False])
def test_a_limit_is_kept(run, at_once):
    run("a_limit_is_kept", at_once)


def test_what_is_not_there_can_not_be_connected(run, tmp_path):
    run("what_is_not_there_can_not_be_connected", tmp_path)


@pytest.mark.parametrize("program", TOGETHER)
def test_streams(run, program):
    run(program)


@pytest.mark.parametrize("run", [*NAMES, *APART], indirect=True)
@pytest.mark.parametrize("program", ANYWHERE)
def test_streams_anywhere(run, program):
    run(program)


def test_a_name_that_nobody_knows(nothing_left_behind):
    with pytest.raises(OSError, match="there is no address for the host 'no.such.invalid'"):
        net.listen(catalog.load("threads"), "no.such.invalid", 80)


@pytest.mark.parametrize("port", [-1, 65536, 1.5, "80", None])
def test_what_is_no_port(port):
    with pytest.raises(ValueError, match="a port is a whole number from 0 to 65535"):
        net.listen(catalog.load("threads"), HOST, port)


def test_a_path_has_no_port(tmp_path):
    with pytest.raises(ValueError, match="is the path of a Unix socket, which has no port"):
        net.listen(catalog.load("threads"), f"{tmp_path}/socket", 80)


def test_addresses_are_told_as_they_are_written():
    assert [address_text(HOST, 80), address_text("::1", 80), address_text(None, 80), address_text("/run/x", None)] == [
        "127.0.0.1:80",
        "[::1]:80",
        "*:80",
        "/run/x",
    ]


@pytest.mark.parametrize("kind", ["Stream", "AsyncStream", "Listener", "AsyncListener"])
def test_what_travels_is_the_model_the_socket_and_the_bytes(kind, nothing_left_behind):
    """How a model and a socket travel is a matter of each model; here they are only noted."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        model = SimpleNamespace(notify_closing=lambda socket: None)
        end = getattr(net, kind)(model, ours)
        if "Stream" in kind:
            end.received += b"kept"
        make, parts = end.__reduce__()
        other = make(*parts)
    assert (type(other), other.model, other.socket) == (type(end), model, ours)
    assert getattr(other, "received", b"") == (b"kept" if "Stream" in kind else b"")


def test_a_closed_stream_can_be_shown(nothing_left_behind):
    ours, theirs = socket.socketpair()
    with theirs, net.Stream(catalog.load("threads"), ours) as stream:
        pass
    assert repr(stream).startswith("<Stream <socket.socket [closed]")
    with pytest.raises(TypeError):
        pickle.dumps(stream)


@pytest.mark.parametrize("kind", ["Stream", "AsyncStream", "Listener", "AsyncListener"])
def test_no_wait_can_begin_while_a_socket_is_closed(kind, nothing_left_behind):
    """Such a wait would be ended only by the look for closed sockets, up to a second later."""

    def notify_closing(descriptor):
        os.fstat(descriptor.fileno())  # it is still open, so no other file can have its number
        noticed.append(descriptor.fileno())
        with pytest.raises(SocketClosed):
            threads.wait_readable(ours)
        end.close()  # by another thread at this very moment

    threads, noticed = catalog.load("threads"), []
    ours, theirs = socket.socketpair()
    number = ours.fileno()
    with theirs:
        end = getattr(net, kind)(SimpleNamespace(notify_closing=notify_closing), ours)
        end.close()
        end.close()
    assert noticed == [number]
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(number)


def test_a_stream_whose_socket_is_closed_already_can_be_closed(nothing_left_behind):
    ours, theirs = socket.socketpair()
    with theirs, net.Stream(catalog.load("threads"), ours) as stream:
        stream.socket.close()
    assert repr(stream).startswith("<Stream <socket.socket [closed]")
