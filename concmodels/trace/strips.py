"""The picture of many tasks: a strip for each, the darker the more of a time its task ran.

A trace that was thinned out lacks most operations, so that it doesn't say when a task ran. There a strip is darker the
more messages its task sent and received.
"""

from concmodels.trace import svg
from concmodels.trace.analysis import Analysis
from concmodels.trace.axis import Axis, duration
from concmodels.trace.reading import Lane, Trace
from concmodels.trace.words import figures

_COLUMNS = 160
_SHADES = 5
_HEIGHT = 520


def strips(trace: Trace, title: str, width: int, style: str) -> str:
    """Return the picture as SVG, with `style` for its variables."""
    analysis = Analysis(trace)
    lanes = list(trace.lanes.values())
    parts: list[str] = []
    what = "the more messages it has" if trace.every > 1 else "the more it runs"
    said = ", ".join([f"{len(lanes)} tasks", *figures(analysis)])
    top = svg.heading(parts, width, title, said, f"A strip is a task: the darker, {what}.") + 9
    high = max(1.5, min(24.0, _HEIGHT / len(lanes)))
    bottom = top + high * len(lanes)
    axis = Axis(trace.begin, trace.end, 84, width - 14)
    for x, label in axis.ticks():
        parts.append(svg.path("grid", f"M{x:.1f} {top:.0f}V{bottom:.0f}"))
        parts.append(svg.text(x, bottom + 16, label, "soft", "middle" if x < width - 24 else "end"))
    for row, lane in enumerate(lanes):
        shares = _messages(lane, trace) if trace.every > 1 else _running(lane, trace, analysis)
        parts.append(_strip(lane, shares, axis, top + row * high, high))
    for row in range(len(lanes)) if high >= 12 else sorted({0, len(lanes) // 2, len(lanes) - 1}):
        parts.append(svg.text(12, top + row * high + min(high, 16) / 2 + 3, svg.fitted(lanes[row].name, 70), "soft"))
    return svg.whole(title, (width, bottom + 26), style, parts)


def _strip(lane: Lane, shares: list[float], axis: Axis, y: float, high: float) -> str:
    """Return a strip, in which neighbours of the same shade are one rectangle."""
    found, begin = [], 0
    shades = [0 if share < 0.005 else max(1, round(min(share, 1) * _SHADES)) for share in shares]
    pixels = (axis.right - axis.left) / len(shares)
    for column in range(1, len(shares) + 1):
        if column == len(shares) or shades[column] != shades[begin]:
            if shades[begin]:
                opacity, left = shades[begin] / _SHADES, axis.left + begin * pixels
                found.append(
                    f'<rect class="running" opacity="{opacity:.1f}" x="{left:.1f}" '
                    f'y="{y:.1f}" width="{(column - begin) * pixels:.1f}" height="{high * 0.9:.1f}"/>'
                )
            begin = column
    return f"<g>{svg.titled(f'{lane.name}, from {duration(lane.begin)} to {duration(lane.end)}')}{''.join(found)}</g>"


def _running(lane: Lane, trace: Trace, analysis: Analysis) -> list[float]:
    """Return the share of each column in which a task ran."""
    length = max((trace.end - trace.begin) / _COLUMNS, 1)
    shares = [0.0] * _COLUMNS
    for begin, end in analysis.spent[lane.number].running():
        first, last = int((begin - trace.begin) / length), int((end - trace.begin) / length)
        for column in range(first, min(last, _COLUMNS - 1) + 1):
            at = trace.begin + column * length
            shares[column] += max(0.0, min(end, at + length) - max(begin, at)) / length
    return shares


def _messages(lane: Lane, trace: Trace) -> list[float]:
    """Return how many messages each column has of a task, as a share of the most that one of them has."""
    length = max((trace.end - trace.begin) / _COLUMNS, 1)
    found = [0] * _COLUMNS
    for row in lane.rows:
        if row.what in ("send", "receive") and row.failed is None:
            found[min(int((row.end - trace.begin) / length), _COLUMNS - 1)] += 1
    most = max(found)
    return [number / most if most else 0.0 for number in found]
