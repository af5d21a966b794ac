"""Tables of a trace for a terminal: the tasks, who waited for whom, the channels, the critical path."""

import math
from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from concmodels.trace.analysis import Analysis, HeldUp
from concmodels.trace.axis import duration
from concmodels.trace.causes import ASLEEP, FULL, RUNNING, STATES, WAITING
from concmodels.trace.reading import Trace
from concmodels.trace.schedule import merged
from concmodels.trace.stuck import stuck, wait_in_words
from concmodels.trace.words import figures, title_of

_MOST_TASKS, _MOST_BLAMED, _MOST_WAITS, _MOST_CHANNELS, _MOST_STEPS, _MOST_HELD = 12, 8, 5, 10, 6, 2
_DOING = {RUNNING: "ran", ASLEEP: "slept", WAITING: "waited", FULL: "was blocked on a full channel"}


def print_tables(trace_of: Analysis, console: Console) -> None:
    """Print what a trace says; of a schedule its steps."""
    trace = trace_of.trace
    console.print(Text(title_of(trace), style="bold"))
    if trace.is_schedule:
        _print_schedule(trace_of, console)
        return
    console.print(", ".join([_counted(len(trace.lanes), "task"), *figures(trace_of)]))
    for sentence in filter(None, [trace.ended and f"It ended with {trace.ended.rstrip(':')}", *trace.notes]):
        console.print(sentence, markup=False)
    is_whole = trace.every == 1
    if not is_whole:
        console.print(f"Of {trace.every:,} messages one is here: this tells no times in which a task ran.")
    console.print("", _tasks(trace_of) if is_whole else _messages(trace), "", sep="\n")
    _print_stuck(trace_of, console)
    _print_blame(trace_of, console)
    if trace_of.flows():
        console.print("", _channels(trace_of), sep="\n")
    if is_whole:
        console.print("", _path(trace_of), sep="\n")


def _print_schedule(its: Analysis, console: Console) -> None:
    rows = merged(its.trace)
    grid = _grid("", "task", "where", "line")
    for row in rows:
        grid.add_row(
            ">" if row.is_forced else "", its.trace.name(row.lane), row.place.rpartition("/")[2], Text(row.line)
        )
    console.print(grid)
    if its.trace.ended:
        console.print(its.trace.ended.rstrip(":"), markup=False)
    _print_stuck(its, console)
    console.print("> is a forced switch")


def _tasks(its: Analysis) -> Table:
    """Return how each task spent its time: the tasks that lived longest, if there are many."""
    grid = _grid("task", ">for", ">running", ">waiting", ">full", ">asleep", ">CPU")
    lanes = list(its.trace.lanes.values())
    for lane in lanes[:_MOST_TASKS]:
        alive = lane.end - lane.begin
        spent = its.spent[lane.number].within(lane.begin, lane.end)
        shares = [f"{spent[state] / alive:.0%}" if alive and spent[state] else "-" for state in STATES]
        name = lane.name if lane.has_ended else f"{lane.name} (did not end)"
        grid.add_row(Text(name), duration(alive), *shares, "-" if lane.cpu_ns is None else duration(its.computed(lane)))
    _more(grid, len(lanes) - _MOST_TASKS)
    return grid


def _messages(trace: Trace) -> Table:
    """Return how many messages each task has sent and received, about, in a trace that was thinned out."""
    grid = _grid("task", ">for", ">sent, about", ">received, about")
    for lane in list(trace.lanes.values())[:_MOST_TASKS]:
        done = Counter(row.what for row in lane.rows if row.failed is None)
        counts = [f"{done[what] * trace.every:,}" for what in ("send", "receive")]
        grid.add_row(Text(lane.name), duration(lane.end - lane.begin), *counts)
    _more(grid, len(trace.lanes) - _MOST_TASKS)
    return grid


def _print_stuck(its: Analysis, console: Console) -> None:
    """Print which task waited for which at the end, after a deadlock."""
    for it in stuck(its.trace):
        console.print(wait_in_words(it, its.trace), markup=False)
    if its.trace.waits:
        console.print()


