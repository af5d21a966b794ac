"""A group for the producers: when it is left, all of them have ended, and the channel is closed."""

from concmodels import Channel, load

model = load("threads")


def sensor(place: str, readings: Channel[str]) -> None:
    for number in (1, 2):
        readings.send(f"{place} {number}")


def collect(readings: Channel[str]) -> None:
    print(sorted(readings))


def main() -> None:
    readings = model.Channel()
    with model.TaskGroup() as group:
        group.spawn(collect, readings)
        with model.TaskGroup() as sensors:
            for place in ("north", "east", "west"):
                sensors.spawn(sensor, place, readings)
        readings.close()


if __name__ == "__main__":
    model.run(main)
