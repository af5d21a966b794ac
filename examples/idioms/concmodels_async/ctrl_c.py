"""Ctrl-C is raised where the main task waits, and its group cancels the others."""

from concmodels import load


async def worker(model):
    try:
        print("working", flush=True)
        await model.sleep(3600)
    finally:
        print("tidied up")


async def main(model):
    async with model.TaskGroup() as group:
        group.spawn(worker, model)


if __name__ == "__main__":
    model = load("asyncio")
    try:
        model.run(main, model)
    except KeyboardInterrupt:
        print("interrupted")
