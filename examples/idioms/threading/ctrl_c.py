"""Ctrl-C reaches the main thread only, which tells the others."""

from threading import Event, Thread


def worker(stop):
    stop.wait()
    print("tidied up")


def main():
    stop = Event()
    thread = Thread(target=worker, args=(stop,))
    thread.start()
    try:
        print("working", flush=True)
        thread.join()
    finally:
        stop.set()
        thread.join()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted")
