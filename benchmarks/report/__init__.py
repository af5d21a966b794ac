"""The report: a result as one page, as pictures, and as tables in Markdown.

    python -m benchmarks report new.json                     build/report/index.html, charts/, tables/
    python -m benchmarks report new.json --output FOLDER

The same from Python; the docs site is made of it:

    results = benchmarks.result.read("new.json")
    charts(results)                   every `Chart` that the result has figures for, in the order of the page
    model_charts(results, "trio")     a model's own: `trio-ring`, `trio-units`
    tables(results)                   {"ring-stream": Markdown, ..., "goals": ..., "left-out": ...}

    chart.name, chart.title           "ring-stream", and words for a heading
    chart.alt                         the alternative text: what to see, in a sentence or two, its figures computed
    chart.command                     the command that measures these figures again
    chart.svg(Look(dark=True))        text, with role and label for screen readers; the same whenever the figures are
    chart.png(Look(narrow=True))      bytes, at twice the size that it has on a page
    chart.draw(Look())                matplotlib's figure; `draw` is None where the table says it as well as a picture
    chart.sheet.markdown(), .html()   the figures as a table

A `Look` is light or dark, wide (900 px) or narrow (350 px, so that a phone shows its letters as large as the wide one
does). A chart for which the result lacks the figures is not in the list; `absent(results)` says why.

**Why matplotlib.** The pictures have to be SVG and PNG without a browser and without scripts, the same every time from
the same figures. matplotlib does that by itself, is well kept, and is one dependency. Altair and Plotly draw in
JavaScript: for a PNG they take along a browser or a JavaScript engine, and their pages need scripts. It takes most of a
second to be imported, so a function that draws imports it; what only reads results does without.

`rows.py` and `lines.py` draw everything. They compute places from the widths of words, in both looks: matplotlib's
constrained layout does well at 900 px, but at 350 px it lets labels overlap.
"""

from benchmarks.report.chart import Absent, Chart
from benchmarks.report.everything import absent, charts, model_charts, tables
from benchmarks.report.look import Look

__all__ = ["Absent", "Chart", "Look", "absent", "charts", "model_charts", "tables"]
