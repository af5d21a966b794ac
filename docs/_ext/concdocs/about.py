"""`about-result`: where the figures of a page come from; or a sentence that says that they are missing."""

import shlex
import statistics
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

from benchmarks import tables
from benchmarks.all_files import FILES
from benchmarks.disturbance import MARK
from benchmarks.machine import commits_since
from benchmarks.report import builds, facts, words
from benchmarks.result import Results
from concdocs import results
from concdocs.places import Directive, Mistake, NotMeasured

MODELS = "concmodels/models"


class AboutResult(Directive):
    """The argument is the name of a result; without one it is that of most pages."""

    optional_arguments = 1

    def build(self) -> list[nodes.Node]:
        name = "".join(self.arguments)
        if name not in results.FILES:
            raise Mistake(f"there is no result {name!r}; there are {', '.join(filter(None, results.FILES))}")
        try:
            found = results.results(name)
        except NotMeasured as why:
            return self.markdown(f"**{why}, so this page has no figures. `{command(name)}` measures them.**")
        self.depends_on(results.path(name))
        return self.markdown(" ".join(sentences(name, found)))


def command(name: str) -> str:
    """The command that measures a result."""
    _, line = FILES[results.FILES[name][1].name]
    return shlex.join(["python", "-m", "benchmarks", "run", *line])


def sentences(name: str, found: Results) -> Iterator[str]:
    """The sentences about figures: whether they count, where they are from, and what else ran meanwhile."""
    pythons = ", ".join(facts.of_python((tag, about | {"build": None})) for tag, about in pythons_of(found))
    date = str(found.about.get("date", "no known date"))[:10]
    yield f"The figures are from `{results.name_on_page(name)}`, of {date}, measured under Python {pythons};"
    yield f"of {facts.code(found)}.{since(found)}"
    yield from builds.notes(found)
    disturbed = tables.beside(found)
    yield noise(found)
    yield from smaller(found)
    yield f"The result has {len(found.rows)} rows{disturbed}{f'; in the tables these have a {MARK}' * bool(disturbed)}."


def since(found: Results) -> str:
    """Whether the models have changed since they were measured, as far as that is known."""
    commit = found.about.get("machine", {}).get("commit")
    count = commits_since(commit, MODELS) if commit else None
    changed = f"changed in {words.counted(count, 'commit')}" if count else "not changed"
    return "" if count is None else f" The models have {changed} since."


def noise(found: Results) -> str:
    """In how many rounds everything was measured, and how far these lie apart."""
    rounds = words.span([len(row.seconds) for row in found.rows if row.kind != "past"], str)
    apart = [row.most / row.least - 1 for row in found.rows if len(row.seconds) > 1]
    if len(apart) < 2:
        return f"Rounds: {rounds}."
    half, tenth = (statistics.quantiles(apart, n=10, method="inclusive")[at] for at in (4, 8))
    return (
        f"Each row has {rounds} rounds; in half of the rows the slowest one took at least {half:.0%} more than the"
        f" fastest, in a tenth at least {tenth:.0%}."
    )


def smaller(found: Results) -> Iterator[str]:
    """Whether what is compared passed on as many messages."""
    ours = {
        (row.suite, row.cell, row.model): row.parameters.get("messages") for row in found.rows if row.kind == "model"
    }
    peers = [row for row in found.rows if row.kind == "peer" and (row.suite, row.cell) == ("ring", "stream")]
    fewer = [row for row in peers if row.parameters["messages"] != ours.get((row.suite, row.cell, row.model))]
    if fewer:
        yield (
            f"In ring/stream {words.counted(len(fewer), 'queue')} passed on fewer messages than ours, which makes"
            " a hop up to twice as expensive: a ring that fills and drains has fewer messages in flight."
        )


def pythons_of(found: Results) -> list[tuple[str, dict[str, object]]]:
    """The Pythons of a result, and what it says of each."""
    return list(found.about.get("pythons", {}).items())


def setup(app: Sphinx) -> None:
    app.add_directive("about-result", AboutResult)
