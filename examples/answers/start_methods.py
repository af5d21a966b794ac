"""What a process has of its parent, by start method: a variable that was changed, and how long the start takes."""

import multiprocessing
import time
from multiprocessing.connection import Connection

setting = "as the module says"


def see(answers: Connection) -> None:
    answers.send((setting, time.monotonic()))


def child(method: str) -> tuple[str, float]:
    context = multiprocessing.get_context(method)
    theirs, ours = context.Pipe()
    begin = time.monotonic()
    process = context.Process(target=see, args=(ours,))  # type: ignore[attr-defined]
    process.start()
    seen, there = theirs.recv()
    process.join()
    return seen, there - begin


def main() -> None:
    global setting
    setting = "as the parent has changed it"
    print("the default here:", multiprocessing.get_start_method())
    for method in multiprocessing.get_all_start_methods():
        child(method)  # the first one starts the server that forks the others
        seen, took = child(method)
        print(f"{method:10} {took * 1000:4.0f} ms, sees the setting {seen}")


if __name__ == "__main__":
    main()
