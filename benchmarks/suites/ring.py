"""The ring: in full against baselines, peers and other languages.

    stream      300 nodes, 5,000 messages all in flight, unbounded       models, baselines, peers, Go, Erlang
    bounded     the same with 64 messages in each channel                models, peers
    token       300 nodes, one message in flight                         models, baselines, peers, Go, Erlang

What is compared in a cell passes on the same messages, however long that takes: a hop is more expensive in a short run,
because a ring that fills and drains has fewer messages in flight. Other shapes than a ring, and items of several kinds
and sizes, are in the suite `shapes`.
"""

from collections.abc import Iterator
from math import inf
from typing import Any

from benchmarks.baselines import BASELINES
from benchmarks.cell import Candidate
from benchmarks.peers import PEERS, POLLING
from benchmarks.suites.sizes import MODELS, amount, hop_cost

OWN = ("janus", "culsans", "uvloop")
"""What is not among this project's own requirements: installed for the peers alone."""
SIZE, SMALL = (300, 5000), (50, 1000)
"""Nodes and messages. The fewer messages, the longer a hop takes: the ring is full for a smaller part of the time."""
LANGUAGES = (("go unbuffered", "go", 0), ("go buffered 128", "go", 128), ("erlang", "erlang", 0))


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates, with smaller sizes if `quick`."""
    return [*streams(quick), *bounded(quick), *tokens(quick)]


def streams(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates with all messages in flight."""
    nodes, messages = SMALL if quick else SIZE
    for model in MODELS:
        yield ours("stream", model, nodes, messages)
    for model in BASELINES:
        yield baseline("stream", model, nodes, messages)
    for peer in PEERS.values():
        yield of_peer("stream", peer, nodes, messages)
    for name, language, capacity in LANGUAGES:
        yield of_language("stream", name, language, nodes, messages, capacity)


def bounded(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates with at most 64 messages in each channel."""
    nodes, messages = SMALL if quick else SIZE
    for model in MODELS:
        yield ours("bounded", model, nodes, messages // 5, capacity=64)
    for peer in PEERS.values():
        if peer.bounded and peer.name not in POLLING:  # what those sleep is in `token`
            yield of_peer("bounded", peer, nodes, messages // 5, capacity=64)


def tokens(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates with one message in flight."""
    nodes = 50 if quick else 300
    for model in MODELS:
        yield ours("token", model, nodes, laps(model, nodes, quick), in_flight=1)
    for model in BASELINES:
        yield baseline("token", model, nodes, laps(model, nodes, quick))
    for peer in PEERS.values():
        polls = peer.name in POLLING
        size = (20, 2 if quick else 5) if polls else (nodes, laps(peer.model, nodes, quick))
        yield of_peer("token", peer, *size)
    for name, language, capacity in LANGUAGES:
        if not capacity:
            yield of_language("token", name.partition(" ")[0], language, nodes, 10 if quick else 1000, capacity)


def laps(model: str, nodes: int, quick: bool) -> int:
    """Return how many times the token goes round."""
    return amount(hop_cost(model, in_flight=1) * nodes, quick)


def ours(cell: str, model: str, nodes: int, messages: int, **sizes: Any) -> Candidate:
    """Return a model with this ring."""
    given = {"in_flight": None, "capacity": inf} | sizes
    return Candidate(
        f"ring/{cell}/{model}",
        "benchmarks.calls:ring",
        kind="model",
        model=model,
        **counted(nodes, messages),
        sizes={"model": model, "nodes": nodes, "messages": messages, **given},
        parameters=parameters(nodes, messages, **given),
    )


def counted(nodes: int, messages: int) -> dict[str, Any]:
    """Return what is counted in every ring."""
    return {"step": "hop", "steps": nodes * messages}


def parameters(nodes: int, messages: int, in_flight: int | None = None, capacity: float = inf) -> dict[str, Any]:
    """Return every size as a value for JSON."""
    return {
        "nodes": nodes,
        "messages": messages,
        "in_flight": "all" if in_flight is None else in_flight,
        "capacity": "inf" if capacity == inf else int(capacity),
    }


def baseline(cell: str, model: str, nodes: int, messages: int) -> Candidate:
    """Return the hand-written ring on the same model."""
    return Candidate(
        f"ring/{cell}/baseline {model}",
        f"benchmarks.calls:baseline_{cell}",
        kind="baseline",
        model=model,
        **counted(nodes, messages),
        sizes={"model": model, "nodes": nodes, "messages": messages},
        parameters=parameters(nodes, messages, 1 if cell == "token" else None),
    )


def of_peer(cell: str, peer: Any, nodes: int, messages: int, **sizes: Any) -> Candidate:
    """Return the ring with what one might use instead."""
    return Candidate(
        f"ring/{cell}/{peer.name}",
        f"benchmarks.calls:peer_{'token' if cell == 'token' else 'stream'}",
        kind="peer",
        model=peer.model,
        **counted(nodes, messages),
        sizes={"peer": peer.name, "nodes": nodes, "messages": messages, **sizes},
        parameters=parameters(nodes, messages, 1 if cell == "token" else None, **sizes),
        needs=tuple(need for need in peer.needs if need in OWN),
    )


def of_language(cell: str, name: str, language: str, nodes: int, messages: int, capacity: int) -> Candidate:
    """Return the same program in another language."""
    return Candidate(
        f"ring/{cell}/{name}",
        "benchmarks.calls:language",
        kind="language",
        model=None,
        **counted(nodes, messages),
        sizes={"language": language, "kind": cell, "nodes": nodes, "messages": messages, "capacity": capacity},
        parameters=parameters(
            nodes, messages, 1 if cell == "token" else None, inf if language == "erlang" else capacity
        ),
    )
