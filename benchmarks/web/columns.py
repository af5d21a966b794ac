"""The columns in the table of a cell of web services."""

from collections.abc import Callable

from benchmarks.result import Row
from concmodels.programs.output.formats import duration, short


def time(seconds: float) -> str:
    """Return seconds as `5.1ms`."""
    return duration(seconds * 1e9)


def memory(count: float) -> str:
    """Return bytes as `6.1 KiB`, `29 MiB`."""
    return f"{count / 2**20:.0f} MiB" if abs(count) >= 2**20 else f"{count / 2**10:.1f} KiB"


def cpu(microseconds: float) -> str:
    """Return microseconds as `21us`."""
    return duration(microseconds * 1e3)


MEDIAN, P99, CPU = ("p50_s", time), ("p99_s", time), ("cpu_us_per_request", cpu)
COLUMNS: dict[str, dict[str, tuple[str, Callable[[float], str]]]] = {
    "request": {
        "per second": ("goodput", short),
        "P50": MEDIAN,
        "P99": P99,
        "P99 at 300/s": ("open_300_p99_s", time),
        "at 600/s": ("open_600_p99_s", time),
        "CPU": CPU,
        "memory": ("peak_pss_bytes", memory),
    },
    "answer at P99": {
        "P99 alone": ("alone_p99_s", time),
        "P50": MEDIAN,
        "CPU": CPU,
        "unanswered": ("unanswered", short),
    },
    "connection": {
        "memory": ("pss_bytes_per_connection", memory),
        "kernel": ("kernel_bytes_per_connection", memory),
        "P99": P99,
    },
    "message": {"P50": MEDIAN, "slowest": ("max_s", time)},
    "end": {"lost": ("lost", short), "answers": ("answers", short)},
}
"""By the step of the cell and the head of the column: the figure, and how it is shown."""


def columns(rows: list[Row]) -> dict[str, list[str]]:
    """Return the columns for these rows of one cell: of the figures, those that at least one row has."""
    found = {}
    if rows[0].step != "request":  # of that people want to know how many there are in a second
        found[f"per {rows[0].step}"] = [time(row.median) for row in rows]
    for head, (figure, shown) in COLUMNS[rows[0].step].items():
        values = [row.figure(figure) for row in rows]
        if any(value is not None for value in values):
            found[head] = ["-" if value is None else shown(value) for value in values]
    return found
