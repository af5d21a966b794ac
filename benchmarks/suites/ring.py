"""The ring: in full against baselines, peers and other languages, then along one size after the other.

    stream      300 nodes, 10,000 messages all in flight, unbounded      models, baselines, peers, Go, Erlang
    bounded     the same with 64 messages in each channel                models, peers
    token       300 nodes, one message in flight                         models, baselines, peers, Go, Erlang
    base        100 nodes, all in flight, unbounded: from here the sweeps go out, one size changes at a time
    in_flight   1, 2, 8, 64          capacity   0, 1, 64
    nodes       2 to 1,000, to 10,000 for the light models, to 100,000 for asyncio; one in flight
    payload     none, 64 B, 4 KiB, 1 MiB: 10 nodes, 8 in flight; each message is made and checked inside the clock

What is compared in a cell passes on the same messages, however long that takes: a hop is more expensive in a short run,
because a ring that fills and drains has fewer messages in flight. A sweep has as many messages as make about 0.2
seconds, so that it counts the same in every model.
"""

from collections.abc import Iterator
from math import inf
from typing import Any

from benchmarks.baselines import BASELINES
from benchmarks.cell import Candidate
from benchmarks.peers import PEERS, POLLING
from benchmarks.suites.sizes import MAKE, MODELS, amount, hop_cost, kind

OWN = ("janus", "culsans", "aiologic", "faster-fifo", "uvloop")
"""What is not among this project's own requirements: installed for the peers alone."""
FAR = 100_000
"""Nodes that only asyncio bears in reasonable time: measured once."""
PAYLOADS = (0, 64, 4096, 1 << 20)
LANGUAGES = (("go unbuffered", "go", 0), ("go buffered 128", "go", 128), ("erlang", "erlang", 0))


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates; if `quick`, one value of each sweep."""
    return [*streams(quick), *bounded(quick), *tokens(quick), *sweeps(quick)]


def streams(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates with all messages in flight."""
    nodes, messages = (50, 1000) if quick else (300, 10_000)
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
    nodes, messages = (50, 1000) if quick else (300, 10_000)
    for model in MODELS:
        yield ours("bounded", model, nodes, messages // 5, capacity=64)
    for peer in PEERS.values():
        if peer.bounded:
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


def sweeps(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates of the sweeps, in which one size changes at a time."""
    nodes = 20 if quick else 100
    for model in MODELS:
        for capacity in (0,) if quick else (0, 1, 64):
            yield sized(f"capacity-{capacity}", model, quick, nodes=nodes, capacity=capacity)
        for payload in (4096,) if quick else PAYLOADS:
            yield sized(f"payload-{payload}", model, quick, nodes=10, in_flight=8, payload=payload)
        if quick:
            continue
        yield sized("base", model, quick, nodes=nodes)
        for in_flight in (1, 2, 8, 64):
            yield sized(f"in_flight-{in_flight}", model, quick, nodes=nodes, in_flight=in_flight)
        for count in numbers_of_nodes(model):
            yield sized(f"nodes-{count}", model, quick, nodes=count, in_flight=1)
        yield from growing_baselines(model)


def growing_baselines(model: str) -> Iterator[Candidate]:
    """Yield baselines with few and with many nodes, which show whether the model itself becomes slower."""
    if model in BASELINES and kind(model) == "light":
        yield baseline("in_flight-1", model, 100, laps(model, 100, False), "token")
        yield baseline("nodes-10000", model, 10_000, max(10, laps(model, 10_000, False)), "token")


def numbers_of_nodes(model: str) -> tuple[int, ...]:
    """Return the sizes of the rings of a model, besides the 100 nodes of the other sweeps."""
    if model == "asyncio":
        return (2, 10, 1000, 10_000, FAR)
    return {"boundary": (2, 10, 300), "threads": (2, 10, 1000), "light": (2, 10, 1000, 10_000)}[kind(model)]


def sized(cell: str, model: str, quick: bool, nodes: int, **sizes: Any) -> Candidate:
    """Return a model with a suitable number of messages, at least as many as are in flight."""
    cost = hop_cost(model, **sizes) * nodes + MAKE * sizes.get("payload", 0)
    messages = amount(cost, quick, least=max(10, sizes.get("in_flight", 1)), most=50_000)
    return ours(cell, model, nodes, messages, **sizes, rounds=1 if nodes == FAR else 2)


def ours(cell: str, model: str, nodes: int, messages: int, *, rounds: int = 0, **sizes: Any) -> Candidate:
    """Return a model with this ring."""
    given = {"in_flight": None, "capacity": inf, "payload": None} | sizes
    given["payload"] = given["payload"] or None
    return Candidate(
        f"ring/{cell}/{model}",
        "benchmarks.calls:ring",
        kind="model",
        model=model,
        **counted(nodes, messages),
        sizes={"model": model, "nodes": nodes, "messages": messages, **given},
        shown=shown(nodes, messages, **given),
        rounds=rounds,
    )


def counted(nodes: int, messages: int) -> dict[str, Any]:
    """Return what is counted in every ring."""
    return {"step": "hop", "steps": nodes * messages}


def shown(
    nodes: int, messages: int, in_flight: int | None = None, capacity: float = inf, payload: int | None = None
) -> dict[str, Any]:
    """Return every size as a value for JSON."""
    return {
        "nodes": nodes,
        "messages": messages,
        "in_flight": "all" if in_flight is None else in_flight,
        "capacity": "inf" if capacity == inf else int(capacity),
        "payload": payload or 0,
    }


def baseline(cell: str, model: str, nodes: int, messages: int, lap: str = "") -> Candidate:
    """Return the hand-written ring on the same model."""
    lap = lap or cell
    return Candidate(
        f"ring/{cell}/baseline {model}",
        f"benchmarks.calls:baseline_{lap}",
        kind="baseline",
        model=model,
        **counted(nodes, messages),
        sizes={"model": model, "nodes": nodes, "messages": messages},
        shown=shown(nodes, messages, 1 if lap == "token" else None),
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
        shown=shown(nodes, messages, 1 if cell == "token" else None, **sizes),
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
        shown=shown(nodes, messages, 1 if cell == "token" else None, inf if language == "erlang" else capacity),
    )
