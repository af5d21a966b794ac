"""An event loop that keeps ticking while processes compute for it."""

import asyncio
from concurrent.futures import ProcessPoolExecutor


def compute(number: int) -> int:
    return sum(i * i for i in range(number))


async def tick(ticks: list[str]) -> None:
    while True:
        await asyncio.sleep(0.01)
        ticks.append("tick")


async def main() -> None:
    loop, ticks = asyncio.get_running_loop(), list[str]()
    with ProcessPoolExecutor(2) as pool:
        clock = asyncio.create_task(tick(ticks))
        async with asyncio.TaskGroup() as group:
            works = [group.create_task(in_pool(loop, pool, 2_000_000)) for _ in range(4)]
        clock.cancel()
    print(f"{len({work.result() for work in works})} result, four times; the loop went on: {len(ticks) > 5}")


async def in_pool(loop: asyncio.AbstractEventLoop, pool: ProcessPoolExecutor, number: int) -> int:
    return await loop.run_in_executor(pool, compute, number)


if __name__ == "__main__":
    asyncio.run(main())
