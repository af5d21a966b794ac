"""The table of results: one row per model, fastest first, with bars; readable in 80 columns."""

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from concmodels._result import Result

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_SMALLEST_BAR = 6
_WIDEST_BAR = 40


@dataclass(frozen=True)
class Row:
    """The successful runs of one model."""

    name: str
    results: list[Result]

    def median(self, figure: str) -> float | None:
        """Return the median of a figure over the repeats, None if it is unknown."""
        values = [value for it in self.results if (value := getattr(it, figure)) is not None]
        return statistics.median(values) if values else None

    @property
    def speed(self) -> float:
        """Hops per second."""
        return self.median("hops_per_s") or 0.0

    @property
    def spread(self) -> str:
        """How far the runs lie apart: half of the way from the slowest to the fastest, by the median."""
        speeds = [it.hops_per_s or 0.0 for it in self.results]
        return f"{(max(speeds) - min(speeds)) / 2 / self.speed:.0%}" if len(speeds) > 1 else ""

    @property
    def switches(self) -> float | None:
        """Context switches of both kinds."""
        voluntary, involuntary = self.median("voluntary_switches"), self.median("involuntary_switches")
        return None if voluntary is None or involuntary is None else voluntary + involuntary


def rows(results: Iterable[Result]) -> list[Row]:
    """Return one row per model that has verified runs, the fastest first."""
    by_name: dict[str, list[Result]] = {}
    for result in results:
        if result.verified:
            by_name.setdefault(result.name, []).append(result)
    return sorted((Row(name, its) for name, its in by_name.items()), key=lambda row: -row.speed)


def show(results: list[Result], console: Console) -> None:
    """Print the table, and the line that says what was verified."""
    ranked = rows(results)
    if ranked:
        console.print(Group(_title(results[0]), table(ranked, console)))
    console.print(_verdict(results), highlight=False)


def table(ranked: list[Row], console: Console) -> Table:
    """Return the table of these rows, as wide as the console."""
    columns = _columns(any(row.spread for row in ranked))
    bar = console.width - _width(ranked, columns)
    if bar < _SMALLEST_BAR:
        columns.pop("PSS")  # the JSON has it; the bars say more
        bar = console.width - _width(ranked, columns)
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("model", no_wrap=True)
    for header in columns:
        grid.add_column(header, justify="right", no_wrap=True)
    if bar >= _SMALLEST_BAR:
        grid.add_column("", no_wrap=True)
    for row in ranked:
        share = row.speed / ranked[0].speed
        ending = [_bar(share, min(bar, _WIDEST_BAR), console)] if bar >= _SMALLEST_BAR else []
        grid.add_row(row.name, *(cell(row) for cell in columns.values()), *ending)
    return grid


def _columns(spread: bool) -> dict[str, Callable[[Row], str]]:
    """What stands under each header."""
    columns: dict[str, Callable[[Row], str]] = {"hops/s": lambda row: short(row.speed)}
    if spread:
        columns["±"] = lambda row: row.spread
    return columns | {
        "per hop": lambda row: duration(row.median("ns_per_hop")),
        "setup": lambda row: seconds(row.median("setup_s")),
        "run": lambda row: seconds(row.median("run_s")),
        "down": lambda row: seconds(row.median("teardown_s")),
        "CPU": lambda row: seconds(row.median("cpu_s")),
        "peak": lambda row: size(row.median("peak_rss_bytes")),
        "PSS": lambda row: size(row.median("peak_pss_bytes")),
        "switch": lambda row: short(row.switches),
    }


def _width(ranked: list[Row], columns: dict[str, Callable[[Row], str]]) -> int:
    """How many columns of the terminal everything but the bar takes."""
    texts = [["model", *(row.name for row in ranked)]]
    texts += [[header, *(cell(row) for row in ranked)] for header, cell in columns.items()]
    return sum(max(map(len, column)) + 1 for column in texts)


def _bar(share: float, width: int, console: Console) -> Text:
    eighths = max(1, round(share * width * 8))
    if not console.encoding.lower().startswith("utf"):
        return Text("#" * max(1, eighths // 8))
    return Text("█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip(), style="cyan")


def _title(result: Result) -> Text:
    payload = f"{result.payload_bytes:,} bytes each" if result.payload_bytes else "bare numbers"
    flight = f"{result.in_flight:,}" if isinstance(result.in_flight, int) else result.in_flight
    gil = "GIL on" if result.gil else "GIL off"
    nodes, messages = _count(result.nodes, "node"), _count(result.messages, "message")
    title = Text(f"ring of {nodes}, {messages}: {_count(result.hops, 'hop')}\n", style="bold")
    title.append(f"{flight} in flight, capacity {result.capacity}, {payload}; ", style="not bold dim")
    return title.append(f"Python {result.python}, {gil}, {result.cpus} CPUs\n", style="not bold dim")


def _verdict(results: list[Result]) -> str:
    good = [it for it in results if it.verified]
    if not good:
        return "nothing was verified"
    text = f"verified: {_count(good[0].messages, 'message')} arrived, once each and in order"
    if len(results) == 1:
        return text
    return f"{text}, in {'all' if len(good) == len(results) else f'{len(good)} of'} {len(results)} runs"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def short(number: float | None) -> str:
    """Return a number in at most five characters: `1.23M`; a dash for None."""
    if number is None:
        return "-"
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= 0.9995 * scale:
            return f"{number / scale:.3g}{unit}"
    return f"{number:.3g}"


def duration(nanoseconds: float | None) -> str:
    """Return nanoseconds with three digits and their unit: `5.13us`."""
    if nanoseconds is None:
        return "-"
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= 0.9995 * scale:
            return f"{nanoseconds / scale:.3g}{unit}"
    return f"{nanoseconds:.3g}ns"


def seconds(value: float | None) -> str:
    """Return a time in at most five characters: `7ms`, `0.13s`, `12.3s`, `1234s`."""
    if value is None:
        return "-"
    if value < 0.0995:
        return f"{value * 1000:.0f}ms" if value >= 0.0005 else "0"
    return f"{value:.2f}s" if value < 9.995 else f"{value:.1f}s" if value < 99.95 else f"{value:.0f}s"


def size(value: float | None) -> str:
    """Return bytes as `29M`, `1.2G`."""
    if value is None:
        return "-"
    mib = value / 1024**2
    return f"{mib:.0f}M" if mib < 999.5 else f"{mib / 1024:.1f}G"
