"""Ctrl-C reaches the main thread only, which tells the others."""

from threading import Event, Thread


def worker(stop):
    print("working", flush=True)
    stop.wait()
    print("tidied up")


def main():
    stop = Event()
    thread = Thread(target=worker, args=(stop,))
    try:
        thread.start()
        thread.join()
    finally:
        stop.set()
        thread.join()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted")
