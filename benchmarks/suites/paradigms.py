"""One bank in five paradigms (`benchmarks.banks`), and actors beside Pykka's (`benchmarks.actors`).

    bank              a transfer, by four tellers between eight accounts
    actors-ring       messages through a ring of actors, all under way
    actors-ask        a question and its answer
    actors-failure    an actor that fails, a new object in its place, and a question to that

It takes a minute, and has to be named.
"""

from collections.abc import Iterator

from benchmarks.actors import PROGRAMS
from benchmarks.cell import Candidate

BANKS = {
    "locks": ("threads", 20_000),
    "channels": ("threads", 2_000),
    "actors": ("threads", 1_000),
    "tasks": ("asyncio", 20_000),
    "processes": ("processes", 2_000),
}
"""By paradigm: the model, and the transfers of each teller, so that they take about half a second."""
TELLERS = 4
PYKKA = "pykka==4.5.0"
STEPS = {"ring": "hop", "ask": "answer", "failure": "failure"}
SIZES: dict[str, dict[str, int]] = {
    "ring": {"nodes": 50, "messages": 1_000},
    "ask": {"messages": 5_000},
    "failure": {"messages": 1_000},
}
MODELS = ("threads", "greenlet", "processes")


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates, with smaller sizes if `quick`."""
    return [*banks(quick), *actors(quick)]


def banks(quick: bool) -> Iterator[Candidate]:
    """Yield the bank in each paradigm."""
    for paradigm, (model, orders) in BANKS.items():
        orders = orders // 20 if quick else orders
        sizes = {"paradigm": paradigm, "model": model, "tellers": TELLERS, "orders": orders, "with_start": quick}
        yield Candidate(
            f"paradigms/bank/{paradigm}",
            "benchmarks.banks:transfers",
            kind="model",
            model=model,
            step="transfer",
            steps=TELLERS * (orders - 1),
            sizes=sizes,
            parameters={"tellers": TELLERS, "orders": orders},
        )


def actors(quick: bool) -> Iterator[Candidate]:
    """Yield the programs of actors on our models, and on Pykka."""
    for program in PROGRAMS:
        sizes = {name: size // (10 if quick else 1) for name, size in SIZES[program].items()}
        for name in (*MODELS, "pykka"):
            peer = name == "pykka"
            yield Candidate(
                f"paradigms/actors-{program}/{name}",
                f"benchmarks.actors.{'of_pykka' if peer else 'ours'}:run",
                kind="peer" if peer else "model",
                model="threads" if peer else name,
                step=STEPS[program],
                steps=sizes["messages"] * sizes.get("nodes", 1),
                sizes={"program": program, **({} if peer else {"model": name}), **sizes},
                parameters=sizes,
                needs=(PYKKA,) if peer else (),
            )
