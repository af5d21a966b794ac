"""What is special to the models with borders: processes and subinterpreters."""

import gc
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import interruptible
import pytest

from concmodels.errors import CannotTravel, ChannelClosed, RemoteError, TaskCancelled, TaskDied, WouldBlock
from concmodels.models import _arena, _channel_memory, _keeper, processes, subinterp

PIPE, QUEUE = subinterp.variant("pipe"), subinterp.variant("queue")
FORK, SPAWN = processes.variant("fork"), processes.variant("spawn")
BOTH = [pytest.param(processes, id="processes"), pytest.param(subinterp, id="subinterp")]
ALL = [
    *BOTH,
    pytest.param(FORK, id="fork"),
    pytest.param(SPAWN, id="spawn"),
    pytest.param(PIPE, id="pipe"),
    pytest.param(QUEUE, id="queue"),
]
HERE = str(Path(__file__).parent)


SEMAPHORES = []


def noting_names(arena, name_locks=_keeper._name_locks):
    semaphores = name_locks(arena)
    SEMAPHORES.extend("sem." + semaphore._semlock.name.strip("/") for semaphore in semaphores)
    return semaphores


@pytest.fixture(scope="session")
def servers():
    """What multiprocessing keeps as long as the program lives: its forkserver and its resource tracker."""
    processes.run(main_one_task)


def main_one_task():
    with processes.TaskGroup() as group:
        group.spawn(os.getpid)


@pytest.fixture(autouse=True)
def nothing_left_behind(monkeypatch, servers):
    """No descriptor, thread, interpreter, semaphore or child process of a run outlives it."""
    monkeypatch.setattr(_keeper, "_name_locks", noting_names)
    before = _inventory()
    yield
    gc.collect()
    until = time.monotonic() + 2
    while (after := _inventory()) != before and time.monotonic() < until:
        time.sleep(0.01)
    assert after == before


def _inventory():
    from concurrent import interpreters

    return {
        "descriptors": sorted(
            os.readlink(f"/proc/self/fd/{fd}").partition(":")[0]
            for fd in os.listdir("/proc/self/fd")
            if os.path.islink(f"/proc/self/fd/{fd}") and "/proc" not in os.readlink(f"/proc/self/fd/{fd}")
        ),
        "threads": sorted(thread.name for thread in threading.enumerate() if "pytest" not in thread.name),
        "interpreters": len(interpreters.list_all()),
        "semaphores": set(os.listdir("/dev/shm")) & set(SEMAPHORES),
        "children": _offspring(os.getpid()),
    }


