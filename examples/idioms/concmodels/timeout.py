"""`result` stops waiting; the task is then cancelled where it waits."""

from concmodels import load

model = load("threads")


def ask() -> str:
    model.sleep(60)
    return "hello"


def main() -> None:
    with model.TaskGroup() as group:
        task = group.spawn(ask)
        try:
            print(task.result(timeout=0.05))
        except TimeoutError:
            print("no answer in time")
            task.cancel()


if __name__ == "__main__":
    model.run(main)
