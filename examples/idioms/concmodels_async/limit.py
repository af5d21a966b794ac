"""A group with a `timeout` cancels its tasks, and raises TimeoutError; each task knows whether it was cancelled."""

from concmodels import AsyncTask, load

model = load("asyncio")


async def copy() -> None:
    await model.sleep(60)


async def main() -> None:
    tasks: dict[str, AsyncTask[None]] = {}
    try:
        async with model.TaskGroup(timeout=0.05) as group:
            for mirror in ("east", "west"):
                tasks[mirror] = group.spawn(copy)
    except TimeoutError:
        pass
    for mirror, task in tasks.items():
        print(
            f"{mirror}: {'called off' if task.cancelled() else 'copied'}"
        )


if __name__ == "__main__":
    model.run(main)
