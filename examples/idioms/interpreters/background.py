"""A thread with an interpreter of its own; one queue says that it has started, another one that it is to stop."""

import time
from concurrent import interpreters


def heartbeat(started, stop):
    print("heartbeat: started", flush=True)
    started.put(None)
    while stop.empty():
        time.sleep(0.01)  # a heartbeat
    print("heartbeat: stopped", flush=True)


def main():
    started = interpreters.create_queue()
    stop = interpreters.create_queue()
    interpreter = interpreters.create()
    thread = interpreter.call_in_thread(
        heartbeat, started, stop
    )
    started.get()
    try:
        print("main: working", flush=True)
    finally:
        stop.put(None)
        thread.join()
        interpreter.close()
    print("main: done")


if __name__ == "__main__":
    main()
