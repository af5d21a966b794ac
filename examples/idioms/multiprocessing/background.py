"""A daemon process is terminated at the latest when the program ends; events make it polite."""

from multiprocessing import Event, Process


def heartbeat(started, stop):
    print("heartbeat: started", flush=True)
    started.set()
    while not stop.wait(0.01):
        pass  # a heartbeat
    print("heartbeat: stopped")


def main():
    started, stop = Event(), Event()
    process = Process(
        target=heartbeat, args=(started, stop), daemon=True
    )
    process.start()
    started.wait()
    try:
        print("main: working", flush=True)
    finally:
        stop.set()
        process.join()
    print("main: done")


if __name__ == "__main__":
    main()
