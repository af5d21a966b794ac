"""A group for the producers: when it is left, all of them have ended, and the channel is closed."""

from concmodels import load


async def sensor(place, readings):
    for number in (1, 2):
        await readings.send(f"{place} {number}")


async def collect(readings):
    print(sorted([it async for it in readings]))


async def main(model):
    readings = model.Channel()
    async with model.TaskGroup() as group:
        group.spawn(collect, readings)
        async with model.TaskGroup() as sensors:
            for place in ("north", "east", "west"):
                sensors.spawn(sensor, place, readings)
        readings.close()


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
