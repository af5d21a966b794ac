"""`concurrent.interpreters.Queue` does not wait: it looks every 10 ms. And its timeouts are whole seconds."""

from concurrent import interpreters
from statistics import median
from time import perf_counter


def echo(there: interpreters.Queue, back: interpreters.Queue) -> None:
    for _ in range(10):
        back.put(there.get())


def round_trip(there: interpreters.Queue, back: interpreters.Queue) -> float:
    start = perf_counter()
    there.put(1)
    back.get()
    return perf_counter() - start


def main() -> None:
    there, back = interpreters.create_queue(), interpreters.create_queue()
    partner = interpreters.create()
    thread = partner.call_in_thread(echo, there, back)
    trips = [round_trip(there, back) for _ in range(10)]
    thread.join()
    partner.close()
    print("a round trip takes more than 5 ms:", median(trips) > 0.005)
    start = perf_counter()
    try:
        back.get(timeout=0.5)  # type: ignore[arg-type]
    except interpreters.QueueEmpty:
        print("get(timeout=0.5) gave up at once:", perf_counter() - start < 0.25)


if __name__ == "__main__":
    main()
