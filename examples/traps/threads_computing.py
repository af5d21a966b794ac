"""A cancelled task that computes goes on to its end: the cancellation waits for it to wait."""

from concmodels import Channel, SyncModel, load


def compute(model: SyncModel, started: Channel[bool], notes: list[str]) -> None:
    started.send(True)
    sum(range(5_000_000))  # never waits
    notes.append("computed to the end")
    model.sleep(0)
    notes.append("never reached")


def main(model: SyncModel) -> None:
    notes: list[str] = []
    started = model.Channel(1)
    with model.TaskGroup() as group:
        task = group.spawn(compute, model, started, notes)
        started.receive()
        task.cancel()
    print(notes)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
