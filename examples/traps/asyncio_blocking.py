"""A call that blocks stops the whole loop; the same call in a thread of its own does not."""

import asyncio
import time


async def tick(ticks: list[float]) -> None:
    while True:
        await asyncio.sleep(0.01)
        ticks.append(time.monotonic())


async def main() -> None:
    ticks: list[float] = []
    ticker = asyncio.create_task(tick(ticks))
    await asyncio.sleep(0)
    time.sleep(0.1)
    print("ticks during time.sleep:", "some" if ticks else "none")
    await asyncio.to_thread(time.sleep, 0.1)
    print("ticks during to_thread(time.sleep):", "some" if ticks else "none")
    ticker.cancel()


if __name__ == "__main__":
    asyncio.run(main())