def _print_blame(its: Analysis, console: Console) -> None:
    """Print who waited for whom, the longest waits, and who is to blame."""
    if not its.blame:
        console.print("No task waited for another one.")
        return
    is_whole = its.trace.every == 1
    grid = _grid("who waited", "for whom", "until it", ">times", ">total", "which meanwhile" if is_whole else "")
    for blame in its.blame[:_MOST_BLAMED]:
        names = [Text(its.trace.name(it)) for it in (blame.waiter, blame.blamed)]
        mostly = _mostly(blame.meanwhile) if is_whole else ""
        grid.add_row(*names, blame.did, f"{blame.times:,}", duration(blame.total), mostly)
    _more(grid, len(its.blame) - _MOST_BLAMED)
    console.print(grid, "", sep="\n")
    for held in its.held_up()[:_MOST_HELD] if is_whole else ():
        console.print(sentence(held, its), markup=False)
    grid = _grid("longest waits", ">from", ">for", "until")
    for wait in its.waits()[:_MOST_WAITS]:
        assert wait.cause is not None
        ended = Text(f"{its.trace.name(wait.cause.lane)} {wait.cause.did}")
        grid.add_row(Text(its.trace.name(wait.row.lane)), duration(wait.row.begin), duration(wait.length), ended)
    console.print("", grid, sep="\n")


def sentence(held: HeldUp, its: Analysis) -> str:
    """Return in a sentence for how long a task has kept others waiting."""
    most = {state: ns for state, ns in held.doing.items() if ns * 50 > held.total}
    doing = " and ".join(f"{_DOING[state]} for {duration(ns)}" for state, ns in most.items())
    name = its.trace.name(held.lane)
    return f"{name} kept others waiting for {duration(held.total)} while it waited for nobody: it {doing} of that."


def _channels(its: Analysis) -> Table:
    """Return what went through the channels. The rate times the mean time is what was in flight: Little's law."""
    grid = _grid("channel", ">space", ">messages", ">a second", ">x time", ">= in it", ">most", ">P99")
    flows = its.flows()
    for flow in flows[:_MOST_CHANNELS]:
        capacity = "inf" if flow.capacity == math.inf else f"{flow.capacity:g}"
        grid.add_row(Text(flow.name), capacity, f"{flow.messages:,}", f"{flow.per_second:,.0f}", duration(flow.mean_ns),
                     f"{flow.mean:.2f}", str(flow.most), duration(flow.late_ns))  # fmt: skip
    _more(grid, len(flows) - _MOST_CHANNELS)
    return grid


def _path(its: Analysis) -> Table:
    """Return what the critical path consists of."""
    parts = its.path_by_task()
    whole = sum(ns for _, ns in parts) or 1
    grid = _grid("critical path", ">time", ">share")
    for what, ns in parts[:_MOST_STEPS]:
        grid.add_row(Text(what), duration(ns), f"{ns / whole:.0%}")
    if len(parts) > _MOST_STEPS:
        ns = sum(ns for _, ns in parts[_MOST_STEPS:])
        grid.add_row(f"{len(parts) - _MOST_STEPS} more", duration(ns), f"{ns / whole:.0%}")
    return grid


def _mostly(meanwhile: dict[str, int]) -> str:
    """Return what a task did most while another one waited for it."""
    total = sum(meanwhile.values())
    state, most = max(meanwhile.items(), key=lambda it: it[1])
    return f"{_DOING[state].replace(' on a full channel', '')} {most / total:.0%}" if total else "had just begun"


def _grid(*headers: str) -> Table:
    """Return an empty table; a header that begins with `>` is that of figures."""
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for header in headers:
        is_figure = header.startswith(">")
        is_wide = (
            header == headers[-1] and not is_figure
        )  # only this column is narrowed where there is too little space
        grid.add_column(header.removeprefix(">"), justify="right" if is_figure else "left", no_wrap=not is_wide,
                        overflow="fold" if is_wide else "ellipsis")  # fmt: skip
    return grid


def _more(grid: Table, number: int) -> None:
    if number > 0:
        grid.add_row(f"{number:,} more")


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'s' * (number != 1)}"
