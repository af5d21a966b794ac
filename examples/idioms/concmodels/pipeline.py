"""A task for each stage, and a channel between two of them that is closed at the end."""

from concmodels import load


def count(numbers):
    with numbers:
        for number in range(1, 5):
            numbers.send(number)


def square(numbers, squares):
    with squares:
        for number in numbers:
            squares.send(number**2)


def main(model):
    numbers, squares = model.Channel(1), model.Channel(1)
    with model.TaskGroup() as group:
        group.spawn(count, numbers)
        group.spawn(square, numbers, squares)
        for number in squares:
            print(number)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
