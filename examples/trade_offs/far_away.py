"""A task fails in another process. What does the traceback still know?"""

from concmodels import SyncModel, load


def main(model: SyncModel) -> None:
    with model.TaskGroup() as group:
        group.spawn(divide, 1, 0, name="the divider")


def divide(a: int, b: int) -> float:
    return a / b


if __name__ == "__main__":
    model = load("processes")
    try:
        model.run(main, model)
    except* ZeroDivisionError as group:
        (error,) = group.exceptions
        print(type(error).__name__, "with a note:")
        print(*error.__notes__)
