"""One greenlet that computes, or calls what blocks, keeps all others waiting: nobody takes the processor away."""

import time

from concmodels import load


def main(room):
    with room.TaskGroup() as group:
        ticks = []
        ticker = group.spawn(tick, room, ticks)
        room.sleep(0.1)
        print("ticks during the room's sleep:", "some" if ticks else "none")
        before = len(ticks)
        time.sleep(0.1)
        print("ticks during time.sleep:", "some" if len(ticks) > before else "none")
        ticker.cancel()


def tick(room, ticks):
    while True:
        room.sleep(0.01)
        ticks.append(room.now())


if __name__ == "__main__":
    greenlet = load("greenlet")
    greenlet.run(main, greenlet)
