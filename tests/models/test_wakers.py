"""The wakers by which threads that wait for sockets wake each other: none is lost, none is woken once it is closed."""

import os
import random
import socket
import threading
import time
from contextlib import ExitStack

import pytest

from concmodels import load
from concmodels.errors import SocketClosed, TaskCancelled
from concmodels.models.waiting.sockets import threads as wakers_file
from concmodels.models.waiting.sockets.threads import SharedWaker
from concmodels.models.waiting.sockets.waits import READABLE, SocketWait, SocketWaits
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, TIMED_OUT, Waiter
from concmodels.platform import waking

MODELS = ("threads", "rawthreads")
PATIENCE = 50
HEAD_START = 0.1

pytestmark = pytest.mark.parametrize("name", MODELS)


def pairs(stack, count):
    """So many pairs of connected sockets, which are closed at the end."""
    found = [socket.socketpair() for _ in range(count)]
    for pair in found:
        for end in pair:
            end.setblocking(False)
            stack.enter_context(end)
    return found


def waiter_of(verbs):
    """The model's kind of waiter for sockets."""
    return verbs._SocketWaiter


@pytest.fixture
def verbs(name):
    return load(name)


@pytest.fixture
def one_waker(monkeypatch):
    """All threads share one waker, so each that is woken wakes all others too."""
    monkeypatch.setattr(wakers_file, "WAKERS", 1)


def outcome_of(verbs, ours, timeout=None):
    try:
        verbs.wait_readable(ours, timeout)
    except (SocketClosed, TimeoutError) as error:
        return type(error).__name__
    return "ready"


@pytest.mark.usefixtures("one_waker")
def test_a_waker_that_was_woken_for_another_thread_ends_no_wait(verbs):
    def main():
        with ExitStack() as stack, verbs.TaskGroup() as group:
            sockets = pairs(stack, 20)
            tasks = [group.spawn(outcome_of, verbs, ours) for ours, _ in sockets]
            verbs.sleep(0.05)
            for number in range(0, 20, 2):
                tasks[number].cancel()
                with pytest.raises(TaskCancelled):
                    tasks[number].result(PATIENCE)
            assert not any(task.done() for task in tasks[1::2])
            for _, theirs in sockets[1::2]:
                theirs.send(b"!")
            assert [task.result(PATIENCE) for task in tasks[1::2]] == ["ready"] * 10

    verbs.run(main)


@pytest.mark.usefixtures("one_waker")
def test_a_woken_waker_is_polled_by_nobody_for_long(verbs):
    """A thread that goes on polling a woken waker would look without end: that can be read for ever."""

    def main():
        with ExitStack() as stack, verbs.TaskGroup() as group:
            sockets = pairs(stack, 8)
            tasks = [group.spawn(outcome_of, verbs, ours) for ours, _ in sockets]
            verbs.sleep(0.05)
            tasks[0].cancel()
            verbs.sleep(0.05)
            begin = os.times()
            verbs.sleep(0.3)
            end = os.times()
            assert end.user + end.system - begin.user - begin.system < 0.15
            group.cancel()

    verbs.run(main)


def open_descriptors():
    return set(os.listdir("/proc/self/fd"))


@pytest.mark.usefixtures("one_waker")
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no list of descriptors")
def test_no_waker_is_left(verbs):
    def main():
        with ExitStack() as stack:
            sockets = pairs(stack, 10)
            for _ in range(3):
                with verbs.TaskGroup() as group:
                    tasks = [group.spawn(outcome_of, verbs, ours) for ours, _ in sockets]
                    verbs.sleep(0.02)
                    for task in random.sample(tasks, len(tasks)):
                        task.cancel()

    verbs.run(main)
    before = open_descriptors()
    for _ in range(3):
        verbs.run(main)
    assert open_descriptors() == before


