"""`move_on_after` around a task group cancels its tasks. A task has no handle, so each notes that it has ended."""

import anyio


async def copy(mirror, copied):
    await anyio.sleep(60)
    copied.add(mirror)


async def main():
    copied = set()
    with anyio.move_on_after(0.05):
        async with anyio.create_task_group() as group:
            for mirror in ("east", "west"):
                group.start_soon(copy, mirror, copied)
    for mirror in ("east", "west"):
        print(
            f"{mirror}: {'copied' if mirror in copied else 'called off'}"
        )


if __name__ == "__main__":
    anyio.run(main)
