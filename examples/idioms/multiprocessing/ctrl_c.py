"""A terminal sends Ctrl-C to all processes: the worker ignores it, and the main process tells it."""

import signal
from multiprocessing import Event, Process


def worker(ready, stop):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ready.set()
    stop.wait()
    print("tidied up")


def main():
    ready, stop = Event(), Event()
    process = Process(target=worker, args=(ready, stop))
    process.start()
    ready.wait()
    try:
        print("working", flush=True)
        process.join()
    finally:
        stop.set()
        process.join()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted")
