"""Squares, with types that mypy and pyright check in their strict modes."""

from concmodels import Channel, load

model = load("threads")


def main(count: int) -> int:
    """Return the sum of the squares of so many numbers."""
    numbers: Channel[int] = model.Channel(8)
    with model.TaskGroup() as group:
        total = group.spawn(add_squares, numbers)
        with numbers:
            for number in range(count):
                numbers.send(number)
    return total.result()


def add_squares(numbers: Channel[int]) -> int:
    """Receive numbers until the channel is closed, and return the sum of their squares."""
    return sum(number * number for number in numbers)


if __name__ == "__main__":
    print(model.run(main, 5))
