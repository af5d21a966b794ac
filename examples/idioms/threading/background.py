"""One event says that the thread has started, another one that it is to stop."""

from threading import Event, Thread


def heartbeat(started, stop):
    print("heartbeat: started")
    started.set()
    while not stop.wait(0.01):
        pass  # a heartbeat
    print("heartbeat: stopped")


def main():
    started, stop = Event(), Event()
    thread = Thread(target=heartbeat, args=(started, stop))
    thread.start()
    started.wait()
    try:
        print("main: working")
    finally:
        stop.set()
        thread.join()
    print("main: done")


if __name__ == "__main__":
    main()
