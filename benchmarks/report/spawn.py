"""The cost of a task: time, memory, how the time grows; and the cost of starting the command."""

from collections.abc import Callable, Iterator

from benchmarks.report import candidates, sweeps, words
from benchmarks.report.chart import Absent, Chart, command_for, table
from benchmarks.report.rings import BY_HAND, bar
from benchmarks.report.rows import Entry, Panel, drawing
from benchmarks.report.rows import bar as bar_of
from benchmarks.report.sheet import Sheet, baseline_of, of_rows
from benchmarks.report.sweeps import Axis
from benchmarks.result import Results, Row

MEMORY = "bytes_per_unit"
USUAL = 100
"""The time is shown for so many tasks, which every model bears."""
TIME = Axis("units", "How the time to start one task grows", "tasks (log)", across="time per task (log)")


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the charts of time, memory, growth, and the command."""
    yield time(results)
    yield memory(results)
    yield growth(results)
    yield command(results)


def time(results: Results) -> Chart | Absent:
    """Return the chart of the time to start one of a hundred tasks, or of as many as were measured."""
    title, number = "The time to start one task", common_number(results)
    rows = candidates.models(results, "spawn", f"units-{number}")
    if not rows:
        return Absent(title, "no tasks were started")
    bars = [bar(results, row) for row in rows]
    panel = Panel("", bars, f"time per task (log), {number:,} tasks", words.duration)
    text = ends_text(rows, lambda row: row.median, words.duration, ("starts in {}", "in {}", "long"))
    sheet = of_rows(results, candidates.rows_of(results, "spawn", f"units-{number}"))
    draw = drawing([panel], BY_HAND)
    return Chart("spawn-time", title, text, f"{text}.", command_for(results, rows), draw, sheet)


def common_number(results: Results) -> int:
    """Return a hundred, or if that was not measured, the number that most models have."""
    numbers = [int(cell.removeprefix("units-")) for cell in results.cells("spawn") if cell.startswith("units-")]
    if not numbers or USUAL in numbers:
        return USUAL
    return max(numbers, key=lambda number: len(results.of("spawn", f"units-{number}")))


def ends_text(
    rows: list[Row], figure: Callable[[Row], float], write: Callable[[float], str], parts: tuple[str, str, str]
) -> str:
    """Say what the models at the two ends take; the parts are what is said of either, and of how many times."""
    first, second, as_what = parts
    least, most = min(rows, key=figure), max(rows, key=figure)
    text = f"A task of {least.candidate} {first.format(write(figure(least)))}"
    if least is most:
        return f"{text}; no other model was measured"
    ratio = words.times(figure(most) / figure(least))
    return f"{text}, one of {most.candidate} {second.format(write(figure(most)))}: {ratio} as {as_what}"


def memory(results: Results) -> Chart | Absent:
    """Return the chart of the memory of one task among as many as possible, which share the pages of the first one."""
    title, rows = "The memory of one task", sorted(heaviest(results), key=memory_of)
    if not rows:
        return Absent(title, "the memory of no task was measured")
    panel = Panel("", [memory_bar(results, row) for row in rows], "memory per task (log)", words.size)
    text = ends_text(rows, memory_of, words.size, ("takes {} of memory", "{}", "much"))
    sheet, draw = memory_sheet(results), drawing([panel], BY_HAND)
    return Chart("spawn-memory", title, text, f"{text}.", command_for(results, rows), draw, sheet)


def heaviest(results: Results) -> list[Row]:
    """Return, for each model under each Python, the row with the most tasks whose memory is known."""
    found: dict[str, Row] = {}
    for row in (candidates.named(results, row) for row in results.rows):
        if row.suite == "spawn" and row.kind == "model" and memory_of(row) > 0:
            latest = found.get(row.candidate)
            if latest is None or row.parameters["units"] > latest.parameters["units"]:
                found[row.candidate] = row
    return list(found.values())


def memory_of(row: Row) -> float:
    """Return the memory of a task; 0 if it is unknown or too small to be seen."""
    return row.figure(MEMORY) or 0.0


def memory_bar(results: Results, row: Row) -> Entry:
    """Return a bar with the number of tasks, and the baseline for as many."""
    values, baseline = [it for it in row.by_round(MEMORY).values() if it > 0], baseline_of(results, row)
    spread = min(values, default=memory_of(row)), max(values, default=memory_of(row))
    label = f"{row.candidate} ({row.parameters['units']:,})"
    return bar_of(row, memory_of(row), spread, memory_of(baseline) if baseline else None, label)


def memory_sheet(results: Results) -> Sheet:
    """Return a table of the memory of one task among so many, for models and baselines."""
    rows = [candidates.named(results, row) for row in results.rows if row.suite == "spawn" and memory_of(row) > 0]
    numbers = sorted({row.parameters["units"] for row in rows})
    by_name = {(row.candidate, row.parameters["units"]): words.size(memory_of(row)) for row in rows}
    names = dict.fromkeys(row.candidate for row in rows)
    lines = [[name, *(by_name.get((name, number), "") for number in numbers)] for name in names]
    return Sheet(["", *(f"{number:,} tasks" for number in numbers)], lines)


def growth(results: Results) -> Chart | Absent:
    """Return the chart of the time per task against the number of tasks."""
    found = sweeps.sweeps_of(results, TIME, "spawn")
    if not found:
        return Absent(TIME.title, "no two numbers of tasks were measured")
    ratios = {name: sweeps.growth(sweep) for name, sweep in found.items()}
    name = max(ratios, key=lambda name: ratios[name])
    first, last = TIME.ends(found[name])
    takeaway = f"One of {last} tasks of {name} {words.takes(ratios[name])} to start as one of {first}"
    flat = [name for name, ratio in ratios.items() if ratio <= 1]
    text = f"{takeaway}." + (f" No more expensive the more there are: {words.listing(flat)}." if flat else "")
    return sweeps.chart(results, "spawn-growth", TIME, found, takeaway, text)


def command(results: Results) -> Chart | Absent:
    """Return the table of a whole process and of its imports."""
    title, rows = "What the command costs to start", results.of("spawn", "command")
    if len(rows) < 2:
        return Absent(title, "the command and its imports were not both measured")
    ratio, times = words.times(rows[-1].median / rows[0].median), [words.duration(row.median) for row in rows]
    text = f"{rows[-1].candidate} takes {times[-1]}, {ratio} as long as {rows[0].candidate} ({times[0]})"
    return table("spawn-command", title, text, results, rows, of_rows(results, rows))
