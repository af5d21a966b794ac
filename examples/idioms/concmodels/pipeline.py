"""A task for each stage, and a channel between two of them that is closed at the end."""

from concmodels import Channel, load

model = load("threads")


def count(numbers: Channel[int]) -> None:
    with numbers:
        for number in range(1, 5):
            numbers.send(number)


def square(
    numbers: Channel[int], squares: Channel[int]
) -> None:
    with squares:
        for number in numbers:
            squares.send(number**2)


def main() -> None:
    numbers, squares = model.Channel(1), model.Channel(1)
    with model.TaskGroup() as group:
        group.spawn(count, numbers)
        group.spawn(square, numbers, squares)
        for number in squares:
            print(number)


if __name__ == "__main__":
    model.run(main)
