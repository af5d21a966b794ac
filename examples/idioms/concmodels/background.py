"""A channel says that the task has started; the group is cancelled at the end."""

from concmodels import Channel, load

model = load("threads")


def heartbeat(started: Channel[None]) -> None:
    print("heartbeat: started")
    try:
        started.send(None)
        while True:
            model.sleep(0.01)  # a heartbeat
    finally:
        print("heartbeat: stopped")


def main() -> None:
    started = model.Channel()
    with model.TaskGroup() as group:
        group.spawn(heartbeat, started)
        started.receive()
        print("main: working")
        group.cancel()
    print("main: done")


if __name__ == "__main__":
    model.run(main)
