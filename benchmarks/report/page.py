"""The report as one HTML file without scripts and external files; every picture is in it four times."""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from html import escape

from benchmarks.report.chart import Chart
from benchmarks.report.document import document
from benchmarks.report.everything import absent, charts, goal_sheet
from benchmarks.report.facts import facts, method, state
from benchmarks.report.look import Look
from benchmarks.result import Results
from benchmarks.rounds import CONFIDENCE, ENOUGH
from benchmarks.tables import left_out

NARROW, DARK = "(max-width: 640px)", "(prefers-color-scheme: dark)"
LOOKS = {
    f"{NARROW} and {DARK}": Look(dark=True, narrow=True),
    NARROW: Look(narrow=True),
    DARK: Look(dark=True),
}
"""Which picture a page takes; the first that fits, and else the light and wide one."""
TITLE = "Python's concurrency models, measured"


def page(results: Results) -> str:
    """Return the whole file."""
    return document(TITLE, "\n".join(parts(results)))


def parts(results: Results) -> Iterator[str]:
    """Yield the parts of the page, from the heading to the method."""
    shown, goals = charts(results), goal_sheet(results)
    yield f"<header><h1>{TITLE}</h1>"
    yield from (f'<p class="note">{escape(line)}</p>' for line in state(results))
    yield f"<dl>{''.join(f'<dt>{escape(name)}</dt><dd>{text}</dd>' for name, text in facts(results))}</dl></header>"
    yield contents(shown, bool(goals.lines))
    yield "<main>"
    if goals.lines:
        yield f'<section id="goals"><h2>The goals</h2><p>{escape(goals_text(results))}</p>{goals.html()}</section>'
    yield from map(section, shown)
    yield from missing(results)
    yield f'<section id="method"><h2>How it is measured, and what that does not tell</h2>{method()}</section></main>'


def goals_text(results: Results) -> str:
    """Say how many of the goals are met."""
    from benchmarks.goals import verdicts

    found = [it for python in results.pythons for it in verdicts(results, python)]
    counts = Counter(it.met for it in found)
    return (
        f"{counts['yes']} of {len(found)} are met, {counts['no']} are not, and {counts['undecided']} are undecided."
        " A ratio is ours over the other's: above 1 ours is faster, or smaller. It is the median over the rounds, each"
        f" a pair measured in the same round. Of {ENOUGH} rounds or more, from and to have the true ratio between them"
        f" in {CONFIDENCE:.0%} of all cases, and decide; of fewer, they are the extremes."
    )


def contents(shown: list[Chart], goals: bool) -> str:
    """Return links to all parts."""
    links = [("goals", "The goals")] if goals else []
    links += [(chart.name, chart.title) for chart in shown]
    links += [("missing", "What is not here"), ("method", "How it is measured")]
    items = "".join(f'<li><a href="#{name}">{escape(title)}</a></li>' for name, title in links)
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>'


def section(chart: Chart) -> str:
    """Return one chart with its sentence, its command and its figures."""
    command, table = f"<pre><code>{escape(chart.command)}</code></pre>", chart.sheet.html()
    shown, folded = (f"<figure>{picture(chart)}</figure>", table) if chart.draw else (table, "")
    return (
        f'<section id="{chart.name}"><h2>{escape(chart.takeaway)}</h2>\n<p>{escape(about(chart))}</p>\n{shown}\n'
        f"<details><summary>{'The figures, and the' if folded else 'The'} command that made them</summary>\n"
        f"{command}\n{folded}</details></section>"
    )


def about(chart: Chart) -> str:
    """Return what a chart is about, and what one has to know to read it."""
    return f"{chart.title}. {chart.note}".strip()


def picture(chart: Chart) -> str:
    """Return the four pictures, of which a browser shows one."""
    drawn = chart.svgs()
    sources = "".join(f'<source media="{when}" srcset="{data(drawn[look])}">' for when, look in LOOKS.items())
    return f'<picture>{sources}<img role="img" alt="{escape(chart.alt)}" src="{data(drawn[Look()])}"></picture>'


def data(svg: str) -> str:
    """Return a picture as a data URL."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def missing(results: Results) -> Iterator[str]:
    """Say what was left out, what failed, and which charts are missing."""
    lines = [escape(line) for line in left_out(results)]
    lines += [f"no chart: {escape(it.title)}: {escape(it.why)}" for it in absent(results)]
    nothing = "<p>Everything that was chosen for this run was measured.</p>"
    listed = f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>" if lines else nothing
    yield f'<section id="missing"><h2>What is not here</h2>{listed}</section>'
