"""A thread fails. Who hears of it: the thread that joins it, a hook, or the one that asks for the result?"""

import threading
from concurrent.futures import ThreadPoolExecutor


def fail() -> None:
    raise OSError("the disk is full")


def heard(failure: threading.ExceptHookArgs) -> None:
    print("threading.excepthook:", failure.exc_value)


def main() -> None:
    threading.excepthook = heard  # by default it prints a traceback
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    print("join: returned, without an error")

    with ThreadPoolExecutor() as pool:
        future = pool.submit(fail)
    print("submit, and the end of the block: no error, nothing printed")
    try:
        future.result()
    except OSError as error:
        print("result:", error)


if __name__ == "__main__":
    main()
