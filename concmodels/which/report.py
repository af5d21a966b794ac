"""The report on a function: what it does, how fast it was in each way, and what to write."""

import textwrap
from collections.abc import Iterator

from concmodels.programs.output.formats import duration
from concmodels.which.advice import MOSTLY, PARTLY, Advice
from concmodels.which.code import code_for
from concmodels.which.measured import LOOP, THREADS, Measured, Way

_WIDTH = 80


def report(its: Measured, advice: Advice) -> str:
    """Return the whole report as text of at most 80 columns, but for the program at its end."""
    parts = [
        "\n".join(wrapped(it) for it in _about(its)),
        "\n".join(_table(its)),
        "\n".join(wrapped(it) for it in _remarks(its)),
        wrapped(f"{f'Use {advice.use}' if advice.use else 'No verdict'}: {advice.why}."),
        "\n".join(wrapped(f"{it}.", "- ") for it in advice.notes),
    ]
    if code := code_for(its, advice):
        parts += ["Write:", textwrap.indent(code, "    ")]
    return "\n\n".join(filter(None, parts)).rstrip() + "\n"


def wrapped(text: str, mark: str = "") -> str:
    """Return a paragraph in lines of at most 80 columns."""
    return textwrap.fill(text, _WIDTH, initial_indent=mark, subsequent_indent=" " * len(mark), break_on_hyphens=False)


def _about(its: Measured) -> Iterator[str]:
    call = f"{its.name}({', '.join(its.arguments)}) takes {duration(its.call_s * 1e9)}"
    if its.in_children >= PARTLY:
        yield f"{call}; it computes for {its.computes:.0%} of that, and programs it starts for {its.in_children:.0%}."
        return
    kind = (
        "CPU-bound" if its.computes >= MOSTLY else "I/O-bound" if its.computes < PARTLY else "both CPU- and I/O-bound"
    )
    yield f"{call}; it computes for {its.computes:.0%} of that and waits for {1 - its.computes:.0%}: it is {kind}."
    if its.hindrances:
        text = "; ".join(its.hindrances)
        yield f"{text[0].upper()}{text[1:]}."
    elif its.result_bytes is not None:
        yield f"It can be pickled, as processes need, and its result too: {its.result_bytes:,} bytes."
    if not its.is_async and its.gil and its.computes >= MOSTLY and its.ways[THREADS].holds_gil is not None:
        yield f"While it computes, it {'lets go of' if its.releases_gil else 'keeps'} the GIL."


def _table(its: Measured) -> Iterator[str]:
    head = f"{'':24} {'workers':>7} {'calls/s':>9}  times a loop"
    yield head + ("   with all processors" if its.is_disturbed else "")
    yield f"{LOOP:24} {1:7} {_rate(its.loop):>9}  1"
    for name, way in its.ways.items():
        if not way.rounds:
            yield from _row_without(way)
            continue
        speeds = its.speeds(name)
        spread = f"{its.speed(name):.2f}" + (f" ({min(speeds):.2f} to {max(speeds):.2f})" if len(speeds) > 1 else "")
        calm = f"{spread:22}  {its.undisturbed(name):.2f}" if its.is_disturbed and its.computes >= 0.5 else spread
        chunk = f"   {way.chunk:,} calls at a time" if way.chunk > 1 else ""
        yield f"{name:24} {way.workers:7} {_rate(way):>9}  {calm}{chunk}".rstrip()


def _row_without(way: Way) -> Iterator[str]:
    text = textwrap.fill(f"{way.name:24} {way.workers:7}         -  {way.why_not}", _WIDTH, subsequent_indent=" " * 44,
                         break_on_hyphens=False)  # fmt: skip
    yield from text.splitlines()


def _rate(way: Way) -> str:
    from concmodels.programs.output.formats import short

    per_call = way.per_call("wall_s")
    return short(1 / per_call) if per_call else "-"


def _remarks(its: Measured) -> Iterator[str]:
    if its.is_disturbed:
        more = ""
        if its.computes >= 0.5:
            more = ": the last column says what the processor time that the calls took allows if nothing else runs"
        yield f"Other programs used {its.others:.1f} of {its.cpus} CPUs meanwhile{more}."
