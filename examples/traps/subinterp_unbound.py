"""What an interpreter has put into a queue is gone when it is closed before the item has been taken."""

from concurrent import interpreters


def answer(queue: interpreters.Queue) -> None:
    queue.put("the result of a long computation")


def main() -> None:
    queue = interpreters.create_queue()
    for read_first in (True, False):
        worker = interpreters.create()
        worker.call(answer, queue)
        if read_first:
            print("read, then closed:", queue.get())
        worker.close()
        if not read_first:
            print("closed, then read:", queue.get())


if __name__ == "__main__":
    main()
