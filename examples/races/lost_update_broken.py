"""Two threads count in one number, and a visitor can get lost.

`visitors += 1` is three steps: read the number, add one, write it back. A thread that is stopped between the read and
the write overwrites what the other one has written meanwhile.
"""

import threading

visitors = 0


def visit() -> None:
    global visitors
    visitors += 1


def main() -> None:
    threads = [threading.Thread(target=visit) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert visitors == 2, f"two came, {visitors} counted"


if __name__ == "__main__":
    main()
