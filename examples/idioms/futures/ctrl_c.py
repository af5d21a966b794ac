"""The `with` waits for the calls that run, so they have to be told before it is left."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event


def worker(stop):
    print("working", flush=True)
    stop.wait()
    print("tidied up")


def main():
    stop = Event()
    with ThreadPoolExecutor() as pool:
        try:
            pool.submit(worker, stop).result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted")
