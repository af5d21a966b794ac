"""A run of the load generator: what the plan says is done, and what came of it is reported."""

import contextlib
import gc
import os
import select
from collections.abc import Iterator

from benchmarks.web.generator import ClosedLoop, Generator, OpenLoop, Watch
from benchmarks.web.latencies import latencies, percentile
from benchmarks.web.plan import Plan
from benchmarks.web.report import Report
from concmodels.programs.output.streams import BadInput

_FEW_ANSWERS = 10
"""With fewer answers per connection it is chance which connection was served least."""


def generate(plan: Plan, watch: Watch | None = None) -> Report:
    """Do what the plan says; return what came of it. Raises `BadInput` and `TooLarge` if that can't be done here."""
    if not hasattr(select, "epoll") or not hasattr(os, "timerfd_create"):
        raise BadInput("the load generator needs Linux's epoll and timerfd")
    plan.check()
    with _no_collection(), contextlib.closing((ClosedLoop if plan.rate is None else OpenLoop)(plan)) as generator:
        opened_s = generator.connect()
        generator.run(watch)
        return _report(plan, generator, opened_s)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from stopping the generator; nothing here makes cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _report(plan: Plan, generator: Generator, opened_s: float) -> Report:
    """Return what came of this run, which is over."""
    tally, lags = generator.tally, generator.lags
    answers = [connection.answers for connection in generator.connections]
    enough = tally.answers >= _FEW_ANSWERS * plan.connections
    return Report(
        plan=plan,
        goodput=tally.answers / plan.seconds,
        offered=None if lags is None else len(lags) / plan.seconds,
        answers=tally.answers,
        errors=dict(tally.errors.most_common()),
        unanswered=tally.unanswered,
        lost=generator.lost,
        unsent=generator.unsent,
        latencies=latencies(value for values in tally.latencies for value in values),
        by_kind=tuple(zip(plan.kinds, map(latencies, tally.latencies), strict=True)),
        least_served=min(answers) * plan.connections / tally.answers if enough else None,
        starved=answers.count(0) if enough else 0,
        reopened=sum(connection.reopened for connection in generator.connections),
        most_waiting=generator.most_waiting,
        opened_s=opened_s,
        generator_cores=generator.cores,
        generator_waited=generator.waited,
        lag_p99_s=None if lags is None else percentile(sorted(lags), 0.99),
    )