def _offspring(pid):
    """All processes below this one that are not multiprocessing's own servers."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if b"resource_tracker" not in command and b"forkserver" not in command:
            found.append(child)
        found += _offspring(child) if Path(f"/proc/{child}").exists() else []
    return found


def offspring_of(pid):
    try:
        return _offspring(pid)
    except OSError:
        return []


# Task functions.


def echo(incoming, outgoing):
    for item in incoming:
        outgoing.send(item)
    outgoing.close()


def wait_for_ever(room, ready=None):
    if ready is not None:
        ready.send(os.getpid())
    room.sleep(3600)


def receive_for_ever(channel):
    channel.receive()


def compute_for_ever(ready=None):
    if ready is not None:
        ready.send(os.getpid())
    while True:
        pass


def stream_for_ever(room, channel, ready):
    ready.send(1)
    mine = room.Channel(8)
    while True:
        mine.send(1)
        mine.receive()


class OwnError(Exception):
    def __init__(self, number):
        super().__init__(number)
        self.number = number


class Stubborn(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


class Poisoned:
    def __reduce__(self):
        return int, ("this is no number",)


def fail(error):
    raise error


def raise_own(number):
    raise OwnError(number)


def raise_stubborn():
    raise Stubborn(1, 2)


def exit_with(status):
    raise SystemExit(status)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def leave_without_a_word():
    os._exit(7)


def lambda_result():
    return lambda: 1


def close_stdout():
    os.close(1)
    sys.stdout = None
    return "done"


def modules():
    return sorted(sys.modules)


def identity(value):
    return value


def spawn_below(room, depth, channel):
    if depth == 0:
        channel.send(os.getpid())
        return 1
    with room.TaskGroup() as group:
        task = group.spawn(spawn_below, room, depth - 1, channel)
    return task.result() + 1


def send_channel(room, outgoing):
    made_here = room.Channel(math.inf, name="made in a child")
    made_here.send("first")
    outgoing.send(made_here)
    made_here.send("second")
    made_here.close()


def send_range(channel, start, stop):
    for number in range(start, stop):
        channel.send(number)


def count_into(incoming, outgoing):
    outgoing.send(list(incoming))


def swallow(room, ready):
    times = 0
    ready.send(None)
    try:
        while times < 3:
            try:
                room.sleep(60)
            except room.Cancelled:
                times += 1
    finally:
        ready.send_nowait(times)
    raise room.Cancelled


def run_in(room, main, *args):
    return room.run(main, room, *args)


# Journeys.


def main_big(room, size):
    there, back = room.Channel(2), room.Channel(0)
    data = os.urandom(size)
    with room.TaskGroup() as group:
        group.spawn(echo, there, back)
        for _ in range(3):
            there.send(data)
            assert back.receive() == data
        there.close()


@pytest.mark.parametrize("room", ALL)
@pytest.mark.parametrize("size", [10, 5000, 70_000, 3_000_000])
def test_payloads_of_any_size(room, size):
    room.run(main_big, room, size)


VALUES = [0, -1, 1 << 61, -(1 << 61), (1 << 62) - 1, 1 << 62, -(1 << 62), -(1 << 62) - 1]
VALUES += [(1 << 63) - 1, 1 << 63, -(1 << 63)]
VALUES += [10**40, None, True, False, 1.5, "x", b"", (), [1, [2]], {"a": {1}}, ChannelClosed, os.getpid]


def main_values(room, capacity):
    there, back = room.Channel(capacity), room.Channel(capacity)
    with room.TaskGroup() as group:
        group.spawn(echo, there, back)
        for value in VALUES:
            there.send(value)
            answer = back.receive()
            assert answer == value
            assert type(answer) is type(value)
        there.close()


@pytest.mark.parametrize("room", ALL)
@pytest.mark.parametrize("capacity", [0, 1, math.inf])
def test_values_arrive_as_they_were(room, capacity):
    room.run(main_values, room, capacity)


def main_channels(room):
    outer = room.Channel(0)
    with room.TaskGroup() as group:
        group.spawn(send_channel, room, outer)
        inner = outer.receive()
        assert inner.name == "made in a child"
        assert list(inner) == ["first", "second"]


@pytest.mark.parametrize("room", ALL)
def test_a_channel_made_in_a_child_travels_through_a_channel(room):
    room.run(main_channels, room)


def main_grandchildren(room):
    channel = room.Channel(math.inf)
    with room.TaskGroup() as group:
        task = group.spawn(spawn_below, room, 3, channel)
    assert task.result() == 4
    assert channel.receive() > 0


@pytest.mark.parametrize("room", ALL)
def test_grandchildren(room):
    room.run(main_grandchildren, room)


def main_many(room, capacity):
    channel, results = room.Channel(capacity), room.Channel(math.inf)
    with room.TaskGroup() as group:
        for _ in range(3):
            group.spawn(count_into, channel, results)
        with room.TaskGroup() as senders:
            for number in range(3):
                senders.spawn(send_range, channel, 1000 * number, 1000 * number + 300)
        channel.close()
        got = [results.receive() for _ in range(3)]
    everything = sorted(sum(got, []))
    assert everything == [number for start in (0, 1000, 2000) for number in range(start, start + 300)]
    for items in got:
        for start in (0, 1000, 2000):
            own = [number for number in items if start <= number < start + 1000]
            assert own == sorted(own)


@pytest.mark.parametrize("room", [processes, subinterp, PIPE])
@pytest.mark.parametrize("capacity", [0, 1, 7, math.inf])
def test_many_senders_and_receivers(room, capacity):
    room.run(main_many, room, capacity)


def main_memory(room, item, count):
    channel, back = room.Channel(math.inf), room.Channel(1)
    sizes = []
    with room.TaskGroup() as group:
        group.spawn(echo, channel, back)
        for number in range(count):
            channel.send(item)
            back.receive()
            if number in (count // 2, count - 1):
                sizes.append(os.fstat(channel.home.arena.fd).st_blocks * 512)
        channel.close()
    assert sizes[1] <= max(sizes[0] * 1.1, sizes[0] + (1 << 20)), sizes
    assert sizes[1] < 8 << 20


@pytest.mark.parametrize("room", BOTH)
@pytest.mark.parametrize(("item", "count"), [(b"x" * 1000, 3000), (b"x" * 300_000, 60)], ids=["ring", "blocks"])
def test_memory_stays_flat(room, item, count, monkeypatch):
    room.run(main_memory, room, item, count)


def test_pages_of_words_go_back():
    def main():
        channel = subinterp.Channel(math.inf)
        for _ in range(3):
            for number in range(100_000):
                channel.send(number)
            for number in range(100_000):
                assert channel.receive() == number
        return os.fstat(channel.home.arena.fd).st_blocks * 512

    assert subinterp.run(main) < 2_000_000


def test_a_ring_wraps_around():
    def main():
        channel = subinterp.Channel(math.inf)
        words, expected = 1 << 17, 0
        for start in range(0, 5 * words, 50_000):
            for number in range(start, start + 50_000):
                channel.send(number)
            for _ in range(50_000):
                assert channel.receive() == expected
                expected += 1
        data = 0
        for start in range(200):
            for number in range(40):
                channel.send((start, number, "x" * 700))
            for number in range(40):
                assert channel.receive()[:2] == (start, number)
                data += 700
        with pytest.raises(MemoryError, match="channel_bytes"):
            while True:
                channel.send(1)

    subinterp.run(main, channel_bytes=1 << 20)


# Failures.


def main_error(room, function, *args):
    with room.TaskGroup() as group:
        group.spawn(wait_for_ever, room)
        group.spawn(function, *args, name="the culprit")


@pytest.mark.parametrize("room", ALL)
def test_an_exception_keeps_its_type(room):
    with pytest.raises(ExceptionGroup) as caught:
        room.run(main_error, room, raise_own, 42)
    (error,) = caught.value.exceptions
    assert type(error) is OwnError
    assert error.number == 42
    assert "the culprit" in error.__notes__[0]
    assert "raise_own" in error.__notes__[0]


@pytest.mark.parametrize("room", BOTH)
def test_an_exception_that_cannot_travel_is_a_remote_error(room):
    for function, args in ((raise_stubborn, ()), (lambda_result, ())):
        with pytest.raises(ExceptionGroup) as caught:
            room.run(main_error, room, function, *args)
        (error,) = caught.value.exceptions
        if function is raise_stubborn:
            assert type(error) is RemoteError
            assert error.task == "the culprit"
            assert "Stubborn: 1 2" in error.traceback
        else:
            assert type(error) is CannotTravel


def main_poison(room):
    with room.TaskGroup() as group:
        group.spawn(identity, Poisoned())


@pytest.mark.parametrize("room", BOTH)
def test_an_exception_raised_while_unpickling(room):
    with pytest.raises(ExceptionGroup) as caught:
        room.run(main_poison, room)
    assert type(caught.value.exceptions[0]) is ValueError


@pytest.mark.parametrize("room", BOTH)
def test_system_exit_in_a_child_leaves_bare(room):
    with pytest.raises(SystemExit) as caught:
        room.run(main_error, room, exit_with, 5)
    assert caught.value.code == 5


def test_a_child_that_closes_its_standard_output():
    def main():
        with processes.TaskGroup() as group:
            task = group.spawn(close_stdout)
        return task.result()

    assert processes.run(main) == "done"


@pytest.mark.parametrize("function", [die, leave_without_a_word])
@pytest.mark.parametrize("room", [processes, FORK, SPAWN])
def test_a_process_that_dies_ends_the_run(room, function):
    with pytest.raises(ExceptionGroup) as caught:
        room.run(main_error, room, function)
    (error,) = caught.value.exceptions
    assert type(error) is TaskDied
    assert "the culprit" in str(error)


def main_killed_from_outside(room, below, moments):
    ready, silent = room.Channel(math.inf), room.Channel(0)
    with room.TaskGroup() as group:
        for _ in range(3):
            group.spawn(receive_for_ever, silent)
        if below:
            group.spawn(nest, room, ready, name="middle")
        else:
            group.spawn(wait_for_ever, room, ready, name="victim")
        victim = ready.receive()
        moments.append(time.monotonic())
        os.kill(victim, signal.SIGKILL)
        silent.receive()


def nest(room, ready):
    with room.TaskGroup() as group:
        group.spawn(wait_for_ever, room, ready, name="victim")


@pytest.mark.parametrize("below", [False, True])
def test_sigkill_of_a_node_is_noticed(below):
    moments = []
    with pytest.raises(ExceptionGroup) as caught:
        processes.run(main_killed_from_outside, processes, below, moments)
    (error,) = caught.value.exceptions
    assert type(error) is TaskDied
    assert "victim" in str(error)
    assert time.monotonic() - moments[0] < 2  # a tenth of a second, on a machine that does nothing else


def main_compute(room, ready_function):
    ready = room.Channel(math.inf)
    with room.TaskGroup() as group:
        task = group.spawn(ready_function, *([ready] if ready_function is compute_for_ever else [room, ready, ready]))
        ready.receive()
        group.cancel()
    with pytest.raises(TaskCancelled):
        task.result()
    return ready


def main_compute_then_go_on(room):
    main_compute(room, compute_for_ever)
    main_compute(room, stream_for_ever)
    channel = room.Channel(math.inf)
    with room.TaskGroup() as group:  # no lock was lost
        group.spawn(send_range, channel, 0, 10)
    assert len(channel) == 10


def test_who_only_computes_is_ended(monkeypatch):
    monkeypatch.setattr(_keeper, "GRACE_S", 0.1)
    processes.run(main_compute_then_go_on, processes)


def main_swallow(room):
    ready = room.Channel(math.inf)
    with room.TaskGroup() as group:
        task = group.spawn(swallow, room, ready)
        ready.receive()
        task.cancel()
        with pytest.raises(TaskCancelled):
            task.result(5)
    assert ready.receive(1) == 3


@pytest.mark.parametrize("room", BOTH)
def test_a_swallowed_cancellation_is_raised_again(room):
    room.run(main_swallow, room)


def main_cancelled_body(room):
    never = room.Channel(0)
    with room.TaskGroup() as group:
        group.spawn(raise_own, 1)
        never.receive()


@pytest.mark.parametrize("room", BOTH)
def test_a_failure_cancels_the_body(room):
    with pytest.raises(ExceptionGroup) as caught:
        room.run(main_cancelled_body, room)
    assert [type(error) for error in caught.value.exceptions] == [OwnError]


def main_result(room):
    with room.TaskGroup() as group:
        slow = group.spawn(wait_for_ever, room)
        with pytest.raises(TimeoutError):
            slow.result(0.05)
        fine = group.spawn(identity, {"a": [1]})
        assert fine.result(10) == {"a": [1]}
        assert fine.done()
        slow.cancel()
    assert fine.result() == {"a": [1]}
    with pytest.raises(TaskCancelled):
        slow.result()


@pytest.mark.parametrize("room", BOTH)
def test_results(room):
    room.run(main_result, room)


# What can't travel.


def generator():
    yield 1


def refusals():
    def nested():
        pass

    yield "lambda", lambda: None, ()
    yield "inside a function", nested, ()
    yield "argument 2.*TextIOWrapper", identity, (1, sys.__stderr__)
    yield "argument 1.*lock", identity, (threading.Lock(),)
    yield "argument 1.*generator", identity, (generator(),)
    yield "module 'os'", identity, (os,)
    yield "argument 1.*lambda", identity, (lambda: None,)


def main_refuse(room, other):
    with room.TaskGroup() as group:
        for sentence, function, args in refusals():
            with pytest.raises(CannotTravel, match=sentence):
                group.spawn(function, *args)
        with pytest.raises(CannotTravel, match="another run"):
            group.spawn(identity, other)
        with pytest.raises(CannotTravel, match="lock|belongs"):
            group.spawn(identity, threads_channel())
        assert group.spawn(identity, room).result() == room


def threads_channel():
    from concmodels.models import threads

    return threads.Channel(0)


@pytest.mark.parametrize("room", BOTH)
def test_what_cannot_travel_is_refused(room):
    other = subinterp if room is processes else processes

    def outer():
        room.run(main_refuse, room, other.Channel(1))

    other.run(outer)


def run_script(tmp_path, text, *, check=True):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(text))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    if check:
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
    return done


MAIN = """
    import math
    from concmodels.models import {room} as room

    class Own(Exception):
        pass

    class Point:
        def __init__(self, x):
            self.x = x

    def task(channel):
        channel.send(Point(3))
        raise Own("from the main program")

    def main():
        channel = room.Channel(math.inf)
        try:
            with room.TaskGroup() as group:
                group.spawn(task, channel)
        except* Own as errors:
            print(type(errors.exceptions[0]) is Own, type(channel.receive()) is Point)

