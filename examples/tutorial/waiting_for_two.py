"""A worker that waits for two things at once: the next job, and the word to stop."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    jobs, stop = model.Channel(8), model.Channel(8)
    for job in ("wash", "dry", "fold"):
        jobs.send(job)
    stop.send("go home")
    with model.TaskGroup() as group:
        group.spawn(worker, model, jobs, stop)


def worker(model: SyncModel, jobs: Channel[str], stop: Channel[str]) -> None:
    while True:
        done = model.select(jobs, stop, priority=True)
        print(done.item)
        if done.channel is stop:
            return


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
