"""A group for the producers: when it is left, all of them have ended, and the channel is closed."""

from concmodels import load


def sensor(place, readings):
    for number in (1, 2):
        readings.send(f"{place} {number}")


def collect(readings):
    print(sorted(readings))


def main(model):
    readings = model.Channel()
    with model.TaskGroup() as group:
        group.spawn(collect, readings)
        with model.TaskGroup() as sensors:
            for place in ("north", "east", "west"):
                sensors.spawn(sensor, place, readings)
        readings.close()


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
