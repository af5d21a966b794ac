"""A group for the producers: when it is left, all of them have ended, and the channel is closed."""

from concmodels import AsyncChannel, load

model = load("asyncio")


async def sensor(
    place: str, readings: AsyncChannel[str]
) -> None:
    for number in (1, 2):
        await readings.send(f"{place} {number}")


async def collect(readings: AsyncChannel[str]) -> None:
    print(sorted([it async for it in readings]))


async def main() -> None:
    readings = model.Channel()
    async with model.TaskGroup() as group:
        group.spawn(collect, readings)
        async with model.TaskGroup() as sensors:
            for place in ("north", "east", "west"):
                sensors.spawn(sensor, place, readings)
        readings.close()


if __name__ == "__main__":
    model.run(main)
