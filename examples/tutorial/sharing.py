"""A task writes into a bytearray that it was given, and into one that is shared. What does main see of it?"""

from concmodels import Shared, SyncModel, load


def main(model: SyncModel) -> None:
    given = bytearray(3)
    with model.share(bytearray(3)) as shared:
        with model.TaskGroup() as group:
            for place in range(3):
                group.spawn(write, given, shared, place)
        print("given: ", list(given))
        print("shared:", list(shared.view()))


def write(given: bytearray, shared: Shared, place: int) -> None:
    given[place] = shared.view()[place] = place + 1


if __name__ == "__main__":
    model = load("processes")
    model.run(main, model)
