"""The cost of a unit: time and memory of 10, 100, 1,000 ... units that do nothing but wait, and how both grow.

The time is that of one unit, from before the first is started until all run; memory is `figure_bytes_per_unit`.
Processes and interpreters up to 300, threads to 1,000, light units to 10,000, asyncio and greenlet to 100,000.
`command` is the time of a whole `python -m concmodels.ring 10 10`, beside that of the bare imports.
"""

from collections.abc import Iterator

from benchmarks.cell import Candidate
from benchmarks.suites.sizes import MODELS, kind

NUMBERS = {"boundary": (10, 100, 300), "threads": (10, 100, 300, 1000), "light": (10, 100, 1000, 10_000)}
FAR = {"asyncio": (100_000,), "greenlet": (100_000,)}
BASELINES = {"threads": "threads", "processes": "processes", "subinterp": "interpreters", "asyncio": "asyncio"}
"""The models whose units are also made by hand, and the function that does it."""
COMMANDS = {
    "python -m concmodels.ring": ["-m", "concmodels.ring", "10", "10", "--model", "threads"],
    "the imports": ["-c", "import argparse, json, rich.table, rich.progress"],
}


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates; if `quick`, with ten units each."""
    return [*units(quick), *commands(quick)]


def units(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates for models and baselines."""
    for model in MODELS:
        for number in (10,) if quick else (*NUMBERS[kind(model)], *FAR.get(model, ())):
            yield some("model", model, model, "benchmarks.units:ours", number, {"model": model, "units": number}, quick)
            if model in BASELINES:
                call = f"benchmarks.bare_units:{BASELINES[model]}"
                yield some("baseline", model, f"baseline {model}", call, number, {"units": number}, quick)


def some(what: str, model: str, name: str, call: str, number: int, sizes: dict[str, object], quick: bool) -> Candidate:
    """Return a candidate with so many units."""
    return Candidate(
        f"spawn/units-{number}/{name}",
        call,
        kind=what,
        model=model,
        step="unit",
        steps=number,
        sizes=sizes,
        parameters={"units": number},
        rounds=0 if number == 300 else 2,  # goals are about 300
        loops=10 if number <= 100 and kind(model) != "boundary" and not quick else 1,
    )


def commands(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates for whole processes."""
    for name, arguments in COMMANDS.items():
        yield Candidate(
            f"spawn/command/{name}",
            "benchmarks.units:command",
            kind="model" if "ring" in name else "baseline",
            model="threads",
            step="start",
            steps=1,
            sizes={"arguments": arguments},
            parameters={},
            loops=1 if quick else 5,
        )
