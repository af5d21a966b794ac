"""Two tasks and two channels: one squares what the other sends. Sync."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    numbers, squares = model.Channel(2), model.Channel(2)
    with model.TaskGroup() as group:
        group.spawn(square, numbers, squares)
        for number in (1, 2, 3):
            numbers.send(number)
            print(number, "squared is", squares.receive())
        numbers.close()


def square(numbers: Channel[int], squares: Channel[int]) -> None:
    for number in numbers:
        squares.send(number * number)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
