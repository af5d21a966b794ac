"""Who runs next is decided by whom you talk to: in a rendezvous of tasklets the receiver goes on during `send`."""

from concmodels import load


def main(room, log):
    channel = room.Channel(0)
    with room.TaskGroup() as group, channel:
        group.spawn(receive, channel, log)
        group.spawn(bystander, room, log)
        room.sleep(0)  # let them come to their first wait
        for number in range(2):
            log.append(f"send {number}")
            channel.send(number)
            log.append(f"sent {number}")


def receive(channel, log):
    for number in channel:
        log.append(f"got {number}")


def bystander(room, log):
    for _ in range(2):
        room.sleep(0)
        log.append("bystander")


if __name__ == "__main__":
    for name in ("greenlet", "tasklets"):
        room, log = load(name), []
        room.run(main, room, log)
        print(f"{name}: {', '.join(log)}")
