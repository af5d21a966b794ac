"""A greenlet for each stage; StopIteration in a queue ends the loop over it."""

import gevent
from gevent.queue import Queue


def count(numbers):
    for number in range(1, 5):
        numbers.put(number)
    numbers.put(StopIteration)


def square(numbers, squares):
    for number in numbers:
        squares.put(number**2)
    squares.put(StopIteration)


def main():
    numbers, squares = Queue(1), Queue(1)
    stages = [
        gevent.spawn(count, numbers),
        gevent.spawn(square, numbers, squares),
    ]
    for number in squares:
        print(number)
    gevent.joinall(stages, raise_error=True)


if __name__ == "__main__":
    main()
