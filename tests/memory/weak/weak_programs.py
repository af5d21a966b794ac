"""Programs for the simulated memory: each starts threads, and may return a function that looks at the end."""

import math
import pickle
import sys
from collections import Counter
from types import SimpleNamespace

from weak_library import KIND, PAYLOAD
from weak_machine import Fence

from concmodels.errors import ChannelClosed, TaskCancelled
from concmodels.models.memory.arena import (
    ASKED,
    LIVE,
    OWNER,
    PARENT,
    STATE,
    STRUCK,
    UNTIL,
    WAKER,
    Cancelled,
)
from concmodels.models.memory.channels import positions
from concmodels.models.memory.channels.select import select
from concmodels.models.memory.group import DIED, DONE, FAILED, Task, TaskGroup, cancel, finish
from concmodels.models.memory.lives import deadlocks
from concmodels.models.memory.lives.child import local_slot
from concmodels.models.memory.pool.worker import Worker
from concmodels.models.memory.pool.worker_handle import Batch, WorkerHandle
from concmodels.models.memory.pool.worker_memory import LEFT, MOST, STOP, UNREAD, slot

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def threads(library, *bodies):
    """Start a thread for each of these functions, which get a participant of their own."""
    for body in bodies:
        home = library.participant()
        library.machine.start(
            f"{body.__name__}-{len(library.machine.threads)}", lambda body=body, home=home: body(home)
        )


