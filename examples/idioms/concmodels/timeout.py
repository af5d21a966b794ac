"""`result` stops waiting; the task is then cancelled where it waits."""

from concmodels import load


def ask(model):
    model.sleep(60)
    return "hello"


def main(model):
    with model.TaskGroup() as group:
        task = group.spawn(ask, model)
        try:
            print(task.result(timeout=0.05))
        except TimeoutError:
            print("no answer in time")
            task.cancel()


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
