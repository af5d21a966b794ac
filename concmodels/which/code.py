"""The program to write for an advice, with the standard library alone."""

from concmodels.which.advice import Advice
from concmodels.which.measured import Measured

_POOL = """\
from concurrent.futures import {executor}

from {module} import {name}

{many}if __name__ == "__main__":  # a worker may import this file again
    with {executor}({workers}) as pool:{why_workers}
        {submit}
        results = {results}
"""

_MANY = """
def many(items):
    return [{name}({item}) for {each} in items]


"""

_RESULTS = ("[future.result() for future in futures]", "[result for future in futures for result in future.result()]")
"""How the results are collected: one for each future, or several."""

_LOOP = """\
from {module} import {name}

results = [{name}({item}) for {each} in {items}]
"""

_ASYNC = """\
import asyncio

from {module} import {name}


async def main():
    limit = asyncio.Semaphore(100)  # as many at once as the other side bears

    async def limited({parameter}):
        async with limit:
            return await {name}({item})

    return await asyncio.gather(*(limited({parameter}) for {each} in {items}))


results = asyncio.run(main())
"""

_ASYNC_LOOP = """\
import asyncio

from {module} import {name}


async def main():
    return [await {name}({item}) for {each} in {items}]


results = asyncio.run(main())
"""

_OFFLOAD = """\
import asyncio
from concurrent.futures import ProcessPoolExecutor


def compute(item):
    ...  # what {name} computes, as a plain function


async def {name}(item, pool):
    return await asyncio.get_running_loop().run_in_executor(pool, compute, item)


async def main():
    with ProcessPoolExecutor() as pool:
        return await asyncio.gather(*({name}(item, pool) for item in range(100)))


if __name__ == "__main__":
    results = asyncio.run(main())
"""

_TO_THREAD = """\
import asyncio


def fetch(item):
    ...  # the call in {name} that waits without `await`


async def {name}(item):
    return await asyncio.to_thread(fetch, item)
"""


def code_for(its: Measured, advice: Advice) -> str:
    """Return the program, which calls the function for many arguments if it takes one, and else many times."""
    names = _names(its)
    if advice.code in _EXECUTORS:
        return _pool(its, advice, names)
    texts = {"loop": _LOOP, "async loop": _ASYNC_LOOP, "asyncio": _ASYNC, "offload": _OFFLOAD, "to_thread": _TO_THREAD}
    return texts[advice.code].format(**names)


_EXECUTORS = {"threads": "Thread", "processes": "Process", "interpreters": "Interpreter"}


def _names(its: Measured) -> dict[str, str]:
    """Return what the programs have in common: the call, and for which items it is made."""
    rest = "".join(f", {text}" for text in its.arguments[1:])
    names = {"module": its.module, "name": its.name.partition(".")[0]}
    if its.arguments:
        return names | {
            "item": f"item{rest}",
            "each": "item",
            "parameter": "item",
            "items": f"[{its.arguments[0]}] * 100",
        }
    return names | {"item": "", "each": "_", "parameter": "", "items": "range(100)"}


def _pool(its: Measured, advice: Advice, names: dict[str, str]) -> str:
    kind = _EXECUTORS[advice.code]
    chunk = max((way.chunk for way in its.ways.values()), default=1)
    many = ""
    if chunk > 1:
        many = _MANY.format(**names)
        items = names["items"].replace("100", str(chunk))
        submit = f"futures = [pool.submit(many, {items}) for _ in range(100)]  # {chunk} calls at a time"
    else:
        given = f"{its.name}{', ' if its.arguments else ''}{names['item']}"
        submit = f"futures = [pool.submit({given}) for {names['each']} in {names['items']}]"
    workers = str(advice.workers or ("" if kind == "Process" else its.cpus))
    text = _POOL.format(
        executor=f"{kind}PoolExecutor",
        workers=workers,
        why_workers="" if advice.workers else "  # as many as there are processors",
        submit=submit,
        results=_RESULTS[chunk > 1],
        many=many,
        **names,
    )
    return _without_main(text) if kind == "Thread" else text


def _without_main(text: str) -> str:
    """Return a program without the guard that threads don't need."""
    head, _, body = text.partition('if __name__ == "__main__":')
    return head + "\n".join(line.removeprefix("    ") for line in body.splitlines()[1:]) + "\n"
