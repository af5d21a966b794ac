"""Each process puts None last, and the reader counts to three. Read before you join."""

from multiprocessing import Process, Queue


def sensor(place, readings):
    for number in (1, 2):
        readings.put(f"{place} {number}")
    readings.put(None)


def main():
    readings, received = Queue(), []
    sensors = [
        Process(target=sensor, args=(place, readings))
        for place in ("north", "east", "west")
    ]
    for process in sensors:
        process.start()
    for _ in sensors:
        received += iter(readings.get, None)
    for process in sensors:
        process.join()
    print(sorted(received))


if __name__ == "__main__":
    main()
