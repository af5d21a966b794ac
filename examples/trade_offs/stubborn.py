"""A task that is cancelled once, and swallows it: is its next wait disturbed too?"""

from concmodels import SyncModel, load


def main(model: SyncModel) -> None:
    with model.TaskGroup() as group:
        task = group.spawn(stubborn, model)
        model.sleep(0.1)
        task.cancel()


def stubborn(model: SyncModel) -> None:
    for wait in ("first", "second", "third"):
        try:
            model.sleep(0.3)
        except model.Cancelled:
            print(f"the {wait} wait: cancelled", flush=True)
        else:
            print(f"the {wait} wait: undisturbed", flush=True)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