def test_few_wakers_serve_many_threads(verbs):
    def main():
        with ExitStack() as stack, verbs.TaskGroup() as group:
            sockets = pairs(stack, 200)
            before = len(os.listdir("/proc/self/fd"))
            for ours, _ in sockets:
                group.spawn(outcome_of, verbs, ours)
            verbs.sleep(0.2)
            assert len(os.listdir("/proc/self/fd")) - before <= wakers_file.WAKERS
            group.cancel()

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("there is no list of descriptors")
    verbs.run(main)


# Moments that threads hit once in a million times, made by hand.


def begun(verbs, ours):
    """A wait that has been noted and whose task does not poll yet."""
    kind = waiter_of(verbs)
    wait = kind(ours, READABLE)
    kind.sockets.begin(wait)
    return wait


@pytest.mark.parametrize("outcome", [CLOSED, CANCELLED])
def test_a_claim_that_comes_as_soon_as_the_wait_is_noted(verbs, outcome):
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        wait = begun(verbs, ours)
        try:
            assert wait.finish(outcome)
            assert wait.acquire(None) is True
        finally:
            waiter_of(verbs).sockets.end(wait)
            waiter_of(verbs).sockets.close()
    assert wait.outcome == outcome


def test_a_task_is_cancelled_between_the_note_of_its_wait_and_the_wait(verbs):
    """It claims the wait itself when it parks: by then another task may wait for the socket."""
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        waits = waiter_of(verbs).sockets
        first = begun(verbs, ours)
        with pytest.raises(RuntimeError):
            begun(verbs, ours)
        first.task.cancel()
        assert first.waits()
        second = begun(verbs, ours)
        with pytest.raises(BaseException, match="was cancelled") as caught:
            first.park(PATIENCE)
        waits.end(first)
        assert caught.type is verbs.Cancelled and waits.get(ours.fileno(), READABLE) is second
        waits.end(second)
        waits.close()


def test_a_cancelled_task_meets_the_wait_of_another(verbs):
    """It is told that it was cancelled, and not that the other one waits."""
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        kind = waiter_of(verbs)
        first = begun(verbs, ours)
        late = kind(ours, READABLE)
        late.task.cancel()
        kind.sockets.begin(late)
        assert kind.sockets.get(ours.fileno(), READABLE) is first
        kind.sockets.end(late)
        assert kind.sockets.get(ours.fileno(), READABLE) is first
        kind.sockets.end(first)
        kind.sockets.close()


def test_a_claim_that_comes_just_before_the_poll(verbs, monkeypatch):
    """The task has looked whether it waits, and polls next: the waker that is woken in between must end that."""
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        kind = waiter_of(verbs)
        look = wakers_file.PollingWaiter._poll
        polls = []  # whether the waker was woken meanwhile; otherwise the thread sees the end when it looks by itself

        def closed_before(waiter, seconds):
            if not polls:
                verbs.notify_closing(ours)
            is_ready = look(waiter, seconds)
            polls.append(waiter.polled.shared.woken)
            return is_ready

        monkeypatch.setattr(wakers_file.PollingWaiter, "_poll", closed_before)
        with pytest.raises(SocketClosed):
            verbs.wait_readable(ours, PATIENCE)
        assert polls == [True]
        kind.sockets.close()


def test_a_claim_that_comes_while_the_task_changes_wakers(verbs, monkeypatch):
    """Between two wakers, a task that was claimed finds that out by itself, and leaves none of them polled."""
    kind = waiter_of(verbs)
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        look, change = wakers_file.PollingWaiter._poll, wakers_file.PolledSockets.change_wakers
        polled, seen = [], []

        def wake_and_look(waiter, seconds):
            if not polled:
                waiter.polled.shared.wake()  # for another thread
            polled.append(waiter.polled)
            return look(waiter, seconds)

        def close_and_change(sockets, polled):
            seen.append(polled.shared)
            verbs.notify_closing(ours)  # wakes the first waker once more
            return change(sockets, polled)

        monkeypatch.setattr(wakers_file.PollingWaiter, "_poll", wake_and_look)
        monkeypatch.setattr(wakers_file.PolledSockets, "change_wakers", close_and_change)
        with pytest.raises(SocketClosed):
            verbs.wait_readable(ours, PATIENCE)
        assert len(polled) == len(seen) == 1
        assert seen[0].polled_by == polled[0].shared.polled_by == 0 and polled[0].shared is not seen[0]
        kind.sockets.close()


