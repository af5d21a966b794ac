"""The program to write for an advice, with the standard library alone."""

import ast
import builtins

from concmodels.which.advice import Advice
from concmodels.which.measured import INTERPRETERS, PROCESSES, THREADS, Measured

_POOL = """\
from concurrent.futures import {executor}

from {module} import {imported}


def call({item}):
    return {name}({given})


if __name__ == "__main__":{why_guard}
    with {executor}({workers}) as pool:{why_workers}
        results = list(pool.map(call, {items}))
"""

_POOL_OF_CHUNKS = """\
from concurrent.futures import {executor}
from itertools import batched

from {module} import {imported}


def call(items):
    return [{name}({given}) for {item} in items]


if __name__ == "__main__":{why_guard}
    with {executor}({workers}) as pool:{why_workers}
        chunks = pool.map(call, batched({items}, {chunk}))
        results = [result for chunk in chunks for result in chunk]
"""

_AT_ONCE = """\
import asyncio

from {module} import {imported}


async def main():
    limit = asyncio.Semaphore(100)  # as many at once as the other side bears

    async def limited({item}):
        async with limit:
            return await {name}({given})

    return await asyncio.gather(*map(limited, {items}))


results = asyncio.run(main())
"""

_EXECUTORS = {THREADS: "Thread", PROCESSES: "Process", INTERPRETERS: "Interpreter"}


def code_for(its: Measured, advice: Advice) -> str:
    """Return the program, which calls the function for many arguments if it takes one, and else many times.

    It is empty if the function has to be changed first, and for a plain loop. A pool is given short calls many at a
    time.
    """
    kind = _EXECUTORS.get(advice.use)
    chunk = max((way.chunk for way in its.ways.values()), default=1) if kind else 1
    template = (_POOL if chunk == 1 else _POOL_OF_CHUNKS) if kind else _AT_ONCE if advice.use == "asyncio" else ""
    names = [its.name.partition(".")[0], *(name for text in its.arguments for name in _names(text))]
    item = "item" if its.arguments else "_"
    return template.format(
        module=its.module, name=its.name, imported=", ".join(dict.fromkeys(names)), item=item, chunk=chunk,
        given=", ".join((item, *its.arguments[1:])) if its.arguments else "",
        items=f"[{its.arguments[0]}] * {100 * chunk}" if its.arguments else f"range({100 * chunk})",
        executor=f"{kind}PoolExecutor", workers=advice.workers or ("" if kind == "Process" else its.cpus),
        why_workers="" if advice.workers else "  # as many as there are processors",
        why_guard="" if kind == "Thread" else "  # a worker may import this file again",
    )  # fmt: skip


def _names(text: str) -> list[str]:
    """Return the names of the file that an expression uses."""
    nodes = list(ast.walk(ast.parse(text.strip(), mode="eval")))
    own = {it.id for it in nodes if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Store)}
    own |= {it.arg for it in nodes if isinstance(it, ast.arg)}
    used = [it.id for it in nodes if isinstance(it, ast.Name) and it.id not in own]
    return [name for name in used if not hasattr(builtins, name)]
