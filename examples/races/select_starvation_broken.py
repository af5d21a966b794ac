"""A worker does jobs until it is told to stop: then it may do one more, if it has looked just before.

`priority=True` takes the first case that is ready. Jobs come first, and as long as there are any, nobody is heard.
"""

from concmodels import Channel, SyncModel, load


def tell(stop: Channel[str]) -> None:
    stop.send("stop")


def main(model: SyncModel) -> None:
    jobs, stop = model.Channel(4, "jobs"), model.Channel(1, "stop")
    for number in range(4):
        jobs.send(number)
    late = 0
    with model.TaskGroup() as group:
        group.spawn(tell, stop)
        while True:
            told = len(stop) > 0
            if model.select(jobs, stop, priority=True).channel is stop:
                break
            late += told
    assert late <= 1, f"{late} jobs were done after the word to stop"


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
