"""The functions that candidates call in a fresh process: each returns the seconds of its work, and other figures."""

from math import inf
from typing import Any

from benchmarks.cell import NotHere

type Took = tuple[float, dict[str, Any]]

FIGURES = (
    "setup_s", "teardown_s", "cpu_user_s", "cpu_system_s", "voluntary_switches", "involuntary_switches",
    "peak_rss_bytes", "peak_pss_bytes", "speedup", "loop_s",
)  # fmt: skip
"""Of a program's result, beside the run."""


def ring(**sizes: Any) -> Took:
    """Run `concmodels.ring.ring`."""
    from concmodels.ring import ring

    return run_of(ring, **sizes)


def slowed(model: str | None, nodes: int, messages: int, in_flight: int | None, percent: int) -> float:
    """Run a ring, or without a model a loop of so many turns; return so many percent more than the time it took."""
    if model is None:
        took = turns(nodes * messages)
    else:
        took, _ = ring(model=model, nodes=nodes, messages=messages, in_flight=in_flight)
    return took * (1 + percent / 100)


def turns(number: int) -> float:
    """Return the seconds that a plain loop takes."""
    from time import perf_counter

    begin, total = perf_counter(), 0
    for turn in range(number):
        total += turn & 7
    return perf_counter() - begin


def channel(**sizes: Any) -> Took:
    """Run `concmodels.channel.channel`."""
    from concmodels.channel import channel

    return run_of(channel, **sizes)


def pool(**sizes: Any) -> Took:
    """Run `concmodels.pool.pool`."""
    from concmodels.pool import pool

    return run_of(pool, **sizes)


def run_of(program: Any, **sizes: Any) -> Took:
    """Run one of the programs. Raises `NotHere` where it is too large for this machine, `RuntimeError` if it fails."""
    from concmodels.programs.limits import TooLarge

    try:
        result = program(**sizes)
    except TooLarge as reason:
        raise NotHere(str(reason)) from None
    if not result.verified:
        raise RuntimeError(result.error)
    return result.run_s, {name: getattr(result, name) for name in FIGURES if hasattr(result, name)}


def baseline_stream(model: str, nodes: int, messages: int) -> float:
    """Run the baseline of a model, with all messages in flight."""
    from benchmarks import baselines

    not_without(model)
    return baselines.stream(model, nodes, messages)


def baseline_token(model: str, nodes: int, messages: int) -> float:
    """Run the baseline of a model, with one message in flight."""
    from benchmarks import baselines

    not_without(model)
    return baselines.token(model, nodes, messages)


def not_without(model: str) -> None:
    """Raise `NotHere` if the model can't run here, because its baseline can't either."""
    from concmodels.catalog import why_not

    if why := why_not(model):
        raise NotHere(why)


def peer_stream(peer: str, nodes: int, messages: int, capacity: float = inf) -> float:
    """Run a peer, with all messages in flight."""
    from benchmarks import peers

    not_without_library(peer)
    return peers.stream(peer, nodes, messages, capacity)


def peer_token(peer: str, nodes: int, messages: int) -> float:
    """Run a peer, with one message in flight."""
    from benchmarks import peers

    not_without_library(peer)
    return peers.token(peer, nodes, messages)


def peer_shape(peer: str, **sizes: Any) -> Took:
    """Run a shape on a peer's queues."""
    from benchmarks import peers
    from benchmarks.shapes import Shape

    not_without_library(peer)
    return peers.shape(peer, Shape(**sizes))


def not_without_library(peer: str) -> None:
    """Raise `NotHere` if a peer's library is missing, or its model can't run here."""
    from benchmarks import peers

    not_without((peers.PEERS | peers.PATIENT)[peer].model)
    if why := peers.why_not(peer):
        raise NotHere(why)


def language(language: str, kind: str, nodes: int, messages: int, capacity: int = 0) -> Took:
    """Build the ring in another language in a folder of its own, then run it."""
    import tempfile

    from benchmarks import other_languages

    if why := other_languages.why_not(language):
        raise NotHere(why)
    with tempfile.TemporaryDirectory() as folder:
        program = other_languages.build(language, folder)
        if kind == "token":
            outcome = other_languages.token(language, program, nodes, messages)
        else:
            outcome = other_languages.stream(language, program, nodes, messages, capacity)
    return outcome.seconds, {"versions": {language: outcome.version}}


def classic(classic: str, model: str, size: int) -> float:
    """Run one of the classics on a model."""
    from benchmarks import classics

    return classics.run(classic, model, size)


def pool_lap(lap: str, tasks: int, workers: int) -> float:
    """Run a pool of `benchmarks.pool_laps` by its name there."""
    from benchmarks.pool_laps import LAPS

    return LAPS[lap](tasks, workers)


def one_thread(tasks: int, kind: str, size: int) -> float:
    """Compute tasks of `concmodels.work.cpu` one after the other, in a plain loop."""
    from time import perf_counter

    from concmodels.work import load

    work = load("cpu")("threads", tasks, 1, kind=kind, size=size)
    items, function = list(work.items()), work.function
    begin = perf_counter()
    results = [function(item) for item in items]
    took = perf_counter() - begin
    if results != list(work.expected()):
        raise RuntimeError("the plain loop returned other results than it should")
    return took
