"""`wild-table` and `wild-picture`: races of released packages, as `python examples/wild --json` has found them."""

import json
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from concdocs.places import ROOT, Directive, Mistake, fenced

WILD = ROOT / "examples" / "wild"
FOUND = WILD / "found.json"
BUGS = WILD / "wild.toml"
HEADS = {
    "mended": ("program", "the changelog of the fix", "before", "on real threads", "explored", "after", "explored"),
    "current": ("program", "release", "on real threads", "explored", "replay id"),
}


class Table(Directive):
    """`mended`: the versions before and after a fix; `current`: what is in releases of today."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        self.depends_on(FOUND, BUGS)
        which = self.arguments[0]
        if which not in HEADS:
            raise Mistake(f"there is no table {which}; there are {', '.join(HEADS)}")
        lines = [HEADS[which], ["---"] * len(HEADS[which]), *_lines(which)]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return [nodes.container("", *self.markdown(table), classes=["wide-table"])]


class Picture(Directive):
    """The output of the explorer about a bug, in the version that has it."""

    required_arguments = 1
    option_spec = {"first": directives.nonnegative_int}

    def build(self) -> list[nodes.Node]:
        self.depends_on(FOUND)
        bug = self.arguments[0]
        if bug not in found():
            raise Mistake(f"there is no bug {bug}; there are {', '.join(found())}")
        report = found()[bug][0]
        command = f"$ python examples/wild {bug}"
        lines = report["text"].splitlines()[: self.options.get("first")]
        return self.markdown(fenced("\n".join([command, *lines]).rstrip(), "text"))


@cache
def found() -> dict[str, list[dict[str, Any]]]:
    """The reports of each bug: of the version before and of the one after, or of the one that is current.

    Raises `Mistake` if there are none yet.
    """
    if not FOUND.is_file():
        raise Mistake(f"there is no {FOUND.name} yet: python examples/wild --json {FOUND.relative_to(ROOT)}")
    return {it["bug"]: it["reports"] for it in json.loads(FOUND.read_text())["bugs"]}


def _lines(which: str) -> Iterator[list[str]]:
    bugs = tomllib.loads(BUGS.read_text())
    for bug, reports in found().items():
        if (len(reports) == 2) != (which == "mended"):
            continue
        before = reports[0]
        real = f"{before['real']} of {before['times']:,}"
        if which == "mended":
            cited = f"“{bugs[bug]['changelog']}”"
            after = reports[1]
            yield [f"`{bug}`", cited, _release(before), real, _verdict(before), _release(after), _verdict(after)]
        else:
            yield [f"`{bug}`", _release(before), real, _verdict(before), f"`{before['failure']['replay']}`"]


def _release(report: dict[str, Any]) -> str:
    return str(report["requirement"]).replace("==", " ")


def _verdict(report: dict[str, Any]) -> str:
    if report["failure"]:
        return f"broken, on schedule {report['failure']['found_at']:,}"
    if report["in_all"] is not None:
        return f"held in all {report['in_all']:,}"
    return "held so far"


def setup(app: Sphinx) -> None:
    app.add_directive("wild-table", Table)
    app.add_directive("wild-picture", Picture)
