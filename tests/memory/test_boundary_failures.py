"""What fails across a memory boundary, who is killed there, and who is cancelled."""

import math
import os
import signal

import pytest
from boundaries import ALL, BOTH, FORK, SPAWN, in_turn, main_result
from boundary_tasks import (
    OwnError,
    Poisoned,
    close_stdout,
    compute_for_ever,
    exit_with,
    identity,
    lambda_result,
    leave_without_a_word,
    nest,
    raise_own,
    raise_stubborn,
    receive_for_ever,
    send_range,
    stream_for_ever,
    swallow,
    wait_for_ever,
)
from killing import die
from undisturbed import undisturbed

from concmodels.errors import CannotTravel, RemoteError, TaskCancelled, TaskDied
from concmodels.models import processes, subinterp
from concmodels.models.memory.lives import supervisor
from concmodels.models.memory.lives.ctypes_turns import turns
from concmodels.models.memory.participant import participants

pytestmark = pytest.mark.usefixtures("nothing_left_behind")


def main_error(model, function, *args):
    with model.TaskGroup() as group:
        group.spawn(wait_for_ever, model)
        group.spawn(function, *args, name="the culprit")


@pytest.mark.parametrize("model", ALL)
def test_an_exception_keeps_its_type(model):
    with pytest.raises(ExceptionGroup) as caught:
        model.run(main_error, model, raise_own, 42)
    (error,) = caught.value.exceptions
    assert type(error) is OwnError
    assert error.number == 42
    assert "the culprit" in error.__notes__[0]
    assert "raise_own" in error.__notes__[0]


@pytest.mark.parametrize("model", BOTH)
def test_an_exception_that_cannot_travel_is_a_remote_error(model):
    for function, args in ((raise_stubborn, ()), (lambda_result, ())):
        with pytest.raises(ExceptionGroup) as caught:
            model.run(main_error, model, function, *args)
        (error,) = caught.value.exceptions
        if function is raise_stubborn:
            assert type(error) is RemoteError
            assert error.task == "the culprit"
            assert "Stubborn: 1 2" in error.traceback
        else:
            assert type(error) is CannotTravel


def main_poison(model):
    with model.TaskGroup() as group:
        group.spawn(identity, Poisoned())


@pytest.mark.parametrize("model", BOTH)
def test_an_exception_raised_while_unpickling(model):
    with pytest.raises(ExceptionGroup) as caught:
        model.run(main_poison, model)
    (error,) = caught.value.exceptions
    assert type(error) is CannotTravel and type(error.__cause__) is ValueError


@pytest.mark.parametrize("model", BOTH)
def test_system_exit_in_a_child_leaves_bare(model):
    with pytest.raises(SystemExit) as caught:
        model.run(main_error, model, exit_with, 5)
    assert caught.value.code == 5


def test_a_child_that_closes_its_standard_output():
    def main():
        with processes.TaskGroup() as group:
            task = group.spawn(close_stdout)
        return task.result()

    assert processes.run(main) == "done"


@pytest.mark.parametrize(("model", "function"), in_turn([processes, FORK, SPAWN], [die, leave_without_a_word]))
def test_a_process_that_dies_ends_the_run(model, function):
    with pytest.raises(ExceptionGroup) as caught:
        model.run(main_error, model, function)
    (error,) = caught.value.exceptions
    assert type(error) is TaskDied
    assert "the culprit" in str(error)


def main_killed_from_outside(model, below, moments):
    ready, silent = model.Channel(math.inf), model.Channel(0)
    with model.TaskGroup() as group:
        for _ in range(3):
            group.spawn(receive_for_ever, silent)
        if below:
            group.spawn(nest, model, ready, name="middle")
        else:
            group.spawn(wait_for_ever, model, ready, name="victim")
        victim = ready.receive()
        moments.append(undisturbed())
        os.kill(victim, signal.SIGKILL)
        silent.receive()


@pytest.mark.parametrize("below", [False, True])
def test_sigkill_of_a_node_is_noticed(below):
    moments = []
    with pytest.raises(ExceptionGroup) as caught:
        processes.run(main_killed_from_outside, processes, below, moments)
    (error,) = caught.value.exceptions
    assert type(error) is TaskDied
    assert "victim" in str(error)
    assert undisturbed() - moments[0] < 2  # a tenth of a second, as a rule


def main_compute(model, ready_function):
    ready = model.Channel(math.inf)
    with model.TaskGroup() as group:
        task = group.spawn(ready_function, *([ready] if ready_function is compute_for_ever else [model, ready, ready]))
        ready.receive()
        group.cancel()
    with pytest.raises(TaskCancelled):
        task.result()
    return ready


def main_compute_then_go_on(model):
    main_compute(model, compute_for_ever)
    main_compute(model, stream_for_ever)
    channel = model.Channel(math.inf)
    with model.TaskGroup() as group:  # no lock was lost
        group.spawn(send_range, channel, 0, 10)
    assert len(channel) == 10


def test_who_only_computes_is_ended(monkeypatch):
    monkeypatch.setattr(supervisor, "GRACE_S", 0.1)
    processes.run(main_compute_then_go_on, processes)


STEPS = [
    (supervisor.waking, "Poller"), (supervisor, "make_semaphores"), (supervisor.Arena, "create"),
    (supervisor.Participant, "__init__"), (supervisor.pickling, "main_file"), (turns, "begin"),
    (supervisor, "local_slot"), (supervisor.Supervisor, "_note_signals"),
]  # fmt: skip
"""What a run does before its main task begins, each of which may fail: for want of descriptors, or of memory."""


@pytest.mark.parametrize(("model", "step"), in_turn([processes, subinterp], STEPS))
def test_a_run_that_cannot_be_made_leaves_nothing(model, step, monkeypatch):
    def fail(*_):
        raise OSError("there is no more of it")

    if step == (turns, "begin") and model is processes:
        pytest.skip("only interpreters take turns")
    monkeypatch.setattr(*step, fail)
    for _ in range(2):
        with pytest.raises(OSError, match="no more of it"):
            model.run(int)
    assert not participants
    monkeypatch.undo()
    assert model.run(int) == 0


def main_swallow(model):
    ready = model.Channel(math.inf)
    with model.TaskGroup() as group:
        task = group.spawn(swallow, model, ready)
        ready.receive()
        task.cancel()
        with pytest.raises(TaskCancelled):
            task.result(50)
    assert ready.receive(50) == 3


@pytest.mark.parametrize("model", BOTH)
def test_a_swallowed_cancellation_is_raised_again(model):
    model.run(main_swallow, model)


def main_cancelled_body(model):
    never = model.Channel(0)
    with model.TaskGroup() as group:
        group.spawn(raise_own, 1)
        never.receive()


@pytest.mark.parametrize("model", BOTH)
def test_a_failure_cancels_the_body(model):
    with pytest.raises(ExceptionGroup) as caught:
        model.run(main_cancelled_body, model)
    assert [type(error) for error in caught.value.exceptions] == [OwnError]


@pytest.mark.parametrize("model", BOTH)
def test_results(model):
    model.run(main_result, model)