def test_a_wait_that_is_ready_and_claimed_waits_for_its_wakeup(verbs, monkeypatch):
    """What claims a wait wakes its waker afterwards: so that may not be closed by then."""
    kind = waiter_of(verbs)
    waiting, go = threading.Event(), threading.Event()
    wake = wakers_file.SharedWaker.wake
    woken = []

    def wake_late(shared):
        waiting.set()
        assert go.wait(PATIENCE)
        woken.append(shared.polled_by)
        wake(shared)

    with ExitStack() as stack:
        ((ours, theirs),) = pairs(stack, 1)
        outcomes = []
        thread = threading.Thread(target=lambda: outcomes.append(outcome_of(verbs, ours, PATIENCE)))
        thread.start()
        while not len(kind.sockets):
            pass
        monkeypatch.setattr(wakers_file.SharedWaker, "wake", wake_late)
        closing = threading.Thread(target=verbs.notify_closing, args=(ours,))
        closing.start()
        assert waiting.wait(PATIENCE)
        theirs.send(b"!")  # the thread is woken by its socket, and finds that the wait is claimed
        thread.join(0.1)
        assert thread.is_alive()
        go.set()
        closing.join(PATIENCE)
        thread.join(PATIENCE)
        assert outcomes == ["SocketClosed"] and woken == [1]
        kind.sockets.close()


# Many threads at once.


@pytest.mark.usefixtures("one_waker")
@pytest.mark.parametrize("ending", ["cancel", "notify_closing"])
def test_readiness_meets_another_end(verbs, ending, thorough):
    """In each round a socket becomes ready in the moment in which its wait is ended otherwise."""

    def main():
        for _ in range(300 if thorough else 40):
            with ExitStack() as stack, verbs.TaskGroup() as group:
                sockets = pairs(stack, 6)
                tasks = [group.spawn(outcome_of, verbs, ours, PATIENCE) for ours, _ in sockets]
                verbs.sleep(random.choice([0, 0.0005, 0.002]))
                sending = group.spawn(send_to_all, sockets)
                for task, (ours, _) in zip(tasks, sockets, strict=True):
                    if ending == "cancel":
                        task.cancel()
                    else:
                        verbs.notify_closing(ours)
                sending.result(PATIENCE)
                for task in tasks:
                    try:
                        assert task.result(PATIENCE) in ("ready", "SocketClosed")
                    except TaskCancelled:
                        assert ending == "cancel"
                assert [ours.recv(10) for ours, _ in sockets] == [b"!"] * 6

    verbs.run(main)


def send_to_all(sockets):
    for _, theirs in sockets:
        theirs.send(b"!")


@pytest.mark.usefixtures("one_waker")
def test_cancel_meets_notify_closing(verbs, thorough):
    def main():
        for _ in range(300 if thorough else 40):
            with ExitStack() as stack, verbs.TaskGroup() as group:
                sockets = pairs(stack, 6)
                tasks = [group.spawn(outcome_of, verbs, ours) for ours, _ in sockets]
                verbs.sleep(random.choice([0, 0.0005, 0.002]))
                group.spawn(notify_all, verbs, sockets)
                for task in tasks:
                    task.cancel()

    verbs.run(main)
    assert not len(waiter_of(verbs).sockets)


def notify_all(verbs, sockets):
    for ours, _ in sockets:
        verbs.notify_closing(ours)


