"""How the Pythons of a result were built, and whether two of them are twins."""

from collections.abc import Iterator
from typing import Any

from benchmarks.report.facts import of_machine, state
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results
from benchmarks.twins import alike

UNKNOWN = "not known"


def sheet(results: Results) -> Sheet:
    """Return a table with a line for each Python."""
    head = ["", "version", "GIL", "compiler", "configured with", "optimisation"]
    return Sheet(head, [line(*item) for item in results.about.get("pythons", {}).items()], left=len(head))


def line(tag: str, about: dict[str, Any]) -> list[str]:
    """Return the line of one Python; flags are code, so that Markdown leaves their dashes alone."""
    build = about.get("build", {})
    gil = "on" if about.get("gil") else "off"
    flags = " ".join(f"`{it}`" for it in build["configure"]) if build else UNKNOWN
    optimisation = f"`{build['optimisation']}`" if build.get("optimisation") else UNKNOWN
    return [tag, str(about.get("version")), gil, build.get("compiler", UNKNOWN), flags, optimisation]


def notes(results: Results) -> Iterator[str]:
    """Yield what is to be known of the figures: whether they count, what they were measured on, and on which builds."""
    yield from state(results)
    yield f"Measured on {of_machine(results.about.get('machine', {}))}."
    gil = {tag: about.get("gil") for tag, about in results.about.get("pythons", {}).items()}
    for one, other in ((one, other) for one in gil for other in gil if gil[one] and not gil[other]):
        yield comparison(results, one, other)


def comparison(results: Results, one: str, other: str) -> str:
    """Say whether the two were built alike."""
    pythons = results.about.get("pythons", {})
    same = alike(*(pythons.get(tag, {}).get("build") for tag in (one, other)))
    if same is None:
        return "The result does not say how the two were built."
    if same:
        return (
            "The two are of one version, built by one compiler with the same flags, but for the GIL; what comes with"
            " it, such as the memory allocator, differs too."
        )
    return "The two are not built alike: part of the difference is that of their builds."
