"""`about-result`: where the figures of a page come from; or, in one sentence, that they are not there."""

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx

from benchmarks import tables
from benchmarks.report import facts
from benchmarks.result import Results
from concdocs import results
from concdocs.places import Directive, Mistake, NotMeasured

COMMAND = "`python -m benchmarks run web` measures them in three quarters of an hour."


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
            return self.markdown(f"**{why}, so this page has no figures. {COMMAND}**")
        self.depends_on(results.path(name))
        return self.markdown(" ".join(told(name, found)))


def told(name: str, found: Results) -> Iterator[str]:
    """What is to be known of the figures: whether they count, where they are from, and what else ran meanwhile."""
    yield from facts.state(found)
    pythons = ", ".join(facts.of_python((tag, about | {"build": None})) for tag, about in pythons_of(found))
    yield f"The figures are from `{results.shown(name)}`, of {str(found.about.get('date', 'no known date'))[:10]}."
    yield f"Measured under Python {pythons} on {facts.of_machine(found.about.get('machine', {}))}."
    yield f"{tables.summary(found)}."


def pythons_of(found: Results) -> list[tuple[str, dict[str, object]]]:
    """The Pythons of a result, and what it says of each."""
    return list(found.about.get("pythons", {}).items())


def setup(app: Sphinx) -> None:
    app.add_directive("about-result", AboutResult)
