"""Each producer has a clone of the sending end; when all clones are closed, the loop of the receiver ends."""

import anyio


async def sensor(place, readings):
    with readings:
        for number in (1, 2):
            await readings.send(f"{place} {number}")


async def main():
    send, readings = anyio.create_memory_object_stream()
    async with anyio.create_task_group() as group:
        with send:
            for place in ("north", "east", "west"):
                group.start_soon(sensor, place, send.clone())
        with readings:
            received = [it async for it in readings]
    print(sorted(received))


if __name__ == "__main__":
    anyio.run(main)
