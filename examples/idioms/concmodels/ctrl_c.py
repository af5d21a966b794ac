"""Ctrl-C is raised where the main task waits, and its group cancels the others."""

from concmodels import load


def worker(model):
    try:
        print("working", flush=True)
        model.sleep(3600)
    finally:
        print("tidied up")


def main(model):
    with model.TaskGroup() as group:
        group.spawn(worker, model)


if __name__ == "__main__":
    model = load("threads")
    try:
        model.run(main, model)
    except KeyboardInterrupt:
        print("interrupted")
