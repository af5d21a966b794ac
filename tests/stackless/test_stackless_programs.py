"""Programs on Stackless's API: one of 2010, in threads, at their end; and programs of the model of that model."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import interruptible
import pytest
from stackless_helper import blocked, fixture_log, tidy  # noqa: F401 - fixtures

import concmodels.stackless as stackless
from concmodels.errors import TaskCancelled
from concmodels.models import tasklets
from concmodels.stackless import channel, schedule, tasklet

PROGRAM = Path(__file__).parent / "stackless_ring.py"

# The program


def test_the_ring_of_2010_runs_unchanged():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", PROGRAM, "300", "50"], capture_output=True, text=True, timeout=50
    )
    assert done.returncode == 0 and not done.stderr
    assert "300 nodes, 50 messages: 15000 hops" in done.stdout


def test_a_program_that_says_import_stackless(log):
    sys.modules["stackless"] = stackless
    try:
        code = "import stackless\nfrom stackless import *\ntasklet(log.append)(stackless.current is getmain())\nrun()"
        exec(code, {"log": log})
    finally:
        del sys.modules["stackless"]
    assert log == [True] and stackless.stackless is stackless


def test_a_chain_of_ten_thousand_where_each_starts_the_next():
    def link(left, out):
        if not left:
            return out.send(0)
        back = channel()
        tasklet(link)(left - 1, back)
        return out.send(back.receive() + 1)

    out = channel()
    tasklet(link)(10_000, out)
    assert out.receive() == 10_000


def test_a_tasklet_has_room_for_its_own_recursion():
    def down(level):
        return down(level - 1) if level else done.send(True)

    done = channel()
    for _ in range(3):
        tasklet(down)(700)
    assert [done.receive() for _ in range(3)] == [True] * 3


# Threads, and the end


def in_a_thread(function):
    result = []
    thread = threading.Thread(target=lambda: result.append(function()))
    thread.start()
    thread.join()
    return result[0]


def test_every_thread_has_its_own_ring(log):
    tasklet(log.append)("here")

    def other():
        tasklet(log.append)("there")
        stackless.run()
        return stackless.getmain(), stackless.getruncount()

    main, count = in_a_thread(other)
    assert log == ["there"] and count == 1 and main is not stackless.getmain() and main.thread_id == -1
    assert stackless.getmain().thread_id == threading.get_ident()


def test_each_thread_that_is_listed_has_an_answer():
    """A thread that has never used the module has no tasklets, so it is not listed."""
    used, done = threading.Event(), threading.Event()

    def uses():
        stackless.getmain()
        used.set()
        done.wait()

    others = [threading.Thread(target=done.wait), threading.Thread(target=uses)]
    for thread in others:
        thread.start()
    try:
        used.wait()
        assert stackless.threads[0] == threading.main_thread().ident
        assert set(stackless.threads) >= {threading.get_ident(), others[1].ident}
        for ident in stackless.threads:
            main, current, count = stackless.get_thread_info(ident)
            assert main.thread_id == ident and main is current and count >= 1
        assert others[0].ident not in stackless.threads
    finally:
        done.set()
        for thread in others:
            thread.join()
    assert others[1].ident not in stackless.threads


def test_what_does_not_work_across_threads():
    meeting, unit = channel(), tasklet(schedule)()
    blocked(meeting.receive)

    def other():
        for operation in (unit.run, unit.switch, unit.kill, lambda: meeting.send(1)):
            with pytest.raises(RuntimeError, match="thread"):
                operation()
        return True

    assert in_a_thread(other)
    assert meeting.balance == -1 and unit.scheduled


def test_a_tasklet_that_has_not_begun_can_move_to_another_thread(log):
    unit = tasklet(lambda: log.append(threading.get_ident()), ())

    def other():
        unit.bind_thread()
        unit.run()
        return threading.get_ident()

    assert [in_a_thread(other)] == log
    with pytest.raises(RuntimeError, match="no tasklets"):
        unit.bind_thread(1)
    with pytest.raises(RuntimeError, match="only a tasklet"):
        waiting = blocked(channel().receive)
        waiting._scheduler, mine = None, waiting._scheduler
        try:
            waiting.bind_thread()
        finally:
            waiting._scheduler = mine


LEFTOVERS = """
import concmodels.stackless as stackless

