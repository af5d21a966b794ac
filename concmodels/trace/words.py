"""Sentences about a trace, which the pictures and the tables have in common."""

from collections.abc import Iterator

from concmodels.trace.analysis import Analysis
from concmodels.trace.axis import duration
from concmodels.trace.causes import Wait
from concmodels.trace.reading import Row, Trace


def title_of(trace: Trace) -> str:
    """Return what was run, and on which model, as far as the file says that."""
    model = "" if trace.model in trace.program.split() else f" on {trace.model}" * bool(trace.model)
    return f"{trace.program or 'A run'}{model}"


def figures(analysis: Analysis) -> Iterator[str]:
    """Yield what a picture says under its title: how long it was, how many messages, how many cores."""
    trace = analysis.trace
    yield duration(analysis.wall_ns)
    if trace.sent or trace.received:
        yield f"{trace.received:,} message{'s' * (trace.received != 1)}"
    if trace.sent > trace.received:
        yield f"{trace.sent - trace.received:,} not received"
    if trace.every > 1:
        yield f"one in {trace.every:,} shown"
    if analysis.cores is not None:
        yield f"{analysis.cores:.2f} cores used"


def in_words(wait: Wait, trace: Trace) -> str:
    """Return a wait in words."""
    row = wait.row
    channel = trace.channel(row.channel).name
    words = {
        "receive": f"waits for a message of {channel}", "send": f"waits for space in {channel}", "sleep": "sleeps",
        "result": f"waits for the result of {trace.name(row.number)}", "join": "waits for the tasks of its group",
        "select": "waits in a select", "socket": "waits for a socket", "idle": "waits for work",
        "call": "waits for its pool",
    }  # fmt: skip
    ended = f", until {trace.name(wait.cause.lane)} {wait.cause.did}" if wait.cause else ""
    failed = {"timeout": ", in vain", "closed": ", until it was closed", "cancelled": ", until it was cancelled"}
    length = f"{duration(wait.length)}{ended}{failed.get(row.failed or '', '')}"
    return f"{trace.name(row.lane)} {words[row.what]} for {length}"


def mark_in_words(row: Row, trace: Trace) -> tuple[str, str]:
    """Return the word beside a mark, and its tooltip."""
    name = trace.name(row.lane)
    if row.what == "close":
        return "", f"{name} closes {trace.channel(row.channel).name}"
    if row.what == "cancel":
        return "cancels", f"{name} cancels {trace.name(row.number) if row.number else 'its group'}"
    return ("cancelled", f"{name} was cancelled") if row.failed == "cancelled" else ("error", f"{name} failed")
