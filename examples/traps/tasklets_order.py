"""A tasklet decides which one runs next by sending to it: the receiver of a rendezvous goes on during `send`."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel, log: list[str]) -> None:
    channel = model.Channel(0)
    with model.TaskGroup() as group, channel:
        group.spawn(receive, channel, log)
        group.spawn(bystander, model, log)
        model.sleep(0)  # let them come to their first wait
        for number in range(2):
            log.append(f"send {number}")
            channel.send(number)
            log.append(f"sent {number}")


def receive(channel: Channel[int], log: list[str]) -> None:
    for number in channel:
        log.append(f"got {number}")


def bystander(model: SyncModel, log: list[str]) -> None:
    for _ in range(2):
        model.sleep(0)
        log.append("bystander")


if __name__ == "__main__":
    for name in ("greenlet", "tasklets"):
        model, log = load(name), list[str]()
        model.run(main, model, log)
        print(f"{name}: {', '.join(log)}")