def wait(name):
    try:
        stackless.channel().receive()
    finally:
        print(name, "cleaned up")

def stubborn():
    while True:
        try:
            stackless.channel().receive()
        except TaskletExit:
            pass

for name in "ab":
    stackless.tasklet(wait)(name)
stackless.tasklet(stubborn)()
stackless.tasklet(stackless.schedule_remove)()
stackless.run()
stackless.tasklet(wait)("never begun")
print("end")
"""


def test_what_waits_for_ever_is_killed_at_the_end_without_a_warning():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", "-c", LEFTOVERS], capture_output=True, text=True, timeout=50
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.split("\n")
    assert lines[0] == "end" and sorted(lines[1:3]) == ["a cleaned up", "b cleaned up"]


BEGUN = f"""
import runpy, sys
print("begun", flush=True)
sys.argv = ["stackless_ring.py", "300", "100000"]
runpy.run_path({str(PROGRAM)!r}, run_name="__main__")
"""
"""Before the first line of a program, Ctrl-C is for the start of Python, which then ends with status 1."""


@pytest.mark.parametrize("pause", [0.1, 0.33, 0.57])
def test_ctrl_c_ends_the_program_cleanly(pause):
    program = interruptible.popen([sys.executable, "-W", "error", "-c", BEGUN])
    try:
        assert program.stdout.readline() == "begun\n"
        time.sleep(pause)  # the import, the set-up, the run
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=50)
    finally:
        program.kill()
    assert program.returncode == -signal.SIGINT
    assert errors.endswith("KeyboardInterrupt\n") and errors.count("Traceback") == 1


# The same model, where it differs from the greenlet model


@pytest.mark.parametrize("preference, sender_waits, order", [
    (-1, False, "rbs"), (-1, True, "rbs"), (1, False, "sbr"), (1, True, "sbr"), (0, False, "sbr"), (0, True, "rbs"),
])  # fmt: skip
def test_who_goes_on_first_in_the_model(preference, sender_waits, order, log):
    meeting = tasklets.Channel()
    meeting.preference = preference

    def send():
        meeting.send("item")
        log.append("s")

    def receive():
        assert meeting.receive() == "item"
        log.append("r")

    def main():
        with tasklets.TaskGroup() as group:
            group.spawn(send if sender_waits else receive)
            group.spawn(receive if sender_waits else send)
            group.spawn(log.append, "b")

    tasklets.run(main)
    assert "".join(log) == order


@pytest.mark.parametrize("receivers", [1, 2, 3, 4])
@pytest.mark.parametrize("senders", [1, 2, 3])
def test_those_who_hand_over_in_turn_and_never_wait_can_all_be_cancelled(senders, receivers):
    def main():
        meeting, sent = tasklets.Channel(), []

        def send():
            while True:
                meeting.send(None)
                sent.append(None)

        with tasklets.TaskGroup() as group:
            for _ in range(receivers):
                group.spawn(lambda: [None for _ in meeting])
            units = [group.spawn(send) for _ in range(senders)]
            while len(sent) < 2000:
                tasklets.sleep(0)
            for unit in units:
                unit.cancel()
                with pytest.raises(TaskCancelled):
                    unit.result(50)
            meeting.close()

    tasklets.run(main)


@pytest.mark.parametrize("capacity", [0, 3, float("inf")])
def test_ten_thousand_tasks_where_each_spawns_the_next(capacity):
    def link(group, left, done):
        if left:
            group.spawn(link, group, left - 1, done)
        else:
            done.send("end")

    def main():
        done = tasklets.Channel(capacity)
        with tasklets.TaskGroup() as group:
            group.spawn(link, group, 10_000, done)
            return done.receive()

    assert tasklets.run(main) == "end"
