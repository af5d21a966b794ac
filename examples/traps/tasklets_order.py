"""A tasklet decides which one runs next by sending to it: the receiver of a rendezvous goes on during `send`."""

from concmodels import load


def main(model, log):
    channel = model.Channel(0)
    with model.TaskGroup() as group, channel:
        group.spawn(receive, channel, log)
        group.spawn(bystander, model, log)
        model.sleep(0)  # let them come to their first wait
        for number in range(2):
            log.append(f"send {number}")
            channel.send(number)
            log.append(f"sent {number}")


def receive(channel, log):
    for number in channel:
        log.append(f"got {number}")


def bystander(model, log):
    for _ in range(2):
        model.sleep(0)
        log.append("bystander")


if __name__ == "__main__":
    for name in ("greenlet", "tasklets"):
        model, log = load(name), []
        model.run(main, model, log)
        print(f"{name}: {', '.join(log)}")
