"""eventlet itself waits for ever when nobody can go on; the room looks, and says who waits for whom."""

from concmodels import load
from concmodels.errors import Deadlock


def main(room):
    first, second = room.Channel(0, "first"), room.Channel(0, "second")
    with room.TaskGroup() as group:
        group.spawn(forward, first, second, name="left")
        group.spawn(forward, second, first, name="right")


def forward(inbox, outbox):
    for item in inbox:
        outbox.send(item)


if __name__ == "__main__":
    room = load("eventlet")
    try:
        room.run(main, room, deadlock_after=0.2)
    except Deadlock as error:
        print("\n".join(line for line in str(error).splitlines() if "File" not in line))
