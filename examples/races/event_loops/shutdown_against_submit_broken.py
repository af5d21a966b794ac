"""A pool with one worker is shut down while jobs are still submitted.

A task has found the pool open, and has something to await before it puts its job into the queue. If the mark of the end
comes into the queue meanwhile, the worker ends before this job, and the task waits for its result for ever.
"""

import asyncio


class Closed(Exception):
    pass


class Pool:
    def __init__(self) -> None:
        self._is_closed = False
        self._jobs: asyncio.Queue[tuple[int, asyncio.Future[int]] | None] = asyncio.Queue(1)

    async def submit(self, job: int) -> int:
        if self._is_closed:
            raise Closed
        await asyncio.sleep(0)  # it is noted down
        result: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        await self._jobs.put((job, result))
        return await result

    async def work(self) -> None:
        while (job := await self._jobs.get()) is not None:
            number, result = job
            await asyncio.sleep(0.01)
            result.set_result(2 * number)

    async def shutdown(self) -> None:
        self._is_closed = True
        await self._jobs.put(None)


async def use(pool: Pool, number: int) -> int | None:
    try:
        await asyncio.sleep(0.01)
        return await pool.submit(number)
    except Closed:
        return None


async def main() -> None:
    pool = Pool()
    async with asyncio.TaskGroup() as group:
        group.create_task(pool.work())
        jobs = [group.create_task(use(pool, number)) for number in range(2)]
        await asyncio.sleep(0.02)
        await pool.shutdown()
    assert all(job.result() in (None, 2 * number) for number, job in enumerate(jobs))


if __name__ == "__main__":
    asyncio.run(main())
