"""Two mirrors are asked, and the first answer will do: the other one is told that its answer is not wanted."""

from concmodels import Channel, SyncModel, load


def ask(model: SyncModel, mirror: str, answers: Channel[str]) -> None:
    model.sleep(0)  # the mirror is asked
    answers.send(mirror)


def main(model: SyncModel) -> str:
    answers: Channel[str] = model.Channel(0, "answers")
    with model.TaskGroup() as group:
        for mirror in ("near", "far"):
            group.spawn(ask, model, mirror, answers, name=mirror)
        first = answers.receive()
        group.cancel()
    return first


if __name__ == "__main__":
    threads = load("threads")
    print(threads.run(main, threads))
