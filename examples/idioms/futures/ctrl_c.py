"""The `with` waits for the calls that run, so they have to be told before it is left."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event


def worker(stop):
    stop.wait()
    print("tidied up")


def main():
    stop = Event()
    with ThreadPoolExecutor() as pool:
        future = pool.submit(worker, stop)
        try:
            print("working", flush=True)
            future.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted")