def test_sockets_come_and_go(verbs, thorough):
    """Threads wait for sockets whose descriptors are closed and used again by others all the time."""

    def life(rounds):
        for number in range(rounds):
            with ExitStack() as stack:
                ((ours, theirs),) = pairs(stack, 1)
                with verbs.TaskGroup() as group:
                    task = group.spawn(outcome_of, verbs, ours, PATIENCE)
                    if number % 2:
                        theirs.send(b"!")
                        assert task.result(PATIENCE) == "ready"
                    else:
                        verbs.notify_closing(ours)  # perhaps before the wait has begun
                        ours.close()
                        assert task.result(PATIENCE) == "SocketClosed"

    def main():
        with verbs.TaskGroup() as group:
            for _ in range(6):
                group.spawn(life, 100 if thorough else 20)

    verbs.run(main)
    assert not len(waiter_of(verbs).sockets)


# The registry.


def test_two_tasks_that_replace_a_closed_socket(verbs):
    """Of two waits for a new socket whose number a stale wait still has, one is refused."""
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        waits, number = SocketWaits(), ours.fileno()
        stale = SocketWait(ours, READABLE)
        stale.waiter = Woken(None, stale)
        waits.begin(stale)
        again = reopened(stack, ours)
        first, second = SocketWait(again, READABLE), SocketWait(again, READABLE)
        first.waiter = second.waiter = Woken(None, first)
        waits.begin(first)
        assert stale.waiter.outcome == CLOSED
        with pytest.raises(RuntimeError):
            waits.begin(second)
        waits.end(stale)  # its task goes on only now
        assert waits.get(number, READABLE) is first
        waits.end(first)
        assert len(waits) == 0


def reopened(stack, ours):
    """Close a socket, and return another one that has its number."""
    same, number = ours.dup(), ours.fileno()
    ours.close()
    again = stack.enter_context(socket.socket(fileno=os.dup2(same.fileno(), number)))
    same.close()
    return again


def test_a_closed_socket_meets_the_wait_for_a_new_one(verbs):
    """Closed by another thread before the wait is noted, and its number belongs to a socket that is waited for."""
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        sockets = waiter_of(verbs).sockets
        late = waiter_of(verbs)(ours, READABLE)
        first = begun(verbs, reopened(stack, ours))
        with pytest.raises(SocketClosed):
            sockets.begin(late)
        assert sockets.get(first.number, READABLE) is first and first.polled.shared.polled_by == 1
        sockets.end(first)
        sockets.close()


def test_a_closed_socket_is_replaced_while_its_wait_is_noted(verbs, monkeypatch):
    """What replaces the wait claims it and wakes its waker: so that is left only after it."""
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        sockets, is_closed = waiter_of(verbs).sockets, waiter_of(verbs).is_closed
        late, others = waiter_of(verbs)(ours, READABLE), []
        again = reopened(stack, ours)

        def replaced(wait):
            if not others:
                others.append(waiter_of(verbs)(again, READABLE))
                sockets.begin(others[0])
            return is_closed(wait)

        monkeypatch.setattr(waiter_of(verbs), "is_closed", replaced)
        with pytest.raises(SocketClosed):
            sockets.begin(late)
        assert late.outcome == CLOSED and late.polled.shared.polled_by == 1  # the other one came before it was woken
        assert sockets.get(again.fileno(), READABLE) is others[0] and others[0].waits()
        sockets.end(others[0])
        assert late.polled.shared.polled_by == 0
        sockets.close()


class Woken(Waiter):
    def wake(self):
        pass


def test_a_socket_that_is_closed_when_the_wait_is_noted(verbs, monkeypatch):
    """Another thread has told and closed it after the look at its number: so nobody is going to tell this wait."""
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        wait = SocketWait(ours, READABLE)
        wait.waiter = Woken(None, wait)
        waits = SocketWaits()
        waits.notify_closing(ours)
        ours.close()
        with pytest.raises(SocketClosed):
            waits.begin(wait)
        assert len(waits) == 0


def test_a_timeout_does_not_take_a_closed_socket_for_a_ready_one(verbs):
    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        wait = SocketWait(ours, READABLE)
        wait.waiter = Woken(None, wait)
        wait.waiter.claim("timed out")
        ours.close()
        with pytest.raises(SocketClosed):
            wait.settle()
        assert wait.waiter.outcome != DONE


