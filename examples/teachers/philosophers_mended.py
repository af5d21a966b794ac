"""The same dinner. Everybody takes the fork with the lower number first, so there is never a circle."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    forks = [model.Channel(1, f"fork {number}") for number in range(3)]
    for fork in forks:
        fork.send("fork")
    with model.TaskGroup() as group:
        for seat in range(3):
            lower, higher = sorted((seat, (seat + 1) % 3))
            group.spawn(dine, model, forks[lower], forks[higher], name=f"philosopher {seat}")
    print("all have eaten")


def dine(model: SyncModel, first: Channel[str], second: Channel[str]) -> None:
    fork = first.receive()
    model.sleep(0.1)
    second.send(second.receive())  # takes it, eats, puts it back
    first.send(fork)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
