"""One task computes and never waits. Does the other one get a turn meanwhile?"""

from concmodels import load


def main(room):
    noted = []
    with room.TaskGroup() as group:
        group.spawn(note, room, noted)
        group.spawn(compute, room, noted)


def note(room, noted):
    room.sleep(0.02)
    noted.append("I was here")


def compute(room, noted):
    end = room.now() + 0.3
    while not noted and room.now() < end:
        pass
    print("the other one had its turn while I computed" if noted else "nobody had a turn until I was done")


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
