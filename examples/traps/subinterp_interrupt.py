"""Ctrl-C while the main thread is inside of a subinterpreter: it strikes when the call has returned."""

import signal
import threading
import time
from collections.abc import Callable
from concurrent import interpreters


def interrupted_after(wait: Callable[[], object]) -> float:
    """Interrupt the main thread after 0.1 s; return after how many seconds it heard of it."""
    main_thread = threading.main_thread().ident
    threading.Timer(0.1, signal.pthread_kill, (main_thread, signal.SIGINT)).start()
    start = time.monotonic()
    try:
        wait()
        time.sleep(1)
    except KeyboardInterrupt:
        return time.monotonic() - start
    raise TimeoutError("the interrupt has not come")


def main() -> None:
    other = interpreters.create()
    late = interrupted_after(lambda: other.exec("import time; time.sleep(0.5)"))
    print("main runs code in the other interpreter; interrupted only after that:", late >= 0.5)
    thread = other.call_in_thread(time.sleep, 0.5)
    late = interrupted_after(thread.join)
    print("main waits for a thread that does; interrupted only after that:", late >= 0.5)
    thread.join()
    other.close()


if __name__ == "__main__":
    main()
