"""What becomes of an exception in a raw thread? It can't be asked for: it goes to a hook, or nowhere."""

import _thread
import sys


def fail(error: BaseException, ended: _thread.LockType) -> None:
    try:
        raise error
    finally:
        ended.release()  # the last thing that this function does; the hook comes after it


def heard(unraisable: sys.UnraisableHookArgs) -> None:
    print("heard of:", repr(unraisable.exc_value))
    hooked.release()


def start(error: BaseException) -> None:
    ended = _thread.allocate_lock()
    ended.acquire()
    _thread.start_new_thread(fail, (error, ended))
    ended.acquire()


if __name__ == "__main__":
    hooked = _thread.allocate_lock()
    hooked.acquire()
    sys.unraisablehook = heard
    start(ValueError("spilled"))
    hooked.acquire()
    start(SystemExit("no more ink"))
    print("heard of SystemExit:", hooked.acquire(timeout=0.2))
