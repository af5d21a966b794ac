"""The report on a function: what it does, how fast it was in each way, and what to write."""

import textwrap
from collections.abc import Iterator

from concmodels.programs.output.formats import duration, short
from concmodels.which.advice import MOSTLY, PARTLY, Advice
from concmodels.which.code import code_for
from concmodels.which.measured import THREADS, Measured, Way

_WIDTH = 80


def report_text(its: Measured, advice: Advice) -> str:
    """Return the whole report as text of at most 80 columns, but for the program at its end."""
    parts = [
        "\n".join(map(_wrapped, _about(its))),
        "\n".join(_table(its)),
        _wrapped(_disturbed(its)),
        _wrapped(f"{f'Use {advice.use}' if advice.use else 'No verdict'}: {advice.why}."),
        "\n".join(_wrapped(f"{it}.", "- ") for it in advice.notes),
    ]
    if code := code_for(its, advice):
        parts += ["Write:", textwrap.indent(code, "    ")]
    return "\n\n".join(filter(None, parts)).rstrip() + "\n"


def _wrapped(text: str, first: str = "", indent: int | None = None) -> str:
    indent = len(first) if indent is None else indent
    return textwrap.fill(text, _WIDTH, initial_indent=first, subsequent_indent=" " * indent, break_on_hyphens=False)


def _about(its: Measured) -> Iterator[str]:
    call = f"{its.name}({', '.join(its.arguments)}) takes {duration(its.call_s * 1e9)}"
    if its.in_children >= PARTLY:
        yield f"{call}; it computes for {its.computes:.0%} of that, and programs it starts for {its.in_children:.0%}."
        return
    kind = "CPU" if its.computes >= MOSTLY else "I/O" if its.computes < PARTLY else "both CPU- and I/O"
    waits = f"waits for {1 - its.computes:.0%}"
    yield f"{call}; it computes for {its.computes:.0%} of that and {waits}: it is {kind}-bound."
    if its.hindrances:
        yield f"But {'; '.join(its.hindrances)}."
    elif its.result_bytes is not None:
        yield f"It can be pickled, as processes need, and its result too: {its.result_bytes:,} bytes."
    if not its.is_async and its.gil and its.computes >= MOSTLY and its.ways[THREADS].holds_gil is not None:
        yield f"While it computes, it {'lets go of' if its.releases_gil else 'keeps'} the GIL."


def _table(its: Measured) -> Iterator[str]:
    calm = its.is_told_by_time
    yield f"{'':24} {'workers':>7} {'calls/s':>9}  times a loop{'   with all processors' if calm else ''}"
    for way in (its.loop, *its.ways.values()):
        begin = f"{way.name:24} {way.workers:7}"
        if not way.rounds:
            yield _wrapped(f"{begin}         -  {way.why_not}", indent=44)
            continue
        speeds = its.speeds(way.name)
        times = f"{its.speed(way.name):.2f} ({min(speeds):.2f} to {max(speeds):.2f})" if speeds else "1"
        times = f"{times:22}  {its.undisturbed(way.name):.2f}" if calm and speeds else times
        chunk = f"   {way.chunk:,} calls at a time" if way.chunk > 1 else ""
        yield f"{begin} {_rate(way):>9}  {times}{chunk}".rstrip()


def _rate(way: Way) -> str:
    per_call = way.per_call("wall_s")
    return short(1 / per_call) if per_call else "-"


def _disturbed(its: Measured) -> str:
    if not its.is_disturbed:
        return ""
    more = ": the last column says what the processor time that the calls took allows if nothing else runs"
    return f"Other programs used {its.others:.1f} of {its.cpus} CPUs meanwhile{more if its.is_told_by_time else ''}."
