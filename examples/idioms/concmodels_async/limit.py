"""A group with a `timeout` cancels its tasks, and raises TimeoutError; each task knows whether it was cancelled."""

from concmodels import load


async def copy(model):
    await model.sleep(60)


async def main(model):
    tasks = {}
    try:
        async with model.TaskGroup(timeout=0.05) as group:
            for mirror in ("east", "west"):
                tasks[mirror] = group.spawn(copy, model)
    except TimeoutError:
        pass
    for mirror, task in tasks.items():
        print(
            f"{mirror}: {'called off' if task.cancelled() else 'copied'}"
        )


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
