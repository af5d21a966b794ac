"""A task fails in another process. What does the traceback still know?"""

from concmodels import load


def main(model):
    with model.TaskGroup() as group:
        group.spawn(divide, 1, 0, name="the divider")


def divide(a, b):
    return a / b


if __name__ == "__main__":
    model = load("processes")
    try:
        model.run(main, model)
    except* ZeroDivisionError as group:
        (error,) = group.exceptions
        print(type(error).__name__, "with a note:")
        print(*error.__notes__)
