"""`result` stops waiting; the task is then cancelled where it waits."""

from concmodels import load


async def ask(model):
    await model.sleep(60)
    return "hello"


async def main(model):
    async with model.TaskGroup() as group:
        task = group.spawn(ask, model)
        try:
            print(await task.result(timeout=0.05))
        except TimeoutError:
            print("no answer in time")
            task.cancel()


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
