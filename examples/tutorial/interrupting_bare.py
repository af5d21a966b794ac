"""Ctrl-C and a bare thread: only the main thread hears of it."""

import signal
import threading
import time

START = time.monotonic()


def say(words: str) -> None:
    print(f"after {time.monotonic() - START:.0f} s: {words}", flush=True)


def worker() -> None:
    time.sleep(2)
    say("the worker has done all its work")


if __name__ == "__main__":
    threading.Thread(target=worker).start()
    time.sleep(1)
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        say("main got KeyboardInterrupt, and has nothing more to do")
