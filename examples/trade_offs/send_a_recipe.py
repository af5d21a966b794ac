"""A file can't cross a border, and a lambda can't either: send what the other side needs to make its own."""

from operator import methodcaller
from pathlib import Path

from concmodels import load


def main(room):
    with room.TaskGroup() as group, room.Channel() as work:
        group.spawn(do, work)
        work.send((Path(__file__), methodcaller("count", "room")))


def do(work):
    for path, function in work:
        with path.open() as file:
            print(f"the word stands {function(file.read())} times in the file", flush=True)


if __name__ == "__main__":
    processes = load("processes")
    processes.run(main, processes)
