"""Several greenlets put into one queue; when all of them have ended, StopIteration ends the loop over it."""

import gevent
from gevent.queue import Queue


def sensor(place, readings):
    for number in (1, 2):
        readings.put(f"{place} {number}")


def main():
    readings = Queue()
    collector = gevent.spawn(sorted, readings)
    sensors = [
        gevent.spawn(sensor, place, readings)
        for place in ("north", "east", "west")
    ]
    gevent.joinall(sensors, raise_error=True)
    readings.put(StopIteration)
    print(collector.get())


if __name__ == "__main__":
    main()
