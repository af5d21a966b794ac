"""A thread for each stage, and a queue between two of them that is shut down at the end."""

from queue import Queue, ShutDown
from threading import Thread


def items(queue):
    while True:
        try:
            item = queue.get()
        except ShutDown:
            return
        yield item


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
    stages = [Thread(target=count, args=(numbers,)), Thread(target=square, args=(numbers, squares))]
    for stage in stages:
        stage.start()
    for number in items(squares):
        print(number)
    for stage in stages:
        stage.join()


if __name__ == "__main__":
    main()
