"""A task that is cancelled once, and swallows it: is its next wait disturbed too?"""

from concmodels import load


def main(room):
    with room.TaskGroup() as group:
        task = group.spawn(stubborn, room)
        room.sleep(0.1)
        task.cancel()


def stubborn(room):
    for wait in ("first", "second", "third"):
        try:
            room.sleep(0.3)
        except room.Cancelled:
            print(f"the {wait} wait: cancelled", flush=True)
        else:
            print(f"the {wait} wait: undisturbed", flush=True)


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
