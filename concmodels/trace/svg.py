"""The elements of the pictures: texts, tooltips, lines of a limited width, and the style, in light and dark."""

import math
from html import escape

LETTER = 6.4
"""About how wide a letter is, in pixels; fonts differ."""

LIGHT = (
    "--trace-paper:#fff;--trace-ink:#1d232b;--trace-soft:#56606b;--trace-grid:#e3e7eb;--trace-run:#22609f;"
    "--trace-wait:#a9b2bb;--trace-full:#c45f00;--trace-bad:#b3261e;--trace-cut:#f0f2f4;--trace-on:#fff"
)
DARK = (
    "--trace-paper:#131416;--trace-ink:#e6e9ed;--trace-soft:#a3adb8;--trace-grid:#2c333b;--trace-run:#6db3f2;"
    "--trace-wait:#626d78;--trace-full:#ffaa60;--trace-bad:#ff8d80;--trace-cut:#1d2228;--trace-on:#0b1118"
)
FOR_A_FILE = f"svg.trace{{{LIGHT}}}@media (prefers-color-scheme:dark){{svg.trace{{{DARK}}}}}"
"""The variables of a picture that is a file; a page sets its own."""

_RULES = """.trace text{font:12px system-ui,sans-serif;fill:var(--trace-ink);stroke:none}
.trace text.soft{font-size:11px;fill:var(--trace-soft)}.trace text.title{font-size:14px;font-weight:600}
.trace text.code{font:11px ui-monospace,monospace}.trace text.on{fill:var(--trace-on)}
.trace text.halo{paint-order:stroke;stroke:var(--trace-paper);stroke-width:3px;stroke-linejoin:round}
.trace .paper{fill:var(--trace-paper)}.trace .grid{stroke:var(--trace-grid)}
.trace .running{fill:var(--trace-run)}.trace .waiting{fill:var(--trace-wait)}.trace .full{fill:var(--trace-full)}
.trace .asleep{stroke:var(--trace-wait);stroke-width:3;stroke-dasharray:2 4}
.trace .arrow{stroke:var(--trace-ink);stroke-width:1.1;fill:none}
.trace .many .arrow{stroke-width:.5;opacity:.6}
.trace .arrow:hover{stroke:var(--trace-full);stroke-width:2.5;opacity:1}
.trace .cause{stroke:var(--trace-soft);stroke-dasharray:5 3;fill:none}
.trace .spawn{stroke:var(--trace-soft);stroke-dasharray:2 3;fill:none}
.trace .box{stroke:var(--trace-run);fill:none}
.trace .cut{fill:var(--trace-cut)}.trace .tear{stroke:var(--trace-soft);fill:none}
.trace .mark{stroke:var(--trace-ink);stroke-width:2;fill:none}
.trace .bad{stroke:var(--trace-bad);stroke-width:2;fill:none}
.trace text.bad{fill:var(--trace-bad);font-size:11px;stroke:none}
.trace text.bad.halo{stroke:var(--trace-paper);stroke-width:3px}
"""


def whole(title: str, size: tuple[float, float], style: str, parts: list[str]) -> str:
    """Return a whole picture of this size, with `style` for its variables."""
    width, height = (f"{pixels:.0f}" for pixels in size)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="trace" role="img" aria-label="{escape(title)}" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"><style>{style}{_RULES}</style>'
        f'<rect class="paper" width="100%" height="100%"/>{"".join(parts)}</svg>'
    )


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Return a text at this place."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def path(kind: str, way: str, tip: str = "") -> str:
    """Return a line, with a tooltip."""
    return f'<path class="{kind}" d="{way}">{titled(tip)}</path>'


def bar(kind: str, left: float, right: float, y: float, height: float, tip: str = "") -> str:
    """Return a bar around a line at `y`, at least one pixel wide."""
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{y - height / 2:.1f}" width="{max(right - left, 1):.1f}" '
        f'height="{height:g}">{titled(tip)}</rect>'
    )


def titled(tip: str) -> str:
    """Return the element of a tooltip."""
    return f"<title>{escape(tip)}</title>" if tip else ""


def fitted(words: str, pixels: float, letter: float = LETTER) -> str:
    """Return a text, shortened to about this width."""
    most = max(2, int(pixels / letter))
    return words if len(words) <= most else f"{words[: most - 1]}…"


def lines(words: str, pixels: float, letter: float = LETTER) -> list[str]:
    """Return a text in lines of about this width."""
    found: list[str] = []
    for word in words.split():
        if found and (len(found[-1]) + 1 + len(word)) * letter <= pixels:
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found


def heading(parts: list[str], width: float, title: str, *softly: str) -> float:
    """Draw a title and what is said under it; return how far down it comes."""
    y = 4.0
    for line in lines(title, width - 24, 7.6):
        parts.append(text(12, y := y + 19, line, "title"))
    for words in softly:
        for line in lines(words, width - 24, 5.8):
            parts.append(text(12, y := y + 16, line, "soft"))
    return y


def head(dx: float, dy: float, x: float, y: float, size: float = 6) -> str:
    """Return the head of an arrow that comes from the direction (dx, dy) and ends here, as a part of a path."""
    length = math.hypot(dx, dy) or 1
    along, across = (dx / length * size, dy / length * size), (-dy / length * size * 0.45, dx / length * size * 0.45)
    sides = [(x - along[0] + sign * across[0], y - along[1] + sign * across[1]) for sign in (1, -1)]
    return f"M{sides[0][0]:.1f} {sides[0][1]:.1f}L{x:.1f} {y:.1f}L{sides[1][0]:.1f} {sides[1][1]:.1f}"


def waits_for(left: float, y: float, y_end: float, number: int, tip: str) -> str:
    """Return a red arrow from one lane to another, to the right of both; `number` keeps several apart."""
    turn, begin = 16 + 8 * (number % 3), left + 7 * (number % 3)
    way = f"M{begin:.1f} {y:.0f}C{begin + turn:.1f} {y:.0f} {begin + turn:.1f} {y_end:.0f} {left + 4:.1f} {y_end:.0f}"
    return path("bad", way + head(-turn, 0, left + 4, y_end, 8), tip)
