"""`claims`: what an article says, claim by claim, with a verdict that is computed from a result."""

from collections.abc import Callable

from docutils import nodes
from sphinx.application import Sphinx

from benchmarks.result import Results
from concdocs import async_claims, gil_free, results, verdicts
from concdocs.places import Directive, Mistake
from concdocs.verdicts import Claim

ARTICLES: dict[str, tuple[Callable[[Results], list[Claim]], str]] = {
    "gil-free": (gil_free.claims, gil_free.THEN),
    "async": (async_claims.claims, async_claims.THEN),
}
"""What computes the verdicts, and where the article's own figures are from."""


class Claims(Directive):
    """The argument is the name of an article, with that of the result before it: `web-twins:gil-free`."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        file, name = results.split(self.arguments[0])
        if name not in ARTICLES:
            raise Mistake(f"there are no claims {name!r}; there are {', '.join(ARTICLES)}")
        computed, then = ARTICLES[name]
        found = computed(results.results(file))
        self.depends_on(results.path(file))
        table = self.markdown(verdicts.sheet(found, then).markdown())
        return [*self.markdown(verdicts.summary(found)), nodes.container("", *table, classes=["wide-table"])]


def setup(app: Sphinx) -> None:
    app.add_directive("claims", Claims)
