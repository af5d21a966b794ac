"""Two threads count in one number, under a lock: nobody reads it between another's read and write."""

import threading

visitors = 0
counting = threading.Lock()


def visit() -> None:
    global visitors
    with counting:
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
