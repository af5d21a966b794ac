"""A baker that stops when it is told to, even if it is waiting for room on the shelf."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    shelf, stop = model.Channel(2), model.Channel(1)
    with model.TaskGroup() as group:
        baker = group.spawn(bake, model, shelf, stop)
        print("sold:", shelf.receive())
        model.sleep(0.2)  # meanwhile the shelf becomes full
        stop.send("go home")
    print("on the shelf when the baker stopped:", baker.result() - 1)


def bake(model: SyncModel, shelf: Channel[str], stop: Channel[str]) -> int:
    number = 0
    while model.select((shelf, f"loaf {number}"), stop).channel is shelf:
        number += 1
    return number


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
