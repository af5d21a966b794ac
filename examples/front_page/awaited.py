"""The same six lines, awaited."""

from concmodels import load

trio = load("trio")


async def main():
    async with trio.TaskGroup() as group:
        with trio.Channel(8) as channel:
            group.spawn(show, channel)
            for number in range(3):
                await channel.send(number)


async def show(channel):
    async for item in channel:
        print(item)


if __name__ == "__main__":
    trio.run(main)
