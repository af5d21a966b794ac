"""Two mirrors are asked, and the first answer will do: the other one is told that its answer is not wanted."""

from concmodels import load


def ask(model, mirror, answers):
    model.sleep(0)  # the mirror is asked
    answers.send(mirror)


def main(model):
    answers = model.Channel(0, "answers")
    with model.TaskGroup() as group:
        for mirror in ("near", "far"):
            group.spawn(ask, model, mirror, answers, name=mirror)
        first = answers.receive()
        group.cancel()
    return first


if __name__ == "__main__":
    threads = load("threads")
    print(threads.run(main, threads))
