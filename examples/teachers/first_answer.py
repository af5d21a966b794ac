"""Three servers are asked the same. The first answer counts; nobody waits for the others."""

from concmodels import load


def main(room):
    answers = room.Channel(3, "answers")
    with room.TaskGroup() as group:
        for name, seconds in ("slow", 60), ("quick", 0.3), ("asleep", 3600):
            group.spawn(ask, room, name, seconds, answers)
        done = room.select(answers, timeout=30)
        group.cancel()
    print("first:", done.item)


def ask(room, name, seconds, answers):
    room.sleep(seconds)
    answers.send(name)


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
