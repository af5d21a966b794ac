"""The functions that candidates of the stack call: each starts it, puts load on nginx, and returns figures."""

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from benchmarks.calls import Took, not_without
from benchmarks.cell import NotHere
from benchmarks.web.calls import seconds_per_answer
from benchmarks.web.loading import figures as figures_of
from benchmarks.web.loading import load
from benchmarks.web.server import Server, no_orphans
from benchmarks.web.stack.cells import seconds_at
from benchmarks.web.stack.rows import Row, rows
from benchmarks.web.stack.stack import Stack, stack
from benchmarks.web.usage import SERVER, Usage

PATH = "/row"
SEEN_S = 3.0
"""So long it is waited for until each worker has answered."""
ANSWER_S = 20.0


def closed(
    server: str, workers: int, connections: int, to_pgbouncer: int, pool: int, delay_ms: int, seconds: float,
    warmup_s: float, rates: tuple[int, ...] = (),
) -> Took:  # fmt: skip
    """Return the seconds per answer of users who ask all the time; figures have what users wait who come at a rate."""
    row = rows()[server]
    if row.why_not:
        raise NotHere(row.why_not)
    if row.kind == "model":
        not_without(row.model)
    behind = workers if row.alone else 1
    with no_orphans(), stack(servers=behind, pool=pool, uwsgi=row.uwsgi) as running:
        with started(row, workers, running, to_pgbouncer // workers, delay_ms) as servers:
            figures: dict[str, Any] = {"workers_seen": workers_seen(servers, workers)}
            if warmup_s:
                load(running.ports.front, PATH, connections=connections, seconds=warmup_s)
            per_answer, found = loaded(row, running, servers, connections=connections, seconds=seconds)
            figures |= found
            for rate in rates:
                figures |= at_rate(running, rate, connections, seconds)
        return per_answer, figures | ends(servers) | {"versions": running.versions}


@contextmanager
def started(row: Row, workers: int, running: Stack, connections: int, delay_ms: int) -> Iterator[list[Server]]:
    """Yield the servers of a row, which answer."""
    its = {"DATABASE": running.address, "CONNECTIONS": str(connections), "DELAY_MS": str(delay_ms)}
    environment = ["env", *(f"STACK_{name}={value}" for name, value in its.items())]
    with ExitStack() as ends:
        servers = [
            ends.enter_context(
                Server(
                    row.name, [*environment, *row.command(port, workers)], running.ports.front if row.uwsgi else port
                )
            )
            for port in running.ports.servers
        ]
        check(servers[0])
        yield servers


def check(server: Server) -> None:
    """Raise `RuntimeError` unless the server answers with a row of the table."""
    answer = server.body(PATH)
    found = json.loads(answer)
    if len(found["a"]) != 10 or len(found["b"]) != 20:
        raise RuntimeError(f"the server answered {answer[:60]!r}, which is no row")


def workers_seen(servers: list[Server], workers: int) -> int:
    """Return how many workers have answered, as soon as all have, or after three seconds."""
    seen: set[bytes] = set()
    deadline = time.monotonic() + SEEN_S
    while len(seen) < workers and time.monotonic() < deadline:
        seen.update(who for server in servers for who in answering(server.port, 4 * workers))
    return len(seen)


def answering(port: int, number: int) -> list[bytes]:
    """Return which processes answer so many requests that come at once, each by a connection of its own."""
    with ExitStack() as ends:
        asked = [
            ends.enter_context(closing(http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)))
            for _ in range(number)
        ]
        for connection in asked:
            connection.request("GET", "/pid")
        return [connection.getresponse().read() for connection in asked]


def loaded(row: Row, running: Stack, servers: list[Server], **options: Any) -> Took:
    """Put load on the stack; return the seconds per answer and all figures. There must be one query for each answer."""
    usage = Usage({SERVER: [it.pid for it in servers]} | {name: [pid] for name, pid in running.processes.items()})
    queries = running.queries()
    with usage.halfway(options["seconds"]):
        report = load(running.ports.front, PATH, **options)
    used = usage.figures(options["seconds"], report["latencies"]["count"])
    queries = running.queries() - queries
    answered = report["latencies"]["count"] - report["unanswered"]
    per_answer = seconds_per_answer(report)
    most = answered + report["unanswered"] + sum(report["errors"].values())
    if not answered <= queries <= most:
        raise RuntimeError(
            f"{row.name} asked the database {queries:,} times for {answered:,} answers, and not once each"
        )
    figures = figures_of(report) | used | {"queries_per_request": queries / answered}
    return per_answer, figures


def at_rate(running: Stack, rate: int, connections: int, seconds: float) -> dict[str, Any]:
    """Return how long users wait who come at random, so many a second."""
    found = load(running.ports.front, PATH, connections=connections, seconds=seconds_at(rate, seconds), rate=rate)
    names = {f"open_{rate}_{name}": found["latencies"][name] for name in ("p50_s", "p99_s")}
    return names | {f"open_{rate}_goodput": found["goodput"], f"open_{rate}_unanswered": found["unanswered"]}


def ends(servers: list[Server]) -> dict[str, float]:
    """Return how the servers have started and ended."""
    stopped = [it.stopped for it in servers if it.stopped is not None]
    return {
        "start_s": max(it.start_s for it in servers),
        "stop_s": max(it.seconds for it in stopped),
        "killed": sum(it.killed for it in stopped),
        "left_processes": sum(it.left for it in stopped),
    }