"""


@pytest.mark.parametrize("room", ["processes", "subinterp"])
def test_functions_of_a_guarded_main_program(tmp_path, room):
    guarded = MAIN.format(room=room) + "    if __name__ == '__main__':\n        room.run(main)\n"
    assert run_script(tmp_path, guarded).stdout == "True True\n"


@pytest.mark.parametrize("room", ["processes", "subinterp"])
def test_functions_of_an_unguarded_main_program_are_refused(tmp_path, room):
    done = run_script(tmp_path, MAIN.format(room=room) + "    room.run(main)\n", check=False)
    assert "CannotTravel" in done.stderr
    assert "guard" in done.stderr


@pytest.mark.parametrize("room", ["processes", "subinterp"])
def test_functions_typed_at_a_prompt_are_refused(room):
    program = textwrap.dedent(MAIN.format(room=room)) + "\nroom.run(main)\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert "CannotTravel" in done.stderr
    assert "prompt" in done.stderr


# Channels outside their run.


@pytest.mark.parametrize("room", ALL)
def test_a_channel_outside_its_run(room):
    kept = []

    def main():
        channel = room.Channel(3)
        channel.send(1)
        kept.append(channel)
        kept.append(iter(channel))

    room.run(main)
    channel = kept[0]
    for use in (channel.receive, channel.receive_nowait, channel.close, lambda: channel.send(1), lambda: len(channel)):
        with pytest.raises(RuntimeError, match="run that is over"):
            use()
    with pytest.raises(RuntimeError):
        room.Channel(1)
    with pytest.raises(RuntimeError):
        room.run(lambda: room.run(int))


@pytest.mark.parametrize("room", [processes, subinterp])
def test_runs_outside_the_main_thread_and_beside_each_other(room):
    results = []
    workers = [threading.Thread(target=lambda: results.append(room.run(main_result, room))) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [None] * 3


def test_fork_is_refused_while_interpreters_live():
    from concurrent import interpreters

    interpreter = interpreters.create()
    try:
        with pytest.raises(RuntimeError, match="subinterpreters"):
            FORK.run(int)
    finally:
        interpreter.close()


# What a child imports.

HEAVY = {"typing", "dataclasses", "enum", "inspect", "argparse", "rich", "asyncio", "threading", "socket", "pickle"}


def main_modules(room):
    with room.TaskGroup() as group:
        return group.spawn(modules).result()


def main_light(room):
    import operator

    with room.TaskGroup() as group:
        return group.spawn(operator.attrgetter("modules"), sys).result()


LIGHT = """
    from concmodels.models import subinterp as room
    import light

    def main():
        with room.TaskGroup() as group:
            print(*group.spawn(light.modules).result())

    if __name__ == "__main__":
        room.run(main)
