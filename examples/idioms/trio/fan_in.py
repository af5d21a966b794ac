"""Each producer has a clone of the sending end; when all clones are closed, the loop of the receiver ends."""

import trio


async def sensor(place, readings):
    async with readings:
        for number in (1, 2):
            await readings.send(f"{place} {number}")


async def main():
    send, readings = trio.open_memory_channel(0)
    async with trio.open_nursery() as nursery:
        async with send:
            for place in ("north", "east", "west"):
                nursery.start_soon(
                    sensor, place, send.clone()
                )
        async with readings:
            received = [it async for it in readings]
    print(sorted(received))


if __name__ == "__main__":
    trio.run(main)
