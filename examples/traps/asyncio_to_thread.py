"""A function runs in a thread, and the task that waits for it is cancelled. Does the thread go on without its task?"""

import asyncio
import threading
import time
from collections.abc import Callable
from functools import partial

import anyio
import trio


def work(cancel: Callable[[], object], go_on: threading.Event, ended: threading.Event) -> None:
    cancel()
    go_on.wait()
    time.sleep(0.1)
    ended.set()


def say(library: str, ended: threading.Event) -> None:
    print(f"{library}: the task ended", "after its thread" if ended.is_set() else "before its thread")


async def in_asyncio() -> threading.Event:
    go_on, ended = threading.Event(), threading.Event()
    task = asyncio.current_task()
    assert task
    cancel = partial(asyncio.get_running_loop().call_soon_threadsafe, task.cancel)
    try:
        await asyncio.to_thread(work, cancel, go_on, ended)
    except asyncio.CancelledError:
        task.uncancel()
        say("asyncio", ended)
    go_on.set()
    return ended


async def in_trio(abandon: bool) -> None:
    go_on, ended = threading.Event(), threading.Event()
    if not abandon:
        go_on.set()
    with trio.CancelScope() as scope:
        cancel = partial(trio.from_thread.run_sync, scope.cancel)
        await trio.to_thread.run_sync(work, cancel, go_on, ended, abandon_on_cancel=abandon)
    say(f"trio, abandon_on_cancel={abandon}", ended)
    go_on.set()


async def in_anyio(abandon: bool) -> None:
    go_on, ended = threading.Event(), threading.Event()
    if not abandon:
        go_on.set()
    with anyio.CancelScope() as scope:
        cancel = partial(anyio.from_thread.run_sync, scope.cancel)
        await anyio.to_thread.run_sync(work, cancel, go_on, ended, abandon_on_cancel=abandon)
    say(f"anyio, abandon_on_cancel={abandon}", ended)
    go_on.set()


if __name__ == "__main__":
    ended = asyncio.run(in_asyncio())
    print("asyncio.run has waited for the thread:", ended.is_set())
    for abandon in (False, True):
        trio.run(in_trio, abandon)
        anyio.run(in_anyio, abandon)
