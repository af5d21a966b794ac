"""A worker that waits for two things at once: the next job, and the word to stop."""

from concmodels import load


def main(room):
    jobs, stop = room.Channel(8), room.Channel(8)
    for job in ("wash", "dry", "fold"):
        jobs.send(job)
    stop.send("go home")
    with room.TaskGroup() as group:
        group.spawn(worker, room, jobs, stop)


def worker(room, jobs, stop):
    while True:
        done = room.select(jobs, stop, priority=True)
        print(done.item)
        if done.channel is stop:
            return


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
