"""`move_on_after` around a nursery cancels its tasks. A task has no handle, so each notes that it has ended."""

import trio


async def copy(mirror, copied):
    await trio.sleep(60)
    copied.add(mirror)


async def main():
    copied = set()
    with trio.move_on_after(0.05):
        async with trio.open_nursery() as group:
            for mirror in ("east", "west"):
                group.start_soon(copy, mirror, copied)
    for mirror in ("east", "west"):
        print(
            f"{mirror}: {'copied' if mirror in copied else 'called off'}"
        )


if __name__ == "__main__":
    trio.run(main)
