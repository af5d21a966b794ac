"""One task computes and never waits. Does the other one get a turn meanwhile?"""

from concmodels import SyncModel, load


def main(model: SyncModel) -> None:
    noted: list[str] = []
    with model.TaskGroup() as group:
        group.spawn(note, model, noted)
        group.spawn(compute, model, noted)


def note(model: SyncModel, noted: list[str]) -> None:
    model.sleep(0.02)
    noted.append("I was here")


def compute(model: SyncModel, noted: list[str]) -> None:
    end = model.now() + 0.3
    while not noted and model.now() < end:
        pass
    print("the other one had its turn while I computed" if noted else "nobody had a turn until I was done")


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
