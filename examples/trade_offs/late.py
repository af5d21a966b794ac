"""How late does a task wake up, while another one computes for 20 ms at a time?"""

from concmodels import load

TICKS, TICK, COMPUTES = 30, 0.002, 0.02


def main(room):
    stop = room.Channel()
    with room.TaskGroup() as group:
        group.spawn(compute, room, stop)
        ticker = group.spawn(tick, room, stop)
        return ticker.result()


def tick(room, stop):
    late = []
    with stop:
        for _ in range(TICKS):
            due = room.now() + TICK
            room.sleep(TICK)
            late.append(room.now() - due)
    return late


def compute(room, stop):
    while not stop.closed:
        end = room.now() + COMPUTES
        while room.now() < end:
            pass
        room.sleep(0.001)


if __name__ == "__main__":
    for name in ("greenlet", "threads", "subinterp", "processes"):
        late = sorted(1000 * seconds for seconds in load(name).run(main, load(name)))
        print(f"{name:9}  half the time more than {late[TICKS // 2]:.1f} ms late")
