"""A pool with one worker is shut down while jobs are still submitted.

Looking whether the pool is closed and putting the job into the queue are under one lock, and so is closing it: no job
comes behind the mark of the end.
"""

import asyncio


class Closed(Exception):
    pass


class Pool:
    def __init__(self):
        self._is_closed = False
        self._jobs = asyncio.Queue(1)
        self._submitting = asyncio.Lock()

    async def submit(self, job):
        async with self._submitting:
            if self._is_closed:
                raise Closed
            await asyncio.sleep(0)  # it is noted down
            result = asyncio.get_running_loop().create_future()
            await self._jobs.put((job, result))
        return await result

    async def work(self):
        while (job := await self._jobs.get()) is not None:
            number, result = job
            await asyncio.sleep(0.01)
            result.set_result(2 * number)

    async def shutdown(self):
        async with self._submitting:
            self._is_closed = True
            await self._jobs.put(None)


async def use(pool, number):
    try:
        await asyncio.sleep(0.01)
        return await pool.submit(number)
    except Closed:
        return None


async def main():
    pool = Pool()
    async with asyncio.TaskGroup() as group:
        group.create_task(pool.work())
        jobs = [group.create_task(use(pool, number)) for number in range(2)]
        await asyncio.sleep(0.02)
        await pool.shutdown()
    assert all(job.result() in (None, 2 * number) for number, job in enumerate(jobs))


if __name__ == "__main__":
    asyncio.run(main())
