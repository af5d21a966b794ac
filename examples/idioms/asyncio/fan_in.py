"""A group for the producers: when it is left, all of them have ended, and the queue is shut down."""

import asyncio


async def sensor(place, readings):
    for number in (1, 2):
        await readings.put(f"{place} {number}")


async def collect(readings, received):
    while True:
        try:
            received.append(await readings.get())
        except asyncio.QueueShutDown:
            return


async def main():
    readings, received = asyncio.Queue(), []
    async with asyncio.TaskGroup() as group:
        group.create_task(collect(readings, received))
        async with asyncio.TaskGroup() as sensors:
            for place in ("north", "east", "west"):
                sensors.create_task(sensor(place, readings))
        readings.shutdown()
    print(sorted(received))


if __name__ == "__main__":
    asyncio.run(main())
