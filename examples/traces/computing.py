"""Two tasks compute the same, and report to main after each part."""

import sys

from concmodels import Channel, SyncModel, load, trace


def main(model: SyncModel) -> None:
    parts = model.Channel(8, "parts")
    with model.TaskGroup() as group:
        for number in (1, 2):
            group.spawn(compute, parts, name=f"compute {number}")
        for _ in range(10):
            parts.receive()


def compute(parts: Channel[int]) -> None:
    for part in range(5):
        count = 3_000_000
        while count:
            count -= 1
        parts.send(part)


if __name__ == "__main__":
    with trace.to(sys.argv[2]):
        model = load(sys.argv[1])
        model.run(main, model)
