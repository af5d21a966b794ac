"""A process for each stage; None at the end says that nothing more will come."""

from multiprocessing import Process, Queue


def count(numbers):
    for number in range(1, 5):
        numbers.put(number)
    numbers.put(None)


def square(numbers, squares):
    for number in iter(numbers.get, None):
        squares.put(number**2)
    squares.put(None)


def main():
    numbers, squares = Queue(1), Queue(1)
    counting = Process(target=count, args=(numbers,))
    squaring = Process(target=square, args=(numbers, squares))
    counting.start()
    squaring.start()
    for number in iter(squares.get, None):
        print(number)
    counting.join()
    squaring.join()


if __name__ == "__main__":
    main()
