"""The ring on what a user might pick instead: it comes round on every queue that is installed."""

import pytest

from benchmarks import peers
from concmodels import catalog

NODES = {"processes": 2, "subinterp": 2}


@pytest.fixture(params=peers.PEERS)
def peer(request):
    """One that can run here."""
    peer = peers.PEERS[request.param]
    if why := peers.why_not(peer.name) or catalog.why_not(peer.model):
        pytest.skip(why)
    peers.token(peer.name, 1, 1)  # what its libraries keep for ever, they have now
    return peer


def test_a_ring_of_a_peer_comes_round(peer, nothing_left_behind):
    nodes = NODES.get(peer.model, 5)
    assert peers.stream(peer.name, nodes, 30) > 0
    assert peers.token(peer.name, nodes, 3) > 0


def test_a_peer_with_a_capacity(peer, nothing_left_behind):
    if not peer.bounded:
        with pytest.raises(ValueError, match="takes no capacity"):
            peers.stream(peer.name, 1, 1, 64)
    else:
        assert peers.stream(peer.name, NODES.get(peer.model, 5), 30, 2) > 0


def test_every_peer_is_held_against_a_model():
    assert {peer.model for peer in peers.PEERS.values()} <= set(catalog.names(variants=True))


def test_a_peer_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(peers.PEERS, "a.Queue", peers.Peer("a.Queue", "threads", "threads", "no-such-library"))
    assert peers.why_not("a.Queue") == "not installed; pip install no-such-library"
    assert peers.why_not("queue.Queue") is None


@pytest.mark.parametrize("ask", [peers.why_not, lambda name: peers.token(name, 1, 1)])
def test_there_is_no_peer_of_that_name(ask):
    with pytest.raises(ValueError, match="no peer 'a.Queue'; there are queue.Queue, queue.SimpleQueue, "):
        ask("a.Queue")


def test_a_peer_has_no_rendezvous():
    with pytest.raises(ValueError, match="capacity must be at least 1, not 0: most queues have no rendezvous"):
        peers.stream("queue.Queue", 1, 1, 0)


def test_a_message_that_is_lost_is_noticed(nothing_left_behind):
    from benchmarks.peers import _ring, threads

    links = [threads.ends(threads.NEW["queue.Queue"](0)) for _ in range(4)]
    links[-1] = (links[-1][0], iter([0, 1, *[-1] * 9]).__next__)
    with pytest.raises(RuntimeError, match="message 1 came when 0 was due"):
        _ring.stream(threads.spawn, links, 5)
