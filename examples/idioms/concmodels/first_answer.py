"""The first answer comes through a channel; then the group is cancelled."""

from concmodels import Channel, load

model = load("threads")
MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


def ask(
    mirror: str, delay: float, answers: Channel[str]
) -> None:
    model.sleep(delay)
    answers.send(mirror)


def main() -> None:
    answers = model.Channel()
    with model.TaskGroup() as group:
        for mirror, delay in MIRRORS.items():
            group.spawn(ask, mirror, delay, answers)
        first = answers.receive()
        group.cancel()
    print(first, "answered")


if __name__ == "__main__":
    model.run(main)
