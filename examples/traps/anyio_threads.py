"""`to_thread.run_sync` has at most 40 threads at a time in an event loop: the 41st call waits for one of them."""

import threading

import anyio
import anyio.to_thread


async def main() -> None:
    print("threads at most:", anyio.to_thread.current_default_thread_limiter().total_tokens)
    release = threading.Event()
    async with anyio.create_task_group() as group:
        for _ in range(41):
            group.start_soon(anyio.to_thread.run_sync, release.wait, None)
        await anyio.sleep(0.2)
        statistics = anyio.to_thread.current_default_thread_limiter().statistics()
        print(f"at work: {statistics.borrowed_tokens}, waiting for a thread: {statistics.tasks_waiting}")
        release.set()


async def forty(both: threading.Barrier) -> None:
    async with anyio.create_task_group() as group:
        for _ in range(40):
            group.start_soon(anyio.to_thread.run_sync, both.wait, None)


if __name__ == "__main__":
    anyio.run(main)
    both = threading.Barrier(80)  # passed only if all 80 are at work at the same time
    loops = [threading.Thread(target=anyio.run, args=(forty, both)) for _ in range(2)]
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()
    print("in two loops, at work at the same time:", both.parties)
