"""A message to another process is a copy: what happens to it there is not seen here."""

from concmodels import Channel, SyncModel, load


def double(numbers: Channel[list[str | int]], answers: Channel[list[str | int]]) -> None:
    for batch in numbers:
        batch.append(len(batch))
        answers.send(batch)


def main(model: SyncModel) -> None:
    with model.TaskGroup() as group, model.Channel(1) as numbers:
        answers = model.Channel(1)
        group.spawn(double, numbers, answers)
        mine = ["a", "b"]
        numbers.send(mine)
        print("came back:", answers.receive())
        print("still here:", mine)


if __name__ == "__main__":
    model = load("processes")
    model.run(main, model)
