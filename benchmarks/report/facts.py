"""The head and the end of a report: under which circumstances and by which method it was measured."""

from collections.abc import Iterator
from html import escape
from typing import Any

from benchmarks.report import words
from benchmarks.result import Results
from benchmarks.tables import summary

METHOD = (
    "Every figure is the median of a few rounds. In each round every candidate runs in a fresh process, under pyperf,"
    " and the candidates of a cell one after the other, each round beginning with another one. Ratios are taken within"
    " a round. The thin line at the end of a bar goes from the least round to the most; through a dot, it is the"
    " interval of the ratio. Of six rounds or more that has the true median in it in 95% of all cases, and only then"
    " anything is ranked.",
    "The clock runs from the first message sent to the last one received: units are started and one message has been"
    " round before. Every program checks what it received.",
    "The baseline is the fastest code by hand for the same work on the same mechanism, without this library: it has no"
    " capacity, no close, no cancellation of its own. It is a mark to see what those cost, not always a lower bound:"
    " where each message is a switch or a system call by hand, a channel that hands over many at once can be faster.",
    "In the charts along one size the number of messages is chosen so that every measurement takes about as long;"
    " times per hop are compared, and short runs have more of their start and end in them.",
    "These are figures of one machine. Its noise strikes all candidates of a round alike, but not exactly:"
    " differences of a few percent say nothing. The order of magnitude between models is what carries over.",
    "A ring is nothing but passing messages on. A program that works between its messages sees less of all this.",
)


def state(results: Results) -> Iterator[str]:
    """Return what a reader has to know before any figure."""
    about = results.about
    if about.get("preliminary"):
        yield "This is a preliminary result, measured on a busy machine, which another one will replace."
    if about.get("quick"):
        yield "This is a quick run: it says whether everything works, and its figures mean nothing."
    if not about.get("finished", True):
        yield (
            f"This run was not finished: {len(results.rows)} results are here, and {about.get('wanted', 'more')}"
            " candidates were wanted. What is here is valid."
        )
    if not results.rows:
        yield "Nothing was measured in it."


def facts(results: Results) -> Iterator[tuple[str, str]]:
    """Return names and HTML: the machine, the versions, the date, the command."""
    about, machine = results.about, results.about.get("machine", {})
    yield "measured", escape(summary(results))
    yield "date", escape(str(about.get("date", "not known")))
    if about.get("seconds"):
        yield "took", f"{about['seconds'] / 60:.0f} minutes"
    yield "machine", escape(of_machine(machine))
    yield "Python", escape(", ".join(map(of_python, about.get("pythons", {}).items())) or "not known")
    if versions := libraries(results):
        yield "libraries", escape(versions)
    yield "code", escape(code(results))
    yield "command", f"<code>{escape(str(about.get('command', 'not known')))}</code>"


def code(results: Results) -> str:
    """Return which code was measured, in how many runs."""
    machine, runs = results.about.get("machine", {}), str(results.about.get("command", "")).count(" && ") + 1
    changed = " with changes that were not committed" if machine.get("changed_files") else ""
    commit = f"commit {machine['commit'][:12]}{changed}" if "commit" in machine else "a commit that was not recorded"
    return f"{commit}, in {words.counted(runs, 'run')}"


def of_machine(machine: dict[str, Any]) -> str:
    """Return the CPUs, the memory, the system, and the load at the start."""
    parts = [f"{machine['cpus']} CPUs"] if machine.get("cpus") else []
    parts += [str(machine["cpu_model"])] if machine.get("cpu_model") else []
    parts += [f"{words.size(machine['memory_bytes'])} of memory"] if machine.get("memory_bytes") else []
    parts += [str(machine["platform"])] if machine.get("platform") else []
    if load := machine.get("load_avg"):
        parts.append(f"load at the start {', '.join(map(str, load))}")
    return "; ".join(parts) or "not known"


def of_python(item: tuple[str, dict[str, Any]]) -> str:
    """Return the version of a Python, whether its GIL was on, and how it was built."""
    tag, about = item
    gil = "" if "gil" not in about else " with the GIL" if about["gil"] else " without the GIL"
    build = about.get("build")
    flags = f" ({', '.join([build['compiler'], *build['configure']])})" if build else ""
    return f"{about.get('version', tag)}{gil}{flags}"


def libraries(results: Results) -> str:
    """Return the versions of all libraries that were measured."""
    machine = results.about.get("machine", {})
    found = {name: machine[name] for name in ("concmodels", "pyperf") if name in machine}
    for row in results.rows:
        found |= row.libraries
    return ", ".join(f"{name} {version}" for name, version in found.items())


def method() -> str:
    """Return how it was measured, in paragraphs."""
    return "".join(f"<p>{escape(text)}</p>" for text in METHOD)
