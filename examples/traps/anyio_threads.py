"""`to_thread.run_sync` has at most 40 threads at a time for the whole program: the 41st call waits for one of them."""

import threading

import anyio
import anyio.to_thread


async def main():
    print("threads at most:", anyio.to_thread.current_default_thread_limiter().total_tokens)
    release = threading.Event()
    async with anyio.create_task_group() as group:
        for _ in range(41):
            group.start_soon(anyio.to_thread.run_sync, release.wait)
        await anyio.sleep(0.2)
        statistics = anyio.to_thread.current_default_thread_limiter().statistics()
        print(f"at work: {statistics.borrowed_tokens}, waiting for a thread: {statistics.tasks_waiting}")
        release.set()


if __name__ == "__main__":
    anyio.run(main)
