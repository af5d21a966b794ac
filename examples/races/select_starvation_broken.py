"""A worker does jobs until it is told to stop: then it may finish two jobs, not more.

`priority=True` takes the first case that is ready. Jobs come first, and as long as there are any nobody is heard.
"""

from concmodels import load


def send_jobs(jobs):
    for number in range(6):
        jobs.send(number)


def send_stop(stop):
    stop.send("stop")


def main(model):
    jobs, stop = model.Channel(2, "jobs"), model.Channel(1, "stop")
    late = 0
    with model.TaskGroup() as group:
        group.spawn(send_jobs, jobs)
        group.spawn(send_stop, stop)
        while True:
            told = len(stop) > 0
            if model.select(jobs, stop, priority=True).channel is stop:
                break
            late += told
        group.cancel()
    assert late <= 2, f"{late} jobs were done after the word to stop"


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
