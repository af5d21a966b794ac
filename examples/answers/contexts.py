"""Which contexts are inherited? Each kind of task is asked what it sees of a variable."""

import asyncio
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from threading import Thread

request = ContextVar("request", default="-")


def see() -> str:
    return request.get()


async def see_async() -> str:
    return request.get()


def in_thread(context: Context | None = None) -> str:
    seen: list[str] = []
    thread = Thread(target=lambda: seen.append(see()), context=context)
    thread.start()
    thread.join()
    return seen[0]


async def main() -> AsyncIterator[tuple[str, str]]:
    request.set("seen")
    loop = asyncio.get_running_loop()
    yield "asyncio.create_task", await asyncio.create_task(see_async())
    yield "asyncio.to_thread", await asyncio.to_thread(see)
    yield "loop.run_in_executor", await loop.run_in_executor(None, see)
    yield "threading.Thread", in_thread()
    yield "Thread(context=copy_context())", in_thread(context=copy_context())
    with ThreadPoolExecutor(1) as pool:
        yield "ThreadPoolExecutor.submit", pool.submit(see).result()
        request.set("a later value")
        yield "... its second task", pool.submit(see).result()
        yield "... submit(copy_context().run, f)", pool.submit(copy_context().run, see).result()


async def show() -> None:
    async for kind, seen in main():
        print(f"{kind:34} {seen}")


if __name__ == "__main__":
    print(f"threads inherit the context: {bool(sys.flags.thread_inherit_context)}")
    asyncio.run(show())
