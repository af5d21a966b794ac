"""The program to write for an advice, with the standard library alone."""

from concmodels.which.advice import Advice
from concmodels.which.measured import INTERPRETERS, PROCESSES, THREADS, Measured

_POOL = """\
from concurrent.futures import {kind}PoolExecutor
{repeat}
from {module} import {imported}

items = {items}  # your own
if __name__ == "__main__":{why_guard}
    with {kind}PoolExecutor({workers}) as pool:{why_workers}
        results = {results}
"""

_AT_ONCE = """\
import asyncio

from {module} import {imported}

items = {items}  # your own


async def main():
    limit = asyncio.Semaphore(100)  # as many at once as the other side bears

    async def limited(item):
        async with limit:
            return await {name}({given})

    return await asyncio.gather(*map(limited, items))


results = asyncio.run(main())
"""

_EXECUTORS = {THREADS: "Thread", PROCESSES: "Process", INTERPRETERS: "Interpreter"}


def code_for(its: Measured, advice: Advice) -> str:
    """Return the program, which calls the function for many items if it takes an argument, and else as often.

    It is empty if the function has to be changed first, and for a plain loop.
    """
    kind, (first, *others) = _EXECUTORS.get(advice.use), its.arguments or ("None",)
    template = _POOL if kind else _AT_ONCE if advice.use == "asyncio" else ""
    chunk = max((way.chunk for way in its.ways.values()), default=1)
    iterables = ", ".join([its.name, "items", *(f"repeat({it})" for it in others)])
    results = f"list(pool.map({iterables}{f', chunksize={chunk}' if kind == 'Process' and chunk > 1 else ''}))"
    if not its.arguments:
        results = f"[it.result() for it in [pool.submit({its.name}) for _ in items]]"
    return template.format(
        kind=kind, module=its.module, name=its.name, imported=its.name.partition(".")[0],
        repeat="from itertools import repeat\n" if others else "", items=f"[{first}] * 100", results=results,
        given=", ".join(["item", *others]) if its.arguments else "",
        workers=advice.workers or ("" if kind == "Process" else its.cpus),
        why_workers="" if advice.workers else "  # as many as there are processors",
        why_guard="" if kind == "Thread" else "  # a worker may import this file again",
    )  # fmt: skip
