"""A thread and an interpreter for each stage; None at the end says that nothing more will come."""

from concurrent import interpreters


def count(numbers):
    for number in range(1, 5):
        numbers.put(number)
    numbers.put(None)


def square(numbers, squares):
    for number in iter(numbers.get, None):
        squares.put(number**2)
    squares.put(None)


def main():
    numbers = interpreters.create_queue(1)
    squares = interpreters.create_queue(1)
    counting = interpreters.create()
    squaring = interpreters.create()
    threads = [
        counting.call_in_thread(count, numbers),
        squaring.call_in_thread(square, numbers, squares),
    ]
    for number in iter(squares.get, None):
        print(number)
    for thread in threads:
        thread.join()
    counting.close()
    squaring.close()


if __name__ == "__main__":
    main()
