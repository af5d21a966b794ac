"""The table of results: one row per model, fastest first, with bars; readable in 80 columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from concmodels.programs.output.formats import WAYS

if TYPE_CHECKING:
    from typing import ClassVar, Protocol

    class Result(Protocol):
        """The result of one run, as `Outcome` is one."""

        SPEED: ClassVar[str]
        """The name of the figure that the table ranks by."""

        @property
        def name(self) -> str: ...
        @property
        def verified(self) -> bool: ...
        def all_columns(self) -> dict[str, tuple[str, str]]: ...
        def headline(self) -> str: ...
        def details(self) -> str: ...
        def where(self) -> str: ...
        def proven(self) -> str: ...
        def legend(self) -> dict[str, str]: ...
        @property
        def cpus(self) -> int | None: ...
        @property
        def other_cpus(self) -> float | None: ...


_DISTURBED = 0.1
"""From this share of the processors on, what other programs had is told."""
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
        """The spread of the runs: half of the distance from the slowest to the fastest, divided by the median."""
        speeds = [getattr(it, it.SPEED) or 0.0 for it in self.results]
        return f"{(max(speeds) - min(speeds)) / 2 / self.speed:.0%}" if len(speeds) > 1 else ""


def rows(results: Iterable[Result]) -> list[Row]:
    """Return one row per model that has verified runs, the fastest first."""
    by_name: dict[str, list[Result]] = {}
    for result in results:
        if result.verified:
            by_name.setdefault(result.name, []).append(result)
    return sorted((Row(name, its) for name, its in by_name.items()), key=lambda row: -row.speed)


def print_table(results: Sequence[Result], console: Console) -> None:
    """Print the table, and the line that says what was verified."""
    ranked = rows(results)
    if ranked:
        grid = table(ranked, console)
        console.print(Group(_title(results[0]), grid, Text(_legend(results[0], grid), style="dim")))
        if others := _others(results):
            console.print(others, highlight=False)
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
    for header, (figure, way) in ranked[0].results[0].all_columns().items():
        medians = [row.median(figure) for row in ranked]
        columns[header] = ["-" if it is None else WAYS[way](it) for it in medians]
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


def _title(result: Result) -> Text:
    title = Text(f"{result.headline()}\n", style="bold")
    return title.append(f"{result.details()}; {result.where()}\n", style="not bold dim")


def _legend(result: Result, grid: Table) -> str:
    """Return what the words of the table mean, as far as it has them."""
    shown = {str(column.header) for column in grid.columns}
    meanings = [f"{word}: {text}" for word, text in result.legend().items()
                if word in shown or word in result.details()]  # fmt: skip
    return "; ".join(meanings)


def _others(results: Sequence[Result]) -> str:
    """Return how many processors other programs had, at most, if that disturbs the figures."""
    known = [it.other_cpus for it in results if it.other_cpus is not None]
    cpus = results[0].cpus or 1
    if not known or max(known) < _DISTURBED * cpus:
        return ""
    most = " up to" if len(known) > 1 else ""
    return f"other programs used{most} {max(known):.1f} of {cpus} CPUs meanwhile"


def _verdict(results: Sequence[Result]) -> str:
    good = [it for it in results if it.verified]
    if not good:
        return "nothing was verified"
    text = f"verified: {good[0].proven()}"
    if len(results) == 1:
        return text
    return f"{text}, in {'all' if len(good) == len(results) else f'{len(good)} of'} {len(results)} runs"
