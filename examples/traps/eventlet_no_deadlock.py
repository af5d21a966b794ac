"""eventlet itself waits for ever when no greenlet can go on; the model looks, and says what each task waits for."""

from concmodels import Channel, SyncModel, load
from concmodels.errors import Deadlock


def main(model: SyncModel) -> None:
    first, second = model.Channel(0, "first"), model.Channel(0, "second")
    with model.TaskGroup() as group:
        group.spawn(forward, first, second, name="left")
        group.spawn(forward, second, first, name="right")


def forward(inbox: Channel[object], outbox: Channel[object]) -> None:
    for item in inbox:
        outbox.send(item)


if __name__ == "__main__":
    model = load("eventlet")
    try:
        model.run(main, model, deadlock_after=0.2)
    except Deadlock as error:
        print("\n".join(line for line in str(error).splitlines() if "File" not in line))
