"""Each interpreter puts None last, and the reader counts to three."""

from concurrent import interpreters


def sensor(place, readings):
    for number in (1, 2):
        readings.put(f"{place} {number}")
    readings.put(None)


def main():
    readings, received = interpreters.create_queue(), []
    sensors = {
        place: interpreters.create()
        for place in ("north", "east", "west")
    }
    threads = [
        it.call_in_thread(sensor, place, readings)
        for place, it in sensors.items()
    ]
    for _ in sensors:
        received += iter(readings.get, None)
    for thread in threads:
        thread.join()
    for interpreter in sensors.values():
        interpreter.close()
    print(sorted(received))


if __name__ == "__main__":
    main()