"""


def test_what_an_interpreter_imports(tmp_path):
    (tmp_path / "light.py").write_text("import sys\ndef modules():\n    return sorted(sys.modules)\n")
    loaded = set(run_script(tmp_path, LIGHT).stdout.split())
    assert not loaded & HEAVY, loaded & HEAVY
    ours = {name for name in loaded if name.startswith("concmodels.models._")}
    names = [
        "arena",
        "border",
        "border_channel",
        "border_group",
        "channel_memory",
        "child",
        "colour",
        "rendezvous",
        "travel",
    ]
    assert ours <= {f"concmodels.models._{name}" for name in names}


def test_a_process_imports_nothing_heavy_of_ours(tmp_path):
    (tmp_path / "light.py").write_text("import sys\ndef modules():\n    return sorted(sys.modules)\n")
    program = LIGHT.replace("subinterp", "processes").replace("print(", "print(end='', *'') or print(")
    loaded = set(run_script(tmp_path, program).stdout.split())
    assert not loaded & {"typing", "dataclasses", "inspect", "argparse", "rich", "asyncio"}


# The parent dies.

ORPHANS = """
    import math, os, sys
    sys.path.insert(0, {here!r})
    from concmodels.models import _arena, processes
    import test_borders as t

    def main(room):
        ready = room.Channel(math.inf)
        with room.TaskGroup() as group:
            group.spawn(t.wait_for_ever, room, ready)
            group.spawn(t.compute_for_ever, ready)
            group.spawn(t.nest, room, ready)
            pids = [ready.receive() for _ in range(3)]
            print(*pids, flush=True)
            arena = ready.home.arena
            print("sem." + arena.get(8 * _arena.LOCK_NAMES, 32).rstrip(bytes(1)).decode().strip("/"), flush=True)
            room.sleep(60)

    if __name__ == "__main__":
        room = processes.variant({method!r})
        room.run(main, room)
