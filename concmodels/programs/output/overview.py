"""The models as `python -m concmodels` prints them: what each is, what can run here, and why the rest can't."""

import re
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from concmodels import catalog
from concmodels.catalog import Facts
from concmodels.facts import DISTRIBUTED, FACTS, SIMULATED

_HEADERS = ("a task is", "scheduled by", "a message travels as", "in parallel", "a pool for", "cancelled by", "costs")
_WIDE = 150  # columns: from this width on, all facts of a model fit on one line

_PARALLEL = {"always": "always", "never": "never", "on free-threaded": "without GIL", "by as many": "on a cluster"}
"""The words in the line of a model for what its facts begin with."""


def print_models(out: Console, *, is_long: bool = False) -> None:
    """Print all models on this console: a line for each, or with `is_long` all that the catalog says of it."""
    shown = [facts for facts in FACTS + SIMULATED + DISTRIBUTED if facts.model == catalog.name_of(facts)]
    if not is_long:
        table = _brief(shown)
    else:
        table = _wide(shown) if out.width >= _WIDE else _narrow(shown)
    out.print(table)
    hints = [
        "Try one: python -m concmodels.ring 300 10000 --model trio",
        "The programs: concmodels.ring, .channel, .pool and .serve, each with --help",
    ]
    if not is_long:
        hints.insert(0, "What schedules a task, what it costs, and so on: python -m concmodels --long")
    out.print("\n" + "\n".join(hints), style="dim", highlight=False)


def _brief(shown: list[Facts]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for header in ("model", "a task is", "in parallel"):
        table.add_column(header, no_wrap=True)
    table.add_column("here")
    for facts in shown:
        unit = re.split(r"[:,(]| with ", facts.unit)[0].strip()
        parallel = next(word for start, word in _PARALLEL.items() if facts.parallel.startswith(start))
        table.add_row(Text(facts.model, style="bold"), unit, parallel, _here(facts))
    return table


def _wide(shown: list[Facts]) -> Table:
    table = Table(box=None, padding=(0, 2, 1, 0), pad_edge=False, header_style="bold")
    table.add_column("model", no_wrap=True)
    table.add_column("here", max_width=16)
    for header in _HEADERS:
        table.add_column(header, ratio=1)
    for facts in shown:
        table.add_row(_name(facts), _here(facts), *(text for _, text in _shown_facts(facts)))
    return table


def _narrow(shown: list[Facts]) -> Table:
    """Return a table of two columns: the name of a model, and a small table of its facts."""
    table = Table(box=None, padding=(0, 2, 1, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for facts in shown:
        card = Table.grid(padding=(0, 1, 0, 0))
        card.add_column(style="dim", no_wrap=True)
        card.add_column()
        card.add_row("here", _here(facts))
        for label, text in _shown_facts(facts):
            card.add_row(label, text)
        table.add_row(_name(facts), card)
    return table


def _shown_facts(facts: Facts) -> list[tuple[str, str]]:
    """The facts that the table shows, with their labels, in the order of the columns."""
    gil = f"; here the GIL is {'on' if sys._is_gil_enabled() else 'off'}" if "free-threaded" in facts.parallel else ""
    again = "is raised again" if facts.raised_again else "is not raised again"
    return [
        ("task", f"{facts.unit}; {'async' if facts.is_async else 'sync'}"),
        ("scheduler", f"{facts.scheduler}; {'preemptive' if facts.preemptive else 'cooperative'}"),
        ("message", f"{facts.message}; share() gives {facts.shares}"),
        ("parallel", facts.parallel + gil),
        ("a pool for", facts.pool),
        ("cancelled", f"{facts.cancellation}; if suppressed, it {again}"),
        ("costs", facts.cost),
    ]


def _name(facts: Facts) -> Text:
    """The name of a model, and under it those of its variants; variants that can't run here are struck through."""
    name = Text(facts.model, style="bold")
    for other in FACTS + SIMULATED:
        if other.model == facts.model and other.variant:
            why = catalog.why_not(catalog.name_of(other))
            name.append(f"\n:{other.variant}", style="not bold" if why is None else "not bold dim strike")
    if catalog.is_distributed(facts):
        name.append("\n:tcp://host:port\nbeyond one machine", style="not bold dim")
    if catalog.is_simulated(facts):
        name.append("\nnot among all", style="not bold dim")
    return name


def _here(facts: Facts) -> Text:
    why = catalog.why_not(facts.model)
    return Text("available", style="green") if why is None else Text(why, style="red")
