"""The functions that candidates of `web` call: each starts a server, puts load on it, ends it, and returns figures."""

import select
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from benchmarks.calls import Took, not_without
from benchmarks.cell import NotHere
from benchmarks.web.loading import LATENCIES, load, slowest, watched
from benchmarks.web.ports import reserved
from benchmarks.web.server import Server, no_orphans
from benchmarks.web.servers import servers
from benchmarks.web.tls import certificate

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def serving(name: str) -> Iterator[tuple[Server, dict[str, Any]]]:
    """Yield a server that answers, and a dict for its figures, which has how it started and ended at the end.

    Raises `NotHere`, and `ServerFailed` if it does not come up.
    """
    if not hasattr(select, "epoll"):
        raise NotHere("needs Linux's epoll and timerfd")
    entry = servers()[name]
    if entry.kind in ("model", "baseline"):
        not_without(entry.model)
    figures: dict[str, Any] = {}
    with no_orphans(), reserved(1) as (port,), certificate() if entry.tls else nullcontext() as tls:
        secrets = ["--ssl-certfile", tls, "--ssl-keyfile", tls] if tls else []
        with Server(name, [*entry.command(port), *secrets], port, tls) as server:
            yield server, figures
        stopped = server.stop()
    figures |= {"start_s": server.start_s, "stop_s": stopped.seconds}
    figures |= {"killed": int(stopped.killed), "left_processes": stopped.left}


def closed(server: str, path: str, connections: int, seconds: float, warmup_s: float) -> Took:
    """Return the seconds per answer of as many users as there are connections, who ask all the time."""
    with serving(server) as (running, figures):
        body = running.body(path)
        warm_up(running, path, warmup_s, connections=connections, body=body)
        report, found = watched(running, path, seconds, connections=connections, body=body)
        figures |= found
    check(report)
    return seconds_per_answer(report), figures


def at_rate(server: str, path: str, connections: int, seconds: float, warmup_s: float, rate: int) -> Took:
    """Return P99 of the latencies of requests that come at a rate, at random."""
    with serving(server) as (running, figures):
        body = running.body(path)
        options = {"connections": connections, "warmup_s": warmup_s, "rate": rate, "body": body}
        report, found = watched(running, path, seconds, **options)
        figures |= found
    check(report)
    return slowest(report["latencies"]), figures


def tail(
    server: str, path: str, heavy: str, share: float, connections: int, seconds: float, warmup_s: float, rate: int
) -> Took:
    """Return P99 of light requests, with some among them that compute; figures have it without those too."""
    options = {"connections": connections, "warmup_s": warmup_s, "rate": rate}
    with serving(server) as (running, figures):
        alone, _ = watched(running, path, seconds, **options, body=running.body(path))
        running.body(heavy)
        report, found = watched(running, path, seconds, **options, heavy=(share, heavy))
        figures |= found
    check(alone)
    check(report)
    light, computing = report["by_kind"]
    for name in LATENCIES:
        figures |= {name: light[name], f"heavy_{name}": computing[name], f"alone_{name}": alone["latencies"][name]}
    figures["histogram"] = light["histogram"]
    return slowest(light), figures


def check(report: dict[str, Any]) -> None:
    """Raise `RuntimeError` if a server has answered wrongly; what it does not answer is a figure."""
    wrong = {name: number for name, number in report["errors"].items() if name.startswith(("status", "another body"))}
    if wrong:
        raise RuntimeError(f"answered wrongly: {', '.join(f'{number} times {name}' for name, number in wrong.items())}")


def warm_up(running: Server, path: str, seconds: float, **options: Any) -> None:
    """Have the server answer for some seconds before it is measured."""
    if seconds:
        load(running.port, path, seconds=seconds, tls=running.tls, **options)


def seconds_per_answer(report: dict[str, Any]) -> float:
    """Return the seconds per right answer. Raises `RuntimeError` if there were none.

    On a busy machine all answers may come after the end of a load of a quick run. Then they are as many as there are
    connections, each of which has waited for one.
    """
    if report["goodput"]:
        return float(1 / report["goodput"])
    latencies = report["latencies"]
    if latencies["count"] == report["unanswered"]:
        raise RuntimeError(f"nothing was answered; errors: {report['errors']}, unanswered: {report['unanswered']}")
    return float(latencies["mean_s"] / report["connections"])