def test_too_many_descriptors_for_another_waker(verbs, monkeypatch):
    """Then the threads of another place share theirs; without any there is an error, and nothing is noted."""
    sockets, made, new = wakers_file.PolledSockets(), [], wakers_file.SharedWaker

    def make():
        if made:
            raise OSError(24, "Too many open files")
        made.append(new())
        return made[0]

    monkeypatch.setattr(wakers_file, "SharedWaker", make)
    with ExitStack() as stack:
        first, second, third = (waiter_of(verbs)(ours, READABLE) for ours, _ in pairs(stack, 3))
        sockets.begin(first)
        sockets.begin(second)
        assert first.polled.shared is second.polled.shared is made[0]
        made[0].wake()
        with pytest.raises(OSError, match="Too many"):
            sockets.begin(third)
        assert len(sockets) == 2
        sockets.end(first)
        sockets.end(second)  # the last one closes it
        sockets.close()
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(waking.descriptors(made[0].waker)[0])


def test_what_was_polled_is_kept_for_the_next_wait(verbs):
    """But not with a waker that was woken, and not after the run."""
    kind, seen = waiter_of(verbs), []

    def wait(ours):
        wait = begun(verbs, ours)
        seen.append(wait.polled)
        wait.claim(DONE)
        kind.sockets.end(wait)

    with ExitStack() as stack:
        ((ours, _),) = pairs(stack, 1)
        wait(ours)
        wait(ours)
        assert seen[0] is seen[1]
        kind.sockets.close()
        wait(ours)
        assert seen[1] is not seen[2]
        seen[2].shared.wake()
        wait(ours)
        assert seen[3] is not seen[2] and not seen[3].shared.woken
        kind.sockets.close()


def test_a_cancellation_just_before_the_timeout(verbs, monkeypatch):
    """Its claim is there first: the task hears of the cancellation, and not that its socket is ready."""
    kind, cancelled = waiter_of(verbs), []
    claim = kind.claim

    def cancelled_before(waiter, outcome):
        if outcome == TIMED_OUT:
            waiter.task.cancel()
            cancelled.append(waiter.finish(CANCELLED))  # which has found the wait before the task left it
        return claim(waiter, outcome)

    monkeypatch.setattr(kind, "claim", cancelled_before)

    def main():
        with ExitStack() as stack, verbs.TaskGroup() as group:
            ((ours, _),) = pairs(stack, 1)
            with pytest.raises(TaskCancelled):
                group.spawn(outcome_of, verbs, ours, 0.01).result(PATIENCE)

    verbs.run(main)
    assert cancelled == [True]


def test_a_timeout_between_a_cancellation_and_its_wake_up(verbs, monkeypatch):
    """The waker is about to be woken for this thread: so the thread is counted until then, and nobody closes it."""
    kind, counted, calls = waiter_of(verbs), [], []
    acquire, wake = kind.acquire, SharedWaker.wake

    def until_cancelled(waiter, timeout):
        calls.append(timeout)
        if len(calls) > 1:
            return acquire(waiter, timeout)
        while waiter.outcome != CANCELLED:
            time.sleep(0.001)
        return False  # the timeout strikes

    def late(shared):
        time.sleep(HEAD_START)  # for the thread
        counted.append(shared.polled_by)
        wake(shared)

    monkeypatch.setattr(kind, "acquire", until_cancelled)
    monkeypatch.setattr(SharedWaker, "wake", late)

    def main():
        with ExitStack() as stack, verbs.TaskGroup() as group:
            ((ours, _),) = pairs(stack, 1)
            task = group.spawn(outcome_of, verbs, ours, PATIENCE)
            while not calls:
                verbs.sleep(0.001)
            task.cancel()
            with pytest.raises(TaskCancelled):
                task.result(PATIENCE)

    verbs.run(main)
    assert counted == [1]
