"""Each task takes the next slot and sleeps until it has come. No lock: no other task runs before the `await`."""

import asyncio


class Pace:
    def __init__(self, seconds):
        self.seconds, self.next = seconds, 0.0

    async def wait(self):
        now = asyncio.get_running_loop().time()
        slot = max(self.next, now)
        self.next = slot + self.seconds
        await asyncio.sleep(slot - now)


async def call(number, pace, made):
    await pace.wait()
    made.append(number)


async def main():
    pace, made = Pace(0.01), []
    async with asyncio.TaskGroup() as group:
        for number in range(1, 5):
            group.create_task(call(number, pace, made))
    print(sorted(made))


if __name__ == "__main__":
    asyncio.run(main())
