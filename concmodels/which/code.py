"""The program to write for an advice, with the standard library alone."""

import ast
import builtins

from concmodels.which.advice import Advice
from concmodels.which.measured import INTERPRETERS, LOOP, PROCESSES, THREADS, Measured

_POOL = """\
from concurrent.futures import {executor}

from {module} import {imported}

{many}if __name__ == "__main__":{why_guard}
    with {executor}({workers}) as pool:{why_workers}
        futures = [{submit}]{why_chunks}
        results = {results}
"""

_MANY = """
def many(items):
    return [{name}({item}) for {each} in items]


"""

_LOOP = """\
from {module} import {imported}

results = [{name}({item}) for {each} in {items}]
"""

_ASYNC = """\
import asyncio

from {module} import {imported}


async def main():
    {body}


results = asyncio.run(main())
"""

_AT_ONCE = """\
limit = asyncio.Semaphore(100)  # as many at once as the other side bears

    async def limited({parameter}):
        async with limit:
            return await {name}({item})

    return await asyncio.gather(*(limited({parameter}) for {each} in {items}))"""

_IN_TURN = "return [await {name}({item}) for {each} in {items}]"

_EXECUTORS = {THREADS: "Thread", PROCESSES: "Process", INTERPRETERS: "Interpreter"}


def code_for(its: Measured, advice: Advice) -> str:
    """Return the program, which calls the function for many arguments if it takes one, and else many times.

    It is empty if the function has to be changed first.
    """
    names = _names(its)
    if advice.use in _EXECUTORS:
        return _pool(its, advice, names)
    if advice.use == LOOP and not its.is_async:
        return _LOOP.format(**names)
    if advice.use in (LOOP, "asyncio"):
        return _ASYNC.format(body=(_IN_TURN if advice.use == LOOP else _AT_ONCE).format(**names), **names)
    return ""


def _names(its: Measured) -> dict[str, str]:
    """Return what the programs have in common: the call, for which items it is made, and what has to be imported."""
    imported = {its.name.partition(".")[0]: None}
    for text in its.arguments:
        imported |= dict.fromkeys(_free_names(text))
    names = {"module": its.module, "name": its.name, "imported": ", ".join(imported)}
    if its.arguments:
        item = ", ".join(("item", *its.arguments[1:]))
        return names | {"item": item, "each": "item", "parameter": "item", "items": f"[{its.arguments[0]}] * 100"}
    return names | {"item": "", "each": "_", "parameter": "", "items": "range(100)"}


def _free_names(text: str) -> list[str]:
    """Return the names of the file that an expression uses."""
    nodes = list(ast.walk(ast.parse(text.strip(), mode="eval")))
    own = {it.id for it in nodes if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Store)}
    own |= {it.arg for it in nodes if isinstance(it, ast.arg)}
    used = [it.id for it in nodes if isinstance(it, ast.Name) and it.id not in own]
    return [name for name in used if not hasattr(builtins, name)]


def _pool(its: Measured, advice: Advice, names: dict[str, str]) -> str:
    kind = _EXECUTORS[advice.use]
    chunk = max((way.chunk for way in its.ways.values()), default=1)
    given = f"{its.name}, {names['item']}".rstrip(", ")
    submit = f"pool.submit({given}) for {names['each']} in {names['items']}"
    if chunk > 1:
        items = names["items"].replace("100", str(chunk))
        submit = f"pool.submit(many, {items}) for _ in range(100)"
    return _POOL.format(
        executor=f"{kind}PoolExecutor",
        workers=advice.workers or ("" if kind == "Process" else its.cpus),
        why_workers="" if advice.workers else "  # as many as there are processors",
        why_guard="" if kind == "Thread" else "  # a worker may import this file again",
        submit=submit,
        why_chunks=f"  # {chunk} calls at a time" if chunk > 1 else "",
        results="[result for future in futures for result in future.result()]" if chunk > 1
        else "[future.result() for future in futures]",
        many=_MANY.format(**names) if chunk > 1 else "",
        **names,
    )  # fmt: skip
