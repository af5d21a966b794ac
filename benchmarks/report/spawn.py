"""What a task costs: time, memory, how the time grows; and what the command costs to start."""

from collections.abc import Callable, Iterator

from benchmarks.report import together, words
from benchmarks.report.bars import Bar, Key, Panel, drawing
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import drawing as lines_drawing
from benchmarks.report.rings import bar
from benchmarks.report.sheet import Sheet, baseline_of, of_rows
from benchmarks.report.sweeps import Axis, families, sheet, sweeps_of
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
    rows = [row for row in together.of(results, "spawn", f"units-{number}") if row.kind == "model"]
    if not rows:
        return Absent(title, "no tasks were started")
    bars = [bar(results, row) for row in rows]
    panel = Panel("", bars, f"time per task (log), {number:,} tasks", words.duration)
    text = says(rows, lambda row: row.median, words.duration, "starts")
    return Chart(
        "spawn-time", title, text.removesuffix("."), text, command_for(results, rows),
        drawing([panel], key(bars)), of_rows(results, together.of(results, "spawn", f"units-{number}")),
    )  # fmt: skip


def common_number(results: Results) -> int:
    """Return a hundred, or if that was not measured, the number that most models have."""
    numbers = [int(cell.removeprefix("units-")) for cell in results.cells("spawn") if cell.startswith("units-")]
    if not numbers or USUAL in numbers:
        return USUAL
    return max(numbers, key=lambda number: len(results.of("spawn", f"units-{number}")))


def key(bars: list[Bar]) -> Key:
    """Return the key: what colours and marks mean."""
    return Key([it.model or "" for it in bars], mark="by hand (the baseline)" if any(it.mark for it in bars) else "")


def says(rows: list[Row], figure: Callable[[Row], float], write: Callable[[float], str], verb: str) -> str:
    """Say what the models at the two ends take."""
    least, most = min(rows, key=figure), max(rows, key=figure)
    ratio = words.times(figure(most) / figure(least))
    if least is most:
        return f"A task of {least.candidate} {verb} {write(figure(least))}; no other model was measured."
    if verb == "takes":
        return (
            f"A task of {least.candidate} takes {write(figure(least))} of memory, one of {most.candidate}"
            f" {write(figure(most))}: {ratio} as much."
        )
    return (
        f"A task of {least.candidate} {verb} in {write(figure(least))}, one of {most.candidate} in"
        f" {write(figure(most))}: {ratio} as long."
    )


def memory(results: Results) -> Chart | Absent:
    """Return the chart of the memory of one task among as many as possible, which share the pages of the first one."""
    title, rows = "The memory of one task", heaviest(results)
    if not rows:
        return Absent(title, "the memory of no task was measured")
    rows.sort(key=taken)
    bars = [memory_bar(results, row) for row in rows]
    panel = Panel("", bars, "memory per task (log)", words.size)
    text = says(rows, taken, words.size, "takes")
    return Chart(
        "spawn-memory", title, text.removesuffix("."), text, command_for(results, rows),
        drawing([panel], key(bars)), memory_sheet(results),
    )  # fmt: skip


def heaviest(results: Results) -> list[Row]:
    """Return, for each model under each Python, the row with the most tasks whose memory is known."""
    found: dict[str, Row] = {}
    for row in (together.named(results, row) for row in results.rows):
        if row.suite == "spawn" and row.kind == "model" and taken(row) > 0:
            latest = found.get(row.candidate)
            if latest is None or row.parameters["units"] > latest.parameters["units"]:
                found[row.candidate] = row
    return list(found.values())


def taken(row: Row) -> float:
    """Return the memory of a task; 0 if it is unknown or too small to be seen."""
    return row.figure(MEMORY) or 0.0


def memory_bar(results: Results, row: Row) -> Bar:
    """Return a bar with the number of tasks, and the baseline for as many."""
    values, baseline = row.by_round(MEMORY).values(), baseline_of(results, row)
    mark = taken(baseline) if baseline and taken(baseline) > 0 else None
    label = f"{row.candidate} ({row.parameters['units']:,})"
    least = min((value for value in values if value > 0), default=taken(row))
    return Bar(label, taken(row), row.model, least, max(values), mark)


def memory_sheet(results: Results) -> Sheet:
    """Return a table of the memory of one task among so many, for models and baselines."""
    rows = [together.named(results, row) for row in results.rows if row.suite == "spawn" and taken(row) > 0]
    numbers = sorted({row.parameters["units"] for row in rows})
    by_name = {(row.candidate, row.parameters["units"]): words.size(taken(row)) for row in rows}
    names = dict.fromkeys(row.candidate for row in rows)
    lines = [[name, *(by_name.get((name, number), "") for number in numbers)] for name in names]
    return Sheet(["", *(f"{number:,} tasks" for number in numbers)], lines)


def growth(results: Results) -> Chart | Absent:
    """Return the chart of the time per task against the number of tasks."""
    sweeps = sweeps_of(results, TIME, "spawn")
    if not sweeps:
        return Absent(TIME.title, "no two numbers of tasks were measured")
    rows = [row for sweep in sweeps.values() for _, row in sweep]
    ratios = {name: sweep[-1][1].median / sweep[0][1].median for name, sweep in sweeps.items()}
    name = max(ratios, key=lambda name: ratios[name])
    first, last = (TIME.tick(sweeps[name][at][0]) for at in (0, -1))
    takeaway = f"One of {last} tasks of {name} {words.takes(ratios[name])} to start as one of {first}"
    flat = [name for name, ratio in ratios.items() if ratio <= 1]
    text = f"{takeaway}." + (f" No more expensive the more there are: {words.listing(flat)}." if flat else "")
    draw = lines_drawing(families(TIME, sweeps))
    return Chart("spawn-growth", TIME.title, takeaway, text, command_for(results, rows), draw, sheet(TIME, sweeps))


def command(results: Results) -> Chart | Absent:
    """Return the chart of a whole process, compared with its imports."""
    title, rows = "What the command costs to start", results.of("spawn", "command")
    if len(rows) < 2:
        return Absent(title, "the command and its imports were not both measured")
    panel = Panel("", [bar(results, row) for row in rows], "time of a whole process", words.duration, log=False)
    ratio, times = words.times(rows[-1].median / rows[0].median), [words.duration(row.median) for row in rows]
    takeaway = f"{rows[-1].candidate} takes {times[-1]}, {ratio} as long as {rows[0].candidate} ({times[0]})"
    draw = drawing([panel], Key())
    return Chart(
        "spawn-command", title, takeaway, f"{takeaway}.", command_for(results, rows), draw, of_rows(results, rows)
    )
