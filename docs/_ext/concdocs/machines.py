"""`machines`: the results of all machines, one beside another: what they are, or a table of one cell."""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from benchmarks.report import machines
from benchmarks.report.machines import Measured
from benchmarks.result import BadResult
from concdocs import results
from concdocs.places import Directive, Mistake


class Machines(Directive):
    """Without an argument the machines and their results; with SUITE/CELL a table with a column for each result."""

    optional_arguments = 1

    def build(self) -> list[nodes.Node]:
        self.depends_on(*files())
        try:
            every = measured()
        except BadResult as error:
            raise Mistake(str(error)) from None
        if not self.arguments:
            notes = "\n\n".join(machines.warnings(every))
            return [_wide(self, machines.about_sheet(every).markdown()), *self.markdown(notes)]
        suite, _, cell = self.arguments[0].partition("/")
        sheet = machines.cell_sheet(every, suite, cell)
        if sheet is None:
            known = ", ".join("/".join(it) for it in machines.shared_cells(every))
            raise Mistake(f"no two results have a candidate of {self.arguments[0]} in common; they have {known}")
        return [*self.markdown(machines.lead(every, suite, cell)), _wide(self, sheet.markdown())]


def _wide(directive: Directive, table: str) -> nodes.Node:
    return nodes.container("", *directive.markdown(table), classes=["wide-table"])


def files() -> list[Path]:
    """The results that the site is made of, then what else lies in their folder: those of other machines."""
    committed = {path for _, path in results.FILES.values()}
    others = [path for path in sorted(results.FOLDER.glob("*.json")) if path not in committed]
    return [*(results.path(name) for name in results.FILES), *others]


def measured() -> list[Measured]:
    """All of them, with the letters of their machines."""
    return machines.measured((path.name, results.read_once(path)) for path in files() if path.exists())


def setup(app: Sphinx) -> None:
    app.add_directive("machines", Machines)