"""


def start_script(tmp_path, text):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(text))
    return interruptible.popen([sys.executable, str(script)])


def gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.parametrize("method", ["forkserver", "spawn", "fork"])
def test_children_end_with_their_parent(tmp_path, method):
    with start_script(tmp_path, ORPHANS.format(here=HERE, method=method)) as parent:
        pids = parent.stdout.readline().split()
        assert len(pids) == 3, parent.stderr.read()
        semaphore = parent.stdout.readline().strip()
        assert os.path.exists(f"/dev/shm/{semaphore}")
        everybody = offspring_of(parent.pid) + pids
        parent.kill()
        until = time.monotonic() + 1
        while not all(gone(pid) for pid in everybody) and time.monotonic() < until:
            time.sleep(0.01)
        assert [pid for pid in everybody if not gone(pid)] == []
        while os.path.exists(f"/dev/shm/{semaphore}") and time.monotonic() < until + 2:
            time.sleep(0.01)  # the resource tracker removes it
        assert not os.path.exists(f"/dev/shm/{semaphore}")


INTERRUPTED = """
    import math, os, sys
    sys.path.insert(0, {here!r})
    import test_borders as t
    from concmodels.models import {room} as room

    def main():
        ready, never = room.Channel(math.inf), room.Channel(0)
        with room.TaskGroup() as group:
            group.spawn(t.wait_for_ever, room, ready)
            group.spawn(t.receive_for_ever, never)
            {compute}
            ready.receive()
            print("ready", flush=True)
            {wait}

    if __name__ == "__main__":
        try:
            room.run(main)
        except KeyboardInterrupt as error:
            print("interrupted", flush=True)
