"""The same program, awaited."""

from concmodels import AsyncChannel, load

model = load("trio")


async def main() -> None:
    channel = model.Channel(8)
    async with model.TaskGroup() as group:
        group.spawn(show, channel)
        for number in range(3):
            await channel.send(number)


async def show(channel: AsyncChannel[int]) -> None:
    for _ in range(3):
        print(await channel.receive())


if __name__ == "__main__":
    model.run(main)
