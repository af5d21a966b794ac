"""How late does a task wake up, while another one computes for 20 ms at a time?"""

from concmodels import load

TICKS, TICK, COMPUTES = 30, 0.002, 0.02


def main(model):
    stop = model.Channel()
    with model.TaskGroup() as group:
        group.spawn(compute, model, stop)
        ticker = group.spawn(tick, model, stop)
        return ticker.result()


def tick(model, stop):
    late = []
    with stop:
        for _ in range(TICKS):
            due = model.now() + TICK
            model.sleep(TICK)
            late.append(model.now() - due)
    return late


def compute(model, stop):
    while not stop.closed:
        end = model.now() + COMPUTES
        while model.now() < end:
            pass
        model.sleep(0.001)


if __name__ == "__main__":
    for name in ("greenlet", "threads", "subinterp", "processes"):
        late = sorted(1000 * seconds for seconds in load(name).run(main, load(name)))
        print(f"{name:9}  median lateness {late[TICKS // 2]:.1f} ms")
