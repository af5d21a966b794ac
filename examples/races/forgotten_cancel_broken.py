"""Two mirrors are asked, and the first answer will do. The second, should it be there by now, is thrown away.

A mirror that answers later finds nobody who receives: it waits in `send`, and the group waits for it.
"""

from concmodels import Channel, SyncModel, load
from concmodels.errors import WouldBlock


def ask(model: SyncModel, mirror: str, answers: Channel[str]) -> None:
    model.sleep(0)  # the mirror is asked
    answers.send(mirror)


def main(model: SyncModel) -> str:
    answers: Channel[str] = model.Channel(0, "answers")
    with model.TaskGroup() as group:
        for mirror in ("near", "far"):
            group.spawn(ask, model, mirror, answers, name=mirror)
        first = answers.receive()
        try:
            answers.receive_nowait()
        except WouldBlock:
            pass  # it is not there yet
    return first


if __name__ == "__main__":
    threads = load("threads")
    print(threads.run(main, threads))
