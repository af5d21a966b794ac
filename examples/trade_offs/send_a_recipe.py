"""A file can't cross a memory boundary, and a lambda can't either: send what the other side needs to make its own."""

from operator import methodcaller
from pathlib import Path

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    with model.TaskGroup() as group, model.Channel() as work:
        group.spawn(do, work)
        work.send((Path(__file__), methodcaller("count", "model")))


def do(work: Channel[tuple[Path, methodcaller]]) -> None:
    for path, function in work:
        with path.open() as file:
            print(f"the word stands {function(file.read())} times in the file", flush=True)


if __name__ == "__main__":
    model = load("processes")
    model.run(main, model)
