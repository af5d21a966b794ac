"""A terminal sends Ctrl-C to all processes: the workers ignore it, and the main process tells them."""

import signal
from multiprocessing import Event, Process


def worker(stop):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("working", flush=True)
    stop.wait()
    print("tidied up")


def main():
    stop = Event()
    process = Process(target=worker, args=(stop,))
    process.start()
    try:
        process.join()
    finally:
        stop.set()
        process.join()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted")
