"""The load generator in a process of its own, and its report as figures of a result.

It runs under the session's own Python, whatever the server runs under: so two Pythons meet the same load.
"""

import json
import os
import subprocess
import sys
from typing import Any

from benchmarks.cell import NotHere
from benchmarks.interpreters import ROOT, ROUND, SESSION_PYTHON, environment, last_line
from benchmarks.web.server import Server
from benchmarks.web.usage import SERVER, Usage

type Report = dict[str, Any]
"""What `benchmarks.web.report.Report.to_json` returns."""

LATENCIES = ("mean_s", "p50_s", "p90_s", "p99_s", "p999_s", "max_s")
BAD_INPUT = 2


def load(
    port: int,
    path: str,
    *,
    connections: int,
    seconds: float,
    warmup_s: float = 0,
    rate: float | None = None,
    heavy: tuple[float, str] | None = None,
    body: bytes | None = None,
    tls: str | None = None,
) -> Report:
    """Put load on a server; return the report. `heavy` is another path for a share of the requests, `tls` the
    certificate of a server that speaks TLS.

    What is random has the number of the round as its seed: all servers of a round meet the same requests, and each
    round others.
    Raises `NotHere` where this machine can't do that.
    """
    options = {"connections": connections, "seconds": seconds, "warmup": warmup_s, "rate": rate, "tls": tls}
    command = [os.environ.get(SESSION_PYTHON, sys.executable), "-m", "benchmarks.web.load", f"127.0.0.1:{port}{path}"]
    command += [part for name, value in options.items() if value for part in (f"--{name}", str(value))]
    command += ["--seed", os.environ.get(ROUND, "1")]
    command += ["--mix", *map(str, heavy)] if heavy else []
    command += ["--expect", body.decode()] if body else []
    done = subprocess.run(
        [*command, "--quiet", "--json", "-"], cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode == BAD_INPUT:
        raise NotHere(last_line(done.stderr).removeprefix("benchmarks.web.load: "))
    if not done.stdout.strip():
        raise RuntimeError(f"the load generator ended with status {done.returncode}: {last_line(done.stderr)}")
    (report,) = json.loads(done.stdout)
    return dict(report)


def watched(server: Server, path: str, seconds: float, **options: Any) -> tuple[Report, dict[str, Any]]:
    """Put load on a server; return the report, and the figures with what the server took meanwhile."""
    usage = Usage({SERVER: [server.pid]})
    with usage.halfway(seconds):
        report = load(server.port, path, seconds=seconds, tls=server.tls, **options)
    loaded_s = seconds + options.get("warmup_s", 0)
    answered = report["latencies"]["count"] - report["unanswered"]  # of the seconds after the warm-up
    return report, figures(report) | usage.figures(loaded_s, answered * loaded_s / seconds)


def figures(report: Report) -> dict[str, Any]:
    """Return the figures of a report; those that are not known are None."""
    names = ("goodput", "offered", "answers", "unanswered", "lost", "least_served")
    names += ("generator_cores", "generator_waited", "lag_p99_s")
    found = {name: report[name] for name in names}
    found |= {"errors": sum(report["errors"].values()), "reconnects": report["reopened"]}
    found |= {name: report["latencies"][name] for name in LATENCIES}
    return found | {"histogram": report["latencies"]["histogram"], "error_names": report["errors"]}


def slowest(latencies: dict[str, Any]) -> float:
    """Return P99; where there are too few answers for that, the longest, which is no shorter."""
    found = latencies["p99_s"] if latencies["p99_s"] is not None else latencies["max_s"]
    if found is None:
        raise RuntimeError("nothing was answered")
    return float(found)
