"""Two tasks and two channels: one squares what the other sends. In plain calls."""

from concmodels import load


def main(room):
    numbers, squares = room.Channel(2), room.Channel(2)
    with room.TaskGroup() as group:
        group.spawn(square, numbers, squares)
        for number in (1, 2, 3):
            numbers.send(number)
            print(number, "squared is", squares.receive())
        numbers.close()


def square(numbers, squares):
    for number in numbers:
        squares.send(number * number)


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
