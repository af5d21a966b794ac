"""Three philosophers, three forks: each takes one fork, thinks for a moment, then wants the next one too."""

from concmodels import Channel, SyncModel, load
from concmodels.errors import Deadlock


def main(model: SyncModel) -> None:
    forks = [model.Channel(1, f"fork {number}") for number in range(3)]
    for fork in forks:
        fork.send("fork")
    with model.TaskGroup() as group:
        for seat in range(3):
            group.spawn(dine, model, forks[seat], forks[(seat + 1) % 3], name=f"philosopher {seat}")
    print("all have eaten")


def dine(model: SyncModel, first: Channel[str], second: Channel[str]) -> None:
    fork = first.receive()
    model.sleep(0.1)
    second.send(second.receive())  # takes it, eats, puts it back
    first.send(fork)


if __name__ == "__main__":
    model = load("threads")
    try:
        model.run(main, model)
    except Deadlock as error:
        print(error)
