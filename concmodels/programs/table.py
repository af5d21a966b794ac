"""The table of results: one row per model, fastest first, with bars; readable in 80 columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from concmodels.programs.result import Outcome

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_SMALLEST_BAR = 6
_WIDEST_BAR = 40


@dataclass(frozen=True)
class Row:
    """The successful runs of one model."""

    name: str
    results: list[Outcome]

    def median(self, figure: str) -> float | None:
        """Return the median of a figure over the repeats, None if it is unknown."""
        values = [value for it in self.results if (value := getattr(it, figure)) is not None]
        if len(values) < 2:
            return values[0] if values else None
        from statistics import median  # imported only here, because its own imports take longer than a small ring

        middle: float = median(values)
        return middle

    @property
    def speed(self) -> float:
        """The figure that the table ranks by."""
        return self.median(self.results[0].SPEED) or 0.0

    @property
    def spread(self) -> str:
        """How much the runs differ: half of the distance from the slowest to the fastest, divided by the median."""
        speeds = [getattr(it, it.SPEED) or 0.0 for it in self.results]
        return f"{(max(speeds) - min(speeds)) / 2 / self.speed:.0%}" if len(speeds) > 1 else ""


def rows(results: Iterable[Outcome]) -> list[Row]:
    """Return one row per model that has verified runs, the fastest first."""
    by_name: dict[str, list[Outcome]] = {}
    for result in results:
        if result.verified:
            by_name.setdefault(result.name, []).append(result)
    return sorted((Row(name, its) for name, its in by_name.items()), key=lambda row: -row.speed)


def show(results: list[Outcome], console: Console) -> None:
    """Print the table, and the line that says what was verified."""
    ranked = rows(results)
    if ranked:
        console.print(Group(_title(results[0]), table(ranked, console)))
    console.print(_verdict(results), highlight=False)


def table(ranked: list[Row], console: Console) -> Table:
    """Return the table of these rows, as wide as the console."""
    columns = _columns(ranked)
    if (bar := console.width - _width(columns)) < _SMALLEST_BAR:
        del columns["PSS"]  # the JSON has it; the bars say more
        bar = console.width - _width(columns)
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for header in columns:
        grid.add_column(header, justify="left" if header == "model" else "right", no_wrap=True)
    if bar >= _SMALLEST_BAR:
        grid.add_column("", no_wrap=True)
        columns[""] = [_bar(row.speed / ranked[0].speed, min(bar, _WIDEST_BAR), console) for row in ranked]
    for cells in zip(*columns.values(), strict=True):
        grid.add_row(*cells)
    return grid


def _columns(ranked: list[Row]) -> dict[str, list[Any]]:
    """Return the texts of the columns by their headers. After the speed comes its spread, if there are several runs."""
    columns: dict[str, list[Any]] = {"model": [row.name for row in ranked]}
    for header, (figure, way) in (ranked[0].results[0].columns() | _SHARED).items():
        medians = [row.median(figure) for row in ranked]
        columns[header] = ["-" if it is None else _WAYS[way](it) for it in medians]
        if len(columns) == 2 and any(row.spread for row in ranked):
            columns["±"] = [row.spread for row in ranked]
    return columns


def _width(columns: dict[str, list[Any]]) -> int:
    """Return how many columns of the terminal the table takes without its bars."""
    return sum(max(map(len, [header, *texts])) + 1 for header, texts in columns.items())


def _bar(share: float, width: int, console: Console) -> Text:
    eighths = max(1, round(share * width * 8))
    if not console.encoding.lower().startswith("utf"):
        return Text("#" * max(1, eighths // 8))
    return Text("█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip(), style="cyan")


def _title(result: Outcome) -> Text:
    gil = "GIL on" if result.gil else "GIL off"
    title = Text(f"{result.headline()}\n", style="bold")
    title.append(f"{result.details()}; ", style="not bold dim")
    return title.append(f"Python {result.python}, {gil}, {result.cpus} CPUs\n", style="not bold dim")


def _verdict(results: list[Outcome]) -> str:
    good = [it for it in results if it.verified]
    if not good:
        return "nothing was verified"
    text = f"verified: {good[0].proven()}"
    if len(results) == 1:
        return text
    return f"{text}, in {'all' if len(good) == len(results) else f'{len(good)} of'} {len(results)} runs"


def short(number: float) -> str:
    """Return a number in at most five characters: `1.23M`."""
    return _scaled(number, (("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1)))


def duration(nanoseconds: float) -> str:
    """Return nanoseconds with three digits and their unit: `5.13us`."""
    return _scaled(nanoseconds, (("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1)))


def _scaled(number: float, units: Sequence[tuple[str, float]]) -> str:
    unit, scale = next((it for it in units if number >= 0.9995 * it[1]), units[-1])
    return f"{number / scale:.3g}{unit}"


def seconds(value: float) -> str:
    """Return a time in at most five characters: `7ms`, `0.13s`, `12.3s`, `1234s`."""
    if value < 0.0995:
        return f"{value * 1000:.0f}ms" if value >= 0.0005 else "0"
    return f"{value:.2f}s" if value < 9.995 else f"{value:.1f}s" if value < 99.95 else f"{value:.0f}s"


def size(value: float) -> str:
    """Return bytes as `29M`, `1.2G`."""
    mib = value / 1024**2
    return f"{mib:.0f}M" if mib < 999.5 else f"{mib / 1024:.1f}G"


def times(value: float) -> str:
    """Return a factor as `1.87x`."""
    return f"{value:.2f}x" if value < 9.995 else f"{short(value)}x"


_WAYS = {"short": short, "duration": duration, "times": times, "seconds": seconds, "size": size}

_SHARED = {
    "setup": ("setup_s", "seconds"),
    "run": ("run_s", "seconds"),
    "down": ("teardown_s", "seconds"),
    "CPU": ("cpu_s", "seconds"),
    "peak": ("peak_rss_bytes", "size"),
    "PSS": ("peak_pss_bytes", "size"),
    "switch": ("switches", "short"),
}
"""The columns that every program has, after its own."""
