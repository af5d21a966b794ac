"""The same six lines, awaited."""

from concmodels import load

trio = load("trio")


async def main():
    channel = trio.Channel(8)
    async with trio.TaskGroup() as group:
        group.spawn(show, channel)
        for number in range(3):
            await channel.send(number)


async def show(channel):
    for _ in range(3):
        print(await channel.receive())


if __name__ == "__main__":
    trio.run(main)
