"""Tests of a concurrent program without a sleep in them: all schedules, many seeds, virtual time."""

import threading
from collections.abc import Callable

from concmodels import Channel, SyncModel, load
from concmodels.explore import Report


class Tickets:
    def __init__(self, left: int) -> None:
        self.left, self.lock = left, threading.Lock()

    def sell(self) -> None:
        with self.lock:  # without it, the first test fails and prints the schedule
            if self.left:
                self.left -= 1


def two_buyers() -> None:
    tickets = Tickets(1)
    threads = [threading.Thread(target=tickets.sell) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tickets.left == 0


def test_no_schedule_sells_one_twice(explore: Callable[..., Report]) -> None:
    explore(two_buyers).must_hold(in_all=True)


def poll(model: SyncModel, answers: list[str]) -> float:
    """Ask once an hour until there is an answer."""
    while not answers:
        model.sleep(3600)
    return model.now()


def asked_and_answered(model: SyncModel) -> float:
    answers: list[str] = []
    with model.TaskGroup() as group:
        polled = group.spawn(poll, model, answers)
        model.sleep(24 * 3600)
        answers.append("yes")
    return polled.result()


def test_the_answer_is_seen_within_an_hour() -> None:
    sim = load("sim")
    for seed in range(20):
        assert sim.run(asked_and_answered, sim, seed=seed) <= 25 * 3600 + 1


def test_a_worker_that_waits_ends_when_the_channel_is_closed() -> None:
    model = load("threads")

    def main() -> str:
        jobs, waits = model.Channel(), model.Channel(1)
        with model.TaskGroup() as group:
            worker = group.spawn(work, jobs, waits)
            waits.receive()  # a message says that it is there, not a sleep that hopes so
            jobs.close()
            return worker.result(timeout=5)  # a bound on how long a failure takes

    assert model.run(main) == "ended"


def work(jobs: Channel[object], waits: Channel[str]) -> str:
    waits.send("here")
    for _ in jobs:
        pass
    return "ended"
