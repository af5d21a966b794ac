"""An interpreter does one thing at a time, and can't be closed while it does it."""

import time
from collections.abc import Callable
from concurrent import interpreters


def attempt(what: str, do: Callable[..., object], *arguments: object) -> None:
    try:
        do(*arguments)
    except interpreters.InterpreterError as error:
        print(f"{what}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    other = interpreters.create()
    thread = other.call_in_thread(time.sleep, 0.3)
    while not other.is_running():
        time.sleep(0.01)
    attempt("call", other.call, print, "hello")
    attempt("close", other.close)
    thread.join()
    other.call(print, "once it is free: hello", flush=True)
    other.close()