def stream(library, senders, receivers, capacity, items, how="receive"):
    """Senders and receivers; each item arrives once, and those of one sender in order at each receiver."""
    number, got = library.new_channel(capacity), []
    share = senders * len(items) // receivers

    def sender(which):
        def send(home):
            channel = library.end(home, number)
            for item in items:
                channel.send(f"{which}{item}" if type(item) is str else 100 * which + item)

        return send

    def receiver(which):
        def receive(home):
            channel = library.end(home, number)
            if how == "iteration":
                for got_now, item in enumerate(channel, 1):
                    got.append((which, item))
                    if got_now == share:
                        break
            else:
                for _ in range(share):
                    got.append((which, channel.receive()))

        return receive

    threads(library, *map(sender, range(senders)), *map(receiver, range(receivers)))

    def look():
        expected = [
            f"{which}{item}" if type(item) is str else 100 * which + item for which in range(senders) for item in items
        ]
        assert Counter(item for _, item in got) == Counter(expected), got
        for by in range(receivers):
            mine = [item for which, item in got if which == by]
            for which in range(senders):
                its = [item for item in expected if item in mine and expected.index(item) // len(items) == which]
                assert [item for item in mine if item in its] == its, got
        return tuple(got)

    return look


@program
def one_word(library):
    return stream(library, 1, 1, 1, [1])


@program
def one_word_iterated(library):
    return stream(library, 1, 1, 1, [1], "iteration")


@program
def words_through_one_place(library):
    return stream(library, 1, 1, 1, [1, 2, 3])


@program
def words_iterated(library):
    return stream(library, 1, 1, 1, [1, 2, 3], "iteration")


@program
def words_through_two_places(library):
    return stream(library, 1, 1, 2, [1, 2, 3, 4])


@program
def words_of_two_iterated(library):
    return stream(library, 1, 1, 2, [1, 2, 3, 4], "iteration")


@program
def words_unbounded(library):
    return stream(library, 1, 1, math.inf, [1, 2])


@program
def a_length(library):
    """A channel never seems to hold more items than it has places."""
    number = library.new_channel(1)

    def send(home):
        channel = library.end(home, number)
        for item in (1, 2):
            channel.send(item)

    def receive(home):
        channel = library.end(home, number)
        for _ in range(2):
            channel.receive()

    def measure(home):
        assert len(library.end(home, number)) <= 1

    threads(library, send, receive, measure)


@program
def two_senders(library):
    return stream(library, 2, 1, math.inf, [1])


@program
def two_receivers(library):
    return stream(library, 1, 2, 2, [1, 2])


@program
def two_senders_and_receivers(library):
    return stream(library, 2, 2, 2, [1, 2], "iteration")


@program
def texts(library):
    return stream(library, 1, 1, 2, ["a", "b", "c", "d"])


@program
def texts_in_a_small_ring(library):
    return stream(library, 1, 1, 8, ["a", "b", "c", "d", "e", "f"])


@program
def texts_of_two(library):
    return stream(library, 2, 2, 1, ["a", "b"])


@program
def long_texts(library):
    return stream(library, 1, 1, 1, ["a" * 40, "b" * 40, "c" * 40])


@program
def rendezvous(library):
    return stream(library, 1, 1, 0, [1, 2])


@program
def rendezvous_of_texts(library):
    return stream(library, 2, 2, 0, ["a"])


@program
def constants(library):
    number, got = library.new_channel(1), []

    def send(home):
        channel = library.end(home, number)
        for item in (None, True, None, True):
            channel.send(item)

    def receive(home):
        channel = library.end(home, number)
        got.extend(channel.receive() for _ in range(4))

    threads(library, send, receive)

    def look():
        assert got == [None, True, None, True], got

    return look


def guarded(library, enter, leave):
    """Two threads that change words of their own, one at a time, because the channel lets only one in."""
    number = library.new_channel(1)

    def work(home):
        channel = library.end(home, number)
        enter(channel)
        home.words[PAYLOAD] = home.words[PAYLOAD] + 1
        leave(channel)

    threads(library, work, work)

    def look():
        assert library.home.words[PAYLOAD] == 2

    return look


@program
def capacity_as_a_lock(library):
    return guarded(library, lambda channel: channel.send(1), lambda channel: channel.receive())


@program
def capacity_as_a_lock_by_texts(library):
    return guarded(library, lambda channel: channel.send("a"), lambda channel: channel.receive())


@program
def capacity_as_a_lock_by_iteration(library):
    return guarded(library, lambda channel: channel.send(1), lambda channel: next(iter(channel)))


@program
def capacity_as_a_lock_by_select(library):
    return guarded(
        library,
        lambda channel: select(KIND, ((channel, 1),), None, True),
        lambda channel: select(KIND, (channel,), None, True),
    )


@program
def capacity_as_a_lock_traced(library):
    return guarded(
        library, lambda channel: positions.send(channel, 1, None), lambda channel: positions.receive(channel, None)
    )


@program
def traced(library):
    number, sent, got = library.new_channel(2), [], []

    def send(home):
        channel = library.end(home, number)
        sent.extend(positions.send(channel, item, None) for item in (5, 6, 7, 8))
        home.words[PAYLOAD] = 1
        channel.close()

    def receive(home):
        channel = library.end(home, number)
        try:
            while True:
                got.append(positions.receive(channel, None))
        except ChannelClosed:
            assert home.words[PAYLOAD] == 1

    threads(library, send, receive)

    def look():
        assert sent == [0, 1, 2, 3] and got == [(0, 5), (1, 6), (2, 7), (3, 8)], (sent, got)

    return look


@program
def two_sends_traced(library):
    """Nothing comes behind the second send that would show it to the receiver if the send itself does not."""
    number, got = library.new_channel(4), []

    def send(home):
        channel = library.end(home, number)
        for item in (5, 6):
            positions.send(channel, item, None)

    def receive(home):
        channel = library.end(home, number)
        got.extend(positions.receive(channel, None) for _ in range(2))

    threads(library, send, receive)

    def look():
        assert got == [(0, 5), (1, 6)], got

    return look


@program
def two_join_the_waiters(library):
    """Two receivers join the waiters beside an item. One of them takes it; the sender of the next wakes that one."""
    number, got = library.new_channel(2), []
    library.end(library.home, number).send(1)

    def send(home):
        library.end(home, number).send(2)

    def receive(home):
        channel = library.end(home, number)
        channel._wait_for_item(False)
        got.append(channel.receive())

    threads(library, send, receive, receive)

    def look():
        assert sorted(got) == [1, 2], got

    return look


@program
def two_join_the_waiters_and_one_iterates(library):
    """The same, but the one that finds nothing iterates: it has taken an item before, and goes on from there."""
    number, got = library.new_channel(2), []
    library.end(library.home, number).send(0)
    iterating = library.participant()
    items = iter(library.end(iterating, number))
    next(items)

    def send(home):
        library.end(home, number).send(2)

    def receive(home):
        channel = library.end(home, number)
        channel.send(1)
        channel._wait_for_item(False)
        got.append(channel.receive())

    library.machine.start("iterate", lambda: got.append(next(items)))
    threads(library, send, receive)

    def look():
        assert sorted(got) == [1, 2], got

    return look


def closing(library, capacity, until_closed):
    """What was stored before a close is there for those who notice it."""
    number = library.new_channel(capacity)

    def close(home):
        channel = library.end(home, number)
        home.words[PAYLOAD] = 7
        channel.close()

    def notice(home):
        until_closed(library.end(home, number))
        assert home.words[PAYLOAD] == 7

    threads(library, close, notice)


@program
def closed_while_iterating(library):
    closing(library, 1, list)


@program
def closed_while_receiving(library):
    def receive(channel):
        try:
            channel.receive()
        except ChannelClosed:
            return
        raise AssertionError("an item that nobody has sent")

    closing(library, math.inf, receive)


@program
def closed_while_sending(library):
    def send(channel):
        try:
            channel.send("in a rendezvous")
        except ChannelClosed:
            return
        raise AssertionError("a partner that is none")

    closing(library, 0, send)


@program
def closed_as_a_property(library):
    number = library.new_channel(1)

    def close(home):
        home.words[PAYLOAD] = 7
        library.end(home, number).close()

    def look(home):
        if library.end(home, number).closed:
            assert home.words[PAYLOAD] == 7

    threads(library, close, look)


@program
def send_beside_a_close(library):
    number, sent, got = library.new_channel(1), [], []

    def send(home):
        try:
            library.end(home, number).send("a")
            sent.append("a")
        except ChannelClosed:
            pass

    def close(home):
        library.end(home, number).close()

    def receive(home):
        got.extend(library.end(home, number))

    threads(library, send, close, receive)

    def look():
        assert sent == got, (sent, got)

    return look


@program
def selects(library):
    first, second, got = library.new_channel(1), library.new_channel(0), []

    def send(home):
        library.end(home, first).send(1)

    def meet(home):
        library.end(home, second).send(2)

    def choose(home):
        channels = library.end(home, first), library.end(home, second)
        got.extend(select(KIND, channels, None, False).item for _ in range(2))

    threads(library, send, meet, choose)

    def look():
        assert sorted(got) == [1, 2], got

    return look


@program
def selects_to_send(library):
    number, got = library.new_channel(1), []

    def choose(home):
        channel = library.end(home, number)
        for item in (1, 2):
            select(KIND, ((channel, item),), None, False)

    def receive(home):
        channel = library.end(home, number)
        got.extend(channel.receive() for _ in range(2))

    threads(library, choose, receive)

    def look():
        assert got == [1, 2], got

    return look


@program
def limits(library):
    number, got, sent = library.new_channel(1), [], []

    def send(home):
        channel = library.end(home, number)
        for item in (1, 2):
            try:
                channel.send(item, 5)
                sent.append(item)
            except TimeoutError:
                pass

    def receive(home):
        channel = library.end(home, number)
        try:
            got.append(channel.receive(5))
        except TimeoutError:
            pass

    threads(library, send, receive)

    def look():
        assert got == sent[: len(got)], (sent, got)
        channel = library.end(library.home, number)
        assert len(channel) == len(sent) - len(got)

    return look


# Cancellation.


@program
def cancelled_while_receiving(library):
    number = library.new_channel(1)
    waiter = library.participant()
    me = waiter.first.at

    def receive():
        try:
            library.end(waiter, number).receive()
        except Cancelled:
            assert waiter.words[PAYLOAD] == 3
            return
        raise AssertionError("an item that nobody has sent")

    library.machine.start("receive", receive)

    def cancels(home):
        home.words[PAYLOAD] = 3
        cancel(home, me)

    threads(library, cancels, supervises(library, 1))


def supervises(library, most):
    """A supervisor, which wakes all tasks once that many scopes were cancelled, and looks as well when it need not."""

    def supervise(home):
        supervisor = library.supervisor(home)
        supervisor._tell_cancelled()
        scopes = 0
        while scopes < most:
            library.machine.waker(library.supervisor_waker).wait()
            supervisor._tell_cancelled()
            scopes = max((sum(seen) for seen in supervisor.seen), default=0)

    return supervise


@program
def two_are_cancelled(library):
    waiters = [library.participant() for _ in range(2)]

    def sleeps(waiter):
        def sleep():
            try:
                waiter.checkpoint()
                waiter.begin_wait()
                while True:
                    waiter.wait(None)
            except Cancelled:
                pass

        return sleep

    for waiter in waiters:
        library.machine.start("sleep", sleeps(waiter))
    threads(library, *(lambda home, at=waiter.first.at: cancel(home, at) for waiter in waiters), supervises(library, 2))


@program
def a_slot_is_taken(library):
    """A thread that takes a slot of its own in a scope that is cancelled meanwhile: it sees that, or is woken."""
    scope = library.participant().first.at
    home = library.participant(record=False)

    def sleep():
        slot = local_slot(home)
        slot.scope = scope
        home.bind_thread(slot)
        try:
            home.checkpoint()
            home.begin_wait()
            while True:
                home.wait(None)
        except Cancelled:
            pass

    library.machine.start("sleep", sleep)
    threads(library, lambda home: cancel(home, scope), supervises(library, 1))


@program
def marked_for_the_supervisor(library):
    """A mark that the supervisor takes back is one of which it has seen the scope."""
    scopes = [library.participant().first.at for _ in range(2)]
    threads(library, *(lambda home, at=at: cancel(home, at) for at in scopes), supervises(library, 2))


def struck(library, body):
    """A group that was cancelled because its time was over says so."""
    owner = library.participant()
    group = TaskGroup(participant=owner, timeout=1.0)
    group.__enter__()
    library.home.words[group._at + UNTIL] = 1
    said, not_in_time = [], group._not_in_time

    def note(cancelled):
        said.append((cancelled, not_in_time(cancelled)))

    group._not_in_time = note

    def leave():
        error = body(owner)
        group.__exit__(error and type(error), error, None)

    library.machine.start("leave", leave)

    def strike(home):
        supervisor = library.supervisor(home)
        supervisor._limits = {group._at: 1}
        supervisor._strike_limits()
        supervisor._tell_cancelled()

    threads(library, strike)

    def look():
        ((cancelled, error),) = said
        assert error is not None or not cancelled, said

    return look


@program
def struck_while_it_waits(library):
    def wait(owner):
        try:
            owner.checkpoint()
            owner.begin_wait()
            while True:
                owner.wait(None)
        except Cancelled as error:
            return error

    return struck(library, wait)


@program
def struck_at_its_end(library):
    return struck(library, lambda _: None)


@program
def a_limit_is_noted(library):
    owner = library.participant()
    at = library.home.arena.new_record()

    def begin():
        group = TaskGroup(participant=owner, timeout=1.0)
        group._at = at
        group._begin_limit()

    library.machine.start("begin", begin)

    def note(home):
        supervisor = library.supervisor(home)
        supervisor._strike_limits()
        library.machine.waker(library.supervisor_waker).wait()
        supervisor._strike_limits()

    threads(library, note)

    def look():
        assert library.home.words[at + STRUCK]

    return look


# Tasks.


def task_of(library, owner):
    """A group that is open, with one task, whose record is the second."""
    group = TaskGroup(participant=owner)
    group.__enter__()
    at = library.home.arena.new_record()
    words = library.home.words
    words[at + PARENT], words[group._at + LIVE] = group._at, 1
    task = Task(group, at, "task")
    group._tasks.append(task)
    return group, task


@program
def a_result(library):
    owner = library.participant()
    _, task = task_of(library, owner)

    def wait():
        assert task.result() == "value"
        assert owner.words[PAYLOAD] == 1

    library.machine.start("wait", wait)

    def end(home):
        home.words[PAYLOAD] = 1
        finish(home, task.at, DONE, b"\x80\x04\x8c\x05value\x94.")

    threads(library, end)


@program
def done_is_asked(library):
    owner = library.participant()
    _, task = task_of(library, owner)

    def ask():
        if task.done():
            assert owner.words[PAYLOAD] == 1

    library.machine.start("ask", ask)

    def end(home):
        home.words[PAYLOAD] = 1
        finish(home, task.at, DONE)

    threads(library, end)


@program
def a_settled_task(library):
    """What settles a task without having asked whether it is done finds all of it, or nothing."""
    owner = library.participant()
    _, task = task_of(library, owner)

    def settle():
        task.settle()
        assert (task._data, type(task._error)) in ((b"data", type(None)), (b"", TaskCancelled))

    library.machine.start("settle", settle)
    threads(library, lambda home: finish(home, task.at, DONE, b"data"))


@program
def a_group_is_left(library):
    owner = library.participant()
    group, task = task_of(library, owner)

    def leave():
        group.__exit__(None, None, None)
        assert task._data == b"data" and task._error is None

    library.machine.start("leave", leave)

    def end(home):
        finish(home, task.at, DONE, b"data")
        supervisor = library.supervisor(home)
        supervisor.tasks = {}
        supervisor.ended(task.at)

    threads(library, end)


@program
def a_run_is_broken_off(library):
    owner = library.participant()
    owner.is_parent = True
    group, task = task_of(library, owner)

    owner.death = RuntimeError("killed")

    def leave():
        owner.wait_slot().shielded = True
        owner.begin_wait()
        group._wait_for_all()
        task.settle()
        assert task._error is owner.death, task._error

    library.machine.start("leave", leave)

    def end(home):
        supervisor = library.supervisor(home)
        supervisor.break_off(owner.death)
        home.words[task.at + STATE] = DIED
        supervisor.all_gone()

    threads(library, end)


@program
def a_slot_is_taken_as_a_run_is_broken_off(library):
    """A thread that takes a slot of its own meanwhile hears of it, or is woken."""
    home = library.participant(record=False)

    def sleep():
        home.bind_thread(local_slot(home))
        try:
            home.checkpoint()
            home.begin_wait()
            while True:
                home.wait(None)
        except Cancelled:
            pass

    library.machine.start("sleep", sleep)
    threads(library, lambda home: library.supervisor(home).break_off(RuntimeError("killed")))


@program
def a_task_fails_as_the_time_is_over(library):
    """A group of which all tasks have ended knows that one of them has cancelled it: its time was not over."""
    owner = library.participant()
    group = TaskGroup(participant=owner, timeout=1.0)
    group.__enter__()
    words, at = library.home.words, library.home.arena.new_record()
    words[group._at + UNTIL], words[at + PARENT], words[group._at + LIVE] = 1, group._at, 1
    told = []
    group._not_in_time, group._collect = told.append, lambda: None

    library.machine.start("leave", lambda: group.__exit__(None, None, None))

    def end(home):
        finish(home, at, FAILED)
        supervisor = library.supervisor(home)
        supervisor.tasks = {}
        supervisor.ended(at)

    threads(library, end)

    def look():
        assert told == [True]

    return look


# Deadlocks.


@program
def places_are_told(library):
    asked = library.participant()
    at = asked.first.at
    told = []

    def tell():
        asked.own_threads = 1 << 20
        deadlocks.tell(asked, asked.first, sys._getframe())

    library.home.words[ASKED] = 1
    library.machine.start("tell", tell)

    def ask(home):
        told.extend(deadlocks.places(home, {at: "a task"}))

    threads(library, ask)

    def look():
        assert all(line.startswith("a task: ") and len(line) > 10 for line in told), told

    return look


@program
def a_deadlock_is_concluded(library):
    asked = library.participant()
    at = asked.first.at
    detector = deadlocks.DeadlockDetector(library.home, 1.0)
    detector._asked = {at: 1}
    library.home.words[ASKED] = 1

    def tell():
        asked.own_threads = 1 << 20
        deadlocks.tell(asked, asked.first, sys._getframe())

    def conclude(home):
        detector._participant = home
        detector._conclude({at: "a task"}, {at: 1})

    library.machine.start("tell", tell)
    threads(library, conclude)


# Pools.


class Work:
    """What a pool's batches are of."""

    def __init__(self):
        self.results, self.given_back, self.alone = {}, [], 0

    def put(self, first, _tasks, results):
        self.results.update(enumerate(results, first))

    def give_back(self, _first, tasks):
        self.given_back += tasks

    def took(self, _ns, _tasks):
        pass

    def name(self, task):
        return str(task)


def pool(library, body, calls, *, ring=64, worker=None, starts=False):
    """A pool with one worker, and the thread of the pool: `body(handle, batches, wait)`."""
    at, work = library.new_worker(ring), Work()
    home, its = library.participant(), library.participant()
    words = library.home.words
    group = library.home.arena.new_record()
    words[group + OWNER], words[its.first.at + PARENT] = home.first.at, group
    task = SimpleNamespace(at=its.first.at, name="worker")

    if starts:
        words[its.first.at + WAKER] = 0

    def serve():
        if starts:
            its.words[its.first.at + WAKER] = its.first.at
            Fence(library.machine).__exit__()  # the system calls that start a worker
        made = Worker(its, at)
        if worker:
            worker(made)
        elif made.begin(None, ()):
            made.work()

    def manage():
        handle = WorkerHandle(home, at, task)
        batches = []
        for number, call in enumerate(calls):
            batches.append(Batch(work, number, [call]))
            assert handle.give_call(batches[-1], pickle.dumps((call[0], call[1:], {})))
        body(handle, batches, lambda: home.wait(None))

    library.machine.start("worker", serve)
    library.machine.start("pool", manage)
    return work


def until_done(handle, _batches, wait):
    handle.collect()
    while handle.batches:
        wait()
        handle.collect()
    handle.close()


def calls_of(library, calls, body=until_done, **options):
    work = pool(library, body, calls, **options)

    def look():
        expected = [call[0](*call[1:]) for call in calls]
        assert [work.results.get(number) for number in range(len(calls))] == expected, work.results

    return look


@program
def a_call(library):
    return calls_of(library, [(abs, -5)])


@program
def a_call_that_is_looked_for(library):
    def look(made):
        made._looking = SimpleNamespace(rest=0, finds=lambda words, at, left: words[at] != left, blocked=int)
        made.work()

    return calls_of(library, [(abs, -5)], worker=look)


@program
def a_call_for_a_worker_that_starts(library):
    return calls_of(library, [(abs, -5)], starts=True)


@program
def two_calls(library):
    return calls_of(library, [(abs, -5), (abs, -6)])


@program
def calls_of_texts(library):
    return calls_of(library, [(str, 5), (str, 6)])


@program
def texts_in_a_narrow_ring(library):
    return calls_of(library, [(str, 5), (str, 6)], ring=24)


@program
def a_text_larger_than_the_ring(library):
    return calls_of(library, [(str, 10**20)], ring=16)


@program
def a_call_that_is_watched(library):
    def watch(handle, batches, wait):
        handle.watch(True)
        handle.watch(False)
        until_done(handle, batches, wait)

    return calls_of(library, [(abs, -5)], watch)


@program
def results_in_the_ring_again(library):
    """A pool that gives the next call when it has the result of the last one: places are used again."""
    results = []

    def one_by_one(handle, batches, wait):
        work = batches[0].work
        for number in range(3):
            while handle.batches:
                handle.collect()
                if handle.batches:
                    wait()
            results.append(work.results[number])
            if number < 2:
                handle.give_call(Batch(work, number + 1, ["str"]), pickle.dumps((str, (number,), {})))
        handle.close()

    pool(library, one_by_one, [(str, 7)], ring=24)

    def look():
        assert results == ["7", "0", "1"], results

    return look


@program
def a_call_is_taken_back(library):
    """Either the worker does it, or the pool has it back."""
    done = []

    def serve(made):
        made._call_alone = done.append
        made.work()

    def take_back(handle, batches, wait):
        handle.take_back(batches[0])
        until_done(handle, batches, wait)

    work = pool(library, take_back, [(abs, -5)], worker=serve)

    def look():
        assert len(done) + len(work.given_back) == 1, (done, work.given_back)

    return look


@program
def a_worker_is_unfit(library):
    def fail():
        raise ValueError("on purpose")

    def look_at_error(handle, _batches, _wait):
        error = handle.initializer_error()
        assert error is None or type(error) is ValueError

    pool(library, look_at_error, [], worker=lambda made: made.begin(fail, ()), ring=4096)


@program
def a_worker_ends(library):
    """What a worker has left behind that has ended is there to be collected."""
    said = []

    def one_call(made):
        made.wait_for_work()
        made._do(0)
        made.ordered[LEFT] = 1
        finish(made.participant, made.participant.first.at, DONE)

    def look_at_end(handle, _batches, _wait):
        ended = handle.has_ended()
        handle.collect()
        said.append((ended, len(handle.batches)))

    pool(library, look_at_end, [(abs, -5)], worker=one_call)

    def look():
        assert (True, 1) not in said, said

    return look


@program
def a_worker_starts_while_the_pool_closes(library):
    """It gets its waker, or sees that there is nothing to do."""
    at = library.new_worker()
    home, its = library.participant(), library.participant()
    library.home.words[its.first.at + WAKER] = 0
    task = SimpleNamespace(at=its.first.at, name="worker")

    def start():
        its.words[its.first.at + WAKER] = its.first.at
        Fence(library.machine).__exit__()  # the system calls that start a worker
        Worker(its, at).wait_for_work()

    library.machine.start("worker", start)
    library.machine.start("pool", lambda: WorkerHandle(home, at, task).close())


@program
def what_a_worker_can_not_read(library):
    """A batch that could not be read has not begun, though the worker is beyond it."""
    begun = []

    def count(handle, batches, _wait):
        begun.append(handle.begun(batches[0]))

    def skip(made):
        made.words[slot(0) + UNREAD] = 1
        made.ordered[LEFT] = 1
        made._do_each(MOST + 1, slot(1) + STOP, abs, [-6])

    pool(library, count, [(abs, -5), (abs, -6)], worker=skip)

    def look():
        assert begun == [0], begun

    return look
