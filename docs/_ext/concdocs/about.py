"""`about-result`: where the figures of a page come from; or a sentence that says that they are missing."""

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

from benchmarks import tables
from benchmarks.disturbance import MARK
from benchmarks.report import builds, facts
from benchmarks.result import Results
from concdocs import results
from concdocs.places import Directive, Mistake, NotMeasured

COMMANDS = {
    "shapes": "python -m benchmarks run shapes",
    "web": "python -m benchmarks run web",
    "web-twins": "python -m benchmarks run web/granian web/granian-shares --python 3.14 --python 3.14t",
}
"""The commands that measure the figures without which a page can be built."""


class AboutResult(Directive):
    """The argument is the name of a result."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in results.FILES:
            raise Mistake(f"there is no result {name!r}; there are {', '.join(filter(None, results.FILES))}")
        try:
            found = results.results(name)
        except NotMeasured as why:
            return self.markdown(f"**{why}, so this page has no figures. `{COMMANDS[name]}` measures them.**")
        self.depends_on(results.path(name))
        return self.markdown(" ".join(told(name, found)))


def told(name: str, found: Results) -> Iterator[str]:
    """What a reader must know about figures: whether they count, where they are from, and what else ran meanwhile."""
    pythons = ", ".join(facts.of_python((tag, about | {"build": None})) for tag, about in pythons_of(found))
    date = str(found.about.get("date", "no known date"))[:10]
    yield f"The figures are from `{results.shown(name)}`, of {date}, measured under Python {pythons};"
    yield f"of {facts.code(found)}."
    yield from builds.says(found)
    disturbed = tables.beside(found)
    yield f"The result has {len(found.rows)} rows{disturbed}{f'; in the tables these have a {MARK}' * bool(disturbed)}."


def pythons_of(found: Results) -> list[tuple[str, dict[str, object]]]:
    """The Pythons of a result, and what it says of each."""
    return list(found.about.get("pythons", {}).items())


def setup(app: Sphinx) -> None:
    app.add_directive("about-result", AboutResult)
