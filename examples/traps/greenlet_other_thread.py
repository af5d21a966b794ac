"""A greenlet is tied to the thread that made it: no other thread can switch to it."""

import threading

import greenlet


def visit(other: greenlet.greenlet) -> None:
    try:
        other.switch()
    except greenlet.error:
        print("from another thread: greenlet.error")


if __name__ == "__main__":
    guest = greenlet.greenlet(lambda: print("from its own thread: it runs"))
    thread = threading.Thread(target=visit, args=(guest,))
    thread.start()
    thread.join()
    guest.switch()
