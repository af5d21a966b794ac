"""The first answer comes through a channel; then the group is cancelled."""

from concmodels import load

MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


def ask(model, mirror, delay, answers):
    model.sleep(delay)
    answers.send(mirror)


def main(model):
    answers = model.Channel()
    with model.TaskGroup() as group:
        for mirror, delay in MIRRORS.items():
            group.spawn(ask, model, mirror, delay, answers)
        first = answers.receive()
        group.cancel()
    print(first, "answered")


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
