"""Some extension modules do not load in a subinterpreter, and a few things are forbidden there."""

from concurrent import interpreters
from importlib.util import find_spec

FORBIDDEN = {
    "a daemon thread": "import threading; threading.Thread(target=print, daemon=True).start()",
    "os.fork": "import os; os.fork()",
    "a signal handler": "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)",
}


def attempt(other: interpreters.Interpreter, what: str, code: str) -> None:
    try:
        other.exec(code)
    except interpreters.ExecutionFailed as error:
        *_, why = filter(None, error.excinfo.msg.splitlines())  # numpy has much more to say
        print(f"{what}: {error.excinfo.type.__name__}\n    {why.strip()}")
    else:
        print(f"{what}: works")


def main() -> None:
    other = interpreters.create()
    for name in ("sqlite3", "decimal", "numpy", "greenlet"):
        if find_spec(name):
            attempt(other, f"import {name}", f"import {name}")
        else:
            print(f"import {name}: not installed here")
    for what, code in FORBIDDEN.items():
        attempt(other, what, code)
    other.close()


if __name__ == "__main__":
    main()
