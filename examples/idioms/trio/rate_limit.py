"""Each task takes the next slot and sleeps until it has come. No lock: no other task runs before the `await`."""

import trio


class Pace:
    def __init__(self, seconds):
        self.seconds, self.next = seconds, 0.0

    async def wait(self):
        slot = max(self.next, trio.current_time())
        self.next = slot + self.seconds
        await trio.sleep_until(slot)


async def call(number, pace, made):
    await pace.wait()
    made.append(number)


async def main():
    pace, made = Pace(0.01), []
    async with trio.open_nursery() as nursery:
        for number in range(1, 5):
            nursery.start_soon(call, number, pace, made)
    print(sorted(made))


if __name__ == "__main__":
    trio.run(main)
