"""`facts` and `compare-models`: what the catalog knows of the models, as tables."""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from concdocs.places import ROOT, Directive, Mistake
from concmodels import catalog
from concmodels.catalog import Facts
from concmodels.errors import UnknownModel

SOURCE = ROOT / "concmodels" / "facts.py"


def rows_of(facts: Facts) -> dict[str, str]:
    """The facts of a model as text, by label."""
    again = "is raised again at the next wait" if facts.raised_again else "is not raised again"
    return {
        "A task is": facts.unit,
        "Written with": "plain calls" if not facts.is_async else "async and await",
        "Scheduled by": f"{facts.scheduler}; {'preemptive' if facts.preemptive else 'cooperative'}",
        "A message travels as": facts.message,
        "`share` gives": facts.shares,
        "In parallel": facts.parallel,
        "A pool is for": facts.pool,
        "Cancelled in this library by": f"{facts.cancellation}; if the task suppresses it, it {again}",
        "A task costs": f"at most {facts.cost.replace(' us ', ' µs ')}",
        "Needs": ", ".join(f"`{name}`" for name in facts.needs) or "nothing but Python",
    }


class FactsOf(Directive):
    """The facts of one model, one to a line."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        name = self.arguments[0]
        try:
            facts = catalog.facts(name)
        except UnknownModel as error:
            raise Mistake(str(error)) from None
        self.depends_on(SOURCE)
        rows = [*rows_of(facts).items(), ("Its source", f"`concmodels/models/{facts.file}.py`")]
        variants = [it for it in catalog.names(variants=True, simulated=True) if it.startswith(f"{name}:")]
        if variants:
            rows.append(("Variants", ", ".join(f"`{it}`" for it in variants)))
        lines = [f"| **{label}** | {text} |" for label, text in rows]
        table = "\n".join(["| | |", "| --- | --- |", *lines])
        return [nodes.container("", *self.markdown(table), classes=["facts"])]


class CompareModels(Directive):
    """All models, one to a row; with `:only:`, only these facts, by the beginning of their labels, parted by `|`."""

    option_spec: ClassVar = {"only": directives.unchanged_required, "variants": directives.flag}

    def build(self) -> list[nodes.Node]:
        self.depends_on(SOURCE)
        names = catalog.names(variants="variants" in self.options, distributed=True)
        labels = self._labels()
        lines = [f"| | {' | '.join(labels)} |", "| --- " * (len(labels) + 1) + "|"]
        for name in names:
            facts = rows_of(catalog.facts(name))
            lines.append(f"| `{name}` | {' | '.join(facts[label] for label in labels)} |")
        return [nodes.container("", *self.markdown("\n".join(lines)), classes=["wide-table", "compare-models"])]

    def _labels(self) -> list[str]:
        known = list(rows_of(catalog.facts("threads")))
        wanted = [it.strip() for it in self.options.get("only", "").split("|") if it.strip()]
        for text in wanted:
            if not any(label.startswith(text) for label in known):
                raise Mistake(f"no fact begins with {text!r}; there are {', '.join(known)}")
        return [label for label in known if not wanted or any(label.startswith(it) for it in wanted)]


def setup(app: Sphinx) -> None:
    app.add_directive("facts", FactsOf)
    app.add_directive("compare-models", CompareModels)
