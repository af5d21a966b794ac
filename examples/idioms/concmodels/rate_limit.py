"""A channel with one item, the next slot: the task that has it is alone."""

from concmodels import Channel, load

model = load("threads")


def call(
    number: int, pace: Channel[float], made: Channel[int]
) -> None:
    slot = max(pace.receive(), model.now())
    pace.send(slot + 0.01)
    model.sleep(slot - model.now())
    made.send(number)


def main() -> None:
    pace, made = model.Channel(1), model.Channel(4)
    pace.send(0.0)
    with model.TaskGroup() as group:
        for number in range(1, 5):
            group.spawn(call, number, pace, made)
    made.close()
    print(sorted(made))


if __name__ == "__main__":
    model.run(main)
