"""The ring on what a user might pick instead: every queue of the standard library and of the libraries around it.

    stream(peer, nodes, messages, capacity=inf) -> float   all messages under way, `capacity` of them in each queue
    token(peer, nodes, messages) -> float                  one message under way
    shape(peer, shape) -> (float, figures)                 a shape of `benchmarks.shapes`

The first two return the seconds from the first message sent to the last one received, as the baselines do
(`benchmarks.baselines`): units are started and one message has been round before the clock starts. `hops = nodes *
messages`. Every call makes its own units and queues, and ends them.

`PEERS` lists them, by name. Optional libraries are imported when a peer runs; `why_not(peer)` says in words what is
missing ("not installed; pip install janus"), or None.
"""

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from benchmarks.shapes import Shape

__all__ = ["PATIENT", "PEERS", "POLLING", "Peer", "polls", "shape", "stream", "token", "why_not"]


class Peer:
    """A peer: the model that it is compared with, its family (a module of this package), and what it needs."""

    def __init__(self, name: str, model: str, family: str, *needs: str, bounded: bool = True) -> None:
        self.name = name
        self.model = model
        """The model whose model does the same work."""
        self.family = family
        self.needs = needs
        """Distributions, by their name for pip."""
        self.bounded = bounded
        """Whether a finite capacity can be asked for."""

    @property
    def is_async(self) -> bool:
        """Whether its operations are awaited."""
        return self.family in ("asyncio_", "trio_", "anyio_")

    def __repr__(self) -> str:
        return f"Peer({self.name!r}, {self.model!r})"


_ALL = [
    Peer("queue.Queue", "threads", "threads"),
    Peer("queue.SimpleQueue", "threads", "threads", bounded=False),
    Peer("janus.Queue (sync)", "threads", "threads", "janus"),
    Peer("culsans.Queue (sync)", "threads", "threads", "culsans"),
    Peer("multiprocessing.Queue", "processes", "processes"),
    Peer("multiprocessing.SimpleQueue", "processes", "processes", bounded=False),
    Peer("multiprocessing.Pipe", "processes", "processes", bounded=False),
    Peer("interpreters.Queue", "subinterp", "subinterp"),
    Peer("gevent.queue.Queue", "gevent", "gevent_", "gevent"),
    Peer("gevent.queue.SimpleQueue", "gevent", "gevent_", "gevent"),
    Peer("eventlet.Queue", "eventlet", "eventlet_", "eventlet"),
    Peer("eventlet.LightQueue", "eventlet", "eventlet_", "eventlet"),
    Peer("asyncio.Queue", "asyncio", "asyncio_"),
    Peer("asyncio.Queue on uvloop", "asyncio", "asyncio_", "uvloop"),
    Peer("janus.Queue (async)", "asyncio", "asyncio_", "janus"),
    Peer("culsans.Queue (async)", "asyncio", "asyncio_", "culsans"),
    Peer("trio memory channel", "trio", "trio_", "trio"),
    Peer("anyio stream", "anyio", "anyio_", "anyio"),
    Peer("anyio stream on trio", "anyio:trio", "anyio_", "anyio", "trio"),
]
PEERS = {peer.name: peer for peer in _ALL}
"""All of them, by name; `bounded` tells which take a finite capacity."""
PATIENT = {
    f"{queue}, a turn each": Peer(f"{queue}, a turn each", model, family, *needs)
    for queue, model, family, *needs in (
        ("asyncio.Queue", "asyncio", "asyncio_"),
        ("gevent.queue.Queue", "gevent", "gevent_", "gevent"),
        ("eventlet.Queue", "eventlet", "eventlet_", "eventlet"),
    )
}
"""Queues whose senders let others run after each item; only shapes have them."""
POLLING = ("interpreters.Queue",)
"""Their receivers look every 10 ms: with one message in flight they get 20 nodes and 5 messages."""


def polls(cell: str, candidate: str) -> bool:
    """Return whether the time of this candidate in this ring is mostly what it sleeps between two looks."""
    return candidate in POLLING and cell != "stream"  # while messages are waiting, each look finds one


def why_not(name: str) -> str | None:
    """Return what is missing, in words, or None if this peer can run here. Imports nothing. Raises `ValueError`."""
    from importlib.util import find_spec

    missing = [need for need in _peer(name).needs if find_spec(need.replace("-", "_")) is None]
    return f"not installed; pip install {' '.join(missing)}" if missing else None


def stream(name: str, nodes: int, messages: int, capacity: float = inf) -> float:
    """Return the seconds that `messages` take round `nodes`, all under way.

    Raises `ValueError` for an unknown peer or for a capacity that it can't have, and `ImportError`.
    """
    if capacity != inf and not _peer(name).bounded:
        raise ValueError(f"{name} takes no capacity")
    if capacity < 1:
        raise ValueError(f"capacity must be at least 1, not {capacity}: most queues have no rendezvous")
    from benchmarks.peers._ring import async_stream, stream

    seconds: float = _lap(name, stream, async_stream, [capacity] * (nodes + 2), messages)
    return seconds


def token(name: str, nodes: int, messages: int) -> float:
    """Return the seconds that `messages` take round `nodes`, one after the other. Raises as `stream`."""
    from benchmarks.peers._ring import async_token, token

    seconds: float = _lap(name, token, async_token, [inf] * (nodes + 2), messages)
    return seconds


def shape(name: str, shape: Shape) -> tuple[float, dict[str, Any]]:
    """Return the seconds of a shape (`benchmarks.shapes`), and the other figures. Raises as `stream`."""
    from benchmarks.shapes import awaited, straight

    took: tuple[float, dict[str, Any]] = _lap(name, straight.run, awaited.run, shape.capacities, shape)
    return took


def _peer(name: str) -> Peer:
    if name in PATIENT:
        return PATIENT[name]
    if name not in PEERS:
        raise ValueError(f"there is no peer {name!r}; there are {', '.join(PEERS)}")
    return PEERS[name]


def _lap(name: str, run: Any, async_run: Any, capacities: Any, work: Any) -> Any:
    """Run one of these programs on queues of these capacities; those without one are for control."""
    from importlib import import_module

    peer = _peer(name)
    family = import_module(f"benchmarks.peers.{peer.family}")
    return family.lap(async_run if peer.is_async else run, name, capacities, work)
