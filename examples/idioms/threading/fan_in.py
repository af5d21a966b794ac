"""Several threads put into one queue; when all of them have ended, it is shut down."""

from queue import Queue, ShutDown
from threading import Thread


def sensor(place, readings):
    for number in (1, 2):
        readings.put(f"{place} {number}")


def collect(readings, received):
    while True:
        try:
            received.append(readings.get())
        except ShutDown:
            return


def main():
    readings, received = Queue(), []
    sensors = [
        Thread(target=sensor, args=(place, readings))
        for place in ("north", "east", "west")
    ]
    collector = Thread(
        target=collect, args=(readings, received)
    )
    for thread in (*sensors, collector):
        thread.start()
    for thread in sensors:
        thread.join()
    readings.shutdown()
    collector.join()
    print(sorted(received))


if __name__ == "__main__":
    main()
