"""Ctrl-C is raised where the main task waits, and its group cancels the others."""

from concmodels import load

model = load("asyncio")


async def worker() -> None:
    try:
        print("working", flush=True)
        await model.sleep(3600)
    finally:
        print("tidied up")


async def main() -> None:
    async with model.TaskGroup() as group:
        group.spawn(worker)


if __name__ == "__main__":
    try:
        model.run(main)
    except KeyboardInterrupt:
        print("interrupted")
