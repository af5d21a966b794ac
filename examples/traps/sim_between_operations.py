"""What stands between two operations is one step: a `+=` is never torn, unless an operation comes in between."""

from collections.abc import Callable

from concmodels import SyncModel, load


def main(model: SyncModel, add: Callable[[SyncModel, dict[str, int]], None]) -> int:
    counts = {"n": 0}
    with model.TaskGroup() as group:
        for _ in range(2):
            group.spawn(add, model, counts)
    return counts["n"]


def add_at_once(_model: SyncModel, counts: dict[str, int]) -> None:
    counts["n"] += 1


def add_slowly(model: SyncModel, counts: dict[str, int]) -> None:
    seen = counts["n"]
    model.sleep(0)
    counts["n"] = seen + 1


if __name__ == "__main__":
    model = load("sim")
    for add in (add_at_once, add_slowly):
        print(f"{add.__name__}:", sorted({model.run(main, model, add, seed=seed) for seed in range(100)}))
