"""A group with a `timeout` cancels its tasks, and raises TimeoutError; each task knows whether it was cancelled."""

from concmodels import Task, load

model = load("threads")


def copy() -> None:
    model.sleep(60)


def main() -> None:
    tasks: dict[str, Task[None]] = {}
    try:
        with model.TaskGroup(timeout=0.05) as group:
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