"""


WAITS = ["never.receive()", "never.send(1)", "room.sleep(60)", "pass", "while True: len(never)"]


@pytest.mark.parametrize("wait", WAITS)
@pytest.mark.parametrize("room", ["processes", "subinterp"])
def test_ctrl_c(tmp_path, room, wait):
    compute = "group.spawn(t.compute_for_ever)" if room == "processes" else ""
    program = INTERRUPTED.format(here=HERE, room=room, wait=wait, compute=compute)
    with start_script(tmp_path, program) as parent:
        assert parent.stdout.readline() == "ready\n", parent.stderr.read()
        began = time.monotonic()
        parent.send_signal(signal.SIGINT)
        out, err = parent.communicate(timeout=20)
        assert (out, err, parent.returncode) == ("interrupted\n", "", 0)
        assert time.monotonic() - began < 5  # half a second, on a machine that does nothing else


# The rendezvous.


def main_nowait(room):
    channel, results = room.Channel(0), room.Channel(math.inf)
    with pytest.raises(WouldBlock):
        channel.send_nowait(1)
    with pytest.raises(WouldBlock):
        channel.receive_nowait()
    with pytest.raises(TimeoutError):
        channel.send(1, 0.01)
    with pytest.raises(TimeoutError):
        channel.receive(0.01)
    with room.TaskGroup() as group:
        for _ in range(2):
            group.spawn(receive_into, channel, results)
        sent = 0
        while sent < 2:
            try:
                channel.send_nowait(sent)
            except WouldBlock:
                room.sleep(0.001)
            else:
                sent += 1
    assert {results.receive(), results.receive()} == {0, 1}
    with pytest.raises(WouldBlock):
        channel.send_nowait(1)


def receive_into(channel, results):
    results.send(channel.receive())


@pytest.mark.parametrize("room", BOTH)
def test_nowait_on_a_rendezvous(room):
    room.run(main_nowait, room)


def main_close_refuses(room):
    channel, results = room.Channel(0), room.Channel(math.inf)
    with room.TaskGroup() as group:
        for number in range(3):
            group.spawn(send_or_tell, channel, number, results)
        while waiting_senders(channel) < 3:
            room.sleep(0.001)
        channel.close()
        with pytest.raises(ChannelClosed):
            channel.receive()
        assert [results.receive() for _ in range(3)] == ["refused"] * 3


def waiting_senders(channel):
    words, count = channel.home.words, 0
    with channel.home.arena.claim:
        record = words[channel._at + _channel_memory.SENDERS]
        while record:
            record, count = words[record + _arena.NEXT], count + 1
    return count


def send_or_tell(channel, item, results):
    try:
        channel.send(item)
    except ChannelClosed:
        results.send("refused")


@pytest.mark.parametrize("room", [processes, subinterp, PIPE])
def test_close_refuses_who_waits_on_a_rendezvous(room):
    room.run(main_close_refuses, room)


def hammer(channel, results, timeout, start):
    sent = []
    for number in range(start, start + 200):
        try:
            channel.send(number, timeout)
            sent.append(number)
        except TimeoutError:
            pass
    results.send(sent)


def main_timeouts(room, capacity):
    channel, results = room.Channel(capacity), room.Channel(math.inf)
    received = []
    with room.TaskGroup() as group:
        for number in range(3):
            group.spawn(hammer, channel, results, 0.0005, 1000 * number)
        sent = []
        while len(results) < 3:
            try:
                received.append(channel.receive(0.0005))
            except TimeoutError:
                pass
        while True:
            try:
                received.append(channel.receive(0))
            except TimeoutError:
                break
        for _ in range(3):
            sent += results.receive()
    assert sorted(received) == sorted(sent)


@pytest.mark.parametrize("room", [processes, subinterp, PIPE, QUEUE])
@pytest.mark.parametrize("capacity", [0, 1])
def test_a_timeout_and_a_partner_agree(room, capacity):
    room.run(main_timeouts, room, capacity)


def test_the_arena_uses_blocks_again():
    arena = _arena.Arena.create()
    try:
        first = arena.allocate(1000)
        second = arena.allocate(100_000)
        arena.free(first, 1000)
        arena.free(second, 100_000)
        assert arena.allocate(1020) == first
        assert arena.allocate(70_000) == second
    finally:
        arena.close(last=True)
        os.close(arena.fd)
