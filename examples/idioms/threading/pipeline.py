"""A thread for each stage, and a queue between two of them that is shut down at the end."""

from queue import Queue, ShutDown
from threading import Thread


def items(queue):
    while True:
        try:
            yield queue.get()
        except ShutDown:
            return


def count(numbers):
    for number in range(1, 5):
        numbers.put(number)
    numbers.shutdown()


def square(numbers, squares):
    for number in items(numbers):
        squares.put(number**2)
    squares.shutdown()


def main():
    numbers, squares = Queue(1), Queue(1)
    counting = Thread(target=count, args=(numbers,))
    squaring = Thread(target=square, args=(numbers, squares))
    counting.start()
    squaring.start()
    for number in items(squares):
        print(number)
    counting.join()
    squaring.join()


if __name__ == "__main__":
    main()
