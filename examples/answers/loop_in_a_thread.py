"""A program of plain calls that keeps an event loop in one of its threads, and sends it coroutines."""

import asyncio
import threading
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager


@contextmanager
def loop_in_a_thread() -> Generator[asyncio.AbstractEventLoop]:
    started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
    thread = threading.Thread(target=asyncio.run, args=(stay(started),), name="the loop")
    thread.start()
    loop, stop = started.result()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


async def stay(started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
    stop = asyncio.Event()
    started.set_result((asyncio.get_running_loop(), stop))
    await stop.wait()  # what else runs in the loop is cancelled when this returns


async def fetch(page: int) -> str:
    await asyncio.sleep(0.05)
    return f"page {page} in {threading.current_thread().name}"


def main() -> None:
    with loop_in_a_thread() as loop:
        futures = [asyncio.run_coroutine_threadsafe(fetch(page), loop) for page in range(3)]
        for future in futures:
            print(future.result(timeout=5))


if __name__ == "__main__":
    main()
