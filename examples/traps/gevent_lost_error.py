"""`joinall` does not raise what its greenlets raised: it waits, and returns as if all were well."""

import gevent


def fail() -> None:
    raise ValueError("the disk is full")


if __name__ == "__main__":
    gevent.get_hub().exception_stream = None  # it would print the traceback to the terminal, and that is all
    units = [gevent.spawn(fail)]
    gevent.joinall(units)
    print("joinall returned")
    print("you have to ask:", repr(units[0].exception))
    try:
        gevent.joinall(units, raise_error=True)
    except ValueError as error:
        print("raise_error=True:", error)
