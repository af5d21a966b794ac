"""SIGTERM under load: how many requests are lost, and how long the end takes."""

import threading

from benchmarks.calls import Took
from benchmarks.web.calls import serving
from benchmarks.web.generate import generate
from benchmarks.web.loading import LATENCIES
from benchmarks.web.loading import figures as figures_of
from benchmarks.web.plan import Plan, target
from benchmarks.web.server import Server


def stop(server: str, path: str, connections: int, seconds: float, rate: int) -> Took:
    """Return the seconds from SIGTERM, in the middle of a load, to the end of the server.

    Lost is what was sent and got no answer. What comes later than the end is refused, as it must be: that is among the
    errors, and not lost.
    """
    with serving(server) as (running, figures):
        running.body(path)
        plan = Plan(
            target=target(f"127.0.0.1:{running.port}{path}"), connections=connections, seconds=seconds, rate=rate
        )
        ending = Ending(running, seconds / 2)
        report = generate(plan, ending.watch).to_json()
        ending.wait()
        figures |= figures_of(report) | dict.fromkeys(LATENCIES)  # with those that came too late they say nothing
    figures["unanswered"] = report["unanswered"] - report["unsent"]
    figures["lost"] = report["lost"] + figures["unanswered"]
    return running.stop().seconds, figures


class Ending:
    """Ends a server, in a thread of its own, as soon as a load has lasted for some time."""

    def __init__(self, server: Server, after_s: float) -> None:
        self._after_s = after_s
        self._thread = threading.Thread(target=server.stop)

    def watch(self, seconds: float, answers: int) -> None:
        """Take note of how long the load has lasted."""
        if seconds >= self._after_s and self._thread.ident is None:
            self._thread.start()

    def wait(self) -> None:
        """Wait until the server has ended."""
        self._thread.join()
