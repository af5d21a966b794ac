"""Three stages in a row: numbers, their squares, the sum. Each closes the channel that only it sends to."""

from concmodels import load


def main(model):
    numbers, squares = model.Channel(2, "numbers"), model.Channel(2, "squares")
    with model.TaskGroup() as group:
        group.spawn(count, numbers, 5)
        group.spawn(square, numbers, squares)
        total = group.spawn(add, squares)
    return total.result()


def count(numbers, stop):
    with numbers:
        for number in range(stop):
            numbers.send(number)


def square(numbers, squares):
    with squares:
        for number in numbers:
            squares.send(number * number)


def add(squares):
    return sum(squares)


if __name__ == "__main__":
    model = load("threads")
    print("sum of squares:", model.run(main, model))
