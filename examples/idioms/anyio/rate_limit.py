"""Each task takes the next slot and sleeps until it has come. No lock: no other task runs before the `await`."""

import anyio


class Pace:
    def __init__(self, seconds):
        self.seconds, self.next = seconds, 0.0

    async def wait(self):
        slot = max(self.next, anyio.current_time())
        self.next = slot + self.seconds
        await anyio.sleep_until(slot)


async def call(number, pace, made):
    await pace.wait()
    made.append(number)


async def main():
    pace, made = Pace(0.01), []
    async with anyio.create_task_group() as group:
        for number in range(1, 5):
            group.start_soon(call, number, pace, made)
    print(sorted(made))


if __name__ == "__main__":
    anyio.run(main)
